//! Writes the Parquet files of one split; see README.md.

mod config;
mod io;
mod pure;
#[cfg(test)]
mod tests;

pub use config::ShardsConfig;

use std::collections::BTreeMap;
use uavgen_core::{ConfigError, Context, Grain, Read, StageDefinition, StageInfo, TaskError};
use uavgen_schemas::{
    Box2d, Camera, Clip, ClipFrame, ClipQaItem, ClipSample, ClipSegment, DepthMap, Fragment, Frame, FrameMapEntry,
    GenerationSample, GenerationTriple, Instance, Mask, MaskClass, Pose, QaItem, RELEASE_TABLES, Recording, Region,
    Selection, Shard, ShardImage, SpaceQaItem, StitchedClip, StitchedFrame, StitchedSample, StitchedSegment, TableInfo,
    Telemetry, Track, Video,
};

/// The stage.
pub struct Shards;

/// The stage.
pub const STAGE: Shards = Shards;

impl StageDefinition for Shards {
    type Config = ShardsConfig;

    const INFO: StageInfo = StageInfo {
        name: "shards",
        version: 4,
        summary: "Writes the Parquet files of one split: the questions with their images, and the tables they were computed from.",
        grain: Grain::Split,
        reads: &[
            Read::required(TableInfo::of::<QaItem>()),
            Read::required(TableInfo::of::<Recording>()),
            Read::required(TableInfo::of::<Frame>()),
            Read::required(TableInfo::of::<Box2d>()),
            Read::required(TableInfo::of::<Track>()),
            Read::required(TableInfo::of::<Region>()),
            Read::required(TableInfo::of::<Telemetry>()),
            Read::required(TableInfo::of::<Camera>()),
            Read::required(TableInfo::of::<Pose>()),
            Read::required(TableInfo::of::<Mask>()),
            Read::required(TableInfo::of::<MaskClass>()),
            Read::required(TableInfo::of::<Instance>()),
            Read::optional(TableInfo::of::<Fragment>()),
            Read::required(TableInfo::of::<DepthMap>()),
            Read::required(TableInfo::of::<GenerationTriple>()),
            Read::required(TableInfo::of::<GenerationSample>()),
            Read::required(TableInfo::of::<Selection>()),
            Read::optional(TableInfo::of::<Video>()),
            Read::optional(TableInfo::of::<FrameMapEntry>()),
            Read::optional(TableInfo::of::<Clip>()),
            Read::optional(TableInfo::of::<ClipSegment>()),
            Read::optional(TableInfo::of::<ClipFrame>()),
            Read::optional(TableInfo::of::<ClipSample>()),
            Read::optional(TableInfo::of::<StitchedClip>()),
            Read::optional(TableInfo::of::<StitchedSegment>()),
            Read::optional(TableInfo::of::<StitchedFrame>()),
            Read::optional(TableInfo::of::<StitchedSample>()),
            Read::optional(TableInfo::of::<ClipQaItem>()),
            Read::optional(TableInfo::of::<SpaceQaItem>()),
        ],
        writes: &[TableInfo::of::<Shard>(), TableInfo::of::<ShardImage>()],
        reads_counts: false,
        uses_seed: true,
    };

    fn validate(config: &Self::Config) -> Result<(), ConfigError> {
        config.validate()
    }

    fn externals(_config: &Self::Config) -> BTreeMap<String, String> {
        BTreeMap::from([("still images".to_owned(), uavgen_media::stills_id())])
    }

    fn estimate(_config: &Self::Config, rows: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
        let rows_of = |table: &str| rows.get(table).copied().unwrap_or(0);
        let images = rows_of("frames").min(rows_of("qa_items") + rows_of("space_qa_items"));
        // One file per table, unless there is more than fits into one.
        BTreeMap::from([("shards".into(), RELEASE_TABLES.len() as u64), ("shard_images".into(), images)])
    }

    fn run(config: &Self::Config, context: &mut Context) -> Result<(), TaskError> {
        io::run(config, context)
    }
}
