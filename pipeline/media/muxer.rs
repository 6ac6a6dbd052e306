//! Encoded pictures into an MP4 file whose bytes depend on nothing but the pictures and the settings.

use crate::encode::{EncodeSettings, open_encoder};
use crate::{MediaError, nal};
use ffmpeg_next as ffmpeg;
use std::path::{Path, PathBuf};

const WRITE: &str = "write video";

/// An open encoder and the file that it fills.
pub(crate) struct VideoWriter {
    encoder: ffmpeg::encoder::Video,
    output: ffmpeg::format::context::Output,
    path: PathBuf,
    encoder_time_base: ffmpeg::Rational,
    stream_time_base: ffmpeg::Rational,
    frames: i64,
}

impl VideoWriter {
    /// Creates the file and writes its header.
    pub(crate) fn create(path: &Path, width: u32, height: u32, settings: &EncodeSettings) -> Result<Self, MediaError> {
        let failed = |error| MediaError::ffmpeg("create video", path, error);
        let encoder = open_encoder(width, height, settings)?;
        let mut output = ffmpeg::format::output_as(&file_url(path)?, "mp4").map_err(failed)?;
        let fps = settings.fps;
        let encoder_time_base = ffmpeg::Rational(fps.den() as i32, fps.num() as i32);
        let mut stream = output.add_stream_with(&encoder).map_err(failed)?;
        stream.set_time_base(encoder_time_base);
        stream.set_avg_frame_rate(ffmpeg::Rational(fps.num() as i32, fps.den() as i32));
        write_header(&mut output, path, settings)?;
        let stream_time_base = output.stream(0).map_or(encoder_time_base, |stream| stream.time_base());
        Ok(Self { encoder, output, path: path.to_path_buf(), encoder_time_base, stream_time_base, frames: 0 })
    }

    /// Encodes one picture; its time is its number.
    pub(crate) fn write(&mut self, picture: &mut ffmpeg::frame::Video) -> Result<(), MediaError> {
        picture.set_pts(Some(self.frames));
        picture.set_kind(ffmpeg::picture::Type::None);
        self.encoder.send_frame(picture).map_err(|error| self.failed(error))?;
        self.frames += 1;
        self.write_ready_packets()
    }

    /// Writes what the encoder still holds and the index of the file.
    pub(crate) fn finish(mut self) -> Result<(), MediaError> {
        self.encoder.send_eof().map_err(|error| self.failed(error))?;
        self.write_ready_packets()?;
        let result = self.output.write_trailer();
        result.map_err(|error| self.failed(error))
    }

    fn write_ready_packets(&mut self) -> Result<(), MediaError> {
        let mut packet = ffmpeg::Packet::empty();
        loop {
            match self.encoder.receive_packet(&mut packet) {
                Ok(()) => self.write_packet(&packet)?,
                Err(ffmpeg::Error::Eof | ffmpeg::Error::Other { errno: libc::EAGAIN }) => return Ok(()),
                Err(error) => return Err(self.failed(error)),
            }
        }
    }

    fn write_packet(&mut self, packet: &ffmpeg::Packet) -> Result<(), MediaError> {
        let mut packet = match packet.data().and_then(nal::without_user_data) {
            Some(data) => with_data(packet, &data),
            None => packet.clone(),
        };
        packet.set_stream(0);
        packet.set_duration(packet.duration().max(1));
        packet.rescale_ts(self.encoder_time_base, self.stream_time_base);
        let result = packet.write_interleaved(&mut self.output);
        result.map_err(|error| self.failed(error))
    }

    fn failed(&self, error: ffmpeg::Error) -> MediaError {
        MediaError::ffmpeg(WRITE, &self.path, error)
    }
}

fn with_data(packet: &ffmpeg::Packet, data: &[u8]) -> ffmpeg::Packet {
    let mut copy = ffmpeg::Packet::copy(data);
    copy.set_pts(packet.pts());
    copy.set_dts(packet.dts());
    copy.set_duration(packet.duration());
    copy.set_flags(packet.flags());
    copy
}

fn write_header(
    output: &mut ffmpeg::format::context::Output,
    path: &Path,
    settings: &EncodeSettings,
) -> Result<(), MediaError> {
    let mut options = ffmpeg::Dictionary::new();
    options.set("video_track_timescale", &settings.fps.timescale().to_string());
    options.set("movflags", "+faststart");
    options.set("fflags", "+bitexact");
    let unused = output.write_header_with(options).map_err(|error| MediaError::ffmpeg("create video", path, error))?;
    // FFmpeg returns options that it does not know instead of refusing them.
    match unused.iter().next() {
        None => Ok(()),
        Some((name, _)) => Err(MediaError::Ffmpeg {
            action: "create video",
            path: path.to_path_buf(),
            detail: format!("the linked FFmpeg does not know the muxer option `{name}`"),
        }),
    }
}

/// The path as an URL: without the prefix FFmpeg takes what stands before a colon for a protocol.
pub(crate) fn file_url(path: &Path) -> Result<String, MediaError> {
    match path.to_str() {
        Some(text) if !text.contains('\0') => Ok(format!("file:{text}")),
        _ => Err(MediaError::Path { path: path.to_path_buf() }),
    }
}
