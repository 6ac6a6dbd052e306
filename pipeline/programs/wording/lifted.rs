//! How a question about lifted objects says what its program asks. Every object has one phrase, which its expression gives: who
//! writes a question fills it in, and who checks one looks for it.

pub use super::classes::{a_class, can_be_said, class_word, class_words, with_article};
use super::has_words;
use crate::answer::{ORDINALS, box_text};
use crate::ast::{Expr, ExtremeBy, Relation};
use crate::directions::BearingFrame;
use crate::measures::{DistanceMeasure, Measure};
use crate::program::Program;

/// How a question says that only objects count which no border cuts off.
pub const WHOLE: &str = "completely inside the image";
/// How a question says that only ground counts which both frames show.
pub const COMMON_GROUND: &str = "on ground that both images show";

/// A number of a unit as a limit in a question: "5 m", "12.5 m²".
fn limit_text(measure: Measure, limit: f64) -> String {
    let unit = if measure == Measure::Footprint { "m²" } else { "m" };
    format!("{limit} {unit}")
}

/// "taller than 5 m".
pub fn limit_phrase(measure: Measure, relation: Relation, limit: f64) -> String {
    let text = limit_text(measure, limit);
    let words = match (measure, relation) {
        (Measure::Height, Relation::Greater) => "taller than",
        (Measure::Height, Relation::Less) => "less tall than",
        (Measure::Length, Relation::Greater) => "longer than",
        // "Shorter" would be read as "less tall".
        (Measure::Length, Relation::Less) => "less long than",
        (Measure::Footprint, Relation::Greater) => "with a footprint of more than",
        (Measure::Footprint, Relation::Less) => "with a footprint of less than",
        (Measure::DistanceToCamera, Relation::Greater) => "farther from the camera than",
        (Measure::DistanceToCamera, Relation::Less) => "nearer to the camera than",
    };
    format!("{words} {text}")
}

/// The words that a comparison of two measures is said with: "taller", "closer".
pub fn comparative(left: &Expr, relation: Relation) -> Option<&'static str> {
    Some(match (left, relation) {
        (Expr::MeasureOf { measure: Measure::Height, .. }, Relation::Greater) => "taller",
        (Expr::MeasureOf { measure: Measure::Height, .. }, Relation::Less) => "less tall",
        (Expr::MeasureOf { measure: Measure::Length, .. }, Relation::Greater) => "longer",
        (Expr::MeasureOf { measure: Measure::Length, .. }, Relation::Less) => "less long",
        (Expr::MeasureOf { measure: Measure::Footprint, .. }, Relation::Greater) => "larger",
        (Expr::MeasureOf { measure: Measure::Footprint, .. }, Relation::Less) => "smaller",
        (Expr::MeasureOf { measure: Measure::DistanceToCamera, .. } | Expr::Distance { .. }, Relation::Greater) => {
            "farther"
        }
        (Expr::MeasureOf { measure: Measure::DistanceToCamera, .. } | Expr::Distance { .. }, Relation::Less) => {
            "closer"
        }
        (Expr::Count { .. }, Relation::Greater) => "more",
        (Expr::Count { .. }, Relation::Less) => "fewer",
        (Expr::Speed { .. }, Relation::Greater) => "faster",
        (Expr::Speed { .. }, Relation::Less) => "slower",
        _ => return None,
    })
}

/// What a question calls the places and objects of a program.
#[derive(Debug, Clone, Copy)]
pub struct Phrases {
    /// Whether it shows more than one image, which are then told apart.
    several: bool,
}

impl Phrases {
    /// Those of an item with so many images.
    pub fn of_images(count: usize) -> Self {
        Self { several: count > 1 }
    }

    /// Those of a program.
    pub fn of(program: &Program) -> Self {
        let later = |expr: &&Expr| match expr {
            Expr::Objects { frame }
            | Expr::ObjectAt { frame, .. }
            | Expr::InFrame { frame, .. }
            | Expr::WhereSeenFrom { frame, .. }
            | Expr::StillThere { frame, .. } => *frame > 0,
            _ => false,
        };
        Self { several: super::steps(program.root()).iter().any(later) }
    }

