//! The features of a table as Hugging Face `datasets` declares them.

use super::schema::data_type;
use arrow::datatypes::DataType;
use serde_json::{Map, Value, json};
use uavgen_schemas::{TableInfo, json_type};

/// Features of `table`, as in the `huggingface` metadata of a Parquet file: `{"id": {"dtype": "string", …}, …}`.
///
/// Without this declaration `datasets` shows images as structs of bytes. Every column is declared with exactly the type
/// that its Arrow field has, since `datasets` silently drops a declaration that differs.
///
/// # Panics
/// When a column has no type: then the table has no Arrow schema either.
pub fn features(table: &TableInfo) -> Value {
    struct_features(&(table.json_schema)())
}

fn struct_features(schema: &Value) -> Value {
    let columns = schema["properties"].as_object().into_iter().flatten();
    Value::Object(columns.map(|(name, column)| (name.clone(), feature(column))).collect::<Map<_, _>>())
}

fn feature(schema: &Value) -> Value {
    let schema = json_type::non_null(schema);
    if let Some(name) = schema["x-feature"].as_str() {
        return json!({"_type": name});
    }
    let dtype = match data_type(schema) {
        Ok(DataType::List(_)) => return json!({"feature": feature(&schema["items"]), "_type": "List"}),
        Ok(DataType::Struct(_)) => return struct_features(schema),
        Ok(DataType::Binary) => "binary",
        Ok(DataType::Boolean) => "bool",
        Ok(DataType::Int32) => "int32",
        Ok(DataType::Int64) => "int64",
        Ok(DataType::Float64) => "float64",
        Ok(DataType::Utf8) => "string",
        other => panic!("a column must have a type that `datasets` knows: {other:?}"),
    };
    json!({"dtype": dtype, "_type": "Value"})
}

#[cfg(test)]
mod tests {
    use super::*;
    use uavgen_schemas::QaRow;

    #[test]
    fn images_are_declared_as_images_and_boxes_as_lists_of_structs() {
        let features = features(&TableInfo::of::<QaRow>());
        assert_eq!(features["images"], json!({"feature": {"_type": "Image"}, "_type": "List"}));
        assert_eq!(features["answer_indices"]["feature"], json!({"dtype": "int32", "_type": "Value"}));
        assert_eq!(features["boxes"]["feature"]["x1"], json!({"dtype": "float64", "_type": "Value"}));
        assert_eq!(features["video"], json!({"dtype": "string", "_type": "Value"}));
    }
}
