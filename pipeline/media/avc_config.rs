//! The decoder configuration of an MP4 file (`avcC`): the parameter sets that all its packets are decoded with.
//!
//! Packets of two files may follow each other in one stream only when these bytes are equal. FFmpeg's safe bindings do not
//! show them, and the way to them is short: five boxes inside each other.

use crate::MediaError;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// Larger than the index of any file that we make: 8 bytes per frame.
const MAX_INDEX_BYTES: u64 = 1 << 28;
/// Bytes of a sample entry before its own boxes (ISO/IEC 14496-12, `VisualSampleEntry`).
const VISUAL_ENTRY_BYTES: usize = 78;

/// What `avcC` holds (ISO/IEC 14496-15, `AVCDecoderConfigurationRecord`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AvcConfig {
    /// The record as it stands in the file.
    pub(crate) record: Vec<u8>,
    /// Its sequence and picture parameter sets, in order.
    pub(crate) parameter_sets: Vec<Vec<u8>>,
}

impl AvcConfig {
    /// Reads it from an MP4 file.
    ///
    /// # Errors
    /// When the file cannot be read, or is no MP4 with H.264 whose lengths have four bytes, as ours have.
    pub(crate) fn read(path: &Path) -> Result<Self, MediaError> {
        let failed = |detail: String| MediaError::Ffmpeg { action: "read video", path: path.to_path_buf(), detail };
        let index = movie_box(path).map_err(|error| failed(error.to_string()))?;
        let record = index.as_deref().and_then(find_record);
        let parsed =
            record.and_then(|record| Some(Self { record: record.to_vec(), parameter_sets: parameter_sets(record)? }));
        parsed.ok_or_else(|| failed("it has no H.264 decoder configuration".into()))
    }
}

/// The content of the box `moov`; null when there is none.
fn movie_box(path: &Path) -> std::io::Result<Option<Vec<u8>>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut offset = 0;
    while offset + 8 <= length {
        let mut header = [0; 16];
        file.seek(SeekFrom::Start(offset))?;
        let available = (length - offset).min(16) as usize;
        file.read_exact(&mut header[..available])?;
        let (size, header_bytes) = match u32_at(&header, 0) {
            0 => (length - offset, 8),
            1 => (u64_at(&header, 8), 16),
            size => (u64::from(size), 8),
        };
        if size < header_bytes || size > length - offset {
            return Ok(None);
        }
        if &header[4..8] == b"moov" {
            let content = size - header_bytes;
            if content > MAX_INDEX_BYTES {
                return Ok(None);
            }
            let mut bytes = vec![0; content as usize];
            file.seek(SeekFrom::Start(offset + header_bytes))?;
            file.read_exact(&mut bytes)?;
            return Ok(Some(bytes));
        }
        offset += size;
    }
    Ok(None)
}

/// The first `avcC` inside `moov`.
fn find_record(movie: &[u8]) -> Option<&[u8]> {
    let tracks = boxes(movie).filter(|(kind, _)| kind == b"trak");
    tracks.filter_map(|(_, track)| track_record(track)).next()
}

fn track_record(track: &[u8]) -> Option<&[u8]> {
    let mut inner = [b"mdia", b"minf", b"stbl", b"stsd"].into_iter();
    let table = inner.try_fold(track, |content, kind| child(content, kind))?;
    // Version, flags and the number of entries come first.
    let entry = child(table.get(8..)?, b"avc1")?;
    child(entry.get(VISUAL_ENTRY_BYTES..)?, b"avcC")
}

fn child<'a>(content: &'a [u8], kind: &[u8; 4]) -> Option<&'a [u8]> {
    boxes(content).find(|(found, _)| found == kind).map(|(_, content)| content)
}

