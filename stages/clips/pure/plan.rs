//! What clips a video gives.

use super::timing::Timing;
use super::{pieces, shuffle};
use crate::clips::config::ClipsConfig;
use uavgen_core::Draw;
use uavgen_core::draw::content_id;
use uavgen_schemas::{ClipKind, ClipPool, Reject, ShuffleStrategy, Video};

/// Draws for one clip until it gives up: twenty-three orders are there for ten repeats.
const TRIES: u32 = 100;

/// Consecutive frames of a video.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::clips) struct PlannedSegment {
    /// First frame in the video, from 0.
    pub(in crate::clips) first_frame: u64,
    /// Number of frames.
    pub(in crate::clips) frame_count: u64,
    /// Frames shared with the segment before it in the order of the video.
    pub(in crate::clips) overlap_frames: u64,
}

impl PlannedSegment {
    /// A segment that overlaps none.
    pub(super) fn alone(first_frame: u64, frame_count: u64) -> Self {
        Self { first_frame, frame_count, overlap_frames: 0 }
    }
}

/// A clip that is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::clips) struct Plan {
    pub(in crate::clips) clip_id: String,
    pub(in crate::clips) kind: ClipKind,
    pub(in crate::clips) strategy: Option<ShuffleStrategy>,
    pub(in crate::clips) pool: Option<ClipPool>,
    pub(in crate::clips) repeat: u32,
    /// Segments with their place in the order of the video, in the order of the clip.
    pub(in crate::clips) segments: Vec<(usize, PlannedSegment)>,
}

/// A video that has too few frames for a kind of clip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooShort {
    pub(super) frames: u64,
    pub(super) limit: u64,
}

/// Clips of a video, and what it is too short for.
pub(in crate::clips) fn plans(config: &ClipsConfig, video: &Video, seed: u64) -> (Vec<Plan>, Vec<Reject>) {
    let planner = Planner { config, video, timing: Timing::of(video, config.cut_grid), draw: Draw::new(seed) };
    let mut plans = Vec::new();
    let mut rejects = Vec::new();
    let kinds = [planner.singles(), planner.long(), planner.spatial(), planner.spatio_temporal()];
    for (name, made) in ["single", "long", "spatial", "spatio_temporal"].into_iter().zip(kinds) {
        match made {
            Ok(made) => plans.extend(made),
            Err(short) => rejects.push(too_short(video, name, short)),
        }
    }
    (plans, rejects)
}

struct Planner<'a> {
    config: &'a ClipsConfig,
    video: &'a Video,
    timing: Timing,
    draw: Draw,
}

impl Planner<'_> {
    fn singles(&self) -> Result<Vec<Plan>, TooShort> {
        let pieces = pieces::pieces(&self.timing, &self.config.single)?;
        Ok(pieces.into_iter().map(|piece| self.single(piece)).collect())
    }

    fn single(&self, piece: PlannedSegment) -> Plan {
        let mut plan = self.plan(ClipKind::Single, None, 0, vec![(0, piece)]);
        let bound = (self.config.single.sample_share * (1_u64 << 32) as f64) as usize;
        let is_sample = self.draw.below(1 << 32, &["pool", &plan.clip_id]) < bound;
        plan.pool = Some(if is_sample { ClipPool::Sample } else { ClipPool::Member });
        plan
    }

    fn long(&self) -> Result<Vec<Plan>, TooShort> {
        let limit = self.timing.frames_lasting(self.config.long.min_seconds);
        if self.timing.frames < limit {
            return Err(TooShort { frames: self.timing.frames, limit });
        }
        let whole = PlannedSegment::alone(0, self.timing.frames);
        Ok(vec![self.plan(ClipKind::Long, None, 0, vec![(0, whole)])])
    }

    fn spatial(&self) -> Result<Vec<Plan>, TooShort> {
        let min_seconds = self.config.shuffled.min_segment_seconds;
        let cut = |key: &str| shuffle::unequal(&self.timing, min_seconds, &self.draw, key);
        if self.config.shuffled.spatial { self.shuffled(ShuffleStrategy::Spatial, cut) } else { Ok(Vec::new()) }
    }

    fn spatio_temporal(&self) -> Result<Vec<Plan>, TooShort> {
        let cut = |_: &str| shuffle::overlapping(&self.timing);
        let wanted = self.config.shuffled.spatio_temporal;
        if wanted { self.shuffled(ShuffleStrategy::SpatioTemporal, cut) } else { Ok(Vec::new()) }
    }

    /// As many clips as repeats are asked for, no two alike.
    fn shuffled(
        &self,
        strategy: ShuffleStrategy,
        cut: impl Fn(&str) -> Result<Vec<PlannedSegment>, TooShort>,
    ) -> Result<Vec<Plan>, TooShort> {
        let mut plans: Vec<Plan> = Vec::new();
        for repeat in 0..self.config.shuffled.repeats {
            for attempt in 0..TRIES {
                let key = format!("{} {} {repeat} {attempt}", self.video.video_id, strategy.as_str());
                let segments = cut(&key)?;
                let order = shuffle::order(&self.draw, &key);
                let shuffled = order.iter().map(|&place| (place, segments[place])).collect();
                let plan = self.plan(ClipKind::Shuffled, Some(strategy), repeat, shuffled);
                if plans.iter().all(|other| other.segments != plan.segments) {
                    plans.push(plan);
                    break;
                }
            }
        }
        Ok(plans)
    }

    fn plan(
        &self,
        kind: ClipKind,
        strategy: Option<ShuffleStrategy>,
        repeat: u32,
        segments: Vec<(usize, PlannedSegment)>,
    ) -> Plan {
        let spans = segments.iter().map(|(_, segment)| format!("{}+{}", segment.first_frame, segment.frame_count));
        let parts = [
            kind.as_str().to_owned(),
            strategy.map_or("", ShuffleStrategy::as_str).to_owned(),
            self.video.video_id.clone(),
        ];
        let parts: Vec<String> = ["clip".to_owned()].into_iter().chain(parts).chain(spans).collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        Plan { clip_id: content_id(&parts), kind, strategy, pool: None, repeat, segments }
    }
}

fn too_short(video: &Video, kind: &str, TooShort { frames, limit }: TooShort) -> Reject {
    let detail = format!("{frames} frames are too few for a {kind} clip, which needs {limit}");
    Reject::rule(format!("{}:{kind}", video.recording_id), "too_short", detail).measured(frames as f64, limit as f64)
}
