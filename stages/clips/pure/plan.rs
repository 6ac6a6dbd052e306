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
    pub(in crate::clips) kind: ClipKind,
    pub(in crate::clips) strategy: Option<ShuffleStrategy>,
    pub(in crate::clips) pool: Option<ClipPool>,
    pub(in crate::clips) repeat: u32,
    /// Segments with their place in the order of the video, in the order of the clip.
    pub(in crate::clips) segments: Vec<(usize, PlannedSegment)>,
}

/// Why a video gives no clip of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unfit {
    /// It, or a piece of it, has too few frames.
    TooShort {
        /// Frames that there are.
        frames: u64,
        /// Fewest frames that would do.
        limit: u64,
    },
    /// Its keyframes are too far apart.
    LongGroups {
        /// Frames from one keyframe to the next.
        frames: u64,
        /// Most that would do.
        limit: u64,
    },
}

impl Unfit {
    fn reject(self, video: &Video, kind: &str) -> Reject {
        let (reason, frames, limit, detail) = match self {
            Self::TooShort { frames, limit } => (
                "too_short",
                frames,
                limit,
                format!("{frames} frames are too few for a {kind} clip, which needs {limit}"),
            ),
            Self::LongGroups { frames, limit } => {
                let detail = format!(
                    "its keyframes are {frames} frames apart, a {kind} clip has at most {limit}: lower `gop_frames` of [video]"
                );
                ("groups_too_long", frames, limit, detail)
            }
        };
        let record_id = format!("{}:{kind}", video.recording_id);
        Reject::rule(record_id, reason, detail).measured(frames as f64, limit as f64)
    }
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
            Err(unfit) => rejects.push(unfit.reject(video, name)),
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
    fn singles(&self) -> Result<Vec<Plan>, Unfit> {
        let pieces = pieces::pieces(&self.timing, &self.config.single)?;
        Ok(pieces.into_iter().map(|piece| self.single(piece)).collect())
    }

    fn single(&self, piece: PlannedSegment) -> Plan {
        let mut plan = Plan::of(ClipKind::Single, vec![(0, piece)]);
        let bound = (self.config.single.sample_share * (1_u64 << 32) as f64) as usize;
        let place = format!("{}+{}", piece.first_frame, piece.frame_count);
        let is_sample = self.draw.below(1 << 32, &["pool", &self.video.video_id, &place]) < bound;
        plan.pool = Some(if is_sample { ClipPool::Sample } else { ClipPool::Member });
        plan
    }

    fn long(&self) -> Result<Vec<Plan>, Unfit> {
        let limit = self.timing.frames_lasting(self.config.long.min_seconds);
        if self.timing.frames < limit {
            return Err(Unfit::TooShort { frames: self.timing.frames, limit });
        }
        let whole = PlannedSegment::alone(0, self.timing.frames);
        Ok(vec![Plan::of(ClipKind::Long, vec![(0, whole)])])
    }

    fn spatial(&self) -> Result<Vec<Plan>, Unfit> {
        let min_seconds = self.config.shuffled.min_segment_seconds;
        let cut = |key: &str| shuffle::unequal(&self.timing, min_seconds, &self.draw, key);
        if self.config.shuffled.spatial { self.shuffled(ShuffleStrategy::Spatial, cut) } else { Ok(Vec::new()) }
    }

    fn spatio_temporal(&self) -> Result<Vec<Plan>, Unfit> {
        let cut = |_: &str| shuffle::overlapping(&self.timing);
        let wanted = self.config.shuffled.spatio_temporal;
        if wanted { self.shuffled(ShuffleStrategy::SpatioTemporal, cut) } else { Ok(Vec::new()) }
    }

    /// As many clips as repeats are asked for, each in another order.
    fn shuffled(
        &self,
        strategy: ShuffleStrategy,
        cut: impl Fn(&str) -> Result<Vec<PlannedSegment>, Unfit>,
    ) -> Result<Vec<Plan>, Unfit> {
        let mut plans: Vec<Plan> = Vec::new();
        for repeat in 0..self.config.shuffled.repeats {
            for attempt in 0..TRIES {
                let key = format!("{} {} {repeat} {attempt}", self.video.video_id, strategy.as_str());
                let segments = cut(&key)?;
                let order = shuffle::order(&self.draw, &key);
                let shuffled = order.iter().map(|&place| (place, segments[place])).collect();
                let plan = Plan { strategy: Some(strategy), repeat, ..Plan::of(ClipKind::Shuffled, shuffled) };
                if plans.iter().all(|other| !other.order().eq(plan.order())) {
                    plans.push(plan);
                    break;
                }
            }
        }
        Ok(plans)
    }
}

impl Plan {
    fn of(kind: ClipKind, segments: Vec<(usize, PlannedSegment)>) -> Self {
        Self { kind, strategy: None, pool: None, repeat: 0, segments }
    }

    /// The order in which it shows its segments.
    fn order(&self) -> impl Iterator<Item = usize> {
        self.segments.iter().map(|(place, _)| *place)
    }

    /// Id of the clip, once its file is made. Of the segments of a shuffled clip nothing enters but what the file shows
    /// anyway: whoever knows how ids are made could try all orders else.
    pub(in crate::clips) fn clip_id(&self, video_id: &str, digest: &str) -> String {
        let shown = match (self.strategy, &self.segments[..]) {
            (None, [(_, only)]) => format!("{}+{}", only.first_frame, only.frame_count),
            (strategy, _) => format!("{} {}", strategy.map_or("", ShuffleStrategy::as_str), self.repeat),
        };
        content_id(&["clip", self.kind.as_str(), video_id, &shown, digest])
    }
}
