//! Asks questions whose answers programs measure in space. See README.md.

pub mod config;
mod io;
pub mod pure;
pub mod taxonomy;
#[cfg(test)]
mod tests;

use config::SpaceQaConfig;
use std::collections::BTreeMap;
use uavgen_core::{ConfigError, Context, Grain, Read, StageDefinition, StageInfo, TaskError};
use uavgen_schemas::{
    Camera, Fragment, Frame, Instance, Mask, MaskClass, Pose, Record, Recording, SpaceQaItem, TableInfo,
};

/// The stage.
pub const STAGE: SpaceQa = SpaceQa;

/// See the module.
#[derive(Debug)]
pub struct SpaceQa;

impl StageDefinition for SpaceQa {
    type Config = SpaceQaConfig;

    const INFO: StageInfo = StageInfo {
        name: "space_qa",
        version: 1,
        summary: "Asks questions whose answers programs measure in space: counts, distances, directions, heights, motion.",
        grain: Grain::Sequence,
        reads: &[
            Read::required(TableInfo::of::<Recording>()),
            Read::required(TableInfo::of::<Frame>()),
            Read::required(TableInfo::of::<Camera>()),
            Read::required(TableInfo::of::<Pose>()),
            Read::required(TableInfo::of::<Mask>()),
            Read::required(TableInfo::of::<MaskClass>()),
            Read::required(TableInfo::of::<Instance>()),
            Read::required(TableInfo::of::<Fragment>()),
        ],
        writes: &[TableInfo::of::<SpaceQaItem>()],
        reads_counts: false,
        uses_seed: true,
    };

    fn validate(config: &SpaceQaConfig) -> Result<(), ConfigError> {
        config.validate()
    }

    fn externals(_: &SpaceQaConfig) -> BTreeMap<String, String> {
        BTreeMap::from([("taxonomy".to_owned(), taxonomy::digest())])
    }

    fn estimate(config: &SpaceQaConfig, rows: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
        let masked = rows.get(Mask::TABLE).copied().unwrap_or(0);
        BTreeMap::from([(SpaceQaItem::TABLE.to_owned(), config.estimate(masked))])
    }

    fn run(config: &SpaceQaConfig, context: &mut Context) -> Result<(), TaskError> {
        io::run(config, context)
    }
}
