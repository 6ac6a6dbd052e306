//! Names, order and batches: what needs no files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;
use uavgen_schemas::{Frame, QaItem};

/// Path of file `index` of `count` in a release.
pub(super) fn shard_path(config: &str, split: &str, index: usize, count: usize) -> String {
    format!("data/{config}/{split}-{index:05}-of-{count:05}.parquet")
}

/// Name of a delivered image: the frame's id in one path part, other for every other id.
pub(super) fn image_name(frame_id: &str, extension: &str) -> String {
    let mut name = String::with_capacity(frame_id.len() + 4);
    for c in frame_id.chars() {
        match c {
            '/' => name.push('+'),
            '+' | '%' | '\\' | '\0'..='\x1f' => _ = write!(name, "%{:02X}", u32::from(c)),
            other => name.push(other),
        }
    }
    name.push('.');
    name.push_str(extension);
    name
}

/// Sorts items so that those of one frame stand together.
pub(super) fn sort_by_frame(items: &mut [QaItem]) {
    items.sort_by(|a, b| (a.frame_ids.first(), &a.id).cmp(&(b.frame_ids.first(), &b.id)));
}

/// Cuts sorted items into runs whose distinct images are at most `most_images` and `most_bytes` together (a single item
/// may exceed both): the images of a run are decoded in parallel and held until its rows are written.
pub(super) fn image_runs(
    items: &[QaItem],
    frames: &BTreeMap<String, Frame>,
    most_images: usize,
    most_bytes: i64,
) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let (mut start, mut images, mut bytes) = (0, BTreeSet::new(), 0);
    for (position, item) in items.iter().enumerate() {
        let fresh: BTreeSet<&String> = item.frame_ids.iter().filter(|id| !images.contains(*id)).collect();
        let more: i64 = fresh.iter().filter_map(|id| frames.get(*id)).map(|frame| frame.byte_count).sum();
        if position > start && (images.len() + fresh.len() > most_images || bytes + more > most_bytes) {
            runs.push(start..position);
            (start, bytes) = (position, 0);
            images.clear();
        }
        // After a cut all of the item's images are fresh again.
        for id in &item.frame_ids {
            if images.insert(id) {
                bytes += frames.get(id).map_or(0, |frame| frame.byte_count);
            }
        }
    }
    if start < items.len() {
        runs.push(start..items.len());
    }
    runs
}
