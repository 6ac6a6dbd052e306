//! The `[ingest]` section.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uavgen_core::ConfigError;

/// What becomes of annotations that do not fit their image.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IngestConfig {
    /// A box that overruns the image by up to this much is cut without a flag: VisDrone counts pixels from 0 and from 1.
    #[schemars(extend("x-unit" = "px"))]
    pub edge_tolerance_px: f64,
    /// Largest share of a box outside the image. Up to it the box is cut and flagged; beyond it what is visible
    /// becomes an object of unknown category.
    pub max_outside_share: f64,
    /// Frames of which an annotation line could not be read; where the line does not tell its frame, all frames of its
    /// sequence.
    pub unreadable_rows: UnreadableRows,
}

/// What a frame is worth when one of its annotation lines cannot be read at all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UnreadableRows {
    /// The frame counts as not labelled: an object may be missing, so no count on it is safe.
    #[default]
    Unlabelled,
    /// The frame stays labelled, without the object.
    Ignore,
}

impl Default for IngestConfig {
    fn default() -> Self {
        Self { edge_tolerance_px: 1.0, max_outside_share: 0.5, unreadable_rows: UnreadableRows::Unlabelled }
    }
}

impl IngestConfig {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        if !(0.0..=16.0).contains(&self.edge_tolerance_px) {
            let message = format!("{} is not between 0 and 16 pixels", self.edge_tolerance_px);
            return Err(ConfigError::new(&["edge_tolerance_px"], message).with_hint("1 suits VisDrone"));
        }
        if !(0.0..1.0).contains(&self.max_outside_share) {
            let message = format!("{} is not a share from 0 to below 1", self.max_outside_share);
            return Err(ConfigError::new(&["max_outside_share"], message).with_hint("0.5 cuts boxes that are half out"));
        }
        Ok(())
    }
}
