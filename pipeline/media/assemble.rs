//! Videos put together from parts of others: cut, permuted, repeated, one after the other.
//!
//! Packets are copied, never decoded, as far as a part begins with a keyframe: our videos have closed groups of pictures
//! and no B-frames, so a part may *end* anywhere. Where it begins inside a group, the frames up to the next keyframe are
//! encoded again with the settings of the video ("smart cut"), and the rest is copied; so is a group of one frame that would
//! be left at either end, with its neighbour. The result has one set of decoder parameters and a constant frame rate, and
//! conforms to H.264.

use crate::avc_config::AvcConfig;
use crate::encode::{EncodeSettings, FrameRate, Headers, open_encoder};
use crate::inspect::strict_decoder;
use crate::muxer::{Mp4Writer, file_url, with_data};
use crate::{MediaError, library, nal};
use ffmpeg_next as ffmpeg;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Fewest frames of a part, and of a group in the result: two keyframes in a row would need different numbers in their
/// headers, which copied packets need not have (`idr_pic_id`, ITU-T H.264, 7.4.3).
pub const MIN_PART_FRAMES: usize = 2;

const READ: &str = "read video";

/// Consecutive frames of a video that [`crate::encode_video`] made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The video.
    pub video: PathBuf,
    /// Position of the first frame in it, from 0.
    pub first_frame: usize,
    /// Number of frames, at least [`MIN_PART_FRAMES`].
    pub frame_count: usize,
    /// How the video was encoded: frames that must be encoded again are encoded so.
    pub settings: EncodeSettings,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembled {
    /// Number of frames of each part that were encoded again; the others were copied.
    pub encoded_again: Vec<usize>,
}

/// Writes the frames of some parts, in this order, to an MP4 file at `out`, which is replaced if it exists. All videos must
/// have one rate and one set of decoder parameters (size, settings).
///
/// # Errors
/// [`MediaError::Unlike`] when the videos do not fit together, several parts are to be joined whose groups have one frame, or
/// a part goes beyond the end of its video; a damaged file, or a failed write. The file at `out` is then incomplete or absent
/// and must not be used.
pub fn assemble(parts: &[Part], out: &Path) -> Result<Assembled, MediaError> {
    library::initialize();
    let first = parts.first().ok_or(MediaError::NoFrames { skipped: 0, first: None })?;
    let mut sources: BTreeMap<&Path, Source> = BTreeMap::new();
    for part in parts {
        if !sources.contains_key(part.video.as_path()) {
            sources.insert(&part.video, Source::open(part)?);
        }
    }
    let leading = &sources[first.video.as_path()];
    for (source, part) in parts.iter().map(|part| (&sources[part.video.as_path()], part)) {
        leading.check_like(source, part)?;
    }
    if parts.len() > 1 && parts.iter().any(|part| part.settings.gop_frames < 2) {
        let detail = "its groups have one frame, so that keyframes would meet at joins".to_owned();
        return Err(MediaError::Unlike { path: leading.path.clone(), detail });
    }
    let mut file = Mp4Writer::create(out, first.settings.fps, leading.parameters()?)?;
    let mut encoded_again = Vec::new();
    for part in parts {
        let Some(source) = sources.get_mut(part.video.as_path()) else { continue };
        encoded_again.push(source.append(part, &mut file)?);
    }
    file.finish()?;
    Ok(Assembled { encoded_again })
}

/// Frames of a part that are treated alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    first: usize,
    /// The frame behind the last one.
    end: usize,
    encoded: bool,
}

