//! `uavgen init`: looks at the sources, then writes a commented config.

use crate::config::FILE_NAME;
use crate::config::template::{self, NewSource};
use crate::exit::{Exit, Failure};
use crate::output::{counted, note, print};
use anyhow::Context as _;
use clap::Args;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;
use uavgen_core::{ConfigError, Discovery, Partition, Project, SourceConfig, SplitConfig, SplitMode, Stage};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  uavgen init drones --source visdrone-vid=../VisDrone2019-VID-train
  uavgen init . --name \"Town traffic\" --source visdrone-det=/data/DET-train \\
      --source visdrone-det=/data/DET-val

Each source is looked at first: a folder that is not what you say it is is an error that says what it looks like.
Nothing is overwritten.")]
pub(crate) struct InitArguments {
    /// Folder of the project; created when missing
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// Format and folder of a source; repeat for several. Formats: visdrone-vid, visdrone-mot, visdrone-det
    #[arg(long, value_name = "KIND=PATH", required = true)]
    source: Vec<SourceArgument>,
    /// Title of the data set; default: the name of DIR
    #[arg(long)]
    name: Option<String>,
}

/// `KIND=PATH` as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SourceArgument {
    kind: String,
    path: PathBuf,
}

impl FromStr for SourceArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, path) =
            text.split_once('=').ok_or("write KIND=PATH, e.g. visdrone-vid=../VisDrone2019-VID-train")?;
        if kind.is_empty() || path.is_empty() {
            return Err("KIND and PATH must not be empty".into());
        }
        // Shells leave a tilde behind `=` alone.
        let path = match (path.strip_prefix("~/"), std::env::home_dir()) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => PathBuf::from(path),
        };
        Ok(Self { kind: kind.into(), path })
    }
}

pub(crate) fn run(arguments: &InitArguments) -> anyhow::Result<Exit> {
    let folder = &arguments.folder;
    let file = folder.join(FILE_NAME);
    if file.exists() {
        return Err(already_there(&file).into());
    }
    let registry = uavgen_stages::STAGES;
    let mut looked_at = Vec::new();
    for (argument, name) in arguments.source.iter().zip(source_names(&arguments.source)) {
        looked_at.push(look_at(argument, &name, registry)?);
    }
    let is_divided = note_what_planning_would_say(&looked_at, registry);
    fs::create_dir_all(folder).with_context(|| format!("failed to create {}", folder.display()))?;
    let mut sources = Vec::new();
    for (argument, mut source) in arguments.source.iter().zip(looked_at) {
        source.config.path = from_folder(&argument.path, folder)?;
        sources.push(source);
    }
    let name = match &arguments.name {
        Some(name) => name.clone(),
        None => folder_name(folder)?,
    };
    create(&file, &template::render(&name, &sources, registry))?;
    ignore_results(folder)?;
    print(format_args!("wrote {}", file.display()))?;
    let enter = if folder == Path::new(".") { String::new() } else { format!("cd {} && ", quoted(folder)) };
    match is_divided {
        true => note(format_args!("next: {enter}uavgen plan")),
        false => {
            note(format_args!("next: choose in [split] of {} as said above, then {enter}uavgen plan", file.display()))
        }
    }
    Ok(Exit::Done)
}

fn already_there(file: &Path) -> Failure {
    Failure::usage(format!("{} is already there", file.display()))
        .with_hint("edit it (`[[source]]` adds a source), or name another folder; nothing was changed")
}

/// A short name per source, from its kind: `vid`, `det`, `det-2`.
fn source_names(sources: &[SourceArgument]) -> Vec<String> {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    let names = sources.iter().map(|source| {
        let stem = source.kind.rsplit('-').next().filter(|stem| !stem.is_empty()).unwrap_or("source");
        let number = count.entry(stem).or_default();
        *number += 1;
        if *number == 1 { stem.to_owned() } else { format!("{stem}-{number}") }
    });
    names.collect()
}

/// Finds out what a folder holds, and tells.
fn look_at(argument: &SourceArgument, name: &str, registry: &[&dyn Stage]) -> anyhow::Result<NewSource> {
    let path = fs::canonicalize(&argument.path).map_err(|error| {
        let problem =
            if error.kind() == ErrorKind::NotFound { "there is no such folder".into() } else { error.to_string() };
        Failure::usage(format!("source {}: {problem}", argument.path.display()))
    })?;
    if path.to_str().is_none() {
        return Err(Failure::usage(format!("source {}: the path is not UTF-8 text", path.display())).into());
    }
    let text = serde_json::json!({"name": name, "kind": argument.kind, "path": path});
    let mut config: SourceConfig = serde_json::from_value(text)?;
    let found = match discover(vec![config.clone()], SplitConfig::default(), registry) {
        Ok(discovery) => Found::from(&discovery),
        // How recordings are divided is for the config to say; here they are only counted.
        Err(error) if is_about_splits(&error) => {
            let anew = SplitConfig { mode: SplitMode::Regroup, ..SplitConfig::default() };
            let discovery = discover(vec![config.clone()], anew, registry);
            let found = Found::from(&discovery.map_err(|error| source_failure(&path, error))?);
            Found { splits: BTreeSet::new(), ..found }
        }
        Err(error) => return Err(source_failure(&path, error).into()),
    };
    note(format_args!("{name} ({}): {found}", config.kind));
    if found.sequences == 0 && found.stills == 0 {
        return Err(
            Failure::usage(format!("source {}: nothing to build from was found", argument.path.display())).into()
        );
    }
    let has_stills = found.stills > 0;
    if has_stills {
        config.buckets = buckets_for(found.most_stills_of_a_split());
    }
    Ok(NewSource { config, has_stills })
}

