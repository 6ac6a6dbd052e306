//! Files of one number per pixel: depth as 16-bit PNG for everyone, and without loss as compressed NPY for who computes with it.

use crate::MediaError;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

/// Compression level of Zstandard: the fastest that still finds anything in the noise of mantissas.
const LEVEL: i32 = 1;
/// Magic bytes of an NPY file of version 1.0.
const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
/// Headers of NPY are padded so that numbers start at a multiple of this.
const ALIGNMENT: usize = 64;

/// Encodes as 16-bit grey PNG; one value per pixel, row by row from the top left.
///
/// # Errors
/// When there are not `width * height` values.
pub fn encode_grey16(width: u32, height: u32, values: &[u16]) -> Result<Vec<u8>, MediaError> {
    let mut bytes = Vec::new();
    let native: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
    // Depth is smooth: what is left of the pixel to the left is small.
    let encoder = PngEncoder::new_with_quality(&mut bytes, CompressionType::Fast, FilterType::Sub);
    let result = match native.len() as u64 == 2 * u64::from(width) * u64::from(height) {
        true => encoder.write_image(&native, width, height, ExtendedColorType::L16).map_err(|error| error.to_string()),
        false => Err(format!("there are {} values", values.len())),
    };
    match result {
        Ok(()) => Ok(bytes),
        Err(detail) => Err(MediaError::Still { width, height, format: "png", detail }),
    }
}

/// Encodes as 8-bit grey PNG; one value per pixel, row by row from the top left.
///
/// # Errors
/// When there are not `width * height` values.
pub fn encode_grey8(width: u32, height: u32, values: &[u8]) -> Result<Vec<u8>, MediaError> {
    let mut bytes = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut bytes, CompressionType::Fast, FilterType::Sub);
    let result = match values.len() as u64 == u64::from(width) * u64::from(height) {
        true => encoder.write_image(values, width, height, ExtendedColorType::L8).map_err(|error| error.to_string()),
        false => Err(format!("there are {} values", values.len())),
    };
    match result {
        Ok(()) => Ok(bytes),
        Err(detail) => Err(MediaError::Still { width, height, format: "png", detail }),
    }
}

/// Decodes an 8-bit grey PNG: width, height and values. Null when it is none.
pub fn decode_grey8(bytes: &[u8]) -> Option<(u32, u32, Vec<u8>)> {
    let image = image::load_from_memory_with_format(bytes, image::ImageFormat::Png).ok()?;
    match image {
        image::DynamicImage::ImageLuma8(image) => Some((image.width(), image.height(), image.into_raw())),
        _ => None,
    }
}

/// Decodes a 16-bit grey PNG: width, height and values. Null when it is none.
pub fn decode_grey16(bytes: &[u8]) -> Option<(u32, u32, Vec<u16>)> {
    let image = image::load_from_memory_with_format(bytes, image::ImageFormat::Png).ok()?;
    match image {
        image::DynamicImage::ImageLuma16(image) => Some((image.width(), image.height(), image.into_raw())),
        _ => None,
    }
}

/// Writes a NumPy array of 32-bit floats, `height` rows of `width`, compressed with Zstandard (`.npy.zst`).
///
/// # Errors
/// When the file cannot be written.
///
/// # Panics
/// When there are not `width * height` values.
pub fn write_floats(path: &Path, width: usize, height: usize, values: &[f32]) -> io::Result<()> {
    assert_eq!(values.len(), width * height, "one value per pixel");
    let mut encoder = zstd::Encoder::new(BufWriter::new(File::create(path)?), LEVEL)?;
    encoder.write_all(&header(width, height))?;
    let mut bytes = Vec::with_capacity(4 * width);
    for row in values.chunks(width.max(1)) {
        bytes.clear();
        bytes.extend(row.iter().flat_map(|value| value.to_le_bytes()));
        encoder.write_all(&bytes)?;
    }
    encoder.finish()?.flush()
}

