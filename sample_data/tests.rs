//! The written files against what the generator knows, and the generator against cases worked out by hand.

use crate::category::{Category, Paint};
use crate::layout::{write_sequence, write_still};
use crate::plane::{Camera, Point, point};
use crate::raster::for_each_covered;
use crate::script::{self, Recording};
use crate::truth::still_rows;
use crate::world::{Actor, Kind, World};
use crate::{DEFAULT_SEED, FRAMES_PER_SECOND, Truth, TruthRow, write_sample};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tempfile::TempDir;

/// The sample of the default seed, written once for all tests.
fn sample() -> &'static (TempDir, Truth) {
    static SAMPLE: OnceLock<(TempDir, Truth)> = OnceLock::new();
    SAMPLE.get_or_init(|| {
        let dir = TempDir::new().expect("a temporary folder");
        let truth = write_sample(dir.path(), DEFAULT_SEED).expect("a writable folder");
        (dir, truth)
    })
}

pub(crate) fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.strip_prefix(dir).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

fn is_sequence(row: &TruthRow) -> bool {
    row.recording.starts_with("uav")
}

fn picture_path(row: &TruthRow) -> String {
    if is_sequence(row) {
        format!("VisDrone2019-VID-{}/sequences/{}/{:07}.jpg", row.split, row.recording, row.frame_number)
    } else {
        format!("VisDrone2019-DET-{}/images/{}.jpg", row.split, row.recording)
    }
}

fn tracks() -> BTreeMap<(&'static str, u32), Vec<&'static TruthRow>> {
    let mut tracks: BTreeMap<(&str, u32), Vec<&TruthRow>> = BTreeMap::new();
    for row in sample().1.rows.iter().filter(|row| is_sequence(row)) {
        tracks.entry((&row.recording, row.object_number)).or_default().push(row);
    }
    tracks
}

#[test]
fn same_seed_gives_the_same_bytes() {
    let again = TempDir::new().unwrap();
    let truth = write_sample(again.path(), DEFAULT_SEED).unwrap();
    assert_eq!(truth, sample().1);
    assert!(files(again.path()) == files(sample().0.path()), "a second run wrote other bytes");
}

#[test]
fn another_seed_gives_other_pictures() {
    let dir = TempDir::new().unwrap();
    let recording = &script::stills(DEFAULT_SEED + 1)[0];
    let rows = write_still(dir.path(), recording).unwrap();
    assert!(sample().1.rows.iter().filter(|row| row.recording == recording.name).ne(rows.iter()));
    let picture = picture_path(&rows[0]);
    assert!(fs::read(dir.path().join(&picture)).unwrap() != fs::read(sample().0.path().join(&picture)).unwrap());
    let names = |seed| script::stills(seed).into_iter().map(|still| still.name).collect::<Vec<_>>();
    assert_eq!(names(1), names(2), "every seed writes the same file names");
}

#[test]
fn committed_truth_table_is_current() {
    let committed = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("truth.csv")).unwrap();
    assert!(
        committed == sample().1.to_csv(),
        "sample_data/truth.csv is out of date; look at the change, then refresh it with\n\
         cargo run -p uavgen-sample-data -- target/sample --truth sample_data/truth.csv"
    );
}

#[test]
fn annotation_rows_equal_truth_rows() {
    // VisDrone's codes, written down again from its own documentation.
    const CODES: [&str; 12] = [
        "ignored-region",
        "pedestrian",
        "people",
        "bicycle",
        "car",
        "van",
        "truck",
        "tricycle",
        "awning-tricycle",
        "bus",
        "motor",
        "others",
    ];
    let (dir, truth) = sample();
    let mut expected: BTreeMap<PathBuf, Vec<Vec<i64>>> = BTreeMap::new();
    for row in &truth.rows {
        let code = CODES.iter().position(|name| *name == row.annotated_category.name()).unwrap() as i64;
        let score = i64::from(row.kind == Kind::Object);
        let mut fields =
            if is_sequence(row) { vec![row.frame_number.into(), row.object_number.into()] } else { vec![] };
        fields.extend([row.x, row.y, row.w, row.h, score, code, row.truncation.into(), row.occlusion.into()]);
        let kind = if is_sequence(row) { "VID" } else { "DET" };
        let path = format!("VisDrone2019-{kind}-{}/annotations/{}.txt", row.split, row.recording);
        expected.entry(path.into()).or_default().push(fields);
    }
    let mut found: BTreeMap<PathBuf, Vec<Vec<i64>>> = BTreeMap::new();
    for (path, bytes) in
        files(dir.path()).into_iter().filter(|(path, _)| path.to_string_lossy().contains("annotations"))
    {
        let text = String::from_utf8(bytes).unwrap();
        let rows: Vec<_> = text.lines().map(|line| line.split(',').map(|f| f.parse().unwrap()).collect()).collect();
        if !rows.is_empty() {
            found.insert(path, rows);
        }
    }
    assert_eq!(found, expected);
}

