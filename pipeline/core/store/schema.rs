//! The Arrow schema of a table, derived from the JSON Schema of its record.

use crate::StoreError;
use arrow::datatypes::{DataType, Field, FieldRef, Fields};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use uavgen_schemas::{TableInfo, json_type};

/// The columns of `table`, in the order of the record's fields, with `unit` and `frame` as field metadata.
///
/// # Errors
/// When the record uses a type that has no column form (a bug in `schemas`, caught by its tests).
pub fn arrow_fields(table: &TableInfo) -> Result<Fields, StoreError> {
    struct_fields(&(table.json_schema)()).map_err(|problem| StoreError::Rows { table: table.name.into(), problem })
}

/// The same columns as `datasets` writes them, where anything may be null: it believes declared features only of such ones.
pub(super) fn all_nullable(fields: &Fields) -> Fields {
    fields.iter().map(nullable).collect()
}

fn nullable(field: &FieldRef) -> FieldRef {
    let data_type = match field.data_type() {
        DataType::List(element) => DataType::List(nullable(element)),
        DataType::Struct(parts) => DataType::Struct(all_nullable(parts)),
        other => other.clone(),
    };
    Arc::new(Field::new(field.name(), data_type, true).with_metadata(field.metadata().clone()))
}

fn struct_fields(schema: &Value) -> Result<Fields, String> {
    let properties = schema["properties"].as_object().ok_or("a record must be a struct with named fields")?;
    properties.iter().map(|(name, column)| field(name, column)).collect()
}

fn field(name: &str, schema: &Value) -> Result<FieldRef, String> {
    let nullable = json_type::may_be_null(schema);
    let data_type = data_type(schema).map_err(|problem| format!("column {name}: {problem}"))?;
    let keys = [("x-unit", "unit"), ("x-frame", "frame")];
    let metadata: HashMap<String, String> =
        keys.iter().filter_map(|(from, to)| Some(((*to).to_owned(), schema[*from].as_str()?.to_owned()))).collect();
    Ok(Arc::new(Field::new(name, data_type, nullable).with_metadata(metadata)))
}

/// The type of a column's values, null aside.
pub(super) fn data_type(schema: &Value) -> Result<DataType, String> {
    let schema = json_type::non_null(schema);
    Ok(match (json_type::name(schema), schema["format"].as_str()) {
        ("string", _) if schema["x-arrow"] == "binary" => DataType::Binary,
        ("string", _) => DataType::Utf8,
        ("boolean", _) => DataType::Boolean,
        ("integer", Some("int32")) => DataType::Int32,
        ("integer", Some("int64")) => DataType::Int64,
        ("number", Some("double")) => DataType::Float64,
        ("array", _) => DataType::List(field("element", &schema["items"])?),
        ("object", _) => DataType::Struct(struct_fields(schema)?),
        (kind, format) => {
            return Err(format!("type {kind} with format {format:?} has no column form; use i32, i64 or f64"));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use uavgen_schemas::{Frame, QaRow, TABLES};

    #[test]
    fn every_table_has_a_schema() {
        for table in TABLES {
            assert!(!arrow_fields(table).unwrap().is_empty(), "{}", table.name);
        }
    }

    #[test]
    fn columns_keep_the_order_of_the_record_and_their_units() {
        let fields = arrow_fields(&TableInfo::of::<Frame>()).unwrap();
        assert_eq!(fields[0].name(), "frame_id");
        let width = &fields[fields.iter().position(|f| f.name() == "width").unwrap()];
        assert_eq!(width.data_type(), &DataType::Int64);
        assert_eq!(width.metadata()["unit"], "px");
    }

    #[test]
    fn images_are_a_list_of_bytes_and_path_and_null_is_declared() {
        let fields = arrow_fields(&TableInfo::of::<QaRow>()).unwrap();
        let (_, images) = fields.find("images").unwrap();
        let DataType::List(element) = images.data_type() else { panic!("{images:?}") };
        let DataType::Struct(parts) = element.data_type() else { panic!("{element:?}") };
        assert_eq!(parts.find("bytes").unwrap().1.data_type(), &DataType::Binary);
        assert_eq!(parts.find("path").unwrap().1.data_type(), &DataType::Utf8);
        assert!(fields.find("video").unwrap().1.is_nullable());
        assert!(!fields.find("id").unwrap().1.is_nullable());
    }
}
