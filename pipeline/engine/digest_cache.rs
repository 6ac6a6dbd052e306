//! Digests of files, remembered beside the store so that an unchanged file is not read again.
//!
//! A remembered digest counts only if size, modification time, change time and inode are all the same, and only if the
//! file was clearly older than the moment at which it was hashed (a file that changes twice within one tick of the
//! file system's clock shows the same times). The table never enters a fingerprint: deleting it changes nothing.
//!
//! A file whose checksum does not hold counts as absent, see [`crate::digest_table`].

use crate::EngineError;
use crate::digest_table::{Entry, Remembered, encode};
use crate::setup::Clock;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use uavgen_core::{FileStamp, StoreError};

/// Name of the table's file.
pub(crate) const FILE: &str = "digests";
/// Last characters of the table while it is written; leftovers of a killed process are garbage.
const TEMPORARY_SUFFIX: &str = ".tmp";
/// Time after which what was learnt is kept, since hashing a large source takes hours and may be killed.
const SAVE_EVERY: Duration = Duration::from_secs(30);

/// How much older than its hashing a file must be: more than the coarsest clock of a common file system (FAT, 2 s).
const MARGIN_NS: i128 = 3_000_000_000;

/// Digest of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileDigest {
    /// BLAKE3, hexadecimal.
    pub(crate) digest: String,
    /// State of the file that was digested.
    pub(crate) stamp: FileStamp,
}

/// What is known of a file without reading it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Known {
    Digest(FileDigest),
    /// Nothing but its size: it has to be read.
    Bytes(u64),
}

/// The table: what was there when it was loaded, and what was learnt since. Dropping it keeps what was learnt, however
/// the call ended: hashing is what takes time. The table only saves time, so that one that cannot be kept is reported by
/// nobody.
pub(crate) struct DigestCache<'a> {
    /// Null for a table that is forgotten.
    path: Option<PathBuf>,
    clock: Clock,
    /// Set when hashing is to stop.
    cancelled: &'a AtomicBool,
    remembered: Remembered,
    learnt: Mutex<BTreeMap<Vec<u8>, Option<Entry>>>,
    hashed: AtomicU64,
    saved: Mutex<SystemTime>,
}

impl<'a> DigestCache<'a> {
    /// Loads the table; one that is missing or broken is empty.
    pub(crate) fn load(path: PathBuf, clock: Clock, cancelled: &'a AtomicBool) -> Self {
        let remembered = fs::read(&path).ok().and_then(Remembered::parse).unwrap_or_default();
        Self::new(Some(path), remembered, clock, cancelled)
    }

    /// An empty table that is not kept.
    pub(crate) fn forgetful(clock: Clock, cancelled: &'a AtomicBool) -> Self {
        Self::new(None, Remembered::default(), clock, cancelled)
    }

    fn new(path: Option<PathBuf>, remembered: Remembered, clock: Clock, cancelled: &'a AtomicBool) -> Self {
        let (learnt, hashed, saved) = (Mutex::default(), AtomicU64::new(0), Mutex::new(clock()));
        Self { path, clock, cancelled, remembered, learnt, hashed, saved }
    }

    /// Number of files that had to be read so far.
    pub(crate) fn hashed(&self) -> u64 {
        self.hashed.load(Ordering::Relaxed)
    }

    /// Whether hashing is to stop.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// What is known of a file.
    pub(crate) fn known(&self, path: &Path) -> io::Result<Known> {
        let stamp = FileStamp::of(&fs::metadata(path)?);
        let entry = self.remembered.get(path.as_os_str().as_bytes()).filter(|entry| entry.stamp == stamp);
        Ok(entry.map_or(Known::Bytes(stamp.size), |entry| Known::Digest(entry.into())))
    }

    /// Digest of a file, read only if it may have changed. `tell` is told of each piece that was read, in bytes.
    pub(crate) fn digest(&self, path: &Path, tell: &dyn Fn(u64)) -> io::Result<FileDigest> {
        if let Known::Digest(digest) = self.known(path)? {
            return Ok(digest);
        }
        let entry = self.hash(path, tell)?;
        self.save_now_and_then();
        Ok(entry.into())
    }

