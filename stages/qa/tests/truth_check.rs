//! The second way to an answer: from the text of the question and the truth table of the sample data. Nothing of the answer
//! language is used.

use crate::testing::words::{WORDS, area_of, categories_of, edges, numbers_in_brackets, share_inside};
use std::collections::{BTreeMap, BTreeSet};
use uavgen_sample_data::{Kind, Truth, TruthRow};
use uavgen_schemas::QaItem;

/// A question as a person gets it.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    pub(super) task: &'a str,
    pub(super) text: &'a str,
    pub(super) options: Vec<String>,
}

impl Asked<'_> {
    pub(super) fn area(&self) -> [f64; 4] {
        area_of(self.text)
    }

    /// Categories that the question is about.
    pub(super) fn categories(&self) -> Vec<&'static str> {
        match self.task {
            "multi_target_presence" | "number_comparison" => {
                self.options.iter().flat_map(|option| categories_of(option)).copied().collect()
            }
            "regional_classification" => WORDS.iter().flat_map(|(_, _, categories)| *categories).copied().collect(),
            _ => categories_of(self.text).to_vec(),
        }
    }
}

/// What is on one frame: everything that is really there, usable or not.
#[derive(Debug, Clone)]
pub(super) struct Scene {
    pub(super) rows: Vec<TruthRow>,
    /// Smallest share of an object in an area with which one says that it is there.
    pub(super) inside: f64,
}

impl Scene {
    pub(super) fn of(truth: &Truth, place: &(String, u32)) -> Self {
        let rows = rows_of(truth, place).filter(|row| row.kind != Kind::IgnoredRegion).cloned().collect();
        Self { rows, inside: 0.5 }
    }

    fn members(&self, categories: &[&str], area: [f64; 4]) -> Vec<&TruthRow> {
        let fits =
            |row: &&TruthRow| categories.contains(&row.category.name()) && share_inside(row, area) >= self.inside;
        self.rows.iter().filter(fits).collect()
    }

    fn count(&self, word: &str, area: [f64; 4]) -> usize {
        self.members(categories_of(word), area).len()
    }
}

/// Rows of a frame, areas without labels among them.
pub(super) fn rows_of<'a>(truth: &'a Truth, (recording, number): &(String, u32)) -> impl Iterator<Item = &'a TruthRow> {
    truth.rows.iter().filter(move |row| row.recording == *recording && row.frame_number == *number)
}

/// The answer to an item's text, where so large a share of an object makes it one that is in an area. `frames` tells
/// recording and frame number of each frame id.
pub(super) fn expected_answer(
    item: &QaItem,
    truth: &Truth,
    frames: &BTreeMap<String, (String, u32)>,
    inside: f64,
) -> String {
    let scene = |frame| Scene { inside, ..Scene::of(truth, &frames[frame]) };
    let scenes: Vec<Scene> = item.frame_ids.iter().map(scene).collect();
    let asked = Asked { task: &item.task, text: &item.question, options: item.options.clone() };
    answer(&asked, &scenes).unwrap_or_else(|| panic!("`{}` means no one thing", item.question))
}

/// The answer to a question on these frames; null when its text fits none or several.
pub(super) fn answer(asked: &Asked, scenes: &[Scene]) -> Option<String> {
    let (scene, text, options) = (&scenes[0], asked.text, &asked.options);
    let area = asked.area();
    let yes_no = |claim: bool| if claim { "yes" } else { "no" }.to_owned();
    Some(match asked.task {
        "scene_presence" => yes_no(scene.count(text, area) > 0),
        "scene_counting" | "regional_counting" => scene.count(text, area).to_string(),
        "multi_target_presence" => {
            let mut right: Vec<&str> =
                options.iter().map(String::as_str).filter(|option| scene.count(option, area) > 0).collect();
            right.sort_unstable();
            right.join("; ")
        }
        "number_comparison" => {
            let few = ["least", "smallest", "lowest", "fewer"].iter().any(|word| text.contains(word));
            let sign = if few { 1 } else { -1 };
            let scores = options.iter().map(|option| (sign * scene.count(option, area) as i64, option));
            the_first(scores.map(|(score, option)| (score as f64, option)).collect())?.clone()
        }
        "regional_classification" => kind_at(scene, numbers_in_brackets(text).unwrap())?.to_owned(),
        "object_grounding" => box_text(grounded(scene, text, area)?),
        "temporal_counting" => {
            let categories = categories_of(text);
            let members: Vec<Vec<&TruthRow>> = scenes.iter().map(|scene| scene.members(categories, area)).collect();
            let of_frames = ["In how many", "How many of them", "For how many", "Count the frames"];
            if of_frames.iter().any(|words| text.contains(words)) {
                members.iter().filter(|rows| !rows.is_empty()).count().to_string()
            } else {
                members.iter().flatten().map(|row| row.object_number).collect::<BTreeSet<_>>().len().to_string()
            }
        }
        other => panic!("no check for {other}"),
    })
}

