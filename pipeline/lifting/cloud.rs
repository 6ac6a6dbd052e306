//! Points of an object in the world.

use crate::ground::GroundPlane;
use crate::outliers::without_outliers;
use crate::runs::Run;
use crate::smooth::{Depth, SMOOTHED_SHARE};
use uavgen_geometry::{Camera, Intrinsics, Pixel, Point, Transform, World};

/// Points up to this height in metres over the ground, or this share of the object's height, are ground that the mask
/// has at its rim, and are none of it.
const RIM_M: f64 = 0.25;
const RIM_SHARE: f64 = 0.2;

/// Takes pixels with their depth to the world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Projector<'a> {
    intrinsics: &'a Intrinsics,
    world_from_camera: Transform<World, Camera>,
}

impl<'a> Projector<'a> {
    pub(crate) fn new(intrinsics: &'a Intrinsics, world_from_camera: Transform<World, Camera>) -> Self {
        Self { intrinsics, world_from_camera }
    }

    /// The point in metres that a pixel shows; `None` without depth, and where the lens shows nothing.
    pub(crate) fn world_point(&self, x: usize, y: usize, depth: &Depth) -> Option<[f64; 3]> {
        let z = depth.at(x, y);
        if z <= 0.0 {
            return None;
        }
        let centre = Pixel { x: x as f64 + 0.5, y: y as f64 + 0.5 };
        let point = self.world_from_camera * self.intrinsics.unproject(centre, f64::from(z))?;
        Some(point.coordinates())
    }

    /// The direction in the world, per metre along the optical axis, in which a pixel is seen.
    pub(crate) fn world_ray(&self, x: usize, y: usize) -> Option<[f64; 3]> {
        let ray = self.intrinsics.ray(Pixel { x: x as f64 + 0.5, y: y as f64 + 0.5 })?;
        Some((self.world_from_camera * ray).coordinates())
    }

    /// The mean focal length in pixels.
    pub(crate) fn focal_px(&self) -> f64 {
        (self.intrinsics.fx() + self.intrinsics.fy()) / 2.0
    }

    /// Where the camera stands.
    pub(crate) fn position(&self) -> Point<World> {
        self.world_from_camera.position()
    }

    /// Where the image shows a point.
    pub(crate) fn pixel(&self, point: Point<World>) -> Option<Pixel> {
        self.intrinsics.project(self.world_from_camera.inverse() * point)
    }
}

/// Points of a mask: of a regular grid of its pixels, and of the ends of its runs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cloud {
    pub(crate) points: Vec<[f64; 3]>,
    /// Standard deviation of the points along the ray, metres.
    pub(crate) noise_m: f64,
    /// Side of a pixel at the object, metres.
    pub(crate) pixel_m: f64,
    /// Unit direction from the camera to the object.
    pub(crate) view: [f64; 3],
}

/// Points of the pixels of a mask, without those of the ground at its rim and without outliers.
pub(crate) fn cloud_of(
    runs: &[Run],
    pixels: u32,
    depth: &Depth,
    projector: &Projector,
    ground: Option<GroundPlane>,
    limit: usize,
) -> Cloud {
    let points = without_outliers(without_rim(points_of(runs, pixels, depth, projector, limit), ground));
    let position = projector.position().coordinates();
    let count = points.len().max(1) as f64;
    let offset = [0, 1, 2].map(|axis| points.iter().map(|point| point[axis] - position[axis]).sum::<f64>() / count);
    let range = offset[0].hypot(offset[1]).hypot(offset[2]).max(f64::MIN_POSITIVE);
    Cloud {
        points,
        noise_m: SMOOTHED_SHARE * depth.noise_share * range,
        pixel_m: range / projector.focal_px(),
        view: offset.map(|part| part / range),
    }
}

/// The points without those of the ground at the rim of the mask.
fn without_rim(points: Vec<[f64; 3]>, ground: Option<GroundPlane>) -> Vec<[f64; 3]> {
    let Some(ground) = ground else { return points };
    let height = |point: &[f64; 3]| point[2] - ground.height_at([point[0], point[1]]);
    let highest = points.iter().map(height).fold(0.0, f64::max);
    let limit = RIM_M.min(RIM_SHARE * highest);
    let standing: Vec<[f64; 3]> = points.iter().filter(|point| height(point) > limit).copied().collect();
    if 2 * standing.len() < points.len() { points } else { standing }
}

/// Up to about `limit` points on a grid and as many of the outline; all pixels where they are fewer.
pub(crate) fn points_of(
    runs: &[Run],
    pixels: u32,
    depth: &Depth,
    projector: &Projector,
    limit: usize,
) -> Vec<[f64; 3]> {
    let step = (f64::from(pixels) / limit as f64).sqrt().ceil().max(1.0) as u32;
    let mut points = Vec::with_capacity(2 * limit);
    for run in runs.iter().filter(|run| run.row % step == 0) {
        let columns = (run.start.next_multiple_of(step)..run.end).step_by(step as usize);
        points.extend(columns.filter_map(|x| projector.world_point(x as usize, run.row as usize, depth)));
    }
    if step > 1 {
        let every = (2 * runs.len()).div_ceil(limit);
        for run in runs.iter().step_by(every) {
            for x in [run.start, run.end - 1] {
                points.extend(projector.world_point(x as usize, run.row as usize, depth));
            }
        }
    }
    points
}
