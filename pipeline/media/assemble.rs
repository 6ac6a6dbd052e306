//! Videos put together from parts of others: cut, permuted, repeated, one after the other.
//!
//! Packets are copied, never decoded, as far as a part begins with a keyframe: our videos have closed groups of pictures
//! and no B-frames, so a part may *end* anywhere. Where it begins inside a group, its first frames are encoded again: as many
//! as a frame may be predicted from, which is one unless the preset is slower than the default. All others are copied. Up to
//! the next keyframe they are predicted from pictures that are not quite those of the video, so the first frames are encoded
//! finely: then every frame comes closer to the video than if all of them were encoded again with its settings.
//!
//! The result has one set of decoder parameters, a constant frame rate, and pictures that are numbered anew
//! ([`crate::numbering`]); it conforms to H.264.

use crate::avc_config::AvcConfig;
use crate::encode::{EncodeSettings, FrameRate, Headers, open_encoder};
use crate::inspect::strict_decoder;
use crate::muxer::{Mp4Writer, file_url, with_data};
use crate::numbering::Numbering;
use crate::slice_header::SliceSyntax;
use crate::{MediaError, library, nal};
use ffmpeg_next as ffmpeg;
use std::ops::Range;
use std::path::{Path, PathBuf};

const READ: &str = "read video";

/// Consecutive frames of a video that [`crate::encode_video`] made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The video.
    pub video: PathBuf,
    /// Position of the first frame in it, from 0.
    pub first_frame: usize,
    /// Number of frames, at least one.
    pub frame_count: usize,
    /// How the video was encoded: where its keyframes are, and what frames that are encoded again must fit.
    pub settings: EncodeSettings,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembled {
    /// Number of frames of each part that were encoded again; the packets of the others were copied.
    pub encoded_again: Vec<usize>,
}

/// Writes the frames of some parts, in this order, to an MP4 file at `out`, which is replaced if it exists. All videos must
/// have one rate and one set of decoder parameters (size, settings).
///
/// # Errors
/// [`MediaError::Unlike`] when the videos do not fit together, or a part goes beyond the end of its video; a damaged file, or
/// a failed write. The file at `out` is then incomplete or absent and must not be used.
pub fn assemble(parts: &[Part], out: &Path) -> Result<Assembled, MediaError> {
    library::initialize();
    let first = parts.first().ok_or(MediaError::NoFrames { skipped: 0, first: None })?;
    let mut source = Source::open(first)?;
    let leading = source.stream.clone();
    let mut joined = Joined::create(out, &source)?;
    let mut encoded_again = Vec::new();
    for part in parts {
        // One at a time is open, however many there are.
        if source.stream.path != part.video {
            source = Source::open(part)?;
        }
        leading.check_like(&source.stream, part)?;
        encoded_again.push(source.append(part, &mut joined)?);
    }
    joined.file.finish()?;
    Ok(Assembled { encoded_again })
}

/// The file that is written.
struct Joined {
    file: Mp4Writer,
    numbering: Numbering,
}

impl Joined {
    fn create(out: &Path, source: &Source) -> Result<Self, MediaError> {
        let file = Mp4Writer::create(out, source.stream.fps, source.parameters()?)?;
        Ok(Self { file, numbering: Numbering::new(source.syntax) })
    }

    /// Writes the packet of the next frame; `path` is the video that it is taken from.
    fn write(&mut self, packet: ffmpeg::Packet, path: &Path) -> Result<(), MediaError> {
        match self.numbering.renumbered(packet.data().unwrap_or_default()).map_err(|fault| unlike(path, fault))? {
            Some(data) => self.file.write(with_data(&packet, &data)),
            None => self.file.write(packet),
        }
    }
}

fn unlike(path: &Path, detail: impl Into<String>) -> MediaError {
    MediaError::Unlike { path: path.to_path_buf(), detail: detail.into() }
}

/// What packets that follow each other must have in common.
#[derive(Debug, Clone)]
struct StreamInfo {
    path: PathBuf,
    fps: FrameRate,
    config: AvcConfig,
    width: u32,
    height: u32,
}

impl StreamInfo {
    /// Refuses a video whose packets cannot follow those of this one.
    fn check_like(&self, other: &Self, part: &Part) -> Result<(), MediaError> {
        if part.frame_count == 0 {
            return Err(unlike(&other.path, "a part has no frames"));
        }
        if (self.width, self.height) != (other.width, other.height) {
            let detail = format!("{}x{} after {}x{}", other.width, other.height, self.width, self.height);
            return Err(unlike(&other.path, detail));
        }
        if self.fps != other.fps || self.fps != part.settings.fps {
            return Err(unlike(&other.path, "its frame rate is another one"));
        }
        if self.config != other.config {
            return Err(unlike(&other.path, "it was encoded with other settings"));
        }
        Ok(())
    }
}

