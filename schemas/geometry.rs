//! How images hang together in space: calibrated cameras, where they were, and what is known of the place.
//!
//! The `world` frame is local east, north, up in metres; the `camera` frame is x right, y down, z forward. Coordinates are those of
//! the source's own files, turned to these axes: two recordings of one mesh share them.

use crate::record;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A calibrated camera of a recording (intrinsics), with the lens model of Brown and Conrady.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Camera {
    /// `<recording_id>#<name of the camera in its source>`.
    pub camera_id: String,
    /// Recording that it took.
    pub recording_id: String,
    /// Width of its images.
    #[schemars(extend("x-unit" = "px"))]
    pub width: i64,
    /// Height of its images.
    #[schemars(extend("x-unit" = "px"))]
    pub height: i64,
    /// Horizontal focal length.
    #[schemars(extend("x-unit" = "px"))]
    pub fx: f64,
    /// Vertical focal length.
    #[schemars(extend("x-unit" = "px"))]
    pub fy: f64,
    /// Column of the principal point, from the left *edge* of the image: half a pixel more than OpenCV's.
    #[schemars(extend("x-unit" = "px", "x-frame" = "image"))]
    pub cx: f64,
    /// Row of the principal point, from the top *edge* of the image.
    #[schemars(extend("x-unit" = "px", "x-frame" = "image"))]
    pub cy: f64,
    /// First radial coefficient of the distortion; 0 in all five is a pinhole.
    pub k1: f64,
    /// Second radial coefficient.
    pub k2: f64,
    /// Third radial coefficient.
    pub k3: f64,
    /// First tangential coefficient.
    pub p1: f64,
    /// Second tangential coefficient.
    pub p2: f64,
}
record!(Camera, "cameras", 1, camera_id);

/// Where a camera was, and how it was turned, when it took a frame (extrinsics): `point_world = R(q) * point_camera + (x, y, z)`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pose {
    /// Frame that was taken.
    pub frame_id: String,
    /// Recording of the frame.
    pub recording_id: String,
    /// Camera that took it.
    pub camera_id: String,
    /// Position of the camera, east.
    #[schemars(extend("x-unit" = "m", "x-frame" = "world"))]
    pub x: f64,
    /// Position of the camera, north.
    #[schemars(extend("x-unit" = "m", "x-frame" = "world"))]
    pub y: f64,
    /// Position of the camera, up.
    #[schemars(extend("x-unit" = "m", "x-frame" = "world"))]
    pub z: f64,
    /// Rotation from the camera to the world as a unit quaternion: first vector component.
    pub qx: f64,
    /// Second vector component.
    pub qy: f64,
    /// Third vector component.
    pub qz: f64,
    /// Scalar component, never negative.
    pub qw: f64,
}
record!(Pose, "poses", 1, frame_id);

/// Axes of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorldAxes {
    /// East, north, up.
    Enu,
    /// North, east, down.
    Ned,
    /// Earth-centred, Earth-fixed, of WGS84.
    Ecef,
}

/// The surface of the place that a recording shows, as a file of its source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mesh {
    /// Recording that shows it; one mesh may be that of several.
    pub recording_id: String,
    /// Path relative to the root of its source, `/`-separated.
    pub file: String,
    /// BLAKE3 of the file, hexadecimal.
    pub digest: String,
    /// Size of the file.
    #[schemars(extend("x-unit" = "byte"))]
    pub byte_count: i64,
    /// `ply` or `obj`, by the file's name.
    pub format: String,
    /// Axes of its coordinates; those of `ned` are turned when it is read, those of `ecef` are moved to the origin below.
    pub axes: WorldAxes,
    /// Latitude on WGS84 of the place that is the origin of the world; null where the axes are not `ecef`.
    #[schemars(extend("x-unit" = "deg"))]
    pub origin_latitude_deg: Option<f64>,
    /// Longitude of the origin; null as the latitude is.
    #[schemars(extend("x-unit" = "deg"))]
    pub origin_longitude_deg: Option<f64>,
    /// Height of the origin above the ellipsoid; null as the latitude is.
    #[schemars(extend("x-unit" = "m"))]
    pub origin_ellipsoid_m: Option<f64>,
}
record!(Mesh, "meshes", 2, recording_id);

