//! Which container a file of moving pictures is, by its bytes.

use crate::{VideoFault, sniff};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
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

    /// Whether a Matroska file is shorter than its segment, which cameras and muxers write the size of at the end.
    pub(crate) fn is_cut_off(self, path: &Path) -> bool {
        self == Self::Matroska && ends_before_its_segment(path).unwrap_or(false)
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

/// Whether the segment, the second element of a Matroska file, goes on behind the end of the file. One of unknown size does
/// not.
fn ends_before_its_segment(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let end = file.metadata()?.len();
    let mut head = Vec::new();
    file.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
    let segment = || {
        // Identifiers have four bytes here.
        let (size, at) = element_size(&head, 4)?;
        let segment = at.checked_add(usize::try_from(size?).ok()?)?;
        let (size, content) = element_size(&head, segment + 4)?;
        (head.get(segment..segment + 4)? == b"\x18\x53\x80\x67").then_some(content as u64 + size?)
    };
    Ok(segment().is_some_and(|segment_end| segment_end > end))
}

/// The size of an element (null when it is unknown) that stands at a position, and the position behind it (RFC 8794, 6).
fn element_size(bytes: &[u8], at: usize) -> Option<(Option<u64>, usize)> {
    let length = bytes.get(at)?.leading_zeros() as usize + 1;
    let coded = bytes.get(at..at + length).filter(|_| length <= 8)?;
    let value = coded.iter().fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
    let mask = (1_u64 << (7 * length)) - 1;
    Some(((value & mask != mask).then_some(value & mask), at + length))
}

/// Whether no box of an MP4 is its index, or that box is longer than the file.
fn lacks_index(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let end = file.metadata()?.len();
    let mut at = 0;
    while at + 8 <= end {
        file.seek(SeekFrom::Start(at))?;
        let mut header = [0; 16];
        let read = file.by_ref().take(16).read(&mut header)?;
        if read < 8 {
            return Ok(true);
        }
        let short = u64::from(u32::from_be_bytes([header[0], header[1], header[2], header[3]]));
        let long = header.iter().skip(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        let next = match short {
            0 => end,
            1 => at.saturating_add(long.max(16)),
            size => at.saturating_add(size.max(8)),
        };
        if &header[4..8] == b"moov" {
            return Ok(next > end);
        }
        at = next;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_elements_have_one_to_eight_bytes() {
        assert_eq!(element_size(&[0x9F], 0), Some((Some(31), 1)));
        assert_eq!(element_size(&[0, 0x40, 0x02], 1), Some((Some(2), 3)));
        assert_eq!(element_size(&[0x01, 0, 0, 0, 0, 0, 1, 0], 0), Some((Some(256), 8)));
        // All ones: unknown.
        assert_eq!(element_size(&[0xFF], 0), Some((None, 1)));
        assert_eq!(element_size(&[0x01, 255, 255, 255, 255, 255, 255, 255], 0), Some((None, 8)));
        assert_eq!((element_size(&[0x40], 0), element_size(&[0; 9], 0)), (None, None));
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
