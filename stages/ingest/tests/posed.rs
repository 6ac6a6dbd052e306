//! Images with poses: conventions are turned to ours with known numbers, and what is wrong is named.

use super::harness::{Folder, Written, discover, ingest, jpeg, project, source, turned_jpeg};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use uavgen_schemas::{ClassKind, DepthScale, Pose, WorldAxes};

/// A camera 100 m above the origin that looks straight down, the top of its image to the north, as camera-to-world with the axes of
/// OpenCV: x is east, y is south, z is down.
const NADIR: [[f64; 4]; 4] =
    [[1.0, 0.0, 0.0, 3.0], [0.0, -1.0, 0.0, 5.0], [0.0, 0.0, -1.0, 100.0], [0.0, 0.0, 0.0, 1.0]];

/// A file with two frames of that camera.
fn cameras() -> Value {
    json!({
        "axes": "opencv", "pose": "camera-to-world", "world": "enu", "first_pixel": "zero",
        "mesh": "../town.ply",
        "classes": [
            {"value": 1, "name": "building", "kind": "thing"},
            {"value": 2, "name": "car", "kind": "moving"},
            {"value": 3, "name": "road", "kind": "ground"}
        ],
        "cameras": {"main": {"width": 100, "height": 50, "fx": 80, "fy": 80, "cx": 49.5, "cy": 24.5,
            "distortion": [0.1, 0.01, 0.001, 0.002, 0.003]}},
        "frames": [
            {"image": "a.jpg", "mask": "a.png", "matrix": NADIR, "time_s": 10.0},
            {"image": "b.jpg", "matrix": NADIR, "time_s": 10.5}
        ]
    })
}

fn mask() -> Vec<u8> {
    uavgen_media::encode_png(&uavgen_media::RgbImage::new(100, 50)).unwrap()
}

/// A source of one flight.
fn flight(cameras: &Value) -> Folder {
    let folder = Folder::new();
    folder.write("one/cameras.json", cameras.to_string()).write("town.ply", "ply");
    folder.write("one/a.jpg", jpeg(100, 50)).write("one/b.jpg", jpeg(100, 50)).write("one/a.png", mask());
    folder
}

fn written(cameras: &Value) -> Written {
    ingest(source("posed-mesh", flight(cameras).path()))
}

/// Where a pose takes a point of the camera, by the formula in the docs of the record.
fn to_world(pose: &Pose, [x, y, z]: [f64; 3]) -> [f64; 3] {
    let Pose { qx, qy, qz, qw, .. } = *pose;
    let cross = |[a, b, c]: [f64; 3]| [qy * c - qz * b, qz * a - qx * c, qx * b - qy * a];
    let first = cross([x, y, z]);
    let twice = cross([first[0] + qw * x, first[1] + qw * y, first[2] + qw * z]);
    [x + 2.0 * twice[0] + pose.x, y + 2.0 * twice[1] + pose.y, z + 2.0 * twice[2] + pose.z]
}

fn near(a: [f64; 3], b: [f64; 3]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9)
}

#[test]
fn a_folder_with_cameras_is_a_recording() {
    let written = written(&cameras());
    assert_eq!(written.reasons(), []);
    let ids: Vec<&str> = written.frames.iter().map(|frame| frame.frame_id.as_str()).collect();
    assert_eq!(ids, ["src/one/0", "src/one/1"]);
    assert_eq!(written.frames.iter().map(|frame| frame.timestamp_us).collect::<Vec<_>>(), [Some(0), Some(500_000)]);
    assert!(written.frames.iter().all(|frame| !frame.labelled), "nobody drew boxes");
    let camera = &written.cameras[0];
    assert_eq!((camera.camera_id.as_str(), camera.cx, camera.cy), ("src/one#main", 50.0, 25.0));
    assert_eq!([camera.k1, camera.k2, camera.p1, camera.p2, camera.k3], [0.1, 0.01, 0.001, 0.002, 0.003]);
    assert_eq!(written.masks.iter().map(|mask| mask.file.as_str()).collect::<Vec<_>>(), ["one/a.png"]);
    assert_eq!(written.note("frames_without_mask"), 1);
    assert_eq!((written.meshes[0].file.as_str(), written.meshes[0].format.as_str()), ("town.ply", "ply"));
    let kinds: Vec<ClassKind> = written.classes.iter().map(|class| class.kind).collect();
    assert_eq!(kinds, [ClassKind::Thing, ClassKind::Moving, ClassKind::Ground]);
    // A point 100 m along the optical axis, 10 m right and 20 m down in the image: east and south of the place below the camera.
    assert!(written.poses.iter().all(|pose| near(to_world(pose, [10.0, 20.0, 100.0]), [13.0, -15.0, 0.0])));
}

