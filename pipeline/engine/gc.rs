//! Removes what nobody needs: attempts that never became a result, results that nothing has reached for long, logs of old
//! runs, and what killed processes left half-made.
//!
//! A result is reached by the current config (it is fresh), or by a release that still exists: the result that published
//! it, and the results whose files it links. Where a task is not fresh, all results of its partition count as reached:
//! what the next build will use is not known before it runs. Release folders themselves are never touched, and neither
//! is anything that does not bear a name that this crate gives (task folders of known stages, attempts, runs), nor a
//! task whose result a later version of uavgen made.

use crate::listing::{entries, folders, name_of};
use crate::lock::Lock;
use crate::look::TaskState;
use crate::publish::TEMPORARY_PREFIX;
use crate::workspace::{Walk, Workspace};
use crate::{Control, EngineError, Selection, digest_cache, reached, run_log};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use uavgen_core::store::Proof;
use uavgen_core::store::commit::{remove_torn, withdraw};
use uavgen_core::store::layout::{ATTEMPT_PREFIX, CACHE, MANIFEST};
use uavgen_core::store::proof::read_manifest;
use uavgen_core::{Fingerprint, Manifest, StoreError};

/// Age below which an attempt may belong to a living process, where locks cannot tell.
const YOUNG: Duration = Duration::from_secs(24 * 3600);

/// What to remove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GcOptions {
    /// Only tell.
    pub dry_run: bool,
    /// Days for which a result stays after a build last reached it, and the log of a run after its start.
    pub keep_days: u64,
    /// Wait for a build instead of failing.
    pub wait: bool,
}

/// What was removed, or would be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct GcReport {
    /// Folders and files, relative to the store, the folder of releases or the folder of runs.
    pub removed: Vec<String>,
    /// Attempts without a result, among them.
    pub attempts: usize,
    /// Results that nothing reaches, among them.
    pub results: usize,
    /// Logs of old runs, among them.
    pub runs: usize,
    /// Bytes that become free. Files that a release still links free nothing.
    pub freed_bytes: u64,
    /// Results that nothing reaches, but that a build reached not long ago.
    pub kept_young: usize,
    /// Results of later versions of uavgen: whether something reaches them, this one cannot tell.
    pub kept_foreign: usize,
}

impl Workspace {
    /// Removes garbage from the store, half-made folders from the releases, and logs of old runs.
    ///
    /// # Errors
    /// A busy workspace, an unusable source (what is reached is then unknown), or a folder that cannot be removed.
    pub fn gc(&self, options: GcOptions, control: Control<'_>) -> Result<GcReport, EngineError> {
        let lock = match options.dry_run {
            true => None,
            false => Some(Lock::exclusive(self, options.wait, control)?),
        };
        let nobody_works = lock.as_ref().map_or_else(|| Lock::is_free(self), |lock| Ok(lock.is_effective))?;
        let walk = self.look_at_all(&Selection::all(), control)?;
        let reached = Reached::of(&walk, control)?;
        let report = GcReport::default();
        let mut sweep = Sweep { workspace: self, options, control, nobody_works, reached, report };
        for stage in &self.stages {
            sweep.stage(&self.store.root().join(stage.info.name))?;
        }
        sweep.left_over(&self.store.root().join(CACHE), digest_cache::is_temporary)?;
        sweep.left_over(&self.setup.roots.releases, |name| name.starts_with(TEMPORARY_PREFIX))?;
        sweep.runs()?;
        if !options.dry_run {
            walk.digests.forget_missing();
        }
        Ok(sweep.report)
    }
}

/// What must stay.
#[derive(Default)]
struct Reached {
    /// Folders of tasks.
    tasks: BTreeSet<PathBuf>,
    /// Folders of partitions of which everything stays.
    partitions: BTreeSet<PathBuf>,
    /// Files that releases link, and every folder above them: an attempt among these stays, also where another one has
    /// taken its place as the result.
    linked: BTreeSet<PathBuf>,
}

