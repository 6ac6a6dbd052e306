//! Depth files of the source: taken as they are, aligned to the mesh, or refused.

use super::{DOWN, HEIGHT, TOWN, UP, WIDTH, bench, bench_without_mesh, reasons};
use crate::depth::STAGE;
use crate::testing::{Bench, Outcome};
use serde_json::{Value, json};
use uavgen_core::Stage;
use uavgen_media::{encode_grey16, read_floats};
use uavgen_schemas::{DepthMap, DepthScale, DepthSource, RecordedDepth, WorldAxes};

/// The camera of the other tests, 110 m above the ground and 100 m above the square in its middle.
const ABOVE: ([f64; 3], [f64; 4]) = ([0.0, 0.0, 110.0], DOWN);

/// Depth of that view: 4 x 4 pixels of the square, the rest ground; with a van of 3 m height on 4 x 2 pixels, which no mesh has.
fn truth() -> Vec<f32> {
    let depth = |index: usize| {
        let (x, y) = (index % WIDTH, index / WIDTH);
        match (x, y) {
            (18..22, 13..17) => 100.0,
            (4..8, 4..6) => 107.0,
            _ => 110.0,
        }
    };
    (0..WIDTH * HEIGHT).map(depth).collect()
}

/// A file as `numpy.save` writes it.
fn npy(width: usize, height: usize, values: &[f32]) -> Vec<u8> {
    let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({height}, {width}), }}\n");
    let values: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    [b"\x93NUMPY\x01\x00", (header.len() as u16).to_le_bytes().as_slice(), header.as_bytes(), &values].concat()
}

/// A bench whose frame 0 has a depth file.
fn with_file(views: &[([f64; 3], [f64; 4])], file: &str, bytes: &[u8], scale: DepthScale, unit: Option<f64>) -> Bench {
    added(bench(TOWN.as_bytes(), WorldAxes::Enu, views), file, bytes, scale, unit)
}

/// The same without a mesh.
fn with_file_alone(file: &str, bytes: &[u8], scale: DepthScale, unit: Option<f64>) -> Bench {
    added(bench_without_mesh(TOWN.as_bytes(), &[ABOVE]), file, bytes, scale, unit)
}

fn added(mut bench: Bench, file: &str, bytes: &[u8], scale: DepthScale, unit: Option<f64>) -> Bench {
    bench.source_file("src", file, bytes);
    let partition = bench.sequence("src", "a");
    let row = RecordedDepth {
        frame_id: "src/a/0".into(),
        recording_id: "src/a".into(),
        file: file.into(),
        digest: blake3::hash(bytes).to_hex().to_string(),
        byte_count: bytes.len() as i64,
        format: file.rsplit('.').next().unwrap().into(),
        scale,
        metres_per_unit: unit,
    };
    bench.table(&partition, vec![row]);
    bench
}

fn run(bench: &Bench, config: &Value) -> Outcome {
    bench.run(|context| STAGE.configure(config).unwrap().run(context))
}

fn recorded() -> Value {
    json!({"prefer": "recorded"})
}

fn floats(outcome: &Outcome) -> Vec<f32> {
    read_floats(&outcome.path(&outcome.rows::<DepthMap>()[0].floats_path)).unwrap().2
}

fn near(a: &[f32], b: &[f32], most: f32) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= most)
}

#[test]
fn metric_depth_is_taken_where_there_is_no_mesh() {
    let centimetres: Vec<u16> = truth().iter().map(|z| (z * 100.0) as u16).collect();
    let png = encode_grey16(WIDTH as u32, HEIGHT as u32, &centimetres).unwrap();
    let outcome = run(&with_file_alone("a.png", &png, DepthScale::Metric, Some(0.01)), &json!({}));
    assert_eq!(reasons(&outcome), []);
    let row = &outcome.rows::<DepthMap>()[0];
    assert_eq!((row.source, row.step_m, row.known_share), (DepthSource::Recorded, 0.002, 1.0));
    assert!(near(&floats(&outcome), &truth(), 1e-4));
}

