//! Numbers as colours, with the scale that says which is which.

use uavgen_media::{Color, Rgb, RgbImage, draw_label};

/// Colours from the lowest value to the highest: those of matplotlib's `viridis` at the quarters, which stay apart in grey and for
/// the colour-blind.
const HEAT: [[u8; 3]; 5] = [[253, 231, 37], [94, 201, 98], [33, 145, 140], [59, 82, 139], [68, 1, 84]];
/// Where there is no value.
const NOTHING: Color = Rgb([0, 0, 0]);
/// Ground of the numbers of a scale.
const GROUND: Color = Rgb([24, 24, 24]);

/// The colour of a share, 0 to 1.
fn heat(share: f64) -> Color {
    let place = share.clamp(0.0, 1.0) * (HEAT.len() - 1) as f64;
    let low = (place.floor() as usize).min(HEAT.len() - 2);
    let rest = place - low as f64;
    let mixed = |channel: usize| {
        let (a, b) = (f64::from(HEAT[low][channel]), f64::from(HEAT[low + 1][channel]));
        (a + rest * (b - a)).round() as u8
    };
    Rgb([mixed(0), mixed(1), mixed(2)])
}

/// Values as colours: low ones bright, high ones dark, none black.
pub(crate) fn heat_map(width: u32, height: u32, values: &[Option<f64>], (low, high): (f64, f64)) -> RgbImage {
    let colour =
        |value: Option<f64>| value.map_or(NOTHING, |value| heat((value - low) / (high - low).max(f64::MIN_POSITIVE)));
    let at = |x: u32, y: u32| values.get(y as usize * width as usize + x as usize).copied().flatten();
    RgbImage::from_fn(width, height, |x, y| colour(at(x, y)))
}

/// What the colours of [`heat_map`] mean.
pub(crate) fn heat_scale(width: u32, (low, high): (f64, f64), unit: &str) -> RgbImage {
    const HEIGHT: u32 = 18;
    // Drawn small and enlarged, so that the letters are as large as those of captions.
    let mut small =
        RgbImage::from_fn(width.div_ceil(2), HEIGHT, |x, _| heat(f64::from(2 * x) / f64::from(width.max(2) - 1)));
    let label = |value: f64| format!("{value:.1} {unit}");
    for (share, value) in [(0.0, low), (0.45, (low + high) / 2.0), (1.0, high)] {
        let place = (share * f64::from(small.width()), f64::from(HEIGHT) - 3.0);
        draw_label(&mut small, place, &label(value), GROUND);
    }
    RgbImage::from_fn(width, 2 * HEIGHT, |x, y| *small.get_pixel(x / 2, y / 2))
}
