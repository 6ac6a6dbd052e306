//! Videos and folders of frames, which may lie anywhere below the source's folder.

use super::super::super::pure::splits::{self, Member};
use super::super::super::sources::{Layout, SourceKind, video};
use super::super::is_image;
use super::super::layout::{self, Listing, MOST_LEVELS};
use super::super::tasks::Unit;
use super::{Survey, stated_split, unreadable};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use uavgen_core::project::GroupBy;
use uavgen_core::{ConfigError, Project, SourceConfig, SplitMode};

/// A folder and what is in it.
pub(super) struct Folder {
    /// Path relative to the source's root, `/`-separated; empty for the root itself.
    pub(super) path: String,
    pub(super) listing: Listing,
}

/// A recording before it has a split.
#[derive(Clone)]
struct Found {
    /// Path below the root, by which it is called.
    name: String,
    /// Folder that it lies in, relative to the root.
    folder: String,
    /// Its images, or its video.
    images: Vec<String>,
    telemetry: Vec<String>,
}

impl Found {
    /// Path of its video, or of its first image, relative to the root.
    fn file(&self) -> &str {
        self.images.first().map_or("", String::as_str)
    }
}

impl Survey {
    /// Adds the recordings of a source of videos or folders of frames.
    pub(super) fn add_plain(
        &mut self,
        position: usize,
        source: &SourceConfig,
        kind: SourceKind,
        project: &Project,
    ) -> Result<(), ConfigError> {
        let found = self.recordings_of(source, kind, project)?;
        if found.is_empty() {
            let path = source.path.display();
            let message = match source.path.is_dir() {
                true => format!("there is no {} in {path}", if is_video(kind) { "video" } else { "image" }),
                false => format!("{path} is no folder, it looks like {}", layout::looks_like(&source.path)),
            };
            return Err(ConfigError::new(&["path"], message).with_hint(layout::expected(kind)));
        }
        let mut without_split = BTreeSet::new();
        for recording in found {
            let split = stated_split(&recording.folder, source).unwrap_or_else(|| {
                without_split.insert(recording.folder.clone());
                "train".into()
            });
            let own_group = own_group(source, kind, &recording);
            let member = Member {
                source: source.name.clone(),
                group: splits::aliased(&own_group, &project.split.aliases)?,
                own_group,
                name: recording.name,
                source_split: split,
                has_images: true,
            };
            self.members.push(member);
            let (images, annotations) = (recording.images, recording.telemetry);
            self.units.push(Unit { source: position, kind, images, annotations });
        }
        if !without_split.is_empty() && project.split.mode == SplitMode::Source {
            let names: Vec<String> = without_split.iter().map(|folder| shown(folder).to_owned()).collect();
            let note = "name no split and count as train; set `split` of the source to change that";
            self.notes.push(format!(
                "source `{}`: {} of its folders {note}: {}",
                source.name,
                names.len(),
                splits::listed(&names)
            ));
        }
        Ok(())
    }

    fn recordings_of(
        &mut self,
        source: &SourceConfig,
        kind: SourceKind,
        project: &Project,
    ) -> Result<Vec<Found>, ConfigError> {
        if !source.path.exists() {
            let message = format!("{} does not exist", source.path.display());
            return Err(ConfigError::new(&["path"], message).with_hint("check the path"));
        }
        let mut found: Vec<Found> = Vec::new();
        for folder in folders(source, project).map_err(|error| unreadable(&source.path, &error))? {
            self.note_skipped(source, &folder.path, "cannot be read", &folder.listing.unusable);
            let files: Vec<&str> = match only_file(source) {
                Some(name) => folder.listing.files().filter(|file| is_of(file, name)).collect(),
                None => folder.listing.files().collect(),
            };
            match is_video(kind) {
                true => found.extend(self.videos(source, &folder, &files)),
                false => found.extend(self.frames(source, &folder, &files)?),
            }
        }
        if is_video(kind) { self.without_links(source, found) } else { Ok(found) }
    }

    /// Leaves out links to videos that the source has elsewhere: the file itself is taken, or the first of its links.
    fn without_links(&mut self, source: &SourceConfig, found: Vec<Found>) -> Result<Vec<Found>, ConfigError> {
        let real = |path: &Path| path.canonicalize().map_err(|error| unreadable(path, &error));
        let root = real(source.root())?;
        let mut paths = Vec::new();
        for recording in &found {
            paths.push(real(&source.root().join(recording.file()))?);
        }
        let mut taken: BTreeMap<&Path, usize> = BTreeMap::new();
        let is_link = |place: usize| root.join(found[place].file()) != paths[place];
        for (place, path) in paths.iter().enumerate() {
            let first = taken.entry(path).or_insert(place);
            if is_link(*first) && !is_link(place) {
                *first = place;
            }
        }
        let mut kept = Vec::new();
        for (place, (recording, path)) in found.iter().zip(&paths).enumerate() {
            let first = taken[path.as_path()];
            if first == place {
                self.read_path_once(path, source)?;
                kept.push(recording.clone());
            } else {
                let (file, first) = (recording.file(), found[first].file());
                self.notes.push(format!("source `{}`: {file} is the same file as {first} and is skipped", source.name));
            }
        }
        Ok(kept)
    }

