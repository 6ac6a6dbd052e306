//! What is in this box?

use super::asker::{Asker, Candidate};
use super::question::{Evidence, Options};
use super::subject::Subject;
use super::words::{Place, categories};
use crate::qa::task::Task;
use uavgen_programs::answer::box_text;
use uavgen_programs::taxonomy::{TERMS, TermEntry, by_category, confusable};
use uavgen_programs::{BoxEdges, Expr, SceneObject, Term, Value};
use uavgen_schemas::BoxRole;

const OPTIONS: usize = 4;

/// The kind is chosen first and then an object of it, so that rare kinds come up as often as cars.
pub(super) fn ask_classification(asker: &mut Asker, subject: &Subject) {
    let task = Task::RegionalClassification;
    for ordinal in 0..asker.wanted(task) {
        let ordinal = ordinal.to_string();
        let objects = objects_by_kind(asker, subject, &ordinal);
        for object in objects.into_iter().take(asker.tries()) {
            if ask_one(asker, subject, object) {
                break;
            }
        }
    }
}

/// One object of each kind, kinds and objects in hash order; then the second of each kind, and so on.
fn objects_by_kind<'s>(asker: &Asker, subject: &'s Subject, ordinal: &str) -> Vec<&'s SceneObject> {
    let key = subject.key();
    let inside = asker.margins(Task::RegionalClassification).inside();
    let kinds = asker.draw.shuffled(TERMS, &["kind", &key, ordinal], |term| term.word.to_owned());
    let of_kind = |term: &TermEntry| {
        let members = subject.members(&categories(term), Place::WHOLE, inside).into_iter().map(|(_, object)| object);
        asker.draw.shuffled(members, &["object", &key, ordinal], |object| object.id.clone())
    };
    let queues: Vec<Vec<&SceneObject>> = kinds.into_iter().map(of_kind).collect();
    let longest = queues.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest).flat_map(|row| queues.iter().filter_map(move |queue| queue.get(row).copied())).collect()
}

fn ask_one(asker: &mut Asker, subject: &Subject, object: &SceneObject) -> bool {
    let task = Task::RegionalClassification;
    let Some(kind) = by_category(&object.category) else { return false };
    // The program asks about the box as the text has it; the object must fit that one.
    let edges = BoxEdges::from(object.normalised.quantised());
    if edges.x1 >= edges.x2 || edges.y1 >= edges.y2 {
        return false;
    }
    let among = four_terms(asker, subject, kind, &object.id);
    let root = Expr::object_at(0, edges).category_of(among.iter().cloned());
    let slots = vec![("box", box_text(&edges))];
    let candidate = Candidate { task, form: "kind", slots, place: Place::WHOLE, root };
    let Some(answered) = asker.answer(subject, candidate) else { return false };
    let wrong = among.iter().map(Value::category).filter(|option| *option != answered.answer.value).collect();
    asker.keep(subject, answered, Options::One(wrong), &Evidence::Chosen(BoxRole::Reference));
    true
}

/// The object's kind and three others, those of the same scene first; none is mixed up with another.
fn four_terms(asker: &Asker, subject: &Subject, kind: &'static TermEntry, object_id: &str) -> Vec<Term> {
    let inside = asker.margins(Task::RegionalClassification).inside();
    let mut others = asker.draw.shuffled(TERMS, &["other kinds", object_id], |term| term.word.to_owned());
    others.sort_by_key(|term| subject.count(&categories(term), Place::WHOLE, inside) == 0);
    let mut chosen = vec![kind.term()];
    for other in others {
        let term = other.term();
        if chosen.len() < OPTIONS && !chosen.iter().any(|one| confusable(one, &term)) {
            chosen.push(term);
        }
    }
    chosen
}
