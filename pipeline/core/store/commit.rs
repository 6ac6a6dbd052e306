//! Making a result visible, at once and only once.

use super::layout::MANIFEST;
use crate::{Manifest, StoreError, fingerprint};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// What became of a commit.
#[derive(Debug, Clone, PartialEq)]
pub enum CommitOutcome {
    /// The manifest is now the task's result.
    Committed,
    /// Another worker was first; its result counts, ours is garbage.
    AlreadyThere(Box<Manifest>),
}

/// The manifest while it waits in its attempt: a name that no table or blob can have, see [`crate::Context::blob`].
const PREPARED: &str = ".manifest.prepared";

const PREFIX: &str = "{\"checksum\":\"";
const MIDDLE: &str = "\",\"manifest\":";

/// The text of a manifest file: the manifest's canonical JSON behind its own checksum.
fn encode(manifest: &Manifest) -> Result<String, StoreError> {
    let body = uavgen_schemas::canonical::of(manifest)
        .map_err(|error| StoreError::Rows { table: "manifest".into(), problem: error.to_string() })?;
    let checksum = fingerprint::digest(body.as_bytes());
    Ok(format!("{PREFIX}{checksum}{MIDDLE}{body}}}\n"))
}

/// The manifest in `text`; null when the checksum does not hold (torn or edited: it counts as absent).
fn decode(text: &str) -> Option<Manifest> {
    let rest = text.strip_prefix(PREFIX)?;
    let (checksum, rest) = rest.split_at_checked(64)?;
    let body = rest.strip_prefix(MIDDLE)?.strip_suffix("}\n")?;
    (fingerprint::digest(body.as_bytes()) == checksum).then(|| serde_json::from_str(body).ok()).flatten()
}

/// The manifest of the task in `folder`, if the task has a result.
///
/// # Errors
/// When the file is there but cannot be read.
pub fn read_manifest(folder: &Path) -> Result<Option<Manifest>, StoreError> {
    let path = folder.join(MANIFEST);
    match fs::read_to_string(&path) {
        Ok(text) => Ok(decode(&text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(None),
        Err(error) => Err(StoreError::io("read", &path, error)),
    }
}

/// Makes `manifest` the result of the task in `folder`. Its attempt must be complete; everything is synced here.
///
/// # Errors
/// When syncing or creating fails. The task then has no result, as before.
pub fn commit(folder: &Path, manifest: &Manifest) -> Result<CommitOutcome, StoreError> {
    let attempt = folder.join(&manifest.attempt);
    sync_tree(&attempt)?;
    let prepared = attempt.join(PREPARED);
    write_synced(&prepared, encode(manifest)?.as_bytes())?;
    loop {
        let target = folder.join(MANIFEST);
        match create_absent(&prepared, &target) {
            Ok(()) => {
                sync_folder(folder)?;
                return Ok(CommitOutcome::Committed);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if let Some(there) = read_manifest(folder)? {
                    return Ok(CommitOutcome::AlreadyThere(Box::new(there)));
                }
                // Torn by a crash on a disk without links: it counts as absent, so it may go.
                fs::remove_file(&target).map_err(|error| StoreError::io("remove", &target, error))?;
            }
            Err(error) => return Err(StoreError::io("create", &target, error)),
        }
    }
}

/// Takes back a result whose files turned out to be damaged, if it is still the one of `attempt`: the task then has no
/// result and can run again.
///
/// # Errors
/// When the manifest cannot be read or removed.
pub fn withdraw(folder: &Path, attempt: &str) -> Result<(), StoreError> {
    if read_manifest(folder)?.is_none_or(|manifest| manifest.attempt != attempt) {
        return Ok(());
    }
    let path = folder.join(MANIFEST);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::io("remove", &path, error)),
        _ => sync_folder(folder),
    }
}

/// Creates `target` with the content of `prepared`, failing when it exists: by hard link where the file system has
/// them (all or nothing), else by exclusive create (the checksum then tells a torn file).
fn create_absent(prepared: &Path, target: &Path) -> io::Result<()> {
    match fs::hard_link(prepared, target) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists && error.kind() != io::ErrorKind::NotFound => {
            let content = fs::read(prepared)?;
            let mut file = File::options().write(true).create_new(true).open(target)?;
            file.write_all(&content)?;
            file.sync_all()
        }
        outcome => outcome,
    }
}

