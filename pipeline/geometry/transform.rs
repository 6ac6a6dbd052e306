//! Rigid transforms between frames.

use crate::{Direction, Frame, GeometryError, Point};
use nalgebra::{Matrix3, Quaternion, Rotation3, UnitQuaternion, Vector3};
use std::marker::PhantomData;
use std::ops::Mul;

/// How far an entry of RᵀR may be off the identity: what a rotation loses that is written with four decimals. Within it
/// the nearest rotation is taken.
pub const ROTATION_TOLERANCE: f64 = 5e-4;

/// Takes points of frame `From` to frame `To`: a rotation, then a translation in metres of `To`.
///
/// A chain is written from right to left and compiles only where the frames meet:
///
/// ```
/// use uavgen_geometry::{Body, Camera, Point, Transform, World};
/// # let world_from_body = Transform::<World, Body>::new(TURN, [5.0, 6.0, 7.0]).unwrap();
/// # let body_from_camera = Transform::<Body, Camera>::new(TURN, [0.5, 0.0, 0.0]).unwrap();
/// # const TURN: [[f64; 3]; 3] = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
/// let world_from_camera: Transform<World, Camera> = world_from_body * body_from_camera;
/// assert_eq!(world_from_camera * Point::<Camera>::new(1.0, 2.0, 3.0), Point::new(4.0, 4.5, 10.0));
/// ```
///
/// ```compile_fail
/// use uavgen_geometry::{Body, Camera, Transform, World};
/// fn wrong(a: Transform<Body, World>, b: Transform<Body, Camera>) -> Transform<World, Camera> {
///     a * b
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transform<To: Frame, From: Frame> {
    rotation: Matrix3<f64>,
    translation: Vector3<f64>,
    frames: PhantomData<(To, From)>,
}

impl<To: Frame, From: Frame> Transform<To, From> {
    /// From a rotation, by rows, and the place of the `From` origin in `To`, in metres. Refuses numbers that are not
    /// finite, and reflections, scales and shears beyond [`ROTATION_TOLERANCE`].
    ///
    /// A camera 100 m above the origin that looks straight down, the top of its image to the north: its x axis points
    /// east, its y axis south, its z axis down.
    ///
    /// ```
    /// use uavgen_geometry::{Camera, GeometryError, Point, Transform, World};
    /// let down = [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]];
    /// let world_from_camera = Transform::<World, Camera>::new(down, [0.0, 0.0, 100.0]).unwrap();
    /// assert_eq!(world_from_camera.inverse() * Point::new(10.0, 20.0, 0.0), Point::new(10.0, -20.0, 100.0));
    ///
    /// let mirrored = Transform::<World, Camera>::new([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]], [0.0; 3]);
    /// assert_eq!(mirrored, Err(GeometryError::Reflection { determinant: -1.0 }));
    /// ```
    pub fn new(rotation: [[f64; 3]; 3], translation: [f64; 3]) -> Result<Self, GeometryError> {
        let mut rows = rotation.into_iter().zip(translation).map(|([x, y, z], step)| [x, y, z, step]);
        if let Some(row) = rows.find(|row| !row.iter().all(|number| number.is_finite())) {
            return Err(GeometryError::TransformNotFinite { row });
        }
        let rotation = nearest_rotation(Matrix3::from_fn(|row, column| rotation[row][column]))?;
        Ok(Self::from_rigid(rotation, translation.into()))
    }

    /// From a 4x4 matrix by rows that acts on column vectors; the last row must be 0 0 0 1.
    ///
    /// ```
    /// use uavgen_geometry::{Camera, GeometryError, Transform, World};
    /// let rows = [[1.0, 0.0, 0.0, 5.0], [0.0, 1.0, 0.0, 6.0], [0.0, 0.0, 1.0, 7.0], [0.0, 0.0, 0.0, 1.0]];
    /// assert_eq!(Transform::<World, Camera>::from_matrix(rows).unwrap().translation(), [5.0, 6.0, 7.0]);
    /// let transposed = std::array::from_fn(|row| std::array::from_fn(|column| rows[column][row]));
    /// let refused = Transform::<World, Camera>::from_matrix(transposed);
    /// assert_eq!(refused, Err(GeometryError::LastRow { row: [5.0, 6.0, 7.0, 1.0] }));
    /// ```
    pub fn from_matrix(rows: [[f64; 4]; 4]) -> Result<Self, GeometryError> {
        let last = rows[3];
        let is_rigid = last.iter().zip([0.0, 0.0, 0.0, 1.0]).all(|(given, right)| (given - right).abs() <= 1e-9);
        if !is_rigid {
            return Err(GeometryError::LastRow { row: last });
        }
        let [x, y, z] = [0, 1, 2].map(|row| [rows[row][0], rows[row][1], rows[row][2]]);
        Self::new([x, y, z], [rows[0][3], rows[1][3], rows[2][3]])
    }

    /// From a unit quaternion in the order x y z w, and a translation in metres.
    ///
    /// ```
    /// use uavgen_geometry::{Body, Point, Transform, World};
    /// let quarter = std::f64::consts::FRAC_1_SQRT_2; // 90° about z
    /// let turn = Transform::<World, Body>::from_quaternion([0.0, 0.0, quarter, quarter], [0.0; 3]).unwrap();
    /// assert!((turn * Point::new(1.0, 0.0, 0.0)).distance_to(&Point::new(0.0, 1.0, 0.0)) < 1e-12);
    /// ```
    pub fn from_quaternion([x, y, z, w]: [f64; 4], translation: [f64; 3]) -> Result<Self, GeometryError> {
        let quaternion = Quaternion::new(w, x, y, z);
        let length = quaternion.norm();
        if (length - 1.0).abs() > ROTATION_TOLERANCE || !length.is_finite() {
            return Err(GeometryError::Quaternion { length });
        }
        let rotation = UnitQuaternion::from_quaternion(quaternion).to_rotation_matrix();
        Self::new(rows_of(rotation.matrix()), translation)
    }

