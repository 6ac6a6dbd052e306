//! Three-valued sets: certain members, and those that are members only perhaps.

use crate::answer::Value;
use crate::area::Area;
use crate::margins::InsideRule;
use crate::scene::{SceneFrame, SceneObject};
use crate::undefined::{Reason, Undefined};
use crate::unknown::Possible;
use uavgen_geometry::{Box2, NormalisedBox};

/// Objects of one frame. What is in neither list is certainly not in the set.
#[derive(Clone)]
pub(super) struct ObjectSet<'s> {
    pub(super) frame: &'s SceneFrame,
    pub(super) members: Vec<&'s SceneObject>,
    pub(super) possibles: Vec<Possible<'s>>,
}

impl<'s> ObjectSet<'s> {
    /// All objects of a frame; everything unknown may be one of them.
    pub(super) fn of_frame(frame: &'s SceneFrame) -> Self {
        let possibles = frame.unknowns().iter().map(Possible::Unknown).collect();
        Self { frame, members: frame.objects().iter().collect(), possibles }
    }

    /// All objects of a frame, as if nothing were unknown.
    pub(super) fn of_labels(frame: &'s SceneFrame) -> Self {
        Self { frame, members: frame.objects().iter().collect(), possibles: Vec::new() }
    }

    pub(super) fn member_ids(&self) -> impl Iterator<Item = &'s str> {
        self.members.iter().map(|object| object.id.as_str())
    }

    /// Members of the categories. An object with two categories, of which only one fits, becomes a possible member.
    pub(super) fn where_category(self, any_of: &[String]) -> Self {
        let fits = |possible: &Possible<'s>| possible.could_be(any_of);
        let between = |object: &&'s SceneObject| object.could_be(any_of) && !object.is_any_of(any_of);
        let doubtful =
            self.members.iter().copied().filter(between).map(|object| Possible::Object(object, Reason::TouchesUnknown));
        let possibles = self.possibles.iter().copied().filter(fits).chain(doubtful).collect();
        let members = self.members.into_iter().filter(|object| object.is_any_of(any_of)).collect();
        Self { frame: self.frame, members, possibles }
    }

    /// Members inside an area. One that straddles its border becomes a possible member. A possible member stays when it
    /// overlaps the area at all, since an object may lie anywhere in an unlabelled area.
    pub(super) fn where_region(self, area: &Area, inside: &InsideRule) -> Self {
        let area = area_in_pixels(area, self.frame);
        let share = |object: &SceneObject| object.bounds.share_inside(&area);
        let straddles = |share: f64| (inside.refuse_from..=inside.refuse_to).contains(&share);
        let (between, clear): (Vec<&SceneObject>, Vec<&SceneObject>) =
            self.members.into_iter().partition(|&object| straddles(share(object)));
        let members = clear.into_iter().filter(|&object| share(object) >= inside.share).collect();
        let possibles = self.possibles.into_iter().filter(|possible| possible.could_lie_in(&area));
        let possibles = possibles
            .chain(between.into_iter().map(|object| Possible::Object(object, Reason::StraddlesRegion)))
            .collect();
        Self { frame: self.frame, members, possibles }
    }

    /// Yes with one certain member, whatever is unknown; no only when nothing unknown could be one.
    pub(super) fn exists(&self) -> Result<bool, Undefined> {
        if self.members.is_empty() && !self.possibles.is_empty() {
            return Err(self.blocked());
        }
        Ok(!self.members.is_empty())
    }

    /// The boxes of all members; refused when there may be one more.
    pub(super) fn boxes(&self) -> Result<Value, Undefined> {
        if !self.possibles.is_empty() {
            return Err(self.blocked());
        }
        Ok(Value::normalised_boxes(self.members.iter().map(|object| object.normalised.into())))
    }

    /// The refusal of whatever hangs on the possible members.
    pub(super) fn blocked(&self) -> Undefined {
        Undefined::blocked(self.possibles.iter().map(|possible| (possible.id(), possible.reason())))
    }
}

fn area_in_pixels(area: &Area, frame: &SceneFrame) -> Box2 {
    match NormalisedBox::try_from(area.edges) {
        Ok(normalised) => normalised.in_pixels(frame.size()),
        Err(_) => unreachable!("checked: the edges of an area are normalised"),
    }
}