    /// "in the image", "in the first image".
    pub fn frame(self, frame: u32) -> String {
        match ORDINALS.get(frame as usize).filter(|_| self.several) {
            Some(ordinal) => format!("in the {ordinal} image"),
            None => "in the image".to_owned(),
        }
    }

    /// A phrase that names the image, with the image that is meant where there are several.
    fn told(self, frame: Option<u32>, phrase: String) -> String {
        match frame.and_then(|frame| ORDINALS.get(frame as usize)).filter(|_| self.several) {
            Some(ordinal) => phrase.replace("the image", &format!("the {ordinal} image")),
            None => phrase,
        }
    }

    /// The phrase of an object: "the second building from the left in the image (by box centre)". Null for an expression that is
    /// none, or that no question uses.
    pub fn object(self, expr: &Expr) -> Option<String> {
        let box_centre = "(by box centre)";
        Some(match expr {
            Expr::Unique { of } => format!("the only {}", self.set(of)?),
            Expr::Kth { of, along, position, .. } => {
                let ordinal = ORDINALS.get(*position as usize - 1)?;
                format!("the {ordinal} {} {box_centre}", self.chosen(of, &format!("from the {}", side(*along)?))?)
            }
            Expr::Extreme { of, by, .. } => {
                let place = match side(*by) {
                    Some(side) => format!("{side} edge of the image"),
                    None if *by == ExtremeBy::NearestToCentre => "centre of the image".to_owned(),
                    None => return None,
                };
                let nearest = format!("nearest to the {}", self.told(frame_of(of), place));
                // It names the image already.
                let chosen = self.chosen(of, &nearest)?;
                let image = frame_of(of).map(|frame| format!(" {}", self.frame(frame))).unwrap_or_default();
                format!("the {} {box_centre}", chosen.strip_suffix(&image).unwrap_or(&chosen))
            }
            Expr::Superlative { of, measure, relation, .. } => self.superlative(of, *measure, *relation)?,
            Expr::ByDistance { of, to, relation, measure, .. } => {
                let words = if *relation == Relation::Less { "nearest to" } else { "farthest from" };
                format!("the {} {words} {} (measured {})", self.set(of)?, self.object(to)?, measure.phrase())
            }
            Expr::ObjectAt { frame, at, .. } => {
                let edges = "(x1, y1, x2, y2 as shares of the image width and height)";
                format!("the object in the box {} {edges} {}", box_text(at), self.frame(*frame))
            }
            Expr::InFrame { of, .. } => self.object(of)?,
            _ => return None,
        })
    }

    fn superlative(self, of: &Expr, measure: Measure, relation: Relation) -> Option<String> {
        let set = self.set(of)?;
        let most = relation == Relation::Greater;
        Some(match measure {
            Measure::Height => format!("the {} {set}", if most { "tallest" } else { "least tall" }),
            Measure::Length => format!("the {} {set}", if most { "longest" } else { "least long" }),
            Measure::Footprint => format!("the {set} with the {} footprint", if most { "largest" } else { "smallest" }),
            Measure::DistanceToCamera => {
                format!("the {set} {} the camera", if most { "farthest from" } else { "nearest to" })
            }
        })
    }

    /// One member of a set that is chosen by its place among the others: "building from the left of those completely inside the
    /// image", "building from the left in the image".
    fn chosen(self, of: &Expr, by: &str) -> Option<String> {
        let (class, rest) = self.parts(of, class_word, "object", "or")?;
        let all = frame_of(of).is_some_and(|frame| rest == self.frame(frame));
        Some(format!("{class} {by} {}{rest}", if all { "" } else { "of those " }))
    }

    /// One member of a set: "building completely inside the image".
    pub fn set(self, expr: &Expr) -> Option<String> {
        self.members(expr, class_word, "object", "or")
    }

    /// The members of a set: "buildings in the image taller than 5 m".
    pub fn sets(self, expr: &Expr) -> Option<String> {
        self.members(expr, class_words, "objects", "and")
    }

    fn members(self, expr: &Expr, word: fn(&str) -> String, any: &str, conjunction: &str) -> Option<String> {
        self.parts(expr, word, any, conjunction).map(|(class, rest)| format!("{class} {rest}"))
    }

