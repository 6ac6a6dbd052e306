//! Four tiny stages, one of each kind: a root over text files, one task per sequence, per split, and over everything.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use uavgen_core::{
    ConfigError, Context, Discovered, Discovery, Grain, Partition, Project, Read, Stage, StageDefinition, StageInfo,
    StoreError, TaskError,
};
use uavgen_schemas::{Record, Reject, RejectKind, TableInfo};

macro_rules! record {
    ($name:ident, $table:literal { $($field:ident: $type:ty),* }) => {
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct $name { pub id: String, $(pub $field: $type),* }
        impl Record for $name {
            const TABLE: &'static str = $table;
            const VERSION: u32 = 1;
            fn id(&self) -> &str { &self.id }
        }
    };
}
record!(Line, "lines" { text: String });
record!(Length, "lengths" { letters: i64 });
record!(Bundle, "bundles" { rows: i64 });
record!(Card, "cards" { read: i64 });
record!(Colour, "colours" { name: String });
record!(Pack, "packs" { rows: i64 });
record!(Weight, "weights" { rows: i64 });

/// Reads text files; lines `!bad` and `!unreadable` are quarantined.
pub(crate) struct Scan;

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ScanConfig {
    trim: bool,
}

impl StageDefinition for Scan {
    type Config = ScanConfig;
    const INFO: StageInfo = StageInfo {
        name: "scan",
        version: 1,
        summary: "reads text files",
        grain: Grain::Sequence,
        reads: &[],
        writes: &[TableInfo::of::<Line>()],
        reads_counts: false,
        uses_seed: true,
    };

    fn discover(_: &ScanConfig, project: &Project) -> Option<Result<Discovery, ConfigError>> {
        let source = &project.sources[0];
        let Ok(entries) = fs::read_dir(&source.path) else {
            return Some(Err(ConfigError::new(&["sources", "0", "path"], "no such folder")));
        };
        let mut found: Vec<Discovered> = entries.map(|entry| discovered(&entry.unwrap().path(), source.fps)).collect();
        found.sort_by(|a, b| a.partition.cmp(&b.partition));
        Some(Ok(Discovery { found, notes: vec!["a note".into()] }))
    }

    fn estimate(_: &ScanConfig, rows: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
        BTreeMap::from([("lines".into(), rows["source_files"] * 10 * rows["folders"])])
    }

    fn run(config: &ScanConfig, context: &mut Context) -> Result<(), TaskError> {
        let mut rows = Vec::new();
        for file in context.source_files().to_vec() {
            context.count_read("file", 1);
            if file.unreadable.is_some() {
                context.quarantine("file", reject(file.file, RejectKind::Quarantine, "unreadable", None));
                continue;
            }
            let content = context.read_source("text", &file.file, &file.digest)?;
            for (number, text) in String::from_utf8_lossy(&content).lines().enumerate() {
                context.count_read("line", 1);
                let id = format!("{}:{number}", file.file);
                if let Some(reason) = [("!bad", "marked_bad"), ("!unreadable", "unreadable")]
                    .iter()
                    .find_map(|(mark, reason)| (text == *mark).then_some(reason))
                {
                    context.quarantine("line", reject(id, RejectKind::Quarantine, reason, None));
                } else {
                    rows.push(Line { id, text: if config.trim { text.trim().into() } else { text.into() } });
                }
            }
        }
        context.write(rows)
    }
}

/// `<source>/<split>.<sequence>/<file>`, or `<source>/<split>.<scene>+<sequence>/<file>`
fn discovered(folder: &std::path::Path, fps: Option<f64>) -> Discovered {
    let name = folder.file_name().unwrap().to_str().unwrap();
    let (split, place) = name.split_once('.').unwrap();
    let (scene, sequence) = place.split_once('+').unwrap_or((place, place));
    let mut files: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|file| format!("{name}/{}", file.unwrap().file_name().to_str().unwrap()))
        .collect();
    files.sort();
    let partition = Partition::Sequence {
        source: "text".into(),
        scene: scene.into(),
        sequence: sequence.into(),
        split: split.into(),
    };
    let numbers = BTreeMap::from([("folders".into(), 1)]);
    Discovered { partition, files, options: BTreeMap::from([("fps".into(), Value::from(fps))]), numbers }
}

fn reject(record_id: String, kind: RejectKind, reason: &str, value: Option<f64>) -> Reject {
    Reject { record_id, kind, reason: reason.into(), value, limit: None, detail: String::new() }
}

/// Measures lines; two versions of it, each with two versions of a library that it uses.
pub(crate) struct Measure<const VERSION: u32, const LIBRARY: u32>;

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct MeasureConfig {
    min_letters: u32,
    label: String,
    nested: Nested,
    /// Sequences on which it misbehaves.
    fail_on: Vec<String>,
    panic_on: Vec<String>,
    disk_full_on: Vec<String>,
    forget_on: Vec<String>,
    meddle_on: Vec<String>,
}

