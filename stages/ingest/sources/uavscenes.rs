//! `uavscenes`: the runs of UAVScenes, as its archives unpack. Written from descriptions of the layout; no original was at hand.
//!
//! A run has `sampleinfos_interpolated.json`, images in a folder that ends in `_CAM`, and masks in another tree below a folder of the
//! run's own name. Poses are camera-to-world with OpenCV's axes; the world is local, z up, and that of the mesh of the place.

use super::flight::{Around, ClassEntry, Fault, FileFault, Flight, FlightCamera, FlightFrame, NamedFile};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use uavgen_geometry::{Camera, ImageSize, Intrinsics, Transform, World};
use uavgen_schemas::{ClassKind, Reject, WorldAxes};

/// The file that makes a folder a run.
pub(crate) const SAMPLES_FILE: &str = "sampleinfos_interpolated.json";

/// Places, by the start of the names of their runs.
const PLACES: [&str; 4] = ["AMtown", "AMvalley", "HKairport", "HKisland"];

/// Endings of the folders of masks in the run's folder, best first: ids, colours.
const MASK_FOLDERS: [&str; 2] = ["_CAM_label_id", "_CAM_label_color"];

/// Classes of the masks: value, name, what it is, colour. Values without a name are left out, and unknown where a mask has them.
const CLASSES: [(u16, &str, ClassKind, [u8; 3]); 19] = [
    (0, "background", ClassKind::Stuff, [0, 0, 0]),
    (1, "roof", ClassKind::Thing, [119, 11, 32]),
    (2, "dirt_motor_road", ClassKind::Ground, [180, 165, 180]),
    (3, "paved_motor_road", ClassKind::Ground, [128, 64, 128]),
    (4, "river", ClassKind::Stuff, [173, 216, 230]),
    (5, "pool", ClassKind::Thing, [0, 80, 100]),
    (6, "bridge", ClassKind::Thing, [150, 100, 100]),
    (9, "container", ClassKind::Thing, [250, 170, 30]),
    (10, "airstrip", ClassKind::Ground, [81, 0, 81]),
    (11, "traffic_barrier", ClassKind::Thing, [102, 102, 156]),
    (13, "green_field", ClassKind::Ground, [107, 142, 35]),
    (14, "wild_field", ClassKind::Ground, [210, 180, 140]),
    (15, "solar_board", ClassKind::Thing, [220, 220, 0]),
    (16, "umbrella", ClassKind::Thing, [153, 153, 153]),
    (17, "transparent_roof", ClassKind::Thing, [0, 0, 90]),
    (18, "car_park", ClassKind::Ground, [250, 170, 160]),
    (19, "paved_walk", ClassKind::Ground, [244, 35, 232]),
    (20, "sedan", ClassKind::Moving, [0, 0, 142]),
    (24, "truck", ClassKind::Moving, [0, 0, 70]),
];

/// One entry of the file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Sample {
    original_image_name: String,
    width: i64,
    height: i64,
    /// Camera matrix by rows.
    #[serde(rename = "P3x3")]
    matrix: Value,
    /// Camera to world by rows.
    #[serde(rename = "T4x4")]
    pose: Option<Value>,
    #[serde(default)]
    k1: f64,
    #[serde(default)]
    k2: f64,
    #[serde(default)]
    p1: f64,
    #[serde(default)]
    p2: f64,
    #[serde(default)]
    k3: f64,
}

/// A run: its folder, and what else tells it apart.
struct Run<'a> {
    folder: &'a str,
    around: &'a Around<'a>,
    /// Masks by the name of their image without its extension.
    masks: BTreeMap<&'a str, &'a String>,
}

/// Name of the run in a folder: its last part, without `interval5_`.
pub(crate) fn run_of(folder: &str) -> &str {
    let last = folder.rsplit('/').next().unwrap_or(folder);
    let interval = last.strip_prefix("interval").and_then(|rest| rest.split_once('_'));
    match interval {
        Some((digits, run)) if digits.bytes().all(|byte| byte.is_ascii_digit()) => run,
        _ => last,
    }
}

/// Place that a run shows; null where its name tells none.
fn place_of(run: &str) -> Option<&str> {
    let known = PLACES.into_iter().find(|place| run.starts_with(place));
    known.or_else(|| run.split(|letter: char| !letter.is_ascii_alphabetic()).next().filter(|name| !name.is_empty()))
}

