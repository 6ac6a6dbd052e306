//! Keeping the same few of many rows, whatever else is in the table.

use crate::TableError;
use crate::scan::{scan, text_columns, text_rows};
use polars::prelude::PolarsResult;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::path::PathBuf;

/// Ids of the rows to keep when each group may have at most `limit`: those whose hash ranks lowest.
///
/// The rank is BLAKE3 of `salt` and the id, so it depends on the row alone. Rows that join later can push a row out of
/// its group, but never bring one back or change the order of two others: a data set that grows stays mostly the same.
/// Files are read one after another, and only the winners so far are held.
///
/// # Errors
/// When a file or a column is missing.
pub fn keep_lowest_rank(
    paths: &[PathBuf],
    id: &str,
    groups: &[&str],
    salt: u64,
    limit: usize,
) -> Result<BTreeSet<String>, TableError> {
    let mut winners: BTreeMap<Vec<String>, BinaryHeap<([u8; 32], String)>> = BTreeMap::new();
    for path in paths {
        let path = std::slice::from_ref(path);
        rank_file(path, id, groups, salt, limit, &mut winners)
            .map_err(|error| TableError::query("keep_lowest_rank", path, &error))?;
    }
    Ok(winners.into_values().flatten().map(|(_, id)| id).collect())
}

fn rank_file(
    path: &[PathBuf],
    id: &str,
    groups: &[&str],
    salt: u64,
    limit: usize,
    winners: &mut BTreeMap<Vec<String>, BinaryHeap<([u8; 32], String)>>,
) -> PolarsResult<()> {
    let Some(frame) = scan(path)? else { return Ok(()) };
    let columns: Vec<&str> = groups.iter().copied().chain([id]).collect();
    let rows = text_columns(frame, &columns)?.collect()?;
    for mut row in text_rows(&rows, &columns)? {
        let id = row.pop().unwrap_or_default();
        let group = winners.entry(row.into_iter().map(str::to_owned).collect()).or_default();
        let ranked = (rank(salt, id), id);
        let enters = group.len() < limit || group.peek().is_some_and(|(worst, name)| ranked < (*worst, name.as_str()));
        if enters {
            group.push((ranked.0, id.to_owned()));
            if group.len() > limit {
                group.pop();
            }
        }
    }
    Ok(())
}

fn rank(salt: u64, id: &str) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("uavgen hash rank v1");
    hasher.update(&salt.to_le_bytes());
    hasher.update(id.as_bytes());
    *hasher.finalize().as_bytes()
}