impl Default for MeasureConfig {
    fn default() -> Self {
        let none = Vec::new;
        Self {
            min_letters: 1,
            label: "a".into(),
            nested: Nested::default(),
            fail_on: none(),
            panic_on: none(),
            disk_full_on: none(),
            forget_on: none(),
            meddle_on: none(),
        }
    }
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Nested {
    factor: f64,
}

impl<const VERSION: u32, const LIBRARY: u32> StageDefinition for Measure<VERSION, LIBRARY> {
    type Config = MeasureConfig;
    const INFO: StageInfo = StageInfo {
        name: "measure",
        version: VERSION,
        summary: "measures lines",
        grain: Grain::Sequence,
        reads: &[Read::required(TableInfo::of::<Line>()), Read::optional(TableInfo::of::<Colour>())],
        writes: &[TableInfo::of::<Length>()],
        reads_counts: false,
        uses_seed: true,
    };

    fn externals(_: &MeasureConfig) -> BTreeMap<String, String> {
        BTreeMap::from([("library".into(), LIBRARY.to_string())])
    }

    fn estimate(_: &MeasureConfig, rows: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
        BTreeMap::from([("lengths".into(), rows["lines"])])
    }

    fn run(config: &MeasureConfig, context: &mut Context) -> Result<(), TaskError> {
        assert!(context.parts::<Colour>().is_empty(), "no task writes colours");
        let Partition::Sequence { sequence, .. } = context.partition() else { panic!("wrong grain") };
        if config.fail_on.contains(sequence) {
            return Err(TaskError::failed(format!("{sequence} cannot be measured")));
        }
        if config.disk_full_on.contains(sequence) {
            return Err(StoreError::DiskFull { path: "lengths.parquet".into() }.into());
        }
        assert!(!config.panic_on.contains(sequence), "invariant of {sequence} is broken");
        let lines = context.read::<Line>()?;
        context.count_read("line", lines.len() as u64);
        if config.meddle_on.contains(sequence) {
            context.write(lines.clone())?;
        }
        let mut rows = Vec::new();
        for line in lines {
            let letters = line.text.len() as i64;
            if letters < i64::from(config.min_letters) {
                context.reject(reject(line.id, RejectKind::Rule, "too_short", Some(letters as f64)));
            } else {
                rows.push(Length { id: line.id, letters });
            }
        }
        if config.forget_on.contains(sequence) { Ok(()) } else { context.write(rows) }
    }
}

/// Gathers a split.
pub(crate) struct Gather;

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nothing {}

impl StageDefinition for Gather {
    type Config = Nothing;
    const INFO: StageInfo = StageInfo {
        name: "gather",
        version: 1,
        summary: "gathers a split",
        grain: Grain::Split,
        reads: &[Read::required(TableInfo::of::<Length>())],
        writes: &[TableInfo::of::<Bundle>()],
        reads_counts: false,
        uses_seed: true,
    };

    fn run(_: &Nothing, context: &mut Context) -> Result<(), TaskError> {
        let rows = context.read::<Length>()?;
        let text: String = rows.iter().map(|row| format!("{} {}\n", row.id, row.letters)).collect();
        let split = context.partition().split().unwrap().to_owned();
        context.write_blob(&format!("data/{split}.txt"), text.as_bytes())?;
        let digest = context.blob_digests(&format!("data/{split}.txt"))?.blake3;
        context.write([Bundle { id: format!("{split}-{digest}"), rows: rows.len() as i64 }])
    }
}

/// Publishes everything.
pub(crate) struct Publish;

impl StageDefinition for Publish {
    type Config = Nothing;
    const INFO: StageInfo = StageInfo {
        name: "publish",
        version: 1,
        summary: "publishes everything",
        grain: Grain::Dataset,
        reads: &[Read::required(TableInfo::of::<Bundle>())],
        writes: &[TableInfo::of::<Card>()],
        reads_counts: true,
        uses_seed: true,
    };

    fn run(_: &Nothing, context: &mut Context) -> Result<(), TaskError> {
        let card = serde_json::to_string(context.upstream_counts()).unwrap();
        let id = format!("toy-{}", &uavgen_core::fingerprint::digest(card.as_bytes())[..8]);
        let read = context.upstream_counts()["scan"].read() as i64;
        context.write_blob("README.md", card.as_bytes())?;
        context.publish_blob("README.md", "README.md")?;
        for part in context.parts::<Bundle>().to_vec() {
            for name in part.blobs.keys() {
                context.publish_input(name, &part, name)?;
            }
        }
        context.publish_as(&id);
        context.write([Card { id: "card".into(), read }])
    }
}

/// Packs the sequences of a bucket.
pub(crate) struct Sort;

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SortConfig {
    buckets: u32,
}

impl Default for SortConfig {
    fn default() -> Self {
        Self { buckets: 2 }
    }
}

impl StageDefinition for Sort {
    type Config = SortConfig;
    const INFO: StageInfo = StageInfo {
        name: "sort",
        version: 1,
        summary: "packs buckets",
        grain: Grain::Bucket,
        reads: &[Read::required(TableInfo::of::<Length>())],
        writes: &[TableInfo::of::<Pack>()],
        reads_counts: false,
        uses_seed: false,
    };

