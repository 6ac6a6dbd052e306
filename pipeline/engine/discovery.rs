//! Work that root stages find in their sources, with the digest of every file.

use crate::digest_cache::{DigestCache, FileDigest};
use crate::workspace::Workspace;
use crate::{Control, EngineError, Event};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use uavgen_core::parallel;
use uavgen_core::{Discovered, FileStamp, Partition, SourceFile, fingerprint};

/// Files between two progress events.
const PROGRESS_STEP: u64 = 500;

/// Which partitions a call is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All.
    #[default]
    All,
    /// Those of one split.
    Split(String),
}

impl Scope {
    fn holds(&self, partition: &Partition) -> bool {
        match self {
            Self::All => true,
            Self::Split(split) => partition.split() == Some(split),
        }
    }
}

/// One task of a root stage.
#[derive(Debug)]
pub(crate) struct RootTask {
    pub(crate) partition: Partition,
    pub(crate) files: Vec<SourceFile>,
    pub(crate) options: BTreeMap<String, Value>,
    /// See [`Discovered::numbers`]; empty when nothing was looked for.
    pub(crate) numbers: BTreeMap<String, u64>,
    /// One digest over the names and digests of `files`.
    pub(crate) files_digest: String,
}

impl RootTask {
    pub(crate) fn new(partition: Partition, files: Vec<SourceFile>, options: BTreeMap<String, Value>) -> Self {
        let files_digest = fingerprint::combine(files.iter().map(|file| (&file.file, &file.digest)));
        Self { partition, files, options, numbers: BTreeMap::new(), files_digest }
    }
}

/// Everything found, per root stage, sorted by partition.
#[derive(Debug, Default)]
pub(crate) struct Discoveries {
    pub(crate) by_stage: BTreeMap<usize, Vec<RootTask>>,
    pub(crate) notes: Vec<String>,
    pub(crate) files: u64,
    pub(crate) bytes: u64,
}

/// Asks the given root stages for work and digests its files.
pub(crate) fn discover(
    workspace: &Workspace,
    roots: &[usize],
    scope: &Scope,
    digests: &DigestCache,
    control: Control<'_>,
) -> Result<Discoveries, EngineError> {
    let found = find_and_digest(workspace, roots, scope, digests, control);
    // On every way out, also after Ctrl-C: hashing is what takes time. The table only saves time, so a store that cannot
    // be written is reported by whoever needs to write results.
    drop(digests.save());
    let discoveries = found?;
    let (files, bytes, hashed) = (discoveries.files, discoveries.bytes, digests.hashed());
    control.observer.observe(&Event::SourcesFound { files, bytes, hashed });
    Ok(discoveries)
}

fn find_and_digest(
    workspace: &Workspace,
    roots: &[usize],
    scope: &Scope,
    digests: &DigestCache,
    control: Control<'_>,
) -> Result<Discoveries, EngineError> {
    let mut discoveries = Discoveries::default();
    let mut known_splits = BTreeSet::new();
    for &root in roots {
        let (found, notes) = look_for_work(workspace, root)?;
        known_splits.extend(found.iter().filter_map(|found| found.partition.split().map(str::to_owned)));
        let found = found.into_iter().filter(|found| scope.holds(&found.partition)).collect();
        let tasks = digest_all(workspace, found, digests, control)?;
        discoveries.files += tasks.iter().map(|task| task.files.len() as u64).sum::<u64>();
        discoveries.bytes += tasks.iter().flat_map(|task| &task.files).map(|file| file.stamp.size).sum::<u64>();
        discoveries.by_stage.insert(root, tasks);
        discoveries.notes.extend(notes);
    }
    if let Scope::Split(name) = scope
        && !known_splits.contains(name)
    {
        return Err(EngineError::UnknownSplit { name: name.clone(), known: known_splits.into_iter().collect() });
    }
    discoveries.notes.extend(workspace.unused_overlays(&known_splits));
    Ok(discoveries)
}

