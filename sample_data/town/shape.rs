//! Shapes of what stands in the town, in the axes of the object: along its axis, to the left of it, up.

use crate::category::Paint;
use crate::model::Block;
use crate::plane::{Point, point};
use crate::raster::Rgb;
use crate::town::surface::{Skin, Surface};

/// How far walls go down into the ground below the lowest ground at them, in metres: so that no gap shows.
pub(crate) const FOOTING: f64 = 0.02;

/// A shape, metres.
#[derive(Debug, Clone)]
pub(crate) enum Shape {
    /// A flat top on an outline (counter-clockwise; all of it in sight from its first corner).
    Prism { outline: Vec<Point>, height: f64, side: Rgb, top: Rgb },
    /// A roof of two slopes, its ridge along the axis.
    Gable { length: f64, width: f64, eaves: f64, ridge: f64, side: Rgb, top: Rgb },
    /// A trunk with a round crown.
    Tree { radius: f64, height: f64, crown: Rgb },
    /// A vehicle.
    Vehicle { blocks: &'static [Block], paint: Paint },
}

/// Where a shape stands: centre, unit axis, height of its foot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stand {
    pub(crate) centre: Point,
    pub(crate) axis: Point,
    pub(crate) foot: f64,
}

impl Stand {
    /// A place in the axes of the object as one east and north.
    pub(crate) fn ground(&self, own: Point) -> Point {
        self.centre + self.axis * own.x + self.axis.left() * own.y
    }

    fn vertex(&self, own: Point, height: f64) -> [f64; 3] {
        let ground = self.ground(own);
        [ground.x, ground.y, self.foot + height]
    }
}

/// A rectangle about the origin, counter-clockwise.
pub(crate) fn rectangle(length: f64, width: f64) -> Vec<Point> {
    let (x, y) = (length / 2.0, width / 2.0);
    vec![point(-x, -y), point(x, -y), point(x, y), point(-x, y)]
}

impl Shape {
    /// Outline on the ground, counter-clockwise.
    pub(crate) fn outline(&self) -> Vec<Point> {
        match self {
            Shape::Prism { outline, .. } => outline.clone(),
            Shape::Gable { length, width, .. } => rectangle(*length, *width),
            Shape::Tree { radius, .. } => rectangle(2.0 * radius, 2.0 * radius),
            Shape::Vehicle { blocks, .. } => {
                let (rear, front) = extent(blocks.iter().flat_map(|block| [block.along.0, block.along.1]));
                let (right, left) = extent(blocks.iter().flat_map(|block| [-block.half_width, block.half_width]));
                vec![point(rear, right), point(front, right), point(front, left), point(rear, left)]
            }
        }
    }

    /// Extent along the axis, across it, and up from the foot, in metres. All shapes lie evenly about their centres.
    pub(crate) fn size(&self) -> [f64; 3] {
        let outline = self.outline();
        let (rear, front) = extent(outline.iter().map(|corner| corner.x));
        let (right, left) = extent(outline.iter().map(|corner| corner.y));
        let height = match self {
            Shape::Prism { height, .. } | Shape::Tree { height, .. } => *height,
            Shape::Gable { ridge, .. } => *ridge,
            Shape::Vehicle { blocks, .. } => extent(blocks.iter().map(|block| block.heights.1)).1,
        };
        [front - rear, left - right, height]
    }

    /// Adds the shape to a surface; `skin` makes the skin of a colour.
    pub(crate) fn add_to(&self, surface: &mut Surface, stand: &Stand, skin: impl Fn(Rgb) -> Skin) {
        match self {
            Shape::Prism { outline, height, side, top } => {
                let (side, top) = (surface.skin(skin(*side)), surface.skin(skin(*top)));
                frustum(surface, stand, (outline, 0.0), (outline, *height), (side, top));
            }
            Shape::Gable { length, width, eaves, ridge, side, top } => {
                let (side, top) = (surface.skin(skin(*side)), surface.skin(skin(*top)));
                gable(surface, stand, [*length, *width, *eaves, *ridge], (side, top));
            }
            Shape::Tree { radius, height, crown } => {
                let (bark, leaves) = (surface.skin(skin([92, 74, 58])), surface.skin(skin(*crown)));
                tree(surface, stand, (*radius, *height), (bark, leaves));
            }
            Shape::Vehicle { blocks, paint } => {
                for block in *blocks {
                    let colours = (block.side.rgb(*paint), block.top.rgb(*paint));
                    let skins = (surface.skin(skin(colours.0)), surface.skin(skin(colours.1)));
                    let (base, top) = (block_outline(block, 0.0), block_outline(block, 1.0));
                    let (low, high) = block.heights;
                    frustum(surface, stand, (&base, low), (&top, high), skins);
                }
            }
        }
    }
}