#[test]
fn the_config_says_which_of_two_is_taken() {
    let file = npy(WIDTH, HEIGHT, &truth());
    let bench = || with_file(&[ABOVE], "a.npy", &file, DepthScale::Metric, Some(1.0));
    let van = 4 * WIDTH + 5;
    let of_mesh = run(&bench(), &json!({}));
    assert_eq!((of_mesh.rows::<DepthMap>()[0].source, floats(&of_mesh)[van]), (DepthSource::Mesh, 110.0));
    let of_file = run(&bench(), &recorded());
    assert_eq!((of_file.rows::<DepthMap>()[0].source, floats(&of_file)[van]), (DepthSource::Recorded, 107.0));
}

#[test]
fn what_is_no_depth_is_unknown() {
    let mut values = truth();
    values[..4].copy_from_slice(&[f32::NAN, -3.0, f32::INFINITY, 0.0]);
    let file = npy(WIDTH, HEIGHT, &values);
    let outcome = run(&with_file(&[ABOVE], "a.npy", &file, DepthScale::Metric, Some(1.0)), &recorded());
    assert_eq!(floats(&outcome)[..5], [0.0, 0.0, 0.0, 0.0, 110.0]);
}

#[test]
fn depth_of_unknown_factor_and_offset_is_aligned_to_the_mesh() {
    for (scale, value) in [
        (DepthScale::Affine, (|z: f32| (z - 40.0) / 7.0) as fn(f32) -> f32),
        (DepthScale::AffineInverse, |z| 3000.0 / z - 12.0),
    ] {
        let file = npy(WIDTH, HEIGHT, &truth().into_iter().map(value).collect::<Vec<f32>>());
        let outcome = run(&with_file(&[ABOVE], "a.npy", &file, scale, None), &recorded());
        assert_eq!(reasons(&outcome), []);
        assert_eq!(outcome.rows::<DepthMap>()[0].source, DepthSource::Aligned);
        // The van is not in the mesh, and keeps its height.
        assert!(near(&floats(&outcome), &truth(), 0.01), "{scale:?}");
    }
}

#[test]
fn depth_that_cannot_be_aligned_gives_no_row() {
    let file = npy(WIDTH, HEIGHT, &truth());
    let none = run(&with_file_alone("a.npy", &file, DepthScale::Affine, None), &json!({}));
    assert_eq!(reasons(&none)[0].0, "no_metric_anchor");
    assert!(none.rows::<DepthMap>().is_empty() && none.blob_names().is_empty());
    // The mesh is in view of the other frame only.
    let away = run(&with_file(&[([0.0, 0.0, 50.0], UP), ABOVE], "a.npy", &file, DepthScale::Affine, None), &json!({}));
    assert_eq!(away.rows::<DepthMap>().iter().map(|row| row.frame_id.as_str()).collect::<Vec<_>>(), ["src/a/1"]);
    let found: Vec<String> = reasons(&away).into_iter().map(|(reason, _)| reason).collect();
    assert!(found.contains(&"no_metric_anchor".to_owned()), "{found:?}");
    // Values that have nothing to do with the depth: the mesh stays.
    let noise: Vec<f32> = (0..WIDTH * HEIGHT).map(|index| ((index * 7919) % 1009) as f32).collect();
    let noise = npy(WIDTH, HEIGHT, &noise);
    let mut config = recorded();
    config["max_alignment_error"] = json!(0.0001);
    let outcome = run(&with_file(&[ABOVE], "a.npy", &noise, DepthScale::Affine, None), &config);
    assert_eq!((reasons(&outcome).len(), reasons(&outcome)[0].0.as_str()), (1, "poor_alignment"));
    assert_eq!(outcome.rows::<DepthMap>()[0].source, DepthSource::Mesh);
}

#[test]
fn files_that_are_something_else_are_rejects_and_the_mesh_stays() {
    let other_size = npy(HEIGHT, WIDTH, &truth());
    let unknown = npy(WIDTH, HEIGHT, &[f32::NAN; WIDTH * HEIGHT]);
    for (file, bytes, reason) in [
        ("a.npy", b"text".as_slice(), "bad_depth_file"),
        ("a.png", b"text", "bad_depth_file"),
        ("a.npy", &other_size, "other_size_than_camera"),
        ("a.npy", &unknown, "depth_all_unknown"),
    ] {
        let outcome = run(&with_file(&[ABOVE], file, bytes, DepthScale::Metric, Some(1.0)), &recorded());
        assert_eq!((reasons(&outcome).len(), reasons(&outcome)[0].0.as_str()), (1, reason), "{file}");
        assert_eq!(outcome.rows::<DepthMap>()[0].source, DepthSource::Mesh);
    }
}
