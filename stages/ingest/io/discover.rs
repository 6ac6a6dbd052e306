//! Looks through the sources for sequences, stills and videos and gives each a split.

mod plain;
mod posed;

use super::super::pure::splits::{self, Member};
use super::super::pure::stem;
use super::super::sources::{Layout, SourceKind};
use super::is_image;
use super::layout::{self, Listing, SplitFolder};
use super::tasks::{self, Unit};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use uavgen_core::project::GroupBy;
use uavgen_core::{ConfigError, Discovery, Project, SourceConfig, SplitMode, config};

/// What the sources hold.
#[derive(Default)]
struct Survey {
    units: Vec<Unit>,
    /// One for each unit.
    members: Vec<Member>,
    notes: Vec<String>,
    /// Split folders that were read, with the source that did.
    read: BTreeMap<PathBuf, String>,
}

/// Everything that there is to ingest.
///
/// # Errors
/// A source that is not what the config says, or recordings that cannot be divided as it asks.
pub(crate) fn discover(project: &Project) -> Result<Discovery, ConfigError> {
    let mut survey = Survey::default();
    for (position, source) in project.sources.iter().enumerate() {
        let under = |error: ConfigError| error.under(&position.to_string()).under("source");
        survey.add_source(position, source, project).map_err(under)?;
    }
    survey.notes.extend(splits::idle_aliases(&survey.members, &project.split.aliases));
    let (assigned, notes) = splits::assign(&survey.members, &project.split, &project.split_list)?;
    survey.notes.extend(notes);
    let found = tasks::of_units(survey.units, &survey.members, assigned, project);
    if found.is_empty() {
        let message = format!("every recording of {} is left out", counted(project.sources.len()));
        return Err(
            ConfigError::new(&["split"], message).with_hint("give one of them a split, or see [split] on_conflict")
        );
    }
    Ok(Discovery { found, notes: survey.notes })
}

fn counted(sources: usize) -> String {
    if sources == 1 { "the source".into() } else { format!("all {sources} sources") }
}

impl Survey {
    fn add_source(&mut self, position: usize, source: &SourceConfig, project: &Project) -> Result<(), ConfigError> {
        let kind = source_kind(&source.kind)?;
        if source.group_by != GroupBy::default() && kind.layout() != Layout::Videos {
            let error = ConfigError::new(&["group_by"], format!("{} has nothing to group by it", kind.name()));
            return Err(error.with_hint("remove it; `[split.aliases]` joins leak groups"));
        }
        if let Some(split) = source.split.as_deref().filter(|split| !splits::is_split_name(split)) {
            return Err(splits::bad_split_name(split, &["split"]));
        }
        if kind.layout() == Layout::Posed {
            return self.add_posed(position, source, kind, project);
        }
        if matches!(kind.layout(), Layout::Folders | Layout::Videos) {
            return self.add_plain(position, source, kind, project);
        }
        let folders = self.matching_folders(source, kind, project)?;
        let first_unit = self.units.len();
        for folder in &folders {
            self.read_once(folder, source)?;
            let split = self.split_of(&folder.path, shown(folder), source, project);
            let before = self.units.len();
            let place = Place { position, source, kind, folder, split: &split, aliases: &project.split.aliases };
            self.add_folder(&place).map_err(|error| unreadable(&source.path, &error))??;
            if self.units[before..].iter().all(|unit| unit.images.is_empty()) {
                self.notes.push(format!("source `{}`: {} holds no image", source.name, shown(folder)));
            }
        }
        if self.units[first_unit..].iter().all(|unit| unit.images.is_empty()) {
            let message = format!("there is no image in {}", source.path.display());
            return Err(ConfigError::new(&["path"], message).with_hint(layout::expected(kind)));
        }
        self.check_names(first_unit, source)
    }

    /// Refuses a folder that another source reads: each of its images would be there twice.
    fn read_once(&mut self, folder: &SplitFolder, source: &SourceConfig) -> Result<(), ConfigError> {
        self.read_path_once(&source.path.join(&folder.path), source)
    }

