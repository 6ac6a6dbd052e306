//! Pictures for people: boxes and labels on images, thumbnails, contact sheets.

use crate::MediaError;
use crate::font::{GLYPH_HEIGHT, GLYPH_WIDTH, has_ink};
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::imageops::{self, FilterType};
use image::{ImageBuffer, ImageEncoder, PixelWithColorType, Rgb, RgbImage};

/// An RGB colour, 0 to 255 per channel.
pub type Color = Rgb<u8>;

/// Colours that stay apart on aerial images and for colour-blind readers (Okabe and Ito, without black and grey).
pub const PALETTE: [Color; 7] = [
    Rgb([230, 159, 0]),
    Rgb([86, 180, 233]),
    Rgb([0, 158, 115]),
    Rgb([240, 228, 66]),
    Rgb([0, 114, 178]),
    Rgb([213, 94, 0]),
    Rgb([204, 121, 167]),
];

const SHEET_BACKGROUND: Color = Rgb([24, 24, 24]);
const SHEET_GAP: u32 = 6;

/// A rectangle in the `image` frame: continuous pixels, origin at the top-left corner, right and bottom edge exclusive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outline {
    /// Left edge in pixels.
    pub x1: f64,
    /// Top edge in pixels.
    pub y1: f64,
    /// Right edge in pixels.
    pub x2: f64,
    /// Bottom edge in pixels.
    pub y2: f64,
}

/// Line width in pixels that reads well on an image of this size: 2 at 640, 3 at 1080p.
fn line_width(image: &RgbImage) -> i64 {
    i64::from(image.width().max(image.height()) / 640).clamp(1, 8) + i64::from(image.width().max(image.height()) >= 320)
}

/// Draws the outline of a rectangle just inside its edges.
///
/// The part outside the image is not drawn; a rectangle that is wholly outside, or not finite, draws nothing.
pub fn draw_rectangle(image: &mut RgbImage, outline: Outline, color: Color) {
    let Outline { x1, y1, x2, y2 } = outline;
    if ![x1, y1, x2, y2].iter().all(|edge| edge.is_finite()) {
        return;
    }
    let (left, top) = (x1.floor() as i64, y1.floor() as i64);
    let (right, bottom) =
        ((x2.ceil() as i64).max(left.saturating_add(1)), (y2.ceil() as i64).max(top.saturating_add(1)));
    let width = line_width(image).min((right.saturating_sub(left)).max(1)).min((bottom.saturating_sub(top)).max(1));
    fill(image, (left, top), (right, top.saturating_add(width)), color);
    fill(image, (left, bottom - width), (right, bottom), color);
    fill(image, (left, top), (left.saturating_add(width), bottom), color);
    fill(image, (right - width, top), (right, bottom), color);
}

/// Draws a straight line between two places, as wide as the outline of a rectangle. What is outside the image is not drawn; a
/// line with an end that is not finite draws nothing.
pub fn draw_line(image: &mut RgbImage, from: (f64, f64), to: (f64, f64), color: Color) {
    if ![from.0, from.1, to.0, to.1].iter().all(|edge| edge.is_finite()) {
        return;
    }
    let width = line_width(image);
    // What lies far outside need not be walked along.
    let reach = 4.0 * f64::from(image.width().max(image.height()));
    let steps = (to.0 - from.0).abs().max((to.1 - from.1).abs()).ceil().clamp(1.0, reach) as u32;
    for step in 0..=steps {
        let share = f64::from(step) / f64::from(steps);
        let place = |from: f64, to: f64| (from + share * (to - from)).floor() as i64 - width / 2;
        let (left, top) = (place(from.0, to.0), place(from.1, to.1));
        fill(image, (left, top), (left.saturating_add(width), top.saturating_add(width)), color);
    }
}

/// Writes `text` in a filled box whose bottom-left corner is at `(x, y)`, moved so that it stays inside the image.
///
/// Characters outside printable ASCII are drawn as `?`; text wider than the image is cut.
pub fn draw_label(image: &mut RgbImage, (x, y): (f64, f64), text: &str, color: Color) {
    let scale = label_scale(image);
    let (width, height) = (text_width(text, scale) + 2 * scale, (GLYPH_HEIGHT + 2) * scale);
    let clamp =
        |value: f64, size: u32, limit: u32| (value.floor() as i64).min(i64::from(limit) - i64::from(size)).max(0);
    let left = clamp(x, width, image.width());
    let top = clamp(y - f64::from(height), height, image.height());
    fill(image, (left, top), (left + i64::from(width), top + i64::from(height)), color);
    let ink = if luma(color) > 140 { Rgb([0, 0, 0]) } else { Rgb([255, 255, 255]) };
    write_text(image, (left + i64::from(scale), top + i64::from(scale)), text, scale, ink);
}

