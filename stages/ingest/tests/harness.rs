//! A source on disk, looked through and ingested without an engine.

use crate::ingest::{Ingest, IngestConfig};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use uavgen_core::context::Surroundings;
use uavgen_core::project::{BoxesIn, GroupBy};
use uavgen_core::store::TableReader;
use uavgen_core::{
    ConfigError, Context, Counts, Discovered, Discovery, FileStamp, Inputs, Project, SourceConfig, SourceFile,
    SplitConfig, StageDefinition,
};
use uavgen_media::{Rgb, RgbImage};
use uavgen_schemas::{
    Box2d, Camera, Frame, Mask, MaskClass, Mesh, Pose, Record, RecordedDepth, Recording, Region, Reject, Telemetry,
    Track,
};

/// A folder of sources that goes away with the value.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, file: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    /// Writes frames 1 to `count` of 100x50 pixels.
    pub(crate) fn sequence(&self, folder: &str, count: u32) -> &Self {
        for number in 1..=count {
            self.write(&format!("{folder}/{number:07}.jpg"), jpeg(100, 50));
        }
        self
    }
}

/// A grey JPEG.
pub(crate) fn jpeg(width: u32, height: u32) -> Vec<u8> {
    uavgen_media::encode_jpeg(&RgbImage::from_pixel(width, height, Rgb([90, 120, 90])), 80).unwrap()
}

/// A JPEG whose EXIF data states an orientation.
pub(crate) fn turned_jpeg(stored_width: u32, stored_height: u32, orientation: u8) -> Vec<u8> {
    let tiff =
        [b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0".as_slice(), &[orientation, 0, 0, 0, 0, 0, 0, 0]].concat();
    let payload = [b"Exif\0\0".as_slice(), &tiff].concat();
    let length = (payload.len() as u16 + 2).to_be_bytes();
    let plain = jpeg(stored_width, stored_height);
    [&plain[..2], &[0xFF, 0xE1], &length, &payload, &plain[2..]].concat()
}

/// A source called `src`.
pub(crate) fn source(kind: &str, path: &Path) -> SourceConfig {
    SourceConfig {
        name: "src".into(),
        kind: kind.into(),
        path: path.to_owned(),
        split: None,
        fps: None,
        licence: "test".into(),
        boxes_in: BoxesIn::Displayed,
        buckets: 4,
        group_by: GroupBy::Folder,
    }
}

pub(crate) fn project(sources: Vec<SourceConfig>) -> Project {
    let (split_list, own_folders) = (BTreeMap::new(), Vec::new());
    Project { name: "test".into(), seed: 1, sources, split: SplitConfig::default(), split_list, own_folders }
}

pub(crate) fn discover(project: &Project) -> Result<Discovery, ConfigError> {
    Ingest::discover(&IngestConfig::default(), project).expect("ingest is a root stage")
}

/// Everything that the tasks of a project wrote.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Written {
    pub(crate) recordings: Vec<Recording>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) boxes: Vec<Box2d>,
    pub(crate) tracks: Vec<Track>,
    pub(crate) regions: Vec<Region>,
    pub(crate) telemetry: Vec<Telemetry>,
    pub(crate) cameras: Vec<Camera>,
    pub(crate) poses: Vec<Pose>,
    pub(crate) meshes: Vec<Mesh>,
    pub(crate) depths: Vec<RecordedDepth>,
    pub(crate) masks: Vec<Mask>,
    pub(crate) classes: Vec<MaskClass>,
    pub(crate) rejects: Vec<Reject>,
    pub(crate) counts: Counts,
}

impl Written {
    /// Reasons of all rejects with their record ids, sorted.
    pub(crate) fn reasons(&self) -> Vec<(&str, &str)> {
        self.rejects.iter().map(|reject| (reject.record_id.as_str(), reject.reason.as_str())).collect()
    }

    pub(crate) fn note(&self, name: &str) -> u64 {
        self.counts.notes.get(name).copied().unwrap_or_default()
    }

