//! Which of these are there?

use super::asker::{Asker, Candidate};
use super::evidence::Evidence;
use super::places::{is_doubtful, places};
use super::subject::Subject;
use crate::asking::options::Options;
use crate::asking::words::Place;
use crate::qa::task::Task;
use uavgen_programs::taxonomy::{TERMS, TermEntry, confusable};
use uavgen_programs::{Expr, Term, Value};
use uavgen_schemas::BoxRole;

/// Options of a question.
const OPTIONS: usize = 6;

/// Which kinds are to be right is drawn first, then the place that comes nearest to it: so a kind is right about as often
/// as not, as far as the frame allows. Each question about a frame has another place.
pub(super) fn ask_several(asker: &mut Asker, subject: &Subject) {
    let mut used: Vec<Place> = Vec::new();
    for ordinal in 0..asker.wanted(Task::MultiTargetPresence) {
        let lists = lists(asker, subject, &ordinal.to_string());
        let lists = lists.into_iter().filter(|(place, _)| !used.contains(place)).take(asker.tries());
        if let Some((place, _)) = lists.collect::<Vec<_>>().into_iter().find(|list| ask_one(asker, subject, list)) {
            used.push(place);
        }
    }
}

type List = (Place, Vec<&'static TermEntry>);

/// Places with their options: those without a doubt first, and among them those nearest to the drawn kinds.
fn lists(asker: &Asker, subject: &Subject, ordinal: &str) -> Vec<List> {
    let task = Task::MultiTargetPresence;
    let inside = asker.margins(task).inside();
    let key = subject.key();
    let drawn = |term: &TermEntry| asker.draw.below(2, &["right", &key, ordinal, term.word]) == 1;
    let is_here = |term: &TermEntry, place| subject.count(&term.categories(), place, inside) > 0;
    let places = places(asker, subject, task, ordinal).into_iter();
    let mut lists: Vec<List> =
        places.filter_map(|place| Some((place, six_terms(asker, subject, place, ordinal)?))).collect();
    lists.sort_by_cached_key(|(place, terms)| {
        let off = terms.iter().filter(|term| drawn(term) != is_here(term, *place)).count();
        (is_doubtful(subject, terms, *place, inside), off)
    });
    lists
}

fn ask_one(asker: &mut Asker, subject: &Subject, (place, terms): &List) -> bool {
    let task = Task::MultiTargetPresence;
    let inside = asker.margins(task).inside();
    let all = Expr::objects(0).where_category(terms.iter().flat_map(|term| term.categories()));
    let root = place.narrow(all, inside).present_terms(terms.iter().map(|term| term.term()));
    let candidate = Candidate { task, form: "presence", slots: vec![("place", place.phrase())], place: *place, root };
    let Some(answered) = asker.answer(subject, candidate) else { return false };
    let Value::Categories { values } = &answered.answer.value else { return false };
    let any_of = values.iter().flat_map(|term: &Term| term.any_of.clone()).collect();
    let options = terms.iter().map(|term| Value::category(&term.term())).collect();
    let evidence = Evidence::Members { any_of, role: BoxRole::Clue, inside };
    asker.keep(subject, answered, Options::Several(options), &evidence);
    true
}

/// Six terms of which, by the labels, some are there and some are not. Of two that are mixed up only one is listed: the
/// one that is there; and one that something in the place is mixed up with is no wrong option. Null where the labels give no such six.
fn six_terms(asker: &Asker, subject: &Subject, place: Place, ordinal: &str) -> Option<Vec<&'static TermEntry>> {
    let inside = asker.margins(Task::MultiTargetPresence).inside();
    let is_here = |term: &TermEntry| subject.count(&term.categories(), place, inside) > 0;
    let purpose = ["six", &subject.key(), &place.phrase(), ordinal];
    let ordered = asker.draw.shuffled(TERMS, &purpose, |term| term.word.to_owned());
    let (here, mut absent): (Vec<&TermEntry>, Vec<&TermEntry>) = ordered.into_iter().partition(|term| is_here(term));
    // Who takes a car for a van would call "van" right.
    absent.retain(|term| !here.iter().any(|other| confusable(&term.term(), &other.term())));
    let mut chosen: Vec<&TermEntry> = Vec::new();
    // Present ones first, but never all six of them.
    for (terms, room) in [(here, OPTIONS - 1), (absent, OPTIONS)] {
        for term in terms {
            let mixed_up = chosen.iter().any(|other| confusable(&term.term(), &other.term()));
            if !mixed_up && chosen.len() < room {
                chosen.push(term);
            }
        }
    }
    let right = chosen.iter().filter(|term| is_here(term)).count();
    (chosen.len() == OPTIONS && right > 0 && right < OPTIONS).then_some(chosen)
}
