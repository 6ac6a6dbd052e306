//! Whole numbers that may be known only as a range: possible members widen it, and only an exact one is an answer.

use super::sets::ObjectSet;
use crate::ast::Relation;
use crate::margins::CountMargin;
use crate::undefined::{Reason, Undefined};
use crate::unknown::Possible;
use std::collections::BTreeMap;

/// Ids of what makes a range wider than one number, each with the reason why nobody can say.
pub(super) type Blockers = BTreeMap<String, Reason>;

/// The true number lies between the bounds, both included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct IntRange {
    low: Option<i64>,
    high: Option<i64>,
    /// What the labels alone say.
    labelled: i64,
    blockers: Blockers,
}

/// Number of objects in a set: each possible object may add one, an unlabelled area any number.
pub(super) fn count(set: &ObjectSet<'_>) -> IntRange {
    let members = set.members.len() as i64;
    let bounded = set.possibles.iter().all(|possible| possible.is_one_object());
    let high = bounded.then_some(members + set.possibles.len() as i64);
    IntRange::between(members, high, blockers(&set.possibles))
}

/// What possible members are refused with.
pub(super) fn blockers<'a, 's: 'a>(possibles: impl IntoIterator<Item = &'a Possible<'s>>) -> Blockers {
    possibles.into_iter().map(|possible| (possible.id().to_owned(), possible.reason())).collect()
}

impl IntRange {
    /// A number that is at least `labelled`, which is what the labels say, and at most `high` (`None`: unbounded).
    pub(super) fn between(labelled: i64, high: Option<i64>, blockers: Blockers) -> Self {
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
        Err(Undefined::blocked(self.blockers()))
    }

    fn blockers(&self) -> impl Iterator<Item = (&str, Reason)> {
        self.blockers.iter().map(|(id, reason)| (id.as_str(), *reason))
    }

    /// The difference of two numbers that vary on their own.
    pub(super) fn minus(&self, other: &Self) -> Self {
        let subtract = |a: Option<i64>, b: Option<i64>| Some(a?.saturating_sub(b?));
        Self {
            low: subtract(self.low, other.high),
            high: subtract(self.high, other.low),
            labelled: self.labelled.saturating_sub(other.labelled),
            blockers: self.blockers.iter().chain(&other.blockers).map(|(id, reason)| (id.clone(), *reason)).collect(),
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

    /// Why two numbers have no certain order: a near tie when both are known, else the possible members.
    pub(super) fn undecided([a, b]: [&Self; 2], margin: &CountMargin) -> Undefined {
        let gap = a.labelled.abs_diff(b.labelled) as f64;
        let tie = a.is_exact() && b.is_exact();
        let refused = match tie {
            true => Undefined::naming(Reason::NearTie, []),
            false => Undefined::blocked(a.blockers().chain(b.blockers())),
        };
        refused.measured(gap, margin.limit(a.labelled, b.labelled))
    }
}
