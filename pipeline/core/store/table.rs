//! Tables to Parquet and back, always with the same bytes for the same rows.

use super::decoded_size::decoded_bytes;
use super::features::features;
use super::schema::arrow_fields;
use crate::StoreError;
use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Fields, Schema};
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::schema::types::ColumnPath;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use uavgen_schemas::{Record, TableInfo};

/// Rows that are turned into columns at once.
const BATCH_ROWS: usize = 4096;
/// Heavy bytes (images) that are turned into columns at once.
const BATCH_HEAVY_BYTES: usize = 16 << 20;

/// How a table is laid out in its file.
#[derive(Debug, Clone, Copy)]
pub struct TableOptions {
    /// Most rows of a row group.
    pub row_group_rows: usize,
    /// Most decoded bytes of a row group (Arrow memory; an image counts once per row that holds it). A single row that
    /// is larger stands alone.
    pub row_group_bytes: usize,
    /// Declare Hugging Face features in the file.
    pub declare_features: bool,
}

impl Default for TableOptions {
    fn default() -> Self {
        Self { row_group_rows: 65_536, row_group_bytes: 96 << 20, declare_features: false }
    }
}

/// What a finished table file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenTable {
    /// Number of rows.
    pub rows: u64,
    /// Number of row groups.
    pub row_groups: u64,
    /// Decoded size in bytes, see [`TableOptions::row_group_bytes`].
    pub decoded_bytes: u64,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// BLAKE3 of the file, hexadecimal.
    pub digest: String,
}

/// Writes rows of `R` to a Parquet file. Memory is bounded by one row group.
pub struct TableWriter<R> {
    path: PathBuf,
    fields: Fields,
    schema: Arc<Schema>,
    writer: ArrowWriter<HashingFile>,
    options: TableOptions,
    pending: Vec<R>,
    pending_heavy: usize,
    group_rows: usize,
    group_bytes: usize,
    rows: u64,
    decoded_bytes: u64,
}

impl<R: Record> TableWriter<R> {
    /// A writer to the new file `path`.
    ///
    /// # Errors
    /// When the file exists or cannot be created.
    pub fn create(path: &Path, options: TableOptions) -> Result<Self, StoreError> {
        let table = TableInfo::of::<R>();
        let fields = arrow_fields(&table)?;
        let schema = Arc::new(Schema::new(fields.clone()));
        let file = File::options()
            .write(true)
            .create_new(true)
            .open(path)
            .map_err(|error| StoreError::io("create", path, error))?;
        let properties = properties(&table, &fields, &options)?;
        let writer = ArrowWriter::try_new(HashingFile::new(file), schema.clone(), Some(properties))
            .map_err(|error| parquet_error(path, error))?;
        Ok(Self {
            path: path.to_owned(),
            fields,
            schema,
            writer,
            options,
            pending: Vec::new(),
            pending_heavy: 0,
            group_rows: 0,
            group_bytes: 0,
            rows: 0,
            decoded_bytes: 0,
        })
    }

    /// Appends a row.
    ///
    /// # Errors
    /// When rows cannot be converted or written.
    pub fn push(&mut self, row: R) -> Result<(), StoreError> {
        self.pending_heavy += row.heavy_bytes();
        self.pending.push(row);
        if self.pending.len() >= BATCH_ROWS || self.pending_heavy >= BATCH_HEAVY_BYTES {
            self.convert_pending()?;
        }
        Ok(())
    }

    /// Size of the file so far: its completed row groups. Grows by whole row groups.
    pub fn bytes_written(&self) -> u64 {
        self.writer.inner().bytes
    }

    /// Completes the file.
    ///
    /// # Errors
    /// When the rest cannot be written.
    pub fn finish(mut self) -> Result<WrittenTable, StoreError> {
        self.convert_pending()?;
        let wrap = |error| parquet_error(&self.path, error);
        self.writer.flush().map_err(wrap)?;
        let row_groups = self.writer.flushed_row_groups().len() as u64;
        // Writes the footer too; a call of `finish` before it would make it fail.
        let file = self.writer.into_inner().map_err(wrap)?;
        let (bytes, digest) = file.finish().map_err(|error| StoreError::io("write", &self.path, error))?;
        Ok(WrittenTable { rows: self.rows, row_groups, decoded_bytes: self.decoded_bytes, bytes, digest })
    }

    fn convert_pending(&mut self) -> Result<(), StoreError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let rows = std::mem::take(&mut self.pending);
        self.pending_heavy = 0;
        let columns = serde_arrow::to_arrow(&self.fields, &rows)
            .map_err(|error| StoreError::Rows { table: R::TABLE.into(), problem: error.to_string() })?;
        let batch = RecordBatch::try_new(self.schema.clone(), columns)
            .map_err(|error| StoreError::Rows { table: R::TABLE.into(), problem: error.to_string() })?;
        self.write_batch(&batch)
    }

    /// Writes a batch, closing row groups so that none exceeds the limits.
    fn write_batch(&mut self, batch: &RecordBatch) -> Result<(), StoreError> {
        let mut start = 0;
        while start < batch.num_rows() {
            let free_rows = self.options.row_group_rows - self.group_rows;
            let free_bytes = self.options.row_group_bytes.saturating_sub(self.group_bytes);
            let (mut count, mut bytes) = fitting_rows(batch, start, free_rows, free_bytes);
            if count == 0 {
                if self.group_rows > 0 {
                    self.close_row_group()?;
                    continue;
                }
                count = 1;
                bytes = decoded_bytes(batch, start, 1);
            }
            self.writer.write(&batch.slice(start, count)).map_err(|error| parquet_error(&self.path, error))?;
            self.group_rows += count;
            self.group_bytes += bytes;
            self.rows += count as u64;
            self.decoded_bytes += bytes as u64;
            start += count;
        }
        Ok(())
    }

    fn close_row_group(&mut self) -> Result<(), StoreError> {
        self.group_rows = 0;
        self.group_bytes = 0;
        self.writer.flush().map_err(|error| parquet_error(&self.path, error))
    }
}

