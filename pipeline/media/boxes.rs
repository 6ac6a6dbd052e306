//! Boxes of MP4 and QuickTime files (ISO/IEC 14496-12, 4.2), as far as FFmpeg's safe bindings do not show what they hold.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// Larger than the index of any file that is read: 8 bytes per frame and more.
const MAX_BYTES: u64 = 1 << 28;
/// Bytes of a sample entry before its own boxes (ISO/IEC 14496-12, `VisualSampleEntry`).
const VISUAL_ENTRY_BYTES: usize = 78;

/// A box that stands in no other one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileBox {
    pub(crate) kind: [u8; 4],
    /// Where its content begins.
    pub(crate) content: u64,
    /// Where it ends; behind the end of the file when that was cut.
    pub(crate) end: u64,
}

/// The boxes of a file, to the first one that is cut off.
pub(crate) fn of_file(path: &Path) -> io::Result<Vec<FileBox>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let (mut found, mut at) = (Vec::new(), 0);
    while at + 8 <= length {
        file.seek(SeekFrom::Start(at))?;
        let mut header = Vec::with_capacity(16);
        file.by_ref().take(16).read_to_end(&mut header)?;
        let long = header.get(8..16).map_or(0, |long| u64_at(long, 0));
        let (size, header_bytes) = match u32_at(&header, 0) {
            0 => (length - at, 8),
            1 => (long, 16),
            size => (u64::from(size), 8),
        };
        if size < header_bytes {
            break;
        }
        let kind = [header[4], header[5], header[6], header[7]];
        let end = at.saturating_add(size);
        found.push(FileBox { kind, content: at + header_bytes, end });
        at = end;
    }
    Ok(found)
}

/// The content of the first box of a kind that is all there and of a size that can be; null when there is none.
pub(crate) fn content(path: &Path, boxes: &[FileBox], kind: &[u8; 4]) -> io::Result<Option<Vec<u8>>> {
    let Some(wanted) = boxes.iter().find(|one| one.kind == *kind) else { return Ok(None) };
    let mut file = File::open(path)?;
    let size = wanted.end - wanted.content;
    if size > MAX_BYTES || wanted.end > file.metadata()?.len() {
        return Ok(None);
    }
    let mut bytes = vec![0; size as usize];
    file.seek(SeekFrom::Start(wanted.content))?;
    file.read_exact(&mut bytes)?;
    Ok(Some(bytes))
}

/// Boxes that stand beside each other in another one: kind and content. Ends at the first one that is cut off.
pub(crate) fn inside(content: &[u8]) -> impl Iterator<Item = ([u8; 4], &[u8])> {
    let mut rest = content;
    std::iter::from_fn(move || {
        let size = rest.get(..8).map(|header| u32_at(header, 0) as usize)?;
        let (found, after) = (rest.get(8..size)?, &rest[size..]);
        let kind = [rest[4], rest[5], rest[6], rest[7]];
        rest = after;
        Some((kind, found))
    })
}

/// The content of the first box of a kind in another one.
pub(crate) fn child<'a>(content: &'a [u8], kind: &[u8; 4]) -> Option<&'a [u8]> {
    inside(content).find(|(found, _)| found == kind).map(|(_, content)| content)
}

/// A track of a movie box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Track<'a>(&'a [u8]);

impl<'a> Track<'a> {
    /// The tracks of a movie box.
    pub(crate) fn all(movie: &'a [u8]) -> impl Iterator<Item = Self> {
        inside(movie).filter(|(kind, _)| kind == b"trak").map(|(_, content)| Self(content))
    }

    /// Its number, by which FFmpeg calls its stream.
    pub(crate) fn number(self) -> Option<u32> {
        let header = child(self.0, b"tkhd")?;
        // Two times come first, of eight bytes each in version 1.
        let at = if header.first()? == &1 { 20 } else { 12 };
        header.get(at..at + 4).map(|number| u32_at(number, 0))
    }

