//! Canonical JSON: one value, one text. Keys sorted by code point, no white space, floats in the shortest form that reads
//! back to the same number, and zero without a sign.
//!
//! Fingerprints, ids and stored programs are made from this text, so it must never depend on the order in which a map
//! was filled.

use serde::Serialize;
use serde_json::Value;

/// The canonical text of `value`.
pub fn to_string(value: &Value) -> String {
    let mut text = String::new();
    write(&mut text, value);
    text
}

/// The canonical text of anything that serialises to JSON.
///
/// # Errors
/// When `value` has no JSON form (a map with keys that are no strings, or a type that refuses to serialise).
pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<String, serde_json::Error> {
    Ok(to_string(&serde_json::to_value(value)?))
}

fn write(text: &mut String, value: &Value) {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort_unstable();
            text.push('{');
            for (position, key) in keys.into_iter().enumerate() {
                separate(text, position);
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push(':');
                write(text, &map[key]);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (position, item) in items.iter().enumerate() {
                separate(text, position);
                write(text, item);
            }
            text.push(']');
        }
        // Zero and minus zero are one number, so they are one text.
        Value::Number(number) if number.is_f64() && number.as_f64() == Some(0.0) => text.push_str("0.0"),
        scalar => text.push_str(&scalar.to_string()),
    }
}

fn separate(text: &mut String, position: usize) {
    if position > 0 {
        text.push(',');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_are_sorted_at_every_depth_and_nothing_is_spaced() {
        let value = json!({"b": [1, {"z": null, "a": 0.1}], "a": "ü\n"});
        assert_eq!(to_string(&value), "{\"a\":\"ü\\n\",\"b\":[1,{\"a\":0.1,\"z\":null}]}");
    }

    #[test]
    fn zero_has_no_sign() {
        assert_eq!(to_string(&json!([-0.0, 0.0, 0, -0.5])), "[0.0,0.0,0,-0.5]");
    }

    #[test]
    fn order_of_insertion_does_not_show() {
        let one: Value = serde_json::from_str(r#"{"x":1,"y":2}"#).unwrap();
        let two: Value = serde_json::from_str(r#"{"y":2,"x":1}"#).unwrap();
        assert_eq!(to_string(&one), to_string(&two));
    }
}
