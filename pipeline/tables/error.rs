//! What can go wrong with a question over tables.

use polars::error::PolarsError;
use std::path::PathBuf;
use thiserror::Error;

/// A question that got no answer.
#[derive(Debug, Error)]
pub enum TableError {
    /// A file is missing, is no Parquet, or lacks a column.
    #[error("ask {question} of {} (and {others} more): {problem}", first.display())]
    Query {
        /// The function that asked.
        question: &'static str,
        /// First of the files.
        first: PathBuf,
        /// How many other files there were.
        others: usize,
        /// What the query engine said.
        problem: String,
    },
    /// A bound that makes no sense.
    #[error("ask {question}: {problem}")]
    Argument {
        /// The function that was asked.
        question: &'static str,
        /// What is wrong with the argument.
        problem: String,
    },
}

impl TableError {
    pub(crate) fn query(question: &'static str, paths: &[PathBuf], error: &PolarsError) -> Self {
        Self::Query {
            question,
            first: paths.first().cloned().unwrap_or_default(),
            others: paths.len().saturating_sub(1),
            problem: error.to_string(),
        }
    }
}