fn look_for_work(workspace: &Workspace, root: usize) -> Result<(Vec<Discovered>, Vec<String>), EngineError> {
    let stage = &workspace.stages[root];
    let name = stage.info.name;
    let Some(outcome) = stage.variant(None).configured.discover(&workspace.setup.project) else {
        let problem = format!("{name} reads no table and does not look for work either");
        return Err(EngineError::Registry { problem });
    };
    let discovery = outcome.map_err(|source| EngineError::Source { stage: name.into(), source })?;
    let mut found = discovery.found;
    found.sort_by(|a, b| a.partition.cmp(&b.partition));
    if let Some(pair) = found.windows(2).find(|pair| pair[0].partition.path() == pair[1].partition.path()) {
        let problem = format!("{name} found {} twice", pair[0].partition);
        return Err(EngineError::Registry { problem });
    }
    Ok((found, discovery.notes))
}

/// Digests the files of all tasks at once, so that one large task does not keep the other threads waiting.
fn digest_all(
    workspace: &Workspace,
    found: Vec<Discovered>,
    digests: &DigestCache,
    control: Control<'_>,
) -> Result<Vec<RootTask>, EngineError> {
    let roots = workspace.source_roots();
    let mut paths: Vec<PathBuf> = Vec::new();
    for one in &found {
        let source = one.partition.source().unwrap_or_default();
        let folder = roots.get(source).ok_or_else(|| EngineError::Registry {
            problem: format!("work was found in source `{source}`, which the config does not have"),
        })?;
        paths.extend(one.files.iter().map(|file| folder.join(file)));
    }
    let progress = Progress::new(paths.len() as u64, control);
    let digested = parallel::map(workspace.setup.runtime.jobs, &paths, |path| {
        if control.is_cancelled() {
            return Err(EngineError::Interrupted);
        }
        progress.step();
        let digested = digests.digest_unless(control.cancelled, path);
        if control.is_cancelled() { Err(EngineError::Interrupted) } else { Ok(digested) }
    });
    let digested: Vec<io::Result<FileDigest>> = digested.into_iter().collect::<Result<_, _>>()?;
    let mut digested = digested.into_iter();
    Ok(found.into_iter().map(|one| with_digests(one, &mut digested)).collect())
}

fn with_digests(found: Discovered, digested: &mut impl Iterator<Item = io::Result<FileDigest>>) -> RootTask {
    let files = found.files.into_iter().zip(digested).map(|(file, digested)| source_file(file, digested));
    let task = RootTask::new(found.partition, files.collect(), found.options);
    RootTask { numbers: found.numbers, ..task }
}

/// A file that cannot be read is no reason to stop: the stage leaves it out by name. Why it cannot be read stands for its
/// content, so that the task runs again once it can.
fn source_file(file: String, digested: io::Result<FileDigest>) -> SourceFile {
    match digested {
        Ok(FileDigest { digest, stamp }) => SourceFile { file, digest, stamp, unreadable: None },
        Err(error) => {
            let problem = error.to_string();
            let digest = fingerprint::digest(format!("unreadable: {problem}").as_bytes());
            SourceFile { file, digest, stamp: FileStamp::default(), unreadable: Some(problem) }
        }
    }
}

/// Tells the observer now and then how many files are done.
struct Progress<'a> {
    done: AtomicU64,
    of: u64,
    telling: Mutex<()>,
    control: Control<'a>,
}

impl<'a> Progress<'a> {
    fn new(of: u64, control: Control<'a>) -> Self {
        Self { done: AtomicU64::new(0), of, telling: Mutex::new(()), control }
    }

    fn step(&self) {
        let files = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        // Observers are called one at a time; who finds another thread telling leaves it.
        if files.is_multiple_of(PROGRESS_STEP)
            && let Ok(_telling) = self.telling.try_lock()
        {
            self.control.observer.observe(&Event::Digesting { files, of: self.of });
        }
    }
}
