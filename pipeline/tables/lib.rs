//! Set-wise questions over Parquet tables: counts, distributions, balancing.
//!
//! Stages handle rows as records, one partition at a time. Some questions are about all rows at once and need a few
//! columns only: how many items each task has, which items to keep when there are too many, how large boxes are. Those are asked here, by a query engine that reads just these columns (images are never touched).
//!
//! This is the only crate that names polars, and polars does not show: paths of Parquet files go in, plain values come
//! out, always in sorted order, so that results do not depend on threads. Functions are named for the question; this is
//! no wrapper around data frames.

mod balance;
mod bins;
mod boxes;
mod counts;
mod error;
mod scan;
mod statistics;

pub use balance::keep_lowest_rank;
pub use boxes::{ScenePaths, box_sides, boxes_per_frame, centre_grid};
pub use counts::counts_by;
pub use error::TableError;
pub use scan::LIST_SEPARATOR;
pub use statistics::{Statistics, statistics_by};

#[cfg(test)]
mod tests;
