//! Boxes that stand upright in the world: a rectangle on the ground plane, and a vertical extent.

use crate::hull::{common_polygon, polygon_area};
use crate::rectangle::Rectangle;
use crate::{Point, World};

/// A gravity-aligned box in the `world` frame: its sides are vertical, its base and top level. A side may be 0; such a
/// box has no volume.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroundBox {
    footprint: Rectangle,
    base_m: f64,
    height_m: f64,
}

impl GroundBox {
    /// A box on a footprint (east and north in metres) between two heights in metres, in either order.
    ///
    /// ```
    /// use uavgen_geometry::{GroundBox, Point, Rectangle};
    /// let van = GroundBox::new(Rectangle::new([10.0, 20.0], 2.0, 5.0, 0.0), 1.0, 4.0);
    /// assert_eq!(van.centre(), Point::new(10.0, 20.0, 2.5));
    /// assert_eq!((van.length_m(), van.width_m(), van.height_m(), van.volume_m3()), (5.0, 2.0, 3.0, 30.0));
    /// assert_eq!(van.axis_yaw_rad().to_degrees(), 90.0);
    /// ```
    pub fn new(footprint: Rectangle, base_m: f64, top_m: f64) -> Self {
        Self { footprint, base_m: base_m.min(top_m), height_m: (top_m - base_m).abs() }
    }

    /// The rectangle that it stands on, east and north in metres.
    pub fn footprint(&self) -> Rectangle {
        self.footprint
    }

    /// Centre.
    pub fn centre(&self) -> Point<World> {
        let [x, y] = self.footprint.centre();
        Point::new(x, y, self.base_m + self.height_m / 2.0)
    }

    /// The longer horizontal side in metres.
    pub fn length_m(&self) -> f64 {
        self.footprint.length()
    }

    /// The shorter horizontal side in metres.
    pub fn width_m(&self) -> f64 {
        self.footprint.width()
    }

    /// Vertical extent in metres.
    pub fn height_m(&self) -> f64 {
        self.height_m
    }

    /// Height of the base in metres above the world's origin.
    pub fn base_m(&self) -> f64 {
        self.base_m
    }

    /// Height of the top in metres above the world's origin.
    pub fn top_m(&self) -> f64 {
        self.base_m + self.height_m
    }

    /// Angle of the longer horizontal side from east towards north, in radians, 0 to below π. An axis has no front: the
    /// heading of what stands in the box is another thing.
    pub fn axis_yaw_rad(&self) -> f64 {
        self.footprint.axis_yaw_rad()
    }

    /// Area of the footprint in square metres.
    pub fn footprint_area_m2(&self) -> f64 {
        self.footprint.area()
    }

    /// Volume in cubic metres.
    pub fn volume_m3(&self) -> f64 {
        self.footprint.area() * self.height_m
    }

    /// The eight corners: the base counter-clockwise seen from above, then the top in the same order.
    pub fn corners(&self) -> [Point<World>; 8] {
        let base = self.footprint.corners();
        std::array::from_fn(|index| {
            let [x, y] = base[index % 4];
            Point::new(x, y, if index < 4 { self.base_m } else { self.top_m() })
        })
    }

    /// Volume of the common part of two boxes in cubic metres: common part of the footprints times common height.
    pub fn common_volume_m3(&self, other: &Self) -> f64 {
        let height = self.top_m().min(other.top_m()) - self.base_m.max(other.base_m);
        if height <= 0.0 { 0.0 } else { self.common_footprint_m2(other) * height }
    }

    /// Area of the common part of two footprints in square metres.
    pub fn common_footprint_m2(&self, other: &Self) -> f64 {
        let (own, others) = (self.footprint, other.footprint);
        let (x, y) = (own.centre()[0] - others.centre()[0], own.centre()[1] - others.centre()[1]);
        let reach = own.length().hypot(own.width()) + others.length().hypot(others.width());
        if 2.0 * x.hypot(y) >= reach {
            return 0.0;
        }
        polygon_area(&common_polygon(&own.corners(), &others.corners())).max(0.0)
    }

