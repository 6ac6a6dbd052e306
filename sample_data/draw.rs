//! Renders a world as a drone camera sees it: ground, shadows, then everything that stands up, farthest first.

use crate::model::{self, Block};
use crate::plane::{Camera, Point, convex_hull, point};
use crate::raster::{Canvas, Rgb};
use crate::world::{Actor, Building, IgnoredArea, Solid, Tree, World, circle};

/// Ground displacement of a shadow per metre of height: the sun stands in the south-west.
const SHADOW: Point = point(0.34, 0.22);
const SHADOW_OPACITY: f32 = 0.42;
const BLACK: Rgb = [12, 14, 22];

/// The picture of a world at a moment.
pub(crate) fn render(world: &World, camera: &Camera, seconds: f64) -> Canvas {
    let mut canvas = Canvas::new(camera.width, camera.height, world.ground);
    draw_ground(&mut canvas, world, camera);
    for area in &world.ignored {
        draw_bicycle_rack(&mut canvas, area, camera);
    }
    let solids = world.solids(camera, seconds);
    for solid in &solids {
        draw_shadow(&mut canvas, solid, camera, seconds);
    }
    for solid in &solids {
        match solid {
            Solid::Building(building) => draw_building(&mut canvas, building, camera),
            Solid::Tree(tree) => draw_tree(&mut canvas, tree, camera),
            Solid::Actor(actor) => draw_actor(&mut canvas, actor, camera, seconds),
        }
    }
    canvas
}

/// Coarse patches of light and dark on the bare ground, a fine grain on everything.
fn draw_ground(canvas: &mut Canvas, world: &World, camera: &Camera) {
    canvas.roughen(camera, world.texture, 6.0, 11.0);
    canvas.roughen(camera, world.texture ^ 1, 1.6, 8.0);
    for patch in &world.patches {
        canvas.fill(&on_ground(&patch.corners(), camera), patch.colour, 1.0);
    }
    canvas.roughen(camera, world.texture ^ 2, 4.0, 4.0);
    canvas.roughen(camera, world.texture ^ 3, 0.9, 1.5);
}

fn on_ground(corners: &[Point], camera: &Camera) -> Vec<Point> {
    convex_hull(&corners.iter().map(|&corner| camera.project(corner, 0.0)).collect::<Vec<_>>())
}

fn draw_shadow(canvas: &mut Canvas, solid: &Solid, camera: &Camera, seconds: f64) {
    let shadow = match solid {
        Solid::Building(building) => {
            let base = building.footprint.corners();
            cast(base.iter().flat_map(|&corner| [(corner, 0.0), (corner, building.height)]), camera)
        }
        Solid::Tree(tree) => {
            let middle = camera.project(tree.foot + SHADOW * tree.crown_height(), 0.0);
            circle(middle, tree.radius * camera.pixels_per_metre)
        }
        Solid::Actor(actor) => {
            let blocks = model::blocks(actor.category).iter();
            cast(blocks.flat_map(|block| actor.block_corners(block, seconds)), camera)
        }
    };
    canvas.fill(&shadow, BLACK, SHADOW_OPACITY);
}

/// Outline of the shadow of points with heights.
fn cast(points: impl Iterator<Item = (Point, f64)>, camera: &Camera) -> Vec<Point> {
    on_ground(&points.map(|(ground, height)| ground + SHADOW * height).collect::<Vec<_>>(), camera)
}

fn draw_actor(canvas: &mut Canvas, actor: &Actor, camera: &Camera, seconds: f64) {
    let mut blocks: Vec<&Block> = model::blocks(actor.category).iter().collect();
    // Lower blocks first; of those that stand beside each other, the farther first.
    let distance = |block: &Block| -actor.heading.dot(camera.up) * (block.along.0 + block.along.1);
    blocks.sort_by(|a, b| level(a).total_cmp(&level(b)).then(distance(a).total_cmp(&distance(b))));
    for block in blocks {
        let corners = actor.block_corners(block, seconds).map(|(ground, height)| camera.project(ground, height));
        canvas.fill(&convex_hull(&corners), block.side.rgb(actor.paint), 1.0);
        canvas.fill(&convex_hull(&corners[4..]), block.top.rgb(actor.paint), 1.0);
    }
}

/// Storey that a block stands on; blocks that start within 60 cm of the ground stand beside each other.
fn level(block: &Block) -> f64 {
    if block.heights.0 < 0.6 { 0.0 } else { block.heights.0 }
}

fn draw_building(canvas: &mut Canvas, building: &Building, camera: &Camera) {
    let roof = building.footprint.colour;
    let corners = building.footprint.corners();
    canvas.fill(&Solid::Building(building).silhouette(camera, 0.0), shade(roof, 0.55), 1.0);
    draw_facades(canvas, building, camera);
    canvas.fill(&roof_area(&corners, 0.0, building.height, camera), shade(roof, 1.12), 1.0);
    canvas.fill(&roof_area(&corners, 0.5, building.height, camera), roof, 1.0);
    draw_roof_details(canvas, building, camera);
}