#[test]
fn every_convention_leads_to_the_same_pose() {
    let rows = |rows: [[f64; 4]; 3]| [rows[0], rows[1], rows[2], [0.0, 0.0, 0.0, 1.0]];
    // The same camera: OpenGL's y is up (north here) and its z backward (up here).
    let opengl = rows([[1.0, 0.0, 0.0, 3.0], [0.0, 1.0, 0.0, 5.0], [0.0, 0.0, 1.0, 100.0]]);
    // The inverse of the pose: R^T, -R^T t.
    let inverse = rows([[1.0, 0.0, 0.0, -3.0], [0.0, -1.0, 0.0, 5.0], [0.0, 0.0, -1.0, 100.0]]);
    // North, east, down: x and y change places, down is positive.
    let ned = rows([[0.0, -1.0, 0.0, 5.0], [1.0, 0.0, 0.0, 3.0], [0.0, 0.0, 1.0, -100.0]]);
    // An airframe that flies north, level, in north, east, down: its axes are those of the world; the camera hangs below it, the top
    // of its image to the front.
    let airframe = rows([[1.0, 0.0, 0.0, 5.0], [0.0, 1.0, 0.0, 3.0], [0.0, 0.0, 1.0, -100.0]]);
    for (axes, pose, world, gimbal, matrix) in [
        ("opencv", "camera-to-world", "enu", None, NADIR),
        ("opengl", "camera-to-world", "enu", None, opengl),
        ("opencv", "world-to-camera", "enu", None, inverse),
        ("opencv", "camera-to-world", "ned", None, ned),
        ("frd", "camera-to-world", "ned", Some("down"), airframe),
    ] {
        let mut file = cameras();
        (file["axes"], file["pose"], file["world"]) = (json!(axes), json!(pose), json!(world));
        if let Some(gimbal) = gimbal {
            file["gimbal"] = json!(gimbal);
        }
        file["frames"][0]["matrix"] = json!(matrix);
        let written = written(&file);
        let pose = &written.poses[0];
        assert_eq!((pose.x, pose.y, pose.z), (3.0, 5.0, 100.0), "{axes} {world}");
        assert!(near(to_world(pose, [10.0, 20.0, 100.0]), [13.0, -15.0, 0.0]), "{axes} {world}: {pose:?}");
        assert_eq!(json!(written.meshes[0].axes), json!(world));
    }
}

/// Reasons of the rejects after a change of the file.
fn reasons_after(change: impl Fn(&mut Value)) -> BTreeSet<String> {
    let mut file = cameras();
    change(&mut file);
    written(&file).rejects.into_iter().map(|reject| format!("{} {}", reject.record_id, reject.reason)).collect()
}

#[test]
fn what_is_wrong_with_a_frame_is_named_and_the_others_stay() {
    let mirrored = [[-1.0, 0.0, 0.0, 3.0], [0.0, -1.0, 0.0, 5.0], [0.0, 0.0, -1.0, 100.0], [0.0, 0.0, 0.0, 1.0]];
    let scaled = [[2.0, 0.0, 0.0, 3.0], [0.0, -2.0, 0.0, 5.0], [0.0, 0.0, -2.0, 100.0], [0.0, 0.0, 0.0, 1.0]];
    for (reason, key, value) in [
        ("bad_pose", "matrix", json!(mirrored)),
        ("bad_pose", "matrix", json!(scaled)),
        ("no_pose", "matrix", Value::Null),
        ("unknown_camera", "camera", json!("other")),
        ("missing_file", "image", json!("c.jpg")),
        ("missing_file", "image", json!("../../../b.jpg")),
        ("image_named_twice", "image", json!("a.jpg")),
        ("bad_timestamp", "time_s", json!(10.0)),
        ("bad_timestamp", "time_s", Value::Null),
    ] {
        let found = reasons_after(|file| file["frames"][1][key] = value.clone());
        assert_eq!(found, BTreeSet::from([format!("src/one/1 {reason}")]), "{key}: {value}");
    }
    let found = reasons_after(|file| file["frames"][0]["mask"] = json!("none.png"));
    assert_eq!(found, BTreeSet::from(["src/one/0 missing_file".to_owned()]));
}

