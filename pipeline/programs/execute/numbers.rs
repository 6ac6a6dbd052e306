//! Whole numbers that may be known only as a range: unknowns widen it, and only an exact one is an answer.

use super::sets::ObjectSet;
use crate::ast::Relation;
use crate::margins::CountMargin;
use crate::undefined::{Reason, Undefined};
use std::collections::BTreeSet;

/// The true number lies between the bounds, both included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct IntRange {
    low: Option<i64>,
    high: Option<i64>,
    /// What the labels alone say.
    labelled: i64,
    /// Ids of what makes the range wider than one number.
    blockers: BTreeSet<String>,
}

/// Number of objects in a set: each possible object may add one, an unlabelled area any number.
pub(super) fn count(set: &ObjectSet<'_>) -> IntRange {
    let members = set.members.len() as i64;
    let bounded = set.possibles.iter().all(|possible| possible.is_one_object());
    let high = bounded.then_some(members + set.possibles.len() as i64);
    IntRange::between(members, high, set.possible_ids().map(str::to_owned).collect())
}

impl IntRange {
    /// A number that is at least `labelled`, which is what the labels say, and at most `high` (`None`: unbounded).
    pub(super) fn between(labelled: i64, high: Option<i64>, blockers: BTreeSet<String>) -> Self {
        Self { low: Some(labelled), high, labelled, blockers }
    }

    /// What the labels alone say; for the facts.
    pub(super) fn labelled(&self) -> i64 {
        self.labelled
    }

    fn is_exact(&self) -> bool {
        self.low == Some(self.labelled) && self.high == Some(self.labelled)
    }

    /// The number, when only one is possible.
    pub(super) fn exact(&self) -> Result<i64, Undefined> {
        if self.is_exact() {
            return Ok(self.labelled);
        }
        Err(Undefined::naming(Reason::TouchesUnknown, self.blocker_ids()))
    }

    pub(super) fn blocker_ids(&self) -> impl Iterator<Item = &str> {
        self.blockers.iter().map(String::as_str)
    }

    /// The difference of two numbers that vary on their own.
    pub(super) fn minus(&self, other: &Self) -> Self {
        let subtract = |a: Option<i64>, b: Option<i64>| Some(a?.saturating_sub(b?));
        Self {
            low: subtract(self.low, other.high),
            high: subtract(self.high, other.low),
            labelled: self.labelled.saturating_sub(other.labelled),
            blockers: self.blockers.union(&other.blockers).cloned().collect(),
        }
    }

    /// Whether this is ahead of `other` by the margin whatever the unknowns are. The nearest pair decides: growing the
    /// greater number by one widens the gap by one and the limit by less.
    pub(super) fn surely_exceeds(&self, other: &Self, margin: &CountMargin) -> bool {
        match (self.low, other.high) {
            (Some(low), Some(high)) => low > high && low.saturating_sub(high) as f64 >= margin.limit(low, high),
            _ => false,
        }
    }

    /// Greater or less, when it is certain and no near tie.
    pub(super) fn compare(&self, other: &Self, margin: &CountMargin) -> Result<Relation, Undefined> {
        if self.surely_exceeds(other, margin) {
            Ok(Relation::Greater)
        } else if other.surely_exceeds(self, margin) {
            Ok(Relation::Less)
        } else {
            Err(Self::undecided([self, other], margin))
        }
    }

    /// Why two numbers have no certain order: a near tie when both are known, else the unknowns.
    pub(super) fn undecided([a, b]: [&Self; 2], margin: &CountMargin) -> Undefined {
        let gap = a.labelled.abs_diff(b.labelled) as f64;
        let reason = if a.is_exact() && b.is_exact() { Reason::NearTie } else { Reason::TouchesUnknown };
        let refused = Undefined::naming(reason, a.blocker_ids().chain(b.blocker_ids()));
        refused.measured(gap, margin.limit(a.labelled, b.labelled))
    }
}
