//! Words of questions: things in the right number, places in image terms.

use uavgen_geometry::{Box2, NormalisedBox};
use uavgen_programs::answer::box_text;
use uavgen_programs::taxonomy::{TERMS, TermEntry, VEHICLE};
use uavgen_programs::{Area, AreaName, BoxEdges, Expr, InsideRule, SceneFrame, SceneObject};

/// Every term that may be asked for on its own.
pub fn all_terms() -> impl Iterator<Item = &'static TermEntry> {
    TERMS.iter().chain([&VEHICLE])
}

/// Source categories of a term.
pub fn categories(term: &TermEntry) -> Vec<String> {
    term.any_of.iter().map(|&category| category.to_owned()).collect()
}

/// "cars"; where a reader may doubt what the word covers, that is said.
pub fn things(term: &TermEntry) -> String {
    format!("{}{}", term.plural, scope(term))
}

/// "a car", "an awning-tricycle".
pub fn a_thing(term: &TermEntry) -> String {
    let article = if term.word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {}{}", term.word, scope(term))
}

/// What a word covers beyond doubt. Riders are labelled as people, and bicycles are vehicles.
fn scope(term: &TermEntry) -> &'static str {
    match term.word {
        "person" => " (riders included)",
        "vehicle" => " (bicycles and motorcycles included)",
        _ => "",
    }
}

/// A small number as a word, so that it is not taken for an option.
pub fn number_word(number: usize) -> &'static str {
    ["no", "one", "two", "three", "four", "five", "six"].get(number).copied().unwrap_or("several")
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
        match self.area {
            None => "in the image".to_owned(),
            Some(area) => match area.name.phrase() {
                Some(phrase) => format!("in {phrase}"),
                None => format!(
                    "inside the box {} (x1, y1, x2, y2 as shares of the image width and height)",
                    box_text(&area.edges)
                ),
            },
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
