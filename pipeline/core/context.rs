//! Everything a stage can do: read its tables and source files, write its tables and blobs, reject.

use crate::store::layout::relative;
use crate::store::{TableOptions, TableWriter};
use crate::{
    Blob, Counts, Digests, FileStamp, InputPart, Inputs, Partition, Publication, PublishedFile, SourceFile, StoreError,
    TaskError, TaskResult, fingerprint,
};
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use uavgen_schemas::{Record, Reject, RejectKind};

/// Where a task runs; the engine fills it in.
#[derive(Debug, Clone)]
pub struct Surroundings<'a> {
    /// Name of the stage.
    pub stage: &'static str,
    /// Partition.
    pub partition: &'a Partition,
    /// Empty folder of this attempt.
    pub attempt_folder: PathBuf,
    /// Root of the store.
    pub store_root: PathBuf,
    /// Root folder of each source by name.
    pub source_roots: &'a BTreeMap<String, PathBuf>,
    /// Seed of the project, for a stage that draws with it.
    pub seed: Option<u64>,
    /// Set when the run is to stop.
    pub cancelled: &'a AtomicBool,
}

/// The powers of one task. A stage has no others.
pub struct Context<'a> {
    surroundings: Surroundings<'a>,
    inputs: Inputs,
    rejects: Vec<Reject>,
    result: TaskResult,
    published: BTreeMap<String, PublishedFile>,
}

impl<'a> Context<'a> {
    /// The context of one attempt.
    pub fn new(surroundings: Surroundings<'a>, inputs: Inputs) -> Self {
        Self { surroundings, inputs, rejects: Vec::new(), result: TaskResult::default(), published: BTreeMap::new() }
    }