#[test]
fn what_is_wrong_with_all_frames_is_told_once_and_of_each() {
    let found = reasons_after(|file| file["cameras"]["main"]["cx"] = json!(5.0));
    let frames = ["src/one#main bad_calibration", "src/one/0 bad_calibration", "src/one/1 bad_calibration"];
    assert_eq!(found, frames.map(str::to_owned).into());
    let found = reasons_after(|file| file["cameras"]["main"]["width"] = json!(110));
    assert_eq!(
        found,
        ["src/one/0 other_size_than_camera", "src/one/1 other_size_than_camera"].map(str::to_owned).into()
    );
    assert_eq!(reasons_after(|file| file["mesh"] = json!("none.ply")), ["src/one missing_file".to_owned()].into());
    assert_eq!(reasons_after(|file| file["mesh"] = json!("a.glb")), ["src/one unknown_mesh_format".to_owned()].into());
}

#[test]
fn a_file_of_another_form_is_one_reject_that_says_what_is_wrong() {
    for (change, text) in [
        (Box::new(|file: &mut Value| file["axes"] = json!("blender")) as Box<dyn Fn(&mut Value)>, "blender"),
        (Box::new(|file: &mut Value| file["focal"] = json!(1.0)), "focal"),
        (Box::new(|file: &mut Value| _ = file.as_object_mut().unwrap().remove("world")), "world"),
        (Box::new(|file: &mut Value| file["axes"] = json!("frd")), "gimbal"),
        (Box::new(|file: &mut Value| file["frames"][0]["depth"] = json!("a.npy")), "depth_format"),
        (Box::new(|file: &mut Value| file["metres_per_unit"] = json!(1.0)), "depth_format"),
        (
            Box::new(|file: &mut Value| (file["depth_format"], file["depth_scale"]) = (json!("png"), json!("metric"))),
            "needs",
        ),
        (Box::new(|file: &mut Value| with_depth(file, "affine", Some(0.01))), "metric` only"),
        (Box::new(|file: &mut Value| with_depth(file, "metric", Some(-1.0))), "above 0"),
        (Box::new(|file: &mut Value| file["classes"][1]["value"] = json!(1)), "the value 1 twice"),
        (Box::new(|file: &mut Value| file["classes"][1]["colour"] = json!([1, 2, 3])), "colour"),
    ] {
        let mut file = cameras();
        change(&mut file);
        let written = written(&file);
        assert_eq!(written.reasons(), [("one/cameras.json", "bad_cameras_file")]);
        assert!(written.rejects[0].detail.contains(text), "{}", written.rejects[0].detail);
        assert!(written.recordings.is_empty());
    }
}

#[test]
fn an_image_that_a_tag_turns_has_no_calibration() {
    let folder = flight(&cameras());
    folder.write("one/b.jpg", turned_jpeg(50, 100, 6));
    let written = ingest(source("posed-mesh", folder.path()));
    assert_eq!(written.reasons(), [("src/one/1", "other_size_than_camera")]);
    assert!(written.rejects[0].detail.contains("orientation tag"));
}

#[test]
fn recordings_of_one_mesh_are_one_leak_group() {
    let folder = flight(&cameras());
    for other in ["two", "deep/three"] {
        for file in ["cameras.json", "a.jpg", "b.jpg", "a.png"] {
            folder.write(&format!("{other}/{file}"), std::fs::read(folder.path().join("one").join(file)).unwrap());
        }
    }
    let written = ingest(source("posed-mesh", folder.path()));
    let groups: Vec<(&str, &str)> =
        written.recordings.iter().map(|row| (row.recording_id.as_str(), row.group_id.as_str())).collect();
    // The mesh of the third lies elsewhere, where there is none.
    let expected = [("src/deep/three", "src:deep/town.ply"), ("src/one", "src:town.ply"), ("src/two", "src:town.ply")];
    assert_eq!(groups, expected);
}

#[test]
fn a_folder_without_cameras_is_told_what_is_missing() {
    let folder = Folder::new();
    folder.write("a.jpg", jpeg(10, 10));
    let error = discover(&project(vec![source("posed-mesh", folder.path())])).unwrap_err().to_string();
    assert!(error.contains("cameras.json"), "{error}");
}

