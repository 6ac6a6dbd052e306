//! Folders with a `cameras.json`, which may lie anywhere below the source's folder.

use super::super::super::pure::splits::{self, Member};
use super::super::super::sources::SourceKind;
use super::super::super::sources::posed_mesh::{self, CAMERAS_FILE, CamerasFile};
use super::super::layout;
use super::super::tasks::Unit;
use super::plain::{Folder, below, folders};
use super::{Survey, unreadable};
use std::collections::BTreeSet;
use std::fs;
use uavgen_core::{ConfigError, Project, SourceConfig};

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
        if !source.path.is_dir() {
            return wrong(format!(
                "{} is no folder, it looks like {}",
                source.path.display(),
                layout::looks_like(&source.path)
            ));
        }
        let all = folders(source, project).map_err(|error| unreadable(&source.path, &error))?;
        let posed: Vec<Folder> =
            all.into_iter().filter(|folder| folder.listing.files().any(|file| file == CAMERAS_FILE)).collect();
        if posed.is_empty() {
            return wrong(format!("there is no {CAMERAS_FILE} in {}", source.path.display()));
        }
        for folder in posed {
            self.read_path_once(&source.root().join(&folder.path), source)?;
            self.add_posed_folder(position, source, kind, project, &folder.path)?;
        }
        Ok(())
    }

    fn add_posed_folder(
        &mut self,
        position: usize,
        source: &SourceConfig,
        kind: SourceKind,
        project: &Project,
        folder: &str,
    ) -> Result<(), ConfigError> {
        let root_name = source.root().file_name().and_then(|name| name.to_str()).unwrap_or("posed");
        let name = if folder.is_empty() { root_name.to_owned() } else { folder.to_owned() };
        let file = below(folder, CAMERAS_FILE);
        // What it says badly is for its task to name.
        let cameras = fs::read(source.root().join(&file)).ok().and_then(|bytes| CamerasFile::parse(&bytes).ok());
        let below_root =
            |path: &str| posed_mesh::below_root(folder, path).filter(|path| source.root().join(path).is_file());
        let named: BTreeSet<String> = cameras.iter().flat_map(CamerasFile::files).filter_map(below_root).collect();
        let of_frames = cameras.iter().flat_map(|cameras| &cameras.frames).filter_map(|frame| below_root(&frame.image));
        let images: BTreeSet<String> = of_frames.collect();
        let others = named.difference(&images).cloned();
        let annotations = others.chain([file]).collect();
        let split = self.split_of(folder, &name, source, project);
        // Recordings of one mesh show one place.
        let mesh = cameras.and_then(|cameras| cameras.mesh).and_then(|path| posed_mesh::below_root(folder, &path));
        let own_group = splits::group_of_source(&source.name, &name, mesh.as_deref().unwrap_or(&name));
        self.members.push(Member {
            source: source.name.clone(),
            group: splits::aliased(&own_group, &project.split.aliases)?,
            own_group,
            name,
            source_split: split,
            has_images: !images.is_empty(),
        });
        self.units.push(Unit { source: position, kind, images: images.into_iter().collect(), annotations });
        Ok(())
    }
}
