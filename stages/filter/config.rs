//! Thresholds of each suite.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use uavgen_core::ConfigError;

/// `[filter]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FilterConfig {
    /// Rules by suite: `[filter.suites.<name>]`. Naming one suite replaces the default list.
    pub suites: BTreeMap<String, SuiteRules>,
}

/// What one suite may ask about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SuiteRules {
    /// Smallest area of a usable box; a box of exactly this area stays.
    #[schemars(extend("x-unit" = "px²"))]
    pub min_area_px2: f64,
    /// Fewest kept objects of a usable frame; 0 asks for nothing.
    pub min_objects: u32,
    /// A box is unusable from this share of its area inside ignored regions (their union); 0 < share <= 1.
    pub ignored_region_share: f64,
}

impl Default for FilterConfig {
    fn default() -> Self {
        Self { suites: BTreeMap::from([("aerial2d".into(), SuiteRules::default())]) }
    }
}

impl Default for SuiteRules {
    fn default() -> Self {
        Self { min_area_px2: 64.0, min_objects: 0, ignored_region_share: 0.5 }
    }
}

impl FilterConfig {
    /// Checks what types cannot.
    ///
    /// # Errors
    /// The first value outside its range, or a suite name that would not read well in ids.
    pub fn validate(&self) -> Result<(), ConfigError> {
        for (name, rules) in &self.suites {
            rules.validate().map_err(|error| error.under(name).under("suites"))?;
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            if name.is_empty() || !name.chars().all(plain) {
                let message = "a suite's name has letters, digits, `-` and `_` only: it becomes part of ids";
                return Err(ConfigError::new(&["suites", name], message));
            }
        }
        Ok(())
    }
}

impl SuiteRules {
    fn validate(&self) -> Result<(), ConfigError> {
        if !(self.min_area_px2.is_finite() && self.min_area_px2 >= 0.0) {
            return Err(ConfigError::new(&["min_area_px2"], "must be a number of at least 0"));
        }
        if !(self.ignored_region_share > 0.0 && self.ignored_region_share <= 1.0) {
            let error = ConfigError::new(&["ignored_region_share"], "must be above 0 and at most 1");
            return Err(error.with_hint("1 drops only boxes that lie wholly inside ignored regions"));
        }
        Ok(())
    }
}