    fn read_path_once(&mut self, path: &Path, source: &SourceConfig) -> Result<(), ConfigError> {
        let path = path.canonicalize().map_err(|error| unreadable(path, &error))?;
        let Some(other) = self.read.insert(path.clone(), source.name.clone()) else { return Ok(()) };
        let message = format!("{} is read by source `{other}` already", path.display());
        Err(ConfigError::new(&["path"], message).with_hint("remove one of the two sources"))
    }

    /// The folders of the source that have the layout of its kind.
    fn matching_folders(
        &mut self,
        source: &SourceConfig,
        kind: SourceKind,
        project: &Project,
    ) -> Result<Vec<SplitFolder>, ConfigError> {
        let wrong = |message: String, hint: String| Err(ConfigError::new(&["path"], message).with_hint(hint));
        if !source.path.exists() {
            return wrong(format!("{} does not exist", source.path.display()), "check the path".into());
        }
        if !source.path.is_dir() {
            let message = format!("{} is {}", source.path.display(), layout::looks_like(&source.path));
            return wrong(message, layout::expected(kind));
        }
        let found = layout::split_folders(&source.path).map_err(|error| unreadable(&source.path, &error))?;
        self.note_skipped(source, "", "cannot be read", &found.unusable);
        let (fitting, others): (Vec<_>, Vec<_>) =
            found.folders.into_iter().partition(|folder| folder.layout == kind.layout());
        if fitting.is_empty() {
            let Some(other) = others.first() else {
                let message = format!(
                    "{} is no {}: it looks like {}",
                    source.path.display(),
                    kind.name(),
                    layout::looks_like(&source.path)
                );
                return wrong(message, layout::expected(kind));
            };
            let likely =
                other.named_kind.filter(|named| named.layout() == other.layout).unwrap_or(match other.layout {
                    Layout::Stills => SourceKind::Det,
                    _ => SourceKind::Vid,
                });
            let message = format!("{} is no {}: it looks like {}", source.path.display(), kind.name(), likely.name());
            return wrong(message, format!("set kind = \"{}\"", likely.name()));
        }
        for folder in others.iter().filter(|folder| !taken_elsewhere(folder, source, project)) {
            self.notes.push(format!(
                "source `{}`: {} is not {} and is skipped",
                source.name,
                shown(folder),
                kind.name()
            ));
        }
        Ok(self.of_named_kind(fitting, source, kind))
    }

    /// VID and MOT share a layout; where both lie side by side, only the folders of the kind that was asked for count.
    fn of_named_kind(
        &mut self,
        fitting: Vec<SplitFolder>,
        source: &SourceConfig,
        kind: SourceKind,
    ) -> Vec<SplitFolder> {
        let is_other = |folder: &SplitFolder| {
            folder.named_kind.is_some_and(|named| named != kind && named.layout() == kind.layout())
        };
        let (others, wanted): (Vec<_>, Vec<_>) = fitting.into_iter().partition(is_other);
        let verdict = if wanted.is_empty() { "taken all the same" } else { "skipped" };
        for folder in &others {
            self.notes.push(format!(
                "source `{}`: {} is not called {} and is {verdict}",
                source.name,
                shown(folder),
                kind.name()
            ));
        }
        if wanted.is_empty() { others } else { wanted }
    }

    /// Split that the config or the names of folders on the way to a path state.
    fn split_of(&mut self, path: &str, name: &str, source: &SourceConfig, project: &Project) -> String {
        if let Some(split) = stated_split(path, source) {
            return split;
        }
        if project.split.mode == SplitMode::Source {
            let note = "names no split and counts as train; set `split` of the source to change that";
            self.notes.push(format!("source `{}`: {} {note}", source.name, name));
        }
        "train".into()
    }

