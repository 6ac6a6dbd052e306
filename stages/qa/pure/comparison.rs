//! Which of these is the most (least) numerous?

use super::asker::{Asker, Candidate};
use super::evidence::Evidence;
use super::places::{in_turns, is_doubtful, places};
use super::subject::Subject;
use crate::asking::options::Options;
use crate::asking::words::Place;
use crate::qa::task::Task;
use uavgen_programs::taxonomy::{TERMS, TermEntry, confusable};
use uavgen_programs::{CountMargin, Expr, Term, Value};
use uavgen_schemas::BoxRole;

/// Terms of one question.
const OPTIONS: usize = 4;
/// Fewest of them that are in the place: the others would be no competition.
const PRESENT: usize = 3;

/// A term with its number in a place and in the whole image, as the labels tell them.
#[derive(Debug, Clone, Copy)]
struct Counted {
    term: &'static TermEntry,
    here: i64,
    whole: i64,
}

/// A place with four terms, the one that wins there first.
#[derive(Debug, Clone)]
struct Contest {
    place: Place,
    terms: Vec<&'static TermEntry>,
}

/// The term that wins is chosen first, by hash among all that win somewhere on the frame: left to the counts it would be
/// "car" nearly always. Its rivals are first of all those that win elsewhere. Each question about a frame has another
/// place.
pub(super) fn ask_comparison(asker: &mut Asker, subject: &Subject) {
    let task = Task::NumberComparison;
    let mut used: Vec<Place> = Vec::new();
    for ordinal in 0..asker.wanted(task) {
        let ordinal = ordinal.to_string();
        let most = asker.draw.below(2, &["direction", &subject.key(), &ordinal]) == 0;
        let contests = Frame::new(asker, subject, most, &ordinal).contests();
        let contests = contests.into_iter().filter(|contest| !used.contains(&contest.place)).take(asker.tries());
        let asked = contests.collect::<Vec<_>>().into_iter().find(|contest| ask_one(asker, subject, contest, most));
        used.extend(asked.map(|contest| contest.place));
    }
}

fn ask_one(asker: &mut Asker, subject: &Subject, Contest { place, terms }: &Contest, most: bool) -> bool {
    let task = Task::NumberComparison;
    let (inside, margin) = (asker.margins(task).inside(), asker.margins(task).count());
    let mut among: Vec<Term> = terms.iter().map(|term| term.term()).collect();
    among.sort();
    let any_of: Vec<String> = among.iter().flat_map(|term| term.any_of.clone()).collect();
    let of = Box::new(place.narrow(Expr::objects(0).where_category(any_of.iter().cloned()), inside));
    let (form, root) = match most {
        true => ("most", Expr::MostNumerous { of, among: among.clone(), margin }),
        false => ("fewest", Expr::Fewest { of, among: among.clone(), margin }),
    };
    let candidate = Candidate { task, form, slots: vec![("place", place.phrase())], place: *place, root };
    let Some(answered) = asker.answer(subject, candidate) else { return false };
    let wrong = among.iter().map(Value::category).filter(|option| *option != answered.answer.value).collect();
    let evidence = Evidence::Members { any_of, role: BoxRole::Clue, inside };
    asker.keep(subject, answered, Options::One(wrong), &evidence);
    true
}

/// Everything that decides on the contests of one frame.
struct Frame<'a> {
    asker: &'a Asker<'a>,
    subject: &'a Subject<'a>,
    most: bool,
    ordinal: &'a str,
    margin: CountMargin,
    places: Vec<(Place, Vec<Counted>)>,
}

impl<'a> Frame<'a> {
    fn new(asker: &'a Asker<'a>, subject: &'a Subject<'a>, most: bool, ordinal: &'a str) -> Self {
        let margins = asker.margins(Task::NumberComparison);
        let count = |term: &TermEntry, place| subject.count(&term.categories(), place, margins.inside());
        let whole: Vec<i64> = TERMS.iter().map(|term| count(term, Place::WHOLE)).collect();
        let counted = |place: Place| {
            let terms = TERMS.iter().zip(&whole);
            let counted = terms.map(|(term, &whole)| Counted { term, here: count(term, place), whole });
            (place, counted.collect())
        };
        let places = places(asker, subject, Task::NumberComparison, ordinal).into_iter().map(counted).collect();
        Self { asker, subject, most, ordinal, margin: margins.count(), places }
    }

    /// Contests with winners in turns: those without a doubt first, and among them areas before the whole image, since an
    /// area is asked about only where it turns the order, and the order of the whole image is much the same everywhere.
    fn contests(&self) -> Vec<Contest> {
        let winners: Vec<&'static TermEntry> = TERMS
            .iter()
            .filter(|winner| self.places.iter().any(|at| self.contest(at, winner, &[]).is_some()))
            .collect();
        let key = self.subject.key();
        let ordered =
            self.asker.draw.shuffled(winners.clone(), &["winner", &key, self.ordinal], |term| term.word.to_owned());
        let won = |winner: &&'static TermEntry| -> Vec<Contest> {
            self.places.iter().filter_map(|at| self.contest(at, winner, &winners)).collect()
        };
        let mut contests = in_turns(&ordered.iter().map(won).collect::<Vec<_>>());
        let inside = self.asker.margins(Task::NumberComparison).inside();
        contests.sort_by_cached_key(|contest| {
            (is_doubtful(self.subject, &contest.terms, contest.place, inside), contest.place.area.is_none())
        });
        contests
    }

    /// The contest that a term wins in a place; null where it wins none that is worth asking.
    fn contest(
        &self,
        (place, counted): &(Place, Vec<Counted>),
        winner: &'static TermEntry,
        preferred: &[&'static TermEntry],
    ) -> Option<Contest> {
        let own = counted.iter().find(|one| one.term.word == winner.word && one.here > 0)?;
        // Who takes a car for a van would see vans where there are none.
        let is_seen = |rival: &Counted| {
            let mut here = counted.iter().filter(|other| other.here > 0);
            here.any(|other| confusable(&rival.term.term(), &other.term.term()))
        };
        let fits = |rival: &Counted| self.is_behind(own.here, rival.here) && (rival.here > 0 || !is_seen(rival));
        let behind = counted.iter().copied().filter(fits);
        let purpose = ["rivals", &self.subject.key(), &place.phrase(), self.ordinal, winner.word];
        let mut rivals = self.asker.draw.shuffled(behind, &purpose, |rival| rival.term.word.to_owned());
        // Those that win elsewhere first, then those of the same place.
        let wins = |rival: &Counted| preferred.iter().any(|term| term.word == rival.term.word);
        rivals.sort_by_key(|rival| (rival.here == 0, !wins(rival)));
        let mut chosen = vec![*own];
        for rival in rivals {
            let mixed_up = chosen.iter().any(|other| confusable(&rival.term.term(), &other.term.term()));
            if !mixed_up && chosen.len() < OPTIONS {
                chosen.push(rival);
            }
        }
        let enough = chosen.len() == OPTIONS && chosen.iter().filter(|one| one.here > 0).count() >= PRESENT;
        // An area with the winner of the whole image would be idle.
        let idle = place.area.is_some() && chosen[1..].iter().all(|rival| self.is_behind(own.whole, rival.whole));
        let terms = chosen.iter().map(|one| one.term).collect();
        (enough && !idle).then_some(Contest { place: *place, terms })
    }

    /// Whether a count is behind that of the winner by the margin.
    fn is_behind(&self, winner: i64, other: i64) -> bool {
        let gap = if self.most { winner - other } else { other - winner };
        gap > 0 && gap as f64 >= self.margin.limit(winner, other)
    }
}
