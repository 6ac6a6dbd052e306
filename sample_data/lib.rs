//! A tiny synthetic drone data set with known answers, in the folders and text formats of VisDrone.
//!
//! A small world of roads, houses, vehicles and people is simulated (modules `script`, `place`, `cast`, `world`),
//! rendered (`draw`) and annotated from its own state (`truth`). It is honest synthetic data: it says so in its
//! `README.txt`, and its file names use numbers that the real data does not have. The same seed gives the same bytes.
//!
//! Apart from it, and only when asked for, there is a small town in three dimensions (module `town`): a mesh, two flights with
//! poses and masks, and a truth table of boxes in metres.

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
mod town;
mod truth;
mod world;

pub use category::Category;
pub use layout::SampleError;
pub use town::{TownClass, TownPlace, TownRow, TownTruth, write_town};
pub use truth::{ObjectState, Truth, TruthRow};
pub use world::{FRAMES_PER_SECOND, Kind};

use std::path::Path;

/// Seed of the sample data and of the town whose truth tables are committed.
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
