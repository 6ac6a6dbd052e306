//! Places on the ground that are found by where they lie.

use super::RelationOptions;
use kiddo::{ImmutableKdTree, SquaredEuclidean};
use std::collections::BTreeSet;
use std::num::NonZero;

/// The tree is asked for this much more, and what it finds is measured again, so that its rounding decides nothing.
const WIDER: f64 = 1.0 + 1e-9;

/// Numbered places and the tree of them.
pub(super) struct Places {
    places: Vec<[f64; 2]>,
    /// None without places.
    tree: Option<ImmutableKdTree<f64, 2>>,
}

impl Places {
    pub(super) fn new(places: Vec<[f64; 2]>) -> Self {
        // A tree is refused only for points that are too many or not finite.
        let tree = if places.is_empty() { None } else { ImmutableKdTree::new_from_slice(&places).ok() };
        Self { places, tree }
    }

    pub(super) fn at(&self, number: usize) -> [f64; 2] {
        self.places[number]
    }

    /// The numbers of the places within a radius in metres, in order.
    pub(super) fn within(&self, centre: [f64; 2], radius_m: f64) -> Vec<usize> {
        let Some(tree) = &self.tree else { return Vec::new() };
        let found =
            tree.query(&centre).within::<SquaredEuclidean<f64>>(radius_m * radius_m * WIDER).unsorted().execute();
        let numbers = found.iter().map(|item| item.item as usize);
        let mut numbers: Vec<usize> =
            numbers.filter(|number| distance_m(self.places[*number], centre) <= radius_m).collect();
        numbers.sort_unstable();
        numbers
    }

    /// The numbers of the nearest others within a distance in metres, at most `count`, the nearest first; of equally far ones those
    /// with the lower numbers.
    pub(super) fn nearest(&self, own: usize, count: NonZero<u32>, within_m: f64) -> Vec<usize> {
        let (Some(tree), centre) = (&self.tree, self.places[own]) else { return Vec::new() };
        // One more, since the place itself is among them.
        let wanted = NonZero::<usize>::MIN.saturating_add(count.get() as usize);
        let found = tree.query(&centre).nearest_n::<SquaredEuclidean<f64>>(wanted).execute();
        // Which of equally far ones a tree gives is a matter of its inside: all within the distance of the last one are looked at.
        let last = found.iter().map(|item| distance_m(self.places[item.item as usize], centre)).fold(0.0, f64::max);
        let mut others = self.within(centre, last.min(within_m));
        others.retain(|number| *number != own);
        others.sort_by(|a, b| {
            distance_m(self.places[*a], centre).total_cmp(&distance_m(self.places[*b], centre)).then(a.cmp(b))
        });
        others.truncate(count.get() as usize);
        others
    }

    /// Pairs of which one is among the nearest of the other, the lower number first; in order.
    pub(super) fn neighbours(&self, options: &RelationOptions) -> Vec<(usize, usize)> {
        let own = |own: usize| {
            let others = self.nearest(own, options.nearest, options.within_m).into_iter();
            others.map(move |other| (own.min(other), own.max(other)))
        };
        let pairs: BTreeSet<(usize, usize)> = (0..self.places.len()).flat_map(own).collect();
        pairs.into_iter().collect()
    }
}

pub(super) fn distance_m(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}
