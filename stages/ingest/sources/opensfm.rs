//! `opensfm`: what OpenSfM and OpenDroneMap leave of a flight, `reconstruction.json`, and the mesh that OpenDroneMap makes of it.
//!
//! Its world is east, north, up in metres from an origin of its own; a shot's `rotation` (a rotation vector) and `translation` take
//! points of the world to the camera, whose axes are ours. Calibrations are in shares of the longer side of the image.

use super::flight::{Fault, FileFault, Flight, FlightCamera, FlightFrame, NamedFile, below_root};
use serde::Deserialize;
use std::collections::BTreeMap;
use uavgen_geometry::{Camera, Distortion, ImageSize, Intrinsics, Transform, World};
use uavgen_schemas::{Reject, WorldAxes};

/// The file that makes a folder a recording.
pub(crate) const RECONSTRUCTION_FILE: &str = "reconstruction.json";

/// The reconstruction before newer versions of OpenDroneMap moved it to the map's coordinates: where it is there, meshes that are
/// called `_geo` have those of [`RECONSTRUCTION_FILE`], else others.
const TOPOCENTRIC_FILE: &str = "reconstruction.topocentric.json";

/// Folder of the images, beside the reconstruction or above it.
pub(crate) const IMAGE_FOLDER: &str = "images";

/// Folder of a second reconstruction, of images whose distortion was taken out.
pub(crate) const UNDISTORTED_FOLDER: &str = "undistorted";

/// Endings that undistorted images have after the whole name of the image.
const UNDISTORTED_ENDINGS: [&str; 4] = ["", ".jpg", ".png", ".tif"];

/// Meshes in the coordinates of the reconstruction, below the project's folder, best first.
const MESHES: [&str; 6] = [
    "odm_texturing/odm_textured_model.obj",
    "odm_texturing_25d/odm_textured_model.obj",
    "odm_meshing/odm_mesh.ply",
    "odm_meshing/odm_25dmesh.ply",
    "mesh.ply",
    "mesh.obj",
];

/// Meshes in the coordinates of the map.
const GEO_MESHES: [&str; 2] =
    ["odm_texturing/odm_textured_model_geo.obj", "odm_texturing_25d/odm_textured_model_geo.obj"];

/// One reconstruction; what else it holds (points, rigs, biases) is passed over.
#[derive(Debug, Deserialize)]
struct Reconstruction {
    cameras: BTreeMap<String, CameraEntry>,
    shots: BTreeMap<String, Shot>,
}

#[derive(Debug, Deserialize)]
struct CameraEntry {
    projection_type: String,
    width: i64,
    height: i64,
    /// Of both axes, in the older form.
    focal: Option<f64>,
    focal_x: Option<f64>,
    focal_y: Option<f64>,
    #[serde(default)]
    c_x: f64,
    #[serde(default)]
    c_y: f64,
    #[serde(default)]
    k1: f64,
    #[serde(default)]
    k2: f64,
    #[serde(default)]
    k3: f64,
    #[serde(default)]
    p1: f64,
    #[serde(default)]
    p2: f64,
}

#[derive(Debug, Deserialize)]
struct Shot {
    camera: Option<String>,
    rotation: Option<[f64; 3]>,
    translation: Option<[f64; 3]>,
    /// Seconds, mostly whole ones.
    capture_time: Option<f64>,
}

