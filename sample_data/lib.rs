//! A tiny synthetic drone data set with known answers, in the folders and text formats of VisDrone.
//!
//! A small world of roads, houses, vehicles and people is simulated (modules `script`, `place`, `cast`, `world`),
//! rendered (`draw`) and annotated from its own state (`truth`). It is honest synthetic data: it says so in its
//! `README.txt`, and its file names use numbers that the real data does not have. The same seed gives the same bytes.

mod cast;
mod category;
mod dice;
mod draw;
mod layout;
mod model;
mod place;
mod plane;
mod raster;
mod script;
#[cfg(test)]
mod tests;
mod truth;
mod world;

pub use category::Category;
pub use layout::SampleError;
pub use truth::{ObjectState, Truth, TruthRow};
pub use world::{FRAMES_PER_SECOND, Kind};

use std::path::Path;

/// Seed of the sample data whose truth table is committed.
pub const DEFAULT_SEED: u64 = 7;

/// Writes the sample data under `dir` (made when missing; files of the same names are replaced) and returns what is
/// in it.
///
/// Every seed writes the same set of file names.
///
/// # Errors
///
/// When a folder or file cannot be written.
pub fn write_sample(dir: &Path, seed: u64) -> Result<Truth, SampleError> {
    let mut rows = Vec::new();
    for recording in script::sequences(seed) {
        rows.extend(layout::write_sequence(dir, &recording)?);
    }
    for recording in script::stills(seed) {
        rows.extend(layout::write_still(dir, &recording)?);
    }
    layout::write_file(&dir.join("README.txt"), readme(seed).as_bytes())?;
    Ok(Truth { rows })
}

fn readme(seed: u64) -> String {
    format!(
        "Synthetic sample data in VisDrone layout\n\n\
         These pictures are rendered and these annotations are computed: nothing here was photographed, and nothing\n\
         here is part of VisDrone. Made by uavgen (uavgen-sample-data {}) with seed {seed}.\n\
         Sequences run at {FRAMES_PER_SECOND} frames per second.\n\n\
         Licence: CC0-1.0 (https://creativecommons.org/publicdomain/zero/1.0/)\n",
        env!("CARGO_PKG_VERSION")
    )
}
