//! What is written, and that it is always the same.

use super::by_hand::{RECORDINGS, cameras_file, mask, mesh};
use super::town;
use crate::tests::files;
use crate::town::class::TownClass;
use crate::{DEFAULT_SEED, write_town};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

#[test]
fn committed_tables_are_current() {
    let committed = |name| fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap();
    let truth = &town().1;
    assert!(
        committed("town_truth.csv") == truth.to_csv() && committed("town_places.csv") == truth.places_to_csv(),
        "sample_data/town_truth.csv or town_places.csv is out of date; look at the change, then refresh them with\n\
         cargo run -p uavgen-sample-data -- target/sample --town --truth sample_data/town_truth.csv \
         --places sample_data/town_places.csv"
    );
}

#[test]
fn same_seed_gives_the_same_bytes_on_any_number_of_threads() {
    for threads in [1, 2] {
        let again = TempDir::new().unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let truth = pool.install(|| write_town(again.path(), DEFAULT_SEED)).unwrap();
        assert!(truth == town().1, "{threads} threads gave another truth");
        assert!(files(again.path()) == files(town().0.path()), "{threads} threads wrote other bytes");
    }
}

#[test]
fn another_seed_gives_another_town_in_the_same_files() {
    let other = TempDir::new().unwrap();
    let truth = write_town(other.path(), DEFAULT_SEED + 1).unwrap();
    assert!(truth != town().1);
    let (ours, others) = (files(town().0.path()), files(other.path()));
    assert!(ours.keys().eq(others.keys()));
    let same = ours.iter().filter(|(path, bytes)| others[*path] == **bytes).count();
    assert_eq!(same, 2, "the cameras stay, all else is another");
}

#[test]
fn files_are_few_and_small() {
    let files = files(&town().0.path().join("town"));
    let total: usize = files.values().map(Vec::len).sum();
    assert!((500_000..2_000_000).contains(&total), "{total} bytes");
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    for path in files.keys() {
        *folders.entry(path.parent().unwrap().to_string_lossy().into_owned()).or_default() += 1;
    }
    let expected =
        [("", 2), ("nadir", 1), ("nadir/images", 8), ("nadir/labels", 8), ("oblique", 1), ("oblique/images", 8)];
    let expected = expected.into_iter().chain([("oblique/labels", 8)]);
    assert_eq!(folders, expected.map(|(folder, count)| (folder.to_owned(), count)).collect());
    assert!(String::from_utf8_lossy(&files[Path::new("README.txt")]).contains("Synthetic"));
}

#[test]
fn cameras_files_name_files_and_differ_in_every_convention() {
    let [nadir, oblique] = RECORDINGS.map(cameras_file);
    for key in ["axes", "pose", "first_pixel"] {
        assert_ne!(nadir[key], oblique[key], "{key}");
    }
    for (recording, file) in RECORDINGS.into_iter().zip([&nadir, &oblique]) {
        let folder = town().0.path().join("town").join(recording);
        assert!(folder.join(file["mesh"].as_str().unwrap()).is_file());
        let frames = file["frames"].as_array().unwrap();
        assert_eq!(frames.len(), 8);
        for (number, frame) in frames.iter().enumerate() {
            assert_eq!(frame["time_s"].as_f64().unwrap(), 0.5 * number as f64);
            let picture = image::open(folder.join(frame["image"].as_str().unwrap())).unwrap();
            assert_eq!((picture.width(), picture.height()), (640, 512));
            assert!(folder.join(frame["mask"].as_str().unwrap()).is_file());
        }
    }
    let distortion = |file: &serde_json::Value| -> Vec<f64> {
        serde_json::from_value(file["cameras"]["main"]["distortion"].clone()).unwrap()
    };
    assert!(distortion(&nadir)[..4].iter().all(|&coefficient| coefficient != 0.0));
    assert_eq!(distortion(&oblique), [0.0; 5]);
}

#[test]
fn classes_are_listed_once_and_all_are_seen() {
    for recording in RECORDINGS {
        let classes = cameras_file(recording)["classes"].as_array().unwrap().clone();
        let values: Vec<u64> = classes.iter().map(|class| class["value"].as_u64().unwrap()).collect();
        assert!(values.into_iter().eq(0..12));
        for (name, kind) in [("grass", "ground"), ("building", "thing"), ("tree", "stuff"), ("car", "moving")] {
            let class = classes.iter().find(|class| class["name"] == name).unwrap();
            assert_eq!(class["kind"], kind, "{name}");
        }
        let mut pixels = [0; 12];
        (0..8).flat_map(|frame| mask(recording, frame)).for_each(|value| pixels[usize::from(value)] += 1);
        for class in &TownClass::ALL[1..] {
            assert!(pixels[usize::from(class.value())] > 1000, "{recording} shows too little {}", class.name());
        }
    }
}

#[test]
fn the_renderer_reads_the_mesh_whole() {
    let bytes = fs::read(town().0.path().join("town/mesh.ply")).unwrap();
    let (read, dropped) = uavgen_render::Mesh::read(&bytes[..]).unwrap();
    let by_hand = mesh();
    assert_eq!((read.faces().len(), dropped.total(), read.origin()), (by_hand.faces.len(), 0, [0.0; 3]));
    assert!((2000..6000).contains(&by_hand.faces.len()), "{} faces", by_hand.faces.len());
    assert!(read.labels().unwrap().iter().copied().eq(by_hand.labels.iter().map(|&label| u32::from(label))));
    assert!(read.vertices().iter().map(|vertex| vertex.map(f64::from)).eq(by_hand.vertices));
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("town"), "").unwrap();
    let error = write_town(dir.path(), 1).unwrap_err();
    assert!(error.to_string().starts_with("create the folder `"), "{error}");
}
