//! The features of a table as Hugging Face `datasets` declares them.

use super::schema::data_type;
use arrow::datatypes::DataType;
use serde_json::{Map, Value, json};
use uavgen_schemas::{TableInfo, json_type};

/// Features of `table`, as in the `huggingface` metadata of a Parquet file: `{"id": {"dtype": "string", …}, …}`.
///
/// Without this declaration `datasets` shows images as structs of bytes. Every column is declared with exactly the type
/// that its Arrow field has, and files that declare features let every column be null, since `datasets` silently drops a
/// declaration that differs from the column in either.
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

/// Features of `table` as dataset cards spell them, in `dataset_info`: a list of `{name, dtype}`, `{name, list}` or
/// `{name, struct}`.
pub fn card_features(table: &TableInfo) -> Value {
    features(table).as_object().map_or(Value::Null, named_features)
}

fn named_features(columns: &Map<String, Value>) -> Value {
    let named = columns.iter().map(|(name, feature)| {
        let mut entry = Map::from_iter([("name".to_owned(), Value::from(name.as_str()))]);
        let (key, value) = feature_entry(feature);
        entry.insert(key.to_owned(), value);
        Value::Object(entry)
    });
    Value::Array(named.collect())
}

/// `("dtype", "string")`, `("list", …)` or `("struct", …)`.
fn feature_entry(feature: &Value) -> (&'static str, Value) {
    match feature["_type"].as_str() {
        Some("Value") => ("dtype", feature["dtype"].clone()),
        Some("List") => ("list", list_element(&feature["feature"])),
        Some(named) => ("dtype", named.to_lowercase().into()),
        None => ("struct", feature.as_object().map_or(Value::Null, named_features)),
    }
}

/// What stands after `list:`: a type's name, the columns of a struct, or again a list.
fn list_element(feature: &Value) -> Value {
    match feature_entry(feature) {
        ("list", inner) => json!({"list": inner}),
        (_, inner) => inner,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uavgen_schemas::QaRow;

    #[test]
    fn card_features_are_spelled_as_the_datasets_library_writes_them() {
        let features = card_features(&TableInfo::of::<QaRow>());
        let of = |name: &str| features.as_array().unwrap().iter().find(|entry| entry["name"] == name).unwrap().clone();
        assert_eq!(of("images"), json!({"name": "images", "list": "image"}));
        assert_eq!(of("options"), json!({"name": "options", "list": "string"}));
        assert_eq!(of("answer_indices"), json!({"name": "answer_indices", "list": "int32"}));
        assert_eq!(of("video"), json!({"name": "video", "dtype": "string"}));
        assert_eq!(of("boxes")["list"][0], json!({"name": "image_index", "dtype": "int32"}));
    }

    #[test]
    fn images_are_declared_as_images_and_boxes_as_lists_of_structs() {
        let features = features(&TableInfo::of::<QaRow>());
        assert_eq!(features["images"], json!({"feature": {"_type": "Image"}, "_type": "List"}));
        assert_eq!(features["answer_indices"]["feature"], json!({"dtype": "int32", "_type": "Value"}));
        assert_eq!(features["boxes"]["feature"]["x1"], json!({"dtype": "float64", "_type": "Value"}));
        assert_eq!(features["video"], json!({"dtype": "string", "_type": "Value"}));
    }
}
