//! In which order do these kinds first appear?
//!
//! Cars come first nearly everywhere, so an order of three kinds is asked for only where the clip shows them in another order as
//! well, in another place: the order is drawn from those that are there, and the others of them are offered beside it.

use super::asker::{Asker, Candidate};
use super::subject::ClipSubject;
use super::tally::{Cell, Tally};
use crate::asking::options::COUNT_OPTIONS;
use crate::asking::words::Place;
use crate::clip_qa::task::Task;
use std::collections::BTreeMap;
use uavgen_programs::taxonomy::{TERMS, confusable};
use uavgen_programs::{Expr, FrameRate, Term, Value};

const TASK: Task = Task::FirstAppearances;
/// Kinds of one question: six orders, of which four are offered.
const KINDS: usize = 3;

/// Orders of the same kinds that a clip must show: of one alone, who knows which kinds come early is right too often.
const LEAST_ORDERS: usize = 2;

/// Kinds in the order in which they appear, by the labels.
#[derive(Clone)]
struct Sequence<'t> {
    cells: Vec<&'t Cell<'t>>,
    place: Place,
    /// Seconds between them.
    margin: f64,
    fps: FrameRate,
}

/// Three kinds that come in several orders: the places of each order.
struct Trio<'t> {
    orders: Vec<Vec<Sequence<'t>>>,
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
    let sure = trios(sequences.iter().filter(|one| !one.is_doubtful()));
    if !sure.is_empty() {
        return ask_about(asker, subject, &sure, wanted, false);
    }
    let possible = trios(sequences.iter());
    if possible.is_empty() {
        return asker.inquiry.leave_out_subject(TASK.name(), subject, "one_order", 1.0, LEAST_ORDERS as f64);
    }
    ask_about(asker, subject, &possible, 1, true);
}

fn ask_about(asker: &mut Asker, subject: &ClipSubject, trios: &[Trio], wanted: usize, doubtful: bool) {
    // Two questions look at two places: only their options say which kinds they are about.
    let mut used: Vec<String> = Vec::new();
    for ordinal in 0..wanted {
        let ordinal = ordinal.to_string();
        let mut drawn = asker.draw.shuffled(trios, &["trio", subject.key(), &ordinal], |trio| trio.key());
        // Where four orders are there, none of those on offer is less likely than another.
        drawn.sort_by_key(|trio| std::cmp::Reverse(trio.orders.len().min(COUNT_OPTIONS)));
        let mut candidates: Vec<(&Trio, &Sequence)> = Vec::new();
        for trio in drawn {
            let order = asker.draw.below(trio.orders.len(), &["order", subject.key(), &ordinal, &trio.key()]);
            let places = trio.orders[order].iter();
            let places = asker.draw.shuffled(places, &["place", subject.key(), &ordinal], |one| one.key());
            candidates.extend(places.into_iter().map(|place| (trio, place)));
        }
        candidates.retain(|(_, one)| !used.contains(&one.place.phrase()));
        let mut tried = candidates.into_iter().take(asker.tries(doubtful));
        let kept = tried.find(|(trio, one)| ask_one(asker, subject, trio, one));
        used.extend(kept.map(|(_, one)| one.place.phrase()));
    }
}

/// The kinds that come in several orders.
fn trios<'s, 't: 's>(sequences: impl Iterator<Item = &'s Sequence<'t>>) -> Vec<Trio<'s>> {
    let mut by_kinds: BTreeMap<Vec<&str>, BTreeMap<Vec<&str>, Vec<Sequence>>> = BTreeMap::new();
    for sequence in sequences {
        let mut kinds = sequence.words();
        kinds.sort_unstable();
        by_kinds.entry(kinds).or_default().entry(sequence.words()).or_default().push(sequence.clone());
    }
    let several = by_kinds.into_values().filter(|orders| orders.len() >= LEAST_ORDERS);
    several.map(|orders| Trio { orders: orders.into_values().collect() }).collect()
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

impl Trio<'_> {
    fn key(&self) -> String {
        let mut words = self.orders[0][0].words();
        words.sort_unstable();
        words.join(" ")
    }

    /// Orders that are there.
    fn shown(&self) -> Vec<Value> {
        let order = |places: &Vec<Sequence>| places[0].cells.iter().map(|cell| cell.term.term()).collect();
        self.orders.iter().map(|places| Value::Order { values: order(places) }).collect()
    }
}

fn ask_one(asker: &mut Asker, subject: &ClipSubject, trio: &Trio, sequence: &Sequence) -> bool {
    let mut among: Vec<Term> = sequence.cells.iter().map(|cell| cell.term.term()).collect();
    among.sort();
    let each = Box::new(sequence.place.narrow(Expr::frame_objects(), asker.config.margins.inside()));
    let root = Expr::FirstAppearances { each, among: among.clone(), margin: asker.config.margins.time() };
    let candidate = Candidate { task: TASK, form: "order", slots: Vec::new(), place: sequence.place, root };
    let Some((question, answer)) = asker.answer(subject, candidate) else { return false };
    let others = orders(&among).into_iter().map(|values| Value::Order { values }).filter(|one| *one != answer.value);
    let purpose = ["orders", subject.key(), &sequence.key()];
    let mut wrong = asker.draw.shuffled(others, &purpose, Value::text);
    let shown = trio.shown();
    wrong.sort_by_key(|order| !shown.contains(order));
    wrong.truncate(COUNT_OPTIONS - 1);
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
