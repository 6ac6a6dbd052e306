//! Which recordings become videos, and the rows of those that did.

use std::collections::BTreeMap;
use uavgen_media::{EncodeSettings, EncodedVideo, FrameRate, FrameTime};
use uavgen_schemas::{Frame, FrameMapEntry, Recording, RecordingKind, Reject, Video};

/// Fewest frames that make a video.
pub(super) const FEWEST_FRAMES: usize = 2;

/// Largest share of frames of another size than the rest; they are left out. With more, the sequence has no one size.
const MOST_ODD_SHARE: f64 = 0.2;

/// What is to be done with a recording.
#[derive(Debug, PartialEq)]
pub(super) enum Verdict<'a> {
    /// Encode these frames; the others are rejects.
    Encode(Vec<&'a Frame>, Vec<Reject>),
    /// A still: there is nothing to encode.
    Still,
    /// It cannot become a video.
    Reject(Box<Reject>),
}

/// Judges a recording by its usable frames, which are in order.
pub(super) fn judge<'a>(recording: &Recording, frames: Vec<&'a Frame>) -> Verdict<'a> {
    if recording.kind == RecordingKind::Still {
        return Verdict::Still;
    }
    if frames.len() < FEWEST_FRAMES {
        return Verdict::Reject(Box::new(too_few_frames(recording, frames.len())));
    }
    let usual = usual_size(&frames);
    let all = frames.len();
    let (fitting, odd): (Vec<&Frame>, Vec<&Frame>) = frames.into_iter().partition(|frame| size(frame) == usual);
    match (fitting.first(), odd.first()) {
        (Some(fitting), Some(first)) if odd.len() as f64 > MOST_ODD_SHARE * all as f64 => {
            let (earlier, later) = if fitting.index < first.index { (fitting, first) } else { (first, fitting) };
            Verdict::Reject(Box::new(mixed_resolution(recording, earlier, later)))
        }
        _ => Verdict::Encode(fitting, odd.into_iter().map(|frame| odd_size(frame, usual)).collect()),
    }
}

/// What is to be encoded.
#[derive(Debug, PartialEq)]
pub(super) enum Material<'a> {
    /// Images.
    Images,
    /// A video file.
    File {
        /// Path relative to the source's root.
        file: &'a str,
        /// BLAKE3 of the file.
        digest: &'a str,
        /// Its frames that are to be in the video.
        frames: Vec<FrameTime>,
    },
}

/// What frames are made of.
pub(super) fn material<'a>(frames: &[&'a Frame]) -> Material<'a> {
    let timed = frames.iter().map(|frame| {
        let number = u64::try_from(frame.source_number).ok()?;
        Some(FrameTime { number, time_us: frame.timestamp_us? }).filter(|_| frame.is_of_video())
    });
    match (frames.first(), timed.collect::<Option<Vec<FrameTime>>>()) {
        (Some(first), Some(frames)) => Material::File { file: &first.file, digest: &first.digest, frames },
        _ => Material::Images,
    }
}

/// Rates that cameras film at.
const STANDARD_RATES: [(u32, u32); 14] = [
    (10, 1),
    (12, 1),
    (15, 1),
    (20, 1),
    (24_000, 1001),
    (24, 1),
    (25, 1),
    (30_000, 1001),
    (30, 1),
    (48, 1),
    (50, 1),
    (60_000, 1001),
    (60, 1),
    (120, 1),
];
/// Times are rounded in files, some to milliseconds: a mean that is nearer than this to a standard rate is that rate.
const RATE_TOLERANCE: f64 = 0.001;

/// The rate at which a video from a file is played, so that its seconds are true: the nearest standard one, else the rate in
/// thousandths, or thousand frames in so many seconds below one per second. Null outside of what a video can have.
pub(super) fn true_rate(fps: f64) -> Option<FrameRate> {
    let off = |(num, den): (u32, u32)| (f64::from(num) / f64::from(den) / fps - 1.0).abs();
    let nearest = STANDARD_RATES.into_iter().min_by(|a, b| off(*a).total_cmp(&off(*b)))?;
    if off(nearest) <= RATE_TOLERANCE {
        return FrameRate::new(nearest.0, nearest.1).ok();
    }
    let (num, den) = if fps < 1.0 { (1000.0, 1000.0 / fps) } else { (fps * 1000.0, 1000.0) };
    let fits = (1e-3..=1e3).contains(&fps);
    fits.then(|| FrameRate::new(num.round() as u32, den.round() as u32).ok()).flatten()
}

