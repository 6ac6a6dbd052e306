//! Typed values, their canonical JSON and their one text form.

use crate::area::BoxEdges;
use crate::ast::Term;
use crate::directions::BearingFrame;
use crate::program::ProgramError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use uavgen_geometry::{NormalisedBox, round_share};
use uavgen_schemas::AnswerType;
use uavgen_schemas::canonical;

/// Between the kinds of an order, in text.
pub const ORDER_SEPARATOR: &str = ", then ";

/// What a number counts or measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Objects on one frame.
    Objects,
    /// Objects over several frames.
    Tracks,
    /// Frames.
    Frames,
    /// Share of a whole, 0 to 1.
    Share,
    /// Metres.
    Metres,
    /// Square metres.
    SquareMetres,
    /// Metres per second.
    MetresPerSecond,
}

impl Unit {
    /// The rounding table: decimals of a number of this unit as text. Stored values stay exact.
    pub fn decimals(self) -> usize {
        match self {
            Self::Objects | Self::Tracks | Self::Frames | Self::SquareMetres => 0,
            Self::Metres | Self::MetresPerSecond => 1,
            Self::Share => 3,
        }
    }

    /// What follows a real number of this unit as text.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Objects | Self::Tracks | Self::Frames | Self::Share => "",
            Self::Metres => " m",
            Self::SquareMetres => " m²",
            Self::MetresPerSecond => " m/s",
        }
    }
}

/// Frame of reference of coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceFrame {
    /// Shares of the image sides, origin at the top-left corner.
    ImageNormalised,
}

/// A typed answer. Equality is exact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Value {
    /// Whole number.
    Int {
        /// The number.
        value: i64,
        /// What it counts.
        unit: Unit,
    },
    /// Yes or no.
    Bool {
        /// `true` is yes.
        value: bool,
    },
    /// Real number.
    Float {
        /// The number, finite.
        value: f64,
        /// What it measures.
        unit: Unit,
    },
    /// One term.
    Category {
        /// Word.
        term: String,
        /// Source categories that it covers, sorted.
        any_of: Vec<String>,
    },
    /// Any number of terms.
    Categories {
        /// Terms, sorted.
        values: Vec<Term>,
    },
    /// One box.
    Box {
        /// Frame of reference of the edges.
        frame: ReferenceFrame,
        /// Left edge.
        x1: f64,
        /// Top edge.
        y1: f64,
        /// Right edge, exclusive.
        x2: f64,
        /// Bottom edge, exclusive.
        y2: f64,
    },
    /// Any number of boxes.
    Boxes {
        /// Frame of reference of the edges.
        frame: ReferenceFrame,
        /// Boxes, sorted by their edges.
        boxes: Vec<BoxEdges>,
    },
    /// One segment of a clip.
    Segment {
        /// Position in the clip, from 0.
        position: u32,
    },
    /// Terms in an order.
    Order {
        /// Terms, each once; the order is the answer.
        values: Vec<Term>,
    },
    /// A direction.
    Direction {
        /// What it is told by.
        frame: BearingFrame,
        /// Number of directions that are told apart.
        sectors: u32,
        /// Which of them, clockwise from the first, from 0.
        sector: u32,
    },
}

impl Value {
    /// A term as a value.
    pub fn category(term: &Term) -> Self {
        Self::Category { term: term.term.clone(), any_of: term.any_of.clone() }
    }

    /// Terms as a value, sorted.
    pub fn categories(terms: impl IntoIterator<Item = Term>) -> Self {
        let mut values: Vec<Term> = terms.into_iter().collect();
        values.sort();
        Self::Categories { values }
    }

    /// A normalised box as a value.
    pub fn normalised_box(edges: impl Into<BoxEdges>) -> Self {
        let BoxEdges { x1, y1, x2, y2 } = edges.into();
        Self::Box { frame: ReferenceFrame::ImageNormalised, x1, y1, x2, y2 }
    }

    /// Normalised boxes as a value, sorted by their edges.
    pub fn normalised_boxes(boxes: impl IntoIterator<Item = BoxEdges>) -> Self {
        let mut boxes: Vec<BoxEdges> = boxes.into_iter().collect();
        boxes.sort_by(|a, b| {
            edge_list(a)
                .iter()
                .zip(edge_list(b))
                .fold(std::cmp::Ordering::Equal, |order, (a, b)| order.then(a.total_cmp(&b)))
        });
        Self::Boxes { frame: ReferenceFrame::ImageNormalised, boxes }
    }

    /// Canonical JSON with type, unit and reference frame: the column `answer_json`.
    pub fn to_canonical_json(&self) -> String {
        canonical_json(self)
    }

    /// Canonical JSON of several values: the column `options_json`.
    pub fn list_to_canonical_json(values: &[Self]) -> String {
        canonical_json(values)
    }

    /// Reads a value back from its JSON.
    pub fn parse(text: &str) -> Result<Self, ProgramError> {
        serde_json::from_str(text).map_err(|error| ProgramError::Syntax { detail: error.to_string() })
    }

