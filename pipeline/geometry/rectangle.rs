//! Rectangles of a plane at any angle, and the smallest one round a set of points.

use crate::hull::convex_hull;
use std::f64::consts::{FRAC_PI_2, PI};

/// A rectangle of a plane. Points are `[x, y]` of one plane in one unit, as in [`convex_hull`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rectangle {
    centre: [f64; 2],
    length: f64,
    width: f64,
    axis_yaw_rad: f64,
}

impl Rectangle {
    /// A rectangle from its centre, its extent along an axis and across it, and the angle of that axis from x towards
    /// y. The longer side becomes the length, so the axis may turn by a right angle; sides below 0 count as 0.
    ///
    /// ```
    /// use std::f64::consts::FRAC_PI_2;
    /// use uavgen_geometry::Rectangle;
    /// let upright = Rectangle::new([0.0, 0.0], 2.0, 5.0, 0.0);
    /// assert_eq!((upright.length(), upright.width(), upright.axis_yaw_rad()), (5.0, 2.0, FRAC_PI_2));
    /// ```
    pub fn new(centre: [f64; 2], along: f64, across: f64, yaw_rad: f64) -> Self {
        let (along, across) = (along.max(0.0), across.max(0.0));
        let (length, width, yaw) =
            if along >= across { (along, across, yaw_rad) } else { (across, along, yaw_rad + FRAC_PI_2) };
        Self { centre, length, width, axis_yaw_rad: half_turn(yaw) }
    }

    /// Centre.
    pub fn centre(&self) -> [f64; 2] {
        self.centre
    }

    /// The longer side.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// The shorter side.
    pub fn width(&self) -> f64 {
        self.width
    }

    /// Angle of the longer side from x towards y, in radians, 0 to below π: a rectangle has an axis, not a heading.
    pub fn axis_yaw_rad(&self) -> f64 {
        self.axis_yaw_rad
    }

    /// Area.
    pub fn area(&self) -> f64 {
        self.length * self.width
    }

    /// The four corners, counter-clockwise. They coincide where a side is 0.
    pub fn corners(&self) -> [[f64; 2]; 4] {
        let (sin, cos) = self.axis_yaw_rad.sin_cos();
        [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].map(|(along, across)| {
            let (u, v) = (along * self.length, across * self.width);
            [self.centre[0] + u * cos - v * sin, self.centre[1] + u * sin + v * cos]
        })
    }

    /// Whether a point lies in the rectangle, its edges included.
    pub fn contains(&self, point: [f64; 2]) -> bool {
        let [along, across] = self.own_axes(point);
        2.0 * along.abs() <= self.length && 2.0 * across.abs() <= self.width
    }

    /// The rectangle with each side moved inwards by a distance, at most to the middle.
    #[must_use]
    pub fn shrunk(&self, by: f64) -> Self {
        let shorter = |side: f64| (side - 2.0 * by).max(0.0);
        Self { length: shorter(self.length), width: shorter(self.width), ..*self }
    }

    /// Distance between the nearest points of two rectangles; 0 where they share a point.
    ///
    /// ```
    /// use uavgen_geometry::Rectangle;
    /// let unit = Rectangle::new([0.0, 0.0], 2.0, 2.0, 0.0);
    /// assert_eq!(unit.distance_to(&Rectangle::new([5.0, 0.0], 2.0, 2.0, 0.0)), 3.0);
    /// assert_eq!(unit.distance_to(&Rectangle::new([4.0, 5.0], 2.0, 2.0, 0.0)), (2.0_f64 * 2.0 + 3.0 * 3.0).sqrt());
    /// assert_eq!(unit.distance_to(&Rectangle::new([0.0, 0.5], 9.0, 0.1, 0.7)), 0.0);
    /// ```
    pub fn distance_to(&self, other: &Self) -> f64 {
        let corners = other.corners();
        let sides = (0..4).map(|side| [corners[side], corners[(side + 1) % 4]]);
        let nearest = sides.map(|[a, b]| self.distance_to_segment(a, b)).fold(f64::INFINITY, f64::min);
        // Only where this one lies within the other one does no side of that come near.
        if other.contains(self.centre) { 0.0 } else { nearest }
    }

