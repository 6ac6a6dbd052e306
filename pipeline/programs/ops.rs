//! Names of ops, and how to walk a tree without knowing its ops. README.md has the table of what each reads, gives, and
//! refuses.

use crate::ast::Expr;

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
            Self::CountAtStart { .. } => "count_at_start",
            Self::CountSegmentTracks { .. } => "count_segment_tracks",
            Self::SegmentWith { .. } => "segment_with",
            Self::FirstAppearances { .. } => "first_appearances",
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
            Self::CountTracks { each, .. }
            | Self::CountFramesWhere { each, .. }
            | Self::CountAtStart { each, .. }
            | Self::CountSegmentTracks { each, .. }
            | Self::SegmentWith { each }
            | Self::FirstAppearances { each, .. } => (Some(("each", &**each)), None),
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
            Self::CountTracks { each, .. }
            | Self::CountFramesWhere { each, .. }
            | Self::CountAtStart { each, .. }
            | Self::CountSegmentTracks { each, .. }
            | Self::SegmentWith { each }
            | Self::FirstAppearances { each, .. } => (Some(&mut **each), None),
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
            | Self::Fewest { among, .. }
            | Self::FirstAppearances { among, .. } => {
                among.iter_mut().for_each(|term| term.any_of.sort());
                among.sort();
            }
            Self::CountTracks { frames, .. } | Self::CountFramesWhere { frames, .. } => frames.sort_unstable(),
            _ => {}
        }
        self.inputs_mut().for_each(Self::sort_lists);
    }
}
