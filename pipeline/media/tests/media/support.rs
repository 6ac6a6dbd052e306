//! Makers of test images and measures on them.

use image::codecs::jpeg::JpegEncoder;
use image::{Rgb, RgbImage};
use std::io::Cursor;
use std::io::Write as _;
use std::path::PathBuf;

/// Edge of one block of a coded frame number, in pixels.
const CODE_BLOCK: u32 = 16;
const CODE_BITS: u32 = 10;

/// A picture with texture, a black-to-white ramp over the full range, a moving square, and its number as blocks.
pub(crate) fn numbered_frame(width: u32, height: u32, number: u32) -> RgbImage {
    let mut image = RgbImage::from_fn(width, height, |x, y| {
        if y >= height - height / 4 {
            return Rgb([(x * 255 / (width - 1)) as u8; 3]);
        }
        let wave = ((f64::from(x + 2 * number) / 9.0).sin() + (f64::from(y) / 7.0).cos()) * 30.0;
        let base = [90.0 + wave, 120.0 + wave, 80.0 + wave * 0.5];
        Rgb(base.map(|value| value as u8))
    });
    let (left, top) = (width / 2 + (5 * number) % (width / 4), height / 2);
    for (x, y) in (0..20).flat_map(|x| (0..20).map(move |y| (x, y))) {
        image.put_pixel(left + x, top + y, Rgb([200, 40, 40]));
    }
    for bit in 0..CODE_BITS {
        let value = if number >> bit & 1 == 1 { 255 } else { 0 };
        for (x, y) in (0..CODE_BLOCK).flat_map(|x| (0..CODE_BLOCK).map(move |y| (x, y))) {
            image.put_pixel(8 + bit * CODE_BLOCK + x, 8 + y, Rgb([value; 3]));
        }
    }
    image
}

/// The number painted by [`numbered_frame`].
pub(crate) fn read_number(image: &RgbImage) -> u32 {
    let center = |bit| image.get_pixel(8 + bit * CODE_BLOCK + CODE_BLOCK / 2, 8 + CODE_BLOCK / 2).0[1];
    (0..CODE_BITS).filter(|&bit| center(bit) > 127).map(|bit| 1 << bit).sum()
}

pub(crate) fn jpeg(image: &RgbImage, quality: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, quality).encode_image(image).unwrap();
    bytes
}

pub(crate) fn png(image: &image::DynamicImage) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    bytes.into_inner()
}

/// Peak signal-to-noise ratio in decibels, over all channels.
pub(crate) fn psnr(a: &RgbImage, b: &RgbImage) -> f64 {
    assert_eq!(a.dimensions(), b.dimensions());
    let squares: f64 = a.as_raw().iter().zip(b.as_raw()).map(|(a, b)| f64::from(a.abs_diff(*b)).powi(2)).sum();
    10.0 * (255.0 * 255.0 * a.as_raw().len() as f64 / squares).log10()
}

/// An EXIF block (little-endian TIFF) that states nothing but the orientation.
pub(crate) fn exif(orientation: u16) -> Vec<u8> {
    let mut tiff = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0".to_vec();
    tiff.extend(orientation.to_le_bytes());
    tiff.extend([0; 6]);
    tiff
}

/// Puts an EXIF orientation into a JPEG, right after its first marker.
pub(crate) fn with_exif(jpeg: &[u8], orientation: u16) -> Vec<u8> {
    let payload = [b"Exif\0\0".as_slice(), &exif(orientation)].concat();
    [&jpeg[..2], &segment(0xE1, &payload), &jpeg[2..]].concat()
}

pub(crate) fn segment(marker: u8, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u16 + 2).to_be_bytes();
    [&[0xFF, marker], &length[..], payload].concat()
}

/// A hand-made baseline JPEG of 8x8 blocks of one value each: every component has `columns` blocks per row.
///
/// `adobe` is the colour transform stated in an Adobe segment; `restart` the number of blocks between restart markers.
pub(crate) struct BlockJpeg<'a> {
    pub(crate) components: &'a [&'a [u8]],
    pub(crate) columns: usize,
    pub(crate) adobe: Option<u8>,
    pub(crate) restart: Option<u16>,
}

