//! What happens during a run: told to an [`Observer`] while it happens, and kept in `runs/<id>/events.jsonl`.

use crate::run_log::unix_ms;
use crate::{Holder, TaskRef, estimate};
use serde::Serialize;
use std::time::SystemTime;
use uavgen_core::{Manifest, Partition};

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// Another process is at work in the store; the call waits for it.
    Waiting {
        /// Who.
        holder: Holder,
    },
    /// A run begins.
    RunStarted {
        /// Name of the run.
        run: String,
        /// Stages in the order in which they will run.
        stages: Vec<&'static str>,
        /// Threads.
        jobs: usize,
    },
    /// Source files whose digest is not known are being read; sent every few seconds.
    Digesting {
        /// Files read so far.
        files: u64,
        /// Files to read.
        of_files: u64,
        /// Bytes read so far.
        bytes: u64,
        /// Bytes to read.
        of_bytes: u64,
    },
    /// The sources are known.
    SourcesFound {
        /// Number of files.
        files: u64,
        /// Their bytes.
        bytes: u64,
        /// Files that had to be read, since their digest was not known.
        hashed: u64,
    },
    /// A stage was looked at and starts.
    StageStarted {
        /// Stage.
        stage: &'static str,
        /// Number of tasks.
        tasks: usize,
        /// Those whose result is there.
        fresh: usize,
        /// Those that will run.
        dirty: usize,
        /// Those that cannot run.
        blocked: usize,
        /// Why the dirty ones must run: each reason in words, with its number of tasks, most frequent first.
        reasons: Vec<(String, usize)>,
    },
    /// A task starts.
    TaskStarted {
        /// Stage.
        stage: &'static str,
        /// Partition.
        partition: Partition,
    },
    /// A task has a result.
    TaskDone {
        /// Stage.
        stage: &'static str,
        /// Partition.
        partition: Partition,
        /// Inputs that it looked at, of all kinds.
        read: u64,
        /// Rows written to all its tables.
        rows: u64,
        /// Records that it did not take further.
        rejects: u64,
        /// Bytes of its tables and blobs.
        bytes: u64,
        /// Wall time in milliseconds.
        duration_ms: u64,
        /// Its tables, blobs and publication are the same bytes as before.
        unchanged: bool,
    },
    /// A task failed.
    TaskFailed {
        /// Stage.
        stage: &'static str,
        /// Partition.
        partition: Partition,
        /// Why.
        message: String,
        /// A broken invariant in uavgen.
        is_bug: bool,
    },
    /// A task cannot run.
    TaskBlocked {
        /// Stage.
        stage: &'static str,
        /// Partition.
        partition: Partition,
        /// The first few tasks that it needs.
        on: Vec<TaskRef>,
    },
    /// All tasks of a stage have ended.
    StageFinished {
        /// Stage.
        stage: &'static str,
        /// Tasks that ran and have a result.
        done: usize,
        /// Those of `done` with the same bytes as before.
        unchanged: usize,
        /// Tasks that failed.
        failed: usize,
    },
    /// A release is in place.
    Published {
        /// Its name.
        release: String,
        /// Whether it was laid out or mended now.
        changed: bool,
    },
    /// The run ends.
    RunFinished {
        /// The word for its outcome.
        outcome: &'static str,
        /// Wall time in milliseconds.
        duration_ms: u64,
    },
}

impl Event {
    /// The event as one line of JSON without its end, as it stands in `runs/<id>/events.jsonl`.
    pub fn line(&self, time: SystemTime) -> String {
        #[derive(Serialize)]
        struct Line<'a> {
            unix_ms: u64,
            #[serde(flatten)]
            event: &'a Event,
        }
        // Events are words and numbers: they always have a JSON form.
        serde_json::to_string(&Line { unix_ms: unix_ms(time), event: self }).unwrap_or_default()
    }

    /// A task has this result.
    pub(crate) fn task_done(stage: &'static str, manifest: &Manifest, unchanged: bool) -> Self {
        let counts = &manifest.counts;
        Self::TaskDone {
            stage,
            partition: manifest.partition().clone(),
            read: counts.read(),
            rows: counts.written.values().sum(),
            rejects: counts.rejects(),
            bytes: estimate::stored_bytes(manifest),
            duration_ms: manifest.run.duration_ms,
            unchanged,
        }
    }
}

/// Follows a run. Called from several threads, one at a time.
pub trait Observer: Sync {
    /// Something happened.
    fn observe(&self, event: &Event);
}

/// Follows nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {
    fn observe(&self, _event: &Event) {}
}
