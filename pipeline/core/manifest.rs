//! The proof that a task's result exists, and what it consists of.

use crate::{FingerprintInputs, Partition, fingerprint};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One table that a task wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Artifact {
    /// File name inside the attempt.
    pub file: String,
    /// Number of rows.
    pub rows: u64,
    /// BLAKE3 of the file, hexadecimal.
    pub digest: String,
    /// Size of the file in bytes.
    pub bytes: u64,
}

/// One file that a task wrote beside its tables (a video, a shard).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blob {
    /// BLAKE3 of the file, hexadecimal.
    pub digest: String,
    /// Size of the file in bytes.
    pub bytes: u64,
}

/// What went in and came out; the report is summed from these.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Records (or source files) that the task looked at.
    pub read: u64,
    /// Rows written, per table.
    pub written: BTreeMap<String, u64>,
    /// Rejects of kind `rule`, per reason.
    pub rule: BTreeMap<String, u64>,
    /// Rejects of kind `quarantine`, per reason.
    pub quarantine: BTreeMap<String, u64>,
    /// Rejects of kind `refusal`, per reason.
    pub refusal: BTreeMap<String, u64>,
    /// Anything else worth a number in the report, by name.
    pub notes: BTreeMap<String, u64>,
}

impl Counts {
    /// Adds the counts of another task.
    pub fn add(&mut self, other: &Self) {
        self.read += other.read;
        let pairs = [
            (&mut self.written, &other.written),
            (&mut self.rule, &other.rule),
            (&mut self.quarantine, &other.quarantine),
            (&mut self.refusal, &other.refusal),
            (&mut self.notes, &other.notes),
        ];
        for (sum, more) in pairs {
            for (name, count) in more {
                *sum.entry(name.clone()).or_default() += count;
            }
        }
    }
}

/// One file of a publication.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedFile {
    /// Path inside the published folder, `/`-separated.
    pub path: String,
    /// Path of the content, relative to the root of the store, `/`-separated.
    pub content: String,
    /// BLAKE3 of the content, hexadecimal.
    pub digest: String,
}

/// A folder that the engine lays out from files in the store once the task is committed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Publication {
    /// Name of the folder below `releases/`; derived from content.
    pub id: String,
    /// Its files, sorted by path.
    pub files: Vec<PublishedFile>,
}

/// How the run went; never hashed and never part of a release.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunInfo {
    /// Wall time in milliseconds.
    pub duration_ms: u64,
    /// End of the task, seconds since 1970 UTC.
    pub finished_unix_s: u64,
    /// Name of the machine.
    pub host: String,
    /// Version of uavgen.
    pub uavgen_version: String,
}

/// Everything known about a finished task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Fingerprint of `inputs`.
    pub fingerprint: String,
    /// What was hashed, in clear.
    pub inputs: FingerprintInputs,
    /// Folder of the one attempt that counts, beside the manifest.
    pub attempt: String,
    /// Tables by name; a stage writes each of its tables, if with 0 rows.
    pub artifacts: BTreeMap<String, Artifact>,
    /// Blobs by path inside the attempt, `/`-separated.
    pub blobs: BTreeMap<String, Blob>,
    /// What went in and came out.
    pub counts: Counts,
    /// Folder to publish, if the stage asks for one.
    pub publication: Option<Publication>,
    /// How the run went.
    pub run: RunInfo,
}

impl Manifest {
    /// Partition of the task.
    pub fn partition(&self) -> &Partition {
        &self.inputs.partition
    }

    /// Digest of what a reader of `table` depends on: the table and, since it may open them, all blobs beside it. Null
    /// when the task wrote no such table.
    pub fn content_digest(&self, table: &str) -> Option<String> {
        let artifact = self.artifacts.get(table)?;
        if self.blobs.is_empty() {
            return Some(artifact.digest.clone());
        }
        let blobs = self.blobs.iter().map(|(name, blob)| (name.as_str(), blob.digest.as_str()));
        Some(fingerprint::combine(std::iter::once((artifact.file.as_str(), artifact.digest.as_str())).chain(blobs)))
    }
}
