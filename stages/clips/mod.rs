//! `clips`: pieces of videos, and videos taken apart and put together in another order. See README.md.

mod config;
mod io;
mod pure;
#[cfg(test)]
mod tests;

pub use config::{ClipsConfig, CutGrid, LongConfig, ShuffledConfig, SingleConfig};

use std::collections::BTreeMap;
use uavgen_core::{ConfigError, Context, Grain, Read, StageDefinition, StageInfo, TaskError};
use uavgen_schemas::{Clip, ClipFrame, ClipSample, ClipSegment, FrameMapEntry, TableInfo, Video};

/// The stage.
pub const STAGE: ClipsStage = ClipsStage;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct ClipsStage;

impl StageDefinition for ClipsStage {
    type Config = ClipsConfig;

    const INFO: StageInfo = StageInfo {
        name: "clips",
        version: 2,
        summary: "Cuts clips out of videos and shuffles them, with a plan that accounts for every frame.",
        grain: Grain::Sequence,
        reads: &[Read::required(TableInfo::of::<Video>()), Read::required(TableInfo::of::<FrameMapEntry>())],
        writes: &[
            TableInfo::of::<Clip>(),
            TableInfo::of::<ClipSegment>(),
            TableInfo::of::<ClipFrame>(),
            TableInfo::of::<ClipSample>(),
        ],
        reads_counts: false,
        uses_seed: true,
    };

    fn validate(config: &Self::Config) -> Result<(), ConfigError> {
        config.validate()
    }

    fn externals(_config: &Self::Config) -> BTreeMap<String, String> {
        BTreeMap::from([("video libraries".to_owned(), uavgen_media::library().build_id.clone())])
    }

    fn estimate(config: &Self::Config, rows: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
        let count = |table: TableInfo| rows.get(table.name).copied().unwrap_or_default();
        let (videos, frames) = (count(TableInfo::of::<Video>()), count(TableInfo::of::<FrameMapEntry>()));
        // As if every video gave one single clip, a long one and every shuffled one; overlaps add less than half.
        let shuffled = u64::from(config.shuffled.repeats)
            * (u64::from(config.shuffled.spatial) + u64::from(config.shuffled.spatio_temporal));
        let each = if config.enabled { 2 + shuffled } else { 0 };
        BTreeMap::from([
            (TableInfo::of::<Clip>().name.to_owned(), videos * each),
            (TableInfo::of::<ClipSample>().name.to_owned(), videos * each * 3),
            (
                TableInfo::of::<ClipSegment>().name.to_owned(),
                if config.enabled { videos * (2 + 4 * shuffled) } else { 0 },
            ),
            (TableInfo::of::<ClipFrame>().name.to_owned(), frames * each * 3 / 2),
        ])
    }

    fn run(config: &Self::Config, context: &mut Context<'_>) -> Result<(), TaskError> {
        io::run(config, context)
    }
}
