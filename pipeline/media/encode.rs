//! Image sequences, and frames of other videos, to H.264 in MP4.
//!
//! The same images and settings give the same bytes on every run and every machine with the same libraries
//! ([`crate::LibraryInfo::build_id`]). What that takes: constant rate factor without a rate limit, no B-frames, no
//! scene-cut keyframes, one x264 thread per video (its decisions may depend on the number of threads; videos run in
//! parallel instead), decisions independent of the processor's instruction set, no texts that name versions or
//! settings, no creation time.
//!
//! Every group of pictures is closed and has the same length, so that clips can later be cut without re-encoding.

use crate::frame_decoder::{FrameDecoder, Picture};
use crate::muxer::VideoWriter;
use crate::{ImageFault, MediaError, library};
use ffmpeg_next as ffmpeg;
use std::io;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Decoded pictures that may wait for the encoder: bounds the memory (3 MB per picture at 1080p).
const WAITING_PICTURES: usize = 3;

/// Decisions that must not depend on the machine, and chroma samples where JPEG has them: between the luma samples.
const X264_PARAMETERS: &str = "scenecut=0:open-gop=0:threads=1:cpu-independent=1:chromaloc=1";

/// For single frames that others, which are coded already, will be predicted from: the parameter sets stay the same.
const FOUR_TIMES_THE_RATE: &str = ":zones=0,99,b=4";

/// A playback rate as an exact fraction of frames per second, in lowest terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameRate {
    num: u32,
    den: u32,
}

impl FrameRate {
    /// `num / den` frames per second; refused unless it lies between 1/1000 and 1000 and both numbers below 2^20.
    pub fn new(num: u32, den: u32) -> Result<Self, MediaError> {
        let limit = 1 << 20;
        let (wide_num, wide_den) = (u64::from(num), u64::from(den));
        if num == 0
            || den == 0
            || num > limit
            || den > limit
            || wide_num > 1000 * wide_den
            || wide_den > 1000 * wide_num
        {
            let hint = "give a fraction between 1/1000 and 1000 frames per second, such as 15/1 or 30000/1001";
            return Err(MediaError::Setting { name: "fps", value: format!("{num}/{den}"), hint });
        }
        let divisor = greatest_common_divisor(num, den);
        Ok(Self { num: num / divisor, den: den / divisor })
    }

    /// Numerator.
    pub fn num(self) -> u32 {
        self.num
    }

    /// Denominator.
    pub fn den(self) -> u32 {
        self.den
    }

    /// Time units per second of a video at this rate: `num` times the power of two that brings it to 10 000 or more.
    pub fn timescale(self) -> u32 {
        let mut timescale = self.num;
        while timescale < 10_000 {
            timescale *= 2;
        }
        timescale
    }

    /// Time units per frame, exactly.
    pub fn ticks_per_frame(self) -> u32 {
        self.timescale() / self.num * self.den
    }
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// Trade-off of x264 between speed and size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// Fastest, largest.
    Ultrafast,
    /// See x264.
    Superfast,
    /// The default: near the knee of the curve.
    #[default]
    Veryfast,
    /// See x264.
    Faster,
    /// See x264.
    Fast,
    /// x264's own default.
    Medium,
    /// See x264.
    Slow,
    /// See x264.
    Slower,
    /// Slowest, smallest.
    Veryslow,
}

impl Preset {
    /// Every preset, fastest first.
    pub const ALL: [Self; 9] = [
        Self::Ultrafast,
        Self::Superfast,
        Self::Veryfast,
        Self::Faster,
        Self::Fast,
        Self::Medium,
        Self::Slow,
        Self::Slower,
        Self::Veryslow,
    ];

    /// The name that x264 and the config use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ultrafast => "ultrafast",
            Self::Superfast => "superfast",
            Self::Veryfast => "veryfast",
            Self::Faster => "faster",
            Self::Fast => "fast",
            Self::Medium => "medium",
            Self::Slow => "slow",
            Self::Slower => "slower",
            Self::Veryslow => "veryslow",
        }
    }
}

/// How a video is encoded. Every field changes the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncodeSettings {
    /// Playback rate.
    pub fps: FrameRate,
    /// Length of a closed group of pictures in frames, at least 1.
    pub gop_frames: u32,
    /// Constant rate factor, 1 (best) to 51.
    pub crf: u8,
    /// Speed against size.
    pub preset: Preset,
}

impl Default for EncodeSettings {
    fn default() -> Self {
        Self { fps: FrameRate { num: 15, den: 1 }, gop_frames: 15, crf: 23, preset: Preset::Veryfast }
    }
}

