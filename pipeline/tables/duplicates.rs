//! Rows that say the same, or contradict each other.

use crate::TableError;
use crate::scan::{scan, text_columns, text_rows};
use polars::prelude::*;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Rows with one key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Repeat {
    /// Values of the key columns.
    pub key: Vec<String>,
    /// Ids of the rows, sorted; at least two.
    pub ids: Vec<String>,
    /// Distinct values of the compared column, sorted: one = the rows repeat each other, more = they contradict.
    pub values: Vec<String>,
}

/// Every combination of values in `keys` that more than one row has, with the ids of those rows and what they say in
/// column `value`. Sorted by key. Keys are texts as in [`crate::counts_by`].
///
/// For questions and answers: `duplicates(qa, "id", &["question", "frame_ids"], "answer")`.
///
/// # Errors
/// When a file or a column is missing.
pub fn duplicates(paths: &[PathBuf], id: &str, keys: &[&str], value: &str) -> Result<Vec<Repeat>, TableError> {
    repeated(paths, id, keys, value).map_err(|error| TableError::query("duplicates", paths, &error))
}

fn repeated(paths: &[PathBuf], id: &str, keys: &[&str], value: &str) -> PolarsResult<Vec<Repeat>> {
    let Some(frame) = scan(paths)? else { return Ok(Vec::new()) };
    let columns: Vec<&str> = keys.iter().copied().chain([id, value]).collect::<BTreeSet<_>>().into_iter().collect();
    let key_columns = || keys.iter().map(|name| col(*name)).collect::<Vec<_>>();
    let rows = text_columns(frame, &columns)?;
    let size = "rows of the group";
    let repeated = rows.clone().group_by(key_columns()).agg([len().alias(size)]).filter(col(size).gt(lit(1)));
    let members = rows.join(repeated, key_columns(), key_columns(), JoinArgs::new(JoinType::Inner)).collect()?;

    let mut found: Vec<Repeat> = Vec::new();
    let wanted: Vec<&str> = keys.iter().copied().chain([id, value]).collect();
    let mut members = text_rows(&members, &wanted)?;
    members.sort_unstable();
    for row in members {
        let (key, said) = row.split_at(keys.len());
        if found.last().is_none_or(|last| last.key != key) {
            let key = key.iter().map(|text| (*text).to_owned()).collect();
            found.push(Repeat { key, ids: Vec::new(), values: Vec::new() });
        }
        if let Some(group) = found.last_mut() {
            group.ids.push(said[0].to_owned());
            group.values.push(said[1].to_owned());
        }
    }
    for group in &mut found {
        group.values.sort_unstable();
        group.values.dedup();
    }
    Ok(found)
}