/// The runs of a part: what is before its first keyframe is encoded again, then groups are copied. A group of one frame at
/// either end is encoded together with its neighbour, see [`MIN_PART_FRAMES`]. (In videos of keyframes only, all is copied:
/// there the numbers alternate from frame to frame, so that they hold within a part; see [`assemble`] for joins.)
fn runs(part: &Part) -> Vec<Run> {
    let group = part.settings.gop_frames.max(1) as usize;
    let (first, end) = (part.first_frame, part.first_frame + part.frame_count);
    if group == 1 {
        return vec![Run { first, end, encoded: false }];
    }
    let keyframe = first.next_multiple_of(group);
    let head_end = match keyframe - first {
        0 => first,
        1 => keyframe + group,
        _ => keyframe,
    };
    let last_keyframe = (end - 1) / group * group;
    let tail = if last_keyframe > first && end - last_keyframe == 1 { last_keyframe - group } else { end };
    if head_end >= tail.min(end) {
        return vec![Run { first, end, encoded: true }];
    }
    let runs = [(first, head_end, true), (head_end, tail, false), (tail, end, true)];
    let runs = runs.map(|(first, end, encoded)| Run { first, end, encoded });
    runs.into_iter().filter(|run| run.first < run.end).collect()
}

/// A video that packets are taken out of.
struct Source {
    input: ffmpeg::format::context::Input,
    path: PathBuf,
    stream_index: usize,
    fps: FrameRate,
    config: AvcConfig,
    width: u32,
    height: u32,
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
        let input = ffmpeg::format::input(&file_url(path)?).map_err(failed)?;
        let stream = input.streams().best(ffmpeg::media::Type::Video);
        let stream = stream.ok_or_else(|| MediaError::NoVideoStream { path: path.to_path_buf() })?;
        if stream.time_base() != ffmpeg::Rational(1, fps.timescale() as i32) {
            let detail = format!("its unit of time is {} s, expected 1/{} s", stream.time_base(), fps.timescale());
            return Err(MediaError::Unlike { path: path.to_path_buf(), detail });
        }
        let context = ffmpeg::codec::Context::from_parameters(stream.parameters()).map_err(failed)?;
        let decoder = context.decoder().video().map_err(failed)?;
        let (stream_index, width, height) = (stream.index(), decoder.width(), decoder.height());
        Ok(Self { input, path: path.to_path_buf(), stream_index, fps, config, width, height, due: None })
    }

    fn parameters(&self) -> Result<ffmpeg::codec::Parameters, MediaError> {
        let stream = self.input.stream(self.stream_index);
        stream.map(|stream| stream.parameters()).ok_or_else(|| MediaError::NoVideoStream { path: self.path.clone() })
    }

    /// Refuses a source whose packets cannot follow those of this one.
    fn check_like(&self, other: &Self, part: &Part) -> Result<(), MediaError> {
        let unlike = |detail: &str| Err(MediaError::Unlike { path: other.path.clone(), detail: detail.to_owned() });
        if part.frame_count < MIN_PART_FRAMES {
            return unlike("a part has fewer than two frames");
        }
        if (self.width, self.height) != (other.width, other.height) {
            return unlike(&format!("{}x{} after {}x{}", other.width, other.height, self.width, self.height));
        }
        if self.fps != other.fps || self.fps != part.settings.fps {
            return unlike("its frame rate is another one");
        }
        if self.config != other.config {
            return unlike("it was encoded with other settings");
        }
        Ok(())
    }

    /// Writes the frames of a part; returns how many of them were encoded again.
    fn append(&mut self, part: &Part, file: &mut Mp4Writer) -> Result<usize, MediaError> {
        let mut encoded_again = 0;
        for run in runs(part) {
            match run.encoded {
                true => encoded_again += self.encode(part, &run, file)?,
                false => self.copy(&run, file)?,
            }
        }
        Ok(encoded_again)
    }

    fn encode(&mut self, part: &Part, run: &Run, file: &mut Mp4Writer) -> Result<usize, MediaError> {
        self.seek(run.first)?;
        let mut next = self.next(run.end)?;
        let mut group = Group::open(self, part, run.first, next.frame)?;
        loop {
            group.send(&next.packet)?;
            if next.frame + 1 == run.end {
                return group.finish(file);
            }
            next = self.next(run.end)?;
        }
    }

    fn copy(&mut self, run: &Run, file: &mut Mp4Writer) -> Result<(), MediaError> {
        self.seek(run.first)?;
        for frame in run.first..run.end {
            let next = self.next(run.end)?;
            if next.frame != frame || (frame == run.first && !next.packet.is_key()) {
                let detail =
                    format!("frame {} is no keyframe: its groups have another length than its row says", run.first);
                return Err(MediaError::Unlike { path: self.path.clone(), detail });
            }
            file.write(next.packet)?;
        }
        Ok(())
    }

    /// Goes to the last keyframe at or before a frame.
    fn seek(&mut self, frame: usize) -> Result<(), MediaError> {
        // In microseconds, a quarter of a frame late, so that rounding cannot lead to the keyframe before.
        let quarters = (4 * frame as i64 + 1) * i64::from(self.fps.den());
        let microseconds = quarters * 250_000 / i64::from(self.fps.num());
        self.due = None;
        self.input.seek(microseconds, ..microseconds).map_err(|error| MediaError::ffmpeg(READ, &self.path, error))
    }

    /// The next packet of the stream; `end` is for the message when there is none.
    fn next(&mut self, end: usize) -> Result<Numbered, MediaError> {
        let ticks = i64::from(self.fps.ticks_per_frame());
        loop {
            let mut packet = ffmpeg::Packet::empty();
            match packet.read(&mut self.input) {
                Ok(()) if packet.stream() != self.stream_index => {}
                Ok(()) => {
                    let time =
                        packet.pts().filter(|&time| time >= 0 && time % ticks == 0 && packet.dts() == Some(time));
                    let Some(time) = time else {
                        let detail = format!("a packet has the time {:?}, no multiple of {ticks}", packet.pts());
                        return Err(MediaError::Unlike { path: self.path.clone(), detail });
                    };
                    let frame = (time / ticks) as usize;
                    if let Some(due) = self.due.filter(|&due| due != frame) {
                        let detail = format!("frame {due} is missing at {} frames per second", self.fps.num());
                        return Err(MediaError::Unlike { path: self.path.clone(), detail });
                    }
                    self.due = Some(frame + 1);
                    return Ok(Numbered { frame, packet });
                }
                Err(ffmpeg::Error::Eof) => {
                    let detail = format!("it ends before frame {}", end - 1);
                    return Err(MediaError::Unlike { path: self.path.clone(), detail });
                }
                Err(error) => return Err(MediaError::ffmpeg(READ, &self.path, error)),
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
        let failed = |error| MediaError::ffmpeg(READ, &source.path, error);
        let time_base = ffmpeg::Rational(1, source.fps.timescale() as i32);
        let decoder = strict_decoder(source.parameters()?, time_base).map_err(failed)?;
        // One group, however long: it may take a neighbour along.
        let settings = EncodeSettings { gop_frames: 2 * part.settings.gop_frames + 2, ..part.settings };
        let encoder = open_encoder(source.width, source.height, &settings, Headers::InPackets)?;
        Ok(Self {
            decoder,
            encoder,
            path: source.path.clone(),
            expected: source.config.parameter_sets.clone(),
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
    fn finish(mut self, file: &mut Mp4Writer) -> Result<usize, MediaError> {
        self.decoder.send_eof().map_err(|error| self.damaged(error))?;
        self.encode_decoded()?;
        self.encoder.send_eof().map_err(|error| self.damaged(error))?;
        self.take_packets()?;
        let count = self.packets.len();
        if count != self.next_decoded - self.first_frame {
            return Err(self.damaged("frames went missing while a cut was encoded"));
        }
        std::mem::take(&mut self.packets).into_iter().try_for_each(|packet| file.write(packet))?;
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
                        return Err(MediaError::Unlike { path: self.path.clone(), detail });
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
