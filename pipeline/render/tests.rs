//! Files, coverage, and depths that come from closed forms or from casting rays at every face.

mod accuracy;
mod coverage;
mod meshes;
mod rays;
mod scenes;
mod views;
