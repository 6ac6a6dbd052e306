//! The sample town laid out as UAVScenes is: depth and boxes must be those that it has as posed images.

use crate::harness::{Project, copy_tree, files};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use uavgen_core::store::TableReader;
use uavgen_media::{Labels, decode_labels, encode_grey16};
use uavgen_sample_data::{DEFAULT_SEED, TownClass, write_town};
use uavgen_schemas::{DepthMap, Instance, Record};

/// The class of UAVScenes that stands for one of the town.
fn counterpart(class: TownClass) -> (u16, &'static str) {
    match class {
        TownClass::Background | TownClass::Tree | TownClass::Wall => (0, "background"),
        TownClass::Grass => (13, "green_field"),
        TownClass::Road | TownClass::Crosswalk => (3, "paved_motor_road"),
        TownClass::Pavement => (18, "car_park"),
        TownClass::Building => (1, "roof"),
        TownClass::Container => (9, "container"),
        TownClass::Car => (20, "sedan"),
        TownClass::Truck | TownClass::Bus => (24, "truck"),
    }
}

/// A mask of the town with the values of UAVScenes.
fn mask(town: &[u8], width: u32, height: u32) -> Vec<u8> {
    let Ok(Labels::Ids { values, .. }) = decode_labels(town) else { panic!("a mask of ids") };
    let of = |value: u16| counterpart(TownClass::ALL[usize::from(value)]).0;
    encode_grey16(width, height, &values.into_iter().map(of).collect::<Vec<u16>>()).unwrap()
}

/// The classes of UAVScenes that the town has, as `cameras.json` lists them.
fn classes() -> Value {
    let mut all: Vec<Value> = Vec::new();
    for class in TownClass::ALL {
        let (value, name) = counterpart(class);
        let stuff = [TownClass::Tree, TownClass::Wall].contains(&class);
        if !stuff && all.iter().all(|one| one["value"] != json!(value)) {
            all.push(json!({"value": value, "name": name, "kind": class.kind()}));
        }
    }
    all.into()
}

/// Writes the flight `nadir` of the town as a run of UAVScenes, and its posed images with the same masks beside it.
fn write_both(data: &Path) {
    write_town(data, DEFAULT_SEED).unwrap();
    let town = data.join("town");
    let mut cameras: Value = serde_json::from_slice(&fs::read(town.join("nadir/cameras.json")).unwrap()).unwrap();
    assert_eq!([&cameras["axes"], &cameras["pose"], &cameras["first_pixel"]], ["opencv", "camera-to-world", "half"]);
    let camera = cameras["cameras"]["main"].clone();
    let number = |key: &str| camera[key].as_f64().unwrap();
    let (width, height) = (number("width") as u32, number("height") as u32);
    let run = data.join("scenes/interval5_CAM_LIDAR/interval5_CAM_LIDAR/interval5_AMtown01");
    let labels = data.join("scenes/interval5_CAM_label/interval5_CAM_label/interval5_AMtown01/interval5_CAM_label_id");
    [run.join("interval5_CAM"), labels.clone()].iter().for_each(|folder| fs::create_dir_all(folder).unwrap());
    fs::create_dir_all(data.join("scenes/terra/AMtown")).unwrap();
    fs::copy(town.join("mesh.ply"), data.join("scenes/terra/AMtown/Mesh.ply")).unwrap();
    let mut samples = Vec::new();
    for frame in cameras["frames"].as_array().unwrap() {
        let path = |key: &str| town.join("nadir").join(frame[key].as_str().unwrap());
        let stem = format!("{:.9}", 1_658_133_165.0 + frame["time_s"].as_f64().unwrap());
        let mask = mask(&fs::read(path("mask")).unwrap(), width, height);
        fs::copy(path("image"), run.join("interval5_CAM").join(format!("{stem}.jpg"))).unwrap();
        fs::write(labels.join(format!("{stem}.png")), &mask).unwrap();
        fs::write(path("mask"), &mask).unwrap();
        let [k1, k2, p1, p2, k3] = [0, 1, 2, 3, 4].map(|at| camera["distortion"][at].clone());
        let matrix =
            [[number("fx"), 0.0, number("cx") - 0.5], [0.0, number("fy"), number("cy") - 0.5], [0.0, 0.0, 1.0]];
        samples.push(json!({"OriginalImageName": format!("{stem}.jpg"), "SortedImageID": samples.len(), "Width": width,
            "Height": height, "P3x3": matrix, "K1": k1, "K2": k2, "P1": p1, "P2": p2, "K3": k3, "T4x4": frame["matrix"]}));
    }
    fs::write(run.join("sampleinfos_interpolated.json"), json!(samples).to_string()).unwrap();
    cameras["classes"] = classes();
    cameras["mesh"] = json!("mesh.ply");
    fs::write(town.join("nadir/cameras.json"), cameras.to_string()).unwrap();
    copy_tree(&town.join("nadir"), &data.join("posed/nadir"));
    fs::copy(town.join("mesh.ply"), data.join("posed/nadir/mesh.ply")).unwrap();
}

/// Rows of a table whose frames are of a source, without the recording in their ids.
fn stored<R: Record + serde::Serialize>(project: &Project, stage: &str, recording: &str) -> Vec<String> {
    let name = format!("{}.parquet", R::TABLE);
    let found = files(&project.path().join("store").join(stage)).into_iter().filter(|file| file.ends_with(&name));
    let rows: Vec<R> = found.flat_map(|file| TableReader::open(&file).unwrap().rows().unwrap()).collect();
    let own = rows.iter().map(|row| serde_json::to_value(row).unwrap());
    let own = own.filter(|row| row["recording_id"] == json!(recording));
    let without = own.map(|mut row| {
        // Paths are named for the recording; what is in the files is told by the digests.
        for key in ["path", "floats_path"] {
            row.as_object_mut().unwrap().remove(key);
        }
        row.to_string().replace(recording, "")
    });
    let mut all: Vec<String> = without.collect();
    all.sort();
    all
}

#[test]
fn the_sample_town_in_the_layout_of_uavscenes_gives_the_same_boxes() {
    let project = Project::empty();
    write_both(&project.path().join("data"));
    project.init(&["posed-mesh=data/posed", "uavscenes=data/scenes"]);
    project.run(&["build", "--stage", "lift"]).expect_code(0);
    let (posed, scenes) = ("mesh/nadir", "uavscenes/AMtown01");
    let depth = |recording| stored::<DepthMap>(&project, "depth", recording);
    assert_eq!(depth(posed).len(), 8);
    assert_eq!(depth(posed), depth(scenes));
    let boxes = |recording| stored::<Instance>(&project, "lift", recording);
    assert!(boxes(posed).len() > 50, "{}", boxes(posed).len());
    assert_eq!(boxes(posed), boxes(scenes));
}
