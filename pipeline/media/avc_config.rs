//! The decoder configuration of an MP4 file (`avcC`): the parameter sets that all its packets are decoded with.
//!
//! Packets of two files may follow each other in one stream only when these bytes are equal. FFmpeg's safe bindings do not
//! show them.

use crate::MediaError;
use crate::boxes::{self, Track};
use crate::stream_header::StreamHeader;
use std::path::Path;

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
        let movie = boxes::of_file(path).and_then(|boxes| boxes::content(path, &boxes, b"moov"));
        let index = movie.map_err(|error| failed(error.to_string()))?;
        let record = index.as_deref().and_then(find_record);
        let parsed =
            record.and_then(|record| Some(Self { record: record.to_vec(), parameter_sets: parameter_sets(record)? }));
        parsed.ok_or_else(|| failed("it has no H.264 decoder configuration".into()))
    }
}

/// The first `avcC` inside `moov`.
fn find_record(movie: &[u8]) -> Option<&[u8]> {
    let entries = Track::all(movie).filter_map(Track::visual_entry);
    entries.filter(|(kind, _)| kind == b"avc1").find_map(|(_, entry)| boxes::child(entry, b"avcC"))
}

/// Sequence and picture parameter sets; null when the record is cut off, or its packets have lengths of other than four
/// bytes.
fn parameter_sets(record: &[u8]) -> Option<Vec<Vec<u8>>> {
    let header = StreamHeader::of_avc(record).filter(|header| header.length_bytes == 4)?;
    Some(header.units.into_iter().map(<[u8]>::to_vec).collect())
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
        let entry = boxed(b"avc1", &[vec![0; 78], boxed(b"avcC", record), boxed(b"pasp", &[0; 8])].concat());
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