/// Writes a file and waits until it is on disk.
///
/// # Errors
/// When writing or syncing fails.
pub fn write_synced(path: &Path, content: &[u8]) -> Result<(), StoreError> {
    let wrap = |error| StoreError::io("write", path, error);
    let mut file = File::create(path).map_err(wrap)?;
    file.write_all(content).map_err(wrap)?;
    file.sync_all().map_err(wrap)
}

/// Waits until the entries of a folder are on disk.
///
/// # Errors
/// When syncing fails.
pub fn sync_folder(folder: &Path) -> Result<(), StoreError> {
    let wrap = |error| StoreError::io("sync", folder, error);
    File::open(folder).map_err(wrap)?.sync_all().map_err(wrap)
}

/// Waits until every file and folder below `folder` is on disk.
fn sync_tree(folder: &Path) -> Result<(), StoreError> {
    let entries = fs::read_dir(folder).map_err(|error| StoreError::io("read", folder, error))?;
    for entry in entries {
        let path = entry.map_err(|error| StoreError::io("read", folder, error))?.path();
        if path.is_dir() {
            sync_tree(&path)?;
        } else {
            let file = File::open(&path).map_err(|error| StoreError::io("open", &path, error))?;
            file.sync_all().map_err(|error| StoreError::io("sync", &path, error))?;
        }
    }
    sync_folder(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Counts, FingerprintInputs, Partition, RunInfo};
    use std::collections::BTreeMap;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn manifest(attempt: &str) -> Manifest {
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
        Manifest {
            fingerprint: inputs.fingerprint().to_string(),
            inputs,
            attempt: attempt.into(),
            artifacts: BTreeMap::new(),
            blobs: BTreeMap::new(),
            counts: Counts::default(),
            publication: None,
            run: RunInfo::default(),
        }
    }

    fn prepare(folder: &Path, attempt: &str) {
        fs::create_dir_all(folder.join(attempt)).unwrap();
        fs::write(folder.join(attempt).join("x"), attempt).unwrap();
    }

    #[test]
    fn of_many_racers_one_commits_and_all_agree_on_it() {
        let folder = tempfile::tempdir().unwrap();
        let committed = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for racer in 0..16 {
                let (folder, committed) = (folder.path(), &committed);
                scope.spawn(move || {
                    let attempt = format!("attempt-{racer}");
                    prepare(folder, &attempt);
                    match commit(folder, &manifest(&attempt)).unwrap() {
                        CommitOutcome::Committed => _ = committed.fetch_add(1, Ordering::SeqCst),
                        CommitOutcome::AlreadyThere(there) => assert_ne!(there.attempt, attempt),
                    }
                });
            }
        });
        assert_eq!(committed.into_inner(), 1);
        assert!(read_manifest(folder.path()).unwrap().is_some());
    }

    #[test]
    fn a_blob_of_the_same_name_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        prepare(folder.path(), "a");
        fs::write(folder.path().join("a").join(MANIFEST), "the release's own").unwrap();
        commit(folder.path(), &manifest("a")).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("a").join(MANIFEST)).unwrap(), "the release's own");
    }

    #[test]
    fn a_torn_manifest_counts_as_absent_and_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        prepare(folder.path(), "a");
        let whole = encode(&manifest("a")).unwrap();
        for length in [0, 10, 80, whole.len() / 2, whole.len() - 2] {
            fs::write(folder.path().join(MANIFEST), &whole[..length]).unwrap();
            assert_eq!(read_manifest(folder.path()).unwrap(), None, "cut at {length}");
        }
        assert_eq!(commit(folder.path(), &manifest("a")).unwrap(), CommitOutcome::Committed);
        assert_eq!(read_manifest(folder.path()).unwrap(), Some(manifest("a")));
    }

    #[test]
    fn an_edited_manifest_counts_as_absent() {
        let folder = tempfile::tempdir().unwrap();
        let edited = encode(&manifest("a")).unwrap().replace("\"seed\":1", "\"seed\":2");
        fs::write(folder.path().join(MANIFEST), edited).unwrap();
        assert_eq!(read_manifest(folder.path()).unwrap(), None);
    }
}
