//! What lies in a source's folder: the split folders of VisDrone, or something else, which is then named.

use super::super::sources::{ANNOTATION_FOLDER, Layout, SourceKind};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// How deep split folders are looked for: unpacked archives are often nested twice.
pub(super) const MOST_LEVELS: usize = 4;

/// One entry of a folder whose name is UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    /// Name.
    pub(crate) name: String,
    /// Folder (or a link to one) or file.
    pub(crate) is_folder: bool,
}

/// The content of one folder, sorted by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Listing {
    /// Files and folders, without hidden ones.
    pub(crate) entries: Vec<Entry>,
    /// What cannot be taken for a file or a folder, each with the reason in brackets.
    pub(crate) unusable: Vec<String>,
}

impl Listing {
    /// Reads a folder. Links are followed. An error names the folder.
    pub(crate) fn read(folder: &Path) -> io::Result<Self> {
        Self::read_entries(folder)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", folder.display())))
    }

    fn read_entries(folder: &Path) -> io::Result<Self> {
        let mut listing = Self::default();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = match entry.file_name().into_string() {
                Ok(name) => name,
                Err(name) => {
                    listing.unusable.push(format!("{} (the name is not UTF-8)", name.to_string_lossy()));
                    continue;
                }
            };
            if name.starts_with('.') {
                continue;
            }
            let mut kind = entry.file_type()?;
            if kind.is_symlink() {
                match fs::metadata(entry.path()) {
                    Ok(target) => kind = target.file_type(),
                    Err(error) => {
                        listing.unusable.push(format!("{name} (a link that leads nowhere: {error})"));
                        continue;
                    }
                }
            }
            if kind.is_dir() || kind.is_file() {
                listing.entries.push(Entry { name, is_folder: kind.is_dir() });
            } else {
                listing.unusable.push(format!("{name} (neither a file nor a folder)"));
            }
        }
        listing.entries.sort();
        listing.unusable.sort();
        Ok(listing)
    }

    pub(crate) fn folders(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().filter(|entry| entry.is_folder).map(|entry| entry.name.as_str())
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().filter(|entry| !entry.is_folder).map(|entry| entry.name.as_str())
    }

    /// The sub-folder of that name; where there is none, one that differs only by case.
    fn folder(&self, name: &str) -> Option<&str> {
        let exact = self.folders().find(|folder| *folder == name);
        exact.or_else(|| self.folders().find(|folder| folder.eq_ignore_ascii_case(name)))
    }
}

/// A folder in the layout of VisDrone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SplitFolder {
    /// Path relative to the source's root, `/`-separated; empty for the root itself.
    pub(crate) path: String,
    /// Where its files lie.
    pub(crate) layout: Layout,
    /// Name of the folder with images or sequences; null when only annotations are there.
    pub(crate) image_folder: Option<String>,
    /// Name of the folder with annotations, if there is one.
    pub(crate) annotation_folder: Option<String>,
    /// Kind that a part of the path names (`VisDrone2019-MOT-val`).
    pub(crate) named_kind: Option<SourceKind>,
}

/// What is found above and beside images and annotations.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Split folders, sorted by path.
    pub(crate) folders: Vec<SplitFolder>,
    /// Paths of what cannot be taken for a file or a folder, see [`Listing::unusable`].
    pub(crate) unusable: Vec<String>,
    /// Folders that were looked into; links may lead in circles, or to a folder that is also reached without them.
    seen: BTreeSet<PathBuf>,
}

/// All split folders below `root`.
pub(crate) fn split_folders(root: &Path) -> io::Result<Found> {
    let mut found = Found::default();
    let root_name = root.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    found.search(root, "", named_kind(root_name), MOST_LEVELS)?;
    Ok(found)
}

impl Found {
    fn search(&mut self, folder: &Path, path: &str, kind: Option<SourceKind>, levels: usize) -> io::Result<()> {
        if !self.seen.insert(folder.canonicalize()?) {
            return Ok(());
        }
        let listing = Listing::read(folder)?;
        let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
        self.unusable.extend(listing.unusable.iter().map(|name| below(name)));
        if let Some(split_folder) = as_split_folder(&listing, path, kind) {
            self.folders.push(split_folder);
            return Ok(());
        }
        if levels == 0 {
            return Ok(());
        }
        for name in listing.folders() {
            self.search(&folder.join(name), &below(name), named_kind(name).or(kind), levels - 1)?;
        }
        Ok(())
    }
}

fn as_split_folder(listing: &Listing, path: &str, named_kind: Option<SourceKind>) -> Option<SplitFolder> {
    let annotation_folder = listing.folder(ANNOTATION_FOLDER).map(str::to_owned);
    let by_images = [Layout::Sequences, Layout::Stills]
        .into_iter()
        .find_map(|layout| Some((layout, listing.folder(layout.image_folder()?)?.to_owned())));
    // `images` with `labels` and no `annotations` is YOLO.
    let is_yolo = annotation_folder.is_none() && listing.folder("labels").is_some();
    let (layout, image_folder) = match by_images {
        Some((Layout::Stills, _)) if is_yolo => return None,
        Some((layout, folder)) => (layout, Some(folder)),
        None if annotation_folder.is_some() => (named_kind?.layout(), None),
        None => return None,
    };
    Some(SplitFolder { path: path.to_owned(), layout, image_folder, annotation_folder, named_kind })
}

/// The kind that a folder name states: `VisDrone2019-VID-train`.
fn named_kind(name: &str) -> Option<SourceKind> {
    let lower = name.to_ascii_lowercase();
    let mut parts = lower.split(['-', '_', ' ', '.']);
    parts.find_map(|part| SourceKind::ALL.into_iter().find(|kind| kind.folder_tag() == Some(part)))
}

