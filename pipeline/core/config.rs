//! Config sections: unknown keys, and values of the wrong type, with the path to each.
//!
//! Sections arrive as JSON values; the command line keeps the text of the file and turns a path into a line.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::Segment;
use thiserror::Error;
use uavgen_schemas::json_type;

/// A config value that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}: {message}{}", path.join("."), hint.as_ref().map(|h| format!("; {h}")).unwrap_or_default())]
pub struct ConfigError {
    /// Keys from the root of the section to the value; of a list, positions from 0.
    pub path: Vec<String>,
    /// Whether it is the key, and not its value, that cannot be used.
    pub is_unknown_key: bool,
    /// What is wrong.
    pub message: String,
    /// What to do about it, when we know.
    pub hint: Option<String>,
}

impl ConfigError {
    /// The error of a value at `path`.
    pub fn new(path: &[&str], message: impl Into<String>) -> Self {
        let path = path.iter().map(|&key| key.to_owned()).collect();
        Self { path, is_unknown_key: false, message: message.into(), hint: None }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same error, seen from one level further up.
    #[must_use]
    pub fn under(mut self, key: &str) -> Self {
        self.path.insert(0, key.to_owned());
        self
    }
}

/// Reads a section as `T`: first every unknown key is named with its likely meaning, then every value is checked.
///
/// # Errors
/// The first unknown key, or the first value of the wrong type.
pub fn parse<T: DeserializeOwned + JsonSchema>(section: &Value) -> Result<T, ConfigError> {
    check_keys(&uavgen_schemas::json_schema::<T>(), section)?;
    serde_path_to_error::deserialize(section).map_err(|error| {
        let path = error.path().iter().map(key).collect();
        ConfigError { path, is_unknown_key: false, message: error.inner().to_string(), hint: None }
    })
}

fn key(segment: &Segment) -> String {
    match segment {
        Segment::Seq { index } => index.to_string(),
        other => other.to_string(),
    }
}

/// Finds the first key of `value` that `schema` does not know.
///
/// # Errors
/// Names the key, and the known key nearest to it.
pub fn check_keys(schema: &Value, value: &Value) -> Result<(), ConfigError> {
    let schema = json_type::non_null(schema);
    match value {
        Value::Object(entries) => {
            let known = schema["properties"].as_object();
            for (key, inner) in entries {
                let inner_schema = match known.and_then(|known| known.get(key)) {
                    Some(inner_schema) => inner_schema,
                    // A map from free names to one type of value.
                    None if schema["additionalProperties"].is_object() => &schema["additionalProperties"],
                    None if known.is_none() && schema["additionalProperties"] != Value::Bool(false) => continue,
                    None => return Err(unknown_key(key, known.into_iter().flatten().map(|(name, _)| name.as_str()))),
                };
                check_keys(inner_schema, inner).map_err(|error| error.under(key))?;
            }
            Ok(())
        }
        Value::Array(items) => items.iter().enumerate().try_for_each(|(position, item)| {
            check_keys(&schema["items"], item).map_err(|error| error.under(&position.to_string()))
        }),
        _ => Ok(()),
    }
}

/// The error for a key that nothing reads, with the known key nearest to it.
pub fn unknown_key<'a>(key: &str, known: impl Iterator<Item = &'a str>) -> ConfigError {
    let mut known: Vec<&str> = known.collect();
    known.sort_unstable();
    let error = ConfigError { is_unknown_key: true, ..ConfigError::new(&[key], "unknown key") };
    match nearest(key, &known) {
        Some(name) => error.with_hint(format!("did you mean `{name}`?")),
        None => error.with_hint(format!("known keys: {}", known.join(", "))),
    }
}

/// The name most like `word`, if any is like it at all.
pub fn nearest<'a>(word: &str, names: &[&'a str]) -> Option<&'a str> {
    let scored = names.iter().map(|name| (strsim::jaro_winkler(word, name), *name));
    let (score, name) = scored.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)))?;
    (score >= 0.8).then_some(name)
}

/// The section as it holds for one split: `[stage]` with `[stage.split.<name>]` laid over it, key by key.
pub fn for_split(section: &Value, split: Option<&str>) -> Value {
    let mut base = section.clone();
    let overlays = base.as_object_mut().and_then(|entries| entries.shift_remove("split"));
    if let (Some(split), Some(overlays)) = (split, overlays) {
        lay_over(&mut base, &overlays[split]);
    }
    base
}

fn lay_over(base: &mut Value, overlay: &Value) {
    match (base, overlay) {
        (_, Value::Null) => {}
        (Value::Object(base), Value::Object(overlay)) => {
            for (key, value) in overlay {
                lay_over(base.entry(key).or_insert(Value::Null), value);
            }
        }
        (base, overlay) => *base = overlay.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    #[derive(Debug, Serialize, Deserialize, JsonSchema, PartialEq)]
    #[serde(deny_unknown_fields, default)]
    struct Limits {
        min_area_px2: f64,
        inner: Option<Inner>,
        shares: std::collections::BTreeMap<String, f64>,
    }

    impl Default for Limits {
        fn default() -> Self {
            Self { min_area_px2: 64.0, inner: None, shares: Default::default() }
        }
    }

    #[derive(Debug, Serialize, Deserialize, JsonSchema, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        margin: f64,
    }

    #[test]
    fn unknown_key_is_named_with_the_one_that_was_meant() {
        let error = parse::<Limits>(&json!({"min_area_px": 3})).unwrap_err();
        assert_eq!(error.to_string(), "min_area_px: unknown key; did you mean `min_area_px2`?");
        let error = parse::<Limits>(&json!({"inner": {"magrin": 3}})).unwrap_err();
        assert_eq!(error.path, ["inner", "magrin"]);
        let error = parse::<Limits>(&json!({"zzz": 3})).unwrap_err();
        assert_eq!(error.hint.as_deref(), Some("known keys: inner, min_area_px2, shares"));
    }

    #[test]
    fn wrong_type_tells_the_path() {
        let error = parse::<Limits>(&json!({"inner": {"margin": "much"}})).unwrap_err();
        assert_eq!(error.path, ["inner", "margin"]);
        assert!(!error.is_unknown_key);
        let error = parse::<Vec<Inner>>(&json!([{"margin": 1}, {"margin": "much"}])).unwrap_err();
        assert_eq!(error.path, ["1", "margin"], "positions have one form");
    }

    #[test]
    fn free_names_are_allowed_in_maps() {
        let limits = parse::<Limits>(&json!({"shares": {"train": 0.5}})).unwrap();
        assert_eq!(limits.shares["train"], 0.5);
    }

    #[test]
    fn a_split_overlay_changes_only_its_own_keys() {
        let section = json!({"a": 1, "t": {"x": 1, "y": 2}, "split": {"val": {"t": {"y": 3}}}});
        assert_eq!(for_split(&section, Some("val")), json!({"a": 1, "t": {"x": 1, "y": 3}}));
        assert_eq!(for_split(&section, Some("train")), json!({"a": 1, "t": {"x": 1, "y": 2}}));
        assert_eq!(for_split(&section, None), json!({"a": 1, "t": {"x": 1, "y": 2}}));
    }
}
