//! `ingest`: VisDrone folders as distributed, videos, folders of frames and posed images become recordings, frames, boxes, tracks,
//! regions, telemetry, cameras, poses, meshes and masks.

mod config;
mod io;
mod pure;
mod sources;
#[cfg(test)]
mod tests;

pub use config::{IngestConfig, UnreadableRows};

use std::collections::BTreeMap;
use uavgen_core::{ConfigError, Context, Discovery, Grain, Project, StageDefinition, StageInfo, TaskError};
use uavgen_schemas::{
    Box2d, Camera, Frame, Mask, MaskClass, Mesh, Pose, RecordedDepth, Recording, Region, TableInfo, Telemetry, Track,
};

/// The stage.
pub const STAGE: Ingest = Ingest;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Ingest;

/// Boxes of a busy VisDrone frame, for the forecast of `plan`.
const BOXES_PER_FRAME: u64 = 80;
/// What discovery counts for the forecast.
const RECORDINGS: &str = "recordings";
const IMAGES: &str = "images";
/// Of the recordings, those from video files, whose frames nobody knows before they are decoded.
const VIDEOS: &str = "videos";

impl StageDefinition for Ingest {
    type Config = IngestConfig;

    const INFO: StageInfo = StageInfo {
        name: "ingest",
        version: 6,
        summary: "Reads source folders into recordings, frames, annotations, telemetry, cameras, poses, meshes and masks.",
        grain: Grain::Sequence,
        reads: &[],
        writes: &[
            TableInfo::of::<Recording>(),
            TableInfo::of::<Frame>(),
            TableInfo::of::<Box2d>(),
            TableInfo::of::<Track>(),
            TableInfo::of::<Region>(),
            TableInfo::of::<Telemetry>(),
            TableInfo::of::<Camera>(),
            TableInfo::of::<Pose>(),
            TableInfo::of::<Mesh>(),
            TableInfo::of::<RecordedDepth>(),
            TableInfo::of::<Mask>(),
            TableInfo::of::<MaskClass>(),
        ],
        reads_counts: false,
        uses_seed: false,
    };

    fn validate(config: &Self::Config) -> Result<(), ConfigError> {
        config.validate()
    }

    fn discover(_config: &Self::Config, project: &Project) -> Option<Result<Discovery, ConfigError>> {
        Some(io::discover::discover(project))
    }

    fn estimate(_config: &Self::Config, rows: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
        let number = |name: &str| rows.get(name).copied().unwrap_or_default();
        let counts = [
            (TableInfo::of::<Recording>(), number(RECORDINGS)),
            (TableInfo::of::<Frame>(), number(IMAGES)),
            (TableInfo::of::<Box2d>(), number(IMAGES).saturating_mul(BOXES_PER_FRAME)),
        ];
        counts.into_iter().map(|(table, count)| (table.name.to_owned(), count)).collect()
    }

    fn run(config: &Self::Config, context: &mut Context<'_>) -> Result<(), TaskError> {
        io::run(config, context)
    }
}
