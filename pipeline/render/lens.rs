//! What a camera needs once for all its views: where each pixel looks.

use rayon::prelude::*;
use uavgen_geometry::{Intrinsics, Pixel};

/// A camera made ready for rendering.
///
/// A lens that distorts is honoured pixel by pixel: every pixel centre has its own ray, and the faces are sampled on these
/// rays, so that depths are exact and nothing is resampled. The rays take 8 bytes a pixel and are found once. A pinhole
/// needs none of it.
#[derive(Debug)]
pub struct Lens {
    intrinsics: Intrinsics,
    width: usize,
    height: usize,
    rays: Option<Rays>,
}

/// The pinhole image in which a distorting lens is drawn.
#[derive(Debug)]
struct Rays {
    /// How far right of and below its own centre the pinhole image has what each pixel shows, in pixels; NaN where the lens
    /// shows nothing.
    shifts: Vec<[f32; 2]>,
    rows: Vec<RayRow>,
    /// Bounds of what the pixels show: left, right, top, bottom.
    window: [f64; 4],
}

/// A row of pixels of a distorting lens as a curve in the pinhole image.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RayRow {
    /// The columns that show anything.
    pub(crate) first: usize,
    /// Exclusive.
    pub(crate) end: usize,
    /// Whether all columns between do.
    pub(crate) is_whole: bool,
    /// Lowest and highest step to the right from one column to the next, in pixels.
    pub(crate) along: [f64; 2],
    /// Lowest and highest step down.
    pub(crate) down: [f64; 2],
    /// Bounds of the curve: left, right, top, bottom.
    window: [f64; 4],
}

const NOWHERE: [f64; 4] = [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::NEG_INFINITY];

impl Lens {
    /// Finds the ray of every pixel where the camera's lens distorts (0.6 s for 5 megapixels on one core).
    pub fn new(intrinsics: &Intrinsics) -> Self {
        let (width, height) = (intrinsics.size().width_px() as usize, intrinsics.size().height_px() as usize);
        let rays = (!intrinsics.distortion().is_none()).then(|| Rays::new(intrinsics, width, height));
        Self { intrinsics: *intrinsics, width, height, rays }
    }

