//! `uavgen.toml`: found like cargo finds its manifest, read strictly.
//!
//! Two steps, so that messages can be good: [`document`] keeps the text and the place of every key; this module checks
//! each section against its type and turns the whole into a [`Config`]. A key that nothing reads is an error.

mod document;
mod sections;
mod split_list;
pub(crate) mod template;

pub(crate) use sections::{ProjectSection, RuntimeSection};

use crate::exit::Failure;
use document::Document;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use uavgen_core::config::{for_split, parse, unknown_key};
use uavgen_core::{ConfigError, Project, SourceConfig, SplitConfig, SplitMode, Stage};

/// Name of the config file.
pub(crate) const FILE_NAME: &str = "uavgen.toml";

/// A config that has been checked.
#[derive(Debug)]
pub(crate) struct Config {
    /// The file.
    pub(crate) file: PathBuf,
    /// Its folder, absolute: paths in the config are relative to it.
    pub(crate) root: PathBuf,
    /// Sources, split, seed.
    pub(crate) project: Project,
    /// How the work is done; paths are absolute.
    pub(crate) runtime: RuntimeSection,
    /// Section of each stage, with its overlays in `split`; an object, empty where the file has no such section.
    pub(crate) stages: BTreeMap<String, Value>,
    document: Document,
}

/// The config file to use: the one given, or the nearest one in the current folder or above.
///
/// # Errors
/// When there is none.
pub(crate) fn find(given: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(given) = given {
        let file = if given.is_dir() { given.join(FILE_NAME) } else { given.to_owned() };
        if file.is_file() {
            return Ok(file);
        }
        return Err(Failure::usage(format!("no config file {}", file.display())).into());
    }
    let here = std::env::current_dir()?;
    match here.ancestors().map(|folder| folder.join(FILE_NAME)).find(|file| file.is_file()) {
        Some(file) => Ok(file),
        None => Err(Failure::usage(format!("no {FILE_NAME} in {} or above", here.display()))
            .with_hint("make one with `uavgen init DIR --source visdrone-vid=PATH`, or name one with `--config`")
            .into()),
    }
}

impl Config {
    /// Reads and checks a config file.
    ///
    /// # Errors
    /// The first thing in it that cannot be used, with its line.
    pub(crate) fn load(file: &Path, registry: &[&dyn Stage]) -> anyhow::Result<Self> {
        let text = std::fs::read(file)
            .map_err(|error| Failure::usage(format!("failed to read {}: {error}", file.display())))?;
        let text =
            String::from_utf8(text).map_err(|_| Failure::usage(format!("{} is not UTF-8 text", file.display())))?;
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let root = std::fs::canonicalize(folder)?;
        Ok(Self::from_text(file, root, text, registry)?)
    }

    fn from_text(file: &Path, root: PathBuf, text: String, registry: &[&dyn Stage]) -> Result<Self, Failure> {
        // A byte order mark, as some editors write it, is no part of the text.
        let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
        let document = Document::parse(file, text)?;
        let sections = read_sections(&document, registry)
            .map_err(|fault| document.failure(&fault.error, fault.split.as_deref()))?;
        let Sections { project, mut sources, split, mut runtime, stages } = sections;
        for source in &mut sources {
            source.path = root.join(&source.path);
        }
        for path in [&mut runtime.store, &mut runtime.releases, &mut runtime.runs] {
            *path = root.join(&*path);
        }
        let split_list = match (&split.mode, &split.list) {
            (SplitMode::List, Some(list)) => split_list::read(&root.join(list))?,
            _ => BTreeMap::new(),
        };
        let own_folders =
            vec![runtime.store.clone(), runtime.releases.clone(), runtime.runs.clone(), root.join("previews")];
        let project = Project { name: project.name, seed: project.seed, sources, split, split_list, own_folders };
        Ok(Self { file: file.to_owned(), root, project, runtime, stages, document })
    }

    /// An error that was found later, with the line that it stands on. The path starts at the root of the file.
    pub(crate) fn failure(&self, error: &ConfigError) -> Failure {
        self.document.failure(error, None)
    }
}

/// The typed sections, before paths are made absolute.
struct Sections {
    project: ProjectSection,
    sources: Vec<SourceConfig>,
    split: SplitConfig,
    runtime: RuntimeSection,
    stages: BTreeMap<String, Value>,
}

/// An error and the split in whose overlay it may stand.
struct Fault {
    error: ConfigError,
    split: Option<String>,
}

impl From<ConfigError> for Fault {
    fn from(error: ConfigError) -> Self {
        Self { error, split: None }
    }
}

