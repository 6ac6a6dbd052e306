//! The `[stitch_plan]` section.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uavgen_core::ConfigError;

/// Which clips are joined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StitchPlanConfig {
    /// Join clips at all.
    pub enabled: bool,
    /// Numbers of clips that videos have, ascending; each number is as frequent as the others.
    pub clip_counts: Vec<u32>,
    /// Buckets of a split: one more recording changes the videos of its own bucket only. Another number changes all.
    pub buckets: u32,
}

impl Default for StitchPlanConfig {
    fn default() -> Self {
        Self { enabled: true, clip_counts: vec![2, 3, 4], buckets: 1 }
    }
}

impl StitchPlanConfig {
    /// Checks ranges.
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        let ascending = self.clip_counts.windows(2).all(|pair| pair[0] < pair[1]);
        if self.clip_counts.is_empty() || !ascending || self.clip_counts.iter().any(|count| !(2..=16).contains(count)) {
            let error = ConfigError::new(&["clip_counts"], "must be ascending numbers from 2 to 16");
            return Err(error.with_hint("[2, 3, 4] is the default; `enabled = false` joins nothing"));
        }
        if !(1..=4096).contains(&self.buckets) {
            return Err(ConfigError::new(&["buckets"], format!("{} is not between 1 and 4096", self.buckets)));
        }
        Ok(())
    }
}