#[test]
fn files_are_laid_out_as_distributed() {
    let (dir, _) = sample();
    let files = files(dir.path());
    let total: usize = files.values().map(Vec::len).sum();
    assert!(total < 5_500_000, "{total} bytes");
    assert!(total > 1_000_000, "{total} bytes");
    let names: Vec<String> = files.keys().map(|path| path.to_string_lossy().into_owned()).collect();
    let count = |part: &str| names.iter().filter(|name| name.contains(part)).count();
    assert_eq!(count("VisDrone2019-VID-train/sequences/uav9000001_00000_v/"), 30);
    assert_eq!(count("VisDrone2019-VID-train/sequences/uav9000002_00104_v/"), 24);
    assert_eq!(count("VisDrone2019-VID-train/sequences/uav9000004_00204_v/"), 240);
    assert_eq!(count("VisDrone2019-VID-val/sequences/uav9000003_00000_v/"), 24);
    assert_eq!((count("DET-train/images/"), count("DET-train/annotations/")), (8, 8));
    assert_eq!((count("DET-val/images/"), count("DET-val/annotations/")), (4, 4));
    assert!(String::from_utf8_lossy(&files[Path::new("README.txt")]).contains("Synthetic"));
}

#[test]
fn text_files_end_lines_both_ways_and_one_still_is_empty() {
    let (dir, _) = sample();
    let texts: Vec<Vec<u8>> = files(dir.path())
        .into_iter()
        .filter(|(path, _)| path.to_string_lossy().contains("DET-"))
        .map(|(_, b)| b)
        .collect();
    let texts: Vec<String> = texts.into_iter().filter_map(|bytes| String::from_utf8(bytes).ok()).collect();
    assert_eq!(texts.iter().filter(|text| text.is_empty()).count(), 1);
    let (crlf, lf): (Vec<_>, Vec<_>) = texts.iter().filter(|text| !text.is_empty()).partition(|t| t.contains("\r\n"));
    assert_eq!((crlf.len(), lf.len()), (4, 7));
    assert!(crlf.iter().all(|text| text.matches("\r\n").count() == text.matches('\n').count()), "mixed line ends");
}

#[test]
fn scenes_stay_in_one_split() {
    let mut split_of: BTreeMap<String, &str> = BTreeMap::new();
    for still in script::stills(DEFAULT_SEED) {
        let scene = still.name.split('_').next().unwrap().to_owned();
        assert_eq!(*split_of.entry(scene).or_insert(still.split), still.split);
    }
    assert_eq!(split_of.len(), 5);
}

#[test]
fn sequence_rows_are_sorted_by_target_then_frame() {
    for (name, split) in [("uav9000001_00000_v", "train"), ("uav9000003_00000_v", "val")] {
        let path = format!("VisDrone2019-VID-{split}/annotations/{name}.txt");
        let text = fs::read_to_string(sample().0.path().join(path)).unwrap();
        let keys: Vec<(u32, u32)> = text
            .lines()
            .map(|line| {
                let fields: Vec<&str> = line.split(',').collect();
                (fields[1].parse().unwrap(), fields[0].parse().unwrap())
            })
            .collect();
        assert!(keys.is_sorted_by(|a, b| a < b), "{name}: a row is out of order or double");
    }
}

