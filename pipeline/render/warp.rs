//! Triangles to pixels through a lens that distorts.
//!
//! Every pixel asks on its own ray whether it meets the face. A ray on an edge belongs to the side on which the edge, taken
//! from its upper end (of equal ones the left), is positive, so that again each pixel has one face. A row of pixels is a
//! slightly bent curve over the face: where an edge is sure to be crossed once, the crossing is searched for and what lies
//! between two of them is filled without asking.

use crate::lens::{Lens, RayRow};
use crate::raster::Plane;
use crate::target::{Band, Target};
use crate::view::Projected;
use std::ops::Range;

/// Up to this many columns asking every pixel costs less than searching for crossings.
const NARROW: usize = 8;

/// Draws a face within the pixels that it can reach.
pub(crate) fn draw_through<T: Target>(
    corners: [&Projected; 3],
    [left, right, top, bottom]: [usize; 4],
    lens: &Lens,
    band: Band,
    face: u32,
    target: &mut T,
) {
    let (top, bottom) = (top.max(band.top), bottom.min(band.bottom));
    if top >= bottom || left >= right {
        return;
    }
    let [a, b, c] = corners;
    let Some(plane) = Plane::through(a, b, c) else { return };
    let mut sides = [Side::new(a, b, c), Side::new(b, c, a), Side::new(c, a, b)];
    let (curves, shifts) = lens.rays();
    let (width, is_narrow) = (lens.width(), right - left <= NARROW);
    if !is_narrow {
        sides.iter_mut().for_each(|side| side.guess_by(&curves[top]));
    }
    for row in top..bottom {
        let rays = RowRays { shifts: &shifts[row * width..][..width], y: row as i32 as f64 + 0.5 };
        // Where the lens shows nothing no pixel holds.
        let columns =
            if is_narrow { Within::Some(left..right) } else { within(&sides, &rays, &curves[row], left..right) };
        match columns {
            Within::All(columns) => fill(&plane, &rays, columns, row - band.top, face, target),
            Within::Some(columns) => {
                for column in columns {
                    let (x, y) = rays.at(column);
                    if sides.iter().all(|side| side.holds((x, y))) {
                        let inverse_z = plane.clamped(plane.at(x, y)) as f32;
                        target.span(row - band.top, column, 1, inverse_z, 0.0, face);
                    }
                }
            }
        }
    }
}

/// Where the pixels of a row look in the pinhole image.
struct RowRays<'a> {
    shifts: &'a [[f32; 2]],
    y: f64,
}

impl RowRays<'_> {
    #[inline(always)]
    fn at(&self, column: usize) -> (f64, f64) {
        let [along, down] = self.shifts[column].map(f64::from);
        (column as i32 as f64 + 0.5 + along, self.y + down)
    }
}

/// The columns of a row that lie within a face.
enum Within {
    /// These and no others.
    All(Range<usize>),
    /// Some of these.
    Some(Range<usize>),
}

/// Narrows a row down to the columns within three sides.
#[inline(always)]
fn within(sides: &[Side; 3], rays: &RowRays<'_>, curve: &RayRow, columns: Range<usize>) -> Within {
    let mut columns = columns.start.max(curve.first)..columns.end.min(curve.end);
    if columns.is_empty() || !curve.is_whole {
        return Within::Some(columns);
    }
    let mut is_sure = true;
    for side in sides {
        let [slowest, fastest] = side.steps(curve);
        let (start, length) = (side.value(rays.at(columns.start)), (columns.len() - 1) as i32 as f64);
        let (low, high) = (start + length * slowest.min(0.0), start + length * fastest.max(0.0));
        if low >= 0.0 || high < 0.0 {
            // The whole row is on one side.
            if side.is_positive != (low >= 0.0) {
                return Within::All(0..0);
            }
            continue;
        }
        if slowest <= 0.0 && fastest >= 0.0 {
            is_sure = false;
            continue;
        }
        let is_rising = slowest > 0.0;
        let crossing = side.crossing(rays, &columns, start, is_rising);
        if is_rising == side.is_positive {
            columns.start = crossing;
        } else {
            columns.end = crossing;
        }
        if columns.is_empty() {
            return Within::All(0..0);
        }
    }
    if is_sure { Within::All(columns) } else { Within::Some(columns) }
}

