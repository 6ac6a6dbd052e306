//! Clips: what a video file shows, piece by piece and frame by frame. Kept apart from the file on purpose: a plan tells the
//! order of a shuffled clip, so it never goes to whoever is to find that order.

use crate::record;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a clip is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClipKind {
    /// A recording, or a cut of it.
    Single,
    /// A long recording in its own order.
    Long,
    /// Pieces of a recording in another order than they were taken in.
    Shuffled,
    /// Single clips of several places, one after the other.
    Concatenated,
}

impl ClipKind {
    /// The name in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Long => "long",
            Self::Shuffled => "shuffled",
            Self::Concatenated => "concatenated",
        }
    }
}

/// How a shuffled clip was taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShuffleStrategy {
    /// Four consecutive segments of unequal length.
    Spatial,
    /// Four segments of equal length that overlap in time.
    SpatioTemporal,
}

impl ShuffleStrategy {
    /// The name in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Spatial => "spatial",
            Self::SpatioTemporal => "spatio_temporal",
        }
    }
}

/// What a single clip is for; the pools are disjoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClipPool {
    /// A sample of its own.
    Sample,
    /// To be joined with others.
    Member,
}

/// One video file that items may show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Clip {
    /// Hash of its file, its video and its kind, and not of its plan: the name gives nothing away.
    pub clip_id: String,
    /// What it is.
    pub kind: ClipKind,
    /// How it was taken apart; null unless it is shuffled.
    pub strategy: Option<ShuffleStrategy>,
    /// What it is for; null unless it is single.
    pub pool: Option<ClipPool>,
    /// Ordinal of the draw, from 0; 0 where nothing is drawn.
    pub repeat: i64,
    /// Recordings that it shows, sorted.
    pub recording_ids: Vec<String>,
    /// Leak groups of its recordings, sorted.
    pub group_ids: Vec<String>,
    /// Split of all its recordings.
    pub split: String,
    /// Path inside a release: a file of its own, `clips/<clip_id>.mp4`, or that of a video which it shows from end to end.
    pub path: String,
    /// Number of frames.
    #[schemars(extend("x-unit" = "frame"))]
    pub frame_count: i64,
    /// Width of the picture.
    #[schemars(extend("x-unit" = "px"))]
    pub width: i64,
    /// Height of the picture.
    #[schemars(extend("x-unit" = "px"))]
    pub height: i64,
    /// Playback rate in frames per second: numerator.
    pub fps_num: i64,
    /// Denominator of the playback rate.
    pub fps_den: i64,
    /// Number of segments.
    pub segment_count: i64,
    /// BLAKE3 of the file, hexadecimal.
    pub digest: String,
    /// Size of the file.
    #[schemars(extend("x-unit" = "byte"))]
    pub byte_count: i64,
}
record!(Clip, "clips", 2, clip_id);

impl Clip {
    /// Path of the file of a clip that has one of its own.
    pub fn own_path(clip_id: &str) -> String {
        format!("clips/{clip_id}.mp4")
    }

    /// Whether it has a file of its own, and is not a video from end to end.
    pub fn has_own_file(&self) -> bool {
        self.path == Self::own_path(&self.clip_id)
    }
}

