//! What can be wrong with a box, an image size, a transform or a camera.

use thiserror::Error;

/// A box, an image size, a transform or a camera that has no meaning.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum GeometryError {
    /// An edge is NaN or infinite.
    #[error("build a box: edges ({x1}, {y1}, {x2}, {y2}) are not all finite")]
    NotFinite {
        /// Left edge as given.
        x1: f64,
        /// Top edge as given.
        y1: f64,
        /// Right edge as given.
        x2: f64,
        /// Bottom edge as given.
        y2: f64,
    },
    /// The right edge is left of the left edge, or the bottom edge above the top edge.
    #[error("build a box: edges ({x1}, {y1}, {x2}, {y2}) are inverted; the order is x1, y1, x2, y2 (xywh given?)")]
    Inverted {
        /// Left edge as given.
        x1: f64,
        /// Top edge as given.
        y1: f64,
        /// Right edge as given.
        x2: f64,
        /// Bottom edge as given.
        y2: f64,
    },
    /// The box leaves the image, so it has no normalised form; clamp it first.
    #[error("normalise a box: edges ({x1}, {y1}, {x2}, {y2}) leave the image; clamp the box first")]
    OutsideImage {
        /// Left edge as a share of the image width.
        x1: f64,
        /// Top edge as a share of the image height.
        y1: f64,
        /// Right edge as a share of the image width.
        x2: f64,
        /// Bottom edge as a share of the image height.
        y2: f64,
    },
    /// A side of the image is zero, negative or absurdly long.
    #[error("use an image size of {width} x {height}: each side must be 1 to 2^31 - 1 pixels")]
    ImageSize {
        /// Width as given, in pixels.
        width: i64,
        /// Height as given, in pixels.
        height: i64,
    },
    /// A number of a transform is NaN or infinite.
    #[error("build a transform: its row {row:?} (three of the rotation, one of the translation) is not finite")]
    TransformNotFinite {
        /// First row with such a number: of the rotation, then of the translation in metres.
        row: [f64; 4],
    },
    /// Latitude, longitude and height are those of no place.
    #[error(
        "use a place on the Earth: latitude {latitude_deg}°, longitude {longitude_deg}° and height {ellipsoid_m} m are none"
    )]
    NoPlace {
        /// Latitude as given, in degrees.
        latitude_deg: f64,
        /// Longitude as given, in degrees.
        longitude_deg: f64,
        /// Height as given, in metres.
        ellipsoid_m: f64,
    },
    /// Earth-centred coordinates are far from the surface of the Earth.
    #[error(
        "use earth-centred coordinates: the point is {radius_m:.0} m from the centre of the Earth and not near its surface"
    )]
    NotOnEarth {
        /// Distance from the centre, in metres.
        radius_m: f64,
    },
    /// The last row of a 4x4 matrix is not 0 0 0 1: a projection, or the matrix is transposed.
    #[error("build a transform: the last row is {row:?} and must be 0 0 0 1 (transposed?)")]
    LastRow {
        /// The last row as given.
        row: [f64; 4],
    },
    /// The matrix mirrors.
    #[error("build a transform: the matrix is a reflection (determinant {determinant}); one axis points the wrong way")]
    Reflection {
        /// Determinant of the 3x3 part; a rotation has 1.
        determinant: f64,
    },
    /// The matrix enlarges or shrinks alike in all directions.
    #[error("build a transform: the matrix scales by {factor} and must be a rotation; divide the scale out first")]
    Scale {
        /// Length of a unit vector after the matrix.
        factor: f64,
    },
    /// The columns are not perpendicular, or not of one length.
    #[error("build a transform: the matrix shears (determinant {determinant}, RᵀR is off the identity by {error})")]
    Shear {
        /// Determinant of the 3x3 part; a rotation has 1.
        determinant: f64,
        /// Largest difference between an entry of RᵀR and of the identity.
        error: f64,
    },
    /// A quaternion is not of length 1.
    #[error("build a transform: the quaternion has length {length} and must have 1; the order is x y z w")]
    Quaternion {
        /// Length as given.
        length: f64,
    },
    /// A focal length is not positive and finite, or one that no camera has for this image.
    #[error("build a camera: focal lengths ({fx}, {fy}) px do not fit an image of {width} x {height} px")]
    FocalLength {
        /// Horizontal focal length in pixels.
        fx: f64,
        /// Vertical focal length in pixels.
        fy: f64,
        /// Width of the image in pixels.
        width: f64,
        /// Height of the image in pixels.
        height: f64,
    },
    /// The principal point is not near the middle of the image: the calibration is of an image of another size.
    #[error(
        "build a camera: principal point ({cx}, {cy}) px is far from the centre of an image of {width} x {height} px; \
         is the calibration of another image size?"
    )]
    PrincipalPoint {
        /// Column of the principal point in pixels.
        cx: f64,
        /// Row of the principal point in pixels.
        cy: f64,
        /// Width of the image in pixels.
        width: f64,
        /// Height of the image in pixels.
        height: f64,
    },
    /// A distortion coefficient is NaN or infinite.
    #[error("build a camera: distortion coefficients (k1 k2 p1 p2 k3) {coefficients:?} are not all finite")]
    DistortionNotFinite {
        /// Coefficients in OpenCV's order.
        coefficients: [f64; 5],
    },
}