/// Scales an image down so that neither side exceeds `max_side` pixels; smaller images are returned unchanged.
pub fn thumbnail(image: &RgbImage, max_side: u32) -> RgbImage {
    let longest = image.width().max(image.height());
    if longest <= max_side {
        return image.clone();
    }
    let scaled = |side: u32| (u64::from(side) * u64::from(max_side) / u64::from(longest)).max(1) as u32;
    imageops::resize(image, scaled(image.width()), scaled(image.height()), FilterType::Triangle)
}

/// Lays captioned images out in rows of `columns` cells, each as large as the largest image.
///
/// Captions stand below their image and are cut to its cell. No images give a picture of one pixel.
pub fn contact_sheet(cells: &[(RgbImage, String)], columns: usize) -> RgbImage {
    let columns = columns.clamp(1, cells.len().max(1)) as u32;
    let rows = (cells.len() as u32).div_ceil(columns);
    let cell_width = cells.iter().map(|(image, _)| image.width()).max().unwrap_or(0);
    let cell_height = cells.iter().map(|(image, _)| image.height()).max().unwrap_or(0);
    let scale = if cell_width >= 480 { 2 } else { 1 };
    let caption_height = (GLYPH_HEIGHT + 2) * scale;
    let (step_x, step_y) = (cell_width + SHEET_GAP, cell_height + caption_height + SHEET_GAP);
    let size = (columns * step_x + SHEET_GAP, rows * step_y + SHEET_GAP);
    if cells.is_empty() {
        return RgbImage::from_pixel(1, 1, SHEET_BACKGROUND);
    }
    let mut sheet = RgbImage::from_pixel(size.0, size.1, SHEET_BACKGROUND);
    for (index, (image, caption)) in (0_u32..).zip(cells) {
        let left = SHEET_GAP + index % columns * step_x;
        let top = SHEET_GAP + index / columns * step_y;
        imageops::replace(&mut sheet, image, left.into(), top.into());
        let fitting = (cell_width / ((GLYPH_WIDTH + 1) * scale)) as usize;
        let caption: String = caption.chars().take(fitting).collect();
        let baseline = (i64::from(left), i64::from(top + cell_height + scale));
        write_text(&mut sheet, baseline, &caption, scale, Rgb([255, 255, 255]));
    }
    sheet
}

/// Encodes as JPEG with colour not subsampled; `quality` is 1 to 100.
pub fn encode_jpeg(image: &RgbImage, quality: u8) -> Result<Vec<u8>, MediaError> {
    encode_jpeg_pixels(image, quality)
}

/// Encodes as 8-bit RGB PNG.
pub fn encode_png(image: &RgbImage) -> Result<Vec<u8>, MediaError> {
    encode_png_pixels(image)
}

pub(crate) fn encode_jpeg_pixels<P>(image: &ImageBuffer<P, Vec<u8>>, quality: u8) -> Result<Vec<u8>, MediaError>
where
    P: PixelWithColorType<Subpixel = u8>,
{
    let mut bytes = Vec::new();
    let result = JpegEncoder::new_with_quality(&mut bytes, quality.clamp(1, 100)).write_image(
        image.as_raw(),
        image.width(),
        image.height(),
        P::COLOR_TYPE,
    );
    finish_still(bytes, result, image.dimensions(), "jpeg")
}

pub(crate) fn encode_png_pixels<P>(image: &ImageBuffer<P, Vec<u8>>) -> Result<Vec<u8>, MediaError>
where
    P: PixelWithColorType<Subpixel = u8>,
{
    let mut bytes = Vec::new();
    let encoder = PngEncoder::new(&mut bytes);
    let result = encoder.write_image(image.as_raw(), image.width(), image.height(), P::COLOR_TYPE);
    finish_still(bytes, result, image.dimensions(), "png")
}

fn finish_still(
    bytes: Vec<u8>,
    result: Result<(), image::ImageError>,
    (width, height): (u32, u32),
    format: &'static str,
) -> Result<Vec<u8>, MediaError> {
    match result {
        Ok(()) => Ok(bytes),
        Err(error) => Err(MediaError::Still { width, height, format, detail: error.to_string() }),
    }
}

/// Fills the pixels from `start` up to, not including, `end`, as far as they are inside the image.
fn fill(image: &mut RgbImage, start: (i64, i64), end: (i64, i64), color: Color) {
    let clamp = |value: i64, limit: u32| value.clamp(0, i64::from(limit)) as u32;
    let (width, height) = image.dimensions();
    for y in clamp(start.1, height)..clamp(end.1, height) {
        for x in clamp(start.0, width)..clamp(end.0, width) {
            image.put_pixel(x, y, color);
        }
    }
}

fn write_text(image: &mut RgbImage, (left, top): (i64, i64), text: &str, scale: u32, ink: Color) {
    let scale = i64::from(scale);
    for (index, character) in (0_i64..).zip(text.chars()) {
        let glyph_left = left + index * i64::from(GLYPH_WIDTH + 1) * scale;
        for row in 0..GLYPH_HEIGHT {
            for column in (0..GLYPH_WIDTH).filter(|&column| has_ink(character, column, row)) {
                let (x, y) = (glyph_left + i64::from(column) * scale, top + i64::from(row) * scale);
                fill(image, (x, y), (x + scale, y + scale), ink);
            }
        }
    }
}

