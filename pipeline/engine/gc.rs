//! Removes what nobody needs: attempts that never became a result, and old results that nothing reaches.
//!
//! A result is reached by the current config (it is fresh), or by a release that still exists: the result that published
//! it, and the results whose files it links. Where a task is not fresh, all results of its partition count as reached:
//! what the next build will use is not known before it runs. Release folders themselves are never touched.

use crate::lock::Lock;
use crate::look::TaskState;
use crate::publish::TEMPORARY_PREFIX;
use crate::workspace::{Walk, Workspace};
use crate::{Control, EngineError, Selection};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use uavgen_core::store::commit::read_manifest;
use uavgen_core::store::layout::MANIFEST;
use uavgen_core::{Manifest, StoreError};

/// Folders of the store that hold no results.
const NOT_STAGES: &[&str] = &[".cache", "requests"];
/// Age below which an attempt may belong to a living process, where locks cannot tell.
const YOUNG: Duration = Duration::from_secs(24 * 3600);

/// What to remove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GcOptions {
    /// Only tell.
    pub dry_run: bool,
    /// Age in days from which results that nothing reaches are removed.
    pub keep_days: u64,
    /// Wait for a build instead of failing.
    pub wait: bool,
}

/// What was removed, or would be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct GcReport {
    /// Folders, relative to the store or to the folder of releases.
    pub removed: Vec<String>,
    /// Attempts without a result, among them.
    pub attempts: usize,
    /// Results that nothing reaches, among them.
    pub results: usize,
    /// Bytes that become free. Files that a release still links free nothing.
    pub freed_bytes: u64,
    /// Results that nothing reaches, but that are too young.
    pub kept_young: usize,
}

