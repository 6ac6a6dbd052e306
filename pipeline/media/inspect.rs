//! What a video file really holds, found by decoding it: containers state frame counts that do not come true.

use crate::muxer::file_url;
use crate::{GreyCells, MediaError, RgbImage, library};
use ffmpeg_next as ffmpeg;
use ffmpeg_next::format::Pixel;
use ffmpeg_next::software::scaling;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

const READ: &str = "read video";

/// A video file whose every frame was decoded.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct VideoInfo {
    /// FFmpeg's name of the codec, e.g. `h264`.
    pub codec: String,
    /// Width of the picture in pixels.
    pub width: u32,
    /// Height of the picture in pixels.
    pub height: u32,
    /// FFmpeg's name of the pixel format, e.g. `yuv420p`.
    pub pixel_format: String,
    /// `tv`, `pc` or `unknown`.
    pub color_range: String,
    /// Colour matrix, e.g. `bt470bg`; `unknown` when not stated.
    pub color_space: String,
    /// Frames per second as the file states them: numerator.
    pub fps_num: i32,
    /// Frames per second as the file states them: denominator.
    pub fps_den: i32,
    /// Time units per second of `pts`; for the odd file whose unit is not 1/n seconds, n rounded down.
    pub timescale: i32,
    /// Number of frames that decode.
    pub frame_count: usize,
    /// Presentation time of each frame, in the order in which they are shown.
    pub pts: Vec<i64>,
    /// Numbers of the frames, from 0, that can be decoded without the frames before them.
    pub keyframes: Vec<usize>,
}

/// One decoded frame.
#[derive(Debug, Clone)]
pub struct VideoFrame {
    /// Number of the frame, from 0.
    pub index: usize,
    /// Presentation time in the time units of the file.
    pub pts: i64,
    /// The picture. Colours are converted with the BT.601 matrix and video range, as our own videos have them.
    pub image: RgbImage,
}

/// A frame as the decoder gives it.
pub struct DecodedFrame<'a>(&'a ffmpeg::frame::Video);

impl DecodedFrame<'_> {
    /// Grey cells of a part of the picture: `origin` is its top-left corner, `size` its width and height in pixels (for a
    /// whole picture the size of the image before it was padded to even numbers). Null where the frame is smaller, or has no
    /// plane of 8-bit luma.
    pub fn grey_cells(&self, origin: (u32, u32), size: (u32, u32)) -> Option<GreyCells> {
        let frame = self.0;
        if !matches!(frame.format(), Pixel::YUV420P | Pixel::YUVJ420P) {
            return None;
        }
        let fits = |from: u32, length: u32, whole: u32| from.checked_add(length).is_some_and(|end| end <= whole);
        if !fits(origin.0, size.0, frame.width()) || !fits(origin.1, size.1, frame.height()) {
            return None;
        }
        let video_range = frame.format() == Pixel::YUV420P && frame.color_range() != ffmpeg::color::Range::JPEG;
        let first = origin.1 as usize * frame.stride(0) + origin.0 as usize;
        let size = (size.0 as usize, size.1 as usize);
        Some(GreyCells::of_luma(&frame.data(0)[first..], frame.stride(0), size, video_range))
    }
}

