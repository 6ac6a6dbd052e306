//! One task by description, so that another engine can spread tasks over machines: `uavgen plan --json` lists them,
//! `uavgen run-task` does one and exits.
//!
//! A description holds the task's key in clear and the addresses of the results that it reads. Running it looks for no
//! work and hashes no source: on a cluster, two thousand tasks must not list the sources two thousand times.

use crate::attempt::{self, AttemptError, Job};
use crate::digest_cache::DigestCache;
use crate::discovery::RootTask;
use crate::key::{self, Upstream};
use crate::lock::Lock;
use crate::look::{root_task, upstream};
use crate::workspace::{Walk, Workspace};
use crate::{Control, EngineError, Event, Plan, Selection, estimate, intact, reached, reason};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use uavgen_core::store::proof::read_manifest;
use uavgen_core::{Fingerprint, FingerprintInputs, Manifest, Partition, SourceFile, TaskError};

/// Everything needed to run one task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskDescription {
    /// What its fingerprint hashes: stage, partition, config and all.
    pub inputs: FingerprintInputs,
    /// Results that it reads.
    pub upstream: Vec<Address>,
    /// Source files of a root task.
    pub files: Vec<SourceFile>,
    /// Source options of a root task.
    pub options: BTreeMap<String, Value>,
}

/// Where a result is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Address {
    /// Stage.
    pub stage: String,
    /// Partition.
    pub partition: Partition,
    /// Fingerprint.
    pub fingerprint: Fingerprint,
}

impl Workspace {
    /// The plan, and the tasks of the selected stages that can run now, each on its own. Later stages come once these
    /// are done: ask again.
    ///
    /// # Errors
    /// As [`Workspace::plan`].
    pub fn plan_and_tasks(
        &self,
        selection: &Selection,
        control: Control<'_>,
    ) -> Result<(Plan, Vec<TaskDescription>), EngineError> {
        let walk = self.look_at_all(selection, control)?;
        let stages = walk.order.iter().filter(|stage| walk.selected.contains(*stage));
        let tasks = stages.flat_map(|&stage| describe(&walk, stage)).collect();
        Ok((estimate::plan(&walk), tasks))
    }

    /// Runs one task and commits its result; does nothing when the result is there.
    ///
    /// # Errors
    /// A description that does not fit this config or version, a result upstream that is not there, or a failure of the
    /// task itself.
    pub fn run_task(&self, task: &TaskDescription, control: Control<'_>) -> Result<Manifest, EngineError> {
        let _lock = Lock::shared(self, control)?;
        let stage = self.stage_index(&task.inputs.stage)?;
        let partition = &task.inputs.partition;
        let root = (self.graph.is_root(stage))
            .then(|| RootTask::new(partition.clone(), task.files.clone(), task.options.clone()));
        let upstream = self.results_at(task)?;
        let now = key::fingerprint_inputs(self, stage, partition, &upstream, root.as_ref());
        let differences = reason::differences(&task.inputs, &now);
        if let Some(difference) = differences.iter().find(|reason| !reason.is_notation()) {
            return Err(stale(task, difference.to_string()));
        }
        let fingerprint = now.fingerprint();
        let folder = self.store.task_folder(&now.stage, partition, &fingerprint);
        let there = read_manifest(&folder)?.found();
        if let Some(there) = &there {
            // The table of digests is as large as the sources; loading it for one task would cost more than it saves.
            let digests = DigestCache::forgetful(self.setup.clock, control.cancelled);
            if intact::damage(self, &digests, there)?.is_none() {
                reached::mark(self, there);
                return Ok(there.clone());
            }
        }
        let (inputs, fingerprint, root, damaged) = (&now, &fingerprint, root.as_ref(), there.as_ref());
        let job = Job { stage, partition, inputs, fingerprint, upstream, root, damaged };
        self.run_job(&job, control).map_err(|error| failure(task, error))
    }

    /// Runs a task, telling as a build does.
    fn run_job(&self, job: &Job<'_>, control: Control<'_>) -> Result<Manifest, AttemptError> {
        let (stage, partition) = (self.stages[job.stage].info.name, job.partition.clone());
        control.observer.observe(&Event::TaskStarted { stage, partition: partition.clone() });
        let outcome = attempt::run(self, job, control.cancelled);
        match &outcome {
            Ok(manifest) => control.observer.observe(&Event::task_done(stage, manifest, false)),
            Err(AttemptError::Task(TaskError::Cancelled)) => {}
            Err(error) => {
                let (message, is_bug) = match error {
                    AttemptError::Task(error) => (error.to_string(), false),
                    AttemptError::Bug(message) => (message.clone(), true),
                };
                control.observer.observe(&Event::TaskFailed { stage, partition, message, is_bug });
            }
        }
        outcome
    }

    fn results_at(&self, task: &TaskDescription) -> Result<Upstream, EngineError> {
        let mut upstream = Upstream::new();
        for address in &task.upstream {
            let folder = self.store.task_folder(&address.stage, &address.partition, &address.fingerprint);
            let missing = || stale(task, format!("{} {} has no result", address.stage, address.partition));
            let manifest = read_manifest(&folder)?.found().ok_or_else(missing)?;
            upstream.entry(self.stage_index(&address.stage)?).or_default().push(Arc::new(manifest));
        }
        Ok(upstream)
    }
}

fn describe(walk: &Walk<'_>, stage: usize) -> Vec<TaskDescription> {
    let tasks = walk.states.get(&stage).map_or(&[][..], |state| &state.tasks);
    let dirty = tasks.iter().filter_map(|task| {
        let inputs = task.inputs.as_deref()?.clone();
        let upstream = upstream(walk, stage, &task.partition).ok()?;
        let root = root_task(walk, stage, &task.partition);
        Some(TaskDescription {
            inputs,
            upstream: upstream.values().flatten().map(|manifest| address(manifest)).collect(),
            files: root.map(|root| root.files.clone()).unwrap_or_default(),
            options: root.map(|root| root.options.clone()).unwrap_or_default(),
        })
    });
    dirty.collect()
}

fn address(manifest: &Manifest) -> Address {
    Address {
        stage: manifest.inputs.stage.clone(),
        partition: manifest.partition().clone(),
        fingerprint: manifest.inputs.fingerprint(),
    }
}

fn stale(task: &TaskDescription, problem: String) -> EngineError {
    EngineError::StaleTask { stage: task.inputs.stage.clone(), partition: task.inputs.partition.to_string(), problem }
}

fn failure(task: &TaskDescription, error: AttemptError) -> EngineError {
    let (stage, partition) = (task.inputs.stage.clone(), task.inputs.partition.to_string());
    match error {
        AttemptError::Task(TaskError::Cancelled) => EngineError::Interrupted,
        AttemptError::Task(source) => EngineError::Task { stage, partition, source },
        AttemptError::Bug(message) => EngineError::Bug { stage, partition, message },
    }
}
