//! What the caller hands to the engine. Nothing else is looked up: no environment, no clock, no config files.

use crate::{EngineError, Observer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;
use uavgen_core::{Project, Stage};

/// Tells the time: for durations, logs and the age of garbage, never for content.
pub type Clock = fn() -> SystemTime;

/// Everything that the engine works with.
pub struct Setup {
    /// Sources, splits, seed.
    pub project: Project,
    /// Every stage there is.
    pub registry: &'static [&'static dyn Stage],
    /// Config section per stage, as in the config file (with `split` overlays); a missing section is the default.
    pub config: BTreeMap<String, Value>,
    /// Where results go.
    pub roots: Roots,
    /// Limits that change no output.
    pub runtime: Runtime,
    /// Name of this machine, for manifests and locks.
    pub host: String,
    /// Version of uavgen, for manifests.
    pub uavgen_version: String,
    /// Tells the time.
    pub clock: Clock,
}

/// Folders that the engine writes into, absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roots {
    /// Results, one folder per task.
    pub store: PathBuf,
    /// Published data sets, one folder each.
    pub releases: PathBuf,
    /// Event logs, one folder per run.
    pub runs: PathBuf,
}

impl Roots {
    /// The usual folders of a workspace.
    pub fn below(workspace: &std::path::Path) -> Self {
        let folder = |name: &str| workspace.join(name);
        Self { store: folder("store"), releases: folder("releases"), runs: folder("runs") }
    }
}

/// Settings that may change at any time without changing any output: none of them enters a fingerprint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Runtime {
    /// Threads, at least 1.
    pub jobs: usize,
    /// Largest share of any one kind of input of a stage that may be quarantined before the run fails.
    pub max_bad_share: f64,
    /// Days for which `gc` keeps a result that nothing reaches, from the last build that reached it.
    pub keep_days: u64,
}

impl Default for Runtime {
    fn default() -> Self {
        Self { jobs: 1, max_bad_share: 0.10, keep_days: 14 }
    }
}

/// Which tasks to look at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// These stages and everything upstream of them; null means all stages.
    pub stages: Option<Vec<String>>,
    /// Only partitions of this split. Stages that cover the whole data set are then left out, and cannot be asked for by
    /// name: they would see a part.
    pub split: Option<String>,
}

impl Selection {
    /// Everything.
    pub fn all() -> Self {
        Self::default()
    }

    /// Some stages, with everything upstream of them.
    pub fn stages<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        Self { stages: Some(names.into_iter().map(Into::into).collect()), split: None }
    }
}

/// How the caller follows and stops a long call.
#[derive(Clone, Copy)]
pub struct Control<'a> {
    /// Told about everything that happens.
    pub observer: &'a dyn Observer,
    /// Set by the caller when the call is to stop; checked between tasks and inside long ones.
    pub cancelled: &'a AtomicBool,
}

impl Control<'_> {
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Breaks a call off once it is to stop.
    pub(crate) fn check(&self) -> Result<(), EngineError> {
        if self.is_cancelled() { Err(EngineError::Interrupted) } else { Ok(()) }
    }
}
