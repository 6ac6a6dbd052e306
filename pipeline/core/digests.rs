//! Digests of files.

use crate::StoreError;
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Bytes that are read at once.
const CHUNK: usize = 1 << 18;

/// Size and digests of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digests {
    /// Size in bytes.
    pub bytes: u64,
    /// BLAKE3, hexadecimal: what the store knows files by.
    pub blake3: String,
    /// SHA-256, hexadecimal: what releases list, since everybody has a tool for it.
    pub sha256: String,
}

impl Digests {
    /// Reads a file once for all of them.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of(path: &Path) -> Result<Self, StoreError> {
        let (mut blake3, mut sha256) = (blake3::Hasher::new(), Sha256::new());
        each_chunk(path, |chunk| {
            blake3.update(chunk);
            sha256.update(chunk);
        })?;
        let sha256 = sha256.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { bytes: blake3.count(), blake3: blake3.finalize().to_hex().to_string(), sha256 })
    }

    /// BLAKE3 alone, hexadecimal.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn blake3_of(path: &Path) -> Result<String, StoreError> {
        let mut hasher = blake3::Hasher::new();
        each_chunk(path, |chunk| _ = hasher.update(chunk))?;
        Ok(hasher.finalize().to_hex().to_string())
    }
}

fn each_chunk(path: &Path, mut take: impl FnMut(&[u8])) -> Result<(), StoreError> {
    let wrap = |error| StoreError::io("read", path, error);
    let mut file = File::open(path).map_err(wrap)?;
    let mut buffer = vec![0; CHUNK];
    loop {
        match file.read(&mut buffer).map_err(wrap)? {
            0 => return Ok(()),
            count => take(&buffer[..count]),
        }
    }
}
