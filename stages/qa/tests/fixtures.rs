//! Recordings made by hand or drawn from a small generator of its own.

use crate::asking::templates::Templates;
use crate::qa::config::QaConfig;
use crate::qa::io::by_recording;
use crate::qa::pure::{Asked, RecordingRows, Setting, ask_recording};
use uavgen_programs::{Program, Scene, SceneFrame, execute};
use uavgen_schemas::{
    Box2d, Frame, QaItem, Recording, RecordingKind, Region, RegionKind, Reject, Selection, UnknownBox,
};

/// Edges of a box in pixels.
pub(super) type Edges = [f64; 4];

/// A recording with its records; frames are 1000 x 500.
#[derive(Debug, Clone)]
pub(super) struct Fixture {
    pub(super) recording: Recording,
    pub(super) frames: Vec<Frame>,
    pub(super) boxes: Vec<Box2d>,
    pub(super) regions: Vec<Region>,
    pub(super) selections: Vec<Selection>,
}

impl Fixture {
    pub(super) fn still(id: &str) -> Self {
        let mut fixture = Self::empty(id, RecordingKind::Still);
        fixture.add_frame(0);
        fixture
    }

    /// Frames with source numbers from 1.
    pub(super) fn sequence(id: &str, frames: i64) -> Self {
        let mut fixture = Self::empty(id, RecordingKind::Sequence);
        (1..=frames).for_each(|number| fixture.add_frame(number));
        fixture
    }

    fn empty(id: &str, kind: RecordingKind) -> Self {
        let recording = Recording {
            recording_id: id.into(),
            source: "made".into(),
            group_id: format!("group of {id}"),
            sequence: id.into(),
            split: "val".into(),
            kind,
            frame_count: 0,
            labelled_frame_count: 0,
            annotated_without_image: 0,
            source_fps: None,
            licence: "CC0-1.0".into(),
        };
        Self { recording, frames: vec![], boxes: vec![], regions: vec![], selections: vec![] }
    }

    fn add_frame(&mut self, source_number: i64) {
        let frame_id = format!("{}/{source_number:03}", self.recording.recording_id);
        self.selections.push(Selection {
            selection_id: format!("aerial2d:{frame_id}"),
            suite: "aerial2d".into(),
            frame_id: frame_id.clone(),
            recording_id: self.recording.recording_id.clone(),
            usable: true,
            reason: None,
            kept: vec![],
            unknown: vec![],
        });
        self.frames.push(Frame {
            frame_id,
            recording_id: self.recording.recording_id.clone(),
            group_id: self.recording.group_id.clone(),
            split: self.recording.split.clone(),
            index: self.frames.len() as i64,
            source_number,
            file: "a.jpg".into(),
            width: 1000,
            height: 500,
            format: "jpeg".into(),
            pixel_layout: "rgb".into(),
            exif_orientation: 1,
            digest: String::new(),
            byte_count: 1,
            timestamp_us: None,
            labelled: true,
        });
    }

    /// Adds an object with a track to the frame at a position.
    pub(super) fn add(&mut self, position: usize, track: u32, category: &str, [x1, y1, x2, y2]: Edges) {
        let frame_id = self.frames[position].frame_id.clone();
        let box_id = format!("{frame_id}#{track:04}");
        self.selections[position].kept.push(box_id.clone());
        self.boxes.push(Box2d {
            box_id,
            frame_id,
            recording_id: self.recording.recording_id.clone(),
            track_id: Some(format!("{}#{track:04}", self.recording.recording_id)),
            category: category.into(),
            annotated_category: category.into(),
            x1,
            y1,
            x2,
            y2,
            clipped: false,
            ignored: false,
            truncation: None,
            occlusion: None,
        });
    }

    /// Adds an object that the filter dropped.
    pub(super) fn add_unknown(&mut self, position: usize, track: u32, category: &str, edges: Edges) {
        self.add(position, track, category, edges);
        let selection = &mut self.selections[position];
        let box_id = selection.kept.pop().unwrap();
        selection.unknown.push(UnknownBox { box_id, reason: "too_small".into(), may_be: vec![category.into()] });
    }

    /// Adds an ignored region.
    pub(super) fn add_ignored(&mut self, position: usize, track: u32, [x1, y1, x2, y2]: Edges) {
        let frame_id = self.frames[position].frame_id.clone();
        let recording_id = self.recording.recording_id.clone();
        let region_id = format!("{frame_id}#{track:04}");
        let region =
            Region { region_id, frame_id, recording_id, kind: RegionKind::Ignored, track_id: None, x1, y1, x2, y2 };
        self.regions.push(region);
    }

