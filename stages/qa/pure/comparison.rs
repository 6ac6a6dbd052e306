//! Which of these is the most (least) numerous?

use super::asker::{Asker, Candidate};
use super::presence::{likelier_first, places};
use super::question::{Evidence, Options};
use super::subject::Subject;
use super::words::{Place, categories};
use crate::qa::task::Task;
use uavgen_programs::taxonomy::{TERMS, TermEntry, confusable};
use uavgen_programs::{CountMargin, Expr, Term, Value};
use uavgen_schemas::BoxRole;

/// Terms of one question.
const OPTIONS: usize = 4;
/// Fewest of them that are in the place: the others would be no competition.
const PRESENT: usize = 3;

/// The term that wins is chosen first, by hash among all that can: left to the counts it would be "car" nearly always.
pub(super) fn ask_comparison(asker: &mut Asker, subject: &Subject) {
    let task = Task::NumberComparison;
    for ordinal in 0..asker.wanted(task) {
        let ordinal = ordinal.to_string();
        let most = asker.draw.below(2, &["direction", &subject.key(), &ordinal]) == 0;
        let places = places(asker, subject, task, &ordinal).into_iter();
        let lists = places.filter_map(|place| Some((place, four_terms(asker, subject, place, most, &ordinal)?)));
        let inside = asker.margins(task).inside();
        for (place, terms) in likelier_first(subject, lists.collect(), inside).into_iter().take(asker.tries()) {
            if ask_one(asker, subject, place, most, &terms) {
                break;
            }
        }
    }
}

fn ask_one(asker: &mut Asker, subject: &Subject, place: Place, most: bool, terms: &[TermEntry]) -> bool {
    let task = Task::NumberComparison;
    let (inside, margin) = (asker.margins(task).inside(), asker.margins(task).count());
    let mut among: Vec<Term> = terms.iter().map(TermEntry::term).collect();
    among.sort();
    let any_of: Vec<String> = among.iter().flat_map(|term| term.any_of.clone()).collect();
    let of = Box::new(place.narrow(Expr::objects(0).where_category(any_of.iter().cloned()), inside));
    let (form, root) = match most {
        true => ("most", Expr::MostNumerous { of, among: among.clone(), margin }),
        false => ("fewest", Expr::Fewest { of, among: among.clone(), margin }),
    };
    let candidate = Candidate { task, form, slots: vec![("place", place.phrase())], place, root };
    let Some(answered) = asker.answer(subject, candidate) else { return false };
    let wrong = among.iter().map(Value::category).filter(|option| *option != answered.answer.value).collect();
    let evidence = Evidence::Members { any_of, role: BoxRole::Clue, inside };
    asker.keep(subject, answered, Options::One(wrong), &evidence);
    true
}

/// Whether a count is behind that of the winner by the margin.
fn is_behind(winner: i64, other: i64, most: bool, margin: &CountMargin) -> bool {
    let gap = if most { winner - other } else { other - winner };
    gap > 0 && gap as f64 >= margin.limit(winner, other)
}

/// Four terms of which, by the labels, one is ahead of the others; none is mixed up with another.
fn four_terms(asker: &Asker, subject: &Subject, place: Place, most: bool, ordinal: &str) -> Option<Vec<TermEntry>> {
    let margins = asker.margins(Task::NumberComparison);
    let (inside, margin) = (margins.inside(), margins.count());
    let counted: Vec<(&TermEntry, i64)> =
        TERMS.iter().map(|term| (term, subject.count(&categories(term), place, inside))).collect();
    let (key, phrase) = (subject.key(), place.phrase());
    let shuffled = |what: &str, terms: Vec<(&'static TermEntry, i64)>| {
        asker.draw.shuffled(terms, &[what, &key, &phrase, ordinal], |(term, _)| term.word.to_owned())
    };
    let present = counted.iter().copied().filter(|&(_, count)| count > 0).collect();
    shuffled("winner", present).into_iter().find_map(|(winner, own)| {
        let behind = |count: i64| is_behind(own, count, most, &margin);
        let mut rivals = shuffled("rivals", counted.iter().copied().filter(|&(_, count)| behind(count)).collect());
        // From the same scene first.
        rivals.sort_by_key(|&(_, count)| count == 0);
        let mut chosen = vec![(winner, own)];
        for rival in rivals {
            let mixed_up = chosen.iter().any(|(other, _)| confusable(&rival.0.term(), &other.term()));
            if !mixed_up && chosen.len() < OPTIONS {
                chosen.push(rival);
            }
        }
        let whole = |term: &TermEntry| subject.count(&categories(term), Place::WHOLE, inside);
        let leads_anyway = |&(rival, _): &(&TermEntry, i64)| is_behind(whole(winner), whole(rival), most, &margin);
        // An area with the winner of the whole image would be idle.
        let idle = place.area.is_some() && chosen[1..].iter().all(leads_anyway);
        let enough =
            !idle && chosen.len() == OPTIONS && chosen.iter().filter(|&&(_, count)| count > 0).count() >= PRESENT;
        enough.then(|| chosen.into_iter().map(|(term, _)| *term).collect())
    })
}
