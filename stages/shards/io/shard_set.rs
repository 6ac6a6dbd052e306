//! The files of one config and split.

use super::super::pure::shard_path;
use uavgen_core::store::{TableOptions, TableWriter, WrittenTable};
use uavgen_core::{Context, Digests, TaskError};
use uavgen_schemas::{Record, Shard};

/// Writes rows to as many files as their size asks for. How many that is, and so the files' names, is known only at
/// the end: until then a file has a working name.
pub(super) struct ShardSet<R> {
    config: &'static str,
    split: String,
    options: TableOptions,
    shard_bytes: u64,
    open: Option<TableWriter<R>>,
    written: Vec<WrittenTable>,
}

impl<R: Record> ShardSet<R> {
    pub(super) fn new(config: &'static str, split: &str, options: TableOptions, shard_bytes: u64) -> Self {
        Self { config, split: split.to_owned(), options, shard_bytes, open: None, written: Vec::new() }
    }

    /// Appends a row, opening a file when none is open: without rows there is no file.
    pub(super) fn push(&mut self, context: &mut Context, row: R) -> Result<(), TaskError> {
        let mut writer = match self.open.take() {
            Some(writer) => writer,
            None => TableWriter::create(&context.blob(&self.working_name(self.written.len()))?, self.options)?,
        };
        writer.push(&row)?;
        if writer.bytes_written() >= self.shard_bytes {
            self.written.push(writer.finish()?);
        } else {
            self.open = Some(writer);
        }
        Ok(())
    }

    /// Completes the last file, and gives all of them their names.
    pub(super) fn finish(mut self, context: &mut Context) -> Result<Vec<Shard>, TaskError> {
        if let Some(writer) = self.open.take() {
            self.written.push(writer.finish()?);
        }
        let count = self.written.len();
        (0..count).map(|index| self.publishable(context, index, count)).collect()
    }

    fn publishable(&self, context: &mut Context, index: usize, count: usize) -> Result<Shard, TaskError> {
        let path = shard_path(self.config, &self.split, index, count);
        context.rename_blob(&self.working_name(index), &path)?;
        let Digests { bytes, sha256, .. } = context.blob_digests(&path)?;
        let table = &self.written[index];
        Ok(Shard {
            path,
            config: self.config.to_owned(),
            split: self.split.clone(),
            row_count: table.rows as i64,
            row_group_count: table.row_groups as i64,
            decoded_bytes: table.decoded_bytes as i64,
            byte_count: bytes as i64,
            sha256,
        })
    }

    fn working_name(&self, index: usize) -> String {
        format!("data/{}/{}-{index:05}.part", self.config, self.split)
    }
}
