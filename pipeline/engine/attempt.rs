//! One attempt at one task: a folder of its own, the stage's code, the commit.

use crate::discovery::RootTask;
use crate::key::{Upstream, context_inputs};
use crate::publish;
use crate::run_log::{elapsed_ms, unix_ms};
use crate::workspace::Workspace;
use std::any::Any;
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use uavgen_core::context::Surroundings;
use uavgen_core::store::Proof;
use uavgen_core::store::commit::{CommitOutcome, commit, withdraw, write_synced};
use uavgen_core::store::layout::{ATTEMPT_PREFIX, MANIFEST};
use uavgen_core::store::proof::read_manifest;
use uavgen_core::{
    Context, Fingerprint, FingerprintInputs, Inputs, Manifest, Partition, RunInfo, SourceFile, StoreError, TaskError,
    TaskResult,
};
use uavgen_schemas::{Record as _, Reject};

/// Side file of a root task's attempt: its files with their digests, so that a later plan can name what changed. Not in
/// the manifest, which every plan reads.
const SOURCE_LIST: &str = ".sources.json";

/// How often others may remove a folder before an attempt is in it: far more than chance would have it.
const LOST_FOLDERS: u32 = 1000;

/// A task that is to run.
pub(crate) struct Job<'a> {
    pub(crate) stage: usize,
    pub(crate) partition: &'a Partition,
    pub(crate) inputs: &'a FingerprintInputs,
    pub(crate) fingerprint: &'a Fingerprint,
    pub(crate) upstream: Upstream,
    pub(crate) root: Option<&'a RootTask>,
    /// A manifest at the task's own address whose files are damaged.
    pub(crate) damaged: Option<&'a Manifest>,
}

/// Why an attempt gave no result.
#[derive(Debug)]
pub(crate) enum AttemptError {
    Task(TaskError),
    /// A broken invariant, with what is known of it.
    Bug(String),
}

impl<E: Into<TaskError>> From<E> for AttemptError {
    fn from(error: E) -> Self {
        Self::Task(error.into())
    }
}

/// Runs a task and makes its result visible. What is left of a failed attempt is removed.
pub(crate) fn run(workspace: &Workspace, job: &Job<'_>, cancelled: &AtomicBool) -> Result<Manifest, AttemptError> {
    let info = workspace.stages[job.stage].info;
    let folder = workspace.store.task_folder(info.name, job.partition, job.fingerprint);
    if read_manifest(&folder)? == Proof::Foreign {
        // Found out before the work, not by the commit after it.
        return Err(StoreError::Foreign { path: folder.join(MANIFEST) }.into());
    }
    if let Some(damaged) = job.damaged {
        withdraw(&folder, &damaged.attempt)?;
    }
    let attempt = create_attempt(workspace, &folder)?;
    let outcome = run_in(workspace, job, &folder, &attempt, cancelled);
    let lost = match &outcome {
        Ok(manifest) => folder.join(&manifest.attempt) != attempt,
        Err(_) => true,
    };
    if lost {
        // Garbage that `gc` would find too; an empty folder of the task goes with it.
        drop(fs::remove_dir_all(&attempt));
        drop(fs::remove_dir(&folder));
    }
    outcome
}

/// A new folder that no other attempt has, also none of a dead process with the same id.
fn create_attempt(workspace: &Workspace, folder: &Path) -> Result<PathBuf, StoreError> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let mut lost = 0;
    loop {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let attempt = folder.join(format!("{ATTEMPT_PREFIX}{}-{number}", std::process::id()));
        let create = || fs::create_dir(&attempt).map_err(|error| StoreError::io("create", &attempt, error));
        match workspace.store.create_folder(folder).and_then(|()| create()) {
            Ok(()) => return Ok(attempt),
            // Taken by a dead process: the next number is not.
            Err(StoreError::Io { source, .. }) if source.kind() == ErrorKind::AlreadyExists => {}
            // Another worker has just dropped its attempt, and the folder with it.
            Err(StoreError::Io { source, .. }) if source.kind() == ErrorKind::NotFound && lost < LOST_FOLDERS => {
                lost += 1
            }
            Err(error) => return Err(error),
        }
    }
}

