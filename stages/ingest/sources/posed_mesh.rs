//! `posed-mesh`: folders with a `cameras.json`, which says what camera took which image from where, and names the mesh of the place.
//!
//! Every convention that such files differ in is stated, never guessed: the axes of the camera, which way a matrix leads, the axes
//! of the world, and where the first pixel's centre lies.

use super::flight::{
    ClassEntry, DepthFiles, Fault, FileFault, Flight, FlightCamera, FlightFrame, NamedFile, below_root,
};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use uavgen_geometry::{
    Body, Camera, Distortion, Ecef, Geodetic, GeometryError, Gimbal, ImageSize, Intrinsics, Ned, OpenGlCamera, Point,
    Transform, World, body_from_camera, opengl_from_camera, world_from_ned,
};
use uavgen_schemas::{DepthScale, WorldAxes};

/// The file that makes a folder a recording.
pub(crate) const CAMERAS_FILE: &str = "cameras.json";

/// Why a `cameras.json` cannot be used at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum CamerasFault {
    /// It is no JSON of this form.
    #[error("{problem}")]
    Json {
        /// Where and what.
        problem: String,
    },
    /// Two classes share what must tell them apart.
    #[error("`classes` has {what} twice")]
    Classes {
        /// What is there twice.
        what: String,
    },
    /// Only some classes have a colour.
    #[error("`classes` gives a colour to some classes only: masks have ids or colours, not both")]
    SomeColours,
    /// Depth files whose content is not stated, or in two ways.
    #[error("depth files: {problem}")]
    Depth {
        /// What is missing or too much.
        problem: &'static str,
    },
    /// The origin of earth-centred coordinates is missing, unusable, or not asked for.
    #[error("`origin`: {problem}")]
    Origin {
        /// What is wrong.
        problem: String,
    },
    /// Poses of a body need to know how the camera hangs from it.
    #[error("axes `frd` are those of the airframe: say how the camera looks out of it, `gimbal` = `forward` or `down`")]
    NoGimbal,
}

/// `cameras.json`, as written.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct CamerasFile {
    /// Axes of the camera.
    axes: Axes,
    /// Which way the matrices lead.
    pose: PoseDirection,
    /// Axes of the world.
    world: WorldAxes,
    /// Place that becomes the origin, where the axes of the world are `ecef`.
    #[serde(default)]
    origin: Option<OriginEntry>,
    /// Where the first pixel's centre lies.
    first_pixel: FirstPixel,
    /// How the camera looks out of the airframe, where `axes` are `frd`.
    #[serde(default)]
    gimbal: Option<GimbalSetting>,
    /// Mesh of the place, relative to the folder.
    #[serde(default)]
    mesh: Option<String>,
    /// Format of the depth files.
    #[serde(default)]
    depth_format: Option<DepthFormat>,
    /// What the depth files tell.
    #[serde(default)]
    depth_scale: Option<DepthScaleSetting>,
    /// Depth of a value of 1, of metric depth files.
    #[serde(default)]
    metres_per_unit: Option<f64>,
    /// Classes of the masks.
    #[serde(default)]
    classes: Vec<ClassEntry>,
    /// Cameras by name.
    cameras: BTreeMap<String, CameraEntry>,
    /// Frames in their order.
    frames: Vec<FrameEntry>,
}

/// Axes of the camera.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Axes {
    /// x right, y down, z forward.
    Opencv,
    /// x right, y up, z backward.
    Opengl,
    /// The airframe's: x forward, y right, z down.
    Frd,
}

/// Which way a matrix leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum PoseDirection {
    /// From the camera to the world: its last column is the camera's position.
    CameraToWorld,
    /// From the world to the camera.
    WorldToCamera,
}

/// What principal points are counted from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FirstPixel {
    /// The centre of the first pixel is (0.5, 0.5): coordinates from the corner of the image.
    Half,
    /// The centre of the first pixel is (0, 0), as in OpenCV.
    Zero,
}

/// Format of depth files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum DepthFormat {
    /// 16-bit grey, 0 = no value.
    Png,
    /// 32-bit floats as NumPy saves them; what is not finite is no value.
    Npy,
}

/// What depth files tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum DepthScaleSetting {
    /// Depth.
    Metric,
    /// Depth up to a factor and an offset.
    Affine,
    /// One over the depth up to a factor and an offset.
    AffineInverse,
}

/// A place on the ellipsoid of WGS84.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct OriginEntry {
    latitude_deg: f64,
    longitude_deg: f64,
    ellipsoid_m: f64,
}

/// How a camera looks out of the airframe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum GimbalSetting {
    Forward,
    Down,
}

/// A camera.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct CameraEntry {
    width: i64,
    height: i64,
    fx: f64,
    fy: f64,
    cx: f64,
    cy: f64,
    /// k1, k2, p1, p2, k3, in OpenCV's order.
    #[serde(default)]
    distortion: [f64; 5],
}

