//! Records in, questions with computed answers out: sampling, and what each task proposes. The answers are `programs`' business.

pub mod asker;
mod classification;
mod comparison;
mod counting;
mod evidence;
mod grounding;
mod places;
mod presence;
pub mod sampling;
mod several;
pub mod subject;

use super::config::{QaConfig, TemporalConfig};
use super::task::Task;
use crate::asking::limit;
use crate::asking::templates::Templates;
use asker::Asker;
use std::collections::BTreeMap;
use subject::Subject;
use uavgen_programs::{Scene, SceneError, SceneFrame};
use uavgen_schemas::{Box2d, Frame, QaItem, Recording, RecordingKind, Region, Reject, RejectKind, Selection};

/// Everything that is known about one recording.
#[derive(Debug, Default)]
pub struct RecordingRows<'a> {
    /// Frames, by index.
    pub frames: Vec<&'a Frame>,
    /// Boxes by frame.
    pub boxes: BTreeMap<&'a str, Vec<Box2d>>,
    /// Regions by frame.
    pub regions: BTreeMap<&'a str, Vec<Region>>,
    /// Selections of the suite by frame.
    pub selections: BTreeMap<&'a str, &'a Selection>,
}

/// What came of one recording.
#[derive(Debug, Default)]
pub struct Asked {
    /// Items, sorted by frames, task and id.
    pub items: Vec<QaItem>,
    /// What was not asked, and why.
    pub rejects: Vec<Reject>,
    /// Frames that questions were looked for on.
    pub sampled_frames: u64,
}

/// What a run has besides its records.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    /// Config of the stage.
    pub config: &'a QaConfig,
    /// Wordings.
    pub templates: &'a Templates<Task>,
    /// Seed of the project.
    pub seed: u64,
    /// Version of the stage.
    pub stage_version: u32,
}

/// Asks about one recording.
pub fn ask_recording(setting: &Setting, recording: &Recording, rows: &RecordingRows) -> Asked {
    let mut asker = Asker::new(setting.config, setting.templates, setting.seed, setting.stage_version);
    let (mut items, mut rejects) = (Vec::new(), Vec::new());
    let usable: Vec<&Frame> = rows.frames.iter().copied().filter(|frame| rows.is_usable(frame)).collect();
    let sampled = sampling::sampled(setting.config, recording, &usable);
    for frame in &sampled {
        match rows.subject(recording, vec![frame]) {
            Ok(subject) => items.extend(ask_frame(&mut asker, &subject)),
            Err(error) => rejects.push(inconsistent(&frame.frame_id, &error)),
        }
    }
    if recording.kind == RecordingKind::Sequence {
        let by_number: BTreeMap<i64, &Frame> = usable.iter().map(|frame| (frame.source_number, *frame)).collect();
        let draw = asker.draw;
        let temporal = &setting.config.temporal;
        let groups = sampled.iter().filter_map(|frame| sampling::temporal_group(temporal, &draw, frame, &by_number));
        let groups: Vec<Vec<&Frame>> = groups.collect();
        if groups.is_empty() && asker.wanted(Task::TemporalCounting) > 0 {
            rejects.push(no_group(recording, temporal, by_number.len()));
        }
        for group in groups {
            // A frame whose records contradict each other is already on record by itself, where it was sampled.
            if let Ok(subject) = rows.subject(recording, group) {
                counting::ask_temporal(&mut asker, &subject);
                items.extend(limit_subject(&mut asker));
            }
        }
    }
    let items = limit_recording(&mut asker, setting.config, items);
    rejects.extend(asker.into_rejects());
    Asked { items, rejects, sampled_frames: sampled.len() as u64 }
}

/// All tasks about one frame, then the limit.
fn ask_frame(asker: &mut Asker, subject: &Subject) -> Vec<Vec<QaItem>> {
    presence::ask_presence(asker, subject);
    several::ask_several(asker, subject);
    counting::ask_scene(asker, subject);
    counting::ask_regional(asker, subject);
    comparison::ask_comparison(asker, subject);
    classification::ask_classification(asker, subject);
    grounding::ask_grounding(asker, subject);
    limit_subject(asker)
}

/// Of the questions about one frame, or one group of frames, those within the limit.
fn limit_subject(asker: &mut Asker) -> Vec<Vec<QaItem>> {
    let items = asker.take_items();
    let (most, tasks) = (asker.config.max_per_frame, &asker.config.tasks);
    let count = items.iter().map(Vec::len).sum();
    let weight = |item: &QaItem| {
        let task = Task::ALL.into_iter().find(|task| task.name() == item.task);
        task.map_or(1, |task| tasks.of(task).weight)
    };
    let (kept, over) = limit(&asker.draw, "frame", items, most, |item| &item.id, weight);
    asker.leave_out_items(over, "max_per_frame", count, most);
    kept
}

fn limit_recording(asker: &mut Asker, config: &QaConfig, items: Vec<Vec<QaItem>>) -> Vec<QaItem> {
    let (count, most) = (items.iter().map(Vec::len).sum(), config.max_per_recording);
    let (kept, over) = limit(&asker.draw, "recording", items, most, |item| &item.id, |_| 1);
    asker.leave_out_items(over, "max_per_recording", count, most);
    let mut kept: Vec<QaItem> = kept.into_iter().flatten().collect();
    kept.sort_by(|a, b| (&a.frame_ids, &a.task, &a.id).cmp(&(&b.frame_ids, &b.task, &b.id)));
    kept
}

impl RecordingRows<'_> {
    /// Whether the suite may ask about a frame.
    fn is_usable(&self, frame: &Frame) -> bool {
        self.selections.get(frame.frame_id.as_str()).is_some_and(|selection| selection.usable)
    }

    fn subject<'s>(&self, recording: &'s Recording, frames: Vec<&'s Frame>) -> Result<Subject<'s>, SceneError> {
        let scene = Scene::new(frames.iter().map(|frame| self.scene_frame(frame)).collect::<Result<_, _>>()?)?;
        Ok(Subject { recording, frames, scene })
    }

    fn scene_frame(&self, frame: &Frame) -> Result<SceneFrame, SceneError> {
        let id = frame.frame_id.as_str();
        let boxes = self.boxes.get(id).map_or(&[] as &[Box2d], Vec::as_slice);
        let regions = self.regions.get(id).map_or(&[] as &[Region], Vec::as_slice);
        SceneFrame::new(frame, boxes, regions, self.selections[id])
    }
}

/// A sequence without frames that temporal questions could show: it is too short, or was thinned out to larger steps.
fn no_group(recording: &Recording, temporal: &TemporalConfig, frames: usize) -> Reject {
    Reject {
        record_id: recording.recording_id.clone(),
        kind: RejectKind::Rule,
        reason: "no_frames_at_step".into(),
        value: Some(frames as f64),
        limit: Some(f64::from(temporal.min_frames)),
        detail: format!(
            "{}: no {} frames {} numbers apart",
            Task::TemporalCounting.name(),
            temporal.min_frames,
            temporal.step
        ),
    }
}

/// Records that contradict each other make no scene: the frame is left out by name.
fn inconsistent(frame_id: &str, error: &SceneError) -> Reject {
    Reject {
        record_id: frame_id.to_owned(),
        kind: RejectKind::Quarantine,
        reason: "inconsistent_records".into(),
        value: None,
        limit: None,
        detail: error.to_string(),
    }
}
