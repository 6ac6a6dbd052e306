//! Segments of a JPEG before its first scan, and the search for its end.

use crate::orientation::OrientationTags;
use crate::probe::check_size;
use crate::{ImageFault, ImageFormat, ImageInfo, PixelLayout};

/// Start of frame, baseline.
const SOF0: u8 = 0xC0;
/// Start of frame, extended sequential.
const SOF1: u8 = 0xC1;
/// Start of frame, progressive.
const SOF2: u8 = 0xC2;
const EOI: u8 = 0xD9;
const SOS: u8 = 0xDA;

/// How samples become colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColorCoding {
    /// One channel.
    Grey,
    /// The usual JFIF coding.
    YCbCr,
    /// Three channels stored untransformed.
    Rgb,
    /// Four inks as Photoshop writes them: inverted, 255 = no ink; untransformed or as YCCK.
    AdobeCmyk,
    /// Four inks, 255 = full ink.
    PlainCmyk,
}

/// What is known before the first scan.
#[derive(Debug, Clone)]
pub(crate) struct JpegHeader {
    pub(crate) info: ImageInfo,
    pub(crate) coding: ColorCoding,
    pub(crate) progressive: bool,
    /// Offset of the first start-of-scan marker.
    pub(crate) scan_offset: usize,
}

struct Frame {
    marker: u8,
    width: u32,
    height: u32,
    component_names: Vec<u8>,
}

/// One marker segment: `payload` excludes the marker and its length.
pub(crate) struct Segment<'a> {
    pub(crate) marker: u8,
    pub(crate) payload: &'a [u8],
    /// Offset of the first byte after the segment.
    pub(crate) end: usize,
}

/// Reads the marker segment at `offset`, skipping fill bytes.
pub(crate) fn segment_at(bytes: &[u8], offset: usize) -> Result<Segment<'_>, ImageFault> {
    let cut = || ImageFault::truncated("the file ends within the JPEG's header segments");
    if *bytes.get(offset).ok_or_else(cut)? != 0xFF {
        return Err(ImageFault::bad_header(format!("no JPEG marker at byte {offset}")));
    }
    let fill = bytes[offset..].iter().take_while(|&&byte| byte == 0xFF).count();
    let at = offset + fill;
    let marker = *bytes.get(at).ok_or_else(cut)?;
    if marker == EOI || marker == 0xD8 || (0xD0..=0xD7).contains(&marker) || marker == 0x01 {
        return Ok(Segment { marker, payload: &[], end: at + 1 });
    }
    let length = bytes.get(at + 1..at + 3).ok_or_else(cut)?;
    let length = usize::from(u16::from_be_bytes([length[0], length[1]]));
    if length < 2 {
        return Err(ImageFault::bad_header(format!("JPEG segment FF{marker:02X} of length {length}")));
    }
    let payload = bytes.get(at + 3..at + 1 + length).ok_or_else(cut)?;
    Ok(Segment { marker, payload, end: at + 1 + length })
}

/// Reads all segments up to the first scan.
pub(crate) fn parse(bytes: &[u8]) -> Result<JpegHeader, ImageFault> {
    let (mut frame, mut adobe_transform, mut tags) = (None, None, OrientationTags::default());
    let mut offset = 2;
    loop {
        let segment = segment_at(bytes, offset)?;
        match segment.marker {
            SOS => break,
            EOI => return Err(ImageFault::truncated("the JPEG ends before its first scan")),
            0xC4 | 0xC8 | 0xCC => {}
            0xC0..=0xCF => frame = Some(frame_header(segment.marker, segment.payload)?),
            0xE1 => add_metadata(&mut tags, segment.payload),
            0xEE if segment.payload.starts_with(b"Adobe") && segment.payload.len() >= 12 => {
                adobe_transform = Some(segment.payload[11]);
            }
            _ => {}
        }
        offset = segment.end;
    }
    let frame = frame.ok_or_else(|| ImageFault::bad_header("the JPEG's first scan has no frame header before it"))?;
    let coding = color_coding(&frame.component_names, adobe_transform)?;
    let size = (frame.width, frame.height);
    let info = ImageInfo::new(ImageFormat::Jpeg, size, layout(coding), 8, tags.orientation());
    Ok(JpegHeader { info, coding, progressive: frame.marker == SOF2, scan_offset: offset })
}

