//! Why a video of somebody else's cannot be used.

/// A file that is no video whose frames could be delivered rightly. Each variant is one reject reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VideoFault {
    /// The file has no bytes.
    #[error("the file is empty")]
    EmptyFile,
    /// The system does not give its bytes.
    #[error("the file cannot be read: {problem}")]
    Unreadable {
        /// What the system says, e.g. `Permission denied`.
        problem: String,
    },
    /// The bytes are none of the containers that are read.
    #[error("not an MP4, QuickTime, Matroska or AVI file: the bytes look like {looks_like}")]
    NotAVideo {
        /// What the first bytes look like, e.g. `HTML`.
        looks_like: &'static str,
    },
    /// The file ends before its video does.
    #[error("truncated video: {detail}")]
    Truncated {
        /// What is missing.
        detail: String,
    },
    /// There is sound or data in it, or a cover picture, and no video.
    #[error("the file has no video stream")]
    NoVideoStream,
    /// Nothing can be decoded.
    #[error("the video cannot be decoded: {detail}")]
    Undecodable {
        /// FFmpeg's message.
        detail: String,
    },
    /// A width or height of zero, or more pixels than readers take.
    #[error("video of {width}x{height} pixels: more than none and at most {limit} are read")]
    TooLarge {
        /// Stored width in pixels.
        width: u32,
        /// Stored height in pixels.
        height: u32,
        /// Largest accepted number of pixels.
        limit: u64,
    },
    /// Pixels are shown wider or narrower than high: boxes and distances would be those of no delivered picture.
    #[error("its pixels are shown {num}:{den} wide; scale the video to square pixels")]
    NonSquarePixels {
        /// Width of a pixel.
        num: i32,
        /// Height of a pixel.
        den: i32,
    },
    /// A frame holds two moments, in every other row.
    #[error("frame {number} is interlaced: it holds two moments; deinterlace the video")]
    Interlaced {
        /// Number of the frame, from 0.
        number: u64,
    },
    /// A pixel format with alpha, or one that nobody films in.
    #[error("its pixels are {format}; convert the video to yuv420p")]
    UnsupportedPixels {
        /// FFmpeg's name.
        format: String,
    },
    /// Colours that would come out wrong.
    #[error("its colours are {detail}; convert the video to BT.709")]
    UnsupportedColour {
        /// FFmpeg's name of the matrix or the transfer curve.
        detail: String,
    },
    /// It is to be turned by other than quarter turns, or scaled.
    #[error("it is to be shown turned by other than quarter turns; turn its pixels")]
    UnsupportedRotation,
}

impl VideoFault {
    /// The reject reason code, lower snake case, stable across releases.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::EmptyFile => "empty_file",
            Self::Unreadable { .. } => "unreadable_file",
            Self::NotAVideo { .. } => "not_a_video",
            Self::Truncated { .. } => "truncated",
            Self::NoVideoStream => "no_video_stream",
            Self::Undecodable { .. } => "undecodable",
            Self::TooLarge { .. } => "too_large",
            Self::NonSquarePixels { .. } => "non_square_pixels",
            Self::Interlaced { .. } => "interlaced",
            Self::UnsupportedPixels { .. } => "unsupported_pixels",
            Self::UnsupportedColour { .. } => "unsupported_colour",
            Self::UnsupportedRotation => "unsupported_rotation",
        }
    }
}
