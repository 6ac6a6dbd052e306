//! The ops of the language as one tree type, and the small types that stand in its fields.
//!
//! JSON form: `{"op":"count","of":{"op":"objects","frame":0}}`. Frames are positions in the item's `frame_ids`. Programs
//! carry lists of source categories, not words, so that a change of vocabulary changes no released answer.

use crate::margins::{AtRule, CountMargin, ExtremeMargin, InsideRule, TimeMargin};
use serde::{Deserialize, Serialize};
use uavgen_geometry::{GeometryError, NormalisedBox};

/// One op with its inputs. README.md has their types, units and margins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub enum Expr {
    /// All objects of one frame.
    Objects {
        /// Position in the item's `frame_ids`.
        frame: u32,
    },
    /// All objects of the frame that the enclosing loop (`each`) is at.
    FrameObjects {},
    /// The objects of a set whose category is one of the list.
    WhereCategory {
        /// Set to choose from.
        of: Box<Expr>,
        /// Source categories, sorted.
        any_of: Vec<String>,
    },
    /// The objects of a set that lie inside an area; one that straddles the border is a member only perhaps.
    WhereRegion {
        /// Set to choose from.
        of: Box<Expr>,
        /// Area of the image.
        area: Area,
        /// When an object counts as inside, and when neither.
        #[serde(default)]
        inside: InsideRule,
    },
    /// Number of objects in a set.
    Count {
        /// Set to count.
        of: Box<Expr>,
    },
    /// Whether a set has a member.
    Exists {
        /// Set to look at.
        of: Box<Expr>,
    },
    /// The only member of a set.
    Unique {
        /// Set with one member.
        of: Box<Expr>,
    },
    /// The member of a set that is furthest in one respect; refused when the next one is close.
    Extreme {
        /// Set to choose from.
        of: Box<Expr>,
        /// In which respect.
        by: ExtremeBy,
        /// How far ahead of every other member it must be.
        #[serde(default)]
        margin: ExtremeMargin,
    },
    /// The only object at a given box.
    ObjectAt {
        /// Position in the item's `frame_ids`.
        frame: u32,
        /// The box, normalised.
        at: BoxEdges,
        /// How well the object must fit the box, and how far any other one must stay away.
        #[serde(default)]
        rule: AtRule,
    },
    /// The term, among several, that an object's category belongs to.
    CategoryOf {
        /// The object.
        of: Box<Expr>,
        /// Terms without common categories, sorted by term.
        among: Vec<Term>,
    },
    /// The box of an object, normalised and exact.
    BoxOf {
        /// The object.
        of: Box<Expr>,
    },
    /// The boxes of all objects of a set, normalised and exact, sorted by their edges.
    BoxesOf {
        /// The set.
        of: Box<Expr>,
    },
    /// Area of an object's box as a share of the image area.
    AreaShare {
        /// The object.
        of: Box<Expr>,
    },
    /// The terms, among several, that have an object in a set.
    PresentTerms {
        /// Set to look at.
        of: Box<Expr>,
        /// Terms without common categories, sorted by term.
        among: Vec<Term>,
    },
    /// The term, among several, with the most objects in a set; near ties are refused.
    MostNumerous {
        /// Set to count in.
        of: Box<Expr>,
        /// Terms without common categories, sorted by term.
        among: Vec<Term>,
        /// How far ahead of every other term it must be.
        #[serde(default)]
        margin: CountMargin,
    },
    /// The term, among several, with the fewest objects in a set; near ties are refused.
    Fewest {
        /// Set to count in.
        of: Box<Expr>,
        /// Terms without common categories, sorted by term.
        among: Vec<Term>,
        /// How far behind every other term it must be.
        #[serde(default)]
        margin: CountMargin,
    },
    /// `left - right`, of the same unit.
    Difference {
        /// Number to subtract from.
        left: Box<Expr>,
        /// Number to subtract.
        right: Box<Expr>,
    },
    /// Whether `left` is greater (or less) than `right`, of the same unit; near ties are refused.
    Compare {
        /// First number.
        left: Box<Expr>,
        /// The claim about the first number.
        relation: Relation,
        /// Second number.
        right: Box<Expr>,
        /// How far apart the numbers must be.
        #[serde(default)]
        margin: CountMargin,
    },
    /// Number of distinct tracks with an object in the set of at least one of the frames.
    CountTracks {
        /// Positions in the item's `frame_ids`, ascending.
        frames: Vec<u32>,
        /// Set per frame, built on `frame_objects`.
        each: Box<Expr>,
    },
    /// Number of frames for which a claim holds.
    CountFramesWhere {
        /// Positions in the item's `frame_ids`, ascending.
        frames: Vec<u32>,
        /// Claim per frame, built on `frame_objects`.
        each: Box<Expr>,
    },
    /// Number of objects in the set of the first frame of a segment of a clip; refused unless those numbers are known for
    /// all of its segments, and apart.
    CountAtStart {
        /// Position of the segment in the clip, from 0.
        segment: u32,
        /// Set per frame, built on `frame_objects`.
        each: Box<Expr>,
        /// How far apart the numbers of any two segments must be.
        #[serde(default)]
        margin: CountMargin,
    },
    /// Number of distinct tracks with an object in the set of at least one frame of a segment of a clip.
    CountSegmentTracks {
        /// Position of the segment in the clip, from 0.
        segment: u32,
        /// Set per frame, built on `frame_objects`.
        each: Box<Expr>,
    },
    /// The only segment of a clip with an object in the set of at least one of its frames.
    SegmentWith {
        /// Set per frame, built on `frame_objects`.
        each: Box<Expr>,
    },
    /// Terms in the order in which they first have an object in the set of a frame of a clip.
    FirstAppearances {
        /// Set per frame, built on `frame_objects`.
        each: Box<Expr>,
        /// Terms without common categories, sorted by term.
        among: Vec<Term>,
        /// How long after one term the next one must follow.
        #[serde(default)]
        margin: TimeMargin,
    },
}