    /// From a rotation vector (its direction is the axis, its length the angle in radians; Rodrigues), as OpenSfM and
    /// OpenCV write rotations, and a translation in metres.
    pub fn from_rotation_vector(vector: [f64; 3], translation: [f64; 3]) -> Result<Self, GeometryError> {
        Self::new(rows_of(Rotation3::from_scaled_axis(Vector3::from(vector)).matrix()), translation)
    }

    pub(crate) fn from_rigid(rotation: Matrix3<f64>, translation: Vector3<f64>) -> Self {
        Self { rotation, translation, frames: PhantomData }
    }

    /// The way back.
    pub fn inverse(&self) -> Transform<From, To> {
        let rotation = self.rotation.transpose();
        Transform::from_rigid(rotation, -(rotation * self.translation))
    }

    /// The rotation as a unit quaternion x, y, z, w. Of the two that mean the same, the one whose first component from the end that
    /// is not 0 is positive.
    ///
    /// ```
    /// # use uavgen_geometry::{Camera, Transform, World};
    /// let half_turn = Transform::<World, Camera>::new([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]], [0.0; 3]).unwrap();
    /// assert_eq!(half_turn.quaternion(), [1.0, 0.0, 0.0, 0.0]);
    /// ```
    pub fn quaternion(&self) -> [f64; 4] {
        let rotation = Rotation3::from_matrix_unchecked(self.rotation);
        let quaternion = UnitQuaternion::from_rotation_matrix(&rotation);
        let [x, y, z, w] = [quaternion.i, quaternion.j, quaternion.k, quaternion.w];
        let is_negative = [w, z, y, x].into_iter().find(|part| *part != 0.0).is_some_and(|part| part < 0.0);
        // Adding 0 makes -0 a 0.
        [x, y, z, w].map(|part| if is_negative { -part } else { part } + 0.0)
    }

    /// The rotation by rows.
    pub fn rotation(&self) -> [[f64; 3]; 3] {
        rows_of(&self.rotation)
    }

    /// The place of the `From` origin in `To`, in metres.
    pub fn translation(&self) -> [f64; 3] {
        self.translation.into()
    }

    /// The origin of `From` as a point of `To`: where the camera stands, for `Transform<World, Camera>`.
    pub fn position(&self) -> Point<To> {
        Point::from_vector(self.translation)
    }
}

impl<F: Frame> Transform<F, F> {
    /// The transform that changes nothing.
    pub fn identity() -> Self {
        Self::from_rigid(Matrix3::identity(), Vector3::zeros())
    }
}

impl<A: Frame, B: Frame, C: Frame> Mul<Transform<B, C>> for Transform<A, B> {
    type Output = Transform<A, C>;

    fn mul(self, first: Transform<B, C>) -> Transform<A, C> {
        Transform::from_rigid(self.rotation * first.rotation, self.rotation * first.translation + self.translation)
    }
}

impl<A: Frame, B: Frame> Mul<Point<B>> for Transform<A, B> {
    type Output = Point<A>;

    fn mul(self, point: Point<B>) -> Point<A> {
        Point::from_vector(self.rotation * point.vector + self.translation)
    }
}

impl<A: Frame, B: Frame> Mul<Direction<B>> for Transform<A, B> {
    type Output = Direction<A>;

    fn mul(self, direction: Direction<B>) -> Direction<A> {
        Direction::from_vector(self.rotation * direction.vector)
    }
}

/// The rotation that is nearest to a finite matrix (UVᵀ of its singular value decomposition), or what is wrong with it.
fn nearest_rotation(matrix: Matrix3<f64>) -> Result<Matrix3<f64>, GeometryError> {
    let (gram, determinant) = (matrix.transpose() * matrix, matrix.determinant());
    let off_identity = |gram: Matrix3<f64>| (gram - Matrix3::identity()).amax();
    let error = off_identity(gram);
    if determinant < 0.0 {
        return Err(GeometryError::Reflection { determinant });
    }
    if error > ROTATION_TOLERANCE || error.is_nan() {
        let factor = (gram.trace() / 3.0).sqrt();
        let is_scale = off_identity(gram / (factor * factor)) <= ROTATION_TOLERANCE;
        let shear = GeometryError::Shear { determinant, error };
        return Err(if is_scale { GeometryError::Scale { factor } } else { shear });
    }
    // What is a rotation to the last bits stays as it is, so that round trips are exact.
    if error <= 4.0 * f64::EPSILON {
        return Ok(matrix);
    }
    let decomposition = matrix.svd(true, true);
    match (decomposition.u, decomposition.v_t) {
        (Some(u), Some(v_t)) => Ok(u * v_t),
        _ => Err(GeometryError::Shear { determinant, error }),
    }
}

fn rows_of(matrix: &Matrix3<f64>) -> [[f64; 3]; 3] {
    std::array::from_fn(|row| std::array::from_fn(|column| matrix[(row, column)]))
}
