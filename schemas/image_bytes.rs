//! An image as Hugging Face `datasets` stores it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Encoded image with its name: Arrow `struct<bytes: binary, path: string>`, the storage of the `Image` feature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-feature" = "Image"))]
pub struct ImageBytes {
    /// Encoded JPEG or PNG, upright, 8 bits per channel unless its column says otherwise.
    #[serde(with = "serde_bytes")]
    #[schemars(with = "String", extend("x-arrow" = "binary"))]
    pub bytes: Vec<u8>,
    /// Name of the image; the extension tells the encoding.
    pub path: String,
}
