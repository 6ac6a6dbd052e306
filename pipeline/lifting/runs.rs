//! Runs: pixels of a row that belong together, and which runs of two rows do.

use crate::Raster;
use crate::classes::Classes;
use crate::jumps::{Edge, JumpRule};
use crate::smooth::Depth;

/// Two runs belong together for sure where at least this share of the columns that they have in common has no step that
/// could be a jump, and where these are at least so many.
const SURE_SHARE: f64 = 0.75;
const SURE_COLUMNS: u32 = 3;

/// Labels are compared in blocks of this many pixels.
const BLOCK: usize = 32;

/// Neighbouring pixels of one row and one class: columns `start` to below `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// Row of the image.
    pub row: u32,
    /// First column.
    pub start: u32,
    /// Column behind the last.
    pub end: u32,
    /// Class of the pixels.
    pub class: u16,
}

impl Run {
    /// Number of pixels.
    pub fn pixels(&self) -> u32 {
        self.end - self.start
    }
}

/// The runs of a row, by class alone.
pub(crate) fn runs_of_row<L: Copy + PartialEq + Into<u16>>(labels: Raster<L>, classes: &Classes, y: usize) -> Vec<Run> {
    let row = labels.row(y);
    let mut runs = Vec::new();
    let mut start = 0;
    while start < row.len() {
        let end = end_of_label(row, start);
        let class = row[start].into();
        if classes.is_lifted(class) {
            runs.push(Run { row: y as u32, start: start as u32, end: end as u32, class });
        }
        start = end;
    }
    runs
}

/// The runs cut where depth may jump, except in classes that the depth does not show.
pub(crate) fn cut_runs(runs: &[Run], depth: &Depth, classes: &Classes, rule: &JumpRule) -> Vec<Run> {
    let mut parts = Vec::with_capacity(runs.len());
    for run in runs {
        let mut start = run.start;
        if classes.is_in_depth(run.class) {
            cut(depth.row(run.row as usize), run, rule, |column| {
                parts.push(Run { start, end: column, ..*run });
                start = column;
            });
        }
        parts.push(Run { start, ..*run });
    }
    parts
}

/// The column at which the label that starts at a column ends.
fn end_of_label<L: Copy + PartialEq>(row: &[L], start: usize) -> usize {
    let label = row[start];
    let mut end = start + 1;
    while let Some(block) = row.get(end..end + BLOCK)
        && block.iter().fold(true, |same, other| same & (*other == label))
    {
        end += BLOCK;
    }
    row[end..].iter().position(|other| *other != label).map_or(row.len(), |more| end + more)
}

/// Calls back with every column behind a step that may be a jump.
fn cut(depths: &[f32], run: &Run, rule: &JumpRule, mut at: impl FnMut(u32)) {
    // Most steps could not be a jump anywhere, which is told without looking round.
    let own = &depths[run.start as usize..run.end as usize];
    let steps = own.windows(2).zip(run.start + 1..).filter(|(pair, _)| rule.may_be_jump((pair[1] - pair[0]).abs()));
    for (_, column) in steps {
        let x = column as usize;
        if rule.at(x, run.row as usize).may_be_jump(&Edge::of(six_around(depths, x))) {
            at(column);
        }
    }
}

/// The three depths before a column and the three from it on; at the ends of the row the last one again.
fn six_around(depths: &[f32], x: usize) -> [f32; 6] {
    match depths.get(x.wrapping_sub(3)..x + 3) {
        Some(&[a, b, c, d, e, f]) => [a, b, c, d, e, f],
        _ => std::array::from_fn(|place| depths[(x + place).saturating_sub(3).min(depths.len() - 1)]),
    }
}

/// Two runs of one class that touch, by their places in the runs of their rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Contact {
    pub(crate) first: u32,
    /// Of the same row, or of the next.
    pub(crate) second: u32,
    /// Pairs of pixels that touch.
    pub(crate) pairs: u32,
    /// Those without a jump in depth between them.
    pub(crate) meeting: u32,
    /// Pairs of pixels with a side in common, one above the other.
    pub(crate) columns: u32,
    /// Whether the runs belong together for sure.
    pub(crate) is_sure: bool,
}

/// Contacts of the runs of a row with each other: where depth parted them.
pub(crate) fn contacts_in_row(runs: &[Run], depth: &Depth, rule: &JumpRule) -> Vec<Contact> {
    let touching =
        runs.windows(2).enumerate().filter(|(_, pair)| pair[0].end == pair[1].start && pair[0].class == pair[1].class);
    let contact = |(place, pair): (usize, &[Run])| {
        let (x, y) = (pair[1].start as usize, pair[1].row as usize);
        let row = depth.row(y);
        let is_jump = rule.at(x, y).is_jump(&Edge::of(six_around(row, x)));
        let place = place as u32;
        Contact { first: place, second: place + 1, pairs: 1, meeting: u32::from(!is_jump), columns: 0, is_sure: false }
    };
    touching.map(contact).collect()
}

/// Contacts of the runs of a row with those of the next, also at corners.
pub(crate) fn contacts_of_rows(
    upper: &[Run],
    lower: &[Run],
    depth: &Depth,
    classes: &Classes,
    rule: &JumpRule,
) -> Vec<Contact> {
    let mut contacts = Vec::new();
    let mut next = 0;
    for (place, run) in upper.iter().enumerate() {
        while lower.get(next).is_some_and(|other| other.end < run.start) {
            next += 1;
        }
        for (other_place, other) in lower.iter().enumerate().skip(next).take_while(|(_, other)| other.start <= run.end)
        {
            if other.class == run.class {
                let (first, second) = (place as u32, other_place as u32);
                let columns = run.end.min(other.end).saturating_sub(run.start.max(other.start));
                let contact = Contact { first, second, pairs: columns.max(1), meeting: 0, columns, is_sure: true };
                contacts.push(if classes.is_in_depth(run.class) {
                    looked_at(contact, run, other, depth, rule)
                } else {
                    contact
                });
            }
        }
    }
    contacts
}

/// The contact with what the depths say.
fn looked_at(contact: Contact, upper: &Run, lower: &Run, depth: &Depth, rule: &JumpRule) -> Contact {
    let y = upper.row as usize;
    let (start, end) = (upper.start.max(lower.start) as usize, upper.end.min(lower.end) as usize);
    if contact.columns == 0 {
        // They touch at a corner: the last pixel of the left one and the first of the right one.
        let (from, to) = if upper.start < lower.start { (start - 1, start) } else { (start, start - 1) };
        let (from, to) = (depth.at(from, y), depth.at(to, y + 1));
        let is_jump = rule.at(start, y).is_jump(&Edge::bare(from, to));
        return Contact { meeting: u32::from(!is_jump), is_sure: false, ..contact };
    }
    let rows =
        [0, 1, 2, 3, 4, 5].map(|step| &depth.row((y + step).saturating_sub(2).min(depth.rows() - 1))[start..end]);
    let limit = rule.at((start + end) / 2, y);
    let (mut jumps, mut doubts) = (0, 0);
    for place in 0..end - start {
        let edge = Edge::of(rows.map(|row| row[place]));
        jumps += u32::from(limit.is_jump(&edge));
        doubts += u32::from(limit.may_be_jump(&edge));
    }
    let sure = contact.columns - doubts;
    let is_sure = sure >= SURE_COLUMNS && f64::from(sure) >= SURE_SHARE * f64::from(contact.columns);
    Contact { meeting: contact.columns - jumps, is_sure, ..contact }
}
