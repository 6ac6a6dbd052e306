//! How many rows of each kind.

use crate::TableError;
use crate::scan::{scan, text_columns, text_rows};
use polars::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Number of rows for each combination of values in `columns`.
///
/// Keys are texts: numbers as they print, null as the empty text, lists joined by [`crate::LIST_SEPARATOR`].
///
/// # Errors
/// When a file or a column is missing.
pub fn counts_by(paths: &[PathBuf], columns: &[&str]) -> Result<BTreeMap<Vec<String>, u64>, TableError> {
    count(paths, columns).map_err(|error| TableError::query("counts_by", paths, &error))
}

fn count(paths: &[PathBuf], columns: &[&str]) -> PolarsResult<BTreeMap<Vec<String>, u64>> {
    let Some(frame) = scan(paths)? else { return Ok(BTreeMap::new()) };
    let keys: Vec<Expr> = columns.iter().map(|name| col(*name)).collect();
    let counted = text_columns(frame, columns)?.group_by(keys).agg([len().alias("rows of the group")]).collect()?;
    let rows = text_rows(&counted, columns)?;
    let counts = counted.column("rows of the group")?.cast(&DataType::UInt64)?;
    let owned = |row: Vec<&str>| row.into_iter().map(str::to_owned).collect();
    Ok(rows.into_iter().map(owned).zip(counts.u64()?.iter().flatten()).collect())
}
