//! `stitch_plan`: which clips are joined to one video. See README.md.

mod config;
mod io;
mod pure;
#[cfg(test)]
mod tests;

pub use config::StitchPlanConfig;

use std::collections::BTreeMap;
use uavgen_core::{ConfigError, Context, Grain, Read, StageDefinition, StageInfo, TaskError};
use uavgen_schemas::{Clip, ClipSegment, Record, StitchGroup, TableInfo, Video};

/// The stage.
pub const STAGE: StitchPlanStage = StitchPlanStage;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct StitchPlanStage;

impl StageDefinition for StitchPlanStage {
    type Config = StitchPlanConfig;

    const INFO: StageInfo = StageInfo {
        name: "stitch_plan",
        version: 1,
        summary: "Groups single clips of different places into videos of two, three and four.",
        grain: Grain::Bucket,
        reads: &[
            Read::required(TableInfo::of::<Clip>()),
            Read::required(TableInfo::of::<ClipSegment>()),
            Read::required(TableInfo::of::<Video>()),
        ],
        writes: &[TableInfo::of::<StitchGroup>()],
        reads_counts: false,
        uses_seed: true,
    };

    fn validate(config: &Self::Config) -> Result<(), ConfigError> {
        config.validate()
    }

    fn buckets(config: &Self::Config) -> u32 {
        config.buckets
    }

    fn estimate(config: &Self::Config, rows: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
        let clips = rows.get(Clip::TABLE).copied().unwrap_or_default();
        let fewest = config.clip_counts.first().copied().map_or(2, u64::from);
        BTreeMap::from([(StitchGroup::TABLE.to_owned(), if config.enabled { clips / fewest } else { 0 })])
    }

    fn run(config: &Self::Config, context: &mut Context<'_>) -> Result<(), TaskError> {
        io::run(config, context)
    }
}