/// Decodes every frame, hands it to `visit` with its number from 0, and says what the file holds.
///
/// # Errors
/// [`MediaError::Damaged`] when any frame is damaged or missing: there is no partial answer.
pub fn inspect_video(path: &Path, mut visit: impl FnMut(usize, DecodedFrame)) -> Result<VideoInfo, MediaError> {
    let mut reader = Reader::open(path)?;
    let (mut pts, mut keyframes) = (Vec::new(), Vec::new());
    reader.decode(|index, frame| {
        visit(index, DecodedFrame(frame));
        pts.push(frame.timestamp().unwrap_or(-1));
        if frame.is_key() {
            keyframes.push(index);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let decoder = &reader.decoder;
    Ok(VideoInfo {
        codec: decoder.codec().map_or_else(|| "unknown".to_owned(), |codec| codec.name().to_owned()),
        width: decoder.width(),
        height: decoder.height(),
        pixel_format: decoder.format().descriptor().map_or("unknown", |descriptor| descriptor.name()).to_owned(),
        color_range: decoder.color_range().name().unwrap_or("unknown").to_owned(),
        color_space: decoder.color_space().name().unwrap_or("unknown").to_owned(),
        fps_num: reader.frame_rate.numerator(),
        fps_den: reader.frame_rate.denominator(),
        timescale: reader.time_base.denominator() / reader.time_base.numerator().max(1),
        frame_count: pts.len(),
        pts,
        keyframes,
    })
}

/// Decodes frame by frame to RGB until `visit` breaks.
///
/// # Errors
/// As [`inspect_video`], as far as the frames were decoded.
pub fn for_each_frame(path: &Path, mut visit: impl FnMut(VideoFrame) -> ControlFlow<()>) -> Result<(), MediaError> {
    let mut reader = Reader::open(path)?;
    let mut scaler = None;
    reader.decode(|index, frame| {
        let image = rgb_image(&mut scaler, frame).map_err(|error| MediaError::ffmpeg(READ, path, error))?;
        Ok(visit(VideoFrame { index, pts: frame.timestamp().unwrap_or(-1), image }))
    })?;
    Ok(())
}

/// An open decoder that conceals nothing: damage is an error.
pub(crate) fn strict_decoder(
    parameters: ffmpeg::codec::Parameters,
    time_base: ffmpeg::Rational,
) -> Result<ffmpeg::decoder::Video, ffmpeg::Error> {
    let codec = ffmpeg::decoder::find(parameters.id()).ok_or(ffmpeg::Error::DecoderNotFound)?;
    let mut context = ffmpeg::codec::Context::from_parameters(parameters)?;
    context.set_time_base(time_base);
    let mut options = ffmpeg::Dictionary::new();
    options.set("err_detect", "crccheck+bitstream+buffer+explode");
    options.set("threads", "1");
    context.decoder().open_as_with(codec, options)?.video()
}

/// A video file that is decoded from its beginning; damage is an error.
pub(crate) struct Reader {
    input: ffmpeg::format::context::Input,
    pub(crate) decoder: ffmpeg::decoder::Video,
    path: PathBuf,
    stream_index: usize,
    time_base: ffmpeg::Rational,
    /// Frames per second, as the file states them.
    pub(crate) frame_rate: ffmpeg::Rational,
    /// Number of frames that the container lists; 0 when it does not.
    listed_frames: i64,
}

impl Reader {
    pub(crate) fn open(path: &Path) -> Result<Self, MediaError> {
        library::initialize();
        let failed = |error| MediaError::ffmpeg(READ, path, error);
        let input = ffmpeg::format::input(&file_url(path)?).map_err(failed)?;
        let stream = input.streams().best(ffmpeg::media::Type::Video);
        let stream = stream.ok_or_else(|| MediaError::NoVideoStream { path: path.to_path_buf() })?;
        let (stream_index, time_base) = (stream.index(), stream.time_base());
        let (frame_rate, listed_frames) = (stream.avg_frame_rate(), stream.frames());
        let parameters = stream.parameters();
        let decoder = strict_decoder(parameters, time_base).map_err(failed)?;
        Ok(Self { input, decoder, path: path.to_path_buf(), stream_index, time_base, frame_rate, listed_frames })
    }

    /// Hands every frame to `visit`; returns their number.
    pub(crate) fn decode(
        &mut self,
        mut visit: impl FnMut(usize, &ffmpeg::frame::Video) -> Result<ControlFlow<()>, MediaError>,
    ) -> Result<usize, MediaError> {
        let mut decoded = 0;
        loop {
            let at_end = self.send_next_packet(decoded)?;
            let mut frame = ffmpeg::frame::Video::empty();
            loop {
                match self.decoder.receive_frame(&mut frame) {
                    Ok(()) if frame.is_corrupt() || frame.has_decode_errors() => {
                        return Err(self.damaged(decoded, "the decoder had to conceal errors"));
                    }
                    Ok(()) => {
                        if visit(decoded, &frame)?.is_break() {
                            return Ok(decoded + 1);
                        }
                        decoded += 1;
                    }
                    Err(ffmpeg::Error::Eof | ffmpeg::Error::Other { errno: libc::EAGAIN }) => break,
                    Err(error) => return Err(self.damaged(decoded, error)),
                }
            }
            if at_end {
                return self.check_count(decoded);
            }
        }
    }

    /// Feeds the decoder; true at the end of the file.
    fn send_next_packet(&mut self, decoded: usize) -> Result<bool, MediaError> {
        loop {
            let mut packet = ffmpeg::Packet::empty();
            match packet.read(&mut self.input) {
                Ok(()) if packet.stream() != self.stream_index => {}
                Ok(()) if packet.is_corrupt() => return Err(self.damaged(decoded, "a frame is cut off")),
                Ok(()) => {
                    self.decoder.send_packet(&packet).map_err(|error| self.damaged(decoded, error))?;
                    return Ok(false);
                }
                Err(ffmpeg::Error::Eof) => {
                    self.decoder.send_eof().map_err(|error| self.damaged(decoded, error))?;
                    return Ok(true);
                }
                Err(error) => return Err(self.damaged(decoded, error)),
            }
        }
    }

    fn check_count(&self, decoded: usize) -> Result<usize, MediaError> {
        match usize::try_from(self.listed_frames) {
            Ok(listed) if listed > decoded => Err(self.damaged(decoded, format!("the file lists {listed} frames"))),
            _ if decoded == 0 => Err(self.damaged(decoded, "no frame decodes")),
            _ => Ok(decoded),
        }
    }

    fn damaged(&self, decoded_frames: usize, detail: impl ToString) -> MediaError {
        MediaError::Damaged { path: self.path.clone(), decoded_frames, detail: detail.to_string() }
    }
}

pub(crate) fn rgb_image(
    scaler: &mut Option<scaling::Context>,
    frame: &ffmpeg::frame::Video,
) -> Result<RgbImage, ffmpeg::Error> {
    let (width, height) = (frame.width(), frame.height());
    let input = scaling::context::Definition { format: frame.format(), width, height };
    if scaler.as_ref().is_none_or(|scaler| *scaler.input() != input) {
        let flags = scaling::Flags::BICUBIC | scaling::Flags::ACCURATE_RND | scaling::Flags::FULL_CHR_H_INT;
        *scaler = Some(scaling::Context::get(frame.format(), width, height, Pixel::RGB24, width, height, flags)?);
    }
    let mut rgb = ffmpeg::frame::Video::empty();
    if let Some(scaler) = scaler {
        scaler.run(frame, &mut rgb)?;
    }
    let row_length = width as usize * 3;
    let rows = rgb.data(0).chunks_exact(rgb.stride(0)).flat_map(|row| &row[..row_length]).copied();
    RgbImage::from_raw(width, height, rows.collect()).ok_or(ffmpeg::Error::InvalidData)
}
