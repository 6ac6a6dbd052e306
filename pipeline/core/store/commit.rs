//! Making a result visible, at once and only once.

use super::layout::MANIFEST;
use crate::{Manifest, StoreError, fingerprint};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
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
    read_file(&folder.join(MANIFEST))
}

fn read_file(path: &Path) -> Result<Option<Manifest>, StoreError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(decode(&text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(None),
        Err(error) => Err(StoreError::io("read", path, error)),
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
    let target = folder.join(MANIFEST);
    loop {
        match create_absent(&prepared, &target) {
            Ok(()) => {
                // The result is visible and may have been read already, so there is no way back. What a power cut takes
                // away before it is on disk is a task that has no result and runs again.
                drop(sync_folder(folder));
                return Ok(CommitOutcome::Committed);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if let Some(there) = read_manifest(folder)? {
                    return Ok(CommitOutcome::AlreadyThere(Box::new(there)));
                }
                // Torn by a crash, or edited: it counts as absent, so it may go.
                take_away(&target, |found| found.is_none())?;
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
    take_away(&folder.join(MANIFEST), |found| found.is_some_and(|manifest| manifest.attempt == attempt))?;
    sync_folder(folder)
}

/// Removes a manifest if it is unwanted. Whoever removes one holds a lock on that very file, so that nobody removes the
/// good one that another worker has put in its place since it was looked at. (Without locks, that gap stays.)
fn take_away(target: &Path, is_unwanted: impl Fn(Option<&Manifest>) -> bool) -> Result<(), StoreError> {
    let mut file = match File::options().read(true).write(true).open(target) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(StoreError::io("open", target, error)),
    };
    drop(file.lock());
    let mut content = Vec::new();
    file.read_to_end(&mut content).map_err(|error| StoreError::io("read", target, error))?;
    let found = std::str::from_utf8(&content).ok().and_then(decode);
    let is_same =
        |now: &Metadata| file.metadata().is_ok_and(|locked| (locked.dev(), locked.ino()) == (now.dev(), now.ino()));
    if !fs::metadata(target).is_ok_and(|now| is_same(&now)) || !is_unwanted(found.as_ref()) {
        return Ok(());
    }
    match fs::remove_file(target) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::io("remove", target, error)),
        _ => Ok(()),
    }
}

/// Gives a complete file the name `target`, all at once, failing when something is there: by hard link, or, where the
/// file system has none, by a rename that replaces nothing.
fn create_absent(complete: &Path, target: &Path) -> io::Result<()> {
    match fs::hard_link(complete, target) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists && error.kind() != io::ErrorKind::NotFound => {
            rename_absent(complete, target)
        }
        outcome => outcome,
    }
}

fn rename_absent(complete: &Path, target: &Path) -> io::Result<()> {
    renameat_with(CWD, complete, CWD, target, RenameFlags::NOREPLACE).map_err(|error| match error {
        Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP => io::Error::other(
            "this file system can neither link files nor rename without replacing; set another `store` under [runtime]",
        ),
        error => error.into(),
    })
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

    /// Manifests of 8 workers that commit at once.
    fn race(folder: &Path) -> Vec<CommitOutcome> {
        std::thread::scope(|scope| {
            let worker = |number: usize| {
                let attempt = format!("attempt-{number}");
                prepare(folder, &attempt);
                commit(folder, &manifest(&attempt)).unwrap()
            };
            let workers: Vec<_> = (0..8).map(|number| scope.spawn(move || worker(number))).collect();
            workers.into_iter().map(|worker| worker.join().unwrap()).collect()
        })
    }

    fn prepare(folder: &Path, attempt: &str) {
        fs::create_dir_all(folder.join(attempt)).unwrap();
        fs::write(folder.join(attempt).join("x"), attempt).unwrap();
    }

    #[test]
    fn of_many_racers_one_commits_and_all_agree_on_it_also_over_a_torn_manifest() {
        for round in 0..60 {
            let folder = tempfile::tempdir().unwrap();
            if round % 2 == 1 {
                fs::write(folder.path().join(MANIFEST), "{\"checksum\":\"").unwrap();
            }
            let outcomes = race(folder.path());
            let counts = read_manifest(folder.path()).unwrap().unwrap();
            assert_eq!(outcomes.iter().filter(|outcome| **outcome == CommitOutcome::Committed).count(), 1);
            for (number, outcome) in outcomes.iter().enumerate() {
                match outcome {
                    CommitOutcome::Committed => assert_eq!(counts.attempt, format!("attempt-{number}")),
                    CommitOutcome::AlreadyThere(there) => assert_eq!(**there, counts),
                }
            }
        }
    }

    #[test]
    fn a_good_manifest_is_not_taken_for_the_torn_one_that_it_replaced() {
        let folder = tempfile::tempdir().unwrap();
        prepare(folder.path(), "a");
        commit(folder.path(), &manifest("a")).unwrap();
        take_away(&folder.path().join(MANIFEST), |found| found.is_none()).unwrap();
        withdraw(folder.path(), "another").unwrap();
        assert_eq!(read_manifest(folder.path()).unwrap(), Some(manifest("a")));
        withdraw(folder.path(), "a").unwrap();
        assert_eq!(read_manifest(folder.path()).unwrap(), None);
        withdraw(folder.path(), "a").unwrap();
    }

    #[test]
    fn without_links_a_rename_gives_the_name_to_one_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("one"), "one").unwrap();
        fs::write(path("two"), "two").unwrap();
        rename_absent(&path("one"), &path("target")).unwrap();
        assert_eq!(rename_absent(&path("two"), &path("target")).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(path("target")).unwrap(), "one");
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
    fn a_manifest_of_a_version_that_counts_more_or_less_is_read() {
        let mut value = serde_json::to_value(manifest("a")).unwrap();
        value["later"] = 1.into();
        value["counts"]["cost"] = 2.into();
        value["run"].as_object_mut().unwrap().remove("host");
        value["counts"].as_object_mut().unwrap().remove("notes");
        let body = uavgen_schemas::canonical::to_string(&value);
        let text = format!("{PREFIX}{}{MIDDLE}{body}}}\n", fingerprint::digest(body.as_bytes()));
        assert_eq!(decode(&text), Some(manifest("a")));
    }

    #[test]
    fn an_edited_manifest_counts_as_absent() {
        let folder = tempfile::tempdir().unwrap();
        let edited = encode(&manifest("a")).unwrap().replace("\"seed\":1", "\"seed\":2");
        fs::write(folder.path().join(MANIFEST), edited).unwrap();
        assert_eq!(read_manifest(folder.path()).unwrap(), None);
    }
}
