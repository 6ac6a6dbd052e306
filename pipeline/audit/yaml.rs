//! The part of YAML that dataset cards use: block mappings and lists, scalars in all three quotings, `[]` and `{}`.
//!
//! Loaders and hub tools rewrite cards, so both ways to indent a list under its key are read. Anchors, tags, block
//! texts and flow collections with content are not: cards of data sets have none.

use serde_json::{Map, Value};

/// Deepest nesting, so that a broken card cannot exhaust the stack.
const MAX_DEPTH: usize = 64;

/// Reads a block.
///
/// # Errors
/// The number of the line (from 1) that cannot be read, and why.
pub(crate) fn parse(text: &str) -> Result<Value, String> {
    let lines = text.lines().enumerate().filter_map(|(number, line)| Line::new(number + 1, line)).collect();
    let mut reader = Reader { lines, at: 0 };
    let value = reader.block(0, 0)?;
    match reader.lines.get(reader.at) {
        Some(line) => Err(format!("line {}: unexpected {:?}", line.number, line.text)),
        None => Ok(value),
    }
}

/// A line that is neither empty nor a comment.
struct Line {
    number: usize,
    indent: usize,
    text: String,
}

impl Line {
    fn new(number: usize, line: &str) -> Option<Self> {
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        let text = text.trim_end();
        (!text.is_empty() && !text.starts_with('#')).then(|| Self { number, indent, text: text.to_owned() })
    }

    fn is_item(&self) -> bool {
        self.text == "-" || self.text.starts_with("- ")
    }
}

struct Reader {
    lines: Vec<Line>,
    at: usize,
}

impl Reader {
    /// The block that starts here, if it is indented by at least `least`; else null.
    fn block(&mut self, least: usize, depth: usize) -> Result<Value, String> {
        let Some(line) = self.lines.get(self.at).filter(|line| line.indent >= least) else { return Ok(Value::Null) };
        let (indent, number) = (line.indent, line.number);
        if depth > MAX_DEPTH {
            return Err(format!("line {number}: nested too deeply"));
        }
        if line.is_item() {
            return self.list(indent, depth);
        }
        if split_key(&line.text).is_some() {
            return self.mapping(indent, depth);
        }
        let value = scalar(&line.text);
        self.at += 1;
        Ok(value)
    }

    fn list(&mut self, indent: usize, depth: usize) -> Result<Value, String> {
        let mut items = Vec::new();
        while let Some(line) = self.lines.get_mut(self.at).filter(|line| line.indent == indent && line.is_item()) {
            // What follows the dash is a block of its own, further in.
            let rest = line.text[1..].trim_start_matches(' ');
            if rest.is_empty() {
                self.at += 1;
            } else {
                line.indent += line.text.len() - rest.len();
                line.text = rest.to_owned();
            }
            items.push(self.block(indent + 1, depth + 1)?);
        }
        Ok(Value::Array(items))
    }

    fn mapping(&mut self, indent: usize, depth: usize) -> Result<Value, String> {
        let mut map = Map::new();
        while let Some(line) = self.lines.get(self.at).filter(|line| line.indent == indent && !line.is_item()) {
            let number = line.number;
            let Some((key, rest)) = split_key(&line.text) else {
                return Err(format!("line {number}: expected `key: value`, found {:?}", line.text));
            };
            let (key, value) = (key.to_owned(), (!rest.is_empty()).then(|| scalar(rest)));
            self.at += 1;
            let value = match value {
                Some(value) => value,
                None => self.nested(indent, depth)?,
            };
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }

    /// What stands below a key: a block further in, or a list at the same depth.
    fn nested(&mut self, indent: usize, depth: usize) -> Result<Value, String> {
        let list_here = self.lines.get(self.at).is_some_and(|line| line.indent == indent && line.is_item());
        if list_here { self.list(indent, depth + 1) } else { self.block(indent + 1, depth + 1) }
    }
}

/// Key and rest of `key: rest`; null when the line is none.
fn split_key(text: &str) -> Option<(&str, &str)> {
    if let Some(quoted) = text.strip_prefix(['"', '\'']) {
        let quote = text.chars().next()?;
        let end = quoted.find(quote)?;
        let rest = quoted[end + 1..].strip_prefix(':')?;
        return Some((&quoted[..end], rest.trim()));
    }
    if let Some(key) = text.strip_suffix(':')
        && !key.contains(": ")
    {
        return Some((key, ""));
    }
    text.split_once(": ").map(|(key, rest)| (key, rest.trim()))
}

fn scalar(text: &str) -> Value {
    if text.starts_with('"') {
        return serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
    }
    if let Some(inner) = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
        return Value::from(inner.replace("''", "'"));
    }
    match text {
        "[]" => Value::Array(Vec::new()),
        "{}" => Value::Object(Map::new()),
        "null" | "~" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        number => number.parse::<i64>().map_or_else(|_| Value::from(text), Value::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn both_ways_to_indent_a_list_are_read() {
        let expected = json!({"configs": [{"name": "qa", "files": [{"path": ["a", "b"]}], "default": true}], "n": 3});
        let ours = "configs:\n  - name: qa\n    files:\n      - path:\n          - a\n          - b\n    default: true\nn: 3\n";
        let hub = "configs:\n- name: qa\n  files:\n  - path:\n    - a\n    - b\n  default: true\nn: 3\n";
        assert_eq!(parse(ours).unwrap(), expected);
        assert_eq!(parse(hub).unwrap(), expected);
    }

    #[test]
    fn scalars_keep_their_types_and_quotes_are_undone() {
        let text = "# a comment\na: \"x: \\\"y\\\"\"\nb: 'it''s'\nc: -12\nd: 1.5\ne: []\nf:\ng: \"no\"\n\"h\": yes\n";
        let expected =
            json!({"a": "x: \"y\"", "b": "it's", "c": -12, "d": "1.5", "e": [], "f": null, "g": "no", "h": "yes"});
        assert_eq!(parse(text).unwrap(), expected);
    }

    #[test]
    fn what_is_no_block_is_told_by_its_line() {
        assert!(parse("a: 1\n  b: 2\n").unwrap_err().starts_with("line 2"));
        assert!(parse("a: 1\nnothing\n").unwrap_err().starts_with("line 2"));
        for too_deep in ["- ".repeat(500), format!("{}a: 1", "- ".repeat(500))] {
            assert!(parse(&too_deep).unwrap_err().contains("nested too deeply"), "{}", &too_deep[990..]);
        }
    }
}
