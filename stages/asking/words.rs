//! What questions are about: terms, and places in image terms.

use uavgen_geometry::{Box2, NormalisedBox};
use uavgen_programs::taxonomy::{TERMS, TermEntry, VEHICLE};
use uavgen_programs::{Area, AreaName, BoxEdges, Expr, InsideRule, SceneFrame, SceneObject};

/// Every term that may be asked for on its own.
pub fn all_terms() -> impl Iterator<Item = &'static TermEntry> {
    TERMS.iter().chain([&VEHICLE])
}

/// Shapes of places: a place tells nothing about its content to who sees it beside others of its shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// The whole image.
    Whole,
    /// A half of the image.
    Half,
    /// A cell of the 3 x 3 grid.
    Cell,
    /// A drawn box; those of one frame are equally large.
    Box,
}

/// Where a question looks: the whole image, or an area of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// Null for the whole image.
    pub area: Option<Area>,
}

impl Place {
    /// The whole image.
    pub const WHOLE: Self = Self { area: None };

    /// Halves of the image, and cells of the 3 x 3 grid.
    pub fn named() -> impl Iterator<Item = Self> {
        let names = AreaName::HALVES.into_iter().chain(AreaName::GRID);
        names.filter_map(Area::named).map(|area| Self { area: Some(area) })
    }

    /// A box of the image, in tenths of its sides.
    pub fn tenths([x1, y1, x2, y2]: [usize; 4]) -> Self {
        let share = |tenths: usize| tenths as f64 / 10.0;
        Self { area: Some(Area::custom(BoxEdges::new(share(x1), share(y1), share(x2), share(y2)))) }
    }

    /// The place as a question says it: "in the left half of the image".
    pub fn phrase(&self) -> String {
        self.area.map_or_else(|| "in the image".to_owned(), |area| area.phrase())
    }

    /// What the place looks like, whatever is in it.
    pub fn shape(&self) -> Shape {
        match self.area.map(|area| area.name) {
            None => Shape::Whole,
            Some(AreaName::Custom) => Shape::Box,
            Some(name) if AreaName::HALVES.contains(&name) => Shape::Half,
            Some(_) => Shape::Cell,
        }
    }

    /// The members of a set that are in the place.
    pub fn narrow(&self, set: Expr, inside: InsideRule) -> Expr {
        match self.area {
            None => set,
            Some(area) => Expr::WhereRegion { of: Box::new(set), area, inside },
        }
    }

    /// The area in pixels of a frame; null for the whole image.
    pub fn in_pixels(&self, frame: &SceneFrame) -> Option<Box2> {
        let edges = NormalisedBox::try_from(self.area?.edges).ok()?;
        Some(edges.in_pixels(frame.size()))
    }

    /// Whether an object lies in the place, as the labels tell it.
    pub fn holds(&self, frame: &SceneFrame, object: &SceneObject, inside: InsideRule) -> bool {
        self.in_pixels(frame).is_none_or(|area| object.bounds.share_inside(&area) >= inside.share)
    }
}