/// Split that a folder name states, as a name that data sets can use: `…-test-dev` is `test`.
pub(crate) fn named_split(name: &str) -> Option<&'static str> {
    const ENDINGS: [(&str, &str); 11] = [
        ("test-challenge", "test_challenge"),
        ("test_challenge", "test_challenge"),
        ("test-dev", "test"),
        ("test_dev", "test"),
        ("trainset", "train"),
        ("valset", "val"),
        ("testset", "test"),
        ("validation", "val"),
        ("train", "train"),
        ("test", "test"),
        ("val", "val"),
    ];
    let lower = name.to_ascii_lowercase();
    ENDINGS.into_iter().find_map(|(ending, split)| {
        let before = lower.strip_suffix(ending)?;
        (before.is_empty() || before.ends_with(['-', '_', ' ', '.'])).then_some(split)
    })
}

/// What a source of this kind holds, in words that help.
pub(crate) fn expected(kind: SourceKind) -> String {
    let example = match kind.layout() {
        Layout::Posed if kind == SourceKind::OpenSfm => {
            "<any folders>/opensfm/reconstruction.json, images/<image>.jpg and odm_texturing/odm_textured_model.obj"
        }
        Layout::Sequences => "sequences/<sequence>/0000001.jpg and annotations/<sequence>.txt",
        Layout::Stills => "images/<image>.jpg and annotations/<image>.txt",
        Layout::Folders => "<any folders>/<sequence>/000001.jpg",
        Layout::Posed if kind == SourceKind::UavScenes => {
            "interval5_CAM_LIDAR/interval5_AMtown01/sampleinfos_interpolated.json and the folder interval5_CAM beside it, \
             interval5_CAM_label/interval5_AMtown01/interval5_CAM_label_id, and the mesh as <any folders>/AMtown/Mesh.ply"
        }
        Layout::Posed => "<any folders>/<recording>/cameras.json, and the images, masks and mesh that it names",
        Layout::Videos => "<any folders>/<recording>.mp4 (or .m4v, .mov, .mkv, .webm, .avi)",
    };
    match kind.folder_tag().map(str::to_uppercase) {
        Some(tag) => {
            format!("a {} folder holds {example}, or folders such as VisDrone2019-{tag}-train that do", kind.name())
        }
        None => format!("a `{}` folder holds {example}", kind.name()),
    }
}

/// What a path that holds no VisDrone looks like, in words that complete "it looks like …".
pub(crate) fn looks_like(path: &Path) -> String {
    match fs::metadata(path) {
        Ok(found) if found.is_file() => return file_looks_like(path),
        Ok(_) => {}
        Err(error) => return format!("something that cannot be read ({error})"),
    }
    let Ok(listing) = Listing::read(path) else { return "a folder that cannot be read".into() };
    let with_extension = |wanted: &[&str]| {
        listing.files().filter(|name| extension(name).is_some_and(|e| wanted.contains(&e.as_str()))).count()
    };
    let has = |name: &str| listing.folder(name).is_some();
    if listing.entries.is_empty() {
        return "an empty folder".into();
    }
    if has("images") && has("labels") || listing.files().any(|name| name.ends_with(".yaml")) {
        return "a YOLO data set (images and labels)".into();
    }
    if with_extension(&["json"]) > 0 || (has(ANNOTATION_FOLDER) && holds(path, ANNOTATION_FOLDER, "json")) {
        return "a COCO data set (JSON annotations)".into();
    }
    if with_extension(&["zip", "gz", "tar", "7z", "rar"]) > 0 {
        return "a folder of archives that are not unpacked".into();
    }
    if has("Annotations") && has("JPEGImages") {
        return "a Pascal VOC data set (XML annotations)".into();
    }
    if with_extension(&["jpg", "jpeg", "png"]) > 0 {
        return "a folder of images; the folder above it may be the right one".into();
    }
    if with_extension(&["mp4", "mov", "avi", "mkv"]) > 0 {
        return "a folder of videos, which have the kind `video`".into();
    }
    if with_extension(&["txt"]) > 0 {
        return "a folder of text files; the folder above it may be the right one".into();
    }
    if has(ANNOTATION_FOLDER) {
        return "a folder of annotations without `sequences` or `images` beside them".into();
    }
    let is_image = |name: &str| extension(name).is_some_and(|e| ["jpg", "jpeg", "png"].contains(&e.as_str()));
    if listing.folders().any(|folder| Listing::read(&path.join(folder)).unwrap_or_default().files().any(is_image)) {
        return "a folder of sequences; the folder above it may be the right one".into();
    }
    "a folder without images or annotations".into()
}

fn holds(path: &Path, folder: &str, wanted: &str) -> bool {
    let listing = Listing::read(&path.join(folder)).unwrap_or_default();
    listing.files().any(|name| extension(name).as_deref() == Some(wanted))
}

fn file_looks_like(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match extension(&name).as_deref() {
        Some("zip" | "gz" | "tgz" | "tar" | "7z" | "rar") => "an archive; unpack it and give the folder".into(),
        Some("json") => "a JSON file, perhaps COCO annotations".into(),
        Some("mp4" | "mov" | "avi" | "mkv") => "a video, which has the kind `video`".into(),
        _ => "a file, not a folder".into(),
    }
}

/// Extension in lower case, without the dot.
pub(crate) fn extension(name: &str) -> Option<String> {
    name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase())
}