/// Whether a file of this name is a list of reconstructions: reports have the same name, and are no list.
pub(crate) fn is_reconstruction(bytes: &[u8]) -> bool {
    bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[')
}

/// Folder that a reconstruction is the heart of: OpenDroneMap keeps it in a folder `opensfm` of the project.
pub(crate) fn project_of(folder: &str) -> &str {
    let inner = folder.strip_suffix(UNDISTORTED_FOLDER).map_or(folder, |above| above.trim_end_matches('/'));
    match inner.strip_suffix("opensfm") {
        Some(above) if above.is_empty() || above.ends_with('/') => above.trim_end_matches('/'),
        _ => inner,
    }
}

/// Reads a `reconstruction.json` in a folder of the source. `is_there` tells whether there is a file, by its path below the root.
///
/// # Errors
/// A file of another form.
pub(crate) fn read(bytes: &[u8], folder: &str, is_there: &dyn Fn(&str) -> bool) -> Result<Flight, FileFault> {
    let bad = |problem: String| FileFault { reason: "bad_reconstruction_file", problem };
    let all: Vec<Reconstruction> = serde_json::from_slice(bytes).map_err(|error| bad(error.to_string()))?;
    let largest = all.iter().enumerate().max_by_key(|(at, one)| (one.shots.len(), std::cmp::Reverse(*at)));
    let (number, largest) = largest.ok_or_else(|| bad("it has no reconstruction".to_owned()))?;
    let others = (0..).zip(&all).filter(|(at, _)| *at != number);
    let left_out = others.map(|(at, one)| smaller(at, one, largest)).collect();
    let mut flight = Flight {
        place: place_of(folder),
        world: WorldAxes::Enu,
        origin: None,
        mesh: None,
        depth_files: None,
        classes: Vec::new(),
        cameras: largest.cameras.iter().map(|(name, entry)| (name.clone(), entry.camera())).collect(),
        frames: frames(largest, folder, is_there),
        consulted: Vec::new(),
        left_out,
        notes: BTreeMap::new(),
    };
    find_mesh(&mut flight, folder, is_there);
    take_times(&mut flight);
    Ok(flight)
}

/// Parts that OpenDroneMap cut a project into show ground that they share.
fn place_of(folder: &str) -> Option<String> {
    let project = project_of(folder);
    let (above, _) = project.rsplit_once('/')?;
    let whole = above.strip_suffix("submodels")?;
    (whole.is_empty() || whole.ends_with('/')).then(|| above.to_owned())
}

fn smaller(number: usize, one: &Reconstruction, largest: &Reconstruction) -> Reject {
    let (count, most) = (one.shots.len(), largest.shots.len());
    let names: Vec<&str> = one.shots.keys().take(3).map(String::as_str).collect();
    let detail = format!(
        "reconstruction {number} of the file has {count} shots ({}, …) and does not join the largest one, which has {most}",
        names.join(", ")
    );
    Reject::rule(format!("#reconstruction{number}"), "smaller_reconstruction", detail)
        .measured(count as f64, Some(most as f64))
}

/// The shots by time, and by name where times are equal or missing.
fn frames(from: &Reconstruction, folder: &str, is_there: &dyn Fn(&str) -> bool) -> Vec<FlightFrame> {
    let mut shots: Vec<(&String, &Shot)> = from.shots.iter().collect();
    shots.sort_by(|(_, a), (_, b)| a.capture_time.unwrap_or(0.0).total_cmp(&b.capture_time.unwrap_or(0.0)));
    let frame = |(name, shot): (&String, &Shot)| FlightFrame {
        image: NamedFile { name: name.clone(), path: image_of(name, folder, is_there) },
        mask: None,
        depth: None,
        camera: shot.camera.clone(),
        pose: shot.pose(),
        time_s: shot.capture_time,
    };
    shots.into_iter().map(frame).collect()
}

/// The image of a shot: in the nearest folder `images`, beside the reconstruction or above it. Undistorted ones are beside it only, for
/// those above are distorted.
fn image_of(shot: &str, folder: &str, is_there: &dyn Fn(&str) -> bool) -> Option<String> {
    let is_undistorted = folder == UNDISTORTED_FOLDER || folder.ends_with(&format!("/{UNDISTORTED_FOLDER}"));
    if is_undistorted {
        let candidate = |ending: &&str| below_root(folder, &format!("{IMAGE_FOLDER}/{shot}{ending}"));
        return UNDISTORTED_ENDINGS.iter().filter_map(candidate).find(|path| is_there(path));
    }
    let mut at = Some(folder);
    while let Some(above) = at {
        let path = below_root(above, &format!("{IMAGE_FOLDER}/{shot}")).filter(|path| is_there(path));
        if path.is_some() {
            return path;
        }
        at = (!above.is_empty()).then(|| above.rsplit_once('/').map_or("", |(above, _)| above));
    }
    None
}

fn find_mesh(flight: &mut Flight, folder: &str, is_there: &dyn Fn(&str) -> bool) {
    let first = |names: &[&str]| {
        let mut paths = names.iter().filter_map(|name| below_root(project_of(folder), name));
        paths.find(|path| is_there(path)).map(|path| NamedFile { name: path.clone(), path: Some(path) })
    };
    let above = folder.strip_suffix(UNDISTORTED_FOLDER).map_or(folder, |above| above.trim_end_matches('/'));
    let moved = below_root(above, TOPOCENTRIC_FILE).filter(|path| is_there(path));
    match (first(&GEO_MESHES), first(&MESHES), moved) {
        (Some(geo), _, Some(moved)) => {
            flight.mesh = Some(geo);
            flight.consulted.push(moved);
        }
        (_, Some(mesh), _) => flight.mesh = Some(mesh),
        (Some(geo), None, None) => {
            flight.left_out.push(in_map_coordinates(&geo.name));
            flight.consulted.push(geo.name);
        }
        (None, None, _) => {}
    }
}

fn in_map_coordinates(mesh: &str) -> Reject {
    let detail = format!(
        "{mesh} has the coordinates of the map, the reconstruction those of its own; put odm_textured_model.obj or \
         odm_meshing/odm_mesh.ply of the same run there"
    );
    Reject::rule("#mesh", "mesh_in_map_coordinates", detail)
}

/// Capture times are whole seconds mostly, so frames of one second are no damage: where they do not tell an order, none is used.
fn take_times(flight: &mut Flight) {
    let times: Vec<Option<f64>> = flight.frames.iter().map(|frame| frame.time_s).collect();
    let rises = times.windows(2).all(|pair| matches!(pair, [Some(a), Some(b)] if a < b));
    if !rises || times.first().is_none_or(|time| time.is_none_or(|time| time <= 0.0)) {
        flight.frames.iter_mut().for_each(|frame| frame.time_s = None);
        flight.notes.insert("frames_whose_times_tell_no_order", times.len() as u64);
    }
}

impl Shot {
    fn pose(&self) -> Result<Transform<World, Camera>, Fault> {
        let (Some(rotation), Some(translation)) = (self.rotation, self.translation) else {
            return Err(Fault::new("no_pose", "it has no `rotation` or no `translation`"));
        };
        let camera_from_world = Transform::<Camera, World>::from_rotation_vector(rotation, translation);
        Ok(camera_from_world.map_err(|error| Fault::pose(&error))?.inverse())
    }
}

impl CameraEntry {
    fn camera(&self) -> FlightCamera {
        FlightCamera { intrinsics: self.intrinsics(), is_of_any_size: true }
    }

    fn intrinsics(&self) -> Result<Intrinsics, Fault> {
        let (k1, k2, k3, p1, p2) = match self.projection_type.as_str() {
            "perspective" | "radial" => (self.k1, self.k2, 0.0, 0.0, 0.0),
            "simple_radial" => (self.k1, 0.0, 0.0, 0.0, 0.0),
            "brown" => (self.k1, self.k2, self.k3, self.p1, self.p2),
            other => {
                let known = "perspective, simple_radial, radial and brown are known";
                return Err(Fault::new("unsupported_camera_model", format!("projection_type `{other}`; {known}")));
            }
        };
        let (Some(focal_x), Some(focal_y)) = (self.focal_x.or(self.focal), self.focal_y.or(self.focal)) else {
            return Err(Fault::new("bad_calibration", "it has no `focal`, or no `focal_x` and `focal_y`"));
        };
        let distortion = Distortion::from_opencv([k1, k2, p1, p2, k3]);
        let size = ImageSize::new(self.width, self.height).map_err(|error| Fault::calibration(&error))?;
        Intrinsics::from_opensfm(size, [focal_x, focal_y], [self.c_x, self.c_y], distortion)
            .map_err(|error| Fault::calibration(&error))
    }
}
