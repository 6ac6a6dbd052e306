//! Which container a file of moving pictures is, by its bytes.

use crate::{VideoFault, boxes, matroska, sniff};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// First bytes that tell a container.
const HEAD_BYTES: u64 = 512;

/// Boxes that MP4 and QuickTime files start with.
const FIRST_BOXES: [&[u8; 4]; 7] = [b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot"];
/// Brands of `ftyp` that are still images.
const IMAGE_BRANDS: [&[u8]; 5] = [b"heic", b"heix", b"mif1", b"avif", b"avis"];

/// A container that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Container {
    /// MP4, M4V or QuickTime.
    Mov,
    /// Matroska or WebM.
    Matroska,
    /// AVI.
    Avi,
}

impl Container {
    /// The container of a file. Nothing else is handed to FFmpeg, which would take playlists and scripts for videos, and
    /// read the files that they name.
    pub(crate) fn of_file(path: &Path) -> Result<Self, VideoFault> {
        let mut head = Vec::new();
        let read = File::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
        read.map_err(|error| VideoFault::Unreadable { problem: error.to_string() })?;
        if head.is_empty() {
            return Err(VideoFault::EmptyFile);
        }
        Self::of_head(&head).ok_or_else(|| VideoFault::NotAVideo { looks_like: sniff::looks_like(&head) })
    }

    fn of_head(head: &[u8]) -> Option<Self> {
        let part = |from: usize| head.get(from..from + 4);
        let is_image = part(4) == Some(b"ftyp") && part(8).is_some_and(|brand| IMAGE_BRANDS.contains(&brand));
        if part(4).is_some_and(|kind| FIRST_BOXES.iter().any(|first| kind == *first)) {
            return (!is_image).then_some(Self::Mov);
        }
        match (part(0), part(8)) {
            (Some(b"\x1a\x45\xdf\xa3"), _) => Some(Self::Matroska),
            (Some(b"RIFF"), Some(b"AVI ")) => Some(Self::Avi),
            _ => None,
        }
    }

    /// FFmpeg's name of its reader.
    pub(crate) fn demuxer(self) -> &'static str {
        match self {
            Self::Mov => "mov",
            Self::Matroska => "matroska",
            Self::Avi => "avi",
        }
    }

    /// The content of the index of an MP4; empty where there is none that can be read.
    pub(crate) fn movie(self, path: &Path) -> Vec<u8> {
        if self != Self::Mov {
            return Vec::new();
        }
        let movie = boxes::of_file(path).and_then(|boxes| boxes::content(path, &boxes, b"moov"));
        movie.ok().flatten().unwrap_or_default()
    }

    /// Whether a file that can be read to its end is shorter than it says: Matroska than its segment, which cameras and muxers
    /// write the size of at the end, a fragmented MP4 than the list of its fragments.
    pub(crate) fn is_cut_off(self, path: &Path) -> bool {
        let is_shorter = match self {
            Self::Matroska => matroska::ends_before_its_segment(path),
            Self::Mov => ends_before_its_fragments(path),
            Self::Avi => Ok(false),
        };
        is_shorter.unwrap_or(false)
    }

    /// Why nothing can be made of a file of this container: it is cut off before the end of its index, or `otherwise`.
    pub(crate) fn broken(self, path: &Path, otherwise: VideoFault) -> VideoFault {
        if self == Self::Mov && lacks_index(path).unwrap_or(false) {
            return VideoFault::Truncated {
                detail: "its index (moov), which cameras write last, is not all there".into(),
            };
        }
        otherwise
    }
}

/// Whether no box of an MP4 is its index, or that box is longer than the file.
fn lacks_index(path: &Path) -> io::Result<bool> {
    let end = path.metadata()?.len();
    Ok(boxes::of_file(path)?.iter().find(|one| &one.kind == b"moov").is_none_or(|index| index.end > end))
}

/// Whether an MP4 is shorter than the list of its fragments (`sidx`) says. One without such a list looks whole wherever it
/// ends between two fragments: recorders write neither its duration nor what comes last.
fn ends_before_its_fragments(path: &Path) -> io::Result<bool> {
    let boxes = boxes::of_file(path)?;
    let list = boxes.iter().find(|one| &one.kind == b"sidx");
    let listed = boxes::content(path, &boxes, b"sidx")?.and_then(|list| bytes_of_fragments(&list));
    let end = list.zip(listed).map(|(list, bytes)| list.end.saturating_add(bytes));
    Ok(end.is_some_and(|end| end > path.metadata().map_or(end, |data| data.len())))
}

/// Bytes from the end of a list of fragments to the end of the last one (ISO/IEC 14496-12, 8.16.3).
fn bytes_of_fragments(list: &[u8]) -> Option<u64> {
    // Version and flags, number and time scale of the track; then the first time, and the way to the first fragment.
    let (first, rest) = match list.first()? {
        0 => (u64::from(boxes::u32_at(list.get(16..20)?, 0)), list.get(20..)?),
        _ => (boxes::u64_at(list.get(20..28)?, 0), list.get(28..)?),
    };
    let count = usize::from(u16::from_be_bytes([*rest.get(2)?, *rest.get(3)?]));
    let sizes =
        rest.get(4..4 + 12 * count)?.chunks_exact(12).map(|entry| u64::from(boxes::u32_at(entry, 0) & 0x7FFF_FFFF));
    first.checked_add(sizes.sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_fragments_tells_where_they_end() {
        let entries = [&[0x80, 0, 0, 9], &[0; 8][..], &[0, 0, 1, 0], &[0; 8]].concat();
        let short = [&[0; 16][..], &[0, 0, 0, 5], &[0, 0, 0, 2], &entries].concat();
        let long = [&[1], &[0; 19][..], &[0, 0, 0, 1, 0, 0, 0, 0], &[0, 0, 0, 2], &entries].concat();
        assert_eq!(bytes_of_fragments(&short), Some(5 + 9 + 256));
        assert_eq!(bytes_of_fragments(&long), Some((1 << 32) + 9 + 256));
        assert!((0..short.len()).all(|length| bytes_of_fragments(&short[..length]).is_none()));
    }

    #[test]
    fn bytes_tell_the_container() {
        let cases: [(&[u8], Option<Container>); 7] = [
            (b"\0\0\0\x18ftypisom", Some(Container::Mov)),
            (b"\0\0\0\x08wide\0\0\0\0mdat", Some(Container::Mov)),
            (b"\x1a\x45\xdf\xa3\x01", Some(Container::Matroska)),
            (b"RIFF\x10\0\0\0AVI LIST", Some(Container::Avi)),
            (b"\0\0\0\x18ftypheic", None),
            (b"#EXTM3U\nhttp://example.org/a.ts\n", None),
            (b"RIFF", None),
        ];
        for (head, expected) in cases {
            assert_eq!(Container::of_head(head), expected, "{head:?}");
        }
    }
}