/// Boxes that stand beside each other: kind and content. Ends at the first one that is cut off.
fn boxes(content: &[u8]) -> impl Iterator<Item = ([u8; 4], &[u8])> {
    let mut rest = content;
    std::iter::from_fn(move || {
        let size = rest.get(..8).map(|header| u32_at(header, 0) as usize)?;
        let (found, after) = (rest.get(8..size)?, &rest[size..]);
        let kind = [rest[4], rest[5], rest[6], rest[7]];
        rest = after;
        Some((kind, found))
    })
}

/// Sequence and picture parameter sets; null when the record is cut off, or its packets have lengths of other than four
/// bytes.
fn parameter_sets(record: &[u8]) -> Option<Vec<Vec<u8>>> {
    if record.first() != Some(&1) || record.get(4)? & 3 != 3 {
        return None;
    }
    let mut sets = Vec::new();
    let mut offset = 5;
    for mask in [31, 255] {
        let count = record.get(offset)? & mask;
        offset += 1;
        for _ in 0..count {
            let length = usize::from(u16::from_be_bytes([*record.get(offset)?, *record.get(offset + 1)?]));
            sets.push(record.get(offset + 2..offset + 2 + length)?.to_vec());
            offset += 2 + length;
        }
    }
    Some(sets)
}

fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    bytes[offset..offset + 4].iter().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    bytes[offset..offset + 8].iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: [u8; 19] = [1, 0x64, 0, 0x28, 0xFF, 0xE1, 0, 4, 0x67, 0x64, 0, 0x28, 1, 0, 3, 0x68, 0xEE, 0x3C, 0xFD];

    fn boxed(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
        [&(content.len() as u32 + 8).to_be_bytes()[..], kind, content].concat()
    }

    /// A movie box as files have it, with an audio track before the video.
    fn movie(record: &[u8]) -> Vec<u8> {
        let entry =
            boxed(b"avc1", &[vec![0; VISUAL_ENTRY_BYTES], boxed(b"avcC", record), boxed(b"pasp", &[0; 8])].concat());
        let track = |entries: &[u8]| {
            let table = boxed(b"stbl", &boxed(b"stsd", &[&[0, 0, 0, 0, 0, 0, 0, 1], entries].concat()));
            boxed(b"trak", &[boxed(b"tkhd", &[0; 84]), boxed(b"mdia", &boxed(b"minf", &table))].concat())
        };
        [boxed(b"mvhd", &[0; 100]), track(&boxed(b"mp4a", &[0; 40])), track(&entry)].concat()
    }

    #[test]
    fn parameter_sets_are_found_behind_other_tracks() {
        let movie = movie(&RECORD);
        assert_eq!(find_record(&movie), Some(&RECORD[..]));
        assert_eq!(parameter_sets(&RECORD), Some(vec![vec![0x67, 0x64, 0, 0x28], vec![0x68, 0xEE, 0x3C]]));
    }

    #[test]
    fn what_is_cut_off_is_not_found() {
        let movie = movie(&RECORD);
        assert!((0..movie.len() - 16).all(|length| find_record(&movie[..length]).is_none()));
        assert!((0..RECORD.len() - 1).all(|length| parameter_sets(&RECORD[..length]).is_none()));
        let short_lengths = [&RECORD[..4], &[0xFD], &RECORD[5..]].concat();
        assert_eq!(parameter_sets(&short_lengths), None);
    }

    #[test]
    fn the_index_is_found_before_or_behind_the_pictures() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mp4");
        let (start, data, index) =
            (boxed(b"ftyp", &[0; 16]), boxed(b"mdat", &[7; 100]), boxed(b"moov", &movie(&RECORD)));
        for parts in [[&start, &index, &data], [&start, &data, &index]] {
            std::fs::write(&path, parts.map(|part| part.as_slice()).concat()).unwrap();
            assert_eq!(AvcConfig::read(&path).unwrap().record, RECORD);
        }
        std::fs::write(&path, &start).unwrap();
        assert!(AvcConfig::read(&path).unwrap_err().to_string().contains("no H.264 decoder configuration"));
    }
}
