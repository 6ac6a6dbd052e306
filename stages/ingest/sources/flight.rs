//! What every source of posed images comes down to, whichever way its files say it: cameras, frames with poses in our axes, the mesh
//! of the place and the classes of the masks. What is wrong with a part of it is kept in its place.

use std::collections::{BTreeMap, BTreeSet};
use uavgen_geometry::{Camera, Geodetic, GeometryError, ImageSize, Intrinsics, Transform, World};
use uavgen_schemas::{ClassKind, DepthScale, Reject, WorldAxes};

/// Why a file that tells cameras and poses cannot be used at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileFault {
    /// Reason of the reject.
    pub(crate) reason: &'static str,
    /// What is wrong, where, and what to do.
    pub(crate) problem: String,
}

/// Why a part of it cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Reason of the reject.
    pub(crate) reason: &'static str,
    /// What is wrong.
    pub(crate) problem: String,
}

impl Fault {
    pub(crate) fn new(reason: &'static str, problem: impl Into<String>) -> Self {
        Self { reason, problem: problem.into() }
    }

    /// Numbers that are no pose.
    pub(crate) fn pose(error: &GeometryError) -> Self {
        Self::new("bad_pose", error.to_string())
    }

    /// Numbers that no camera has.
    pub(crate) fn calibration(error: &GeometryError) -> Self {
        Self::new("bad_calibration", error.to_string())
    }
}

/// What lies around the file of a recording, by paths relative to the source's root.
pub(crate) struct Around<'a> {
    /// Whether there is a file.
    pub(crate) is_there: &'a dyn Fn(&str) -> bool,
    /// All files that a search of the source finds; in a task, its own ones.
    pub(crate) files: &'a BTreeSet<String>,
}

/// One recording.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Flight {
    /// What recordings of one place share, and those of other places do not; null where nothing tells it.
    pub(crate) place: Option<String>,
    /// Axes of the mesh.
    pub(crate) world: WorldAxes,
    /// Place that is the origin of the world; null where the axes are not earth-centred.
    pub(crate) origin: Option<Geodetic>,
    /// Mesh of the place.
    pub(crate) mesh: Option<NamedFile>,
    /// What the depth files of its frames hold; null where there are none.
    pub(crate) depth_files: Option<DepthFiles>,
    /// Classes of the masks.
    pub(crate) classes: Vec<ClassEntry>,
    /// Cameras by name.
    pub(crate) cameras: BTreeMap<String, FlightCamera>,
    /// Frames in their order.
    pub(crate) frames: Vec<FlightFrame>,
    /// Paths of further files whose being there decided what is above.
    pub(crate) consulted: Vec<String>,
    /// Parts of the file that are left out by rule, without the recording in their ids.
    pub(crate) left_out: Vec<Reject>,
    /// Numbers for the report.
    pub(crate) notes: BTreeMap<&'static str, u64>,
}

/// A file that is named by another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamedFile {
    /// As it is named there.
    pub(crate) name: String,
    /// Path relative to the source's root, whether there is such a file or not; null where it leads out of it or nobody knows.
    pub(crate) path: Option<String>,
}

/// A camera.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FlightCamera {
    /// Calibration.
    pub(crate) intrinsics: Result<Intrinsics, Fault>,
    /// Whether it is written in shares of the image, and so holds for images of any size with the same sides to each other.
    pub(crate) is_of_any_size: bool,
}

/// A frame.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FlightFrame {
    /// Image.
    pub(crate) image: NamedFile,
    /// Mask.
    pub(crate) mask: Option<NamedFile>,
    /// Depth file.
    pub(crate) depth: Option<NamedFile>,
    /// Name of its camera; null where none is told.
    pub(crate) camera: Option<String>,
    /// Where the camera was.
    pub(crate) pose: Result<Transform<World, Camera>, Fault>,
    /// Time in seconds, from any zero.
    pub(crate) time_s: Option<f64>,
}

/// What the depth files of a recording hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DepthFiles {
    /// `png` or `npy`.
    pub(crate) format: &'static str,
    /// What the values tell.
    pub(crate) scale: DepthScale,
    /// Depth of a value of 1, in metres; null where the scale is not metric.
    pub(crate) metres_per_unit: Option<f64>,
}

/// A class of the masks.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClassEntry {
    /// Value in the masks; of masks of colours a number to call it by.
    pub(crate) value: u16,
    /// Name.
    pub(crate) name: String,
    /// What it is.
    pub(crate) kind: ClassKind,
    /// Colour in the masks: red, green, blue.
    #[serde(default)]
    pub(crate) colour: Option<[u8; 3]>,
}

impl Flight {
    /// Paths of its images, relative to the source's root.
    pub(crate) fn images(&self) -> BTreeSet<String> {
        self.frames.iter().filter_map(|frame| frame.image.path.clone()).collect()
    }

    /// Paths of its masks, its depth files, its mesh and what was consulted.
    pub(crate) fn others(&self) -> BTreeSet<String> {
        let of_frames = self.frames.iter().flat_map(|frame| frame.mask.iter().chain(&frame.depth));
        let named = of_frames.chain(&self.mesh).filter_map(|file| file.path.clone());
        named.chain(self.consulted.iter().cloned()).collect()
    }
}

/// The calibration for images of a size; null where their sides are not to each other as the camera's are, to a pixel.
pub(crate) fn scaled(intrinsics: &Intrinsics, size: ImageSize) -> Option<Result<Intrinsics, GeometryError>> {
    let own = intrinsics.size();
    let fits = |from: ImageSize, to: ImageSize| {
        (from.height_px() * to.width_px() / from.width_px() - to.height_px()).abs() <= 1.0
            || (from.width_px() * to.height_px() / from.height_px() - to.width_px()).abs() <= 1.0
    };
    fits(own, size).then(|| intrinsics.scaled_to(size))
}

/// A path that a file in `folder` names as one below the source's root; null where it leads out of it, or is absolute.
pub(crate) fn below_root(folder: &str, path: &str) -> Option<String> {
    if path.starts_with('/') || path.contains('\\') {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop()?,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
