//! Config section `[shards]`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uavgen_core::ConfigError;

/// How much of each split is delivered, and how its files are laid out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ShardsConfig {
    /// Most items of one task in one split; kept are those of lowest hash rank.
    pub max_per_task: u32,
    /// Size in bytes from which a file is closed and the next one begun; exceeded by at most two row groups.
    pub shard_bytes: u64,
    /// Most decoded bytes of a row group, an image counted once per row that holds it: what a reader needs in memory.
    pub row_group_bytes: u64,
    /// Most rows of a row group with images. Viewers read whole row groups to show a few rows.
    pub row_group_rows: u32,
}

impl Default for ShardsConfig {
    fn default() -> Self {
        Self { max_per_task: 20_000, shard_bytes: 450_000_000, row_group_bytes: 96_000_000, row_group_rows: 1_000 }
    }
}

impl ShardsConfig {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        let error = |key: &str, message: &str| Err(ConfigError::new(&[key], message));
        if self.max_per_task == 0 {
            return error("max_per_task", "must be at least 1");
        }
        if self.shard_bytes == 0 {
            return error("shard_bytes", "must be at least 1");
        }
        if !(1..=100_000_000).contains(&self.row_group_bytes) {
            return error("row_group_bytes", "must be between 1 and 100000000, so that readers can hold a row group");
        }
        if self.row_group_rows == 0 {
            return error("row_group_rows", "must be at least 1");
        }
        Ok(())
    }
}
