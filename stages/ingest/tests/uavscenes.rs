//! Runs of UAVScenes in the layout that is described of it.

use super::harness::{Folder, Written, discover, ingest, jpeg, project, source};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use uavgen_schemas::ClassKind;

const STEMS: [&str; 3] = ["1658133165.089699441", "1658133165.589699441", "1658133166.089699441"];

fn sample(stem: &str, east: f64) -> Value {
    json!({"OriginalImageName": format!("{stem}.jpg"), "SortedImageID": 7, "Width": 100, "Height": 50,
           "P3x3": [[80.0, 0.0, 49.5], [0.0, 80.0, 24.5], [0.0, 0.0, 1.0]],
           "K1": 0.1, "K2": 0.01, "P1": 0.001, "P2": 0.002, "K3": 0.003,
           "T4x4": [[1.0, 0.0, 0.0, east], [0.0, -1.0, 0.0, 5.0], [0.0, 0.0, -1.0, 100.0], [0.0, 0.0, 0.0, 1.0]]})
}

fn samples() -> Value {
    json!([sample(STEMS[0], 0.0), sample(STEMS[1], 1.0), sample(STEMS[2], 2.0), sample("1658133169.5", 9.0)])
}

/// The tree as its archives unpack: twice nested, the masks in a tree of their own.
fn tree(samples: &Value) -> Folder {
    let folder = Folder::new();
    let run = "interval5_CAM_LIDAR/interval5_CAM_LIDAR/interval5_AMtown01";
    folder.write(&format!("{run}/sampleinfos_interpolated.json"), samples.to_string());
    let mask = uavgen_media::encode_grey16(100, 50, &[3; 5000]).unwrap();
    for stem in STEMS {
        folder.write(&format!("{run}/interval5_CAM/{stem}.jpg"), jpeg(100, 50));
        folder.write(&format!("{run}/interval5_LIDAR/image{stem}_lidar{stem}.txt"), "0 0 0\n");
        let masks = "interval5_CAM_label/interval5_CAM_label/interval5_AMtown01";
        folder.write(&format!("{masks}/interval5_CAM_label_id/{stem}.png"), &mask);
        folder.write(&format!("{masks}/interval5_CAM_label_color/{stem}.png"), &mask);
    }
    folder.write("maps/HKisland/Mesh.ply", "ply").write("maps/AMtown/Mesh.ply", "ply");
    folder.write("maps/AMtown/cloud_merged.ply", "ply");
    folder
}

fn written(samples: &Value) -> Written {
    ingest(source("uavscenes", tree(samples).path()))
}

#[test]
fn a_run_is_a_recording() {
    let written = written(&samples());
    assert_eq!((written.reasons(), written.note("poses_without_image")), (vec![], 1));
    let recording = &written.recordings[0];
    assert_eq!((recording.recording_id.as_str(), recording.group_id.as_str()), ("src/AMtown01", "src:AMtown"));
    let times: Vec<Option<i64>> = written.frames.iter().map(|frame| frame.timestamp_us).collect();
    assert_eq!(times, [Some(0), Some(500_000), Some(1_000_000)]);
    let easts: Vec<f64> = written.poses.iter().map(|pose| pose.x).collect();
    assert_eq!(easts, [0.0, 1.0, 2.0]);
    let camera = &written.cameras[0];
    assert_eq!((written.cameras.len(), camera.fx, camera.cx, camera.cy), (1, 80.0, 50.0, 25.0));
    assert_eq!([camera.k1, camera.k2, camera.p1, camera.p2, camera.k3], [0.1, 0.01, 0.001, 0.002, 0.003]);
    assert_eq!(written.meshes[0].file, "maps/AMtown/Mesh.ply");
    let ids = |mask: &&uavgen_schemas::Mask| mask.file.contains("interval5_AMtown01/interval5_CAM_label_id/");
    assert_eq!(written.masks.iter().filter(ids).count(), 3);
}

#[test]
fn the_classes_are_those_of_the_published_palette() {
    let written = written(&samples());
    let class = |name: &str| written.classes.iter().find(|class| class.name == name).unwrap();
    let found = ["paved_motor_road", "container", "sedan", "truck"].map(|name| {
        let class = class(name);
        (class.value, class.kind, class.red, class.green, class.blue)
    });
    let expected = [
        (3, ClassKind::Ground, Some(128), Some(64), Some(128)),
        (9, ClassKind::Thing, Some(250), Some(170), Some(30)),
        (20, ClassKind::Moving, Some(0), Some(0), Some(142)),
        (24, ClassKind::Moving, Some(0), Some(0), Some(70)),
    ];
    assert_eq!((written.classes.len(), found), (19, expected));
    let colours: BTreeSet<_> = written.classes.iter().map(|class| (class.red, class.green, class.blue)).collect();
    assert_eq!(colours.len(), 19);
}

