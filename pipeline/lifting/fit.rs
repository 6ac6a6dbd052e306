//! The upright box of an object.

use crate::cloud::Cloud;
use crate::edges::end_of;
use crate::ground::GroundPlane;
use uavgen_geometry::{GroundBox, Rectangle, smallest_rectangle};

/// Points up to this height in metres over the ground, or this share of the object's height, are ground that the mask has
/// at its rim, and count for neither side of the box.
const RIM_M: f64 = 0.25;
const RIM_SHARE: f64 = 0.2;

/// Noise below this share of a pixel blurs no edge.
const SHARP_PX: f64 = 0.5;

/// The box of a cloud; `None` without points. Without ground it stands on the lowest point.
pub(crate) fn fit_box(cloud: &Cloud, ground: Option<GroundPlane>) -> Option<GroundBox> {
    let standing = without_rim(cloud, ground);
    let flat: Vec<[f64; 2]> = standing.iter().map(|point| [point[0], point[1]]).collect();
    let rough = smallest_rectangle(&flat)?;
    let footprint = with_sharp_edges(&flat, rough, cloud)?;
    let upright = cloud.noise_m * cloud.view[2].abs();
    let top = end_of(standing.iter().map(|point| point[2]), sharp(upright, cloud))?;
    let low = standing.iter().map(|point| point[2]).fold(f64::INFINITY, f64::min);
    let base = ground.map_or(low, |ground| ground.height_at(footprint.centre()));
    Some(GroundBox::new(footprint, base.min(top), top))
}

/// The points without those of the ground at the rim of the mask.
fn without_rim(cloud: &Cloud, ground: Option<GroundPlane>) -> Vec<[f64; 3]> {
    let Some(ground) = ground else { return cloud.points.clone() };
    let height = |point: &[f64; 3]| point[2] - ground.height_at([point[0], point[1]]);
    let highest = cloud.points.iter().map(height).fold(0.0, f64::max);
    let limit = RIM_M.min(RIM_SHARE * highest);
    let standing: Vec<[f64; 3]> = cloud.points.iter().filter(|point| height(point) > limit).copied().collect();
    if 2 * standing.len() < cloud.points.len() { cloud.points.clone() } else { standing }
}

/// The rectangle with each side where the density of points ends.
fn with_sharp_edges(points: &[[f64; 2]], rough: Rectangle, cloud: &Cloud) -> Option<Rectangle> {
    let (sin, cos) = rough.axis_yaw_rad().sin_cos();
    let origin = rough.centre();
    let ends = |axis: [f64; 2]| {
        let blur = sharp(cloud.noise_m * (cloud.view[0] * axis[0] + cloud.view[1] * axis[1]).abs(), cloud);
        let places = points.iter().map(|p| (p[0] - origin[0]) * axis[0] + (p[1] - origin[1]) * axis[1]);
        let high = end_of(places.clone(), blur)?;
        let low = -end_of(places.map(|place| -place), blur)?;
        // Where noise is larger than the object, its middle is all that is known.
        Some(if low <= high { (low, high) } else { ((low + high) / 2.0, (low + high) / 2.0) })
    };
    let ((left, right), (low, high)) = (ends([cos, sin])?, ends([-sin, cos])?);
    let (u, v) = ((left + right) / 2.0, (low + high) / 2.0);
    let centre = [origin[0] + u * cos - v * sin, origin[1] + u * sin + v * cos];
    Some(Rectangle::new(centre, right - left, high - low, rough.axis_yaw_rad()))
}

/// The blur of an edge in metres, 0 where it is small against a pixel.
fn sharp(blur_m: f64, cloud: &Cloud) -> f64 {
    if blur_m < SHARP_PX * cloud.pixel_m { 0.0 } else { blur_m.hypot(0.3 * cloud.pixel_m) }
}
