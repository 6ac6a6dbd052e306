//! Where objects stand that the depth does not show.
//!
//! A mesh holds nothing that moves, so the depth at the pixels of a moving object is that of what lies behind it. Its
//! place is where the rays of its outline meet the ground. That is exact for what is flat, and right to the height of
//! the object times the cotangent of the view's angle with the ground for what is not; its height stays unknown.

use crate::View;
use crate::cloud::Projector;
use crate::runs::Run;
use crate::smooth::Depth;
use uavgen_geometry::{GroundBox, smallest_rectangle};

/// Rays are followed in this many steps at most, until they are this close to the ground in metres.
const STEPS: usize = 96;
const CLOSE_M: f64 = 1e-3;

/// Nothing is looked for beyond this many metres.
const FARTHEST_M: f64 = 20_000.0;

/// Where a mask meets the ground.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    /// A box without height on the ground.
    pub(crate) ground_box: GroundBox,
    /// Distance from the camera to the nearest point on the ground, metres.
    pub(crate) distance_m: f64,
}

/// The place of a mask; `None` where no ray of its outline meets the ground.
pub(crate) fn place<L>(runs: &[Run], view: &View<L>, depth: &Depth, projector: &Projector) -> Option<Placed> {
    let camera = projector.position().coordinates();
    let points = ground_points(runs, view, depth, projector);
    let footprint = smallest_rectangle(&points.iter().map(|point| [point[0], point[1]]).collect::<Vec<_>>())?;
    let height = points.iter().map(|point| point[2]).sum::<f64>() / points.len() as f64;
    Some(Placed { ground_box: GroundBox::new(footprint, height, height), distance_m: nearest_m(camera, &points) })
}

/// Where the rays of the outline of a mask meet the ground, metres; rays that do not are left out.
pub(crate) fn ground_points<L>(runs: &[Run], view: &View<L>, depth: &Depth, projector: &Projector) -> Vec<[f64; 3]> {
    let camera = projector.position().coordinates();
    let outline = runs.iter().flat_map(|run| [(run.start, run.row), (run.end - 1, run.row)]);
    let meets = |(x, y): (u32, u32)| {
        let (x, y) = (x as usize, y as usize);
        match view.ground {
            Some(ground) => meet_ground(camera, projector.world_ray(x, y)?, ground),
            None => projector.world_point(x, y, depth),
        }
    };
    outline.filter_map(meets).collect()
}

/// Distance to the nearest of some points; infinite without points.
pub(crate) fn nearest_m(camera: [f64; 3], points: &[[f64; 3]]) -> f64 {
    let distance = |point: &[f64; 3]| (0..3).map(|axis| (point[axis] - camera[axis]).powi(2)).sum::<f64>().sqrt();
    points.iter().map(distance).fold(f64::INFINITY, f64::min)
}

/// Where a ray meets the ground: it is followed by as much as the height over the ground allows, if slopes stay below
/// 45°. `None` for a ray that does not, and where the height is unknown.
fn meet_ground(start: [f64; 3], ray: [f64; 3], ground: &(dyn Fn([f64; 2]) -> Option<f64> + Sync)) -> Option<[f64; 3]> {
    let (level, fall) = (ray[0].hypot(ray[1]), -ray[2]);
    let mut way = 0.0;
    for _ in 0..STEPS {
        let point = [0, 1, 2].map(|axis| start[axis] + way * ray[axis]);
        let above = point[2] - ground([point[0], point[1]])?;
        if above.abs() <= CLOSE_M {
            return Some(point);
        }
        way += above / (level + fall.abs());
        if !(0.0..FARTHEST_M).contains(&way) {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rays_meet_level_and_sloping_ground() {
        let level = |_: [f64; 2]| Some(2.0);
        let found = meet_ground([0.0, 0.0, 102.0], [1.0, 0.0, -1.0], &level).unwrap();
        assert!((found[0] - 100.0).abs() < 0.01 && (found[2] - 2.0).abs() <= CLOSE_M);
        // The ground rises by 0.5 per metre: 100 - t = t / 2.
        let slope = |place: [f64; 2]| Some(place[0] / 2.0);
        let found = meet_ground([0.0, 0.0, 100.0], [1.0, 0.0, -1.0], &slope).unwrap();
        assert!((found[0] - 200.0 / 3.0).abs() < 0.01);
        assert_eq!(meet_ground([0.0, 0.0, 100.0], [1.0, 0.0, 0.2], &level), None);
        assert_eq!(meet_ground([0.0, 0.0, 100.0], [1.0, 0.0, -1.0], &|_| None), None);
    }
}
