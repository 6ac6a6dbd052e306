//! How many different … does the k-th clip show?
//!
//! The options are drawn first: four counts of one kind, all of them true of some clip and place. Then which of them is asked for, so
//! that none is more likely than another, whatever the numbers are.

use super::asker::{Asker, Candidate};
use super::subject::ClipSubject;
use super::tally::{Cell, Tally};
use crate::asking::options::{COUNT_OPTIONS, CountWindow, count_windows};
use crate::asking::words::Place;
use crate::clip_qa::task::Task;
use std::collections::{BTreeMap, BTreeSet};
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

/// The counts of one kind.
struct Kind {
    choices: Vec<Choice>,
    /// Options, each of them a count of some choice.
    windows: Vec<CountWindow>,
}

impl Kind {
    /// Null where the counts do not fill the options.
    fn new(choices: Vec<Choice>) -> Option<Self> {
        let windows = count_windows(&counts(&choices));
        (!windows.is_empty()).then_some(Self { choices, windows })
    }
}

fn counts(choices: &[Choice]) -> BTreeSet<i64> {
    choices.iter().map(|choice| choice.labelled).collect()
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
    let clear = |kind: &Vec<Choice>| kind.iter().copied().filter(|choice| !choice.doubtful).collect();
    let mut sure: Vec<Kind> = kinds.iter().map(clear).filter_map(Kind::new).collect();
    if sure.is_empty() {
        let most = kinds.iter().map(|kind| counts(kind).len()).max().unwrap_or(0);
        match kinds.into_iter().find_map(Kind::new) {
            Some(kind) => _ = ask_one(asker, subject, &[kind], 0, true),
            None => {
                let limit = COUNT_OPTIONS as f64;
                asker.inquiry.leave_out_subject(TASK.name(), subject, "few_counts", most as f64, limit);
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

/// Asks about the first kind, with the options and the one of them that are drawn; where all is refused, about the next.
fn ask_one(asker: &mut Asker, subject: &ClipSubject, kinds: &[Kind], ordinal: usize, doubtful: bool) -> bool {
    let ordinal = ordinal.to_string();
    let rank = asker.draw.below(COUNT_OPTIONS, &["rank", subject.key(), &ordinal]);
    let mut ordered: Vec<(Choice, CountWindow)> = Vec::new();
    for kind in kinds {
        let name = kind.choices[0].kind();
        let window = kind.windows[asker.draw.below(kind.windows.len(), &["window", subject.key(), &ordinal, &name])];
        let fitting = kind.choices.iter().copied().filter(|choice| choice.labelled == window[rank]);
        let fitting = asker.draw.shuffled(fitting, &["count", subject.key(), &ordinal], Choice::key);
        ordered.extend(fitting.into_iter().map(|choice| (choice, window)));
    }
    let mut tried = ordered.into_iter().take(asker.tries(doubtful));
    tried.any(|(choice, window)| ask_choice(asker, subject, choice, window))
}

fn ask_choice(asker: &mut Asker, subject: &ClipSubject, choice: Choice, window: CountWindow) -> bool {
    let Choice { term, place, segment, .. } = choice;
    let segment = segment as u32;
    let root = Expr::count_segment_tracks(segment, asker.each(term, place));
    let slots = vec![("things", term.things()), ("clip", segment_text(segment))];
    let Some((question, answer)) = asker.answer(subject, Candidate { task: TASK, form: "tracks", slots, place, root })
    else {
        return false;
    };
    let Value::Int { value: right, unit } = answer.value else { return false };
    if !window.contains(&right) {
        return false;
    }
    let wrong = window.into_iter().filter(|count| *count != right);
    asker.keep(subject, question, answer, wrong.map(|value| Value::Int { value, unit }).collect());
    true
}
