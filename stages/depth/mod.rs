//! `depth`: how far everything in an image is, from the mesh of the place or from depth files of the source.

mod config;
mod io;
mod pure;
#[cfg(test)]
mod tests;

pub use config::{DepthConfig, Preferred};

use std::collections::BTreeMap;
use uavgen_core::{ConfigError, Context, Grain, Read, StageDefinition, StageInfo, TaskError};
use uavgen_schemas::{Camera, DepthMap, Frame, Mesh, Pose, RecordedDepth, Recording, TableInfo};

/// The stage.
pub const STAGE: Depth = Depth;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Depth;

impl StageDefinition for Depth {
    type Config = DepthConfig;

    const INFO: StageInfo = StageInfo {
        name: "depth",
        version: 2,
        summary: "Gives every posed frame its depth, from the mesh of its place or from depth files of its source.",
        grain: Grain::Sequence,
        reads: &[
            Read::required(TableInfo::of::<Recording>()),
            Read::required(TableInfo::of::<Frame>()),
            Read::required(TableInfo::of::<Camera>()),
            Read::required(TableInfo::of::<Pose>()),
            Read::required(TableInfo::of::<Mesh>()),
            Read::required(TableInfo::of::<RecordedDepth>()),
        ],
        writes: &[TableInfo::of::<DepthMap>()],
        reads_counts: false,
        uses_seed: false,
    };

    fn validate(config: &Self::Config) -> Result<(), ConfigError> {
        config.validate()
    }

    fn estimate(config: &Self::Config, rows: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
        let poses = rows.get(TableInfo::of::<Pose>().name).copied().unwrap_or_default();
        BTreeMap::from([(TableInfo::of::<DepthMap>().name.to_owned(), if config.enabled { poses } else { 0 })])
    }

    fn run(config: &Self::Config, context: &mut Context<'_>) -> Result<(), TaskError> {
        io::run(config, context)
    }
}
