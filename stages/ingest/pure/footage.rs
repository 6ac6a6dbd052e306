//! One video file: a recording whose frames are those that decode, with what its drone wrote down.

use super::super::sources::dji_srt::{SrtFault, Subtitles};
use super::{Origin, Scene};
use uavgen_media::{Footage, FrameTime, VideoFault};
use uavgen_schemas::{Frame, Recording, RecordingKind, Reject, Telemetry};

/// Kind of input: a video file.
pub(crate) const VIDEO: &str = "video";
/// Kind of input: a frame of one.
pub(crate) const VIDEO_FRAME: &str = "video frame";

/// A video file after it was read to its end.
pub(crate) struct FoundVideo<'a> {
    /// Name of the recording.
    pub(crate) name: &'a str,
    /// Leak group.
    pub(crate) group_id: &'a str,
    /// Path relative to the source's root.
    pub(crate) file: &'a str,
    /// BLAKE3 of the file.
    pub(crate) digest: &'a str,
    /// Size of the file.
    pub(crate) byte_count: u64,
    /// What is in it, or why it cannot be used.
    pub(crate) footage: Result<Footage, VideoFault>,
    /// The subtitle files beside it.
    pub(crate) telemetry: Vec<TelemetryFile>,
}

/// A subtitle file after reading.
pub(crate) struct TelemetryFile {
    /// Path relative to the source's root.
    pub(crate) file: String,
    /// Its blocks, or why there are none.
    pub(crate) content: Result<Subtitles, TelemetryFault>,
}

/// Why a subtitle file gives nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TelemetryFault {
    /// The system does not give its bytes.
    #[error("the file cannot be read: {problem}")]
    Unreadable {
        /// What the system says.
        problem: String,
    },
    /// It is no telemetry.
    #[error(transparent)]
    Srt(#[from] SrtFault),
}

impl TelemetryFault {
    fn reason(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "unreadable_file",
            Self::Srt(fault) => fault.reason(),
        }
    }
}

/// The tables of one video.
pub(crate) fn scene(origin: &Origin, found: &FoundVideo<'_>) -> Scene {
    let mut scene = Scene::default();
    match &found.footage {
        Ok(footage) => add_recording(origin, found, footage, &mut scene),
        Err(fault) => {
            let detail = format!("{fault}; fetch the file again, convert it or remove it");
            scene.quarantine(VIDEO, found.file.to_owned(), fault.reason(), detail);
        }
    }
    add_telemetry(found, &mut scene);
    scene
}

fn add_recording(origin: &Origin, found: &FoundVideo<'_>, footage: &Footage, scene: &mut Scene) {
    let recording_id = format!("{}/{}", origin.source, found.name);
    add_lost_frames(&recording_id, found.file, footage, scene);
    for (index, time) in (0..).zip(&footage.frames) {
        scene.frames.push(frame(origin, found, footage, &recording_id, index, *time));
    }
    scene.recordings.push(Recording {
        recording_id,
        source: origin.source.clone(),
        group_id: found.group_id.to_owned(),
        sequence: found.name.to_owned(),
        split: origin.split.clone(),
        kind: RecordingKind::Sequence,
        frame_count: footage.frames.len() as i64,
        labelled_frame_count: 0,
        annotated_without_image: 0,
        source_fps: origin.source_fps.or(footage.mean_fps),
        licence: origin.licence.clone(),
    });
}

fn frame(
    origin: &Origin,
    found: &FoundVideo<'_>,
    footage: &Footage,
    recording_id: &str,
    index: i64,
    time: FrameTime,
) -> Frame {
    Frame {
        frame_id: format!("{recording_id}/{}", time.number),
        recording_id: recording_id.to_owned(),
        group_id: found.group_id.to_owned(),
        split: origin.split.clone(),
        index,
        source_number: i64::try_from(time.number).unwrap_or(i64::MAX),
        file: found.file.to_owned(),
        width: i64::from(footage.width),
        height: i64::from(footage.height),
        format: Frame::VIDEO_FORMAT.into(),
        pixel_layout: footage.pixel_format.clone(),
        exif_orientation: i64::from(footage.exif_orientation),
        digest: found.digest.to_owned(),
        byte_count: i64::try_from(found.byte_count).unwrap_or(i64::MAX),
        timestamp_us: Some(time.time_us),
        labelled: false,
    }
}