    fn add_folder(&mut self, place: &Place<'_>) -> io::Result<Result<(), ConfigError>> {
        let mut annotations = match &place.folder.annotation_folder {
            Some(name) => self.annotations(place, name)?,
            None => BTreeMap::new(),
        };
        let mut images: BTreeMap<String, Vec<String>> = BTreeMap::new();
        if let Some(image_folder) = &place.folder.image_folder {
            images = match place.kind.layout() {
                Layout::Stills => self.stills(place, image_folder)?,
                _ => self.sequences(place, image_folder)?,
            };
        }
        let mut without_image = Vec::new();
        for name in annotations.keys().filter(|name| !images.contains_key(*name)) {
            without_image.push(name.clone());
        }
        if !without_image.is_empty() {
            let names = splits::listed(&without_image);
            let note = format!("{} annotation files have no image: {names}", without_image.len());
            self.notes.push(format!("source `{}`: {}: {note}", place.source.name, shown(place.folder)));
            images.extend(without_image.into_iter().map(|name| (name, Vec::new())));
        }
        for (name, files) in images {
            let annotations = annotations.remove(&name).unwrap_or_default();
            if let Err(error) = self.add_unit(place, name, files, annotations) {
                return Ok(Err(error));
            }
        }
        Ok(Ok(()))
    }

    /// Annotation files by name without extension.
    fn annotations(&mut self, place: &Place<'_>, folder: &str) -> io::Result<BTreeMap<String, Vec<String>>> {
        let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let is_annotation = |name: &str| layout::extension(name).as_deref() == Some("txt");
        for file in self.files(place, folder, is_annotation, "are no annotations")? {
            found.entry(stem(&file).to_owned()).or_default().push(file);
        }
        Ok(found)
    }

    /// Image files by sequence.
    fn sequences(&mut self, place: &Place<'_>, image_folder: &str) -> io::Result<BTreeMap<String, Vec<String>>> {
        let mut found = BTreeMap::new();
        let listing = self.listing(place, image_folder)?;
        let loose: Vec<String> = listing.files().map(str::to_owned).collect();
        self.note_skipped(place.source, &place.below(image_folder), "lie beside the sequences", &loose);
        for name in listing.folders() {
            let below = format!("{image_folder}/{name}");
            let files = self.image_files(place, &below)?;
            if files.is_empty() {
                self.notes.push(format!("source `{}`: {} holds no image", place.source.name, place.below(&below)));
            }
            found.insert(name.to_owned(), files);
        }
        Ok(found)
    }

    /// Image files by name without extension.
    fn stills(&mut self, place: &Place<'_>, image_folder: &str) -> io::Result<BTreeMap<String, Vec<String>>> {
        let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for file in self.image_files(place, image_folder)? {
            found.entry(stem(&file).to_owned()).or_default().push(file);
        }
        Ok(found)
    }

    fn image_files(&mut self, place: &Place<'_>, below: &str) -> io::Result<Vec<String>> {
        self.files(place, below, is_image, "are no images")
    }

    /// Paths of the wanted files of a folder; a note says what else is in it.
    fn files(
        &mut self,
        place: &Place<'_>,
        below: &str,
        is_wanted: impl Fn(&str) -> bool,
        others_are: &str,
    ) -> io::Result<Vec<String>> {
        let listing = self.listing(place, below)?;
        let prefix = place.below(below);
        let (wanted, others): (Vec<&str>, Vec<&str>) = listing.files().partition(|name| is_wanted(name));
        let folders = listing.folders().map(|name| format!("{name}/"));
        let others: Vec<String> = others.into_iter().map(str::to_owned).chain(folders).collect();
        self.note_skipped(place.source, &prefix, others_are, &others);
        Ok(wanted.into_iter().map(|name| format!("{prefix}/{name}")).collect())
    }

    fn listing(&mut self, place: &Place<'_>, below: &str) -> io::Result<Listing> {
        let relative = place.below(below);
        let listing = Listing::read(&place.source.path.join(&relative))?;
        self.note_skipped(place.source, &relative, "cannot be read", &listing.unusable);
        Ok(listing)
    }

    /// Names what is left out of a folder.
    fn note_skipped(&mut self, source: &SourceConfig, folder: &str, why: &str, names: &[String]) {
        if !names.is_empty() {
            let place = if folder.is_empty() { String::new() } else { format!("{folder}: ") };
            let note = format!("{} entries {why} and are skipped: {}", names.len(), splits::listed(names));
            self.notes.push(format!("source `{}`: {place}{note}", source.name));
        }
    }

