//! `stitch`: clips joined to one video. See README.md.

mod config;
mod io;
mod pure;
#[cfg(test)]
mod tests;

pub use config::StitchConfig;

use std::collections::BTreeMap;
use uavgen_core::{Context, Grain, Read, StageDefinition, StageInfo, TaskError};
use uavgen_schemas::{
    Clip, ClipFrame, ClipSegment, Record, StitchGroup, StitchedClip, StitchedFrame, StitchedSample, StitchedSegment,
    TableInfo, Video,
};

/// The stage.
pub const STAGE: StitchStage = StitchStage;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct StitchStage;

impl StageDefinition for StitchStage {
    type Config = StitchConfig;

    const INFO: StageInfo = StageInfo {
        name: "stitch",
        version: 3,
        summary: "Joins the clips of each group to one video, copying packets where they were encoded alike.",
        grain: Grain::Bucket,
        reads: &[
            Read::required(TableInfo::of::<StitchGroup>()),
            Read::required(TableInfo::of::<Clip>()),
            Read::required(TableInfo::of::<ClipSegment>()),
            Read::required(TableInfo::of::<ClipFrame>()),
            Read::required(TableInfo::of::<Video>()),
        ],
        writes: &[
            TableInfo::of::<StitchedClip>(),
            TableInfo::of::<StitchedSegment>(),
            TableInfo::of::<StitchedFrame>(),
            TableInfo::of::<StitchedSample>(),
        ],
        reads_counts: false,
        uses_seed: false,
    };

    fn externals(_config: &Self::Config) -> BTreeMap<String, String> {
        BTreeMap::from([("video libraries".to_owned(), uavgen_media::library().build_id.clone())])
    }

    fn estimate(_config: &Self::Config, rows: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
        let count = |table: &str| rows.get(table).copied().unwrap_or_default();
        let groups = count(StitchGroup::TABLE);
        BTreeMap::from([
            (StitchedClip::TABLE.to_owned(), groups),
            (StitchedSample::TABLE.to_owned(), 3 * groups),
            (StitchedSegment::TABLE.to_owned(), count(Clip::TABLE)),
            (StitchedFrame::TABLE.to_owned(), count(ClipFrame::TABLE)),
        ])
    }

    fn run(_config: &Self::Config, context: &mut Context<'_>) -> Result<(), TaskError> {
        io::run(context)
    }
}
