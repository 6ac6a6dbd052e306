//! The ground: a slope with low hills, cut into cells along the borders of roads and paved areas.
//!
//! The surface is the triangles of the cells and nothing smoother, so that the height of the ground is exact.

use crate::plane::{Point, point};
use crate::town::class::TownClass;
use crate::town::surface::Surface;
use std::ops::Range;

/// The mesh reaches this far from the middle of the town, in metres along both of its axes.
pub(crate) const REACH: f64 = 136.0;
/// Largest side of a cell, in metres.
const STEP: f64 = 8.0;
/// Rise to the east and to the north, in metres per metre.
const SLOPE: Point = point(0.03, 0.015);
/// Where the first axis of the town points: about 16 degrees north of east.
const ALONG: Point = point(0.96, 0.28);

/// A place or direction in the axes of the town as one east and north.
pub(crate) fn from_town(town: Point) -> Point {
    ALONG * town.x + ALONG.left() * town.y
}

/// A place or direction east and north as one in the axes of the town.
pub(crate) fn to_town(ground: Point) -> Point {
    point(ground.dot(ALONG), ground.dot(ALONG.left()))
}

/// A rectangle of the ground, in the axes of the town.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Area {
    pub(crate) name: &'static str,
    pub(crate) class: TownClass,
    pub(crate) low: Point,
    pub(crate) high: Point,
}

impl Area {
    /// Corners, counter-clockwise, east and north.
    pub(crate) fn corners(&self) -> [Point; 4] {
        let (low, high) = (self.low, self.high);
        [low, point(high.x, low.y), high, point(low.x, high.y)].map(from_town)
    }
}

/// A round hill; a hollow where the height is negative.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hill {
    /// East and north.
    pub(crate) top: Point,
    pub(crate) radius: f64,
    pub(crate) height: f64,
}

/// The ground of the town.
#[derive(Debug)]
pub(crate) struct Ground {
    /// Borders of the cells along the first axis of the town.
    columns: Vec<f64>,
    /// Borders of the cells along the second axis.
    rows: Vec<f64>,
    /// Heights of the corners of the cells, row by row.
    heights: Vec<f64>,
    /// Later ones lie over earlier ones.
    areas: Vec<Area>,
}

impl Ground {
    pub(crate) fn new(areas: Vec<Area>, hills: &[Hill]) -> Ground {
        let columns = borders(areas.iter().flat_map(|area| [area.low.x, area.high.x]));
        let rows = borders(areas.iter().flat_map(|area| [area.low.y, area.high.y]));
        let corners = rows.iter().flat_map(|&y| columns.iter().map(move |&x| from_town(point(x, y))));
        let heights = corners.map(|corner| relief(corner, hills)).collect();
        Ground { columns, rows, heights, areas }
    }

    /// The areas, later ones over earlier ones.
    pub(crate) fn areas(&self) -> &[Area] {
        &self.areas
    }

    /// Height of the surface at a place, in metres. Beyond the mesh its last cell goes on.
    pub(crate) fn height_at(&self, ground: Point) -> f64 {
        let town = to_town(ground);
        let (column, x) = cell_of(&self.columns, town.x);
        let (row, y) = cell_of(&self.rows, town.y);
        let [low, right, far, left] = self.corners(column, row).map(|corner| self.heights[corner]);
        if x >= y { low + x * (right - low) + y * (far - right) } else { low + y * (left - low) + x * (far - left) }
    }

    /// Lowest height along a closed line, in metres, to a centimetre or so: every quarter of a metre is looked at.
    pub(crate) fn lowest_along(&self, outline: &[Point]) -> f64 {
        let sides = outline.iter().zip(outline.iter().cycle().skip(1));
        let heights = sides.flat_map(|(&from, &to)| {
            let steps = ((to - from).length() * 4.0).ceil();
            (0..steps as u32).map(move |step| self.height_at(from + (to - from) * (f64::from(step) / steps)))
        });
        heights.fold(f64::INFINITY, f64::min)
    }

    /// What the ground is at a place.
    pub(crate) fn class_at(&self, ground: Point) -> TownClass {
        let town = to_town(ground);
        let holds =
            |area: &&Area| (area.low.x..area.high.x).contains(&town.x) && (area.low.y..area.high.y).contains(&town.y);
        self.areas.iter().rev().find(holds).map_or(TownClass::Grass, |area| area.class)
    }

    /// Adds the cells, two triangles each, to a surface.
    pub(crate) fn add_to(&self, surface: &mut Surface, skin_of: impl Fn(TownClass) -> u32) {
        let first = surface.vertex_count();
        let corners = self.rows.iter().flat_map(|&y| self.columns.iter().map(move |&x| from_town(point(x, y))));
        for (corner, &height) in corners.zip(&self.heights) {
            surface.vertex([corner.x, corner.y, height]);
        }
        for row in range_of(&self.rows) {
            for column in range_of(&self.columns) {
                let [low, right, far, left] = self.corners(column, row).map(|corner| first + corner as u32);
                let middle = |borders: &[f64], cell: usize| (borders[cell] + borders[cell + 1]) / 2.0;
                let middle = point(middle(&self.columns, column), middle(&self.rows, row));
                let skin = skin_of(self.class_at(from_town(middle)));
                surface.face([low, right, far], skin);
                surface.face([low, far, left], skin);
            }
        }
    }

    /// Corners of a cell, counter-clockwise.
    fn corners(&self, column: usize, row: usize) -> [usize; 4] {
        let low = row * self.columns.len() + column;
        [low, low + 1, low + self.columns.len() + 1, low + self.columns.len()]
    }
}

fn range_of(borders: &[f64]) -> Range<usize> {
    0..borders.len() - 1
}

/// The stated borders, those of the mesh, and enough between them that no cell is longer than a step.
fn borders(stated: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut stated: Vec<f64> = stated.chain([-REACH, REACH]).collect();
    stated.sort_by(f64::total_cmp);
    stated.dedup();
    let mut borders = vec![-REACH];
    for pair in stated.windows(2) {
        let cells = ((pair[1] - pair[0]) / STEP).ceil();
        borders.extend((1..=cells as u32).map(|cell| pair[0] + (pair[1] - pair[0]) * f64::from(cell) / cells));
    }
    borders
}

/// The cell that holds a value, and the share of the cell before it.
fn cell_of(borders: &[f64], value: f64) -> (usize, f64) {
    let cell = borders.partition_point(|&border| border <= value).clamp(1, borders.len() - 1) - 1;
    (cell, (value - borders[cell]) / (borders[cell + 1] - borders[cell]))
}

/// Height that the corners of the cells get.
fn relief(ground: Point, hills: &[Hill]) -> f64 {
    let rise = |hill: &Hill| {
        let offset = ground - hill.top;
        let share = (1.0 - offset.dot(offset) / (hill.radius * hill.radius)).max(0.0);
        hill.height * share * share
    };
    ground.dot(SLOPE) + hills.iter().map(rise).sum::<f64>()
}