/// One frame of an encoded video.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncodedFrame {
    /// Presentation time in units of 1/`timescale` seconds.
    pub pts: i64,
    /// Position of its image in the caller's sequence, from 0.
    pub source_index: usize,
}

/// An image that is not in the video.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedFrame {
    /// Position of the image in the caller's sequence, from 0.
    pub source_index: usize,
    /// Why.
    pub fault: ImageFault,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedVideo {
    /// Width in pixels: that of the images, plus one repeated column where it was odd.
    pub width: u32,
    /// Height in pixels: that of the images, plus one repeated row where it was odd.
    pub height: u32,
    /// Time units per second.
    pub timescale: u32,
    /// The frames in order.
    pub frames: Vec<EncodedFrame>,
    /// The images that could not be decoded, in order.
    pub skipped: Vec<SkippedFrame>,
}

impl EncodedVideo {
    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        self.frames.len()
    }
}

/// Encodes images, taken one by one, as H.264 into an MP4 file at `out`, which is replaced if it exists.
///
/// `images` yields the encoded bytes of one image at a time, e.g. `paths.iter().map(std::fs::read)`; it runs on a
/// second thread, a few images ahead of the encoder, so the memory does not grow with their number. An image that
/// cannot be decoded completely is left out and reported in [`EncodedVideo::skipped`].
///
/// # Errors
/// An error from `images`, an image of another size than the first one, no decodable image at all, or a failed write.
/// The file at `out` is then incomplete or absent and must not be used.
pub fn encode_video<I, B>(images: I, settings: &EncodeSettings, out: &Path) -> Result<EncodedVideo, MediaError>
where
    I: IntoIterator<Item = io::Result<B>>,
    I::IntoIter: Send,
    B: AsRef<[u8]>,
{
    library::initialize();
    settings.check()?;
    let images = images.into_iter();
    encode_beside(|sender| decode_all(images, &sender), settings, out)
}

/// Encodes what `decode` sends, which runs on a second thread, a few pictures ahead.
pub(crate) fn encode_beside(
    decode: impl FnOnce(SyncSender<Decoded>) + Send,
    settings: &EncodeSettings,
    out: &Path,
) -> Result<EncodedVideo, MediaError> {
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(WAITING_PICTURES);
        scope.spawn(move || decode(sender));
        encode_all(&receiver, settings, out)
    })
}

impl EncodeSettings {
    pub(crate) fn check(&self) -> Result<(), MediaError> {
        if !(1..=1000).contains(&self.gop_frames) {
            let value = self.gop_frames.to_string();
            return Err(MediaError::Setting { name: "gop_frames", value, hint: "give 1 to 1000 frames" });
        }
        if !(1..=51).contains(&self.crf) {
            let value = self.crf.to_string();
            return Err(MediaError::Setting { name: "crf", value, hint: "give 1 (best) to 51" });
        }
        Ok(())
    }
}

/// What became of one image, or frame of a video.
pub(crate) type Decoded = (usize, io::Result<Result<Picture, ImageFault>>);

/// Stops at the first image that cannot be loaded, and when the encoder has gone.
fn decode_all<B: AsRef<[u8]>>(images: impl Iterator<Item = io::Result<B>>, sender: &SyncSender<Decoded>) {
    let mut decoder = FrameDecoder::new();
    for (index, bytes) in images.enumerate() {
        let decoded = bytes.map(|bytes| decoder.decode(bytes.as_ref()));
        let failed = decoded.is_err();
        if sender.send((index, decoded)).is_err() || failed {
            return;
        }
    }
}

fn encode_all(receiver: &Receiver<Decoded>, settings: &EncodeSettings, out: &Path) -> Result<EncodedVideo, MediaError> {
    let (mut writer, mut delivered) = (None, (0, 0));
    let mut video = EncodedVideo {
        width: 0,
        height: 0,
        timescale: settings.fps.timescale(),
        frames: Vec::new(),
        skipped: Vec::new(),
    };
    for (index, decoded) in receiver {
        let mut picture = match decoded.map_err(|source| MediaError::Load { index, source })? {
            Ok(picture) => picture,
            Err(fault) => {
                video.skipped.push(SkippedFrame { source_index: index, fault });
                continue;
            }
        };
        let open_writer = match &mut writer {
            Some(open_writer) => open_writer,
            None => {
                delivered = picture.delivered;
                (video.width, video.height) = (picture.frame.width(), picture.frame.height());
                writer.insert(VideoWriter::create(out, video.width, video.height, settings)?)
            }
        };
        check_same_size(index, picture.delivered, delivered)?;
        open_writer.write(&mut picture.frame)?;
        let pts = video.frames.len() as i64 * i64::from(settings.fps.ticks_per_frame());
        video.frames.push(EncodedFrame { pts, source_index: index });
    }
    match writer {
        Some(writer) => writer.finish()?,
        None => {
            let first = video.skipped.first().map(|skipped| skipped.fault.clone());
            return Err(MediaError::NoFrames { skipped: video.skipped.len(), first });
        }
    }
    Ok(video)
}

