//! What fills the holes of a program: drawn by hash, so that what else there is changes nothing.

use super::references::References;
use super::subject::{ClassNames, Subject};
use crate::asking::words::Place;
use crate::space_qa::config::SpaceMargins;
use crate::space_qa::taxonomy::{Slot, Variant};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use uavgen_core::Draw;
use uavgen_programs::{Measure, SceneFrame, SceneObject, Term};

/// Most terms that stand beside each other.
const MOST_TERMS: usize = 6;

/// What candidates about one subject are drawn from.
pub(super) struct Drawer<'a> {
    pub(super) subject: &'a Subject<'a>,
    pub(super) references: &'a [References<'a>],
    pub(super) classes: &'a ClassNames,
    pub(super) margins: &'a SpaceMargins,
    pub(super) draw: Draw,
}

/// What a draw is for: the question, and which try it is.
#[derive(Clone, Copy)]
pub(super) struct Purpose<'a> {
    pub(super) question: &'a str,
    pub(super) ordinal: &'a str,
}

impl Drawer<'_> {
    /// Something for every hole of a variant; null where there is nothing for one of them.
    pub(super) fn fill(&self, variant: &Variant, purpose: Purpose) -> Option<BTreeMap<String, Json>> {
        let (mut filled, mut taken) = (BTreeMap::new(), BTreeSet::new());
        for (name, slot) in &variant.slots {
            let value = self.value(slot, name, purpose, &filled, &mut taken)?;
            filled.insert(name.clone(), value);
        }
        Some(filled)
    }

    fn value(
        &self,
        slot: &Slot,
        name: &str,
        purpose: Purpose,
        filled: &BTreeMap<String, Json>,
        taken: &mut BTreeSet<String>,
    ) -> Option<Json> {
        match slot {
            Slot::Object { frame, .. } => {
                let object = self.object(slot, name, purpose, taken)?;
                taken.insert(object.track_id.clone().unwrap_or_else(|| object.id.clone()));
                let ways = self.references.get(*frame as usize)?.ways(object);
                let way = &ways[self.below(ways.len(), "way", name, purpose)];
                serde_json::to_value(way).ok()
            }
            Slot::Class { .. } => {
                let class = self.class(slot, name, purpose, taken)?;
                taken.insert(class.clone());
                Some(json!([class]))
            }
            Slot::Classes {} => Some(self.clear_classes()).filter(|classes| classes.len() >= 2).map(|it| json!(it)),
            Slot::Terms {} => self.terms(&self.clear_classes()),
            Slot::Surfaces {} => self.terms(&self.classes.grounds),
            Slot::Place {} => {
                let places: Vec<Place> = Place::named().collect();
                serde_json::to_value(places[self.below(places.len(), "place", name, purpose)].area?).ok()
            }
            Slot::Relation {} => {
                let greater = self.below(2, "relation", name, purpose) == 0;
                Some(json!(if greater { "greater" } else { "less" }))
            }
            Slot::Number { values, parts } => {
                let class = filled.get("class").and_then(|class| class.get(0)).and_then(Json::as_str);
                let parts = |number: &&f64| match (parts, class) {
                    (Some(measure), Some(class)) => self.is_parted(class, *measure, **number),
                    _ => true,
                };
                let fitting: Vec<&f64> = values.iter().filter(parts).collect();
                fitting.get(self.below(fitting.len(), "number", name, purpose)).map(|number| json!(number))
            }
        }
    }

    /// An object that a slot may stand for, and that no other slot does. Those that words name come before those that only their box
    /// names.
    fn object(&self, slot: &Slot, name: &str, purpose: Purpose, taken: &BTreeSet<String>) -> Option<&SceneObject> {
        let Slot::Object { frame, .. } = slot else { return None };
        let references = self.references.get(*frame as usize)?;
        let free = |object: &SceneObject| !taken.contains(object.track_id.as_deref().unwrap_or(&object.id));
        let fits =
            |object: &&SceneObject| free(object) && self.fits(slot, object) && !references.ways(object).is_empty();
        let objects: Vec<&SceneObject> = references.objects().iter().filter(fits).collect();
        let in_words: Vec<&SceneObject> =
            objects.iter().copied().filter(|object| references.has_words(object)).collect();
        let objects = if in_words.is_empty() { objects } else { in_words };
        if objects.is_empty() {
            return None;
        }
        Some(objects[self.below(objects.len(), "object", name, purpose)])
    }

    /// Whether an object is what a slot asks for.
    fn fits(&self, slot: &Slot, object: &SceneObject) -> bool {
        let Slot::Object { moving, also_in, with_height, with_heading, with_surface, moved, .. } = slot else {
            return false;
        };
        let Some(solid) = object.solid.as_ref() else { return false };
        let again = also_in.and_then(|other| self.subject.frame(other)).and_then(|other| {
            let same = |seen: &&SceneObject| seen.track_id.is_some() && seen.track_id == object.track_id;
            other.objects().iter().find(same).and_then(|seen| seen.solid.as_ref())
        });
        let visibility = self.margins.min_visibility;
        solid.is_measurable(visibility)
            && moving.is_none_or(|moving| solid.moving == moving)
            // Where something leaning stands is not known well enough to measure to it; how it moves is.
            && (*moving == Some(true) || solid.lean_m <= 0.5 * self.margins.distance_m)
            && (also_in.is_none() || again.is_some_and(|again| again.is_measurable(visibility)))
            && (!with_height || solid.height_m.is_some())
            && (!with_heading || solid.heading_rad.is_some())
            && (!with_surface || solid.surface.is_some())
            && (!moved || again.is_some_and(|again| solid.ground_m(again) > self.margins.motion_m))
    }

    /// A class that a slot may stand for. Those that something unknown may be of are taken where there is no other.
    fn class(&self, slot: &Slot, name: &str, purpose: Purpose, taken: &BTreeSet<String>) -> Option<String> {
        let Slot::Class { frame, moving, with_height, changes_in } = slot else { return None };
        let frame = self.subject.frame(*frame)?;
        let number =
            |frame: &SceneFrame, class: &str| frame.objects().iter().filter(|object| object.category == class).count();
        let fits = |object: &&SceneObject| {
            let solid = object.solid.as_ref();
            solid.is_some_and(|solid| moving.is_none_or(|moving| solid.moving == moving))
                && (!with_height || solid.is_some_and(|solid| solid.height_m.is_some()))
                && !taken.contains(&object.category)
        };
        let changes = |class: &&str| match changes_in.and_then(|other| self.subject.frame(other)) {
            Some(other) => number(frame, class) != number(other, class),
            None => changes_in.is_none(),
        };
        let classes: BTreeSet<&str> =
            frame.objects().iter().filter(fits).map(|object| object.category.as_str()).filter(changes).collect();
        let clear: BTreeSet<&str> = classes.iter().copied().filter(|class| self.is_clear(class)).collect();
        self.one_of(if clear.is_empty() { classes } else { clear }, name, purpose).map(str::to_owned)
    }

    /// Whether nothing unknown on the frames may be of a class.
    fn is_clear(&self, class: &str) -> bool {
        let class = [class.to_owned()];
        let frames = self.subject.scene.frames();
        frames.iter().all(|frame| frame.unknowns().iter().all(|unknown| !unknown.could_be(&class)))
    }

    /// The classes of objects that nothing unknown may be of.
    fn clear_classes(&self) -> BTreeSet<String> {
        self.classes.objects.iter().filter(|class| self.is_clear(class)).cloned().collect()
    }

    /// Whether a number lies between the measures of the objects of a class.
    fn is_parted(&self, class: &str, measure: Measure, number: f64) -> bool {
        let solids = self.subject.frame(0).into_iter().flat_map(SceneFrame::objects);
        let solids = solids.filter(|object| object.category == class).filter_map(|object| object.solid.as_ref());
        let measured = solids.filter(|solid| !solid.truncated).filter_map(|solid| match measure {
            Measure::Height => solid.height_m,
            Measure::Length => Some(solid.footprint.length()),
            Measure::Footprint => Some(solid.footprint.area()),
            Measure::DistanceToCamera => Some(solid.distance_m),
        });
        let (least, most) =
            measured.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), one| (least.min(one), most.max(one)));
        least < number && number < most
    }

    /// Each of a few words, to choose among; null where there is no choice, or too much of it.
    fn terms(&self, classes: &BTreeSet<String>) -> Option<Json> {
        let term = |class: &String| Term::new(uavgen_programs::wording::lifted::class_word(class), [class.as_str()]);
        let terms: Vec<Term> = classes.iter().map(term).collect();
        if (2..=MOST_TERMS).contains(&terms.len()) { serde_json::to_value(terms).ok() } else { None }
    }

    fn one_of<'s>(&self, names: BTreeSet<&'s str>, slot: &str, purpose: Purpose) -> Option<&'s str> {
        let names: Vec<&str> = names.into_iter().collect();
        if names.is_empty() { None } else { Some(names[self.below(names.len(), "class", slot, purpose)]) }
    }

    fn below(&self, count: usize, what: &str, slot: &str, purpose: Purpose) -> usize {
        self.draw.below(count, &[what, purpose.question, &self.subject.key, purpose.ordinal, slot])
    }
}
