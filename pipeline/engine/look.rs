//! One stage looked at: its partitions, and for each whether its result is there, and if not, why not.

use crate::discovery::RootTask;
use crate::key::{self, Upstream};
use crate::plan::NAMED_BLOCKERS;
use crate::reason::{Reason, differences, source_differences};
use crate::workspace::{Walk, Workspace};
use crate::{EngineError, Status, TaskRef, attempt, intact, listing};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use uavgen_core::parallel;
use uavgen_core::store::Proof;
use uavgen_core::store::layout::MANIFEST;
use uavgen_core::store::proof::read_manifest;
use uavgen_core::{Fingerprint, FingerprintInputs, Grain, Manifest, Partition, StoreError};

/// A task and what is known about it.
#[derive(Debug)]
pub(crate) struct TaskState {
    pub(crate) partition: Partition,
    pub(crate) status: Status,
    /// Its key, unless it waits for something upstream.
    pub(crate) fingerprint: Option<Fingerprint>,
    /// What the key hashes; only where the task must run.
    pub(crate) inputs: Option<Box<FingerprintInputs>>,
    /// Its result, where it has one.
    pub(crate) manifest: Option<Arc<Manifest>>,
    /// Where it must run: the newest other result of its partition, or its own damaged one.
    pub(crate) previous: Option<Box<Manifest>>,
    /// It ran and failed.
    pub(crate) failed: bool,
}

/// All tasks of a stage, sorted by partition.
#[derive(Debug, Default)]
pub(crate) struct StageState {
    pub(crate) tasks: Vec<TaskState>,
}

impl StageState {
    /// The task of exactly this partition.
    pub(crate) fn task(&self, partition: &Partition) -> Option<&TaskState> {
        let position = self.tasks.binary_search_by(|task| task.partition.cmp(partition)).ok()?;
        Some(&self.tasks[position])
    }

    /// The tasks whose results a task on `partition` reads.
    pub(crate) fn covered_by(&self, partition: &Partition) -> Vec<&TaskState> {
        let is_sequence = |partition: &Partition| matches!(partition, Partition::Sequence { .. });
        match self.tasks.first() {
            Some(first) if is_sequence(partition) && is_sequence(&first.partition) => {
                self.task(partition).into_iter().collect()
            }
            _ => self.tasks.iter().filter(|task| task.partition.meets(partition)).collect(),
        }
    }
}

/// Looks at every task of a stage; everything upstream must be in the walk already.
pub(crate) fn look(walk: &Walk<'_>, stage: usize) -> Result<StageState, EngineError> {
    let partitions = partitions(walk, stage);
    let threads = walk.workspace.setup.runtime.jobs;
    let tasks = parallel::map(threads, &partitions, |partition| look_at_task(walk, stage, partition));
    Ok(StageState { tasks: tasks.into_iter().collect::<Result<_, _>>()? })
}

fn partitions(walk: &Walk<'_>, stage: usize) -> Vec<Partition> {
    if let Some(found) = walk.discoveries.by_stage.get(&stage) {
        return found.iter().map(|task| task.partition.clone()).collect();
    }
    let upstream = walk.workspace.graph.direct[stage].iter().filter_map(|upstream| walk.states.get(upstream));
    let mut upstream = upstream.flat_map(|state| state.tasks.iter().map(|task| &task.partition));
    match walk.workspace.stages[stage].info.grain {
        Grain::Sequence => {
            let sequences = upstream.filter(|partition| matches!(partition, Partition::Sequence { .. }));
            sequences.collect::<BTreeSet<_>>().into_iter().cloned().collect()
        }
        Grain::Bucket => {
            let upstream: Vec<&Partition> = upstream.collect();
            let made = upstream.iter().filter(|partition| matches!(partition, Partition::Bucket { .. }));
            let mut buckets: BTreeSet<Partition> = made.map(|&bucket| bucket.clone()).collect();
            if buckets.is_empty() {
                let setup = &walk.workspace.stages[stage];
                let number = |partition: &Partition| setup.variant(partition.split()).configured.buckets();
                buckets = upstream.iter().filter_map(|partition| partition.bucket(number(partition))).collect();
            }
            buckets.into_iter().collect()
        }
        Grain::Split => {
            let splits: BTreeSet<&str> = upstream.filter_map(Partition::split).collect();
            splits.into_iter().map(|split| Partition::Split { split: split.into() }).collect()
        }
        Grain::Dataset => upstream.next().map(|_| Partition::Dataset).into_iter().collect(),
    }
}