    /// Distance between the nearest points of the rectangle and of a straight line from `a` to `b`; 0 where they share a point.
    pub fn distance_to_segment(&self, a: [f64; 2], b: [f64; 2]) -> f64 {
        let (half_length, half_width) = (0.5 * self.length, 0.5 * self.width);
        let (own_a, own_b) = (self.own_axes(a), self.own_axes(b));
        if crosses(own_a, own_b, [half_length, half_width]) {
            return 0.0;
        }
        let outside = |[x, y]: [f64; 2]| (x.abs() - half_length).max(0.0).hypot((y.abs() - half_width).max(0.0));
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        let corners = corners.map(|(x, y)| from_segment([x * half_length, y * half_width], own_a, own_b));
        corners.into_iter().chain([outside(own_a), outside(own_b)]).fold(f64::INFINITY, f64::min)
    }

    /// A point as its distances from the centre along and across the longer side.
    fn own_axes(&self, point: [f64; 2]) -> [f64; 2] {
        let (sin, cos) = self.axis_yaw_rad.sin_cos();
        let (x, y) = (point[0] - self.centre[0], point[1] - self.centre[1]);
        [x * cos + y * sin, y * cos - x * sin]
    }
}

/// Whether a straight line from `a` to `b` meets the box from `-half` to `half` (the slab method).
fn crosses(a: [f64; 2], b: [f64; 2], half: [f64; 2]) -> bool {
    let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
    for axis in 0..2 {
        let way = b[axis] - a[axis];
        if way == 0.0 {
            if a[axis].abs() > half[axis] {
                return false;
            }
            continue;
        }
        let (one, other) = ((-half[axis] - a[axis]) / way, (half[axis] - a[axis]) / way);
        enters = enters.max(one.min(other));
        leaves = leaves.min(one.max(other));
    }
    enters <= leaves
}

/// Distance of a point from a straight line between two others.
fn from_segment(point: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let (along, from_a) = ([b[0] - a[0], b[1] - a[1]], [point[0] - a[0], point[1] - a[1]]);
    let length = along[0] * along[0] + along[1] * along[1];
    let share = if length > 0.0 { (along[0] * from_a[0] + along[1] * from_a[1]) / length } else { 0.0 };
    let share = share.clamp(0.0, 1.0);
    (from_a[0] - share * along[0]).hypot(from_a[1] - share * along[1])
}

/// An axis angle brought to 0 to below π. What rounding leaves just below 0 becomes 0 and not π.
pub(crate) fn half_turn(yaw_rad: f64) -> f64 {
    let yaw = yaw_rad.rem_euclid(PI);
    if yaw < PI { yaw } else { 0.0 }
}

/// The rectangle of least area round points; of equal ones that of the first hull edge. `None` without a finite point.
///
/// One side of it lies on an edge of the convex hull (Freeman and Shapira 1975), so every edge is tried. Its extents
/// are taken over all corners: calipers that move on from edge to edge save time on hulls of thousands of corners only,
/// and stop short where rounding bends an edge. One point gives a rectangle without sides at angle 0, points of one
/// line one without width along it.
///
/// ```
/// use uavgen_geometry::smallest_rectangle;
/// let diamond = [[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0], [0.1, 0.3]];
/// let found = smallest_rectangle(&diamond).unwrap();
/// assert!((found.area() - 2.0).abs() < 1e-12 && found.centre()[0].abs() < 1e-12);
/// ```
pub fn smallest_rectangle(points: &[[f64; 2]]) -> Option<Rectangle> {
    let hull = convex_hull(points);
    match hull[..] {
        [] => None,
        [point] => Some(Rectangle::new(point, 0.0, 0.0, 0.0)),
        [start, end] => {
            let (x, y) = (end[0] - start[0], end[1] - start[1]);
            Some(Rectangle::new([start[0] + x / 2.0, start[1] + y / 2.0], x.hypot(y), 0.0, y.atan2(x)))
        }
        _ => smallest_round_hull(&hull),
    }
}

fn smallest_round_hull(hull: &[[f64; 2]]) -> Option<Rectangle> {
    let edges = (0..hull.len()).map(|index| (hull[index], hull[(index + 1) % hull.len()]));
    let boxes = edges.map(|(start, end)| along_edge(hull, start, end));
    boxes.min_by(|a, b| a.area().total_cmp(&b.area()))
}