/// Reads what [`write_floats`] wrote: width, height and values.
///
/// # Errors
/// When the file cannot be read or is none of ours.
pub fn read_floats(path: &Path) -> io::Result<(usize, usize, Vec<f32>)> {
    let foreign = || io::Error::new(io::ErrorKind::InvalidData, format!("{} is no depth of uavgen", path.display()));
    let mut decoder = zstd::Decoder::new(BufReader::new(File::open(path)?))?;
    let mut start = vec![0; MAGIC.len() + 2];
    decoder.read_exact(&mut start)?;
    if !start.starts_with(MAGIC) {
        return Err(foreign());
    }
    let mut text = vec![0; usize::from(u16::from_le_bytes([start[MAGIC.len()], start[MAGIC.len() + 1]]))];
    decoder.read_exact(&mut text)?;
    let text = String::from_utf8(text).map_err(|_| foreign())?;
    let shape = text.split_once('(').and_then(|(_, rest)| rest.split_once(')')).ok_or_else(foreign)?.0;
    let sides: Vec<usize> = shape.split(',').filter_map(|side| side.trim().parse().ok()).collect();
    let &[height, width] = sides.as_slice() else { return Err(foreign()) };
    if header(width, height)[start.len()..] != *text.as_bytes() {
        return Err(foreign());
    }
    let mut bytes = Vec::new();
    decoder.read_to_end(&mut bytes)?;
    let values: Vec<f32> =
        bytes.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect();
    if bytes.len() % 4 == 0 && Some(values.len()) == width.checked_mul(height) {
        Ok((width, height, values))
    } else {
        Err(foreign())
    }
}

/// The header of an NPY file, see `numpy.lib.format`.
fn header(width: usize, height: usize) -> Vec<u8> {
    let mut text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({height}, {width}), }}");
    let length = MAGIC.len() + 2 + text.len() + 1;
    text.extend(std::iter::repeat_n(' ', length.next_multiple_of(ALIGNMENT) - length));
    text.push('\n');
    [MAGIC, &(text.len() as u16).to_le_bytes(), text.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_come_back_to_the_bit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy.zst");
        let values = [0.0, 0.1, 65.535, 1e-30, -0.0, f32::MAX];
        write_floats(&path, 3, 2, &values).unwrap();
        let (width, height, read) = read_floats(&path).unwrap();
        assert_eq!((width, height), (3, 2));
        assert!(read.iter().zip(values).all(|(a, b)| a.to_bits() == b.to_bits()));
    }

    #[test]
    fn headers_are_those_of_numpy() {
        // `numpy.save` of an array of 2 x 3 zeros begins with these 128 bytes.
        let text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }}{}\n", " ".repeat(58));
        assert_eq!(header(3, 2), [b"\x93NUMPY\x01\x00\x76\x00".as_slice(), text.as_bytes()].concat());
    }

    #[test]
    fn cut_and_foreign_files_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy.zst");
        write_floats(&path, 30, 20, &[1.5; 600]).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(read_floats(&path).is_err(), "{length} of {} bytes", whole.len());
        }
        std::fs::write(&path, zstd::encode_all(&b"\x93NUMPY\x01\x00\x02\x00()"[..], 1).unwrap()).unwrap();
        assert!(read_floats(&path).is_err());
    }

    #[test]
    fn grey_values_come_back() {
        let values: Vec<u16> = (0..60).map(|number| number * 1091).collect();
        let bytes = encode_grey16(10, 6, &values).unwrap();
        assert_eq!(decode_grey16(&bytes), Some((10, 6, values)));
        assert!(encode_grey16(10, 7, &[0; 60]).is_err());
        let levels: Vec<u8> = (0..60).collect();
        let small = encode_grey8(10, 6, &levels).unwrap();
        assert_eq!(decode_grey8(&small), Some((10, 6, levels)));
        assert!(encode_grey8(10, 7, &[0; 60]).is_err());
        assert_eq!((decode_grey8(&bytes), decode_grey16(&small)), (None, None), "one is not taken for the other");
        assert_eq!(decode_grey16(&crate::encode_png(&crate::RgbImage::new(2, 2)).unwrap()), None);
    }
}
