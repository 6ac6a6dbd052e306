//! Depth of surfaces whose distance is known, and what is wrong with meshes and poses.

mod recorded;

use super::config::DepthConfig;
use super::{STAGE, pure};
use crate::testing::{Bench, Outcome, frame, recording};
use serde_json::json;
use uavgen_core::Stage;
use uavgen_media::{decode_grey16, read_floats};
use uavgen_schemas::{Camera, DepthMap, Frame, Mesh, Pose, Recording, WorldAxes};

const WIDTH: usize = 40;
const HEIGHT: usize = 30;

/// 400 m x 400 m of ground at height 0, and a square of 20 m at height 10 m about the origin.
const TOWN: &str = "v -200 -200 0\nv 200 -200 0\nv 200 200 0\nv -200 200 0\nf 1 2 3 4\n\
                    v -10 -10 10\nv 10 -10 10\nv 10 10 10\nv -10 10 10\nf 5 6 7 8\n";

/// A camera that looks straight down, the top of its image to the north: half a turn about x.
const DOWN: [f64; 4] = [1.0, 0.0, 0.0, 0.0];
/// One that looks up.
const UP: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// Inputs of a task whose frames were taken from there.
fn bench(mesh: &[u8], axes: WorldAxes, views: &[([f64; 3], [f64; 4])]) -> Bench {
    let mut bench = bench_without_mesh(mesh, views);
    let partition = bench.sequence("src", "a");
    bench.table(&partition, vec![mesh_row(mesh, axes)]);
    bench
}

fn mesh_row(mesh: &[u8], axes: WorldAxes) -> Mesh {
    Mesh {
        recording_id: "src/a".into(),
        file: "town.obj".into(),
        digest: blake3::hash(mesh).to_hex().to_string(),
        byte_count: mesh.len() as i64,
        format: "obj".into(),
        axes,
        origin_latitude_deg: None,
        origin_longitude_deg: None,
        origin_ellipsoid_m: None,
    }
}

/// The same without a row for the mesh.
fn bench_without_mesh(mesh: &[u8], views: &[([f64; 3], [f64; 4])]) -> Bench {
    let mut bench = Bench::new("depth", "train");
    let partition = bench.sequence("src", "a");
    bench.source_file("src", "town.obj", mesh);
    let recording_id = "src/a".to_owned();
    bench.table(&partition, vec![Recording { source: "src".into(), ..recording("src/a", views.len() as i64) }]);
    bench.table(
        &partition,
        (0..views.len() as i64).map(|number| frame("src/a", number, "a.jpg", b"")).collect::<Vec<Frame>>(),
    );
    let (width, height) = (WIDTH as i64, HEIGHT as i64);
    bench.table(
        &partition,
        vec![Camera {
            camera_id: "src/a#main".into(),
            recording_id: recording_id.clone(),
            width,
            height,
            fx: 20.0,
            fy: 20.0,
            cx: 20.0,
            cy: 15.0,
            k1: 0.0,
            k2: 0.0,
            k3: 0.0,
            p1: 0.0,
            p2: 0.0,
        }],
    );
    let pose = |(number, &([x, y, z], [qx, qy, qz, qw])): (usize, &([f64; 3], [f64; 4]))| Pose {
        frame_id: format!("src/a/{number}"),
        recording_id: recording_id.clone(),
        camera_id: "src/a#main".into(),
        x,
        y,
        z,
        qx,
        qy,
        qz,
        qw,
    };
    bench.table(&partition, views.iter().enumerate().map(pose).collect::<Vec<Pose>>());
    bench
}

fn run(bench: &Bench) -> Outcome {
    bench.run(|context| STAGE.configure(&json!({})).unwrap().run(context))
}

/// Reasons of the rejects with their details.
fn reasons(outcome: &Outcome) -> Vec<(String, String)> {
    outcome.rejects().into_iter().map(|reject| (reject.reason, reject.detail)).collect()
}

