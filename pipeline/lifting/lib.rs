//! Lifting: from a label mask, a depth map and a camera to objects with upright boxes in the world.
//!
//! Plain arrays and geometry types go in and come out; records, files and clocks are the business of the stage that
//! calls it. The same input gives the same result, whatever the number of threads.
//!
//! [`lift_view`] goes this way:
//!
//! 1. Noise is measured and taken out of the depth; depth without noise stays as it is.
//! 2. Rows are cut into runs of one class, also where depth may jump; touching runs without any such doubt make
//!    fragments, and fragments are joined by their whole contact, so that one pixel in which two objects seem to touch
//!    joins nothing. A jump is what amounts to a gap on the ground, so that sloping roofs and the far side of a ridge
//!    are not cut.
//! 3. Pixels become points; the ground at the rim of a mask and outliers are left out.
//! 4. Parts that keep no distance on the ground are one object: what stands in front cut its mask in two.
//! 5. Objects that are too small, too thin or loose regions round others are fragments: told of, and no instances.
//! 6. The box: the rectangle of least area gives the axis, the density of points across each side its place, so that
//!    noise does not swell it; it reaches from the local ground to the top.
//!
//! Classes that move are placed where the rays of their outline meet the ground, and have no height. [`associate`]
//! gives one number to one object over the frames of a recording, and [`relate`] tells how the objects of a frame lie to each
//! other.

mod assembly;
mod assignment;
mod association;
mod attributes;
mod classes;
mod cloud;
mod components;
mod edges;
mod error;
mod fit;
mod fragments;
mod ground;
mod jumps;
mod lift;
mod merging;
mod options;
mod outliers;
mod placement;
mod raster;
mod refine;
mod relations;
mod runs;
mod smooth;
mod surface;
#[cfg(test)]
mod tests;

pub use assignment::assign;
pub use association::{AssociationOptions, Seen, SeenFrame, associate};
pub use classes::{Classes, Role};
pub use error::LiftingError;
pub use fragments::{Fragment, FragmentReason};
pub use lift::{GroundHeight, Instance, Lifted, Placement, View, lift_view};
pub use options::LiftOptions;
pub use raster::Raster;
pub use relations::{Arrangement, ArrangementKind, Pair, RelationOptions, Relations, Standing, Vertical, relate};
pub use runs::Run;
