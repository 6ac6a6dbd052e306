//! The proof that a task's result exists, and what it consists of.
//!
//! Versions of uavgen share stores: what one says about a result and another does not know costs no result. Fields may
//! come, with a default; none may go or change its meaning. What a result is keyed by ([`FingerprintInputs`]) is read
//! strictly: who does not know all of it leaves the result alone, see [`crate::store::Proof::Foreign`].

use crate::{FingerprintInputs, Partition, fingerprint};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One table that a task wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
pub struct Blob {
    /// BLAKE3 of the file, hexadecimal.
    pub digest: String,
    /// Size of the file in bytes.
    pub bytes: u64,
}

/// How much of one kind of input a task looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct InputCounts {
    /// Number looked at.
    pub read: u64,
    /// Those of `read` that are broken and were left out (rejects of kind `quarantine`), per reason.
    pub quarantined: BTreeMap<String, u64>,
}

/// What went in and came out; the report is summed from these.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// What the task looked at, per kind of input in the singular (`image`, `annotation line`): a share of broken input
    /// is a share of one kind, since thousands of sound lines say nothing about the images.
    pub inputs: BTreeMap<String, InputCounts>,
    /// Rows written, per table.
    pub written: BTreeMap<String, u64>,
    /// Rejects of kind `rule`, per reason.
    pub rule: BTreeMap<String, u64>,
    /// Rejects of kind `refusal`, per reason.
    pub refusal: BTreeMap<String, u64>,
    /// Anything else worth a number in the report, by name.
    pub notes: BTreeMap<String, u64>,
}

impl Counts {
    /// Adds the counts of another task.
    pub fn add(&mut self, other: &Self) {
        for (kind, more) in &other.inputs {
            let sum = self.inputs.entry(kind.clone()).or_default();
            sum.read += more.read;
            add(&mut sum.quarantined, &more.quarantined);
        }
        add(&mut self.written, &other.written);
        add(&mut self.rule, &other.rule);
        add(&mut self.refusal, &other.refusal);
        add(&mut self.notes, &other.notes);
    }

    /// Number of things that the task looked at, of all kinds.
    pub fn read(&self) -> u64 {
        self.inputs.values().map(|input| input.read).sum()
    }

    /// Rejects of kind `quarantine` over all kinds of input, per reason.
    pub fn quarantined(&self) -> BTreeMap<String, u64> {
        let mut sum = BTreeMap::new();
        self.inputs.values().for_each(|input| add(&mut sum, &input.quarantined));
        sum
    }

    /// Number of rejects of every kind.
    pub fn rejects(&self) -> u64 {
        let broken = self.inputs.values().map(|input| &input.quarantined);
        [&self.rule, &self.refusal].into_iter().chain(broken).flat_map(BTreeMap::values).sum()
    }
}

fn add(sum: &mut BTreeMap<String, u64>, more: &BTreeMap<String, u64>) {
    for (name, count) in more {
        *sum.entry(name.clone()).or_default() += count;
    }
}

/// One file of a publication.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
pub struct Publication {
    /// Name of the folder below `releases/`; derived from content.
    pub id: String,
    /// Its files, sorted by path.
    pub files: Vec<PublishedFile>,
}

/// How the run went; never hashed and never part of a release.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
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
