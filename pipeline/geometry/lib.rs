//! Geometry: boxes in the `image` frame, and frames, rigid transforms and cameras in space.
//!
//! Every stage and the answer language measure boxes with the functions of this crate, so that "inside", "overlaps"
//! and "half covered" mean the same in a filter, in a question and in the audit of a release.
//!
//! Frame: `image`, continuous pixels, origin at the top-left *corner* of the image as delivered, x to the right, y
//! down; pixel centres lie at .5. Boxes are half-open `x1 <= x < x2`, `y1 <= y < y2`, so a box that ends where another
//! one starts shares no point with it. Two types keep the two scales apart: [`Box2`] is in pixels, [`NormalisedBox`]
//! in shares of the image sides; neither can be passed for the other.
//!
//! In space the frame is part of the type: [`Point<World>`], [`Direction<Camera>`], [`Transform<World, Camera>`]. Rotations
//! are checked where they come in, and other axes (OpenGL, NED, body) are converted there. All of it is f64, so that coordinates of
//! millions of metres keep their millimetres; what becomes f32 (meshes) is taken from an origin of its own first. [`Intrinsics`] leads from the camera to the image and back.
//!
//! What stands in the world has a [`GroundBox`], whose sides are vertical, on request an [`OrientedBox`] at any angle. Both
//! rest on plane geometry ([`convex_hull`], [`smallest_rectangle`], [`common_polygon`]) that is defined for every set of
//! points, also for one point, a line and a plane.

mod axes;
mod box2;
mod camera;
mod coverage;
mod distortion;
mod error;
mod frames;
mod geodetic;
mod ground_box;
mod hull;
mod image_size;
mod normalised;
mod obb;
mod records;
mod rectangle;
#[cfg(test)]
mod tests;
mod transform;

pub use axes::{Gimbal, body_from_camera, camera_from_body, camera_from_opengl, opengl_from_camera};
pub use axes::{ned_from_world, world_from_ned};
pub use box2::Box2;
pub use camera::{Intrinsics, Pixel};
pub use distortion::Distortion;
pub use error::GeometryError;
pub use frames::{Body, Camera, Direction, Frame, Ned, OpenGlCamera, Point, World};
pub use geodetic::{Ecef, Geodetic};
pub use ground_box::GroundBox;
pub use hull::{common_polygon, convex_hull, polygon_area};
pub use image_size::ImageSize;
pub use normalised::{NormalisedBox, round_share};
pub use obb::{OrientedBox, smallest_oriented_box};
pub use rectangle::{Rectangle, smallest_rectangle};
pub use transform::{ROTATION_TOLERANCE, Transform};
