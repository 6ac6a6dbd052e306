//! What sources hold, as the stages see it that look for work there.

use crate::config::template::{NewSource, buckets_for};
use crate::exit::Failure;
use crate::output::{counted, note};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use uavgen_core::{ConfigError, Partition, Project, SourceConfig, SplitConfig, SplitMode, Stage};
use uavgen_schemas::{Frame, Record as _};

/// Finds out what a folder holds, and tells.
pub(super) fn look_at(kind: &str, path: &Path, name: &str, registry: &[&dyn Stage]) -> anyhow::Result<NewSource> {
    let typed = path.display();
    let path = fs::canonicalize(path).map_err(|error| {
        let problem =
            if error.kind() == ErrorKind::NotFound { "there is no such folder".into() } else { error.to_string() };
        Failure::usage(format!("source {typed}: {problem}"))
    })?;
    if path.to_str().is_none() {
        return Err(Failure::usage(format!("source {}: the path is not UTF-8 text", path.display())).into());
    }
    let mut config: SourceConfig =
        serde_json::from_value(serde_json::json!({"name": name, "kind": kind, "path": path}))?;
    let found = match discover(vec![config.clone()], SplitConfig::default(), registry) {
        Ok((found, _)) => found,
        // How recordings are divided is for the config to say; here they are only counted.
        Err(error) if is_about_splits(&error) => {
            let anew = SplitConfig { mode: SplitMode::Regroup, ..SplitConfig::default() };
            let found = discover(vec![config.clone()], anew, registry);
            let (found, _) = found.map_err(|error| source_failure(&path, error))?;
            Found { splits: BTreeSet::new(), ..found }
        }
        Err(error) => return Err(source_failure(&path, error).into()),
    };
    note(format_args!("{name} ({}): {found}", config.kind));
    if found.videos == 0 && found.sequences == 0 && found.stills == 0 {
        return Err(Failure::usage(format!("source {typed}: nothing to build from was found")).into());
    }
    let has_stills = found.stills > 0;
    if has_stills {
        config.buckets = buckets_for(found.stills_by_split.values().copied().max().unwrap_or(0));
    }
    Ok(NewSource { config, has_stills, sequences: found.sequences })
}

/// Whether the config, and not the source, has to be changed: a leak group in two splits.
fn is_about_splits(error: &ConfigError) -> bool {
    error.path.first().is_some_and(|section| section == "split")
}

/// Notes on all sources together: one may take what another one leaves. False when the config must be edited first.
pub(super) fn note_what_planning_would_say(sources: &[NewSource], registry: &[&dyn Stage]) -> bool {
    let sources = sources.iter().map(|source| source.config.clone()).collect();
    match discover(sources, SplitConfig::default(), registry) {
        Ok((_, notes)) => {
            notes.iter().for_each(|line| note(format_args!("note: {line}")));
            true
        }
        Err(error) => {
            note(format_args!("note: {}", error.message));
            error.hint.iter().for_each(|hint| note(format_args!("  {hint}")));
            false
        }
    }
}

/// What the stages that look for work find in sources, and what they note.
fn discover(
    sources: Vec<SourceConfig>,
    split: SplitConfig,
    registry: &[&dyn Stage],
) -> Result<(Found, Vec<String>), ConfigError> {
    let (split_list, own_folders) = (BTreeMap::new(), Vec::new());
    let project = Project { name: String::new(), seed: 0, sources, split, split_list, own_folders };
    let (mut all, mut notes) = (Found::default(), Vec::new());
    for stage in registry {
        let stage = stage.configure(&serde_json::json!({}))?;
        let Some(discovery) = stage.discover(&project) else { continue };
        let discovery = discovery?;
        for one in &discovery.found {
            // A frame is an image; how many there are at most, the stage knows from what it has just seen. Those of a video
            // nobody has seen yet.
            let images = stage.estimate(&one.numbers).get(Frame::TABLE).copied().unwrap_or_default();
            all.add(&one.partition, images, one.numbers.get(VIDEOS).copied().unwrap_or_default());
        }
        notes.extend(discovery.notes);
    }
    Ok((all, notes))
}

/// What is wrong with a source; the path is said once.
fn source_failure(path: &Path, error: ConfigError) -> Failure {
    let ConfigError { message, hint, .. } = error;
    let path = path.display().to_string();
    let message = if message.contains(&path) { message } else { format!("source {path}: {message}") };
    Failure { hint, ..Failure::usage(message) }
}

/// Counts over sources.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    videos: u64,
    sequences: u64,
    sequence_images: u64,
    stills: u64,
    stills_by_split: BTreeMap<String, u64>,
    splits: BTreeSet<String>,
}

/// Scene name of partitions that hold stills.
const STILLS: &str = "stills";
/// Number that tells how many recordings of a task come from video files.
const VIDEOS: &str = "videos";

impl Found {
    fn add(&mut self, partition: &Partition, images: u64, videos: u64) {
        let Partition::Sequence { scene, split, .. } = partition else { return };
        self.splits.insert(split.clone());
        if scene == STILLS {
            self.stills += images;
            *self.stills_by_split.entry(split.clone()).or_default() += images;
        } else if videos > 0 {
            self.videos += videos;
        } else {
            self.sequences += 1;
            self.sequence_images += images;
        }
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if self.videos > 0 {
            parts.push(counted(self.videos, "video"));
        }
        if self.sequences > 0 {
            let images = counted(self.sequence_images, "image");
            parts.push(format!("{} with {images}", counted(self.sequences, "sequence")));
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

#[cfg(test)]
mod tests {
    use super::*;

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
    fn counts_tell_stills_from_sequences() {
        let mut found = Found::default();
        assert_eq!(found.to_string(), "nothing found");
        for (scene, split, images) in [(STILLS, "train", 2), (STILLS, "val", 1), ("uav1", "train", 2)] {
            let (scene, sequence, split) = (scene.to_owned(), format!("{scene}-{split}"), split.to_owned());
            found.add(&Partition::Sequence { source: "s".into(), scene, sequence, split }, images, 0);
        }
        assert_eq!(found.to_string(), "1 sequence with 2 images, 3 still images; split train, val");
        assert_eq!(found.stills_by_split["train"], 2);
    }

    #[test]
    fn images_are_counted_as_the_stages_count_them() {
        let folder = tempfile::tempdir().unwrap();
        let truth = uavgen_sample_data::write_sample(folder.path(), 7).unwrap();
        drop(truth);
        for (kind, expected) in [("visdrone-vid", "sequence"), ("visdrone-det", "still image")] {
            let source = serde_json::json!({"name": "s", "kind": kind, "path": folder.path()});
            let source = serde_json::from_value(source).unwrap();
            let (found, _) = discover(vec![source], SplitConfig::default(), uavgen_stages::STAGES).unwrap();
            assert!(found.to_string().contains(expected), "{found}");
            let images = images(folder.path(), kind.ends_with("det"));
            assert_eq!(found.stills + found.sequence_images, images, "{found}");
        }
    }

    /// Image files below a folder, of stills or of sequences.
    fn images(folder: &Path, of_stills: bool) -> u64 {
        let count = |path: std::path::PathBuf| match path.is_dir() {
            true => images(&path, of_stills),
            false => u64::from(
                path.extension().is_some_and(|extension| extension != "txt")
                    && path.to_string_lossy().contains("DET") == of_stills,
            ),
        };
        fs::read_dir(folder).unwrap().map(|entry| count(entry.unwrap().path())).sum()
    }
}