/// The work that a root stage found for a partition.
pub(crate) fn root_task<'a>(walk: &'a Walk<'_>, stage: usize, partition: &Partition) -> Option<&'a RootTask> {
    let found = walk.discoveries.by_stage.get(&stage)?;
    found.binary_search_by(|task| task.partition.cmp(partition)).ok().map(|position| &found[position])
}

/// Upstream tasks that a task stands on, by stage: those whose tables it reads, or all where it reports on counts.
fn stands_on<'w>(walk: &'w Walk<'_>, stage: usize, partition: &Partition) -> Vec<(usize, Vec<&'w TaskState>)> {
    let graph = &walk.workspace.graph;
    let counts = walk.workspace.stages[stage].info.reads_counts;
    let upstream = if counts { &graph.all[stage] } else { &graph.direct[stage] };
    let states = upstream.iter().filter_map(|&upstream| Some((upstream, walk.states.get(&upstream)?)));
    states.map(|(upstream, state)| (upstream, state.covered_by(partition))).collect()
}

/// The results that a task stands on, when all of them are there.
pub(crate) fn upstream(walk: &Walk<'_>, stage: usize, partition: &Partition) -> Result<Upstream, Status> {
    let stands_on = stands_on(walk, stage, partition);
    if let Some(status) = waits_for(walk, stage, partition, &stands_on) {
        return Err(status);
    }
    let manifests = |tasks: Vec<&TaskState>| tasks.into_iter().filter_map(|task| task.manifest.clone()).collect();
    Ok(stands_on.into_iter().map(|(upstream, tasks)| (upstream, manifests(tasks))).collect())
}

/// Why a task cannot be keyed yet; null when nothing is in its way.
fn waits_for(
    walk: &Walk<'_>,
    stage: usize,
    partition: &Partition,
    stands_on: &[(usize, Vec<&TaskState>)],
) -> Option<Status> {
    let mut blockers = BTreeSet::new();
    let mut waits = false;
    for (upstream, tasks) in stands_on {
        let name = walk.workspace.stages[*upstream].info.name;
        if tasks.is_empty() && is_required(walk.workspace, stage, *upstream) {
            blockers.insert(TaskRef { stage: name, partition: partition.clone() });
        }
        for task in tasks.iter().filter(|task| task.manifest.is_none()) {
            match &task.status {
                Status::Blocked { on } => blockers.extend(on.iter().cloned()),
                _ if task.failed => _ = blockers.insert(TaskRef { stage: name, partition: task.partition.clone() }),
                _ => waits = true,
            }
        }
    }
    let on: Vec<TaskRef> = blockers.into_iter().take(NAMED_BLOCKERS).collect();
    if on.is_empty() { waits.then_some(Status::Maybe) } else { Some(Status::Blocked { on }) }
}

fn is_required(workspace: &Workspace, stage: usize, upstream: usize) -> bool {
    let mut required = workspace.stages[stage].info.reads.iter().filter(|read| !read.optional);
    required.any(|read| workspace.graph.writers.get(read.table.name) == Some(&upstream))
}

