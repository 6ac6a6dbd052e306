//! What clips show, for the items about them: frames in order, cut into segments.

use crate::release::Release;
use crate::tables::{Key, for_each_row, key};
use std::collections::BTreeMap;
use uavgen_programs::FrameRate;
use uavgen_schemas::{Clip, ClipFrame, ClipSegment, Record};

/// The plan of a clip.
#[derive(Default)]
pub(crate) struct ClipPlan {
    /// Path of its file.
    pub(crate) path: String,
    pub(crate) recording_ids: Vec<String>,
    pub(crate) fps: FrameRate,
    /// Whether the pictures of all segments fill that of the clip: else an area of the one is not that of the other.
    pub(crate) fills: bool,
    size: (i64, i64),
    /// Frames of each segment, by position.
    lengths: BTreeMap<i64, u32>,
    frames: BTreeMap<i64, Key>,
}

/// The plans of all clips, by id. Tables that cannot be read are told elsewhere.
pub(crate) fn load(release: &Release) -> BTreeMap<String, ClipPlan> {
    let mut plans: BTreeMap<String, ClipPlan> = BTreeMap::new();
    for_each_row::<Clip>(&release.table_files(Clip::TABLE), |_, clip| {
        let number = |value: i64| u32::try_from(value).unwrap_or(0);
        let plan = ClipPlan {
            path: clip.path,
            recording_ids: clip.recording_ids,
            fps: FrameRate { num: number(clip.fps_num), den: number(clip.fps_den) },
            fills: true,
            size: (clip.width, clip.height),
            ..ClipPlan::default()
        };
        plans.insert(clip.clip_id, plan);
    });
    for_each_row::<ClipSegment>(&release.table_files(ClipSegment::TABLE), |_, row| {
        if let Some(plan) = plans.get_mut(&row.clip_id) {
            let edges = (row.picture_x1, row.picture_y1, row.picture_x2, row.picture_y2);
            plan.fills &= edges == (0, 0, plan.size.0, plan.size.1);
            plan.lengths.insert(row.position, u32::try_from(row.frame_count).unwrap_or(0));
        }
    });
    for_each_row::<ClipFrame>(&release.table_files(ClipFrame::TABLE), |_, row| {
        if let Some(plan) = plans.get_mut(&row.clip_id) {
            plan.frames.insert(row.clip_frame, key(&row.frame_id));
        }
    });
    plans
}

impl ClipPlan {
    /// Its frames, in order.
    pub(crate) fn frames(&self) -> impl Iterator<Item = Key> {
        self.frames.values().copied()
    }

    /// Number of frames of each segment, in order.
    pub(crate) fn lengths(&self) -> Vec<u32> {
        self.lengths.values().copied().collect()
    }
}
