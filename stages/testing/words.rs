//! Words and areas of questions, written down here on their own, and what the truth table of the sample data says of them;
//! nothing of the answer language is used.

use uavgen_sample_data::TruthRow;

/// Words of questions with the truth table's categories, written down here on their own; narrower ones first.
pub(crate) const WORDS: [(&str, &str, &[&str]); 10] = [
    ("person", "people", &["pedestrian", "people"]),
    ("car", "cars", &["car"]),
    ("van", "vans", &["van"]),
    ("truck", "trucks", &["truck"]),
    ("bus", "buses", &["bus"]),
    ("bicycle", "bicycles", &["bicycle"]),
    ("motorcycle", "motorcycles", &["motor"]),
    ("awning-tricycle", "awning-tricycles", &["awning-tricycle"]),
    ("tricycle", "tricycles", &["tricycle", "awning-tricycle"]),
    (
        "vehicle",
        "vehicles",
        &["car", "van", "truck", "bus", "bicycle", "motor", "tricycle", "awning-tricycle", "others"],
    ),
];

/// Names of areas with their edges, written down here on their own.
const AREAS: [(&str, [f64; 4]); 13] = [
    ("left half", [0.0, 0.0, 0.5, 1.0]),
    ("right half", [0.5, 0.0, 1.0, 1.0]),
    ("top half", [0.0, 0.0, 1.0, 0.5]),
    ("bottom half", [0.0, 0.5, 1.0, 1.0]),
    ("top-left cell", [0.0, 0.0, 0.3333, 0.3333]),
    ("top-centre cell", [0.3333, 0.0, 0.6667, 0.3333]),
    ("top-right cell", [0.6667, 0.0, 1.0, 0.3333]),
    ("middle-left cell", [0.0, 0.3333, 0.3333, 0.6667]),
    ("the centre cell", [0.3333, 0.3333, 0.6667, 0.6667]),
    ("middle-right cell", [0.6667, 0.3333, 1.0, 0.6667]),
    ("bottom-left cell", [0.0, 0.6667, 0.3333, 1.0]),
    ("bottom-centre cell", [0.3333, 0.6667, 0.6667, 1.0]),
    ("bottom-right cell", [0.6667, 0.6667, 1.0, 1.0]),
];

pub(crate) fn numbers_in_brackets(text: &str) -> Option<[f64; 4]> {
    let inside = text.split(['[', ']']).find(|part| part.matches(',').count() == 3 && !part.contains('x'))?;
    let numbers: Vec<f64> = inside.split(", ").filter_map(|number| number.parse().ok()).collect();
    numbers.try_into().ok()
}

/// Area that the text names, as shares of the image.
pub(crate) fn area_of(text: &str) -> [f64; 4] {
    if let Some((_, edges)) = AREAS.iter().find(|(name, _)| text.contains(name)) {
        return *edges;
    }
    assert!(!text.contains(" half of") && !text.contains(" cell of"), "no area for {text}");
    if text.to_lowercase().contains("inside the box [") {
        numbers_in_brackets(text).unwrap()
    } else {
        [0.0, 0.0, 1.0, 1.0]
    }
}

/// Categories of the one word of a text that names a kind of object.
pub(crate) fn categories_of(text: &str) -> &'static [&'static str] {
    let notes = [" (riders included)", " (bicycles and motorcycles included)", " (with or without an awning)"];
    let plain = notes.iter().fold(text.to_owned(), |text, note| text.replace(note, ""));
    let tokens: Vec<&str> = plain.split(|c: char| !(c.is_alphabetic() || c == '-')).collect();
    let fits = |word: &&(&str, &str, &[&str])| tokens.contains(&word.0) || tokens.contains(&word.1);
    let found: Vec<_> = WORDS.iter().filter(fits).collect();
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    found[0].2
}

pub(crate) fn edges(row: &TruthRow) -> [f64; 4] {
    [row.x, row.y, row.x + row.w, row.y + row.h].map(|edge| edge as f64)
}

pub(crate) fn share_inside(row: &TruthRow, [x1, y1, x2, y2]: [f64; 4]) -> f64 {
    let (width, height) = (f64::from(row.width), f64::from(row.height));
    let [left, top, right, bottom] = edges(row);
    let common = (right.min(x2 * width) - left.max(x1 * width)).max(0.0)
        * (bottom.min(y2 * height) - top.max(y1 * height)).max(0.0);
    common / (row.w * row.h) as f64
}