/// A video that packets are taken out of.
struct Source {
    input: ffmpeg::format::context::Input,
    stream_index: usize,
    stream: StreamInfo,
    syntax: SliceSyntax,
    /// Frame that the next packet must have; null after a jump.
    due: Option<usize>,
}

/// A packet with the number of its frame.
struct Numbered {
    frame: usize,
    packet: ffmpeg::Packet,
}

impl Source {
    fn open(part: &Part) -> Result<Self, MediaError> {
        let (path, fps) = (part.video.as_path(), part.settings.fps);
        let failed = |error| MediaError::ffmpeg(READ, path, error);
        let config = AvcConfig::read(path)?;
        let syntax = SliceSyntax::of(&config.parameter_sets).map_err(|fault| unlike(path, fault))?;
        let input = ffmpeg::format::input(&file_url(path)?).map_err(failed)?;
        let stream = input.streams().best(ffmpeg::media::Type::Video);
        let stream = stream.ok_or_else(|| MediaError::NoVideoStream { path: path.to_path_buf() })?;
        if stream.time_base() != ffmpeg::Rational(1, fps.timescale() as i32) {
            let detail = format!("its unit of time is {} s, expected 1/{} s", stream.time_base(), fps.timescale());
            return Err(unlike(path, detail));
        }
        let context = ffmpeg::codec::Context::from_parameters(stream.parameters()).map_err(failed)?;
        let decoder = context.decoder().video().map_err(failed)?;
        let (stream_index, width, height) = (stream.index(), decoder.width(), decoder.height());
        let stream = StreamInfo { path: path.to_path_buf(), fps, config, width, height };
        Ok(Self { input, stream_index, stream, syntax, due: None })
    }

    fn path(&self) -> &Path {
        &self.stream.path
    }

    fn parameters(&self) -> Result<ffmpeg::codec::Parameters, MediaError> {
        let stream = self.input.stream(self.stream_index);
        stream.map(|stream| stream.parameters()).ok_or_else(|| MediaError::NoVideoStream { path: self.path().into() })
    }

    /// Writes the frames of a part; returns how many of them were encoded again.
    fn append(&mut self, part: &Part, joined: &mut Joined) -> Result<usize, MediaError> {
        let (first, end) = (part.first_frame, part.first_frame + part.frame_count);
        let keyframe = first.next_multiple_of(part.settings.gop_frames.max(1) as usize).min(end);
        let copied = keyframe.min(first + self.syntax.reference_frames as usize);
        self.seek(first)?;
        let encoded_again = if first < copied { self.encode(part, first..copied, joined)? } else { 0 };
        self.copy(copied..end, copied == keyframe, joined)?;
        Ok(encoded_again)
    }

    /// Encodes frames again that the next packets lead up to.
    fn encode(&mut self, part: &Part, frames: Range<usize>, joined: &mut Joined) -> Result<usize, MediaError> {
        let mut next = self.next(frames.end)?;
        let mut group = Group::open(self, part, frames.start, next.frame)?;
        while next.frame + 1 < frames.end {
            group.send(&next.packet)?;
            next = self.next(frames.end)?;
        }
        group.send(&next.packet)?;
        group.finish(joined)
    }

    /// Copies frames, of which the first one is that of the next packet. It must be a keyframe, unless all frames that it may
    /// be predicted from were written before it.
    fn copy(&mut self, frames: Range<usize>, needs_keyframe: bool, joined: &mut Joined) -> Result<(), MediaError> {
        for frame in frames.clone() {
            let next = self.next(frames.end)?;
            if next.frame != frame || (needs_keyframe && frame == frames.start && !next.packet.is_key()) {
                let detail =
                    format!("frame {} is no keyframe: its groups have another length than its row says", frames.start);
                return Err(unlike(self.path(), detail));
            }
            joined.write(next.packet, self.path())?;
        }
        Ok(())
    }

    /// Goes to the last keyframe at or before a frame.
    fn seek(&mut self, frame: usize) -> Result<(), MediaError> {
        // In microseconds, a quarter of a frame late, so that rounding cannot lead to the keyframe before.
        let quarters = (4 * frame as i64 + 1) * i64::from(self.stream.fps.den());
        let microseconds = quarters * 250_000 / i64::from(self.stream.fps.num());
        self.due = None;
        self.input
            .seek(microseconds, ..microseconds)
            .map_err(|error| MediaError::ffmpeg(READ, &self.stream.path, error))
    }

