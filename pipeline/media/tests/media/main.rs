//! Tests of the crate through its public interface: still images, damaged files, videos, real data.
//!
//! Pictures are made here by hand or by encoders that the crate under test does not use for reading; expected values
//! are written down, not computed by the code under test.

#![expect(clippy::unwrap_used, reason = "the makers of test images fail the test that calls them")]

mod assemble;
mod canvas;
mod damage;
mod footage;
mod footage_faults;
mod footage_holes;
mod footage_support;
mod layouts;
mod orientation;
mod progressive;
mod real_files;
mod second_decoder;
mod support;
mod video;
mod video_faults;
