//! Writes the reference page of all tables from the record structs.

use crate::{TABLES, TableInfo, json_type};
use serde_json::Value;
use std::fmt::Write as _;

/// The text of `schemas/REFERENCE.md`: every table, every column with type, unit, frame and meaning.
pub fn markdown() -> String {
    let mut page = String::from(
        "# Tables\n\nGenerated from the record structs by `make schemas`; do not edit. `?` marks a column that may be null.\n\
         Coordinates: `image` frame, continuous pixels, origin at the top-left corner, boxes half-open.\n",
    );
    for table in TABLES {
        table_section(&mut page, table);
    }
    page
}

fn table_section(page: &mut String, table: &TableInfo) {
    let schema = (table.json_schema)();
    let description = schema["description"].as_str().unwrap_or_default().replace('\n', " ");
    let _ = write!(page, "\n## `{}` (version {})\n\n{description}\n\n", table.name, table.version);
    page.push_str("| column | type | unit | meaning |\n|---|---|---|---|\n");
    for (name, column) in schema["properties"].as_object().into_iter().flatten() {
        column_row(page, name, column);
    }
}

fn column_row(page: &mut String, name: &str, column: &Value) {
    let unit = match (column["x-unit"].as_str(), column["x-frame"].as_str()) {
        (Some(unit), Some(frame)) => format!("{unit} ({frame})"),
        (Some(unit), None) => unit.to_owned(),
        _ => String::new(),
    };
    let meaning = column["description"].as_str().unwrap_or_default().replace('\n', " ");
    let _ = writeln!(page, "| `{name}` | {} | {unit} | {meaning} |", type_name(column));
    let parts = if column["items"]["properties"].is_object() { &column["items"] } else { column };
    for (part, schema) in parts["properties"].as_object().into_iter().flatten() {
        column_row(page, &format!("{name}.{part}"), schema);
    }
}

/// Short name of a JSON Schema type, with `?` where null is allowed.
fn type_name(schema: &Value) -> String {
    if schema["x-arrow"] == "binary" {
        return "binary".into();
    }
    if let Some(values) = enum_values(schema) {
        return values.join(" \\| ");
    }
    let kind = json_type::name(schema);
    let name = match kind {
        "array" => format!("list<{}>", type_name(&schema["items"])),
        "object" => "struct".into(),
        "integer" | "number" => schema["format"].as_str().unwrap_or(kind).to_owned(),
        other => other.to_owned(),
    };
    if json_type::may_be_null(schema) { format!("{name}?") } else { name }
}

/// The values of a string enum, in the order of the code; null when the schema is no enum.
fn enum_values(schema: &Value) -> Option<Vec<String>> {
    let quoted = |v: &Value| v.as_str().map(|s| format!("`{s}`"));
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(quoted).collect();
    }
    schema["oneOf"].as_array()?.iter().map(|one| quoted(&one["const"])).collect()
}
