//! What lies between two objects.
//!
//! The corridor between two leads from the facing side of one to that of the other along the line of their centres, and is as
//! wide as the narrower of both, seen along that line. What has its centre in it lies between them, and what is so wide that the line
//! itself crosses it.

use super::places::Places;
use super::{Arrangement, ArrangementKind, Line, Standing, arrangement};

/// Objects that reach farther from their centre than this many metres are looked at for every pair: in a tree all others would
/// have to be looked for as far away as the largest one reaches.
const LARGE_M: f64 = 25.0;

/// What lies between the objects of each pair, in the order of the pairs.
pub(super) fn betweens(objects: &[Standing], places: &Places, pairs: &[(usize, usize)]) -> Vec<Arrangement> {
    let reach = |own: &Standing| own.footprint.length().hypot(own.footprint.width()) / 2.0;
    let large: Vec<usize> = (0..objects.len()).filter(|&place| reach(&objects[place]) > LARGE_M).collect();
    let mut found = Vec::new();
    for &(first, last) in pairs {
        let Some(corridor) = Corridor::new(&objects[first], &objects[last]) else { continue };
        let middle = [0, 1].map(|axis| f64::midpoint(places.at(first)[axis], places.at(last)[axis]));
        let radius_m = (corridor.line.length_m / 2.0).hypot(corridor.half_width_m.max(LARGE_M));
        let mut candidates = places.within(middle, radius_m);
        candidates.extend(&large);
        candidates.sort_unstable();
        candidates.dedup();
        let inside = candidates.into_iter().filter(|&own| own != first && own != last && corridor.holds(&objects[own]));
        let members = inside.map(|own| vec![first, own, last]);
        let centre = |place: usize| places.at(place);
        found.extend(members.filter_map(|members| arrangement(ArrangementKind::Between, members, centre)));
    }
    found
}

struct Corridor {
    line: Line,
    /// Ways along the line to the two facing sides.
    from_m: f64,
    to_m: f64,
    half_width_m: f64,
}

impl Corridor {
    /// `None` where the objects leave no room between them.
    fn new(own: &Standing, other: &Standing) -> Option<Self> {
        let line = Line::new(own.centre(), other.centre())?;
        let (from_m, to_m) = (own.half_extent(line.along), line.length_m - other.half_extent(line.along));
        let half_width_m = own.half_extent(line.across()).min(other.half_extent(line.across()));
        (from_m < to_m).then_some(Self { line, from_m, to_m, half_width_m })
    }

    fn holds(&self, own: &Standing) -> bool {
        let (along_m, off_m) = self.line.measure(own.centre());
        along_m > self.from_m
            && along_m < self.to_m
            && (off_m.abs() <= self.half_width_m || off_m.abs() <= own.half_extent(self.line.across()))
    }
}
