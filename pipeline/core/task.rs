//! What goes into a task and what comes out of it.

use crate::{Artifact, Blob, Counts, Partition, Publication};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A table as one upstream task wrote it.
#[derive(Debug, Clone)]
pub struct InputPart {
    /// Partition of the upstream task.
    pub partition: Partition,
    /// The table's file.
    pub path: PathBuf,
    /// Number of rows.
    pub rows: u64,
    /// Folder of the upstream attempt, in which its blobs are.
    pub attempt_folder: PathBuf,
    /// Blobs of the upstream task by path inside the attempt.
    pub blobs: BTreeMap<String, Blob>,
}

/// A table over all partitions that the task covers, sorted by partition.
pub type InputTable = Vec<InputPart>;

/// What a task may read. An optional table whose stage does not exist has no entry.
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
    /// BLAKE3 of the content, hexadecimal.
    pub digest: String,
    /// Size in bytes.
    pub bytes: u64,
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