/// The semantic label of every pixel of a frame, as a file of its source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mask {
    /// Frame that it labels, pixel by pixel.
    pub frame_id: String,
    /// Recording of the frame.
    pub recording_id: String,
    /// Path relative to the root of its source, `/`-separated.
    pub file: String,
    /// BLAKE3 of the file, hexadecimal.
    pub digest: String,
    /// Size of the file.
    #[schemars(extend("x-unit" = "byte"))]
    pub byte_count: i64,
    /// Pixel layout found in the bytes, as in `frames`: grey values and palette indices are ids, colours are looked up.
    pub pixel_layout: String,
}
record!(Mask, "masks", 1, frame_id);

/// What a class is, as far as lifting it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClassKind {
    /// Countable and part of the mesh: buildings, containers.
    Thing,
    /// Countable and moving, and so no part of the mesh: vehicles, people.
    Moving,
    /// Ground that things stand on: roads, fields.
    Ground,
    /// Anything else that is not counted: water, walls, what nobody labelled.
    Stuff,
}

/// A class of the masks of a recording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaskClass {
    /// `<recording_id>#<value>`.
    pub class_id: String,
    /// Recording whose masks have it.
    pub recording_id: String,
    /// Its value in the masks.
    pub value: i64,
    /// Name, e.g. `building`.
    pub name: String,
    /// What it is.
    pub kind: ClassKind,
    /// Red of its colour in masks of colours; null where they have ids.
    pub red: Option<i64>,
    /// Green of its colour; null as `red` is.
    pub green: Option<i64>,
    /// Blue of its colour; null as `red` is.
    pub blue: Option<i64>,
}
record!(MaskClass, "mask_classes", 1, class_id);

/// What the values of a recorded depth tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DepthScale {
    /// Depth along the optical axis, in known units.
    Metric,
    /// Depth up to a factor and an offset that nobody knows, larger = farther.
    Affine,
    /// One over the depth up to a factor and an offset that nobody knows, larger = nearer.
    AffineInverse,
}

/// Depth of a frame that its source brings along, from whichever sensor or estimator, as a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordedDepth {
    /// Frame, of whose image each pixel has a value.
    pub frame_id: String,
    /// Recording of the frame.
    pub recording_id: String,
    /// Path relative to the root of its source, `/`-separated.
    pub file: String,
    /// BLAKE3 of the file, hexadecimal.
    pub digest: String,
    /// Size of the file.
    #[schemars(extend("x-unit" = "byte"))]
    pub byte_count: i64,
    /// `png` (16-bit grey, 0 = no value) or `npy` (32-bit floats, what is not finite = no value).
    pub format: String,
    /// What the values tell.
    pub scale: DepthScale,
    /// Depth of a value of 1; null where the scale is not metric.
    #[schemars(extend("x-unit" = "m"))]
    pub metres_per_unit: Option<f64>,
}
record!(RecordedDepth, "recorded_depths", 1, frame_id);

/// Where depth comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DepthSource {
    /// Rendered from the mesh of the place: what moves is not in it.
    Mesh,
    /// Metric depth that the source brought along: what moves is in it.
    Recorded,
    /// Depth of unknown factor and offset that the source brought along, aligned to the mesh: what moves is in it.
    Aligned,
}

/// How far the surface in every pixel of a frame is: along the optical axis of its camera (z, not the length of the ray).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DepthMap {
    /// Frame, of whose image each pixel has a depth.
    pub frame_id: String,
    /// Recording of the frame.
    pub recording_id: String,
    /// Where the depth comes from.
    pub source: DepthSource,
    /// 16-bit grey PNG: value times `step_m` is the depth, 0 = no surface.
    pub path: String,
    /// BLAKE3 of that file, hexadecimal.
    pub digest: String,
    /// Size of that file.
    #[schemars(extend("x-unit" = "byte"))]
    pub byte_count: i64,
    /// Step of its values, one for all frames of the recording: the finest that reaches the farthest surface.
    #[schemars(extend("x-unit" = "m"))]
    pub step_m: f64,
    /// The same without loss: 32-bit floats in metres, 0 = no surface, as NPY compressed with Zstandard.
    pub floats_path: String,
    /// BLAKE3 of that file, hexadecimal.
    pub floats_digest: String,
    /// Depth of the nearest surface.
    #[schemars(extend("x-unit" = "m"))]
    pub min_m: f64,
    /// Depth of the farthest surface.
    #[schemars(extend("x-unit" = "m"))]
    pub max_m: f64,
    /// Mean over the pixels that show a surface.
    #[schemars(extend("x-unit" = "m"))]
    pub mean_m: f64,
    /// Share of the pixels that show a surface, above 0.
    pub known_share: f64,
}
record!(DepthMap, "depth_maps", 1, frame_id);