#[test]
fn depth_is_along_the_axis_and_both_files_say_it() {
    let outcome = run(&bench(TOWN.as_bytes(), WorldAxes::Enu, &[([0.0, 0.0, 110.0], DOWN)]));
    let rows: Vec<DepthMap> = outcome.rows();
    let (width, height, floats) = read_floats(&outcome.path(&rows[0].floats_path)).unwrap();
    assert_eq!((width, height), (WIDTH, HEIGHT));
    // The square of 20 m at 100 m is 4 x 4 pixels about the centre; all else is ground, at the corners too.
    let expected = |index: usize| {
        let (x, y) = ((index % WIDTH) as f64 + 0.5, (index / WIDTH) as f64 + 0.5);
        if (x - 20.0).abs() < 2.0 && (y - 15.0).abs() < 2.0 { 100.0 } else { 110.0 }
    };
    assert!(floats.iter().enumerate().all(|(index, &z)| (f64::from(z) - expected(index)).abs() < 1e-4));
    let (_, _, values) = decode_grey16(&outcome.blob(&rows[0].path)).unwrap();
    // 65.535 m do not reach, 131 m do.
    assert_eq!(rows[0].step_m, 0.002);
    assert!(values.iter().zip(&floats).all(|(&value, &z)| (f64::from(value) * 0.002 - f64::from(z)).abs() <= 0.001));
    assert_eq!((rows[0].known_share, rows[0].min_m.round(), rows[0].max_m.round()), (1.0, 100.0, 110.0));
    let mean = (16.0 * 100.0 + 1184.0 * 110.0) / 1200.0;
    assert!((rows[0].mean_m - mean).abs() < 1e-4);
}

#[test]
fn coordinates_of_millions_of_metres_keep_their_millimetres() {
    let (east, north) = (576_705.125, 5_188_170.625);
    let moved = |line: &str| {
        let mut words = line.split(' ');
        match (words.next(), words.next(), words.next(), words.next()) {
            (Some("v"), Some(x), Some(y), Some(z)) => {
                format!("v {} {} {z}", x.parse::<f64>().unwrap() + east, y.parse::<f64>().unwrap() + north)
            }
            _ => line.to_owned(),
        }
    };
    let town: Vec<String> = TOWN.lines().map(|line| moved(line.trim())).collect();
    let floats = |mesh: &str, x: f64, y: f64| {
        let outcome = run(&bench(mesh.as_bytes(), WorldAxes::Enu, &[([x, y, 110.0], DOWN)]));
        read_floats(&outcome.path(&outcome.rows::<DepthMap>()[0].floats_path)).unwrap().2
    };
    let (near, far) = (floats(TOWN, 0.0, 0.0), floats(&town.join("\n"), east, north));
    assert!(near.iter().zip(&far).all(|(a, b)| (a - b).abs() <= 1e-3));
}

#[test]
fn a_mesh_of_north_east_down_is_turned() {
    // Two squares, north and up: (north, east, down).
    let ned = "v 20 -5 -10\nv 40 -5 -10\nv 40 5 -10\nv 20 5 -10\nf 1 2 3 4\n";
    let outcome = run(&bench(ned.as_bytes(), WorldAxes::Ned, &[([0.0, 0.0, 60.0], DOWN)]));
    let rows: Vec<DepthMap> = outcome.rows();
    let (_, _, floats) = read_floats(&outcome.path(&rows[0].floats_path)).unwrap();
    // 20 to 40 m north at a depth of 50 m: 8 to 16 pixels above the centre, of which the image shows rows 0 to 6.
    let shown: Vec<usize> = (0..WIDTH * HEIGHT).filter(|&index| floats[index] > 0.0).collect();
    assert!(shown.iter().all(|index| index / WIDTH < 7 && (18..22).contains(&(index % WIDTH))));
    assert_eq!(shown.len(), 7 * 4);
    assert!(shown.iter().all(|&index| (floats[index] - 50.0).abs() < 1e-4));
}

#[test]
fn an_earth_centred_mesh_is_moved_to_its_origin() {
    // Where the equator meets the meridian of 90° east: up is y, east is -x, north is z.
    let moved: Vec<String> = TOWN
        .lines()
        .map(|line| match line.trim().split(' ').collect::<Vec<_>>().as_slice() {
            ["v", x, y, z] => {
                let [east, north, up] = [x, y, z].map(|number| number.parse::<f64>().unwrap());
                format!("v {} {} {}", -east, 6_378_137.0 + 50.0 + up, north)
            }
            _ => line.to_owned(),
        })
        .collect();
    let view = ([0.0, 0.0, 110.0], DOWN);
    let mut bench = bench_without_mesh(moved.join("\n").as_bytes(), &[view]);
    let partition = bench.sequence("src", "a");
    let mesh = Mesh {
        origin_latitude_deg: Some(0.0),
        origin_longitude_deg: Some(90.0),
        origin_ellipsoid_m: Some(50.0),
        ..mesh_row(moved.join("\n").as_bytes(), WorldAxes::Ecef)
    };
    bench.table(&partition, vec![mesh]);
    let floats = |outcome: &Outcome| read_floats(&outcome.path(&outcome.rows::<DepthMap>()[0].floats_path)).unwrap().2;
    let (there, here) = (run(&bench), run(&self::bench(TOWN.as_bytes(), WorldAxes::Enu, &[view])));
    assert!(floats(&there).iter().zip(floats(&here)).all(|(a, b)| (a - b).abs() <= 1e-3));
}