    /// Digest of a file of the store or of a release.
    pub(crate) fn digest_result(&self, path: &Path) -> Result<String, EngineError> {
        match self.digest(path, &|_| {}) {
            Ok(digest) => Ok(digest.digest),
            Err(_) if self.is_cancelled() => Err(EngineError::Interrupted),
            Err(error) => Err(StoreError::io("read", path, error).into()),
        }
    }

    fn save_now_and_then(&self) {
        // Who finds another thread at it leaves it.
        let Ok(mut saved) = self.saved.try_lock() else { return };
        let now = (self.clock)();
        if now.duration_since(*saved).is_ok_and(|passed| passed >= SAVE_EVERY) {
            *saved = now;
            drop(self.save());
        }
    }

    fn hash(&self, path: &Path, tell: &dyn Fn(u64)) -> io::Result<Entry> {
        let key = path.as_os_str().as_bytes();
        let known = self.learnt.lock().unwrap_or_else(PoisonError::into_inner).get(key).copied().flatten();
        if let Some(entry) =
            known.filter(|entry| fs::metadata(path).is_ok_and(|now| FileStamp::of(&now) == entry.stamp))
        {
            return Ok(entry);
        }
        let now_ns = (self.clock)().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i128);
        let entry = hash_settled(self.cancelled, path, tell)?;
        self.hashed.fetch_add(1, Ordering::Relaxed);
        let newest_ns = i128::from(entry.stamp.mtime_ns.max(entry.stamp.ctime_ns));
        let trusted = (newest_ns + MARGIN_NS < now_ns).then_some(entry);
        self.learnt.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_owned(), trusted);
        Ok(entry)
    }

    /// Drops what is known of files that are not there. They may lie on a disk that is not mounted now, so this is for
    /// cleaning up only.
    pub(crate) fn forget_missing(&self) {
        let mut learnt = self.learnt.lock().unwrap_or_else(PoisonError::into_inner);
        let keys = self.remembered.entries().map(|(key, _)| key);
        for key in keys.filter(|key| !Path::new(OsStr::from_bytes(key)).exists()) {
            learnt.insert(key.to_owned(), None);
        }
    }

    /// Keeps what was learnt, replacing the file at once or not at all.
    fn save(&self) -> io::Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        let learnt = self.learnt.lock().unwrap_or_else(PoisonError::into_inner);
        if !learnt.iter().any(|(key, entry)| entry.is_some() || self.remembered.get(key).is_some()) {
            return Ok(());
        }
        let mut entries: BTreeMap<&[u8], Entry> = self.remembered.entries().collect();
        for (key, entry) in learnt.iter() {
            match entry {
                Some(entry) => _ = entries.insert(key, *entry),
                None => _ = entries.remove(key.as_slice()),
            }
        }
        replace(path, &encode(&entries))
    }
}

impl Drop for DigestCache<'_> {
    fn drop(&mut self) {
        drop(self.save());
    }
}

impl From<Entry> for FileDigest {
    fn from(entry: Entry) -> Self {
        Self { digest: blake3::Hash::from_bytes(entry.digest).to_hex().to_string(), stamp: entry.stamp }
    }
}

/// Whether a file of the table's folder is one that is being written.
pub(crate) fn is_temporary(name: &str) -> bool {
    name.strip_prefix(FILE).is_some_and(|rest| rest.ends_with(TEMPORARY_SUFFIX))
}

/// Hashes a file that does not change meanwhile.
fn hash_settled(cancelled: &AtomicBool, path: &Path, tell: &dyn Fn(u64)) -> io::Result<Entry> {
    for _ in 0..3 {
        let mut file = File::open(path)?;
        let before = FileStamp::of(&file.metadata()?);
        let mut hasher = blake3::Hasher::new();
        let mut buffer = vec![0; 1 << 18];
        loop {
            if cancelled.load(Ordering::Relaxed) {
                return Err(ErrorKind::Interrupted.into());
            }
            let count = file.read(&mut buffer)?;
            if count == 0 {
                break;
            }
            hasher.update(&buffer[..count]);
            tell(count as u64);
        }
        if FileStamp::of(&file.metadata()?) == before {
            return Ok(Entry { stamp: before, digest: *hasher.finalize().as_bytes() });
        }
    }
    Err(io::Error::other("it changes while it is read; wait until it is complete"))
}

fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let temporary = path.with_extension(format!("{}{TEMPORARY_SUFFIX}", std::process::id()));
    fs::write(&temporary, content)?;
    fs::rename(&temporary, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn soon() -> SystemTime {
        SystemTime::now() + Duration::from_secs(60)
    }

    static NEVER: AtomicBool = AtomicBool::new(false);

    fn cache(folder: &Path, clock: Clock) -> DigestCache<'static> {
        DigestCache::load(folder.join("cache/digests"), clock, &NEVER)
    }

    /// Digest of `file`, and whether it had to be read.
    fn look(folder: &Path, clock: Clock) -> (String, bool) {
        let cache = cache(folder, clock);
        let digest = cache.digest(&folder.join("file"), &|_| {}).unwrap();
        (digest.digest, cache.hashed() == 1)
    }

    #[test]
    fn an_old_file_is_read_once_and_a_young_one_every_time() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "content").unwrap();
        let expected = blake3::hash(b"content").to_hex().to_string();
        assert_eq!(look(folder.path(), SystemTime::now), (expected.clone(), true));
        assert_eq!(look(folder.path(), SystemTime::now), (expected.clone(), true), "young: not trusted");
        assert_eq!(look(folder.path(), soon), (expected.clone(), true));
        assert_eq!(look(folder.path(), soon), (expected, false), "old: remembered");
    }

    #[test]
    fn same_size_and_mtime_do_not_hide_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "content").unwrap();
        let time = fs::metadata(&file).unwrap().modified().unwrap();
        look(folder.path(), soon);
        fs::write(&file, "CONTENT").unwrap();
        File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
        assert_eq!(look(folder.path(), soon), (blake3::hash(b"CONTENT").to_hex().to_string(), true));
    }

    #[test]
    fn a_torn_table_counts_as_absent() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "content").unwrap();
        look(folder.path(), soon);
        let table = folder.path().join("cache/digests");
        let whole = fs::read(&table).unwrap();
        for length in [0, 5, 20, 41, whole.len() - 1] {
            fs::write(&table, &whole[..length]).unwrap();
            assert!(look(folder.path(), soon).1, "cut at {length}");
            assert_eq!(fs::read(&table).unwrap(), whole, "written again");
        }
    }

    #[test]
    fn files_that_are_gone_are_forgotten_when_cleaning_up_only() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "content").unwrap();
        look(folder.path(), soon);
        fs::write(folder.path().join("other"), "content").unwrap();
        fs::remove_file(folder.path().join("file")).unwrap();
        cache(folder.path(), soon).digest(&folder.path().join("other"), &|_| {}).unwrap();
        assert_eq!(cache(folder.path(), soon).remembered.entries().count(), 2);
        cache(folder.path(), soon).forget_missing();
        assert_eq!(cache(folder.path(), soon).remembered.entries().count(), 1);
    }

    #[test]
    fn a_file_is_told_of_as_it_is_read_and_no_further_once_cancelled() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, vec![7; 1_000_000]).unwrap();
        let (read, cancelled) = (AtomicU64::new(0), AtomicBool::new(false));
        let cache = DigestCache::forgetful(soon, &cancelled);
        let stop = |bytes| {
            read.fetch_add(bytes, Ordering::Relaxed);
            cancelled.store(true, Ordering::Relaxed);
        };
        assert!(cache.digest(&file, &stop).is_err());
        assert!(matches!(cache.digest_result(&file), Err(EngineError::Interrupted)));
        assert!(read.load(Ordering::Relaxed) < 1_000_000, "{read:?}");
        cancelled.store(false, Ordering::Relaxed);
        let read = AtomicU64::new(0);
        cache.digest(&file, &|bytes| _ = read.fetch_add(bytes, Ordering::Relaxed)).unwrap();
        assert_eq!(read.into_inner(), 1_000_000);
    }
}
