//! How long a build with nothing to do takes: partitions × 6 stages, 20 source files each.
//!
//! ```text
//! cargo run --release -p uavgen-engine --example noop_bench -- [partitions] [jobs] [folder to keep and use again]
//! ```
//! Stages write tables like real ones (five tables at the root, one blob per sequence); the sources are small files, since
//! in a warm run no byte of them is read. Prints seconds of the first build, then of three builds with nothing to do, in a
//! process that has forgotten everything between them but the operating system's cache.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement for people")]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime};
use uavgen_core::project::BoxesIn;
use uavgen_core::{
    ConfigError, Context, Discovered, Discovery, Grain, Partition, Project, Read, SourceConfig, SplitConfig, Stage,
    StageDefinition, StageInfo, TaskError,
};
use uavgen_engine::{Control, Roots, Runtime, Selection, Setup, Silent, Workspace};
use uavgen_schemas::{Record, TableInfo};

const FILES: usize = 20;

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Row<const TABLE: usize> {
    id: String,
    number: i64,
}

impl<const TABLE: usize> Record for Row<TABLE> {
    const TABLE: &'static str =
        ["recordings", "frames", "boxes", "tracks", "regions", "videos", "selections", "items", "shards", "release"]
            [TABLE];
    const VERSION: u32 = 1;
    fn id(&self) -> &str {
        &self.id
    }
}

const fn table<const TABLE: usize>() -> TableInfo {
    TableInfo::of::<Row<TABLE>>()
}

/// As many keys as a real section has.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct Config {
    limits: BTreeMap<String, f64>,
    names: Vec<String>,
}

impl Default for Config {
    fn default() -> Self {
        let limits =
            (0..20).map(|number| (format!("limit_of_something_{number}_px"), f64::from(number) / 7.0)).collect();
        Self { limits, names: (0..8).map(|number| format!("task_{number}")).collect() }
    }
}

macro_rules! stage {
    ($name:ident, $word:literal, $grain:ident, reads $reads:expr, writes [$($write:literal),*], counts $counts:literal,
     blob $blob:literal, discover $discover:expr) => {
        struct $name;
        impl StageDefinition for $name {
            type Config = Config;
            const INFO: StageInfo = StageInfo {
                name: $word,
                version: 1,
                summary: $word,
                grain: Grain::$grain,
                reads: $reads,
                writes: &[$(table::<$write>()),*],
                reads_counts: $counts,
                uses_seed: false,
            };
            fn discover(_: &Config, project: &Project) -> Option<Result<Discovery, ConfigError>> {
                let look: fn(&Project) -> Option<Discovery> = $discover;
                look(project).map(Ok)
            }
            fn run(_: &Config, context: &mut Context) -> Result<(), TaskError> {
                let name = context.partition().path().display().to_string();
                if $blob {
                    context.write_blob("media/video.mp4", name.as_bytes())?;
                }
                $(context.write((0..3).map(|number| Row::<$write> { id: format!("{name}-{number}"), number }))?;)*
                Ok(())
            }
        }
    };
}

stage!(Ingest, "ingest", Sequence, reads &[], writes [0, 1, 2, 3, 4], counts false, blob false,
    discover |project| Some(discover(&project.sources[0].path)));
stage!(Video, "video", Sequence, reads &[Read::required(table::<1>())], writes [5], counts false, blob true, discover |_| None);
stage!(Filter, "filter", Sequence, reads &[Read::required(table::<1>()), Read::required(table::<2>()),
    Read::required(table::<4>())], writes [6], counts false, blob false, discover |_| None);
stage!(Qa, "qa", Sequence, reads &[Read::required(table::<6>()), Read::required(table::<1>()), Read::required(table::<2>()),
    Read::required(table::<3>())], writes [7], counts false, blob false, discover |_| None);
stage!(Shards, "shards", Split, reads &[Read::required(table::<7>()), Read::required(table::<0>())], writes [8],
    counts false, blob true, discover |_| None);
stage!(Release, "release", Dataset, reads &[Read::required(table::<8>()), Read::required(table::<5>())], writes [9],
    counts true, blob false, discover |_| None);

static STAGES: &[&dyn Stage] = &[&Ingest, &Video, &Filter, &Qa, &Shards, &Release];

fn discover(root: &Path) -> Discovery {
    let mut folders: Vec<_> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    folders.sort();
    let found = folders.iter().map(|folder| {
        let name = folder.to_str().unwrap();
        let entries = fs::read_dir(root.join(name)).unwrap();
        let mut files: Vec<_> =
            entries.map(|entry| format!("{name}/{}", entry.unwrap().file_name().to_str().unwrap())).collect();
        files.sort();
        let split = if name.contains("7_") { "val" } else { "train" };
        let partition = Partition::Sequence {
            source: "vid".into(),
            scene: name.into(),
            sequence: name.into(),
            split: split.into(),
        };
        let options = BTreeMap::from([("fps".into(), json!(null))]);
        Discovered { partition, files, options, numbers: BTreeMap::new() }
    });
    Discovery { found: found.collect(), notes: Vec::new() }
}

fn in_an_hour() -> SystemTime {
    SystemTime::now() + Duration::from_secs(3600)
}

fn workspace(root: &Path, jobs: usize) -> Workspace {
    let source = SourceConfig {
        name: "vid".into(),
        kind: "bench".into(),
        path: root.join("source"),
        split: None,
        fps: None,
        licence: String::new(),
        boxes_in: BoxesIn::Displayed,
        buckets: 1,
        group_by: uavgen_core::project::GroupBy::Folder,
    };
    let project = Project {
        name: "bench".into(),
        seed: 1,
        sources: vec![source],
        split: SplitConfig::default(),
        split_list: BTreeMap::new(),
        own_folders: Vec::new(),
    };
    let setup = Setup {
        project,
        registry: STAGES,
        config: BTreeMap::new(),
        roots: Roots::below(root),
        runtime: Runtime { jobs, ..Runtime::default() },
        host: "bench".into(),
        uavgen_version: "0".into(),
        clock: in_an_hour,
    };
    Workspace::open(setup).unwrap()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |position: usize, default| arguments.get(position).map_or(default, |text| text.parse::<usize>().unwrap());
    let (partitions, jobs) = (number(0, 2000), number(1, 2));
    let temporary = tempfile::tempdir().unwrap();
    let folder = arguments.get(2).map_or(temporary.path(), Path::new);
    for partition in 0..partitions {
        let sequence = folder.join(format!("source/uav{partition:07}_00000_v"));
        if sequence.exists() {
            continue;
        }
        fs::create_dir_all(&sequence).unwrap();
        (0..FILES).for_each(|file| fs::write(sequence.join(format!("{file:07}.jpg")), [partition as u8; 64]).unwrap());
    }
    let never = AtomicBool::new(false);
    let control = Control { observer: &Silent, cancelled: &never };
    for _ in 0..4 {
        let started = Instant::now();
        let report = workspace(folder, jobs).build(&Selection::all(), false, control).unwrap();
        let seconds = started.elapsed().as_secs_f64();
        println!("{partitions} partitions, {jobs} jobs: {} tasks ran, {seconds:.3} s", report.ran());
    }
}