    /// The same without one frame, as if it had never been there.
    pub(super) fn without(&self, position: usize) -> Self {
        let id = self.frames[position].frame_id.clone();
        let mut rest = self.clone();
        rest.frames.retain(|frame| frame.frame_id != id);
        rest.boxes.retain(|object| object.frame_id != id);
        rest.regions.retain(|region| region.frame_id != id);
        rest.selections.retain(|selection| selection.frame_id != id);
        (0..).zip(&mut rest.frames).for_each(|(index, frame)| frame.index = index);
        rest
    }

    pub(super) fn ask(&self, config: &QaConfig) -> Asked {
        let templates = Templates::embedded();
        let setting = Setting { config, templates: &templates, seed: 7, stage_version: 1 };
        let rows = by_recording(&self.frames, self.boxes.clone(), self.regions.clone(), &self.selections);
        let nothing = RecordingRows::default();
        let rows = rows.get(self.recording.recording_id.as_str()).unwrap_or(&nothing);
        ask_recording(&setting, &self.recording, rows)
    }

    /// The answer of an item's program on these records, as canonical JSON.
    pub(super) fn execute(&self, item: &QaItem) -> String {
        let frames = item.frame_ids.iter().map(|id| {
            let frame = self.frames.iter().find(|frame| frame.frame_id == *id).unwrap();
            let boxes: Vec<Box2d> = self.boxes.iter().filter(|object| object.frame_id == *id).cloned().collect();
            let regions: Vec<Region> = self.regions.iter().filter(|region| region.frame_id == *id).cloned().collect();
            let selection = self.selections.iter().find(|selection| selection.frame_id == *id).unwrap();
            SceneFrame::new(frame, &boxes, &regions, selection).unwrap()
        });
        let scene = Scene::new(frames.collect()).unwrap();
        let program = Program::parse(&item.program).unwrap();
        execute(&program, &scene).unwrap().value.to_canonical_json()
    }
}

/// Everything that can be asked: no limits.
pub(super) fn generous() -> QaConfig {
    QaConfig { max_per_frame: 1000, max_per_recording: 100_000, frame_stride: 1, tries: 50, ..QaConfig::default() }
}

/// Only one task, so many questions per frame.
pub(super) fn only(task: &str, per_frame: u32) -> QaConfig {
    let mut config = serde_json::to_value(generous()).unwrap();
    for (name, settings) in config["tasks"].as_object_mut().unwrap() {
        settings["per_frame"] = if name == task { per_frame.into() } else { 0.into() };
    }
    serde_json::from_value(config).unwrap()
}

/// Reasons with their numbers.
pub(super) fn reasons(rejects: &[Reject]) -> std::collections::BTreeMap<String, usize> {
    let mut counts = std::collections::BTreeMap::new();
    rejects.iter().for_each(|reject| *counts.entry(reject.reason.clone()).or_default() += 1);
    counts
}

/// Numbers that look random (a linear congruence; nothing of the code under test).
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(super) fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % count
    }
}

/// Categories of drawn frames, common ones several times.
const CATEGORIES: [&str; 16] = [
    "car",
    "car",
    "car",
    "car",
    "car",
    "car",
    "pedestrian",
    "pedestrian",
    "pedestrian",
    "people",
    "van",
    "truck",
    "bus",
    "motor",
    "bicycle",
    "awning-tricycle",
];

/// A still with up to 40 objects on a grid of cells, so that boxes never overlap.
pub(super) fn drawn_still(number: u64) -> Fixture {
    let mut dice = Dice::new(number);
    let mut fixture = Fixture::still(&format!("made/{number:05}"));
    fill(&mut fixture, 0, &mut dice, 0);
    fixture
}

/// A sequence in which the objects drift.
pub(super) fn drawn_sequence(number: u64, frames: i64) -> Fixture {
    let mut fixture = Fixture::sequence(&format!("made/sequence{number}"), frames);
    for position in 0..frames as usize {
        fill(&mut fixture, position, &mut Dice::new(number), position as u64);
    }
    fixture
}

fn fill(fixture: &mut Fixture, position: usize, dice: &mut Dice, drift: u64) {
    let count = 8 + dice.below(32);
    for track in 0..count {
        let category = CATEGORIES[dice.below(16) as usize];
        let (column, row) = (track % 8, track / 8);
        let x = (column * 115 + dice.below(60) + drift) as f64;
        let y = (row * 95 + dice.below(40)) as f64;
        let (width, height) = ((28 + dice.below(22)) as f64, (24 + dice.below(20)) as f64);
        if (dice.below(10) + drift) % 10 > 1 {
            fixture.add(position, track as u32, category, [x, y, x + width, y + height]);
        }
    }
}
