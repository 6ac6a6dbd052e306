//! Paths inside the store, so that nobody joins strings.

use crate::{Fingerprint, Manifest, Partition, StoreError};
use std::path::{Path, PathBuf};

/// File that makes a result exist.
pub const MANIFEST: &str = "manifest.json";

/// A store on a local disk.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
}

impl Store {
    /// The store in `root`, which is created when missing.
    ///
    /// # Errors
    /// When the folder cannot be created.
    pub fn open(root: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let root = root.into();
        std::fs::create_dir_all(&root).map_err(|error| StoreError::io("create", &root, error))?;
        Ok(Self { root })
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

    /// `path` relative to the root, `/`-separated, as publications name content.
    pub fn relative(&self, path: &Path) -> Option<String> {
        let parts: Option<Vec<&str>> =
            path.strip_prefix(&self.root).ok()?.components().map(|part| part.as_os_str().to_str()).collect();
        Some(parts?.join("/"))
    }
}
