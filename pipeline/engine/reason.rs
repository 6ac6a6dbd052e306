//! Why a task is not fresh: the difference between what its result was made of and what it would be made of now.

use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use uavgen_core::FingerprintInputs;

/// Most file names given in one reason.
pub const NAMED_FILES: usize = 3;

/// One reason.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Reason {
    /// The partition has no result of any kind.
    NeverBuilt,
    /// The stage gives other output since.
    StageVersion {
        /// Version of the last result.
        old: u32,
        /// Version now.
        new: u32,
    },
    /// A config value changed; null stands for a key that is not there.
    Config {
        /// Dotted path below the section.
        key: String,
        /// Value of the last result.
        old: Value,
        /// Value now.
        new: Value,
    },
    /// The content of a table upstream changed.
    Input {
        /// Table, or [`crate::reason::COUNTS`].
        table: String,
    },
    /// A template, library or source option changed.
    External {
        /// Its name.
        name: String,
    },
    /// Files of the source changed.
    SourceFiles {
        /// Number of files with other content.
        changed: usize,
        /// Number of new files.
        added: usize,
        /// Number of files that are gone.
        removed: usize,
        /// The first few of them.
        names: Vec<String>,
    },
    /// The columns of a table changed.
    Record {
        /// Table.
        table: String,
    },
    /// The partition went to another split.
    Split {
        /// Split of the last result.
        old: String,
        /// Split now.
        new: String,
    },
    /// Tables are written in another way.
    Encoding,
    /// The project's seed changed.
    Seed,
    /// The result is that of a later version of uavgen, which says more than this one knows. It cannot be used, and is
    /// not replaced.
    Foreign,
    /// The result was there and is damaged.
    Missing {
        /// File, relative to the attempt (or to the store).
        file: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// Name under which the counts of all upstream stages enter a fingerprint's inputs.
pub const COUNTS: &str = "upstream counts";
/// Name under which the files of a source enter a fingerprint's externals.
pub const FILES_OF_SOURCE: &str = "source files";

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NeverBuilt => f.write_str("never built"),
            Self::StageVersion { old, new } => write!(f, "stage version: {old} -> {new}"),
            Self::Config { key, old, new } => write!(f, "config {key}: {old} -> {new}"),
            Self::Input { table } if table == COUNTS => f.write_str("counts upstream changed"),
            Self::Input { table } => write!(f, "input {table} changed"),
            Self::External { name } => write!(f, "{name} changed"),
            Self::SourceFiles { changed, added, removed, names } => {
                write!(f, "source files: {changed} changed, {added} added, {removed} removed")?;
                if names.is_empty() { Ok(()) } else { write!(f, " ({})", names.join(", ")) }
            }
            Self::Record { table } => write!(f, "columns of {table} changed"),
            Self::Split { old, new } => write!(f, "split: {old} -> {new}"),
            Self::Encoding => f.write_str("tables are written in another way"),
            Self::Seed => f.write_str("seed changed"),
            Self::Foreign => f.write_str("its result was made by a later version of uavgen"),
            Self::Missing { file, problem } => write!(f, "{file}: {problem}"),
        }
    }
}

/// Every difference between the inputs of an earlier result and those of now. Changed source files come without names:
/// those are in a side file of the attempt.
pub fn differences(old: &FingerprintInputs, new: &FingerprintInputs) -> Vec<Reason> {
    let mut reasons = Vec::new();
    if old.stage_version != new.stage_version {
        reasons.push(Reason::StageVersion { old: old.stage_version, new: new.stage_version });
    }
    if let (Some(old), Some(new)) = (old.partition.split(), new.partition.split())
        && old != new
    {
        reasons.push(Reason::Split { old: old.into(), new: new.into() });
    }
    config_differences("", Some(&old.config), Some(&new.config), &mut reasons);
    reasons.extend(changed_keys(&old.records, &new.records).map(|table| Reason::Record { table }));
    reasons.extend(changed_keys(&old.inputs, &new.inputs).map(|table| Reason::Input { table }));
    reasons.extend(changed_keys(&old.externals, &new.externals).map(|name| match name.as_str() {
        FILES_OF_SOURCE => Reason::SourceFiles { changed: 0, added: 0, removed: 0, names: Vec::new() },
        _ => Reason::External { name },
    }));
    if old.encoding != new.encoding {
        reasons.push(Reason::Encoding);
    }
    if old.seed != new.seed {
        reasons.push(Reason::Seed);
    }
    reasons
}

fn changed_keys<V: PartialEq>(old: &BTreeMap<String, V>, new: &BTreeMap<String, V>) -> impl Iterator<Item = String> {
    let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let changed: Vec<String> = keys.into_iter().filter(|key| old.get(*key) != new.get(*key)).cloned().collect();
    changed.into_iter()
}

