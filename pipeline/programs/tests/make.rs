//! Builds scenes from literal boxes. Images are 1000 x 500 pixels.

use crate::{
    Answer, Expr, FrameRate, Program, Scene, SceneError, SceneFrame, Term, Undefined, Value, execute, taxonomy,
};
use uavgen_schemas::{Box2d, Frame, Region, RegionKind, Selection, UnknownBox};

/// Records of one frame under construction.
#[derive(Debug, Clone)]
pub(super) struct FrameMaker {
    pub(super) frame: Frame,
    pub(super) boxes: Vec<Box2d>,
    pub(super) regions: Vec<Region>,
    pub(super) selection: Selection,
}

/// Edges in pixels.
pub(super) type Edges = [f64; 4];

impl FrameMaker {
    pub(super) fn new(frame_id: &str) -> Self {
        let recording_id = frame_id.rsplit_once('/').map_or(frame_id, |(recording, _)| recording).to_owned();
        let frame = Frame {
            frame_id: frame_id.to_owned(),
            recording_id: recording_id.clone(),
            group_id: "g".into(),
            split: "train".into(),
            index: 0,
            source_number: 1,
            file: "1.jpg".into(),
            width: 1000,
            height: 500,
            format: "jpeg".into(),
            pixel_layout: "rgb".into(),
            exif_orientation: 1,
            digest: String::new(),
            byte_count: 0,
            timestamp_us: None,
            labelled: true,
        };
        let selection = Selection {
            selection_id: format!("suite:{frame_id}"),
            suite: "suite".into(),
            frame_id: frame_id.to_owned(),
            recording_id,
            usable: true,
            reason: None,
            kept: vec![],
            unknown: vec![],
        };
        Self { frame, boxes: vec![], regions: vec![], selection }
    }

    /// A kept box without track.
    pub(super) fn object(self, id: &str, category: &str, edges: Edges) -> Self {
        self.kept(id, category, category, None, edges)
    }

    /// A kept box of a track.
    pub(super) fn tracked(self, id: &str, category: &str, track: &str, edges: Edges) -> Self {
        self.kept(id, category, category, Some(track), edges)
    }

    /// A kept box that was annotated with another category than its track.
    pub(super) fn flipped(self, id: &str, category: &str, annotated: &str, edges: Edges) -> Self {
        self.kept(id, category, annotated, None, edges)
    }

    pub(super) fn kept(mut self, id: &str, category: &str, annotated: &str, track: Option<&str>, edges: Edges) -> Self {
        self.selection.kept.push(id.to_owned());
        self.boxes.push(self.record(id, category, annotated, track, edges));
        self
    }

    /// A box that the filter dropped.
    pub(super) fn dropped(mut self, id: &str, may_be: &[&str], track: Option<&str>, edges: Edges) -> Self {
        let may_be = may_be.iter().map(|&category| category.to_owned()).collect();
        self.selection.unknown.push(UnknownBox { box_id: id.to_owned(), reason: "too_small".into(), may_be });
        self.boxes.push(self.record(id, "car", "car", track, edges));
        self
    }

    pub(super) fn ignored(self, id: &str, edges: Edges) -> Self {
        self.region(id, RegionKind::Ignored, edges)
    }

    pub(super) fn others(self, id: &str, edges: Edges) -> Self {
        self.region(id, RegionKind::Others, edges)
    }

    pub(super) fn unlabelled(mut self) -> Self {
        self.frame.labelled = false;
        self
    }

    /// An annotation that tells no category.
    pub(super) fn unknown_object(self, id: &str, edges: Edges) -> Self {
        self.region(id, RegionKind::UnknownObject, edges)
    }

    fn region(self, id: &str, kind: RegionKind, edges: Edges) -> Self {
        self.tracked_region(id, kind, None, edges)
    }

    pub(super) fn tracked_region(
        mut self,
        id: &str,
        kind: RegionKind,
        track: Option<&str>,
        [x1, y1, x2, y2]: Edges,
    ) -> Self {
        self.regions.push(Region {
            region_id: id.to_owned(),
            frame_id: self.frame.frame_id.clone(),
            recording_id: self.frame.recording_id.clone(),
            kind,
            track_id: track.map(str::to_owned),
            x1,
            y1,
            x2,
            y2,
        });
        self
    }

    fn record(&self, id: &str, category: &str, annotated: &str, track: Option<&str>, edges: Edges) -> Box2d {
        let [x1, y1, x2, y2] = edges;
        Box2d {
            box_id: id.to_owned(),
            frame_id: self.frame.frame_id.clone(),
            recording_id: self.frame.recording_id.clone(),
            track_id: track.map(str::to_owned),
            category: category.to_owned(),
            annotated_category: annotated.to_owned(),
            x1,
            y1,
            x2,
            y2,
            clipped: false,
            ignored: false,
            truncation: None,
            occlusion: None,
        }
    }

    pub(super) fn build(&self) -> Result<SceneFrame, SceneError> {
        SceneFrame::new(&self.frame, &self.boxes, &self.regions, &self.selection)
    }

    pub(super) fn scene(&self) -> Scene {
        scene(std::slice::from_ref(self))
    }
}

/// A scene of several frames.
pub(super) fn scene(frames: &[FrameMaker]) -> Scene {
    Scene::new(frames.iter().map(|frame| frame.build().unwrap()).collect()).unwrap()
}

/// The scene of a clip at two frames per second, cut into segments of these lengths.
pub(super) fn clip(frames: &[FrameMaker], lengths: &[u32]) -> Scene {
    let frames = frames.iter().map(|frame| frame.build().unwrap()).collect();
    Scene::of_clip(frames, lengths, FrameRate { num: 2, den: 1 }).unwrap()
}

/// Three cars, a bus, a pedestrian and a person who sits, far apart.
pub(super) fn street() -> FrameMaker {
    FrameMaker::new("r/1")
        .object("a", "car", [100.0, 100.0, 200.0, 150.0])
        .object("b", "car", [300.0, 200.0, 400.0, 260.0])
        .object("c", "car", [700.0, 300.0, 900.0, 400.0])
        .object("d", "bus", [480.0, 220.0, 560.0, 270.0])
        .object("p", "pedestrian", [20.0, 400.0, 40.0, 440.0])
        .object("q", "people", [600.0, 50.0, 620.0, 90.0])
}

pub(super) fn cars() -> Expr {
    Expr::objects(0).where_category(["car"])
}

pub(super) fn buses() -> Expr {
    Expr::objects(0).where_category(["bus"])
}

/// The terms of some words.
pub(super) fn terms(words: &[&str]) -> Vec<Term> {
    words.iter().map(|word| taxonomy::by_word(word).unwrap().term()).collect()
}

pub(super) fn run(expr: Expr, scene: &Scene) -> Result<Answer, Undefined> {
    execute(&Program::new(expr).unwrap(), scene)
}

/// The value of a program that must have one.
pub(super) fn value(expr: Expr, scene: &Scene) -> Value {
    run(expr, scene).unwrap().value
}

/// The text of the answer, or the reason code of the refusal.
pub(super) fn outcome(expr: Expr, scene: &Scene) -> String {
    match run(expr, scene) {
        Ok(answer) => answer.value.text(),
        Err(undefined) => undefined.reason.code().to_owned(),
    }
}
