//! In which order do these kinds first appear?
//!
//! An order of all kinds is drawn first, then the kinds whose true order comes nearest to it: left to the pictures, cars would be first
//! nearly always.

use super::asker::{Asker, Candidate};
use super::subject::ClipSubject;
use super::tally::{Cell, Tally};
use crate::asking::options::COUNT_OPTIONS;
use crate::asking::words::Place;
use crate::clip_qa::task::Task;
use uavgen_programs::taxonomy::{TERMS, confusable};
use uavgen_programs::{Expr, FrameRate, Term, Value};

const TASK: Task = Task::FirstAppearances;
/// Kinds of one question: six orders, of which four are offered.
const KINDS: usize = 3;

/// Kinds in the order in which they appear, by the labels.
struct Sequence<'t> {
    cells: Vec<&'t Cell<'t>>,
    place: Place,
    /// Seconds between them.
    margin: f64,
    fps: FrameRate,
}

pub(super) fn ask(asker: &mut Asker, subject: &ClipSubject, tally: &Tally) {
    let wanted = asker.wanted(TASK);
    if wanted == 0 {
        return;
    }
    let sequences = sequences(asker, subject, tally);
    if sequences.is_empty() {
        let seen = TERMS.iter().filter_map(|term| tally.whole(term)).filter(|cell| cell.first.is_some()).count();
        return asker.inquiry.leave_out_subject(TASK.name(), subject, "no_order", seen as f64, KINDS as f64);
    }
    let all_doubtful = sequences.iter().all(Sequence::is_doubtful);
    // Two questions look at two places: only their options say which kinds they are about.
    let mut used: Vec<String> = Vec::new();
    for ordinal in 0..if all_doubtful { 1 } else { wanted } {
        let ordinal = ordinal.to_string();
        let drawn = asker.draw.shuffled(TERMS, &["appearances", subject.key(), &ordinal], |term| term.word.to_owned());
        let rank = |word: &str| drawn.iter().position(|term| term.word == word);
        let mut ordered = asker.draw.shuffled(&sequences, &["sequence", subject.key(), &ordinal], |one| one.key());
        ordered.sort_by_cached_key(|one| {
            let ranks: Vec<_> = one.words().iter().map(|word| rank(word)).collect();
            let against = ranks
                .iter()
                .enumerate()
                .map(|(at, a)| ranks[at + 1..].iter().filter(|b| *b < a).count())
                .sum::<usize>();
            (one.is_doubtful(), against, one.place.area.is_some())
        });
        ordered.retain(|one| !used.contains(&one.place.phrase()));
        let mut tried = ordered.into_iter().take(asker.tries(all_doubtful));
        used.extend(tried.find(|one| ask_one(asker, subject, one)).map(|one| one.place.phrase()));
    }
}

/// Three kinds of one place that appear a margin apart. Of kinds that are mixed up with each other one at most; and none that is
/// mixed up with something that is there before it.
fn sequences<'t>(asker: &Asker, subject: &ClipSubject, tally: &'t Tally) -> Vec<Sequence<'t>> {
    let mut sequences = Vec::new();
    for place in subject.places() {
        let of_place = || TERMS.iter().filter_map(move |term| tally.cell(term, place));
        let comes_before = |cell: &Cell, other: &Cell| {
            confusable(&cell.term.term(), &other.term.term())
                && other.first.is_some_and(|first| Some(first) < cell.first)
        };
        let mut there: Vec<&Cell> = of_place().filter(|cell| cell.first.is_some()).collect();
        there.retain(|cell| !of_place().any(|other| other.term.word != cell.term.word && comes_before(cell, other)));
        there.sort_by_key(|cell| (cell.first, cell.term.word));
        for (a, first) in there.iter().enumerate() {
            for (b, second) in there.iter().enumerate().skip(a + 1) {
                for third in &there[b + 1..] {
                    let cells = vec![*first, *second, *third];
                    let (margin, fps) = (asker.config.margins.seconds, subject.scene.fps());
                    let sequence = Sequence { cells, place, margin, fps };
                    if sequence.is_apart() && !sequence.is_idle(tally) {
                        sequences.push(sequence);
                    }
                }
            }
        }
    }
    sequences
}

impl Sequence<'_> {
    fn words(&self) -> Vec<&'static str> {
        self.cells.iter().map(|cell| cell.term.word).collect()
    }

    fn key(&self) -> String {
        format!("{} {}", self.words().join(" "), self.place.phrase())
    }

    /// Something unknown may come before a kind's first object, and too early.
    fn is_doubtful(&self) -> bool {
        !self.cells.windows(2).all(|pair| self.are_apart(pair[0].first, pair[1].perhaps_first()))
    }

    fn are_apart(&self, first: Option<u32>, next: Option<u32>) -> bool {
        let frames = next.unwrap_or(0).saturating_sub(first.unwrap_or(0));
        frames > 0 && f64::from(frames) * f64::from(self.fps.den) >= self.margin * f64::from(self.fps.num)
    }

    fn is_apart(&self) -> bool {
        let apart = |pair: &[&Cell]| self.are_apart(pair[0].first, pair[1].first);
        let mixed_up = |pair: &[&Cell]| confusable(&pair[0].term.term(), &pair[1].term.term());
        let ends = [self.cells[0], self.cells[KINDS - 1]];
        self.cells.windows(2).all(|pair| apart(pair) && !mixed_up(pair)) && !mixed_up(&ends)
    }

    /// Whether the place makes no difference: the kinds come in the same order everywhere.
    fn is_idle(&self, tally: &Tally) -> bool {
        let firsts: Vec<_> =
            self.cells.iter().map(|cell| tally.whole(cell.term).and_then(|whole| whole.first)).collect();
        self.place.area.is_some() && firsts.windows(2).all(|pair| pair[0] < pair[1])
    }
}

fn ask_one(asker: &mut Asker, subject: &ClipSubject, sequence: &Sequence) -> bool {
    let mut among: Vec<Term> = sequence.cells.iter().map(|cell| cell.term.term()).collect();
    among.sort();
    let each = Box::new(sequence.place.narrow(Expr::frame_objects(), asker.config.margins.inside()));
    let root = Expr::FirstAppearances { each, among: among.clone(), margin: asker.config.margins.time() };
    let candidate = Candidate { task: TASK, form: "order", slots: Vec::new(), place: sequence.place, root };
    let Some((question, answer)) = asker.answer(subject, candidate) else { return false };
    let others = orders(&among).into_iter().map(|values| Value::Order { values }).filter(|one| *one != answer.value);
    let purpose = ["orders", subject.key(), &sequence.key()];
    let wrong = asker.draw.shuffled(others, &purpose, Value::text).into_iter().take(COUNT_OPTIONS - 1).collect();
    asker.keep(subject, question, answer, wrong);
    true
}

/// All orders of some terms.
fn orders(terms: &[Term]) -> Vec<Vec<Term>> {
    if terms.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for first in terms {
        let rest: Vec<Term> = terms.iter().filter(|term| *term != first).cloned().collect();
        all.extend(orders(&rest).into_iter().map(|rest| std::iter::once(first.clone()).chain(rest).collect()));
    }
    all
}
