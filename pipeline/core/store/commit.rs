//! Making a result visible, at once and only once.

use super::layout::MANIFEST;
use super::proof::{Proof, decode, encode, read_manifest};
use crate::{Manifest, StoreError};
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

/// Tries to put a manifest in place, where another worker may be at the same. Somebody wins each, so that more than a few
/// are needed only when what is in the way is no file at all, such as a link to nowhere.
const TRIES: usize = 1000;

/// Makes `manifest` the result of the task in `folder`. Its attempt must be complete; everything is synced here.
///
/// # Errors
/// When syncing or creating fails, or a later version of uavgen has made the result: it is left alone.
pub fn commit(folder: &Path, manifest: &Manifest) -> Result<CommitOutcome, StoreError> {
    let attempt = folder.join(&manifest.attempt);
    sync_tree(&attempt)?;
    let prepared = attempt.join(PREPARED);
    write_synced(&prepared, encode(manifest)?.as_bytes())?;
    let target = folder.join(MANIFEST);
    for _ in 0..TRIES {
        match create_absent(&prepared, &target) {
            Ok(()) => {
                // The result is visible and may have been read already, so there is no way back. What a power cut takes
                // away before it is on disk is a task that has no result and runs again.
                drop(fs::remove_file(&prepared));
                drop(sync_folder(folder));
                return Ok(CommitOutcome::Committed);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match read_manifest(folder)? {
                Proof::Found(there) => return Ok(CommitOutcome::AlreadyThere(there)),
                Proof::Foreign => return Err(StoreError::Foreign { path: target }),
                Proof::Torn | Proof::Absent => remove_torn(folder)?,
            },
            Err(error) => return Err(StoreError::io("create", &target, error)),
        }
    }
    let in_the_way = io::Error::new(io::ErrorKind::AlreadyExists, "what is there is no file; remove it");
    Err(StoreError::io("create", &target, in_the_way))
}

/// Removes the manifest of the task in `folder` if its checksum does not hold: it counts as absent anyway.
///
/// # Errors
/// When it cannot be read or removed.
pub fn remove_torn(folder: &Path) -> Result<(), StoreError> {
    take_away(&folder.join(MANIFEST), |found| *found == Proof::Torn)
}

/// Takes back a result, if it is still the one of `attempt`: the task then has none, and can run again.
///
/// # Errors
/// When the manifest cannot be read or removed.
pub fn withdraw(folder: &Path, attempt: &str) -> Result<(), StoreError> {
    let is_it = |found: &Proof| matches!(found, Proof::Found(manifest) if manifest.attempt == attempt);
    take_away(&folder.join(MANIFEST), is_it)?;
    sync_folder(folder)
}

/// Removes a manifest if it is unwanted. Whoever removes one holds a lock on that very file, so that nobody removes the
/// good one that another worker has put in its place since it was looked at. (Without locks, that gap stays.)
fn take_away(target: &Path, is_unwanted: impl Fn(&Proof) -> bool) -> Result<(), StoreError> {
    let mut file = match File::options().read(true).write(true).open(target) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(StoreError::io("open", target, error)),
    };
    drop(file.lock());
    let mut content = Vec::new();
    file.read_to_end(&mut content).map_err(|error| StoreError::io("read", target, error))?;
    let is_same =
        |now: &Metadata| file.metadata().is_ok_and(|locked| (locked.dev(), locked.ino()) == (now.dev(), now.ino()));
    if !fs::metadata(target).is_ok_and(|now| is_same(&now)) || !is_unwanted(&decode(&content)) {
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
///
/// # Errors
/// When one cannot be read or synced.
pub fn sync_tree(folder: &Path) -> Result<(), StoreError> {
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
    use crate::store::proof::tests::{foreign, manifest};

    fn found(folder: &Path) -> Option<Manifest> {
        read_manifest(folder).unwrap().found()
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
            let counts = found(folder.path()).unwrap();
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
        remove_torn(folder.path()).unwrap();
        withdraw(folder.path(), "another").unwrap();
        assert_eq!(found(folder.path()), Some(manifest("a")));
        withdraw(folder.path(), "a").unwrap();
        assert_eq!(found(folder.path()), None);
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
    fn a_torn_manifest_is_replaced_and_only_the_result_keeps_a_name() {
        let folder = tempfile::tempdir().unwrap();
        prepare(folder.path(), "a");
        fs::write(folder.path().join(MANIFEST), &encode(&manifest("a")).unwrap()[..80]).unwrap();
        assert_eq!(commit(folder.path(), &manifest("a")).unwrap(), CommitOutcome::Committed);
        assert_eq!(found(folder.path()), Some(manifest("a")));
        assert_eq!(fs::metadata(folder.path().join(MANIFEST)).unwrap().nlink(), 1);
    }

    #[test]
    fn what_a_later_version_made_stays() {
        let folder = tempfile::tempdir().unwrap();
        prepare(folder.path(), "a");
        let target = folder.path().join(MANIFEST);
        fs::write(&target, foreign("theirs")).unwrap();
        let error = commit(folder.path(), &manifest("a")).unwrap_err().to_string();
        assert!(error.contains("a later version of uavgen"), "{error}");
        remove_torn(folder.path()).unwrap();
        withdraw(folder.path(), "theirs").unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), foreign("theirs"));
    }

    #[test]
    fn a_link_to_nowhere_in_the_place_of_the_manifest_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        prepare(folder.path(), "a");
        std::os::unix::fs::symlink("nowhere", folder.path().join(MANIFEST)).unwrap();
        let error = commit(folder.path(), &manifest("a")).unwrap_err().to_string();
        assert!(error.contains("manifest.json: what is there is no file"), "{error}");
    }
}