/// Whether the config, and not the source, has to be changed: a leak group in two splits.
fn is_about_splits(error: &ConfigError) -> bool {
    error.path.first().is_some_and(|section| section == "split")
}

/// Notes on all sources together: one may take what another one leaves. False when the config must be edited first.
fn note_what_planning_would_say(sources: &[NewSource], registry: &[&dyn Stage]) -> bool {
    let sources = sources.iter().map(|source| source.config.clone()).collect();
    match discover(sources, SplitConfig::default(), registry) {
        Ok(discovery) => {
            discovery.notes.iter().for_each(|line| note(format_args!("note: {line}")));
            true
        }
        Err(error) => {
            note(format_args!("note: {}", error.message));
            error.hint.iter().for_each(|hint| note(format_args!("  {hint}")));
            false
        }
    }
}

/// What the stages that look for work find in sources.
fn discover(sources: Vec<SourceConfig>, split: SplitConfig, registry: &[&dyn Stage]) -> Result<Discovery, ConfigError> {
    let project = Project { name: String::new(), seed: 0, sources, split, split_list: BTreeMap::new() };
    let mut all = Discovery::default();
    for stage in registry {
        if let Some(found) = stage.configure(&serde_json::json!({}))?.discover(&project) {
            let found = found?;
            all.found.extend(found.found);
            all.notes.extend(found.notes);
        }
    }
    Ok(all)
}

/// What is wrong with a source; the path is said once.
fn source_failure(path: &Path, error: ConfigError) -> Failure {
    let ConfigError { message, hint, .. } = error;
    let path = path.display().to_string();
    let message = if message.contains(&path) { message } else { format!("source {path}: {message}") };
    Failure { hint, ..Failure::usage(message) }
}

/// Counts over a source.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    sequences: u64,
    sequence_images: u64,
    stills: u64,
    stills_by_split: BTreeMap<String, u64>,
    splits: BTreeSet<String>,
}

/// Scene name of partitions that hold stills.
const STILLS: &str = "stills";

impl From<&Discovery> for Found {
    fn from(discovery: &Discovery) -> Self {
        let mut found = Self::default();
        for discovered in &discovery.found {
            let Partition::Sequence { scene, split, .. } = &discovered.partition else { continue };
            let images = discovered.files.iter().filter(|file| is_image(file)).count() as u64;
            found.splits.insert(split.clone());
            if scene == STILLS {
                found.stills += images;
                *found.stills_by_split.entry(split.clone()).or_default() += images;
            } else {
                found.sequences += 1;
                found.sequence_images += images;
            }
        }
        found
    }
}

impl Found {
    fn most_stills_of_a_split(&self) -> u64 {
        self.stills_by_split.values().copied().max().unwrap_or(0)
    }
}

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut parts = Vec::new();
        if self.sequences > 0 {
            parts.push(format!(
                "{} with {}",
                counted(self.sequences, "sequence"),
                counted(self.sequence_images, "image")
            ));
        }
        if self.stills > 0 {
            parts.push(counted(self.stills, "still image"));
        }
        if parts.is_empty() {
            return f.write_str("nothing found");
        }
        let splits: Vec<&str> = self.splits.iter().map(String::as_str).collect();
        f.write_str(&parts.join(", "))?;
        if splits.is_empty() { Ok(()) } else { write!(f, "; split {}", splits.join(", ")) }
    }
}

fn is_image(file: &str) -> bool {
    let extension = file.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    ["jpg", "jpeg", "png"].contains(&extension.as_str())
}

/// Buckets for so many stills: a power of two with about 64 in each, so that one more image dirties little.
fn buckets_for(stills: u64) -> u32 {
    const STILLS_PER_BUCKET: u64 = 64;
    u32::try_from(stills.div_ceil(STILLS_PER_BUCKET).max(1).next_power_of_two()).unwrap_or(1 << 16)
}

/// The path as the config in `folder` must say it: absolute ones stay, others become relative to the folder.
fn from_folder(path: &Path, folder: &Path) -> anyhow::Result<PathBuf> {
    if path.is_absolute() {
        return Ok(path.to_owned());
    }
    Ok(relative(&fs::canonicalize(path)?, &fs::canonicalize(folder)?))
}

/// `path` seen from `folder`, both absolute and without links.
fn relative(path: &Path, folder: &Path) -> PathBuf {
    let shared = path.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    let result: PathBuf = up.chain(path.components().skip(shared)).collect();
    if result.as_os_str().is_empty() { PathBuf::from(".") } else { result }
}

