//! Videos that others made: every frame that decodes, upright, with the time at which it is shown.
//!
//! What the container says of itself is not believed. Frames are counted by decoding them, one by one; times are those of
//! the decoded frames, counted from the first one that is shown, so that edit lists, delays and a first time above or below
//! zero drop out. Sound, data and cover pictures are passed over. What decoders do not notice, frames that are missing in the
//! stream, [`Continuity`] does.
//!
//! Reading the same file twice gives the same frames: decoders run on one thread and conceal nothing.

use crate::boxes::Track;
use crate::container::Container;
use crate::continuity::{Continuity, Verdict};
use crate::footage_picture::{self, PictureMaker};
use crate::footage_stream;
use crate::frame_decoder::Picture;
use crate::inspect::strict_decoder;
use crate::muxer::file_url;
use crate::{MAX_PIXELS, RgbImage, VideoFault, display, library};
use ffmpeg_next as ffmpeg;
use ffmpeg_next::format::context::Input;
use ffmpeg_next::frame::Video;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// A frame of a video by its place and time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameTime {
    /// Number of the frame, from 0: its place among all that decode, in the order in which they are shown.
    pub number: u64,
    /// When it is shown, in microseconds from the first frame.
    pub time_us: i64,
}

/// Where a video stops being readable, or its frames are predicted from one that was lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// Number of frames that the file holds from there on; at least 1.
    pub lost: u64,
    /// What is wrong.
    pub detail: String,
}

/// A video file, read to its end or to its first damage.
#[derive(Debug, Clone, PartialEq)]
pub struct Footage {
    /// FFmpeg's name of the codec, e.g. `hevc`.
    pub codec: String,
    /// FFmpeg's name of the pixel format of the first frame, e.g. `yuv420p`.
    pub pixel_format: String,
    /// Width in pixels as delivered: upright.
    pub width: u32,
    /// Height in pixels as delivered: upright.
    pub height: u32,
    /// The EXIF orientation, 1 to 8, that means the same as the rotation that the file asks for.
    pub exif_orientation: u8,
    /// The frames that can be used, in order; their times increase.
    pub frames: Vec<FrameTime>,
    /// Numbers of frames without a time, or with one that is not later than that of the frame before.
    pub untimed: Vec<u64>,
    /// Where reading stopped before the end; null when all of it could be read.
    pub damage: Option<Damage>,
    /// Frames that the container lists (without empty ones, and without those that an edit list leaves out), which may be more
    /// or fewer than there are; null when it lists none.
    pub listed_frames: Option<u64>,
    /// Frames that are stored, shown or not (those before the start of an edit list are not).
    pub stored_frames: u64,
    /// Mean rate in frames per second, from the times of the first and the last frame; null with fewer than two.
    pub mean_fps: Option<f64>,
}

/// A frame while it is at hand.
pub struct FootageFrame<'a> {
    /// Place and time.
    pub time: FrameTime,
    frame: &'a Video,
    orientation: u8,
}

impl FootageFrame<'_> {
    /// The picture for the encoder.
    pub(crate) fn picture(&self, maker: &mut PictureMaker) -> Result<Picture, ffmpeg::Error> {
        maker.picture(self.frame, self.orientation)
    }
}