/// How many rows from `start` fit the limits, and their decoded size.
fn fitting_rows(batch: &RecordBatch, start: usize, free_rows: usize, free_bytes: usize) -> (usize, usize) {
    let most = free_rows.min(batch.num_rows() - start);
    let size = |count: usize| decoded_bytes(batch, start, count);
    let all = size(most);
    if all <= free_bytes {
        return (most, all);
    }
    // The size grows with the number of rows, so the largest number that fits is found by halving.
    let (mut fits, mut too_many) = (0, most);
    while too_many - fits > 1 {
        let middle = fits + (too_many - fits) / 2;
        if size(middle) <= free_bytes { fits = middle } else { too_many = middle }
    }
    (fits, if fits == 0 { 0 } else { size(fits) })
}

fn properties(table: &TableInfo, fields: &Fields, options: &TableOptions) -> Result<WriterProperties, StoreError> {
    let level = ZstdLevel::try_new(3).map_err(|error| parquet_error(Path::new(table.name), error))?;
    let mut metadata = vec![
        KeyValue::new("uavgen.table".into(), table.name.to_owned()),
        KeyValue::new("uavgen.version".into(), table.version.to_string()),
    ];
    if options.declare_features {
        let info = serde_json::json!({"info": {"features": features(table)}});
        metadata.push(KeyValue::new("huggingface".into(), info.to_string()));
    }
    let mut builder = WriterProperties::builder()
        .set_created_by("uavgen".into())
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_compression(Compression::ZSTD(level))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_max_row_group_row_count(Some(options.row_group_rows))
        .set_key_value_metadata(Some(metadata));
    for path in binary_columns(fields) {
        // Encoded images gain nothing from zstd; the dictionary stores an image that several rows share only once.
        builder = builder
            .set_column_compression(path.clone(), Compression::UNCOMPRESSED)
            .set_column_statistics_enabled(path.clone(), EnabledStatistics::None)
            .set_column_dictionary_page_size_limit(path, usize::MAX >> 1);
    }
    Ok(builder.build())
}

/// Paths of the leaves that hold encoded images.
fn binary_columns(fields: &Fields) -> Vec<ColumnPath> {
    fn walk(path: &mut Vec<String>, data_type: &DataType, found: &mut Vec<ColumnPath>) {
        match data_type {
            DataType::Binary => found.push(ColumnPath::new(path.clone())),
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
            _ => {}
        }
    }
    let mut found = Vec::new();
    for field in fields {
        walk(&mut vec![field.name().clone()], field.data_type(), &mut found);
    }
    found
}

fn parquet_error(path: &Path, error: parquet::errors::ParquetError) -> StoreError {
    // The writer hides the I/O error that tells a full disk; look for it below.
    if let parquet::errors::ParquetError::External(inner) = &error
        && let Some(source) = inner.downcast_ref::<io::Error>()
    {
        return StoreError::io("write", path, io::Error::new(source.kind(), source.to_string()));
    }
    StoreError::Corrupt { path: path.to_owned(), problem: error.to_string() }
}

/// A file that hashes what is written to it.
struct HashingFile {
    file: BufWriter<File>,
    hasher: blake3::Hasher,
    bytes: u64,
}

impl HashingFile {
    fn new(file: File) -> Self {
        Self { file: BufWriter::with_capacity(1 << 18, file), hasher: blake3::Hasher::new(), bytes: 0 }
    }

    fn finish(mut self) -> io::Result<(u64, String)> {
        self.file.flush()?;
        Ok((self.bytes, self.hasher.finalize().to_hex().to_string()))
    }
}

impl Write for HashingFile {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.file.write(buffer)?;
        self.hasher.update(&buffer[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Reads a table file batch by batch.
pub struct TableReader<R> {
    path: PathBuf,
    reader: ParquetRecordBatchReader,
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
        let reader = builder.with_batch_size(rows).build().map_err(|error| corrupt(error.to_string()))?;
        Ok(Self { path: path.to_owned(), reader, row: PhantomData })
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
        let reader = builder.with_projection(mask).build().map_err(|error| corrupt(error.to_string()))?;
        Ok(Self { path: path.to_owned(), reader, row: PhantomData })
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

/// Compares names, order, types and nullability; metadata may differ.
fn check_columns(expected: &Fields, found: &Fields, place: &str) -> Result<(), String> {
    let names = |fields: &Fields| fields.iter().map(|f| f.name().as_str()).collect::<Vec<_>>().join(", ");
    if names(expected) != names(found) {
        return Err(format!("columns{place} are [{}], expected [{}]", names(found), names(expected)));
    }
    for (expected, found) in expected.iter().zip(found) {
        let name = format!("{place} {}", expected.name());
        if expected.is_nullable() != found.is_nullable() {
            return Err(format!(
                "column{name}: nullable is {}, expected {}",
                found.is_nullable(),
                expected.is_nullable()
            ));
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
        Some(serde_arrow::from_record_batch(&batch).map_err(|error| StoreError::Corrupt {
            path: self.path.clone(),
            problem: format!("rows do not fit table {}: {error}", R::TABLE),
        }))
    }
}
