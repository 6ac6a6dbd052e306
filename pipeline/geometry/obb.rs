//! Boxes at any angle in space, and a small one round a set of points.

use crate::rectangle::smallest_rectangle;
use crate::{Body, Direction, Point, Transform, World};
use nalgebra::{Matrix3, Vector3};

/// Rounds of refinement at most; a few are the rule.
const ROUNDS: usize = 16;

/// A box at any angle in the `world` frame. A side may be 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrientedBox {
    centre: Vector3<f64>,
    sides_m: [f64; 3],
    axes: [Vector3<f64>; 3],
}

impl OrientedBox {
    /// Centre.
    pub fn centre(&self) -> Point<World> {
        Point::new(self.centre.x, self.centre.y, self.centre.z)
    }

    /// The three sides in metres, longest first.
    pub fn sides_m(&self) -> [f64; 3] {
        self.sides_m
    }

    /// Unit directions of the sides, in their order: at right angles, right-handed. The first two point to the half of
    /// space in which their largest coordinate is positive.
    pub fn axes(&self) -> [Direction<World>; 3] {
        self.axes.map(|axis| Direction::new(axis.x, axis.y, axis.z))
    }

    /// The rotation that turns the axes x, y and z to those of the sides, as a unit quaternion x, y, z, w, as
    /// [`Transform::quaternion`] gives it.
    ///
    /// ```
    /// # use uavgen_geometry::{Point, smallest_oriented_box};
    /// let [a, b] = [Point::new(0.0, 0.0, 0.0), Point::new(0.0, 3.0, 0.0)];
    /// let [x, y, z, w] = smallest_oriented_box(&[a, b]).unwrap().quaternion();
    /// // It takes x to north: the image of x under the turn.
    /// let north = [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)];
    /// assert!(north[0].abs() < 1e-9 && (north[1] - 1.0).abs() < 1e-9 && north[2].abs() < 1e-9);
    /// ```
    pub fn quaternion(&self) -> [f64; 4] {
        Transform::<World, Body>::from_rigid(Matrix3::from_columns(&self.axes), self.centre).quaternion()
    }

    /// Volume in cubic metres.
    pub fn volume_m3(&self) -> f64 {
        self.sides_m.iter().product()
    }

    /// The eight corners; they coincide where a side is 0.
    pub fn corners(&self) -> [Point<World>; 8] {
        std::array::from_fn(|index| {
            let halves = [0, 1, 2].map(|side| self.sides_m[side] * if index >> side & 1 == 1 { 0.5 } else { -0.5 });
            let corner = self.centre + self.axes[0] * halves[0] + self.axes[1] * halves[1] + self.axes[2] * halves[2];
            Point::new(corner.x, corner.y, corner.z)
        })
    }

    /// From axes that are at right angles and extents along them in any order.
    fn sorted(centre: Vector3<f64>, mut sides: [(f64, Vector3<f64>); 3]) -> Self {
        sides.sort_by(|a, b| b.0.total_cmp(&a.0));
        let [first, second] = [sides[0].1, sides[1].1].map(forward);
        Self { centre, sides_m: sides.map(|(side, _)| side), axes: [first, second, first.cross(&second)] }
    }

    /// What is made small: the volume, where a side of 0 still counts a little, so that a flat set gets the rectangle
    /// of least area and a straight one its length.
    fn cost(&self, smallest_side: f64) -> f64 {
        self.sides_m.iter().map(|side| side + smallest_side).product()
    }
}

/// A small box round points; not always the smallest. `None` without a finite point.
///
/// Each of the principal axes and the axes of the world is tried as one side, with the rectangle of least area across
/// it; then the three sides of the best box in turn, until none gives a smaller one. Every box has a side pair on an
/// edge of the hull of the projected points, as that of the least box has (O'Rourke 1985). One point gives a box
/// without sides, points of a line one with a single side, points of a plane a rectangle.
///
/// ```
/// use uavgen_geometry::{Point, smallest_oriented_box};
/// let corner = |index: i32| Point::new(f64::from(index & 1) * 4.0, f64::from(index >> 1 & 1) * 2.0, f64::from(index >> 2));
/// let found = smallest_oriented_box(&(0..8).map(corner).collect::<Vec<_>>()).unwrap();
/// assert_eq!(found.sides_m(), [4.0, 2.0, 1.0]);
/// assert_eq!(found.centre(), Point::new(2.0, 1.0, 0.5));
/// ```
pub fn smallest_oriented_box(points: &[Point<World>]) -> Option<OrientedBox> {
    let finite = points.iter().map(|point| Vector3::from(point.coordinates()));
    let points: Vec<Vector3<f64>> = finite.filter(|point| point.iter().all(|part| part.is_finite())).collect();
    let origin = *points.first()?;
    let relative: Vec<Vector3<f64>> = points.iter().map(|point| point - origin).collect();
    let smallest_side = 1e-6 * relative.iter().map(|point| point.norm()).fold(f64::MIN_POSITIVE, f64::max);
    let starts = principal_axes(&relative).into_iter().chain([Vector3::x(), Vector3::y(), Vector3::z()]);
    let mut best = smallest_across(&relative, starts, smallest_side)?;
    for _ in 0..ROUNDS {
        let next = smallest_across(&relative, best.axes.into_iter(), smallest_side)?;
        if next.cost(smallest_side) >= best.cost(smallest_side) {
            break;
        }
        best = next;
    }
    best.centre += origin;
    Some(best)
}

