//! Assembles the release; see README.md.

mod config;
mod io;
mod pure;
#[cfg(test)]
mod tests;

pub use config::ReleaseConfig;

use std::collections::BTreeMap;
use uavgen_core::{ConfigError, Context, Grain, Read, StageDefinition, StageInfo, TaskError};
use uavgen_schemas::{
    Box2d, Clip, ClipFrame, ClipQaItem, Frame, QaItem, Shard, ShardImage, SpaceQaItem, StitchedClip, StitchedFrame,
    TableInfo, Video,
};

/// The stage.
pub struct Release;

/// The stage.
pub const STAGE: Release = Release;

/// Note that counts the releases without a question: nobody wants one, so `build` says it.
pub const WITHOUT_QUESTION: &str = "releases without a question";

impl StageDefinition for Release {
    type Config = ReleaseConfig;

    const INFO: StageInfo = StageInfo {
        name: "release",
        version: 5,
        summary: "Assembles the release: card, manifest and report around the shards, videos and clips of all splits.",
        grain: Grain::Dataset,
        reads: &[
            Read::required(TableInfo::of::<Shard>()),
            Read::required(TableInfo::of::<ShardImage>()),
            Read::required(TableInfo::of::<Frame>()),
            Read::required(TableInfo::of::<Box2d>()),
            Read::required(TableInfo::of::<QaItem>()),
            Read::optional(TableInfo::of::<Video>()),
            Read::optional(TableInfo::of::<Clip>()),
            Read::optional(TableInfo::of::<StitchedClip>()),
            Read::optional(TableInfo::of::<ClipFrame>()),
            Read::optional(TableInfo::of::<StitchedFrame>()),
            Read::optional(TableInfo::of::<ClipQaItem>()),
            Read::optional(TableInfo::of::<SpaceQaItem>()),
        ],
        writes: &[],
        reads_counts: true,
        uses_seed: true,
    };

    fn validate(config: &Self::Config) -> Result<(), ConfigError> {
        config.validate()
    }

    fn externals(_config: &Self::Config) -> BTreeMap<String, String> {
        let mut externals = pure::template_digests();
        externals.insert("still images".into(), uavgen_media::stills_id());
        // Stands in the release's manifest.
        externals.insert("uavgen".into(), env!("CARGO_PKG_VERSION").into());
        externals
    }

    fn run(config: &Self::Config, context: &mut Context) -> Result<(), TaskError> {
        io::run(config, context)
    }
}
