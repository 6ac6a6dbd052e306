//! The file of a manifest: what it looks like, and what a reader of any version makes of it.
//!
//! Its form, canonical JSON behind its own checksum, never changes. So a version of uavgen that does not know all of
//! what a later one writes can still tell that manifest from a torn one, and leave it alone.

use super::layout::MANIFEST;
use crate::{Manifest, StoreError, fingerprint};
use std::fs;
use std::io;
use std::path::Path;

const PREFIX: &str = "{\"checksum\":\"";
const MIDDLE: &str = "\",\"manifest\":";

/// What stands where the manifest of a task belongs.
#[derive(Debug, Clone, PartialEq)]
pub enum Proof {
    /// Nothing: the task has no result.
    Absent,
    /// Something whose checksum does not hold, after a crash or an edit, or that is no file: it counts as absent, and may go.
    Torn,
    /// A whole manifest that says something which this version does not know: a later one made it, and needs it.
    Foreign,
    /// The manifest of the task's result.
    Found(Box<Manifest>),
}

impl Proof {
    /// The manifest, where this version can read one.
    pub fn found(self) -> Option<Manifest> {
        match self {
            Self::Found(manifest) => Some(*manifest),
            Self::Absent | Self::Torn | Self::Foreign => None,
        }
    }
}

/// What the task in `folder` has as its manifest.
///
/// # Errors
/// When the file is there but cannot be read.
pub fn read_manifest(folder: &Path) -> Result<Proof, StoreError> {
    let path = folder.join(MANIFEST);
    // A pipe would keep its reader waiting for ever.
    if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
        return Ok(Proof::Torn);
    }
    match fs::read(&path) {
        Ok(content) => Ok(decode(&content)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Proof::Absent),
        Err(error) => Err(StoreError::io("read", &path, error)),
    }
}

/// The content of a manifest's file.
pub(super) fn encode(manifest: &Manifest) -> Result<String, StoreError> {
    let body = uavgen_schemas::canonical::of(manifest)
        .map_err(|error| StoreError::Rows { table: "manifest".into(), problem: error.to_string() })?;
    Ok(seal(&body))
}

fn seal(body: &str) -> String {
    format!("{PREFIX}{}{MIDDLE}{body}}}\n", fingerprint::digest(body.as_bytes()))
}

/// What the content of a manifest's file says.
pub(super) fn decode(content: &[u8]) -> Proof {
    match unseal(content).map(serde_json::from_str) {
        None => Proof::Torn,
        Some(Err(_)) => Proof::Foreign,
        Some(Ok(manifest)) => Proof::Found(Box::new(manifest)),
    }
}

fn unseal(content: &[u8]) -> Option<&str> {
    let rest = std::str::from_utf8(content).ok()?.strip_prefix(PREFIX)?;
    let (checksum, rest) = rest.split_at_checked(64)?;
    let body = rest.strip_prefix(MIDDLE)?.strip_suffix("}\n")?;
    (fingerprint::digest(body.as_bytes()) == checksum).then_some(body)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{Artifact, Blob, Counts, FingerprintInputs, Partition, Publication, PublishedFile, RunInfo};
    use serde_json::Value;
    use std::collections::BTreeMap;

    pub(in crate::store) fn manifest(attempt: &str) -> Manifest {
        let inputs = FingerprintInputs {
            stage: "filter".into(),
            stage_version: 1,
            partition: Partition::Dataset,
            records: BTreeMap::new(),
            encoding: 1,
            config: serde_json::json!({}),
            inputs: BTreeMap::new(),
            externals: BTreeMap::new(),
            seed: Some(1),
        };
        let file = PublishedFile { path: "a".into(), content: "b".into(), digest: "c".into() };
        Manifest {
            fingerprint: inputs.fingerprint().to_string(),
            inputs,
            attempt: attempt.into(),
            artifacts: BTreeMap::from([(
                "rows".into(),
                Artifact { file: "rows.parquet".into(), rows: 1, digest: "d".into(), bytes: 2 },
            )]),
            blobs: BTreeMap::from([("x".into(), Blob { digest: "e".into(), bytes: 3 })]),
            counts: Counts::default(),
            publication: Some(Publication { id: "set".into(), files: vec![file] }),
            run: RunInfo::default(),
        }
    }

    /// The file of [`manifest`] as another version of uavgen would have written it.
    pub(in crate::store) fn of_another_version(attempt: &str, differ: impl FnOnce(&mut Value)) -> String {
        let mut value = serde_json::to_value(manifest(attempt)).unwrap();
        differ(&mut value);
        seal(&uavgen_schemas::canonical::to_string(&value))
    }

    /// A later version keys results by something that this one does not know.
    pub(in crate::store) fn foreign(attempt: &str) -> String {
        of_another_version(attempt, |value| value["inputs"]["region"] = "north".into())
    }

    #[test]
    fn a_manifest_of_a_version_that_says_more_or_less_about_a_result_is_read() {
        let text = of_another_version("a", |value| {
            for place in ["", "/counts", "/artifacts/rows", "/blobs/x", "/publication", "/publication/files/0"] {
                value.pointer_mut(place).unwrap()["later"] = 1.into();
            }
            value["run"].as_object_mut().unwrap().remove("host");
            value["counts"].as_object_mut().unwrap().remove("notes");
        });
        assert_eq!(decode(text.as_bytes()), Proof::Found(Box::new(manifest("a"))));
    }

    #[test]
    fn a_manifest_that_is_keyed_by_more_than_this_version_knows_is_foreign_and_not_torn() {
        let grain = of_another_version("a", |value| {
            value["inputs"]["partition"] = serde_json::json!({"grain": "bucket", "bucket": 7});
        });
        for text in [foreign("a"), grain] {
            assert_eq!(decode(text.as_bytes()), Proof::Foreign);
            assert_eq!(decode(text.replace("filter", "fliter").as_bytes()), Proof::Torn);
        }
    }

    #[test]
    fn a_cut_or_edited_manifest_is_torn() {
        let whole = encode(&manifest("a")).unwrap();
        for length in [0, 10, 80, whole.len() / 2, whole.len() - 2] {
            assert_eq!(decode(&whole.as_bytes()[..length]), Proof::Torn, "cut at {length}");
        }
        assert_eq!(decode(whole.replace("\"seed\":1", "\"seed\":2").as_bytes()), Proof::Torn);
        assert_eq!(decode(b"\xff\xfe"), Proof::Torn);
    }
}