/// A word of a question with the source categories that it covers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Term {
    /// Word as the answer shows it.
    pub term: String,
    /// Source categories, sorted.
    pub any_of: Vec<String>,
}

/// Respect in which one object of a set is ahead of the others. Positions are those of the box centre.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExtremeBy {
    /// Smallest x of the centre.
    Left,
    /// Largest x of the centre.
    Right,
    /// Smallest y of the centre (y points down).
    Top,
    /// Largest y of the centre.
    Bottom,
    /// Largest box area in the image.
    Largest,
    /// Smallest box area in the image.
    Smallest,
    /// Smallest distance in pixels from the centre of the box to the centre of the image.
    NearestToCentre,
}

impl ExtremeBy {
    /// Every respect.
    pub const ALL: [Self; 7] =
        [Self::Left, Self::Right, Self::Top, Self::Bottom, Self::Largest, Self::Smallest, Self::NearestToCentre];
}

/// Claim about the first of two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// The first is greater.
    Greater,
    /// The first is less.
    Less,
}

/// Box edges as shares of the image sides, each 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoxEdges {
    /// Left edge as a share of the image width.
    pub x1: f64,
    /// Top edge as a share of the image height.
    pub y1: f64,
    /// Right edge as a share of the image width, exclusive.
    pub x2: f64,
    /// Bottom edge as a share of the image height, exclusive.
    pub y2: f64,
}

impl BoxEdges {
    /// Edges in the order x1, y1, x2, y2; not yet checked.
    pub const fn new(x1: f64, y1: f64, x2: f64, y2: f64) -> Self {
        Self { x1, y1, x2, y2 }
    }
}

impl From<NormalisedBox> for BoxEdges {
    fn from(checked: NormalisedBox) -> Self {
        Self::new(checked.x1(), checked.y1(), checked.x2(), checked.y2())
    }
}

impl TryFrom<BoxEdges> for NormalisedBox {
    type Error = GeometryError;

    fn try_from(edges: BoxEdges) -> Result<Self, GeometryError> {
        Self::new(edges.x1, edges.y1, edges.x2, edges.y2)
    }
}

/// An area of the image by name and box. The box decides; a name other than `custom` must belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Area {
    /// Name that the question uses.
    pub name: AreaName,
    /// Edges, normalised.
    pub edges: BoxEdges,
}

