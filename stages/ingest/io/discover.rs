//! Looks through the sources for sequences and stills and gives each a split.

use super::super::pure::splits::{self, Assigned, Member};
use super::super::pure::stem;
use super::super::sources::{Layout, SourceKind};
use super::layout::{self, Listing, SplitFolder};
use super::options::TaskOptions;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use uavgen_core::{ConfigError, Discovered, Discovery, Partition, Project, SourceConfig, SplitMode, config};

/// Extensions of files that are taken for images; what they really are is told by their bytes.
const IMAGE_EXTENSIONS: [&str; 11] = ["jpg", "jpeg", "jpe", "jfif", "png", "bmp", "tif", "tiff", "gif", "webp", "jp2"];
/// Names that a message lists before it breaks off.
const LISTED: usize = 5;

/// A sequence or a still, with its files.
struct Unit {
    /// Position of its source in the config.
    source: usize,
    kind: SourceKind,
    /// Image files, relative to the source's root.
    images: Vec<String>,
    /// Annotation file, relative to the source's root.
    annotation: Option<String>,
}

/// What the sources hold.
#[derive(Default)]
struct Survey {
    units: Vec<Unit>,
    /// One for each unit.
    members: Vec<Member>,
    notes: Vec<String>,
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
    let (assigned, notes) = splits::assign(&survey.members, &project.split, &project.split_list)?;
    survey.notes.extend(notes);
    Ok(survey.into_discovery(assigned, project))
}

