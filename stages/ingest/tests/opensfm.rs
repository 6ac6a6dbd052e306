//! Reconstructions of OpenSfM and OpenDroneMap: their conventions with known numbers, what is wrong with them, and a real one.

use super::harness::{Folder, Written, discover, ingest, jpeg, project, shared, source};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::f64::consts::PI;
use std::fs;
use std::path::Path;
use uavgen_geometry::{Intrinsics, Pixel, Transform};
use uavgen_render::{Layers, Lens, Rendered, Renderer};

/// The shot of a camera at (3, 5, 100) that looks straight down, the top of its image to the north: R turns by half a turn about x,
/// t = -R c.
fn nadir(time: f64) -> Value {
    json!({"camera": "v2 main", "rotation": [PI, 0.0, 0.0], "translation": [-3.0, 5.0, 100.0], "capture_time": time,
           "orientation": 1, "gps_dop": 15.0})
}

fn reconstruction() -> Value {
    let camera = json!({"projection_type": "brown", "width": 100, "height": 50, "focal_x": 0.8, "focal_y": 0.9,
                        "c_x": 0.01, "c_y": -0.02, "k1": 0.1, "k2": 0.01, "p1": 0.001, "p2": 0.002, "k3": 0.003});
    json!([{"cameras": {"v2 main": camera}, "points": {"1": {"coordinates": [0, 0, 0]}},
            "shots": {"b.jpg": nadir(10.0), "a.jpg": nadir(12.0)}}])
}

/// A project of OpenDroneMap.
fn flight(reconstruction: &Value) -> Folder {
    let folder = Folder::new();
    folder.write("one/opensfm/reconstruction.json", reconstruction.to_string());
    folder.write("one/images/a.jpg", jpeg(100, 50)).write("one/images/b.jpg", jpeg(100, 50));
    folder.write("one/odm_texturing/odm_textured_model.obj", "obj");
    folder
}

