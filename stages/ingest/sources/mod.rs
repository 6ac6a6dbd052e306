//! Source formats, one file each, and what they share.
//!
//! A format says where its images and annotations lie ([`Layout`]) and how many columns a line has; the lines of all
//! VisDrone formats are read by [`visdrone_text`].

pub(crate) mod bad_row;
pub(crate) mod dji_srt;
pub(crate) mod flight;
pub(crate) mod opensfm;
pub(crate) mod posed_mesh;
pub(crate) mod uavscenes;
pub(crate) mod video;
pub(crate) mod visdrone_det;
pub(crate) mod visdrone_text;
pub(crate) mod visdrone_vid;

use flight::{Around, FileFault, Flight};
pub(crate) use video::is_telemetry;
use visdrone_text::{Annotations, Columns};

/// Categories by number: 1 to 10 are objects; 0 (ignored region) and 11 (others) are areas, never an object class.
const CATEGORIES: [&str; 12] = [
    "ignored-region",
    "pedestrian",
    "people",
    "bicycle",
    "car",
    "van",
    "truck",
    "tricycle",
    "awning-tricycle",
    "bus",
    "motor",
    "others",
];

/// Number of the category for areas that the annotators skipped.
pub(crate) const IGNORED_REGION: u8 = 0;
/// Number of the category for objects outside the other categories.
pub(crate) const OTHERS: u8 = 11;

/// Name of a category number that the parser accepted (0 to 11).
pub(crate) fn category_name(number: u8) -> &'static str {
    CATEGORIES[usize::from(number)]
}

/// How a source's files lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// `sequences/<sequence>/<frame>.jpg` and `annotations/<sequence>.txt`.
    Sequences,
    /// `images/<image>.jpg` and `annotations/<image>.txt`.
    Stills,
    /// `<any folders>/<sequence>/<frame>.jpg`, without annotations.
    Folders,
    /// `<any folders>/<recording>.mp4`, without annotations.
    Videos,
    /// A file for each recording, anywhere, that tells cameras and poses, and what other files belong to it.
    Posed,
}

impl Layout {
    /// Folder that holds the images; null where it may be any.
    pub(crate) fn image_folder(self) -> Option<&'static str> {
        match self {
            Self::Sequences => Some(visdrone_vid::IMAGE_FOLDER),
            Self::Stills => Some(visdrone_det::IMAGE_FOLDER),
            Self::Folders | Self::Videos | Self::Posed => None,
        }
    }
}

/// Folder that holds the annotations, in every VisDrone layout.
pub(crate) const ANNOTATION_FOLDER: &str = "annotations";

/// A format that a source can have: the `kind` in the config.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SourceKind {
    /// `visdrone-vid`: video object detection.
    Vid,
    /// `visdrone-mot`: multi-object tracking; the same files as VID.
    Mot,
    /// `visdrone-det`: still images.
    Det,
    /// `video`: plain video files.
    Video,
    /// `frames`: folders of numbered images.
    Frames,
    /// `posed-mesh`: images with poses, masks and the mesh of the place.
    PosedMesh,
    /// `opensfm`: reconstructions of OpenSfM and OpenDroneMap.
    OpenSfm,
    /// `uavscenes`: runs of UAVScenes.
    UavScenes,
}

impl SourceKind {
    /// Every kind, in the order in which messages list them.
    pub(crate) const ALL: [Self; 8] =
        [Self::Vid, Self::Mot, Self::Det, Self::Video, Self::Frames, Self::PosedMesh, Self::OpenSfm, Self::UavScenes];

    /// The kind as written in the config.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Vid => "visdrone-vid",
            Self::Mot => "visdrone-mot",
            Self::Det => "visdrone-det",
            Self::Video => "video",
            Self::Frames => "frames",
            Self::PosedMesh => "posed-mesh",
            Self::OpenSfm => "opensfm",
            Self::UavScenes => "uavscenes",
        }
    }

    /// The kind of that name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The part of the distributed folders' names that tells the kind (`VisDrone2019-VID-train`); null where folders may
    /// have any name.
    pub(crate) fn folder_tag(self) -> Option<&'static str> {
        match self {
            Self::Vid => Some("vid"),
            Self::Mot => Some("mot"),
            Self::Det => Some("det"),
            Self::Video | Self::Frames | Self::PosedMesh | Self::OpenSfm | Self::UavScenes => None,
        }
    }

    /// Where its files lie.
    pub(crate) fn layout(self) -> Layout {
        match self {
            Self::Vid | Self::Mot => Layout::Sequences,
            Self::Det => Layout::Stills,
            Self::Video => Layout::Videos,
            Self::Frames => Layout::Folders,
            Self::PosedMesh | Self::OpenSfm | Self::UavScenes => Layout::Posed,
        }
    }

    /// Reads one of its annotation files.
    pub(crate) fn parse(self, text: &[u8]) -> Annotations {
        visdrone_text::parse(text, self.columns())
    }

    /// The file that makes a folder a recording of posed images; null where the kind has other recordings.
    pub(crate) fn recording_file(self) -> Option<&'static str> {
        match self {
            Self::PosedMesh => Some(posed_mesh::CAMERAS_FILE),
            Self::OpenSfm => Some(opensfm::RECONSTRUCTION_FILE),
            Self::UavScenes => Some(uavscenes::SAMPLES_FILE),
            Self::Vid | Self::Mot | Self::Det | Self::Video | Self::Frames => None,
        }
    }

    /// What a recording of posed images in a folder is called; empty for the source's own folder.
    pub(crate) fn flight_name(self, folder: &str) -> &str {
        match self {
            Self::OpenSfm => opensfm::project_of(folder),
            Self::UavScenes => uavscenes::run_of(folder),
            _ => folder,
        }
    }

    /// Reads the file of a recording of posed images, by its path below the source's root.
    ///
    /// # Errors
    /// A file of another form.
    pub(crate) fn read_flight(self, bytes: &[u8], file: &str, around: &Around<'_>) -> Result<Flight, FileFault> {
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        match self {
            Self::OpenSfm => opensfm::read(bytes, folder, around.is_there),
            Self::UavScenes => uavscenes::read(bytes, folder, around),
            _ => posed_mesh::read(bytes, folder),
        }
    }

    fn columns(self) -> Columns {
        match self.layout() {
            Layout::Stills => visdrone_det::COLUMNS,
            _ => visdrone_vid::COLUMNS,
        }
    }
}
