//! Refused questions are truly ambiguous: for each of a drawn sample two readings of the frame give two answers.
//!
//! A reading is what the frames may show as far as the labels tell, and what the words may mean within a margin. Readings
//! are made from the truth table alone, and answered from the text of the question.

use super::truth_check::{Asked, Scene, answer, rows_of};
use crate::testing::words::{categories_of, share_inside};
use std::collections::{BTreeMap, BTreeSet};
use uavgen_sample_data::{Category, Kind, Truth, TruthRow};
use uavgen_schemas::Reject;

/// Margins within which nobody can be sure, written down here on their own: a box is drawn a little differently by the
/// next person, and "in the left half" means most of the object.
const SIDE_SHARE: f64 = 0.05;
const AREA_SHARE: f64 = 0.1;
pub(super) const INSIDE_SHARES: [f64; 2] = [0.1, 0.9];

/// Kinds that may be hidden.
const CATEGORIES: [Category; 10] = [
    Category::Pedestrian,
    Category::People,
    Category::Bicycle,
    Category::Car,
    Category::Van,
    Category::Truck,
    Category::Tricycle,
    Category::AwningTricycle,
    Category::Bus,
    Category::Motor,
];

/// A refusal with its question taken from its text: `task: frames: question (options): reason`.
pub(super) struct Refused {
    task: String,
    frames: Vec<String>,
    text: String,
    options: Vec<String>,
    pub(super) reason: String,
}

impl Refused {
    pub(super) fn parse(reject: &Reject) -> Self {
        let (task, rest) = reject.detail.split_once(": ").unwrap();
        let (frames, rest) = rest.split_once(": ").unwrap();
        let end = rest.find(": answer at ").unwrap_or_else(|| rest.rfind(": ").unwrap());
        let question = &rest[..end];
        let offered = ["multi_target_presence", "number_comparison"].contains(&task);
        let (text, options) = match question.rsplit_once(" (").filter(|_| offered) {
            Some((text, options)) => (text, options.trim_end_matches(')').split("; ").map(str::to_owned).collect()),
            None => (question, Vec::new()),
        };
        Self {
            task: task.to_owned(),
            frames: frames.split(", ").map(str::to_owned).collect(),
            text: text.to_owned(),
            options,
            reason: reject.reason.clone(),
        }
    }

    /// Whether readings differ in the answer. Over several frames each frame is read by itself as well: a claim that is
    /// open on one of them is refused there.
    pub(super) fn is_ambiguous(&self, truth: &Truth, frames: &BTreeMap<String, (String, u32)>) -> bool {
        let places: Vec<&(String, u32)> = self.frames.iter().map(|frame| &frames[frame]).collect();
        let answers =
            answers(&Asked { task: &self.task, text: &self.text, options: self.options.clone() }, truth, &places);
        answers.len() > 1 || answers.contains(&None)
    }
}

/// Every answer that some reading of these frames gives.
fn answers(asked: &Asked, truth: &Truth, places: &[&(String, u32)]) -> BTreeSet<Option<String>> {
    let usual: Vec<Scene> = places.iter().map(|place| Scene::of(truth, place)).collect();
    let mut readings = vec![usual.clone()];
    for inside in INSIDE_SHARES {
        readings.push(usual.iter().map(|scene| Scene { inside, ..scene.clone() }).collect());
    }
    readings.extend(one_kind_on_the_border_counts(&usual, asked));
    readings.push(changed(&usual, |row| row.category = row.annotated_category));
    readings.push(usual.iter().map(|scene| keep(scene, |row| !is_doubtful(row))).collect());
    for (frame, place) in places.iter().enumerate() {
        readings.extend(one_doubtful_is_another(&usual, frame));
        readings.extend(with_something_hidden(&usual, frame, asked, rows_of(truth, place)));
        readings.extend(drawn_differently(&usual, frame, asked));
    }
    readings.iter().map(|reading| answer(asked, reading)).collect()
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?} {} {:?}: {}", self.task, self.frames, self.text, self.options, self.reason)
    }
}

/// Objects that are there and that the labels do not vouch for.
fn is_doubtful(row: &TruthRow) -> bool {
    row.kind != Kind::Object || row.w * row.h < 64
}

fn keep(scene: &Scene, keeps: impl Fn(&TruthRow) -> bool) -> Scene {
    Scene { rows: scene.rows.iter().filter(|row| keeps(row)).cloned().collect(), inside: scene.inside }
}

fn changed(scenes: &[Scene], change: impl Fn(&mut TruthRow)) -> Vec<Scene> {
    let mut scenes = scenes.to_vec();
    scenes.iter_mut().flat_map(|scene| &mut scene.rows).for_each(change);
    scenes
}