/// A frame.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct FrameEntry {
    /// Image, relative to the folder.
    image: String,
    /// Mask, relative to the folder.
    #[serde(default)]
    mask: Option<String>,
    /// Depth file, relative to the folder.
    #[serde(default)]
    depth: Option<String>,
    /// Name of its camera; may be left out where there is one.
    #[serde(default)]
    camera: Option<String>,
    /// Pose as a 4 x 4 matrix by rows.
    #[serde(default)]
    matrix: Option<[[f64; 4]; 4]>,
    /// Time in seconds, from any zero.
    #[serde(default)]
    time_s: Option<f64>,
}

/// Reads a `cameras.json` in a folder of the source.
///
/// # Errors
/// A file of another form.
pub(crate) fn read(bytes: &[u8], folder: &str) -> Result<Flight, FileFault> {
    let bad = |fault: CamerasFault| FileFault {
        reason: "bad_cameras_file",
        problem: format!("{fault}; see `posed-mesh` in the documentation of ingest"),
    };
    let file = CamerasFile::parse(bytes).map_err(bad)?;
    let origin = file.geodetic_origin().map_err(bad)?;
    let named = |name: &String| NamedFile { name: name.clone(), path: below_root(folder, name) };
    let camera = |(name, entry): (&String, &CameraEntry)| {
        let intrinsics = file.intrinsics(entry).map_err(|error| Fault::calibration(&error));
        (name.clone(), FlightCamera { intrinsics, is_of_any_size: false })
    };
    let frame = |entry: &FrameEntry| FlightFrame {
        image: named(&entry.image),
        mask: entry.mask.as_ref().map(named),
        depth: entry.depth.as_ref().map(named),
        camera: file.camera_of(entry).map(str::to_owned),
        pose: file.pose_of(entry, origin.as_ref()),
        time_s: entry.time_s,
    };
    let depth_files = file.depth_files().map_err(bad)?;
    let mesh = file.mesh.as_ref().map(named);
    Ok(Flight {
        // Recordings of one mesh show one place.
        place: mesh.as_ref().and_then(|mesh| mesh.path.clone()),
        world: file.world,
        origin,
        mesh,
        depth_files,
        cameras: file.cameras.iter().map(camera).collect(),
        frames: file.frames.iter().map(frame).collect(),
        classes: file.classes,
        consulted: Vec::new(),
        left_out: Vec::new(),
        notes: BTreeMap::new(),
    })
}

impl CamerasFile {
    /// Reads the file.
    fn parse(bytes: &[u8]) -> Result<Self, CamerasFault> {
        let file: Self =
            serde_json::from_slice(bytes).map_err(|error| CamerasFault::Json { problem: error.to_string() })?;
        file.check_classes()?;
        if file.axes == Axes::Frd && file.gimbal.is_none() {
            return Err(CamerasFault::NoGimbal);
        }
        Ok(file)
    }

    fn check_classes(&self) -> Result<(), CamerasFault> {
        let (mut values, mut names, mut colours) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for class in &self.classes {
            let twice = |what: String| Err(CamerasFault::Classes { what });
            if !values.insert(class.value) {
                return twice(format!("the value {}", class.value));
            }
            if !names.insert(class.name.as_str()) {
                return twice(format!("the name `{}`", class.name));
            }
            if class.colour.is_some_and(|colour| !colours.insert(colour)) {
                return twice(format!("the colour of `{}`", class.name));
            }
        }
        let coloured = self.classes.iter().filter(|class| class.colour.is_some()).count();
        if coloured == 0 || coloured == self.classes.len() { Ok(()) } else { Err(CamerasFault::SomeColours) }
    }

    /// What its depth files hold. Units are stated, of metric ones alone.
    fn depth_files(&self) -> Result<Option<DepthFiles>, CamerasFault> {
        let fault = |problem| Err(CamerasFault::Depth { problem });
        let (format, scale) = match (self.depth_format, self.depth_scale) {
            (Some(format), Some(scale)) => (format, scale),
            (None, None) if self.metres_per_unit.is_some() => {
                return fault("`metres_per_unit` goes with `depth_format`");
            }
            (None, None) if self.frames.iter().all(|frame| frame.depth.is_none()) => return Ok(None),
            _ => {
                return fault(
                    "state both `depth_format` (png, npy) and `depth_scale` (metric, affine, affine-inverse)",
                );
            }
        };
        let is_metric = scale == DepthScaleSetting::Metric;
        match self.metres_per_unit {
            Some(_) if !is_metric => return fault("`metres_per_unit` goes with `depth_scale` = `metric` only"),
            None if is_metric => return fault("`depth_scale` = `metric` needs `metres_per_unit`, e.g. 0.001 or 1.0"),
            Some(unit) if !(unit > 0.0 && unit.is_finite()) => return fault("`metres_per_unit` must be above 0"),
            _ => {}
        }
        Ok(Some(DepthFiles {
            format: if format == DepthFormat::Png { "png" } else { "npy" },
            scale: match scale {
                DepthScaleSetting::Metric => DepthScale::Metric,
                DepthScaleSetting::Affine => DepthScale::Affine,
                DepthScaleSetting::AffineInverse => DepthScale::AffineInverse,
            },
            metres_per_unit: self.metres_per_unit,
        }))
    }

