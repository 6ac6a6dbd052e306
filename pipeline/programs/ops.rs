//! Names of ops, and how to walk a tree without knowing its ops. README.md has the table of what each reads, gives, and
//! refuses.

use crate::ast::Expr;

/// The inputs of an op by name, borrowed by a method of `Box`.
macro_rules! inputs {
    ($expr:expr, $borrow:ident) => {{
        let (first, second, third) = match $expr {
            Expr::Objects { .. } | Expr::FrameObjects {} | Expr::ObjectAt { .. } => (None, None, None),
            Expr::WhereCategory { of, .. }
            | Expr::WhereRegion { of, .. }
            | Expr::WhereWhole { of }
            | Expr::WhereMeasure { of, .. }
            | Expr::WhereOn { of, .. }
            | Expr::WhereSeenFrom { of, .. }
            | Expr::Count { of }
            | Expr::Exists { of }
            | Expr::Unique { of }
            | Expr::Extreme { of, .. }
            | Expr::Superlative { of, .. }
            | Expr::Kth { of, .. }
            | Expr::InFrame { of, .. }
            | Expr::CategoryOf { of, .. }
            | Expr::BoxOf { of }
            | Expr::BoxesOf { of }
            | Expr::AreaShare { of }
            | Expr::MeasureOf { of, .. }
            | Expr::ClockPosition { of, .. }
            | Expr::SurfaceOf { of, .. }
            | Expr::StillThere { of, .. }
            | Expr::PresentTerms { of, .. }
            | Expr::MostNumerous { of, .. }
            | Expr::Fewest { of, .. } => (Some(("of", of.$borrow())), None, None),
            Expr::WhereWithin { of, centre, .. } => {
                (Some(("of", of.$borrow())), Some(("centre", centre.$borrow())), None)
            }
            Expr::WhereBetween { of, one, other, .. } => {
                (Some(("of", of.$borrow())), Some(("one", one.$borrow())), Some(("other", other.$borrow())))
            }
            Expr::ByDistance { of, to, .. } => (Some(("of", of.$borrow())), Some(("to", to.$borrow())), None),
            Expr::Difference { left, right }
            | Expr::Compare { left, right, .. }
            | Expr::CompareMeasures { left, right, .. } => {
                (Some(("left", left.$borrow())), Some(("right", right.$borrow())), None)
            }
            Expr::Distance { from, to, .. } | Expr::Speed { from, to, .. } | Expr::Bearing { from, to, .. } => {
                (Some(("from", from.$borrow())), Some(("to", to.$borrow())), None)
            }
            Expr::CountTracks { each, .. }
            | Expr::CountFramesWhere { each, .. }
            | Expr::CountAtStart { each, .. }
            | Expr::CountSegmentTracks { each, .. }
            | Expr::SegmentWith { each }
            | Expr::FirstAppearances { each, .. } => (Some(("each", each.$borrow())), None, None),
        };
        first.into_iter().chain(second).chain(third)
    }};
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
            Self::CountAtStart { .. } => "count_at_start",
            Self::CountSegmentTracks { .. } => "count_segment_tracks",
            Self::SegmentWith { .. } => "segment_with",
            Self::FirstAppearances { .. } => "first_appearances",
            Self::WhereWhole { .. } => "where_whole",
            Self::WhereMeasure { .. } => "where_measure",
            Self::WhereWithin { .. } => "where_within",
            Self::WhereOn { .. } => "where_on",
            Self::WhereBetween { .. } => "where_between",
            Self::WhereSeenFrom { .. } => "where_seen_from",
            Self::Superlative { .. } => "superlative",
            Self::ByDistance { .. } => "by_distance",
            Self::Kth { .. } => "kth",
            Self::InFrame { .. } => "in_frame",
            Self::MeasureOf { .. } => "measure_of",
            Self::Distance { .. } => "distance",
            Self::Speed { .. } => "speed",
            Self::CompareMeasures { .. } => "compare_measures",
            Self::Bearing { .. } => "bearing",
            Self::ClockPosition { .. } => "clock_position",
            Self::SurfaceOf { .. } => "surface_of",
            Self::StillThere { .. } => "still_there",
        }
    }

    /// Whether it reads places in space, which only lifted objects have.
    pub fn needs_space(&self) -> bool {
        matches!(
            self,
            Self::WhereWhole { .. }
                | Self::WhereMeasure { .. }
                | Self::WhereWithin { .. }
                | Self::WhereOn { .. }
                | Self::WhereBetween { .. }
                | Self::WhereSeenFrom { .. }
                | Self::Superlative { .. }
                | Self::ByDistance { .. }
                | Self::MeasureOf { .. }
                | Self::Distance { .. }
                | Self::Speed { .. }
                | Self::Bearing { .. }
                | Self::ClockPosition { .. }
                | Self::SurfaceOf { .. }
                | Self::StillThere { .. }
        )
    }

    /// The inputs of the op with their field names, in the order in which they are computed.
    pub fn inputs(&self) -> impl Iterator<Item = (&'static str, &Expr)> {
        inputs!(self, as_ref)
    }

    /// The inputs of the op, to change them in place.
    pub(crate) fn inputs_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        inputs!(self, as_mut).map(|(_, input)| input)
    }

    /// Sorts every list whose order has no meaning.
    pub(crate) fn sort_lists(&mut self) {
        match self {
            Self::WhereCategory { any_of, .. } => any_of.sort(),
            Self::CategoryOf { among, .. }
            | Self::PresentTerms { among, .. }
            | Self::MostNumerous { among, .. }
            | Self::Fewest { among, .. }
            | Self::SurfaceOf { among, .. }
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