fn run_in(
    workspace: &Workspace,
    job: &Job<'_>,
    folder: &Path,
    attempt: &Path,
    cancelled: &AtomicBool,
) -> Result<Manifest, AttemptError> {
    let clock = workspace.setup.clock;
    let started = clock();
    if let Some(root) = job.root {
        write_source_list(attempt, &root.files)?;
    }
    let inputs = context_inputs(workspace, job.stage, &job.upstream, job.root);
    let result = run_stage(workspace, job, attempt, inputs, cancelled)?;
    check_tables(workspace, job, &result)?;
    check_publication(&result)?;
    let finished = clock();
    let manifest = Manifest {
        fingerprint: job.fingerprint.to_string(),
        inputs: job.inputs.clone(),
        attempt: attempt.file_name().and_then(|name| name.to_str()).unwrap_or_default().into(),
        artifacts: result.artifacts,
        blobs: result.blobs,
        counts: result.counts,
        publication: result.publication,
        run: RunInfo {
            duration_ms: elapsed_ms(started, finished),
            finished_unix_s: unix_ms(finished) / 1000,
            host: workspace.setup.host.clone(),
            uavgen_version: workspace.setup.uavgen_version.clone(),
        },
    };
    match commit(folder, &manifest)? {
        CommitOutcome::Committed => Ok(manifest),
        CommitOutcome::AlreadyThere(there) => Ok(*there),
    }
}

/// The stage's own code, with a panic caught: it is a bug of that stage, not the end of the others.
fn run_stage(
    workspace: &Workspace,
    job: &Job<'_>,
    attempt: &Path,
    inputs: Inputs,
    cancelled: &AtomicBool,
) -> Result<TaskResult, AttemptError> {
    let stage = &workspace.stages[job.stage];
    let source_roots = workspace.source_roots();
    let surroundings = Surroundings {
        stage: stage.info.name,
        partition: job.partition,
        attempt_folder: attempt.to_owned(),
        store_root: workspace.store.root().to_owned(),
        source_roots: &source_roots,
        seed: job.inputs.seed,
        cancelled,
    };
    let configured = &stage.variant(job.partition.split()).configured;
    // The attempt's folder is dropped after a panic and nothing else is shared, so nothing half-done is seen again.
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let mut context = Context::new(surroundings, inputs);
        configured.run(&mut context)?;
        context.finish()
    }));
    match outcome {
        Ok(result) => Ok(result?),
        Err(panic) => Err(AttemptError::Bug(panic_message(panic.as_ref()))),
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("panic without a message").to_owned()
}

/// A stage writes every table that it declares, if with 0 rows, and no other.
fn check_tables(workspace: &Workspace, job: &Job<'_>, result: &TaskResult) -> Result<(), AttemptError> {
    let info = workspace.stages[job.stage].info;
    if let Some(table) = info.writes.iter().find(|table| !result.artifacts.contains_key(table.name)) {
        return Err(AttemptError::Bug(format!("stage {} did not write its table {}", info.name, table.name)));
    }
    let declared = |name: &str| name == Reject::TABLE || info.writes.iter().any(|table| table.name == name);
    match result.artifacts.keys().find(|name| !declared(name)) {
        Some(table) => Err(AttemptError::Bug(format!("stage {} wrote {table}, which it does not declare", info.name))),
        None => Ok(()),
    }
}

/// A publication stays below `releases/<id>/`, and its id cannot be taken for one of the engine's own names there.
fn check_publication(result: &TaskResult) -> Result<(), AttemptError> {
    let Some(publication) = &result.publication else { return Ok(()) };
    let is_plain = |path: &str| Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    let id = &publication.id;
    if id.is_empty() || id.starts_with('.') || id.contains('/') || id == publish::LATEST {
        return Err(AttemptError::Bug(format!("`{id}` cannot be the name of a release")));
    }
    match publication.files.iter().find(|file| !is_plain(&file.path)) {
        Some(file) => Err(AttemptError::Bug(format!("`{}` cannot be a path inside a release", file.path))),
        None => Ok(()),
    }
}

fn write_source_list(attempt: &Path, files: &[SourceFile]) -> Result<(), StoreError> {
    let list: BTreeMap<&str, &str> = files.iter().map(|file| (file.file.as_str(), file.digest.as_str())).collect();
    // A map of strings always has a JSON form.
    write_synced(&attempt.join(SOURCE_LIST), &serde_json::to_vec(&list).unwrap_or_default())
}

/// Files and digests of an earlier root task; null when the list is not there.
pub(crate) fn read_source_list(attempt: &Path) -> Option<BTreeMap<String, String>> {
    serde_json::from_slice(&fs::read(attempt.join(SOURCE_LIST)).ok()?).ok()
}
