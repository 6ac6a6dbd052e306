//! A task without an engine: hand-made input tables, one run of a stage, its outputs read back.

pub(crate) mod sample;
pub(crate) mod words;

use arrow::array::{Array, RecordBatch};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tempfile::TempDir;
use uavgen_core::context::Surroundings;
use uavgen_core::store::{TableOptions, TableReader, TableWriter};
use uavgen_core::{Blob, Context, Counts, InputPart, Inputs, Partition, TaskError, TaskResult};
use uavgen_media::{Rgb, RgbImage, encode_jpeg};
use uavgen_schemas::{AnswerSource, AnswerType, Frame, QaItem, Record, Recording, RecordingKind, Reject, ReviewStatus};

/// Name of the data set in every bench.
pub(crate) const PROJECT: &str = "Tiny & <honest> set";

/// Inputs of one task.
pub(crate) struct Bench {
    folder: Arc<TempDir>,
    stage: &'static str,
    partition: Partition,
    inputs: Inputs,
    sources: BTreeMap<String, PathBuf>,
}

impl Bench {
    /// A task of `stage` on a split; on the whole data set when `split` is empty.
    pub(crate) fn new(stage: &'static str, split: &str) -> Self {
        let partition =
            if split.is_empty() { Partition::Dataset } else { Partition::Split { split: split.to_owned() } };
        Self {
            folder: Arc::new(TempDir::new().unwrap()),
            stage,
            partition,
            inputs: Inputs::default(),
            sources: BTreeMap::new(),
        }
    }

    /// The same inputs for a task of another stage, on the whole data set.
    pub(crate) fn then(mut self, stage: &'static str) -> Self {
        (self.stage, self.partition) = (stage, Partition::Dataset);
        self
    }

    /// A partition of the task's split.
    pub(crate) fn sequence(&self, source: &str, sequence: &str) -> Partition {
        let split = self.partition.split().unwrap_or("train").to_owned();
        Partition::Sequence { source: source.into(), scene: sequence.into(), sequence: sequence.into(), split }
    }

    /// Adds a table as an upstream task on `partition` would have written it.
    pub(crate) fn table<R: Record>(&mut self, partition: &Partition, rows: Vec<R>) {
        self.table_with_blobs(partition, rows, &[]);
    }

    /// Adds a table and the blobs of its task.
    pub(crate) fn table_with_blobs<R: Record>(
        &mut self,
        partition: &Partition,
        rows: Vec<R>,
        blobs: &[(&str, Vec<u8>)],
    ) {
        let attempt_folder = self.folder.path().join("store").join(R::TABLE).join(partition.path());
        fs::create_dir_all(&attempt_folder).unwrap();
        let path = attempt_folder.join(format!("{}.parquet", R::TABLE));
        let mut writer = TableWriter::<R>::create(&path, TableOptions::default()).unwrap();
        rows.into_iter().for_each(|row| writer.push(&row).unwrap());
        let table = writer.finish().unwrap().into_artifact(format!("{}.parquet", R::TABLE));
        let mut described = BTreeMap::new();
        for (name, content) in blobs {
            let target = attempt_folder.join(name);
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            fs::write(&target, content).unwrap();
            let digest = blake3::hash(content).to_hex().to_string();
            described.insert((*name).to_owned(), Blob { digest, bytes: content.len() as u64 });
        }
        let part = InputPart { partition: partition.clone(), table, attempt_folder, blobs: described };
        let parts = self.inputs.tables.entry(R::TABLE.to_owned()).or_default();
        parts.push(part);
        parts.sort_by(|a, b| a.partition.cmp(&b.partition));
    }

    /// Declares a table without any rows or partitions.
    pub(crate) fn empty_table<R: Record>(&mut self) {
        self.inputs.tables.entry(R::TABLE.to_owned()).or_default();
    }

    /// Sets the summed counts of an upstream stage.
    pub(crate) fn counts(&mut self, stage: &str, counts: Counts) {
        self.inputs.counts.insert(stage.to_owned(), counts);
    }

    /// Sets an option of the task.
    pub(crate) fn option(&mut self, name: &str, value: &str) {
        self.inputs.options.insert(name.to_owned(), value.into());
    }

