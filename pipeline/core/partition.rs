//! The piece of a data set that one task works on.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

/// What one task covers: one recording (or bucket of stills), some recordings of a split, a whole split, or everything.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "grain", rename_all = "snake_case", deny_unknown_fields)]
pub enum Partition {
    /// One recording, or one hash bucket of a collection of stills.
    Sequence {
        /// Name of the source in the config.
        source: String,
        /// Place or flight, the leak group (for a bucket of stills: `stills`).
        scene: String,
        /// Name of the sequence or bucket, unique within source and scene.
        sequence: String,
        /// Split that it belongs to.
        split: String,
    },
    /// The sequences of a split whose hash falls into one of so many buckets: one more sequence changes one bucket.
    Bucket {
        /// Name of the split.
        split: String,
        /// Ordinal of the bucket, from 0.
        bucket: u32,
        /// Number of buckets.
        of: u32,
    },
    /// Everything in one split.
    Split {
        /// Name of the split.
        split: String,
    },
    /// Everything.
    Dataset,
}

/// Characters that stay as they are in a path part; the rest is percent-encoded.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');

impl Partition {
    /// Split of the partition; null for the whole data set.
    pub fn split(&self) -> Option<&str> {
        match self {
            Self::Sequence { split, .. } | Self::Bucket { split, .. } | Self::Split { split } => Some(split),
            Self::Dataset => None,
        }
    }

    /// Source of the partition; null where it spans several.
    pub fn source(&self) -> Option<&str> {
        match self {
            Self::Sequence { source, .. } => Some(source),
            Self::Bucket { .. } | Self::Split { .. } | Self::Dataset => None,
        }
    }

    /// The bucket that a sequence falls into; null for anything else.
    pub fn bucket(&self, of: u32) -> Option<Self> {
        let Self::Sequence { split, .. } = self else { return None };
        let hash = blake3::derive_key("uavgen bucket of a sequence", self.path().to_string_lossy().as_bytes());
        let number = u64::from_le_bytes(std::array::from_fn(|byte| hash[byte]));
        Some(Self::Bucket { split: split.clone(), bucket: (number % u64::from(of.max(1))) as u32, of })
    }

    /// Whether the two have anything in common: a task reads the results of the partitions that it meets.
    pub fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Dataset, _) | (_, Self::Dataset) => true,
            _ if self.split() != other.split() => false,
            (Self::Split { .. }, _) | (_, Self::Split { .. }) => true,
            (Self::Sequence { .. }, Self::Bucket { of, .. }) => self.bucket(*of).as_ref() == Some(other),
            (Self::Bucket { .. }, Self::Sequence { .. }) => other.meets(self),
            _ => self == other,
        }
    }

    /// Folder of the partition below its stage. Distinct partitions get distinct folders, also where the file system
    /// folds case.
    pub fn path(&self) -> PathBuf {
        match self {
            Self::Sequence { source, scene, sequence, .. } => {
                [source, scene, sequence].into_iter().map(|part| path_part(part)).collect()
            }
            Self::Bucket { split, bucket, of } => {
                ["_bucket".into(), path_part(split), format!("{bucket}-of-{of}")].iter().collect()
            }
            Self::Split { split } => ["_split".into(), path_part(split)].iter().collect::<PathBuf>(),
            Self::Dataset => PathBuf::from("_dataset"),
        }
    }
}

/// One folder name: percent-encoded, and with a hash when it has upper-case letters, so that names that are equal after
/// case folding differ. No result is `.`, `..` or empty, and none starts with `_bucket`, `_split` or `_dataset` by
/// accident.
fn path_part(name: &str) -> String {
    let encoded = utf8_percent_encode(name, PLAIN).to_string();
    let plain = !encoded.is_empty() && encoded.len() <= 120 && !encoded.starts_with(['.', '_']);
    if plain && !name.chars().any(char::is_uppercase) {
        return encoded;
    }
    let hash = blake3::hash(name.as_bytes()).to_hex();
    let short: String = encoded.trim_start_matches(['.', '_']).chars().take(120).collect();
    format!("{short}~{}", &hash[..8])
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sequence { source, sequence, .. } => write!(f, "{source}/{sequence}"),
            Self::Bucket { split, bucket, of } => write!(f, "split {split}, bucket {} of {of}", bucket + 1),
            Self::Split { split } => write!(f, "split {split}"),
            Self::Dataset => f.write_str("dataset"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence(name: &str) -> Partition {
        Partition::Sequence { source: "vid".into(), scene: "uav1".into(), sequence: name.into(), split: "train".into() }
    }

    #[test]
    fn plain_names_stay_readable() {
        assert_eq!(sequence("uav0000086_00000_v").path(), PathBuf::from("vid/uav1/uav0000086_00000_v"));
    }

    #[test]
    fn sequences_fall_into_all_buckets_and_each_into_one() {
        let all: Vec<Partition> = (0..400).map(|number| sequence(&format!("uav{number}"))).collect();
        let buckets = |of: u32| (0..of).map(move |bucket| Partition::Bucket { split: "train".into(), bucket, of });
        for of in [1, 2, 7] {
            let counts: Vec<usize> =
                buckets(of).map(|bucket| all.iter().filter(|one| one.meets(&bucket)).count()).collect();
            assert_eq!(counts.iter().sum::<usize>(), 400);
            assert!(counts.iter().all(|&count| count > 400 / of as usize / 2), "{counts:?}");
        }
        assert_eq!(sequence("uav1").bucket(7), sequence("uav1").bucket(7));
        assert_eq!(Partition::Dataset.bucket(7), None);
    }

    #[test]
    fn partitions_meet_within_a_split() {
        let [a, b] = [sequence("a"), sequence("b")];
        let split = |split: &str| Partition::Split { split: split.into() };
        let bucket = a.bucket(1).unwrap();
        let val = Partition::Bucket { split: "val".into(), bucket: 0, of: 1 };
        assert!(a.meets(&a) && !a.meets(&b) && a.meets(&bucket) && bucket.meets(&b));
        assert!(!a.meets(&val) && !val.meets(&bucket) && bucket.meets(&bucket));
        for one in [&a, &bucket] {
            assert!(one.meets(&split("train")) && split("train").meets(one) && !one.meets(&split("val")));
            assert!(one.meets(&Partition::Dataset) && Partition::Dataset.meets(one));
        }
        assert_eq!(bucket.path(), PathBuf::from("_bucket/train/0-of-1"));
        assert_eq!(bucket.to_string(), "split train, bucket 1 of 1");
    }

    #[test]
    fn names_equal_after_case_folding_get_different_folders() {
        let folded = |name: &str| sequence(name).path().to_string_lossy().to_lowercase();
        assert_ne!(folded("Clip"), folded("clip"));
        assert_ne!(folded("Clip"), folded("CLIP"));
    }

    #[test]
    fn no_name_escapes_its_folder() {
        for name in ["..", ".", "", "a/b", "ü ß", "a\\b", "_split", &"x".repeat(400)] {
            let path = sequence(name).path();
            assert_eq!(path.components().count(), 3, "{name}: {path:?}");
            assert!(path.components().all(|c| matches!(c, std::path::Component::Normal(_))), "{name}: {path:?}");
        }
    }
}
