//! Whether the files of a result are still what its manifest says.
//!
//! Sizes are compared always. A table that changed in any way after its manifest, and a blob that was modified after it
//! (an edit through a release's hard link, or a store copied without its times), is hashed; the digest cache remembers
//! the outcome. What disks damage without a trace in the times is found when the file is used, see
//! [`uavgen_core::InputPart::table_file`].

use crate::digest_cache::DigestCache;
use crate::workspace::Workspace;
use crate::{EngineError, Reason};
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::Path;
use uavgen_core::store::layout::MANIFEST;
use uavgen_core::{FileStamp, Manifest, StoreError};

/// What is wrong with a result, if anything is.
pub(crate) fn damage(
    workspace: &Workspace,
    digests: &DigestCache<'_>,
    manifest: &Manifest,
) -> Result<Option<Reason>, EngineError> {
    let attempt = workspace.store.attempt_folder(manifest);
    let proof = attempt.parent().unwrap_or(&attempt).join(MANIFEST);
    let proof = match fs::metadata(&proof) {
        Ok(proof) => proof,
        // Another process has withdrawn it since it was read.
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Ok(Some(Reason::Missing { file: MANIFEST.into(), problem: "is gone".into() }));
        }
        Err(error) => return Err(StoreError::io("look at", &proof, error).into()),
    };
    // Linking a blob into a release changes its change time, so for blobs only the content's time counts.
    let (table, blob) = ((changed as Time, changed(&proof)), (modified as Time, modified(&proof)));
    let tables = manifest.artifacts.values().map(|one| (one.file.as_str(), one.bytes, &one.digest, table));
    let blobs = manifest.blobs.iter().map(|(name, one)| (name.as_str(), one.bytes, &one.digest, blob));
    for (file, bytes, digest, (time, committed)) in tables.chain(blobs) {
        let expected = Expected { bytes: Some(bytes), digest, time, committed };
        if let Some(problem) = expected.problem(&attempt.join(file), digests)? {
            return Ok(Some(Reason::Missing { file: file.to_owned(), problem }));
        }
    }
    for file in manifest.publication.iter().flat_map(|publication| &publication.files) {
        let expected = Expected { bytes: None, digest: &file.digest, time: blob.0, committed: blob.1 };
        if let Some(problem) = expected.problem(&workspace.store.root().join(&file.content), digests)? {
            return Ok(Some(Reason::Missing { file: file.content.clone(), problem }));
        }
    }
    Ok(None)
}

struct Expected<'a> {
    bytes: Option<u64>,
    digest: &'a str,
    /// Which time of the file tells a change, and that of the manifest.
    time: Time,
    committed: i64,
}

impl Expected<'_> {
    fn problem(&self, path: &Path, digests: &DigestCache<'_>) -> Result<Option<String>, EngineError> {
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(Some("is gone".into()));
            }
            Err(error) => return Err(StoreError::io("look at", path, error).into()),
        };
        if !metadata.is_file() {
            return Ok(Some("is no file".into()));
        }
        if let Some(bytes) = self.bytes.filter(|bytes| *bytes != metadata.len()) {
            return Ok(Some(format!("has {} bytes instead of {bytes}", metadata.len())));
        }
        if (self.time)(&metadata) <= self.committed {
            return Ok(None);
        }
        Ok((digests.digest_result(path)? != self.digest).then(|| "was edited".into()))
    }
}

/// A time of a file in nanoseconds since 1970.
type Time = fn(&Metadata) -> i64;

fn modified(metadata: &Metadata) -> i64 {
    FileStamp::of(metadata).mtime_ns
}

fn changed(metadata: &Metadata) -> i64 {
    let stamp = FileStamp::of(metadata);
    stamp.mtime_ns.max(stamp.ctime_ns)
}
