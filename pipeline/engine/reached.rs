//! When a build last needed a result: the modification time of its attempt's folder, which nothing else touches once the
//! result is there. A store copied without its times looks younger, never older.

use crate::workspace::Workspace;
use std::fs::{self, File};
use std::time::{Duration, SystemTime};
use uavgen_core::Manifest;

/// How exact the time is: builds that follow each other should not write for every result. Far less than the day that
/// `keep_days` counts in, so that a result is not taken for older than it is.
const STEP: Duration = Duration::from_secs(3600);

/// Notes that a build needs the result now. A store that cannot be written is reported by whoever needs to write results.
pub(crate) fn mark(workspace: &Workspace, manifest: &Manifest) {
    let now = (workspace.setup.clock)();
    if last(workspace, manifest).is_some_and(|last| last + STEP > now) {
        return;
    }
    let folder = File::open(workspace.store.attempt_folder(manifest));
    drop(folder.and_then(|folder| folder.set_modified(now)));
}

/// When a build last needed the result, to an hour; its own build counts. Null when the folder does not say.
pub(crate) fn last(workspace: &Workspace, manifest: &Manifest) -> Option<SystemTime> {
    fs::metadata(workspace.store.attempt_folder(manifest)).and_then(|metadata| metadata.modified()).ok()
}
