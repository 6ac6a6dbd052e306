//! A workspace in a temporary folder, with sources that tests change.

use crate::toy;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};
use uavgen_core::project::BoxesIn;
use uavgen_core::{Project, SourceConfig, SplitConfig, Stage};
use uavgen_engine::{
    BuildReport, Control, EngineError, Event, Observer, Outcome, Plan, Reason, Roots, Runtime, Selection, Setup,
    Silent, Status, Workspace,
};

pub(crate) struct Bench {
    folder: tempfile::TempDir,
    pub(crate) config: BTreeMap<String, Value>,
    pub(crate) registry: &'static [&'static dyn Stage],
    pub(crate) runtime: Runtime,
    pub(crate) seed: u64,
    pub(crate) fps: Option<f64>,
    pub(crate) host: String,
    pub(crate) clock: fn() -> SystemTime,
}

static NEVER: AtomicBool = AtomicBool::new(false);

pub(crate) fn silent() -> Control<'static> {
    Control { observer: &Silent, cancelled: &NEVER }
}

/// So late that every file is old enough to be trusted.
pub(crate) fn in_an_hour() -> SystemTime {
    SystemTime::now() + Duration::from_secs(3600)
}

impl Bench {
    /// Three sequences in two splits.
    pub(crate) fn new() -> Self {
        let bench = Self {
            folder: tempfile::tempdir().unwrap(),
            config: BTreeMap::new(),
            registry: toy::STAGES,
            runtime: Runtime { jobs: 2, ..Runtime::default() },
            seed: 7,
            fps: None,
            host: "here".into(),
            clock: in_an_hour,
        };
        bench.write("train.a/1.txt", "one\ntwo\nthree\n");
        bench.write("train.a/2.txt", "four\n");
        bench.write("train.b/1.txt", "five\nsix\n");
        bench.write("val.c/1.txt", "seven\n");
        bench
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    /// Writes a source file.
    pub(crate) fn write(&self, file: &str, content: &str) {
        let path = self.path("source").join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn set(&mut self, stage: &str, section: Value) {
        self.config.insert(stage.into(), section);
    }

    pub(crate) fn open(&self) -> Result<Workspace, EngineError> {
        let source = SourceConfig {
            name: "text".into(),
            kind: "text".into(),
            path: self.path("source"),
            split: None,
            fps: self.fps,
            licence: String::new(),
            boxes_in: BoxesIn::Displayed,
            buckets: 1,
            group_by: uavgen_core::project::GroupBy::Folder,
        };
        let project = Project {
            name: "toy".into(),
            seed: self.seed,
            sources: vec![source],
            split: SplitConfig::default(),
            split_list: BTreeMap::new(),
            own_folders: Vec::new(),
        };
        Workspace::open(Setup {
            project,
            registry: self.registry,
            config: self.config.clone(),
            roots: Roots::below(self.folder.path()),
            runtime: self.runtime,
            host: self.host.clone(),
            uavgen_version: "0".into(),
            clock: self.clock,
        })
    }

    pub(crate) fn workspace(&self) -> Workspace {
        self.open().unwrap()
    }

    pub(crate) fn plan(&self) -> Plan {
        self.workspace().plan(&Selection::all(), silent()).unwrap()
    }

    pub(crate) fn run(&self) -> BuildReport {
        self.workspace().build(&Selection::all(), false, silent()).unwrap()
    }

    /// A build that must succeed.
    pub(crate) fn build(&self) -> BuildReport {
        let report = self.run();
        assert_eq!(report.outcome, Outcome::Done, "{report:#?}");
        report
    }

    /// Path and content of every file of the newest release.
    pub(crate) fn release(&self) -> BTreeMap<String, String> {
        let root = fs::canonicalize(self.path("releases/latest")).unwrap();
        files(&root).iter().map(|path| (relative(&root, path), fs::read_to_string(path).unwrap())).collect()
    }

    /// The one file of the store with this name below this folder.
    pub(crate) fn find(&self, below: &str, name: &str) -> PathBuf {
        let all = files(&self.path("store").join(below));
        let named = all.into_iter().filter(|path| path.file_name().unwrap() == name);
        // Results under other keys may be there too; the newest is the one that counts.
        let newest = named.max_by_key(|path| fs::metadata(path).and_then(|found| found.modified()).unwrap());
        newest.unwrap_or_else(|| panic!("no {name} below {below}"))
    }
}

fn relative(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap().to_str().unwrap().to_owned()
}

/// The manifest of the task whose table this is.
pub(crate) fn manifest_of(table: &Path) -> PathBuf {
    table.parent().unwrap().parent().unwrap().join("manifest.json")
}

/// Gives a manifest a field that this version does not know, sealed as a later version would.
pub(crate) fn make_foreign(manifest: &Path) {
    let text = fs::read_to_string(manifest).unwrap();
    let body = text.split_once(",\"manifest\":").unwrap().1.strip_suffix("}\n").unwrap();
    let body = body.replacen("\"inputs\":{", "\"inputs\":{\"region\":\"north\",", 1);
    assert!(body.contains("north"));
    let checksum = uavgen_core::fingerprint::digest(body.as_bytes());
    fs::write(manifest, format!("{{\"checksum\":\"{checksum}\",\"manifest\":{body}}}\n")).unwrap();
}

/// All files below a folder, sorted.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// `stage word count …` of every stage with tasks.
pub(crate) fn words(plan: &Plan) -> Vec<String> {
    let line = |stage: &uavgen_engine::StagePlan| {
        let counts = ["fresh", "dirty", "maybe", "blocked"].map(|word| (word, stage.count(word)));
        let counts = counts.iter().filter(|(_, count)| *count > 0).map(|(word, count)| format!(" {count} {word}"));
        format!("{}{}", stage.stage, counts.collect::<String>())
    };
    plan.stages.iter().map(line).collect()
}

/// Reasons of the dirty tasks of a stage, each once.
pub(crate) fn reasons(plan: &Plan, stage: &str) -> Vec<Reason> {
    let mut found: Vec<Reason> = Vec::new();
    for task in &plan.stage(stage).unwrap().tasks {
        if let Status::Dirty { reasons } = &task.status {
            reasons
                .iter()
                .filter(|reason| !found.contains(reason))
                .cloned()
                .collect::<Vec<_>>()
                .into_iter()
                .for_each(|reason| found.push(reason));
        }
    }
    found
}

/// `done`, `unchanged`, `failed` of a stage.
pub(crate) fn ran(report: &BuildReport, stage: &str) -> (usize, usize, usize) {
    report
        .stages
        .iter()
        .find(|one| one.stage == stage)
        .map_or((0, 0, 0), |one| (one.done, one.unchanged, one.failed.len()))
}

pub(crate) fn config_reason(key: &str, old: Value, new: Value) -> Reason {
    Reason::Config { key: key.into(), old, new }
}

/// Asks to stop as soon as a task of this stage is done.
pub(crate) struct StopAfter<'a> {
    pub(crate) stage: &'static str,
    pub(crate) cancelled: &'a AtomicBool,
}

impl Observer for StopAfter<'_> {
    fn observe(&self, event: &Event) {
        if matches!(event, Event::TaskDone { stage, .. } if *stage == self.stage) {
            self.cancelled.store(true, Ordering::Relaxed);
        }
    }
}

pub(crate) fn empty() -> Value {
    json!({})
}
