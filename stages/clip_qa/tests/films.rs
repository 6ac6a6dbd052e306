//! Clips made by hand or drawn from a small generator of its own. Frames are 160 x 120 pixels, five a second.

use crate::asking::templates::Templates;
use crate::clip_qa::config::{ClipQaConfig, ClipTaskConfig};
use crate::clip_qa::pure::subject::ClipSubject;
use crate::clip_qa::pure::{Asked, Setting, ask_clip};
use crate::clip_qa::task::Task;
use crate::testing::{frame, recording};
use std::ops::Range;
use uavgen_programs::{FrameRate, Program, Scene, SceneFrame, execute};
use uavgen_schemas::{Box2d, Clip, ClipKind, Frame, QaItem, Recording, Region, RegionKind, Selection, UnknownBox};

/// Edges of a box in pixels.
pub(super) type Edges = [f64; 4];

/// A clip of several places with its records.
#[derive(Debug, Clone)]
pub(super) struct Film {
    pub(super) name: String,
    pub(super) kind: ClipKind,
    pub(super) fills: bool,
    pub(super) places: Vec<Place>,
}

/// The records of one place.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) recording: Recording,
    pub(super) frames: Vec<Frame>,
    pub(super) boxes: Vec<Box2d>,
    pub(super) regions: Vec<Region>,
    pub(super) selections: Vec<Selection>,
}

impl Film {
    /// Places of so many frames each.
    pub(super) fn new(name: &str, lengths: &[usize]) -> Self {
        let place = |(number, frames): (usize, &usize)| Place::new(&format!("{name}/{number}"), *frames);
        let places = lengths.iter().enumerate().map(place).collect();
        Self { name: name.to_owned(), kind: ClipKind::Concatenated, fills: true, places }
    }

    /// An object on some frames of a place.
    pub(super) fn with(mut self, place: usize, frames: Range<usize>, category: &str, track: u32, edges: Edges) -> Self {
        frames.for_each(|at| self.places[place].add(at, category, track, edges));
        self
    }

    /// So many objects side by side on some frames of a place, tracks from `first`.
    pub(super) fn row(mut self, place: usize, frames: Range<usize>, category: &str, first: u32, count: u32) -> Self {
        for track in first..first + count {
            let left = f64::from((track - first) % 15) * 10.0;
            let top = f64::from((track - first) / 15) * 10.0;
            self = self.with(place, frames.clone(), category, track, [left, top, left + 8.0, top + 8.0]);
        }
        self
    }

    /// An object that the filter dropped.
    pub(super) fn dropped(mut self, place: usize, at: usize, category: &str, track: u32, edges: Edges) -> Self {
        self.places[place].add(at, category, track, edges);
        let selection = &mut self.places[place].selections[at];
        let box_id = selection.kept.pop().unwrap();
        selection.unknown.push(UnknownBox { box_id, reason: "too_small".into(), may_be: vec![category.into()] });
        self
    }

    /// An area without labels.
    pub(super) fn ignored(mut self, place: usize, at: usize, [x1, y1, x2, y2]: Edges) -> Self {
        let place = &mut self.places[place];
        let frame_id = place.frames[at].frame_id.clone();
        let (region_id, kind) = (format!("{frame_id}#ignored"), RegionKind::Ignored);
        let recording_id = place.recording.recording_id.clone();
        place.regions.push(Region { region_id, frame_id, recording_id, kind, track_id: None, x1, y1, x2, y2 });
        self
    }

    pub(super) fn clip(&self) -> Clip {
        let each = |of: fn(&Recording) -> &String| -> Vec<String> {
            let mut all: Vec<String> = self.places.iter().map(|place| of(&place.recording).clone()).collect();
            all.sort();
            all
        };
        Clip {
            clip_id: self.name.clone(),
            kind: self.kind,
            strategy: None,
            pool: None,
            repeat: 0,
            recording_ids: each(|recording| &recording.recording_id),
            group_ids: each(|recording| &recording.group_id),
            split: "train".into(),
            path: Clip::own_path(&self.name),
            frame_count: self.places.iter().map(|place| place.frames.len() as i64).sum(),
            width: 160,
            height: 120,
            fps_num: 5,
            fps_den: 1,
            segment_count: self.places.len() as i64,
            digest: String::new(),
            byte_count: 1,
        }
    }

