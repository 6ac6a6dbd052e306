//! Label images: the stored values of a PNG, never what a viewer makes of them.

use crate::{ImageFault, ImageFormat, MediaError, probe};
use png::{BitDepth, ColorType, Decoder, Limits, Transformations};
use std::io::Cursor;

/// Memory that the decoder may take beside its output.
const DECODER_BYTES: usize = 64 << 20;

/// The labels of an image, one per pixel, row by row from the top left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Labels {
    /// Grey values or palette indices as stored; with the colours of the palette, where there is one.
    Ids {
        /// Stored values.
        values: Vec<u16>,
        /// Red, green, blue of each index; empty for grey.
        palette: Vec<[u8; 3]>,
    },
    /// Red, green, blue of each pixel.
    Colours(Vec<[u8; 3]>),
}

/// Decodes a PNG of labels: grey of 1 to 16 bits, a palette, or 8-bit colours. Alpha is passed over.
///
/// # Errors
/// What [`crate::decode_upright`] names, and images that cannot hold labels: JPEG, which changes them, and colours of 16 bits.
pub fn decode_labels(bytes: &[u8]) -> Result<Labels, ImageFault> {
    let info = probe(bytes)?;
    if info.format != ImageFormat::Png {
        return Err(ImageFault::undecodable("labels are stored as PNG: JPEG changes them"));
    }
    let undecodable = |error: png::DecodingError| ImageFault::undecodable(error.to_string());
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: DECODER_BYTES });
    decoder.set_transformations(Transformations::IDENTITY);
    let mut reader = decoder.read_info().map_err(undecodable)?;
    let size = reader.output_buffer_size().ok_or_else(|| ImageFault::undecodable("the image is too large"))?;
    let mut stored = vec![0; size];
    let frame = reader.next_frame(&mut stored).map_err(undecodable)?;
    reader.finish().map_err(undecodable)?;
    let (width, rows) = (frame.width as usize, stored.chunks_exact(frame.line_size));
    let channels = frame.color_type.samples();
    match (frame.color_type, frame.bit_depth) {
        (ColorType::Grayscale | ColorType::GrayscaleAlpha | ColorType::Indexed, depth) => {
            let values = rows.flat_map(|row| samples(row, depth, channels, width)).collect();
            let palette = reader.info().palette.as_deref().unwrap_or_default();
            let palette = palette.as_chunks::<3>().0.to_vec();
            Ok(Labels::Ids { values, palette })
        }
        (ColorType::Rgb | ColorType::Rgba, BitDepth::Eight) => {
            let pixels = rows.flat_map(|row| row.chunks_exact(channels).map(|pixel| [pixel[0], pixel[1], pixel[2]]));
            Ok(Labels::Colours(pixels.collect()))
        }
        (..) => Err(ImageFault::undecodable("colours of labels have 8 bits per channel")),
    }
}

/// Encodes labels as PNG of 8-bit palette indices, so that viewers show colours and readers find the indices; one per pixel, row by
/// row from the top left.
///
/// # Errors
/// When there are not `width * height` indices, or one that has no colour in the palette of at most 256.
pub fn encode_labels(width: u32, height: u32, indices: &[u8], palette: &[[u8; 3]]) -> Result<Vec<u8>, MediaError> {
    let failed = |detail: String| MediaError::Still { width, height, format: "png", detail };
    if indices.len() as u64 != u64::from(width) * u64::from(height) {
        return Err(failed(format!("there are {} labels", indices.len())));
    }
    if let Some(index) = indices.iter().max().filter(|index| usize::from(**index) >= palette.len()) {
        return Err(failed(format!("label {index} has no colour among {}", palette.len())));
    }
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(ColorType::Indexed);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_palette(palette.concat());
    // Indices are names: that of one pixel says nothing of how far the next one's is off.
    encoder.set_filter(png::Filter::NoFilter);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(indices)?;
        writer.finish()
    });
    written.map_err(|error| failed(error.to_string()))?;
    Ok(bytes)
}

