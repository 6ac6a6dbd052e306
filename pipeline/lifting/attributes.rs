//! What is said of an object beside its box.

use crate::cloud::Projector;
use crate::components::Component;
use uavgen_geometry::{Box2, GroundBox, ImageSize, convex_hull, polygon_area};

/// The box round the pixels of a component, in pixels of the image.
pub(crate) fn image_box(component: &Component) -> Box2 {
    let [left, right] = [component.columns.start, component.columns.end].map(f64::from);
    let [top, bottom] = [component.rows.start, component.rows.end].map(f64::from);
    Box2::new(left, top, right, bottom).expect("ranges of columns and rows are in order")
}

/// Whether a component touches the border of the image, so that part of the object may lie outside.
pub(crate) fn is_truncated(component: &Component, size: ImageSize) -> bool {
    component.columns.start == 0
        || component.rows.start == 0
        || f64::from(component.columns.end) >= size.width_px()
        || f64::from(component.rows.end) >= size.height_px()
}

/// Pixels of an object over the area that its box covers in the image, edges of the image included: 1 for a box shape
/// in full view, less for what is hidden, cut off or no box. `None` where a corner of the box lies behind the camera or
/// where the lens shows nothing, or the box covers nothing.
pub(crate) fn visibility(ground_box: &GroundBox, pixels: u32, projector: &Projector) -> Option<f64> {
    let corners: Option<Vec<[f64; 2]>> =
        ground_box.corners().iter().map(|corner| projector.pixel(*corner).map(|pixel| [pixel.x, pixel.y])).collect();
    let area = polygon_area(&convex_hull(&corners?));
    (area > 0.0).then(|| (f64::from(pixels) / area).min(1.0))
}