    /// Writes a file of a source.
    pub(crate) fn source_file(&mut self, source: &str, file: &str, content: &[u8]) {
        let root = self.folder.path().join("sources").join(source);
        self.sources.insert(source.to_owned(), root.clone());
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Reads a file of a source.
    pub(crate) fn source_bytes(&self, source: &str, file: &str) -> Vec<u8> {
        fs::read(self.sources[source].join(file)).unwrap()
    }

    /// Runs the stage in a new attempt.
    pub(crate) fn try_run(
        &self,
        run: impl FnOnce(&mut Context) -> Result<(), TaskError>,
    ) -> Result<Outcome, TaskError> {
        fs::create_dir_all(self.folder.path().join("store")).unwrap();
        let attempt = tempfile::tempdir_in(self.folder.path().join("store")).unwrap();
        let cancelled = AtomicBool::new(false);
        let surroundings = Surroundings {
            stage: self.stage,
            partition: &self.partition,
            attempt_folder: attempt.path().to_owned(),
            store_root: self.folder.path().join("store"),
            source_roots: &self.sources,
            seed: Some(7),
            cancelled: &cancelled,
        };
        let mut context = Context::new(surroundings, self.inputs.clone());
        run(&mut context)?;
        let result = context.finish()?;
        Ok(Outcome { attempt, folder: Arc::clone(&self.folder), result })
    }

    /// Runs the stage, which must succeed.
    pub(crate) fn run(&self, run: impl FnOnce(&mut Context) -> Result<(), TaskError>) -> Outcome {
        self.try_run(run).unwrap()
    }
}

/// Outputs of one task.
#[derive(Debug)]
pub(crate) struct Outcome {
    attempt: TempDir,
    folder: Arc<TempDir>,
    pub(crate) result: TaskResult,
}

impl Outcome {
    /// Rows of an output table.
    pub(crate) fn rows<R: Record>(&self) -> Vec<R> {
        self.blob_rows(&format!("{}.parquet", R::TABLE))
    }

    /// What the task rejected.
    pub(crate) fn rejects(&self) -> Vec<Reject> {
        self.rows()
    }

    /// Rows of a blob that is a table.
    pub(crate) fn blob_rows<R: Record>(&self, name: &str) -> Vec<R> {
        TableReader::<R>::open(&self.path(name)).unwrap().rows().unwrap()
    }

