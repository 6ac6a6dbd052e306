//! Leakage: a leak group is in one split, over all tables and items.

use crate::findings::{FaultCode, Log, Place};
use std::collections::BTreeMap;

/// The splits of every leak group, each with the first row that puts the group there.
#[derive(Default)]
pub(crate) struct Groups(BTreeMap<String, BTreeMap<String, (String, String)>>);

impl Groups {
    /// Notes that a row of a group is in a split.
    pub(crate) fn add(&mut self, group: &str, split: &str, file: &str, row: &str) {
        // Looked up before inserting, since nearly every row repeats what is known.
        if self.0.get(group).is_some_and(|splits| splits.contains_key(split)) {
            return;
        }
        let splits = self.0.entry(group.to_owned()).or_default();
        splits.insert(split.to_owned(), (file.to_owned(), row.to_owned()));
    }

    /// Reports groups in several splits.
    pub(crate) fn check(&self, log: &mut Log) {
        for (group, splits) in self.0.iter().filter(|(_, splits)| splits.len() > 1) {
            let places: Vec<String> =
                splits.iter().map(|(split, (file, row))| format!("{split} ({row} in {file})")).collect();
            if let Some((file, row)) = splits.values().next_back() {
                let problem = format!("group {group} is in splits {}", places.join(", "));
                log.fault(FaultCode::GroupInTwoSplits, Place::row(file, row), problem);
            }
        }
    }
}
