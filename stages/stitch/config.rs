//! The `[stitch]` section.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How clips are joined: there is nothing to choose; `[stitch_plan]` says which are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StitchConfig {}
