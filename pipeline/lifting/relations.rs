//! How the objects of a frame lie to each other: pairs, what lies between two, and rows.
//!
//! All of it is of the upright boxes and seen from above, apart from heights. Neighbours come from a k-d tree, so that the work
//! grows with the objects and not with their pairs.

mod between;
mod pairs;
mod places;
mod rows;
#[cfg(test)]
mod tests;

use crate::options::check;
use crate::{Instance, LiftingError, Placement};
use places::Places;
use std::num::NonZero;
use uavgen_geometry::Rectangle;

/// An object as far as relations look at it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// Label value of its class; the objects of a row are of one.
    pub class: u16,
    /// Footprint, east and north in metres.
    pub footprint: Rectangle,
    /// Base of its box, metres up.
    pub base_m: f64,
    /// Top of its box, metres up, not below the base; null where it is unknown.
    pub top_m: Option<f64>,
}

/// Options of relations.
#[derive(Debug, Clone, PartialEq)]
pub struct RelationOptions {
    /// Objects are a pair whose footprint centres are at most this many metres apart.
    pub within_m: f64,
    /// Objects are a pair where one is among so many nearest ones of the other.
    pub nearest: NonZero<u32>,
    /// Two are near where the gap between them is at most so many sizes: the geometric mean of their lengths.
    pub near_sizes: f64,
    /// The centres of a row lie off its line by at most this share of its mean spacing.
    pub row_deviation_share: f64,
    /// Each spacing of a row differs from the mean one by at most this share of it.
    pub row_spacing_share: f64,
}

impl Default for RelationOptions {
    fn default() -> Self {
        Self {
            within_m: 50.0,
            nearest: NonZero::<u32>::MIN.saturating_add(7),
            near_sizes: 1.0,
            row_deviation_share: 0.1,
            row_spacing_share: 0.25,
        }
    }
}

impl RelationOptions {
    /// Refuses numbers without meaning.
    pub fn check(&self) -> Result<(), LiftingError> {
        let below_half = "[0, 0.5)";
        check("relations_within_m", self.within_m, self.within_m > 0.0 && self.within_m.is_finite(), "(0, infinity)")?;
        check("near_sizes", self.near_sizes, self.near_sizes >= 0.0 && self.near_sizes.is_finite(), "[0, infinity)")?;
        for (option, value) in
            [("row_deviation_share", self.row_deviation_share), ("row_spacing_share", self.row_spacing_share)]
        {
            check(option, value, (0.0..0.5).contains(&value), below_half)?;
        }
        Ok(())
    }
}

/// How two objects lie to each other. The other way round the bearing is turned by π, and above is below.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// Place of the first one among the objects.
    pub subject: usize,
    /// Place of the second one, behind the first.
    pub object: usize,
    /// Distance between the centres of the boxes in metres; null where a top is unknown.
    pub centre_distance_m: Option<f64>,
    /// Distance between the centres of the footprints over the ground in metres.
    pub ground_distance_m: f64,
    /// Distance between the nearest points of the boxes in metres, 0 where they touch; null where it hangs on an unknown top.
    pub gap_m: Option<f64>,
    /// Direction from the subject to the object, clockwise from north, 0 to below 2π; null where their centres coincide.
    pub bearing_rad: Option<f64>,
    /// How the subject lies to the object in height; null where it hangs on an unknown top.
    pub vertical: Option<Vertical>,
    /// Whether the gap is small for their sizes; null where it hangs on an unknown top.
    pub is_near: Option<bool>,
}

/// How two boxes lie to each other in height.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vertical {
    /// The base of the subject is higher than the top of the object.
    Above,
    /// The top of the subject is lower than the base of the object.
    Below,
    /// Some height is that of both.
    Level,
}

/// Objects along a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrangement {
    /// What they are.
    pub kind: ArrangementKind,
    /// Their places among the objects, from one end to the other; the end that comes first among the objects is first.
    pub members: Vec<usize>,
    /// Distance between the centres of both ends over the ground in metres.
    pub length_m: f64,
    /// Direction from the first to the last, clockwise from north, 0 to below 2π.
    pub bearing_rad: f64,
    /// Largest distance of a centre from the line between those of both ends, metres.
    pub deviation_m: f64,
    /// Mean way along the line from one centre to the next in metres.
    pub spacing_m: f64,
    /// Largest difference of such a way from the mean in metres.
    pub spacing_deviation_m: f64,
}