#[test]
fn matrices_may_be_written_flat() {
    let mut file = samples();
    for sample in file.as_array_mut().unwrap() {
        for key in ["P3x3", "T4x4"] {
            sample[key] =
                sample[key].as_array().unwrap().iter().flat_map(|row| row.as_array().unwrap().clone()).collect();
        }
    }
    let (flat, nested) = (written(&file), written(&samples()));
    assert_eq!((flat.poses, flat.cameras), (nested.poses, nested.cameras));
}

#[test]
fn what_is_wrong_with_a_sample_is_named_and_the_others_stay() {
    let mirrored = json!([[-1, 0, 0, 3], [0, -1, 0, 5], [0, 0, -1, 100], [0, 0, 0, 1]]);
    for (reason, key, value) in [
        ("bad_pose", "T4x4", mirrored),
        ("bad_pose", "T4x4", json!([1.0, 2.0])),
        ("no_pose", "T4x4", Value::Null),
        ("no_pose", "OriginalImageName", json!("other.jpg")),
        ("other_size_than_camera", "Width", json!(110)),
    ] {
        let mut file = samples();
        file[1][key] = value;
        assert_eq!(written(&file).reasons(), [("src/AMtown01/1", reason)], "{key}");
    }
    let mut file = samples();
    file[1]["P3x3"] = json!([[80.0, 0.0, 5.0], [0.0, 80.0, 24.5], [0.0, 0.0, 1.0]]);
    let expected = [("src/AMtown01#camera1", "bad_calibration"), ("src/AMtown01/1", "bad_calibration")];
    assert_eq!(written(&file).reasons(), expected);
    let mut file = samples();
    file[3] = file[1].clone();
    assert_eq!(written(&file).reasons(), [("src/AMtown01/2", "image_named_twice")]);
    let broken = tree(&samples());
    broken.write(
        "interval5_CAM_LIDAR/interval5_CAM_LIDAR/interval5_AMtown01/sampleinfos_interpolated.json",
        "{\"no\": \"list\"}",
    );
    let written = ingest(source("uavscenes", broken.path()));
    let file = "interval5_CAM_LIDAR/interval5_CAM_LIDAR/interval5_AMtown01/sampleinfos_interpolated.json";
    assert_eq!(written.reasons(), [(file, "bad_samples_file")]);
}

#[test]
fn a_mesh_that_names_no_place_is_not_taken() {
    let folder = tree(&samples());
    std::fs::remove_file(folder.path().join("maps/AMtown/Mesh.ply")).unwrap();
    assert!(ingest(source("uavscenes", folder.path())).reasons().is_empty());
    folder.write("maps/Mesh.ply", "ply");
    let written = ingest(source("uavscenes", folder.path()));
    assert_eq!(written.reasons(), [("src/AMtown01#mesh", "mesh_of_unknown_place")]);
    assert!(written.meshes.is_empty());
}

#[test]
fn runs_of_a_place_are_one_leak_group() {
    let folder = tree(&samples());
    for run in ["interval5_AMtown02", "interval5_HKairport_GNSS01", "interval5_HKisland_GNSS_Evening"] {
        folder.write(&format!("more/{run}/sampleinfos_interpolated.json"), samples().to_string());
        folder.write(&format!("more/{run}/interval5_CAM/{}.jpg", STEMS[0]), jpeg(100, 50));
    }
    let found = ingest(source("uavscenes", folder.path()));
    let groups: Vec<(&str, &str)> =
        found.recordings.iter().map(|row| (row.sequence.as_str(), row.group_id.as_str())).collect();
    let expected = [
        ("AMtown01", "src:AMtown"),
        ("AMtown02", "src:AMtown"),
        ("HKairport_GNSS01", "src:HKairport"),
        ("HKisland_GNSS_Evening", "src:HKisland"),
    ];
    assert_eq!(groups, expected);
    let empty = Folder::new();
    empty.write("a.jpg", jpeg(10, 10));
    let error = discover(&project(vec![source("uavscenes", empty.path())])).unwrap_err().to_string();
    assert!(error.contains("sampleinfos_interpolated.json"), "{error}");
}
