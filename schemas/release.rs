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

/// One image that a release delivers.
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
