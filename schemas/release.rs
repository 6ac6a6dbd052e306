//! What the release is assembled from.

use crate::record;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One Parquet file of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shard {
    /// Path inside the release, `data/<config>/<split>-00000-of-00001.parquet`.
    pub path: String,
    /// Config (table) that it belongs to.
    pub config: String,
    /// Split of its rows.
    pub split: String,
    /// Number of rows.
    pub row_count: i64,
    /// Number of row groups.
    pub row_group_count: i64,
    /// Decoded size: Arrow bytes, an image counted once per row that holds it.
    #[schemars(extend("x-unit" = "byte"))]
    pub decoded_bytes: i64,
    /// Size of the file.
    #[schemars(extend("x-unit" = "byte"))]
    pub byte_count: i64,
    /// SHA-256 of the file, hexadecimal.
    pub sha256: String,
}
record!(Shard, "shards", 1, path);

/// One image that questions of a release show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShardImage {
    /// Frame that the image shows.
    pub frame_id: String,
    /// Split of the frame.
    pub split: String,
    /// SHA-256 of the delivered bytes, hexadecimal.
    pub sha256: String,
    /// Whether the delivered bytes are the source file's own.
    pub original_bytes: bool,
    /// Number of items that hold the image.
    pub item_count: i64,
}
record!(ShardImage, "shard_images", 1, frame_id);

/// `manifest.json` of a release: what is in it, for checkers and downloaders.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReleaseManifest {
    /// Version of this format.
    pub format_version: u32,
    /// Title of the data set.
    pub name: String,
    /// Name of the release folder: the title and a hash of the content.
    pub id: String,
    /// Version of uavgen that made it.
    pub uavgen_version: String,
    /// How recordings were divided: `source`, `regroup` or `list`.
    pub split_mode: String,
    /// One entry per table, sorted by name.
    pub configs: Vec<ReleaseTable>,
    /// Every file of the release but this one, sorted by path.
    pub files: Vec<ReleaseFile>,
}

/// One table of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReleaseTable {
    /// Name of the table.
    pub name: String,
    /// Version of its record.
    pub record_version: u32,
    /// One entry per split that has rows, sorted by name.
    pub splits: Vec<ReleaseSplit>,
}

/// One split of one table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReleaseSplit {
    /// Name of the split.
    pub name: String,
    /// Number of rows over its files.
    pub row_count: i64,
    /// Decoded size in bytes over its files.
    pub decoded_bytes: i64,
    /// Its Parquet files as paths inside the release, in order.
    pub files: Vec<String>,
}

/// One file of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReleaseFile {
    /// Path inside the release, `/`-separated.
    pub path: String,
    /// Size in bytes.
    pub byte_count: i64,
    /// SHA-256, hexadecimal.
    pub sha256: String,
    /// Number of rows of a Parquet file; null for other files.
    pub row_count: Option<i64>,
}
