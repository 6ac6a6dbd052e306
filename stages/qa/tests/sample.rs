//! The sample data: records are made from its truth table, the stages run on them, and every answer is computed a second
//! time from the text of its question and the truth table, without the answer language.

use crate::STAGES;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use uavgen_core::context::Surroundings;
use uavgen_core::store::{TableOptions, TableReader, TableWriter};
use uavgen_core::{Context, InputPart, Inputs, Partition};
use uavgen_sample_data::{DEFAULT_SEED, Kind, Truth, TruthRow, write_sample};
use uavgen_schemas::{
    Box2d, Frame, QaItem, Record, Recording, RecordingKind, Region, RegionKind, Reject, RejectKind, Selection,
};

/// Records of the sample data, straight from its truth table.
#[derive(Default)]
struct Records {
    recordings: Vec<Recording>,
    frames: Vec<Frame>,
    boxes: Vec<Box2d>,
    regions: Vec<Region>,
}

fn frame_id(row: &TruthRow) -> String {
    if row.frame_number == 0 { row.recording.clone() } else { format!("{}/{}", row.recording, row.frame_number) }
}

fn records(truth: &Truth) -> Records {
    let mut records = Records::default();
    let mut frames: BTreeMap<(String, u32), &TruthRow> = BTreeMap::new();
    for row in &truth.rows {
        frames.insert((row.recording.clone(), row.frame_number), row);
        match row.kind {
            Kind::Object | Kind::IgnoredObject => records.boxes.push(object(row)),
            Kind::IgnoredRegion => records.regions.push(region(row, RegionKind::Ignored)),
            Kind::Others => records.regions.push(region(row, RegionKind::Others)),
        }
    }
    let mut index: BTreeMap<String, i64> = BTreeMap::new();
    for row in frames.values() {
        let next = index.entry(row.recording.clone()).or_default();
        if *next == 0 {
            records.recordings.push(recording(row));
        }
        records.frames.push(frame(row, *next));
        *next += 1;
    }
    records
}

fn recording(row: &TruthRow) -> Recording {
    Recording {
        recording_id: row.recording.clone(),
        source: "sample".into(),
        group_id: row.recording.clone(),
        sequence: row.recording.clone(),
        split: row.split.clone(),
        kind: if row.frame_number == 0 { RecordingKind::Still } else { RecordingKind::Sequence },
        frame_count: 0,
        labelled_frame_count: 0,
        annotated_without_image: 0,
        source_fps: None,
        licence: "CC0-1.0".into(),
    }
}

fn frame(row: &TruthRow, index: i64) -> Frame {
    Frame {
        frame_id: frame_id(row),
        recording_id: row.recording.clone(),
        group_id: row.recording.clone(),
        split: row.split.clone(),
        index,
        source_number: i64::from(row.frame_number),
        file: String::new(),
        width: i64::from(row.width),
        height: i64::from(row.height),
        format: "jpeg".into(),
        pixel_layout: "rgb".into(),
        exif_orientation: 1,
        digest: String::new(),
        byte_count: 0,
        labelled: true,
    }
}

fn object(row: &TruthRow) -> Box2d {
    let [x1, y1, x2, y2] = edges(row);
    Box2d {
        box_id: format!("{}#{}", frame_id(row), row.object_number),
        frame_id: frame_id(row),
        recording_id: row.recording.clone(),
        track_id: (row.frame_number > 0).then(|| format!("{}#{}", row.recording, row.object_number)),
        category: row.category.name().into(),
        annotated_category: row.annotated_category.name().into(),
        x1,
        y1,
        x2,
        y2,
        clipped: false,
        ignored: row.kind == Kind::IgnoredObject,
        truncation: Some(i64::from(row.truncation)),
        occlusion: Some(i64::from(row.occlusion)),
    }
}

fn region(row: &TruthRow, kind: RegionKind) -> Region {
    let [x1, y1, x2, y2] = edges(row);
    let region_id = format!("{}#{}", frame_id(row), row.object_number);
    let track_id = Some(format!("{}#{}", row.recording, row.object_number));
    Region { region_id, frame_id: frame_id(row), recording_id: row.recording.clone(), kind, track_id, x1, y1, x2, y2 }
}

fn edges(row: &TruthRow) -> [f64; 4] {
    [row.x, row.y, row.x + row.w, row.y + row.h].map(|edge| edge as f64)
}