fn read_sections(document: &Document, registry: &[&dyn Stage]) -> Result<Sections, Fault> {
    let known: Vec<&str> = ["project", "source", "split", "runtime"]
        .into_iter()
        .chain(registry.iter().map(|stage| stage.info().name))
        .collect();
    if let Some(unknown) = document.sections().find(|name| !known.contains(name)) {
        return Err(unknown_key(unknown, known.into_iter()).into());
    }
    let project: ProjectSection = read_section(document, "project")?;
    let sources = read_sources(document, &project)?;
    let split = read_split(document)?;
    let runtime: RuntimeSection = read_section(document, "runtime")?;
    if !(0.0..=1.0).contains(&runtime.max_bad_share) {
        return Err(ConfigError::new(&["runtime", "max_bad_share"], "must be a share from 0 to 1").into());
    }
    let mut stages = BTreeMap::new();
    for stage in registry {
        let name = stage.info().name;
        let section = document.section(name).cloned().unwrap_or_else(|| Value::Object(Map::new()));
        check_stage(*stage, &section)?;
        stages.insert(name.to_owned(), section);
    }
    Ok(Sections { project, sources, split, runtime, stages })
}

fn read_section<T: serde::de::DeserializeOwned + schemars::JsonSchema>(
    document: &Document,
    name: &str,
) -> Result<T, ConfigError> {
    let empty = Value::Object(Map::new());
    parse(document.section(name).unwrap_or(&empty)).map_err(|error| error.under(name))
}

fn read_sources(document: &Document, project: &ProjectSection) -> Result<Vec<SourceConfig>, ConfigError> {
    let Some(list) = document.section("source") else {
        return Err(ConfigError::new(&["source"], "there is no source").with_hint(SOURCE_HINT));
    };
    let Value::Array(list) = list else {
        return Err(
            ConfigError::new(&["source"], "must be a list").with_hint("write `[[source]]` with double brackets")
        );
    };
    let mut sources: Vec<SourceConfig> = Vec::new();
    for (position, entry) in list.iter().enumerate() {
        let position = position.to_string();
        let mut entry = entry.clone();
        if let Some(entry) = entry.as_object_mut() {
            entry.entry("licence").or_insert_with(|| Value::from(project.licence.as_str()));
        }
        let under = |error: ConfigError| error.under(&position).under("source");
        let source: SourceConfig = parse(&entry).map_err(under)?;
        check_source(&source, &sources).map_err(under)?;
        sources.push(source);
    }
    Ok(sources)
}

const SOURCE_HINT: &str = "add one:\n  [[source]]\n  name = \"vid\"\n  kind = \"visdrone-vid\"\n  path = \"PATH\"";

fn check_source(source: &SourceConfig, before: &[SourceConfig]) -> Result<(), ConfigError> {
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
    if source.name.is_empty() || !source.name.chars().all(plain) {
        return Err(ConfigError::new(&["name"], "may hold letters, digits, `-` and `_` only"));
    }
    // Names become folders, and some file systems fold case.
    if before.iter().any(|other| other.name.eq_ignore_ascii_case(&source.name)) {
        return Err(ConfigError::new(&["name"], format!("two sources are called `{}`", source.name)));
    }
    if source.fps.is_some_and(|fps| !fps.is_finite() || fps <= 0.0) {
        return Err(ConfigError::new(&["fps"], "must be above 0").with_hint("leave it out when you do not know it"));
    }
    if source.buckets == 0 {
        return Err(ConfigError::new(&["buckets"], "must be 1 or more"));
    }
    Ok(())
}

fn read_split(document: &Document) -> Result<SplitConfig, ConfigError> {
    let split: SplitConfig = read_section(document, "split")?;
    let sum: f64 = split.ratios.values().sum();
    if split.ratios.values().any(|share| !(0.0..=1.0).contains(share)) || (sum - 1.0).abs() > 1e-6 {
        return Err(ConfigError::new(
            &["split", "ratios"],
            format!("shares must lie from 0 to 1 and add up to 1, not {sum}"),
        ));
    }
    match (split.mode, &split.list) {
        (SplitMode::List, None) => Err(ConfigError::new(&["split", "mode"], "mode `list` needs a file")
            .with_hint("add `list = \"FILE\"` with lines `group_or_recording,split`")),
        (SplitMode::Source | SplitMode::Regroup, Some(_)) => {
            Err(ConfigError::new(&["split", "list"], "is read in mode `list` only").with_hint("set `mode = \"list\"`"))
        }
        _ => Ok(split),
    }
}

/// Checks a stage's section as it holds without a split and under each overlay.
fn check_stage(stage: &dyn Stage, section: &Value) -> Result<(), Fault> {
    let name = stage.info().name;
    if !section.is_object() {
        return Err(ConfigError::new(&[name], "must be a section").with_hint(format!("write `[{name}]`")).into());
    }
    stage.configure(&for_split(section, None)).map_err(|error| error.under(name))?;
    let Some(overlays) = section.get("split") else { return Ok(()) };
    let Some(overlays) = overlays.as_object().filter(|overlays| overlays.values().all(Value::is_object)) else {
        let error = ConfigError::new(&[name, "split"], "must hold one table per split");
        return Err(error.with_hint(format!("write `[{name}.split.val]`")).into());
    };
    for split in overlays.keys().collect::<BTreeSet<_>>() {
        let configured = stage.configure(&for_split(section, Some(split)));
        configured.map_err(|error| Fault { error: error.under(name), split: Some(split.clone()) })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
