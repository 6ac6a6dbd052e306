//! JSON values as YAML in block style, as the front matter of a card needs it.

use serde_json::Value;

/// The block form of `value`. Strings that could be read as something else are quoted as in JSON, which YAML accepts.
pub(super) fn block(value: &Value) -> String {
    let mut text = String::new();
    write(&mut text, value, 0);
    text
}

fn write(text: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (position, (key, value)) in map.iter().enumerate() {
                if position > 0 {
                    indent(text, depth);
                }
                text.push_str(&scalar(key));
                text.push(':');
                nested(text, value, depth + 1);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (position, item) in items.iter().enumerate() {
                if position > 0 {
                    indent(text, depth);
                }
                text.push_str("- ");
                write(text, item, depth + 1);
                if !(is_block(item)) {
                    text.push('\n');
                }
            }
        }
        Value::String(string) => text.push_str(&scalar(string)),
        other => text.push_str(&other.to_string()),
    }
}

/// A value after `key:`, on the same line when it is a scalar.
fn nested(text: &mut String, value: &Value, depth: usize) {
    if is_block(value) {
        text.push('\n');
        indent(text, depth);
        write(text, value, depth);
    } else {
        text.push(' ');
        write(text, value, depth);
        text.push('\n');
    }
}

fn is_block(value: &Value) -> bool {
    match value {
        Value::Object(map) => !map.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    }
}

fn indent(text: &mut String, depth: usize) {
    text.extend(std::iter::repeat_n("  ", depth));
}

fn scalar(string: &str) -> String {
    const RESERVED: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let plain = string.starts_with(|c: char| c.is_ascii_alphabetic())
        && string.chars().all(|c| c.is_ascii_alphanumeric() || "_-/.".contains(c))
        && !RESERVED.contains(&string.to_ascii_lowercase().as_str());
    if plain { string.to_owned() } else { Value::from(string).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn blocks_nest_and_doubtful_strings_are_quoted() {
        let value =
            json!({"a": [{"b": 1, "c": [true, "x: y"]}, "no"], "d": {"e": "é\n"}, "f": [], "g": "data/a-0.parquet"});
        let expected = "a:\n  - b: 1\n    c:\n      - true\n      - \"x: y\"\n  - \"no\"\nd:\n  e: \"é\\n\"\nf: []\ng: data/a-0.parquet\n";
        assert_eq!(block(&value), expected);
    }
}
