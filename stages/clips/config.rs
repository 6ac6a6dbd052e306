//! The `[clips]` section.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uavgen_core::ConfigError;

/// How recordings are cut and shuffled. Nothing here encodes a video again, but where `cut_grid` is `frame`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ClipsConfig {
    /// Make clips at all.
    pub enabled: bool,
    /// Where segments may begin.
    pub cut_grid: CutGrid,
    /// Pieces of recordings as they are.
    pub single: SingleConfig,
    /// Long recordings from end to end.
    pub long: LongConfig,
    /// Segments of recordings in another order.
    pub shuffled: ShuffledConfig,
}

/// Where segments may begin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CutGrid {
    /// At keyframes, every `[video] gop_frames`: all is copied, nothing encoded again.
    #[default]
    Gop,
    /// Anywhere: the first frame of a segment is encoded again.
    Frame,
}

/// `[clips.single]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SingleConfig {
    /// Shortest clip.
    #[schemars(extend("x-unit" = "s"))]
    pub min_seconds: u32,
    /// Longest clip: longer recordings are cut into equal pieces. At least twice `min_seconds`.
    #[schemars(extend("x-unit" = "s"))]
    pub max_seconds: u32,
    /// Share of the clips that are samples of their own; the others are for joining.
    pub sample_share: f64,
}

/// `[clips.long]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LongConfig {
    /// Shortest recording that is a long clip.
    #[schemars(extend("x-unit" = "s"))]
    pub min_seconds: u32,
}

/// `[clips.shuffled]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ShuffledConfig {
    /// Take four consecutive segments of unequal length.
    pub spatial: bool,
    /// Take four overlapping segments of equal length.
    pub spatio_temporal: bool,
    /// Shortest segment of the spatial strategy.
    #[schemars(extend("x-unit" = "s"))]
    pub min_segment_seconds: u32,
    /// Draws per recording and strategy, each another order; at most 10.
    pub repeats: u32,
}

impl Default for ClipsConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            cut_grid: CutGrid::default(),
            single: SingleConfig::default(),
            long: LongConfig::default(),
            shuffled: ShuffledConfig::default(),
        }
    }
}

impl Default for SingleConfig {
    fn default() -> Self {
        Self { min_seconds: 1, max_seconds: 30, sample_share: 1.0 / 3.0 }
    }
}

impl Default for LongConfig {
    fn default() -> Self {
        Self { min_seconds: 30 }
    }
}

impl Default for ShuffledConfig {
    fn default() -> Self {
        Self { spatial: true, spatio_temporal: true, min_segment_seconds: 1, repeats: 1 }
    }
}

impl ClipsConfig {
    /// Checks ranges.
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        let SingleConfig { min_seconds, max_seconds, sample_share } = self.single;
        if min_seconds == 0 || max_seconds < 2 * min_seconds || max_seconds > 86_400 {
            let message = format!("{min_seconds} to {max_seconds} s cannot be cut into");
            let hint =
                "`min_seconds` is at least 1, and `max_seconds` at least twice as much, so that equal pieces fit";
            return Err(ConfigError::new(&["single", "max_seconds"], message).with_hint(hint));
        }
        if !(0.0..=1.0).contains(&sample_share) {
            return Err(ConfigError::new(&["single", "sample_share"], "must be 0 to 1"));
        }
        let named = [
            ("long", "min_seconds", self.long.min_seconds),
            ("shuffled", "min_segment_seconds", self.shuffled.min_segment_seconds),
        ];
        if let Some((section, key, _)) = named.into_iter().find(|(_, _, seconds)| !(1..=86_400).contains(seconds)) {
            return Err(ConfigError::new(&[section, key], "must be 1 to 86400 s"));
        }
        if !(1..=10).contains(&self.shuffled.repeats) {
            return Err(ConfigError::new(&["shuffled", "repeats"], "must be 1 to 10"));
        }
        Ok(())
    }
}