/// The rectangle round the hull with a side on one of its edges.
fn along_edge(hull: &[[f64; 2]], start: [f64; 2], end: [f64; 2]) -> Rectangle {
    let length = (end[0] - start[0]).hypot(end[1] - start[1]);
    let along = [(end[0] - start[0]) / length, (end[1] - start[1]) / length];
    let away = [-along[1], along[0]];
    let (mut left, mut right, mut low, mut top) = (0.0f64, length, 0.0f64, 0.0f64);
    for &corner in hull {
        let offset = relative(corner, start);
        (left, right) = (left.min(dot(offset, along)), right.max(dot(offset, along)));
        // Below the edge lies nothing, unless rounding turned an edge of no length.
        (low, top) = (low.min(dot(offset, away)), top.max(dot(offset, away)));
    }
    let (u, v) = ((left + right) / 2.0, (low + top) / 2.0);
    let centre = [0, 1].map(|axis| start[axis] + u * along[axis] + v * away[axis]);
    Rectangle::new(centre, right - left, top - low, along[1].atan2(along[0]))
}

fn relative(point: [f64; 2], origin: [f64; 2]) -> [f64; 2] {
    [point[0] - origin[0], point[1] - origin[1]]
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn points() -> impl Strategy<Value = Vec<[f64; 2]>> {
        prop::collection::vec((-50.0..50.0f64, -50.0..50.0f64).prop_map(|(x, y)| [x, y]), 3..40)
    }

    /// Area of the axis-aligned rectangle round the points after a turn.
    fn area_at(points: &[[f64; 2]], yaw: f64) -> f64 {
        let (sin, cos) = yaw.sin_cos();
        let extent = |axis: [f64; 2]| {
            let places = points.iter().map(|point| dot(*point, axis));
            places.clone().fold(f64::MIN, f64::max) - places.fold(f64::MAX, f64::min)
        };
        extent([cos, sin]) * extent([-sin, cos])
    }

    #[test]
    fn sets_without_area_are_defined() {
        assert_eq!(smallest_rectangle(&[]), None);
        assert_eq!(smallest_rectangle(&[[f64::NAN, 1.0]]), None);
        assert_eq!(smallest_rectangle(&[[2.0, 3.0]; 4]), Some(Rectangle::new([2.0, 3.0], 0.0, 0.0, 0.0)));
        let line = smallest_rectangle(&[[0.0, 0.0], [3.0, 4.0], [1.5, 2.0], [6.0, 8.0]]).unwrap();
        assert_eq!((line.length(), line.width(), line.centre()), (10.0, 0.0, [3.0, 4.0]));
        assert!((line.axis_yaw_rad() - (4f64 / 3.0).atan()).abs() < 1e-12);
    }

    #[test]
    fn a_far_origin_costs_no_millimetre() {
        let own = Rectangle::new([500_000.0, 4_600_000.0], 4.5, 1.8, 0.3);
        let found = smallest_rectangle(&own.corners()).unwrap();
        assert!((found.length() - 4.5).abs() < 1e-6 && (found.width() - 1.8).abs() < 1e-6);
        assert!((found.axis_yaw_rad() - 0.3).abs() < 1e-6);
    }

    #[test]
    fn distances_to_straight_lines() {
        // 4 x 2 round (10, 10), turned by a right angle: x from 9 to 11, y from 8 to 12.
        let upright = Rectangle::new([10.0, 10.0], 4.0, 2.0, std::f64::consts::FRAC_PI_2);
        let to = |a, b| upright.distance_to_segment(a, b);
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
        near(to([0.0, 10.0], [5.0, 10.0]), 4.0);
        near(to([0.0, 10.0], [20.0, 10.0]), 0.0); // across, with both ends and all corners apart
        near(to([10.0, 10.0], [10.5, 11.0]), 0.0); // within
        near(to([14.0, 0.0], [14.0, 30.0]), 3.0); // past a side
        near(to([8.0, 16.0], [8.0, 15.0]), 1.0_f64.hypot(3.0)); // an end from a corner
        near(to([11.0, 14.0], [13.0, 12.0]), 2.0_f64.sqrt()); // a corner, (11, 12), from the middle of a line: x + y = 25
        near(to([15.0, 16.0], [15.0, 16.0]), 4.0_f64.hypot(4.0)); // a point
        near(to([10.0, 11.0], [10.0, 11.0]), 0.0);
    }

    #[test]
    fn distances_of_rectangles_without_area() {
        let (point, line) = (Rectangle::new([3.0, 4.0], 0.0, 0.0, 0.0), Rectangle::new([0.0, 0.0], 6.0, 0.0, 0.0));
        assert_eq!(point.distance_to(&Rectangle::new([0.0, 0.0], 0.0, 0.0, 0.0)), 5.0);
        assert_eq!(point.distance_to(&line), 4.0);
        assert_eq!(line.distance_to(&point), 4.0);
        assert_eq!(line.distance_to(&Rectangle::new([1.0, 0.0], 6.0, 0.0, 1.0)), 0.0);
        let round = Rectangle::new([0.0, 0.0], 20.0, 20.0, 0.4);
        assert_eq!((round.distance_to(&point), point.distance_to(&round)), (0.0, 0.0));
        // One that lies wholly within another one, and a cross of which no corner lies within the other arm.
        let within = Rectangle::new([1.0, 2.0], 3.0, 1.0, 0.9);
        assert_eq!((round.distance_to(&within), within.distance_to(&round)), (0.0, 0.0));
        let arms = [0.3, 0.3 + FRAC_PI_2].map(|yaw| Rectangle::new([5.0, 5.0], 10.0, 1.0, yaw));
        assert_eq!((arms[0].distance_to(&arms[1]), arms[1].distance_to(&arms[0])), (0.0, 0.0));
    }

    #[test]
    fn a_shrunk_rectangle_ends_in_its_middle() {
        let own = Rectangle::new([1.0, 2.0], 5.0, 2.0, 0.4);
        assert_eq!(own.shrunk(0.5), Rectangle::new([1.0, 2.0], 4.0, 1.0, 0.4));
        let line = own.shrunk(1.5);
        assert_eq!((line.length(), line.width(), line.centre(), line.axis_yaw_rad()), (2.0, 0.0, [1.0, 2.0], 0.4));
        assert_eq!(own.shrunk(9.0).area() + own.shrunk(9.0).length(), 0.0);
    }

    proptest! {
        #[test]
        fn distances_are_those_of_the_nearest_points(
            x in -20.0..20.0f64, y in -20.0..20.0f64, yaw in 0.0..3.1f64, other_yaw in 0.0..3.1f64,
            length in 0.5..9.0f64, width in 0.1..5.0f64
        ) {
            let (own, other) = (Rectangle::new([0.0, 0.0], 6.0, 3.0, yaw), Rectangle::new([x, y], length, width, other_yaw));
            let found = own.distance_to(&other);
            prop_assert!((found - other.distance_to(&own)).abs() < 1e-9);
            // A grid over both: nearest pairs of it are off by its steps at most, and never nearer.
            let grid = |rectangle: &Rectangle| {
                let [a, b, _, d] = rectangle.corners();
                let at = move |u: f64, v: f64| [0, 1].map(|axis| a[axis] + u * (b[axis] - a[axis]) + v * (d[axis] - a[axis]));
                (0..=256).map(move |step| at(f64::from(step % 16) / 15.0, f64::from(step / 16) / 16.0)).collect::<Vec<_>>()
            };
            let others = grid(&other);
            let pairs = grid(&own).into_iter().flat_map(|p| others.iter().map(move |q| (p[0] - q[0]).hypot(p[1] - q[1])));
            let nearest = pairs.fold(f64::INFINITY, f64::min);
            prop_assert!(found <= nearest + 1e-9 && nearest <= found + 1.0, "{found} {nearest}");
        }

        #[test]
        fn no_turn_gives_a_smaller_one(points in points()) {
            let found = smallest_rectangle(&points).unwrap();
            for step in 0..180 {
                prop_assert!(found.area() <= area_at(&points, f64::from(step).to_radians()) * (1.0 + 1e-9));
            }
            prop_assert!((area_at(&points, found.axis_yaw_rad()) - found.area()).abs() < 1e-6);
        }

        #[test]
        fn a_rectangle_is_found_again(x in -99.0..99.0f64, y in -99.0..99.0f64, length in 2.0..30.0f64,
                                      share in 0.1..0.9f64, yaw in 0.0..3.1f64, inner in points()) {
            let own = Rectangle::new([x, y], length, length * share, yaw);
            let mut all = own.corners().to_vec();
            // Any points inside it change nothing.
            all.extend(inner.iter().map(|p| [x + p[0] * share * length / 150.0, y + p[1] * share * length / 150.0]));
            let found = smallest_rectangle(&all).unwrap();
            prop_assert!((found.length() - length).abs() < 1e-9 && (found.width() - length * share).abs() < 1e-9);
            let turn = half_turn(found.axis_yaw_rad() - yaw);
            prop_assert!(turn.min(PI - turn) < 1e-9);
        }
    }
}
