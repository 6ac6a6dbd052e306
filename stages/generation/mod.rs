//! `generation`: aligned pictures of one view, and what models are to make of which.

mod config;
mod io;
mod pure;
#[cfg(test)]
mod tests;

pub use config::GenerationConfig;

use std::collections::BTreeMap;
use uavgen_core::{ConfigError, Context, Grain, Read, StageDefinition, StageInfo, TaskError};
use uavgen_schemas::{
    Camera, DepthMap, Fragment, Frame, GenerationKind, GenerationSample, GenerationTriple, Instance, Mask, MaskClass,
    Pose, Recording, TableInfo,
};

/// The stage.
pub const STAGE: Generation = Generation;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Generation;

impl StageDefinition for Generation {
    type Config = GenerationConfig;

    const INFO: StageInfo = StageInfo {
        name: "generation",
        version: 1,
        summary: "Makes aligned image, depth and segmentation of posed frames, and samples of eight kinds that ask for one out of others.",
        grain: Grain::Sequence,
        reads: &[
            Read::required(TableInfo::of::<Recording>()),
            Read::required(TableInfo::of::<Frame>()),
            Read::required(TableInfo::of::<Camera>()),
            Read::required(TableInfo::of::<Pose>()),
            Read::required(TableInfo::of::<Mask>()),
            Read::required(TableInfo::of::<MaskClass>()),
            Read::required(TableInfo::of::<DepthMap>()),
            Read::required(TableInfo::of::<Instance>()),
            Read::optional(TableInfo::of::<Fragment>()),
        ],
        writes: &[TableInfo::of::<GenerationTriple>(), TableInfo::of::<GenerationSample>()],
        reads_counts: false,
        uses_seed: true,
    };

    fn validate(config: &Self::Config) -> Result<(), ConfigError> {
        config.validate()
    }

    fn externals(_config: &Self::Config) -> BTreeMap<String, String> {
        let mut externals = pure::data_digests();
        externals.insert("still images".into(), uavgen_media::stills_id());
        externals
    }

    fn estimate(config: &Self::Config, rows: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
        let rows_of = |table: TableInfo| rows.get(table.name).copied().unwrap_or_default();
        let both = rows_of(TableInfo::of::<Mask>()).min(rows_of(TableInfo::of::<DepthMap>()));
        let triples = if config.enabled { both } else { 0 };
        BTreeMap::from([
            (TableInfo::of::<GenerationTriple>().name.to_owned(), triples),
            (TableInfo::of::<GenerationSample>().name.to_owned(), triples * GenerationKind::ALL.len() as u64),
        ])
    }

    fn run(config: &Self::Config, context: &mut Context<'_>) -> Result<(), TaskError> {
        io::run(config, context)
    }
}
