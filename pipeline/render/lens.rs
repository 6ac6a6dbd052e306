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
    /// Bounds of what the pixels show: left, right, top, bottom.
    window: [f64; 4],
}

impl Lens {
    /// Finds the ray of every pixel where the camera's lens distorts (about half a second for 5 megapixels on one core).
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

    /// Where in the pinhole image a row of pixels looks, as shifts from their own centres; empty for a pinhole.
    pub(crate) fn shifts(&self, row: usize) -> &[[f32; 2]] {
        self.rays.as_ref().map_or(&[], |rays| &rays.shifts[row * self.width..][..self.width])
    }

    /// The pixels that may show a rectangle of the pinhole image, both as left, right, top, bottom (exclusive for
    /// pixels). None is left out.
    pub(crate) fn shown(&self, rectangle: [f64; 4]) -> [usize; 4] {
        let [left, right, top, bottom] = if self.is_pinhole() { rectangle } else { self.distorted(rectangle) };
        let first = |edge: f64, side: usize| (edge - 0.5).ceil().clamp(0.0, side as f64) as usize;
        [first(left, self.width), first(right, self.width), first(top, self.height), first(bottom, self.height)]
    }

    /// Bounds of a rectangle after distortion. Between its corners the image is off the straight line by at most half the
    /// largest second derivative times the square of the diagonal.
    fn distorted(&self, [left, right, top, bottom]: [f64; 4]) -> [f64; 4] {
        let (camera, lens) = (&self.intrinsics, self.intrinsics.distortion());
        let corners = [(left, top), (right, top), (left, bottom), (right, bottom)]
            .map(|(x, y)| ((x - camera.cx()) / camera.fx(), (y - camera.cy()) / camera.fy()));
        let radius = corners.iter().fold(0.0f64, |radius, &(x, y)| radius.max(x.hypot(y)));
        let diagonal2 = ((right - left) / camera.fx()).powi(2) + ((bottom - top) / camera.fy()).powi(2);
        let margin = 0.5 * lens.second_derivative_bound(radius) * diagonal2 + 1e-6;
        let mut bounds = [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::NEG_INFINITY];
        for (x, y) in corners.map(|corner| lens.distort(corner)) {
            bounds = [bounds[0].min(x), bounds[1].max(x), bounds[2].min(y), bounds[3].max(y)];
        }
        [
            (bounds[0] - margin) * camera.fx() + camera.cx(),
            (bounds[1] + margin) * camera.fx() + camera.cx(),
            (bounds[2] - margin) * camera.fy() + camera.cy(),
            (bounds[3] + margin) * camera.fy() + camera.cy(),
        ]
    }
}

impl Rays {
    fn new(camera: &Intrinsics, width: usize, height: usize) -> Self {
        let mut shifts = vec![[f32::NAN; 2]; width * height];
        let windows: Vec<[f64; 4]> = shifts
            .par_chunks_mut(width)
            .enumerate()
            .map(|(row, shifts)| {
                let mut window = [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::NEG_INFINITY];
                for (column, shift) in shifts.iter_mut().enumerate() {
                    let pixel = Pixel { x: column as f64 + 0.5, y: row as f64 + 0.5 };
                    let Some(ray) = camera.ray(pixel) else { continue };
                    let (x, y) = (camera.fx() * ray.x() + camera.cx(), camera.fy() * ray.y() + camera.cy());
                    *shift = [(x - pixel.x) as f32, (y - pixel.y) as f32];
                    window = [window[0].min(x), window[1].max(x), window[2].min(y), window[3].max(y)];
                }
                window
            })
            .collect();
        let wider = |a: [f64; 4], b: &[f64; 4]| [a[0].min(b[0]), a[1].max(b[1]), a[2].min(b[2]), a[3].max(b[3])];
        let none = [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::NEG_INFINITY];
        let [left, right, top, bottom] = windows.iter().fold(none, wider);
        // A shift in f32 is off by less than a thousandth of a pixel.
        Self { shifts, window: [left - 1e-3, right + 1e-3, top - 1e-3, bottom + 1e-3] }
    }
}
