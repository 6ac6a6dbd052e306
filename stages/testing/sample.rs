//! The sample data through stages, one partition after the other.

use crate::STAGES;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use uavgen_core::context::Surroundings;
use uavgen_core::store::TableReader;
use uavgen_core::{Context, Discovered, FileStamp, InputPart, Inputs, Project, SourceConfig, SourceFile, Stage};
use uavgen_schemas::Record;

/// Source folders of the sample data: name, kind and folder.
const SOURCES: [(&str, &str, &str); 4] = [
    ("vid-train", "visdrone-vid", "VisDrone2019-VID-train"),
    ("vid-val", "visdrone-vid", "VisDrone2019-VID-val"),
    ("det-train", "visdrone-det", "VisDrone2019-DET-train"),
    ("det-val", "visdrone-det", "VisDrone2019-DET-val"),
];

/// A project over the sample data in a folder.
pub(crate) fn project(sample: &Path) -> Project {
    let source = |(name, kind, folder): (&str, &str, &str)| -> SourceConfig {
        let path: PathBuf = sample.join(folder);
        serde_json::from_value(json!({"name": name, "kind": kind, "path": path, "licence": "CC0-1.0"})).unwrap()
    };
    Project {
        name: "sample".into(),
        seed: 7,
        sources: SOURCES.into_iter().map(source).collect(),
        split: Default::default(),
        split_list: BTreeMap::new(),
        own_folders: Vec::new(),
    }
}

/// A stage by name.
pub(crate) fn stage(name: &str) -> &'static dyn Stage {
    *STAGES.iter().find(|stage| stage.info().name == name).unwrap()
}

/// The stages of one partition, one after the other, in a folder of its own.
pub(crate) struct Chain<'a> {
    project: &'a Project,
    found: &'a Discovered,
    folder: PathBuf,
    inputs: Inputs,
}

impl<'a> Chain<'a> {
    pub(crate) fn new(project: &'a Project, found: &'a Discovered, folder: PathBuf) -> Self {
        let source = project.sources.iter().find(|source| Some(source.name.as_str()) == found.partition.source());
        let root = &source.unwrap().path;
        let files = found.files.iter().map(|file| {
            let content = std::fs::read(root.join(file)).unwrap();
            let digest = blake3::hash(&content).to_hex().to_string();
            let stamp = FileStamp::of(&root.join(file).metadata().unwrap());
            SourceFile { file: file.clone(), digest, stamp, unreadable: None }
        });
        let inputs = Inputs { files: files.collect(), options: found.options.clone(), ..Inputs::default() };
        Self { project, found, folder, inputs }
    }

    /// Runs a stage; what it writes is there for the next one.
    pub(crate) fn run(&mut self, name: &str, section: Value) {
        let roots = self.project.sources.iter().map(|source| (source.name.clone(), source.path.clone())).collect();
        let attempt = self.folder.join(name);
        std::fs::create_dir_all(&attempt).unwrap();
        let surroundings = Surroundings {
            stage: stage(name).info().name,
            partition: &self.found.partition,
            attempt_folder: attempt.clone(),
            store_root: self.folder.clone(),
            source_roots: &roots,
            seed: Some(self.project.seed),
            cancelled: &AtomicBool::new(false),
        };
        let mut context = Context::new(surroundings, self.inputs.clone());
        stage(name).configure(&section).unwrap().run(&mut context).unwrap();
        for (table, artifact) in context.finish().unwrap().artifacts {
            let part = InputPart {
                partition: self.found.partition.clone(),
                table: artifact,
                attempt_folder: attempt.clone(),
                blobs: BTreeMap::new(),
            };
            self.inputs.tables.insert(table, vec![part]);
        }
    }

    pub(crate) fn rows<R: Record>(&self) -> Vec<R> {
        TableReader::<R>::open(&self.inputs.tables[R::TABLE][0].table_file().unwrap()).unwrap().rows().unwrap()
    }
}
