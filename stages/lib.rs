//! The stages, each in a folder of one shape; this file is only the list of them.
//!
//! Adding a stage is a folder and a line here: its config section, its `--stage` value, its help and its place in the
//! graph all follow from its `STAGE`. Stages never import each other: they meet in records. What two stages must do alike
//! stands beside their folders.

use uavgen_core::Stage;

macro_rules! stages {
    ($($name:ident),* $(,)?) => {
        $(pub mod $name;)*

        /// Every stage, in the order in which people think of them.
        pub static STAGES: &[&dyn Stage] = &[$(&$name::STAGE),*];
    };
}

pub mod asking;
mod class_values;
mod encoding;
mod posed;
mod sampling;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

stages! {
    ingest, depth, lift, generation, video, clips, stitch_plan, stitch, filter, qa, clip_qa, space_qa, shards, release
}
