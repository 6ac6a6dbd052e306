//! Everything a stage can do: read its tables and source files, write its tables and blobs, reject, draw.

use crate::fingerprint::digest;
use crate::store::{TableOptions, TableReader, TableWriter};
use crate::{
    Artifact, Blob, Counts, InputPart, Inputs, Partition, Publication, PublishedFile, SourceFile, StoreError,
    TaskError, TaskResult, rng,
};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
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
    /// Title of the data set.
    pub project_name: &'a str,
    /// Seed of the project.
    pub seed: u64,
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

    /// Title of the data set.
    pub fn project_name(&self) -> &'a str {
        self.surroundings.project_name
    }

    /// Seed of the project.
    pub fn seed(&self) -> u64 {
        self.surroundings.seed
    }

    /// Generator for one record: the same stream whatever else the task does.
    pub fn rng(&self, record_id: &str) -> ChaCha8Rng {
        rng::for_record(self.surroundings.seed, self.surroundings.stage, record_id)
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

    /// Whether the stage that writes the table exists.
    pub fn has<R: Record>(&self) -> bool {
        self.inputs.tables.contains_key(R::TABLE)
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
        Ok(TableReader::<R>::open(&part.path)?.rows()?)
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

    /// The content of a source file. With a digest, content that has changed since is an error.
    ///
    /// # Errors
    /// When the file cannot be read, or has changed.
    pub fn read_source(&self, source: &str, file: &str, expected: Option<&str>) -> Result<Vec<u8>, TaskError> {
        let path = self.source_path(source, file)?;
        let content = fs::read(&path).map_err(|error| StoreError::io("read", &path, error))?;
        match expected {
            Some(expected) if digest(&content) != expected => Err(TaskError::SourceChanged { file: file.into() }),
            _ => Ok(content),
        }
    }

    /// The first and the last bytes of a source file (overlapping when it is short): enough to judge an image without
    /// reading all of it again.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read_source_ends(&self, source: &str, file: &str, length: usize) -> Result<(Vec<u8>, Vec<u8>), TaskError> {
        let path = self.source_path(source, file)?;
        let wrap = |error| StoreError::io("read", &path, error);
        let mut opened = File::open(&path).map_err(wrap)?;
        let size = opened.metadata().map_err(wrap)?.len();
        let mut head = Vec::with_capacity(length);
        opened.by_ref().take(length as u64).read_to_end(&mut head).map_err(wrap)?;
        let mut tail = Vec::with_capacity(length);
        opened.seek(SeekFrom::Start(size.saturating_sub(length as u64))).map_err(wrap)?;
        opened.read_to_end(&mut tail).map_err(wrap)?;
        Ok((head, tail))
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
        let artifact = Artifact { file, rows: written.rows, digest: written.digest, bytes: written.bytes };
        self.result.artifacts.insert(R::TABLE.into(), artifact);
        Ok(())
    }

    /// Path for a new blob, which the caller writes before the task ends. Its folders exist.
    ///
    /// # Errors
    /// When its folder cannot be created.
    ///
    /// # Panics
    /// When the name begins with a dot: such names belong to the store.
    pub fn blob(&mut self, name: &str) -> Result<PathBuf, TaskError> {
        assert!(
            !name.starts_with('.'),
            "a blob must not be called {name}: names with a leading dot belong to the store"
        );
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
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(StoreError::io("remove", &path, error).into())
            }
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

    /// Size in bytes, BLAKE3 and SHA-256 (both hexadecimal) of a blob that has been written.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn blob_digests(&self, name: &str) -> Result<(u64, String, String), TaskError> {
        Ok(digests(&self.surroundings.attempt_folder.join(name))?)
    }

    /// Size in bytes, BLAKE3 and SHA-256 (both hexadecimal) of a blob of an upstream task.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn input_blob_digests(&self, part: &InputPart, name: &str) -> Result<(u64, String, String), TaskError> {
        Ok(digests(&part.attempt_folder.join(name))?)
    }

    /// Counts records that the task looked at.
    pub fn count_read(&mut self, records: u64) {
        self.result.counts.read += records;
    }

    /// Adds to a named number in the report.
    pub fn note(&mut self, name: &str, count: u64) {
        *self.result.counts.notes.entry(name.to_owned()).or_default() += count;
    }

    /// Records that something was not taken further, and why.
    pub fn reject(&mut self, reject: Reject) {
        let counts = &mut self.result.counts;
        let by_reason = match reject.kind {
            RejectKind::Rule => &mut counts.rule,
            RejectKind::Quarantine => &mut counts.quarantine,
            RejectKind::Refusal => &mut counts.refusal,
        };
        *by_reason.entry(reject.reason.clone()).or_default() += 1;
        self.rejects.push(reject);
    }

    // Publishing

    /// Puts one of this task's blobs into the published folder.
    ///
    /// # Errors
    /// When the blob cannot be read.
    pub fn publish_blob(&mut self, path: &str, name: &str) -> Result<(), TaskError> {
        let content = self.surroundings.attempt_folder.join(name);
        let (_, digest, _) = digests(&content)?;
        self.publish(path, &content, digest)
    }

    /// Puts a blob of an upstream task into the published folder.
    ///
    /// # Errors
    /// When the upstream task has no such blob.
    pub fn publish_input(&mut self, path: &str, part: &InputPart, name: &str) -> Result<(), TaskError> {
        let blob = part.blobs.get(name).ok_or_else(|| TaskError::failed(format!("no blob {name} upstream")))?;
        self.publish(path, &part.attempt_folder.join(name), blob.digest.clone())
    }

    fn publish(&mut self, path: &str, content: &Path, digest: String) -> Result<(), TaskError> {
        let relative = content.strip_prefix(&self.surroundings.store_root).ok().and_then(Path::to_str);
        let content =
            relative.ok_or_else(|| TaskError::failed(format!("{} is not in the store", content.display())))?;
        let file = PublishedFile { path: path.to_owned(), content: content.to_owned(), digest };
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
    pub fn finish(mut self) -> Result<TaskResult, TaskError> {
        let mut rejects = std::mem::take(&mut self.rejects);
        rejects.sort_by(|a, b| (&a.record_id, &a.reason, &a.detail).cmp(&(&b.record_id, &b.reason, &b.detail)));
        let file = format!("{}.parquet", Reject::TABLE);
        let path = self.surroundings.attempt_folder.join(&file);
        let mut writer = TableWriter::<Reject>::create(&path, TableOptions::default())?;
        for reject in rejects {
            writer.push(&reject)?;
        }
        let written = writer.finish()?;
        let artifact = Artifact { file, rows: written.rows, digest: written.digest, bytes: written.bytes };
        self.result.artifacts.insert(Reject::TABLE.into(), artifact);
        for (name, blob) in &mut self.result.blobs {
            let (bytes, digest, _) = digests(&self.surroundings.attempt_folder.join(name))?;
            *blob = Blob { digest, bytes };
        }
        Ok(self.result)
    }
}

/// Size, BLAKE3 and SHA-256 of a file.
fn digests(path: &Path) -> Result<(u64, String, String), StoreError> {
    let wrap = |error| StoreError::io("read", path, error);
    let mut file = File::open(path).map_err(wrap)?;
    let (mut blake, mut sha, mut bytes) = (blake3::Hasher::new(), Sha256::new(), 0_u64);
    let mut buffer = vec![0; 1 << 17];
    loop {
        let count = file.read(&mut buffer).map_err(wrap)?;
        if count == 0 {
            break;
        }
        blake.update(&buffer[..count]);
        sha.update(&buffer[..count]);
        bytes += count as u64;
    }
    let sha = sha.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((bytes, blake.finalize().to_hex().to_string(), sha))
}
