//! How many … are in view when the k-th clip begins?
//!
//! The options are the counts of the clips, so whoever knows the pictures and not their order can only guess. The position is
//! drawn before the kind, and a kind is asked about only where all counts are known and apart, so nothing but the order tells
//! which of them is right.

use super::asker::{Asker, Candidate};
use super::subject::ClipSubject;
use super::tally::{Cell, Tally};
use crate::asking::options::COUNT_OPTIONS;
use crate::clip_qa::task::Task;
use uavgen_programs::answer::segment_text;
use uavgen_programs::{Expr, Value};

const TASK: Task = Task::ClipOrder;

pub(super) fn ask(asker: &mut Asker, subject: &ClipSubject, tally: &Tally) {
    let wanted = asker.wanted(TASK);
    let cues: Vec<&Cell> = tally.cells().iter().filter(|cell| tells_apart(asker, cell)).collect();
    if wanted == 0 {
        return;
    }
    if cues.is_empty() {
        return asker.inquiry.leave_out_subject(TASK.name(), subject, "no_cue", 0.0, 1.0);
    }
    let mut used: Vec<&str> = Vec::new();
    for ordinal in 0..wanted {
        let first = ordinal == 0;
        let ordinal = ordinal.to_string();
        let position = asker.draw.below(subject.segments(), &["position", subject.key(), &ordinal]);
        let fitting: Vec<&Cell> = cues.iter().copied().filter(|cue| !is_idle(cue, tally, position)).collect();
        let all_doubtful = fitting.iter().all(|cue| is_doubtful(cue));
        if all_doubtful && !first {
            continue;
        }
        let key = |cue: &&Cell| format!("{} {}", cue.term.word, cue.place.phrase());
        let mut ordered = asker.draw.shuffled(fitting, &["cue", subject.key(), &ordinal], key);
        ordered.sort_by_key(|cue| (is_doubtful(cue), used.contains(&cue.term.word), cue.place.area.is_some()));
        let mut tried = ordered.into_iter().take(asker.tries(all_doubtful));
        used.extend(tried.find(|cue| ask_one(asker, subject, cue, position)).map(|cue| cue.term.word));
    }
}

/// Whether, by the labels, the clips begin with counts that are apart.
fn tells_apart(asker: &Asker, cell: &Cell) -> bool {
    let margin = asker.config.margins.count();
    let counts: Vec<i64> = cell.pieces.iter().map(|piece| piece.at_start).collect();
    let apart = |a: i64, b: i64| a != b && a.abs_diff(b) as f64 >= margin.limit(a, b);
    counts.iter().enumerate().all(|(position, &a)| counts[..position].iter().all(|&b| apart(a, b)))
}

fn is_doubtful(cell: &Cell) -> bool {
    cell.pieces.iter().any(|piece| piece.open_at_start)
}

/// Whether the place makes no difference to the answer.
fn is_idle(cell: &Cell, tally: &Tally, position: usize) -> bool {
    let whole = tally.whole(cell.term).map(|whole| whole.pieces[position].at_start);
    cell.place.area.is_some() && whole == Some(cell.pieces[position].at_start)
}

fn ask_one(asker: &mut Asker, subject: &ClipSubject, cue: &Cell, position: usize) -> bool {
    let (segment, each) = (position as u32, Box::new(asker.each(cue.term, cue.place)));
    let root = Expr::CountAtStart { segment, each, margin: asker.config.margins.count() };
    let slots = vec![("things", cue.term.things()), ("clip", segment_text(segment))];
    let candidate = Candidate { task: TASK, form: "count", slots, place: cue.place, root };
    let Some((question, answer)) = asker.answer(subject, candidate) else { return false };
    let Value::Int { value: right, unit } = answer.value else { return false };
    // The counts of all clips are those of the labels: else the program had refused.
    let others = cue.pieces.iter().map(|piece| piece.at_start).filter(|count| *count != right);
    let purpose = ["counts", subject.key(), cue.term.word, &cue.place.phrase(), &position.to_string()];
    let wrong = asker.draw.shuffled(others, &purpose, i64::to_string);
    let wrong = wrong.into_iter().take(COUNT_OPTIONS - 1).map(|value| Value::Int { value, unit });
    asker.keep(subject, question, answer, wrong.collect());
    true
}