    /// The first sample entry with its kind, and the boxes that a visual one has.
    pub(crate) fn visual_entry(self) -> Option<([u8; 4], &'a [u8])> {
        let table =
            [b"mdia", b"minf", b"stbl", b"stsd"].into_iter().try_fold(self.0, |content, kind| child(content, kind));
        // Version, flags and the number of entries come first.
        let (kind, entry) = inside(table?.get(8..)?).next()?;
        Some((kind, entry.get(VISUAL_ENTRY_BYTES..)?))
    }

    /// Width and height that a pixel is shown with (`pasp`); null where that is not stated.
    pub(crate) fn pixel_shape(self) -> Option<(i32, i32)> {
        let shape = child(self.visual_entry()?.1, b"pasp")?.get(..8)?;
        Some((i32::try_from(u32_at(shape, 0)).ok()?, i32::try_from(u32_at(shape, 4)).ok()?))
    }

    /// Number of parts that its edit list shows, without empty ones; null when it has none and all that is stored is shown.
    pub(crate) fn shown_parts(self) -> Option<usize> {
        let list = child(child(self.0, b"edts")?, b"elst")?;
        // Each has a duration, a place (-1 for nothing), of eight bytes each in version 1, and a rate.
        let (size, place) = if list.first()? == &1 { (20, 8..16) } else { (12, 4..8) };
        let parts = list.get(8..)?.chunks_exact(size);
        Some(parts.filter(|part| part[place.clone()].iter().any(|byte| *byte != 0xFF)).count())
    }
}

pub(crate) fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    bytes[offset..offset + 4].iter().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

pub(crate) fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    bytes[offset..offset + 8].iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_of_a_file_have_short_long_and_open_sizes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mp4");
        let bytes = [&b"\0\0\0\x0cftypisom"[..], b"\0\0\0\x01free\0\0\0\0\0\0\0\x12..", b"\0\0\0\0mdatabcd"];
        std::fs::write(&path, bytes.concat()).unwrap();
        let places: Vec<_> = of_file(&path).unwrap().iter().map(|one| (one.kind, one.content, one.end)).collect();
        assert_eq!(places, [(*b"ftyp", 8, 12), (*b"free", 28, 30), (*b"mdat", 38, 42)]);
        let boxes = of_file(&path).unwrap();
        assert_eq!(content(&path, &boxes, b"mdat").unwrap(), Some(b"abcd".to_vec()));
        assert_eq!(content(&path, &boxes, b"moov").unwrap(), None);
        // Cut off, and of no size that can be.
        std::fs::write(&path, b"\0\0\x01\0moov").unwrap();
        let boxes = of_file(&path).unwrap();
        assert_eq!((boxes[0].end, content(&path, &boxes, b"moov").unwrap()), (256, None));
        std::fs::write(&path, b"\0\0\0\x07moov").unwrap();
        assert_eq!(of_file(&path).unwrap(), []);
    }

    #[test]
    fn tracks_have_their_numbers() {
        let boxed =
            |kind: &[u8; 4], content: &[u8]| [&(content.len() as u32 + 8).to_be_bytes()[..], kind, content].concat();
        let short = [&[0; 12][..], &[0, 0, 1, 2], &[0; 68]].concat();
        let long = [&[1][..], &[0; 19], &[0, 0, 0, 7], &[0; 72]].concat();
        let empty = [0, 0, 0, 9, 255, 255, 255, 255, 0, 1, 0, 0];
        let shown = [0, 0, 0, 9, 0, 0, 2, 0, 0, 1, 0, 0];
        let edits = boxed(b"edts", &boxed(b"elst", &[&[0, 0, 0, 0, 0, 0, 0, 2][..], &empty, &shown].concat()));
        let movie = [
            boxed(b"trak", &boxed(b"tkhd", &short)),
            boxed(b"mvhd", &[0; 100]),
            boxed(b"trak", &[boxed(b"tkhd", &long), edits].concat()),
        ]
        .concat();
        let tracks: Vec<_> = Track::all(&movie).map(|track| (track.number(), track.shown_parts())).collect();
        assert_eq!(tracks, [(Some(258), None), (Some(7), Some(1))]);
    }
}