/// Named areas of an image: halves, the cells of a 3 x 3 grid, or a box given in the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AreaName {
    /// x below 1/2.
    LeftHalf,
    /// x from 1/2.
    RightHalf,
    /// y below 1/2.
    TopHalf,
    /// y from 1/2.
    BottomHalf,
    /// First column, first row.
    TopLeft,
    /// Second column, first row.
    TopCentre,
    /// Third column, first row.
    TopRight,
    /// First column, second row.
    MiddleLeft,
    /// Second column, second row.
    MiddleCentre,
    /// Third column, second row.
    MiddleRight,
    /// First column, third row.
    BottomLeft,
    /// Second column, third row.
    BottomCentre,
    /// Third column, third row.
    BottomRight,
    /// A box given in the question.
    Custom,
}

/// A third of an image side, as every program states it.
const THIRD: f64 = 1.0 / 3.0;
/// Two thirds of an image side, as every program states it.
const TWO_THIRDS: f64 = 2.0 / 3.0;

impl AreaName {
    /// Halves of the image.
    pub const HALVES: [Self; 4] = [Self::LeftHalf, Self::RightHalf, Self::TopHalf, Self::BottomHalf];

    /// Cells of the 3 x 3 grid, row by row.
    pub const GRID: [Self; 9] = [
        Self::TopLeft,
        Self::TopCentre,
        Self::TopRight,
        Self::MiddleLeft,
        Self::MiddleCentre,
        Self::MiddleRight,
        Self::BottomLeft,
        Self::BottomCentre,
        Self::BottomRight,
    ];

    /// The normalised edges that belong to the name; `None` for a custom area.
    pub fn edges(self) -> Option<BoxEdges> {
        let (columns, rows) = ([0.0, THIRD, TWO_THIRDS, 1.0], [0.0, THIRD, TWO_THIRDS, 1.0]);
        let cell = |x: usize, y: usize| BoxEdges::new(columns[x], rows[y], columns[x + 1], rows[y + 1]);
        Some(match self {
            Self::LeftHalf => BoxEdges::new(0.0, 0.0, 0.5, 1.0),
            Self::RightHalf => BoxEdges::new(0.5, 0.0, 1.0, 1.0),
            Self::TopHalf => BoxEdges::new(0.0, 0.0, 1.0, 0.5),
            Self::BottomHalf => BoxEdges::new(0.0, 0.5, 1.0, 1.0),
            Self::TopLeft => cell(0, 0),
            Self::TopCentre => cell(1, 0),
            Self::TopRight => cell(2, 0),
            Self::MiddleLeft => cell(0, 1),
            Self::MiddleCentre => cell(1, 1),
            Self::MiddleRight => cell(2, 1),
            Self::BottomLeft => cell(0, 2),
            Self::BottomCentre => cell(1, 2),
            Self::BottomRight => cell(2, 2),
            Self::Custom => return None,
        })
    }

    /// The name as a question says it, after "in"; `None` for a custom area.
    pub fn phrase(self) -> Option<&'static str> {
        Some(match self {
            Self::LeftHalf => "the left half of the image",
            Self::RightHalf => "the right half of the image",
            Self::TopHalf => "the top half of the image",
            Self::BottomHalf => "the bottom half of the image",
            Self::TopLeft => "the top-left cell of a three-by-three grid over the image",
            Self::TopCentre => "the top-centre cell of a three-by-three grid over the image",
            Self::TopRight => "the top-right cell of a three-by-three grid over the image",
            Self::MiddleLeft => "the middle-left cell of a three-by-three grid over the image",
            Self::MiddleCentre => "the centre cell of a three-by-three grid over the image",
            Self::MiddleRight => "the middle-right cell of a three-by-three grid over the image",
            Self::BottomLeft => "the bottom-left cell of a three-by-three grid over the image",
            Self::BottomCentre => "the bottom-centre cell of a three-by-three grid over the image",
            Self::BottomRight => "the bottom-right cell of a three-by-three grid over the image",
            Self::Custom => return None,
        })
    }
}

impl Area {
    /// The area of a name; `None` for [`AreaName::Custom`], which needs a box.
    pub fn named(name: AreaName) -> Option<Self> {
        name.edges().map(|edges| Self { name, edges })
    }

    /// An area given by its box.
    pub fn custom(edges: BoxEdges) -> Self {
        Self { name: AreaName::Custom, edges }
    }
}
