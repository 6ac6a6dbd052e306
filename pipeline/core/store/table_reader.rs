//! Tables from Parquet, with the columns that their records declare.

use super::decoded_size::decoded_bytes;
use super::schema::arrow_fields;
use crate::StoreError;
use arrow::datatypes::{DataType, Fields};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use std::fs::File;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use uavgen_schemas::{Record, TableInfo};

/// Reads a table file batch by batch.
pub struct TableReader<R> {
    path: PathBuf,
    reader: ParquetRecordBatchReader,
    row_groups: Vec<u64>,
    decoded_bytes: u64,
    row: PhantomData<R>,
}

impl<R: Record> TableReader<R> {
    /// Opens a table file of `R`.
    ///
    /// # Errors
    /// When the file is missing, is no Parquet, or has other columns than `R`.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::with_batch_rows(path, 1024)
    }

    /// Opens a table file of `R`, reading `rows` at a time (few where rows are heavy).
    ///
    /// # Errors
    /// As [`TableReader::open`].
    pub fn with_batch_rows(path: &Path, rows: usize) -> Result<Self, StoreError> {
        let file = File::open(path).map_err(|error| StoreError::io("open", path, error))?;
        let corrupt = |problem: String| StoreError::Corrupt { path: path.to_owned(), problem };
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| corrupt(error.to_string()))?;
        check_columns(&arrow_fields(&TableInfo::of::<R>())?, builder.schema().fields(), "").map_err(corrupt)?;
        let row_groups = row_groups(&builder);
        let reader = builder.with_batch_size(rows).build().map_err(|error| corrupt(error.to_string()))?;
        Ok(Self { path: path.to_owned(), reader, row_groups, decoded_bytes: 0, row: PhantomData })
    }

    /// Opens a table file that may have more columns than `R`, in any order; only those of `R` are read.
    ///
    /// # Errors
    /// When the file is missing, is no Parquet, or lacks a column of `R`.
    pub fn open_columns(path: &Path) -> Result<Self, StoreError> {
        let file = File::open(path).map_err(|error| StoreError::io("open", path, error))?;
        let corrupt = |problem: String| StoreError::Corrupt { path: path.to_owned(), problem };
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| corrupt(error.to_string()))?;
        let wanted = arrow_fields(&TableInfo::of::<R>())?;
        let found = builder.schema().fields();
        let mut columns = Vec::new();
        for field in &wanted {
            let (position, present) =
                found.find(field.name()).ok_or_else(|| corrupt(format!("column {} is missing", field.name())))?;
            check_columns(&Fields::from(vec![field.clone()]), &Fields::from(vec![present.clone()]), "")
                .map_err(corrupt)?;
            columns.push(position);
        }
        let mask = ProjectionMask::roots(builder.parquet_schema(), columns);
        let row_groups = row_groups(&builder);
        let reader = builder.with_projection(mask).build().map_err(|error| corrupt(error.to_string()))?;
        Ok(Self { path: path.to_owned(), reader, row_groups, decoded_bytes: 0, row: PhantomData })
    }

    /// Number of rows of each row group, in order.
    pub fn row_groups(&self) -> &[u64] {
        &self.row_groups
    }

    /// Decoded size in bytes of the rows so far. That of all rows is what [`super::WrittenTable`] has, but for a few bytes per
    /// column and batch.
    pub fn decoded_bytes(&self) -> u64 {
        self.decoded_bytes
    }

    /// All rows.
    ///
    /// # Errors
    /// When a batch cannot be decoded.
    pub fn rows(self) -> Result<Vec<R>, StoreError> {
        let mut rows = Vec::new();
        for batch in self {
            rows.extend(batch?);
        }
        Ok(rows)
    }
}

fn row_groups(builder: &ParquetRecordBatchReaderBuilder<File>) -> Vec<u64> {
    builder.metadata().row_groups().iter().map(|group| u64::try_from(group.num_rows()).unwrap_or(0)).collect()
}

/// Compares names, order and types; metadata may differ, and columns that must not be null may be declared as if they could
/// (a null in one is found when its row is read). A column that may be null must be declared so.
fn check_columns(expected: &Fields, found: &Fields, place: &str) -> Result<(), String> {
    let names = |fields: &Fields| fields.iter().map(|f| f.name().as_str()).collect::<Vec<_>>().join(", ");
    if names(expected) != names(found) {
        return Err(format!("columns{place} are [{}], expected [{}]", names(found), names(expected)));
    }
    for (expected, found) in expected.iter().zip(found) {
        let name = format!("{place} {}", expected.name());
        if expected.is_nullable() && !found.is_nullable() {
            return Err(format!("column{name}: nullable is false, expected true"));
        }
        check_type(expected.data_type(), found.data_type(), &name)?;
    }
    Ok(())
}

fn check_type(expected: &DataType, found: &DataType, name: &str) -> Result<(), String> {
    match (expected, found) {
        (DataType::List(expected), DataType::List(found)) => check_type(expected.data_type(), found.data_type(), name),
        (DataType::Struct(expected), DataType::Struct(found)) => check_columns(expected, found, name),
        (expected, found) if expected == found => Ok(()),
        (expected, found) => Err(format!("column{name} is {found}, expected {expected}")),
    }
}

impl<R: Record> Iterator for TableReader<R> {
    type Item = Result<Vec<R>, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = match self.reader.next()? {
            Ok(batch) => batch,
            Err(error) => {
                return Some(Err(StoreError::Corrupt { path: self.path.clone(), problem: error.to_string() }));
            }
        };
        self.decoded_bytes += decoded_bytes(&batch, 0, batch.num_rows()) as u64;
        Some(serde_arrow::from_record_batch(&batch).map_err(|error| StoreError::Corrupt {
            path: self.path.clone(),
            problem: format!("rows do not fit table {}: {error}", R::TABLE),
        }))
    }
}
