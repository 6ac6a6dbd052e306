//! Errors of encoding and reading videos.

use crate::ImageFault;
use std::path::PathBuf;

/// A video could not be written or read. Faults of single source frames are not errors, see [`crate::SkippedFrame`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MediaError {
    /// The linked FFmpeg has no H.264 encoder.
    #[error("find the encoder `libx264` in the linked FFmpeg: install an FFmpeg built with x264")]
    EncoderMissing,
    /// The H.264 encoder refused to start.
    #[error("start the encoder libx264 for {width}x{height}: {detail}")]
    Encoder {
        /// Width of the picture in pixels.
        width: u32,
        /// Height of the picture in pixels.
        height: u32,
        /// FFmpeg's message.
        detail: String,
    },
    /// A setting is out of its range.
    #[error("use encoder setting {name} = {value}: {hint}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Its value.
        value: String,
        /// What would be accepted.
        hint: &'static str,
    },
    /// The caller's source of frames failed.
    #[error("read source frame {index}: {source}")]
    Load {
        /// Position of the frame in the caller's sequence, from 0.
        index: usize,
        /// Why.
        source: std::io::Error,
    },
    /// A frame differs in size from the first one of the video.
    #[error(
        "encode source frame {index}: it is {width}x{height}, the frames before it are {expected_width}x\
         {expected_height}; split the recording where the size changes"
    )]
    SizeChanged {
        /// Position of the frame in the caller's sequence, from 0.
        index: usize,
        /// Its width as delivered.
        width: u32,
        /// Its height as delivered.
        height: u32,
        /// Width of the first frame.
        expected_width: u32,
        /// Height of the first frame.
        expected_height: u32,
    },
    /// No frame could be decoded, so there is no video. The faults say why; empty when there were no frames at all.
    #[error("encode a video without a single decodable frame ({skipped} frames skipped)")]
    NoFrames {
        /// Number of frames that were skipped.
        skipped: usize,
        /// First fault, if any frame was skipped.
        first: Option<ImageFault>,
    },
    /// The path cannot be handed to FFmpeg.
    #[error("use path {path:?}: it is not valid UTF-8 or holds a NUL")]
    Path {
        /// The path.
        path: PathBuf,
    },
    /// FFmpeg reported an error while working on a file.
    #[error("{action} `{}`: {detail}", path.display())]
    Ffmpeg {
        /// What was attempted, e.g. `write video`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// FFmpeg's message; for input/output errors the system's own words.
        detail: String,
    },
    /// The disk is full.
    #[error("write video `{}`: no space left on the device", path.display())]
    DiskFull {
        /// The file.
        path: PathBuf,
    },
    /// A video file holds no video stream.
    #[error("read video `{}`: it has no video stream", path.display())]
    NoVideoStream {
        /// The file.
        path: PathBuf,
    },
    /// A frame of a video file is damaged.
    #[error("decode video `{}`: damaged after {decoded_frames} frames: {detail}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Number of frames decoded before the damage.
        decoded_frames: usize,
        /// FFmpeg's message.
        detail: String,
    },
    /// A video cannot be put together with others, or is not as its record says.
    #[error("use video `{}`: {detail}", path.display())]
    Unlike {
        /// The file.
        path: PathBuf,
        /// In what it differs.
        detail: String,
    },
    /// An image could not be encoded.
    #[error("encode {width}x{height} image as {format}: {detail}")]
    Still {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// `jpeg` or `png`.
        format: &'static str,
        /// The encoder's message.
        detail: String,
    },
}

impl MediaError {
    pub(crate) fn ffmpeg(action: &'static str, path: &std::path::Path, error: ffmpeg_next::Error) -> Self {
        let path = path.to_path_buf();
        match error {
            ffmpeg_next::Error::Other { errno: libc::ENOSPC | libc::EDQUOT } => Self::DiskFull { path },
            other => Self::Ffmpeg { action, path, detail: other.to_string() },
        }
    }
}
