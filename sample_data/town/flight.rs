//! The two flights: cameras, poses, and the conventions in which each is written down.

use crate::plane::{Point as GroundPoint, point};
use crate::town::ground::from_town;
use uavgen_geometry::{Camera, Distortion, ImageSize, Intrinsics, Transform, World};

/// Frames of each flight.
pub(crate) const FRAME_COUNT: u32 = 8;
/// Time between two frames.
pub(crate) const SECONDS_PER_FRAME: f64 = 0.5;

const WIDTH: i64 = 640;
const HEIGHT: i64 = 512;

/// How a flight's `cameras.json` is to be read; the two flights differ in all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Convention {
    /// Axes of OpenCV, matrices from camera to world, the first pixel's centre at (0.5, 0.5).
    OpenCvCameraToWorld,
    /// Axes of OpenGL, matrices from world to camera, the first pixel's centre at (0, 0).
    OpenGlWorldToCamera,
}

/// A recording. Both start at the same moment.
#[derive(Debug, Clone)]
pub(crate) struct Flight {
    pub(crate) name: &'static str,
    pub(crate) convention: Convention,
    pub(crate) camera: Intrinsics,
    /// One pose per frame.
    pub(crate) poses: Vec<Transform<World, Camera>>,
}

/// Time of a frame, counted from 0, since the first.
pub(crate) fn seconds(frame: u32) -> f64 {
    f64::from(frame) * SECONDS_PER_FRAME
}

/// Both flights.
pub(crate) fn flights() -> [Flight; 2] {
    [nadir(), oblique()]
}

/// Straight to the north-east at 12 m/s, 80 m up, the top of the image to the north; a lens with some distortion.
fn nadir() -> Flight {
    let lens = Distortion { k1: -0.09, k2: 0.025, p1: 0.0008, p2: -0.0006, k3: 0.0 };
    let camera = camera(520.0, (322.5, 253.0), lens);
    let poses = (0..FRAME_COUNT).map(|frame| {
        let place = point(-17.0, -10.0) + point(0.8, 0.6) * (12.0 * seconds(frame));
        looking([place.x, place.y, 80.0], [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]])
    });
    Flight { name: "nadir", convention: Convention::OpenCvCameraToWorld, camera, poses: poses.collect() }
}

/// Round the middle of the town at 72 m from it, 62 m up, looking inwards and 50 degrees down: about 5 m each frame.
fn oblique() -> Flight {
    let camera = camera(600.0, (320.0, 256.0), Distortion::NONE);
    let mut outwards = from_town(point(-0.28, -0.96));
    let mut poses = Vec::new();
    for _ in 0..FRAME_COUNT {
        let place = outwards * 72.0;
        poses.push(looking([place.x, place.y, 62.0], inwards(outwards)));
        // By twice the angle whose tangent is 1/28, about 4.1 degrees: a rotation of rational numbers.
        let (cosine, sine) = (783.0 / 785.0, 56.0 / 785.0);
        outwards = outwards * cosine + outwards.left() * sine;
    }
    Flight { name: "oblique", convention: Convention::OpenGlWorldToCamera, camera, poses }
}

/// Rotation, by rows, of a camera that looks against a horizontal unit vector and 50 degrees down.
fn inwards(outwards: GroundPoint) -> [[f64; 3]; 3] {
    // Tangent of 50 degrees.
    const DOWN: f64 = 1.191_753_592_594_21;
    let length = (1.0 + DOWN * DOWN).sqrt();
    let (level, down) = (1.0 / length, DOWN / length);
    let ahead = outwards * -1.0;
    let right = ahead.left() * -1.0;
    [[right.x, -down * ahead.x, level * ahead.x], [right.y, -down * ahead.y, level * ahead.y], [0.0, -level, -down]]
}

fn camera(focal: f64, (cx, cy): (f64, f64), distortion: Distortion) -> Intrinsics {
    let size = ImageSize::new(WIDTH, HEIGHT).expect("sides are positive");
    Intrinsics::new(size, focal, focal, cx, cy, distortion).expect("the principal point is near the centre")
}

fn looking(position: [f64; 3], rotation: [[f64; 3]; 3]) -> Transform<World, Camera> {
    Transform::new(rotation, position).expect("the columns are right, down and ahead: a rotation")
}