impl Survey {
    fn add_source(&mut self, position: usize, source: &SourceConfig, project: &Project) -> Result<(), ConfigError> {
        let kind = source_kind(&source.kind)?;
        if let Some(split) = source.split.as_deref().filter(|split| !splits::is_split_name(split)) {
            return Err(splits::bad_split_name(split, &["split"]));
        }
        let folders = self.matching_folders(source, kind, project)?;
        let first_unit = self.units.len();
        for folder in &folders {
            let split = self.split_of(folder, source, project);
            let before = self.units.len();
            let place = Place { position, source, kind, folder, split: &split, aliases: &project.split.aliases };
            self.add_folder(&place).map_err(|error| unreadable(&source.path, &error))??;
            if self.units[before..].iter().all(|unit| unit.images.is_empty()) {
                self.notes.push(format!("source `{}`: {} holds no image", source.name, shown(folder)));
            }
        }
        if self.units[first_unit..].iter().all(|unit| unit.images.is_empty()) {
            let message = format!("there is no image in {}", source.path.display());
            return Err(ConfigError::new(&["path"], message).with_hint(expected_layout(kind)));
        }
        self.check_names(first_unit, source)
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
            return wrong(message, expected_layout(kind));
        }
        let all = layout::split_folders(&source.path).map_err(|error| unreadable(&source.path, &error))?;
        let (fitting, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|folder| folder.layout == kind.layout());
        if fitting.is_empty() {
            let Some(other) = others.first() else {
                let message = format!(
                    "{} is no {}: it looks like {}",
                    source.path.display(),
                    kind.name(),
                    layout::looks_like(&source.path)
                );
                return wrong(message, expected_layout(kind));
            };
            let likely =
                other.named_kind.filter(|named| named.layout() == other.layout).unwrap_or(match other.layout {
                    Layout::Sequences => SourceKind::Vid,
                    Layout::Stills => SourceKind::Det,
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

    /// Split that the config or the folder names state.
    fn split_of(&mut self, folder: &SplitFolder, source: &SourceConfig, project: &Project) -> String {
        if let Some(split) = &source.split {
            return split.clone();
        }
        let root = source.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let mut names = folder.path.rsplit('/').chain([root]);
        if let Some(split) = names.find_map(layout::named_split) {
            return split.into();
        }
        if project.split.mode == SplitMode::Source {
            let note = "names no split and counts as train; set `split` of the source to change that";
            self.notes.push(format!("source `{}`: {} {note}", source.name, shown(folder)));
        }
        "train".into()
    }

    fn add_folder(&mut self, place: &Place<'_>) -> io::Result<Result<(), ConfigError>> {
        let annotations = match &place.folder.annotation_folder {
            Some(name) => self.listing(place, name)?,
            None => Listing::default(),
        };
        let prefix = place.below(place.folder.annotation_folder.as_deref().unwrap_or_default());
        let mut annotations: BTreeMap<String, String> = annotations
            .files()
            .filter(|name| layout::extension(name).as_deref() == Some("txt"))
            .map(|name| (stem(name).to_owned(), format!("{prefix}/{name}")))
            .collect();
        let mut images: BTreeMap<String, Vec<String>> = BTreeMap::new();
        if let Some(image_folder) = &place.folder.image_folder {
            images = match place.kind.layout() {
                Layout::Sequences => self.sequences(place, image_folder)?,
                Layout::Stills => self.stills(place, image_folder)?,
            };
        }
        let mut without_image = Vec::new();
        for name in annotations.keys().filter(|name| !images.contains_key(*name)) {
            without_image.push(name.clone());
        }
        if !without_image.is_empty() {
            let names = listed(&without_image);
            let note = format!("{} annotation files have no image: {names}", without_image.len());
            self.notes.push(format!("source `{}`: {}: {note}", place.source.name, shown(place.folder)));
            images.extend(without_image.into_iter().map(|name| (name, Vec::new())));
        }
        for (name, files) in images {
            let annotation = annotations.remove(&name);
            if let Err(error) = self.add_unit(place, name, files, annotation) {
                return Ok(Err(error));
            }
        }
        Ok(Ok(()))
    }

    /// Image files by sequence.
    fn sequences(&mut self, place: &Place<'_>, image_folder: &str) -> io::Result<BTreeMap<String, Vec<String>>> {
        let mut found = BTreeMap::new();
        for name in self.listing(place, image_folder)?.folders() {
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
        let listing = self.listing(place, below)?;
        let is_image = |name: &&str| layout::extension(name).is_some_and(|e| IMAGE_EXTENSIONS.contains(&e.as_str()));
        let prefix = place.below(below);
        let images: Vec<String> = listing.files().filter(is_image).map(|name| format!("{prefix}/{name}")).collect();
        let others: Vec<String> = listing.files().filter(|name| !is_image(name)).map(str::to_owned).collect();
        if !others.is_empty() {
            let note = format!("{} files are no images and are skipped: {}", others.len(), listed(&others));
            self.notes.push(format!("source `{}`: {prefix}: {note}", place.source.name));
        }
        Ok(images)
    }

    fn listing(&mut self, place: &Place<'_>, below: &str) -> io::Result<Listing> {
        let relative = place.below(below);
        let listing = Listing::read(&place.source.path.join(&relative))?;
        if !listing.unreadable_names.is_empty() {
            let names = listed(&listing.unreadable_names);
            let note = format!("{} names are not UTF-8 and are skipped: {names}", listing.unreadable_names.len());
            self.notes.push(format!("source `{}`: {relative}: {note}", place.source.name));
        }
        Ok(listing)
    }

    fn add_unit(
        &mut self,
        place: &Place<'_>,
        name: String,
        images: Vec<String>,
        annotation: Option<String>,
    ) -> Result<(), ConfigError> {
        if images.is_empty() && annotation.is_none() {
            return Ok(());
        }
        self.members.push(Member {
            source: place.source.name.clone(),
            group: splits::group_of(&name, place.aliases)?,
            name,
            source_split: place.split.to_owned(),
            has_images: !images.is_empty(),
        });
        self.units.push(Unit { source: place.position, kind: place.kind, images, annotation });
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

    fn into_discovery(self, assigned: Vec<Assigned>, project: &Project) -> Discovery {
        let mut tasks: BTreeMap<Partition, (Vec<String>, TaskOptions)> = BTreeMap::new();
        for ((unit, member), assigned) in self.units.into_iter().zip(self.members).zip(assigned) {
            let source = &project.sources[unit.source];
            let (split, kept_in) = match assigned {
                Assigned::To(split) => (split, None),
                Assigned::Dropped { from, kept_in } if member.has_images => (from, Some(kept_in)),
                Assigned::Dropped { .. } | Assigned::LeftOut => continue,
            };
            let partition = partition(&member, unit.kind, split, source.buckets);
            let (files, options) =
                tasks.entry(partition).or_insert_with(|| (Vec::new(), TaskOptions::new(unit.kind, source)));
            options.add(&member, kept_in.as_deref());
            if kept_in.is_none() {
                files.extend(unit.images);
                files.extend(unit.annotation);
            }
        }
        let found = tasks.into_iter().map(|(partition, (mut files, options))| {
            files.sort();
            Discovered { partition, files, options: options.into_map() }
        });
        Discovery { found: found.collect(), notes: self.notes }
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

fn expected_layout(kind: SourceKind) -> String {
    let example = match kind.layout() {
        Layout::Sequences => "sequences/<sequence>/0000001.jpg and annotations/<sequence>.txt",
        Layout::Stills => "images/<image>.jpg and annotations/<image>.txt",
    };
    format!(
        "a {} folder holds {example}, or folders such as VisDrone2019-{}-train that do",
        kind.name(),
        kind.folder_tag().to_uppercase()
    )
}

fn unreadable(path: &Path, error: &io::Error) -> ConfigError {
    ConfigError::new(&["path"], format!("{} cannot be read: {error}", path.display()))
        .with_hint("check its permissions")
}

fn shown(folder: &SplitFolder) -> &str {
    if folder.path.is_empty() { "its folder" } else { &folder.path }
}

fn folder_of(unit: &Unit) -> &str {
    let file = unit.images.first().or(unit.annotation.as_ref());
    file.and_then(|file| file.rsplit_once('/')).map_or("", |(folder, _)| folder)
}

fn listed(names: &[String]) -> String {
    let shown = names[..names.len().min(LISTED)].join(", ");
    if names.len() > LISTED { format!("{shown}, …") } else { shown }
}

/// The task that a sequence or still belongs to.
fn partition(member: &Member, kind: SourceKind, split: String, buckets: u32) -> Partition {
    let (scene, sequence) = match kind.layout() {
        Layout::Sequences => (splits::place_of(&member.name).to_owned(), member.name.clone()),
        Layout::Stills => ("stills".to_owned(), format!("{split}-bucket-{:03}", bucket(&member.name, buckets))),
    };
    Partition::Sequence { source: member.source.clone(), scene, sequence, split }
}

/// Bucket of a still, by its name alone: another image never moves it.
fn bucket(name: &str, buckets: u32) -> u32 {
    let hash = blake3::hash(name.as_bytes());
    let mut first = [0; 4];
    first.copy_from_slice(&hash.as_bytes()[..4]);
    u32::from_le_bytes(first) % buckets.max(1)
}