/// What objects along a line are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ArrangementKind {
    /// Three, of which the middle one lies between the other two.
    Between,
    /// At least three of one class, in a straight line and evenly spaced.
    Row,
}

/// How the objects of a frame lie to each other.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Relations {
    /// In the order of subjects, then of objects.
    pub pairs: Vec<Pair>,
    /// In the order of kinds, then of members.
    pub arrangements: Vec<Arrangement>,
}

impl From<&Instance> for Standing {
    fn from(own: &Instance) -> Self {
        let upright = own.ground_box;
        let top_m = (own.placement == Placement::Depth).then_some(upright.top_m());
        Self { class: own.class, footprint: upright.footprint(), base_m: upright.base_m(), top_m }
    }
}

impl Standing {
    fn centre(&self) -> [f64; 2] {
        self.footprint.centre()
    }

    /// Half of what the footprint covers along a direction, which is a unit vector.
    fn half_extent(&self, [x, y]: [f64; 2]) -> f64 {
        let (sin, cos) = self.footprint.axis_yaw_rad().sin_cos();
        let along = (x * cos + y * sin).abs() * self.footprint.length();
        let across = (y * cos - x * sin).abs() * self.footprint.width();
        (along + across) / 2.0
    }
}

/// How objects lie to each other. Objects must have finite coordinates.
///
/// A pair is made of an object and one of its nearest, by the distance of their footprint centres. What lies between two is
/// looked for between those pairs. A row goes on from object to object, by steps to one of the nearest of its class.
pub fn relate(objects: &[Standing], options: &RelationOptions) -> Result<Relations, LiftingError> {
    options.check()?;
    let places = Places::new(objects.iter().map(Standing::centre).collect());
    let neighbours = places.neighbours(options);
    let pairs = neighbours.iter().map(|&(subject, object)| pairs::pair(objects, subject, object, options)).collect();
    let mut arrangements = between::betweens(objects, &places, &neighbours);
    arrangements.extend(rows::rows(objects, options));
    Ok(Relations { pairs, arrangements })
}

/// Measures centres along the line from the first to the last; `None` where these two coincide.
fn arrangement(kind: ArrangementKind, members: Vec<usize>, centre: impl Fn(usize) -> [f64; 2]) -> Option<Arrangement> {
    let (first, last) = (centre(*members.first()?), centre(*members.last()?));
    let line = Line::new(first, last)?;
    let (ways, offsets): (Vec<f64>, Vec<f64>) = members.iter().map(|&member| line.measure(centre(member))).unzip();
    let spacing_m = line.length_m / (members.len() - 1) as f64;
    let largest = |values: &mut dyn Iterator<Item = f64>| values.map(f64::abs).fold(0.0, f64::max);
    Some(Arrangement {
        kind,
        length_m: line.length_m,
        bearing_rad: bearing_rad(line.along),
        deviation_m: largest(&mut offsets.into_iter()),
        spacing_m,
        spacing_deviation_m: largest(&mut ways.windows(2).map(|pair| pair[1] - pair[0] - spacing_m)),
        members,
    })
}

/// A straight line over the ground.
struct Line {
    start: [f64; 2],
    /// Unit vector from the start to the end.
    along: [f64; 2],
    length_m: f64,
}

/// Places nearer than this many metres coincide: no direction leads from one to the other.
const COINCIDE_M: f64 = 1e-6;

impl Line {
    fn new(start: [f64; 2], end: [f64; 2]) -> Option<Self> {
        let way = [end[0] - start[0], end[1] - start[1]];
        let length_m = way[0].hypot(way[1]);
        (length_m > COINCIDE_M).then(|| Self { start, along: way.map(|part| part / length_m), length_m })
    }

    /// Unit vector across the line, to the left.
    fn across(&self) -> [f64; 2] {
        [-self.along[1], self.along[0]]
    }

    /// The way along the line and the distance off it, to the left, of a place.
    fn measure(&self, place: [f64; 2]) -> (f64, f64) {
        let way = [place[0] - self.start[0], place[1] - self.start[1]];
        let dot = |axis: [f64; 2]| way[0] * axis[0] + way[1] * axis[1];
        (dot(self.along), dot(self.across()))
    }
}

/// Clockwise from north, 0 to below 2π.
fn bearing_rad([east, north]: [f64; 2]) -> f64 {
    let bearing = east.atan2(north).rem_euclid(std::f64::consts::TAU);
    // What rounding leaves just below 0 becomes 0 and not 2π.
    if bearing < std::f64::consts::TAU { bearing } else { 0.0 }
}
