//! Whole still images: decode to upright RGB, and the form in which an image is delivered.

use crate::jpeg_header::{self, ColorCoding, JpegHeader};
use crate::{ImageFault, ImageFormat, ImageInfo, MediaError, draw, jpeg_entropy, probe};
use image::codecs::png::PngDecoder;
use image::metadata::Orientation;
use image::{DynamicImage, GrayImage, Limits, RgbImage};
use std::borrow::Cow;
use std::io::Cursor;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Quality of re-encoded JPEGs; colour is not subsampled.
const DELIVERED_JPEG_QUALITY: u8 = 95;

/// An image in the form in which a release ships it: upright, 8 bits per channel, RGB or grey.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivered<'a> {
    /// The encoded image; borrowed when the original file already has that form.
    pub bytes: Cow<'a, [u8]>,
    /// Encoding of `bytes`.
    pub format: ImageFormat,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Whether `bytes` are the original file, untouched.
    pub original: bool,
}

/// Decodes an image completely, to upright 8-bit RGB.
///
/// The EXIF rotation is applied, grey is repeated over the three channels, palettes are looked up, 16-bit samples are
/// scaled by 255/65535, alpha is flattened onto black, and inks become light as `(255 - ink) * (255 - black) / 255`
/// (Photoshop's inverted storage is recognised by its Adobe segment). ICC profiles are not applied.
///
/// A picture is returned only if it is complete: see [`ImageFault::Truncated`] and [`ImageFault::Undecodable`].
pub fn decode_upright(bytes: &[u8]) -> Result<RgbImage, ImageFault> {
    let info = probe(bytes)?;
    Ok(match decode_info(bytes, &info)? {
        Pixels::Rgb(image) => image,
        Pixels::Grey(image) => DynamicImage::ImageLuma8(image).into_rgb8(),
    })
}

/// Decodes an image completely, so that it is known to be sound, and gives it back in the delivered form.
///
/// The original bytes are kept when they have that form already ([`ImageInfo::is_deliverable`]). Otherwise the pixels
/// of [`decode_upright`] are encoded again: JPEG stays JPEG (quality 95, colour not subsampled), PNG stays PNG; grey
/// stays grey.
pub fn deliver(bytes: &[u8]) -> Result<Delivered<'_>, ImageFault> {
    let info = probe(bytes)?;
    let pixels = decode_info(bytes, &info)?;
    let (format, width, height) = (info.format, info.width, info.height);
    let original = info.is_deliverable();
    let bytes = if original {
        Cow::Borrowed(bytes)
    } else {
        Cow::Owned(pixels.encode(format).map_err(|error| ImageFault::undecodable(error.to_string()))?)
    };
    Ok(Delivered { bytes, format, width, height, original })
}

/// Upright 8-bit pixels.
enum Pixels {
    Grey(GrayImage),
    Rgb(RgbImage),
}

impl Pixels {
    fn upright(self, exif_orientation: u8) -> Self {
        let Some(orientation) = Orientation::from_exif(exif_orientation) else { return self };
        let mut image = match self {
            Self::Grey(image) => DynamicImage::ImageLuma8(image),
            Self::Rgb(image) => DynamicImage::ImageRgb8(image),
        };
        image.apply_orientation(orientation);
        match image {
            DynamicImage::ImageLuma8(image) => Self::Grey(image),
            other => Self::Rgb(other.into_rgb8()),
        }
    }

    fn encode(&self, format: ImageFormat) -> Result<Vec<u8>, MediaError> {
        match (self, format) {
            (Self::Grey(image), ImageFormat::Jpeg) => draw::encode_jpeg_pixels(image, DELIVERED_JPEG_QUALITY),
            (Self::Rgb(image), ImageFormat::Jpeg) => draw::encode_jpeg_pixels(image, DELIVERED_JPEG_QUALITY),
            (Self::Grey(image), ImageFormat::Png) => draw::encode_png_pixels(image),
            (Self::Rgb(image), ImageFormat::Png) => draw::encode_png_pixels(image),
        }
    }
}

