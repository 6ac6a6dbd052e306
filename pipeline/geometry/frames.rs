//! Frames as types, and points and directions that know theirs.

use nalgebra::Vector3;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::{Add, Mul, Sub};

/// A coordinate frame of three axes in metres. It exists at compile time only.
pub trait Frame: Copy + Debug + PartialEq + Send + Sync + 'static {}

/// Local east, north, up, in metres from the origin of the source: large coordinates (UTM) stay as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct World;

/// The camera: x to the right of the image, y down, z forward along the optical axis (the axes of OpenCV).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Camera;

/// The airframe: x forward, y to the right wing, z down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Body;

/// The camera with the axes of OpenGL and Blender: x right, y up, z backward. Only importers meet it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenGlCamera;

/// Local north, east, down from the same origin as [`World`]. Only importers meet it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ned;

impl Frame for World {}
impl Frame for Camera {}
impl Frame for Body {}
impl Frame for OpenGlCamera {}
impl Frame for Ned {}

/// A place in frame `F`, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point<F: Frame> {
    pub(crate) vector: Vector3<f64>,
    frame: PhantomData<F>,
}

/// A displacement or direction in frame `F`: transforms turn it and do not move it. It need not have length 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Direction<F: Frame> {
    pub(crate) vector: Vector3<f64>,
    frame: PhantomData<F>,
}

macro_rules! coordinates {
    ($name:ident) => {
        impl<F: Frame> $name<F> {
            /// From its coordinates in metres.
            pub fn new(x: f64, y: f64, z: f64) -> Self {
                Self::from_vector(Vector3::new(x, y, z))
            }

            pub(crate) fn from_vector(vector: Vector3<f64>) -> Self {
                Self { vector, frame: PhantomData }
            }

            /// Along the first axis, in metres.
            pub fn x(&self) -> f64 {
                self.vector.x
            }

            /// Along the second axis, in metres.
            pub fn y(&self) -> f64 {
                self.vector.y
            }

            /// Along the third axis, in metres.
            pub fn z(&self) -> f64 {
                self.vector.z
            }

            /// All three coordinates in metres.
            pub fn coordinates(&self) -> [f64; 3] {
                self.vector.into()
            }
        }
    };
}

coordinates!(Point);
coordinates!(Direction);

impl<F: Frame> Point<F> {
    /// Distance to another point in metres.
    pub fn distance_to(&self, other: &Self) -> f64 {
        (self.vector - other.vector).norm()
    }
}

impl<F: Frame> Direction<F> {
    /// Length in metres.
    pub fn length(&self) -> f64 {
        self.vector.norm()
    }

    /// Inner product with another direction.
    pub fn dot(&self, other: &Self) -> f64 {
        self.vector.dot(&other.vector)
    }

    /// Vector product with another direction.
    pub fn cross(&self, other: &Self) -> Self {
        Self::from_vector(self.vector.cross(&other.vector))
    }
}

/// The displacement that leads from the second point to the first.
///
/// ```
/// use uavgen_geometry::{Direction, Point, World};
/// let (mast, gate) = (Point::<World>::new(3.0, 4.0, 12.0), Point::new(0.0, 0.0, 0.0));
/// assert_eq!(mast - gate, Direction::new(3.0, 4.0, 12.0));
/// assert_eq!((mast - gate).length(), 13.0);
/// assert_eq!(gate + (mast - gate) * 0.5, Point::new(1.5, 2.0, 6.0));
/// ```
impl<F: Frame> Sub for Point<F> {
    type Output = Direction<F>;

    fn sub(self, other: Self) -> Direction<F> {
        Direction::from_vector(self.vector - other.vector)
    }
}

impl<F: Frame> Add<Direction<F>> for Point<F> {
    type Output = Self;

    fn add(self, step: Direction<F>) -> Self {
        Self::from_vector(self.vector + step.vector)
    }
}

impl<F: Frame> Mul<f64> for Direction<F> {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        Self::from_vector(self.vector * factor)
    }
}
