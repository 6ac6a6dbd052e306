//! One category per track.

use super::Scene;
use std::collections::BTreeMap;
use uavgen_schemas::{Box2d, Frame, Track};

/// What the boxes of one track say.
struct Tally {
    /// Boxes per category, with the index of the first frame of each.
    categories: BTreeMap<String, (i64, i64)>,
    first: (i64, i64),
    last: (i64, i64),
    boxes: i64,
}

/// Adds the tracks of one recording, in numeric order, and gives each of its boxes the category of its track.
///
/// `boxes` are those of `frames`, in the order of `frames`.
pub(crate) fn add_tracks(recording_id: &str, frames: &[Frame], boxes: &mut [Box2d], scene: &mut Scene) {
    let mut tallies: BTreeMap<i64, Tally> = BTreeMap::new();
    let mut position = 0;
    for object in boxes.iter() {
        while frames[position].frame_id != object.frame_id {
            position += 1;
        }
        if let Some(target) = target_of(object, recording_id) {
            count(&mut tallies, target, object, &frames[position]);
        }
    }
    let winners: BTreeMap<i64, String> = tallies.iter().map(|(&target, tally)| (target, winner(tally))).collect();
    for object in boxes.iter_mut() {
        let Some(category) = target_of(object, recording_id).and_then(|target| winners.get(&target)) else { continue };
        if *category != object.category {
            scene.note("boxes_renamed_by_their_track", 1);
            object.category.clone_from(category);
        }
    }
    for (target, tally) in tallies {
        scene.note("tracks_with_several_categories", u64::from(tally.categories.len() > 1));
        scene.tracks.push(Track {
            track_id: format!("{recording_id}#{target}"),
            recording_id: recording_id.to_owned(),
            category: winners[&target].clone(),
            annotated_categories: tally.categories.into_keys().collect(),
            first_source_number: tally.first.1,
            last_source_number: tally.last.1,
            box_count: tally.boxes,
            gap_count: tally.last.0 - tally.first.0 + 1 - tally.boxes,
        });
    }
}

/// Target number of a box, from its track's id.
fn target_of(object: &Box2d, recording_id: &str) -> Option<i64> {
    object.track_id.as_deref()?.strip_prefix(recording_id)?.strip_prefix('#')?.parse().ok()
}

fn count(tallies: &mut BTreeMap<i64, Tally>, target: i64, object: &Box2d, frame: &Frame) {
    let here = (frame.index, frame.source_number);
    let tally = tallies.entry(target).or_insert_with(|| Tally {
        categories: BTreeMap::new(),
        first: here,
        last: here,
        boxes: 0,
    });
    tally.last = here;
    tally.boxes += 1;
    match tally.categories.get_mut(&object.annotated_category) {
        Some((boxes, _)) => *boxes += 1,
        None => _ = tally.categories.insert(object.annotated_category.clone(), (1, frame.index)),
    }
}

/// The category of most boxes; at a tie the one that was annotated first.
fn winner(tally: &Tally) -> String {
    let best = tally.categories.iter().max_by_key(|(_, (boxes, first))| (*boxes, std::cmp::Reverse(*first)));
    best.map(|(category, _)| category.clone()).unwrap_or_default()
}