fn partition() -> Partition {
    Partition::Sequence { source: "s".into(), scene: "s".into(), sequence: "s".into(), split: "train".into() }
}

fn write<R: Record>(folder: &Path, rows: Vec<R>, inputs: &mut Inputs) {
    let path = folder.join(format!("{}.in.parquet", R::TABLE));
    let mut writer = TableWriter::<R>::create(&path, TableOptions::default()).unwrap();
    let count = rows.len() as u64;
    rows.into_iter().for_each(|row| writer.push(row).unwrap());
    writer.finish().unwrap();
    let attempt_folder = folder.to_owned();
    let part = InputPart { partition: partition(), path, rows: count, attempt_folder, blobs: BTreeMap::new() };
    inputs.tables.insert(R::TABLE.into(), vec![part]);
}

/// Runs a registered stage in a folder and reads a table that it wrote, with its rejects.
fn run<R: Record>(name: &str, section: serde_json::Value, inputs: &Inputs, folder: &Path) -> (Vec<R>, Vec<Reject>) {
    let stage = STAGES.iter().find(|stage| stage.info().name == name).unwrap();
    let (partition, roots, cancelled) = (partition(), BTreeMap::new(), AtomicBool::new(false));
    let attempt = folder.join(name);
    std::fs::create_dir(&attempt).unwrap();
    let surroundings = Surroundings {
        stage: stage.info().name,
        partition: &partition,
        attempt_folder: attempt.clone(),
        store_root: folder.to_owned(),
        source_roots: &roots,
        project_name: "sample",
        seed: 7,
        cancelled: &cancelled,
    };
    let mut context = Context::new(surroundings, inputs.clone());
    stage.configure(&section).unwrap().run(&mut context).unwrap();
    context.finish().unwrap();
    let table = |name: &str| attempt.join(format!("{name}.parquet"));
    let rows = TableReader::<R>::open(&table(R::TABLE)).unwrap().rows().unwrap();
    (rows, TableReader::<Reject>::open(&table("rejects")).unwrap().rows().unwrap())
}

// The second way to an answer.

/// Words of questions with the truth table's categories, written down here on their own.
const WORDS: [(&str, &str, &[&str]); 10] = [
    ("person", "people", &["pedestrian", "people"]),
    ("car", "cars", &["car"]),
    ("van", "vans", &["van"]),
    ("truck", "trucks", &["truck"]),
    ("bus", "buses", &["bus"]),
    ("bicycle", "bicycles", &["bicycle"]),
    ("motorcycle", "motorcycles", &["motor"]),
    ("tricycle", "tricycles", &["tricycle"]),
    ("awning-tricycle", "awning-tricycles", &["awning-tricycle"]),
    (
        "vehicle",
        "vehicles",
        &["car", "van", "truck", "bus", "bicycle", "motor", "tricycle", "awning-tricycle", "others"],
    ),
];

/// Names of areas with their edges, written down here on their own.
const AREAS: [(&str, [f64; 4]); 13] = [
    ("left half", [0.0, 0.0, 0.5, 1.0]),
    ("right half", [0.5, 0.0, 1.0, 1.0]),
    ("top half", [0.0, 0.0, 1.0, 0.5]),
    ("bottom half", [0.0, 0.5, 1.0, 1.0]),
    ("top-left cell", [0.0, 0.0, 0.3333, 0.3333]),
    ("top-centre cell", [0.3333, 0.0, 0.6667, 0.3333]),
    ("top-right cell", [0.6667, 0.0, 1.0, 0.3333]),
    ("middle-left cell", [0.0, 0.3333, 0.3333, 0.6667]),
    ("the centre cell", [0.3333, 0.3333, 0.6667, 0.6667]),
    ("middle-right cell", [0.6667, 0.3333, 1.0, 0.6667]),
    ("bottom-left cell", [0.0, 0.6667, 0.3333, 1.0]),
    ("bottom-centre cell", [0.3333, 0.6667, 0.6667, 1.0]),
    ("bottom-right cell", [0.6667, 0.6667, 1.0, 1.0]),
];

fn numbers_in_brackets(text: &str) -> Option<[f64; 4]> {
    let inside = text.split(['[', ']']).find(|part| part.matches(',').count() == 3 && !part.contains('x'))?;
    let numbers: Vec<f64> = inside.split(", ").filter_map(|number| number.parse().ok()).collect();
    numbers.try_into().ok()
}

