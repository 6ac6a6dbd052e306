//! What goes into a task and what comes out of it.

use crate::digests::Digests;
use crate::store::TableReader;
use crate::{Artifact, Blob, Counts, Manifest, Partition, Publication, Store, StoreError, TaskError};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use uavgen_schemas::Record;

/// A table as one upstream task wrote it.
#[derive(Debug, Clone)]
pub struct InputPart {
    /// Partition of the upstream task.
    pub partition: Partition,
    /// The table, as the upstream manifest has it.
    pub table: Artifact,
    /// Folder of the upstream attempt, in which table and blobs are.
    pub attempt_folder: PathBuf,
    /// Blobs of the upstream task by path inside the attempt.
    pub blobs: BTreeMap<String, Blob>,
}

impl InputPart {
    /// A table of a result; null when the result has no such table.
    pub fn of(store: &Store, manifest: &Manifest, table: &str) -> Option<Self> {
        Some(Self {
            partition: manifest.partition().clone(),
            table: manifest.artifacts.get(table)?.clone(),
            attempt_folder: store.attempt_folder(manifest),
            blobs: manifest.blobs.clone(),
        })
    }

    /// Reads the table, whose content is what was written.
    ///
    /// # Errors
    /// When the file cannot be read or holds other columns; and as [`InputPart::table_file`].
    pub fn reader<R: Record>(&self) -> Result<TableReader<R>, StoreError> {
        TableReader::open(&self.table_file()?)
    }

    /// The table's file, whose content is what was written.
    ///
    /// # Errors
    /// When the file cannot be read, or was damaged since: it is then removed, so that the next build makes it again.
    pub fn table_file(&self) -> Result<PathBuf, StoreError> {
        let path = self.attempt_folder.join(&self.table.file);
        refuse_damaged(&path, &Digests::blake3_of(&path)?, &self.table.digest)?;
        Ok(path)
    }

    /// Path of a blob with its digests; its content is what was written.
    ///
    /// # Errors
    /// When the upstream task has no such blob; and as [`InputPart::table_file`].
    pub fn blob_file(&self, name: &str) -> Result<(PathBuf, Digests), TaskError> {
        let blob = self.blobs.get(name).ok_or_else(|| TaskError::failed(format!("no blob {name} upstream")))?;
        let path = self.attempt_folder.join(name);
        let digests = Digests::of(&path)?;
        refuse_damaged(&path, &digests.blake3, &blob.digest)?;
        Ok((path, digests))
    }
}

/// A file of a result that is no longer what its manifest says must never be read: everything made from it would be
/// wrong, and would look right.
///
/// # Errors
/// [`StoreError::Damaged`] when the digests differ: the file is then removed, so that the next build makes it again.
pub fn refuse_damaged(path: &Path, found: &str, expected: &str) -> Result<(), StoreError> {
    if found == expected {
        return Ok(());
    }
    let removed = fs::remove_file(path).is_ok();
    Err(StoreError::Damaged { path: path.to_owned(), removed })
}

/// A table over all partitions that the task covers, sorted by partition.
pub type InputTable = Vec<InputPart>;

/// What a task may read. An optional table that no stage writes has no entry.
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    /// Tables by name.
    pub tables: BTreeMap<String, InputTable>,
    /// Summed counts of every upstream stage, for stages that ask for them.
    pub counts: BTreeMap<String, Counts>,
    /// Source files of a root task, sorted.
    pub files: Vec<SourceFile>,
    /// Options of a root task, see [`crate::Discovered::options`]; for a stage that reads counts, what it may say about
    /// the project: its name as `project`, and `split_mode`.
    pub options: BTreeMap<String, Value>,
}

/// A file of a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceFile {
    /// Path relative to the root of the source, `/`-separated.
    pub file: String,
    /// BLAKE3 of the content, hexadecimal; of `unreadable` where there is no content to read.
    pub digest: String,
    /// State of the file when it was digested; all zero where it cannot be read.
    pub stamp: FileStamp,
    /// Why the file cannot be read (rights, a failing disk); null when it can.
    pub unreadable: Option<String>,
}

/// What tells one state of a file from another without reading it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileStamp {
    /// Size in bytes.
    pub size: u64,
    /// Time of the last change of the content, nanoseconds since 1970 UTC.
    pub mtime_ns: i64,
    /// Time of the last change of content or metadata, nanoseconds since 1970 UTC.
    pub ctime_ns: i64,
    /// Number of the file in its file system: another one after a rename.
    pub inode: u64,
}

impl FileStamp {
    /// The stamp in a file's metadata.
    pub fn of(metadata: &Metadata) -> Self {
        let nanoseconds = |s: i64, ns: i64| s.saturating_mul(1_000_000_000).saturating_add(ns);
        Self {
            size: metadata.len(),
            mtime_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            ctime_ns: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
        }
    }
}

/// What a task produced.
#[derive(Debug, Clone, Default)]
pub struct TaskResult {
    /// Tables by name, with the stage's `rejects`.
    pub artifacts: BTreeMap<String, Artifact>,
    /// Blobs by path inside the attempt.
    pub blobs: BTreeMap<String, Blob>,
    /// What went in and came out.
    pub counts: Counts,
    /// Folder to publish.
    pub publication: Option<Publication>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(folder: &Path) -> InputPart {
        fs::write(folder.join("rows.parquet"), "rows").unwrap();
        fs::write(folder.join("a.mp4"), "video").unwrap();
        let digest = |text: &str| crate::fingerprint::digest(text.as_bytes());
        InputPart {
            partition: Partition::Dataset,
            table: Artifact { file: "rows.parquet".into(), rows: 1, digest: digest("rows"), bytes: 4 },
            attempt_folder: folder.to_owned(),
            blobs: BTreeMap::from([("a.mp4".to_owned(), Blob { digest: digest("video"), bytes: 5 })]),
        }
    }

    #[test]
    fn a_damaged_file_is_not_read_and_makes_room_for_a_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let part = part(folder.path());
        assert_eq!(part.table_file().unwrap(), folder.path().join("rows.parquet"));
        assert_eq!(part.blob_file("a.mp4").unwrap().1.bytes, 5);
        assert!(part.blob_file("b.mp4").is_err());
        for file in ["rows.parquet", "a.mp4"] {
            fs::write(folder.path().join(file), "r0ws").unwrap();
        }
        let errors = [part.table_file().unwrap_err().to_string(), part.blob_file("a.mp4").unwrap_err().to_string()];
        assert!(errors.iter().all(|error| error.contains("the next build makes it again")), "{errors:?}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
