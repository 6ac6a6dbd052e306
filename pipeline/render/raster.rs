//! Triangles to pixels.
//!
//! A pixel belongs to a face when its centre lies in it. Row by row, the centres between the crossings of two edges are
//! filled, from the first at or right of the left crossing to the last left of the right one, and rows likewise from top to
//! bottom (the top-left rule). The crossing of an edge is always computed from its upper end, so two faces that share an edge
//! share its crossings to the last bit: no gap and no overlap. The side from which a face is seen does not matter.
//!
//! One over the depth is linear in the image, so it is what is interpolated and compared.

use crate::target::{Band, Target};
use crate::view::Projected;

/// How far interpolation may leave the range of its corners by rounding.
const SLACK: f64 = 1e-6;

const TWO_TO_52: f64 = 4_503_599_627_370_496.0;

/// How one over the depth runs over the image plane.
pub(crate) struct Plane {
    x: f64,
    y: f64,
    inverse_z: f64,
    pub(crate) along: f64,
    pub(crate) down: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Plane {
    /// The plane through three corners; null where they lie on a line, where the face is seen edge-on.
    #[inline(always)]
    pub(crate) fn through(a: &Projected, b: &Projected, c: &Projected) -> Option<Self> {
        let (bx, by, bz) = (b.x - a.x, b.y - a.y, b.inverse_z - a.inverse_z);
        let (cx, cy, cz) = (c.x - a.x, c.y - a.y, c.inverse_z - a.inverse_z);
        let area = bx * cy - cx * by;
        if area == 0.0 {
            return None;
        }
        let per_area = 1.0 / area;
        let low = lower(lower(a.inverse_z, b.inverse_z), c.inverse_z) * (1.0 - SLACK);
        let high = higher(higher(a.inverse_z, b.inverse_z), c.inverse_z) * (1.0 + SLACK);
        let (along, down) = ((bz * cy - cz * by) * per_area, (cz * bx - bz * cx) * per_area);
        Some(Self { x: a.x, y: a.y, inverse_z: a.inverse_z, along, down, low, high })
    }

    #[inline(always)]
    pub(crate) fn at(&self, x: f64, y: f64) -> f64 {
        self.inverse_z + self.along * (x - self.x) + self.down * (y - self.y)
    }

    #[inline(always)]
    fn holds(&self, inverse_z: f64) -> bool {
        self.low <= inverse_z && inverse_z <= self.high
    }

    pub(crate) fn clamped(&self, inverse_z: f64) -> f64 {
        // This way round NaN becomes the lower bound.
        lower(higher(inverse_z, self.low), self.high)
    }
}

/// An edge, followed from its upper end: where several edges start in one point, their crossings with its row are that
/// point to the last bit.
struct Edge {
    x: f64,
    y: f64,
    slope: f64,
}

impl Edge {
    #[inline(always)]
    fn new(upper: &Projected, lower: &Projected) -> Self {
        // A level edge crosses no row, so its slope is never used.
        Self { x: upper.x, y: upper.y, slope: (lower.x - upper.x) / (lower.y - upper.y) }
    }

    /// The column at which it crosses a row.
    #[inline(always)]
    fn at(&self, y: f64) -> f64 {
        self.x + (y - self.y) * self.slope
    }
}

/// Draws a face through a pinhole.
#[inline(always)]
pub(crate) fn draw<T: Target>(corners: [&Projected; 3], band: Band, face: u32, target: &mut T) {
    let [a, b, c] = from_top_to_bottom(corners);
    let (width, height) = (band.width as i32 as f64, band.bottom as i32 as f64);
    let (top, bottom) = (first_centre(a.y, height).max(band.top), first_centre(c.y, height));
    let first = first_centre(lower(lower(a.x, b.x), c.x), width);
    let end = first_centre(higher(higher(a.x, b.x), c.x), width);
    if top >= bottom || first >= end {
        return;
    }
    let Some(plane) = Plane::through(corners[0], corners[1], corners[2]) else { return };
    let middle = first_centre(b.y, height).clamp(top, bottom);
    let (long, upper, lower) = (Edge::new(a, c), Edge::new(a, b), Edge::new(b, c));
    for (edge, rows) in [(upper, top..middle), (lower, middle..bottom)] {
        for row in rows {
            let y = row as i32 as f64 + 0.5;
            let (one, other) = (first_centre(long.at(y), width), first_centre(edge.at(y), width));
            let (first, end) = (one.min(other), one.max(other));
            if first < end {
                fill(&plane, row - band.top, first, end - first, y, face, target);
            }
        }
    }
}

#[inline(always)]
fn from_top_to_bottom([a, b, c]: [&Projected; 3]) -> [&Projected; 3] {
    let (a, b) = if b.y < a.y { (b, a) } else { (a, b) };
    let (b, c) = if c.y < b.y { (c, b) } else { (b, c) };
    let (a, b) = if b.y < a.y { (b, a) } else { (a, b) };
    [a, b, c]
}

#[inline(always)]
fn fill<T: Target>(plane: &Plane, row: usize, first: usize, length: usize, y: f64, face: u32, target: &mut T) {
    let start = plane.at(first as i32 as f64 + 0.5, y);
    let end = start + plane.along * (length - 1) as i32 as f64;
    if plane.holds(start) && plane.holds(end) {
        target.span(row, first, length, start as f32, plane.along as f32, face);
    } else {
        // A sliver, seen nearly edge-on: its slope is rounding, its corners are not.
        let (start, end) = (plane.clamped(start), plane.clamped(end));
        let step = (end - start) / (length - 1).max(1) as f64;
        target.span(row, first, length, start as f32, step as f32, face);
    }
}

/// The first pixel whose centre is at or behind an edge, at most `side`.
#[inline(always)]
fn first_centre(edge: f64, side: f64) -> usize {
    // Both comparisons are one instruction each, and NaN becomes a bound.
    let from_centre = lower(higher(edge - 0.5, 0.0), side);
    // Added to 2⁵² a number is rounded to a whole one, which the low bits hold.
    let shifted = from_centre + TWO_TO_52;
    (shifted.to_bits() as u32 + u32::from(shifted - TWO_TO_52 < from_centre)) as usize
}

/// The lower number; the second where one is NaN.
#[inline(always)]
pub(crate) fn lower(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The higher number; the second where one is NaN.
#[inline(always)]
pub(crate) fn higher(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}
