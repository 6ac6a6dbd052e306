//! How many different … does the k-th clip show?
//!
//! As with images, the rank of the answer among the options is drawn first, and only kinds are asked about that have a count for
//! every rank in some clip.

use super::asker::{Asker, Candidate};
use super::subject::ClipSubject;
use super::tally::{Cell, Tally};
use crate::asking::options::{COUNT_OPTIONS, has_room, wrong_counts};
use crate::asking::words::Place;
use crate::clip_qa::task::Task;
use std::collections::BTreeMap;
use uavgen_programs::answer::segment_text;
use uavgen_programs::taxonomy::TermEntry;
use uavgen_programs::{Expr, Value};

const TASK: Task = Task::ClipCounting;

/// A count that may be asked for.
#[derive(Clone, Copy)]
struct Choice {
    term: &'static TermEntry,
    place: Place,
    segment: usize,
    /// What the labels say.
    labelled: i64,
    doubtful: bool,
}

impl Choice {
    fn key(&self) -> String {
        format!("{} {} {}", self.term.word, self.place.phrase(), self.segment)
    }

    /// What must not tell the rank.
    fn kind(&self) -> String {
        format!("{} {:?}", self.term.word, self.place.shape())
    }
}

pub(super) fn ask(asker: &mut Asker, subject: &ClipSubject, tally: &Tally) {
    let wanted = asker.wanted(TASK);
    if wanted == 0 {
        return;
    }
    let mut kinds: BTreeMap<String, Vec<Choice>> = BTreeMap::new();
    for choice in tally.cells().iter().flat_map(|cell| choices(cell, tally)) {
        kinds.entry(choice.kind()).or_default().push(choice);
    }
    let kinds = asker.draw.shuffled(kinds.into_values(), &["kind", subject.key()], |kind| kind[0].kind());
    let largest = kinds.iter().flatten().map(|choice| choice.labelled).max().unwrap_or(0);
    let possible: Vec<Vec<Choice>> = kinds.into_iter().filter(|kind| covers_every_rank(kind)).collect();
    let clear = |kind: &Vec<Choice>| kind.iter().copied().filter(|choice| !choice.doubtful).collect::<Vec<_>>();
    let mut sure: Vec<Vec<Choice>> = possible.iter().map(clear).filter(|kind| covers_every_rank(kind)).collect();
    if sure.is_empty() {
        match possible.first() {
            Some(kind) => _ = ask_one(asker, subject, std::slice::from_ref(kind), 0, true),
            None => {
                let limit = (COUNT_OPTIONS - 1) as f64;
                asker.inquiry.leave_out_subject(TASK.name(), subject, "small_counts", largest as f64, limit);
            }
        }
        return;
    }
    for ordinal in 0..wanted {
        ask_one(asker, subject, &sure, ordinal, false);
        // The next question is about the next kind.
        sure.rotate_left(1);
    }
}

fn choices<'c>(cell: &'c Cell, tally: &'c Tally) -> impl Iterator<Item = Choice> + 'c {
    cell.pieces.iter().enumerate().filter_map(move |(segment, piece)| {
        let labelled = piece.track_count();
        // A place that makes no difference is idle.
        let whole = tally.whole(cell.term).map(|whole| whole.pieces[segment].track_count());
        let idle = cell.place.area.is_some() && whole == Some(labelled);
        let Cell { term, place, .. } = *cell;
        (!idle).then_some(Choice { term, place, segment, labelled, doubtful: piece.is_doubtful() })
    })
}

/// Whether each rank has a candidate.
fn covers_every_rank(kind: &[Choice]) -> bool {
    (0..COUNT_OPTIONS).all(|rank| kind.iter().any(|choice| has_room(choice.labelled, rank, None)))
}

/// Asks about the first kind, in a clip where the drawn rank has room; where all is refused, about the next.
fn ask_one(asker: &mut Asker, subject: &ClipSubject, kinds: &[Vec<Choice>], ordinal: usize, doubtful: bool) -> bool {
    let ordinal = ordinal.to_string();
    let rank = asker.draw.below(COUNT_OPTIONS, &["rank", subject.key(), &ordinal]);
    let mut ordered: Vec<Choice> = Vec::new();
    for kind in kinds {
        let fitting = kind.iter().copied().filter(|choice| has_room(choice.labelled, rank, None));
        ordered.extend(asker.draw.shuffled(fitting, &["count", subject.key(), &ordinal], Choice::key));
    }
    let mut tried = ordered.into_iter().take(asker.tries(doubtful));
    tried.any(|choice| ask_choice(asker, subject, choice, rank))
}

fn ask_choice(asker: &mut Asker, subject: &ClipSubject, choice: Choice, rank: usize) -> bool {
    let Choice { term, place, segment, .. } = choice;
    let segment = segment as u32;
    let root = Expr::count_segment_tracks(segment, asker.each(term, place));
    let slots = vec![("things", term.things()), ("clip", segment_text(segment))];
    let Some((question, answer)) = asker.answer(subject, Candidate { task: TASK, form: "tracks", slots, place, root })
    else {
        return false;
    };
    let Value::Int { value, unit } = answer.value else { return false };
    if !has_room(value, rank, None) {
        return false;
    }
    let key = format!("{} {} {}", TASK.name(), subject.key(), choice.key());
    let wrong = wrong_counts(&asker.draw, &key, value, rank, None);
    asker.keep(subject, question, answer, wrong.into_iter().map(|value| Value::Int { value, unit }).collect());
    true
}
