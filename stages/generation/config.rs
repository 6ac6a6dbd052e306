//! What pictures and texts look like.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uavgen_core::ConfigError;
use uavgen_schemas::DepthPolarity;

/// `[generation]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GenerationConfig {
    /// Whether anything is made at all.
    pub enabled: bool,
    /// What the 8-bit view of the depth shows bright.
    pub polarity: DepthPolarity,
    /// Share of the pixels beyond either end of the 8-bit view, so that a single mast does not take its whole range.
    pub clip_share: f64,
    /// A view that is turned from straight down by no more than this is called nadir.
    #[schemars(extend("x-unit" = "deg"))]
    pub nadir_deg: f64,
    /// One that is turned from straight down by at least this is called level.
    #[schemars(extend("x-unit" = "deg"))]
    pub level_deg: f64,
    /// Least share of the picture that a class must take to be named in a text, beside the largest one.
    pub least_area_share: f64,
}

impl Default for GenerationConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            polarity: DepthPolarity::NearBright,
            clip_share: 0.002,
            nadir_deg: 15.0,
            level_deg: 75.0,
            least_area_share: 0.05,
        }
    }
}

impl GenerationConfig {
    /// Checks what types cannot.
    ///
    /// # Errors
    /// The first value that cannot be used.
    pub fn validate(&self) -> Result<(), ConfigError> {
        if !(0.0..=0.2).contains(&self.clip_share) {
            return Err(ConfigError::new(&["clip_share"], "must be 0 to 0.2").with_hint("0 shows the whole range"));
        }
        if !(0.0..=1.0).contains(&self.least_area_share) {
            return Err(ConfigError::new(&["least_area_share"], "must be 0 to 1"));
        }
        if !(0.0..90.0).contains(&self.nadir_deg) {
            return Err(ConfigError::new(&["nadir_deg"], "must be 0 to below 90"));
        }
        let is_beyond = self.level_deg > self.nadir_deg && self.level_deg <= 180.0;
        if !is_beyond {
            return Err(ConfigError::new(&["level_deg"], "must be above `nadir_deg`, and at most 180"));
        }
        Ok(())
    }
}