/// Reads the samples of the run in a folder of the source.
///
/// # Errors
/// A file of another form.
pub(crate) fn read(bytes: &[u8], folder: &str, around: &Around<'_>) -> Result<Flight, FileFault> {
    let bad = |error: serde_json::Error| FileFault { reason: "bad_samples_file", problem: error.to_string() };
    let samples: Vec<Sample> = serde_json::from_slice(bytes).map_err(bad)?;
    let run = Run { folder, around, masks: masks(folder, around) };
    let (cameras, names) = cameras(&samples);
    let mut images = run.images();
    let count = samples.len();
    let mut frames = Vec::new();
    for (sample, camera) in samples.iter().zip(names) {
        // The file lists five times as many samples as some archives have images.
        let Some(path) = images.get_mut(file_name(&sample.original_image_name)) else { continue };
        path.1 = true;
        frames.push(run.frame(&path.0, Some(camera), sample.pose()));
    }
    let without_image = (count - frames.len()) as u64;
    for (path, _) in images.into_values().filter(|(_, is_used)| !is_used) {
        let missing = Fault::new("no_pose", format!("{SAMPLES_FILE} does not list it"));
        frames.push(run.frame(&path, cameras.keys().next().cloned(), Err(missing)));
    }
    frames.sort_by(|a, b| order_of(a).total_cmp(&order_of(b)).then_with(|| a.image.name.cmp(&b.image.name)));
    let place = place_of(run_of(folder)).map(str::to_owned);
    let mut flight = Flight {
        world: WorldAxes::Enu,
        origin: None,
        mesh: None,
        depth_files: None,
        classes: CLASSES.map(class).into(),
        cameras,
        frames,
        consulted: Vec::new(),
        left_out: Vec::new(),
        notes: [("poses_without_image", without_image)].into_iter().filter(|(_, count)| *count > 0).collect(),
        place,
    };
    run.find_mesh(&mut flight);
    Ok(flight)
}

fn class((value, name, kind, colour): (u16, &str, ClassKind, [u8; 3])) -> ClassEntry {
    ClassEntry { value, name: name.to_owned(), kind, colour: Some(colour) }
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn order_of(frame: &FlightFrame) -> f64 {
    frame.time_s.unwrap_or(f64::INFINITY)
}

/// The masks of a run, in folders of its own name anywhere in the source.
fn masks<'a>(folder: &str, around: &Around<'a>) -> BTreeMap<&'a str, &'a String> {
    let run = file_name(folder);
    let in_folder = |path: &'a String, ending: &str| {
        let mut parts = path.rsplit('/');
        let (name, folder, above) = (parts.next()?, parts.next()?, parts.next()?);
        let stem = name.strip_suffix(".png")?;
        (folder.ends_with(ending) && above == run).then_some((stem, path))
    };
    let mut masks = BTreeMap::new();
    for ending in MASK_FOLDERS {
        for (stem, path) in around.files.iter().filter_map(|path| in_folder(path, ending)) {
            masks.entry(stem).or_insert(path);
        }
    }
    masks
}

/// The cameras that differ, in the order in which they come first, and the name of that of each sample.
fn cameras(samples: &[Sample]) -> (BTreeMap<String, FlightCamera>, Vec<String>) {
    let (mut cameras, mut known) = (BTreeMap::new(), Vec::new());
    let mut names = Vec::new();
    for sample in samples {
        let key = (sample.width, sample.height, sample.matrix.to_string(), sample.distortion().map(f64::to_bits));
        let at = known.iter().position(|one| *one == key).unwrap_or_else(|| {
            known.push(key);
            known.len() - 1
        });
        let name = format!("camera{at}");
        cameras
            .entry(name.clone())
            .or_insert_with(|| FlightCamera { intrinsics: sample.intrinsics(), is_of_any_size: false });
        names.push(name);
    }
    (cameras, names)
}

/// The numbers of a matrix by rows, whether the rows are arrays of their own or not.
fn numbers<const COUNT: usize>(value: &Value) -> Option<[f64; COUNT]> {
    let flat = value.as_array()?.iter().flat_map(|part| match part {
        Value::Array(row) => row.iter().map(Value::as_f64).collect(),
        number => vec![number.as_f64()],
    });
    flat.collect::<Option<Vec<f64>>>()?.try_into().ok()
}