/// The reject of a video file whose rate no video can have.
pub(super) fn rate_out_of_range(recording: &Recording) -> Reject {
    let detail = "its frames have no rate between 0.001 and 1000 per second; give the source its `fps`";
    Reject::rule(&recording.recording_id, "rate_out_of_range", detail).measured(recording.source_fps, 1000.0)
}

fn size(frame: &Frame) -> (i64, i64) {
    (frame.width, frame.height)
}

/// The size of most frames; of several sizes that are as frequent, the largest.
fn usual_size(frames: &[&Frame]) -> (i64, i64) {
    let mut counts: BTreeMap<(i64, i64), usize> = BTreeMap::new();
    for frame in frames {
        *counts.entry(size(frame)).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(size, count)| (*count, *size));
    most.map(|(size, _)| size).unwrap_or_default()
}

fn odd_size(frame: &Frame, (width, height): (i64, i64)) -> Reject {
    let detail = format!(
        "{} is {}x{}, its sequence is {width}x{height}; it is left out of the video",
        frame.file, frame.width, frame.height
    );
    Reject::quarantine(&frame.frame_id, "odd_size", detail)
}

/// The reject of a recording with too few frames that can be shown.
pub(super) fn too_few_frames(recording: &Recording, frames: usize) -> Reject {
    Reject::rule(&recording.recording_id, "too_few_frames", "").measured(frames as f64, FEWEST_FRAMES as f64)
}

fn mixed_resolution(recording: &Recording, first: &Frame, odd: &Frame) -> Reject {
    let detail = format!(
        "{} is {}x{}, {} is {}x{}; split the sequence where the size changes",
        first.file, first.width, first.height, odd.file, odd.width, odd.height
    );
    Reject::rule(&recording.recording_id, "mixed_resolution", detail)
}

/// Id of the video of a recording: a hash, so that a file name gives nothing away.
pub(super) fn video_id(recording_id: &str) -> String {
    blake3::derive_key("uavgen id of a video", recording_id.as_bytes())[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Path of a video, in the store and in a release.
pub(super) fn video_path(video_id: &str) -> String {
    format!("videos/{video_id}.mp4")
}

/// A video file as written.
pub(super) struct WrittenFile {
    pub(super) byte_count: u64,
    pub(super) digest: String,
}

/// The row of a video.
pub(super) fn video_row(
    recording: &Recording,
    encoded: &EncodedVideo,
    settings: &EncodeSettings,
    file: WrittenFile,
) -> Video {
    let video_id = video_id(&recording.recording_id);
    Video {
        path: video_path(&video_id),
        video_id,
        recording_id: recording.recording_id.clone(),
        group_id: recording.group_id.clone(),
        split: recording.split.clone(),
        frame_count: encoded.frames.len() as i64,
        width: i64::from(encoded.width),
        height: i64::from(encoded.height),
        fps_num: i64::from(settings.fps.num()),
        fps_den: i64::from(settings.fps.den()),
        source_fps: recording.source_fps,
        gop_frames: i64::from(settings.gop_frames),
        crf: i64::from(settings.crf),
        preset: settings.preset.as_str().to_owned(),
        digest: file.digest,
        byte_count: i64::try_from(file.byte_count).unwrap_or(i64::MAX),
    }
}

/// The rows that map the frames of a video to `frames`, the frames that the encoder was given.
pub(super) fn frame_map<'a>(
    video_id: &'a str,
    encoded: &'a EncodedVideo,
    frames: &'a [&Frame],
) -> impl Iterator<Item = FrameMapEntry> + 'a {
    encoded.frames.iter().enumerate().map(move |(position, shown)| {
        let frame = frames[shown.source_index];
        FrameMapEntry {
            entry_id: format!("{video_id}/{position:06}"),
            video_id: video_id.to_owned(),
            video_frame: position as i64,
            pts: shown.pts,
            timescale: i64::from(encoded.timescale),
            frame_id: frame.frame_id.clone(),
            source_number: frame.source_number,
            file: frame.file.clone(),
        }
    })
}

/// The rejects of frames that could not be decoded completely.
pub(super) fn skipped_frames<'a>(encoded: &'a EncodedVideo, frames: &'a [&Frame]) -> impl Iterator<Item = Reject> + 'a {
    encoded.skipped.iter().map(move |skipped| {
        let frame = frames[skipped.source_index];
        let detail = format!("{}: {}; it is left out of the video", frame.file, skipped.fault);
        Reject::quarantine(&frame.frame_id, skipped.fault.reason(), detail)
    })
}
