//! Whether a stream goes on without a hole: frames that were lost before the file was written leave nothing in it, and
//! decoders predict from another frame, or from grey, those that need them.
//!
//! Two signs are reliable, and both are looked for in H.264 and HEVC. The frames themselves tell which ones they are predicted
//! from; and each packet with a time gives one frame with that time, but before the first frame that is shown.

use crate::boxes::{self, Track};
use crate::container::Container;
use crate::frame_numbers::FrameNumbers;
use crate::hevc_references::References;
use crate::stream_header::StreamHeader;
use crate::{matroska, nal};
use ffmpeg_next as ffmpeg;
use ffmpeg_next::codec::Id;
use std::collections::BTreeSet;
use std::path::Path;

/// What becomes of a packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It gives a frame, or it cannot be told.
    Shown,
    /// It gives no frame, and that is right.
    Hidden,
    /// It gives no frame that can be used, for what it is predicted from comes before the stream. Decoders that know that need it
    /// all the same, and may fail on it.
    Blind,
    /// As [`Verdict::Blind`], and decoders do not know it: they would show grey.
    Unusable,
    /// It is predicted from a frame that was lost, as is said.
    Missing(String),
}

/// Follows a stream, packet by packet and frame by frame.
#[derive(Debug)]
pub(crate) struct Continuity {
    pictures: Pictures,
    /// Bytes of the length before each unit of a packet; null where units stand behind start codes.
    length_bytes: Option<usize>,
    /// Null where packets and frames cannot be compared.
    times: Option<Times>,
}

/// What is known of the pictures, by codec.
#[derive(Debug)]
enum Pictures {
    Avc(FrameNumbers),
    Hevc(References),
    Unknown,
}

impl Continuity {
    /// Of a stream of a file; `track` is its track where the file is an MP4.
    pub(crate) fn new(path: &Path, container: Container, codec: Id, track: Option<Track<'_>>) -> Self {
        let parts = track.and_then(Track::shown_parts);
        let is_compared = matches!(codec, Id::H264 | Id::HEVC) && parts.is_none_or(|parts| parts < 2);
        let times = is_compared.then(|| Times { judges_end: parts.is_none(), ..Times::default() });
        let mut pictures = match codec {
            Id::H264 => Pictures::Avc(FrameNumbers::default()),
            Id::HEVC => Pictures::Hevc(References::default()),
            _ => Pictures::Unknown,
        };
        if container == Container::Avi {
            return Self { pictures, length_bytes: None, times };
        }
        let record = record(path, container, codec, track).unwrap_or_default();
        let header = if codec == Id::HEVC { StreamHeader::of_hevc(&record) } else { StreamHeader::of_avc(&record) };
        match &header {
            Some(header) => drop(pictures.take(&header.units)),
            None => pictures = Pictures::Unknown,
        }
        Self { pictures, length_bytes: header.map(|header| header.length_bytes), times }
    }

    /// Judges the next packet.
    pub(crate) fn packet(&mut self, packet: &ffmpeg::Packet) -> Verdict {
        let data = packet.data().unwrap_or_default();
        let units = match (&self.pictures, self.length_bytes) {
            (Pictures::Unknown, _) => None,
            (_, Some(bytes)) => nal::units_behind_lengths(data, bytes),
            (_, None) => Some(nal::units_behind_start_codes(data)),
        };
        let verdict = units.map_or(Verdict::Shown, |units| self.pictures.take(&units));
        if let (Some(times), Verdict::Shown) = (&mut self.times, &verdict) {
            times.expect(packet.pts());
        }
        verdict
    }

    /// Judges the next frame; says what is missing before it.
    pub(crate) fn frame(&mut self, frame: &ffmpeg::Frame) -> Option<String> {
        let missing = self.times.as_mut()?.show(frame.pts()?)?;
        Some(format!("{missing} frames before it are stored and do not decode"))
    }

    /// Judges the end; says what is missing before it.
    pub(crate) fn end(&self) -> Option<String> {
        let missing = self.times.as_ref().map_or(0, Times::missing_at_end);
        (missing > 0).then(|| format!("the last {missing} frames are stored and do not decode"))
    }
}

impl Pictures {
    fn take(&mut self, units: &[&[u8]]) -> Verdict {
        match self {
            Self::Avc(pictures) => pictures.take(units),
            Self::Hevc(pictures) => pictures.take(units),
            Self::Unknown => Verdict::Shown,
        }
    }
}

/// The decoder configuration record of a stream.
fn record(path: &Path, container: Container, codec: Id, track: Option<Track<'_>>) -> Option<Vec<u8>> {
    let (kind, name) = match codec {
        Id::H264 => (b"avcC", "V_MPEG4/ISO/AVC"),
        Id::HEVC => (b"hvcC", "V_MPEGH/ISO/HEVC"),
        _ => return None,
    };
    if container == Container::Matroska {
        let mut headers = matroska::codec_headers(path, name).ok()?;
        // Of several it cannot be told which is that of the stream.
        return if headers.len() == 1 { headers.pop() } else { None };
    }
    boxes::child(track?.visual_entry()?.1, kind).map(<[u8]>::to_vec)
}

/// Times of packets whose frames are still to come.
#[derive(Debug, Default)]
struct Times {
    expected: BTreeSet<i64>,
    last: Option<i64>,
    /// Whether the last packets must give frames too; not where an edit list may end before them.
    judges_end: bool,
}

impl Times {
    fn expect(&mut self, time: Option<i64>) {
        // What is to be shown before a frame that has been shown already is no hole, its time is wrong.
        self.expected.extend(time.filter(|time| self.last.is_none_or(|last| *time > last)));
    }

    /// Number of frames that are missing before one; null when none is. Before the first one that is shown, any may be.
    fn show(&mut self, time: i64) -> Option<usize> {
        let later = self.expected.split_off(&time);
        let missing = std::mem::replace(&mut self.expected, later).len();
        self.expected.remove(&time);
        let is_first = self.last.is_none();
        self.last = Some(self.last.map_or(time, |last| last.max(time)));
        (!is_first && missing > 0).then_some(missing)
    }

    fn missing_at_end(&self) -> usize {
        if self.judges_end && self.last.is_some() { self.expected.len() } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(packets: &[i64]) -> Times {
        let mut times = Times { judges_end: true, ..Times::default() };
        packets.iter().for_each(|time| times.expect(Some(*time)));
        times
    }

    #[test]
    fn each_packet_behind_the_first_frame_gives_one() {
        // Two leading frames of an open group are not shown.
        let mut open = times(&[30, 10, 20, 60, 40, 50]);
        assert_eq!([30, 40, 50, 60].map(|time| open.show(time)), [None; 4]);
        assert_eq!(open.missing_at_end(), 0);
        let mut holed = times(&[0, 30, 10, 20, 40]);
        assert_eq!((holed.show(0), holed.show(30), holed.missing_at_end()), (None, Some(2), 1));
        // Times that are stored twice, or too late, are no holes.
        let mut twice = times(&[0, 10, 10, 20]);
        assert_eq!([0, 10, 10, 20].map(|time| twice.show(time)), [None; 4]);
        twice.expect(Some(5));
        twice.expect(None);
        assert_eq!(twice.missing_at_end(), 0);
    }
}
