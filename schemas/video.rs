//! Encoded recordings and the map from their frames to the source.

use crate::record;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One recording encoded as H.264 in MP4.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Video {
    /// Hash of the recording's id: the name gives nothing away.
    pub video_id: String,
    /// Recording that it shows.
    pub recording_id: String,
    /// Leak group of the recording.
    pub group_id: String,
    /// Split of the recording.
    pub split: String,
    /// Path inside a release, `videos/<video_id>.mp4`.
    pub path: String,
    /// Number of frames, counted while encoding.
    pub frame_count: i64,
    /// Width of the picture (even; an odd source gains one repeated column on the right).
    #[schemars(extend("x-unit" = "px"))]
    pub width: i64,
    /// Height of the picture (even; an odd source gains one repeated row at the bottom).
    #[schemars(extend("x-unit" = "px"))]
    pub height: i64,
    /// Frames per second of the file: a playback rate, see `source_fps` for the truth; for recordings from video files it
    /// is `source_fps` as a fraction. Numerator.
    pub fps_num: i64,
    /// Denominator of the playback rate.
    pub fps_den: i64,
    /// True capture rate of the source; null when unknown.
    #[schemars(extend("x-unit" = "1/s"))]
    pub source_fps: Option<f64>,
    /// Length of a closed group of pictures.
    #[schemars(extend("x-unit" = "frame"))]
    pub gop_frames: i64,
    /// Constant rate factor of x264 that it was encoded with.
    pub crf: i64,
    /// Preset of x264 that it was encoded with.
    pub preset: String,
    /// BLAKE3 of the file, hexadecimal.
    pub digest: String,
    /// Size of the file.
    #[schemars(extend("x-unit" = "byte"))]
    pub byte_count: i64,
}
record!(Video, "videos", 2, video_id);

/// Which source frame one frame of a video shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FrameMapEntry {
    /// `<video_id>/<frame number, six digits>`.
    pub entry_id: String,
    /// Video that the frame is in.
    pub video_id: String,
    /// Position in the video, from 0.
    pub video_frame: i64,
    /// Presentation time in units of `1/timescale` seconds.
    pub pts: i64,
    /// Units per second of `pts`.
    pub timescale: i64,
    /// Source frame.
    pub frame_id: String,
    /// Number of the source frame, see `frames`.
    pub source_number: i64,
    /// Source file, image or video, relative to its source's root.
    pub file: String,
}
record!(FrameMapEntry, "frame_map", 1, entry_id);