fn folder_name(folder: &Path) -> anyhow::Result<String> {
    let absolute = fs::canonicalize(folder)?;
    Ok(absolute.file_name().map_or("dataset".into(), |name| name.to_string_lossy().into_owned()))
}

/// Creates a file that must not be there.
fn create(file: &Path, text: &str) -> anyhow::Result<()> {
    match File::create_new(file).and_then(|mut created| created.write_all(text.as_bytes())) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(already_there(file).into()),
        outcome => outcome.with_context(|| format!("failed to write {}", file.display())),
    }
}

const IGNORED: &str = "/store/\n/runs/\n/releases/\n/previews/\n";

/// Keeps results out of version control.
fn ignore_results(folder: &Path) -> anyhow::Result<()> {
    let file = folder.join(".gitignore");
    match fs::read_to_string(&file) {
        Err(error) if error.kind() == ErrorKind::NotFound => create(&file, IGNORED),
        Err(error) => Err(error).with_context(|| format!("failed to read {}", file.display())),
        Ok(text) => {
            let missing: Vec<&str> =
                IGNORED.lines().filter(|line| !text.lines().any(|there| there.trim() == *line)).collect();
            if !missing.is_empty() {
                note(format_args!("note: {} is kept as it is; add {}", file.display(), missing.join(" ")));
            }
            Ok(())
        }
    }
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |character: char| character.is_alphanumeric() || "/._-~".contains(character);
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uavgen_core::Discovered;

    #[test]
    fn arguments_are_kind_and_path() {
        let argument: SourceArgument = "visdrone-vid=a=b".parse().unwrap();
        assert_eq!((argument.kind.as_str(), argument.path.as_path()), ("visdrone-vid", Path::new("a=b")));
        assert!("visdrone-vid".parse::<SourceArgument>().unwrap_err().contains("KIND=PATH"));
        assert!("=x".parse::<SourceArgument>().is_err());
    }

    #[test]
    fn names_are_short_and_distinct() {
        let argument = |kind: &str| SourceArgument { kind: kind.into(), path: "x".into() };
        let names = source_names(&[argument("visdrone-det"), argument("visdrone-vid"), argument("visdrone-det")]);
        assert_eq!(names, ["det", "vid", "det-2"]);
    }

    #[test]
    fn the_path_of_a_source_is_said_once() {
        let message = |text: &str| source_failure(Path::new("/a"), ConfigError::new(&["source"], text)).message;
        assert_eq!(message("/a is no visdrone-vid"), "/a is no visdrone-vid");
        assert_eq!(message("there is no kind `x`"), "source /a: there is no kind `x`");
    }

    #[test]
    fn buckets_are_powers_of_two_of_about_64() {
        assert_eq!([0, 1, 64, 65, 128, 129, 6471].map(buckets_for), [1, 1, 1, 2, 2, 4, 128]);
    }

    #[test]
    fn relative_paths_go_up_and_down() {
        let seen = |path: &str, folder: &str| relative(Path::new(path), Path::new(folder));
        assert_eq!(seen("/a/b/c", "/a/d/e"), Path::new("../../b/c"));
        assert_eq!(seen("/a/b", "/a"), Path::new("b"));
        assert_eq!(seen("/a", "/a"), Path::new("."));
    }

    #[test]
    fn counts_tell_stills_from_sequences() {
        let found = |scene: &str, split: &str, files: &[&str]| Discovered {
            partition: Partition::Sequence {
                source: "s".into(),
                scene: scene.into(),
                sequence: format!("{scene}{split}"),
                split: split.into(),
            },
            files: files.iter().map(|&file| file.to_owned()).collect(),
            options: BTreeMap::new(),
            numbers: BTreeMap::new(),
        };
        let discovery = Discovery {
            found: vec![
                found(STILLS, "train", &["a.JPG", "b.png", "a.txt"]),
                found(STILLS, "val", &["c.jpeg"]),
                found("uav1", "train", &["1.jpg", "2.jpg"]),
            ],
            notes: vec![],
        };
        let found = Found::from(&discovery);
        assert_eq!(found.to_string(), "1 sequence with 2 images, 3 still images; split train, val");
        assert_eq!(found.most_stills_of_a_split(), 2);
        assert_eq!(Found::default().to_string(), "nothing found");
    }

    #[test]
    fn results_are_kept_out_of_version_control_without_overwriting() {
        let folder = tempfile::tempdir().unwrap();
        ignore_results(folder.path()).unwrap();
        let file = folder.path().join(".gitignore");
        assert_eq!(fs::read_to_string(&file).unwrap(), IGNORED);
        fs::write(&file, "mine\n").unwrap();
        ignore_results(folder.path()).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "mine\n");
        assert!(create(&file, "x").is_err());
    }

    #[test]
    fn paths_are_quoted_for_shells() {
        assert_eq!(quoted(Path::new("a/b-c")), "a/b-c");
        assert_eq!(quoted(Path::new("it's here")), "'it'\\''s here'");
    }
}
