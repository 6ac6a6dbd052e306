//! Ops that choose one object, and refuse when another one, or an unknown, could be meant.

use super::sets::ObjectSet;
use crate::area::BoxEdges;
use crate::ast::ExtremeBy;
use crate::margins::{AtRule, ExtremeMargin};
use crate::scene::SceneObject;
use crate::undefined::{Reason, Undefined};
use crate::unknown::Possible;
use std::collections::BTreeSet;
use uavgen_geometry::{Box2, ImageSize, NormalisedBox};

/// The only member of a set.
pub(super) fn unique<'s>(set: &ObjectSet<'s>) -> Result<&'s SceneObject, Undefined> {
    match set.members.as_slice() {
        [object] if set.possibles.is_empty() => Ok(object),
        [] if set.possibles.is_empty() => Err(Undefined::naming(Reason::NoObject, [])),
        [] | [_] => Err(set.blocked()),
        several => Err(Undefined::naming(Reason::NotUnique, set.member_ids()).measured(several.len() as f64, 1.0)),
    }
}

/// The member that is ahead of all others by the margin, and of everything that may be a member.
pub(super) fn extreme<'s>(
    set: &ObjectSet<'s>,
    by: ExtremeBy,
    margin: &ExtremeMargin,
) -> Result<&'s SceneObject, Undefined> {
    let size = set.frame.size();
    let score = |object: &&&SceneObject| by.score(&object.bounds, size);
    let Some(winner) = set.members.iter().min_by(|a, b| score(a).total_cmp(&score(b)).then(a.id.cmp(&b.id))) else {
        let nothing = set.possibles.is_empty();
        return Err(if nothing { Undefined::naming(Reason::NoObject, []) } else { set.blocked() });
    };
    let own = by.score(&winner.bounds, size);
    let others = set.members.iter().filter(|other| other.id != winner.id);
    let rivals = others.map(|other| (other.id.as_str(), by.score(&other.bounds, size)));
    refuse_close(Reason::NearTie, &winner.id, own, rivals, by, margin)?;
    refuse_possibles(set, &winner.id, own, by, margin)?;
    Ok(winner)
}

/// The k-th member from one side, when every other one, and everything that may be one, is clearly before or behind it.
pub(super) fn kth<'s>(
    set: &ObjectSet<'s>,
    along: ExtremeBy,
    position: u32,
    margin: &ExtremeMargin,
) -> Result<&'s SceneObject, Undefined> {
    let size = set.frame.size();
    let score = |object: &SceneObject| along.score(&object.bounds, size);
    let mut ordered = set.members.clone();
    ordered.sort_by(|a, b| score(a).total_cmp(&score(b)).then(a.id.cmp(&b.id)));
    let at = usize::try_from(position).unwrap_or(usize::MAX).saturating_sub(1);
    let Some(chosen) = ordered.get(at) else {
        let missing = Undefined::naming(Reason::NoObject, []).measured(ordered.len() as f64, position.into());
        return Err(if set.possibles.is_empty() { missing } else { set.blocked() });
    };
    let own = score(chosen);
    for other in ordered.iter().filter(|other| other.id != chosen.id) {
        let (apart, limit) = ((score(other) - own).abs(), along.limit(own, score(other), margin));
        if apart < limit || apart <= 0.0 {
            let ids = [chosen.id.as_str(), other.id.as_str()];
            return Err(Undefined::naming(Reason::NearTie, ids).measured(apart, limit));
        }
    }
    refuse_possibles(set, &chosen.id, own, along, margin)?;
    Ok(chosen)
}

/// Refuses when a possible member is not behind the winner by the margin, with the reason of the one that comes close.
fn refuse_possibles(
    set: &ObjectSet<'_>,
    winner: &str,
    own: f64,
    by: ExtremeBy,
    margin: &ExtremeMargin,
) -> Result<(), Undefined> {
    for reason in set.possibles.iter().map(Possible::reason).collect::<BTreeSet<_>>() {
        let possibles = set.possibles.iter().filter(|possible| possible.reason() == reason);
        let rivals = possibles.map(|possible| (possible.id(), by.best_score(possible, set.frame.size())));
        refuse_close(reason, winner, own, rivals, by, margin)?;
    }
    Ok(())
}

