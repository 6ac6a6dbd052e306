//! What a source holds: recordings, their frames, and what people annotated on them.

use crate::record;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the frames of a recording hang together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecordingKind {
    /// Frames in temporal order, taken by one camera in one flight.
    Sequence,
    /// One image on its own.
    Still,
}

/// One camera run: a frame sequence, or a single still image.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    /// `<source>/<sequence>`; for a still `<source>/<image stem>`. Unique in a release.
    pub recording_id: String,
    /// Name of the source in the config.
    pub source: String,
    /// Leak group: recordings that may show the same place share it, and it never spans two splits.
    pub group_id: String,
    /// Name of the sequence in its source (for a still, the image stem).
    pub sequence: String,
    /// Split that the recording and everything made from it belongs to.
    pub split: String,
    /// Sequence or still.
    pub kind: RecordingKind,
    /// Number of usable frames (quarantined ones are not counted).
    pub frame_count: i64,
    /// Number of frames that have annotations; the others are *unknown*, not empty.
    pub labelled_frame_count: i64,
    /// Annotated frames without an image file.
    pub annotated_without_image: i64,
    /// True capture rate, of a video the mean over its frames' times; null when the source does not tell, and then no
    /// question in seconds is asked.
    #[schemars(extend("x-unit" = "1/s"))]
    pub source_fps: Option<f64>,
    /// Licence or terms as stated in the config for this source.
    pub licence: String,
}
record!(Recording, "recordings", 1, recording_id);

/// One image of a recording, or frame of a video, as it is delivered (upright).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Frame {
    /// `<recording_id>/<source number>`; for a still the recording id itself.
    pub frame_id: String,
    /// Recording that the frame belongs to.
    pub recording_id: String,
    /// Leak group of the recording.
    pub group_id: String,
    /// Split of the recording.
    pub split: String,
    /// Position among the usable frames of the recording, from 0, without gaps.
    pub index: i64,
    /// Frame number in the source's own file name and annotations (VisDrone counts from 1); in a video the place among
    /// the frames that decode, from 0; 0 for a still.
    pub source_number: i64,
    /// Path of the image, or of the video that the frame is in, relative to the root of its source, `/`-separated.
    pub file: String,
    /// Width as delivered.
    #[schemars(extend("x-unit" = "px"))]
    pub width: i64,
    /// Height as delivered.
    #[schemars(extend("x-unit" = "px"))]
    pub height: i64,
    /// Encoding found in the bytes, whatever the file is called: `jpeg` or `png`; `video` for a frame of a video file.
    pub format: String,
    /// Pixel layout found in the bytes: `rgb`, `rgba`, `grey`, `grey_alpha`, `palette`, `cmyk`, with `16` appended
    /// for 16 bits per sample; in a video FFmpeg's name of its pixel format, such as `yuv420p`.
    pub pixel_layout: String,
    /// EXIF orientation of the stored file, 1 to 8, or the one that means the same as the rotation of the video; 1 = stored
    /// as displayed. Pixels are delivered upright.
    pub exif_orientation: i64,
    /// BLAKE3 of the file, hexadecimal.
    pub digest: String,
    /// Size of the file.
    #[schemars(extend("x-unit" = "byte"))]
    pub byte_count: i64,
    /// When the frame is shown in its video, or was taken, from the first frame of the recording; null for images whose times
    /// are unknown. Times increase along a recording.
    #[schemars(extend("x-unit" = "us"))]
    pub timestamp_us: Option<i64>,
    /// Whether the frame was annotated: with `false` its content is *unknown*, with `true` and no boxes it is empty.
    pub labelled: bool,
}
record!(Frame, "frames", 2, frame_id);

impl Frame {
    /// Whether `file` is the video that the frame is in, and not its image.
    pub fn is_of_video(&self) -> bool {
        self.format == Self::VIDEO_FORMAT
    }

    /// `format` of frames of video files.
    pub const VIDEO_FORMAT: &str = "video";
}

