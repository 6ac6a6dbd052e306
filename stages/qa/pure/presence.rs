//! Is there a …? And: which of these are there?

use super::asker::{Answered, Asker, Candidate};
use super::question::{Evidence, Options};
use super::subject::Subject;
use super::words::{Place, a_thing, all_terms, categories};
use crate::qa::task::Task;
use uavgen_programs::taxonomy::{TERMS, TermEntry, confusable};
use uavgen_programs::{Expr, InsideRule, Term, Value};
use uavgen_schemas::BoxRole;

/// Options of a question with several right answers.
const SEVERAL_OPTIONS: usize = 6;

/// Yes/no questions, in pairs about one place: one that is there and one that is not. So yes and no are even, in all
/// and for every kind of place, and neither is asked where only the other could be.
pub(super) fn ask_presence(asker: &mut Asker, subject: &Subject) {
    let wanted = asker.wanted(Task::ScenePresence);
    for pair in 0..wanted.div_ceil(2) {
        let ordinal = pair.to_string();
        let alone = wanted - 2 * pair == 1;
        for sides in paired_terms(asker, subject, &ordinal).into_iter().take(asker.tries()) {
            if ask_pair(asker, subject, &sides, alone, &ordinal) {
                break;
            }
        }
    }
}

/// A place with the terms that may be asked for with yes and with no.
struct Sides {
    place: Place,
    yes: Vec<&'static TermEntry>,
    no: Vec<&'static TermEntry>,
}

/// Places that have terms for both sides, those without a doubt first.
fn paired_terms(asker: &Asker, subject: &Subject, ordinal: &str) -> Vec<Sides> {
    let task = Task::ScenePresence;
    let inside = asker.margins(task).inside();
    let doubtful = |terms: &[&TermEntry], place| {
        terms.first().is_none_or(|term| subject.is_doubtful(&categories(term), place, inside))
    };
    let places = places(asker, subject, task, ordinal).into_iter();
    let sides = |place| {
        let (yes, no) = (terms_for(asker, subject, place, true), terms_for(asker, subject, place, false));
        Sides { place, yes, no }
    };
    let mut pairs: Vec<Sides> = places.map(sides).filter(|s| !s.yes.is_empty() && !s.no.is_empty()).collect();
    pairs.sort_by_key(|s| doubtful(&s.yes, s.place) || doubtful(&s.no, s.place));
    pairs
}

/// Terms that, by the labels, are there (or not), in hash order, the doubtful ones last.
fn terms_for(asker: &Asker, subject: &Subject, place: Place, present: bool) -> Vec<&'static TermEntry> {
    let task = Task::ScenePresence;
    let inside = asker.margins(task).inside();
    let count = |term: &TermEntry, place| subject.count(&categories(term), place, inside);
    let here: Vec<&TermEntry> = all_terms().filter(|term| count(term, place) > 0).collect();
    // Who takes a car for a van would call the right answer wrong.
    let mistaken = |term: &TermEntry| here.iter().any(|other| confusable(&term.term(), &other.term()));
    // An area that leaves none of the kind out would be idle.
    let used = |term: &TermEntry| place.area.is_none() || count(term, Place::WHOLE) > count(term, place);
    let terms = all_terms().filter(|term| {
        let is_here = here.iter().any(|other| other.word == term.word);
        used(term) && if present { is_here } else { !is_here && !mistaken(term) }
    });
    let purpose = [task.name(), &subject.key(), &place.phrase(), if present { "yes" } else { "no" }];
    let mut ordered = asker.draw.shuffled(terms, &purpose, |term| term.word.to_owned());
    ordered.sort_by_key(|term| subject.is_doubtful(&categories(term), place, inside));
    ordered
}

/// Asks both sides and keeps them; of a pair that is wanted only half, one by hash.
fn ask_pair(asker: &mut Asker, subject: &Subject, sides: &Sides, alone: bool, ordinal: &str) -> bool {
    let yes = first_answered(asker, subject, sides.place, &sides.yes);
    let no = first_answered(asker, subject, sides.place, &sides.no);
    let (Some(yes), Some(no)) = (&yes, &no) else {
        for answered in yes.iter().chain(&no) {
            asker.leave_out(subject, answered, "no_counterpart", "only one of yes and no can be asked here");
        }
        return false;
    };
    let side = asker.draw.below(2, &["side", &subject.key(), ordinal]);
    for (position, answered) in [yes, no].into_iter().enumerate() {
        if !alone || position == side {
            keep_presence(asker, subject, answered.clone());
        }
    }
    true
}

