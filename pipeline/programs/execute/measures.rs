//! Measures of lifted objects, and what is furthest ahead in one.

use super::sets::ObjectSet;
use crate::ast::Relation;
use crate::margins::MeasureMargin;
use crate::measures::{DistanceMeasure, Measure};
use crate::scene::SceneObject;
use crate::solid::Solid;
use crate::undefined::{Reason, Undefined};
use crate::unknown::Possible;

/// A measured number, or why there is none.
pub(super) type Measured = Result<f64, Reason>;

/// Who is ahead, and the numbers of all candidates by id.
pub(super) type Ahead<'s> = (&'s SceneObject, Vec<(&'s str, f64)>);

/// Where an object stands. Programs about lifted objects are executed on scenes of those alone.
pub(super) fn solid(object: &SceneObject) -> &Solid {
    object.solid.as_ref().unwrap_or_else(|| unreachable!("checked: the objects of the scene are lifted ones"))
}

/// A measure of one object.
pub(super) fn measure(object: &SceneObject, measure: Measure, margin: &MeasureMargin) -> Measured {
    let solid = solid(object);
    let whole =
        |number: f64| if solid.is_measurable(margin.min_visibility) { Ok(number) } else { Err(Reason::PartlySeen) };
    match measure {
        // The nearest visible point is seen, whatever else is not.
        Measure::DistanceToCamera => Ok(solid.distance_m),
        // What was placed by rays reaches as far as its shadow would.
        Measure::Length | Measure::Footprint if solid.top_m.is_none() => Err(Reason::HeightUnknown),
        Measure::Length => whole(solid.footprint.length()),
        Measure::Footprint => whole(solid.footprint.area()),
        Measure::Height => whole(solid.height_m.ok_or(Reason::HeightUnknown)?),
    }
}

/// Distance between two objects.
pub(super) fn distance(
    from: &SceneObject,
    to: &SceneObject,
    measure: DistanceMeasure,
    margin: &MeasureMargin,
) -> Measured {
    let same = from.track_id.is_some() && from.track_id == to.track_id;
    let (from, to) = (solid(from), solid(to));
    if ![from, to].iter().all(|solid| solid.is_measurable(margin.min_visibility)) {
        return Err(Reason::PartlySeen);
    }
    let number = match measure {
        DistanceMeasure::Ground => Ok(from.ground_m(to)),
        DistanceMeasure::Gap => from.gap_m(to, 0.1 * margin.absolute).ok_or(Reason::HeightUnknown),
        DistanceMeasure::Centre => match (from.centre(), to.centre()) {
            (Some(from), Some(to)) => Ok(from.distance_to(&to)),
            _ => Err(Reason::HeightUnknown),
        },
    }?;
    // One that went somewhere leans alike in both places.
    let lean = if same { (from.lean_m - to.lean_m).abs() } else { from.lean_m + to.lean_m };
    if lean > margin.limit(number, number) { Err(Reason::HeightUnknown) } else { Ok(number) }
}

/// Whether a number is greater (or less) than a limit, or too close to it.
pub(super) fn beyond(number: f64, relation: Relation, limit: f64, margin: &MeasureMargin) -> Result<bool, Reason> {
    let ahead = match relation {
        Relation::Greater => number - limit,
        Relation::Less => limit - number,
    };
    if ahead.abs() < margin.limit(number, limit) { Err(Reason::NearTie) } else { Ok(ahead > 0.0) }
}

/// The member with the greatest (or least) number, when it is ahead of every other one, and of everything that may be one. What
/// cannot be measured may be anything.
pub(super) fn ahead<'s>(
    set: &ObjectSet<'s>,
    relation: Relation,
    margin: &MeasureMargin,
    number: impl Fn(&SceneObject) -> Measured,
) -> Result<Ahead<'s>, Undefined> {
    let mut measured: Vec<(&'s SceneObject, f64)> = Vec::new();
    for &object in &set.members {
        let number = number(object).map_err(|reason| Undefined::naming(reason, [object.id.as_str()]))?;
        measured.push((object, number));
    }
    let rank = |number: f64| if relation == Relation::Greater { -number } else { number };
    measured.sort_by(|a, b| rank(a.1).total_cmp(&rank(b.1)).then(a.0.id.cmp(&b.0.id)));
    let Some(&(winner, own)) = measured.first() else {
        return Err(if set.possibles.is_empty() { Undefined::naming(Reason::NoObject, []) } else { set.blocked() });
    };
    let is_behind = |other: f64| rank(other) - rank(own) >= margin.limit(own, other);
    if let Some(&(second, close)) = measured.get(1).filter(|(_, other)| !is_behind(*other)) {
        let tie = Undefined::naming(Reason::NearTie, [winner.id.as_str(), second.id.as_str()]);
        return Err(tie.measured((own - close).abs(), margin.limit(own, close)));
    }
    let surely_behind = |possible: &&Possible<'s>| match possible {
        Possible::Object(object, _) => number(object).is_ok_and(is_behind),
        Possible::Unknown(_) => false,
    };
    let rivals: Vec<&Possible<'s>> = set.possibles.iter().filter(|possible| !surely_behind(possible)).collect();
    if !rivals.is_empty() {
        return Err(Undefined::blocked(rivals.into_iter().map(|possible| (possible.id(), possible.reason()))));
    }
    Ok((winner, measured.into_iter().map(|(object, number)| (object.id.as_str(), number)).collect()))
}
