//! Is there a …?

use super::asker::{Answered, Asker, Candidate};
use super::evidence::Evidence;
use super::places::{in_turns, is_doubtful};
use super::subject::Subject;
use crate::asking::options::Options;
use crate::asking::words::{Place, all_terms};
use crate::qa::task::Task;
use uavgen_programs::taxonomy::{TERMS, TermEntry, confusable};
use uavgen_programs::{Expr, Value};
use uavgen_schemas::BoxRole;

/// A kind with a place where it is and a place of the same shape where it is not. Asked about both, neither the kind nor
/// the shape tells the answer. The whole image has no counterpart, so it is never asked about here.
#[derive(Debug, Clone, Copy)]
struct Pair {
    term: &'static TermEntry,
    yes: Place,
    no: Place,
}

/// Yes/no questions in pairs, each of another kind.
pub(super) fn ask_presence(asker: &mut Asker, subject: &Subject) {
    let wanted = asker.wanted(Task::ScenePresence);
    let mut asked: Vec<&str> = Vec::new();
    for ordinal in 0..wanted.div_ceil(2) {
        let alone = wanted - 2 * ordinal == 1;
        let pairs = pairs(asker, subject).into_iter().filter(|pair| !asked.contains(&pair.term.word));
        for pair in pairs.take(asker.tries()).collect::<Vec<_>>() {
            if ask_pair(asker, subject, &pair, alone) {
                asked.push(pair.term.word);
                break;
            }
        }
    }
}

/// The pairs that the labels give, kinds in turns, those without a doubt first.
fn pairs(asker: &Asker, subject: &Subject) -> Vec<Pair> {
    let inside = asker.margins(Task::ScenePresence).inside();
    let kinds = asker.draw.shuffled(all_terms(), &["kind", &subject.key()], |term| term.word.to_owned());
    let queues: Vec<Vec<Pair>> = kinds.into_iter().map(|term| pairs_of(asker, subject, term)).collect();
    let mut pairs = in_turns(&queues);
    pairs
        .sort_by_key(|pair| [pair.yes, pair.no].iter().any(|&place| is_doubtful(subject, &[pair.term], place, inside)));
    pairs
}

fn pairs_of(asker: &Asker, subject: &Subject, term: &'static TermEntry) -> Vec<Pair> {
    let inside = asker.margins(Task::ScenePresence).inside();
    let count = |term: &TermEntry, place| subject.count(&term.categories(), place, inside);
    let whole = count(term, Place::WHOLE);
    let areas = subject.labelled_areas(&asker.draw);
    // An area that leaves none of the kind out would be idle.
    let (present, absent): (Vec<Place>, Vec<Place>) = areas.into_iter().partition(|&place| count(term, place) > 0);
    let yes = present.into_iter().filter(|&place| count(term, place) < whole);
    // Who takes a car for a van would call the right answer wrong.
    let likeness = |place| {
        let mut others = TERMS.iter().filter(|other| confusable(&term.term(), &other.term()));
        others.any(|other| count(other, place) > 0)
    };
    let no: Vec<Place> = absent.into_iter().filter(|&place| !likeness(place)).collect();
    let pairs = yes.flat_map(|yes| {
        let counterparts = no.iter().filter(move |no| no.shape() == yes.shape());
        counterparts.map(move |&no| Pair { term, yes, no })
    });
    let purpose = ["pair", &subject.key(), term.word];
    let name = |pair: &Pair| format!("{} / {}", pair.yes.phrase(), pair.no.phrase());
    asker.draw.shuffled(pairs.collect::<Vec<_>>(), &purpose, name)
}

/// Asks both sides and keeps them together; of a pair that is wanted only half, one by hash.
fn ask_pair(asker: &mut Asker, subject: &Subject, pair: &Pair, alone: bool) -> bool {
    let sides = [pair.yes, pair.no].map(|place| asker.answer(subject, candidate(asker, pair.term, place)));
    let [Some(yes), Some(no)] = &sides else {
        for answered in sides.iter().flatten() {
            asker.leave_out(subject, answered, "no_counterpart", "only one of yes and no can be asked");
        }
        return false;
    };
    let mut kept = vec![with_options(yes), with_options(no)];
    if alone {
        let side = asker.draw.below(2, &["side", &subject.key(), pair.term.word]);
        kept = vec![kept.swap_remove(side)];
    }
    // What proves a yes is what is there; a no has nothing to show.
    let inside = asker.margins(Task::ScenePresence).inside();
    let evidence = Evidence::Members { any_of: pair.term.categories(), role: BoxRole::Clue, inside };
    asker.keep_together(subject, kept, &evidence);
    true
}

fn candidate(asker: &Asker, term: &TermEntry, place: Place) -> Candidate {
    let task = Task::ScenePresence;
    let set = Expr::objects(0).where_category(term.categories());
    let root = place.narrow(set, asker.margins(task).inside()).exists();
    let slots = vec![("a_thing", term.a_thing()), ("place", place.phrase())];
    Candidate { task, form: "presence", slots, place, root }
}

fn with_options<'a>(answered: &Answered<'a>) -> (Answered<'a>, Options) {
    let wrong = Value::Bool { value: answered.answer.value != (Value::Bool { value: true }) };
    (answered.clone(), Options::One(vec![wrong]))
}
