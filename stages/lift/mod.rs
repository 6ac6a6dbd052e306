//! `lift`: from masks and depth to objects with upright boxes in the world.

mod config;
mod io;
mod pure;
#[cfg(test)]
mod tests;

pub use config::LiftConfig;

use std::collections::BTreeMap;
use uavgen_core::{ConfigError, Context, Grain, Read, StageDefinition, StageInfo, TaskError};
use uavgen_schemas::{
    Arrangement, Camera, DepthMap, Fragment, Frame, Instance, Mask, MaskClass, OrientedBox, Pose, Recording, Relation,
    TableInfo,
};

/// The stage.
pub const STAGE: Lift = Lift;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Lift;

/// Objects of a frame, for the forecast of `plan`.
const OBJECTS_PER_FRAME: u64 = 50;

/// So many objects come to one piece of a mask that is none, for the same.
const INSTANCES_PER_FRAGMENT: u64 = 2;

/// So many relations and arrangements come to one object, for the same.
const RELATIONS_PER_INSTANCE: u64 = 5;
const ARRANGEMENTS_PER_INSTANCE: u64 = 2;

impl StageDefinition for Lift {
    type Config = LiftConfig;

    const INFO: StageInfo = StageInfo {
        name: "lift",
        version: 3,
        summary: "Lifts the objects of masks to upright boxes in the world, with one id over all frames.",
        grain: Grain::Sequence,
        reads: &[
            Read::required(TableInfo::of::<Recording>()),
            Read::required(TableInfo::of::<Frame>()),
            Read::required(TableInfo::of::<Camera>()),
            Read::required(TableInfo::of::<Pose>()),
            Read::required(TableInfo::of::<Mask>()),
            Read::required(TableInfo::of::<MaskClass>()),
            Read::required(TableInfo::of::<DepthMap>()),
        ],
        writes: &[
            TableInfo::of::<Instance>(),
            TableInfo::of::<Fragment>(),
            TableInfo::of::<Relation>(),
            TableInfo::of::<Arrangement>(),
            TableInfo::of::<OrientedBox>(),
        ],
        reads_counts: false,
        uses_seed: false,
    };

    fn validate(config: &Self::Config) -> Result<(), ConfigError> {
        config.validate()
    }

    fn estimate(config: &Self::Config, rows: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
        let masks = rows.get(TableInfo::of::<Mask>().name).copied().unwrap_or_default();
        let objects = if config.enabled { masks.saturating_mul(OBJECTS_PER_FRAME) } else { 0 };
        let name = |table: TableInfo| table.name.to_owned();
        BTreeMap::from([
            (name(TableInfo::of::<Instance>()), objects),
            (name(TableInfo::of::<Fragment>()), objects / INSTANCES_PER_FRAGMENT),
            (name(TableInfo::of::<Relation>()), objects.saturating_mul(RELATIONS_PER_INSTANCE)),
            (name(TableInfo::of::<Arrangement>()), objects.saturating_mul(ARRANGEMENTS_PER_INSTANCE)),
            (name(TableInfo::of::<OrientedBox>()), if config.with_oriented_box { objects } else { 0 }),
        ])
    }

    fn run(config: &Self::Config, context: &mut Context<'_>) -> Result<(), TaskError> {
        io::run(config, context)
    }
}