/// Reads a video to its end, or to where `visit` breaks, and hands over each frame that can be used.
///
/// # Errors
/// A file of which no frame can be used, or whose frames cannot be delivered rightly.
pub fn read_footage(
    path: &Path,
    visit: impl FnMut(FootageFrame<'_>) -> ControlFlow<()>,
) -> Result<Footage, VideoFault> {
    Reader::open(path)?.read(visit)
}

/// The upright pixels of one frame of a video.
///
/// # Errors
/// As [`read_footage`]; and when the video has no such frame.
pub fn footage_image(path: &Path, number: u64) -> Result<RgbImage, VideoFault> {
    let undecodable = |detail: String| VideoFault::Undecodable { detail };
    let mut image = None;
    read_footage(path, |frame| {
        if frame.time.number < number {
            return ControlFlow::Continue(());
        }
        if frame.time.number == number {
            image = Some(PictureMaker::default().image(frame.frame, frame.orientation));
        }
        ControlFlow::Break(())
    })?;
    let image = image.ok_or_else(|| undecodable(format!("it has no frame {number}")))?;
    image.map_err(|error| undecodable(error.to_string()))
}

/// An open file and what was read of it.
struct Reader {
    path: PathBuf,
    container: Container,
    input: Input,
    decoder: ffmpeg::decoder::Video,
    stream: usize,
    time_base: ffmpeg::Rational,
    /// Orientation that the container states.
    orientation: Option<u8>,
    continuity: Continuity,
    /// Whether the last packet is one that the decoder may fail on.
    is_blind: bool,
    /// Times of the packets whose frames are still to come, where the container has no others; see [`Reader::ticks_of`].
    packet_times: Option<VecDeque<i64>>,
    first_time: Option<i64>,
    last_time: i64,
    decoded: u64,
    footage: Footage,
}

/// What one step of reading gave.
enum Step {
    Packet,
    End,
    /// The next packet cannot be used, those before it can.
    Stop(String),
    Damage(String),
}

impl Reader {
    fn open(path: &Path) -> Result<Self, VideoFault> {
        library::initialize();
        let container = Container::of_file(path)?;
        let undecodable = |error: ffmpeg::Error| VideoFault::Undecodable { detail: error.to_string() };
        let input = open_input(path, container, &[]).map_err(|error| container.broken(path, error))?;
        let stream = footage_stream::filmed(&input).ok_or_else(|| container.broken(path, VideoFault::NoVideoStream))?;
        let (index, time_base, listed) = (stream.index(), stream.time_base(), stream.frames());
        let orientation = footage_stream::stated_orientation(&stream)?;
        let movie = container.movie(path);
        let number = u32::try_from(stream.id()).ok();
        let track = Track::all(&movie).find(|track| number.is_some() && track.number() == number);
        footage_stream::check_pixel_shape(track)?;
        let continuity = Continuity::new(path, container, stream.parameters().id(), track);
        let decoder = strict_decoder(stream.parameters(), time_base).map_err(undecodable)?;
        let codec = decoder.codec().map_or_else(|| "unknown".to_owned(), |codec| codec.name().to_owned());
        let footage = Footage {
            codec,
            pixel_format: String::new(),
            width: 0,
            height: 0,
            exif_orientation: 1,
            frames: Vec::new(),
            untimed: Vec::new(),
            damage: None,
            listed_frames: u64::try_from(listed).ok().filter(|listed| *listed > 0),
            stored_frames: 0,
            mean_fps: None,
        };
        Ok(Self {
            path: path.to_owned(),
            container,
            input,
            decoder,
            stream: index,
            time_base,
            orientation,
            continuity,
            is_blind: false,
            packet_times: (container == Container::Avi).then(VecDeque::new),
            first_time: None,
            last_time: 0,
            decoded: 0,
            footage,
        })
    }

    fn read(mut self, mut visit: impl FnMut(FootageFrame<'_>) -> ControlFlow<()>) -> Result<Footage, VideoFault> {
        loop {
            let step = self.send_next_packet();
            if let Step::Damage(detail) = step {
                return self.damaged(detail);
            }
            match (self.take_frames(&mut visit)?, step) {
                (ControlFlow::Break(()), _) => return Ok(self.footage),
                (ControlFlow::Continue(Some(detail)), _) | (_, Step::Stop(detail)) => return self.damaged(detail),
                (_, Step::End) => return self.complete(),
                _ => {}
            }
        }
    }

    fn send_next_packet(&mut self) -> Step {
        let mut packet = ffmpeg::Packet::empty();
        loop {
            match packet.read(&mut self.input) {
                Ok(()) if packet.stream() != self.stream => {}
                // An empty packet shows the frame before once more; a decoder would take it for the end.
                Ok(()) if packet.size() == 0 => {
                    let listed = &mut self.footage.listed_frames;
                    *listed = listed.map(|frames| frames.saturating_sub(1));
                }
                Ok(()) => {
                    self.footage.stored_frames += 1;
                    if packet.is_corrupt() {
                        return self.end_decoding(Step::Stop("a frame is cut off".into()));
                    }
                    let verdict = self.continuity.packet(&packet);
                    self.is_blind = verdict == Verdict::Blind;
                    match (verdict, &mut self.packet_times) {
                        (Verdict::Shown, Some(times)) => times.extend(packet.dts()),
                        (Verdict::Shown | Verdict::Hidden | Verdict::Blind, _) => {}
                        (Verdict::Unusable, _) => continue,
                        (Verdict::Missing(detail), _) => return self.end_decoding(Step::Stop(detail)),
                    }
                    return match self.decoder.send_packet(&packet) {
                        Err(error) if !self.is_blind => Step::Damage(error.to_string()),
                        _ => Step::Packet,
                    };
                }
                Err(ffmpeg::Error::Eof) => return self.end_decoding(Step::End),
                Err(error) => return self.end_decoding(Step::Stop(error.to_string())),
            }
        }
    }

    /// Makes the decoder give the frames that it still holds.
    fn end_decoding(&mut self, step: Step) -> Step {
        self.is_blind = false;
        match self.decoder.send_eof() {
            Ok(()) => step,
            Err(error) => Step::Damage(error.to_string()),
        }
    }

    /// Hands over the frames that are ready. Broken off by the visitor, or continued with the damage that was met.
    fn take_frames(
        &mut self,
        visit: &mut impl FnMut(FootageFrame<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<(), Option<String>>, VideoFault> {
        let mut frame = Video::empty();
        loop {
            match self.decoder.receive_frame(&mut frame) {
                Ok(()) if frame.is_corrupt() || frame.has_decode_errors() => {
                    return Ok(ControlFlow::Continue(Some("the decoder had to conceal errors".into())));
                }
                Ok(()) => {
                    let missing = self.continuity.frame(&frame);
                    if let Some(detail) = self.check_frame(&frame)?.or(missing) {
                        return Ok(ControlFlow::Continue(Some(detail)));
                    }
                    let number = self.decoded;
                    self.decoded += 1;
                    let Some(time_us) = self.time_of(&frame) else {
                        self.footage.untimed.push(number);
                        continue;
                    };
                    let time = FrameTime { number, time_us };
                    self.footage.frames.push(time);
                    let orientation = self.footage.exif_orientation;
                    if visit(FootageFrame { time, frame: &frame, orientation }).is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                Err(ffmpeg::Error::Eof | ffmpeg::Error::Other { errno: libc::EAGAIN }) => {
                    return Ok(ControlFlow::Continue(None));
                }
                Err(_) if self.is_blind => return Ok(ControlFlow::Continue(None)),
                Err(error) => return Ok(ControlFlow::Continue(Some(error.to_string()))),
            }
        }
    }

    /// Judges a frame; the first one fixes size and orientation. A frame of another size ends the video, which is told.
    fn check_frame(&mut self, frame: &Video) -> Result<Option<String>, VideoFault> {
        footage_picture::check(frame, self.decoded)?;
        let (width, height) = (frame.width(), frame.height());
        if self.decoded == 0 {
            if width == 0 || height == 0 || u64::from(width) * u64::from(height) > MAX_PIXELS {
                return Err(VideoFault::TooLarge { width, height, limit: MAX_PIXELS });
            }
            let orientation = self.orientation.map_or_else(|| footage_stream::orientation_of_frame(frame), Ok)?;
            let footage = &mut self.footage;
            footage.pixel_format = frame.format().descriptor().map_or("unknown", |format| format.name()).to_owned();
            footage.exif_orientation = orientation;
            (footage.width, footage.height) = display::turned_size((width, height), orientation);
        }
        let (first_width, first_height) = (self.footage.width, self.footage.height);
        let here = display::turned_size((width, height), self.footage.exif_orientation);
        let changed = here != (first_width, first_height);
        Ok(changed.then(|| format!("from here on it is {}x{} instead of {first_width}x{first_height}", here.0, here.1)))
    }

    /// When a frame is shown, in units of the file. AVI knows the order of packets only, each of which lasts as long as a
    /// frame: their times, in order, are those of the frames, which B-frames put into another order.
    fn ticks_of(&mut self, frame: &Video) -> Option<i64> {
        match &mut self.packet_times {
            Some(times) => times.pop_front(),
            None => frame.timestamp(),
        }
    }

    /// Microseconds from the first frame; null when the frame has no time, or one that is not later than the last one.
    fn time_of(&mut self, frame: &Video) -> Option<i64> {
        let ticks = self.ticks_of(frame)?;
        let first = *self.first_time.get_or_insert(ticks);
        let (num, den) = (i128::from(self.time_base.numerator()), i128::from(self.time_base.denominator().max(1)));
        let time = (i128::from(ticks) - i128::from(first)) * num * 1_000_000;
        let time_us = i64::try_from((2 * time + den).div_euclid(2 * den)).ok()?;
        let later = self.footage.frames.last().is_none_or(|last| last.time_us < time_us);
        later.then(|| {
            self.last_time = ticks;
            time_us
        })
    }

    fn damaged(mut self, detail: String) -> Result<Footage, VideoFault> {
        if self.decoded == 0 {
            return Err(VideoFault::Undecodable { detail });
        }
        self.footage.stored_frames += footage_stream::count_packets(&mut self.input, self.stream);
        let lost = self.footage.stored_frames.saturating_sub(self.decoded).max(1);
        self.footage.damage = Some(Damage { lost, detail });
        self.finished()
    }

    fn complete(self) -> Result<Footage, VideoFault> {
        if self.decoded == 0 {
            return Err(VideoFault::Undecodable { detail: "no frame decodes".into() });
        }
        if let Some(detail) = self.continuity.end() {
            return self.damaged(detail);
        }
        if self.container.is_cut_off(&self.path) {
            return self.damaged("the file ends before its container does".into());
        }
        if self.packet_times.as_ref().is_some_and(|times| !times.is_empty()) {
            let stored = self.footage.stored_frames;
            let detail =
                format!("{} of {stored} frames decode, and AVI does not tell which: times are lost", self.decoded);
            return Err(VideoFault::Undecodable { detail });
        }
        self.finished()
    }

    fn finished(mut self) -> Result<Footage, VideoFault> {
        let left_out = self.left_out_by_edits();
        let footage = &mut self.footage;
        footage.listed_frames = footage.listed_frames.map(|frames| frames.saturating_sub(left_out));
        if footage.frames.is_empty() {
            return Err(VideoFault::Undecodable { detail: "none of its frames has a time".into() });
        }
        let ticks = i128::from(self.last_time) - i128::from(self.first_time.unwrap_or(self.last_time));
        let (num, den) = (f64::from(self.time_base.numerator()), f64::from(self.time_base.denominator()));
        footage.mean_fps = (ticks > 0).then(|| (footage.frames.len() - 1) as f64 * den / (num * ticks as f64));
        Ok(self.footage)
    }

    /// Frames that an MP4 holds and lists, and FFmpeg does not give because of an edit list. They are counted only where fewer
    /// are given than listed.
    fn left_out_by_edits(&self) -> u64 {
        let stored = self.footage.stored_frames;
        if self.container != Container::Mov || self.footage.listed_frames.is_none_or(|listed| listed <= stored) {
            return 0;
        }
        let unedited = open_input(&self.path, self.container, &[("ignore_editlist", "1")]);
        unedited.map_or(0, |mut input| footage_stream::count_packets(&mut input, self.stream).saturating_sub(stored))
    }
}

/// Opens a file with the reader of its container and no other.
fn open_input(path: &Path, container: Container, options: &[(&str, &str)]) -> Result<Input, VideoFault> {
    let url = file_url(path).map_err(|error| VideoFault::Unreadable { problem: error.to_string() })?;
    let own = [("format_whitelist", container.demuxer()), ("protocol_whitelist", "file")];
    let mut all = ffmpeg::Dictionary::new();
    own.iter().chain(options).for_each(|(name, value)| all.set(name, value));
    let input = ffmpeg::format::input_with_dictionary(&url, all);
    input.map_err(|error| VideoFault::Undecodable { detail: error.to_string() })
}