/// Walks objects down to the values that differ; lists are compared as a whole. A key that is not there differs from one
/// that is null, since it hashes differently.
fn config_differences(prefix: &str, old: Option<&Value>, new: Option<&Value>, reasons: &mut Vec<Reason>) {
    let (Some(Value::Object(old_entries)), Some(Value::Object(new_entries))) = (old, new) else {
        if old != new {
            let or_null = |value: Option<&Value>| value.cloned().unwrap_or_default();
            reasons.push(Reason::Config { key: prefix.into(), old: or_null(old), new: or_null(new) });
        }
        return;
    };
    let keys: BTreeSet<&String> = old_entries.keys().chain(new_entries.keys()).collect();
    for key in keys {
        let path = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        config_differences(&path, old_entries.get(key), new_entries.get(key), reasons);
    }
}

impl Reason {
    /// Whether it is about the notation of a number alone: tools that pass a task on may write 1.0 as 1.
    pub(crate) fn is_notation(&self) -> bool {
        matches!(self, Self::Config { old, new, .. } if same_number(old, new))
    }
}

fn same_number(old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Number(old), Value::Number(new)) => old.as_f64() == new.as_f64(),
        (Value::Array(old), Value::Array(new)) => {
            old.len() == new.len() && old.iter().zip(new).all(|(old, new)| old == new || same_number(old, new))
        }
        _ => false,
    }
}

/// The difference between two lists of (file, digest), both sorted by file.
pub(crate) fn source_differences(old: &BTreeMap<String, String>, new: &BTreeMap<String, String>) -> Reason {
    let gone = old.keys().filter(|file| !new.contains_key(*file));
    let added = new.keys().filter(|file| !old.contains_key(*file));
    let changed = new.iter().filter(|(file, digest)| old.get(*file).is_some_and(|before| before != *digest));
    let changed: Vec<&String> = changed.map(|(file, _)| file).collect();
    let (gone, added): (Vec<&String>, Vec<&String>) = (gone.collect(), added.collect());
    let names = changed.iter().chain(&added).chain(&gone).take(NAMED_FILES).map(|name| (**name).clone()).collect();
    Reason::SourceFiles { changed: changed.len(), added: added.len(), removed: gone.len(), names }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;
    use uavgen_core::Partition;

    fn inputs(config: Value, table: &str, library: &str, seed: u64) -> FingerprintInputs {
        let map = |key: &str, value: &str| BTreeMap::from([(key.to_owned(), value.to_owned())]);
        FingerprintInputs {
            stage: "measure".into(),
            stage_version: 1,
            partition: Partition::Dataset,
            records: BTreeMap::new(),
            encoding: 1,
            config,
            inputs: map("lines", table),
            externals: map("library", library),
            seed: Some(seed),
        }
    }

    fn any_config() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (0..3_i64).prop_map(Value::from),
            "[ab]".prop_map(Value::from)
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                proptest::collection::btree_map("[ab]", inner, 0..3).prop_map(Value::from_iter),
            ]
        })
    }

    proptest! {
        #[test]
        fn another_fingerprint_has_a_reason_and_the_same_has_none(
            (old, new) in (any_config(), any_config()), tables in ("[ab]", "[ab]"), libraries in ("[ab]", "[ab]"),
            seeds in (0..2_u64, 0..2_u64),
        ) {
            let old = inputs(json!({"a": 1, "inner": old}), &tables.0, &libraries.0, seeds.0);
            let new = inputs(json!({"inner": new, "a": 1}), &tables.1, &libraries.1, seeds.1);
            prop_assert_eq!(old.fingerprint() == new.fingerprint(), differences(&old, &new).is_empty());
        }
    }

    #[test]
    fn a_missing_key_and_null_are_not_the_same() {
        let with_null = inputs(json!({"a": null}), "x", "x", 1);
        let without = inputs(json!({}), "x", "x", 1);
        assert_ne!(with_null.fingerprint(), without.fingerprint());
        assert_eq!(differences(&with_null, &without).len(), 1);
    }

    #[test]
    fn another_notation_of_a_number_is_told_from_another_number() {
        let config = |value: Value| inputs(json!({"limit": value}), "x", "x", 1);
        let notation = |old, new| differences(&config(old), &config(new)).iter().all(Reason::is_notation);
        assert!(notation(json!(1.0), json!(1)) && notation(json!([0.5, 2]), json!([0.5, 2.0])));
        assert!(
            !notation(json!(1.0), json!(2)) && !notation(json!([1, 2]), json!([1])) && !notation(json!(1), json!("1"))
        );
    }

    #[test]
    fn reasons_read_well() {
        let new = inputs(json!({"limits": {"min": 0.35}, "names": ["a", "b"]}), "y", "y", 2);
        let old = inputs(json!({"limits": {"min": 0.3}, "names": ["a"]}), "x", "x", 1);
        let words: Vec<String> = differences(&old, &new).iter().map(ToString::to_string).collect();
        let expected = [
            "config limits.min: 0.3 -> 0.35",
            r#"config names: ["a"] -> ["a","b"]"#,
            "input lines changed",
            "library changed",
            "seed changed",
        ];
        assert_eq!(words, expected);
    }
}