    /// The answer as text: the one rounding per type, shared by whoever writes and whoever checks. Whole numbers in
    /// digits, `yes` / `no`, real numbers with the decimals of their unit and its sign ("12.3 m"), directions and words as they are, boxes with three
    /// decimals, several parts joined by `; ` (`none` when there is none), segments as "second clip", orders as
    /// "car, then bus".
    pub fn text(&self) -> String {
        match self {
            Self::Int { value, .. } => value.to_string(),
            Self::Bool { value: true } => "yes".to_owned(),
            Self::Bool { value: false } => "no".to_owned(),
            Self::Float { value, unit } => format!("{value:.*}{}", unit.decimals(), unit.suffix()),
            Self::Category { term, .. } => term.clone(),
            Self::Categories { values } => joined(values.iter().map(|value| value.term.clone())),
            Self::Box { x1, y1, x2, y2, .. } => box_text(&BoxEdges::new(*x1, *y1, *x2, *y2)),
            Self::Boxes { boxes, .. } => joined(boxes.iter().map(box_text)),
            Self::Segment { position } => segment_text(*position),
            Self::Order { values } => {
                values.iter().map(|value| value.term.as_str()).collect::<Vec<_>>().join(ORDER_SEPARATOR)
            }
            Self::Direction { frame, sectors, sector } => match frame.text(*sectors, *sector) {
                Some(text) => text.to_owned(),
                None => format!("sector {sector} of {sectors}"),
            },
        }
    }

    /// Type for the column `answer_type` of an item that is not answered by a letter; lists of terms are `choices`.
    pub fn answer_type(&self) -> AnswerType {
        match self {
            Self::Int { .. } => AnswerType::Int,
            Self::Bool { .. } => AnswerType::Bool,
            Self::Float { .. } => AnswerType::Float,
            Self::Category { .. } => AnswerType::Category,
            Self::Categories { .. } => AnswerType::Choices,
            Self::Box { .. } => AnswerType::Box,
            Self::Boxes { .. } => AnswerType::Boxes,
            Self::Segment { .. } => AnswerType::Segment,
            Self::Order { .. } => AnswerType::Order,
            Self::Direction { .. } => AnswerType::Direction,
        }
    }
}

fn edge_list(edges: &BoxEdges) -> [f64; 4] {
    [edges.x1, edges.y1, edges.x2, edges.y2]
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { "none".to_owned() } else { parts.join("; ") }
}

/// Words for places in an order, as many as a clip may have segments.
pub(crate) const ORDINALS: [&str; 16] = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
];

/// A segment of a clip as a question calls it, counted from one in words: "second clip".
pub fn segment_text(position: u32) -> String {
    match usize::try_from(position).ok().and_then(|position| ORDINALS.get(position)) {
        Some(word) => format!("{word} clip"),
        None => format!("clip no. {}", u64::from(position) + 1),
    }
}

/// A normalised box as text: `[x1, y1, x2, y2]` with three decimals, rounded as [`NormalisedBox::quantised`] does.
pub fn box_text(edges: &BoxEdges) -> String {
    let [x1, y1, x2, y2] = edge_list(edges).map(round_share);
    format!("[{x1:.3}, {y1:.3}, {x2:.3}, {y2:.3}]")
}

/// Smallest IoU of a box with its text for which the text still stands for it.
pub const MIN_BOX_TEXT_IOU: f64 = 0.9;

/// IoU of a box with its text, 0 to 1; 0 for edges that are no box.
pub fn box_text_iou(edges: &BoxEdges) -> f64 {
    NormalisedBox::try_from(*edges).map_or(0.0, |exact| exact.iou(&exact.quantised()))
}

/// Whether the text of a box still stands for it. Small boxes fail.
///
/// ```
/// use uavgen_programs::{BoxEdges, box_text_is_faithful};
/// assert!(box_text_is_faithful(&BoxEdges::new(0.1234, 0.1234, 0.3234, 0.3234)));
/// assert!(!box_text_is_faithful(&BoxEdges::new(0.1234, 0.1234, 0.1284, 0.1274)));
/// ```
pub fn box_text_is_faithful(edges: &BoxEdges) -> bool {
    box_text_iou(edges) >= MIN_BOX_TEXT_IOU
}

/// What a program looked at on its way: an explanation for people, never the truth.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// Objects that the answer rests on (counted, found or chosen), sorted; at most 64.
    pub objects: Vec<String>,
    /// Number of objects that the answer rests on.
    pub object_count: usize,
    /// Numbers on the way by the path of their op, e.g. `root.left`, `root.each[3]`, and `root[bus]` for the count of a
    /// term, as the labels tell them; yes is 1. At most 64.
    pub values: BTreeMap<String, serde_json::Number>,
}

impl Facts {
    /// Canonical JSON: the column `facts`.
    pub fn to_canonical_json(&self) -> String {
        canonical_json(self)
    }
}

/// A certain answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The typed value.
    pub value: Value,
    /// What it rests on.
    pub facts: Facts,
}

/// The canonical JSON of a type of this crate.
pub(crate) fn canonical_json<T: Serialize + ?Sized>(value: &T) -> String {
    canonical::of(value).expect("types of this crate serialise: their maps have string keys")
}
