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
    /// What the word covers that a reader may doubt, in the words that every question says it with; empty where there is
    /// nothing to doubt.
    pub note: &'static str,
}

/// Terms of single kinds. Two that share a category (an awning-tricycle is a tricycle) are [`confusable`], so they never
/// stand beside each other.
pub const TERMS: &[TermEntry] = &[
    TermEntry { word: "person", plural: "people", any_of: &["pedestrian", "people"], note: "riders included" },
    plain("car", "cars", &["car"]),
    plain("van", "vans", &["van"]),
    plain("truck", "trucks", &["truck"]),
    plain("bus", "buses", &["bus"]),
    plain("bicycle", "bicycles", &["bicycle"]),
    plain("motorcycle", "motorcycles", &["motor"]),
    TermEntry {
        word: "tricycle",
        plural: "tricycles",
        any_of: &["awning-tricycle", "tricycle"],
        note: "with or without an awning",
    },
    plain("awning-tricycle", "awning-tricycles", &["awning-tricycle"]),
];

/// The wider term. `others` is in it, so that an object of no category blocks counts of vehicles.
pub const VEHICLE: TermEntry = TermEntry {
    word: "vehicle",
    plural: "vehicles",
    any_of: &["awning-tricycle", "bicycle", "bus", "car", "motor", "others", "tricycle", "truck", "van"],
    note: "bicycles and motorcycles included",
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

    /// Source categories, as sets are narrowed by them.
    pub fn categories(&self) -> Vec<String> {
        self.any_of.iter().map(|&category| category.to_owned()).collect()
    }
}

/// The entry of a word, the wider term included.
pub fn by_word(word: &str) -> Option<&'static TermEntry> {
    TERMS.iter().chain([&VEHICLE]).find(|entry| entry.word == word)
}

/// The narrowest term of a source category; `None` for `others` and categories that have no word.
///
/// ```
/// use uavgen_programs::taxonomy::by_category;
/// assert_eq!(by_category("awning-tricycle").unwrap().word, "awning-tricycle");
/// assert_eq!(by_category("tricycle").unwrap().word, "tricycle");
/// ```
pub fn by_category(category: &str) -> Option<&'static TermEntry> {
    TERMS.iter().filter(|entry| entry.any_of.contains(&category)).min_by_key(|entry| entry.any_of.len())
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
/// assert!(confusable(&term("tricycle"), &term("awning-tricycle")));
/// assert!(!confusable(&term("car"), &term("bus")));
/// ```
pub fn confusable(a: &Term, b: &Term) -> bool {
    a.any_of.iter().any(|category| {
        b.any_of.contains(category) || confusable_with(category).any(|other| b.any_of.iter().any(|own| own == other))
    })
}