/// One annotated object on one frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Box2d {
    /// `<frame_id>#<track number>`, or `<frame_id>#r<row>` where the source has no tracks.
    pub box_id: String,
    /// Frame that the object was annotated on.
    pub frame_id: String,
    /// Recording of the frame.
    pub recording_id: String,
    /// Track that the object belongs to; null where the source has no tracks.
    pub track_id: Option<String>,
    /// Category name, e.g. `car`. For an object in a track, the category of the track.
    pub category: String,
    /// Category as annotated on this very frame (a track may flip between two).
    pub annotated_category: String,
    /// Left edge.
    #[schemars(extend("x-unit" = "px", "x-frame" = "image"))]
    pub x1: f64,
    /// Top edge.
    #[schemars(extend("x-unit" = "px", "x-frame" = "image"))]
    pub y1: f64,
    /// Right edge, exclusive.
    #[schemars(extend("x-unit" = "px", "x-frame" = "image"))]
    pub x2: f64,
    /// Bottom edge, exclusive.
    #[schemars(extend("x-unit" = "px", "x-frame" = "image"))]
    pub y2: f64,
    /// The annotation overran the image by more than a pixel or so (`ingest.edge_tolerance_px`) and was cut at its edge.
    pub clipped: bool,
    /// The source tells evaluators to ignore this object (VisDrone score 0): it exists, and it is never an answer.
    pub ignored: bool,
    /// Share outside the frame as annotated: 0 none, 1 partly (VisDrone: 1 to 50 %); null when not annotated.
    pub truncation: Option<i64>,
    /// Occlusion as annotated: 0 none, 1 partly (1 to 50 %), 2 heavily (50 to 100 %); null when not annotated.
    pub occlusion: Option<i64>,
}
record!(Box2d, "boxes_2d", 1, box_id);

/// One object over the frames of a recording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Track {
    /// `<recording_id>#<track number>`.
    pub track_id: String,
    /// Recording of the track.
    pub recording_id: String,
    /// Category by majority over its boxes; at a tie the one annotated first.
    pub category: String,
    /// Every category that was annotated along the track, sorted; more than one means that the track flips.
    pub annotated_categories: Vec<String>,
    /// Source number of the first frame with a box.
    pub first_source_number: i64,
    /// Source number of the last frame with a box.
    pub last_source_number: i64,
    /// Number of boxes.
    pub box_count: i64,
    /// Frames between first and last without a box.
    pub gap_count: i64,
}
record!(Track, "tracks", 1, track_id);

/// What is not known about an area.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RegionKind {
    /// The annotators skipped the area (VisDrone category 0): it may hold anything.
    Ignored,
    /// An object outside the source's categories (VisDrone category 11, "others").
    Others,
    /// One object that may be of any category: its annotation could not be read completely, contradicts another one, or
    /// lies mostly outside the image.
    UnknownObject,
}

/// An area of a frame whose content is not fully labelled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// `<frame_id>#<track number>` or `<frame_id>#r<row>`, as for boxes.
    pub region_id: String,
    /// Frame that the area lies on.
    pub frame_id: String,
    /// Recording of the frame.
    pub recording_id: String,
    /// Ignored area, object of no category, or object of unknown category.
    pub kind: RegionKind,
    /// `<recording_id>#<track number>`, as for boxes; null where the source gave the area no track.
    pub track_id: Option<String>,
    /// Left edge.
    #[schemars(extend("x-unit" = "px", "x-frame" = "image"))]
    pub x1: f64,
    /// Top edge.
    #[schemars(extend("x-unit" = "px", "x-frame" = "image"))]
    pub y1: f64,
    /// Right edge, exclusive.
    #[schemars(extend("x-unit" = "px", "x-frame" = "image"))]
    pub x2: f64,
    /// Bottom edge, exclusive.
    #[schemars(extend("x-unit" = "px", "x-frame" = "image"))]
    pub y2: f64,
}
record!(Region, "regions", 2, region_id);
