//! Where an image says how it is to be turned. What counts is what viewers do, since they show the boxes on it: EXIF first,
//! whatever integer type the tag has, and XMP only where EXIF has no such tag (so does Pillow, and with it `datasets`).

use flate2::read::ZlibDecoder;
use std::io::Read as _;

const ORIENTATION_TAG: u16 = 0x0112;
/// Types of TIFF values that are whole numbers: BYTE, SHORT, LONG and their signed kinds, with their sizes in bytes.
const INTEGER_TYPES: [(u16, usize); 6] = [(1, 1), (3, 2), (4, 4), (6, 1), (8, 2), (9, 4)];
/// Longest metadata text that is unpacked.
const MAX_TEXT_BYTES: u64 = 1 << 20;

/// What was found so far.
#[derive(Debug, Default)]
pub(crate) struct OrientationTags {
    exif: Option<u8>,
    xmp: Option<u8>,
}

impl OrientationTags {
    /// Orientation 1 to 8; 1 where there is no valid one.
    pub(crate) fn orientation(&self) -> u8 {
        self.exif.or(self.xmp).unwrap_or(1)
    }

    /// Takes note of a TIFF-structured EXIF block.
    pub(crate) fn add_exif(&mut self, tiff: &[u8]) {
        self.exif = self.exif.or_else(|| of_tiff(tiff));
    }

    /// Takes note of an XMP packet.
    pub(crate) fn add_xmp(&mut self, packet: &[u8]) {
        self.xmp = of_xmp(packet).or(self.xmp);
    }

    /// Takes note of a text chunk of a PNG: its keyword may say that it holds EXIF or XMP.
    pub(crate) fn add_png_text(&mut self, kind: &[u8; 4], data: &[u8]) {
        let Some((keyword, text)) = png_text(kind, data) else { return };
        match keyword {
            b"XML:com.adobe.xmp" => self.add_xmp(&text),
            b"Raw profile type exif" | b"Raw profile type APP1" => {
                let profile = raw_profile(&text);
                self.add_exif(profile.strip_prefix(b"Exif\0\0").unwrap_or(&profile));
            }
            _ => {}
        }
    }
}

/// The tag in the first directory of a TIFF structure; of several the last one, as readers that fill a map have it. A value
/// that is no orientation counts as 1; `None` when there is no tag.
fn of_tiff(tiff: &[u8]) -> Option<u8> {
    let big = match tiff.get(..4)? {
        b"II\x2A\0" => false,
        b"MM\0\x2A" => true,
        _ => return None,
    };
    let number = |offset: usize, size: usize| {
        let bytes = tiff.get(offset..offset.checked_add(size)?)?;
        let add = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        Some(if big { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) })
    };
    let directory = usize::try_from(number(4, 4)?).ok()?;
    let count = number(directory, 2)? as usize;
    let tag = |entry: usize| {
        let offset = directory + 2 + 12 * entry;
        (number(offset, 2)? == u64::from(ORIENTATION_TAG)).then_some(offset)
    };
    let offset = (0..count).filter_map(tag).next_back()?;
    let kind = number(offset + 2, 2)? as u16;
    let (_, size) = INTEGER_TYPES.into_iter().find(|(number, _)| *number == kind)?;
    let values = number(offset + 4, 4)?;
    // Values that do not fit into the entry stand elsewhere.
    let fits = values.saturating_mul(size as u64) <= 4;
    let place = if fits { offset + 8 } else { usize::try_from(number(offset + 8, 4)?).ok()? };
    Some(valid(number(place, size)?))
}

fn of_xmp(packet: &[u8]) -> Option<u8> {
    const NAME: &[u8] = b"tiff:Orientation";
    let places = packet.windows(NAME.len()).enumerate().filter(|(_, window)| *window == NAME);
    let digit = |(place, _)| match packet.get(place + NAME.len()..)? {
        [b'=', b'"', digit, ..] | [b'>', digit, ..] if digit.is_ascii_digit() => Some(valid(u64::from(digit - b'0'))),
        _ => None,
    };
    places.filter_map(digit).next()
}

fn valid(value: u64) -> u8 {
    if (1..=8).contains(&value) { value as u8 } else { 1 }
}

/// Keyword and text of a PNG text chunk, unpacked; `None` when it is damaged or too long.
fn png_text<'a>(kind: &[u8; 4], data: &'a [u8]) -> Option<(&'a [u8], Vec<u8>)> {
    let (keyword, rest) = split_at_zero(data)?;
    let text = match kind {
        b"tEXt" => rest.to_vec(),
        b"zTXt" => unpacked(rest.get(1..)?)?,
        b"iTXt" => {
            let packed = *rest.first()? == 1;
            let (_language, rest) = split_at_zero(rest.get(2..)?)?;
            let (_translated, text) = split_at_zero(rest)?;
            if packed { unpacked(text)? } else { text.to_vec() }
        }
        _ => return None,
    };
    Some((keyword, text))
}

fn split_at_zero(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|&byte| byte == 0)?;
    Some((&bytes[..end], &bytes[end + 1..]))
}

fn unpacked(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    ZlibDecoder::new(bytes).take(MAX_TEXT_BYTES).read_to_end(&mut text).ok()?;
    Some(text)
}

/// The bytes of a profile as ImageMagick writes it: a line break, its name, its length, and then hexadecimal lines.
fn raw_profile(text: &[u8]) -> Vec<u8> {
    let lines = text.split(|&byte| byte == b'\n').skip(3);
    let digits: Vec<u8> =
        lines.flatten().filter_map(|&byte| (byte as char).to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}
