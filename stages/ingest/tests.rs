//! Tests of the stage, one file per side of it.

mod answers;
mod bad_files;
mod discovery;
mod harness;
mod line_properties;
mod lines;
mod objects;
mod opensfm;
mod posed;
mod real_files;
mod splits;
mod telemetry;
mod uavscenes;
mod videos;
