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

/// What the place of an instance comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlacedBy {
    /// The depth of its own pixels.
    Depth,
    /// The ground that the rays of its outline meet: what moves is in no mesh.
    GroundRays,
}

/// Where a heading comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HeadingSource {
    /// The way that the object went between this frame and a neighbouring one.
    Motion,
}

/// An object as one frame shows it, with the upright box (gravity-aligned OBB) that it stands in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// `<frame_id>#<position>`, from 0 in the order of first pixels.
    pub instance_id: String,
    /// Frame that shows it.
    pub frame_id: String,
    /// Recording of the frame.
    pub recording_id: String,
    /// `<recording_id>#object<number>`: the same for one object over all frames of the recording.
    pub object_id: String,
    /// Name of its class in the masks.
    pub category: String,
    /// Whether it may move between frames.
    pub moving: bool,
    /// Number of its pixels.
    pub pixels: i64,
    /// Left edge of the box round its pixels.
    #[schemars(extend("x-unit" = "px", "x-frame" = "image"))]
    pub x1: f64,
    /// Top edge.
    #[schemars(extend("x-unit" = "px", "x-frame" = "image"))]
    pub y1: f64,
    /// Right edge, exclusive.
    #[schemars(extend("x-unit" = "px", "x-frame" = "image"))]
    pub x2: f64,
    /// Bottom edge, exclusive.
    #[schemars(extend("x-unit" = "px", "x-frame" = "image"))]
    pub y2: f64,
    /// Whether it touches the border of the image, so that part of it may lie outside.
    pub truncated: bool,
    /// Share of the area that its box covers in the image that are its pixels, at most 1; null where the box is partly behind the
    /// camera, and of what was placed by rays.
    pub visibility: Option<f64>,
    /// What its place comes from.
    pub placed_by: PlacedBy,
    /// Centre of the footprint, east.
    #[schemars(extend("x-unit" = "m", "x-frame" = "world"))]
    pub x: f64,
    /// Centre of the footprint, north.
    #[schemars(extend("x-unit" = "m", "x-frame" = "world"))]
    pub y: f64,
    /// Base of the box, up: the local ground where that is seen.
    #[schemars(extend("x-unit" = "m", "x-frame" = "world"))]
    pub base_z: f64,
    /// Top of the box, up; null of what was placed by rays.
    #[schemars(extend("x-unit" = "m", "x-frame" = "world"))]
    pub top_z: Option<f64>,
    /// Longer horizontal side.
    #[schemars(extend("x-unit" = "m"))]
    pub length_m: f64,
    /// Shorter horizontal side.
    #[schemars(extend("x-unit" = "m"))]
    pub width_m: f64,
    /// Area of the footprint.
    #[schemars(extend("x-unit" = "m²"))]
    pub footprint_m2: f64,
    /// Height of the top above the local ground; null where no ground is seen near it, and of what was placed by rays.
    #[schemars(extend("x-unit" = "m"))]
    pub height_m: Option<f64>,
    /// Angle of the longer side from east towards north, 0 to below π: an axis has no front.
    #[schemars(extend("x-unit" = "rad", "x-frame" = "world"))]
    pub axis_yaw_rad: f64,
    /// Way that its front points, clockwise from north, 0 to below 2π; null where nothing tells it.
    #[schemars(extend("x-unit" = "rad", "x-frame" = "world"))]
    pub heading_rad: Option<f64>,
    /// What the heading comes from; null where there is none.
    pub heading_source: Option<HeadingSource>,
    /// Distance from the camera to its nearest visible point.
    #[schemars(extend("x-unit" = "m"))]
    pub distance_m: f64,
    /// Class of the ground that it stands on: the one that makes up nearly all of the ground seen at its rim; null where no ground
    /// is seen there, or several classes share it.
    pub surface: Option<String>,
}
record!(Instance, "instances", 2, instance_id);

/// Why a piece of a mask is no instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FragmentReason {
    /// Fewer pixels than an object must have.
    TooSmall,
    /// As thin as the rim of a mask.
    TooThin,
    /// A loose region round smaller objects of its class.
    LooseRegion,
    /// No pixel of it has a depth.
    NoDepth,
    /// No ray of its outline meets the ground.
    NoGround,
    /// The masks have a value or colour there that no class has.
    UnknownClass,
}

/// A piece of a mask that became no instance: something that is there and not known well enough. It is never an answer, and
/// blocks every answer that it could change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fragment {
    /// `<frame_id>#fragment<position>`, from 0 in the order of first pixels.
    pub fragment_id: String,
    /// Frame that shows it.
    pub frame_id: String,
    /// Recording of the frame.
    pub recording_id: String,
    /// Name of its class in the masks; null where no class has its value or colour, so that it may be of any.
    pub category: Option<String>,
    /// Why it is no instance.
    pub reason: FragmentReason,
    /// Instance of the same frame and class that it surely is a piece of, since it lies in its box; null where there is none.
    pub part_of: Option<String>,
    /// Number of its pixels.
    pub pixels: i64,
    /// Left edge of the box round its pixels.
    #[schemars(extend("x-unit" = "px", "x-frame" = "image"))]
    pub x1: f64,
    /// Top edge.
    #[schemars(extend("x-unit" = "px", "x-frame" = "image"))]
    pub y1: f64,
    /// Right edge, exclusive.
    #[schemars(extend("x-unit" = "px", "x-frame" = "image"))]
    pub x2: f64,
    /// Bottom edge, exclusive.
    #[schemars(extend("x-unit" = "px", "x-frame" = "image"))]
    pub y2: f64,
}
record!(Fragment, "fragments", 1, fragment_id);

