//! The words of questions, and the source categories that each covers. Data: programs carry the category lists, so a
//! change here changes no released answer.

use crate::ast::Term;

/// A word of questions with its source categories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TermEntry {
    /// Word for one.
    pub word: &'static str,
    /// Word for several.
    pub plural: &'static str,
    /// Source categories that it covers.
    pub any_of: &'static [&'static str],
    /// What the word includes that a reader may doubt; empty where nothing is.
    pub note: &'static str,
}

/// Terms of single kinds: no two share a category, so they may stand beside each other.
pub const TERMS: &[TermEntry] = &[
    TermEntry {
        word: "person",
        plural: "people",
        any_of: &["pedestrian", "people"],
        note: "people standing, walking, sitting or riding; riders count beside their vehicle",
    },
    plain("car", "cars", &["car"]),
    plain("van", "vans", &["van"]),
    plain("truck", "trucks", &["truck"]),
    plain("bus", "buses", &["bus"]),
    plain("bicycle", "bicycles", &["bicycle"]),
    plain("motorcycle", "motorcycles", &["motor"]),
    plain("tricycle", "tricycles", &["tricycle"]),
    plain("awning-tricycle", "awning-tricycles", &["awning-tricycle"]),
];

/// The wider term. `others` is in it, so that an object of no category blocks counts of vehicles.
pub const VEHICLE: TermEntry = TermEntry {
    word: "vehicle",
    plural: "vehicles",
    any_of: &["awning-tricycle", "bicycle", "bus", "car", "motor", "others", "tricycle", "truck", "van"],
    note: "everything with wheels, bicycles included",
};

/// Categories that annotators and viewers mix up: never answer and distractor of one question.
pub const CONFUSABLE: &[(&str, &str)] = &[("awning-tricycle", "tricycle"), ("car", "van"), ("pedestrian", "people")];

const fn plain(word: &'static str, plural: &'static str, any_of: &'static [&'static str]) -> TermEntry {
    TermEntry { word, plural, any_of, note: "" }
}

impl TermEntry {
    /// The term as programs carry it.
    pub fn term(&self) -> Term {
        Term::new(self.word, self.any_of.iter().copied())
    }
}

/// The entry of a word, the wider term included.
pub fn by_word(word: &str) -> Option<&'static TermEntry> {
    TERMS.iter().chain([&VEHICLE]).find(|entry| entry.word == word)
}

/// The narrowest term of a source category; `None` for `others` and categories that have no word.
pub fn by_category(category: &str) -> Option<&'static TermEntry> {
    TERMS.iter().find(|entry| entry.any_of.contains(&category))
}

/// Categories that a category is mixed up with.
pub fn confusable_with(category: &str) -> impl Iterator<Item = &'static str> {
    CONFUSABLE.iter().filter_map(move |&(a, b)| match category {
        _ if category == a => Some(b),
        _ if category == b => Some(a),
        _ => None,
    })
}

/// Whether two terms must not meet as answer and distractor: they share a category, or hold a confusable pair.
///
/// ```
/// use uavgen_programs::taxonomy::{by_word, confusable};
/// let term = |word| by_word(word).unwrap().term();
/// assert!(confusable(&term("car"), &term("van")));
/// assert!(confusable(&term("vehicle"), &term("bus")));
/// assert!(!confusable(&term("car"), &term("bus")));
/// ```
pub fn confusable(a: &Term, b: &Term) -> bool {
    a.any_of.iter().any(|category| {
        b.any_of.contains(category) || confusable_with(category).any(|other| b.any_of.iter().any(|own| own == other))
    })
}
