//! Asks questions whose answers programs compute from the annotations. See README.md.

pub mod config;
mod io;
pub mod pure;
pub mod task;
#[cfg(test)]
mod tests;

use crate::asking::templates::digests;
use config::QaConfig;
use std::collections::BTreeMap;
use task::Task;
use uavgen_core::{ConfigError, Context, Grain, Read, StageDefinition, StageInfo, TaskError};
use uavgen_schemas::{Box2d, Frame, QaItem, Recording, Region, Selection, TableInfo};

/// The stage.
pub const STAGE: Qa = Qa;

/// See the module.
#[derive(Debug)]
pub struct Qa;

impl StageDefinition for Qa {
    type Config = QaConfig;

    const INFO: StageInfo = StageInfo {
        name: "qa",
        version: 3,
        summary: "Asks questions whose answers programs compute from the annotations, and refuses what is not certain.",
        grain: Grain::Sequence,
        reads: &[
            Read::required(TableInfo::of::<Recording>()),
            Read::required(TableInfo::of::<Frame>()),
            Read::required(TableInfo::of::<Box2d>()),
            Read::required(TableInfo::of::<Region>()),
            Read::required(TableInfo::of::<Selection>()),
        ],
        writes: &[TableInfo::of::<QaItem>()],
        reads_counts: false,
        uses_seed: true,
    };

    fn validate(config: &QaConfig) -> Result<(), ConfigError> {
        config.validate()
    }

    fn externals(_: &QaConfig) -> BTreeMap<String, String> {
        digests::<Task>()
    }

    fn estimate(config: &QaConfig, rows: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
        let count = |table: &str| rows.get(table).copied().unwrap_or(0);
        BTreeMap::from([("qa_items".into(), config.estimate(count("recordings"), count("frames")))])
    }

    fn run(config: &QaConfig, context: &mut Context) -> Result<(), TaskError> {
        io::run(config, context)
    }
}
