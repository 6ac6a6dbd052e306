//! Which two frames are shown together: those that show ground in common.

use crate::space_qa::config::SpaceQaConfig;
use uavgen_core::Draw;
use uavgen_geometry::{Direction, Pixel, Point, World};
use uavgen_programs::{SceneFrame, SceneView};

/// Points along each side of the image at which two views are compared.
const GRID: usize = 12;

/// Pairs of positions of frames, each with a later one, by hash rank of those that have enough in common.
pub fn pairs(frames: &[SceneFrame], config: &SpaceQaConfig, draw: &Draw) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for first in 0..frames.len() {
        let reach = config.pair_reach as usize;
        let later =
            (first + 1..frames.len()).take(reach).filter(|&second| fit(&frames[first], &frames[second], config));
        let key = |second: &usize| frames[*second].frame_id().to_owned();
        let ranked = draw.shuffled(later, &["pair", frames[first].frame_id()], key);
        pairs.extend(ranked.into_iter().take(config.pairs_per_frame as usize).map(|second| (first, second)));
    }
    pairs
}

/// Whether two frames may be shown together.
fn fit(first: &SceneFrame, second: &SceneFrame, config: &SpaceQaConfig) -> bool {
    let (Some(view), Some(other)) = (first.view(), second.view()) else { return false };
    let times = view.time_s.zip(other.time_s);
    if times.is_some_and(|(time, later)| later - time < config.min_pair_s) {
        return false;
    }
    let Some(ground_m) = ground_m(first).or_else(|| ground_m(second)) else { return false };
    common_share(view, other, ground_m) >= config.min_common_share
        && common_share(other, view, ground_m) >= config.min_common_share
}

/// Height of the ground: the median base of what stands there.
fn ground_m(frame: &SceneFrame) -> Option<f64> {
    let mut bases: Vec<f64> =
        frame.objects().iter().filter_map(|object| object.solid.as_ref()).map(|solid| solid.base_m).collect();
    bases.sort_by(f64::total_cmp);
    bases.get(bases.len() / 2).copied()
}

/// Share of the ground that a view shows which another one shows too, over level ground of a height.
pub fn common_share(view: &SceneView, other: &SceneView, ground_m: f64) -> f64 {
    let size = view.intrinsics.size();
    let image = other.image();
    let (mut shown, mut common) = (0_u32, 0_u32);
    for (row, column) in (0..GRID).flat_map(|row| (0..GRID).map(move |column| (row, column))) {
        let share = |at: usize| (at as f64 + 0.5) / GRID as f64;
        let pixel = Pixel { x: share(column) * size.width_px(), y: share(row) * size.height_px() };
        let Some(place) = on_ground(view, pixel, ground_m) else { continue };
        shown += 1;
        common += u32::from(other.pixel(place).is_some_and(|pixel| image.contains((pixel.x, pixel.y))));
    }
    if shown == 0 { 0.0 } else { f64::from(common) / f64::from(shown) }
}

/// Where the ray of a pixel meets level ground; null where it does not.
fn on_ground(view: &SceneView, pixel: Pixel, ground_m: f64) -> Option<Point<World>> {
    let ray: Direction<World> = view.world_from_camera * view.intrinsics.ray(pixel)?;
    let position = view.world_from_camera.position();
    let length = (ground_m - position.z()) / ray.z();
    (length.is_finite() && length > 0.0).then(|| position + ray * length)
}
