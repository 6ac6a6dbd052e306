//! What is rendered.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uavgen_core::ConfigError;

/// Which depth is taken where a frame has both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Preferred {
    /// That of the mesh.
    Mesh,
    /// That which the source brought along, aligned to the mesh where it is not in metres.
    Recorded,
}

/// `[depth]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DepthConfig {
    /// Whether depth is rendered at all.
    pub enabled: bool,
    /// Finest step of the 16-bit images; coarser ones are taken where that would not reach the farthest surface.
    #[schemars(extend("x-unit" = "m"))]
    pub finest_step_m: f64,
    /// Which depth is taken where a frame has both a mesh in view and a depth file.
    pub prefer: Preferred,
    /// How far half the pixels of a depth file that is aligned to the mesh may be off it, as a share of the depth; it is a reject beyond that.
    pub max_alignment_error: f64,
}

impl Default for DepthConfig {
    fn default() -> Self {
        Self { enabled: true, finest_step_m: 0.001, prefer: Preferred::Mesh, max_alignment_error: 0.05 }
    }
}

impl DepthConfig {
    /// Checks what types cannot.
    ///
    /// # Errors
    /// A step that is no length, an error that is no share.
    pub fn validate(&self) -> Result<(), ConfigError> {
        if !(self.max_alignment_error > 0.0 && self.max_alignment_error <= 1.0) {
            let error = ConfigError::new(&["max_alignment_error"], "must be above 0 and at most 1");
            return Err(error.with_hint("0.05 is 5 % of the depth"));
        }
        if (1e-6..=1.0).contains(&self.finest_step_m) {
            return Ok(());
        }
        Err(ConfigError::new(&["finest_step_m"], "must be 0.000001 to 1").with_hint("0.001 is a millimetre"))
    }
}
