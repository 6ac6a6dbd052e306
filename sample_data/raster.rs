//! Antialiased filling of convex polygons: for pictures, and for counting the pixels that an object covers.

use crate::plane::{Camera, Point, point};

/// Colour, 0 to 255 per channel.
pub(crate) type Rgb = [u8; 3];

/// A picture in the making; channels stay unrounded until the end.
pub(crate) struct Canvas {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pixels: Vec<[f32; 3]>,
}

impl Canvas {
    /// A canvas of one colour.
    pub(crate) fn new(width: u32, height: u32, colour: Rgb) -> Canvas {
        Canvas { width, height, pixels: vec![colour.map(f32::from); (width * height) as usize] }
    }

    /// Lays a convex polygon (picture coordinates, as from [`crate::plane::convex_hull`]) over the canvas.
    pub(crate) fn fill(&mut self, polygon: &[Point], colour: Rgb, opacity: f32) {
        let colour = colour.map(f32::from);
        let pixels = &mut self.pixels;
        for_each_covered(polygon, self.width, self.height, |index, coverage| {
            let share = coverage * opacity;
            for (channel, target) in pixels[index].iter_mut().zip(colour) {
                *channel += (target - *channel) * share;
            }
        });
    }

    /// Brightens and darkens the picture by up to `levels` with noise that is fixed to the ground, so that it moves
    /// with the scene. All channels alike: grey noise costs a JPEG less than coloured noise.
    pub(crate) fn roughen(&mut self, camera: &Camera, seed: u32, cell_metres: f64, levels: f32) {
        for row in 0..self.height {
            for column in 0..self.width {
                let ground = camera.ground_at(point(f64::from(column) + 0.5, f64::from(row) + 0.5));
                let change = levels * (noise(ground * (1.0 / cell_metres), seed) * 2.0 - 1.0);
                for channel in &mut self.pixels[(row * self.width + column) as usize] {
                    *channel += change;
                }
            }
        }
    }

    /// Rows of interleaved 8-bit RGB.
    pub(crate) fn to_rgb8(&self) -> Vec<u8> {
        self.pixels.iter().flatten().map(|&channel| channel.round().clamp(0.0, 255.0) as u8).collect()
    }
}

/// Calls `visit(pixel index, coverage in (0, 1])` for each pixel of the picture that a convex polygon touches.
///
/// Coverage is the signed distance of the pixel centre to the nearest edge, ramped over one pixel.
pub(crate) fn for_each_covered(polygon: &[Point], width: u32, height: u32, mut visit: impl FnMut(usize, f32)) {
    let Some(bounds) = Bounds::of(polygon) else { return };
    let columns = pixel_range(bounds.left, bounds.right, width);
    let edges: Vec<(Point, Point)> = edges(polygon);
    for row in pixel_range(bounds.top, bounds.bottom, height) {
        for column in columns.clone() {
            let centre = point(f64::from(column) + 0.5, f64::from(row) + 0.5);
            let inside = edges.iter().map(|(corner, normal)| (centre - *corner).dot(*normal)).fold(f64::MAX, f64::min);
            let coverage = (inside + 0.5).clamp(0.0, 1.0);
            if coverage > 0.0 {
                visit((row * width + column) as usize, coverage as f32);
            }
        }
    }
}

/// Extent of some points.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

impl Bounds {
    /// Extent of the points; `None` when there are none.
    pub(crate) fn of(points: &[Point]) -> Option<Bounds> {
        let first = points.first()?;
        let start = Bounds { left: first.x, top: first.y, right: first.x, bottom: first.y };
        Some(points.iter().fold(start, |b, p| Bounds {
            left: b.left.min(p.x),
            top: b.top.min(p.y),
            right: b.right.max(p.x),
            bottom: b.bottom.max(p.y),
        }))
    }
}

fn pixel_range(low: f64, high: f64, limit: u32) -> std::ops::Range<u32> {
    // `as` saturates, so what lies left of the picture becomes 0.
    let start = ((low - 1.0).floor() as u32).min(limit);
    let end = ((high + 1.0).ceil() as u32).min(limit);
    start..end.max(start)
}

/// Each edge's first corner and its inward normal of unit length.
fn edges(polygon: &[Point]) -> Vec<(Point, Point)> {
    let following = polygon.iter().cycle().skip(1);
    polygon
        .iter()
        .zip(following)
        .map(|(&from, &to)| {
            let along = to - from;
            (from, along.left() * (1.0 / along.length()))
        })
        .collect()
}

/// Smooth value noise in [0, 1] with one random value per unit cell.
pub(crate) fn noise(at: Point, seed: u32) -> f32 {
    let (column, row) = (at.x.floor(), at.y.floor());
    let (fx, fy) = (smooth((at.x - column) as f32), smooth((at.y - row) as f32));
    let (column, row) = (column as i32, row as i32);
    let mix = |a: f32, b: f32, share: f32| a + (b - a) * share;
    let lower = mix(lattice(column, row, seed), lattice(column + 1, row, seed), fx);
    let upper = mix(lattice(column, row + 1, seed), lattice(column + 1, row + 1, seed), fx);
    mix(lower, upper, fy)
}

fn smooth(share: f32) -> f32 {
    share * share * (3.0 - 2.0 * share)
}

/// A fixed random value in [0, 1) per lattice point (an integer mixer; statistical quality does not matter here).
fn lattice(column: i32, row: i32, seed: u32) -> f32 {
    let mut bits = (column as u32).wrapping_mul(0x9E37_79B1) ^ (row as u32).wrapping_mul(0x85EB_CA77) ^ seed;
    bits = (bits ^ (bits >> 15)).wrapping_mul(0x2C1B_3C6D);
    bits = (bits ^ (bits >> 12)).wrapping_mul(0x297A_2D39);
    ((bits ^ (bits >> 15)) >> 8) as f32 / 16_777_216.0
}