    pub(crate) fn frame(&self, id: &str) -> &Frame {
        self.frames.iter().find(|frame| frame.frame_id == id).unwrap_or_else(|| panic!("no frame {id}"))
    }
}

/// Looks through one source and ingests what is found.
pub(crate) fn ingest(source: SourceConfig) -> Written {
    ingest_project(&project(vec![source]), &IngestConfig::default())
}

/// The same, while the system does not give the bytes of one file.
pub(crate) fn ingest_without(source: SourceConfig, unreadable: &str) -> Written {
    ingest_files(&project(vec![source]), &IngestConfig::default(), Some(unreadable))
}

pub(crate) fn ingest_project(project: &Project, config: &IngestConfig) -> Written {
    ingest_files(project, config, None)
}

fn ingest_files(project: &Project, config: &IngestConfig, unreadable: Option<&str>) -> Written {
    let mut written = Written::default();
    for found in discover(project).unwrap().found {
        run_task(project, &found, config, unreadable, &mut written);
    }
    written
}

fn run_task(
    project: &Project,
    found: &Discovered,
    config: &IngestConfig,
    unreadable: Option<&str>,
    written: &mut Written,
) {
    let attempt = tempfile::tempdir().unwrap();
    let roots: BTreeMap<String, PathBuf> =
        project.sources.iter().map(|source| (source.name.clone(), source.root().to_owned())).collect();
    let root = &roots[found.partition.source().unwrap()];
    let files = found.files.iter().map(|file| SourceFile {
        unreadable: unreadable.filter(|name| name == file).map(|_| "Permission denied".into()),
        ..source_file(root, file)
    });
    let files = files.collect();
    let inputs = Inputs { files, options: found.options.clone(), ..Inputs::default() };
    let cancelled = AtomicBool::new(false);
    let surroundings = Surroundings {
        stage: "ingest",
        partition: &found.partition,
        attempt_folder: attempt.path().to_owned(),
        store_root: attempt.path().to_owned(),
        source_roots: &roots,
        seed: None,
        cancelled: &cancelled,
    };
    let mut context = Context::new(surroundings, inputs);
    Ingest::run(config, &mut context).unwrap();
    let result = context.finish().unwrap();
    written.recordings.extend(rows(attempt.path()));
    written.frames.extend(rows(attempt.path()));
    written.boxes.extend(rows(attempt.path()));
    written.tracks.extend(rows(attempt.path()));
    written.regions.extend(rows(attempt.path()));
    written.telemetry.extend(rows(attempt.path()));
    written.cameras.extend(rows(attempt.path()));
    written.poses.extend(rows(attempt.path()));
    written.meshes.extend(rows(attempt.path()));
    written.depths.extend(rows(attempt.path()));
    written.masks.extend(rows(attempt.path()));
    written.classes.extend(rows(attempt.path()));
    written.rejects.extend(rows(attempt.path()));
    written.counts.add(&result.counts);
}

fn source_file(root: &Path, file: &str) -> SourceFile {
    let path = root.join(file);
    let digest = blake3::hash(&fs::read(&path).unwrap()).to_hex().to_string();
    let stamp = FileStamp::of(&path.metadata().unwrap());
    SourceFile { file: file.into(), digest, stamp, unreadable: None }
}

fn rows<R: Record>(folder: &Path) -> Vec<R> {
    TableReader::open(&folder.join(format!("{}.parquet", R::TABLE))).unwrap().rows().unwrap()
}

/// Folder of the real files, if it is there.
pub(crate) fn shared(test: &str) -> Option<PathBuf> {
    let root = match std::env::var_os("UAVGEN_SHARED") {
        Some(root) => PathBuf::from(root),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
    };
    if root.join("data").is_dir() {
        return Some(root.join("data"));
    }
    let told = writeln!(std::io::stderr(), "SKIPPED {test}: ../shared is not there");
    told.expect("stderr");
    None
}
