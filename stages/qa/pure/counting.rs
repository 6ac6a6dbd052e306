//! How many …? In an image, in an area of it, over several frames.
//!
//! The rank of the answer among the sorted options is drawn first, then a question whose answer can have that rank, and
//! only kinds are asked about, in places of one shape, that have a count for every rank. So the rank is even whatever the
//! counts are, for every kind and shape by itself: neither "the second smallest" nor "of buses there is one" is a good
//! guess. A subject without such a kind is left out altogether: asking there only the lower ranks would tilt the balance.

use super::asker::{Answered, Asker, Candidate};
use super::evidence::Evidence;
use super::subject::Subject;
use crate::asking::options::{COUNT_OPTIONS, Options, has_room, wrong_counts};
use crate::asking::words::{Place, all_terms};
use crate::qa::task::Task;
use std::collections::BTreeMap;
use uavgen_programs::taxonomy::TermEntry;
use uavgen_programs::wording::number_word;
use uavgen_programs::{Expr, Value};
use uavgen_schemas::BoxRole;

/// One of so many counts of zero is a candidate: they are many, and seldom what one wants to know.
const ZEROS_THINNED_TO_ONE_IN: usize = 4;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counted {
    /// Objects on one frame.
    Objects,
    /// Distinct objects over several frames.
    Tracks,
    /// Frames that show one.
    Frames,
}

/// A count that may be asked for.
#[derive(Debug, Clone, Copy)]
struct Choice {
    counted: Counted,
    term: &'static TermEntry,
    place: Place,
    /// What the labels say.
    labelled: i64,
    /// Largest number that makes sense.
    most: Option<i64>,
    /// Likely to be refused.
    doubtful: bool,
}

impl Choice {
    fn key(&self) -> String {
        format!("{:?} {} {}", self.counted, self.term.word, self.place.phrase())
    }

    /// What must not tell the rank: the term, and the shape of the place (small ones have small counts). Of so few frames
    /// hardly any term shows on none, some and all, so there the terms are taken together.
    fn kind(&self) -> String {
        let (counted, shape) = (self.counted, self.place.shape());
        match counted {
            Counted::Frames => format!("{counted:?} {shape:?}"),
            Counted::Objects | Counted::Tracks => format!("{counted:?} {} {shape:?}", self.term.word),
        }
    }

    fn has_room(&self, rank: usize) -> bool {
        has_room(self.labelled, rank, self.most)
    }
}

/// Objects in the whole image.
pub(super) fn ask_scene(asker: &mut Asker, subject: &Subject) {
    let task = Task::SceneCounting;
    let choices = choices(asker, subject, task, Counted::Objects, &[Place::WHOLE]);
    ask(asker, subject, task, &choices);
}

/// Objects in an area of the image.
pub(super) fn ask_regional(asker: &mut Asker, subject: &Subject) {
    let task = Task::RegionalCounting;
    let places = subject.labelled_areas(&asker.draw);
    let choices = choices(asker, subject, task, Counted::Objects, &places);
    ask(asker, subject, task, &choices);
}

/// Objects, or frames that show one, over several frames.
pub(super) fn ask_temporal(asker: &mut Asker, subject: &Subject) {
    let task = Task::TemporalCounting;
    let mut places = subject.labelled_areas(&asker.draw);
    if !subject.has_unlabelled_area() {
        places.push(Place::WHOLE);
    }
    let mut all = choices(asker, subject, task, Counted::Tracks, &places);
    all.extend(choices(asker, subject, task, Counted::Frames, &places));
    ask(asker, subject, task, &all);
}

fn choices(asker: &Asker, subject: &Subject, task: Task, counted: Counted, places: &[Place]) -> Vec<Choice> {
    let inside = asker.margins(task).inside();
    let key = subject.key();
    let count = |any_of: &[String], place| match counted {
        Counted::Objects => subject.count(any_of, place, inside),
        Counted::Tracks => subject.track_count(any_of, place, inside),
        Counted::Frames => subject.frame_count(any_of, place, inside),
    };
    let mut choices = Vec::new();
    for &place in places {
        for term in all_terms() {
            let any_of = term.categories();
            let labelled = count(&any_of, place);
            let most = (counted == Counted::Frames).then_some(subject.frames.len() as i64);
            let doubtful = subject.is_doubtful(&any_of, place, inside);
            let choice = Choice { counted, term, place, labelled, most, doubtful };
            // An area that changes nothing is idle.
            let idle = place.area.is_some() && count(&any_of, Place::WHOLE) == labelled;
            let thinned = labelled == 0
                && asker.draw.below(ZEROS_THINNED_TO_ONE_IN, &["zero", task.name(), &key, &choice.key()]) > 0;
            if !idle && !thinned {
                choices.push(choice);
            }
        }
    }
    choices
}

/// Counts of one kind, see [`Choice::kind`].
type Kind<'c> = Vec<&'c Choice>;