fn with_depth(file: &mut Value, scale: &str, metres_per_unit: Option<f64>) {
    (file["depth_format"], file["depth_scale"]) = (json!("npy"), json!(scale));
    if let Some(unit) = metres_per_unit {
        file["metres_per_unit"] = json!(unit);
    }
    file["frames"][0]["depth"] = json!("a.npy");
    file["frames"][1]["depth"] = json!("none.npy");
}

#[test]
fn depth_files_are_rows_with_what_they_tell() {
    for (name, scale, unit) in
        [("metric", DepthScale::Metric, Some(0.5)), ("affine-inverse", DepthScale::AffineInverse, None)]
    {
        let mut file = cameras();
        with_depth(&mut file, name, unit);
        let folder = flight(&file);
        folder.write("one/a.npy", "npy");
        let written = ingest(source("posed-mesh", folder.path()));
        assert_eq!(written.reasons(), [("src/one/1", "missing_file")]);
        let row = &written.depths[0];
        assert_eq!((row.frame_id.as_str(), row.file.as_str(), row.format.as_str()), ("src/one/0", "one/a.npy", "npy"));
        assert_eq!((row.scale, row.metres_per_unit, row.byte_count), (scale, unit, 3));
        assert_eq!(written.frames.len(), 2, "a frame stays without its depth file");
    }
}

/// The camera of the other tests, about the place where the equator meets the meridian of 90° east, 50 m above the ellipsoid: up is y,
/// east is -x, north is z. Its x axis is east, its y south, its z down.
const EARTH_CENTRED: [[f64; 4]; 4] =
    [[-1.0, 0.0, 0.0, -3.0], [0.0, 0.0, -1.0, 6_378_287.0], [0.0, -1.0, 0.0, 5.0], [0.0, 0.0, 0.0, 1.0]];

#[test]
fn earth_centred_poses_become_local() {
    let mut file = cameras();
    file["world"] = json!("ecef");
    file["frames"][0]["matrix"] = json!(EARTH_CENTRED);
    file["frames"][1]["matrix"] = json!(EARTH_CENTRED);
    file["origin"] = json!({"latitude_deg": 0.0, "longitude_deg": 90.0, "ellipsoid_m": 50.0});
    let stated = written(&file);
    assert_eq!(stated.reasons(), []);
    let pose = &stated.poses[0];
    assert!(to_world(pose, [0.0; 3]).iter().zip([3.0, 5.0, 100.0]).all(|(a, b)| (a - b).abs() < 1e-6), "{pose:?}");
    let seen = to_world(pose, [10.0, 20.0, 100.0]);
    assert!(seen.iter().zip([13.0, -15.0, 0.0]).all(|(a, b)| (a - b).abs() < 1e-6), "{seen:?}");
    let mesh = &stated.meshes[0];
    assert_eq!(
        (mesh.axes, mesh.origin_longitude_deg, mesh.origin_ellipsoid_m),
        (WorldAxes::Ecef, Some(90.0), Some(50.0))
    );
    // Without a stated one, the first camera is the origin.
    file.as_object_mut().unwrap().remove("origin");
    let derived = written(&file);
    assert!(to_world(&derived.poses[0], [0.0; 3]).iter().all(|number| number.abs() < 1e-6));
    assert!((derived.meshes[0].origin_ellipsoid_m.unwrap() - 150.0).abs() < 1e-3);
}

#[test]
fn an_origin_that_is_none_is_told() {
    type Change = Box<dyn Fn(&mut Value)>;
    let place = || json!({"latitude_deg": 91.0, "longitude_deg": 0.0, "ellipsoid_m": 0.0});
    let cases: [(Change, &str); 3] = [
        // The poses are local: a hundred metres from the centre of the Earth.
        (Box::new(|file| file["world"] = json!("ecef")), "centre of the Earth"),
        (Box::new(move |file| file["origin"] = place()), "`ecef` only"),
        (Box::new(move |file| (file["world"], file["origin"]) = (json!("ecef"), place())), "latitude 91"),
    ];
    for (change, text) in cases {
        let mut file = cameras();
        change(&mut file);
        let written = written(&file);
        assert_eq!(written.reasons(), [("one/cameras.json", "bad_cameras_file")]);
        assert!(written.rejects[0].detail.contains(text), "{}", written.rejects[0].detail);
    }
}
