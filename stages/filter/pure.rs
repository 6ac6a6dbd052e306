//! The rules: frames, boxes and regions in, selections and rejects out.

use super::config::SuiteRules;
use std::collections::{BTreeMap, BTreeSet};
use uavgen_geometry::Box2;
use uavgen_programs::taxonomy;
use uavgen_schemas::{Box2d, Frame, Region, RegionKind, Reject, Selection, UnknownBox};

/// The annotations of some frames, by frame.
#[derive(Debug, Default)]
pub struct Annotations<'a> {
    boxes: BTreeMap<&'a str, Vec<&'a Box2d>>,
    ignored: BTreeMap<&'a str, Vec<Box2>>,
}

/// Why something is dropped, with what was measured.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Drop {
    reason: &'static str,
    value: Option<f64>,
    limit: Option<f64>,
}

impl<'a> Annotations<'a> {
    /// Sorts annotations by their frame; boxes by id within it.
    pub fn new(boxes: &'a [Box2d], regions: &'a [Region]) -> Self {
        let mut sorted = Self::default();
        for object in boxes {
            sorted.boxes.entry(&object.frame_id).or_default().push(object);
        }
        for of_frame in sorted.boxes.values_mut() {
            of_frame.sort_by(|a, b| a.box_id.cmp(&b.box_id));
        }
        for region in regions.iter().filter(|region| region.kind == RegionKind::Ignored) {
            // A region without sound edges covers nothing; ingest lets none through.
            sorted.ignored.entry(&region.frame_id).or_default().extend(Box2::try_from(region).ok());
        }
        sorted
    }

    fn boxes_of(&self, frame_id: &str) -> &[&'a Box2d] {
        self.boxes.get(frame_id).map_or(&[], Vec::as_slice)
    }

    fn ignored_of(&self, frame_id: &str) -> &[Box2] {
        self.ignored.get(frame_id).map_or(&[], Vec::as_slice)
    }
}

/// What one suite may use of one frame, and a reject for everything that it may not.
pub fn select(suite: &str, rules: &SuiteRules, frame: &Frame, annotations: &Annotations) -> (Selection, Vec<Reject>) {
    let ignored = annotations.ignored_of(&frame.frame_id);
    let (mut kept, mut unknown, mut rejects) = (Vec::new(), Vec::new(), Vec::new());
    for object in annotations.boxes_of(&frame.frame_id) {
        match judge_box(rules, object, ignored) {
            None => kept.push(object.box_id.clone()),
            Some(drop) => {
                let reason = drop.reason.to_owned();
                unknown.push(UnknownBox { box_id: object.box_id.clone(), reason, may_be: may_be(object) });
                rejects.push(reject(&object.box_id, suite, drop));
            }
        }
    }
    let selection_id = format!("{suite}:{}", frame.frame_id);
    let frame_drop = judge_frame(rules, frame, kept.len());
    rejects.extend(frame_drop.map(|drop| reject(&selection_id, suite, drop)));
    let selection = Selection {
        selection_id,
        suite: suite.to_owned(),
        frame_id: frame.frame_id.clone(),
        recording_id: frame.recording_id.clone(),
        usable: frame_drop.is_none(),
        reason: frame_drop.map(|drop| drop.reason.to_owned()),
        kept,
        unknown,
    };
    (selection, rejects)
}

/// Why a box may not be used; the first rule that applies.
fn judge_box(rules: &SuiteRules, object: &Box2d, ignored: &[Box2]) -> Option<Drop> {
    if object.ignored {
        return Some(Drop { reason: "ignored_by_source", value: None, limit: None });
    }
    // Edges that make no box are the extreme case of one without size.
    let Some(bounds) = Box2::try_from(object).ok().filter(|bounds| !bounds.is_empty()) else {
        return Some(Drop { reason: "zero_size", value: Some(0.0), limit: Some(0.0) });
    };
    if bounds.area() < rules.min_area_px2 {
        return Some(Drop { reason: "too_small", value: Some(bounds.area()), limit: Some(rules.min_area_px2) });
    }
    let covered = bounds.share_covered(ignored);
    (covered >= rules.ignored_region_share).then_some(Drop {
        reason: "in_ignored_region",
        value: Some(covered),
        limit: Some(rules.ignored_region_share),
    })
}

fn judge_frame(rules: &SuiteRules, frame: &Frame, kept: usize) -> Option<Drop> {
    if !frame.labelled {
        return Some(Drop { reason: "unlabelled", value: None, limit: None });
    }
    (kept < rules.min_objects as usize).then(|| Drop {
        reason: "too_few_objects",
        value: Some(kept as f64),
        limit: Some(f64::from(rules.min_objects)),
    })
}

/// Categories that a dropped object may have, sorted: by track and as annotated, and what those are mixed up with.
fn may_be(object: &Box2d) -> Vec<String> {
    let own = [object.category.as_str(), object.annotated_category.as_str()];
    let confused = own.into_iter().flat_map(taxonomy::confusable_with);
    let all: BTreeSet<String> = own.into_iter().map(str::to_owned).chain(confused.map(str::to_owned)).collect();
    all.into_iter().collect()
}

fn reject(record_id: &str, suite: &str, drop: Drop) -> Reject {
    Reject::rule(record_id, drop.reason, format!("suite {suite}")).measured(drop.value, drop.limit)
}
