//! The rows of a clip that was made.

use super::plan::Plan;
use uavgen_schemas::{Clip, ClipFrame, ClipSegment, FrameMapEntry, Video};

/// A clip as written.
pub(in crate::clips) struct WrittenClip {
    pub(in crate::clips) clip_id: String,
    pub(in crate::clips) path: String,
    pub(in crate::clips) byte_count: i64,
    pub(in crate::clips) digest: String,
}

/// The row of a clip.
pub(in crate::clips) fn clip_row(plan: &Plan, video: &Video, written: WrittenClip) -> Clip {
    Clip {
        clip_id: written.clip_id,
        kind: plan.kind,
        strategy: plan.strategy,
        pool: plan.pool,
        repeat: i64::from(plan.repeat),
        recording_ids: vec![video.recording_id.clone()],
        group_ids: vec![video.group_id.clone()],
        split: video.split.clone(),
        path: written.path,
        frame_count: plan.segments.iter().map(|(_, segment)| segment.frame_count as i64).sum(),
        width: video.width,
        height: video.height,
        fps_num: video.fps_num,
        fps_den: video.fps_den,
        segment_count: plan.segments.len() as i64,
        digest: written.digest,
        byte_count: written.byte_count,
    }
}

/// The rows of its segments; `encoded_again` has a number of frames for each.
pub(in crate::clips) fn segment_rows(
    clip_id: &str,
    plan: &Plan,
    video: &Video,
    encoded_again: &[usize],
) -> Vec<ClipSegment> {
    let mut first_frame = 0;
    let rows = plan.segments.iter().zip(encoded_again).enumerate().map(|(position, ((place, segment), encoded))| {
        let row = ClipSegment {
            segment_id: format!("{}/{position}", clip_id),
            clip_id: clip_id.to_owned(),
            position: position as i64,
            source_position: *place as i64,
            first_frame,
            frame_count: segment.frame_count as i64,
            member_clip_id: None,
            recording_id: video.recording_id.clone(),
            video_id: video.video_id.clone(),
            video_first_frame: segment.first_frame as i64,
            overlap_frames: segment.overlap_frames as i64,
            encoded_again: *encoded as i64,
            picture_x1: 0,
            picture_y1: 0,
            picture_x2: video.width,
            picture_y2: video.height,
        };
        first_frame += row.frame_count;
        row
    });
    rows.collect()
}

/// The rows of its frames; `map` has those of the video, in order.
pub(in crate::clips) fn frame_rows(clip_id: &str, plan: &Plan, map: &[FrameMapEntry]) -> Vec<ClipFrame> {
    let shown = plan.segments.iter().enumerate().flat_map(|(position, (_, segment))| {
        let range = segment.first_frame as usize..(segment.first_frame + segment.frame_count) as usize;
        map[range].iter().map(move |source| (position, source))
    });
    // Frames of a video are evenly spaced, and those of a clip as those of its video.
    let step = map.get(1).map_or(0, |second| second.pts - map[0].pts);
    let rows = (0_i64..).zip(shown).map(|(clip_frame, (position, source))| ClipFrame {
        entry_id: format!("{}/{clip_frame:06}", clip_id),
        clip_id: clip_id.to_owned(),
        clip_frame,
        pts: clip_frame * step,
        timescale: source.timescale,
        segment: position as i64,
        frame_id: source.frame_id.clone(),
        source_number: source.source_number,
    });
    rows.collect()
}
