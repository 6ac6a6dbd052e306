//! The file of the table of digests: one sorted run of entries behind a checksum, used as it lies in memory, so that
//! loading it allocates nothing per entry.

use std::collections::BTreeMap;
use uavgen_core::FileStamp;

const MAGIC: &[u8; 8] = b"uavdig1\n";
const HEADER_BYTES: usize = MAGIC.len() + blake3::OUT_LEN;
/// Bytes of an entry besides its path: length of the path, four numbers, digest.
const FIXED_BYTES: usize = 4 + 4 * 8 + blake3::OUT_LEN;

/// What is known of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) stamp: FileStamp,
    pub(crate) digest: [u8; blake3::OUT_LEN],
}

/// The content of a file with these entries, by path.
pub(crate) fn encode(entries: &BTreeMap<&[u8], Entry>) -> Vec<u8> {
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
pub(crate) struct Remembered {
    bytes: Vec<u8>,
    starts: Vec<usize>,
}

impl Remembered {
    pub(crate) fn parse(bytes: Vec<u8>) -> Option<Self> {
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

    pub(crate) fn get(&self, key: &[u8]) -> Option<Entry> {
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

    pub(crate) fn entries(&self) -> impl Iterator<Item = (&[u8], Entry)> {
        self.starts.iter().map(|&start| (self.key(start), self.entry(start)))
    }
}

fn path_length(bytes: &[u8], start: usize) -> Option<usize> {
    let length = bytes.get(start..start + 4)?.try_into().ok()?;
    Some(u32::from_le_bytes(length) as usize)
}