fn ask(asker: &mut Asker, subject: &Subject, task: Task, choices: &[Choice]) {
    let wanted = asker.wanted(task);
    if wanted == 0 || choices.is_empty() {
        return;
    }
    let mut kinds: BTreeMap<String, Kind> = BTreeMap::new();
    choices.iter().for_each(|choice| kinds.entry(choice.kind()).or_default().push(choice));
    let purpose = ["kind", task.name(), &subject.key()];
    let kinds = asker.draw.shuffled(kinds.into_values(), &purpose, |kind| kind[0].kind());
    let (possible, small): (Vec<Kind>, Vec<Kind>) = kinds.into_iter().partition(|kind| covers_every_rank(kind));
    let is_clear = |kind: &Kind| covers_every_rank(&kind.iter().copied().filter(|c| !c.doubtful).collect::<Kind>());
    let mut clear: Vec<&Kind> = possible.iter().filter(|kind| is_clear(kind)).collect();
    if !clear.is_empty() {
        for ordinal in 0..wanted {
            ask_one(asker, subject, task, &clear, ordinal, asker.tries());
            // The next question is about the next kind.
            clear.rotate_left(1);
        }
    } else if let Some(kind) = possible.first() {
        // Only doubtful counts are large enough: one is executed, so that the refusal is on record.
        let doubtful: Kind = kind.iter().copied().filter(|choice| choice.doubtful).collect();
        ask_one(asker, subject, task, &[&doubtful], 0, 1);
    } else {
        let counts = small.iter().flatten().filter(|choice| choice.counted != Counted::Frames);
        let largest = counts.map(|choice| choice.labelled).max().unwrap_or(0);
        asker.leave_out_subject(task, subject, "small_counts", largest as f64, (COUNT_OPTIONS - 1) as f64);
    }
}

/// Whether each rank has a candidate.
fn covers_every_rank(choices: &[&Choice]) -> bool {
    (0..COUNT_OPTIONS).all(|rank| choices.iter().any(|choice| choice.has_room(rank)))
}

/// Asks about the first kind, in a place where the drawn rank has room; where all is refused, about the next.
fn ask_one(asker: &mut Asker, subject: &Subject, task: Task, kinds: &[&Kind], ordinal: usize, tries: usize) {
    let (key, ordinal) = (subject.key(), ordinal.to_string());
    let rank = asker.draw.below(COUNT_OPTIONS, &["rank", task.name(), &key, &ordinal]);
    let purpose = ["count", task.name(), &key, &ordinal];
    let mut ordered: Vec<&Choice> = Vec::new();
    for kind in kinds {
        let fitting = kind.iter().copied().filter(|choice| choice.has_room(rank));
        ordered.extend(asker.draw.shuffled(fitting, &purpose, |choice| choice.key()));
    }
    ordered.sort_by_key(|choice| choice.doubtful);
    for choice in ordered.into_iter().take(tries) {
        let Some(answered) = asker.answer(subject, candidate(asker, subject, task, choice)) else { continue };
        let Some(count) = answered.whole_number().filter(|&count| has_room(count, rank, choice.most)) else { continue };
        keep(asker, subject, answered, choice, count, rank);
        return;
    }
}

fn candidate(asker: &Asker, subject: &Subject, task: Task, choice: &Choice) -> Candidate {
    let inside = asker.margins(task).inside();
    let Choice { term, place, .. } = *choice;
    let of = |set: Expr| place.narrow(set.where_category(term.categories()), inside);
    let frames = 0..subject.frames.len() as u32;
    let where_phrase = if place.area.is_some() { format!(" {}", place.phrase()) } else { String::new() };
    let count_slot = ("frame_count", number_word(subject.frames.len()).to_owned());
    let (form, slots, root) = match choice.counted {
        Counted::Objects if place.area.is_none() => {
            ("count", vec![("things", term.things())], of(Expr::objects(0)).count())
        }
        Counted::Objects => {
            let slots = vec![("things", term.things()), ("place", place.phrase())];
            ("count", slots, of(Expr::objects(0)).count())
        }
        Counted::Tracks => {
            let slots = vec![("things", term.things()), ("where", where_phrase), count_slot];
            ("tracks", slots, Expr::count_tracks(frames, of(Expr::frame_objects())))
        }
        Counted::Frames => {
            let slots = vec![("a_thing", term.a_thing()), ("where", where_phrase), count_slot];
            ("frames", slots, Expr::count_frames_where(frames, of(Expr::frame_objects()).exists()))
        }
    };
    Candidate { task, form, slots, place, root }
}

fn keep(asker: &mut Asker, subject: &Subject, answered: Answered, choice: &Choice, count: i64, rank: usize) {
    let Value::Int { unit, .. } = answered.answer.value else { return };
    let task = answered.task;
    let key = format!("{} {} {}", task.name(), subject.key(), choice.key());
    let wrong = wrong_counts(&asker.draw, &key, count, rank, choice.most);
    let wrong = wrong.into_iter().map(|value| Value::Int { value, unit }).collect();
    let role = if choice.counted == Counted::Frames { BoxRole::Clue } else { BoxRole::Answer };
    let inside = asker.margins(task).inside();
    let evidence = Evidence::Members { any_of: choice.term.categories(), role, inside };
    asker.keep(subject, answered, Options::One(wrong), &evidence);
}
