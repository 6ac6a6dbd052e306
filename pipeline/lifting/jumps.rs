//! What counts as a jump in depth between two neighbouring pixels.

use crate::LiftOptions;
use crate::smooth::{Depth, SMOOTHED_SHARE, greater, less};
use uavgen_geometry::{Camera, Intrinsics, Pixel, Transform, World};

/// Columns and rows of a block of pixels that share one limit.
const BLOCK: usize = 32;

/// Standard deviations of the smoothed depth that a jump must exceed.
const ABOVE_NOISE: f64 = 6.0;

/// Steps from this share of a jump on may be one.
const DOUBTFUL: f32 = 0.5;

/// A step is steeper than the slope beside it from this ratio on.
const STEEPER: f32 = 1.1;

/// A step is a jump whatever the slope from so many times the limit on.
const FAR: f32 = 2.0;

/// The least jump in depth in each part of the image.
///
/// Where one object hides the gap to the next, the points on both sides of the edge lie at least the gap apart on the
/// ground, whatever the view. A jump therefore parts two objects where it amounts to a gap on the ground, or to a step
/// in height that no single object has. Seen from above, the step from the bonnet of a car to its roof is none, and
/// seen from the side, the same jump in depth is.
#[derive(Debug)]
pub(crate) struct JumpRule {
    /// Per block, row by row: least jump in metres of depth.
    limits_m: Vec<f32>,
    blocks_per_row: usize,
    /// The smallest step that may be one.
    doubtful_m: f32,
    /// Least jump as a share of the depth.
    share: f32,
}

/// The limit at a place of the image, in metres of depth.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limit {
    least_m: f32,
    share: f32,
}

impl JumpRule {
    pub(crate) fn new(
        intrinsics: &Intrinsics,
        world_from_camera: Transform<World, Camera>,
        depth: &Depth,
        options: &LiftOptions,
    ) -> Self {
        let size = intrinsics.size();
        let blocks = |side: f64| (side as usize).div_ceil(BLOCK);
        let centre = |block: usize| (block * BLOCK + BLOCK / 2) as f64;
        let limit = |(row, column): (usize, usize)| {
            let ray = intrinsics.ray(Pixel { x: centre(column), y: centre(row) })?;
            let step = world_from_camera * ray;
            let (level, upright) = (step.x().hypot(step.y()), step.z().abs());
            Some((options.gap_m / level).min(options.step_m / upright) as f32)
        };
        let blocks_per_row = blocks(size.width_px());
        let places = (0..blocks(size.height_px())).flat_map(|row| (0..blocks_per_row).map(move |column| (row, column)));
        let limits_m: Vec<f32> = places.map(|place| limit(place).unwrap_or(f32::INFINITY)).collect();
        let doubtful_m = DOUBTFUL * limits_m.iter().copied().fold(f32::INFINITY, f32::min);
        let share = options.jump_share.max(ABOVE_NOISE * SMOOTHED_SHARE * depth.noise_share) as f32;
        Self { limits_m, blocks_per_row, doubtful_m, share }
    }

    /// The limit at a pixel.
    pub(crate) fn at(&self, x: usize, y: usize) -> Limit {
        Limit { least_m: self.limits_m[y / BLOCK * self.blocks_per_row + x / BLOCK], share: self.share }
    }

    /// Whether a step of so many metres may be a jump anywhere.
    pub(crate) fn may_be_jump(&self, step_m: f32) -> bool {
        step_m > self.doubtful_m
    }
}

impl Limit {
    /// Whether an edge is a jump.
    pub(crate) fn is_jump(self, edge: &Edge) -> bool {
        edge.is_over(greater(self.least_m, self.share * edge.depth_m))
    }

    /// Whether it may be one, though it need not be.
    pub(crate) fn may_be_jump(self, edge: &Edge) -> bool {
        edge.is_over(greater(DOUBTFUL * self.least_m, self.share * edge.depth_m))
    }
}

/// The step in depth between two neighbouring pixels, and the slope beside it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edge {
    step_m: f32,
    /// The steeper of the slopes on both sides, per pixel, as far as they go the way of the step.
    slope_m: f32,
    depth_m: f32,
}

impl Edge {
    /// Between the third and the fourth of six depths in a line. A slope is what both steps of a side have: a splinter
    /// between two objects, one pixel wide, is none.
    pub(crate) fn of([a, b, c, d, e, f]: [f32; 6]) -> Self {
        let step = d - c;
        let sign = if step < 0.0 { -1.0 } else { 1.0 };
        let slope = |near: f32, far: f32| less(near * sign, far * sign);
        Self { step_m: step.abs(), slope_m: greater(slope(c - b, b - a), slope(e - d, f - e)), depth_m: d }
    }

    /// Without a look at the slope beside it.
    pub(crate) fn bare(from: f32, to: f32) -> Self {
        Self { step_m: (to - from).abs(), slope_m: 0.0, depth_m: to }
    }

    /// Over a limit and steeper than the slope, which may go on as steeply as the far side of a roof does behind its
    /// ridge; or so far over the limit that no slope explains it.
    fn is_over(&self, limit_m: f32) -> bool {
        (self.step_m > greater(limit_m, STEEPER * self.slope_m)) | (self.step_m > FAR * limit_m)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_edges_and_slopes_are_none() {
        let is_over = |depths: [f32; 6]| Edge::of(depths).is_over(1.9);
        assert!(is_over([10.0, 10.0, 10.0, 12.0, 12.0, 12.0]));
        assert!(is_over([12.0, 12.0, 12.0, 10.0, 10.0, 10.0]));
        assert!(!is_over([10.0, 10.0, 10.0, 11.8, 11.8, 11.8]));
        // A slope, its upper and its lower end.
        assert!(!is_over([10.0, 12.0, 14.0, 16.0, 18.0, 20.0]));
        assert!(!is_over([10.0, 10.0, 10.0, 12.0, 14.0, 16.0]));
        assert!(!is_over([10.0, 12.0, 14.0, 16.0, 16.0, 16.0]));
        // A splinter half way between two objects, a gap between two slopes.
        assert!(is_over([10.0, 10.0, 10.0, 12.0, 14.0, 14.0]));
        assert!(is_over([10.0, 11.0, 12.0, 15.0, 16.0, 17.0]));
        // Up one side and down the other of a deep cut.
        assert!(is_over([10.0, 10.0, 10.0, 15.0, 14.0, 13.0]));
        // Too steep for any surface.
        assert!(is_over([10.0, 14.0, 18.0, 22.0, 26.0, 30.0]));
    }
}