/// Area that the text names, as shares of the image.
fn area_of(text: &str) -> [f64; 4] {
    if let Some((_, edges)) = AREAS.iter().find(|(name, _)| text.contains(name)) {
        return *edges;
    }
    assert!(!text.contains(" half of") && !text.contains(" cell of"), "no area for {text}");
    if text.contains("inside the box [") { numbers_in_brackets(text).unwrap() } else { [0.0, 0.0, 1.0, 1.0] }
}

/// Categories of the one word of a text that names a kind of object.
fn categories_of(text: &str) -> &'static [&'static str] {
    let plain = text.replace(" (riders included)", "").replace(" (bicycles and motorcycles included)", "");
    let tokens: Vec<&str> = plain.split(|c: char| !(c.is_alphabetic() || c == '-')).collect();
    let fits = |word: &&(&str, &str, &[&str])| tokens.contains(&word.0) || tokens.contains(&word.1);
    let found: Vec<_> = WORDS.iter().filter(fits).collect();
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    found[0].2
}

fn share_inside(row: &TruthRow, [x1, y1, x2, y2]: [f64; 4]) -> f64 {
    let (width, height) = (f64::from(row.width), f64::from(row.height));
    let [left, top, right, bottom] = edges(row);
    let common = (right.min(x2 * width) - left.max(x1 * width)).max(0.0)
        * (bottom.min(y2 * height) - top.max(y1 * height)).max(0.0);
    common / (row.w * row.h) as f64
}

/// What the truth table knows of one frame: everything that is really there, usable or not.
struct Scene<'a>(Vec<&'a TruthRow>);

impl<'a> Scene<'a> {
    fn of(truth: &'a Truth, frame: &str) -> Self {
        let real = |row: &&TruthRow| row.kind != Kind::IgnoredRegion && frame_id(row) == frame;
        Self(truth.rows.iter().filter(real).collect())
    }

    fn members(&self, categories: &[&str], area: [f64; 4]) -> Vec<&'a TruthRow> {
        let fits = |row: &&&TruthRow| categories.contains(&row.category.name()) && share_inside(row, area) >= 0.5;
        self.0.iter().filter(fits).copied().collect()
    }

    fn count(&self, word: &str, area: [f64; 4]) -> usize {
        self.members(categories_of(word), area).len()
    }
}

fn expected_answer(item: &QaItem, truth: &Truth) -> String {
    let scenes: Vec<Scene> = item.frame_ids.iter().map(|frame| Scene::of(truth, frame)).collect();
    let (scene, text) = (&scenes[0], item.question.as_str());
    let area = area_of(text);
    let yes_no = |claim: bool| if claim { "yes" } else { "no" }.to_owned();
    match item.task.as_str() {
        "scene_presence" => yes_no(scene.count(text, area) > 0),
        "scene_counting" | "regional_counting" => scene.count(text, area).to_string(),
        "multi_target_presence" => {
            let right: Vec<&str> =
                item.options.iter().map(String::as_str).filter(|option| scene.count(option, area) > 0).collect();
            right.join("; ")
        }
        "number_comparison" => {
            let count = |option: &&String| scene.count(option, area);
            let few = ["least", "smallest", "lowest", "fewer"].iter().any(|word| text.contains(word));
            let winner =
                if few { item.options.iter().min_by_key(count) } else { item.options.iter().max_by_key(count) };
            winner.unwrap().clone()
        }
        "regional_classification" => kind_at(scene, numbers_in_brackets(text).unwrap()).to_owned(),
        "object_grounding" => box_text(grounded(scene, text, area)),
        "temporal_counting" => {
            let categories = categories_of(text);
            let members: Vec<Vec<&TruthRow>> = scenes.iter().map(|scene| scene.members(categories, area)).collect();
            if item.answer_json.contains("frames") {
                members.iter().filter(|rows| !rows.is_empty()).count().to_string()
            } else {
                members.iter().flatten().map(|row| row.object_number).collect::<BTreeSet<_>>().len().to_string()
            }
        }
        other => panic!("no check for {other}"),
    }
}

