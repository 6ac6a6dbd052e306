//! Tests of the built binary, one module per behaviour, all in one executable.
//!
//! Each test works in a folder of its own, runs `uavgen` as a user would, and looks at exit code, output and files.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod accuracy;
mod broken;
mod build_all;
mod check;
mod check_content;
mod clip_questions;
mod clips;
mod errors;
mod golden;
mod harness;
mod incremental;
mod posed;
mod python;
mod races;
mod real_data;
mod resume;
mod space_questions;
mod space_truth;
mod uavscenes;
