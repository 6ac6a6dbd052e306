//! What can go wrong with a task, and with the store.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The store could not be read or written.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The disk has no room left; the whole run stops.
    #[error("write {}: no space left on the device; free some (`uavgen gc` removes unused results) and run again", path.display())]
    DiskFull {
        /// File that was being written.
        path: PathBuf,
    },
    /// A folder that is to be the store holds something else; results would mix with it, and `gc` could not tell them
    /// apart.
    #[error("use {} as store: the folder holds other files; name a new or empty folder", path.display())]
    NotAStore {
        /// Folder.
        path: PathBuf,
    },
    /// The result of a task was made by a version of uavgen that says more about it than this one knows.
    #[error(
        "replace {}: a later version of uavgen made it; use that version, or another `store` under [runtime]",
        path.display()
    )]
    Foreign {
        /// The manifest.
        path: PathBuf,
    },
    /// Any other failure of the file system.
    #[error("{action} {}: {source}", path.display())]
    Io {
        /// What was tried, e.g. `read`.
        action: &'static str,
        /// File or folder.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// A file is there, but its content is not what its manifest or schema says.
    #[error("read {}: {problem}", path.display())]
    Corrupt {
        /// File.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        problem: String,
    },
    /// A file of a finished result is no longer what was written.
    #[error(
        "read {}: it was damaged after it had been written{}",
        path.display(),
        if *removed { "; it is removed now, and the next build makes it again" } else { "; remove it and build again" }
    )]
    Damaged {
        /// File.
        path: PathBuf,
        /// Whether it was removed.
        removed: bool,
    },
    /// Rows could not be turned into a table, or back.
    #[error("convert rows of table {table}: {problem}")]
    Rows {
        /// Table.
        table: String,
        /// Cause.
        problem: String,
    },
}

impl StoreError {
    /// Wraps an I/O error, telling a full disk from the rest.
    pub fn io(action: &'static str, path: impl AsRef<Path>, source: io::Error) -> Self {
        let path = path.as_ref().to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path },
            _ => Self::Io { action, path, source },
        }
    }
}

/// Why a task gave no result.
#[derive(Debug, Error)]
pub enum TaskError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The input cannot be processed; other partitions go on.
    #[error("{message}")]
    Failed {
        /// What is wrong, with file or record, and the next step.
        message: String,
    },
    /// A source file changed while the build ran.
    #[error("{file} changed while the build ran; run the build again")]
    SourceChanged {
        /// File, relative to its source.
        file: String,
    },
    /// The run was interrupted.
    #[error("interrupted")]
    Cancelled,
}

impl TaskError {
    /// A failure with a message for people.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed { message: message.into() }
    }

    /// Whether the whole run must stop, since every other task would fail alike: the store takes nothing more.
    pub fn stops_run(&self) -> bool {
        match self {
            Self::Store(StoreError::Io { action, source, .. }) => {
                let refused = [io::ErrorKind::ReadOnlyFilesystem, io::ErrorKind::PermissionDenied];
                !["read", "open"].contains(action) && refused.contains(&source.kind())
            }
            Self::Store(StoreError::DiskFull { .. }) | Self::Cancelled => true,
            _ => false,
        }
    }
}
