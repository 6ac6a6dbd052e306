//! The FFmpeg that is linked: set-up, versions, licence.

use crate::encode::{EncodeSettings, Headers, open_encoder};
use crate::nal;
use ffmpeg_next as ffmpeg;
use std::sync::OnceLock;

/// Raised whenever this crate makes other videos from the same frames with the same FFmpeg.
const VIDEO_VERSION: u32 = 1;
/// Raised whenever this crate decodes or delivers still images in another way, also after an update of the crates that
/// it does so with.
const STILLS_VERSION: u32 = 1;

/// Versions and licence of the linked libraries.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct LibraryInfo {
    /// libavcodec, `major.minor.micro`.
    pub avcodec: String,
    /// libavformat, `major.minor.micro`.
    pub avformat: String,
    /// libavutil, `major.minor.micro`.
    pub avutil: String,
    /// libswscale, `major.minor.micro`.
    pub swscale: String,
    /// libx264 as it names itself, e.g. `core 164 r3095 baee400`; null when the linked FFmpeg has no x264.
    pub x264: Option<String>,
    /// Licence of the linked libavcodec, e.g. `GPL version 2 or later`: it binds whoever passes on the linked binary.
    pub licence: String,
    /// Everything here that may change the bytes of a video, in one line: part of the fingerprints.
    pub build_id: String,
}

/// What may change the pixels or bytes of a still image: part of the fingerprints of stages that decode or deliver some.
pub fn stills_id() -> String {
    format!("stills-{STILLS_VERSION}")
}

/// What is linked. Asked once, then remembered; safe to call from any thread.
pub fn library() -> &'static LibraryInfo {
    static INFO: OnceLock<LibraryInfo> = OnceLock::new();
    INFO.get_or_init(|| {
        initialize();
        let [avcodec, avformat, avutil, swscale] = [
            ffmpeg::codec::version(),
            ffmpeg::format::version(),
            ffmpeg::util::version(),
            ffmpeg::software::scaling::version(),
        ]
        .map(|version| format!("{}.{}.{}", version >> 16, version >> 8 & 255, version & 255));
        let x264 = x264_version();
        let build_id = format!(
            "video-{VIDEO_VERSION} avcodec-{avcodec} avformat-{avformat} avutil-{avutil} swscale-{swscale} x264-{}",
            x264.as_deref().unwrap_or("none").replace(' ', "-")
        );
        let licence = ffmpeg::codec::license().to_owned();
        LibraryInfo { avcodec, avformat, avutil, swscale, x264, licence, build_id }
    })
}

/// Prepares FFmpeg and silences its own printing; errors are reported through [`crate::MediaError`].
pub(crate) fn initialize() {
    static DONE: OnceLock<()> = OnceLock::new();
    DONE.get_or_init(|| {
        // Fills a table of error texts; with FFmpeg 5 and later it cannot fail.
        let _ = ffmpeg::init();
        ffmpeg::log::set_level(ffmpeg::log::Level::Quiet);
    });
}

/// Encodes one tiny picture to read the message in which x264 names itself.
fn x264_version() -> Option<String> {
    let packet = tiny_packet()?;
    let text = nal::user_data_text(packet.data()?)?;
    let (_, after) = text.split_once("x264 - ")?;
    Some(after.split(" - ").next()?.trim().to_owned())
}

fn tiny_packet() -> Option<ffmpeg::Packet> {
    let mut encoder = open_encoder(64, 64, &EncodeSettings::default(), Headers::InFile).ok()?;
    let mut picture = ffmpeg::frame::Video::new(ffmpeg::format::Pixel::YUV420P, 64, 64);
    for plane in 0..3 {
        picture.data_mut(plane).fill(128);
    }
    picture.set_pts(Some(0));
    encoder.send_frame(&picture).ok()?;
    encoder.send_eof().ok()?;
    let mut packet = ffmpeg::Packet::empty();
    encoder.receive_packet(&mut packet).ok()?;
    Some(packet)
}