    /// Intersection over union of the volumes, 0 to 1; 0 when neither box has a volume.
    ///
    /// ```
    /// # use uavgen_geometry::{GroundBox, Rectangle};
    /// let own = GroundBox::new(Rectangle::new([0.0, 0.0], 4.0, 2.0, 0.0), 0.0, 2.0);
    /// let half_beside = GroundBox::new(Rectangle::new([2.0, 0.0], 4.0, 2.0, 0.0), 0.0, 2.0);
    /// let above = GroundBox::new(own.footprint(), 2.0, 4.0);
    /// assert!((own.iou(&half_beside) - 1.0 / 3.0).abs() < 1e-12);
    /// assert_eq!(own.iou(&above), 0.0);
    /// ```
    pub fn iou(&self, other: &Self) -> f64 {
        let common = self.common_volume_m3(other);
        let union = self.volume_m3() + other.volume_m3() - common;
        if union > 0.0 { (common / union).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Distance in metres from a point to the nearest point of the box; 0 inside.
    ///
    /// ```
    /// # use uavgen_geometry::{GroundBox, Point, Rectangle};
    /// let own = GroundBox::new(Rectangle::new([0.0, 0.0], 4.0, 2.0, 0.0), 0.0, 2.0);
    /// assert_eq!(own.distance_to(&Point::new(5.0, 5.0, 1.0)), 5.0);
    /// assert_eq!(own.distance_to(&Point::new(1.0, 0.5, 1.0)), 0.0);
    /// ```
    pub fn distance_to(&self, point: &Point<World>) -> f64 {
        let [x, y] = self.footprint.centre();
        let (sin, cos) = self.axis_yaw_rad().sin_cos();
        let (east, north) = (point.x() - x, point.y() - y);
        let beyond = |place: f64, side: f64| (place.abs() - side / 2.0).max(0.0);
        let along = beyond(east * cos + north * sin, self.length_m());
        let across = beyond(north * cos - east * sin, self.width_m());
        let up = (self.base_m - point.z()).max(point.z() - self.top_m()).max(0.0);
        along.hypot(across).hypot(up)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::f64::consts::FRAC_PI_4;

    fn any_box() -> impl Strategy<Value = GroundBox> {
        let sides = (0.5..12.0f64, 0.5..12.0f64, 0.5..9.0f64);
        (-8.0..8.0f64, -8.0..8.0f64, -4.0..4.0f64, sides, 0.0..3.2f64)
            .prop_map(|(x, y, base, (l, w, h), yaw)| GroundBox::new(Rectangle::new([x, y], l, w, yaw), base, base + h))
    }

    /// Volume of the common part by counting a fine grid inside the first box.
    fn counted(own: &GroundBox, other: &GroundBox) -> f64 {
        let places = (0..64).map(|step| (f64::from(step) + 0.5) / 64.0 - 0.5);
        let (sin, cos) = own.axis_yaw_rad().sin_cos();
        let [x, y] = own.footprint().centre();
        let inside = places.clone().flat_map(|u| places.clone().map(move |v| (u * own.length_m(), v * own.width_m())));
        let count = inside.filter(|(u, v)| other.footprint().contains([x + u * cos - v * sin, y + u * sin + v * cos]));
        let height = (own.top_m().min(other.top_m()) - own.base_m().max(other.base_m())).max(0.0);
        count.count() as f64 / 4096.0 * own.footprint_area_m2() * height
    }

    #[test]
    fn a_square_and_its_copy_turned_by_45_degrees() {
        let own = GroundBox::new(Rectangle::new([3.0, -2.0], 2.0, 2.0, 0.0), 0.0, 1.0);
        let turned = GroundBox::new(Rectangle::new([3.0, -2.0], 2.0, 2.0, FRAC_PI_4), 0.0, 1.0);
        let octagon = 8.0 * (2f64.sqrt() - 1.0);
        assert!((own.iou(&turned) - octagon / (8.0 - octagon)).abs() < 1e-12);
    }

    #[test]
    fn boxes_without_volume_have_no_iou() {
        let flat = GroundBox::new(Rectangle::new([0.0, 0.0], 2.0, 1.0, 0.0), 1.0, 1.0);
        let point = GroundBox::new(Rectangle::new([0.0, 0.0], 0.0, 0.0, 0.0), 0.0, 0.0);
        assert_eq!((flat.iou(&flat), point.iou(&flat), point.volume_m3()), (0.0, 0.0, 0.0));
        assert_eq!(point.corners(), [Point::new(0.0, 0.0, 0.0); 8]);
    }

    proptest! {
        #[test]
        fn iou_is_symmetric_one_with_itself_and_as_counted(own in any_box(), other in any_box()) {
            prop_assert!((own.iou(&own) - 1.0).abs() < 1e-9);
            prop_assert!((own.iou(&other) - other.iou(&own)).abs() < 1e-9);
            let tolerance = 0.06 * own.volume_m3().min(other.volume_m3()) + 0.02 * own.volume_m3();
            prop_assert!((own.common_volume_m3(&other) - counted(&own, &other)).abs() <= tolerance);
        }

        #[test]
        fn turning_and_moving_both_boxes_keeps_their_iou(own in any_box(), other in any_box(), turn in 0.0..6.2f64) {
            let (sin, cos) = turn.sin_cos();
            let moved = |given: &GroundBox| {
                let [x, y] = given.footprint().centre();
                let centre = [x * cos - y * sin + 1000.0, x * sin + y * cos - 500.0];
                let yaw = given.axis_yaw_rad() + turn;
                let footprint = Rectangle::new(centre, given.length_m(), given.width_m(), yaw);
                GroundBox::new(footprint, given.base_m() + 7.0, given.top_m() + 7.0)
            };
            prop_assert!((own.iou(&other) - moved(&own).iou(&moved(&other))).abs() < 1e-9);
        }

        #[test]
        fn corners_lie_on_the_box_and_span_its_diagonal(own in any_box()) {
            let corners = own.corners();
            prop_assert!(corners.iter().all(|corner| own.distance_to(corner) < 1e-9));
            let diagonal = own.length_m().hypot(own.width_m()).hypot(own.height_m());
            prop_assert!((corners[0].distance_to(&corners[6]) - diagonal).abs() < 1e-9);
        }
    }
}