impl Workspace {
    /// Removes garbage from the store and half-made folders from the releases.
    ///
    /// # Errors
    /// A busy workspace, an unusable source (what is reached is then unknown), or a folder that cannot be removed.
    pub fn gc(&self, options: GcOptions, control: Control<'_>) -> Result<GcReport, EngineError> {
        let lock = Lock::exclusive(self, options.wait, control)?;
        let walk = self.look_at_all(&Selection::all(), control)?;
        let mut sweep = Sweep {
            workspace: self,
            options,
            lock_is_effective: lock.is_effective,
            reached: Reached::of(&walk)?,
            report: GcReport::default(),
        };
        for folder in sub_folders(self.store.root())? {
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if !NOT_STAGES.contains(&name.as_str()) {
                sweep.stage(&folder)?;
            }
        }
        sweep.half_made_releases()?;
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
}

impl Reached {
    fn of(walk: &Walk<'_>) -> Result<Self, EngineError> {
        let mut reached = Self::default();
        for (&stage, state) in &walk.states {
            for task in &state.tasks {
                reached.task(walk.workspace, stage, task);
            }
        }
        for stage in &walk.workspace.stages {
            for task in task_folders(&walk.workspace.store.root().join(stage.info.name))? {
                let manifest = read_manifest(&task)?.filter(|manifest| is_released(walk.workspace, manifest));
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
            // Wherever in the attempt the file lies, one of the folders above it is the task's.
            self.tasks.extend(
                content.ancestors().skip(2).filter(|folder| folder.join(MANIFEST).exists()).map(Path::to_owned),
            );
        }
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
    lock_is_effective: bool,
    reached: Reached,
    report: GcReport,
}

impl Sweep<'_> {
    fn stage(&mut self, folder: &Path) -> Result<(), StoreError> {
        for task in task_folders(folder)? {
            let partition = task.parent().unwrap_or(&task).to_owned();
            match read_manifest(&task)? {
                None => self.attempts(&task, None)?,
                Some(manifest) => {
                    let reached = self.reached.tasks.contains(&task) || self.reached.partitions.contains(&partition);
                    if reached {
                        self.attempts(&task, Some(&manifest.attempt))?;
                    } else if self.age_s(manifest.run.finished_unix_s) < self.options.keep_days * 86_400 {
                        self.report.kept_young += 1;
                    } else {
                        self.result(&task)?;
                    }
                }
            }
            if !self.options.dry_run {
                remove_empty(&task, self.workspace.store.root());
            }
        }
        Ok(())
    }

    fn age_s(&self, unix_s: u64) -> u64 {
        (crate::run_log::unix_ms((self.workspace.setup.clock)()) / 1000).saturating_sub(unix_s)
    }

    /// Attempts beside the one that counts.
    fn attempts(&mut self, task: &Path, counts: Option<&str>) -> Result<(), StoreError> {
        for attempt in sub_folders(task)? {
            let is_result = attempt.file_name().and_then(|name| name.to_str()) == counts && counts.is_some();
            if !is_result && !self.may_be_alive(&attempt) {
                self.report.attempts += 1;
                self.remove(&attempt, self.workspace.in_store(&attempt))?;
            }
        }
        Ok(())
    }

    /// Everybody who makes attempts holds the lock, and we hold it alone; only without locks must age decide.
    fn may_be_alive(&self, attempt: &Path) -> bool {
        let age = || {
            let modified = fs::metadata(attempt).and_then(|metadata| metadata.modified()).ok()?;
            (self.workspace.setup.clock)().duration_since(modified).ok()
        };
        !self.lock_is_effective && age().is_none_or(|age| age < YOUNG)
    }

    /// A result: the manifest goes first, so that a crash leaves an attempt without one.
    fn result(&mut self, task: &Path) -> Result<(), StoreError> {
        self.report.results += 1;
        if !self.options.dry_run {
            let manifest = task.join(MANIFEST);
            fs::remove_file(&manifest).map_err(|error| StoreError::io("remove", &manifest, error))?;
        }
        self.remove(task, self.workspace.in_store(task))
    }

    fn half_made_releases(&mut self) -> Result<(), StoreError> {
        let releases = self.workspace.setup.roots.releases.clone();
        if !releases.is_dir() || !self.lock_is_effective {
            return Ok(());
        }
        for folder in sub_folders(&releases)? {
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with(TEMPORARY_PREFIX) {
                self.remove(&folder, name)?;
            }
        }
        Ok(())
    }

    fn remove(&mut self, folder: &Path, name: String) -> Result<(), StoreError> {
        self.report.freed_bytes += freed_bytes(folder)?;
        self.report.removed.push(name);
        if self.options.dry_run {
            return Ok(());
        }
        fs::remove_dir_all(folder).map_err(|error| StoreError::io("remove", folder, error))
    }
}

/// Task folders of a stage: their depth follows from the form of a partition's path.
fn task_folders(stage: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let mut tasks = Vec::new();
    for first in sub_folders(stage)? {
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
    for inner in sub_folders(folder)? {
        match below {
            1 => found.push(inner),
            _ => collect(&inner, below - 1, found)?,
        }
    }
    Ok(())
}

/// Folders in a folder, sorted; none when it does not exist.
fn sub_folders(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let wrap = |error| StoreError::io("read", folder, error);
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(wrap(error)),
    };
    let mut folders = Vec::new();
    for entry in entries {
        let entry = entry.map_err(wrap)?;
        if entry.file_type().map_err(wrap)?.is_dir() {
            folders.push(entry.path());
        }
    }
    folders.sort();
    Ok(folders)
}

/// Bytes of files below a folder that nothing else links.
fn freed_bytes(folder: &Path) -> Result<u64, StoreError> {
    let wrap = |error| StoreError::io("read", folder, error);
    let mut bytes = 0;
    for entry in fs::read_dir(folder).map_err(wrap)? {
        let entry = entry.map_err(wrap)?;
        let metadata = entry.metadata().map_err(wrap)?;
        if metadata.is_dir() {
            bytes += freed_bytes(&entry.path())?;
        } else if metadata.nlink() == 1 {
            bytes += metadata.len();
        }
    }
    Ok(bytes)
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
