//! Geometry of the `image` frame: boxes in pixels, boxes as shares of the image, and what they have in common.
//!
//! Every stage and the answer language measure boxes with the functions of this crate, so that "inside", "overlaps"
//! and "half covered" mean the same in a filter, in a question and in the audit of a release.
//!
//! Frame: `image`, continuous pixels, origin at the top-left *corner* of the image as delivered, x to the right, y
//! down; pixel centres lie at .5. Boxes are half-open `x1 <= x < x2`, `y1 <= y < y2`, so a box that ends where another
//! one starts shares no point with it. Two types keep the two scales apart: [`Box2`] is in pixels, [`NormalisedBox`]
//! in shares of the image sides; neither can be passed for the other.

mod box2;
mod coverage;
mod error;
mod image_size;
mod normalised;
#[cfg(test)]
mod tests;

pub use box2::Box2;
pub use error::GeometryError;
pub use image_size::ImageSize;
pub use normalised::{NormalisedBox, round_share};
