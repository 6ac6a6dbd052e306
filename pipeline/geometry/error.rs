//! What can be wrong with a box or an image size.

use thiserror::Error;

/// A box or an image size that has no meaning.
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
}
