//! How the numbers of a column are spread.

use crate::TableError;
use crate::scan::{numbers, scan};
use polars::prelude::*;
use std::path::PathBuf;

/// Quantiles of a numeric column, each in 0..=1: the value at rank `q * (n - 1)`, linear between neighbours (the
/// common definition 7 of Hyndman and Fan). Nulls do not count; without any value there is no quantile.
///
/// # Errors
/// When a file or the column is missing, or a quantile lies outside 0..=1.
pub fn quantiles(paths: &[PathBuf], column: &str, wanted: &[f64]) -> Result<Option<Vec<f64>>, TableError> {
    const QUESTION: &str = "quantiles";
    if let Some(wrong) = wanted.iter().find(|q| !(0.0..=1.0).contains(*q)) {
        return Err(TableError::Argument { question: QUESTION, problem: format!("{wrong} is not between 0 and 1") });
    }
    let mut values = column_values(paths, column).map_err(|error| TableError::query(QUESTION, paths, &error))?;
    values.sort_by(f64::total_cmp);
    let Some(last) = values.len().checked_sub(1) else { return Ok(None) };
    Ok(Some(wanted.iter().map(|q| interpolated(&values, q * last as f64)).collect()))
}

fn interpolated(sorted: &[f64], rank: f64) -> f64 {
    let below = sorted[rank.floor() as usize];
    let above = sorted[rank.ceil() as usize];
    below + (above - below) * rank.fract()
}

/// Number of values in each bin `edges[i] <= value < edges[i + 1]`. Values outside go to the first and the last bin, so
/// that the counts add up to the number of values; nulls do not count.
///
/// # Errors
/// When a file or the column is missing, or the edges are fewer than two or do not ascend.
pub fn histogram(paths: &[PathBuf], column: &str, edges: &[f64]) -> Result<Vec<u64>, TableError> {
    const QUESTION: &str = "histogram";
    let mut bins = Bins::new(QUESTION, edges)?;
    let values = column_values(paths, column).map_err(|error| TableError::query(QUESTION, paths, &error))?;
    values.into_iter().for_each(|value| bins.add(value));
    Ok(bins.counts)
}

fn column_values(paths: &[PathBuf], column: &str) -> PolarsResult<Vec<f64>> {
    match scan(paths)? {
        Some(frame) => numbers(&frame.select([col(column)]).collect()?, column),
        None => Ok(Vec::new()),
    }
}

/// Counts between ascending edges.
pub(crate) struct Bins<'a> {
    edges: &'a [f64],
    pub(crate) counts: Vec<u64>,
}

impl<'a> Bins<'a> {
    pub(crate) fn new(question: &'static str, edges: &'a [f64]) -> Result<Self, TableError> {
        if edges.len() < 2 || !edges.windows(2).all(|pair| pair[0] < pair[1]) {
            return Err(TableError::Argument { question, problem: "bins need two or more ascending edges".into() });
        }
        Ok(Self { edges, counts: vec![0; edges.len() - 1] })
    }

    pub(crate) fn add(&mut self, value: f64) {
        let upper = self.edges.partition_point(|edge| *edge <= value);
        self.counts[upper.saturating_sub(1).min(self.edges.len() - 2)] += 1;
    }
}
