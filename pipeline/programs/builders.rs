//! Builders, so that stages write programs as they read: `Expr::objects(0).where_category(["car"]).count()`. Margins
//! get their defaults; set the field to override one.

use crate::area::{Area, BoxEdges};
use crate::ast::{Expr, ExtremeBy, Relation, Term};
use crate::margins::{AtRule, CountMargin, ExtremeMargin, InsideRule, TimeMargin};

impl Term {
    /// A term over source categories, sorted.
    pub fn new<S: Into<String>>(term: impl Into<String>, any_of: impl IntoIterator<Item = S>) -> Self {
        Self { term: term.into(), any_of: sorted(any_of) }
    }
}

fn sorted<S: Into<String>>(categories: impl IntoIterator<Item = S>) -> Vec<String> {
    let mut categories: Vec<String> = categories.into_iter().map(Into::into).collect();
    categories.sort();
    categories
}

fn sorted_terms(terms: impl IntoIterator<Item = Term>) -> Vec<Term> {
    let mut terms: Vec<Term> = terms.into_iter().collect();
    terms.sort();
    terms
}

impl Expr {
    /// [`Expr::Objects`].
    pub fn objects(frame: u32) -> Self {
        Self::Objects { frame }
    }

    /// [`Expr::FrameObjects`].
    pub fn frame_objects() -> Self {
        Self::FrameObjects {}
    }

    /// [`Expr::WhereCategory`].
    #[must_use]
    pub fn where_category<S: Into<String>>(self, any_of: impl IntoIterator<Item = S>) -> Self {
        Self::WhereCategory { of: self.boxed(), any_of: sorted(any_of) }
    }

    /// [`Expr::WhereRegion`] with the default rule.
    #[must_use]
    pub fn where_region(self, area: Area) -> Self {
        Self::WhereRegion { of: self.boxed(), area, inside: InsideRule::default() }
    }

    /// [`Expr::Count`].
    #[must_use]
    pub fn count(self) -> Self {
        Self::Count { of: self.boxed() }
    }

    /// [`Expr::Exists`].
    #[must_use]
    pub fn exists(self) -> Self {
        Self::Exists { of: self.boxed() }
    }

    /// [`Expr::Unique`].
    #[must_use]
    pub fn unique(self) -> Self {
        Self::Unique { of: self.boxed() }
    }

    /// [`Expr::Extreme`] with the default margin.
    #[must_use]
    pub fn extreme(self, by: ExtremeBy) -> Self {
        Self::Extreme { of: self.boxed(), by, margin: ExtremeMargin::default() }
    }

    /// [`Expr::ObjectAt`] with the default rule.
    pub fn object_at(frame: u32, at: impl Into<BoxEdges>) -> Self {
        Self::ObjectAt { frame, at: at.into(), rule: AtRule::default() }
    }

    /// [`Expr::CategoryOf`].
    #[must_use]
    pub fn category_of(self, among: impl IntoIterator<Item = Term>) -> Self {
        Self::CategoryOf { of: self.boxed(), among: sorted_terms(among) }
    }

    /// [`Expr::BoxOf`].
    #[must_use]
    pub fn box_of(self) -> Self {
        Self::BoxOf { of: self.boxed() }
    }

    /// [`Expr::BoxesOf`].
    #[must_use]
    pub fn boxes_of(self) -> Self {
        Self::BoxesOf { of: self.boxed() }
    }

    /// [`Expr::AreaShare`].
    #[must_use]
    pub fn area_share(self) -> Self {
        Self::AreaShare { of: self.boxed() }
    }

    /// [`Expr::PresentTerms`].
    #[must_use]
    pub fn present_terms(self, among: impl IntoIterator<Item = Term>) -> Self {
        Self::PresentTerms { of: self.boxed(), among: sorted_terms(among) }
    }

    /// [`Expr::MostNumerous`] with the default margin.
    #[must_use]
    pub fn most_numerous(self, among: impl IntoIterator<Item = Term>) -> Self {
        Self::MostNumerous { of: self.boxed(), among: sorted_terms(among), margin: CountMargin::default() }
    }

    /// [`Expr::Fewest`] with the default margin.
    #[must_use]
    pub fn fewest(self, among: impl IntoIterator<Item = Term>) -> Self {
        Self::Fewest { of: self.boxed(), among: sorted_terms(among), margin: CountMargin::default() }
    }

    /// [`Expr::Difference`].
    #[must_use]
    pub fn difference(self, right: Self) -> Self {
        Self::Difference { left: self.boxed(), right: right.boxed() }
    }

    /// [`Expr::Compare`] with the default margin.
    #[must_use]
    pub fn compare(self, relation: Relation, right: Self) -> Self {
        Self::Compare { left: self.boxed(), relation, right: right.boxed(), margin: CountMargin::default() }
    }

    /// [`Expr::CountTracks`] over frames, with a set built on [`Expr::frame_objects`].
    pub fn count_tracks(frames: impl IntoIterator<Item = u32>, each: Self) -> Self {
        Self::CountTracks { frames: frames.into_iter().collect(), each: each.boxed() }
    }

    /// [`Expr::CountFramesWhere`] over frames, with a claim built on [`Expr::frame_objects`].
    pub fn count_frames_where(frames: impl IntoIterator<Item = u32>, each: Self) -> Self {
        Self::CountFramesWhere { frames: frames.into_iter().collect(), each: each.boxed() }
    }

    /// [`Expr::CountAtStart`] with the default margin and a set built on [`Expr::frame_objects`].
    pub fn count_at_start(segment: u32, each: Self) -> Self {
        Self::CountAtStart { segment, each: each.boxed(), margin: CountMargin::default() }
    }

    /// [`Expr::CountSegmentTracks`] with a set built on [`Expr::frame_objects`].
    pub fn count_segment_tracks(segment: u32, each: Self) -> Self {
        Self::CountSegmentTracks { segment, each: each.boxed() }
    }

    /// [`Expr::SegmentWith`] with a set built on [`Expr::frame_objects`].
    pub fn segment_with(each: Self) -> Self {
        Self::SegmentWith { each: each.boxed() }
    }

    /// [`Expr::FirstAppearances`] with the default margin and a set built on [`Expr::frame_objects`].
    pub fn first_appearances(each: Self, among: impl IntoIterator<Item = Term>) -> Self {
        Self::FirstAppearances { each: each.boxed(), among: sorted_terms(among), margin: TimeMargin::default() }
    }

    fn boxed(self) -> Box<Self> {
        Box::new(self)
    }
}
