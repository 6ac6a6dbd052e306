//! What the planner saw: serialisable, so that people and other engines can read it.

use crate::Reason;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use uavgen_core::{Grain, Partition};

/// Most tasks named as blocking another.
pub const NAMED_BLOCKERS: usize = 5;

/// One task by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TaskRef {
    /// Stage.
    pub stage: &'static str,
    /// Partition.
    pub partition: Partition,
}

impl fmt::Display for TaskRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.stage, self.partition)
    }
}

/// Where a task stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Status {
    /// Its result is there.
    Fresh,
    /// It must run.
    Dirty {
        /// Why, at least one.
        reasons: Vec<Reason>,
    },
    /// It may have to run: something upstream must run first, and may give the same bytes again.
    Maybe,
    /// It cannot run.
    Blocked {
        /// The first few tasks that it waits for in vain.
        on: Vec<TaskRef>,
    },
}

impl Status {
    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Dirty { .. } => "dirty",
            Self::Maybe => "maybe",
            Self::Blocked { .. } => "blocked",
        }
    }
}

/// One task as the planner saw it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskPlan {
    /// Partition.
    pub partition: Partition,
    /// Where it stands.
    #[serde(flatten)]
    pub status: Status,
    /// Its key; null while something upstream must run first.
    pub fingerprint: Option<String>,
}

/// One stage as the planner saw it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StagePlan {
    /// Stage.
    pub stage: &'static str,
    /// What one task covers.
    pub grain: Grain,
    /// Asked for; the others are here because something asked for reads from them.
    pub selected: bool,
    /// Its tasks, sorted by partition.
    pub tasks: Vec<TaskPlan>,
    /// Expected rows per table: those of fresh tasks as they are, those of the others as the stage estimates them.
    pub expected_rows: BTreeMap<String, u64>,
    /// Whether every task is fresh, so that `expected_rows` is no estimate.
    pub rows_are_exact: bool,
    /// Bytes that the stage's fresh results take in the store.
    pub stored_bytes: u64,
    /// Bytes that the other tasks are expected to write, from the mean of the fresh ones; null without any.
    pub needed_bytes: Option<u64>,
}

impl StagePlan {
    /// Number of tasks with this status word.
    pub fn count(&self, word: &str) -> usize {
        self.tasks.iter().filter(|task| task.status.word() == word).count()
    }

    /// Why its tasks must run, in words, each with its number of tasks, most frequent first.
    pub fn frequent_reasons(&self) -> Vec<(String, usize)> {
        frequent_reasons(self.tasks.iter().map(|task| &task.status))
    }
}

/// Everything that the planner saw.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Plan {
    /// Stages in the order in which they run.
    pub stages: Vec<StagePlan>,
    /// What the root stages say about the sources, a line each.
    pub notes: Vec<String>,
    /// Number of source files.
    pub source_files: u64,
    /// Their bytes.
    pub source_bytes: u64,
}

impl Plan {
    /// Whether a build would do nothing.
    pub fn is_fresh(&self) -> bool {
        self.stages.iter().flat_map(|stage| &stage.tasks).all(|task| task.status == Status::Fresh)
    }

    /// The stage of that name.
    pub fn stage(&self, name: &str) -> Option<&StagePlan> {
        self.stages.iter().find(|stage| stage.stage == name)
    }
}

/// The reasons shared by many tasks, in words, with their number of tasks, most frequent first.
pub(crate) fn frequent_reasons<'a>(statuses: impl Iterator<Item = &'a Status>) -> Vec<(String, usize)> {
    let mut counts = BTreeMap::<String, usize>::new();
    for status in statuses {
        if let Status::Dirty { reasons } = status {
            reasons.iter().for_each(|reason| *counts.entry(short_reason(reason)).or_default() += 1);
        }
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts
}

/// The reason without what differs from task to task.
fn short_reason(reason: &Reason) -> String {
    match reason {
        Reason::SourceFiles { .. } => "source files changed".into(),
        Reason::Missing { .. } => "result damaged".into(),
        other => other.to_string(),
    }
}
