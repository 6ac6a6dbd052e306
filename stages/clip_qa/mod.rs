//! Asks questions about clips whose answers programs compute from the annotations. See README.md.

pub mod config;
mod io;
pub mod pure;
pub mod task;
#[cfg(test)]
mod tests;

use crate::asking::templates::digests;
use config::ClipQaConfig;
use std::collections::BTreeMap;
use task::Task;
use uavgen_core::{ConfigError, Context, Grain, Read, StageDefinition, StageInfo, TaskError};
use uavgen_schemas::{
    Box2d, Clip, ClipFrame, ClipQaItem, Frame, Record, Recording, Region, Selection, StitchedClip, StitchedFrame,
    StitchedSegment, TableInfo,
};

/// The stage.
pub const STAGE: ClipQa = ClipQa;

/// See the module.
#[derive(Debug)]
pub struct ClipQa;

impl StageDefinition for ClipQa {
    type Config = ClipQaConfig;

    const INFO: StageInfo = StageInfo {
        name: "clip_qa",
        version: 2,
        summary: "Asks questions about clips whose answers programs compute from the annotations of every frame.",
        grain: Grain::Bucket,
        reads: &[
            Read::required(TableInfo::of::<StitchedClip>()),
            Read::required(TableInfo::of::<StitchedSegment>()),
            Read::required(TableInfo::of::<StitchedFrame>()),
            Read::required(TableInfo::of::<Clip>()),
            Read::required(TableInfo::of::<ClipFrame>()),
            Read::required(TableInfo::of::<Recording>()),
            Read::required(TableInfo::of::<Frame>()),
            Read::required(TableInfo::of::<Box2d>()),
            Read::required(TableInfo::of::<Region>()),
            Read::required(TableInfo::of::<Selection>()),
        ],
        writes: &[TableInfo::of::<ClipQaItem>()],
        reads_counts: false,
        uses_seed: true,
    };

    fn validate(config: &ClipQaConfig) -> Result<(), ConfigError> {
        config.validate()
    }

    fn externals(_: &ClipQaConfig) -> BTreeMap<String, String> {
        digests::<Task>()
    }

    fn estimate(config: &ClipQaConfig, rows: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
        let count = |table: &str| rows.get(table).copied().unwrap_or(0);
        let asked = config.estimate(count(StitchedClip::TABLE), count(Clip::TABLE));
        BTreeMap::from([(ClipQaItem::TABLE.to_owned(), asked)])
    }

    fn run(config: &ClipQaConfig, context: &mut Context) -> Result<(), TaskError> {
        io::run(config, context)
    }
}