fn label_scale(image: &RgbImage) -> u32 {
    (image.width().max(image.height()) / 800).clamp(1, 6)
}

fn text_width(text: &str, scale: u32) -> u32 {
    let characters = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    characters.saturating_mul((GLYPH_WIDTH + 1) * scale).min(u32::MAX / 2)
}

/// Perceived brightness, 0 to 255.
fn luma(Rgb([r, g, b]): Color) -> u32 {
    (u32::from(r) * 299 + u32::from(g) * 587 + u32::from(b) * 114) / 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: Color = Rgb([255, 0, 0]);
    const BLACK: Color = Rgb([0, 0, 0]);

    fn painted(image: &RgbImage) -> Vec<(u32, u32)> {
        image.enumerate_pixels().filter(|(.., pixel)| **pixel != BLACK).map(|(x, y, _)| (x, y)).collect()
    }

    #[test]
    fn an_outline_covers_exactly_the_border_pixels_of_its_box() {
        let mut image = RgbImage::new(6, 5);
        draw_rectangle(&mut image, Outline { x1: 1.0, y1: 1.0, x2: 4.0, y2: 4.0 }, RED);
        assert_eq!(painted(&image), [(1, 1), (2, 1), (3, 1), (1, 2), (3, 2), (1, 3), (2, 3), (3, 3)]);
    }

    #[test]
    fn what_is_outside_is_cut_and_what_is_not_finite_draws_nothing() {
        let mut image = RgbImage::new(4, 4);
        draw_rectangle(&mut image, Outline { x1: -10.0, y1: 2.0, x2: 1e18, y2: 900.0 }, RED);
        assert_eq!(painted(&image), [(0, 2), (1, 2), (2, 2), (3, 2)]);
        let mut image = RgbImage::new(4, 4);
        for outline in [
            Outline { x1: f64::NAN, y1: 0.0, x2: 2.0, y2: 2.0 },
            Outline { x1: 9.0, y1: 9.0, x2: 12.0, y2: 12.0 },
            Outline { x1: -1e300, y1: -1e300, x2: -1e299, y2: 1e300 },
        ] {
            draw_rectangle(&mut image, outline, RED);
        }
        assert_eq!(painted(&image), []);
        draw_rectangle(&mut image, Outline { x1: 2.0, y1: 2.0, x2: 2.0, y2: 2.0 }, RED);
        assert_eq!(painted(&image), [(2, 2)], "a box without extent is shown as a point");
    }

    #[test]
    fn labels_stay_inside() {
        for position in [(-50.0, -50.0), (5.0, 3.0), (1e9, 1e9)] {
            let mut image = RgbImage::new(40, 20);
            draw_label(&mut image, position, "car", RED);
            // (3 characters x 6 + 2) x (7 + 2) pixels
            assert_eq!(painted(&image).len(), 20 * 9, "{position:?}");
        }
        draw_label(&mut RgbImage::new(3, 3), (0.0, 0.0), "far too long for this image", RED);
    }

    #[test]
    fn thumbnails_keep_the_aspect_and_never_grow() {
        assert_eq!(thumbnail(&RgbImage::new(1920, 1080), 480).dimensions(), (480, 270));
        assert_eq!(thumbnail(&RgbImage::new(30, 3000), 100).dimensions(), (1, 100));
        assert_eq!(thumbnail(&RgbImage::new(30, 20), 100).dimensions(), (30, 20));
    }

    #[test]
    fn a_sheet_holds_every_image_in_its_cell() {
        let cells: Vec<_> = (1..=5_u8)
            .map(|n| (RgbImage::from_pixel(30, 20, Rgb([n * 50, 0, 0])), format!("image {n} long")))
            .collect();
        let sheet = contact_sheet(&cells, 2);
        assert_eq!(sheet.dimensions(), (2 * 36 + 6, 3 * (20 + 9 + 6) + 6));
        for n in 0..5_u32 {
            let (x, y) = (6 + n % 2 * 36, 6 + n / 2 * 35);
            assert_eq!(sheet.get_pixel(x, y).0[0], (n as u8 + 1) * 50);
            assert_eq!(sheet.get_pixel(x + 29, y + 19).0[0], (n as u8 + 1) * 50);
        }
        assert_eq!(contact_sheet(&[], 3).dimensions(), (1, 1));
    }

    #[test]
    fn png_is_lossless_and_jpeg_close() {
        let image = RgbImage::from_fn(64, 48, |x, y| Rgb([(x * 4) as u8, (y * 5) as u8, 90]));
        assert_eq!(crate::decode_upright(&encode_png(&image).unwrap()).unwrap(), image);
        let jpeg = crate::decode_upright(&encode_jpeg(&image, 95).unwrap()).unwrap();
        let worst = image.as_raw().iter().zip(jpeg.as_raw()).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(worst <= Some(8), "{worst:?}");
    }
}