#[test]
fn tracks_keep_their_object_and_move_as_stated() {
    for ((recording, number), rows) in tracks() {
        for pair in rows.windows(2) {
            assert_eq!((pair[0].category, pair[0].kind), (pair[1].category, pair[1].kind), "{recording} {number}");
            let (Some(a), Some(b)) = (&pair[0].state, &pair[1].state) else { continue };
            assert_eq!((a.colour, a.heading_deg), (b.colour, b.heading_deg), "{recording} {number}");
            let seconds = f64::from(pair[1].frame_number - pair[0].frame_number) / FRAMES_PER_SECOND;
            let (east, north) = (b.east_m - a.east_m, b.north_m - a.north_m);
            let radians = a.heading_deg.to_radians();
            // Both positions are rounded to a centimetre, the speed to a centimetre per second.
            assert!((east - radians.sin() * a.speed_mps * seconds).abs() < 0.03, "{recording} {number}");
            assert!((north - radians.cos() * a.speed_mps * seconds).abs() < 0.03, "{recording} {number}");
        }
    }
}

#[test]
fn one_track_flips_between_pedestrian_and_people() {
    let flipped: Vec<&TruthRow> = sample().1.rows.iter().filter(|r| r.annotated_category != r.category).collect();
    let frames: Vec<u32> = flipped.iter().map(|row| row.frame_number).collect();
    assert_eq!(frames, [10, 11, 12, 13]);
    for row in flipped {
        assert_eq!((row.recording.as_str(), row.object_number), ("uav9000001_00000_v", 1));
        assert_eq!((row.category, row.annotated_category), (Category::Pedestrian, Category::People));
    }
}

#[test]
fn oddities_are_there_as_designed() {
    let rows = &sample().1.rows;
    let some = |test: &dyn Fn(&TruthRow) -> bool| rows.iter().any(test);
    assert!(some(&|r| r.kind == Kind::IgnoredObject && r.category == Category::Car));
    assert!(some(&|r| r.kind == Kind::Others && is_sequence(r)));
    assert!(some(&|r| r.kind == Kind::Others && !is_sequence(r)));
    assert!(some(&|r| r.truncation == 0 && r.w * r.h < 64), "nothing tiny");
    assert!(some(&|r| r.occlusion == 1) && some(&|r| r.occlusion == 2) && some(&|r| r.truncation == 1));
    let frames: BTreeSet<String> = rows.iter().map(picture_path).collect();
    let blocked: BTreeSet<String> =
        rows.iter().filter(|row| row.kind == Kind::IgnoredRegion).map(picture_path).collect();
    assert!(
        (0.1..0.4).contains(&(blocked.len() as f64 / frames.len() as f64)),
        "{} of {}",
        blocked.len(),
        frames.len()
    );
    let last = |row: &TruthRow| if row.recording == "uav9000001_00000_v" { 30 } else { 24 };
    assert!(tracks().values().any(|track| track[0].frame_number > 1), "nothing enters");
    assert!(tracks().values().any(|track| track[track.len() - 1].frame_number < last(track[0])), "nothing leaves");
}

#[test]
fn boxes_lie_inside_or_are_flagged() {
    for row in &sample().1.rows {
        let (right, bottom) = (row.x + row.w, row.y + row.h);
        assert!(row.x >= 0 && row.y >= 0 && row.w > 0 && row.h > 0, "{row:?}");
        assert!(right <= row.width.into() && bottom <= row.height.into(), "{row:?}");
        let at_border = row.x == 0 || row.y == 0 || right == i64::from(row.width) || bottom == i64::from(row.height);
        assert!(row.truncation == 0 || at_border, "{row:?}");
    }
}