    /// Partition that the task covers.
    pub fn partition(&self) -> &'a Partition {
        self.surroundings.partition
    }

    /// Seed of the project.
    ///
    /// # Panics
    /// When the stage does not declare that it draws with it: its results would outlive a change of the seed.
    pub fn seed(&self) -> u64 {
        let Some(seed) = self.surroundings.seed else { panic!("{} must declare `uses_seed`", self.surroundings.stage) };
        seed
    }

    /// Stops a long loop when the run is to stop.
    ///
    /// # Errors
    /// [`TaskError::Cancelled`] then.
    pub fn check_cancelled(&self) -> Result<(), TaskError> {
        if self.surroundings.cancelled.load(Ordering::Relaxed) { Err(TaskError::Cancelled) } else { Ok(()) }
    }

    // Reading

    /// All rows of a table over the task's partitions, in partition order.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn read<R: Record>(&self) -> Result<Vec<R>, TaskError> {
        let mut rows = Vec::new();
        for part in self.parts::<R>() {
            rows.extend(self.read_part::<R>(part)?);
        }
        Ok(rows)
    }

    /// The table piece by piece, so that memory does not grow with the data set.
    pub fn parts<R: Record>(&self) -> &[InputPart] {
        self.inputs.tables.get(R::TABLE).map_or(&[], Vec::as_slice)
    }

    /// All rows of one piece.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read_part<R: Record>(&self, part: &InputPart) -> Result<Vec<R>, TaskError> {
        Ok(part.reader::<R>()?.rows()?)
    }

    /// All rows of a table in one partition.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn read_partition<R: Record>(&self, partition: &Partition) -> Result<Vec<R>, TaskError> {
        let mut rows = Vec::new();
        for part in self.parts::<R>().iter().filter(|part| part.partition == *partition) {
            rows.extend(self.read_part::<R>(part)?);
        }
        Ok(rows)
    }

    /// Summed counts of every upstream stage, by stage.
    pub fn upstream_counts(&self) -> &BTreeMap<String, Counts> {
        &self.inputs.counts
    }

    /// Source files of a root task, sorted by path.
    pub fn source_files(&self) -> &[SourceFile] {
        &self.inputs.files
    }

    /// An option of the task, see [`Inputs::options`].
    pub fn option(&self, name: &str) -> &Value {
        self.inputs.options.get(name).unwrap_or(&Value::Null)
    }

    /// The content of a source file that has this digest.
    ///
    /// # Errors
    /// When the file cannot be read, or has changed since it was digested.
    pub fn read_source(&self, source: &str, file: &str, digest: &str) -> Result<Vec<u8>, TaskError> {
        let path = self.source_path(source, file)?;
        let content = fs::read(&path).map_err(|error| unreadable(file, &path, error))?;
        let same = fingerprint::digest(&content) == digest;
        if same { Ok(content) } else { Err(TaskError::SourceChanged { file: file.into() }) }
    }

    /// The first and the last bytes of a source file (overlapping when it is short): enough to judge an image without
    /// reading all of it again.
    ///
    /// # Errors
    /// When the file cannot be read, or has changed since it was digested.
    pub fn read_source_ends(
        &self,
        source: &str,
        file: &SourceFile,
        length: usize,
    ) -> Result<(Vec<u8>, Vec<u8>), TaskError> {
        let path = self.source_path(source, &file.file)?;
        let wrap = |error| unreadable(&file.file, &path, error);
        let mut opened = File::open(&path).map_err(wrap)?;
        let mut head = Vec::with_capacity(length);
        opened.by_ref().take(length as u64).read_to_end(&mut head).map_err(wrap)?;
        let mut tail = Vec::with_capacity(length);
        opened.seek(SeekFrom::Start(file.stamp.size.saturating_sub(length as u64))).map_err(wrap)?;
        opened.read_to_end(&mut tail).map_err(wrap)?;
        // Looked at after reading. A stamp that moved (by a new hard link, say) leaves it to the content.
        if FileStamp::of(&opened.metadata().map_err(wrap)?) != file.stamp {
            self.read_source(source, &file.file, &file.digest)?;
        }
        Ok((head, tail))
    }

    /// Hands the path of a source file that has this digest to `read`, for what must be read piece by piece.
    ///
    /// # Errors
    /// When the file cannot be read, or has changed since it was digested, also while it was read.
    pub fn with_source<T>(
        &self,
        source: &str,
        file: &str,
        digest: &str,
        read: impl FnOnce(&Path) -> T,
    ) -> Result<T, TaskError> {
        let path = self.source_path(source, file)?;
        let stamp = || {
            let metadata = fs::metadata(&path).map_err(|error| unreadable(file, &path, error))?;
            Ok::<_, TaskError>(FileStamp::of(&metadata))
        };
        let check = || match Digests::blake3_of(&path)? == digest {
            true => Ok(()),
            false => Err(TaskError::SourceChanged { file: file.into() }),
        };
        let before = stamp()?;
        check()?;
        let value = read(&path);
        if stamp()? != before {
            check()?;
        }
        Ok(value)
    }

    fn source_path(&self, source: &str, file: &str) -> Result<PathBuf, TaskError> {
        let root = self.surroundings.source_roots.get(source).ok_or_else(|| {
            TaskError::failed(format!("source `{source}` is not in the config; put it back or remove its data"))
        })?;
        Ok(root.join(file))
    }

    // Writing

    /// Writes a table. Every table that the stage declares must be written, if with 0 rows; rows come in a fixed order.
    ///
    /// # Errors
    /// When the table cannot be written.
    ///
    /// # Panics
    /// When two rows have one id: ids are keys everywhere downstream.
    pub fn write<R: Record>(&mut self, rows: impl IntoIterator<Item = R>) -> Result<(), TaskError> {
        let file = format!("{}.parquet", R::TABLE);
        let mut writer =
            TableWriter::<R>::create(&self.surroundings.attempt_folder.join(&file), TableOptions::default())?;
        let mut ids = HashSet::new();
        for row in rows {
            assert!(ids.insert(row.id().to_owned()), "two rows of {} have the id {}", R::TABLE, row.id());
            writer.push(&row)?;
        }
        let written = writer.finish()?;
        self.result.counts.written.insert(R::TABLE.into(), written.rows);
        self.result.artifacts.insert(R::TABLE.into(), written.into_artifact(file));
        Ok(())
    }

    /// Path for a new blob, which the caller writes before the task ends. Its folders exist.
    ///
    /// # Errors
    /// When its folder cannot be created.
    ///
    /// # Panics
    /// When the name is no plain relative path, or one that the store uses: a leading dot, or the file of a table.
    pub fn blob(&mut self, name: &str) -> Result<PathBuf, TaskError> {
        let is_plain = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
        let is_table = !name.contains('/') && name.ends_with(".parquet");
        assert!(is_plain && !name.starts_with('.') && !is_table && !name.is_empty(), "`{name}` cannot be a blob");
        let path = self.surroundings.attempt_folder.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| StoreError::io("create", folder, error))?;
        }
        self.result.blobs.insert(name.to_owned(), Blob { digest: String::new(), bytes: 0 });
        Ok(path)
    }

    /// Writes a blob whose content is in memory.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_blob(&mut self, name: &str, content: &[u8]) -> Result<(), TaskError> {
        let path = self.blob(name)?;
        fs::write(&path, content).map_err(|error| StoreError::io("write", &path, error))?;
        Ok(())
    }

    /// Takes back a blob that came to nothing.
    ///
    /// # Errors
    /// When its file cannot be removed.
    pub fn discard_blob(&mut self, name: &str) -> Result<(), TaskError> {
        self.result.blobs.remove(name);
        let path = self.surroundings.attempt_folder.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::io("remove", &path, error).into()),
            _ => Ok(()),
        }
    }

    /// Gives a blob another name, for names that are known only once everything is written (`…-00000-of-00002`).
    ///
    /// # Errors
    /// When the new folder cannot be created or the file cannot be moved.
    pub fn rename_blob(&mut self, from: &str, to: &str) -> Result<(), TaskError> {
        let target = self.blob(to)?;
        let source = self.surroundings.attempt_folder.join(from);
        fs::rename(&source, &target).map_err(|error| StoreError::io("rename", &source, error))?;
        self.result.blobs.remove(from);
        Ok(())
    }

    /// Digests of a blob that has been written and does not change again.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn blob_digests(&mut self, name: &str) -> Result<Digests, TaskError> {
        let digests = Digests::of(&self.surroundings.attempt_folder.join(name))?;
        self.result.blobs.insert(name.to_owned(), Blob { digest: digests.blake3.clone(), bytes: digests.bytes });
        Ok(digests)
    }

    /// Counts what the task looked at. `kind` says what it is, in the singular: `image`, `annotation line`, `frame`.
    pub fn count_read(&mut self, kind: &str, count: u64) {
        self.result.counts.inputs.entry(kind.to_owned()).or_default().read += count;
    }

    /// Adds to a named number in the report.
    pub fn note(&mut self, name: &str, count: u64) {
        *self.result.counts.notes.entry(name.to_owned()).or_default() += count;
    }

    /// Records that something was not taken further, and why.
    ///
    /// # Panics
    /// When it is quarantined: [`Context::quarantine`] says of what kind it is.
    pub fn reject(&mut self, reject: Reject) {
        let counts = &mut self.result.counts;
        let by_reason = match reject.kind {
            RejectKind::Rule => &mut counts.rule,
            RejectKind::Refusal => &mut counts.refusal,
            RejectKind::Quarantine => panic!("{} is quarantined, but nothing says as what", reject.record_id),
        };
        *by_reason.entry(reject.reason.clone()).or_default() += 1;
        self.rejects.push(reject);
    }

    /// Records that one of the inputs of `kind`, which [`Context::count_read`] counts, is broken and left out. The run
    /// fails when too large a share of one kind is.
    ///
    /// # Panics
    /// When the reject is of another kind than `quarantine`.
    pub fn quarantine(&mut self, kind: &str, reject: Reject) {
        assert_eq!(reject.kind, RejectKind::Quarantine, "{} is no broken input", reject.record_id);
        let input = self.result.counts.inputs.entry(kind.to_owned()).or_default();
        *input.quarantined.entry(reject.reason.clone()).or_default() += 1;
        self.rejects.push(reject);
    }

    // Publishing

    /// Puts one of this task's blobs, complete by now, into the published folder.
    ///
    /// # Errors
    /// When the blob cannot be read.
    pub fn publish_blob(&mut self, path: &str, name: &str) -> Result<Digests, TaskError> {
        let digests = self.blob_digests(name)?;
        self.publish(path, &self.surroundings.attempt_folder.join(name), digests.blake3.clone())?;
        Ok(digests)
    }

    /// Puts a blob of an upstream task into the published folder.
    ///
    /// # Errors
    /// When the upstream task has no such blob, or it was damaged since.
    pub fn publish_input(&mut self, path: &str, part: &InputPart, name: &str) -> Result<Digests, TaskError> {
        let (content, digests) = part.blob_file(name)?;
        self.publish(path, &content, digests.blake3.clone())?;
        Ok(digests)
    }

    fn publish(&mut self, path: &str, content: &Path, digest: String) -> Result<(), TaskError> {
        let content = relative(&self.surroundings.store_root, content)
            .ok_or_else(|| TaskError::failed(format!("{} is not in the store", content.display())))?;
        let file = PublishedFile { path: path.to_owned(), content, digest };
        if self.published.insert(path.to_owned(), file).is_some() {
            return Err(TaskError::failed(format!("two files of the release are called {path}")));
        }
        Ok(())
    }

    /// Names the published folder; without this call nothing is published.
    pub fn publish_as(&mut self, id: &str) {
        let files = self.published.values().cloned().collect();
        self.result.publication = Some(Publication { id: id.to_owned(), files });
    }

    /// Completes the attempt: writes the rejects and digests the blobs. For the engine.
    ///
    /// # Errors
    /// When something cannot be written or read back.
    ///
    /// # Panics
    /// When more inputs of a kind are quarantined than were read: their share would mean nothing.
    pub fn finish(mut self) -> Result<TaskResult, TaskError> {
        for (kind, input) in &self.result.counts.inputs {
            let broken = input.quarantined.values().sum::<u64>();
            assert!(broken <= input.read, "{broken} inputs of kind {kind} are quarantined, {} were read", input.read);
        }
        let mut rejects = std::mem::take(&mut self.rejects);
        rejects.sort_by(|a, b| {
            let key = |reject| (place(reject), &reject.record_id, &reject.reason, &reject.detail);
            key(a).cmp(&key(b))
        });
        let file = format!("{}.parquet", Reject::TABLE);
        let path = self.surroundings.attempt_folder.join(&file);
        let mut writer = TableWriter::<Reject>::create(&path, TableOptions::default())?;
        for reject in rejects {
            writer.push(&reject)?;
        }
        let written = writer.finish()?;
        self.result.artifacts.insert(Reject::TABLE.into(), written.into_artifact(file));
        for (name, blob) in self.result.blobs.iter_mut().filter(|(_, blob)| blob.digest.is_empty()) {
            let path = self.surroundings.attempt_folder.join(name);
            let bytes = fs::metadata(&path).map_err(|error| StoreError::io("read", &path, error))?.len();
            *blob = Blob { digest: Digests::blake3_of(&path)?, bytes };
        }
        Ok(self.result)
    }
}

/// A source file that is gone has changed like one with other content: it was there when it was digested.
fn unreadable(file: &str, path: &Path, error: io::Error) -> TaskError {
    if error.kind() == io::ErrorKind::NotFound {
        return TaskError::SourceChanged { file: file.into() };
    }
    StoreError::io("read", path, error).into()
}

/// File and line of a reject called `<file>:<line>`, so that line 10 comes after line 9; any other id as it is.
fn place(reject: &Reject) -> (&str, u64) {
    let id = reject.record_id.as_str();
    id.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?))).unwrap_or((id, 0))
}