impl BlockJpeg<'_> {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let count = self.components.len() as u8;
        let rows = self.components[0].len() / self.columns;
        let mut bytes = vec![0xFF, 0xD8];
        if let Some(transform) = self.adobe {
            bytes.extend(segment(0xEE, &[b"Adobe\0\x64\0\0\0\0".as_slice(), &[transform]].concat()));
        }
        bytes.extend(segment(0xDB, &[&[0_u8][..], &[1; 64]].concat()));
        let [h, w] = [(rows * 8) as u16, (self.columns * 8) as u16].map(u16::to_be_bytes);
        let mut frame = vec![8, h[0], h[1], w[0], w[1], count];
        frame.extend((1..=count).flat_map(|id| [id, 0x11, 0]));
        bytes.extend(segment(0xC0, &frame));
        // Mean value: the sizes 0 to 11 as codes of 4 bits. Other coefficients: only "end of block", as the code 0.
        let dc = [&[0x00, 0, 0, 0, 12][..], &[0; 12], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]].concat();
        let ac = [&[0x10, 1][..], &[0; 15], &[0]].concat();
        bytes.extend(segment(0xC4, &dc));
        bytes.extend(segment(0xC4, &ac));
        if let Some(interval) = self.restart {
            bytes.extend(segment(0xDD, &interval.to_be_bytes()));
        }
        let mut scan = vec![count];
        scan.extend((1..=count).flat_map(|id| [id, 0x00]));
        scan.extend([0, 63, 0]);
        bytes.extend(segment(0xDA, &scan));
        bytes.extend(self.coded_blocks());
        bytes.extend([0xFF, 0xD9]);
        bytes
    }

    fn coded_blocks(&self) -> Vec<u8> {
        let (mut bits, mut bytes) = (Vec::new(), Vec::new());
        let mut predictions = vec![0_i32; self.components.len()];
        let mut restarts = 0;
        for block in 0..self.components[0].len() {
            if block > 0 && self.restart.is_some_and(|interval| block % usize::from(interval) == 0) {
                bytes.extend(packed(&mut bits));
                bytes.extend([0xFF, 0xD0 + restarts % 8]);
                restarts += 1;
                predictions.fill(0);
            }
            for (component, prediction) in self.components.iter().zip(&mut predictions) {
                let mean = (i32::from(component[block]) - 128) * 8;
                let difference = mean - std::mem::replace(prediction, mean);
                let size = 32 - difference.unsigned_abs().leading_zeros();
                push_bits(&mut bits, size, 4);
                let coded = if difference < 0 { difference + (1 << size) - 1 } else { difference };
                push_bits(&mut bits, coded as u32, size);
                push_bits(&mut bits, 0, 1);
            }
        }
        bytes.extend(packed(&mut bits));
        bytes
    }
}

fn push_bits(bits: &mut Vec<bool>, value: u32, count: u32) {
    bits.extend((0..count).rev().map(|bit| value >> bit & 1 == 1));
}

/// Whole bytes, filled up with ones, with a zero byte stuffed after each 0xFF.
fn packed(bits: &mut Vec<bool>) -> Vec<u8> {
    bits.resize(bits.len().next_multiple_of(8), true);
    let bytes = bits.chunks(8).map(|byte| byte.iter().fold(0_u8, |value, &bit| value << 1 | u8::from(bit)));
    let stuffed = bytes.flat_map(|byte| if byte == 0xFF { vec![0xFF, 0] } else { vec![byte] }).collect();
    bits.clear();
    stuffed
}

/// The folder of real sample data, if this machine has it.
pub(crate) fn shared_data(test: &str) -> Option<PathBuf> {
    let root = match std::env::var_os("UAVGEN_SHARED") {
        Some(root) => PathBuf::from(root),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
    };
    let data = root.join("data");
    if !data.is_dir() {
        println_skipped(test, "../shared is not there");
        return None;
    }
    Some(data)
}

pub(crate) fn println_skipped(test: &str, why: &str) {
    writeln!(std::io::stderr(), "SKIPPED {test}: {why}").expect("stderr");
}
