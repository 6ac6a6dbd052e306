//! What stands in a place: objects that were lifted from masks, the pieces of masks that became none, and how objects lie to each other.

use crate::record;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
