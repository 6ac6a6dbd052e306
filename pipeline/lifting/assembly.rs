//! Which components are parts of one object.
//!
//! What stands in front of an object cuts its mask in two, and the far end of an object may show without what joins it
//! to the rest. Two objects of a class keep a distance on the ground; parts that keep none are one object.

use crate::LiftOptions;
use crate::cloud::Cloud;
use crate::components::{Component, Roots};
use crate::ground::GroundPlane;
use kiddo::{ImmutableKdTree, SquaredEuclidean};
use uavgen_geometry::{common_polygon, convex_hull};

/// Parts are compared where their image boxes are this many pixels apart or less.
const MARGIN_PX: u32 = 24;

/// Points are this share nearer to each other than objects are: both sides of a gap are seen with noise, and rims of
/// the ground narrow it.
const GAP_SHARE: f64 = 0.75;

/// Share of the points of a part that must be near the other one: a few may be there by noise, or be ground that the
/// mask has at its rim.
const NEAR_SHARE: f64 = 0.03;

/// A component, its points and the ground near it.
#[derive(Debug)]
pub(crate) struct Part<'a> {
    pub(crate) component: &'a Component,
    pub(crate) cloud: Cloud,
    pub(crate) ground: Option<GroundPlane>,
    /// Hull of the points on the ground plane.
    pub(crate) hull: Vec<[f64; 2]>,
    /// Height of the highest point.
    top_m: f64,
}

impl<'a> Part<'a> {
    pub(crate) fn new(component: &'a Component, cloud: Cloud, ground: Option<GroundPlane>) -> Self {
        let flat: Vec<[f64; 2]> = cloud.points.iter().map(|point| [point[0], point[1]]).collect();
        let top_m = cloud.points.iter().map(|point| point[2]).fold(f64::NEG_INFINITY, f64::max);
        Self { component, cloud, ground, hull: convex_hull(&flat), top_m }
    }
}

/// The parts of each object by their places, objects in the order of their first parts.
pub(crate) fn assemble(parts: &[Part], options: &LiftOptions) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|&place| (parts[place].component.class, parts[place].component.columns.start, place));
    let mut roots = Roots::new(parts.len());
    for (index, &own) in order.iter().enumerate() {
        let part = &parts[own];
        let reach = part.component.columns.end + MARGIN_PX;
        let others = order[index + 1..].iter().take_while(|&&other| {
            let other = parts[other].component;
            other.class == part.component.class && other.columns.start <= reach
        });
        for &other in others {
            if roots.find(own) != roots.find(other) && is_one_object(part, &parts[other], options) {
                roots.join(own, other);
            }
        }
    }
    let mut objects: Vec<Vec<usize>> = Vec::new();
    let mut object_of_root = vec![usize::MAX; parts.len()];
    for place in 0..parts.len() {
        let root = roots.find(place);
        if root == place {
            object_of_root[root] = objects.len();
            objects.push(Vec::new());
        }
        objects[object_of_root[root]].push(place);
    }
    objects
}

fn is_one_object(a: &Part, b: &Part, options: &LiftOptions) -> bool {
    let (rows, others) = (&a.component.rows, &b.component.rows);
    if a.hull.is_empty() || b.hull.is_empty() {
        return false;
    }
    if rows.start > others.end + MARGIN_PX || others.start > rows.end + MARGIN_PX {
        return false;
    }
    let (low, high) = if a.top_m < b.top_m { (a, b) } else { (b, a) };
    if high.top_m - low.top_m > options.step_m {
        // The foot of a tower is part of it, the house beside it is not.
        return low.hull.iter().all(|corner| distance_to_hull(*corner, &high.hull) < options.gap_m);
    }
    let limit = GAP_SHARE * options.gap_m;
    hull_distance(&a.hull, &b.hull) < limit && distance_m(a, b) < limit
}

/// Distance of two convex polygons; 0 where they overlap.
fn hull_distance(own: &[[f64; 2]], other: &[[f64; 2]]) -> f64 {
    if !common_polygon(own, other).is_empty() {
        return 0.0;
    }
    let to = |points: &[[f64; 2]], hull: &[[f64; 2]]| {
        points.iter().map(|point| distance_to_hull(*point, hull)).fold(f64::INFINITY, f64::min)
    };
    to(own, other).min(to(other, own))
}

/// Distance of a point to a convex polygon; 0 inside.
fn distance_to_hull(point: [f64; 2], hull: &[[f64; 2]]) -> f64 {
    let mut is_inside = hull.len() > 2;
    let mut nearest = f64::INFINITY;
    for index in 0..hull.len() {
        let (start, end) = (hull[index], hull[(index + 1) % hull.len()]);
        let (edge, offset) = ([end[0] - start[0], end[1] - start[1]], [point[0] - start[0], point[1] - start[1]]);
        is_inside &= edge[0] * offset[1] - edge[1] * offset[0] >= 0.0;
        let length2 = edge[0] * edge[0] + edge[1] * edge[1];
        let share =
            if length2 > 0.0 { ((edge[0] * offset[0] + edge[1] * offset[1]) / length2).clamp(0.0, 1.0) } else { 0.0 };
        nearest = nearest.min((offset[0] - share * edge[0]).hypot(offset[1] - share * edge[1]));
    }
    if is_inside { 0.0 } else { nearest }
}

/// Distance of two parts on the ground plane: that within which a share of the points of the one have a point of the
/// other.
fn distance_m(a: &Part, b: &Part) -> f64 {
    let (few, many) = if a.cloud.points.len() < b.cloud.points.len() { (a, b) } else { (b, a) };
    let flat: Vec<[f64; 2]> = many.cloud.points.iter().map(|point| [point[0], point[1]]).collect();
    // A tree is refused only for points that are too many or not finite.
    let Ok(tree) = ImmutableKdTree::<f64, 2>::new_from_slice(&flat) else { return f64::INFINITY };
    let nearest =
        |point: &[f64; 3]| tree.query(&[point[0], point[1]]).nearest_one::<SquaredEuclidean<f64>>().execute().distance;
    let mut squares: Vec<f64> = few.cloud.points.iter().map(nearest).collect();
    let place = (NEAR_SHARE * squares.len() as f64) as usize;
    if squares.is_empty() { f64::INFINITY } else { squares.select_nth_unstable_by(place, f64::total_cmp).1.sqrt() }
}
