//! `uavgen init`: looks at the sources, then writes a commented config.

mod found;

use crate::config::FILE_NAME;
use crate::config::template;
use crate::exit::{Exit, Failure};
use crate::output::{note, print};
use anyhow::Context as _;
use clap::Args;
use found::{look_at, note_what_planning_would_say};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

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
    /// Format and folder of a source; repeat for several. Formats: visdrone-vid, visdrone-mot,
    /// visdrone-det, video, frames, posed-mesh, opensfm, uavscenes
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
        looked_at.push(look_at(&argument.kind, &argument.path, &name, registry)?);
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
    fn relative_paths_go_up_and_down() {
        let seen = |path: &str, folder: &str| relative(Path::new(path), Path::new(folder));
        assert_eq!(seen("/a/b/c", "/a/d/e"), Path::new("../../b/c"));
        assert_eq!(seen("/a/b", "/a"), Path::new("b"));
        assert_eq!(seen("/a", "/a"), Path::new("."));
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
