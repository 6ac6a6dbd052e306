//! What an image file holds, from its header and end marker alone: no pixel is decoded.

use crate::{ImageFault, jpeg_header, png_header, sniff};

/// Images with more pixels than this are refused before any buffer is allocated: it is what Pillow, and so `datasets`,
/// takes without a warning (`PIL.Image.MAX_IMAGE_PIXELS`), and from twice as many on it refuses to load them.
pub const MAX_PIXELS: u64 = 89_478_485;

/// Encoding found in the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ImageFormat {
    /// JPEG (ITU T.81): baseline, extended or progressive, 8 bits, Huffman coded.
    Jpeg,
    /// PNG.
    Png,
}

impl ImageFormat {
    /// `jpeg` or `png`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Jpeg => "jpeg",
            Self::Png => "png",
        }
    }

    /// The usual file name extension, without the dot: `jpg` or `png`.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Jpeg => "jpg",
            Self::Png => "png",
        }
    }
}

/// Channels of the stored pixels and their depth class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PixelLayout {
    /// Three colour channels of 8 bits (for JPEG usually stored as YCbCr).
    Rgb,
    /// Colour and alpha, 8 bits; also a PNG that declares one colour transparent.
    Rgba,
    /// One channel of up to 8 bits.
    Grey,
    /// Grey and alpha, 8 bits; also a grey PNG that declares one value transparent.
    GreyAlpha,
    /// Indices into a colour table.
    Palette,
    /// Four ink channels (also when stored as YCCK).
    Cmyk,
    /// As `Rgb`, 16 bits per channel.
    Rgb16,
    /// As `Rgba`, 16 bits per channel.
    Rgba16,
    /// As `Grey`, 16 bits.
    Grey16,
    /// As `GreyAlpha`, 16 bits per channel.
    GreyAlpha16,
}

impl PixelLayout {
    /// The name used in tables: lower snake case, with `16` appended for 16 bits per channel.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rgb => "rgb",
            Self::Rgba => "rgba",
            Self::Grey => "grey",
            Self::GreyAlpha => "grey_alpha",
            Self::Palette => "palette",
            Self::Cmyk => "cmyk",
            Self::Rgb16 => "rgb16",
            Self::Rgba16 => "rgba16",
            Self::Grey16 => "grey16",
            Self::GreyAlpha16 => "grey_alpha16",
        }
    }
}

/// Header of an image file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ImageInfo {
    /// Encoding found in the bytes, whatever the file is called.
    pub format: ImageFormat,
    /// Width in pixels as delivered, after the EXIF rotation.
    pub width: u32,
    /// Height in pixels as delivered, after the EXIF rotation.
    pub height: u32,
    /// Width in pixels as stored in the file.
    pub stored_width: u32,
    /// Height in pixels as stored in the file.
    pub stored_height: u32,
    /// Channels and depth class.
    pub pixel_layout: PixelLayout,
    /// Bits per sample as stored: 8 for JPEG; 1, 2, 4, 8 or 16 for PNG.
    pub bits_per_sample: u8,
    /// EXIF orientation, 1 to 8; 1 = stored as displayed. Without an EXIF tag that of XMP; missing or invalid values count
    /// as 1.
    pub exif_orientation: u8,
}

impl ImageInfo {
    pub(crate) fn new(format: ImageFormat, size: (u32, u32), layout: PixelLayout, bits: u8, orientation: u8) -> Self {
        let (stored_width, stored_height) = size;
        let swaps = (5..=8).contains(&orientation);
        let (width, height) = if swaps { (stored_height, stored_width) } else { size };
        Self {
            format,
            width,
            height,
            stored_width,
            stored_height,
            pixel_layout: layout,
            bits_per_sample: bits,
            exif_orientation: orientation,
        }
    }

    /// Whether the file can be delivered as it is: upright, 8 bits per channel, RGB or grey.
    pub fn is_deliverable(&self) -> bool {
        self.exif_orientation == 1
            && self.bits_per_sample == 8
            && matches!(self.pixel_layout, PixelLayout::Rgb | PixelLayout::Grey)
    }
}

/// Reads the header of a JPEG or PNG and checks that the end marker is there.
///
/// Bytes after the end marker (padding, appended previews of some cameras) are tolerated. A file that passes may still
/// hold damaged pixels: only [`crate::decode_upright`] and [`crate::deliver`] find those.
pub fn probe(bytes: &[u8]) -> Result<ImageInfo, ImageFault> {
    match sniffed_format(bytes)? {
        ImageFormat::Jpeg => {
            let header = jpeg_header::parse(bytes)?;
            jpeg_header::check_end(bytes, header.scan_offset)?;
            Ok(header.info)
        }
        ImageFormat::Png => png_header::parse(bytes),
    }
}

/// As [`probe`], from the first and the last bytes of a file; `None` when these do not tell and the whole file must be
/// looked at.
///
/// The two parts overlap when the file is short, and `head` is empty only if the file is. What this accepts, [`probe`]
/// accepts with the same result. It answers for JPEGs whose header fits into `head`; a PNG's chunks may be anywhere.
pub fn probe_ends(head: &[u8], tail: &[u8]) -> Option<Result<ImageInfo, ImageFault>> {
    match sniffed_format(head) {
        Ok(ImageFormat::Png) => None,
        Ok(ImageFormat::Jpeg) => match jpeg_header::parse(head) {
            Ok(header) => jpeg_header::ends_with_marker(tail).then_some(Ok(header.info)),
            Err(ImageFault::Truncated { .. }) => None,
            Err(fault) => Some(Err(fault)),
        },
        Err(ImageFault::Truncated { .. }) => None,
        Err(fault) => Some(Err(fault)),
    }
}

fn sniffed_format(bytes: &[u8]) -> Result<ImageFormat, ImageFault> {
    if bytes.is_empty() {
        return Err(ImageFault::EmptyFile);
    }
    if bytes.starts_with(&[0xFF, 0xD8, 0xFF]) || bytes == [0xFF, 0xD8] {
        return Ok(ImageFormat::Jpeg);
    }
    if bytes.starts_with(png_header::SIGNATURE) {
        return Ok(ImageFormat::Png);
    }
    if png_header::SIGNATURE.starts_with(bytes) || bytes == [0xFF] {
        return Err(ImageFault::truncated("the file ends within the signature"));
    }
    Err(ImageFault::NotAnImage { looks_like: sniff::looks_like(bytes) })
}

/// Refuses sizes that no buffer should be allocated for.
pub(crate) fn check_size(width: u32, height: u32) -> Result<(), ImageFault> {
    if width == 0 || height == 0 {
        return Err(ImageFault::ZeroSize { width, height });
    }
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(ImageFault::TooLarge { width, height, limit: MAX_PIXELS });
    }
    Ok(())
}