impl Reached {
    fn of(walk: &Walk<'_>, control: Control<'_>) -> Result<Self, EngineError> {
        let mut reached = Self::default();
        for (&stage, state) in &walk.states {
            for task in &state.tasks {
                reached.task(walk.workspace, stage, task);
            }
        }
        for stage in &walk.workspace.stages {
            for task in task_folders(&walk.workspace.store.root().join(stage.info.name))? {
                control.check()?;
                let manifest = read_manifest(&task)?.found().filter(|manifest| is_released(walk.workspace, manifest));
                manifest.iter().for_each(|manifest| reached.publication(walk.workspace, manifest));
            }
        }
        Ok(reached)
    }

    fn task(&mut self, workspace: &Workspace, stage: usize, task: &TaskState) {
        let name = workspace.stages[stage].info.name;
        match &task.manifest {
            Some(manifest) => {
                self.tasks.insert(task_folder(workspace, manifest));
                self.publication(workspace, manifest);
            }
            None => _ = self.partitions.insert(workspace.store.partition_folder(name, &task.partition)),
        }
    }

    /// The result that published something, and those whose files it links.
    fn publication(&mut self, workspace: &Workspace, manifest: &Manifest) {
        let Some(publication) = &manifest.publication else { return };
        self.tasks.insert(task_folder(workspace, manifest));
        for file in &publication.files {
            let content = workspace.store.root().join(&file.content);
            self.linked.extend(content.ancestors().map(Path::to_owned));
        }
    }

    fn holds(&self, task: &Path) -> bool {
        let partition = task.parent().unwrap_or(task);
        self.tasks.contains(task) || self.linked.contains(task) || self.partitions.contains(partition)
    }
}

fn task_folder(workspace: &Workspace, manifest: &Manifest) -> PathBuf {
    let mut folder = workspace.store.attempt_folder(manifest);
    folder.pop();
    folder
}

fn is_released(workspace: &Workspace, manifest: &Manifest) -> bool {
    let releases = &workspace.setup.roots.releases;
    manifest.publication.as_ref().is_some_and(|publication| releases.join(&publication.id).is_dir())
}

struct Sweep<'a> {
    workspace: &'a Workspace,
    options: GcOptions,
    control: Control<'a>,
    /// Whether it is certain that no other process works in the store.
    nobody_works: bool,
    reached: Reached,
    report: GcReport,
}

