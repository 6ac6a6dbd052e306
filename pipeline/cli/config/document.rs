//! A TOML file as JSON values, with the place of every key kept, so that errors can quote the line.

use crate::exit::Failure;
use serde_json::{Map, Number, Value};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml_edit::{Item, TableLike};
use uavgen_core::ConfigError;
use uavgen_core::config::nearest;

/// Where one entry stands in the text, in bytes.
#[derive(Debug, Clone, Default)]
struct Place {
    key: Option<Range<usize>>,
    value: Option<Range<usize>>,
}

/// A parsed config file.
#[derive(Debug)]
pub(crate) struct Document {
    file: PathBuf,
    text: String,
    root: Map<String, Value>,
    places: BTreeMap<Vec<String>, Place>,
}

impl Document {
    /// Parses `text`, the content of `file`.
    ///
    /// # Errors
    /// The first syntax error, with its line.
    pub(crate) fn parse(file: &Path, text: String) -> Result<Self, Failure> {
        let mut this = Self { file: file.to_owned(), text, root: Map::new(), places: BTreeMap::new() };
        let parsed = toml_edit::Document::parse(this.text.clone())
            .map_err(|error| this.syntax_failure(error.span(), error.message().trim()))?;
        this.root = this.table(parsed.as_table(), &mut Vec::new())?;
        Ok(this)
    }

    /// Names of the top-level entries, in the order of the file.
    pub(crate) fn sections(&self) -> impl Iterator<Item = &str> {
        self.root.keys().map(String::as_str)
    }

    /// A top-level entry; null when it is not there.
    pub(crate) fn section(&self, name: &str) -> Option<&Value> {
        self.root.get(name)
    }

    /// The error of an entry, with the line that it stands on. `error`'s path starts at the root of the file. A value
    /// that stands in the overlay of `split` is looked for there first.
    pub(crate) fn failure(&self, error: &ConfigError, split: Option<&str>) -> Failure {
        let ConfigError { path, is_unknown_key, message, .. } = error;
        let in_overlay = split.and_then(|split| self.places.get_key_value(&overlay_path(path, split)?));
        let (found, place) = in_overlay.or_else(|| self.deepest_place(path)).unzip();
        let known_key = found.is_some_and(|found| found.last() == path.last());
        let span = place.and_then(|place| match &place.value {
            // A value on one line is shown itself; of a table, only its header.
            Some(value) if known_key && !is_unknown_key && !self.text[value.clone()].contains('\n') => {
                Some(value.clone())
            }
            value => place.key.clone().or(value.clone()),
        });
        let name = display_path(path);
        let said = match (is_unknown_key, name.as_str()) {
            (true, name) => format!("unknown key `{name}`"),
            (false, "") => message.clone(),
            (false, name) => format!("`{name}`: {message}"),
        };
        let hint = error.hint.clone().or_else(|| meant_variant(message));
        Failure { hint, ..self.failure_at(span, &said) }
    }

    fn syntax_failure(&self, span: Option<Range<usize>>, message: &str) -> Failure {
        let failure = self.failure_at(span, message);
        match message.starts_with("duplicate key") {
            true => failure.with_hint("it is there already, further up: put the lines together"),
            false => failure,
        }
    }

    /// An error at `span` of the text: file, line and column, then the line with the span marked.
    fn failure_at(&self, span: Option<Range<usize>>, message: &str) -> Failure {
        let file = self.file.display();
        let Some(span) = span else { return Failure::usage(format!("{file}: {message}")) };
        let start = span.start.min(self.text.len());
        let line_start = self.text[..start].rfind('\n').map_or(0, |position| position + 1);
        let line = self.text[line_start..].lines().next().unwrap_or_default();
        let number = self.text[..line_start].matches('\n').count() + 1;
        let before: String = self.text[line_start..start].chars().map(blank_like).collect();
        let end = span.end.clamp(start, line_start + line.len().max(start - line_start));
        let width = self.text[start..end].chars().count().max(1);
        let column = before.chars().count() + 1;
        let (digits, carets) = (number.to_string(), "^".repeat(width));
        let gutter = " ".repeat(digits.len());
        Failure::usage(format!(
            "{file}:{number}:{column}: {message}\n{gutter} |\n{digits} | {line}\n{gutter} | {before}{carets}"
        ))
    }

