//! The `[video]` section.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use uavgen_core::ConfigError;
use uavgen_media::{EncodeSettings, FrameRate, Preset};

/// How sequences are encoded. Every key changes the bytes of every video.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VideoConfig {
    /// Encode at all; without it, items refer to images only.
    pub enabled: bool,
    /// Playback rate of sequences of images in frames per second: a number, or a fraction such as "30000/1001". It says
    /// nothing about the rate at which the frames were taken, see `fps` of the source. Video files keep their own rate.
    #[schemars(extend("x-unit" = "1/s"))]
    pub fps: PlaybackRate,
    /// Length of a closed group of pictures: clips can be cut at its borders without encoding again.
    #[schemars(extend("x-unit" = "frame"))]
    pub gop_frames: u32,
    /// Constant rate factor of x264, 1 (best) to 51.
    pub crf: u8,
    /// Preset of x264, `ultrafast` to `veryslow`.
    #[schemars(with = "String")]
    pub preset: Preset,
}

impl Default for VideoConfig {
    fn default() -> Self {
        let EncodeSettings { fps, gop_frames, crf, preset } = EncodeSettings::default();
        Self { enabled: true, fps: PlaybackRate(fps), gop_frames, crf, preset }
    }
}

impl VideoConfig {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        if !(1..=1000).contains(&self.gop_frames) {
            let message = format!("{} is not between 1 and 1000 frames", self.gop_frames);
            return Err(ConfigError::new(&["gop_frames"], message).with_hint("15 is one second at the default rate"));
        }
        if !(1..=51).contains(&self.crf) {
            let message = format!("{} is not between 1 and 51", self.crf);
            return Err(
                ConfigError::new(&["crf"], message).with_hint("23 is the default; smaller is better and larger")
            );
        }
        Ok(())
    }

    /// As the encoder takes them.
    pub(super) fn settings(&self) -> EncodeSettings {
        EncodeSettings { fps: self.fps.0, gop_frames: self.gop_frames, crf: self.crf, preset: self.preset }
    }
}

/// An exact rate, written as a number with at most three decimals or as a fraction of whole numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlaybackRate(FrameRate);

impl PlaybackRate {
    /// The rate.
    pub fn rate(self) -> FrameRate {
        self.0
    }

    fn from_fraction(num: u64, den: u64) -> Option<Self> {
        FrameRate::new(u32::try_from(num).ok()?, u32::try_from(den).ok()?).ok().map(Self)
    }

    fn from_number(value: f64) -> Option<Self> {
        let thousandths = (value * 1000.0).round();
        let exact = (thousandths / 1000.0 - value).abs() < 1e-9 && (1.0..=1e6).contains(&thousandths);
        exact.then(|| Self::from_fraction(thousandths as u64, 1000)).flatten()
    }

    fn from_text(text: &str) -> Option<Self> {
        match text.split_once('/') {
            Some((num, den)) => Self::from_fraction(num.trim().parse().ok()?, den.trim().parse().ok()?),
            None => Self::from_number(text.trim().parse().ok()?),
        }
    }
}

impl Serialize for PlaybackRate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self.0.num(), self.0.den()) {
            (num, 1) => serializer.serialize_u32(num),
            (num, den) => serializer.serialize_str(&format!("{num}/{den}")),
        }
    }
}

impl<'de> Deserialize<'de> for PlaybackRate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RateVisitor)
    }
}

struct RateVisitor;

impl Visitor<'_> for RateVisitor {
    type Value = PlaybackRate;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("frames per second from 0.001 to 1000, as a number with up to three decimals or a fraction such as \"30000/1001\"")
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        PlaybackRate::from_fraction(value, 1).ok_or_else(|| E::invalid_value(Unexpected::Unsigned(value), &self))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        let unsigned = u64::try_from(value).ok().and_then(|value| PlaybackRate::from_fraction(value, 1));
        unsigned.ok_or_else(|| E::invalid_value(Unexpected::Signed(value), &self))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        PlaybackRate::from_number(value).ok_or_else(|| E::invalid_value(Unexpected::Float(value), &self))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
        PlaybackRate::from_text(value).ok_or_else(|| E::invalid_value(Unexpected::Str(value), &self))
    }
}

impl JsonSchema for PlaybackRate {
    fn schema_name() -> Cow<'static, str> {
        "PlaybackRate".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({"type": ["number", "string"]})
    }
}