/// Offers a face to columns of a row that lie within it.
#[inline(always)]
fn fill<T: Target>(plane: &Plane, rays: &RowRays<'_>, columns: Range<usize>, row: usize, face: u32, target: &mut T) {
    let start = columns.start;
    let Some(&[along, down]) = rays.shifts[columns.clone()].first() else { return };
    // Exact at the first pixel; from there on by what is small, in f32.
    let (x, y) = rays.at(start);
    let (first, right, below) = (plane.at(x, y) as f32, plane.along as f32, plane.down as f32);
    let (low, high) = (plane.low as f32, plane.high as f32);
    let inverse_z = |(index, shift): (usize, &[f32; 2])| {
        let inverse_z = first + right * (index as i32 as f32 + (shift[0] - along)) + below * (shift[1] - down);
        let inverse_z = if inverse_z > low { inverse_z } else { low };
        if inverse_z < high { inverse_z } else { high }
    };
    target.values(row, start, rays.shifts[columns].iter().enumerate().map(inverse_z), face);
}

/// The side of an edge on which a face lies.
struct Side {
    x: f64,
    y: f64,
    along: f64,
    down: f64,
    is_positive: bool,
    /// Columns per step of the value, about.
    per_step: f64,
}

impl Side {
    #[inline(always)]
    fn new(from: &Projected, to: &Projected, opposite: &Projected) -> Self {
        let is_in_order = from.y < to.y || (from.y == to.y && from.x <= to.x);
        let (upper, lower) = if is_in_order { (from, to) } else { (to, from) };
        let (along, down) = (lower.x - upper.x, lower.y - upper.y);
        let side = Self { x: upper.x, y: upper.y, along, down, is_positive: true, per_step: 0.0 };
        Self { is_positive: side.value((opposite.x, opposite.y)) >= 0.0, ..side }
    }

    #[inline(always)]
    fn value(&self, (x, y): (f64, f64)) -> f64 {
        (x - self.x) * self.down - (y - self.y) * self.along
    }

    /// NaN, where a lens shows nothing, is on no side.
    #[inline(always)]
    fn holds(&self, place: (f64, f64)) -> bool {
        let value = self.value(place);
        if self.is_positive { value >= 0.0 } else { value < 0.0 }
    }

    /// Lowest and highest step of the value from one column to the next, with room for rounding.
    #[inline(always)]
    fn steps(&self, curve: &RayRow) -> [f64; 2] {
        // An edge runs down, or level, so only its other part may have either sign.
        let ([right_low, right_high], [a, b]) = (curve.along, curve.down.map(|down| down * self.along));
        let (down_low, down_high) = if a < b { (a, b) } else { (b, a) };
        let room = 1e-9 * (self.down + self.along.abs());
        [right_low * self.down - down_high - room, right_high * self.down - down_low + room]
    }

    /// Takes the steps of a row as those of its neighbours too: good enough to guess where they cross.
    fn guess_by(&mut self, curve: &RayRow) {
        let [slowest, fastest] = self.steps(curve);
        self.per_step = 2.0 / (slowest + fastest);
    }

    /// The first column at which a value that rises (or falls) all along is not negative (or is).
    #[inline(always)]
    fn crossing(&self, rays: &RowRays<'_>, columns: &Range<usize>, start: f64, is_rising: bool) -> usize {
        let is_past = |column: usize| (self.value(rays.at(column)) >= 0.0) == is_rising;
        let guess = (-start * self.per_step).clamp(0.0, columns.len() as i32 as f64) as usize;
        let mut column = columns.start + guess;
        // The guess is off by a pixel or two, for the curve is nearly straight.
        while column > columns.start && is_past(column - 1) {
            column -= 1;
        }
        while column < columns.end && !is_past(column) {
            column += 1;
        }
        column
    }
}
