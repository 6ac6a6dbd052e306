//! Digests of files, remembered beside the store so that an unchanged file is not read again.
//!
//! A remembered digest counts only if size, modification time, change time and inode are all the same, and only if the
//! file was clearly older than the moment at which it was hashed (a file that changes twice within one tick of the
//! file system's clock shows the same times). The table never enters a fingerprint: deleting it changes nothing.
//!
//! The file is one sorted run of entries behind a checksum, used as it lies in memory: loading it allocates nothing per
//! entry. A file whose checksum does not hold counts as absent.

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
use uavgen_core::FileStamp;

/// Name of the table's file.
pub(crate) const FILE: &str = "digests";
/// Last characters of the table while it is written; leftovers of a killed process are garbage.
const TEMPORARY_SUFFIX: &str = ".tmp";
/// Time after which what was learnt is kept, since hashing a large source takes hours and may be killed.
const SAVE_EVERY: Duration = Duration::from_secs(30);

const MAGIC: &[u8; 8] = b"uavdig1\n";
const HEADER_BYTES: usize = MAGIC.len() + blake3::OUT_LEN;
/// Bytes of an entry besides its path: length of the path, four numbers, digest.
const FIXED_BYTES: usize = 4 + 4 * 8 + blake3::OUT_LEN;
/// How much older than its hashing a file must be: more than the coarsest clock of a common file system (FAT, 2 s).
const MARGIN_NS: i128 = 3_000_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    stamp: FileStamp,
    digest: [u8; blake3::OUT_LEN],
}

/// Digest of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileDigest {
    /// BLAKE3, hexadecimal.
    pub(crate) digest: String,
    /// State of the file that was digested.
    pub(crate) stamp: FileStamp,
}

/// The table: what was there when it was loaded, and what was learnt since.
pub(crate) struct DigestCache {
    path: PathBuf,
    clock: Clock,
    remembered: Remembered,
    learnt: Mutex<BTreeMap<Vec<u8>, Option<Entry>>>,
    hashed: AtomicU64,
    saved: Mutex<SystemTime>,
}

impl DigestCache {
    /// Loads the table; one that is missing or broken is empty.
    pub(crate) fn load(path: PathBuf, clock: Clock) -> Self {
        let remembered = fs::read(&path).ok().and_then(Remembered::parse).unwrap_or_default();
        let (learnt, hashed) = (Mutex::default(), AtomicU64::new(0));
        Self { path, clock, remembered, learnt, hashed, saved: Mutex::new(clock()) }
    }

    /// Number of files that had to be read so far.
    pub(crate) fn hashed(&self) -> u64 {
        self.hashed.load(Ordering::Relaxed)
    }

    /// Digest of a file, read only if it may have changed.
    pub(crate) fn digest(&self, path: &Path) -> io::Result<FileDigest> {
        self.digest_unless(&AtomicBool::new(false), path)
    }

    /// The same for a long run: breaks off once `cancelled` is set, and keeps what was learnt now and then.
    pub(crate) fn digest_unless(&self, cancelled: &AtomicBool, path: &Path) -> io::Result<FileDigest> {
        let stamp = FileStamp::of(&fs::metadata(path)?);
        let key = path.as_os_str().as_bytes();
        let entry = match self.remembered.get(key).filter(|entry| entry.stamp == stamp) {
            Some(entry) => entry,
            None => {
                let entry = self.hash(cancelled, path, key)?;
                self.save_now_and_then();
                entry
            }
        };
        let digest = blake3::Hash::from_bytes(entry.digest).to_hex().to_string();
        Ok(FileDigest { digest, stamp: entry.stamp })
    }

    fn save_now_and_then(&self) {
        // Who finds another thread at it leaves it.
        let Ok(mut saved) = self.saved.try_lock() else { return };
        let now = (self.clock)();
        if now.duration_since(*saved).is_ok_and(|passed| passed >= SAVE_EVERY) {
            *saved = now;
            drop(self.write(|_| true));
        }
    }

    fn hash(&self, cancelled: &AtomicBool, path: &Path, key: &[u8]) -> io::Result<Entry> {
        let known = self.learnt.lock().unwrap_or_else(PoisonError::into_inner).get(key).copied().flatten();
        if let Some(entry) =
            known.filter(|entry| fs::metadata(path).is_ok_and(|now| FileStamp::of(&now) == entry.stamp))
        {
            return Ok(entry);
        }
        let now_ns = (self.clock)().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i128);
        let entry = hash_settled(cancelled, path)?;
        self.hashed.fetch_add(1, Ordering::Relaxed);
        let newest_ns = i128::from(entry.stamp.mtime_ns.max(entry.stamp.ctime_ns));
        let trusted = (newest_ns + MARGIN_NS < now_ns).then_some(entry);
        self.learnt.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_owned(), trusted);
        Ok(entry)
    }

    /// Keeps what was learnt, replacing the file at once or not at all. Entries of files that are gone are dropped.
    pub(crate) fn save(&self) -> io::Result<()> {
        let learnt = self.learnt.lock().unwrap_or_else(PoisonError::into_inner);
        let news = learnt.iter().any(|(key, entry)| entry.is_some() || self.remembered.get(key).is_some());
        if !news {
            return Ok(());
        }
        drop(learnt);
        self.write(|key| Path::new(OsStr::from_bytes(key)).exists())
    }

    /// Writes what is known; of what was known before, only what `is_there` says.
    fn write(&self, is_there: impl Fn(&[u8]) -> bool) -> io::Result<()> {
        let learnt = self.learnt.lock().unwrap_or_else(PoisonError::into_inner);
        let mut entries: BTreeMap<&[u8], Entry> = self.remembered.entries().filter(|(key, _)| is_there(key)).collect();
        for (key, entry) in learnt.iter() {
            match entry {
                Some(entry) => _ = entries.insert(key, *entry),
                None => _ = entries.remove(key.as_slice()),
            }
        }
        replace(&self.path, &encode(&entries))
    }
}