    pub(super) fn scene(&self) -> Scene {
        let frames = self.places.iter().flat_map(Place::scene_frames).collect();
        let lengths: Vec<u32> = self.places.iter().map(|place| place.frames.len() as u32).collect();
        Scene::of_clip(frames, &lengths, FrameRate { num: 5, den: 1 }).unwrap()
    }

    pub(super) fn ask(&self, config: &ClipQaConfig) -> Asked {
        self.ask_with_seed(config, 7)
    }

    pub(super) fn ask_with_seed(&self, config: &ClipQaConfig, seed: u64) -> Asked {
        let (clip, templates) = (self.clip(), Templates::<Task>::embedded());
        let recordings = self.places.iter().map(|place| &place.recording).collect();
        let subject = ClipSubject { clip: &clip, recordings, scene: self.scene(), fills: self.fills };
        ask_clip(&Setting { config, templates: &templates, seed, stage_version: 1 }, &subject)
    }

    /// Executes the program of an item again.
    pub(super) fn execute(&self, item: &QaItem) -> String {
        execute(&Program::parse(&item.program).unwrap(), &self.scene()).unwrap().value.to_canonical_json()
    }
}

impl Place {
    fn new(id: &str, frames: usize) -> Self {
        let mut place = Self {
            recording: Recording { split: "train".into(), ..recording(id, frames as i64) },
            frames: Vec::new(),
            boxes: Vec::new(),
            regions: Vec::new(),
            selections: Vec::new(),
        };
        for number in 1..=frames as i64 {
            let frame = frame(id, number, "a.jpg", b"");
            place.selections.push(Selection {
                selection_id: format!("aerial2d:{}", frame.frame_id),
                suite: "aerial2d".into(),
                frame_id: frame.frame_id.clone(),
                recording_id: id.into(),
                usable: true,
                reason: None,
                kept: vec![],
                unknown: vec![],
            });
            place.frames.push(frame);
        }
        place
    }

    fn add(&mut self, at: usize, category: &str, track: u32, [x1, y1, x2, y2]: Edges) {
        let frame_id = self.frames[at].frame_id.clone();
        let box_id = format!("{frame_id}#{track:04}");
        self.selections[at].kept.push(box_id.clone());
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

    fn scene_frames(&self) -> impl Iterator<Item = SceneFrame> {
        self.frames.iter().zip(&self.selections).map(|(frame, selection)| {
            let boxes: Vec<Box2d> = self.boxes.iter().filter(|row| row.frame_id == frame.frame_id).cloned().collect();
            let regions: Vec<Region> =
                self.regions.iter().filter(|row| row.frame_id == frame.frame_id).cloned().collect();
            SceneFrame::new(frame, &boxes, &regions, selection).unwrap()
        })
    }
}

/// Only one task, so often.
pub(super) fn only(task: Task, per_clip: u32) -> ClipQaConfig {
    let mut config = ClipQaConfig { max_per_clip: 100, tries: 20, ..ClipQaConfig::default() };
    let settings = |own: Task| ClipTaskConfig { weight: u32::from(own == task), per_clip };
    config.tasks.clip_order = settings(Task::ClipOrder);
    config.tasks.clip_presence = settings(Task::ClipPresence);
    config.tasks.clip_counting = settings(Task::ClipCounting);
    config.tasks.first_appearances = settings(Task::FirstAppearances);
    config
}

/// A film drawn from a number: two to four places, objects that come and go.
pub(super) fn drawn(number: u64) -> Film {
    let mut dice = Dice(number);
    let places = 2 + dice.below(3);
    let lengths: Vec<usize> = (0..places).map(|_| 6 + dice.below(10)).collect();
    let mut film = Film::new(&format!("film{number}"), &lengths);
    const KINDS: [&str; 8] = ["car", "car", "bus", "truck", "pedestrian", "motor", "bicycle", "van"];
    for (place, &length) in lengths.iter().enumerate() {
        for track in 0..dice.below(14) as u32 {
            let category = KINDS[dice.below(KINDS.len())];
            let from = if dice.below(3) == 0 { dice.below(length) } else { 0 };
            let (left, top) = (10.0 * dice.below(15) as f64, 10.0 * dice.below(11) as f64);
            film = film.with(place, from..length, category, track, [left, top, left + 9.0, top + 9.0]);
        }
        if dice.below(4) == 0 {
            film = film.dropped(place, dice.below(length), "truck", 900, [150.0, 100.0, 152.0, 102.0]);
        }
    }
    film
}

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % count as u64) as usize
    }
}
