//! Sample items about clips, each with a strip of frames out of the sources.

use super::super::pure::samples::{MOST_IMAGES, Sample, sample};
use crate::release::ReleaseConfig;
use std::collections::{BTreeMap, BTreeSet};
use uavgen_core::{Context, TaskError};
use uavgen_media::{RgbImage, decode_upright, thumbnail};
use uavgen_schemas::{ClipFrame, ClipQaItem, Frame, QaItem, Record, StitchedFrame};

/// Frames of a clip by position.
type ClipFrames = BTreeMap<i64, ClipFrame>;

/// The wanted items about clips; their ids are taken out of `wanted`.
pub(super) fn samples(
    config: &ReleaseConfig,
    context: &Context,
    wanted: &mut BTreeSet<String>,
) -> Result<Vec<Sample>, TaskError> {
    let mut items: Vec<QaItem> = Vec::new();
    for part in context.parts::<ClipQaItem>() {
        let rows = context.read_part::<ClipQaItem>(part)?.into_iter().map(QaItem::from);
        items.extend(rows.filter(|item| wanted.remove(&item.id)));
    }
    let mut clips: BTreeMap<String, ClipFrames> =
        items.iter().filter_map(|item| Some((item.clip_id.clone()?, ClipFrames::new()))).collect();
    if clips.is_empty() {
        return Ok(Vec::new());
    }
    add_frames::<ClipFrame>(context, &mut clips)?;
    add_frames::<StitchedFrame>(context, &mut clips)?;
    let shown: BTreeMap<String, Vec<String>> = clips.into_iter().map(|(clip, frames)| (clip, strip(frames))).collect();
    let recordings: BTreeSet<&str> = items.iter().flat_map(|item| &item.recording_ids).map(String::as_str).collect();
    let pictures = pictures(config, context, &recordings, &shown.values().flatten().collect())?;
    let of_item = |item: QaItem| {
        let frames = item.clip_id.as_ref().and_then(|clip| shown.get(clip)).cloned().unwrap_or_default();
        let images = frames.iter().filter_map(|id| pictures.get(id).cloned()).collect();
        // The report names the frames that it shows.
        sample(QaItem { frame_ids: frames, ..item }, images, config.sample_px).map_err(TaskError::failed)
    };
    items.into_iter().map(of_item).collect()
}

/// Adds the frames of the clips that are there.
fn add_frames<R: Record + Into<ClipFrame>>(
    context: &Context,
    clips: &mut BTreeMap<String, ClipFrames>,
) -> Result<(), TaskError> {
    for part in context.parts::<R>() {
        for rows in part.reader::<R>()? {
            for frame in rows?.into_iter().map(Into::<ClipFrame>::into) {
                if let Some(frames) = clips.get_mut(&frame.clip_id) {
                    frames.insert(frame.clip_frame, frame);
                }
            }
        }
    }
    Ok(())
}

/// The first frame of each piece, as many as a sample shows; of a clip in one piece, frames evenly spread.
fn strip(frames: ClipFrames) -> Vec<String> {
    let frames: Vec<ClipFrame> = frames.into_values().collect();
    let begins = |at: usize| at == 0 || frames[at - 1].segment != frames[at].segment;
    let starts: Vec<usize> = (0..frames.len()).filter(|&at| begins(at)).collect();
    let shown = match starts.len() {
        1 => (0..MOST_IMAGES).map(|number| number * (frames.len() - 1) / (MOST_IMAGES - 1)).collect::<BTreeSet<_>>(),
        _ => starts.into_iter().take(MOST_IMAGES).collect(),
    };
    shown.into_iter().map(|at| frames[at].frame_id.clone()).collect()
}

/// Small pictures of some frames.
fn pictures(
    config: &ReleaseConfig,
    context: &Context,
    recordings: &BTreeSet<&str>,
    wanted: &BTreeSet<&String>,
) -> Result<BTreeMap<String, RgbImage>, TaskError> {
    let mut pictures = BTreeMap::new();
    for part in context.parts::<Frame>() {
        context.check_cancelled()?;
        // A sequence is of one recording, which its first rows name.
        let Some(first) = part.reader::<Frame>()?.next() else { continue };
        if !first?.first().is_some_and(|frame| recordings.contains(frame.recording_id.as_str())) {
            continue;
        }
        let source = part.partition.source().unwrap_or_default();
        // Frames of a video file have no image of their own, and are left out.
        let is_shown = |frame: &Frame| wanted.contains(&frame.frame_id) && frame.format != "video";
        for frame in context.read_part::<Frame>(part)?.into_iter().filter(is_shown) {
            let file = context.read_source(source, &frame.file, &frame.digest)?;
            // The clip was made from the very same bytes.
            let image = decode_upright(&file).map_err(|fault| TaskError::failed(format!("{}: {fault}", frame.file)))?;
            pictures.insert(frame.frame_id, thumbnail(&image, config.sample_px));
        }
    }
    Ok(pictures)
}
