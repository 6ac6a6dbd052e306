//! Decides per suite which annotated objects may be asked about. See README.md.

pub mod config;
mod io;
pub mod pure;
#[cfg(test)]
mod tests;

use config::FilterConfig;
use std::collections::BTreeMap;
use uavgen_core::{ConfigError, Context, Grain, Read, StageDefinition, StageInfo, TaskError};
use uavgen_schemas::{Box2d, Frame, Region, Selection, TableInfo};

/// The stage.
pub const STAGE: Filter = Filter;

/// See the module.
#[derive(Debug)]
pub struct Filter;

impl StageDefinition for Filter {
    type Config = FilterConfig;

    const INFO: StageInfo = StageInfo {
        name: "filter",
        version: 1,
        summary: "Decides per suite which annotated objects may be asked about; what is dropped stays there as unknown.",
        grain: Grain::Sequence,
        reads: &[
            Read::required(TableInfo::of::<Frame>()),
            Read::required(TableInfo::of::<Box2d>()),
            Read::required(TableInfo::of::<Region>()),
        ],
        writes: &[TableInfo::of::<Selection>()],
        reads_counts: false,
        uses_seed: false,
    };

    fn validate(config: &FilterConfig) -> Result<(), ConfigError> {
        config.validate()
    }

    fn estimate(config: &FilterConfig, rows: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
        let frames = rows.get("frames").copied().unwrap_or(0);
        BTreeMap::from([("selections".into(), frames.saturating_mul(config.suites.len() as u64))])
    }

    fn run(config: &FilterConfig, context: &mut Context) -> Result<(), TaskError> {
        io::run(config, context)
    }
}