/// Refuses when the closest of the rivals is not behind the winner by the margin.
fn refuse_close<'a>(
    reason: Reason,
    winner: &'a str,
    own: f64,
    rivals: impl Iterator<Item = (&'a str, f64)>,
    by: ExtremeBy,
    margin: &ExtremeMargin,
) -> Result<(), Undefined> {
    let Some((rival, score)) = rivals.min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(b.0))) else {
        return Ok(());
    };
    let (lead, limit) = (score - own, by.limit(own, score, margin));
    // With a margin of 0 an exact tie still has no winner.
    if lead < limit || lead <= 0.0 {
        return Err(Undefined::naming(reason, [winner, rival]).measured(lead, limit));
    }
    Ok(())
}

impl ExtremeBy {
    /// Place in the order: the smallest score wins. Positions in shares of a side, sizes in square pixels.
    fn score(self, bounds: &Box2, size: ImageSize) -> f64 {
        let (x, y) = bounds.centre();
        match self {
            Self::Left => x / size.width_px(),
            Self::Right => -x / size.width_px(),
            Self::Top => y / size.height_px(),
            Self::Bottom => -y / size.height_px(),
            Self::Largest => -bounds.area(),
            Self::Smallest => bounds.area(),
            Self::NearestToCentre => {
                let (centre_x, centre_y) = size.centre_px();
                (x - centre_x).hypot(y - centre_y) / size.longer_side_px()
            }
        }
    }

    /// The best score that a possible member could have: its own when it is an object, else that of an object anywhere
    /// within its bounds.
    fn best_score(self, possible: &Possible<'_>, size: ImageSize) -> f64 {
        let bounds = possible.bounds();
        match (self, possible) {
            (_, Possible::Object(object, _)) => self.score(&object.bounds, size),
            (Self::Left, _) => bounds.x1() / size.width_px(),
            (Self::Right, _) => -bounds.x2() / size.width_px(),
            (Self::Top, _) => bounds.y1() / size.height_px(),
            (Self::Bottom, _) => -bounds.y2() / size.height_px(),
            (Self::NearestToCentre, _) => bounds.distance_to(size.centre_px()) / size.longer_side_px(),
            (Self::Smallest, _) if !possible.is_one_object() => 0.0,
            (Self::Largest | Self::Smallest, _) => self.score(bounds, size),
        }
    }

    /// The lead that is needed, in the unit of the scores.
    fn limit(self, own: f64, rival: f64, margin: &ExtremeMargin) -> f64 {
        match self {
            Self::Largest | Self::Smallest => margin.area_share * own.abs().max(rival.abs()),
            _ => margin.side_share,
        }
    }
}

/// The only object of a frame, with all its objects, that fits a box, with no other one near it.
pub(super) fn object_at<'s>(all: &ObjectSet<'s>, at: &BoxEdges, rule: &AtRule) -> Result<&'s SceneObject, Undefined> {
    let asked = match NormalisedBox::try_from(*at) {
        Ok(normalised) => normalised.in_pixels(all.frame.size()),
        Err(_) => unreachable!("checked: the edges of a box are normalised"),
    };
    let shows = |bounds: &Box2| bounds.iou(&asked) >= rule.rival_iou || asked.share_inside(bounds) >= rule.rival_cover;
    let near: Vec<&'s SceneObject> = all.members.iter().copied().filter(|object| shows(&object.bounds)).collect();
    let object = match near.as_slice() {
        [object] if object.bounds.iou(&asked) >= rule.min_iou => object,
        [] | [_] => return Err(Undefined::naming(Reason::NoObject, near.iter().map(|object| object.id.as_str()))),
        several => {
            let ids = several.iter().map(|object| object.id.as_str());
            return Err(Undefined::naming(Reason::NotUnique, ids).measured(several.len() as f64, 1.0));
        }
    };
    let rivals = all.possibles.iter().filter(|possible| shows(possible.bounds()));
    let ids: Vec<&str> = rivals.map(Possible::id).collect();
    if ids.is_empty() { Ok(object) } else { Err(Undefined::naming(Reason::TouchesUnknown, ids)) }
}