    /// The next packet of the stream; `end` is for the message when there is none.
    fn next(&mut self, end: usize) -> Result<Numbered, MediaError> {
        let ticks = i64::from(self.stream.fps.ticks_per_frame());
        loop {
            let mut packet = ffmpeg::Packet::empty();
            match packet.read(&mut self.input) {
                Ok(()) if packet.stream() != self.stream_index => {}
                Ok(()) => {
                    let time =
                        packet.pts().filter(|&time| time >= 0 && time % ticks == 0 && packet.dts() == Some(time));
                    let Some(time) = time else {
                        let detail = format!("a packet has the time {:?}, no multiple of {ticks}", packet.pts());
                        return Err(unlike(self.path(), detail));
                    };
                    let frame = (time / ticks) as usize;
                    if let Some(due) = self.due.filter(|&due| due != frame) {
                        let detail = format!("frame {due} is missing at {} frames per second", self.stream.fps.num());
                        return Err(unlike(self.path(), detail));
                    }
                    self.due = Some(frame + 1);
                    return Ok(Numbered { frame, packet });
                }
                Err(ffmpeg::Error::Eof) => {
                    return Err(unlike(self.path(), format!("it ends before frame {}", end - 1)));
                }
                Err(error) => return Err(MediaError::ffmpeg(READ, self.path(), error)),
            }
        }
    }
}

/// Frames that are encoded again, as a group of pictures of their own.
struct Group {
    decoder: ffmpeg::decoder::Video,
    encoder: ffmpeg::encoder::Video,
    path: PathBuf,
    /// Sequence and picture parameter sets that the copied packets need.
    expected: Vec<Vec<u8>>,
    first_frame: usize,
    /// Frame that the decoder gives next; it begins at the keyframe before the first one.
    next_decoded: usize,
    packets: Vec<ffmpeg::Packet>,
}

impl Group {
    fn open(source: &Source, part: &Part, first_frame: usize, next_decoded: usize) -> Result<Self, MediaError> {
        let failed = |error| MediaError::ffmpeg(READ, source.path(), error);
        let (width, height) = (source.stream.width, source.stream.height);
        let time_base = ffmpeg::Rational(1, source.stream.fps.timescale() as i32);
        let decoder = strict_decoder(source.parameters()?, time_base).map_err(failed)?;
        let encoder = open_encoder(width, height, &part.settings, Headers::InPackets)?;
        Ok(Self {
            decoder,
            encoder,
            path: source.path().to_path_buf(),
            expected: source.stream.config.parameter_sets.clone(),
            first_frame,
            next_decoded,
            packets: Vec::new(),
        })
    }

    fn send(&mut self, packet: &ffmpeg::Packet) -> Result<(), MediaError> {
        self.decoder.send_packet(packet).map_err(|error| self.damaged(error))?;
        self.encode_decoded()
    }

    /// Encodes what is left and writes the group; returns the number of its frames.
    fn finish(mut self, joined: &mut Joined) -> Result<usize, MediaError> {
        self.decoder.send_eof().map_err(|error| self.damaged(error))?;
        self.encode_decoded()?;
        self.encoder.send_eof().map_err(|error| self.damaged(error))?;
        self.take_packets()?;
        let count = self.packets.len();
        if count != self.next_decoded - self.first_frame {
            return Err(self.damaged("frames went missing while a cut was encoded"));
        }
        std::mem::take(&mut self.packets).into_iter().try_for_each(|packet| joined.write(packet, &self.path))?;
        Ok(count)
    }

    fn encode_decoded(&mut self) -> Result<(), MediaError> {
        let mut picture = ffmpeg::frame::Video::empty();
        loop {
            match self.decoder.receive_frame(&mut picture) {
                Ok(()) if picture.is_corrupt() || picture.has_decode_errors() => {
                    return Err(self.damaged("the decoder had to conceal errors"));
                }
                Ok(()) => {
                    if self.next_decoded >= self.first_frame {
                        picture.set_pts(Some((self.next_decoded - self.first_frame) as i64));
                        picture.set_kind(ffmpeg::picture::Type::None);
                        self.encoder.send_frame(&picture).map_err(|error| self.damaged(error))?;
                        self.take_packets()?;
                    }
                    self.next_decoded += 1;
                }
                Err(ffmpeg::Error::Eof | ffmpeg::Error::Other { errno: libc::EAGAIN }) => return Ok(()),
                Err(error) => return Err(self.damaged(error)),
            }
        }
    }

    fn take_packets(&mut self) -> Result<(), MediaError> {
        let mut packet = ffmpeg::Packet::empty();
        loop {
            match self.encoder.receive_packet(&mut packet) {
                Ok(()) => {
                    let converted = nal::length_prefixed(packet.data().unwrap_or_default());
                    if packet.is_key() && converted.parameter_sets != self.expected {
                        let detail = "its decoder parameters are not those of its settings".to_owned();
                        return Err(unlike(&self.path, detail));
                    }
                    self.packets.push(with_data(&packet, &converted.data));
                }
                Err(ffmpeg::Error::Eof | ffmpeg::Error::Other { errno: libc::EAGAIN }) => return Ok(()),
                Err(error) => return Err(self.damaged(error)),
            }
        }
    }

    fn damaged(&self, detail: impl ToString) -> MediaError {
        MediaError::Damaged { path: self.path.clone(), decoded_frames: self.next_decoded, detail: detail.to_string() }
    }
}