    /// Content of a blob.
    pub(crate) fn blob(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// Names of the blobs, sorted.
    pub(crate) fn blob_names(&self) -> Vec<String> {
        self.result.blobs.keys().cloned().collect()
    }

    /// Digest of each blob.
    pub(crate) fn blob_digests(&self) -> BTreeMap<String, String> {
        self.result.blobs.iter().map(|(name, blob)| (name.clone(), blob.digest.clone())).collect()
    }

    /// Blobs with content, by name, for a stage that reads them.
    pub(crate) fn blobs(&self) -> Vec<(String, Vec<u8>)> {
        self.blob_names().into_iter().map(|name| (name.clone(), self.blob(&name))).collect()
    }

    /// The Arrow schema stored in a blob, as text.
    pub(crate) fn arrow_schema(&self, name: &str) -> String {
        format!("{:?}", self.parquet(name).schema())
    }

    /// The Arrow type of a column of a blob.
    pub(crate) fn column_type(&self, name: &str, column: &str) -> String {
        self.parquet(name).schema().field_with_name(column).unwrap().data_type().to_string()
    }

    /// Decoded size of each row group of a blob, measured on what a reader gets.
    pub(crate) fn row_group_bytes(&self, name: &str) -> Vec<usize> {
        let groups = self.parquet(name).metadata().num_row_groups();
        (0..groups)
            .map(|group| {
                let reader = self.parquet(name).with_row_groups(vec![group]).with_batch_size(1).build().unwrap();
                reader.map(|batch| decoded(&batch.unwrap())).sum()
            })
            .collect()
    }

    /// Lays the publication out in `folder`, as the engine does.
    pub(crate) fn publish(&self, folder: &Path) {
        for file in &self.result.publication.as_ref().unwrap().files {
            let target = folder.join(&file.path);
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            fs::copy(self.folder.path().join("store").join(&file.content), target).unwrap();
        }
    }

    fn parquet(&self, name: &str) -> ParquetRecordBatchReaderBuilder<File> {
        ParquetRecordBatchReaderBuilder::try_new(File::open(self.path(name)).unwrap()).unwrap()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.attempt.path().join(name)
    }
}

fn decoded(batch: &RecordBatch) -> usize {
    batch.columns().iter().map(|column| column.to_data().get_slice_memory_size().unwrap()).sum()
}

/// A JPEG of seeded noise, which compresses badly, like a real photograph.
pub(crate) fn picture(seed: u32, width: u32, height: u32) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let image = RgbImage::from_fn(width, height, |_, _| Rgb([next(), next(), next()]));
    encode_jpeg(&image, 90).unwrap()
}

/// Frame `<recording>/<number>` of 160 x 120 pixels.
pub(crate) fn frame(recording: &str, number: i64, file: &str, content: &[u8]) -> Frame {
    Frame {
        frame_id: format!("{recording}/{number}"),
        recording_id: recording.into(),
        group_id: recording.into(),
        split: "train".into(),
        index: number - 1,
        source_number: number,
        file: file.into(),
        width: 160,
        height: 120,
        format: "jpeg".into(),
        pixel_layout: "rgb".into(),
        exif_orientation: 1,
        digest: blake3::hash(content).to_hex().to_string(),
        byte_count: content.len() as i64,
        timestamp_us: None,
        labelled: true,
    }
}

/// A recording of `frames` labelled frames.
pub(crate) fn recording(id: &str, frames: i64) -> Recording {
    Recording {
        recording_id: id.into(),
        source: id.split('/').next().unwrap().into(),
        group_id: id.into(),
        sequence: id.into(),
        split: "train".into(),
        kind: RecordingKind::Sequence,
        frame_count: frames,
        labelled_frame_count: frames,
        annotated_without_image: 0,
        source_fps: None,
        licence: "academic use".into(),
    }
}

/// A counting question with four options, of which the second is right.
pub(crate) fn item(id: &str, task: &str, frame_ids: &[&str]) -> QaItem {
    let recording = frame_ids.first().map_or("", |id| id.rsplit_once('/').map_or(id, |(recording, _)| recording));
    QaItem {
        id: id.into(),
        suite: "aerial2d".into(),
        task: task.into(),
        capability: "counting".into(),
        split: "train".into(),
        question: format!("How many cars are there in {id}?"),
        options: ["1", "2", "3", "4"].map(str::to_owned).to_vec(),
        options_json: "[1,2,3,4]".into(),
        answer: "2".into(),
        answer_indices: vec![1],
        answer_type: AnswerType::Int,
        answer_json: r#"{"type":"int","value":2}"#.into(),
        answer_source: AnswerSource::Computed,
        review_status: ReviewStatus::Approved,
        program: r#"{"op":"count"}"#.into(),
        facts: r#"{"count":2}"#.into(),
        video: None,
        clip_id: None,
        frame_ids: frame_ids.iter().map(|&id| id.to_owned()).collect(),
        recording_ids: vec![recording.to_owned()],
        group_id: recording.to_owned(),
        boxes: Vec::new(),
        provenance: r#"{"template":"count"}"#.into(),
        licence: "academic use".into(),
    }
}

/// A picture whose number can be read after any encoding: ten columns, each black or white, on a ground that moves.
pub(crate) fn numbered(number: u32, width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        let bit = number >> (x * 10 / width) & 1 == 1;
        match (y < height / 2, bit) {
            (true, true) => Rgb([255; 3]),
            (true, false) => Rgb([0; 3]),
            (false, _) => Rgb([(x + 3 * number) as u8, (y * 2) as u8, 90]),
        }
    })
}

/// The number that [`numbered`] painted.
pub(crate) fn number_in(image: &RgbImage) -> u32 {
    let column = |bit: u32| (2 * bit + 1) * image.width() / 20;
    (0..10).map(|bit| u32::from(image.get_pixel(column(bit), image.height() / 4).0[0] > 127) << bit).sum()
}
