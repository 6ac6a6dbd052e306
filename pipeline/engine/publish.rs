//! A release folder laid out from the store: hard links where the file system has them, copies elsewhere.
//!
//! The folder is made complete under a temporary name, synced, and renamed into place; a broken one is exchanged for it
//! and removed afterwards, so that a reader never finds half. Nor nothing, except for a moment on a file system that
//! cannot exchange two folders. Nothing in a release names host, time or path.

use crate::digest_cache::DigestCache;
use crate::workspace::Workspace;
use crate::{EngineError, listing};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use uavgen_core::store::commit::{sync_folder, sync_tree};
use uavgen_core::{Digests, Publication, StoreError, refuse_damaged};

/// Name of the link to the newest release.
pub const LATEST: &str = "latest";
/// First characters of folders that are being made or removed; leftovers of a killed run are garbage.
pub const TEMPORARY_PREFIX: &str = ".making-";

/// What lies in the folder of releases.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Releases {
    /// Names of the releases, sorted.
    pub names: Vec<String>,
    /// The one that `latest` points at.
    pub latest: Option<String>,
}

impl Workspace {
    /// What lies in the folder of releases.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn releases(&self) -> Result<Releases, StoreError> {
        list(&self.setup.roots.releases)
    }
}

fn list(folder: &Path) -> Result<Releases, StoreError> {
    let names = listing::folders(folder)?.iter().map(|path| listing::name_of(path)).collect::<Vec<_>>().into_iter();
    let names = names.filter(|name| name != LATEST && !name.starts_with(TEMPORARY_PREFIX)).collect();
    let latest = fs::read_link(folder.join(LATEST)).ok();
    Ok(Releases { names, latest: latest.map(|target| target.display().to_string()) })
}

/// Makes sure that the release is complete and that `latest` points at it; true when something had to be done.
pub(crate) fn ensure(
    publication: &Publication,
    store: &Path,
    releases: &Path,
    digests: &DigestCache<'_>,
) -> Result<bool, EngineError> {
    fs::create_dir_all(releases).map_err(|error| StoreError::io("create", releases, error))?;
    let target = releases.join(&publication.id);
    let complete = is_complete(publication, store, &target, digests)?;
    if !complete {
        let made = make(publication, store, releases)?;
        put_in_place(&made, &target)?;
    }
    let pointed = point_latest(releases, &publication.id)?;
    if !complete || pointed {
        sync_folder(releases)?;
    }
    Ok(!complete)
}

/// Whether every file is there with the content of the store. The same inode is the same content (the store was checked
/// before); another one is hashed.
fn is_complete(
    publication: &Publication,
    store: &Path,
    target: &Path,
    digests: &DigestCache<'_>,
) -> Result<bool, EngineError> {
    for file in &publication.files {
        let (path, content) = (target.join(&file.path), store.join(&file.content));
        let metadata = match fs::metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(false),
            Err(error) => return Err(StoreError::io("look at", &path, error).into()),
        };
        if !metadata.is_file() {
            return Ok(false);
        }
        let linked = fs::metadata(&content).map_err(|error| StoreError::io("look at", &content, error))?;
        if (metadata.dev(), metadata.ino()) == (linked.dev(), linked.ino()) {
            continue;
        }
        if digests.digest_result(&path)? != file.digest {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A complete copy of the release under a temporary name, every file of it as it was written.
fn make(publication: &Publication, store: &Path, releases: &Path) -> Result<PathBuf, StoreError> {
    let made = temporary(releases);
    fs::create_dir(&made).map_err(|error| StoreError::io("create", &made, error))?;
    let outcome = publication.files.iter().try_for_each(|file| {
        let path = made.join(&file.path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| StoreError::io("create", folder, error))?;
        }
        let content = store.join(&file.content);
        link_or_copy(&content, &path)?;
        // What people get is read once more: damage need not show in the times of a file.
        refuse_damaged(&content, &Digests::blake3_of(&path)?, &file.digest)
    });
    if let Err(error) = outcome.and_then(|()| sync_tree(&made)) {
        drop(fs::remove_dir_all(&made));
        return Err(error);
    }
    Ok(made)
}

fn temporary(releases: &Path) -> PathBuf {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let path = releases.join(format!("{TEMPORARY_PREFIX}{}-{number}", std::process::id()));
        if fs::symlink_metadata(&path).is_err() {
            return path;
        }
    }
}

fn link_or_copy(content: &Path, path: &Path) -> Result<(), StoreError> {
    let is_refused = |error: &io::Error| !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::AlreadyExists);
    match fs::hard_link(content, path) {
        Err(error) if is_refused(&error) => fs::copy(content, path).map(drop),
        outcome => outcome,
    }
    .map_err(|error| StoreError::io("publish", path, error))
}

fn put_in_place(made: &Path, target: &Path) -> Result<(), StoreError> {
    let wrap = |error: io::Error| StoreError::io("rename", target, error);
    if fs::symlink_metadata(target).is_err() {
        return fs::rename(made, target).map_err(wrap);
    }
    match renameat_with(CWD, made, CWD, target, RenameFlags::EXCHANGE) {
        Ok(()) => remove(made),
        // A file system that cannot exchange: aside, in place, away.
        Err(_) => {
            let aside = temporary(target.parent().unwrap_or(target));
            fs::rename(target, &aside).map_err(wrap)?;
            fs::rename(made, target).map_err(wrap)?;
            remove(&aside)
        }
    }
}