/// One piece of a clip: consecutive frames of one video. Segments stand in the order in which the clip shows them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClipSegment {
    /// `<clip_id>/<position>`.
    pub segment_id: String,
    /// Clip that it is a piece of.
    pub clip_id: String,
    /// Place in the clip, from 0.
    pub position: i64,
    /// Place among the clip's segments in the order of the recording, from 0.
    pub source_position: i64,
    /// First frame of the segment in the clip, from 0: from the second segment on, a join.
    #[schemars(extend("x-unit" = "frame"))]
    pub first_frame: i64,
    /// Number of frames.
    #[schemars(extend("x-unit" = "frame"))]
    pub frame_count: i64,
    /// Clip that was joined here; null unless its clip is concatenated.
    pub member_clip_id: Option<String>,
    /// Recording that it shows.
    pub recording_id: String,
    /// Video that it was cut out of.
    pub video_id: String,
    /// Its first frame in that video, from 0.
    #[schemars(extend("x-unit" = "frame"))]
    pub video_first_frame: i64,
    /// Frames that it shares with the segment before it in the order of the recording.
    #[schemars(extend("x-unit" = "frame"))]
    pub overlap_frames: i64,
    /// Frames that were encoded again; the packets of all others are those of the video, numbered anew.
    #[schemars(extend("x-unit" = "frame"))]
    pub encoded_again: i64,
    /// Left edge of its video's picture in the clip's: 0, unless it stands on a larger canvas.
    #[schemars(extend("x-unit" = "px"))]
    pub picture_x1: i64,
    /// Top edge of its video's picture in the clip's.
    #[schemars(extend("x-unit" = "px"))]
    pub picture_y1: i64,
    /// Right edge of its video's picture in the clip's, exclusive. A point `x` of the video is at
    /// `picture_x1 + x * (picture_x2 - picture_x1) / w` in a clip, where `w` is the width of the video.
    #[schemars(extend("x-unit" = "px"))]
    pub picture_x2: i64,
    /// Bottom edge of its video's picture in the clip's, exclusive.
    #[schemars(extend("x-unit" = "px"))]
    pub picture_y2: i64,
}
record!(ClipSegment, "clip_segments", 2, segment_id);

/// Which source frame one frame of a clip shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClipFrame {
    /// `<clip_id>/<frame number, six digits>`.
    pub entry_id: String,
    /// Clip that the frame is in.
    pub clip_id: String,
    /// Position in the clip, from 0.
    pub clip_frame: i64,
    /// Presentation time in units of `1/timescale` seconds.
    pub pts: i64,
    /// Units per second of `pts`.
    pub timescale: i64,
    /// Position of its segment in the clip, from 0.
    pub segment: i64,
    /// Source frame.
    pub frame_id: String,
    /// Number of the source frame in its own file name.
    pub source_number: i64,
}
record!(ClipFrame, "clip_frames", 1, entry_id);

/// The frames of a clip that a model is shown, by a named profile: a list, so that two evaluations show the same frames.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClipSample {
    /// `<clip_id>/<profile>`.
    pub sample_id: String,
    /// Clip that the frames are of.
    pub clip_id: String,
    /// `sis-eval` (two frames per second below 16 s, one up to 32 s, else 32 evenly), `sis-train` (two per second, 8 to
    /// 32) or `sis-uniform32`.
    pub profile: String,
    /// Frames of the clip, from 0, ascending.
    pub frames: Vec<i64>,
}
record!(ClipSample, "clip_samples", 1, sample_id);

/// Single clips that are to be joined, in this order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StitchGroup {
    /// Hash of its clips, in order.
    pub stitch_id: String,
    /// Split of all its clips.
    pub split: String,
    /// Its clips: of pool `member`, of different leak groups, and each in one group only.
    pub clip_ids: Vec<String>,
    /// Whether all were encoded alike, so that every packet can be copied. Else all are encoded again on one canvas.
    pub alike: bool,
    /// Width of the video: that of its largest clip.
    #[schemars(extend("x-unit" = "px"))]
    pub width: i64,
    /// Height of the video: that of its largest clip.
    #[schemars(extend("x-unit" = "px"))]
    pub height: i64,
}
record!(StitchGroup, "stitch_groups", 1, stitch_id);

/// A record in a table of its own: a table has one writer. In a release such rows stand with those of the inner record.
macro_rules! stitched {
    ($(#[$doc:meta])* $name:ident($inner:ident), $table:literal, $version:literal, $id:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(pub $inner);
        impl crate::Record for $name {
            const TABLE: &'static str = $table;
            const VERSION: u32 = $version;
            fn id(&self) -> &str {
                &self.0.$id
            }
        }
        impl From<$name> for $inner {
            fn from(row: $name) -> Self {
                row.0
            }
        }
    };
}

stitched! {
    /// A concatenated clip.
    StitchedClip(Clip), "stitched_clips", 1, clip_id
}
stitched! {
    /// A segment of a concatenated clip.
    StitchedSegment(ClipSegment), "stitched_segments", 1, segment_id
}
stitched! {
    /// A frame of a concatenated clip.
    StitchedFrame(ClipFrame), "stitched_frames", 1, entry_id
}
stitched! {
    /// The frames of a concatenated clip that a model is shown.
    StitchedSample(ClipSample), "stitched_samples", 1, sample_id
}