fn add_metadata(tags: &mut OrientationTags, payload: &[u8]) {
    if let Some(tiff) = payload.strip_prefix(b"Exif\0\0") {
        tags.add_exif(tiff);
    } else if let Some(packet) = payload.strip_prefix(b"http://ns.adobe.com/xap/1.0/\0") {
        tags.add_xmp(packet);
    }
}

/// The rules of libjpeg: the Adobe segment decides; without it components named `R`, `G`, `B` are stored colours.
fn color_coding(component_names: &[u8], adobe_transform: Option<u8>) -> Result<ColorCoding, ImageFault> {
    Ok(match (component_names.len(), adobe_transform) {
        (1, _) => ColorCoding::Grey,
        (3, Some(0)) => ColorCoding::Rgb,
        (3, None) if component_names == b"RGB" => ColorCoding::Rgb,
        (3, _) => ColorCoding::YCbCr,
        (4, Some(_)) => ColorCoding::AdobeCmyk,
        (4, None) => ColorCoding::PlainCmyk,
        (count, _) => return Err(ImageFault::undecodable(format!("JPEG with {count} components"))),
    })
}

fn layout(coding: ColorCoding) -> PixelLayout {
    match coding {
        ColorCoding::Grey => PixelLayout::Grey,
        ColorCoding::YCbCr | ColorCoding::Rgb => PixelLayout::Rgb,
        ColorCoding::AdobeCmyk | ColorCoding::PlainCmyk => PixelLayout::Cmyk,
    }
}

fn frame_header(marker: u8, payload: &[u8]) -> Result<Frame, ImageFault> {
    let [precision, h0, h1, w0, w1, count, components @ ..] = payload else {
        return Err(ImageFault::bad_header(format!("JPEG frame header of {} bytes", payload.len())));
    };
    let (width, height) = (u32::from(u16::from_be_bytes([*w0, *w1])), u32::from(u16::from_be_bytes([*h0, *h1])));
    check_size(width, height)?;
    if !matches!(marker, SOF0 | SOF1 | SOF2) {
        return Err(ImageFault::undecodable(format!("JPEG process FF{marker:02X} (lossless or arithmetic coding)")));
    }
    if *precision != 8 {
        return Err(ImageFault::undecodable(format!("JPEG with {precision} bits per sample")));
    }
    if components.len() != usize::from(*count) * 3 || components.is_empty() {
        return Err(ImageFault::bad_header(format!("JPEG frame header with {count} components and a wrong length")));
    }
    let component_names = components.chunks_exact(3).map(|component| component[0]).collect();
    Ok(Frame { marker, width, height, component_names })
}

/// Requires an end-of-image marker after the first scan.
///
/// Looks at the end of the file first, ignoring zero padding; else walks the scans, since cameras append previews and
/// their own blocks after the image.
pub(crate) fn check_end(bytes: &[u8], scan_offset: usize) -> Result<(), ImageFault> {
    if ends_with_marker(bytes) {
        return Ok(());
    }
    let missing = || ImageFault::truncated("the file ends without the JPEG's end-of-image marker");
    let mut offset = scan_offset;
    loop {
        let segment = segment_at(bytes, offset).map_err(|_| missing())?;
        if segment.marker == EOI {
            return Ok(());
        }
        offset = if segment.marker == SOS { scan_end(bytes, segment.end).ok_or_else(missing)? } else { segment.end };
    }
}

/// Whether the last bytes of a file, but for zero padding, are an end-of-image marker.
pub(crate) fn ends_with_marker(tail: &[u8]) -> bool {
    let padding = tail.iter().rev().take_while(|&&byte| byte == 0).count();
    tail[..tail.len() - padding].ends_with(&[0xFF, EOI])
}

/// Offset of the marker that ends the entropy-coded data starting at `offset`; `None` if the file ends first.
fn scan_end(bytes: &[u8], mut offset: usize) -> Option<usize> {
    loop {
        offset += bytes.get(offset..)?.iter().position(|&byte| byte == 0xFF)?;
        match bytes.get(offset + 1)? {
            0x00 | 0xD0..=0xD7 => offset += 2,
            0xFF => offset += 1,
            _ => return Some(offset),
        }
    }
}
