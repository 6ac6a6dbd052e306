//! The boxes that an item shows: evidence for people, computed from the scene.

use super::subject::Subject;
use crate::asking::boxes::{MODALITY, object_box};
use crate::asking::words::Place;
use std::collections::BTreeSet;
use uavgen_programs::{Answer, InsideRule};
use uavgen_schemas::{BoxRole, ItemBox};

/// Which boxes an item shows.
#[derive(Debug, Clone)]
pub enum Evidence {
    /// The object that the program chose.
    Chosen(BoxRole),
    /// All objects of some categories that are surely in the question's place.
    Members {
        /// Source categories.
        any_of: Vec<String>,
        /// What they are to the question.
        role: BoxRole,
        /// When an object counts as inside an area.
        inside: InsideRule,
    },
}

/// Boxes that the item refers to: its area, then its objects, each by frame.
pub(super) fn boxes(subject: &Subject, answer: &Answer, place: Place, evidence: &Evidence) -> Vec<ItemBox> {
    let areas = place.area.into_iter().flat_map(|area| {
        (0..subject.frames.len()).map(move |position| ItemBox {
            image_index: position as i32,
            role: BoxRole::Region,
            object_id: None,
            modality: MODALITY.to_owned(),
            view: None,
            x1: area.edges.x1,
            y1: area.edges.y1,
            x2: area.edges.x2,
            y2: area.edges.y2,
        })
    });
    let objects = match evidence {
        Evidence::Chosen(role) => {
            let chosen: BTreeSet<&str> = answer.facts.objects.iter().map(String::as_str).collect();
            let all = subject
                .scene
                .frames()
                .iter()
                .enumerate()
                .flat_map(|(p, frame)| frame.objects().iter().map(move |o| (p, o)));
            all.filter(|(_, object)| chosen.contains(object.id.as_str()))
                .map(|found| object_box(found, *role))
                .collect()
        }
        Evidence::Members { any_of, role, inside } => {
            let members = subject.sure_members(any_of, place, *inside);
            members.into_iter().map(|found| object_box(found, *role)).collect::<Vec<_>>()
        }
    };
    areas.chain(objects).collect()
}
