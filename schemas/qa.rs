//! Question-answer items: computed first (`qa_items`), then delivered with their images (`qa`).

use crate::image_bytes::ImageBytes;
use crate::record;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Where the truth of an answer comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerSource {
    /// A program over annotations or geometry.
    Computed,
    /// A program over pixels or motion, with a confidence.
    Measured,
    /// A model.
    Model,
    /// A person.
    Human,
}

/// Whether a person has to look, or has looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewStatus {
    /// Good to use.
    Approved,
    /// Waits for a decision.
    Pending,
    /// Decided against; kept for the record.
    Rejected,
}

/// Type of the answer. Options are texts: words, numbers or boxes, never letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerType {
    /// Whole number.
    Int,
    /// Yes or no.
    Bool,
    /// Number with a unit.
    Float,
    /// A kind of object, by its word.
    Category,
    /// One of the options, where they are texts and no values of another type.
    Choice,
    /// Any number of the options, each a kind of object; `answer_json` has them as `categories`.
    Choices,
    /// One box.
    Box,
    /// Any number of boxes.
    Boxes,
    /// One of the pieces that a clip consists of, by its place.
    Segment,
    /// Kinds of object in an order.
    Order,
    /// A direction, in a frame of reference that the question names.
    Direction,
    /// Free text.
    Text,
    /// The target is provably absent.
    NotExist,
}

/// What a box is to the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BoxRole {
    /// Named in the question.
    Reference,
    /// The answer, or what it was counted from.
    Answer,
    /// One of the options.
    Option,
    /// Evidence that leads to the answer.
    Clue,
    /// Area that the question is limited to.
    Region,
}

/// A box that an item refers to, normalised to its image as delivered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ItemBox {
    /// Position in `images`.
    pub image_index: i32,
    /// What the box is to the question.
    pub role: BoxRole,
    /// Box of `boxes_2d`; null for a region that is no object.
    pub object_id: Option<String>,
    /// `rgb` or `thermal`.
    pub modality: String,
    /// Name of the view in multi-view items; null otherwise.
    pub view: Option<String>,
    /// Left edge as a share of the image width.
    #[schemars(extend("x-unit" = "1", "x-frame" = "image, normalised"))]
    pub x1: f64,
    /// Top edge as a share of the image height.
    #[schemars(extend("x-unit" = "1", "x-frame" = "image, normalised"))]
    pub y1: f64,
    /// Right edge as a share of the image width.
    #[schemars(extend("x-unit" = "1", "x-frame" = "image, normalised"))]
    pub x2: f64,
    /// Bottom edge as a share of the image height.
    #[schemars(extend("x-unit" = "1", "x-frame" = "image, normalised"))]
    pub y2: f64,
}