    /// Name of the camera of a frame; null where none is told.
    fn camera_of<'a>(&'a self, frame: &'a FrameEntry) -> Option<&'a str> {
        let only = || if self.cameras.len() == 1 { self.cameras.keys().next().map(String::as_str) } else { None };
        frame.camera.as_deref().or_else(only)
    }

    /// The calibration of a camera.
    ///
    /// # Errors
    /// Numbers that no camera of this image size has.
    fn intrinsics(&self, camera: &CameraEntry) -> Result<Intrinsics, GeometryError> {
        let size = ImageSize::new(camera.width, camera.height)?;
        let CameraEntry { fx, fy, cx, cy, distortion, .. } = *camera;
        match self.first_pixel {
            FirstPixel::Half => Intrinsics::new(size, fx, fy, cx, cy, Distortion::from_opencv(distortion)),
            FirstPixel::Zero => {
                Intrinsics::from_opencv(size, [[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]], distortion)
            }
        }
    }

    /// The place that becomes the origin of earth-centred coordinates: the stated one, else that of the first camera whose pose is one.
    fn geodetic_origin(&self) -> Result<Option<Geodetic>, CamerasFault> {
        let fault = |problem: String| CamerasFault::Origin { problem };
        match (self.world, self.origin) {
            (WorldAxes::Ecef, Some(OriginEntry { latitude_deg, longitude_deg, ellipsoid_m })) => {
                let origin = Geodetic::new(latitude_deg, longitude_deg, ellipsoid_m);
                origin.map(Some).map_err(|error| fault(error.to_string()))
            }
            (WorldAxes::Ecef, None) => {
                let matrices = self.frames.iter().filter_map(|frame| frame.matrix);
                let position = |matrix| Some(self.pose_in::<Ecef>(matrix).ok()?.position());
                let first: Option<Point<Ecef>> = matrices.into_iter().find_map(position);
                let first = first.ok_or_else(|| fault("no frame has a pose that it could be taken from".into()))?;
                Geodetic::from_ecef(first).map(Some).map_err(|error| fault(error.to_string()))
            }
            (_, Some(_)) => Err(fault("goes with `world` = `ecef` only".into())),
            (_, None) => Ok(None),
        }
    }

    fn pose_of(&self, frame: &FrameEntry, origin: Option<&Geodetic>) -> Result<Transform<World, Camera>, Fault> {
        let matrix = frame.matrix.ok_or_else(|| Fault::new("no_pose", "it has no `matrix`"))?;
        self.world_from_camera(matrix, origin).map_err(|error| Fault::pose(&error))
    }

    /// A pose in our axes.
    ///
    /// # Errors
    /// A matrix that is no rotation and translation.
    fn world_from_camera(
        &self,
        matrix: [[f64; 4]; 4],
        origin: Option<&Geodetic>,
    ) -> Result<Transform<World, Camera>, GeometryError> {
        if let Some(origin) = origin {
            return Ok(origin.world_from_ecef() * self.pose_in::<Ecef>(matrix)?);
        }
        match self.world {
            WorldAxes::Enu | WorldAxes::Ecef => self.pose_in::<World>(matrix),
            WorldAxes::Ned => Ok(world_from_ned() * self.pose_in::<Ned>(matrix)?),
        }
    }

    fn pose_in<To: uavgen_geometry::Frame>(
        &self,
        matrix: [[f64; 4]; 4],
    ) -> Result<Transform<To, Camera>, GeometryError> {
        Ok(match self.axes {
            Axes::Opencv => self.directed::<To, Camera>(matrix)?,
            Axes::Opengl => self.directed::<To, OpenGlCamera>(matrix)? * opengl_from_camera(),
            Axes::Frd => {
                let gimbal = if self.gimbal == Some(GimbalSetting::Down) { Gimbal::Down } else { Gimbal::Forward };
                self.directed::<To, Body>(matrix)? * body_from_camera(gimbal)
            }
        })
    }

    fn directed<To: uavgen_geometry::Frame, From: uavgen_geometry::Frame>(
        &self,
        matrix: [[f64; 4]; 4],
    ) -> Result<Transform<To, From>, GeometryError> {
        match self.pose {
            PoseDirection::CameraToWorld => Transform::from_matrix(matrix),
            PoseDirection::WorldToCamera => Ok(Transform::<From, To>::from_matrix(matrix)?.inverse()),
        }
    }
}
