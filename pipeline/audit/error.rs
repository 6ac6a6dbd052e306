//! Why an audit cannot even begin.

use std::path::PathBuf;
use thiserror::Error;

/// A folder that cannot be audited. What is wrong *inside* a release is a fault of the report, never an error.
#[derive(Debug, Error)]
pub enum AuditError {
    /// There is no such folder, or it is no release.
    #[error("audit {}: it has no manifest.json, so it is no release; name a folder below `releases/`", folder.display())]
    NoRelease {
        /// Folder that was named.
        folder: PathBuf,
    },
    /// The release was made by a later version.
    #[error("audit {}: its manifest has format {found}, this build knows {known}; use a newer uavgen", folder.display())]
    LaterFormat {
        /// Folder that was named.
        folder: PathBuf,
        /// Format of the manifest.
        found: u32,
        /// Latest format that is known here.
        known: u32,
    },
    /// The manifest is there and cannot be read.
    #[error("read {}: {source}", path.display())]
    Io {
        /// The manifest.
        path: PathBuf,
        /// Cause.
        source: std::io::Error,
    },
}