    fn deepest_place(&self, path: &[String]) -> Option<(&Vec<String>, &Place)> {
        (1..=path.len()).rev().find_map(|length| self.places.get_key_value(&path[..length]))
    }

    fn table(&mut self, table: &dyn TableLike, path: &mut Vec<String>) -> Result<Map<String, Value>, Failure> {
        let mut entries = Map::new();
        for (name, item) in table.iter() {
            path.push(name.to_owned());
            let key = table.key(name).and_then(toml_edit::Key::span);
            self.places.insert(path.clone(), Place { key, value: item.span() });
            let value = self.item(item, path)?;
            entries.insert(name.to_owned(), value);
            path.pop();
        }
        Ok(entries)
    }

    fn item(&mut self, item: &Item, path: &mut Vec<String>) -> Result<Value, Failure> {
        match item {
            Item::None => Ok(Value::Null),
            Item::Table(table) => self.table(table, path).map(Value::Object),
            Item::ArrayOfTables(tables) => {
                let mut list = Vec::new();
                for (position, table) in tables.iter().enumerate() {
                    path.push(position.to_string());
                    self.places.insert(path.clone(), Place { key: None, value: table.span() });
                    list.push(Value::Object(self.table(table, path)?));
                    path.pop();
                }
                Ok(Value::Array(list))
            }
            Item::Value(value) => self.value(value, path),
        }
    }

    fn value(&mut self, value: &toml_edit::Value, path: &mut Vec<String>) -> Result<Value, Failure> {
        Ok(match value {
            toml_edit::Value::String(text) => Value::String(text.value().clone()),
            toml_edit::Value::Integer(number) => Value::from(*number.value()),
            toml_edit::Value::Boolean(flag) => Value::Bool(*flag.value()),
            toml_edit::Value::Float(number) => match Number::from_f64(*number.value()) {
                Some(number) => Value::Number(number),
                None => return Err(self.failure_at(value.span(), "a number must be finite")),
            },
            toml_edit::Value::Datetime(_) => {
                return Err(self.failure_at(value.span(), "no setting is a date; put a text in quotes"));
            }
            toml_edit::Value::InlineTable(table) => Value::Object(self.table(table, path)?),
            toml_edit::Value::Array(array) => {
                let mut list = Vec::new();
                for (position, inner) in array.iter().enumerate() {
                    path.push(position.to_string());
                    self.places.insert(path.clone(), Place { key: None, value: inner.span() });
                    list.push(self.value(inner, path)?);
                    path.pop();
                }
                Value::Array(list)
            }
        })
    }
}

/// `stage.key` as it stands in the overlay of a split: `stage.split.<split>.key`.
fn overlay_path(path: &[String], split: &str) -> Option<Vec<String>> {
    let (stage, rest) = path.split_first()?;
    Some([&[stage.clone(), "split".into(), split.into()], rest].concat())
}

/// `source.0.kind` as people write it: `source[0].kind`.
fn display_path(path: &[String]) -> String {
    let mut text = String::new();
    for part in path {
        if part.bytes().all(|byte| byte.is_ascii_digit()) {
            text.push_str(&format!("[{part}]"));
        } else {
            if !text.is_empty() {
                text.push('.');
            }
            text.push_str(part);
        }
    }
    text
}

/// A tab stays a tab, so that the caret stands below its character.
fn blank_like(character: char) -> char {
    if character == '\t' { '\t' } else { ' ' }
}