    /// The videos of a folder, each with its telemetry.
    fn videos(&mut self, source: &SourceConfig, folder: &Folder, files: &[&str]) -> Vec<Found> {
        let is_wanted = |file: &&str| video::is_video(file) || only_file(source) == Some(file);
        let (videos, others): (Vec<&str>, Vec<&str>) = files.iter().copied().partition(is_wanted);
        let belongs = |file: &str| videos.iter().any(|video| video::belongs_to(file, video));
        let (telemetry, others): (Vec<&str>, Vec<&str>) =
            others.into_iter().partition(|file| video::is_telemetry(file) && belongs(file));
        self.note_skipped(source, &folder.path, "are no videos", &owned(&others));
        let mut found = Vec::new();
        for (file, name) in video::names(&videos) {
            let own = telemetry.iter().filter(|telemetry| video::belongs_to(telemetry, file));
            found.push(Found {
                name: below(&folder.path, name),
                folder: folder.path.clone(),
                images: vec![below(&folder.path, file)],
                telemetry: own.map(|telemetry| below(&folder.path, telemetry)).collect(),
            });
        }
        found
    }

    /// The sequence of a folder, where it holds images.
    fn frames(&mut self, source: &SourceConfig, folder: &Folder, files: &[&str]) -> Result<Option<Found>, ConfigError> {
        let (images, others): (Vec<&str>, Vec<&str>) = files.iter().copied().partition(|file| is_image(file));
        self.note_skipped(source, &folder.path, "are no images", &owned(&others));
        if images.is_empty() {
            return Ok(None);
        }
        self.read_path_once(&source.root().join(&folder.path), source)?;
        let root = source.root().file_name().and_then(|name| name.to_str()).unwrap_or("frames");
        Ok(Some(Found {
            name: if folder.path.is_empty() { root.to_owned() } else { folder.path.clone() },
            folder: folder.path.clone(),
            images: images.into_iter().map(|file| below(&folder.path, file)).collect(),
            telemetry: Vec::new(),
        }))
    }
}

fn is_video(kind: SourceKind) -> bool {
    kind.layout() == Layout::Videos
}

/// The name of the file, where the source is one file.
fn only_file(source: &SourceConfig) -> Option<&str> {
    if source.path.is_file() { source.path.file_name()?.to_str() } else { None }
}

/// Whether a file is the only one of a source, or its telemetry.
fn is_of(file: &str, only: &str) -> bool {
    file == only || video::is_telemetry(file) && video::belongs_to(file, only)
}

/// Leak group without aliases: the folder of a video, unless the config says that each is on its own; a folder of frames
/// is a recording by itself.
fn own_group(source: &SourceConfig, kind: SourceKind, recording: &Found) -> String {
    let by_folder = is_video(kind) && source.group_by == GroupBy::Folder;
    let what = match recording.folder.as_str() {
        _ if !by_folder => &recording.name,
        "" => ".",
        folder => folder,
    };
    splits::group_of_source(&source.name, &recording.name, what)
}

/// All folders of a source, its root first; links are followed, never in circles, nor into what builds write. Where it is
/// one file, its folder alone.
pub(super) fn folders(source: &SourceConfig, project: &Project) -> io::Result<Vec<Folder>> {
    let levels = if source.path.is_file() { 0 } else { MOST_LEVELS };
    let mut seen: BTreeSet<PathBuf> =
        project.own_folders.iter().filter_map(|folder| folder.canonicalize().ok()).collect();
    let mut found = Vec::new();
    search(source.root(), "", levels, &mut seen, &mut found)?;
    Ok(found)
}

fn search(
    folder: &Path,
    path: &str,
    levels: usize,
    seen: &mut BTreeSet<PathBuf>,
    found: &mut Vec<Folder>,
) -> io::Result<()> {
    if !seen.insert(folder.canonicalize()?) {
        return Ok(());
    }
    let listing = Listing::read(folder)?;
    let folders: Vec<String> = listing.folders().map(str::to_owned).collect();
    found.push(Folder { path: path.to_owned(), listing });
    if levels > 0 {
        for name in folders {
            search(&folder.join(&name), &below(path, &name), levels - 1, seen, found)?;
        }
    }
    Ok(())
}

pub(super) fn below(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") }
}

fn shown(folder: &str) -> &str {
    if folder.is_empty() { "." } else { folder }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