fn decode_info(bytes: &[u8], info: &ImageInfo) -> Result<Pixels, ImageFault> {
    let pixels = match info.format {
        ImageFormat::Jpeg => decode_jpeg(bytes, &jpeg_header::parse(bytes)?)?,
        ImageFormat::Png => decode_png(bytes)?,
    };
    Ok(pixels.upright(info.exif_orientation))
}

fn decode_jpeg(bytes: &[u8], header: &JpegHeader) -> Result<Pixels, ImageFault> {
    jpeg_entropy::verify(bytes)?;
    let (width, height) = (header.info.stored_width, header.info.stored_height);
    let damaged = || ImageFault::undecodable("the JPEG decoder returned another size than the header states");
    if header.coding == ColorCoding::Grey {
        let samples = jpeg_samples(bytes, ColorSpace::Luma)?;
        return GrayImage::from_raw(width, height, samples).map(Pixels::Grey).ok_or_else(damaged);
    }
    let samples = match header.coding {
        // The decoder takes all inks for inverted; asked for inks it returns the samples as stored.
        ColorCoding::PlainCmyk => rgb_from_plain_cmyk(&jpeg_samples(bytes, ColorSpace::CMYK)?),
        _ => jpeg_samples(bytes, ColorSpace::RGB)?,
    };
    RgbImage::from_raw(width, height, samples).map(Pixels::Rgb).ok_or_else(damaged)
}

/// Decodes with the lenient mode of the decoder: completeness was proven before, and its strict mode also refuses
/// harmless stray bytes between header segments.
fn jpeg_samples(bytes: &[u8], colors: ColorSpace) -> Result<Vec<u8>, ImageFault> {
    let options = DecoderOptions::default()
        .jpeg_set_out_colorspace(colors)
        .set_strict_mode(false)
        .set_max_width(usize::from(u16::MAX))
        .set_max_height(usize::from(u16::MAX));
    let mut decoder = zune_jpeg::JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode().map_err(|error| ImageFault::undecodable(format!("{error:?}")))
}

fn rgb_from_plain_cmyk(samples: &[u8]) -> Vec<u8> {
    let light = |ink: u8, black: u8| {
        let product = u32::from(255 - ink) * u32::from(255 - black);
        ((product + 127) / 255) as u8
    };
    samples.chunks_exact(4).flat_map(|cmyk| [0, 1, 2].map(|i| light(cmyk[i], cmyk[3]))).collect()
}

fn decode_png(bytes: &[u8]) -> Result<Pixels, ImageFault> {
    let fault = |error: image::ImageError| ImageFault::undecodable(error.to_string());
    // The number of pixels was bounded by the probe.
    let decoder = PngDecoder::with_limits(Cursor::new(bytes), Limits::no_limits()).map_err(fault)?;
    let image = DynamicImage::from_decoder(decoder).map_err(fault)?;
    Ok(match image {
        DynamicImage::ImageLuma8(image) => Pixels::Grey(image),
        DynamicImage::ImageLuma16(_) => Pixels::Grey(image.into_luma8()),
        DynamicImage::ImageRgb8(image) => Pixels::Rgb(image),
        other if other.color().has_alpha() => Pixels::Rgb(flattened(&other.into_rgba8())),
        other => Pixels::Rgb(other.into_rgb8()),
    })
}

/// Puts transparent pixels on black.
fn flattened(image: &image::RgbaImage) -> RgbImage {
    let mut flat = RgbImage::new(image.width(), image.height());
    for (target, source) in flat.pixels_mut().zip(image.pixels()) {
        let [r, g, b, alpha] = source.0;
        target.0 = [r, g, b].map(|value| ((u32::from(value) * u32::from(alpha) + 127) / 255) as u8);
    }
    flat
}
