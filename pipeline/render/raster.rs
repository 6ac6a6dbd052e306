//! Triangles to pixels.
//!
//! A pixel belongs to a face when its centre lies in it. Row by row, the centres between the crossings of two edges are
//! filled, from the first at or right of the left crossing to the last left of the right one, and rows likewise from top to
//! bottom (the top-left rule). The crossing of an edge is always computed from its upper end, so two faces that share an edge
//! share its crossings to the last bit: no gap and no overlap. The side from which a face is seen does not matter.
//!
//! One over the depth is linear in the image, so it is what is interpolated and compared.

use crate::view::Projected;

/// How far interpolation may leave the range of its corners by rounding.
const SLACK: f64 = 1e-6;

/// Spans up to this length are filled one by one.
const SHORT_SPAN: usize = 8;

/// Rows of an image that are drawn together.
pub(crate) trait Target {
    /// Offers a face to `length` pixels from a column of a row, with one over its depth at the first and its step.
    fn span(&mut self, row: usize, column: usize, length: usize, inverse_z: f32, step: f32, face: u32);

    /// Offers a face to the pixels from a column of a row, with one over its depth at each.
    fn values(&mut self, row: usize, column: usize, inverse_z: &[f32], face: u32);
}

/// The nearest depth alone.
pub(crate) struct DepthRows<'a> {
    pub(crate) width: usize,
    pub(crate) inverse_z: &'a mut [f32],
}

/// The nearest depth and whose it is; of equal depths the lower face number wins.
pub(crate) struct FaceRows<'a> {
    pub(crate) width: usize,
    pub(crate) inverse_z: &'a mut [f32],
    pub(crate) faces: &'a mut [u32],
}

impl Target for DepthRows<'_> {
    #[inline(always)]
    fn span(&mut self, row: usize, column: usize, length: usize, inverse_z: f32, step: f32, _: u32) {
        let pixels = &mut self.inverse_z[row * self.width + column..][..length];
        let offer = |(index, pixel): (usize, &mut f32)| {
            let offered = inverse_z + index as i32 as f32 * step;
            *pixel = if offered > *pixel { offered } else { *pixel };
        };
        if length <= SHORT_SPAN {
            // Two million faces of a few pixels each: setting up wide registers would cost more than it saves.
            let mut index = 0;
            while index < length {
                offer((index, &mut pixels[index]));
                index += 1;
            }
        } else {
            pixels.iter_mut().enumerate().for_each(offer);
        }
    }

    #[inline(always)]
    fn values(&mut self, row: usize, column: usize, inverse_z: &[f32], _: u32) {
        let pixels = &mut self.inverse_z[row * self.width + column..][..inverse_z.len()];
        for (pixel, &offered) in pixels.iter_mut().zip(inverse_z) {
            *pixel = if offered > *pixel { offered } else { *pixel };
        }
    }
}

impl Target for FaceRows<'_> {
    #[inline(always)]
    fn span(&mut self, row: usize, column: usize, length: usize, inverse_z: f32, step: f32, face: u32) {
        let start = row * self.width + column;
        let pixels = self.inverse_z[start..][..length].iter_mut().zip(&mut self.faces[start..][..length]);
        for (index, (pixel, owner)) in pixels.enumerate() {
            let offered = inverse_z + index as i32 as f32 * step;
            let wins = offered > *pixel || (offered == *pixel && face < *owner);
            *pixel = if wins { offered } else { *pixel };
            *owner = if wins { face } else { *owner };
        }
    }

    #[inline(always)]
    fn values(&mut self, row: usize, column: usize, inverse_z: &[f32], face: u32) {
        let (start, length) = (row * self.width + column, inverse_z.len());
        let pixels = self.inverse_z[start..][..length].iter_mut().zip(&mut self.faces[start..][..length]);
        for ((pixel, owner), &offered) in pixels.zip(inverse_z) {
            let wins = offered > *pixel || (offered == *pixel && face < *owner);
            *pixel = if wins { offered } else { *pixel };
            *owner = if wins { face } else { *owner };
        }
    }
}

/// The part of the image that is drawn: rows from `top` to `bottom` (exclusive), all columns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Band {
    pub(crate) top: usize,
    pub(crate) bottom: usize,
    pub(crate) width: usize,
}

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

/// An edge as what its crossing with a row needs; the same from either end.
struct Edge {
    /// Its upper end, from which it is followed: where several edges start in one point, their crossings with its row are
    /// that point to the last bit.
    x: f64,
    top: f64,
    bottom: f64,
    slope: f64,
}

impl Edge {
    #[inline(always)]
    fn new(from: &Projected, to: &Projected) -> Self {
        let slope = (to.x - from.x) / (to.y - from.y);
        let x = if from.y < to.y { from.x } else { to.x };
        Self { x, top: lower(from.y, to.y), bottom: higher(from.y, to.y), slope }
    }

    /// Where the row crosses the edge, as lowest and highest column so far; rows that pass it by change nothing.
    #[inline(always)]
    fn cross(&self, y: f64, (left, right): (f64, f64)) -> (f64, f64) {
        let x = self.x + (y - self.top) * self.slope;
        let crosses = self.top <= y && y < self.bottom;
        (if crosses && x < left { x } else { left }, if crosses && x > right { x } else { right })
    }
}

/// Draws a face through a pinhole.
#[inline(always)]
pub(crate) fn draw<T: Target>(corners: [&Projected; 3], band: Band, face: u32, target: &mut T) {
    let [a, b, c] = corners;
    let top = first_centre(lower(lower(a.y, b.y), c.y), band.bottom).max(band.top);
    let bottom = first_centre(higher(higher(a.y, b.y), c.y), band.bottom);
    let first = first_centre(lower(lower(a.x, b.x), c.x), band.width);
    let end = first_centre(higher(higher(a.x, b.x), c.x), band.width);
    if top >= bottom || first >= end {
        return;
    }
    let Some(plane) = Plane::through(a, b, c) else { return };
    let edges = [Edge::new(a, b), Edge::new(b, c), Edge::new(c, a)];
    for row in top..bottom {
        let y = row as i32 as f64 + 0.5;
        let crossings = edges.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |found, edge| edge.cross(y, found));
        let (first, end) = (first_centre(crossings.0, band.width), first_centre(crossings.1, band.width));
        if first < end {
            fill(&plane, row - band.top, first, end - first, y, face, target);
        }
    }
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
fn first_centre(edge: f64, side: usize) -> usize {
    // Both comparisons are one instruction each, and NaN becomes a bound.
    let from_centre = lower(higher(edge - 0.5, 0.0), side as i32 as f64);
    let whole = from_centre as i32;
    whole as usize + usize::from(f64::from(whole) < from_centre)
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
