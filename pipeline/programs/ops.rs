//! The ops in one table: what each reads, gives, in which unit and frame, and within which margin it refuses; and how
//! to walk a tree without knowing its ops.

use crate::ast::Expr;

/// One row of the table of ops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpInfo {
    /// Name in JSON.
    pub name: &'static str,
    /// Inputs by field name and type.
    pub reads: &'static str,
    /// Output type.
    pub gives: &'static str,
    /// Unit of the output; `-` where it has none.
    pub unit: &'static str,
    /// Frame of reference of what is measured; `-` where nothing is.
    pub frame: &'static str,
    /// Field and default of the margin within which the op refuses; `-` where it has none.
    pub margin: &'static str,
    /// Reason codes that the op itself may refuse with.
    pub refuses: &'static str,
}

/// Every op of the language.
pub const OPS: &[OpInfo] = &[
    op("objects", "frame", "set", "-", "-", "-", "no_such_frame"),
    op("frame_objects", "(loop)", "set", "-", "-", "-", "no_such_frame"),
    op("where_category", "of: set", "set", "-", "-", "-", "-"),
    op("where_region", "of: set", "set", "-", "image", "inside: 0.1 to 0.9", "straddles_region"),
    op("count", "of: set", "int", "objects", "-", "-", "touches_unknown"),
    op("exists", "of: set", "bool", "-", "-", "-", "touches_unknown"),
    op("unique", "of: set", "object", "-", "-", "-", "not_unique, no_object, touches_unknown"),
    op(
        "extreme",
        "of: set",
        "object",
        "-",
        "image",
        "margin: 0.05 of a side, 0.1 of an area",
        "near_tie, no_object, touches_unknown",
    ),
    op(
        "object_at",
        "frame",
        "object",
        "-",
        "image",
        "rule: IoU 0.9, rivals 0.5",
        "no_object, not_unique, touches_unknown, no_such_frame",
    ),
    op("category_of", "of: object", "category", "-", "-", "-", "ambiguous_category, outside_terms"),
    op("box_of", "of: object", "box", "share", "image", "-", "-"),
    op("boxes_of", "of: set", "boxes", "share", "image", "-", "touches_unknown"),
    op("area_share", "of: object", "float", "share", "image", "-", "-"),
    op("present_terms", "of: set", "categories", "-", "-", "-", "touches_unknown"),
    op("most_numerous", "of: set", "category", "-", "-", "margin: max(1, 5 %)", "near_tie, touches_unknown"),
    op("fewest", "of: set", "category", "-", "-", "margin: max(1, 5 %)", "near_tie, touches_unknown"),
    op("difference", "left, right: int", "int", "of the inputs", "-", "-", "touches_unknown"),
    op("compare", "left, right: int", "bool", "-", "-", "margin: max(1, 5 %)", "near_tie, touches_unknown"),
    op(
        "count_tracks",
        "frames, each: set",
        "int",
        "tracks",
        "-",
        "-",
        "no_tracks, several_recordings, touches_unknown, no_such_frame",
    ),
    op("count_frames_where", "frames, each: bool", "int", "frames", "-", "-", "no_such_frame"),
];

const fn op(
    name: &'static str,
    reads: &'static str,
    gives: &'static str,
    unit: &'static str,
    frame: &'static str,
    margin: &'static str,
    refuses: &'static str,
) -> OpInfo {
    OpInfo { name, reads, gives, unit, frame, margin, refuses }
}

impl Expr {
    /// Name of the op in JSON.
    pub fn op(&self) -> &'static str {
        match self {
            Self::Objects { .. } => "objects",
            Self::FrameObjects {} => "frame_objects",
            Self::WhereCategory { .. } => "where_category",
            Self::WhereRegion { .. } => "where_region",
            Self::Count { .. } => "count",
            Self::Exists { .. } => "exists",
            Self::Unique { .. } => "unique",
            Self::Extreme { .. } => "extreme",
            Self::ObjectAt { .. } => "object_at",
            Self::CategoryOf { .. } => "category_of",
            Self::BoxOf { .. } => "box_of",
            Self::BoxesOf { .. } => "boxes_of",
            Self::AreaShare { .. } => "area_share",
            Self::PresentTerms { .. } => "present_terms",
            Self::MostNumerous { .. } => "most_numerous",
            Self::Fewest { .. } => "fewest",
            Self::Difference { .. } => "difference",
            Self::Compare { .. } => "compare",
            Self::CountTracks { .. } => "count_tracks",
            Self::CountFramesWhere { .. } => "count_frames_where",
        }
    }

    /// The inputs of the op with their field names, in the order in which they are computed.
    pub fn inputs(&self) -> impl Iterator<Item = (&'static str, &Expr)> {
        let (first, second) = match self {
            Self::Objects { .. } | Self::FrameObjects {} | Self::ObjectAt { .. } => (None, None),
            Self::WhereCategory { of, .. }
            | Self::WhereRegion { of, .. }
            | Self::Count { of }
            | Self::Exists { of }
            | Self::Unique { of }
            | Self::Extreme { of, .. }
            | Self::CategoryOf { of, .. }
            | Self::BoxOf { of }
            | Self::BoxesOf { of }
            | Self::AreaShare { of }
            | Self::PresentTerms { of, .. }
            | Self::MostNumerous { of, .. }
            | Self::Fewest { of, .. } => (Some(("of", &**of)), None),
            Self::Difference { left, right } | Self::Compare { left, right, .. } => {
                (Some(("left", &**left)), Some(("right", &**right)))
            }
            Self::CountTracks { each, .. } | Self::CountFramesWhere { each, .. } => (Some(("each", &**each)), None),
        };
        first.into_iter().chain(second)
    }

    /// The inputs of the op, to change them in place.
    pub(crate) fn inputs_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        let (first, second) = match self {
            Self::Objects { .. } | Self::FrameObjects {} | Self::ObjectAt { .. } => (None, None),
            Self::WhereCategory { of, .. }
            | Self::WhereRegion { of, .. }
            | Self::Count { of }
            | Self::Exists { of }
            | Self::Unique { of }
            | Self::Extreme { of, .. }
            | Self::CategoryOf { of, .. }
            | Self::BoxOf { of }
            | Self::BoxesOf { of }
            | Self::AreaShare { of }
            | Self::PresentTerms { of, .. }
            | Self::MostNumerous { of, .. }
            | Self::Fewest { of, .. } => (Some(&mut **of), None),
            Self::Difference { left, right } | Self::Compare { left, right, .. } => {
                (Some(&mut **left), Some(&mut **right))
            }
            Self::CountTracks { each, .. } | Self::CountFramesWhere { each, .. } => (Some(&mut **each), None),
        };
        first.into_iter().chain(second)
    }

    /// Sorts every list whose order has no meaning.
    pub(crate) fn sort_lists(&mut self) {
        match self {
            Self::WhereCategory { any_of, .. } => any_of.sort(),
            Self::CategoryOf { among, .. }
            | Self::PresentTerms { among, .. }
            | Self::MostNumerous { among, .. }
            | Self::Fewest { among, .. } => {
                among.iter_mut().for_each(|term| term.any_of.sort());
                among.sort();
            }
            Self::CountTracks { frames, .. } | Self::CountFramesWhere { frames, .. } => frames.sort_unstable(),
            _ => {}
        }
        self.inputs_mut().for_each(Self::sort_lists);
    }
}
