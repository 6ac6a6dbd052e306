//! How a build went.

use crate::TaskRef;
use serde::Serialize;
use std::path::PathBuf;
use uavgen_core::{Counts, Partition};
use uavgen_schemas::Reject;

/// A task that gave no result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Failure {
    /// Partition.
    pub partition: Partition,
    /// Why, for people.
    pub message: String,
    /// A broken invariant in uavgen, not a problem of the data.
    pub is_bug: bool,
}

/// One stage of a build.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct StageReport {
    /// Stage.
    pub stage: &'static str,
    /// Tasks whose result was there.
    pub fresh: usize,
    /// Tasks that ran and have a result now.
    pub done: usize,
    /// Those of `done` whose result is the same bytes as before.
    pub unchanged: usize,
    /// Tasks that ran and failed.
    pub failed: Vec<Failure>,
    /// Tasks that could not run, each with the first few tasks that it needs.
    pub blocked: Vec<(Partition, Vec<TaskRef>)>,
    /// Tasks that were not started, since the run stopped before.
    pub not_started: usize,
    /// What its results, fresh and new, hold and left out, summed from their manifests.
    pub counts: Counts,
    /// The first broken inputs that its results left out, each with the partition that tells more.
    pub quarantined: Vec<(Partition, Reject)>,
}

/// A stage of which too much of one kind of input was quarantined.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BadInput {
    /// Stage.
    pub stage: &'static str,
    /// Kind of input, in the singular: `image`, `annotation line`.
    pub kind: String,
    /// Quarantined inputs of that kind.
    pub bad: u64,
    /// Inputs of that kind that the stage looked at.
    pub read: u64,
    /// Largest share allowed.
    pub max_bad_share: f64,
    /// The first of them: `<record>: <reason> <detail>`.
    pub first: Vec<String>,
}

/// How the run ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// Everything that was asked for is there.
    Done,
    /// Some tasks failed; the others are done.
    Failed,
    /// A stage quarantined too much; later stages did not run.
    TooManyBad(BadInput),
    /// The disk is full, or the store cannot be written; the run stopped at once.
    Stopped {
        /// What happened, for people.
        message: String,
    },
    /// The caller asked to stop.
    Interrupted,
}

/// A folder that the build made sure of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Published {
    /// Name of the release.
    pub id: String,
    /// Its folder.
    pub folder: PathBuf,
    /// Whether the build laid it out or mended it; otherwise it was complete already.
    pub changed: bool,
}

/// How a build went.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BuildReport {
    /// Name of the run.
    pub run: String,
    /// File of its events. A run that found everything done leaves none.
    pub log: PathBuf,
    /// Stages in the order in which they ran.
    pub stages: Vec<StageReport>,
    /// Releases that are in place.
    pub published: Vec<Published>,
    /// How it ended.
    pub outcome: Outcome,
    /// What the root stages say about the sources, a line each.
    pub notes: Vec<String>,
}

impl BuildReport {
    /// Number of tasks that failed because of a broken invariant.
    pub fn bugs(&self) -> usize {
        self.failures().filter(|(_, failure)| failure.is_bug).count()
    }

    /// Every failed task with its stage.
    pub fn failures(&self) -> impl Iterator<Item = (&'static str, &Failure)> {
        self.stages.iter().flat_map(|stage| stage.failed.iter().map(|failure| (stage.stage, failure)))
    }

    /// Every task that could not run, with its stage and the first few tasks that it needs.
    pub fn blocked(&self) -> impl Iterator<Item = (&'static str, &Partition, &[TaskRef])> {
        let blocked = self.stages.iter().flat_map(|stage| stage.blocked.iter().map(|blocked| (stage.stage, blocked)));
        blocked.map(|(stage, (partition, on))| (stage, partition, on.as_slice()))
    }

    /// Number of tasks that ran.
    pub fn ran(&self) -> usize {
        self.stages.iter().map(|stage| stage.done + stage.failed.len()).sum()
    }
}
