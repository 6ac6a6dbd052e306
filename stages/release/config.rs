//! Config section `[release]`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uavgen_core::ConfigError;

/// What card and report say beyond what can be counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReleaseConfig {
    /// Licence of the whole as the Hugging Face hub spells it (`cc-by-nc-sa-4.0`); `other` when no single one holds.
    pub licence: String,
    /// One paragraph for the card, in Markdown: where the flights are from and what the set is for.
    pub description: String,
    /// Further tags of the card.
    pub tags: Vec<String>,
    /// Sample items per task in the report.
    pub samples_per_task: u32,
    /// Longest side of a sample picture in pixels.
    pub sample_px: u32,
}

impl Default for ReleaseConfig {
    fn default() -> Self {
        Self {
            licence: "other".into(),
            description: String::new(),
            tags: Vec::new(),
            samples_per_task: 2,
            sample_px: 640,
        }
    }
}

impl ReleaseConfig {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        if self.licence.is_empty() {
            return Err(ConfigError::new(&["licence"], "must not be empty").with_hint("use `other` when none fits"));
        }
        if self.samples_per_task > 20 {
            return Err(ConfigError::new(&["samples_per_task"], "must be at most 20: the report holds the pictures"));
        }
        if !(64..=1920).contains(&self.sample_px) {
            return Err(ConfigError::new(&["sample_px"], "must be between 64 and 1920"));
        }
        Ok(())
    }
}
