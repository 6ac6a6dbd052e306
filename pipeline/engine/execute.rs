//! Runs the dirty tasks of one stage on plain threads.

use crate::attempt::{self, AttemptError, Job};
use crate::look::{StageState, TaskState, root_task, upstream};
use crate::report::Failure;
use crate::workspace::Walk;
use crate::{Control, Event, Observer, Status};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use uavgen_core::parallel;
use uavgen_core::{Manifest, Partition, TaskError};

/// Why the whole run stopped inside a stage.
#[derive(Debug)]
pub(crate) enum Stop {
    Interrupted,
    /// Every other task would fail alike (a full disk).
    Hopeless(String),
}

/// What running a stage came to.
#[derive(Debug, Default)]
pub(crate) struct Executed {
    pub(crate) done: usize,
    pub(crate) unchanged: usize,
    pub(crate) failed: Vec<Failure>,
    pub(crate) not_started: usize,
    pub(crate) stop: Option<Stop>,
}

enum Ended {
    Done { manifest: Arc<Manifest>, unchanged: bool },
    Failed(Failure),
    NotStarted,
}

/// Runs what is dirty in `state` and puts the results there. The outcome does not depend on the number of threads.
pub(crate) fn execute(
    walk: &Walk<'_>,
    stage: usize,
    state: &mut StageState,
    observer: &dyn Observer,
    control: Control<'_>,
) -> Executed {
    let dirty: Vec<usize> = positions_of_dirty(state);
    let queue = Queue { walk, stage, observer, control, stopped: AtomicBool::new(false), stop: Mutex::new(None) };
    let mut ended: Vec<(usize, Ended)> = queue.run(&dirty, state);
    ended.sort_by_key(|(position, _)| *position);
    let mut executed =
        Executed { stop: queue.stop.into_inner().unwrap_or_else(PoisonError::into_inner), ..Executed::default() };
    for (position, ended) in ended {
        record(&mut state.tasks[position], ended, &mut executed);
    }
    if executed.stop.is_none() && control.is_cancelled() {
        executed.stop = Some(Stop::Interrupted);
    }
    executed
}

fn positions_of_dirty(state: &StageState) -> Vec<usize> {
    let tasks = state.tasks.iter().enumerate();
    tasks.filter(|(_, task)| matches!(task.status, Status::Dirty { .. })).map(|(position, _)| position).collect()
}

fn record(task: &mut TaskState, ended: Ended, executed: &mut Executed) {
    match ended {
        Ended::Done { manifest, unchanged } => {
            executed.done += 1;
            executed.unchanged += usize::from(unchanged);
            task.status = Status::Fresh;
            task.manifest = Some(manifest);
        }
        Ended::Failed(failure) => {
            task.failed = true;
            executed.failed.push(failure);
        }
        Ended::NotStarted => executed.not_started += 1,
    }
    task.inputs = None;
    task.previous = None;
}

struct Queue<'q> {
    walk: &'q Walk<'q>,
    stage: usize,
    observer: &'q dyn Observer,
    control: Control<'q>,
    stopped: AtomicBool,
    stop: Mutex<Option<Stop>>,
}

impl Queue<'_> {
    fn run(&self, dirty: &[usize], state: &StageState) -> Vec<(usize, Ended)> {
        parallel::map(self.walk.workspace.setup.runtime.jobs, dirty, |&position| {
            (position, self.run_task(&state.tasks[position]))
        })
    }

    fn run_task(&self, task: &TaskState) -> Ended {
        if self.stopped.load(Ordering::Relaxed) || self.control.is_cancelled() {
            return Ended::NotStarted;
        }
        let (Some(inputs), Some(fingerprint)) = (&task.inputs, &task.fingerprint) else { return Ended::NotStarted };
        let Ok(upstream) = upstream(self.walk, self.stage, &task.partition) else { return Ended::NotStarted };
        let (stage, partition) = (self.name(), task.partition.clone());
        self.observer.observe(&Event::TaskStarted { stage, partition });
        let damaged = task.previous.as_deref().filter(|previous| previous.fingerprint == fingerprint.as_str());
        let job = Job {
            stage: self.stage,
            partition: &task.partition,
            inputs,
            fingerprint,
            upstream,
            root: root_task(self.walk, self.stage, &task.partition),
            damaged,
        };
        match attempt::run(self.walk.workspace, &job, self.control.cancelled) {
            Ok(manifest) => self.done(task, manifest),
            Err(error) => self.failed(&task.partition, error),
        }
    }

    fn name(&self) -> &'static str {
        self.walk.workspace.stages[self.stage].info.name
    }

    fn done(&self, task: &TaskState, manifest: Manifest) -> Ended {
        let unchanged = task.previous.as_ref().is_some_and(|previous| same_content(previous, &manifest));
        self.observer.observe(&Event::task_done(self.name(), &manifest, unchanged));
        Ended::Done { manifest: Arc::new(manifest), unchanged }
    }

    fn failed(&self, partition: &Partition, error: AttemptError) -> Ended {
        let (message, is_bug) = match error {
            AttemptError::Task(TaskError::Cancelled) => {
                self.stop_all(Stop::Interrupted);
                return Ended::NotStarted;
            }
            AttemptError::Task(error) => {
                if error.stops_run() {
                    self.stop_all(Stop::Hopeless(error.to_string()));
                }
                (error.to_string(), false)
            }
            AttemptError::Bug(message) => (message, true),
        };
        let (stage, partition) = (self.name(), partition.clone());
        let failure = Failure { partition: partition.clone(), message: message.clone(), is_bug };
        self.observer.observe(&Event::TaskFailed { stage, partition, message, is_bug });
        Ended::Failed(failure)
    }

    fn stop_all(&self, stop: Stop) {
        self.stopped.store(true, Ordering::Relaxed);
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(stop);
    }
}

/// Whether two results hold the same bytes: tables, blobs, and what they publish (wherever in the store it lies).
fn same_content(one: &Manifest, other: &Manifest) -> bool {
    let published = |manifest: &Manifest| {
        let publication = manifest.publication.clone()?;
        let files = publication.files.into_iter().map(|file| (file.path, file.digest));
        Some((publication.id, files.collect::<Vec<_>>()))
    };
    one.artifacts == other.artifacts && one.blobs == other.blobs && published(one) == published(other)
}
