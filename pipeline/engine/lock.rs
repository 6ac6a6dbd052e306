//! One build at a time: an advisory lock that dies with its process, so that no stale lock needs a human.

use crate::run_log::unix_ms;
use crate::workspace::Workspace;
use crate::{Control, EngineError, Event};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::Path;
use std::time::Duration;
use uavgen_core::StoreError;

const LOCK_FILE: &str = ".lock";
/// Pause between two tries.
const PAUSE: Duration = Duration::from_millis(100);
/// Tries of a call that does not wait: more than one, since a look at the lock takes it for a moment.
const TRIES: u32 = 3;

/// Who works in a workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Process id; 0 when it is not known (`run-task` processes share the lock and leave no name).
    pub pid: u32,
    /// Name of its machine.
    pub host: String,
    /// Since when, seconds since 1970 UTC.
    pub since_unix_s: u64,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pid {
            0 => f.write_str("another process (perhaps `uavgen run-task`)"),
            pid => {
                let since = crate::run_log::utc_text(self.since_unix_s);
                write!(f, "process {pid} on {}, since {since},", self.host)
            }
        }
    }
}

/// A held lock.
pub(crate) struct Lock {
    file: File,
    exclusive: bool,
    /// Whether the file system has locks at all; without them the lock excludes nobody.
    pub(crate) is_effective: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Exclusive,
    Shared,
}

impl Lock {
    /// Excludes every other process; for `build` and `gc`. Tells whom it waits for, if it does.
    pub(crate) fn exclusive(workspace: &Workspace, wait: bool, control: Control<'_>) -> Result<Self, EngineError> {
        let mut lock = Self::take(workspace, Kind::Exclusive, wait, control)?;
        let since_unix_s = unix_ms((workspace.setup.clock)()) / 1000;
        lock.name(&Holder { pid: std::process::id(), host: workspace.setup.host.clone(), since_unix_s });
        Ok(lock)
    }

    /// Excludes `build` and `gc`, not other tasks; for `run-task`.
    pub(crate) fn shared(workspace: &Workspace, control: Control<'_>) -> Result<Self, EngineError> {
        let lock = Self::take(workspace, Kind::Shared, true, control)?;
        // Nobody holds it alone now: a name that is still there is that of a build that was killed.
        drop(lock.file.set_len(0));
        Ok(lock)
    }

    /// Whether nobody holds the lock, as far as locks tell. It is taken for a moment only, see [`TRIES`].
    pub(crate) fn is_free(workspace: &Workspace) -> Result<bool, EngineError> {
        let file = open(&workspace.store.root().join(LOCK_FILE))?;
        Ok(file.try_lock().is_ok())
    }

    fn take(workspace: &Workspace, kind: Kind, wait: bool, control: Control<'_>) -> Result<Self, EngineError> {
        let path = workspace.store.root().join(LOCK_FILE);
        let file = open(&path)?;
        let exclusive = kind == Kind::Exclusive;
        let mut tries = 0;
        loop {
            tries += 1;
            match if exclusive { file.try_lock() } else { file.try_lock_shared() } {
                Ok(()) => return Ok(Self { file, exclusive, is_effective: true }),
                Err(TryLockError::Error(error)) if has_no_locks(&error) => {
                    return Ok(Self { file, exclusive, is_effective: false });
                }
                Err(TryLockError::Error(error)) => return Err(StoreError::io("lock", &path, error).into()),
                Err(TryLockError::WouldBlock) if !wait && tries >= TRIES => {
                    return Err(EngineError::Busy { holder: holder(&path) });
                }
                Err(TryLockError::WouldBlock) if control.is_cancelled() => return Err(EngineError::Interrupted),
                Err(TryLockError::WouldBlock) if tries == TRIES => {
                    control.observer.observe(&Event::Waiting { holder: *holder(&path) });
                    std::thread::sleep(PAUSE);
                }
                // Polling, since a blocking wait could not be interrupted.
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            }
        }
    }

    /// Leaves a name for others to read. Only for messages, so that failing is no reason to stop.
    fn name(&mut self, holder: &Holder) {
        drop(self.file.set_len(0));
        drop(self.file.rewind());
        drop(serde_json::to_vec(holder).map(|text| self.file.write_all(&text)));
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if self.exclusive {
            drop(self.file.set_len(0));
        }
        drop(self.file.unlock());
    }
}

fn open(path: &Path) -> Result<File, StoreError> {
    let file = File::options().create(true).truncate(false).read(true).write(true).open(path);
    file.map_err(|error| StoreError::io("open", path, error))
}

/// Whether a file system (some network ones) has no locks, or has run out of them.
fn has_no_locks(error: &io::Error) -> bool {
    error.kind() == ErrorKind::Unsupported || error.raw_os_error() == Some(Errno::NOLCK.raw_os_error())
}

fn holder(path: &Path) -> Box<Holder> {
    let mut text = String::new();
    let read = File::open(path).and_then(|mut file| file.read_to_string(&mut text));
    Box::new(read.ok().and_then(|_| serde_json::from_str(&text).ok()).unwrap_or_default())
}
