//! Room on the disk.

use std::path::Path;
use uavgen_core::StoreError;

/// Bytes that an ordinary user may still write on the file system of `path`, which must exist.
///
/// # Errors
/// When the file system does not say.
pub fn free_bytes(path: &Path) -> Result<u64, StoreError> {
    let status = rustix::fs::statvfs(path).map_err(|error| StoreError::io("look at", path, error.into()))?;
    Ok(status.f_bavail.saturating_mul(status.f_frsize))
}
