//! Other people's axes. Importers convert at the door; inside there are only [`World`], [`Camera`] and [`Body`].

use crate::frames::{Ned, OpenGlCamera};
use crate::{Body, Camera, Frame, Transform, World};
use nalgebra::{Matrix3, Vector3};

/// How a camera hangs in the airframe when its gimbal angles are all zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gimbal {
    /// It looks where the nose points; the top of the image is up.
    Forward,
    /// It looks straight down; the top of the image points forward.
    Down,
}

/// From the camera axes of OpenGL and Blender (y up, z backward).
///
/// ```
/// use uavgen_geometry::{Point, camera_from_opengl};
/// assert_eq!(camera_from_opengl() * Point::new(1.0, 2.0, -3.0), Point::new(1.0, -2.0, 3.0));
/// ```
pub fn camera_from_opengl() -> Transform<Camera, OpenGlCamera> {
    permutation([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]])
}

/// To the camera axes of OpenGL and Blender: `world_from_opengl * opengl_from_camera()` is the pose in our axes.
pub fn opengl_from_camera() -> Transform<OpenGlCamera, Camera> {
    camera_from_opengl().inverse()
}

/// From north, east, down about the same origin.
///
/// ```
/// use uavgen_geometry::{Point, world_from_ned};
/// assert_eq!(world_from_ned() * Point::new(1.0, 2.0, -30.0), Point::new(2.0, 1.0, 30.0));
/// ```
pub fn world_from_ned() -> Transform<World, Ned> {
    permutation([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
}

/// To north, east, down about the same origin.
pub fn ned_from_world() -> Transform<Ned, World> {
    world_from_ned().inverse()
}

/// From the airframe to a camera in its centre whose gimbal angles are all zero. The lever arm and the angles are the
/// importer's matter.
///
/// ```
/// use uavgen_geometry::{Gimbal, Point, camera_from_body};
/// let ahead_right_below = Point::new(9.0, 2.0, 5.0);
/// assert_eq!(camera_from_body(Gimbal::Forward) * ahead_right_below, Point::new(2.0, 5.0, 9.0));
/// assert_eq!(camera_from_body(Gimbal::Down) * ahead_right_below, Point::new(2.0, -9.0, 5.0));
/// ```
pub fn camera_from_body(gimbal: Gimbal) -> Transform<Camera, Body> {
    permutation(match gimbal {
        Gimbal::Forward => [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]],
        Gimbal::Down => [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
    })
}

/// From such a camera to the airframe.
pub fn body_from_camera(gimbal: Gimbal) -> Transform<Body, Camera> {
    camera_from_body(gimbal).inverse()
}

/// A transform from a signed permutation of the axes, by rows, that turns and does not mirror.
fn permutation<To: Frame, From: Frame>(rows: [[f64; 3]; 3]) -> Transform<To, From> {
    Transform::from_rigid(Matrix3::from_fn(|row, column| rows[row][column]), Vector3::zeros())
}
