//! The records of uavgen: one Rust struct per table, and nothing else.
//!
//! A record struct is the single source of a table: its Arrow schema, its JSON Schema (`json/*.json`) and its page in
//! `REFERENCE.md` are derived from it, its field docs are the column docs, and `x-unit` / `x-frame` become column
//! metadata. Coordinates are in the `image` frame unless a field says otherwise: continuous pixels, origin at the
//! top-left *corner* of the image as delivered, boxes half-open `x1 <= x < x2`.
//!
//! Records hold plain named structs only (no tuples, no maps, no nested enums with data), so that every reader of
//! Parquet sees named columns.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub mod canonical;
pub mod clip;
pub mod generation;
pub mod geometry;
pub mod image_bytes;
pub mod instances;
pub mod json_type;
pub mod qa;
pub mod reference;
pub mod reject;
pub mod release;
pub mod scene;
pub mod selection;
pub mod telemetry;
pub mod video;

pub use clip::{
    Clip, ClipFrame, ClipKind, ClipPool, ClipSample, ClipSegment, ShuffleStrategy, StitchGroup, StitchedClip,
    StitchedFrame, StitchedSample, StitchedSegment,
};
pub use generation::{
    DepthPolarity, GenerationFrame, GenerationKind, GenerationSample, GenerationTriple, Modality, SegmentClass,
    TripleImages,
};
pub use geometry::{
    Camera, ClassKind, DepthMap, DepthScale, DepthSource, Mask, MaskClass, Mesh, Pose, RecordedDepth, WorldAxes,
};
pub use image_bytes::ImageBytes;
pub use instances::{
    Arrangement, ArrangementKind, Fragment, FragmentReason, HeadingSource, Instance, OrientedBox, PlacedBy, Relation,
    Vertical,
};
pub use qa::{AnswerSource, AnswerType, BoxRole, ClipQaItem, ItemBox, QaItem, QaRow, ReviewStatus, SpaceQaItem};
pub use reject::{Reject, RejectKind};
pub use release::{ReleaseFile, ReleaseManifest, ReleaseSplit, ReleaseTable, Shard, ShardImage};
pub use scene::{Box2d, Frame, Recording, RecordingKind, Region, RegionKind, Track};
pub use selection::{Selection, UnknownBox};
pub use telemetry::Telemetry;
pub use video::{FrameMapEntry, Video};

/// One row type of one table.
pub trait Record: Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {
    /// Table name: lower snake case, also the file stem in the store and the config name in a release.
    const TABLE: &'static str;
    /// Raised whenever a column is added, removed, or changes its meaning.
    const VERSION: u32;
    /// The row's key, unique within the table.
    fn id(&self) -> &str;
    /// Bytes of encoded media that the row carries, so that writers can bound their memory.
    fn heavy_bytes(&self) -> usize {
        0
    }
}

/// Name, version and JSON Schema of a record, for code that handles tables without knowing their type.
#[derive(Debug, Clone, Copy)]
pub struct TableInfo {
    /// See [`Record::TABLE`].
    pub name: &'static str,
    /// See [`Record::VERSION`].
    pub version: u32,
    /// Generates the JSON Schema of the record.
    pub json_schema: fn() -> serde_json::Value,
}

impl TableInfo {
    /// The table of record `R`.
    pub const fn of<R: Record>() -> Self {
        Self { name: R::TABLE, version: R::VERSION, json_schema: json_schema::<R> }
    }
}

/// The JSON Schema of record `R`, with sub-schemas inlined (so that a column's type is found in one look).
pub fn json_schema<R: JsonSchema>() -> serde_json::Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<R>().to_value()
}

/// Every table that a stage may read or write, in the order in which the reference lists them.
pub const TABLES: &[TableInfo] = &[
    TableInfo::of::<Recording>(),
    TableInfo::of::<Frame>(),
    TableInfo::of::<Box2d>(),
    TableInfo::of::<Track>(),
    TableInfo::of::<Region>(),
    TableInfo::of::<Telemetry>(),
    TableInfo::of::<Camera>(),
    TableInfo::of::<Pose>(),
    TableInfo::of::<Mesh>(),
    TableInfo::of::<Mask>(),
    TableInfo::of::<MaskClass>(),
    TableInfo::of::<RecordedDepth>(),
    TableInfo::of::<DepthMap>(),
    TableInfo::of::<Instance>(),
    TableInfo::of::<Fragment>(),
    TableInfo::of::<Relation>(),
    TableInfo::of::<Arrangement>(),
    TableInfo::of::<OrientedBox>(),
    TableInfo::of::<GenerationTriple>(),
    TableInfo::of::<GenerationFrame>(),
    TableInfo::of::<GenerationSample>(),
    TableInfo::of::<Video>(),
    TableInfo::of::<FrameMapEntry>(),
    TableInfo::of::<Clip>(),
    TableInfo::of::<ClipSegment>(),
    TableInfo::of::<ClipFrame>(),
    TableInfo::of::<ClipSample>(),
    TableInfo::of::<StitchGroup>(),
    TableInfo::of::<StitchedClip>(),
    TableInfo::of::<StitchedSegment>(),
    TableInfo::of::<StitchedFrame>(),
    TableInfo::of::<StitchedSample>(),
    TableInfo::of::<Selection>(),
    TableInfo::of::<QaItem>(),
    TableInfo::of::<ClipQaItem>(),
    TableInfo::of::<SpaceQaItem>(),
    TableInfo::of::<QaRow>(),
    TableInfo::of::<Shard>(),
    TableInfo::of::<ShardImage>(),
    TableInfo::of::<Reject>(),
];

/// The tables that a release has a config of, where they have rows, in the order of [`TABLES`]. Those of files that a release does
/// not have (meshes, depth maps) are none of them.
pub const RELEASE_TABLES: &[TableInfo] = &[
    TableInfo::of::<Recording>(),
    TableInfo::of::<Frame>(),
    TableInfo::of::<Box2d>(),
    TableInfo::of::<Track>(),
    TableInfo::of::<Region>(),
    TableInfo::of::<Telemetry>(),
    TableInfo::of::<Camera>(),
    TableInfo::of::<Pose>(),
    TableInfo::of::<Mask>(),
    TableInfo::of::<MaskClass>(),
    TableInfo::of::<Instance>(),
    TableInfo::of::<Fragment>(),
    TableInfo::of::<GenerationFrame>(),
    TableInfo::of::<GenerationSample>(),
    TableInfo::of::<Video>(),
    TableInfo::of::<FrameMapEntry>(),
    TableInfo::of::<Clip>(),
    TableInfo::of::<ClipSegment>(),
    TableInfo::of::<ClipFrame>(),
    TableInfo::of::<ClipSample>(),
    TableInfo::of::<Selection>(),
    TableInfo::of::<QaRow>(),
];

macro_rules! record {
    ($type:ty, $table:literal, $version:literal, $id:ident) => {
        impl crate::Record for $type {
            const TABLE: &'static str = $table;
            const VERSION: u32 = $version;
            fn id(&self) -> &str {
                &self.$id
            }
        }
    };
}
pub(crate) use record;