fn check_same_size(index: usize, (width, height): (u32, u32), expected: (u32, u32)) -> Result<(), MediaError> {
    let (expected_width, expected_height) = expected;
    if (width, height) == expected {
        return Ok(());
    }
    Err(MediaError::SizeChanged { index, width, height, expected_width, expected_height })
}

/// Where parameter sets stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Headers {
    /// Once, in the header of the file.
    InFile,
    /// Before each keyframe, among its packet's bytes: for frames that are put among others, which are encoded finely.
    InPackets,
}

/// Opens libx264 with the settings that make its output reproducible.
pub(crate) fn open_encoder(
    width: u32,
    height: u32,
    settings: &EncodeSettings,
    headers: Headers,
) -> Result<ffmpeg::encoder::Video, MediaError> {
    let failed = |error: ffmpeg::Error| MediaError::Encoder { width, height, detail: error.to_string() };
    let codec = ffmpeg::encoder::find_by_name("libx264").ok_or(MediaError::EncoderMissing)?;
    let (num, den) = (settings.fps.num as i32, settings.fps.den as i32);
    let mut context = ffmpeg::codec::Context::new_with_codec(codec);
    let mut flags = ffmpeg::codec::Flags::CLOSED_GOP | ffmpeg::codec::Flags::BITEXACT;
    flags.set(ffmpeg::codec::Flags::GLOBAL_HEADER, headers == Headers::InFile);
    context.set_flags(flags);
    context.set_time_base(ffmpeg::Rational(den, num));
    context.set_frame_rate(Some(ffmpeg::Rational(num, den)));
    let mut encoder = context.encoder().video().map_err(failed)?;
    encoder.set_width(width);
    encoder.set_height(height);
    encoder.set_format(ffmpeg::format::Pixel::YUV420P);
    encoder.set_gop(settings.gop_frames);
    encoder.set_max_b_frames(0);
    encoder.set_colorspace(ffmpeg::color::Space::BT470BG);
    encoder.set_color_range(ffmpeg::color::Range::MPEG);
    let mut options = ffmpeg::Dictionary::new();
    options.set("preset", settings.preset.as_str());
    options.set("crf", &settings.crf.to_string());
    let rate = if headers == Headers::InPackets { FOUR_TIMES_THE_RATE } else { "" };
    options.set("x264-params", &format!("{X264_PARAMETERS}{rate}"));
    encoder.open_with(options).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_units_divide_every_frame_exactly() {
        let cases = [
            ((15, 1), (15_360, 1024)),
            ((30_000, 1001), (30_000, 1001)),
            ((25, 1), (12_800, 512)),
            ((1, 2), (16_384, 32_768)),
            ((30, 2), (15_360, 1024)),
        ];
        for ((num, den), (timescale, ticks)) in cases {
            let fps = FrameRate::new(num, den).unwrap();
            assert_eq!((fps.timescale(), fps.ticks_per_frame()), (timescale, ticks), "{num}/{den}");
        }
    }

    #[test]
    fn senseless_settings_are_refused() {
        for (num, den) in [(0, 1), (15, 0), (1_000_000, 1), (1, 5000), (u32::MAX, u32::MAX)] {
            assert!(matches!(FrameRate::new(num, den), Err(MediaError::Setting { name: "fps", .. })), "{num}/{den}");
        }
        let out = Path::new("never-written.mp4");
        let none = || std::iter::empty::<io::Result<Vec<u8>>>();
        for settings in [
            EncodeSettings { gop_frames: 0, ..Default::default() },
            EncodeSettings { crf: 52, ..Default::default() },
            EncodeSettings { crf: 0, ..Default::default() },
        ] {
            assert!(matches!(encode_video(none(), &settings, out), Err(MediaError::Setting { .. })));
        }
        let result = encode_video(none(), &EncodeSettings::default(), out);
        assert!(matches!(result, Err(MediaError::NoFrames { skipped: 0, first: None })));
        assert!(!out.exists());
    }
}
