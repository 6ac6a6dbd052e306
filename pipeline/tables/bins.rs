//! Counts in bins.

use crate::TableError;

/// Counts between ascending edges: `edges[i] <= value < edges[i + 1]`. Values outside go to the first and the last bin, so
/// that the counts add up to the number of values.
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