/// The first term that has a certain answer.
fn first_answered(asker: &mut Asker, subject: &Subject, place: Place, terms: &[&TermEntry]) -> Option<Answered> {
    let task = Task::ScenePresence;
    let inside = asker.margins(task).inside();
    terms.iter().take(asker.tries()).find_map(|term| {
        let set = Expr::objects(0).where_category(term.any_of.iter().copied());
        let root = place.narrow(set, inside).exists();
        let slots = vec![("a_thing", a_thing(term)), ("place", place.phrase())];
        asker.answer(subject, Candidate { task, form: "presence", slots, place, root })
    })
}

fn keep_presence(asker: &mut Asker, subject: &Subject, answered: Answered) {
    let Value::Bool { value } = answered.answer.value else { return };
    let wrong = vec![Value::Bool { value: !value }];
    // What proves a yes is what the program found; a no has nothing to show.
    asker.keep(subject, answered, Options::One(wrong), &Evidence::Chosen(BoxRole::Clue));
}

/// Places in the order in which they are tried: the whole image first in every other case where it may be asked about.
pub(super) fn places(asker: &Asker, subject: &Subject, task: Task, ordinal: &str) -> Vec<Place> {
    let key = subject.key();
    let purpose = ["places", task.name(), &key, ordinal];
    let mut places = asker.draw.shuffled(subject.labelled_areas(&asker.draw), &purpose, Place::phrase);
    places.dedup();
    if !subject.has_unlabelled_area() {
        let position = if asker.draw.below(2, &["whole", task.name(), &key, ordinal]) == 0 { 0 } else { 1 };
        places.insert(position.min(places.len()), Place::WHOLE);
    }
    places
}

/// Lists of terms in their order, but those that are likely to be refused last.
pub(super) fn likelier_first(
    subject: &Subject,
    mut lists: Vec<(Place, Vec<TermEntry>)>,
    inside: InsideRule,
) -> Vec<(Place, Vec<TermEntry>)> {
    lists.sort_by_key(|(place, terms)| {
        let any_of: Vec<String> = terms.iter().flat_map(categories).collect();
        subject.is_doubtful(&any_of, *place, inside)
    });
    lists
}

/// Questions with six options of which several are right.
pub(super) fn ask_several(asker: &mut Asker, subject: &Subject) {
    let task = Task::MultiTargetPresence;
    let inside = asker.margins(task).inside();
    for ordinal in 0..asker.wanted(task) {
        let ordinal = ordinal.to_string();
        let places = places(asker, subject, task, &ordinal).into_iter();
        let lists = places.filter_map(|place| Some((place, six_terms(asker, subject, place, &ordinal)?)));
        for (place, terms) in likelier_first(subject, lists.collect(), inside).into_iter().take(asker.tries()) {
            let all = Expr::objects(0).where_category(terms.iter().flat_map(|term| term.any_of.iter().copied()));
            let root = place.narrow(all, inside).present_terms(terms.iter().map(TermEntry::term));
            let slots = vec![("place", place.phrase())];
            let candidate = Candidate { task, form: "presence", slots, place, root };
            let Some(answered) = asker.answer(subject, candidate) else { continue };
            let Value::Categories { values } = &answered.answer.value else { continue };
            let any_of = values.iter().flat_map(|term: &Term| term.any_of.clone()).collect();
            let options = terms.iter().map(|term| Value::category(&term.term())).collect();
            let evidence = Evidence::Members { any_of, role: BoxRole::Clue, inside };
            asker.keep(subject, answered, Options::Several(options), &evidence);
            break;
        }
    }
}

/// Six terms of which, by the labels, some are there and some are not. Of two that are mixed up only one is listed: the
/// one that is there, so that no wrong option is nearly right. Null where the labels give no such six.
fn six_terms(asker: &Asker, subject: &Subject, place: Place, ordinal: &str) -> Option<Vec<TermEntry>> {
    let inside = asker.margins(Task::MultiTargetPresence).inside();
    let is_here = |term: &TermEntry| subject.count(&categories(term), place, inside) > 0;
    let key = subject.key();
    let ordered = asker.draw.shuffled(TERMS, &["six", &key, &place.phrase(), ordinal], |term| term.word.to_owned());
    let (here, absent): (Vec<&TermEntry>, Vec<&TermEntry>) = ordered.into_iter().partition(|term| is_here(term));
    let mut chosen: Vec<TermEntry> = Vec::new();
    // Present ones first, but never all six of them.
    for (terms, room) in [(here, SEVERAL_OPTIONS - 1), (absent, SEVERAL_OPTIONS)] {
        for term in terms {
            let mixed_up = chosen.iter().any(|other| confusable(&term.term(), &other.term()));
            if !mixed_up && chosen.len() < room {
                chosen.push(*term);
            }
        }
    }
    let right = chosen.iter().filter(|term| is_here(term)).count();
    (chosen.len() == SEVERAL_OPTIONS && right > 0 && right < SEVERAL_OPTIONS).then_some(chosen)
}
