//! `video`: the frames of a sequence become one MP4, with a map from its frames to the source.

mod config;
mod io;
mod pure;
#[cfg(test)]
mod tests;

pub use config::{PlaybackRate, VideoConfig};

use std::collections::BTreeMap;
use uavgen_core::{ConfigError, Context, Grain, Read, StageDefinition, StageInfo, TaskError};
use uavgen_schemas::{Frame, FrameMapEntry, Recording, TableInfo, Video};

/// The stage.
pub const STAGE: VideoStage = VideoStage;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct VideoStage;

impl StageDefinition for VideoStage {
    type Config = VideoConfig;

    const INFO: StageInfo = StageInfo {
        name: "video",
        version: 3,
        summary: "Encodes each sequence as H.264 and maps video frames to source frames.",
        grain: Grain::Sequence,
        reads: &[Read::required(TableInfo::of::<Recording>()), Read::required(TableInfo::of::<Frame>())],
        writes: &[TableInfo::of::<Video>(), TableInfo::of::<FrameMapEntry>()],
        reads_counts: false,
        uses_seed: false,
    };

    fn validate(config: &Self::Config) -> Result<(), ConfigError> {
        config.validate()
    }

    fn externals(_config: &Self::Config) -> BTreeMap<String, String> {
        BTreeMap::from([("video libraries".to_owned(), uavgen_media::library().build_id.clone())])
    }

    fn estimate(config: &Self::Config, rows: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
        let of = |table: TableInfo| if config.enabled { rows.get(table.name).copied().unwrap_or_default() } else { 0 };
        let counts = [
            (TableInfo::of::<Video>(), of(TableInfo::of::<Recording>())),
            (TableInfo::of::<FrameMapEntry>(), of(TableInfo::of::<Frame>())),
        ];
        counts.into_iter().map(|(table, count)| (table.name.to_owned(), count)).collect()
    }

    fn run(config: &Self::Config, context: &mut Context<'_>) -> Result<(), TaskError> {
        io::run(config, context)
    }
}
