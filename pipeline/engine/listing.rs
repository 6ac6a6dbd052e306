//! What is in a folder that may not be there.

use std::fs::{self, FileType};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use uavgen_core::StoreError;

/// Folders in a folder (links are none), sorted; none when it does not exist.
pub(crate) fn folders(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    entries(folder, FileType::is_dir)
}

/// What is in a folder, sorted; nothing when it does not exist.
pub(crate) fn entries(folder: &Path, is_wanted: impl Fn(&FileType) -> bool) -> Result<Vec<PathBuf>, StoreError> {
    let wrap = |error| StoreError::io("read", folder, error);
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(wrap(error)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let entry = entry.map_err(wrap)?;
        if is_wanted(&entry.file_type().map_err(wrap)?) {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}

/// The last part of a path, for people.
pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