    fn add_unit(
        &mut self,
        place: &Place<'_>,
        name: String,
        images: Vec<String>,
        annotations: Vec<String>,
    ) -> Result<(), ConfigError> {
        if images.is_empty() && annotations.is_empty() {
            return Ok(());
        }
        let own_group = splits::plain_group(&name);
        self.members.push(Member {
            source: place.source.name.clone(),
            group: splits::aliased(&own_group, place.aliases)?,
            own_group,
            name,
            source_split: place.split.to_owned(),
            has_images: !images.is_empty(),
        });
        self.units.push(Unit { source: place.position, kind: place.kind, images, annotations });
        Ok(())
    }

    /// Refuses two sequences of one name: their ids would be the same.
    fn check_names(&self, first_unit: usize, source: &SourceConfig) -> Result<(), ConfigError> {
        let mut seen: BTreeMap<&str, &Unit> = BTreeMap::new();
        for (unit, member) in self.units[first_unit..].iter().zip(&self.members[first_unit..]) {
            let Some(first) = seen.insert(&member.name, unit) else { continue };
            // Stills that share a name within a split are told apart, and rejected, by their task.
            if unit.kind.layout() == Layout::Sequences {
                let message =
                    format!("sequence `{}` is there twice: {} and {}", member.name, folder_of(first), folder_of(unit));
                let hint = format!("give each folder a source of its own instead of {}", source.path.display());
                return Err(ConfigError::new(&["path"], message).with_hint(hint));
            }
        }
        Ok(())
    }
}

/// Whether another source reads the same place with the layout of this folder.
fn taken_elsewhere(folder: &SplitFolder, source: &SourceConfig, project: &Project) -> bool {
    let takes = |other: &SourceConfig| {
        other.path == source.path
            && SourceKind::from_name(&other.kind).is_some_and(|kind| kind.layout() == folder.layout)
    };
    project.sources.iter().any(takes)
}

/// Split that the config states, or the nearest name of a folder on the way to a path below the root.
fn stated_split(path: &str, source: &SourceConfig) -> Option<String> {
    let root = source.root().file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let by_name = || path.rsplit('/').chain([root]).find_map(layout::named_split).map(str::to_owned);
    source.split.clone().or_else(by_name)
}

/// A split folder of a source, while it is read.
struct Place<'a> {
    position: usize,
    source: &'a SourceConfig,
    kind: SourceKind,
    folder: &'a SplitFolder,
    split: &'a str,
    aliases: &'a BTreeMap<String, String>,
}

impl Place<'_> {
    /// A path below the split folder, relative to the source's root.
    fn below(&self, path: &str) -> String {
        if self.folder.path.is_empty() { path.to_owned() } else { format!("{}/{path}", self.folder.path) }
    }
}

fn source_kind(name: &str) -> Result<SourceKind, ConfigError> {
    SourceKind::from_name(name).ok_or_else(|| {
        let names = SourceKind::ALL.map(SourceKind::name);
        let error = ConfigError::new(&["kind"], format!("there is no kind of source `{name}`"));
        match config::nearest(name, &names) {
            Some(nearest) => error.with_hint(format!("did you mean `{nearest}`? kinds: {}", names.join(", "))),
            None => error.with_hint(format!("kinds: {}", names.join(", "))),
        }
    })
}

fn unreadable(path: &Path, error: &io::Error) -> ConfigError {
    ConfigError::new(&["path"], format!("a folder of {} cannot be read: {error}", path.display()))
        .with_hint("check its permissions")
}

fn shown(folder: &SplitFolder) -> &str {
    if folder.path.is_empty() { "its folder" } else { &folder.path }
}

fn folder_of(unit: &Unit) -> &str {
    let file = unit.images.first().or(unit.annotations.first());
    file.and_then(|file| file.rsplit_once('/')).map_or("", |(folder, _)| folder)
}