/// Outline of a block between its base (0) and its top (1).
fn block_outline(block: &Block, share: f64) -> Vec<Point> {
    let (rear, front) = (block.along.0 + block.inset.0 * share, block.along.1 - block.inset.1 * share);
    let side = block.half_width - block.inset.2 * share;
    vec![point(rear, -side), point(front, -side), point(front, side), point(rear, side)]
}

fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((0.0, 0.0), |(low, high), value| (f64::min(low, value), f64::max(high, value)))
}

/// Sides between two outlines of equally many corners, each with its height, and the top.
fn frustum(
    surface: &mut Surface,
    stand: &Stand,
    (base, low): (&[Point], f64),
    (top, high): (&[Point], f64),
    (side_skin, top_skin): (u32, u32),
) {
    let lower: Vec<u32> = base.iter().map(|&corner| surface.vertex(stand.vertex(corner, low))).collect();
    let upper: Vec<u32> = top.iter().map(|&corner| surface.vertex(stand.vertex(corner, high))).collect();
    for corner in 0..lower.len() {
        let next = (corner + 1) % lower.len();
        surface.polygon(&[lower[corner], lower[next], upper[next], upper[corner]], side_skin);
    }
    surface.polygon(&upper, top_skin);
}

fn gable(
    surface: &mut Surface,
    stand: &Stand,
    [length, width, eaves, ridge]: [f64; 4],
    (side_skin, roof_skin): (u32, u32),
) {
    let outline = rectangle(length, width);
    let foot: Vec<u32> = outline.iter().map(|&corner| surface.vertex(stand.vertex(corner, 0.0))).collect();
    let eave: Vec<u32> = outline.iter().map(|&corner| surface.vertex(stand.vertex(corner, eaves))).collect();
    let [rear, front] = [-length / 2.0, length / 2.0].map(|x| surface.vertex(stand.vertex(point(x, 0.0), ridge)));
    for (corner, next) in [(0, 1), (1, 2), (2, 3), (3, 0)] {
        surface.polygon(&[foot[corner], foot[next], eave[next], eave[corner]], side_skin);
    }
    surface.face([eave[1], eave[2], front], side_skin);
    surface.face([eave[3], eave[0], rear], side_skin);
    surface.polygon(&[eave[0], eave[1], front, rear], roof_skin);
    surface.polygon(&[eave[2], eave[3], rear, front], roof_skin);
}

fn tree(surface: &mut Surface, stand: &Stand, (radius, height): (f64, f64), (bark, leaves): (u32, u32)) {
    let trunk = rectangle(0.5, 0.5);
    frustum(surface, stand, (&trunk, 0.0), (&trunk, 0.4 * height), (bark, bark));
    // Height and radius of the rings of the crown, as shares.
    const RINGS: [(f64, f64); 4] = [(0.3, 0.55), (0.5, 1.0), (0.75, 0.85), (0.93, 0.4)];
    let rings = RINGS.map(|(share, width)| (octagon(radius * width), height * share));
    for pair in rings.windows(2) {
        frustum(surface, stand, (&pair[0].0, pair[0].1), (&pair[1].0, pair[1].1), (leaves, leaves));
    }
    let under: Vec<u32> =
        rings[0].0.iter().rev().map(|&corner| surface.vertex(stand.vertex(corner, rings[0].1))).collect();
    surface.polygon(&under, leaves);
    let tip = surface.vertex(stand.vertex(point(0.0, 0.0), height));
    let last: Vec<u32> = rings[3].0.iter().map(|&corner| surface.vertex(stand.vertex(corner, rings[3].1))).collect();
    for corner in 0..last.len() {
        surface.face([last[corner], last[(corner + 1) % last.len()], tip], leaves);
    }
}

fn octagon(radius: f64) -> Vec<Point> {
    const CORNERS: [(f64, f64); 8] =
        [(1.0, 0.0), (0.7, 0.7), (0.0, 1.0), (-0.7, 0.7), (-1.0, 0.0), (-0.7, -0.7), (0.0, -1.0), (0.7, -0.7)];
    CORNERS.map(|(x, y)| point(x, y) * radius).to_vec()
}
