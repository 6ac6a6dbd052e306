//! Lifting.

mod assembly;
mod classes;
mod cloud;
mod components;
mod edges;
mod error;
mod fit;
mod ground;
mod jumps;
mod lift;
mod merging;
mod options;
mod outliers;
mod raster;
mod refine;
mod runs;
mod smooth;

pub use classes::{Classes, Role};
pub use error::LiftingError;
pub use lift::{Instance, Lifted, RejectReason, View, lift_view};
pub use options::LiftOptions;
pub use raster::Raster;
pub use runs::Run;
