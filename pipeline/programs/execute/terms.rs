//! Ops that answer in terms: what an object is, which terms are present, which has the most objects.

use super::numbers::{self, IntRange};
use super::sets::ObjectSet;
use crate::answer::Value;
use crate::ast::{Relation, Term};
use crate::margins::CountMargin;
use crate::scene::SceneObject;
use crate::undefined::{Reason, Undefined};

/// The term that an object's category belongs to.
pub(super) fn category_of(object: &SceneObject, among: &[Term]) -> Result<Value, Undefined> {
    let mut fitting = among.iter().filter(|term| object.could_be(&term.any_of));
    match fitting.next() {
        None => Err(Undefined::naming(Reason::OutsideTerms, [object.id.as_str()])),
        Some(term) if object.is_any_of(&term.any_of) => Ok(Value::category(term)),
        Some(_) => Err(Undefined::naming(Reason::AmbiguousCategory, [object.id.as_str()])),
    }
}

/// The terms with at least one certain object; each of the others must be certainly absent.
pub(super) fn present(set: &ObjectSet<'_>, among: &[Term]) -> Result<Value, Undefined> {
    let mut found = Vec::new();
    for term in among {
        if set.clone().where_category(&term.any_of).exists()? {
            found.push(term.clone());
        }
    }
    Ok(Value::categories(found))
}

/// The term whose count is surely greater (or less) than that of every other term.
pub(super) fn ahead(
    set: &ObjectSet<'_>,
    among: &[Term],
    relation: Relation,
    margin: &CountMargin,
) -> Result<Value, Undefined> {
    let mut counted: Vec<(&Term, IntRange)> =
        among.iter().map(|term| (term, numbers::count(&set.clone().where_category(&term.any_of)))).collect();
    counted.sort_by_key(|(_, range)| match relation {
        Relation::Greater => -range.labelled(),
        Relation::Less => range.labelled(),
    });
    // Unknowns only add to a count, so a term that is surely ahead is also ahead by the labels alone: the first one.
    let Some(((term, first), others)) = counted.split_first() else {
        unreachable!("checked: there are at least two terms");
    };
    let surely_ahead = |other: &IntRange| match relation {
        Relation::Greater => first.surely_exceeds(other, margin),
        Relation::Less => other.surely_exceeds(first, margin),
    };
    match others.iter().find(|(_, other)| !surely_ahead(other)) {
        Some((_, other)) => Err(IntRange::undecided([first, other], margin)),
        None => Ok(Value::category(term)),
    }
}

/// The term that the ground under an object belongs to.
pub(super) fn surface_of(object: &SceneObject, among: &[Term]) -> Result<Value, Undefined> {
    let surface = object.solid.as_ref().and_then(|solid| solid.surface.as_ref());
    let Some(surface) = surface else {
        return Err(Undefined::naming(Reason::SurfaceUnknown, [object.id.as_str()]));
    };
    match among.iter().find(|term| term.any_of.contains(surface)) {
        Some(term) => Ok(Value::category(term)),
        None => Err(Undefined::naming(Reason::OutsideTerms, [object.id.as_str()])),
    }
}