/// For serde's "unknown variant `x`, expected one of `a`, `b`": the variant that was probably meant.
fn meant_variant(message: &str) -> Option<String> {
    let mut quoted = message.strip_prefix("unknown variant ")?.split('`').skip(1).step_by(2);
    let written = quoted.next()?;
    let known: Vec<&str> = quoted.collect();
    nearest(written, &known).map(|name| format!("did you mean `{name}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(text: &str) -> Document {
        Document::parse(Path::new("uavgen.toml"), text.into()).unwrap()
    }

    fn syntax_error(text: &str) -> String {
        Document::parse(Path::new("uavgen.toml"), text.into()).unwrap_err().message
    }

    const TEXT: &str = "[filter]\nmin_aera = 3 # typo\n\n[filter.split.val]\nlimit = \"much\"\n\n[[source]]\nname = 'a'\n\n\
                        [[source]]\n\tkind = 7\n";

    #[test]
    fn values_keep_their_types_and_order() {
        let document = document("b = 1\na = [1.5, 'x', {c = true}]\n[t.u]\nv = -3\n");
        assert_eq!(document.sections().collect::<Vec<_>>(), ["b", "a", "t"]);
        assert_eq!(document.section("a"), Some(&serde_json::json!([1.5, "x", {"c": true}])));
        assert_eq!(document.section("t"), Some(&serde_json::json!({"u": {"v": -3}})));
    }

    #[test]
    fn an_unknown_key_is_marked_itself() {
        let error = uavgen_core::config::unknown_key("min_aera", ["min_area"].into_iter()).under("filter");
        let failure = document(TEXT).failure(&error, None);
        assert_eq!(
            failure.message,
            "uavgen.toml:2:1: unknown key `filter.min_aera`\n  |\n2 | min_aera = 3 # typo\n  | ^^^^^^^^"
        );
        assert_eq!(failure.hint.as_deref(), Some("did you mean `min_area`?"));
    }

    #[test]
    fn a_wrong_value_is_marked_where_it_stands_also_in_an_overlay() {
        let error = ConfigError::new(&["filter", "limit"], "invalid type");
        let failure = document(TEXT).failure(&error, Some("val"));
        assert!(failure.message.starts_with("uavgen.toml:5:9: `filter.limit`: invalid type\n"), "{failure}");
        assert!(failure.message.ends_with("\n5 | limit = \"much\"\n  |         ^^^^^^"), "{failure}");
    }

    #[test]
    fn tabs_and_lists_of_tables_are_found() {
        let error = ConfigError::new(&["source", "1", "kind"], "invalid type");
        let failure = document(TEXT).failure(&error, None);
        assert!(failure.message.starts_with("uavgen.toml:11:9: `source[1].kind`"), "{failure}");
        assert!(failure.message.ends_with("\n11 | \tkind = 7\n   | \t       ^"), "{failure}");
    }

    #[test]
    fn a_missing_key_points_at_the_table_that_lacks_it() {
        let error = ConfigError::new(&["source", "0"], "missing field `path`");
        let failure = document(TEXT).failure(&error, None);
        assert!(failure.message.starts_with("uavgen.toml:7:1: `source[0]`: missing field `path`"), "{failure}");
    }

    #[test]
    fn a_default_that_conflicts_points_at_the_section() {
        let error = ConfigError::new(&["filter", "not_written"], "must be positive");
        let failure = document(TEXT).failure(&error, None);
        assert!(failure.message.starts_with("uavgen.toml:1:2: `filter.not_written`: must be positive"), "{failure}");
    }

    #[test]
    fn variants_get_a_hint() {
        let error =
            ConfigError::new(&["filter", "min_aera"], "unknown variant `sorce`, expected one of `source`, `list`");
        assert_eq!(document(TEXT).failure(&error, None).hint.as_deref(), Some("did you mean `source`?"));
    }

    #[test]
    fn syntax_errors_quote_the_line() {
        let message = syntax_error("a = 1\nb = = 2\n");
        assert!(message.starts_with("uavgen.toml:2:5: "), "{message}");
        assert!(message.contains("\n2 | b = = 2\n"), "{message}");
        assert!(syntax_error("a = 1\na = 2\n").starts_with("uavgen.toml:2:1: duplicate key"));
        assert!(syntax_error("a = nan").contains("1:5: a number must be finite"));
        assert!(syntax_error("a = 1979-05-27").contains("no setting is a date"));
    }

    #[test]
    fn text_beyond_ascii_counts_characters() {
        let message = syntax_error("ü = 1\nname = \"äöü\" x\n");
        assert!(message.starts_with("uavgen.toml:"), "{message}");
    }
}
