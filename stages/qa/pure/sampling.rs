//! Which frames are asked about, and which questions stay where there are too many. Rules and hash ranks only: leaving
//! one frame or question out moves no other.

use super::draw::Draw;
use crate::qa::config::{QaConfig, TemporalConfig};
use std::collections::BTreeMap;
use uavgen_schemas::{Frame, Recording, RecordingKind};

/// Frames of a recording that are asked about. Of a sequence those with source numbers 1, 1 + stride, …; by number and
/// not by position, so that a frame that goes missing moves no other. A sequence too short to have one gives its first.
pub fn sampled<'a>(config: &QaConfig, recording: &Recording, frames: &[&'a Frame]) -> Vec<&'a Frame> {
    if recording.kind == RecordingKind::Still {
        return frames.to_vec();
    }
    let stride = i64::from(config.frame_stride);
    let on_grid = |frame: &&&Frame| frame.source_number.rem_euclid(stride) == 1 % stride;
    let chosen: Vec<&Frame> = frames.iter().filter(on_grid).copied().collect();
    if chosen.is_empty() { frames.iter().copied().take(1).collect() } else { chosen }
}

/// The frames of a temporal question that starts at `anchor`: a number of frames by hash, `step` apart. Null when one
/// of them does not exist.
pub fn temporal_group<'a>(
    config: &TemporalConfig,
    draw: &Draw,
    anchor: &'a Frame,
    by_number: &BTreeMap<i64, &'a Frame>,
) -> Option<Vec<&'a Frame>> {
    let spread = (config.max_frames - config.min_frames) as usize + 1;
    let count = config.min_frames as usize + draw.below(spread, &["frames", &anchor.frame_id]);
    let number = |ordinal: usize| anchor.source_number + ordinal as i64 * i64::from(config.step);
    (0..count).map(|ordinal| by_number.get(&number(ordinal)).copied()).collect()
}

/// Splits items into those that stay and those over the limit: the lowest hash ranks stay. An item of weight w has w
/// ranks and stands at its lowest, which gives it w chances.
pub fn limit<T>(
    draw: &Draw,
    purpose: &str,
    items: Vec<T>,
    limit: u32,
    id: impl Fn(&T) -> &str,
    weight: impl Fn(&T) -> u32,
) -> (Vec<T>, Vec<T>) {
    let rank = |item: &T| {
        let ranks = (0..weight(item).max(1)).map(|ordinal| draw.number(&[purpose, id(item), &ordinal.to_string()]));
        (ranks.min().unwrap_or(u64::MAX), id(item).to_owned())
    };
    let mut ranked = items;
    ranked.sort_by_cached_key(rank);
    let over = ranked.split_off(ranked.len().min(limit as usize));
    (ranked, over)
}
