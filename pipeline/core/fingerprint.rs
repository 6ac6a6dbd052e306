//! The key of a task: a hash of everything that may change its output, and of nothing else.
//!
//! | enters | how |
//! |---|---|
//! | the stage | name and version |
//! | the partition | source, scene, sequence, split |
//! | records | name and version of every table read and written |
//! | encoding | how tables are written as Parquet ([`crate::store::ENCODING`]) |
//! | config | the stage's own section, all of it, defaults filled in, with the split's overlay applied |
//! | input tables | content digests (never the fingerprints) of the upstream artifacts and blobs |
//! | external inputs | digests of source files, source options, templates, library builds, each by name |
//! | seed | the project's seed, for stages that draw with it |
//! | what a report says | for stages that report on the whole: the counts of all stages upstream, the project's name, its split mode |
//!
//! Never: modification times, absolute paths, host, time, number of threads, anything under `[runtime]`. Not tracked,
//! and said here so that nobody is surprised: environment variables, the CPU, and the binary itself. A stage whose
//! output changes raises its version.

use crate::Partition;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// BLAKE3 of the canonical JSON of [`FingerprintInputs`], 64 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Fingerprint(String);

impl Fingerprint {
    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Folder name of the task in the store: 128 bits are ample, and paths stay short.
    pub fn folder(&self) -> &str {
        &self.0[..32]
    }

    /// Whether a name has the form of [`Fingerprint::folder`].
    pub fn is_folder(name: &str) -> bool {
        name.len() == 32 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a fingerprint hashes, in clear; `explain` and the planner compare two of these.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FingerprintInputs {
    /// Stage name.
    pub stage: String,
    /// Stage version.
    pub stage_version: u32,
    /// Partition.
    pub partition: Partition,
    /// Version of each table read or written.
    pub records: BTreeMap<String, u32>,
    /// Version of the encoding of tables.
    pub encoding: u32,
    /// Effective config of the stage.
    pub config: Value,
    /// Content digest per input table, over all upstream partitions; for a stage that reports on the whole also one over
    /// the counts upstream.
    pub inputs: BTreeMap<String, String>,
    /// Digest (of something short, the text itself) per external input: templates, libraries; for a root stage its
    /// files and options; for a stage that reports on the whole what it may say about the project.
    pub externals: BTreeMap<String, String>,
    /// Seed of the project; null for a stage that draws nothing.
    pub seed: Option<u64>,
}

impl FingerprintInputs {
    /// The fingerprint of these inputs.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint_with(&uavgen_schemas::canonical::to_string(&self.config))
    }

    /// The same for a caller that has the canonical text of `config` already: thousands of tasks share one config.
    pub fn fingerprint_with(&self, config_text: &str) -> Fingerprint {
        let rest = AllButConfig {
            encoding: self.encoding,
            externals: &self.externals,
            inputs: &self.inputs,
            partition: &self.partition,
            records: &self.records,
            seed: self.seed,
            stage: &self.stage,
            stage_version: self.stage_version,
        };
        let rest = uavgen_schemas::canonical::of(&rest).unwrap_or_else(|error| {
            // Every field has a JSON form by construction; a failure here is a bug, not an input error.
            panic!("fingerprint inputs must serialise: {error}")
        });
        // Canonical JSON sorts its keys, and `config` comes first.
        Fingerprint(digest(format!("{{\"config\":{config_text},{}", &rest[1..]).as_bytes()))
    }
}

/// [`FingerprintInputs`] without its largest part.
#[derive(Serialize)]
struct AllButConfig<'a> {
    encoding: u32,
    externals: &'a BTreeMap<String, String>,
    inputs: &'a BTreeMap<String, String>,
    partition: &'a Partition,
    records: &'a BTreeMap<String, u32>,
    seed: Option<u64>,
    stage: &'a str,
    stage_version: u32,
}

/// BLAKE3 of `bytes`, hexadecimal.
pub fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// One digest over named digests, independent of how they are stored. `entries` must come in a fixed order.
pub fn combine<N: AsRef<str>, D: AsRef<str>>(entries: impl IntoIterator<Item = (N, D)>) -> String {
    let mut hasher = blake3::Hasher::new();
    for (name, digest) in entries {
        // Lengths go first, so that no two lists run together to the same bytes.
        let (name, digest) = (name.as_ref().as_bytes(), digest.as_ref().as_bytes());
        hasher.update(&(name.len() as u64).to_le_bytes());
        hasher.update(name);
        hasher.update(digest);
    }
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn inputs() -> FingerprintInputs {
        FingerprintInputs {
            stage: "filter".into(),
            stage_version: 1,
            partition: Partition::Split { split: "val".into() },
            records: BTreeMap::from([("frames".into(), 1)]),
            encoding: 1,
            config: json!({"min_area_px2": 64.0}),
            inputs: BTreeMap::from([("frames".into(), "aa".into())]),
            externals: BTreeMap::new(),
            seed: Some(7),
        }
    }

    /// One change to each part; every one must move the fingerprint.
    #[test]
    fn every_part_moves_the_fingerprint() {
        let mut seen = std::collections::BTreeSet::from([inputs().fingerprint()]);
        let changes: Vec<fn(&mut FingerprintInputs)> = vec![
            |i| i.stage = "qa".into(),
            |i| i.stage_version = 2,
            |i| i.partition = Partition::Split { split: "train".into() },
            |i| i.partition = Partition::Dataset,
            |i| _ = i.records.insert("frames".into(), 2),
            |i| i.config = json!({"min_area_px2": 65.0}),
            |i| _ = i.inputs.insert("frames".into(), "ab".into()),
            |i| _ = i.externals.insert("ffmpeg".into(), "x".into()),
            |i| i.encoding = 2,
            |i| i.seed = Some(8),
            |i| i.seed = None,
        ];
        let count = changes.len();
        for change in changes {
            let mut changed = inputs();
            change(&mut changed);
            seen.insert(changed.fingerprint());
        }
        assert_eq!(seen.len(), count + 1);
    }

    #[test]
    fn it_is_the_digest_of_the_canonical_text_of_all_inputs() {
        let text = uavgen_schemas::canonical::of(&inputs()).unwrap();
        assert_eq!(inputs().fingerprint().as_str(), digest(text.as_bytes()));
    }

    #[test]
    fn order_of_keys_does_not_move_it() {
        let mut other = inputs();
        other.config = json!({"b": 1, "a": 2});
        let first = other.fingerprint();
        other.config = json!({"a": 2, "b": 1});
        assert_eq!(first, other.fingerprint());
    }

    #[test]
    fn combined_digests_do_not_run_together() {
        let joined = combine([("ab", "c")]);
        assert_ne!(joined, combine([("a", "bc")]));
        assert_ne!(joined, combine([("ab", "c"), ("", "")]));
    }
}
