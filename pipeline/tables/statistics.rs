//! How the numbers of a column are spread, by kind.

use crate::TableError;
use crate::scan::{scan, text_key, text_rows};
use polars::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Column of the numbers, beside those of the keys.
const VALUE: &str = "value of the row";

/// What is told of some numbers; null where there is none.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Statistics {
    /// Rows, also those without a number.
    pub rows: u64,
    /// Smallest number.
    pub min: Option<f64>,
    /// The number in the middle; of an even number of them, the mean of the two.
    pub median: Option<f64>,
    /// Largest number.
    pub max: Option<f64>,
}

/// The numbers of column `value` for each combination of texts in `columns`, keys as in [`crate::counts_by`]. What is no finite
/// number is left out.
///
/// # Errors
/// When a file or a column is missing.
pub fn statistics_by(
    paths: &[PathBuf],
    columns: &[&str],
    value: &str,
) -> Result<BTreeMap<Vec<String>, Statistics>, TableError> {
    let grouped = groups(paths, columns, value).map_err(|error| TableError::query("statistics_by", paths, &error))?;
    Ok(grouped.into_iter().map(|(key, (rows, numbers))| (key, statistics(rows, numbers))).collect())
}

/// Rows and numbers of each group.
type Groups = BTreeMap<Vec<String>, (u64, Vec<f64>)>;

fn groups(paths: &[PathBuf], columns: &[&str], value: &str) -> PolarsResult<Groups> {
    let Some(mut frame) = scan(paths)? else { return Ok(Groups::new()) };
    let schema = frame.collect_schema()?;
    let mut wanted = columns.iter().map(|name| text_key(&schema, name)).collect::<PolarsResult<Vec<_>>>()?;
    wanted.push(col(value).cast(DataType::Float64).alias(VALUE));
    let rows = frame.select(wanted).collect()?;
    let mut groups = Groups::new();
    for (key, number) in text_rows(&rows, columns)?.into_iter().zip(rows.column(VALUE)?.f64()?.iter()) {
        let (count, numbers) = groups.entry(key.into_iter().map(str::to_owned).collect()).or_default();
        *count += 1;
        numbers.extend(number.filter(|number| number.is_finite()));
    }
    Ok(groups)
}

fn statistics(rows: u64, mut numbers: Vec<f64>) -> Statistics {
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    let median = match numbers.len() {
        0 => None,
        length if length.is_multiple_of(2) => Some(f64::midpoint(numbers[middle - 1], numbers[middle])),
        _ => Some(numbers[middle]),
    };
    Statistics { rows, min: numbers.first().copied(), median, max: numbers.last().copied() }
}
