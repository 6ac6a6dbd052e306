//! The commented `uavgen.toml` that `init` writes.
//!
//! All of it comes from the JSON Schemas of the config types, so that what the file says about a key is what the code
//! says. Three kinds of lines: `# text` explains, `#key = value` shows a default that may be uncommented, and the rest
//! is set. Uncommenting every `#key` line changes nothing: a test holds that.

use super::{ProjectSection, RuntimeSection};
use serde_json::{Map, Value};
use std::fmt::Write as _;
use uavgen_core::{Grain, SourceConfig, SplitConfig, Stage};
use uavgen_schemas::json_type;

/// Columns that explanations fill.
const WIDTH: usize = 110;

const OPENING: &str = "\
# What uavgen builds, and from what. Paths are relative to this file.
#
# A line `#key = value` shows a default: remove the `#` to change it. An unknown key is an error. Everything outside
# [runtime] is part of the result: after a change, `uavgen plan` shows what has to be built again and why.
# Any stage section may be overruled for one split: [qa.split.val] holds for the split `val` only.
";

/// A source for a new config file.
#[derive(Debug)]
pub(crate) struct NewSource {
    /// Its section.
    pub(crate) config: SourceConfig,
    /// Whether it holds stills; then the number of buckets is written down, since it must not change later.
    pub(crate) has_stills: bool,
    /// Number of its sequences.
    pub(crate) sequences: u64,
}

/// Buckets for so many stills or sequences: a power of two with about 64 in each, so that one more dirties little.
pub(crate) fn buckets_for(count: u64) -> u32 {
    const PER_BUCKET: u64 = 64;
    u32::try_from(count.div_ceil(PER_BUCKET).max(1).next_power_of_two()).unwrap_or(1 << 16)
}

/// The text of a config file with these sources, which have been looked at.
pub(crate) fn render(name: &str, sources: &[NewSource], registry: &[&dyn Stage]) -> String {
    let mut page = Page { text: OPENING.into() };
    let project = Map::from_iter([("name".to_owned(), Value::from(name))]);
    page.heading("project");
    page.entries(
        &schema::<ProjectSection>(),
        &default_of::<ProjectSection>(&project),
        &project,
        "project",
        Style::Default,
    );
    for (position, source) in sources.iter().enumerate() {
        page.source(source, position == 0);
    }
    page.text
        .push_str("\n# How recordings are divided. The leak group (scene, place) never spans two splits.\n[split]\n");
    page.entries(
        &schema::<SplitConfig>(),
        &default_of::<SplitConfig>(&Map::new()),
        &Map::new(),
        "split",
        Style::Default,
    );
    page.text.push_str("\n# How the work is done. Nothing here changes a result.\n[runtime]\n");
    page.entries(
        &schema::<RuntimeSection>(),
        &default_of::<RuntimeSection>(&Map::new()),
        &Map::new(),
        "runtime",
        Style::Default,
    );
    let sequences = sources.iter().map(|source| source.sequences).sum();
    for stage in registry {
        page.stage(*stage, buckets_for(sequences));
    }
    page.text
}

/// How the keys of a table that are not set are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// `#key = value`: the default, which may be uncommented.
    Default,
    /// `# key = value`: an example of a table that does not exist by default.
    Example,
}

impl Style {
    /// What stands before a key.
    fn marker(self) -> &'static str {
        match self {
            Self::Default => "#",
            Self::Example => "# ",
        }
    }

    /// What stands before the header of a table: headers of defaults are live, so that a key below one is all that has
    /// to be uncommented.
    fn header_marker(self) -> &'static str {
        match self {
            Self::Default => "",
            Self::Example => "# ",
        }
    }
}

struct Page {
    text: String,
}

impl Page {
    fn heading(&mut self, name: &str) {
        let _ = write!(self.text, "\n[{name}]\n");
    }

    /// A stage. Where it divides sequences into buckets, their number is written down unless it is the default.
    fn stage(&mut self, stage: &dyn Stage, buckets: u32) {
        let info = stage.info();
        let defaults = stage.default_config();
        let buckets = Some(Value::from(buckets)).filter(|buckets| {
            info.grain == Grain::Bucket && defaults.get("buckets").is_some_and(|default| default != buckets)
        });
        let set = buckets.map(|buckets| ("buckets".to_owned(), buckets)).into_iter().collect();
        self.text.push('\n');
        self.prose(info.summary);
        let _ = writeln!(self.text, "[{}]", info.name);
        self.entries(&stage.config_schema(), &defaults, &set, info.name, Style::Default);
    }

    /// A source; only the first is explained.
    fn source(&mut self, source: &NewSource, explain: bool) {
        self.text.push_str("\n[[source]]\n");
        let value = serde_json::to_value(&source.config).unwrap_or_default();
        let mut set = Map::new();
        for (key, value) in value.as_object().into_iter().flatten() {
            let fixed = match key.as_str() {
                "name" | "kind" | "path" => true,
                "buckets" => source.has_stills,
                _ => false,
            };
            if fixed || !default_source_value(key, value) {
                set.insert(key.clone(), value.clone());
            }
        }
        if explain {
            self.entries(&schema::<SourceConfig>(), &value, &set, "source", Style::Default);
        } else {
            for (key, value) in &set {
                self.setting(key, value, "");
            }
        }
    }