    /// The word for the members of a set, and what else is said of them: where they are, and then what they are like.
    fn parts(self, expr: &Expr, word: fn(&str) -> String, any: &str, conjunction: &str) -> Option<(String, String)> {
        let (mut class, mut qualifiers, mut places) = (None, Vec::new(), Vec::new());
        let frame = frame_of(expr);
        let mut at = expr;
        loop {
            at = match at {
                Expr::Objects { frame } => {
                    if places.is_empty() {
                        places.push(self.frame(*frame));
                    }
                    break;
                }
                Expr::WhereCategory { of, any_of } => {
                    if class.is_some() {
                        return None;
                    }
                    class = Some(listed(any_of.iter().map(|class| word(class)).collect(), conjunction));
                    of
                }
                Expr::WhereRegion { of, area, .. } => {
                    places.push(self.told(frame, area.phrase()));
                    of
                }
                Expr::WhereWhole { of } => {
                    places.push(self.told(frame, WHOLE.to_owned()));
                    of
                }
                Expr::WhereMeasure { of, measure, relation, limit, .. } => {
                    qualifiers.push(limit_phrase(*measure, *relation, *limit));
                    of
                }
                Expr::WhereOn { of, surface } => {
                    qualifiers.push(on_surface(surface));
                    of
                }
                Expr::WhereWithin { of, centre, metres, measure, .. } => {
                    let centre = self.object(centre)?;
                    qualifiers.push(format!("within {metres} m of {centre} (measured {})", measure.phrase()));
                    of
                }
                Expr::WhereBetween { of, one, other, .. } => {
                    qualifiers.push(format!(
                        "on the straight line between {} and {}",
                        self.object(one)?,
                        self.object(other)?
                    ));
                    of
                }
                Expr::WhereSeenFrom { of, .. } => {
                    qualifiers.push(COMMON_GROUND.to_owned());
                    of
                }
                _ => return None,
            };
        }
        qualifiers.reverse();
        places.reverse();
        let rest = [vec![places.join(" and ")], qualifiers].concat().join(" ");
        Some((class.unwrap_or_else(|| any.to_owned()), rest))
    }
}

/// "cars, buses and trucks".
fn listed(mut words: Vec<String>, conjunction: &str) -> String {
    match words.pop() {
        Some(last) if !words.is_empty() => format!("{} {conjunction} {last}", words.join(", ")),
        only => only.unwrap_or_default(),
    }
}

/// "on the road".
pub fn on_surface(surface: &str) -> String {
    format!("on the {}", class_word(surface))
}

/// The frame that a set is of.
fn frame_of(set: &Expr) -> Option<u32> {
    match set {
        Expr::Objects { frame } => Some(*frame),
        _ => set.inputs().find(|(name, _)| *name == "of").and_then(|(_, of)| frame_of(of)),
    }
}

fn side(by: ExtremeBy) -> Option<&'static str> {
    Some(match by {
        ExtremeBy::Left => "left",
        ExtremeBy::Right => "right",
        ExtremeBy::Top => "top",
        ExtremeBy::Bottom => "bottom",
        _ => return None,
    })
}

/// What a question about a program says: of each list one. Objects and sets are looked for as wholes, so what they are made of
/// is not looked for again.
pub(super) fn needed(program: &Program) -> Vec<Vec<String>> {
    let mut needed = Vec::new();
    collect(program.root(), Phrases::of(program), &mut needed);
    needed
}

fn collect(expr: &Expr, phrases: Phrases, needed: &mut Vec<Vec<String>>) {
    if let Some(object) = phrases.object(expr) {
        return needed.push(vec![object]);
    }
    if let (Some(one), Some(several)) = (phrases.set(expr), phrases.sets(expr)) {
        return needed.push(vec![several, one]);
    }
    // What has no phrase cannot be looked for, so no question says it.
    if names_things(expr) {
        return needed.push(vec![format!("`{}` (no question has words for it)", expr.op())]);
    }
    needed.extend(own_words(expr));
    expr.inputs().for_each(|(_, input)| collect(input, phrases, needed));
}