macro_rules! qa_record {
    ($(#[$doc:meta])* $name:ident { $($(#[$extra_doc:meta])* $extra:ident : $extra_type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            /// Hash of suite, task, program, frames (of an item about a clip: the clip) and wording: stable wherever the item
            /// stands.
            pub id: String,
            /// Suite that asked.
            pub suite: String,
            /// Task within the suite.
            pub task: String,
            /// Capability that the task tests.
            pub capability: String,
            /// Split of the recordings.
            pub split: String,
            /// The question, without its options.
            pub question: String,
            /// Options as texts, in order; empty when the question is open-ended.
            pub options: Vec<String>,
            /// JSON list of typed options, parallel to `options` (boxes stay exact here); `[]` when open-ended.
            pub options_json: String,
            /// Answer as text; with one right option, equal to it; with several, sorted and joined by `; `.
            pub answer: String,
            /// Positions of the right options, ascending; empty when open-ended.
            pub answer_indices: Vec<i32>,
            /// Type of the answer; `type` of `answer_json` is the same, but `categories` for `choices`.
            pub answer_type: AnswerType,
            /// Canonical JSON of the typed value with unit and reference frame.
            pub answer_json: String,
            /// Where the truth comes from.
            pub answer_source: AnswerSource,
            /// Whether a person has looked.
            pub review_status: ReviewStatus,
            /// Canonical JSON of the program that computed the answer; execute it with `uavgen check`.
            pub program: String,
            /// JSON of the ids and values that the program used; an explanation, never the truth.
            pub facts: String,
            $($(#[$extra_doc])* pub $extra: $extra_type,)*
            /// Video of the item as a path inside the release; null when it is about images.
            pub video: Option<String>,
            /// Clip of the item; null when it is about images.
            pub clip_id: Option<String>,
            /// Frames that the item is about, in the order of `images`. Empty when it is about a clip: `clip_frames` has all
            /// frames of that.
            pub frame_ids: Vec<String>,
            /// Recordings of those frames, or of the clip, sorted, without repeats.
            pub recording_ids: Vec<String>,
            /// Leak group; never in two splits. Of a clip of several places all of their groups, sorted and joined by `+`.
            pub group_id: String,
            /// Boxes that the item refers to, normalised to their image as delivered; none when it is about a clip.
            pub boxes: Vec<ItemBox>,
            /// JSON: template or model, wording, seed, votes, review.
            pub provenance: String,
            /// Licence or terms of the images; where recordings have several, all of them, sorted and joined by `; `.
            pub licence: String,
        }
    };
}

qa_record! {
    /// A question with its computed answer, before images are attached.
    QaItem {}
}
record!(QaItem, "qa_items", 2, id);

qa_record! {
    /// A question with its answer and its images: the row that a release delivers.
    QaRow {
        /// Images of the item, in the order of `frame_ids`.
        images: Vec<ImageBytes>,
    }
}
impl crate::Record for QaRow {
    const TABLE: &'static str = "qa";
    const VERSION: u32 = 2;
    fn id(&self) -> &str {
        &self.id
    }
    fn heavy_bytes(&self) -> usize {
        self.images.iter().map(|image| image.bytes.len()).sum()
    }
}

/// A question about a clip of several recordings, in a table of its own: a table has one writer. In a release such rows stand
/// in `qa` with the others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ClipQaItem(pub QaItem);
impl crate::Record for ClipQaItem {
    const TABLE: &'static str = "clip_qa_items";
    const VERSION: u32 = 1;
    fn id(&self) -> &str {
        &self.0.id
    }
}

/// A question whose answer was measured in space, in a table of its own as [`ClipQaItem`] is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct SpaceQaItem(pub QaItem);
impl crate::Record for SpaceQaItem {
    const TABLE: &'static str = "space_qa_items";
    const VERSION: u32 = 1;
    fn id(&self) -> &str {
        &self.0.id
    }
}

impl From<SpaceQaItem> for QaItem {
    fn from(row: SpaceQaItem) -> Self {
        row.0
    }
}

impl From<ClipQaItem> for QaItem {
    fn from(row: ClipQaItem) -> Self {
        row.0
    }
}

/// Leak group of an item about recordings of these groups: the group, or all of them, sorted and joined by `+`.
pub fn joined_group<'a>(groups: impl IntoIterator<Item = &'a str>) -> String {
    groups.into_iter().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join("+")
}

/// Licence of an item about recordings of these licences: the licence, or all of them, sorted and joined by `; `.
pub fn joined_licence<'a>(licences: impl IntoIterator<Item = &'a str>) -> String {
    licences.into_iter().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join("; ")
}

impl QaItem {
    /// The delivered row: this item with its images.
    pub fn with_images(self, images: Vec<ImageBytes>) -> QaRow {
        QaRow {
            images,
            id: self.id,
            suite: self.suite,
            task: self.task,
            capability: self.capability,
            split: self.split,
            question: self.question,
            options: self.options,
            options_json: self.options_json,
            answer: self.answer,
            answer_indices: self.answer_indices,
            answer_type: self.answer_type,
            answer_json: self.answer_json,
            answer_source: self.answer_source,
            review_status: self.review_status,
            program: self.program,
            facts: self.facts,
            video: self.video,
            clip_id: self.clip_id,
            frame_ids: self.frame_ids,
            recording_ids: self.recording_ids,
            group_id: self.group_id,
            boxes: self.boxes,
            provenance: self.provenance,
            licence: self.licence,
        }
    }
}
