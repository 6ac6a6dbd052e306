//! Canonical JSON: one text per value, so that texts may be hashed and compared.
//!
//! Keys sorted by their bytes, no white space, floats in the shortest form that reads back to the same number, and zero
//! without a sign. Objects never depend on the order in which a map was filled.

use serde::Serialize;
use serde_json::Value as Json;

/// The canonical JSON text of a value of this crate.
///
/// ```
/// let text = uavgen_programs::canonical::to_canonical_json(&serde_json::json!({"b": 0.1, "a": [1, -0.0, "x\n"]}));
/// assert_eq!(text, r#"{"a":[1,0.0,"x\n"],"b":0.1}"#);
/// ```
///
/// # Panics
/// When the value does not serialise to JSON (maps with keys that are no strings); no type of this crate does that.
pub fn to_canonical_json<T: Serialize>(value: &T) -> String {
    let json = serde_json::to_value(value).expect("types of this crate serialise: their maps have string keys");
    let mut text = String::new();
    write(&json, &mut text);
    text
}

fn write(json: &Json, text: &mut String) {
    match json {
        Json::Number(number) if number.is_f64() && number.as_f64() == Some(0.0) => text.push_str("0.0"),
        Json::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                separate(index, text);
                write(item, text);
            }
            text.push(']');
        }
        Json::Object(entries) => write_object(entries, text),
        // Null, booleans, strings and the other numbers have one compact form only.
        scalar => text.push_str(&scalar.to_string()),
    }
}

fn write_object(entries: &serde_json::Map<String, Json>, text: &mut String) {
    // Sorted here and not by the map: whether that one keeps its keys sorted is a build feature of serde_json.
    let mut entries: Vec<(&String, &Json)> = entries.iter().collect();
    entries.sort_by_key(|(key, _)| *key);
    text.push('{');
    for (index, (key, value)) in entries.into_iter().enumerate() {
        separate(index, text);
        text.push_str(&Json::from(key.as_str()).to_string());
        text.push(':');
        write(value, text);
    }
    text.push('}');
}

fn separate(index: usize, text: &mut String) {
    if index > 0 {
        text.push(',');
    }
}
