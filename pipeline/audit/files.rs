//! Every file is there, is what the manifest says, and nothing else is there.

use crate::findings::{FaultCode, Log, Place, WarningCode};
use crate::release::{MANIFEST, Release};
use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::Path;
use uavgen_core::{Digests, StoreError, parallel};
use uavgen_schemas::ReleaseFile;

/// Whether everything that is listed is a plain file, or a link to one, so that opening it cannot wait for ever. What is
/// not there is told later.
pub(crate) fn are_regular(release: &Release, log: &mut Log) -> bool {
    let mut regular = true;
    let root = release.folder().canonicalize().ok();
    for path in release.manifest.files.iter().map(|file| file.path.as_str()) {
        let disk = release.disk(path);
        if fs::metadata(&disk).is_ok_and(|found| !found.is_file()) {
            log.fault(FaultCode::FileNotRegular, Place::file(path), "it is a folder, a pipe or a device");
            regular = false;
        }
        // The folders above it may be links too.
        if let (Some(root), Ok(real)) = (&root, disk.canonicalize())
            && !real.starts_with(root)
        {
            log.warn(WarningCode::FileLinked, Place::file(path), "it lies outside the release");
        }
    }
    regular
}

/// Checks files against the manifest.
pub(crate) fn check(release: &Release, threads: NonZeroUsize, log: &mut Log) {
    let files = &release.manifest.files;
    let digests = parallel::map(threads.get(), files, |file| Digests::of(&release.disk(&file.path)));
    for (file, digests) in files.iter().zip(digests) {
        check_file(file, digests, log);
    }
    check_unlisted(release, log);
}

fn check_file(file: &ReleaseFile, digests: Result<Digests, StoreError>, log: &mut Log) {
    let place = Place::file(&file.path);
    match digests {
        Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            log.fault(FaultCode::FileMissing, place, "the manifest lists it, and it is not there");
        }
        // The cause without the path on this machine.
        Err(StoreError::Io { source, .. }) => log.fault(FaultCode::FileUnreadable, place, source.to_string()),
        Err(error) => log.fault(FaultCode::FileUnreadable, place, error.to_string()),
        Ok(Digests { bytes, sha256, .. }) => {
            log.checked.files += 1;
            log.checked.bytes += bytes;
            if i64::try_from(bytes).ok() != Some(file.byte_count) {
                let problem = format!("{bytes} bytes, the manifest says {}", file.byte_count);
                log.fault(FaultCode::FileDigest, place, problem);
            } else if sha256 != file.sha256.to_ascii_lowercase() {
                log.fault(FaultCode::FileDigest, place, format!("SHA-256 {sha256}, the manifest says {}", file.sha256));
            }
        }
    }
}

/// Looks for files that are not listed. Hidden ones at the top (`.gitattributes`, caches of downloaders) are not data.
fn check_unlisted(release: &Release, log: &mut Log) {
    let mut found = Vec::new();
    if let Err(error) = walk(release.folder(), "", &mut found) {
        log.fault(FaultCode::FileUnreadable, Place::file(""), format!("the folder cannot be listed: {error}"));
    }
    found.sort();
    for path in found {
        let hidden = path.starts_with('.');
        if !hidden && path != MANIFEST && release.file(&path).is_none() {
            log.fault(FaultCode::FileUnlisted, Place::file(&path), "the manifest does not list it");
        }
    }
}

/// Paths of all files below `folder`. Links to folders are taken as files, so that no loop is walked.
fn walk(folder: &Path, prefix: &str, found: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            walk(&entry.path(), &format!("{path}/"), found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}