    /// The camera.
    pub fn intrinsics(&self) -> &Intrinsics {
        &self.intrinsics
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn height(&self) -> usize {
        self.height
    }

    pub(crate) fn is_pinhole(&self) -> bool {
        self.rays.is_none()
    }

    /// Bounds, in the pinhole image, of what the image shows: left, right, top, bottom.
    pub(crate) fn window(&self) -> [f64; 4] {
        let whole = [0.0, self.width as f64, 0.0, self.height as f64];
        self.rays.as_ref().map_or(whole, |rays| rays.window)
    }

    /// Where in the pinhole image the rows of pixels look, and all pixels row by row, as shifts from their own centres;
    /// empty for a pinhole.
    #[inline(always)]
    pub(crate) fn rays(&self) -> (&[RayRow], &[[f32; 2]]) {
        self.rays.as_ref().map_or((&[], &[]), |rays| (&rays.rows, &rays.shifts))
    }

    /// Where the image shows a place of the pinhole image, both in pixels.
    pub(crate) fn shown(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        if self.is_pinhole() {
            return [x, y];
        }
        let camera = &self.intrinsics;
        let (x, y) = camera.distortion().distort(((x - camera.cx()) / camera.fx(), (y - camera.cy()) / camera.fy()));
        [x * camera.fx() + camera.cx(), y * camera.fy() + camera.cy()]
    }

    /// How far the image of a flat shape within these places of the pinhole image can leave the bounds of their images:
    /// in pixels, over the square of its diameter in pixels. It is half of the largest second derivative.
    pub(crate) fn curvature(&self, places: impl Iterator<Item = [f64; 2]>) -> f64 {
        if self.is_pinhole() {
            return 0.0;
        }
        let camera = &self.intrinsics;
        let radius2 =
            |[x, y]: [f64; 2]| ((x - camera.cx()) / camera.fx()).powi(2) + ((y - camera.cy()) / camera.fy()).powi(2);
        let radius = places.map(radius2).fold(0.0, f64::max).sqrt();
        let (shorter, longer) = (camera.fx().min(camera.fy()), camera.fx().max(camera.fy()));
        0.5 * camera.distortion().second_derivative_bound(radius) * longer / (shorter * shorter)
    }

    /// The pixels that may show a flat shape, from its corners in the pinhole image and in the image: left, right, top,
    /// bottom, exclusive. None is left out.
    #[inline(always)]
    pub(crate) fn reach<const N: usize>(
        &self,
        places: [[f64; 2]; N],
        shown: [[f64; 2]; N],
        curvature: f64,
    ) -> [usize; 4] {
        let ([left, right, top, bottom], sides) = (bounds(shown), bounds(places));
        let diameter2 = (sides[1] - sides[0]) * (sides[1] - sides[0]) + (sides[3] - sides[2]) * (sides[3] - sides[2]);
        let margin = if curvature > 0.0 { curvature * diameter2 + 1e-3 } else { 0.0 };
        let first = |edge: f64, side: usize| (edge + 0.5).clamp(0.0, side as f64) as usize;
        let (width, height) = (self.width, self.height);
        // A centre on an edge is within reach, so the first pixel is the one whose end is past the edge.
        let start = |edge: f64, side: usize| first(edge - margin - 1e-9, side);
        let end = |edge: f64, side: usize| first(edge + margin + 1e-9, side);
        [start(left, width), end(right, width), start(top, height), end(bottom, height)]
    }
}

/// Left, right, top, bottom of places.
#[inline(always)]
fn bounds<const N: usize>(places: [[f64; 2]; N]) -> [f64; 4] {
    places.iter().fold(NOWHERE, |[left, right, top, bottom], &[x, y]| {
        let lower = |a: f64, b: f64| if a < b { a } else { b };
        let higher = |a: f64, b: f64| if a > b { a } else { b };
        [lower(x, left), higher(x, right), lower(y, top), higher(y, bottom)]
    })
}

impl Rays {
    fn new(camera: &Intrinsics, width: usize, height: usize) -> Self {
        let mut shifts = vec![[f32::NAN; 2]; width * height];
        let rows: Vec<RayRow> = shifts
            .par_chunks_mut(width)
            .enumerate()
            .map(|(row, shifts)| {
                let window = find_row(camera, row, shifts);
                measured(shifts, window)
            })
            .collect();
        let wider = |a: [f64; 4], b: [f64; 4]| [a[0].min(b[0]), a[1].max(b[1]), a[2].min(b[2]), a[3].max(b[3])];
        let [left, right, top, bottom] = rows.iter().map(|row| row.window).fold(NOWHERE, wider);
        // A shift in f32 is off by less than a thousandth of a pixel.
        Self { shifts, rows, window: [left - 1e-3, right + 1e-3, top - 1e-3, bottom + 1e-3] }
    }
}

/// Finds the shifts of a row and the bounds of where it looks.
fn find_row(camera: &Intrinsics, row: usize, shifts: &mut [[f32; 2]]) -> [f64; 4] {
    let mut window = NOWHERE;
    for (column, shift) in shifts.iter_mut().enumerate() {
        let pixel = Pixel { x: column as f64 + 0.5, y: row as f64 + 0.5 };
        let Some(ray) = camera.ray(pixel) else { continue };
        let (x, y) = (camera.fx() * ray.x() + camera.cx(), camera.fy() * ray.y() + camera.cy());
        *shift = [(x - pixel.x) as f32, (y - pixel.y) as f32];
        window = [window[0].min(x), window[1].max(x), window[2].min(y), window[3].max(y)];
    }
    window
}

fn measured(shifts: &[[f32; 2]], window: [f64; 4]) -> RayRow {
    let is_shown = |shift: &[f32; 2]| !shift[0].is_nan();
    let first = shifts.iter().position(is_shown).unwrap_or(0);
    let end = shifts.iter().rposition(is_shown).map_or(0, |last| last + 1);
    let (mut along, mut down) = ([f64::INFINITY, f64::NEG_INFINITY], [f64::INFINITY, f64::NEG_INFINITY]);
    for pair in shifts.windows(2).filter(|pair| pair.iter().all(is_shown)) {
        let step = |axis: usize| f64::from(pair[1][axis]) - f64::from(pair[0][axis]);
        along = [along[0].min(1.0 + step(0)), along[1].max(1.0 + step(0))];
        down = [down[0].min(step(1)), down[1].max(step(1))];
    }
    let is_whole = end > first && shifts[first..end].iter().all(is_shown) && along[0] > 0.0;
    RayRow { first, end, is_whole, along, down, window }
}