/// The one of lowest score; null when there is none, or when two share it.
fn the_first<T>(mut scored: Vec<(f64, T)>) -> Option<T> {
    scored.sort_by(|a, b| a.0.total_cmp(&b.0));
    if scored.len() > 1 && scored[0].0 == scored[1].0 { None } else { scored.into_iter().next().map(|(_, one)| one) }
}

fn kind_at(scene: &Scene, [x1, y1, x2, y2]: [f64; 4]) -> Option<&'static str> {
    let near = |row: &&TruthRow| {
        let [left, top, right, bottom] = edges(row);
        let (width, height) = (f64::from(row.width), f64::from(row.height));
        [left / width - x1, top / height - y1, right / width - x2, bottom / height - y2]
            .iter()
            .all(|gap| gap.abs() < 0.001)
    };
    let found: Vec<_> = scene.rows.iter().filter(near).collect();
    let [object] = found[..] else { return None };
    // What shows a second thing is no box of one thing.
    let asked = |row: &TruthRow| {
        let (width, height) = (f64::from(row.width), f64::from(row.height));
        let [left, top, right, bottom] = edges(row);
        let across = right.min(x2 * width) - left.max(x1 * width);
        let down = bottom.min(y2 * height) - top.max(y1 * height);
        across.max(0.0) * down.max(0.0) / ((x2 - x1) * width * (y2 - y1) * height)
    };
    if scene.rows.iter().any(|row| row.object_number != object.object_number && asked(row) >= 0.3) {
        return None;
    }
    WORDS.iter().find(|(_, _, categories)| categories.contains(&object.category.name())).map(|(word, _, _)| *word)
}

fn grounded<'a>(scene: &'a Scene, text: &str, area: [f64; 4]) -> Option<&'a TruthRow> {
    let members = scene.members(categories_of(text), area);
    let centre = |row: &TruthRow| (row.x as f64 + row.w as f64 / 2.0, row.y as f64 + row.h as f64 / 2.0);
    let first =
        |score: &dyn Fn(&TruthRow) -> f64| the_first(members.iter().map(|row| (score(row), *row)).collect::<Vec<_>>());
    match text {
        t if t.contains("leftmost") => first(&|row| centre(row).0),
        t if t.contains("rightmost") => first(&|row| -centre(row).0),
        t if t.contains("top edge") => first(&|row| centre(row).1),
        t if t.contains("bottom edge") => first(&|row| -centre(row).1),
        t if t.contains("largest area") => first(&|row| -((row.w * row.h) as f64)),
        t if t.contains("smallest area") => first(&|row| (row.w * row.h) as f64),
        t if t.contains("nearest to the centre") => first(&|row| {
            let (x, y) = centre(row);
            (x - f64::from(row.width) / 2.0).hypot(y - f64::from(row.height) / 2.0)
        }),
        _ => match members[..] {
            [only] => Some(only),
            _ => None,
        },
    }
}

fn box_text(row: &TruthRow) -> String {
    let [left, top, right, bottom] = edges(row);
    let (width, height) = (f64::from(row.width), f64::from(row.height));
    let round = |share: f64| (share * 1000.0).round() / 1000.0;
    let [x1, y1, x2, y2] = [round(left / width), round(top / height), round(right / width), round(bottom / height)];
    format!("[{x1:.3}, {y1:.3}, {x2:.3}, {y2:.3}]")
}
