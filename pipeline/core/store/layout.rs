//! Paths inside the store, so that nobody joins strings.

use super::commit::{sync_folder, write_synced};
use crate::{Fingerprint, Manifest, Partition, StoreError};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// File that makes a result exist.
pub const MANIFEST: &str = "manifest.json";

/// First characters of the folder of an attempt.
pub const ATTEMPT_PREFIX: &str = "attempt-";
/// Folder of the store with what may be deleted at any time.
pub const CACHE: &str = ".cache";
/// File that tells a store from any other folder.
const MARKER: &str = ".uavgen-store";
const MARKER_TEXT: &[u8] = b"This folder is written by uavgen; `uavgen gc` removes what is not used any more.\n";

/// A store on a local disk.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
}

impl Store {
    /// The store in `root`, which is created when missing or empty.
    ///
    /// # Errors
    /// When the folder cannot be created, or holds other things than a store.
    pub fn open(root: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let root = root.into();
        fs::create_dir_all(&root).map_err(|error| StoreError::io("create", &root, error))?;
        let marker = root.join(MARKER);
        // In this order, since another process may create the store meanwhile: its first file is the marker.
        let is_empty = fs::read_dir(&root).map_err(|error| StoreError::io("read", &root, error))?.next().is_none();
        if is_empty {
            write_synced(&marker, MARKER_TEXT)?;
            sync_folder(&root)?;
            // Where this fails, a power cut costs a store in which nothing is yet.
            drop(root.parent().map(sync_folder));
        } else if !marker.exists() {
            return Err(StoreError::NotAStore { path: root });
        }
        Ok(Self { root })
    }

    /// Creates a folder of the store with those above it, and waits until their names are on disk.
    ///
    /// # Errors
    /// When one cannot be created or synced.
    pub fn create_folder(&self, folder: &Path) -> Result<(), StoreError> {
        let missing: Vec<&Path> =
            folder.ancestors().take_while(|level| *level != self.root && !level.is_dir()).collect();
        for level in missing.into_iter().rev() {
            match fs::create_dir(level) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                    return Err(StoreError::io("create", level, error));
                }
                // A file, or a link to nowhere. (Or a folder that another process has removed since: rare, and no harm.)
                Err(_) if !level.is_dir() => {
                    let in_the_way = io::Error::new(ErrorKind::NotADirectory, "what is there is no folder; remove it");
                    return Err(StoreError::io("create", level, in_the_way));
                }
                // Also when another process was faster: it may not have come to this yet.
                _ => sync_folder(level.parent().unwrap_or(&self.root))?,
            }
        }
        Ok(())
    }

    /// Root folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Folder of all results of one stage on one partition.
    pub fn partition_folder(&self, stage: &str, partition: &Partition) -> PathBuf {
        self.root.join(stage).join(partition.path())
    }

    /// Folder of one task.
    pub fn task_folder(&self, stage: &str, partition: &Partition, fingerprint: &Fingerprint) -> PathBuf {
        self.partition_folder(stage, partition).join(fingerprint.folder())
    }

    /// Folder of the attempt that a manifest names.
    pub fn attempt_folder(&self, manifest: &Manifest) -> PathBuf {
        self.partition_folder(&manifest.inputs.stage, manifest.partition())
            .join(&manifest.fingerprint[..32])
            .join(&manifest.attempt)
    }

    /// `path` relative to the root, see [`relative`].
    pub fn relative(&self, path: &Path) -> Option<String> {
        relative(&self.root, path)
    }
}

/// `path` relative to the `root` of a store, `/`-separated, as publications name content; null when it is elsewhere or no
/// UTF-8 text.
pub fn relative(root: &Path, path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> =
        path.strip_prefix(root).ok()?.components().map(|part| part.as_os_str().to_str()).collect();
    Some(parts?.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_new_or_empty_folder_becomes_a_store() {
        let folder = tempfile::tempdir().unwrap();
        for root in [folder.path().join("new/deep"), folder.path().join("empty")] {
            fs::create_dir_all(root.parent().unwrap()).unwrap();
            drop(fs::create_dir(folder.path().join("empty")));
            Store::open(&root).unwrap();
            fs::create_dir(root.join("ingest")).unwrap();
            Store::open(&root).unwrap();
        }
        let other = folder.path().join("home");
        fs::create_dir(&other).unwrap();
        fs::write(other.join("thesis.tex"), "years").unwrap();
        assert!(matches!(Store::open(&other), Err(StoreError::NotAStore { .. })));
        assert_eq!(fs::read_dir(&other).unwrap().count(), 1, "nothing is written there");
    }

    #[test]
    fn folders_are_created_level_by_level() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let deep = folder.path().join("ingest/a/b/c");
        for _ in 0..2 {
            store.create_folder(&deep).unwrap();
            assert!(deep.is_dir());
        }
    }

    #[test]
    fn what_stands_in_the_way_of_a_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        fs::write(folder.path().join("file"), "").unwrap();
        std::os::unix::fs::symlink("nowhere", folder.path().join("link")).unwrap();
        for name in ["file", "link"] {
            let error = store.create_folder(&folder.path().join(name).join("a/b")).unwrap_err().to_string();
            assert!(error.ends_with(&format!("/{name}: what is there is no folder; remove it")), "{error}");
        }
    }
}
