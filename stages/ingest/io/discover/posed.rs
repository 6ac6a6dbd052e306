//! Recordings of posed images, whose files may lie anywhere below the source's folder.

use super::super::super::pure::splits::{self, Member};
use super::super::super::sources::flight::{Around, Flight};
use super::super::super::sources::{SourceKind, opensfm};
use super::super::is_image;
use super::super::layout::{self, Listing};
use super::super::tasks::Unit;
use super::plain::{Folder, below, folders};
use super::{Survey, unreadable};
use std::collections::BTreeSet;
use std::fs;
use uavgen_core::{ConfigError, Project, SourceConfig};

/// A recording, before it has a split.
struct Found {
    /// Folder of its file, relative to the root.
    folder: String,
    name: String,
    /// What its file says; null where that cannot be used, which is for its task to name.
    flight: Option<Flight>,
}

impl Survey {
    /// Adds the recordings of a source of posed images.
    pub(super) fn add_posed(
        &mut self,
        position: usize,
        source: &SourceConfig,
        kind: SourceKind,
        project: &Project,
    ) -> Result<(), ConfigError> {
        let wrong = |message: String| Err(ConfigError::new(&["path"], message).with_hint(layout::expected(kind)));
        let Some(file) = kind.recording_file() else { return Ok(()) };
        if !source.path.is_dir() {
            return wrong(format!(
                "{} is no folder, it looks like {}",
                source.path.display(),
                layout::looks_like(&source.path)
            ));
        }
        let mut all = folders(source, project).map_err(|error| unreadable(&source.path, &error))?;
        let files =
            all.iter().flat_map(|folder| folder.listing.files().map(|file| below(&folder.path, file))).collect();
        all.retain(|folder| folder.listing.files().any(|name| name == file));
        if kind == SourceKind::OpenSfm {
            self.keep_reconstructions(source, &mut all);
        }
        if all.is_empty() {
            return wrong(format!("there is no {file} in {}", source.path.display()));
        }
        let mut names = BTreeSet::new();
        for Folder { path, .. } in all {
            self.read_path_once(&source.root().join(&path), source)?;
            let mut found = found(source, kind, &path, &files);
            // A project may have a reconstruction in it and one in its folder `opensfm`.
            if !names.insert(found.name.clone()) {
                found.name = path;
            }
            self.add_flight(position, source, kind, project, &found)?;
        }
        Ok(())
    }

    /// Reports have the name of reconstructions; and the undistorted one beside a reconstruction has the same images.
    fn keep_reconstructions(&mut self, source: &SourceConfig, all: &mut Vec<Folder>) {
        let path = |folder: &str| source.root().join(folder).join(opensfm::RECONSTRUCTION_FILE);
        let is_report =
            |folder: &Folder| fs::read(path(&folder.path)).is_ok_and(|bytes| !opensfm::is_reconstruction(&bytes));
        let (reports, kept): (Vec<Folder>, Vec<Folder>) = std::mem::take(all).into_iter().partition(is_report);
        let paths: BTreeSet<String> = kept.iter().map(|folder| folder.path.clone()).collect();
        let is_second = |folder: &Folder| {
            let (above, name) = folder.path.rsplit_once('/').unwrap_or(("", &folder.path));
            name == opensfm::UNDISTORTED_FOLDER && paths.contains(above)
        };
        let (second, kept): (Vec<Folder>, Vec<Folder>) = kept.into_iter().partition(is_second);
        let names = |folders: &[Folder]| folders.iter().map(|folder| folder.path.clone()).collect::<Vec<_>>();
        self.note_skipped(source, "", "hold a report that is called reconstruction.json", &names(&reports));
        self.note_skipped(source, "", "hold the undistorted images of the reconstruction above", &names(&second));
        *all = kept;
    }

    fn add_flight(
        &mut self,
        position: usize,
        source: &SourceConfig,
        kind: SourceKind,
        project: &Project,
        found: &Found,
    ) -> Result<(), ConfigError> {
        let is_there = |path: &String| source.root().join(path).is_file();
        let flight = found.flight.as_ref();
        let images: BTreeSet<String> = flight.map(Flight::images).unwrap_or_default();
        let images: BTreeSet<String> = images.into_iter().filter(is_there).collect();
        let others = flight.map(Flight::others).unwrap_or_default().into_iter().filter(is_there);
        let file = below(&found.folder, kind.recording_file().unwrap_or_default());
        let annotations = others.filter(|path| !images.contains(path)).chain([file]).collect();
        let split = self.split_of(&found.folder, &found.name, source, project);
        if kind == SourceKind::OpenSfm {
            self.note_without_shot(source, &images);
        }
        let place = flight.and_then(|flight| flight.place.as_deref()).unwrap_or(&found.name);
        let own_group = splits::group_of_source(&source.name, &found.name, place);
        self.members.push(Member {
            source: source.name.clone(),
            group: splits::aliased(&own_group, &project.split.aliases)?,
            own_group,
            name: found.name.clone(),
            source_split: split,
            has_images: !images.is_empty(),
        });
        self.units.push(Unit { source: position, kind, images: images.into_iter().collect(), annotations });
        Ok(())
    }

    /// Counts images beside those of a reconstruction, of which it does not know where they were taken.
    fn note_without_shot(&mut self, source: &SourceConfig, images: &BTreeSet<String>) {
        let folders: BTreeSet<&str> = images.iter().filter_map(|image| Some(image.rsplit_once('/')?.0)).collect();
        for folder in folders {
            let listing = Listing::read(&source.root().join(folder)).unwrap_or_default();
            let without = listing.files().filter(|file| is_image(file) && !images.contains(&below(folder, file)));
            let names: Vec<String> = without.map(str::to_owned).collect();
            self.note_skipped(source, folder, "have no shot in the reconstruction", &names);
        }
    }
}

fn found(source: &SourceConfig, kind: SourceKind, folder: &str, files: &BTreeSet<String>) -> Found {
    let path = below(folder, kind.recording_file().unwrap_or_default());
    let is_there = |path: &str| source.root().join(path).is_file();
    let bytes = fs::read(source.root().join(&path)).ok();
    let around = Around { is_there: &is_there, files };
    let flight = bytes.and_then(|bytes| kind.read_flight(&bytes, &path, &around).ok());
    let root_name = source.root().file_name().and_then(|name| name.to_str()).unwrap_or("posed");
    let own = match kind.flight_name(folder) {
        "" => kind.flight_name(root_name),
        own => own,
    };
    Found { folder: folder.to_owned(), name: own.to_owned(), flight }
}