/// Windows on the walls that face the viewer.
fn draw_facades(canvas: &mut Canvas, building: &Building, camera: &Camera) {
    let corners = building.footprint.corners();
    for side in 0..4 {
        let (from, to) = (corners[side], corners[(side + 1) % 4]);
        let length = (to - from).length();
        let along = (to - from) * (1.0 / length);
        // The outward normal points right of the counter-clockwise walk round the footprint.
        if along.left().dot(camera.up) <= 0.1 {
            continue;
        }
        for storey in 0..(building.height / 3.0) as u32 {
            let sill = f64::from(storey) * 3.0 + 0.9;
            for window in 0..((length - 1.0) / 2.6) as u32 {
                let start = from + along * (1.0 + f64::from(window) * 2.6);
                let pane = [
                    (start, sill),
                    (start + along * 1.4, sill),
                    (start + along * 1.4, sill + 1.4),
                    (start, sill + 1.4),
                ];
                canvas.fill(&convex_hull(&pane.map(|(g, h)| camera.project(g, h))), [58, 66, 76], 0.85);
            }
        }
    }
}

/// Skylights and air handling units along the middle of the roof.
fn draw_roof_details(canvas: &mut Canvas, building: &Building, camera: &Camera) {
    let (low, high) = (building.footprint.low, building.footprint.high);
    let units = ((high.x - low.x) / 5.0) as u32;
    for unit in 0..units {
        let corner = point(low.x + 2.0 + f64::from(unit) * 5.0, low.y + (high.y - low.y) * 0.45);
        let size = if unit % 2 == 0 { point(1.6, 1.2) } else { point(1.0, 2.0) };
        let outline = [corner, corner + point(size.x, 0.0), corner + size, corner + point(0.0, size.y)];
        let lower = outline.map(|c| camera.project(c, building.height));
        let upper = outline.map(|c| camera.project(c, building.height + 0.8));
        canvas.fill(&convex_hull(&[lower, upper].concat()), [112, 114, 116], 1.0);
        canvas.fill(&convex_hull(&upper), [186, 188, 188], 1.0);
    }
}

fn roof_area(corners: &[Point; 4], inset: f64, height: f64, camera: &Camera) -> Vec<Point> {
    let shift = [point(inset, inset), point(-inset, inset), point(-inset, -inset), point(inset, -inset)];
    let lifted: Vec<Point> = corners.iter().zip(shift).map(|(&c, s)| camera.project(c + s, height)).collect();
    convex_hull(&lifted)
}

/// A crown of overlapping round clumps, lit from the south-west.
fn draw_tree(canvas: &mut Canvas, tree: &Tree, camera: &Camera) {
    const CLUMPS: [(f64, f64, f64, f64); 6] = [
        (0.0, 0.0, 1.0, 0.72),
        (0.34, 0.3, 0.6, 0.86),
        (-0.38, 0.26, 0.58, 1.0),
        (0.3, -0.34, 0.56, 0.92),
        (-0.32, -0.32, 0.56, 1.12),
        (-0.06, 0.04, 0.5, 1.22),
    ];
    let middle = camera.project(tree.foot, tree.crown_height());
    let radius = tree.radius * camera.pixels_per_metre;
    // Trees of a street differ a little; the size decides, so that no tree changes from frame to frame.
    let tint = 0.88 + 0.24 * (tree.radius * 7.0).fract();
    for (x, y, size, light) in CLUMPS {
        let clump = circle(middle + point(x, y) * radius, radius * size * 0.97);
        canvas.fill(&clump, shade([66, 98, 52], light * tint), if size == 1.0 { 1.0 } else { 0.75 });
    }
}

/// A paved corner packed with parked bicycles: too crowded to label, hence ignored.
fn draw_bicycle_rack(canvas: &mut Canvas, area: &IgnoredArea, camera: &Camera) {
    const PAINTS: [Rgb; 4] = [[150, 60, 50], [60, 84, 130], [60, 62, 66], [170, 160, 90]];
    let (half_width, half_height) = area.half_extent;
    let quad = |x: f64, y: f64, hx: f64, hy: f64| {
        let corner = |sx: f64, sy: f64| area.centre + camera.right() * (x + sx * hx) + camera.up * (y + sy * hy);
        on_ground(&[corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)], camera)
    };
    canvas.fill(&quad(0.0, 0.0, half_width, half_height), [148, 144, 138], 1.0);
    let rows = (half_height / 1.0) as u32;
    for row in 0..rows {
        let y = -half_height + half_height / f64::from(rows) * f64::from(2 * row + 1);
        for column in 0..(half_width * 2.0 / 0.55) as u32 {
            let x = -half_width + 0.4 + f64::from(column) * 0.55;
            let paint = PAINTS[(column * 7 + row * 3) as usize % 4];
            canvas.fill(&quad(x + 0.12, y + 0.1, 0.1, 0.8), BLACK, 0.35);
            canvas.fill(&quad(x, y, 0.07, 0.8), paint, 1.0);
            canvas.fill(&quad(x, y - 0.35, 0.24, 0.08), [40, 40, 42], 1.0);
        }
    }
}

fn shade(colour: Rgb, factor: f64) -> Rgb {
    colour.map(|channel| (f64::from(channel) * factor).round().clamp(0.0, 255.0) as u8)
}
