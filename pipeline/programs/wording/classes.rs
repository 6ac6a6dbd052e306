//! Words for classes of masks: one, several, with an article.

use crate::program::MAX_WORD_BYTES;

/// A class as questions say it: "container truck" for `container_truck`.
pub fn class_word(class: &str) -> String {
    class.replace(['_', '-'], " ").trim().to_lowercase()
}

/// Several of a class, by the rules of English and its few exceptions among classes of masks.
///
/// ```
/// use uavgen_programs::wording::lifted::class_words;
/// let words = ["car", "bus", "person", "trash_box", "body"].map(class_words);
/// assert_eq!(words, ["cars", "buses", "people", "trash boxes", "bodies"]);
/// ```
pub fn class_words(class: &str) -> String {
    let word = class_word(class);
    let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    match word.as_str() {
        "person" => "people".to_owned(),
        "people" => word,
        _ if ends(&["s", "x", "ch", "sh", "z"]) => format!("{word}es"),
        _ if ends(&["y"]) && !ends(&["ay", "ey", "oy", "uy"]) => format!("{}ies", &word[..word.len() - 1]),
        _ => format!("{word}s"),
    }
}

/// One of a class with its article.
pub fn a_class(class: &str) -> String {
    with_article(&class_word(class))
}

/// "a bus in the image", "an umbrella in the image".
pub fn with_article(words: &str) -> String {
    let article = if words.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {words}")
}

/// Whether questions can say the name of a class as a word.
pub fn can_be_said(class: &str) -> bool {
    let word = class_word(class);
    let plain = word.chars().all(|letter| letter.is_alphanumeric() || letter == ' ');
    plain
        && !word.is_empty()
        && word.len() <= MAX_WORD_BYTES
        && !["a", "an", "the", "in", "of", "object"].contains(&word.as_str())
}