/// Whether it gives a set or an object.
fn names_things(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Objects { .. }
            | Expr::FrameObjects {}
            | Expr::WhereCategory { .. }
            | Expr::WhereRegion { .. }
            | Expr::WhereWhole { .. }
            | Expr::WhereMeasure { .. }
            | Expr::WhereWithin { .. }
            | Expr::WhereOn { .. }
            | Expr::WhereBetween { .. }
            | Expr::WhereSeenFrom { .. }
            | Expr::Unique { .. }
            | Expr::Extreme { .. }
            | Expr::Superlative { .. }
            | Expr::ByDistance { .. }
            | Expr::Kth { .. }
            | Expr::ObjectAt { .. }
            | Expr::InFrame { .. }
    )
}

/// What an op that gives an answer is said with.
fn own_words(expr: &Expr) -> Vec<Vec<String>> {
    let all = |words: &[&str]| vec![words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>()];
    match expr {
        Expr::MeasureOf { measure: Measure::Height, .. } => all(&["tall", "taller", "height", "high"]),
        Expr::MeasureOf { measure: Measure::Length, .. } => all(&["long", "longer", "length"]),
        Expr::MeasureOf { measure: Measure::Footprint, .. } => all(&["footprint"]),
        Expr::MeasureOf { measure: Measure::DistanceToCamera, .. } => all(&["camera"]),
        Expr::Distance { measure: DistanceMeasure::Ground, from, to, .. } if is_same(from, to) => {
            all(&["moved", "move", "went", "displacement"])
        }
        Expr::Distance { measure, .. } => all(&[measure.phrase()]),
        Expr::Speed { .. } => all(&["speed", "fast", "faster", "slower"]),
        Expr::CompareMeasures { left, relation, .. } | Expr::Compare { left, relation, .. } => {
            comparative(left, *relation).map(|word| all(&[word])).unwrap_or_default()
        }
        Expr::Bearing { frame: BearingFrame::Image, .. } => all(&["in the image", "in the first image", "image plane"]),
        Expr::Bearing { frame: BearingFrame::Clock, .. } | Expr::ClockPosition { .. } => all(&["clock", "o'clock"]),
        Expr::Bearing { frame: BearingFrame::Camera, .. } => all(&["camera"]),
        Expr::Bearing { frame: BearingFrame::Heading, .. } => all(&["heading"]),
        Expr::Bearing { frame: BearingFrame::Compass, .. } => all(&["compass"]),
        Expr::SurfaceOf { .. } => all(&["stand", "stands", "standing"]),
        Expr::StillThere { .. } => all(&["still", "already"]),
        _ => Vec::new(),
    }
}

/// Whether `to` is `from` on another frame.
fn is_same(from: &Expr, to: &Expr) -> bool {
    matches!(to, Expr::InFrame { of, .. } if **of == *from)
}

/// What a program says that its question does not.
pub(super) fn unsaid(text: &str, program: &Program) -> Option<String> {
    needed(program).into_iter().find_map(|alternatives| {
        let said = alternatives.iter().any(|phrase| has_words(text, &phrase.to_lowercase()));
        if said { None } else { alternatives.into_iter().next() }
    })
}

/// What a program says, with the mark for it; phrases that hold others come first.
pub(super) fn said(program: &Program) -> Vec<(String, &'static str)> {
    let phrases = Phrases::of(program);
    let mut said: Vec<(String, &'static str)> = Vec::new();
    for step in super::steps(program.root()) {
        said.extend(phrases.object(step).map(|phrase| (phrase, "{object}")));
        said.extend(phrases.sets(step).map(|phrase| (phrase, "{things}")));
        said.extend(phrases.set(step).map(|phrase| (with_article(&phrase), "{a thing}")));
        said.extend(phrases.set(step).map(|phrase| (phrase, "{thing}")));
        match step {
            Expr::WhereCategory { any_of, .. } => {
                said.extend(any_of.iter().flat_map(|class| {
                    [(a_class(class), "{thing}"), (class_words(class), "{things}"), (class_word(class), "{thing}")]
                }));
            }
            Expr::CompareMeasures { left, relation, .. } | Expr::Compare { left, relation, .. } => {
                said.extend(comparative(left, *relation).map(|word| (word.to_owned(), "{compared}")));
            }
            _ => {}
        }
    }
    // Longer ones first, so that none is cut out of another one.
    said.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then(a.cmp(b)));
    said.dedup();
    said
}