/// Whether a file of the table's folder is one that is being written.
pub(crate) fn is_temporary(name: &str) -> bool {
    name.strip_prefix(FILE).is_some_and(|rest| rest.ends_with(TEMPORARY_SUFFIX))
}

/// Hashes a file that does not change meanwhile.
fn hash_settled(cancelled: &AtomicBool, path: &Path) -> io::Result<Entry> {
    for _ in 0..3 {
        let mut file = File::open(path)?;
        let before = FileStamp::of(&file.metadata()?);
        let mut hasher = blake3::Hasher::new();
        let mut buffer = vec![0; 1 << 18];
        loop {
            if cancelled.load(Ordering::Relaxed) {
                return Err(ErrorKind::Interrupted.into());
            }
            match file.read(&mut buffer)? {
                0 => break,
                count => _ = hasher.update(&buffer[..count]),
            }
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

fn encode(entries: &BTreeMap<&[u8], Entry>) -> Vec<u8> {
    let mut body = Vec::new();
    for (key, entry) in entries {
        // Paths are far shorter than 4 GiB on every system.
        body.extend_from_slice(&(key.len() as u32).to_le_bytes());
        body.extend_from_slice(key);
        body.extend_from_slice(&entry.stamp.size.to_le_bytes());
        body.extend_from_slice(&entry.stamp.mtime_ns.to_le_bytes());
        body.extend_from_slice(&entry.stamp.ctime_ns.to_le_bytes());
        body.extend_from_slice(&entry.stamp.inode.to_le_bytes());
        body.extend_from_slice(&entry.digest);
    }
    [MAGIC.as_slice(), blake3::hash(&body).as_bytes(), &body].concat()
}

/// A loaded table: the file as it is, and where each entry starts.
#[derive(Default)]
struct Remembered {
    bytes: Vec<u8>,
    starts: Vec<usize>,
}

impl Remembered {
    fn parse(bytes: Vec<u8>) -> Option<Self> {
        let body = bytes.strip_prefix(MAGIC)?.get(blake3::OUT_LEN..)?;
        if blake3::hash(body).as_bytes().as_slice() != bytes.get(MAGIC.len()..HEADER_BYTES)? {
            return None;
        }
        let mut starts = Vec::new();
        let mut at = HEADER_BYTES;
        while at < bytes.len() {
            starts.push(at);
            at += FIXED_BYTES + path_length(&bytes, at)?;
        }
        (at == bytes.len()).then_some(Self { bytes, starts })
    }

    fn key(&self, start: usize) -> &[u8] {
        let length = path_length(&self.bytes, start).unwrap_or(0);
        &self.bytes[start + 4..start + 4 + length]
    }

    fn get(&self, key: &[u8]) -> Option<Entry> {
        let position = self.starts.binary_search_by(|&start| self.key(start).cmp(key)).ok()?;
        Some(self.entry(self.starts[position]))
    }

    fn entry(&self, start: usize) -> Entry {
        let mut at = start + 4 + self.key(start).len();
        let mut eight = || {
            let mut number = [0; 8];
            number.copy_from_slice(&self.bytes[at..at + 8]);
            at += 8;
            number
        };
        let stamp = FileStamp {
            size: u64::from_le_bytes(eight()),
            mtime_ns: i64::from_le_bytes(eight()),
            ctime_ns: i64::from_le_bytes(eight()),
            inode: u64::from_le_bytes(eight()),
        };
        let mut digest = [0; blake3::OUT_LEN];
        digest.copy_from_slice(&self.bytes[at..at + blake3::OUT_LEN]);
        Entry { stamp, digest }
    }

    fn entries(&self) -> impl Iterator<Item = (&[u8], Entry)> {
        self.starts.iter().map(|&start| (self.key(start), self.entry(start)))
    }
}

fn path_length(bytes: &[u8], start: usize) -> Option<usize> {
    let length = bytes.get(start..start + 4)?.try_into().ok()?;
    Some(u32::from_le_bytes(length) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn soon() -> SystemTime {
        SystemTime::now() + Duration::from_secs(60)
    }

    fn cache(folder: &Path, clock: Clock) -> DigestCache {
        DigestCache::load(folder.join("cache/digests"), clock)
    }

    /// Digest of `file`, and whether it had to be read.
    fn look(folder: &Path, clock: Clock) -> (String, bool) {
        let cache = cache(folder, clock);
        let digest = cache.digest(&folder.join("file")).unwrap();
        cache.save().unwrap();
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
    fn entries_of_files_that_are_gone_are_dropped() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "content").unwrap();
        look(folder.path(), soon);
        fs::write(folder.path().join("other"), "content").unwrap();
        fs::remove_file(folder.path().join("file")).unwrap();
        let changed = cache(folder.path(), soon);
        changed.digest(&folder.path().join("other")).unwrap();
        changed.save().unwrap();
        assert_eq!(cache(folder.path(), soon).remembered.starts.len(), 1);
    }
}
