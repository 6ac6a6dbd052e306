//! What stops the engine as a whole; a failing task does not.

use crate::Holder;
use thiserror::Error;
use uavgen_core::{ConfigError, StoreError, TaskError};

/// Why a call gave no result.
#[derive(Debug, Error)]
pub enum EngineError {
    /// A config section cannot be used.
    #[error("read config section [{stage}]: {source}")]
    Config {
        /// Stage, and so the name of the section.
        stage: String,
        /// Key and problem; the path starts below the section.
        source: ConfigError,
    },
    /// A config section belongs to no stage.
    #[error("read config: {source}")]
    UnknownSection {
        /// Key and the nearest stage name.
        source: ConfigError,
    },
    /// A source is not what the config says.
    #[error("look for work in the sources: {source}")]
    Source {
        /// Root stage that looked.
        stage: String,
        /// Path into the config and problem.
        source: ConfigError,
    },
    /// A selected stage does not exist.
    #[error("select stage `{name}`: there is no such stage{}", hint(nearest.as_deref()))]
    UnknownStage {
        /// What was asked for.
        name: String,
        /// The nearest name.
        nearest: Option<String>,
    },
    /// A selected split does not exist.
    #[error("select split `{name}`: the sources have {}", known.join(", "))]
    UnknownSplit {
        /// What was asked for.
        name: String,
        /// Splits that exist.
        known: Vec<String>,
    },
    /// A stage that covers the whole data set was asked for on one split.
    #[error("select split `{split}` of stage {stage}: the stage covers the whole data set; leave out --split")]
    WholeDataSet {
        /// Stage.
        stage: String,
        /// What was asked for.
        split: String,
    },
    /// A partition that was asked for has a name that several have.
    #[error("find partition `{name}` of stage {stage}: it may be {}; give one of these", candidates.join(" or "))]
    AmbiguousPartition {
        /// Stage.
        stage: String,
        /// What was asked for.
        name: String,
        /// What it may mean, in a form that is unique.
        candidates: Vec<String>,
    },
    /// A partition that was asked for does not exist.
    #[error("find partition `{name}` of stage {stage}{}", hint(nearest.as_deref()))]
    UnknownPartition {
        /// Stage.
        stage: String,
        /// What was asked for.
        name: String,
        /// The nearest name.
        nearest: Option<String>,
    },
    /// A described task does not fit this config or this version of uavgen.
    #[error("run task {stage} {partition}: {problem}; list the tasks again with `uavgen plan --json`")]
    StaleTask {
        /// Stage.
        stage: String,
        /// Partition.
        partition: String,
        /// What differs.
        problem: String,
    },
    /// Another process works in the store.
    #[error("lock the workspace: {holder} is at work here; wait for it, or use --wait")]
    Busy {
        /// Who.
        holder: Box<Holder>,
    },
    /// The store, a release folder or a log could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A task that was asked for alone gave no result.
    #[error("run {stage} on {partition}: {source}")]
    Task {
        /// Stage.
        stage: String,
        /// Partition.
        partition: String,
        /// Cause.
        source: TaskError,
    },
    /// A stage broke a rule that every stage keeps: a bug in uavgen, not in the data.
    #[error("run {stage} on {partition}: bug in uavgen: {message}")]
    Bug {
        /// Stage.
        stage: String,
        /// Partition.
        partition: String,
        /// The broken rule.
        message: String,
    },
    /// The caller asked to stop.
    #[error("go on: interrupted; the state is safe, run the same command again")]
    Interrupted,
    /// The registry contradicts itself: a bug in uavgen, not in the data.
    #[error("order the stages: {problem}")]
    Registry {
        /// What contradicts.
        problem: String,
    },
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}
