//! Points that are not of the object.

use crate::components::Roots;
use crate::ground::median;
use kiddo::{ImmutableKdTree, SquaredEuclidean};
use std::num::NonZero;

/// Points that are looked at with their neighbours.
const SAMPLE: usize = 112;

/// Neighbours of a point that count.
const NEIGHBOURS: usize = 6;

/// Points are of one cluster up to this many times the usual distance to the last of the neighbours.
const REACH: f64 = 3.0;

/// A cluster with less than this share of the points is none of the object.
const CLUSTER_SHARE: f64 = 0.1;

/// Leaves the points of the clusters that hold a good share of them, in their order.
///
/// An even sample of the points is put into a k-d tree. Points of the sample that are within reach of each other make a
/// cluster, where the reach follows from how densely most of them lie (after Ester et al., DBSCAN, 1996). Any other
/// point stays where it lies among those that stay: within reach of the box round them, or, where clusters are dropped,
/// nearer to a point that stays than to one that goes.
pub(crate) fn without_outliers(points: Vec<[f64; 3]>) -> Vec<[f64; 3]> {
    let sample = sample_of(&points);
    let Some(neighbours) = NonZero::new(NEIGHBOURS.min(sample.len())) else { return points };
    // A tree is refused only for points that are too many or not finite.
    let Ok(tree) = ImmutableKdTree::<f64, 3>::new_from_slice(&sample) else { return points };
    let near: Vec<Vec<(usize, f64)>> = sample
        .iter()
        .map(|point| {
            let found = tree.query(point).nearest_n::<SquaredEuclidean<f64>>(neighbours).execute();
            found.iter().map(|item| (item.item as usize, item.distance.sqrt())).collect()
        })
        .collect();
    let reach = REACH * median(near.iter().map(|near| near.last().map_or(0.0, |last| last.1)));
    let kept = kept_clusters(&near, reach);
    let (low, high) = bounds(sample.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(point, _)| point));
    let is_near = |point: &[f64; 3]| (0..3).all(|axis| (low[axis] - reach..=high[axis] + reach).contains(&point[axis]));
    let all_kept = kept.iter().all(|kept| *kept);
    let stays = |point: &[f64; 3]| {
        is_near(point)
            && (all_kept || kept[tree.query(point).nearest_one::<SquaredEuclidean<f64>>().execute().item as usize])
    };
    points.into_iter().filter(stays).collect()
}

/// Up to [`SAMPLE`] points: one of each stretch of the sequence, at a place that changes from stretch to stretch, since
/// points of a grid taken at even steps lie on lines.
fn sample_of(points: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let stretches = points.chunks(points.len().div_ceil(SAMPLE).max(1)).enumerate();
    stretches.map(|(number, stretch)| stretch[number.wrapping_mul(0x9E37_79B1) / 64 % stretch.len()]).collect()
}

/// Which points of the sample are in a cluster that stays: the largest, and any other of a good share.
fn kept_clusters(near: &[Vec<(usize, f64)>], reach: f64) -> Vec<bool> {
    let mut roots = Roots::new(near.len());
    for (own, near) in near.iter().enumerate() {
        near.iter().filter(|(_, distance)| *distance <= reach).for_each(|(other, _)| roots.join(own, *other));
    }
    let cluster: Vec<usize> = (0..near.len()).map(|own| roots.find(own)).collect();
    let mut sizes = vec![0; near.len()];
    cluster.iter().for_each(|root| sizes[*root] += 1);
    let largest = sizes.iter().copied().max().unwrap_or(0);
    let least = largest.min((CLUSTER_SHARE * near.len() as f64).ceil() as usize);
    cluster.iter().map(|root| sizes[*root] >= least).collect()
}

/// The lowest and the highest coordinates.
fn bounds<'a>(points: impl Iterator<Item = &'a [f64; 3]>) -> ([f64; 3], [f64; 3]) {
    points.fold(([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]), |(low, high), point| {
        ([0, 1, 2].map(|axis| low[axis].min(point[axis])), [0, 1, 2].map(|axis| high[axis].max(point[axis])))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plate of 40 x 40 points, 0.1 m apart.
    fn plate(x: f64) -> Vec<[f64; 3]> {
        (0..1600).map(|i| [x + f64::from(i % 40) * 0.1, f64::from(i / 40) * 0.1, 2.0]).collect()
    }

    #[test]
    fn far_points_and_small_clusters_go() {
        let mut points = plate(0.0);
        points.extend((0..60).map(|i| [3.0 + f64::from(i) * 0.01, 9.0, 0.0]));
        points.push([50.0, 0.0, 2.0]);
        points.push([1.0, 1.0, -70.0]);
        assert!(without_outliers(points) == plate(0.0));
    }

    #[test]
    fn two_halves_stay() {
        let mut points = plate(0.0);
        points.extend(plate(20.0));
        assert!(without_outliers(points.clone()) == points);
    }

    #[test]
    fn degenerate_sets_stay() {
        for points in [vec![], vec![[1.0, 2.0, 3.0]], vec![[1.0, 2.0, 3.0]; 900], vec![[0.0; 3], [9.0; 3]]] {
            assert!(without_outliers(points.clone()) == points);
        }
        let line: Vec<[f64; 3]> = (0..500).map(|i| [f64::from(i), 0.0, 0.0]).collect();
        assert!(without_outliers(line.clone()) == line);
    }
}
