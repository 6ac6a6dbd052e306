//! The shell: clips of a bucket in, groups out.

use super::config::StitchPlanConfig;
use super::pure::{self, Member};
use std::collections::BTreeMap;
use uavgen_core::{Context, Draw, TaskError};
use uavgen_schemas::{Clip, ClipPool, ClipSegment, StitchGroup, Video};

/// Kind of input: a clip that is to be joined with others.
const CLIP: &str = "clip";

/// Does one task.
pub(super) fn run(config: &StitchPlanConfig, context: &mut Context<'_>) -> Result<(), TaskError> {
    let members = if config.enabled { members(context)? } else { Vec::new() };
    context.count_read(CLIP, members.len() as u64);
    let plan = pure::plan(&config.clip_counts, members, &Draw::new(context.seed()));
    plan.left_over.into_iter().for_each(|reject| context.reject(reject));
    let split = context.partition().split().unwrap_or_default();
    let mut rows: Vec<StitchGroup> = plan.groups.iter().map(|group| group.row(split)).collect();
    rows.sort_by(|a, b| a.stitch_id.cmp(&b.stitch_id));
    context.write(rows)
}

fn members(context: &Context<'_>) -> Result<Vec<Member>, TaskError> {
    let videos: BTreeMap<String, Video> =
        context.read::<Video>()?.into_iter().map(|video| (video.video_id.clone(), video)).collect();
    let segments: BTreeMap<String, ClipSegment> =
        context.read::<ClipSegment>()?.into_iter().map(|segment| (segment.clip_id.clone(), segment)).collect();
    let clips = context.read::<Clip>()?.into_iter().filter(|clip| clip.pool == Some(ClipPool::Member));
    clips
        .map(|clip| {
            let segment = segments.get(&clip.clip_id);
            let video = segment.and_then(|segment| videos.get(&segment.video_id));
            let (Some(segment), Some(video)) = (segment, video) else {
                return Err(TaskError::failed(format!("clip {} has no segment, or no video", clip.clip_id)));
            };
            Ok(Member::of(&clip, segment, video))
        })
        .collect()
}