/// Names frames that are in the file and in no table, and counts what its container says wrongly.
fn add_lost_frames(recording_id: &str, file: &str, footage: &Footage, scene: &mut Scene) {
    for number in &footage.untimed {
        let detail = format!("{file}: the time of frame {number} is missing, or not later than the one before");
        scene.quarantine(VIDEO_FRAME, format!("{recording_id}/{number}"), "bad_timestamp", detail);
    }
    let decoded = (footage.frames.len() + footage.untimed.len()) as u64;
    if let Some(damage) = &footage.damage {
        let behind = damage.lost - 1;
        let detail = format!("{file}: {}; {behind} frames behind it are lost too; fetch the file again", damage.detail);
        scene.quarantine(VIDEO_FRAME, format!("{recording_id}/{decoded}"), "undecodable", detail);
        for number in decoded + 1..decoded + damage.lost {
            let detail = format!("{file} is damaged from frame {decoded} on");
            scene.quarantine(VIDEO_FRAME, format!("{recording_id}/{number}"), "behind_damage", detail);
        }
    } else {
        scene.note("stored_frames_not_shown", footage.stored_frames.saturating_sub(decoded));
    }
    let (stored, listed) = (footage.stored_frames, footage.listed_frames.unwrap_or(footage.stored_frames));
    scene.note("frames_that_no_container_lists", stored.saturating_sub(listed));
    if listed > stored {
        let detail = "the file was cut, or its header is wrong; what is there is used".to_owned();
        let reject = Reject::quarantine(file, "fewer_frames_than_listed", detail);
        scene.quarantined.push((VIDEO_FRAME, reject.measured(stored as f64, listed as f64)));
        scene.note("frames_listed_and_not_there", listed - stored);
    }
}

/// One row for each frame that a block covers.
fn add_telemetry(found: &FoundVideo<'_>, scene: &mut Scene) {
    if let [first, second, ..] = found.telemetry.as_slice() {
        for (one, other) in found.telemetry.iter().zip([second].into_iter().chain(std::iter::repeat(first))) {
            let detail = format!("{} belongs to the same video; none is used, remove one of them", other.file);
            scene.rejects.push(Reject::rule(&one.file, "duplicate_telemetry_file", detail));
        }
        return;
    }
    let Some(TelemetryFile { file, content }) = found.telemetry.first() else { return };
    let subtitles = match content {
        Ok(subtitles) => subtitles,
        Err(fault) => return scene.rejects.push(Reject::rule(file, fault.reason(), fault.to_string())),
    };
    for bad in &subtitles.bad {
        let record_id = format!("{file}:{}", bad.line);
        scene.rejects.push(Reject::rule(record_id, bad.fault.reason(), bad.fault.to_string()));
    }
    let rows = scene.frames.iter().filter_map(|frame| row(frame, subtitles));
    scene.telemetry = rows.collect();
    scene.note("frames_without_telemetry", (scene.frames.len() - scene.telemetry.len()) as u64);
}

fn row(frame: &Frame, subtitles: &Subtitles) -> Option<Telemetry> {
    let block = subtitles.at(frame.timestamp_us?)?;
    let reading = block.reading;
    Some(Telemetry {
        frame_id: frame.frame_id.clone(),
        recording_id: frame.recording_id.clone(),
        block: block.number,
        latitude_deg: reading.latitude_deg,
        longitude_deg: reading.longitude_deg,
        relative_altitude_m: reading.relative_altitude_m,
        absolute_altitude_m: reading.absolute_altitude_m,
        gimbal_yaw_deg: reading.gimbal_yaw_deg,
        gimbal_pitch_deg: reading.gimbal_pitch_deg,
        gimbal_roll_deg: reading.gimbal_roll_deg,
        focal_length_mm: reading.focal_length_mm,
        iso: reading.iso,
        shutter_s: reading.shutter_s,
        f_number: reading.f_number,
    })
}