impl Sample {
    fn distortion(&self) -> [f64; 5] {
        [self.k1, self.k2, self.p1, self.p2, self.k3]
    }

    fn intrinsics(&self) -> Result<Intrinsics, Fault> {
        let no_matrix = || Fault::new("bad_calibration", "`P3x3` is no matrix of 3 x 3 numbers");
        let [fx, _, cx, _, fy, cy, ..] = numbers::<9>(&self.matrix).ok_or_else(no_matrix)?;
        let size = ImageSize::new(self.width, self.height).map_err(|error| Fault::calibration(&error))?;
        let matrix = [[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]];
        Intrinsics::from_opencv(size, matrix, self.distortion()).map_err(|error| Fault::calibration(&error))
    }

    fn pose(&self) -> Result<Transform<World, Camera>, Fault> {
        let value = self.pose.as_ref().filter(|value| !value.is_null());
        let value = value.ok_or_else(|| Fault::new("no_pose", "it has no `T4x4`"))?;
        let flat = numbers::<16>(value);
        let flat = flat.ok_or_else(|| Fault::new("bad_pose", "`T4x4` is no matrix of 4 x 4 numbers"))?;
        let rows = std::array::from_fn(|row| std::array::from_fn(|column| flat[4 * row + column]));
        Transform::from_matrix(rows).map_err(|error| Fault::pose(&error))
    }
}

impl Run<'_> {
    /// Paths of the images of the run by their names, each not used yet.
    fn images(&self) -> BTreeMap<&str, (String, bool)> {
        let mut images = BTreeMap::new();
        for path in self.around.files {
            let Some((folder, name)) = path.rsplit_once('/') else { continue };
            let (above, own) = folder.rsplit_once('/').unwrap_or(("", folder));
            let is_image = [".jpg", ".jpeg", ".png"].iter().any(|ending| name.to_ascii_lowercase().ends_with(ending));
            if above == self.folder && own.ends_with("_CAM") && is_image {
                images.entry(name).or_insert_with(|| (path.clone(), false));
            }
        }
        images
    }

    fn frame(&self, path: &str, camera: Option<String>, pose: Result<Transform<World, Camera>, Fault>) -> FlightFrame {
        let name = file_name(path);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        FlightFrame {
            image: NamedFile { name: name.to_owned(), path: Some(path.to_owned()) },
            mask: self.masks.get(stem).map(|path| NamedFile { name: (*path).clone(), path: Some((*path).clone()) }),
            depth: None,
            camera,
            pose,
            time_s: stem.parse().ok().filter(|time: &f64| time.is_finite()),
        }
    }

    /// The mesh below a folder that names the place. One that names none may be that of another place, whose coordinates overlap.
    fn find_mesh(&self, flight: &mut Flight) {
        let is_mesh =
            |path: &&String| ["mesh.ply", "mesh.obj"].contains(&file_name(path).to_ascii_lowercase().as_str());
        let place = flight.place.clone().unwrap_or_default().to_ascii_lowercase();
        let names_place = |path: &str| !place.is_empty() && path.to_ascii_lowercase().contains(&place);
        let mut meshes: Vec<&String> = self.around.files.iter().filter(is_mesh).collect();
        meshes.sort_by_key(|path| (!path.to_ascii_lowercase().ends_with(".ply"), path.len(), path.as_str()));
        let own = meshes.iter().find(|path| names_place(path));
        flight.mesh = own.map(|path| NamedFile { name: (*path).clone(), path: Some((*path).clone()) });
        let names_other = |path: &str| {
            let lower = path.to_ascii_lowercase();
            PLACES.iter().any(|other| lower.contains(&other.to_ascii_lowercase()))
        };
        let unknown = meshes.iter().find(|path| !names_other(path) && !names_place(path));
        if let (None, Some(path)) = (own, unknown) {
            let place = flight.place.as_deref().unwrap_or("the place");
            let detail = format!("{path} lies in no folder that names its place; put it below one called {place}");
            flight.left_out.push(Reject::rule("#mesh", "mesh_of_unknown_place", detail));
            flight.consulted.push((*path).clone());
        }
    }
}
