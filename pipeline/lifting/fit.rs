//! The upright box of an object.

use crate::assembly::Part;
use crate::cloud::Cloud;
use crate::edges::end_of;
use uavgen_geometry::{GroundBox, Rectangle, smallest_rectangle};

/// Noise below this share of a pixel blurs no edge.
const SHARP_PX: f64 = 0.5;

/// The box of an object; `None` without points. Without ground it stands on the lowest point.
pub(crate) fn fit_box(part: &Part) -> Option<GroundBox> {
    let (cloud, ground) = (&part.cloud, part.ground);
    let flat: Vec<[f64; 2]> = cloud.points.iter().map(|point| [point[0], point[1]]).collect();
    let rough = smallest_rectangle(&part.hull)?;
    let footprint = with_sharp_edges(&flat, rough, cloud)?;
    let upright = cloud.noise_m * cloud.view[2].abs();
    let top = end_of(cloud.points.iter().map(|point| point[2]), sharp(upright, cloud))?;
    let low = cloud.points.iter().map(|point| point[2]).fold(f64::INFINITY, f64::min);
    let base = ground.map_or(low, |ground| ground.height_at(footprint.centre()));
    Some(GroundBox::new(footprint, base.min(top), top))
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