/// Unit axes of the spread of the points.
fn principal_axes(points: &[Vector3<f64>]) -> [Vector3<f64>; 3] {
    let mean = points.iter().sum::<Vector3<f64>>() / points.len() as f64;
    let spread: Matrix3<f64> = points.iter().map(|point| (point - mean) * (point - mean).transpose()).sum();
    let axes = spread.symmetric_eigen().eigenvectors;
    [0, 1, 2].map(|column| axes.column(column).into_owned())
}

/// The best box with one side along one of the directions; of equal ones the first.
fn smallest_across(
    points: &[Vector3<f64>],
    directions: impl Iterator<Item = Vector3<f64>>,
    smallest_side: f64,
) -> Option<OrientedBox> {
    let boxes = directions.filter_map(|direction| box_along(points, direction));
    boxes.min_by(|a, b| a.cost(smallest_side).total_cmp(&b.cost(smallest_side)))
}

/// The smallest box with one side along a unit direction.
fn box_along(points: &[Vector3<f64>], up: Vector3<f64>) -> Option<OrientedBox> {
    let least = up.iamin();
    let right = Vector3::from_fn(|row, _| if row == least { 1.0 } else { 0.0 }).cross(&up).try_normalize(0.0)?;
    let ahead = up.cross(&right);
    let across: Vec<[f64; 2]> = points.iter().map(|point| [point.dot(&right), point.dot(&ahead)]).collect();
    let rectangle = smallest_rectangle(&across)?;
    let places = points.iter().map(|point| point.dot(&up));
    let (low, high) = places.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), z| (low.min(z), high.max(z)));
    let [u, v] = rectangle.centre();
    let (sin, cos) = rectangle.axis_yaw_rad().sin_cos();
    let sides = [
        (rectangle.length(), right * cos + ahead * sin),
        (rectangle.width(), ahead * cos - right * sin),
        (high - low, up),
    ];
    Some(OrientedBox::sorted(right * u + ahead * v + up * ((low + high) / 2.0), sides))
}

/// The direction or its opposite, whichever has its largest coordinate positive.
fn forward(axis: Vector3<f64>) -> Vector3<f64> {
    if axis[axis.iamax()] < 0.0 { -axis } else { axis }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Rotation3;
    use proptest::prelude::*;

    fn world(point: Vector3<f64>) -> Point<World> {
        Point::new(point.x, point.y, point.z)
    }

    #[test]
    fn sets_without_volume_are_defined() {
        assert_eq!(smallest_oriented_box(&[]), None);
        assert_eq!(smallest_oriented_box(&[Point::new(f64::NAN, 0.0, 0.0)]), None);
        let point = smallest_oriented_box(&[Point::new(1.0, 2.0, 3.0); 3]).unwrap();
        assert_eq!((point.sides_m(), point.centre()), ([0.0; 3], Point::new(1.0, 2.0, 3.0)));
        let line: Vec<_> = (0..5).map(|step| world(Vector3::new(2.0, 3.0, 6.0) * f64::from(step))).collect();
        let found = smallest_oriented_box(&line).unwrap();
        assert!((found.sides_m()[0] - 28.0).abs() < 1e-9 && found.sides_m()[1] < 1e-6);
        let turn = Rotation3::from_euler_angles(0.4, 1.1, -0.7);
        let corners = [[0.0, 0.0], [5.0, 0.0], [5.0, 2.0], [0.0, 2.0], [2.0, 1.0]];
        let plane: Vec<_> = corners.iter().map(|[x, y]| world(turn * Vector3::new(*x, *y, 0.0))).collect();
        let found = smallest_oriented_box(&plane).unwrap();
        assert!((found.sides_m()[0] - 5.0).abs() < 1e-5 && (found.sides_m()[1] - 2.0).abs() < 1e-5);
    }

    proptest! {
        #[test]
        fn a_turned_box_is_found_again(sides in (2.0..9.0f64, 2.0..9.0f64, 2.0..9.0f64),
                                       angles in (-3.0..3.0f64, -1.5..1.5f64, -3.0..3.0f64)) {
            let turn = Rotation3::from_euler_angles(angles.0, angles.1, angles.2);
            // Corners and points of all six faces, as a scan has them.
            let steps = [-0.5, -0.25, 0.0, 0.25, 0.5];
            let grid = steps.iter().flat_map(|x| steps.iter().flat_map(move |y| steps.map(|z| [*x, *y, z])));
            let points: Vec<_> = grid
                .map(|[x, y, z]| world(turn * Vector3::new(x * sides.0, y * sides.1, z * sides.2) + Vector3::new(9.0, 8.0, 7.0)))
                .collect();
            let found = smallest_oriented_box(&points).unwrap();
            prop_assert!(found.volume_m3() <= sides.0 * sides.1 * sides.2 * 1.05);
            prop_assert!(found.volume_m3() >= sides.0 * sides.1 * sides.2 * (1.0 - 1e-9));
        }

        #[test]
        fn every_point_lies_in_the_box(points in prop::collection::vec((-9.0..9.0f64, -9.0..9.0f64, -9.0..9.0f64), 1..40)) {
            let points: Vec<_> = points.iter().map(|(x, y, z)| Point::new(*x, *y, *z)).collect();
            let found = smallest_oriented_box(&points).unwrap();
            for point in &points {
                let offset = *point - found.centre();
                for (axis, side) in found.axes().iter().zip(found.sides_m()) {
                    prop_assert!(offset.dot(axis).abs() <= side / 2.0 + 1e-9);
                }
            }
        }
    }
}