    fn buckets(config: &SortConfig) -> u32 {
        config.buckets
    }

    fn run(_: &SortConfig, context: &mut Context) -> Result<(), TaskError> {
        let bucket = context.partition().clone();
        assert!(context.parts::<Length>().iter().all(|part| part.partition.meets(&bucket)));
        let rows = context.read::<Length>()?.len() as i64;
        context.write([Pack { id: bucket.to_string(), rows }])
    }
}

/// Weighs what is packed, and looks at the sequences again.
pub(crate) struct Weigh;

impl StageDefinition for Weigh {
    type Config = Nothing;
    const INFO: StageInfo = StageInfo {
        name: "weigh",
        version: 1,
        summary: "weighs buckets",
        grain: Grain::Bucket,
        reads: &[Read::required(TableInfo::of::<Pack>()), Read::required(TableInfo::of::<Line>())],
        writes: &[TableInfo::of::<Weight>()],
        reads_counts: false,
        uses_seed: false,
    };

    fn run(_: &Nothing, context: &mut Context) -> Result<(), TaskError> {
        let packs = context.read::<Pack>()?;
        assert_eq!((packs.len(), packs[0].rows), (1, context.read::<Line>()?.len() as i64));
        context.write(packs.into_iter().map(|pack| Weight { id: pack.id, rows: pack.rows }))
    }
}

/// Adds up what is weighed in a split.
pub(crate) struct Add;

impl StageDefinition for Add {
    type Config = Nothing;
    const INFO: StageInfo = StageInfo {
        name: "add",
        version: 1,
        summary: "adds weights",
        grain: Grain::Split,
        reads: &[Read::required(TableInfo::of::<Weight>())],
        writes: &[TableInfo::of::<Bundle>()],
        reads_counts: false,
        uses_seed: false,
    };

    fn run(_: &Nothing, context: &mut Context) -> Result<(), TaskError> {
        let rows = context.read::<Weight>()?.iter().map(|weight| weight.rows).sum();
        let id = context.partition().to_string();
        context.write([Bundle { id, rows }])
    }
}

/// A second root, which finds nothing.
pub(crate) struct Paint;

impl StageDefinition for Paint {
    type Config = Nothing;
    const INFO: StageInfo = StageInfo {
        name: "paint",
        version: 1,
        summary: "knows colours",
        grain: Grain::Sequence,
        reads: &[],
        writes: &[TableInfo::of::<Colour>()],
        reads_counts: false,
        uses_seed: false,
    };

    fn discover(_: &Nothing, _: &Project) -> Option<Result<Discovery, ConfigError>> {
        Some(Ok(Discovery::default()))
    }

    fn run(_: &Nothing, context: &mut Context) -> Result<(), TaskError> {
        context.write([] as [Colour; 0])
    }
}

/// Needs lines and colours.
pub(crate) struct Blend;

impl StageDefinition for Blend {
    type Config = Nothing;
    const INFO: StageInfo = StageInfo {
        name: "blend",
        version: 1,
        summary: "colours lines",
        grain: Grain::Sequence,
        reads: &[Read::required(TableInfo::of::<Line>()), Read::required(TableInfo::of::<Colour>())],
        writes: &[],
        reads_counts: false,
        uses_seed: false,
    };

    fn run(_: &Nothing, _: &mut Context) -> Result<(), TaskError> {
        Ok(())
    }
}

pub(crate) static STAGES_WITH_BUCKETS: &[&dyn Stage] = &[&Scan, &Measure::<1, 1>, &Sort, &Weigh, &Add];
pub(crate) static STAGES_OF_TWO_ROOTS: &[&dyn Stage] = &[&Scan, &Paint, &Measure::<1, 1>, &Blend];
pub(crate) static STAGES: &[&dyn Stage] = &[&Scan, &Measure::<1, 1>, &Gather, &Publish];
pub(crate) static STAGES_WITH_NEW_MEASURE: &[&dyn Stage] = &[&Scan, &Measure::<2, 1>, &Gather, &Publish];
pub(crate) static STAGES_WITH_NEW_LIBRARY: &[&dyn Stage] = &[&Scan, &Measure::<1, 2>, &Gather, &Publish];