fn remove(path: &Path) -> Result<(), StoreError> {
    let is_folder = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir());
    let removed = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    removed.map_err(|error| StoreError::io("remove", path, error))
}

/// Points `latest` at the release, replacing it by rename; true when it pointed elsewhere.
fn point_latest(releases: &Path, id: &str) -> Result<bool, StoreError> {
    let latest = releases.join(LATEST);
    if fs::read_link(&latest).is_ok_and(|points_at| points_at == Path::new(id)) {
        return Ok(false);
    }
    let wrap = |error| StoreError::io("link", &latest, error);
    if fs::symlink_metadata(&latest).is_ok_and(|there| there.is_dir()) {
        let problem = "it has to be a link to the newest release, and is a folder: move it away and build again";
        return Err(StoreError::Corrupt { path: latest, problem: problem.into() });
    }
    let made = temporary(releases);
    symlink(id, &made).map_err(wrap)?;
    if let Err(error) = fs::rename(&made, &latest) {
        drop(fs::remove_file(&made));
        return Err(wrap(error));
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;
    use std::time::SystemTime;
    use uavgen_core::PublishedFile;

    struct Bench {
        folder: tempfile::TempDir,
        publication: Publication,
    }

    impl Bench {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir_all(folder.path().join("store/a")).unwrap();
            let file = |path: &str, content: &str| {
                fs::write(folder.path().join("store").join(content), content).unwrap();
                let digest = blake3::hash(content.as_bytes()).to_hex().to_string();
                PublishedFile { path: path.into(), content: content.into(), digest }
            };
            let files = vec![file("README.md", "a/card"), file("data/x.parquet", "a/shard")];
            Self { publication: Publication { id: "set-1".into(), files }, folder }
        }

        fn ensure(&self) -> bool {
            let path = self.folder.path();
            let never = AtomicBool::new(false);
            let digests = DigestCache::forgetful(SystemTime::now, &never);
            ensure(&self.publication, &path.join("store"), &path.join("releases"), &digests).unwrap()
        }

        fn read(&self, file: &str) -> String {
            fs::read_to_string(self.folder.path().join("releases/latest").join(file)).unwrap()
        }

        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(self.folder.path().join("releases")).unwrap();
            let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        }
    }

    #[test]
    fn releases_are_listed_without_leftovers() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b", "a", ".making-x"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        symlink("b", folder.path().join(LATEST)).unwrap();
        let releases = list(folder.path()).unwrap();
        assert_eq!((releases.names, releases.latest.as_deref()), (vec!["a".into(), "b".into()], Some("b")));
        assert_eq!(list(&folder.path().join("missing")).unwrap(), Releases::default());
    }

    #[test]
    fn files_are_linked_once_and_left_alone_after() {
        let bench = Bench::new();
        assert!(bench.ensure());
        assert!(!bench.ensure());
        assert_eq!((bench.read("README.md"), bench.read("data/x.parquet")), ("a/card".into(), "a/shard".into()));
        assert_eq!(fs::metadata(bench.folder.path().join("store/a/shard")).unwrap().nlink(), 2);
        assert_eq!(bench.names(), ["latest", "set-1"]);
    }

    #[test]
    fn a_file_that_is_gone_cut_or_replaced_is_mended() {
        let bench = Bench::new();
        bench.ensure();
        let file = bench.folder.path().join("releases/set-1/data/x.parquet");
        for content in [None, Some("a/"), Some("A/SHARD")] {
            fs::remove_file(&file).unwrap();
            content.into_iter().for_each(|content| fs::write(&file, content).unwrap());
            assert!(bench.ensure(), "{content:?}");
            assert_eq!(bench.read("data/x.parquet"), "a/shard");
            assert_eq!(bench.names(), ["latest", "set-1"]);
        }
    }

    #[test]
    fn a_damaged_file_is_not_published_and_makes_room_for_a_new_one() {
        let bench = Bench::new();
        let shard = bench.folder.path().join("store/a/shard");
        fs::write(&shard, "a/shXrd").unwrap();
        let never = AtomicBool::new(false);
        let digests = DigestCache::forgetful(SystemTime::now, &never);
        let (store, releases) = (bench.folder.path().join("store"), bench.folder.path().join("releases"));
        let error = ensure(&bench.publication, &store, &releases, &digests).unwrap_err();
        assert!(error.to_string().contains("the next build makes it again"), "{error}");
        assert!(!shard.exists() && bench.names().is_empty());
    }

    #[test]
    fn latest_follows_the_newest_and_older_releases_stay() {
        let mut bench = Bench::new();
        bench.ensure();
        bench.publication.id = "set-2".into();
        bench.ensure();
        assert_eq!(bench.names(), ["latest", "set-1", "set-2"]);
        let latest = fs::read_link(bench.folder.path().join("releases/latest")).unwrap();
        assert_eq!(latest, Path::new("set-2"));
    }
}
