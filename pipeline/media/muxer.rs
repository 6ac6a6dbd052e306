//! Pictures and packets into an MP4 file whose bytes depend on nothing but them and the settings.

use crate::encode::{EncodeSettings, FrameRate, Headers, open_encoder};
use crate::{MediaError, nal};
use ffmpeg_next as ffmpeg;
use std::path::{Path, PathBuf};

const WRITE: &str = "write video";

/// An MP4 file with one H.264 stream of constant rate, written packet by packet.
pub(crate) struct Mp4Writer {
    output: ffmpeg::format::context::Output,
    path: PathBuf,
    time_base: ffmpeg::Rational,
    ticks_per_frame: i64,
    frames: i64,
}

impl Mp4Writer {
    /// Creates the file and writes its header; `parameters` are those of the stream.
    pub(crate) fn create(
        path: &Path,
        fps: FrameRate,
        parameters: impl Into<ffmpeg::codec::Parameters>,
    ) -> Result<Self, MediaError> {
        let failed = |error| MediaError::ffmpeg("create video", path, error);
        let mut output = ffmpeg::format::output_as(&file_url(path)?, "mp4").map_err(failed)?;
        let mut stream = output.add_stream(ffmpeg::encoder::find(ffmpeg::codec::Id::None)).map_err(failed)?;
        stream.set_parameters(parameters);
        stream.set_time_base(ffmpeg::Rational(fps.den() as i32, fps.num() as i32));
        stream.set_avg_frame_rate(ffmpeg::Rational(fps.num() as i32, fps.den() as i32));
        write_header(&mut output, path, fps)?;
        let time_base = output.stream(0).map_or(ffmpeg::Rational(0, 1), |stream| stream.time_base());
        if time_base != ffmpeg::Rational(1, fps.timescale() as i32) {
            let detail = format!("the linked FFmpeg counts time in {time_base} s instead of 1/{} s", fps.timescale());
            return Err(MediaError::Ffmpeg { action: "create video", path: path.to_path_buf(), detail });
        }
        let ticks_per_frame = i64::from(fps.ticks_per_frame());
        Ok(Self { output, path: path.to_path_buf(), time_base, ticks_per_frame, frames: 0 })
    }

    /// Writes the packet of the next frame; its time is its number.
    pub(crate) fn write(&mut self, mut packet: ffmpeg::Packet) -> Result<(), MediaError> {
        let time = self.frames * self.ticks_per_frame;
        packet.set_stream(0);
        packet.set_pts(Some(time));
        packet.set_dts(Some(time));
        packet.set_duration(self.ticks_per_frame);
        packet.set_time_base(self.time_base);
        packet.set_position(-1);
        let result = packet.write_interleaved(&mut self.output);
        result.map_err(|error| MediaError::ffmpeg(WRITE, &self.path, error))?;
        self.frames += 1;
        Ok(())
    }

    /// Writes the index of the file.
    pub(crate) fn finish(mut self) -> Result<(), MediaError> {
        let result = self.output.write_trailer();
        result.map_err(|error| MediaError::ffmpeg(WRITE, &self.path, error))
    }
}

/// An open encoder and the file that it fills.
pub(crate) struct VideoWriter {
    encoder: ffmpeg::encoder::Video,
    file: Mp4Writer,
    path: PathBuf,
    pictures: i64,
}

impl VideoWriter {
    /// Creates the file and writes its header.
    pub(crate) fn create(path: &Path, width: u32, height: u32, settings: &EncodeSettings) -> Result<Self, MediaError> {
        let encoder = open_encoder(width, height, settings, Headers::InFile)?;
        let file = Mp4Writer::create(path, settings.fps, &encoder)?;
        Ok(Self { encoder, file, path: path.to_path_buf(), pictures: 0 })
    }

    /// Encodes one picture.
    pub(crate) fn write(&mut self, picture: &mut ffmpeg::frame::Video) -> Result<(), MediaError> {
        picture.set_pts(Some(self.pictures));
        picture.set_kind(ffmpeg::picture::Type::None);
        self.encoder.send_frame(picture).map_err(|error| MediaError::ffmpeg(WRITE, &self.path, error))?;
        self.pictures += 1;
        self.write_ready_packets()
    }

    /// Writes what the encoder still holds and the index of the file.
    pub(crate) fn finish(mut self) -> Result<(), MediaError> {
        self.encoder.send_eof().map_err(|error| MediaError::ffmpeg(WRITE, &self.path, error))?;
        self.write_ready_packets()?;
        self.file.finish()
    }

    fn write_ready_packets(&mut self) -> Result<(), MediaError> {
        let mut packet = ffmpeg::Packet::empty();
        loop {
            match self.encoder.receive_packet(&mut packet) {
                Ok(()) => self.file.write(without_user_data(&packet))?,
                Err(ffmpeg::Error::Eof | ffmpeg::Error::Other { errno: libc::EAGAIN }) => return Ok(()),
                Err(error) => return Err(MediaError::ffmpeg(WRITE, &self.path, error)),
            }
        }
    }
}

fn without_user_data(packet: &ffmpeg::Packet) -> ffmpeg::Packet {
    match packet.data().and_then(nal::without_user_data) {
        Some(data) => with_data(packet, &data),
        None => packet.clone(),
    }
}

/// Other bytes in place of those of a packet.
pub(crate) fn with_data(packet: &ffmpeg::Packet, data: &[u8]) -> ffmpeg::Packet {
    let mut copy = ffmpeg::Packet::copy(data);
    copy.set_flags(packet.flags());
    copy
}

fn write_header(output: &mut ffmpeg::format::context::Output, path: &Path, fps: FrameRate) -> Result<(), MediaError> {
    let mut options = ffmpeg::Dictionary::new();
    options.set("video_track_timescale", &fps.timescale().to_string());
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
