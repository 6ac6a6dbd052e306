//! What a stage is.

use crate::{ConfigError, Context, Partition, Project, TaskError, config};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use uavgen_schemas::TableInfo;

/// What one task of a stage covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Grain {
    /// One recording, or one bucket of stills.
    Sequence,
    /// The recordings of a split whose hash falls into one of so many buckets.
    Bucket,
    /// All recordings of a split.
    Split,
    /// Everything.
    Dataset,
}

/// A table that a stage reads.
#[derive(Debug, Clone, Copy)]
pub struct Read {
    /// Table.
    pub table: TableInfo,
    /// Whether a task may run where there is no task that writes it: no stage does, or the stage that does has none for
    /// the partition. The table then has no rows. A task that writes it and failed is waited for like any other, and a
    /// stage that is switched off in the config writes 0 rows.
    pub optional: bool,
}

impl Read {
    /// A table that must be there.
    pub const fn required(table: TableInfo) -> Self {
        Self { table, optional: false }
    }

    /// A table that may have no task that writes it; the field of that name says what follows.
    pub const fn optional(table: TableInfo) -> Self {
        Self { table, optional: true }
    }
}

/// The facts about a stage that need no config.
#[derive(Debug)]
pub struct StageInfo {
    /// Name: folder, config section, `--stage` value.
    pub name: &'static str,
    /// Raised whenever the same inputs give other bytes.
    pub version: u32,
    /// First line of the stage's README.
    pub summary: &'static str,
    /// What one task covers.
    pub grain: Grain,
    /// Tables read. A stage depends on the stages that write them; edges are written nowhere else.
    pub reads: &'static [Read],
    /// Tables written, besides the stage's own `rejects`.
    pub writes: &'static [TableInfo],
    /// Whether it reports on all stages before it and so depends on their counts.
    pub reads_counts: bool,
    /// Whether it draws with the project's seed: only then a new seed makes it run again.
    pub uses_seed: bool,
}

/// A piece of work that a root stage found in its sources.
#[derive(Debug, Clone, PartialEq)]
pub struct Discovered {
    /// Partition.
    pub partition: Partition,
    /// Files that the task may read, as paths relative to the source's root, `/`-separated, sorted.
    pub files: Vec<String>,
    /// What else the task's output depends on, by name (options of the source): enters the fingerprint as it is.
    pub options: BTreeMap<String, Value>,
    /// Numbers by name for [`StageDefinition::estimate`], beside `source_files`; never part of the fingerprint.
    pub numbers: BTreeMap<String, u64>,
}

/// Everything that a root stage found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Discovery {
    /// Work, sorted by partition.
    pub found: Vec<Discovered>,
    /// What a person should know before the build (an empty split, a folder that was skipped), a line each.
    pub notes: Vec<String>,
}

/// A stage as its author writes it. [`Stage`] follows for everything that implements this.
pub trait StageDefinition: Send + Sync + 'static {
    /// Config section; its default is the section left out.
    type Config: DeserializeOwned + Serialize + JsonSchema + Default + Send + Sync;

    /// The facts about it.
    const INFO: StageInfo;

    /// Checks values that types cannot (ranges, shares that must add up).
    ///
    /// # Errors
    /// The first value that cannot be used.
    fn validate(config: &Self::Config) -> Result<(), ConfigError> {
        let _ = config;
        Ok(())
    }

    /// Looks for work. Only stages that read no table implement it; `None` means: work on what upstream worked on.
    ///
    /// # Errors
    /// A source that is not what the config says.
    fn discover(config: &Self::Config, project: &Project) -> Option<Result<Discovery, ConfigError>> {
        let _ = (config, project);
        None
    }

    /// Number of buckets into which a split falls, for a stage of that grain; where one upstream has buckets already, its
    /// own are taken. The same number for ever: another one moves recordings between them.
    fn buckets(config: &Self::Config) -> u32 {
        let _ = config;
        1
    }

    /// Digests (or versions) of inputs that are no tables: templates, library builds.
    fn externals(config: &Self::Config) -> BTreeMap<String, String> {
        let _ = config;
        BTreeMap::new()
    }

    /// Rows that one partition may write at most, from the rows that it reads (for a root stage `source_files` and
    /// [`Discovered::numbers`]).
    fn estimate(config: &Self::Config, rows: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
        let _ = (config, rows);
        BTreeMap::new()
    }

    /// Does one task.
    ///
    /// # Errors
    /// Only when the partition gives no result at all; a bad record is a reject.
    fn run(config: &Self::Config, context: &mut Context) -> Result<(), TaskError>;
}

/// A stage as the engine sees it.
pub trait Stage: Send + Sync {
    /// The facts about it.
    fn info(&self) -> &'static StageInfo;

    /// JSON Schema of its config section.
    fn config_schema(&self) -> Value;

    /// The section with every default filled in.
    fn default_config(&self) -> Value;

    /// Reads its section.
    ///
    /// # Errors
    /// An unknown key or a value that cannot be used, with the path to it below the section.
    fn configure(&self, section: &Value) -> Result<Box<dyn ConfiguredStage>, ConfigError>;
}

/// A stage that knows its config.
pub trait ConfiguredStage: Send + Sync {
    /// The effective config, defaults filled in: all of it enters the fingerprint.
    fn config(&self) -> &Value;

    /// See [`StageDefinition::discover`].
    ///
    /// # Errors
    /// A source that is not what the config says.
    fn discover(&self, project: &Project) -> Option<Result<Discovery, ConfigError>>;

    /// See [`StageDefinition::buckets`].
    fn buckets(&self) -> u32;

    /// See [`StageDefinition::externals`].
    fn externals(&self) -> BTreeMap<String, String>;

    /// See [`StageDefinition::estimate`].
    fn estimate(&self, rows: &BTreeMap<String, u64>) -> BTreeMap<String, u64>;

    /// Does one task.
    ///
    /// # Errors
    /// See [`StageDefinition::run`].
    fn run(&self, context: &mut Context) -> Result<(), TaskError>;
}

impl<T: StageDefinition> Stage for T {
    fn info(&self) -> &'static StageInfo {
        const { &T::INFO }
    }

    fn config_schema(&self) -> Value {
        uavgen_schemas::json_schema::<T::Config>()
    }

    fn default_config(&self) -> Value {
        effective(&T::Config::default())
    }

    fn configure(&self, section: &Value) -> Result<Box<dyn ConfiguredStage>, ConfigError> {
        let config = config::parse::<T::Config>(section)?;
        T::validate(&config)?;
        Ok(Box::new(Configured::<T> { effective: effective(&config), config }))
    }
}

struct Configured<T: StageDefinition> {
    config: T::Config,
    effective: Value,
}

fn effective<C: Serialize>(config: &C) -> Value {
    serde_json::to_value(config).unwrap_or_else(|error| panic!("a config must serialise: {error}"))
}

impl<T: StageDefinition> ConfiguredStage for Configured<T> {
    fn config(&self) -> &Value {
        &self.effective
    }

    fn discover(&self, project: &Project) -> Option<Result<Discovery, ConfigError>> {
        T::discover(&self.config, project)
    }

    fn buckets(&self) -> u32 {
        T::buckets(&self.config)
    }

    fn externals(&self) -> BTreeMap<String, String> {
        T::externals(&self.config)
    }

    fn estimate(&self, rows: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
        T::estimate(&self.config, rows)
    }

    fn run(&self, context: &mut Context) -> Result<(), TaskError> {
        T::run(&self.config, context)
    }
}
