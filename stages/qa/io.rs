//! The shell: reads the partition, sorts its rows by recording, asks, writes.

use super::config::QaConfig;
use super::pure::{Asked, RecordingRows, Setting, ask_recording};
use crate::asking::templates::Templates;
use std::collections::BTreeMap;
use uavgen_core::{Context, StageDefinition, TaskError};
use uavgen_schemas::{Box2d, Frame, Recording, Region, RejectKind, Selection};

/// Kind of input: a frame that questions are looked for on, with its records.
const FRAME: &str = "frame";

pub(super) fn run(config: &QaConfig, context: &mut Context) -> Result<(), TaskError> {
    let mut recordings = context.read::<Recording>()?;
    recordings.sort_by(|a, b| a.recording_id.cmp(&b.recording_id));
    let mut frames = context.read::<Frame>()?;
    frames.sort_by(|a, b| (&a.recording_id, a.index).cmp(&(&b.recording_id, b.index)));
    let (boxes, regions) = (context.read::<Box2d>()?, context.read::<Region>()?);
    let mut selections = context.read::<Selection>()?;
    selections.retain(|selection| selection.suite == config.suite);

    if !frames.is_empty() && selections.is_empty() {
        let suite = &config.suite;
        return Err(TaskError::failed(format!(
            "the filter has no rules for suite `{suite}`: write [filter.suites.{suite}], or set `suite` under [qa] to one it has"
        )));
    }
    let by_recording = by_recording(&frames, boxes, regions, &selections);
    let (templates, nothing) = (Templates::embedded(), RecordingRows::default());
    let setting =
        Setting { config, templates: &templates, seed: context.seed(), stage_version: super::Qa::INFO.version };
    let mut items = Vec::new();
    for recording in &recordings {
        context.check_cancelled()?;
        let rows = by_recording.get(recording.recording_id.as_str()).unwrap_or(&nothing);
        let asked: Asked = ask_recording(&setting, recording, rows);
        context.count_read(FRAME, asked.sampled_frames);
        context.note("frames asked about", asked.sampled_frames);
        for reject in asked.rejects {
            match reject.kind {
                RejectKind::Quarantine => context.quarantine(FRAME, reject),
                RejectKind::Rule | RejectKind::Refusal => context.reject(reject),
            }
        }
        items.extend(asked.items);
    }
    context.write(items)
}

/// Rows by recording. Boxes and regions are moved, since a scene takes them frame by frame.
pub(super) fn by_recording<'a>(
    frames: &'a [Frame],
    boxes: Vec<Box2d>,
    regions: Vec<Region>,
    selections: &'a [Selection],
) -> BTreeMap<&'a str, RecordingRows<'a>> {
    let mut sorted: BTreeMap<&str, RecordingRows> = BTreeMap::new();
    let mut place: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    for frame in frames {
        sorted.entry(&frame.recording_id).or_default().frames.push(frame);
        place.insert(&frame.frame_id, (&frame.recording_id, &frame.frame_id));
    }
    for object in boxes {
        if let Some(&(recording, frame)) = place.get(object.frame_id.as_str()) {
            sorted.entry(recording).or_default().boxes.entry(frame).or_default().push(object);
        }
    }
    for region in regions {
        if let Some(&(recording, frame)) = place.get(region.frame_id.as_str()) {
            sorted.entry(recording).or_default().regions.entry(frame).or_default().push(region);
        }
    }
    for selection in selections {
        if let Some(&(recording, frame)) = place.get(selection.frame_id.as_str()) {
            sorted.entry(recording).or_default().selections.insert(frame, selection);
        }
    }
    sorted
}