/// One of the doubtful objects is none, or what it is easily taken for, and the others are what they seem; each within
/// what "in the area" may mean.
fn one_doubtful_is_another(usual: &[Scene], frame: usize) -> Vec<Vec<Scene>> {
    let rows = &usual[frame].rows;
    let mut readings = Vec::new();
    for position in (0..rows.len()).filter(|&position| is_doubtful(&rows[position])) {
        let mut without = usual.to_vec();
        without[frame].rows.remove(position);
        let other = taken_for(rows[position].category).map(|category| {
            let mut scenes = usual.to_vec();
            scenes[frame].rows[position].category = category;
            scenes
        });
        readings.extend([Some(without), other].into_iter().flatten());
    }
    let widened = |inside: f64, reading: &Vec<Scene>| reading.iter().map(|s| Scene { inside, ..s.clone() }).collect();
    let wide: Vec<Vec<Scene>> =
        INSIDE_SHARES.iter().flat_map(|&i| readings.iter().map(move |r| widened(i, r))).collect();
    readings.into_iter().chain(wide).collect()
}

/// Of the objects on the border of the area those of one option count and those of the others do not, and the other way
/// round.
fn one_kind_on_the_border_counts(usual: &[Scene], asked: &Asked) -> Vec<Vec<Scene>> {
    let area = asked.area();
    let on_border = |row: &TruthRow| (INSIDE_SHARES[0]..=INSIDE_SHARES[1]).contains(&share_inside(row, area));
    let read = |scene: &Scene, counts: &dyn Fn(&TruthRow) -> bool| {
        let row = |row: &TruthRow| match (on_border(row), counts(row)) {
            (false, _) => Some(row.clone()),
            (true, true) => cut(row, area),
            (true, false) => None,
        };
        Scene { rows: scene.rows.iter().filter_map(row).collect(), inside: scene.inside }
    };
    let of_option = |option: &String| {
        let kinds = categories_of(option);
        [true, false].map(|own| -> Vec<Scene> {
            let counts = |row: &TruthRow| kinds.contains(&row.category.name()) == own;
            usual.iter().map(|scene| read(scene, &counts)).collect()
        })
    };
    asked.options.iter().flat_map(of_option).collect()
}

/// Kinds that look alike from above, written down here on their own.
fn taken_for(category: Category) -> Option<Category> {
    Some(match category {
        Category::Car => Category::Van,
        Category::Van => Category::Car,
        Category::Tricycle => Category::AwningTricycle,
        Category::AwningTricycle => Category::Tricycle,
        _ => return None,
    })
}

/// An object of each kind that was asked for where an area without labels, or an object of no known kind, is: all of it,
/// or the part in the question's area.
fn with_something_hidden<'a>(
    usual: &[Scene],
    frame: usize,
    asked: &Asked,
    rows: impl Iterator<Item = &'a TruthRow>,
) -> Vec<Vec<Scene>> {
    let mut readings = Vec::new();
    for region in rows.filter(|row| matches!(row.kind, Kind::IgnoredRegion | Kind::Others)) {
        let asked_for = asked.categories();
        for category in CATEGORIES.into_iter().filter(|category| asked_for.contains(&category.name())) {
            let hidden = TruthRow { category, annotated_category: category, object_number: 9999, ..region.clone() };
            for hidden in [cut(&hidden, asked.area()), Some(hidden)].into_iter().flatten() {
                let mut scenes = usual.to_vec();
                scenes[frame].rows.push(hidden);
                readings.push(scenes);
            }
        }
    }
    readings
}

/// The part of a box in an area; null when there is none.
fn cut(row: &TruthRow, [x1, y1, x2, y2]: [f64; 4]) -> Option<TruthRow> {
    let (width, height) = (f64::from(row.width), f64::from(row.height));
    let left = row.x.max((x1 * width).ceil() as i64);
    let top = row.y.max((y1 * height).ceil() as i64);
    let right = (row.x + row.w).min((x2 * width).floor() as i64);
    let bottom = (row.y + row.h).min((y2 * height).floor() as i64);
    (right > left && bottom > top).then(|| TruthRow {
        x: left,
        y: top,
        w: right - left,
        h: bottom - top,
        ..row.clone()
    })
}

/// One box moved by a little, or larger or smaller by a little. What is compared by size keeps its place.
fn drawn_differently(usual: &[Scene], frame: usize, asked: &Asked) -> Vec<Vec<Scene>> {
    if asked.task != "object_grounding" {
        return Vec::new();
    }
    let mut readings = Vec::new();
    for position in 0..usual[frame].rows.len() {
        let row = &usual[frame].rows[position];
        let longer = f64::from(row.width.max(row.height));
        let side = |side: u32| if asked.text.contains("nearest to the centre") { longer } else { f64::from(side) };
        let (dx, dy) = ((side(row.width) * SIDE_SHARE).ceil() as i64, (side(row.height) * SIDE_SHARE).ceil() as i64);
        let by_size = asked.text.contains("area");
        let variants: Vec<TruthRow> = if by_size {
            let widths =
                [1.0 - AREA_SHARE, 1.0 / (1.0 - AREA_SHARE)].map(|share| (row.w as f64 * share).round() as i64);
            widths.map(|w| TruthRow { w: if w == row.w { w + 1 } else { w }, ..row.clone() }).into()
        } else {
            [(dx, 0), (-dx, 0), (0, dy), (0, -dy)]
                .map(|(x, y)| TruthRow { x: row.x + x, y: row.y + y, ..row.clone() })
                .into()
        };
        readings.extend(variants.into_iter().map(|variant| {
            let mut scenes = usual.to_vec();
            scenes[frame].rows[position] = variant;
            scenes
        }));
    }
    readings
}
