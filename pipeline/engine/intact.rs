//! Whether the files of a result are still what its manifest says.
//!
//! Sizes are compared always. A file that was modified after its manifest (an edit through a release's hard link, or a
//! store copied without its times) is hashed; the digest cache remembers the outcome.

use crate::digest_cache::DigestCache;
use crate::workspace::Workspace;
use crate::{EngineError, Reason};
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::Path;
use std::time::SystemTime;
use uavgen_core::store::layout::MANIFEST;
use uavgen_core::{Manifest, StoreError};

/// What is wrong with a result, if anything is.
pub(crate) fn damage(
    workspace: &Workspace,
    digests: &DigestCache,
    manifest: &Manifest,
) -> Result<Option<Reason>, EngineError> {
    let attempt = workspace.store.attempt_folder(manifest);
    let proof = attempt.parent().unwrap_or(&attempt).join(MANIFEST);
    let committed = modified(&fs::metadata(&proof).map_err(|error| StoreError::io("look at", &proof, error))?);
    let tables = manifest.artifacts.values().map(|artifact| (artifact.file.as_str(), artifact.bytes, &artifact.digest));
    let blobs = manifest.blobs.iter().map(|(name, blob)| (name.as_str(), blob.bytes, &blob.digest));
    for (file, bytes, digest) in tables.chain(blobs) {
        let expected = Expected { bytes: Some(bytes), digest, committed };
        if let Some(problem) = expected.problem(&attempt.join(file), digests)? {
            return Ok(Some(Reason::Missing { file: file.to_owned(), problem }));
        }
    }
    for file in manifest.publication.iter().flat_map(|publication| &publication.files) {
        let expected = Expected { bytes: None, digest: &file.digest, committed };
        if let Some(problem) = expected.problem(&workspace.store.root().join(&file.content), digests)? {
            return Ok(Some(Reason::Missing { file: file.content.clone(), problem }));
        }
    }
    Ok(None)
}

struct Expected<'a> {
    bytes: Option<u64>,
    digest: &'a str,
    committed: SystemTime,
}

impl Expected<'_> {
    fn problem(&self, path: &Path, digests: &DigestCache) -> Result<Option<String>, StoreError> {
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(Some("is gone".into()));
            }
            Err(error) => return Err(StoreError::io("look at", path, error)),
        };
        if let Some(bytes) = self.bytes.filter(|bytes| *bytes != metadata.len()) {
            return Ok(Some(format!("has {} bytes instead of {bytes}", metadata.len())));
        }
        if modified(&metadata) <= self.committed {
            return Ok(None);
        }
        let now = digests.digest(path).map_err(|error| StoreError::io("read", path, error))?;
        Ok((now.digest != self.digest).then(|| "was edited".into()))
    }
}

fn modified(metadata: &Metadata) -> SystemTime {
    // Where a file system keeps no modification times, sizes alone decide.
    metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH)
}