    /// The keys of one table: plain values first, then tables, as TOML wants it.
    fn entries(&mut self, schema: &Value, defaults: &Value, set: &Map<String, Value>, path: &str, style: Style) {
        let properties: Vec<(&String, &Value)> = schema["properties"].as_object().into_iter().flatten().collect();
        let (tables, values): (Vec<_>, Vec<_>) =
            properties.into_iter().partition(|(key, schema)| is_table(schema, &defaults[key.as_str()]));
        for (key, schema) in values {
            self.explain(schema);
            match set.get(key).or(defaults.get(key)) {
                Some(value) if set.contains_key(key) => self.setting(key, value, ""),
                Some(value) if !value.is_null() => self.setting(key, value, style.marker()),
                _ => self.prose(&format!("{key} = <{}>, not set by default", type_name(schema))),
            }
        }
        for (key, schema) in tables {
            self.table(key, schema, &defaults[key.as_str()], path, style);
        }
    }

    fn table(&mut self, key: &str, schema: &Value, defaults: &Value, path: &str, style: Style) {
        let schema_inside = json_type::non_null(schema);
        let path = format!("{path}.{}", toml_key(key));
        self.text.push('\n');
        self.explain(schema);
        let entry_schema = &schema_inside["additionalProperties"];
        if !entry_schema.is_object() {
            let _ = writeln!(self.text, "{}[{path}]", style.header_marker());
            return self.entries(schema_inside, defaults, &Map::new(), &path, style);
        }
        for (name, entry) in defaults.as_object().into_iter().flatten() {
            let path = format!("{path}.{}", toml_key(name));
            let _ = writeln!(self.text, "{}[{path}]", style.header_marker());
            self.entries(entry_schema, entry, &Map::new(), &path, style);
        }
        if defaults.as_object().is_none_or(Map::is_empty) {
            self.prose(&format!("[{path}.<name>], none by default"));
            self.entries(entry_schema, &Value::Null, &Map::new(), &path, Style::Example);
        }
    }

    fn setting(&mut self, key: &str, value: &Value, marker: &str) {
        let _ = writeln!(self.text, "{marker}{} = {}", toml_key(key), toml_value(value));
    }

    /// The description of a key, and of each value that it may take.
    fn explain(&mut self, schema: &Value) {
        for paragraph in schema["description"].as_str().unwrap_or_default().split("\n\n") {
            self.prose(&paragraph.replace("[`", "`").replace("`]", "`"));
        }
        for variant in json_type::non_null(schema)["oneOf"].as_array().into_iter().flatten() {
            if let (Some(name), Some(meaning)) = (variant["const"].as_str(), variant["description"].as_str()) {
                self.prose(&format!("  \"{name}\": {meaning}"));
            }
        }
        if let Some(names) = json_type::non_null(schema)["enum"].as_array() {
            let names: Vec<String> = names.iter().map(Value::to_string).collect();
            self.prose(&format!("  One of {}.", names.join(", ")));
        }
    }

    /// `# text`, broken at blanks; the indent of the text holds for all its lines.
    fn prose(&mut self, text: &str) {
        let indent = &text[..text.len() - text.trim_start().len()];
        let mut line = String::new();
        for word in text.split_whitespace() {
            if !line.is_empty() && line.len() + word.len() + indent.len() + 3 > WIDTH {
                let _ = writeln!(self.text, "# {indent}{line}");
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        if !line.is_empty() {
            let _ = writeln!(self.text, "# {indent}{line}");
        }
    }
}

fn schema<T: schemars::JsonSchema>() -> Value {
    uavgen_schemas::json_schema::<T>()
}

/// The defaults of a section that has only these keys set.
fn default_of<T: serde::Serialize + serde::de::DeserializeOwned>(set: &Map<String, Value>) -> Value {
    let section = serde_json::from_value::<T>(Value::Object(set.clone()));
    section.and_then(serde_json::to_value).unwrap_or_default()
}

/// Whether a source without this key has this value.
fn default_source_value(key: &str, value: &Value) -> bool {
    let bare = serde_json::json!({"name": "", "kind": "", "path": ""});
    default_of::<SourceConfig>(bare.as_object().unwrap_or(&Map::new()))[key] == *value
}

/// Whether a key is written as a table of its own: a struct, or a map from names to structs.
fn is_table(schema: &Value, default: &Value) -> bool {
    let schema = json_type::non_null(schema);
    let is_struct = |schema: &Value| schema["properties"].is_object();
    (is_struct(schema) && default.is_object()) || is_struct(&schema["additionalProperties"])
}

/// What a value is, in a word.
fn type_name(schema: &Value) -> String {
    match json_type::name(schema) {
        "string" => "text".into(),
        "integer" => "whole number".into(),
        "boolean" => "true or false".into(),
        "array" => format!("list of {}", type_name(&schema["items"])),
        "object" => "table".into(),
        other => other.into(),
    }
}

fn toml_key(key: &str) -> String {
    toml_edit::Key::new(key).to_string()
}

/// A JSON value as TOML on one line. Keys that are null are left out: TOML has no null.
fn toml_value(value: &Value) -> toml_edit::Value {
    match value {
        Value::Null => "".into(),
        Value::Bool(flag) => (*flag).into(),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(number), _) => number.into(),
            (None, number) => number.unwrap_or_default().into(),
        },
        Value::String(text) => text.as_str().into(),
        Value::Array(items) => items.iter().map(toml_value).collect(),
        Value::Object(entries) => {
            let entries = entries.iter().filter(|(_, value)| !value.is_null());
            let table: toml_edit::InlineTable = entries.map(|(key, value)| (key.as_str(), toml_value(value))).collect();
            table.into()
        }
    }
}
