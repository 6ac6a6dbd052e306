//! In which clip is there a …?
//!
//! The position is drawn first, then a kind that only the clip there shows.

use super::asker::{Asker, Candidate};
use super::subject::ClipSubject;
use super::tally::{Cell, Tally};
use crate::asking::options::COUNT_OPTIONS;
use crate::clip_qa::task::Task;
use uavgen_programs::taxonomy::{TERMS, confusable};
use uavgen_programs::{Expr, Value};

const TASK: Task = Task::ClipPresence;

/// A kind in a place, and the only clip that shows it.
struct Find<'t> {
    cell: &'t Cell<'t>,
    position: usize,
}

pub(super) fn ask(asker: &mut Asker, subject: &ClipSubject, tally: &Tally) {
    let wanted = asker.wanted(TASK);
    if wanted == 0 {
        return;
    }
    let finds: Vec<Find> = tally.cells().iter().filter_map(|cell| Find::of(cell, tally)).collect();
    if finds.is_empty() {
        return asker.inquiry.leave_out_subject(TASK.name(), subject, "in_no_single_clip", 0.0, 1.0);
    }
    let all_doubtful = finds.iter().all(Find::is_doubtful);
    let mut used: Vec<&str> = Vec::new();
    for ordinal in 0..if all_doubtful { 1 } else { wanted } {
        let ordinal = ordinal.to_string();
        let positions =
            asker.draw.shuffled(0..subject.segments(), &["which", subject.key(), &ordinal], usize::to_string);
        let rank = |find: &Find| positions.iter().position(|position| *position == find.position);
        let key = |find: &&Find| format!("{} {}", find.cell.term.word, find.cell.place.phrase());
        let mut ordered = asker.draw.shuffled(&finds, &["find", subject.key(), &ordinal], key);
        ordered.sort_by_key(|find| {
            let cell = find.cell;
            (find.is_doubtful(), used.contains(&cell.term.word), rank(find), cell.place.area.is_some())
        });
        let mut tried = ordered.into_iter().take(asker.tries(all_doubtful));
        used.extend(tried.find(|find| ask_one(asker, subject, find.cell)).map(|find| find.cell.term.word));
    }
}

impl<'t> Find<'t> {
    /// The only clip that, by the labels, shows a kind. None where a kind that it is mixed up with shows in another clip: who
    /// takes a van for a car would see cars there.
    fn of(cell: &'t Cell<'t>, tally: &Tally) -> Option<Self> {
        let &[position] = &cell.showing()[..] else { return None };
        let own = cell.term.term();
        let alike = TERMS.iter().filter(|term| term.word != cell.term.word && confusable(&own, &term.term()));
        let elsewhere = |other: &Cell| other.showing().iter().any(|shown| *shown != position);
        if alike.filter_map(|term| tally.cell(term, cell.place)).any(elsewhere) {
            return None;
        }
        // A place that makes no difference is idle.
        let idle =
            cell.place.area.is_some() && tally.whole(cell.term).is_some_and(|whole| whole.showing() == [position]);
        (!idle).then_some(Self { cell, position })
    }

    fn is_doubtful(&self) -> bool {
        let others = self.cell.pieces.iter().enumerate().filter(|(position, _)| *position != self.position);
        others.into_iter().any(|(_, piece)| piece.open)
    }
}

fn ask_one(asker: &mut Asker, subject: &ClipSubject, cell: &Cell) -> bool {
    let root = Expr::segment_with(asker.each(cell.term, cell.place));
    let slots = vec![("a_thing", cell.term.a_thing())];
    let candidate = Candidate { task: TASK, form: "which", slots, place: cell.place, root };
    let Some((question, answer)) = asker.answer(subject, candidate) else { return false };
    let Value::Segment { position: right } = answer.value else { return false };
    let others = (0..subject.segments() as u32).filter(|position| *position != right);
    let purpose = ["others", subject.key(), cell.term.word, &cell.place.phrase()];
    let wrong = asker.draw.shuffled(others, &purpose, u32::to_string);
    let wrong = wrong.into_iter().take(COUNT_OPTIONS - 1).map(|position| Value::Segment { position });
    asker.keep(subject, question, answer, wrong.collect());
    true
}