#[test]
fn pictures_show_the_stated_colours() {
    let mut pictures: BTreeMap<String, Vec<&TruthRow>> = BTreeMap::new();
    for row in &sample().1.rows {
        pictures.entry(picture_path(row)).or_default().push(row);
    }
    let mut compared = 0;
    for (path, rows) in pictures {
        let picture = image::open(sample().0.path().join(&path)).unwrap().to_rgb8();
        assert_eq!(picture.dimensions(), (rows[0].width, rows[0].height), "{path}");
        for row in rows.iter().filter(|r| matches!(r.category, Category::Car | Category::Van)) {
            if row.truncation == 0 && row.occlusion == 0 {
                let pixel = picture.get_pixel((row.x + row.w / 2) as u32, (row.y + row.h / 2) as u32).0;
                let colour = row.state.as_ref().unwrap().colour;
                let distance = pixel.iter().zip(stated(colour)).map(|(a, b)| a.abs_diff(b)).max().unwrap();
                assert!(
                    distance < 45,
                    "{path}: {colour} {} at {},{} shows {pixel:?}",
                    row.category.name(),
                    row.x,
                    row.y
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 200, "only {compared} vehicles compared");
}

/// What a person would call these colours.
fn stated(colour: &str) -> [u8; 3] {
    match colour {
        "white" => [235, 235, 235],
        "silver" => [165, 170, 175],
        "black" => [40, 40, 40],
        "red" => [185, 40, 35],
        "blue" => [40, 80, 160],
        other => panic!("cars are not {other}"),
    }
}

const CAMERA: Camera =
    Camera { centre: point(0.0, 0.0), up: point(0.0, 1.0), pixels_per_metre: 10.0, width: 640, height: 360 };

fn eastbound_car(number: u32, start: Point) -> Actor {
    let (category, kind, paint) = (Category::Car, Kind::Object, Paint::White);
    Actor { number, category, kind, paint, size: 1.0, start, heading: point(1.0, 0.0), speed: 0.0, mislabel: None }
}

fn still_of(actors: Vec<Actor>) -> Recording {
    let world = World {
        ground: [90, 110, 60],
        texture: 1,
        patches: vec![],
        buildings: vec![],
        trees: vec![],
        actors,
        ignored: vec![],
    };
    Recording {
        name: "hand".into(),
        split: "train",
        crlf: false,
        frame_count: 1,
        annotated: true,
        world,
        camera: CAMERA,
        camera_velocity: point(0.0, 0.0),
    }
}

#[test]
fn box_of_a_car_is_as_worked_out_by_hand() {
    // 4.4 m long at 10 px/m about column 320; from the sill (0.92 m aside, 0.1 m up: 9.2 - 0.4 px below the middle)
    // to the roof's far edge (0.71 m aside, 1.45 m up: 7.1 + 5.8 px above it).
    let rows = still_rows(&still_of(vec![eastbound_car(0, point(0.0, 0.0))]));
    assert_eq!((rows[0].x, rows[0].y, rows[0].w, rows[0].h), (298, 167, 44, 22));
    assert_eq!((rows[0].truncation, rows[0].occlusion), (0, 0));
}

#[test]
fn truncation_follows_the_border() {
    // The left border lies at -32 m: a car 1 m inside of it has 1.2 of its 4.4 m cut off, one 1 m outside too much.
    let rows = still_rows(&still_of(vec![eastbound_car(0, point(-31.0, 0.0)), eastbound_car(1, point(-33.0, 5.0))]));
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].x, rows[0].w, rows[0].truncation), (0, 32, 1));
}

#[test]
fn occlusion_is_of_the_farther_object() {
    // Half a metre of a car's 2.17 m in the picture looks out behind an equal car.
    let rows = still_rows(&still_of(vec![eastbound_car(0, point(0.0, 0.5)), eastbound_car(1, point(0.0, 0.0))]));
    assert_eq!((rows[0].occlusion, rows[1].occlusion), (2, 0));
    let rows = still_rows(&still_of(vec![eastbound_car(0, point(0.0, 1.6)), eastbound_car(1, point(0.0, 0.0))]));
    assert_eq!((rows[0].occlusion, rows[1].occlusion), (1, 0));
}

#[test]
fn fill_covers_whole_pixels_exactly() {
    let square = crate::plane::convex_hull(&[point(2.0, 1.0), point(5.0, 1.0), point(5.0, 3.0), point(2.0, 3.0)]);
    let mut covered = BTreeMap::new();
    for_each_covered(&square, 10, 10, |index, coverage| {
        covered.insert(index, coverage);
    });
    let expected: BTreeMap<usize, f32> = [12, 13, 14, 22, 23, 24].map(|index| (index, 1.0)).into();
    assert_eq!(covered, expected);
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let dir = TempDir::new().unwrap();
    let blocked = dir.path().join("file");
    fs::write(&blocked, "").unwrap();
    let error = write_sequence(&blocked, &script::sequences(1)[0]).unwrap_err();
    assert!(error.to_string().starts_with("create the folder `"), "{error}");
}
