//! Convex polygons of a plane: hull of points, area, common part.
//!
//! Points are `[x, y]` of one plane in one unit; for footprints that is east and north of the `world` frame, in metres.

use std::cmp::Ordering;

/// Twice the signed area of the triangle `a b c`: positive when it turns to the left.
fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn by_place(a: &[f64; 2], b: &[f64; 2]) -> Ordering {
    a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1]))
}

/// Corners of the convex hull, counter-clockwise from the leftmost (then lowest) one, without points that lie on an
/// edge.
///
/// Andrew's monotone chain, O(n log n). Points that are not finite are left out. One distinct point gives one corner,
/// points of one line give its two ends, no point gives none.
///
/// ```
/// use uavgen_geometry::convex_hull;
/// let square = [[0.0, 0.0], [2.0, 0.0], [1.0, 1.0], [2.0, 2.0], [1.0, 0.0], [0.0, 2.0], [0.0, 0.0]];
/// assert_eq!(convex_hull(&square), [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]);
/// ```
pub fn convex_hull(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let finite = points.iter().filter(|point| point[0].is_finite() && point[1].is_finite());
    // Adding 0 makes one zero of two, which compare as different otherwise.
    let mut sorted: Vec<[f64; 2]> = finite.map(|point| [point[0] + 0.0, point[1] + 0.0]).collect();
    sorted.sort_unstable_by(by_place);
    sorted.dedup();
    if sorted.len() < 3 {
        return sorted;
    }
    let mut hull = chain(sorted.iter().copied());
    hull.pop();
    let mut upper = chain(sorted.iter().rev().copied());
    upper.pop();
    hull.append(&mut upper);
    hull
}

/// One side of the hull: the points of the sequence at which it turns to the left, with both ends.
fn chain(sorted: impl Iterator<Item = [f64; 2]>) -> Vec<[f64; 2]> {
    let mut corners: Vec<[f64; 2]> = Vec::new();
    for point in sorted {
        while let [.., before, last] = corners[..]
            && turn(before, last, point) <= 0.0
        {
            corners.pop();
        }
        corners.push(point);
    }
    corners
}

/// Area of a simple polygon, positive when its corners go round counter-clockwise; 0 below three corners.
///
/// ```
/// use uavgen_geometry::polygon_area;
/// assert_eq!(polygon_area(&[[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]]), 6.0);
/// assert_eq!(polygon_area(&[[0.0, 0.0], [3.0, 0.0]]), 0.0);
/// ```
pub fn polygon_area(corners: &[[f64; 2]]) -> f64 {
    let Some((&origin, others)) = corners.split_first() else { return 0.0 };
    // Triangles from one corner keep digits that coordinates far from the origin would lose.
    others.windows(2).map(|edge| turn(origin, edge[0], edge[1])).sum::<f64>() / 2.0
}

/// The common part of two convex polygons with counter-clockwise corners; fewer than three corners when they share no
/// area.
///
/// Sutherland and Hodgman, Reentrant Polygon Clipping, 1974: `own` is cut by every edge of `other` in turn.
///
/// ```
/// use uavgen_geometry::{common_polygon, polygon_area};
/// let square = |x: f64| [[x, 0.0], [x + 2.0, 0.0], [x + 2.0, 2.0], [x, 2.0]];
/// assert_eq!(polygon_area(&common_polygon(&square(0.0), &square(1.5))), 1.0);
/// assert!(common_polygon(&square(0.0), &square(3.0)).is_empty());
/// ```
pub fn common_polygon(own: &[[f64; 2]], other: &[[f64; 2]]) -> Vec<[f64; 2]> {
    if own.len() < 3 || other.len() < 3 {
        return Vec::new();
    }
    let mut common = own.to_vec();
    for index in 0..other.len() {
        let (start, end) = (other[index], other[(index + 1) % other.len()]);
        common = left_of(&common, start, end);
    }
    common
}

/// The part of a convex polygon that lies to the left of a line.
fn left_of(polygon: &[[f64; 2]], start: [f64; 2], end: [f64; 2]) -> Vec<[f64; 2]> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for index in 0..polygon.len() {
        let (here, next) = (polygon[index], polygon[(index + 1) % polygon.len()]);
        let (side, next_side) = (turn(start, end, here), turn(start, end, next));
        if side >= 0.0 {
            kept.push(here);
        }
        if (side > 0.0 && next_side < 0.0) || (side < 0.0 && next_side > 0.0) {
            let share = side / (side - next_side);
            kept.push([0, 1].map(|axis| here[axis] + share * (next[axis] - here[axis])));
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Points on a small grid: duplicates and points of one line come up often.
    fn grid_points() -> impl Strategy<Value = Vec<[f64; 2]>> {
        prop::collection::vec((-6..6i32, -6..6i32).prop_map(|(x, y)| [f64::from(x), f64::from(y)]), 0..24)
    }

    #[test]
    fn sets_without_area_have_their_ends() {
        assert!(convex_hull(&[]).is_empty());
        assert!(convex_hull(&[[f64::NAN, 0.0], [0.0, f64::INFINITY]]).is_empty());
        assert_eq!(convex_hull(&[[3.0, 4.0]; 5]), [[3.0, 4.0]]);
        assert_eq!(convex_hull(&[[0.0, -0.0], [-0.0, 0.0]]), [[0.0, 0.0]]);
        let line: Vec<[f64; 2]> = (0..9).rev().map(|step| [f64::from(step), 2.0 * f64::from(step)]).collect();
        assert_eq!(convex_hull(&line), [[0.0, 0.0], [8.0, 16.0]]);
    }

    #[test]
    fn common_part_of_a_square_and_its_turned_copy_is_an_octagon() {
        let square = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let diamond = [[0.0, -2f64.sqrt()], [2f64.sqrt(), 0.0], [0.0, 2f64.sqrt()], [-2f64.sqrt(), 0.0]];
        let common = common_polygon(&square, &diamond);
        assert_eq!(common.len(), 8);
        assert!((polygon_area(&common) - 8.0 * (2f64.sqrt() - 1.0)).abs() < 1e-12);
    }

    #[test]
    fn polygons_that_touch_share_no_area() {
        let square = |x: f64| [[x, 0.0], [x + 1.0, 0.0], [x + 1.0, 1.0], [x, 1.0]];
        assert_eq!(polygon_area(&common_polygon(&square(0.0), &square(1.0))), 0.0);
    }

    proptest! {
        #[test]
        fn hull_holds_every_point_and_turns_left_at_each_corner(points in grid_points()) {
            let hull = convex_hull(&points);
            prop_assert!(hull.iter().all(|corner| points.contains(corner)));
            if hull.len() > 2 {
                for index in 0..hull.len() {
                    let (a, b, c) = (hull[index], hull[(index + 1) % hull.len()], hull[(index + 2) % hull.len()]);
                    prop_assert!(turn(a, b, c) > 0.0);
                    prop_assert!(points.iter().all(|&point| turn(a, b, point) >= 0.0));
                }
            }
        }

        #[test]
        fn common_part_is_symmetric_and_within_both(first in grid_points(), second in grid_points()) {
            let (own, other) = (convex_hull(&first), convex_hull(&second));
            let area = polygon_area(&common_polygon(&own, &other)).max(0.0);
            prop_assert!(area <= polygon_area(&own).min(polygon_area(&other)) + 1e-9);
            prop_assert!((area - polygon_area(&common_polygon(&other, &own)).max(0.0)).abs() < 1e-9);
            prop_assert!((polygon_area(&common_polygon(&own, &own)) - polygon_area(&own)).abs() < 1e-9);
        }
    }
}
