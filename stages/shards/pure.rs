//! Names, order and batches: what needs no files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;
use uavgen_schemas::{Frame, GenerationTriple, QaItem};

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

/// Cuts sorted items into runs whose distinct images have at most `most_pixels` and `most_bytes` together (a single item
/// may exceed both): the images of a run are decoded in parallel and held until its rows are written.
pub(super) fn image_runs(
    items: &[QaItem],
    frames: &BTreeMap<String, Frame>,
    most_pixels: i64,
    most_bytes: i64,
) -> Vec<Range<usize>> {
    let size = |id: &String| frames.get(id).map_or((0, 0), |frame| (frame.width * frame.height, frame.byte_count));
    let mut runs = Vec::new();
    let (mut start, mut images, mut pixels, mut bytes) = (0, BTreeSet::new(), 0, 0);
    for (position, item) in items.iter().enumerate() {
        let fresh: BTreeSet<&String> = item.frame_ids.iter().filter(|id| !images.contains(*id)).collect();
        let (more_pixels, more_bytes) = fresh.into_iter().map(size).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        if position > start && (pixels + more_pixels > most_pixels || bytes + more_bytes > most_bytes) {
            runs.push(start..position);
            (start, pixels, bytes) = (position, 0, 0);
            images.clear();
        }
        // After a cut all of the item's images are fresh again.
        for id in &item.frame_ids {
            if images.insert(id) {
                let (more_pixels, more_bytes) = size(id);
                pixels += more_pixels;
                bytes += more_bytes;
            }
        }
    }
    if start < items.len() {
        runs.push(start..items.len());
    }
    runs
}

/// Cuts frames into runs of at most `most_pixels` (a single one may exceed it): their images are decoded in parallel.
pub(super) fn frame_runs(triples: &[GenerationTriple], most_pixels: i64) -> Vec<Range<usize>> {
    let (mut runs, mut start, mut pixels) = (Vec::new(), 0, 0);
    for (position, triple) in triples.iter().enumerate() {
        let more = triple.width * triple.height;
        if position > start && pixels + more > most_pixels {
            runs.push(start..position);
            (start, pixels) = (position, 0);
        }
        pixels += more;
    }
    if start < triples.len() {
        runs.push(start..triples.len());
    }
    runs
}
