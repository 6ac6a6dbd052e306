//! The taxonomy, what stands beside answers, and which frames make a pair.

mod options;
mod pairs;
mod taxonomy;
