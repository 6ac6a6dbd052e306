//! The rows of a video that was joined from clips.

use std::collections::BTreeSet;
use uavgen_core::draw::content_id;
use uavgen_media::Placement;
use uavgen_schemas::{Clip, ClipFrame, ClipKind, ClipSegment, StitchGroup};

/// A clip that was joined, with its plan.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Member {
    pub(super) clip: Clip,
    pub(super) segment: ClipSegment,
    /// Its frames, in order.
    pub(super) frames: Vec<ClipFrame>,
}

/// The file that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WrittenFile {
    pub(super) digest: String,
    pub(super) byte_count: i64,
    /// Where the pictures of each clip lie, and whether its frames were encoded again.
    pub(super) joined: Vec<(Placement, bool)>,
}

/// Id of a concatenated clip: of its file and of its members, which tell it from another one of the same pictures. The order of
/// members does not enter: whoever knows how ids are made could try all orders else.
pub(super) fn clip_id(digest: &str, members: &[&Member]) -> String {
    let mut names: Vec<&str> = members.iter().map(|member| member.clip.clip_id.as_str()).collect();
    names.sort_unstable();
    content_id(&[&["clip", ClipKind::Concatenated.as_str(), digest][..], &names].concat())
}

/// The row of the clip.
pub(super) fn clip_row(clip_id: &str, group: &StitchGroup, members: &[&Member], file: &WrittenFile) -> Clip {
    let sorted = |ids: &dyn Fn(&Clip) -> &[String]| {
        let ids: BTreeSet<&String> = members.iter().flat_map(|member| ids(&member.clip)).collect();
        ids.into_iter().cloned().collect()
    };
    let (fps_num, fps_den) = members.first().map_or((0, 1), |first| (first.clip.fps_num, first.clip.fps_den));
    Clip {
        clip_id: clip_id.to_owned(),
        kind: ClipKind::Concatenated,
        strategy: None,
        pool: None,
        repeat: 0,
        recording_ids: sorted(&|clip| &clip.recording_ids),
        group_ids: sorted(&|clip| &clip.group_ids),
        split: group.split.clone(),
        path: Clip::own_path(clip_id),
        frame_count: members.iter().map(|member| member.clip.frame_count).sum(),
        width: group.width,
        height: group.height,
        fps_num,
        fps_den,
        segment_count: members.len() as i64,
        digest: file.digest.clone(),
        byte_count: file.byte_count,
    }
}

/// The rows of its segments: one per clip.
pub(super) fn segment_rows(clip_id: &str, members: &[&Member], file: &WrittenFile) -> Vec<ClipSegment> {
    let mut first_frame = 0;
    let rows =
        (0_i64..).zip(members.iter().zip(&file.joined)).map(|(position, (member, (placement, encoded_again)))| {
            let row = ClipSegment {
                segment_id: format!("{clip_id}/{position}"),
                clip_id: clip_id.to_owned(),
                position,
                source_position: position,
                first_frame,
                member_clip_id: Some(member.clip.clip_id.clone()),
                encoded_again: if *encoded_again { member.clip.frame_count } else { member.segment.encoded_again },
                picture_x1: i64::from(placement.x1),
                picture_y1: i64::from(placement.y1),
                picture_x2: i64::from(placement.x2),
                picture_y2: i64::from(placement.y2),
                ..member.segment.clone()
            };
            first_frame += row.frame_count;
            row
        });
    rows.collect()
}

/// The rows of its frames.
pub(super) fn frame_rows<'a>(clip_id: &'a str, members: &'a [&Member]) -> impl Iterator<Item = ClipFrame> + 'a {
    let shown = members
        .iter()
        .enumerate()
        .flat_map(|(position, member)| member.frames.iter().map(move |frame| (position, &member.clip, frame)));
    (0_i64..).zip(shown).map(move |(clip_frame, (position, clip, frame))| ClipFrame {
        entry_id: format!("{clip_id}/{clip_frame:06}"),
        clip_id: clip_id.to_owned(),
        clip_frame,
        // Units of time divide frames exactly.
        pts: clip_frame * (frame.timescale * clip.fps_den / clip.fps_num.max(1)),
        segment: position as i64,
        ..frame.clone()
    })
}
