//! Seconds in frames, exactly.

use crate::clips::config::CutGrid;
use uavgen_schemas::Video;

/// Length, rate and grid of a video. Rates are fractions, so 450 frames at 15 per second are 30 s and not a hair less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::clips) struct Timing {
    /// Number of frames.
    pub(in crate::clips) frames: u64,
    /// Frames per second: numerator.
    pub(in crate::clips) fps_num: u64,
    /// Frames per second: denominator.
    pub(in crate::clips) fps_den: u64,
    /// Segments begin at multiples of this.
    pub(in crate::clips) grid: u64,
}

impl Timing {
    pub(in crate::clips) fn of(video: &Video, grid: CutGrid) -> Self {
        let grid = match grid {
            CutGrid::Gop => video.gop_frames,
            CutGrid::Frame => 1,
        };
        let [frames, fps_num, fps_den, grid] =
            [video.frame_count, video.fps_num, video.fps_den, grid].map(i64::unsigned_abs);
        Self { frames, fps_num, fps_den, grid }
    }

    /// Fewest frames that last so long.
    pub(super) fn frames_lasting(&self, seconds: u32) -> u64 {
        (u64::from(seconds) * self.fps_num).div_ceil(self.fps_den)
    }

    /// Most frames that last no longer.
    pub(super) fn frames_within(&self, seconds: u32) -> u64 {
        u64::from(seconds) * self.fps_num / self.fps_den
    }

    /// Number of frames nearest to a duration.
    pub(super) fn frames_nearest(&self, seconds: u32) -> u64 {
        (2 * u64::from(seconds) * self.fps_num + self.fps_den) / (2 * self.fps_den)
    }

    /// The point of the grid nearest to `numerator / denominator` frames; of two as near, the later.
    pub(super) fn on_grid(&self, numerator: u64, denominator: u64) -> u64 {
        let step = self.grid * denominator;
        (2 * numerator + step) / (2 * step) * self.grid
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_counted_exactly() {
        let ntsc = Timing { frames: 900, fps_num: 30_000, fps_den: 1001, grid: 1 };
        // 30 s are 899.1 frames.
        assert_eq!((ntsc.frames_lasting(30), ntsc.frames_within(30), ntsc.frames_nearest(30)), (900, 899, 899));
        let plain = Timing { frames: 450, fps_num: 15, fps_den: 1, grid: 15 };
        assert_eq!((plain.frames_lasting(30), plain.frames_within(30), plain.frames_nearest(30)), (450, 450, 450));
    }

    #[test]
    fn points_are_rounded_to_the_grid() {
        let timing = Timing { frames: 100, fps_num: 15, fps_den: 1, grid: 15 };
        assert_eq!(
            [(0, 1), (7, 1), (8, 1), (22, 1), (45, 2), (100, 3)].map(|(n, d)| timing.on_grid(n, d)),
            [0, 0, 15, 15, 30, 30]
        );
    }
}
