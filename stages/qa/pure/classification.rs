//! What is in this box?

use super::asker::{Asker, Candidate};
use super::evidence::Evidence;
use super::places::in_turns;
use super::subject::Subject;
use crate::asking::options::Options;
use crate::asking::words::Place;
use crate::qa::task::Task;
use uavgen_programs::answer::box_text;
use uavgen_programs::taxonomy::{TERMS, TermEntry, by_category, confusable};
use uavgen_programs::{BoxEdges, Expr, SceneObject, Term, Value};
use uavgen_schemas::BoxRole;

const OPTIONS: usize = 4;

/// Fewest kinds that a frame must have objects of, in boxes that show them alone: of one kind alone the answer would
/// always be the same.
const KINDS: usize = 2;

/// The kind is chosen first and then an object of it, so that rare kinds come up as often as cars; the next question is
/// about the next kind.
pub(super) fn ask_classification(asker: &mut Asker, subject: &Subject) {
    let task = Task::RegionalClassification;
    let wanted = asker.wanted(task);
    let kinds = objects_by_kind(asker, subject);
    if kinds.len() < KINDS && wanted > 0 {
        return asker.leave_out_subject(task, subject, "few_kinds", kinds.len() as f64, KINDS as f64);
    }
    let terms: Vec<&TermEntry> = kinds.iter().map(|(term, _)| *term).collect();
    let queues: Vec<Vec<&SceneObject>> = kinds.into_iter().map(|(_, objects)| objects).collect();
    let mut asked = 0;
    for object in in_turns(&queues).into_iter().take(wanted * asker.tries()) {
        if asked < wanted && ask_one(asker, subject, object, &terms) {
            asked += 1;
        }
    }
}

/// Objects whose box names them, by kind; kinds and objects in hash order.
fn objects_by_kind<'s>(asker: &Asker, subject: &'s Subject) -> Vec<(&'static TermEntry, Vec<&'s SceneObject>)> {
    let key = subject.key();
    let named = |object: &&SceneObject| {
        let program = text_edges(object).map(|edges| Expr::object_at(0, edges).box_of());
        program.is_some_and(|program| asker.certain(subject, program).is_some())
    };
    let objects: Vec<&SceneObject> = subject.first().objects().iter().filter(named).collect();
    let kinds = asker.draw.shuffled(TERMS, &["kind", &key], |term| term.word.to_owned()).into_iter();
    let of_kind = |kind: &'static TermEntry| {
        let own = |object: &&SceneObject| by_category(&object.category).is_some_and(|own| own.word == kind.word);
        let members = objects.iter().copied().filter(own);
        (kind, asker.draw.shuffled(members, &["object", &key], |object| object.id.clone()))
    };
    kinds.map(of_kind).filter(|(_, objects)| !objects.is_empty()).collect()
}

/// The box as the text has it: the program asks about that one. Null where three decimals leave nothing of it.
fn text_edges(object: &SceneObject) -> Option<BoxEdges> {
    let edges = BoxEdges::from(object.normalised.quantised());
    (edges.x1 < edges.x2 && edges.y1 < edges.y2).then_some(edges)
}

fn ask_one(asker: &mut Asker, subject: &Subject, object: &SceneObject, kinds: &[&TermEntry]) -> bool {
    let task = Task::RegionalClassification;
    let (Some(kind), Some(edges)) = (by_category(&object.category), text_edges(object)) else { return false };
    let Some(among) = four_terms(asker, subject, kind, object, kinds) else { return false };
    let root = Expr::object_at(0, edges).category_of(among.iter().cloned());
    let slots = vec![("box", box_text(&edges))];
    let candidate = Candidate { task, form: "kind", slots, place: Place::WHOLE, root };
    let Some(answered) = asker.answer(subject, candidate) else { return false };
    let wrong = among.iter().map(Value::category).filter(|option| *option != answered.answer.value).collect();
    asker.keep(subject, answered, Options::One(wrong), &Evidence::Chosen(BoxRole::Reference));
    true
}

/// The object's kind and three others, first those that could be asked about on this frame, then those of the same scene;
/// none is mixed up with another, and none is that of something else that shows in the box (a rider on a motorcycle is
/// asked about without "motorcycle").
fn four_terms(
    asker: &Asker,
    subject: &Subject,
    kind: &'static TermEntry,
    object: &SceneObject,
    kinds: &[&TermEntry],
) -> Option<Vec<Term>> {
    let inside = asker.margins(Task::RegionalClassification).inside();
    let mut others = asker.draw.shuffled(TERMS, &["other kinds", &object.id], |term| term.word.to_owned());
    others.retain(|term| !subject.shows(object, &term.categories()));
    let askable = |term: &TermEntry| kinds.iter().any(|kind| kind.word == term.word);
    let is_here = |term: &TermEntry| subject.count(&term.categories(), Place::WHOLE, inside) > 0;
    others.sort_by_key(|term| (!askable(term), !is_here(term)));
    let mut chosen = vec![kind.term()];
    for other in others {
        let term = other.term();
        if chosen.len() < OPTIONS && !chosen.iter().any(|one| confusable(one, &term)) {
            chosen.push(term);
        }
    }
    (chosen.len() == OPTIONS).then_some(chosen)
}