fn written(reconstruction: &Value) -> Written {
    ingest(source("opensfm", flight(reconstruction).path()))
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn a_reconstruction_is_a_recording() {
    let written = written(&reconstruction());
    assert_eq!(written.reasons(), []);
    let recording = &written.recordings[0];
    assert_eq!((recording.recording_id.as_str(), recording.group_id.as_str()), ("src/one", "src:one"));
    // In the order of their times.
    let frames: Vec<(&str, Option<i64>)> =
        written.frames.iter().map(|frame| (frame.file.as_str(), frame.timestamp_us)).collect();
    assert_eq!(frames, [("one/images/b.jpg", Some(0)), ("one/images/a.jpg", Some(2_000_000))]);
    let camera = &written.cameras[0];
    // Shares of the longer side, from the centre.
    assert!(near(camera.fx, 80.0) && near(camera.fy, 90.0) && near(camera.cx, 51.0) && near(camera.cy, 23.0));
    assert_eq!([camera.k1, camera.k2, camera.p1, camera.p2, camera.k3], [0.1, 0.01, 0.001, 0.002, 0.003]);
    let pose = &written.poses[0];
    assert!(near(pose.x, 3.0) && near(pose.y, 5.0) && near(pose.z, 100.0));
    // Half a turn about x.
    assert!(near(pose.qx.abs(), 1.0) && near(pose.qy, 0.0) && near(pose.qz, 0.0) && near(pose.qw, 0.0));
    assert_eq!(written.meshes[0].file, "one/odm_texturing/odm_textured_model.obj");
}

#[test]
fn a_calibration_in_shares_holds_for_larger_images() {
    let folder = flight(&reconstruction());
    folder.write("one/images/a.jpg", jpeg(400, 200)).write("one/images/b.jpg", jpeg(400, 200));
    let written = ingest(source("opensfm", folder.path()));
    assert_eq!(written.reasons(), []);
    let camera = &written.cameras[0];
    assert_eq!((camera.width, camera.height), (400, 200));
    assert!(near(camera.fx, 320.0) && near(camera.fy, 360.0) && near(camera.cx, 204.0) && near(camera.cy, 92.0));
    // Sides that are not to each other as the camera's are: nobody knows what was cut.
    folder.write("one/images/a.jpg", jpeg(400, 300));
    let written = ingest(source("opensfm", folder.path()));
    assert_eq!(written.reasons(), [("src/one/1", "other_size_than_camera")]);
}

#[test]
fn the_other_camera_models() {
    let model = |change: Value| {
        let mut file = reconstruction();
        file[0]["cameras"]["v2 main"] = change;
        written(&file)
    };
    let old =
        json!({"projection_type": "perspective", "width": 100, "height": 50, "focal": 0.8, "k1": 0.1, "k2": 0.01});
    let written = model(old);
    let camera = &written.cameras[0];
    assert!(near(camera.fx, 80.0) && near(camera.fy, 80.0) && near(camera.cx, 50.0) && near(camera.cy, 25.0));
    assert_eq!([camera.k1, camera.k2, camera.p1, camera.p2, camera.k3], [0.1, 0.01, 0.0, 0.0, 0.0]);
    for name in ["fisheye", "fisheye_opencv", "spherical", "equirectangular", "dual"] {
        let written = model(json!({"projection_type": name, "width": 100, "height": 50, "focal": 0.8}));
        let reasons = [("src/one#v2 main", "unsupported_camera_model")];
        let frames = ["src/one/0", "src/one/1"].map(|frame| (frame, "unsupported_camera_model"));
        let found: BTreeSet<(&str, &str)> = written.reasons().into_iter().collect();
        assert_eq!(found, reasons.into_iter().chain(frames).collect(), "{name}");
        assert!(written.rejects.iter().any(|reject| reject.detail.contains(name)));
    }
    let written = model(json!({"projection_type": "perspective", "width": 100, "height": 50, "focal": 0.01}));
    assert!(written.reasons().contains(&("src/one#v2 main", "bad_calibration")));
}

#[test]
fn what_is_wrong_with_a_shot_is_named_and_the_others_stay() {
    for (reason, key, value) in [
        ("no_pose", "rotation", Value::Null),
        ("no_pose", "translation", Value::Null),
        ("unknown_camera", "camera", json!("other")),
        ("unknown_camera", "camera", Value::Null),
    ] {
        let mut file = reconstruction();
        file[0]["shots"]["a.jpg"][key] = value;
        assert_eq!(written(&file).reasons(), [("src/one/1", reason)], "{key}");
    }
    let mut file = reconstruction();
    file[0]["shots"]["c.jpg"] = nadir(13.0);
    assert_eq!(written(&file).reasons(), [("src/one/2", "missing_file")]);
}

#[test]
fn times_that_tell_no_order_are_not_used() {
    for time in [json!(10.0), Value::Null] {
        let mut file = reconstruction();
        file[0]["shots"]["a.jpg"]["capture_time"] = time;
        let written = written(&file);
        assert_eq!((written.frames.len(), written.reasons()), (2, vec![]));
        assert!(written.frames.iter().all(|frame| frame.timestamp_us.is_none()));
        assert_eq!(written.note("frames_whose_times_tell_no_order"), 2);
    }
}

#[test]
fn of_several_reconstructions_the_largest_is_taken() {
    let mut file = reconstruction();
    let mut small = file[0].clone();
    small["shots"] = json!({"c.jpg": nadir(1.0)});
    file = json!([small, file[0]]);
    let written = written(&file);
    assert_eq!(written.frames.len(), 2);
    assert_eq!(written.reasons(), [("src/one#reconstruction0", "smaller_reconstruction")]);
    assert!(written.rejects[0].detail.contains("c.jpg"));
}

#[test]
fn a_file_of_another_form_is_one_reject() {
    for text in ["[", "[]", "[{\"shots\": {}}]"] {
        let folder = flight(&reconstruction());
        folder.write("one/opensfm/reconstruction.json", text);
        let written = ingest(source("opensfm", folder.path()));
        let expected = [("one/opensfm/reconstruction.json", "bad_reconstruction_file")];
        assert_eq!((written.reasons(), written.recordings.len()), (expected.to_vec(), 0), "{text}");
    }
}

#[test]
fn meshes_in_coordinates_of_the_map_need_a_reconstruction_in_them() {
    let folder = flight(&reconstruction());
    let geo = "one/odm_texturing/odm_textured_model_geo.obj";
    folder.write(geo, "obj");
    let mesh = || ingest(source("opensfm", folder.path())).meshes.into_iter().map(|mesh| mesh.file).collect::<Vec<_>>();
    assert_eq!(mesh(), ["one/odm_texturing/odm_textured_model.obj"]);
    fs::remove_file(folder.path().join("one/odm_texturing/odm_textured_model.obj")).unwrap();
    assert_eq!(ingest(source("opensfm", folder.path())).reasons(), [("src/one#mesh", "mesh_in_map_coordinates")]);
    folder.write("one/opensfm/reconstruction.topocentric.json", "[]");
    // What newer versions write: the topocentric one is kept beside.
    assert_eq!(mesh(), [geo]);
}

#[test]
fn reports_and_second_reconstructions_are_passed_over() {
    let folder = flight(&reconstruction());
    folder.write("one/opensfm/reports/reconstruction.json", "{\"reconstructions\": []}");
    folder.write("one/opensfm/undistorted/reconstruction.json", reconstruction().to_string());
    folder.write("one/images/c.jpg", jpeg(100, 50));
    let found = discover(&project(vec![source("opensfm", folder.path())])).unwrap();
    assert_eq!(found.found.len(), 1);
    for text in
        ["one/opensfm/reports", "one/opensfm/undistorted", "have no shot in the reconstruction and are skipped: c.jpg"]
    {
        assert!(found.notes.iter().any(|note| note.contains(text)), "{text}: {:?}", found.notes);
    }
    fs::remove_file(folder.path().join("one/opensfm/reconstruction.json")).unwrap();
    // Undistorted images lie beside it; those above are distorted and not taken.
    let written = ingest(source("opensfm", folder.path()));
    assert_eq!(written.reasons(), [("src/one/0", "missing_file"), ("src/one/1", "missing_file")]);
}

#[test]
fn parts_of_one_project_are_one_leak_group() {
    let folder = Folder::new();
    for part in ["submodel_0000", "submodel_0001"] {
        let file = format!("beach/submodels/{part}/opensfm/reconstruction.json");
        folder.write(&file, reconstruction().to_string());
        folder.write(&format!("beach/submodels/{part}/images/a.jpg"), jpeg(100, 50));
        folder.write(&format!("beach/submodels/{part}/images/b.jpg"), jpeg(100, 50));
    }
    let written = ingest(source("opensfm", folder.path()));
    let groups: Vec<&str> = written.recordings.iter().map(|row| row.group_id.as_str()).collect();
    assert_eq!(groups, ["src:beach/submodels", "src:beach/submodels"]);
}

/// Depth of MVE: the length of the ray, 0 = none.
fn mve_depth(path: &Path) -> (usize, usize, Vec<f32>) {
    let bytes = fs::read(path).unwrap();
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!(&bytes[..11], b"\x89MVE_IMAGE\n");
    let (width, height) = (number(11) as usize, number(15) as usize);
    let values = bytes[27..].chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap()));
    (width, height, values.collect())
}

