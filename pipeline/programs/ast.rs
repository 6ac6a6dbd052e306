//! The ops of the language as one tree type, and the small types that stand in its fields.
//!
//! JSON form: `{"op":"count","of":{"op":"objects","frame":0}}`. Frames are positions in the item's `frame_ids`. Programs
//! carry lists of source categories, not words, so that a change of vocabulary changes no released answer.

use crate::area::{Area, BoxEdges};
use crate::directions::BearingFrame;
use crate::margins::{AngleMargin, AtRule, CountMargin, ExtremeMargin, InsideRule, MeasureMargin, TimeMargin};
use crate::measures::{DistanceMeasure, Measure};
use serde::{Deserialize, Serialize};

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
    /// The objects of a set that lie wholly in the image; the others are no members.
    WhereWhole {
        /// Set to choose from.
        of: Box<Expr>,
    },
    /// The objects of a set that measure more (or less) than a limit; one that comes close to it, or that cannot be measured, is a
    /// member only perhaps.
    WhereMeasure {
        /// Set to choose from.
        of: Box<Expr>,
        /// What is measured.
        measure: Measure,
        /// Which side of the limit.
        relation: Relation,
        /// The limit, in the unit of the measure.
        limit: f64,
        /// How far from the limit it must be.
        #[serde(default)]
        margin: MeasureMargin,
    },
    /// The objects of a set within a distance of an object, without that object.
    WhereWithin {
        /// Set to choose from.
        of: Box<Expr>,
        /// The object in the middle.
        centre: Box<Expr>,
        /// The distance.
        metres: f64,
        /// Between which points.
        measure: DistanceMeasure,
        /// How far from the limit a distance must be.
        #[serde(default)]
        margin: MeasureMargin,
    },
    /// The objects of a set that stand on a class of ground; one of which that is unknown is a member only perhaps.
    WhereOn {
        /// Set to choose from.
        of: Box<Expr>,
        /// Class of ground.
        surface: String,
    },
    /// The objects of a set whose footprint the straight line between the footprint centres of two others crosses, between those two.
    WhereBetween {
        /// Set to choose from.
        of: Box<Expr>,
        /// One end.
        one: Box<Expr>,
        /// The other end.
        other: Box<Expr>,
        /// How far footprints must reach over the line, or stay away from it.
        #[serde(default)]
        margin: MeasureMargin,
    },
    /// The objects of a set that stand on ground which another frame shows as well.
    WhereSeenFrom {
        /// Set to choose from.
        of: Box<Expr>,
        /// Position of the other frame in the item's `frame_ids`.
        frame: u32,
        /// How far from the border of the other image the place must be, as a share of its longer side.
        #[serde(default)]
        margin: ExtremeMargin,
    },
    /// The member of a set that measures most (or least); refused when another one comes close, or cannot be measured.
    Superlative {
        /// Set to choose from.
        of: Box<Expr>,
        /// What is measured.
        measure: Measure,
        /// `greater` for the most, `less` for the least.
        relation: Relation,
        /// How far ahead of every other member it must be.
        #[serde(default)]
        margin: MeasureMargin,
    },
    /// The member of a set that is nearest to (or farthest from) an object, which is no candidate itself.
    ByDistance {
        /// Set to choose from.
        of: Box<Expr>,
        /// The object that distances are measured from.
        to: Box<Expr>,
        /// `less` for the nearest, `greater` for the farthest.
        relation: Relation,
        /// Between which points.
        measure: DistanceMeasure,
        /// How far ahead of every other member it must be.
        #[serde(default)]
        margin: MeasureMargin,
    },
    /// The k-th member of a set from one side of the image, by box centre; refused where a neighbour in the order is close.
    Kth {
        /// Set to choose from.
        of: Box<Expr>,
        /// Side that is counted from: left, right, top or bottom.
        along: ExtremeBy,
        /// Place in the order, from 1.
        position: u32,
        /// How far from every other member it must be.
        #[serde(default)]
        margin: ExtremeMargin,
    },
    /// The same object on another frame.
    InFrame {
        /// The object.
        of: Box<Expr>,
        /// Position in the item's `frame_ids`.
        frame: u32,
    },
    /// A measure of an object.
    MeasureOf {
        /// The object.
        of: Box<Expr>,
        /// What is measured.
        measure: Measure,
        /// How far the number may be from the truth.
        #[serde(default)]
        margin: MeasureMargin,
    },
    /// Distance between two objects, or between two places of one on two frames; refused where it is no more than the margin.
    Distance {
        /// One object.
        from: Box<Expr>,
        /// The other one.
        to: Box<Expr>,
        /// Between which points.
        measure: DistanceMeasure,
        /// How far the number may be from the truth.
        #[serde(default)]
        margin: MeasureMargin,
    },
    /// Mean speed over the ground of an object between two frames.
    Speed {
        /// The object on one frame.
        from: Box<Expr>,
        /// The same object on a later frame.
        to: Box<Expr>,
        /// How far the way may be from the truth, in metres.
        #[serde(default)]
        margin: MeasureMargin,
    },
    /// Whether `left` is greater (or less) than `right`, of the same unit of measure; near ties are refused.
    CompareMeasures {
        /// First number.
        left: Box<Expr>,
        /// The claim about the first number.
        relation: Relation,
        /// Second number.
        right: Box<Expr>,
        /// How far apart the numbers must be.
        #[serde(default)]
        margin: MeasureMargin,
    },
    /// In which direction `to` lies from `from`, or an object went between two frames; refused near the border of two sectors.
    Bearing {
        /// The object in the middle.
        from: Box<Expr>,
        /// The object that is looked for.
        to: Box<Expr>,
        /// What directions are told by.
        frame: BearingFrame,
        /// Number of directions that are told apart.
        sectors: u32,
        /// How far from the border of a sector, and how far apart.
        #[serde(default)]
        margin: AngleMargin,
    },
    /// At which hour of a clock an object lies whose centre is the point under the drone and whose 12 is the top of the image.
    ClockPosition {
        /// The object.
        of: Box<Expr>,
        /// How far from the border of an hour, and from the centre.
        #[serde(default)]
        margin: AngleMargin,
    },
    /// The term, among several, that the ground which an object stands on belongs to.
    SurfaceOf {
        /// The object.
        of: Box<Expr>,
        /// Terms without common classes, sorted by term.
        among: Vec<Term>,
    },
    /// Whether an object is still where it was, on another frame that shows the place.
    StillThere {
        /// The object.
        of: Box<Expr>,
        /// Position of the other frame in the item's `frame_ids`.
        frame: u32,
        /// How far it must have gone to be away, in metres.
        #[serde(default)]
        margin: MeasureMargin,
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
