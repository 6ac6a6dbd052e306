//! Header, transparency and end of a PNG, by hopping from chunk to chunk.

use crate::orientation::OrientationTags;
use crate::probe::check_size;
use crate::{ImageFault, ImageFormat, ImageInfo, PixelLayout};

/// First eight bytes of every PNG.
pub(crate) const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

struct Chunk<'a> {
    kind: [u8; 4],
    data: &'a [u8],
}

/// Reads IHDR, finds tRNS and what turns the picture, and requires pixel data and IEND.
pub(crate) fn parse(bytes: &[u8]) -> Result<ImageInfo, ImageFault> {
    let mut rest = &bytes[SIGNATURE.len()..];
    let header = next_chunk(&mut rest)?;
    if &header.kind != b"IHDR" {
        return Err(ImageFault::bad_header(format!("first PNG chunk is {}, not IHDR", name(header.kind))));
    }
    let (width, height, bits, color_type) = header_fields(header.data)?;
    check_size(width, height)?;

    let (mut transparent, mut has_pixels, mut tags) = (false, false, OrientationTags::default());
    loop {
        let chunk = next_chunk(&mut rest)?;
        match &chunk.kind {
            b"IEND" => break,
            b"IDAT" => has_pixels = true,
            b"tRNS" => transparent = true,
            b"eXIf" => tags.add_exif(chunk.data),
            text => tags.add_png_text(text, chunk.data),
        }
    }
    if !has_pixels {
        return Err(ImageFault::undecodable("the PNG has no IDAT chunk"));
    }
    let layout = layout(color_type, bits, transparent)?;
    Ok(ImageInfo::new(ImageFormat::Png, (width, height), layout, bits, tags.orientation()))
}

fn next_chunk<'a>(rest: &mut &'a [u8]) -> Result<Chunk<'a>, ImageFault> {
    let missing = || ImageFault::truncated("the file ends before the PNG's IEND chunk");
    let (length, after_length) = rest.split_first_chunk::<4>().ok_or_else(missing)?;
    let (kind, after_kind) = after_length.split_first_chunk::<4>().ok_or_else(missing)?;
    if !kind.iter().all(u8::is_ascii_alphabetic) {
        return Err(ImageFault::undecodable(format!("invalid PNG chunk name {kind:02x?}")));
    }
    let length = u32::from_be_bytes(*length) as usize;
    let (data, after_data) = after_kind.split_at_checked(length).ok_or_else(missing)?;
    // The checksum is verified by the decoder; here only its presence.
    *rest = after_data.get(4..).ok_or_else(missing)?;
    Ok(Chunk { kind: *kind, data })
}

fn header_fields(data: &[u8]) -> Result<(u32, u32, u8, u8), ImageFault> {
    let [w0, w1, w2, w3, h0, h1, h2, h3, bits, color_type, _compression, _filter, _interlace] = *data else {
        return Err(ImageFault::bad_header(format!("PNG IHDR chunk of {} bytes instead of 13", data.len())));
    };
    Ok((u32::from_be_bytes([w0, w1, w2, w3]), u32::from_be_bytes([h0, h1, h2, h3]), bits, color_type))
}

fn layout(color_type: u8, bits: u8, transparent: bool) -> Result<PixelLayout, ImageFault> {
    use PixelLayout::*;
    Ok(match (color_type, bits, transparent) {
        (0, 1 | 2 | 4 | 8, false) => Grey,
        (0, 1 | 2 | 4 | 8, true) | (4, 8, _) => GreyAlpha,
        (0, 16, false) => Grey16,
        (0, 16, true) | (4, 16, _) => GreyAlpha16,
        (2, 8, false) => Rgb,
        (2, 8, true) | (6, 8, _) => Rgba,
        (2, 16, false) => Rgb16,
        (2, 16, true) | (6, 16, _) => Rgba16,
        (3, 1 | 2 | 4 | 8, _) => Palette,
        _ => {
            return Err(ImageFault::bad_header(format!("PNG colour type {color_type} with {bits} bits per sample")));
        }
    })
}

fn name(kind: [u8; 4]) -> String {
    String::from_utf8_lossy(&kind).into_owned()
}
