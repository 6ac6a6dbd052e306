//! Where is …?

use super::asker::{Asker, Candidate};
use super::evidence::Evidence;
use super::places::places;
use super::subject::Subject;
use crate::asking::options::Options;
use crate::asking::words::{Place, all_terms};
use crate::qa::task::Task;
use std::collections::BTreeSet;
use uavgen_programs::taxonomy::TermEntry;
use uavgen_programs::{BoxEdges, Expr, ExtremeBy, MIN_BOX_TEXT_IOU, Value, box_text_iou};
use uavgen_schemas::BoxRole;

/// How one object is told from all others.
#[derive(Debug, Clone, Copy)]
enum Target {
    /// The only one of its kind in a place.
    Only(&'static TermEntry, Place),
    /// The one of its kind that is furthest in some respect.
    Extreme(&'static TermEntry, ExtremeBy),
}

impl Target {
    /// The target as a question names it.
    fn phrase(&self) -> String {
        match self {
            Self::Only(term, place) => format!("the only {} {}", term.thing(), place.phrase()),
            Self::Extreme(term, by) => by.phrase(&term.thing()),
        }
    }

    /// The program that finds its box.
    fn program(&self, asker: &Asker) -> Expr {
        let margins = asker.margins(Task::ObjectGrounding);
        let object = match self {
            Self::Only(term, place) => {
                place.narrow(Expr::objects(0).where_category(term.categories()), margins.inside()).unique()
            }
            Self::Extreme(term, by) => {
                let of = Box::new(Expr::objects(0).where_category(term.categories()));
                Expr::Extreme { of, by: *by, margin: margins.extreme() }
            }
        };
        object.box_of()
    }

    fn place(&self) -> Place {
        match self {
            Self::Only(_, place) => *place,
            Self::Extreme(..) => Place::WHOLE,
        }
    }
}

/// Asks for the boxes of objects that a phrase tells apart, each of another object.
pub(super) fn ask_grounding(asker: &mut Asker, subject: &Subject) {
    let mut found: BTreeSet<String> = BTreeSet::new();
    for ordinal in 0..asker.wanted(Task::ObjectGrounding) {
        for target in targets(asker, subject, &ordinal.to_string(), &found).into_iter().take(asker.tries()) {
            if let Some(object) = ask_one(asker, subject, target) {
                found.insert(object);
                break;
            }
        }
    }
}

/// Phrases that may single one object out, in hash order, without those of objects that were asked for. Those that single
/// none out come last: they are tried, and refused on record, where the frame offers nothing better.
fn targets(asker: &Asker, subject: &Subject, ordinal: &str, found: &BTreeSet<String>) -> Vec<Target> {
    let purpose = ["target", &subject.key(), ordinal];
    let ordered = asker.draw.shuffled(all_targets(asker, subject, ordinal), &purpose, Target::phrase);
    let (mut certain, mut doubtful) = (Vec::new(), Vec::new());
    for target in ordered {
        match asker.certain(subject, target.program(asker)).map(|answer| answer.facts.objects) {
            Some(objects) if objects.iter().any(|object| found.contains(object)) => {}
            Some(_) => certain.push(target),
            None => doubtful.push(target),
        }
    }
    certain.extend(doubtful);
    certain
}

fn all_targets(asker: &Asker, subject: &Subject, ordinal: &str) -> Vec<Target> {
    let task = Task::ObjectGrounding;
    let inside = asker.margins(task).inside();
    let mut targets = Vec::new();
    for term in all_terms() {
        let any_of = term.categories();
        let all = subject.count(&any_of, Place::WHOLE, inside);
        if all > 1 {
            targets.extend(ExtremeBy::ALL.map(|by| Target::Extreme(term, by)));
        }
        // One place per term, so that areas do not crowd out the rest; an area that leaves none out would be idle.
        let is_used = |place: &Place| place.area.is_none() || all > 1;
        let mut places = places(asker, subject, task, ordinal).into_iter().filter(is_used);
        let alone = places.find(|&place| subject.count(&any_of, place, inside) == 1);
        targets.extend(alone.map(|place| Target::Only(term, place)));
    }
    targets
}

/// Asks for a target; gives back the object that it is.
fn ask_one(asker: &mut Asker, subject: &Subject, target: Target) -> Option<String> {
    let slots = vec![("target", target.phrase())];
    let (place, root) = (target.place(), target.program(asker));
    let candidate = Candidate { task: Task::ObjectGrounding, form: "box", slots, place, root };
    let answered = asker.answer(subject, candidate)?;
    let Value::Box { x1, y1, x2, y2, .. } = answered.answer.value else { return None };
    let iou = box_text_iou(&BoxEdges::new(x1, y1, x2, y2));
    if iou < MIN_BOX_TEXT_IOU {
        let detail = "three decimals do not stand for so small a box";
        asker.refuse(subject, &answered, "box_text_coarse", iou, MIN_BOX_TEXT_IOU, detail);
        return None;
    }
    let object = answered.answer.facts.objects.first().cloned();
    asker.keep(subject, answered, Options::Open, &Evidence::Chosen(BoxRole::Answer));
    object
}
