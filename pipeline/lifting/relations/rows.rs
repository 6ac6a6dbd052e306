//! Rows: objects of one class in a straight line, evenly spaced.

use super::places::{Places, distance_m};
use super::{Arrangement, ArrangementKind, Line, RelationOptions, Standing, arrangement};
use std::collections::{BTreeMap, BTreeSet};

/// Fewer make no row.
const FEWEST: usize = 3;

/// The rows of all classes, in the order of their members; none is part of another one.
pub(super) fn rows(objects: &[Standing], options: &RelationOptions) -> Vec<Arrangement> {
    let mut classes: BTreeMap<u16, Vec<usize>> = BTreeMap::new();
    for (place, own) in objects.iter().enumerate() {
        classes.entry(own.class).or_default().push(place);
    }
    let of_class = |own: &Vec<usize>| {
        let places = Places::new(own.iter().map(|&place| objects[place].centre()).collect());
        let found = Class { places, options }.rows();
        found.into_iter().map(|row| row.into_iter().map(|number| own[number]).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    let mut found: Vec<Vec<usize>> = classes.values().filter(|own| own.len() >= FEWEST).flat_map(of_class).collect();
    found.sort_unstable();
    let centre = |place: usize| objects[place].centre();
    found.into_iter().filter_map(|row| arrangement(ArrangementKind::Row, row, centre)).collect()
}

/// The objects of one class, numbered.
struct Class<'a> {
    places: Places,
    options: &'a RelationOptions,
}

impl Class<'_> {
    /// Rows by numbers, the end with the lower one first.
    fn rows(&self) -> Vec<Vec<usize>> {
        let steps = self.places.neighbours(self.options);
        let both_ways = steps.into_iter().flat_map(|(a, b)| [[a, b], [b, a]]);
        let found = both_ways.map(|start| self.row_from(start)).filter(|row| row.len() >= FEWEST);
        let forward = |mut row: Vec<usize>| {
            if row.first() > row.last() {
                row.reverse();
            }
            row
        };
        without_parts(found.map(forward).collect())
    }

    /// Goes on from two as far as a row leads.
    fn row_from(&self, [first, second]: [usize; 2]) -> Vec<usize> {
        let mut row = vec![first, second];
        if self.is_clear(first, second) {
            while let Some(next) = self.next(&row) {
                row.push(next);
            }
        }
        row
    }

    /// The one nearest to where the next of a row would be, if the row stays one with it.
    fn next(&self, row: &[usize]) -> Option<usize> {
        let (first, last) = (row[0], row[row.len() - 1]);
        let [from, to] = [first, last].map(|number| self.places.at(number));
        let steps = (row.len() - 1) as f64;
        let step = [0, 1].map(|axis| (to[axis] - from[axis]) / steps);
        let expected = [to[0] + step[0], to[1] + step[1]];
        // The two shares are of the mean spacing of the longer row: a new one may lie off by a little more than both of this one.
        let radius_m =
            2.0 * step[0].hypot(step[1]) * self.options.row_deviation_share.hypot(self.options.row_spacing_share);
        let candidates = self.places.within(expected, radius_m).into_iter().filter(|number| !row.contains(number));
        let next = candidates.min_by(|a, b| {
            distance_m(self.places.at(*a), expected).total_cmp(&distance_m(self.places.at(*b), expected))
        })?;
        let longer: Vec<usize> = row.iter().copied().chain([next]).collect();
        (self.is_row(longer) && self.is_clear(last, next)).then_some(next)
    }

    fn is_row(&self, members: Vec<usize>) -> bool {
        let centre = |number: usize| self.places.at(number);
        arrangement(ArrangementKind::Row, members, centre).is_some_and(|row| {
            row.deviation_m <= self.options.row_deviation_share * row.spacing_m
                && row.spacing_deviation_m <= self.options.row_spacing_share * row.spacing_m
        })
    }

    /// Whether no other one lies on the line between two: each second of a row makes no row.
    fn is_clear(&self, a: usize, b: usize) -> bool {
        let Some(line) = Line::new(self.places.at(a), self.places.at(b)) else { return false };
        let middle = [0, 1].map(|axis| f64::midpoint(self.places.at(a)[axis], self.places.at(b)[axis]));
        let mut others = self.places.within(middle, line.length_m).into_iter().filter(|other| ![a, b].contains(other));
        others.all(|other| {
            let (along_m, off_m) = line.measure(self.places.at(other));
            along_m <= 0.0 || along_m >= line.length_m || off_m.abs() > self.options.row_deviation_share * line.length_m
        })
    }
}

/// Without rows whose members are all in another one.
fn without_parts(rows: BTreeSet<Vec<usize>>) -> Vec<Vec<usize>> {
    let mut longest_first: Vec<Vec<usize>> = rows.into_iter().collect();
    longest_first.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    let mut kept: Vec<(Vec<usize>, BTreeSet<usize>)> = Vec::new();
    let mut rows_of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for row in longest_first {
        let members: BTreeSet<usize> = row.iter().copied().collect();
        let others = rows_of.get(&row[0]).into_iter().flatten();
        if others.into_iter().any(|&other| members.is_subset(&kept[other].1)) {
            continue;
        }
        members.iter().for_each(|member| rows_of.entry(*member).or_default().push(kept.len()));
        kept.push((row, members));
    }
    kept.into_iter().map(|(row, _)| row).collect()
}
