//! What is rendered.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uavgen_core::ConfigError;

/// `[depth]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DepthConfig {
    /// Whether depth is rendered at all.
    pub enabled: bool,
    /// Finest step of the 16-bit images; coarser ones are taken where that would not reach the farthest surface.
    #[schemars(extend("x-unit" = "m"))]
    pub finest_step_m: f64,
}

impl Default for DepthConfig {
    fn default() -> Self {
        Self { enabled: true, finest_step_m: 0.001 }
    }
}

impl DepthConfig {
    /// Checks what types cannot.
    ///
    /// # Errors
    /// A step that is no length.
    pub fn validate(&self) -> Result<(), ConfigError> {
        if (1e-6..=1.0).contains(&self.finest_step_m) {
            return Ok(());
        }
        Err(ConfigError::new(&["finest_step_m"], "must be 0.000001 to 1").with_hint("0.001 is a millimetre"))
    }
}