fn kind_at(scene: &Scene, [x1, y1, x2, y2]: [f64; 4]) -> &'static str {
    let near = |row: &&&TruthRow| {
        let [left, top, right, bottom] = edges(row);
        let (width, height) = (f64::from(row.width), f64::from(row.height));
        [left / width - x1, top / height - y1, right / width - x2, bottom / height - y2]
            .iter()
            .all(|gap| gap.abs() < 0.001)
    };
    let found: Vec<_> = scene.0.iter().filter(near).collect();
    assert_eq!(found.len(), 1);
    WORDS.iter().find(|(_, _, categories)| categories.contains(&found[0].category.name())).unwrap().0
}

fn grounded<'a>(scene: &Scene<'a>, text: &str, area: [f64; 4]) -> &'a TruthRow {
    let members = scene.members(categories_of(text), area);
    let centre = |row: &TruthRow| (row.x as f64 + row.w as f64 / 2.0, row.y as f64 + row.h as f64 / 2.0);
    let smallest =
        |score: &dyn Fn(&TruthRow) -> f64| *members.iter().min_by(|a, b| score(a).total_cmp(&score(b))).unwrap();
    match text {
        t if t.contains("leftmost") => smallest(&|row| centre(row).0),
        t if t.contains("rightmost") => smallest(&|row| -centre(row).0),
        t if t.contains("top edge") => smallest(&|row| centre(row).1),
        t if t.contains("bottom edge") => smallest(&|row| -centre(row).1),
        t if t.contains("largest area") => smallest(&|row| -((row.w * row.h) as f64)),
        t if t.contains("smallest area") => smallest(&|row| (row.w * row.h) as f64),
        t if t.contains("nearest to the centre") => smallest(&|row| {
            let (x, y) = centre(row);
            (x - f64::from(row.width) / 2.0).hypot(y - f64::from(row.height) / 2.0)
        }),
        _ => {
            assert_eq!(members.len(), 1, "{text}");
            members[0]
        }
    }
}

fn box_text(row: &TruthRow) -> String {
    let [left, top, right, bottom] = edges(row);
    let (width, height) = (f64::from(row.width), f64::from(row.height));
    let round = |share: f64| (share * 1000.0).round() / 1000.0;
    let [x1, y1, x2, y2] = [round(left / width), round(top / height), round(right / width), round(bottom / height)];
    format!("[{x1:.3}, {y1:.3}, {x2:.3}, {y2:.3}]")
}

#[test]
fn answers_equal_the_truth_table_and_most_candidates_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    let truth = write_sample(&folder.path().join("sample"), DEFAULT_SEED).unwrap();
    let Records { recordings, frames, boxes, regions } = records(&truth);
    let mut inputs = Inputs::default();
    write(folder.path(), recordings, &mut inputs);
    write(folder.path(), frames, &mut inputs);
    write(folder.path(), boxes, &mut inputs);
    write(folder.path(), regions, &mut inputs);
    let (selections, _) = run::<Selection>("filter", json!({}), &inputs, folder.path());
    write(folder.path(), selections, &mut inputs);
    // Every third frame, and no limits, for figures that mean something.
    let section = json!({"frame_stride": 3, "max_per_frame": 100, "max_per_recording": 10_000});
    let (items, rejects) = run::<QaItem>("qa", section, &inputs, folder.path());

    let mut answered: BTreeMap<&str, usize> = BTreeMap::new();
    for item in &items {
        assert_eq!(
            item.answer,
            expected_answer(item, &truth),
            "{} {:?} {}",
            item.question,
            item.frame_ids,
            item.program
        );
        *answered.entry(&item.task).or_default() += 1;
    }
    let mut refused: BTreeMap<(String, String), usize> = BTreeMap::new();
    for reject in rejects.iter().filter(|reject| reject.kind == RejectKind::Refusal) {
        let task = reject.detail.split(':').next().unwrap().to_owned();
        *refused.entry((task, reject.reason.clone())).or_default() += 1;
    }
    assert_eq!(answered.len(), 8, "{answered:?}");
    let mut short: Vec<&str> = Vec::new();
    for (task, &count) in &answered {
        let reasons: Vec<_> = refused.iter().filter(|((of, _), _)| of == task).map(|((_, why), n)| (why, n)).collect();
        let total: usize = reasons.iter().map(|(_, n)| **n).sum();
        let share = count as f64 / (count + total) as f64;
        println!("{task:26} answered {count:4} refused {total:4} ({:.0} %) {reasons:?}", share * 100.0);
        short.extend((share < 0.6).then_some(*task));
    }
    assert!(short.is_empty(), "less than 60 % answered: {short:?}");
}