#[test]
fn a_real_flight_agrees_with_its_own_dense_depth() {
    let Some(data) = shared("a_real_flight_agrees_with_its_own_dense_depth") else { return };
    let project = data.join("odm_brighton_beach/submodels/submodel_0000");
    let folder = Folder::new();
    let copy = |from: &str, to: &str| _ = folder.write(to, fs::read(project.join(from)).unwrap());
    copy("opensfm/undistorted/reconstruction.json", "opensfm/undistorted/reconstruction.json");
    copy("odm_texturing_25d/odm_textured_model.obj", "odm_texturing_25d/odm_textured_model.obj");
    let file = fs::read(project.join("opensfm/undistorted/reconstruction.json")).unwrap();
    let shots = serde_json::from_slice::<Value>(&file).unwrap()[0]["shots"].clone();
    let mut depths = Vec::new();
    for view in 0..7 {
        let view = format!("mve/views/view_{view:04}.mve");
        let text = fs::read_to_string(project.join(&view).join("meta.ini")).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("translation = ")).unwrap();
        let translation: Vec<f64> = line.split_whitespace().map(|number| number.parse().unwrap()).collect();
        let is_its =
            |shot: &Value| (0..3).all(|at| (shot["translation"][at].as_f64().unwrap() - translation[at]).abs() < 1e-2);
        let name = shots.as_object().unwrap().iter().find(|(_, shot)| is_its(shot)).unwrap().0.clone();
        copy(&format!("{view}/undistorted.png"), &format!("opensfm/undistorted/images/{name}.png"));
        depths.push((name, mve_depth(&project.join(&view).join("depth-L0.mvei"))));
    }
    let written = ingest(source("opensfm", folder.path()));
    assert_eq!((written.reasons(), written.frames.len()), (vec![], 7));
    let intrinsics = Intrinsics::try_from(&written.cameras[0]).unwrap();
    let mesh = fs::File::open(folder.path().join(&written.meshes[0].file)).unwrap();
    let renderer = Renderer::new(uavgen_render::Mesh::read(mesh).unwrap().0);
    let mut errors = Vec::new();
    for (frame, pose) in written.frames.iter().zip(&written.poses) {
        let (_, (width, _, depth)) = depths.iter().find(|(name, _)| frame.file.contains(name.as_str())).unwrap();
        let mut rendered = Rendered::default();
        let camera_from_world = Transform::try_from(pose).unwrap().inverse();
        renderer.render_into(&Lens::new(&intrinsics), &camera_from_world, Layers::DEPTH, &mut rendered);
        for (index, (&range, &z)) in depth.iter().zip(rendered.depth()).enumerate() {
            let pixel = Pixel { x: (index % width) as f64 + 0.5, y: (index / width) as f64 + 0.5 };
            if range > 0.0 && z > 0.0 {
                let ray = intrinsics.ray(pixel).unwrap();
                errors.push((f64::from(z) * ray.length() - f64::from(range)).abs());
            }
        }
    }
    errors.sort_by(f64::total_cmp);
    let median = errors[errors.len() / 2];
    let told = format!("{} pixels, median {median:.3} m", errors.len());
    assert!(errors.len() > 50_000 && median <= 0.25, "{told}");
    println!("opensfm against its own dense depth: {told}");
}
