//! How the columns of a table are encoded.
//!
//! Everything here is fixed, so that the same rows give the same bytes on every machine.

use super::TableOptions;
use super::features::features;
use arrow::datatypes::{DataType, Fields};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::schema::types::ColumnPath;
use uavgen_schemas::TableInfo;

/// Version of all this: part of every fingerprint. Raised whenever the same rows give other bytes, also after an update
/// of the libraries that encode and compress.
pub const ENCODING: u32 = 3;

/// Largest dictionary of a column that is no image; questions and programs repeat, each of them being long.
const DICTIONARY_BYTES: usize = 8 << 20;

/// The writer's settings for `table`.
pub(super) fn writer_properties(
    table: &TableInfo,
    fields: &Fields,
    options: &TableOptions,
) -> Result<WriterProperties, ParquetError> {
    let mut builder = WriterProperties::builder()
        .set_created_by("uavgen".into())
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_dictionary_page_size_limit(DICTIONARY_BYTES)
        .set_max_row_group_row_count(Some(options.row_group_rows))
        .set_key_value_metadata(Some(metadata(table, options)));
    for (path, data_type) in leaves(fields) {
        if path.parts().len() > 1 {
            // The smallest and largest of all elements of all lists tell no reader which rows to skip.
            builder = builder.set_column_statistics_enabled(path.clone(), EnabledStatistics::None);
        }
        if data_type == DataType::Binary {
            // Encoded images gain nothing from zstd; the dictionary stores one that several rows share only once.
            builder = builder
                .set_column_compression(path.clone(), Compression::UNCOMPRESSED)
                .set_column_statistics_enabled(path.clone(), EnabledStatistics::None)
                .set_column_dictionary_page_size_limit(path, usize::MAX >> 1);
        }
    }
    if let Some(key) = fields.first().filter(|field| *field.data_type() == DataType::Utf8) {
        // The first column is the row's key: no value comes twice, and sorted keys share their beginnings.
        let path = ColumnPath::new(vec![key.name().clone()]);
        builder = builder
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, Encoding::DELTA_BYTE_ARRAY);
    }
    Ok(builder.build())
}

fn metadata(table: &TableInfo, options: &TableOptions) -> Vec<KeyValue> {
    let mut metadata = vec![
        KeyValue::new("uavgen.table".into(), table.name.to_owned()),
        KeyValue::new("uavgen.version".into(), table.version.to_string()),
    ];
    metadata.extend(declared_features(table, options).map(|(key, value)| KeyValue::new(key, value)));
    metadata
}

/// Key and value by which Hugging Face `datasets` knows the features; nothing where the table is not to declare them.
pub(super) fn declared_features(table: &TableInfo, options: &TableOptions) -> Option<(String, String)> {
    let info = serde_json::json!({"info": {"features": features(table)}});
    options.declare_features.then(|| ("huggingface".to_owned(), info.to_string()))
}

/// The columns that Parquet stores: one for each leaf of the schema.
fn leaves(fields: &Fields) -> Vec<(ColumnPath, DataType)> {
    fn walk(path: &mut Vec<String>, data_type: &DataType, found: &mut Vec<(ColumnPath, DataType)>) {
        match data_type {
            DataType::List(element) => {
                path.extend(["list".to_owned(), element.name().clone()]);
                walk(path, element.data_type(), found);
                path.truncate(path.len() - 2);
            }
            DataType::Struct(parts) => {
                for part in parts {
                    path.push(part.name().clone());
                    walk(path, part.data_type(), found);
                    path.pop();
                }
            }
            leaf => found.push((ColumnPath::new(path.clone()), leaf.clone())),
        }
    }
    let mut found = Vec::new();
    for field in fields {
        walk(&mut vec![field.name().clone()], field.data_type(), &mut found);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::schema::arrow_fields;
    use uavgen_schemas::{Box2d, QaRow};

    fn properties(table: TableInfo) -> WriterProperties {
        writer_properties(&table, &arrow_fields(&table).unwrap(), &TableOptions::default()).unwrap()
    }

    fn path(parts: &[&str]) -> ColumnPath {
        ColumnPath::new(parts.iter().map(|&part| part.to_owned()).collect())
    }

    #[test]
    fn images_are_stored_as_they_are_and_once_per_row_group() {
        let properties = properties(TableInfo::of::<QaRow>());
        let bytes = path(&["images", "list", "element", "bytes"]);
        assert_eq!(properties.compression(&bytes), Compression::UNCOMPRESSED);
        assert!(properties.dictionary_enabled(&bytes));
        assert!(properties.column_dictionary_page_size_limit(&bytes) > 1 << 40);
        assert!(matches!(properties.compression(&path(&["question"])), Compression::ZSTD(_)));
    }

    #[test]
    fn keys_are_delta_encoded_without_a_dictionary() {
        let properties = properties(TableInfo::of::<Box2d>());
        let key = path(&["box_id"]);
        assert!(!properties.dictionary_enabled(&key) && properties.dictionary_enabled(&path(&["category"])));
        assert_eq!(properties.encoding(&key), Some(Encoding::DELTA_BYTE_ARRAY));
    }
}