/// The first sample of each pixel of a row.
fn samples(row: &[u8], depth: BitDepth, channels: usize, width: usize) -> Vec<u16> {
    match depth {
        BitDepth::Sixteen => row.chunks_exact(2 * channels).map(|two| u16::from_be_bytes([two[0], two[1]])).collect(),
        BitDepth::Eight => row.chunks_exact(channels).map(|pixel| u16::from(pixel[0])).collect(),
        // Of one channel only, from the highest bits of each byte on.
        packed => {
            let bits = packed as usize;
            let sample = |at: usize| {
                let shift = 8 - bits - at * bits % 8;
                u16::from(row[at * bits / 8] >> shift) & ((1 << bits) - 1)
            };
            (0..width).map(sample).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(color: ColorType, depth: BitDepth, width: u32, stored: &[u8], palette: Option<&[u8]>) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, 2);
        encoder.set_color(color);
        encoder.set_depth(depth);
        if let Some(palette) = palette {
            encoder.set_palette(palette.to_vec());
        }
        encoder.write_header().unwrap().write_image_data(stored).unwrap();
        bytes
    }

    #[test]
    fn stored_values_are_labels() {
        let ids =
            |values: &[u16], palette: &[[u8; 3]]| Labels::Ids { values: values.to_vec(), palette: palette.to_vec() };
        let grey = encoded(ColorType::Grayscale, BitDepth::Eight, 3, &[0, 1, 255, 20, 20, 7], None);
        assert_eq!(decode_labels(&grey).unwrap(), ids(&[0, 1, 255, 20, 20, 7], &[]));
        let deep = encoded(ColorType::Grayscale, BitDepth::Sixteen, 1, &[1, 2, 255, 255], None);
        assert_eq!(decode_labels(&deep).unwrap(), ids(&[258, 65_535], &[]));
        // Five pixels of two bits: 0 1 2 3 1, then 3 3 0 0 2.
        let packed = encoded(
            ColorType::Grayscale,
            BitDepth::Two,
            5,
            &[0b00_01_10_11, 0b01_000000, 0b11_11_00_00, 0b10_000000],
            None,
        );
        assert_eq!(decode_labels(&packed).unwrap(), ids(&[0, 1, 2, 3, 1, 3, 3, 0, 0, 2], &[]));
        let alpha = encoded(ColorType::GrayscaleAlpha, BitDepth::Eight, 1, &[9, 0, 8, 255], None);
        assert_eq!(decode_labels(&alpha).unwrap(), ids(&[9, 8], &[]));
        let palette = [255, 0, 0, 0, 255, 0];
        let indexed = encoded(ColorType::Indexed, BitDepth::One, 2, &[0b01_000000, 0b10_000000], Some(&palette));
        assert_eq!(decode_labels(&indexed).unwrap(), ids(&[0, 1, 1, 0], &[[255, 0, 0], [0, 255, 0]]));
    }

    #[test]
    fn indices_come_back_with_their_colours() {
        let palette = [[0, 0, 0], [255, 0, 0], [0, 0, 255]];
        let bytes = encode_labels(3, 2, &[0, 1, 2, 2, 1, 0], &palette).unwrap();
        let expected = Labels::Ids { values: vec![0, 1, 2, 2, 1, 0], palette: palette.to_vec() };
        assert_eq!(decode_labels(&bytes).unwrap(), expected);
        assert_eq!(crate::decode_upright(&bytes).unwrap().get_pixel(1, 0).0, [255, 0, 0], "viewers see the colour");
        assert!(encode_labels(3, 2, &[0; 5], &palette).is_err());
        assert!(encode_labels(3, 1, &[0, 1, 3], &palette).unwrap_err().to_string().contains("label 3"));
        let whole: Vec<[u8; 3]> = (0..=255).map(|level| [level; 3]).collect();
        assert!(encode_labels(1, 1, &[255], &whole).is_ok());
    }

    #[test]
    fn colours_stay_colours() {
        let rgb = encoded(ColorType::Rgb, BitDepth::Eight, 1, &[1, 2, 3, 4, 5, 6], None);
        assert_eq!(decode_labels(&rgb).unwrap(), Labels::Colours(vec![[1, 2, 3], [4, 5, 6]]));
        let rgba = encoded(ColorType::Rgba, BitDepth::Eight, 1, &[1, 2, 3, 0, 4, 5, 6, 255], None);
        assert_eq!(decode_labels(&rgba).unwrap(), Labels::Colours(vec![[1, 2, 3], [4, 5, 6]]));
    }

    #[test]
    fn what_cannot_hold_labels_is_refused() {
        let deep = encoded(ColorType::Rgb, BitDepth::Sixteen, 1, &[0; 12], None);
        assert!(matches!(decode_labels(&deep), Err(ImageFault::Undecodable { .. })));
        let jpeg = crate::encode_jpeg(&crate::RgbImage::new(8, 8), 90).unwrap();
        assert!(decode_labels(&jpeg).unwrap_err().to_string().contains("JPEG changes"));
        let whole = encoded(ColorType::Grayscale, BitDepth::Eight, 3, &[0, 1, 2, 3, 4, 5], None);
        for length in 0..whole.len() {
            assert!(decode_labels(&whole[..length]).is_err(), "{length} of {} bytes", whole.len());
        }
    }
}
