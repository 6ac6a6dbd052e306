//! What a suite may ask about: the filter's verdict on each frame.

use crate::record;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A box that a suite may not use but that is there: it blocks what it could change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnknownBox {
    /// Box of `boxes_2d`.
    pub box_id: String,
    /// Reason code: `too_small`, `zero_size`, `in_ignored_region`, `ignored_by_source`.
    pub reason: String,
    /// Categories that the object may be; empty = anything.
    pub may_be: Vec<String>,
}

/// The objects of one frame that one suite may use. A filter never deletes truth: what is not kept is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Selection {
    /// `<suite>:<frame_id>`.
    pub selection_id: String,
    /// Suite that the selection is for.
    pub suite: String,
    /// Frame that it is about.
    pub frame_id: String,
    /// Recording of the frame.
    pub recording_id: String,
    /// Whether the suite may ask about the frame at all.
    pub usable: bool,
    /// Reason code when it may not: `unlabelled`, `too_few_objects`; null when usable.
    pub reason: Option<String>,
    /// Boxes that may be referred to and counted, sorted by id.
    pub kept: Vec<String>,
    /// Boxes that are there but may not be used, sorted by id.
    pub unknown: Vec<UnknownBox>,
}
record!(Selection, "selections", 1, selection_id);