fn look_at_task(walk: &Walk<'_>, stage: usize, partition: &Partition) -> Result<TaskState, EngineError> {
    if walk.digests.is_cancelled() {
        return Err(EngineError::Interrupted);
    }
    let mut state = TaskState {
        partition: partition.clone(),
        status: Status::Fresh,
        fingerprint: None,
        inputs: None,
        manifest: None,
        previous: None,
        failed: false,
    };
    let upstream = match upstream(walk, stage, partition) {
        Ok(upstream) => upstream,
        Err(status) => {
            state.status = status;
            return Ok(state);
        }
    };
    let root = root_task(walk, stage, partition);
    let inputs = key::fingerprint_inputs(walk.workspace, stage, partition, &upstream, root);
    let variant = walk.workspace.stages[stage].variant(partition.split());
    let fingerprint = inputs.fingerprint_with(&variant.config_text);
    let folder = walk.workspace.store.task_folder(&inputs.stage, partition, &fingerprint);
    let proof = read_manifest(&folder)?;
    match proof {
        Proof::Found(manifest) if manifest.fingerprint == fingerprint.as_str() => {
            match intact::damage(walk.workspace, &walk.digests, &manifest)? {
                None => state.manifest = Some(Arc::new(*manifest)),
                Some(damage) => {
                    state.status = Status::Dirty { reasons: vec![damage] };
                    state.previous = Some(manifest);
                    state.inputs = Some(Box::new(inputs));
                }
            }
        }
        other => {
            state.previous = newest_result(walk.workspace, &inputs.stage, partition, None)?.map(Box::new);
            let reasons = match other {
                Proof::Absent => reasons(walk, state.previous.as_deref(), &inputs, root),
                Proof::Foreign => vec![Reason::Foreign],
                // Also one that was copied here from elsewhere.
                Proof::Torn | Proof::Found(_) => {
                    vec![Reason::Missing { file: MANIFEST.into(), problem: "torn or edited".into() }]
                }
            };
            state.status = Status::Dirty { reasons };
            state.inputs = Some(Box::new(inputs));
        }
    }
    state.fingerprint = Some(fingerprint);
    Ok(state)
}

fn reasons(
    walk: &Walk<'_>,
    previous: Option<&Manifest>,
    inputs: &FingerprintInputs,
    root: Option<&RootTask>,
) -> Vec<Reason> {
    let Some(previous) = previous else { return vec![Reason::NeverBuilt] };
    let mut reasons = differences(&previous.inputs, inputs);
    for reason in &mut reasons {
        if let (Reason::SourceFiles { .. }, Some(root)) = (&*reason, root) {
            let now = root.files.iter().map(|file| (file.file.clone(), file.digest.clone())).collect();
            if let Some(before) = attempt::read_source_list(&walk.workspace.store.attempt_folder(previous)) {
                *reason = source_differences(&before, &now);
            }
        }
    }
    debug_assert!(!reasons.is_empty() || previous.inputs == *inputs, "unequal inputs must give a reason");
    reasons
}

/// The newest result of a partition under any key but one.
pub(crate) fn newest_result(
    workspace: &Workspace,
    stage: &str,
    partition: &Partition,
    except: Option<&str>,
) -> Result<Option<Manifest>, StoreError> {
    let all = all_results(&workspace.store.partition_folder(stage, partition))?.into_iter();
    let others = all.filter(|(_, manifest)| Some(manifest.fingerprint.as_str()) != except);
    Ok(others.max_by(|a, b| (a.0, &a.1.fingerprint).cmp(&(b.0, &b.1.fingerprint))).map(|(_, manifest)| manifest))
}

/// Every result in the folder of a partition with the modification time of its manifest.
fn all_results(folder: &Path) -> Result<Vec<(std::time::SystemTime, Manifest)>, StoreError> {
    let mut results = Vec::new();
    for path in listing::folders(folder)? {
        let time = fs::metadata(path.join(MANIFEST)).and_then(|metadata| metadata.modified());
        if let (Ok(time), Proof::Found(manifest)) = (time, read_manifest(&path)?) {
            let manifest = *manifest;
            results.push((time, manifest));
        }
    }
    Ok(results)
}
