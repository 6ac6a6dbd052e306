//! The type that a JSON Schema states, whether or not null is allowed beside it.
//!
//! schemars writes an `Option` as `{"type": ["string", "null"]}`, or, around an enum or a struct, as
//! `{"anyOf": [..., {"type": "null"}]}`.

use serde_json::Value;

/// The schema of the value where it is not null.
pub fn non_null(schema: &Value) -> &Value {
    let alternatives = schema["anyOf"].as_array();
    alternatives.and_then(|all| all.iter().find(|one| one["type"] != "null")).unwrap_or(schema)
}

/// Whether null is allowed.
pub fn may_be_null(schema: &Value) -> bool {
    let is_null = |one: &Value| one["type"] == "null";
    schema["anyOf"].as_array().is_some_and(|all| all.iter().any(is_null))
        || schema["type"].as_array().is_some_and(|names| names.iter().any(|name| name == "null"))
}

/// Name of the type where it is not null; enums of strings have none and are strings.
pub fn name(schema: &Value) -> &str {
    match &non_null(schema)["type"] {
        Value::Array(names) => names.iter().filter_map(Value::as_str).find(|name| *name != "null").unwrap_or("string"),
        Value::String(name) => name,
        _ => "string",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schemars::JsonSchema;
    use serde_json::json;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum Colour {
        /// Like blood.
        Red,
        /// Like grass.
        Green,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct All {
        number: Option<i64>,
        colour: Option<Colour>,
        list: Vec<Option<String>>,
    }

    #[test]
    fn both_forms_of_an_option_are_seen_through() {
        let schema = crate::json_schema::<All>();
        let of = |field: &str| &schema["properties"][field];
        let seen = ["number", "colour", "list"].map(|field| (name(of(field)), may_be_null(of(field))));
        assert_eq!(seen, [("integer", true), ("string", true), ("array", false)]);
        assert_eq!((name(&of("list")["items"]), may_be_null(&of("list")["items"])), ("string", true));
        assert_eq!(non_null(of("colour"))["oneOf"][1]["const"], json!("Green"));
    }
}