impl Sweep<'_> {
    fn stage(&mut self, folder: &Path) -> Result<(), EngineError> {
        for task in task_folders(folder)? {
            self.control.check()?;
            self.task(&task)?;
        }
        Ok(())
    }

    fn task(&mut self, task: &Path) -> Result<(), StoreError> {
        match read_manifest(task)? {
            Proof::Foreign => {
                self.report.kept_foreign += 1;
                return Ok(());
            }
            Proof::Absent => self.attempts(task, None)?,
            Proof::Torn => {
                self.torn(task)?;
                self.attempts(task, None)?;
            }
            Proof::Found(manifest) if self.reached.holds(task) => self.attempts(task, Some(&manifest.attempt))?,
            Proof::Found(manifest) if self.is_young(reached::last(self.workspace, &manifest)) => {
                self.report.kept_young += 1
            }
            Proof::Found(manifest) => self.result(task, &manifest)?,
        }
        if !self.options.dry_run {
            remove_empty(task, self.workspace.store.root());
        }
        Ok(())
    }

    /// Whether a time lies less than `keep_days` back. One that is not known, or still to come, counts as now.
    fn is_young(&self, time: Option<SystemTime>) -> bool {
        let age = time.and_then(|time| (self.workspace.setup.clock)().duration_since(time).ok()).unwrap_or_default();
        age.as_secs() < self.options.keep_days.saturating_mul(86_400)
    }

    /// Attempts beside the one that counts.
    fn attempts(&mut self, task: &Path, counts: Option<&str>) -> Result<(), StoreError> {
        for attempt in folders(task)? {
            let name = name_of(&attempt);
            let is_needed = counts == Some(name.as_str()) || self.reached.linked.contains(&attempt);
            if name.starts_with(ATTEMPT_PREFIX) && !is_needed && !self.may_be_alive(&attempt) {
                self.report.attempts += 1;
                self.remove(&attempt, self.workspace.in_store(&attempt))?;
            }
        }
        Ok(())
    }

    /// Everybody who makes attempts holds the lock; only where that does not tell must age decide.
    fn may_be_alive(&self, attempt: &Path) -> bool {
        let age = || {
            let modified = fs::metadata(attempt).and_then(|metadata| metadata.modified()).ok()?;
            (self.workspace.setup.clock)().duration_since(modified).ok()
        };
        !self.nobody_works && age().is_none_or(|age| age < YOUNG)
    }

    fn torn(&mut self, task: &Path) -> Result<(), StoreError> {
        let manifest = task.join(MANIFEST);
        self.count(&manifest, self.workspace.in_store(&manifest))?;
        if self.options.dry_run { Ok(()) } else { remove_torn(task) }
    }

    /// A result: the manifest goes first, so that a crash leaves an attempt without one.
    fn result(&mut self, task: &Path, manifest: &Manifest) -> Result<(), StoreError> {
        self.report.results += 1;
        self.count(task, self.workspace.in_store(task))?;
        if self.options.dry_run {
            return Ok(());
        }
        withdraw(task, &manifest.attempt)?;
        fs::remove_dir_all(task).map_err(|error| StoreError::io("remove", task, error))
    }

    /// What killed processes left half-made: files, links and folders with such names.
    fn left_over(&mut self, folder: &Path, is_temporary: impl Fn(&str) -> bool) -> Result<(), StoreError> {
        for path in entries(folder, |_| true)? {
            let name = name_of(&path);
            if is_temporary(&name) && self.nobody_works {
                self.remove(&path, name)?;
            }
        }
        Ok(())
    }

    /// Logs of old runs; the last one always stays.
    fn runs(&mut self) -> Result<(), StoreError> {
        let mut runs = run_log::run_folders(&self.workspace.setup.roots.runs)?;
        runs.pop();
        for run in runs {
            let log = run.join(run_log::EVENTS);
            let started = fs::metadata(&log).and_then(|metadata| metadata.modified()).ok();
            if started.is_some() && !self.is_young(started) {
                self.report.runs += 1;
                self.remove(&log, name_of(&run))?;
                if !self.options.dry_run {
                    // Stays when somebody keeps a file of their own there.
                    drop(fs::remove_dir(&run));
                }
            }
        }
        Ok(())
    }

    fn count(&mut self, path: &Path, name: String) -> Result<(), StoreError> {
        self.report.freed_bytes += freed_bytes(path)?;
        self.report.removed.push(name);
        Ok(())
    }

    fn remove(&mut self, path: &Path, name: String) -> Result<(), StoreError> {
        self.count(path, name)?;
        let wrap = |error| StoreError::io("remove", path, error);
        match self.options.dry_run {
            true => Ok(()),
            false if fs::symlink_metadata(path).map_err(wrap)?.is_dir() => fs::remove_dir_all(path).map_err(wrap),
            false => fs::remove_file(path).map_err(wrap),
        }
    }
}

/// Task folders of a stage: their depth follows from the form of a partition's path.
fn task_folders(stage: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let mut tasks = Vec::new();
    for first in folders(stage)? {
        let below = match first.file_name().and_then(|name| name.to_str()) {
            Some("_dataset") => 1,
            Some("_split") => 2,
            _ => 3,
        };
        collect(&first, below, &mut tasks)?;
    }
    Ok(tasks)
}

fn collect(folder: &Path, below: usize, found: &mut Vec<PathBuf>) -> Result<(), StoreError> {
    for inner in folders(folder)? {
        match below {
            1 if Fingerprint::is_folder(&name_of(&inner)) => found.push(inner),
            1 => {}
            _ => collect(&inner, below - 1, found)?,
        }
    }
    Ok(())
}

/// Bytes of a file, or of the files below a folder, that nothing else links.
fn freed_bytes(path: &Path) -> Result<u64, StoreError> {
    let metadata = fs::symlink_metadata(path).map_err(|error| StoreError::io("look at", path, error))?;
    if metadata.is_dir() {
        return entries(path, |_| true)?.iter().map(|inner| freed_bytes(inner)).sum();
    }
    Ok(if metadata.is_file() && metadata.nlink() == 1 { metadata.len() } else { 0 })
}

/// Removes a folder and those above it as long as they are empty.
fn remove_empty(folder: &Path, root: &Path) {
    let above = folder.ancestors().take_while(|folder| *folder != root);
    for folder in above {
        if folder.exists() && fs::remove_dir(folder).is_err() {
            return;
        }
    }
}
