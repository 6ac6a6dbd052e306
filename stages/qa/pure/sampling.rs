//! Which frames are asked about. Rules and hash ranks only: leaving one frame out moves no other.

use crate::qa::config::{QaConfig, TemporalConfig};
use std::collections::BTreeMap;
use uavgen_core::Draw;
use uavgen_schemas::{Frame, Recording, RecordingKind};

/// Frames of a recording, in order of their numbers, that are asked about. Of a sequence the first of each window of
/// `stride` source numbers (1 to stride, and so on): by number and not by position, so that a frame that goes missing moves
/// no other but the one of its window, and so that a sequence that was thinned out before is not thinned out again.
pub fn sampled<'a>(config: &QaConfig, recording: &Recording, frames: &[&'a Frame]) -> Vec<&'a Frame> {
    if recording.kind == RecordingKind::Still {
        return frames.to_vec();
    }
    let stride = i64::from(config.frame_stride);
    let mut windows = BTreeMap::new();
    for frame in frames {
        // A sequence may count from 0.
        windows.entry((frame.source_number - 1).max(0) / stride).or_insert(*frame);
    }
    windows.into_values().collect()
}

/// The frames of a temporal question that starts at `anchor`: a number of frames by hash, `step` apart; where a number
/// has no frame, the next that has one before the step after. Null when there is none.
pub fn temporal_group<'a>(
    config: &TemporalConfig,
    draw: &Draw,
    anchor: &'a Frame,
    by_number: &BTreeMap<i64, &'a Frame>,
) -> Option<Vec<&'a Frame>> {
    let spread = (config.max_frames - config.min_frames) as usize + 1;
    let count = config.min_frames as usize + draw.below(spread, &["frames", &anchor.frame_id]);
    let number = |ordinal: usize| anchor.source_number + ordinal as i64 * i64::from(config.step);
    let first = |ordinal: usize| by_number.range(number(ordinal)..number(ordinal + 1)).next();
    (0..count).map(|ordinal| first(ordinal).map(|(_, frame)| *frame)).collect()
}
