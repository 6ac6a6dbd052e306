//! What needs no files: views of depth, palettes, facts and texts. No clock, no threads.

pub(super) mod facts;
pub(super) mod prompts;
pub(super) mod samples;
pub(super) mod segmentation;
pub(super) mod view;

use std::collections::BTreeMap;

/// Colours of classes by name, where masks of ids state none.
const COLOURS: &str = include_str!("../templates/colours.json");
/// Wordings of the texts.
const WORDINGS: &str = include_str!("../templates/prompts.json");

/// BLAKE3 of each data file by name.
pub(super) fn data_digests() -> BTreeMap<String, String> {
    [("colours", COLOURS), ("prompts", WORDINGS)]
        .map(|(name, text)| (format!("data {name}"), blake3::hash(text.as_bytes()).to_hex().to_string()))
        .into()
}
