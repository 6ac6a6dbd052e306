//! Elements of Matroska and WebM files (RFC 8794, RFC 9559), as far as FFmpeg's safe bindings do not show what they hold.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

const SEGMENT: u64 = 0x1853_8067;
const TRACKS: u64 = 0x1654_AE6B;
const CLUSTER: u64 = 0x1F43_B675;
const TRACK: u64 = 0xAE;
const CODEC: u64 = 0x86;
const CODEC_HEADER: u64 = 0x63A2;
/// Longest identifier and size of an element.
const HEAD_BYTES: u64 = 4 + 8;
/// Larger than the list of tracks of any file that is read.
const MAX_BYTES: u64 = 1 << 24;

/// An element of a file.
struct Element {
    kind: u64,
    content: u64,
    /// Null when its size is unknown.
    end: Option<u64>,
}

/// Whether the segment, the second element of a file, goes on behind the end of the file. One of unknown size does not.
pub(crate) fn ends_before_its_segment(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let segment = segment(&mut file)?;
    let length = file.metadata()?.len();
    Ok(segment.and_then(|segment| segment.end).is_some_and(|end| end > length))
}

/// The headers of the tracks of a codec, by its name in Matroska.
pub(crate) fn codec_headers(path: &Path, codec: &str) -> io::Result<Vec<Vec<u8>>> {
    let tracks = tracks(path)?.unwrap_or_default();
    let entries = inside(&tracks).filter(|(kind, _)| *kind == TRACK).map(|(_, entry)| entry);
    let entries = entries.filter(|entry| child(entry, CODEC) == Some(codec.as_bytes()));
    Ok(entries.filter_map(|entry| child(entry, CODEC_HEADER)).map(<[u8]>::to_vec).collect())
}

fn segment(file: &mut File) -> io::Result<Option<Element>> {
    let Some(Element { end: Some(at), .. }) = element(file, 0)? else { return Ok(None) };
    Ok(element(file, at)?.filter(|second| second.kind == SEGMENT))
}

/// The content of the list of tracks, which comes before the pictures.
fn tracks(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut file = File::open(path)?;
    let mut at = segment(&mut file)?.map(|segment| segment.content);
    while let Some(start) = at {
        let Some(found) = element(&mut file, start)?.filter(|found| found.kind != CLUSTER) else { break };
        if found.kind == TRACKS {
            let size = found.end.map_or(0, |end| end - found.content);
            let mut bytes = Vec::new();
            file.seek(SeekFrom::Start(found.content))?;
            file.take(size.min(MAX_BYTES)).read_to_end(&mut bytes)?;
            return Ok(Some(bytes));
        }
        at = found.end;
    }
    Ok(None)
}

fn element(file: &mut File, at: u64) -> io::Result<Option<Element>> {
    let mut head = Vec::new();
    file.seek(SeekFrom::Start(at))?;
    file.take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok(head_of(&head).map(|(kind, size, content)| {
        let content = at + content as u64;
        Element { kind, content, end: size.and_then(|size| content.checked_add(size)) }
    }))
}

/// Elements that stand beside each other in another one. Ends at the first one that is cut off.
fn inside(content: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let mut rest = content;
    std::iter::from_fn(move || {
        let (kind, size, start) = head_of(rest)?;
        let (found, after) = rest.get(start..)?.split_at_checked(usize::try_from(size?).ok()?)?;
        rest = after;
        Some((kind, found))
    })
}

fn child(content: &[u8], wanted: u64) -> Option<&[u8]> {
    inside(content).find(|(kind, _)| *kind == wanted).map(|(_, content)| content)
}

/// Identifier and size (null when it is unknown) of an element, and where its content begins (RFC 8794, 4 and 5).
fn head_of(bytes: &[u8]) -> Option<(u64, Option<u64>, usize)> {
    let kind_bytes = coded(bytes).filter(|kind| kind.len() <= 4)?;
    let size_bytes = coded(&bytes[kind_bytes.len()..])?;
    let mask = (1_u64 << (7 * size_bytes.len())) - 1;
    let size = number(size_bytes) & mask;
    Some((number(kind_bytes), (size != mask).then_some(size), kind_bytes.len() + size_bytes.len()))
}

/// The bytes of a number that tells its length by its leading zeros, one to eight.
fn coded(bytes: &[u8]) -> Option<&[u8]> {
    let length = bytes.first()?.leading_zeros() as usize + 1;
    bytes.get(..length).filter(|_| length <= 8)
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_elements_have_one_to_eight_bytes() {
        assert_eq!(head_of(&[0xAE, 0x9F]), Some((TRACK, Some(31), 2)));
        assert_eq!(head_of(&[0x63, 0xA2, 0x40, 0x02]), Some((CODEC_HEADER, Some(2), 4)));
        assert_eq!(head_of(&[0xAE, 0x01, 0, 0, 0, 0, 0, 1, 0]), Some((TRACK, Some(256), 9)));
        // All ones: unknown.
        assert_eq!(head_of(&[0xAE, 0xFF]), Some((TRACK, None, 2)));
        assert_eq!(head_of(&[0xAE, 0x01, 255, 255, 255, 255, 255, 255, 255]), Some((TRACK, None, 9)));
        assert_eq!((head_of(&[0xAE, 0x40]), head_of(&[0; 9]), head_of(&[0xAE])), (None, None, None));
    }

    #[test]
    fn headers_are_found_by_codec() {
        let track = |codec: &str, header: &[u8]| {
            let mut entry = vec![0x86, 0x80 + codec.len() as u8];
            entry.extend(codec.bytes());
            entry.extend([0x63, 0xA2, 0x80 + header.len() as u8]);
            entry.extend(header);
            [vec![0xAE, 0x80 + entry.len() as u8], entry].concat()
        };
        let tracks = [track("A_AAC", &[1]), track("V_X", &[2, 3]), track("V_X", &[])].concat();
        let segment = [&[0xEC, 0x81, 0, 0x16, 0x54, 0xAE, 0x6B, 0x80 + tracks.len() as u8][..], &tracks].concat();
        let start = [&[0x1A, 0x45, 0xDF, 0xA3, 0x80, 0x18, 0x53, 0x80, 0x67, 0x80 + segment.len() as u8][..], &segment];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mkv");
        std::fs::write(&path, start.concat()).unwrap();
        assert_eq!(codec_headers(&path, "V_X").unwrap(), [vec![2, 3], vec![]]);
        assert!(!ends_before_its_segment(&path).unwrap());
        std::fs::write(&path, &start.concat()[..start.concat().len() - 1]).unwrap();
        assert!(ends_before_its_segment(&path).unwrap());
    }
}
