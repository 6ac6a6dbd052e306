//! Work that root stages find in their sources, with the digest of every file.

use crate::digest_cache::{DigestCache, FileDigest, Known};
use crate::setup::Clock;
use crate::workspace::Workspace;
use crate::{Control, EngineError, Event};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};
use uavgen_core::parallel;
use uavgen_core::{Discovered, FileStamp, Partition, SourceFile, fingerprint};

/// Time between two progress events.
const TELL_EVERY: Duration = Duration::from_secs(2);

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

/// Asks the given root stages for work, of one split or of all, and digests its files.
pub(crate) fn discover(
    workspace: &Workspace,
    roots: &[usize],
    split: Option<&str>,
    digests: &DigestCache<'_>,
    control: Control<'_>,
) -> Result<Discoveries, EngineError> {
    let mut discoveries = Discoveries::default();
    let mut known_splits = BTreeSet::new();
    for &root in roots {
        let (found, notes) = look_for_work(workspace, root)?;
        known_splits.extend(found.iter().filter_map(|found| found.partition.split().map(str::to_owned)));
        let found = found.into_iter().filter(|found| split.is_none() || found.partition.split() == split).collect();
        let tasks = digest_all(workspace, found, digests, control)?;
        discoveries.files += tasks.iter().map(|task| task.files.len() as u64).sum::<u64>();
        discoveries.bytes += tasks.iter().flat_map(|task| &task.files).map(|file| file.stamp.size).sum::<u64>();
        discoveries.by_stage.insert(root, tasks);
        discoveries.notes.extend(notes);
    }
    if let Some(name) = split.filter(|name| !known_splits.contains(*name)) {
        return Err(EngineError::UnknownSplit { name: name.into(), known: known_splits.into_iter().collect() });
    }
    discoveries.notes.extend(workspace.unused_overlays(&known_splits));
    let (files, bytes, hashed) = (discoveries.files, discoveries.bytes, digests.hashed());
    control.observer.observe(&Event::SourcesFound { files, bytes, hashed });
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
    digests: &DigestCache<'_>,
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
    let digested = digest_files(workspace, paths, digests, control)?;
    let mut digested = digested.into_iter();
    Ok(found.into_iter().map(|one| with_digests(one, &mut digested)).collect())
}

/// First what is known, so that it is also known how much there is to read.
fn digest_files(
    workspace: &Workspace,
    paths: Vec<PathBuf>,
    digests: &DigestCache<'_>,
    control: Control<'_>,
) -> Result<Vec<io::Result<FileDigest>>, EngineError> {
    let jobs = workspace.setup.runtime.jobs;
    let known = parallel::map(jobs, &paths, |path| control.check().map(|()| digests.known(path)));
    let known: Vec<io::Result<Known>> = known.into_iter().collect::<Result<_, _>>()?;
    let files: Vec<(PathBuf, io::Result<Known>)> = paths.into_iter().zip(known).collect();
    let progress = Progress::new(&files, workspace.setup.clock, control);
    let digested = parallel::map(jobs, &files, |(path, known)| {
        control.check()?;
        if let Ok(Known::Digest(digest)) = known {
            return Ok(Ok(digest.clone()));
        }
        let digested = digests.digest(path, &|bytes| progress.read(bytes));
        progress.file_done();
        // What was broken off is no unreadable file.
        control.check().map(|()| digested)
    });
    digested.into_iter().collect()
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

/// Tells the observer now and then how much of what has to be read is done.
struct Progress<'a> {
    of_files: u64,
    of_bytes: u64,
    files: AtomicU64,
    bytes: AtomicU64,
    told: Mutex<SystemTime>,
    clock: Clock,
    control: Control<'a>,
}

impl<'a> Progress<'a> {
    fn new(files: &[(PathBuf, io::Result<Known>)], clock: Clock, control: Control<'a>) -> Self {
        let sizes = || {
            files.iter().filter_map(|(_, known)| if let Ok(Known::Bytes(size)) = known { Some(*size) } else { None })
        };
        let (of_files, of_bytes) = (sizes().count() as u64, sizes().sum());
        let (files, bytes, told) = (AtomicU64::new(0), AtomicU64::new(0), Mutex::new(clock()));
        Self { of_files, of_bytes, files, bytes, told, clock, control }
    }

    fn file_done(&self) {
        self.files.fetch_add(1, Ordering::Relaxed);
    }

    fn read(&self, bytes: u64) {
        let bytes = self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        // Observers are called one at a time; who finds another thread telling leaves it.
        let Ok(mut told) = self.told.try_lock() else { return };
        let now = (self.clock)();
        if now.duration_since(*told).is_ok_and(|passed| passed >= TELL_EVERY) {
            *told = now;
            let (files, of_files, of_bytes) = (self.files.load(Ordering::Relaxed), self.of_files, self.of_bytes);
            // A file that grows, or is read again since it changed meanwhile, counts for what it was.
            self.control.observer.observe(&Event::Digesting { files, of_files, bytes: bytes.min(of_bytes), of_bytes });
        }
    }
}