/// How two boxes lie to each other in height.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Vertical {
    /// The base of the subject is higher than the top of the object.
    Above,
    /// The top of the subject is lower than the base of the object.
    Below,
    /// Some height is that of both.
    Level,
}

/// How two instances of a frame lie to each other, of which one is among the nearest of the other. The other way round `bearing_rad` is
/// turned by π, and above is below. On which ground an instance stands is its `surface`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Relation {
    /// `<frame_id>#<position of the subject>-<position of the object>`.
    pub relation_id: String,
    /// Frame that shows both.
    pub frame_id: String,
    /// Recording of the frame.
    pub recording_id: String,
    /// Instance that comes first on the frame.
    pub subject: String,
    /// Instance that comes behind it.
    pub object: String,
    /// Distance between the centres of the boxes; null where the top of one is unknown.
    #[schemars(extend("x-unit" = "m"))]
    pub centre_distance_m: Option<f64>,
    /// Distance between the centres of the footprints over the ground.
    #[schemars(extend("x-unit" = "m"))]
    pub ground_distance_m: f64,
    /// Distance between the nearest points of the boxes, 0 where they touch; null where it hangs on an unknown top.
    #[schemars(extend("x-unit" = "m"))]
    pub gap_m: Option<f64>,
    /// Direction from the footprint centre of the subject to that of the object, clockwise from north, 0 to below 2π; null where they
    /// coincide.
    #[schemars(extend("x-unit" = "rad", "x-frame" = "world"))]
    pub bearing_rad: Option<f64>,
    /// How the subject lies to the object in height; null where it hangs on an unknown top.
    pub vertical: Option<Vertical>,
    /// Whether the gap is at most `near_sizes` (a setting) times the geometric mean of their lengths; null where that hangs on an
    /// unknown top.
    pub near: Option<bool>,
}
record!(Relation, "relations", 1, relation_id);

/// What instances along a line are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ArrangementKind {
    /// Three, of which the middle one lies between the other two.
    Between,
    /// At least three of one class, in a straight line and evenly spaced.
    Row,
}

/// Three or more instances of a frame along a line over the ground, measured by the centres of their footprints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arrangement {
    /// `<frame_id>#arrangement<position>`, from 0 in the order of kinds, then of members.
    pub arrangement_id: String,
    /// Frame that shows them.
    pub frame_id: String,
    /// Recording of the frame.
    pub recording_id: String,
    /// What they are.
    pub kind: ArrangementKind,
    /// Instances from one end to the other; of the two ends the one that comes first on the frame is first.
    pub members: Vec<String>,
    /// Distance between both ends.
    #[schemars(extend("x-unit" = "m"))]
    pub length_m: f64,
    /// Direction from the first to the last, clockwise from north, 0 to below 2π.
    #[schemars(extend("x-unit" = "rad", "x-frame" = "world"))]
    pub bearing_rad: f64,
    /// Largest distance of a member from the line between both ends.
    #[schemars(extend("x-unit" = "m"))]
    pub deviation_m: f64,
    /// Mean way along the line from one member to the next.
    #[schemars(extend("x-unit" = "m"))]
    pub spacing_m: f64,
    /// Largest difference of such a way from the mean.
    #[schemars(extend("x-unit" = "m"))]
    pub spacing_deviation_m: f64,
}
record!(Arrangement, "arrangements", 1, arrangement_id);

/// A small box at any angle round the points that a frame shows of an instance: written where `with_oriented_box` asks for it, and not for
/// what was placed by rays. It is round what is seen, not what is known to be hidden, and noise swells it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OrientedBox {
    /// Instance whose points it is round.
    pub instance_id: String,
    /// Frame that shows it.
    pub frame_id: String,
    /// Recording of the frame.
    pub recording_id: String,
    /// Centre, east.
    #[schemars(extend("x-unit" = "m", "x-frame" = "world"))]
    pub x: f64,
    /// Centre, north.
    #[schemars(extend("x-unit" = "m", "x-frame" = "world"))]
    pub y: f64,
    /// Centre, up.
    #[schemars(extend("x-unit" = "m", "x-frame" = "world"))]
    pub z: f64,
    /// Longest side.
    #[schemars(extend("x-unit" = "m"))]
    pub length_m: f64,
    /// Middle side.
    #[schemars(extend("x-unit" = "m"))]
    pub width_m: f64,
    /// Shortest side; 0 of points in a plane.
    #[schemars(extend("x-unit" = "m"))]
    pub thickness_m: f64,
    /// Rotation to the world from the box, whose axes x, y and z are its sides in their order, as a unit quaternion: first vector
    /// component.
    pub qx: f64,
    /// Second vector component.
    pub qy: f64,
    /// Third vector component.
    pub qz: f64,
    /// Scalar component, never negative.
    pub qw: f64,
}
record!(OrientedBox, "oriented_boxes", 1, instance_id);