#[test]
fn a_frame_that_looks_away_is_a_reject_and_the_others_stay() {
    let outcome = run(&bench(TOWN.as_bytes(), WorldAxes::Enu, &[([0.0, 0.0, 50.0], DOWN), ([0.0, 0.0, 50.0], UP)]));
    let rows: Vec<DepthMap> = outcome.rows();
    assert_eq!(rows.iter().map(|row| row.frame_id.as_str()).collect::<Vec<_>>(), ["src/a/0"]);
    let rejects = outcome.rejects();
    assert_eq!((rejects[0].record_id.as_str(), rejects[0].reason.as_str()), ("src/a/1", "sees_no_surface"));
}

#[test]
fn a_mesh_of_other_coordinates_is_told_how_far_off_it_is() {
    let outcome =
        run(&bench(TOWN.as_bytes(), WorldAxes::Enu, &[([12_600.0, 0.0, 0.0], UP), ([30_000.0, 0.0, 0.0], UP)]));
    let reasons = reasons(&outcome);
    assert_eq!((reasons.len(), reasons[0].0.as_str()), (1, "mesh_not_seen"));
    assert!(reasons[0].1.contains("nearest miss 12.4 km"), "{}", reasons[0].1);
    let outcome = run(&bench(TOWN.as_bytes(), WorldAxes::Enu, &[([0.0, 0.0, 5.0], UP)]));
    // The square at 10 m is above it.
    assert_eq!(self::reasons(&outcome), []);
    let outcome = run(&bench(TOWN.as_bytes(), WorldAxes::Enu, &[([100.0, 100.0, 10.0], UP)]));
    assert!(self::reasons(&outcome)[0].1.contains("look away"));
}

#[test]
fn a_mesh_that_cannot_be_read_is_a_reject() {
    for (mesh, text) in [("v 0 0 0\nf 1 1 1\n", ""), ("v 0 0\nf 1 2 3\n", "line 1"), ("", "")] {
        let outcome = run(&bench(mesh.as_bytes(), WorldAxes::Enu, &[([0.0, 0.0, 50.0], DOWN)]));
        let reasons = reasons(&outcome);
        assert_eq!((reasons.len(), reasons[0].0.as_str()), (1, "bad_mesh"), "{mesh:?}");
        assert!(reasons[0].1.contains(text), "{}", reasons[0].1);
        assert!(outcome.rows::<DepthMap>().is_empty() && outcome.blob_names().is_empty());
    }
}

#[test]
fn faces_that_cannot_be_drawn_are_counted() {
    let mesh = format!("{TOWN}v nan 0 0\nf 1 2 9\nf 1 1 2\nf 1 2 77\n");
    let outcome = run(&bench(mesh.as_bytes(), WorldAxes::Enu, &[([0.0, 0.0, 50.0], DOWN)]));
    let notes = &outcome.result.counts.notes;
    for name in
        ["faces_with_corners_that_are_not_finite", "faces_without_area", "faces_with_corners_that_are_not_there"]
    {
        assert_eq!(notes.get(name), Some(&1), "{name}: {notes:?}");
    }
    assert_eq!(outcome.rows::<DepthMap>().len(), 1);
}

#[test]
fn the_same_inputs_give_the_same_bytes() {
    let views = [([0.0, 0.0, 110.0], DOWN), ([30.0, 0.0, 90.0], DOWN)];
    let bench = bench(TOWN.as_bytes(), WorldAxes::Enu, &views);
    let (one, two) = (run(&bench), run(&bench));
    assert_eq!(one.blob_digests(), two.blob_digests());
    assert_eq!(one.blob_names().len(), 4);
}

#[test]
fn depth_can_be_switched_off() {
    let outcome = bench(TOWN.as_bytes(), WorldAxes::Enu, &[([0.0, 0.0, 110.0], DOWN)])
        .run(|context| STAGE.configure(&json!({"enabled": false})).unwrap().run(context));
    assert!(outcome.rows::<DepthMap>().is_empty() && outcome.rejects().is_empty());
}

#[test]
fn steps_reach_the_farthest_surface() {
    for (farthest, expected) in
        [(1.0, 0.001), (65.5, 0.001), (65.6, 0.002), (200.0, 0.005), (500.0, 0.01), (5_000.0, 0.1)]
    {
        let step = pure::step(0.001, farthest);
        assert!((step - expected).abs() < 1e-12, "{farthest}: {step}");
    }
    assert_eq!(pure::quantised(&[0.0, 1e-5, 65.535, 1e9], 0.001), [0, 1, 65_535, 65_535]);
    assert!(DepthConfig { finest_step_m: f64::NAN, ..DepthConfig::default() }.validate().is_err());
}
