//! Tables to Parquet, always with the same bytes for the same rows.

use super::decoded_size::decoded_bytes;
use super::properties::{declared_features, writer_properties};
use super::schema::{all_nullable, arrow_fields};
use crate::{Artifact, StoreError};
use arrow::array::RecordBatch;
use arrow::datatypes::Schema;
use parquet::arrow::ArrowWriter;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use uavgen_schemas::{Record, TableInfo};

/// Rows that are turned into columns at once.
const BATCH_ROWS: usize = 1024;
/// Heavy bytes (images) that are turned into columns at once.
const BATCH_HEAVY_BYTES: usize = 4 << 20;

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

impl WrittenTable {
    /// The table as a manifest has it, in a file of this name.
    pub fn into_artifact(self, file: String) -> Artifact {
        Artifact { file, rows: self.rows, digest: self.digest, bytes: self.bytes }
    }
}

/// Writes rows of `R` to a Parquet file. Memory is bounded by one row group.
pub struct TableWriter<R> {
    path: PathBuf,
    row: PhantomData<R>,
    schema: Arc<Schema>,
    writer: ArrowWriter<HashingFile>,
    options: TableOptions,
    /// Rows are turned into columns one by one, so that their memory is reused at once.
    pending: serde_arrow::ArrayBuilder,
    pending_rows: usize,
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
        let fields = if options.declare_features { all_nullable(&fields) } else { fields };
        // Readers of Arrow look for features here, others in the metadata of the file.
        let metadata: HashMap<String, String> = declared_features(&table, &options).into_iter().collect();
        let schema = Arc::new(Schema::new_with_metadata(fields.clone(), metadata));
        let file = File::options()
            .write(true)
            .create_new(true)
            .open(path)
            .map_err(|error| StoreError::io("create", path, error))?;
        let properties = writer_properties(&table, &fields, &options).map_err(|error| parquet_error(path, error))?;
        let pending = serde_arrow::ArrayBuilder::from_arrow(&fields).map_err(rows_error::<R>)?;
        let writer = ArrowWriter::try_new(HashingFile::new(file), schema.clone(), Some(properties))
            .map_err(|error| parquet_error(path, error))?;
        Ok(Self {
            path: path.to_owned(),
            row: PhantomData,
            schema,
            writer,
            options,
            pending,
            pending_rows: 0,
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
    pub fn push(&mut self, row: &R) -> Result<(), StoreError> {
        self.pending.push(row).map_err(rows_error::<R>)?;
        self.pending_rows += 1;
        self.pending_heavy += row.heavy_bytes();
        if self.pending_rows >= BATCH_ROWS || self.pending_heavy >= BATCH_HEAVY_BYTES {
            self.write_pending()?;
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
        self.write_pending()?;
        let wrap = |error| parquet_error(&self.path, error);
        self.writer.flush().map_err(wrap)?;
        let row_groups = self.writer.flushed_row_groups().len() as u64;
        // Writes the footer too; a call of `finish` before it would make it fail.
        let file = self.writer.into_inner().map_err(wrap)?;
        let (bytes, digest) = file.finish().map_err(|error| StoreError::io("write", &self.path, error))?;
        Ok(WrittenTable { rows: self.rows, row_groups, decoded_bytes: self.decoded_bytes, bytes, digest })
    }

    fn write_pending(&mut self) -> Result<(), StoreError> {
        if self.pending_rows == 0 {
            return Ok(());
        }
        (self.pending_rows, self.pending_heavy) = (0, 0);
        let columns = self.pending.to_arrow().map_err(rows_error::<R>)?;
        let batch = RecordBatch::try_new(self.schema.clone(), columns).map_err(rows_error::<R>)?;
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

fn rows_error<R: Record>(error: impl std::fmt::Display) -> StoreError {
    StoreError::Rows { table: R::TABLE.into(), problem: error.to_string() }
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
