//! Frames with their boxes.

use super::{Cell, SIDE, Source, spread, with_shares};
use crate::picture::{KEPT, Legend, UNKNOWN, missing};
use anyhow::Context as _;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use uavgen_core::Partition;
use uavgen_media::{Color, Outline, RgbImage, decode_upright, draw_rectangle, footage_image, thumbnail};
use uavgen_schemas::{Box2d, Frame, Region, Selection};

const REGION: Color = uavgen_media::Rgb([130, 130, 130]);
const LEGEND_WIDTH: u32 = 240;

/// Frames with boxes in the colour of their category, and areas in grey.
pub(super) fn by_category(source: &Source<'_>) -> anyhow::Result<Vec<Cell>> {
    let mut chosen: Vec<(Partition, Frame, Vec<Box2d>, Vec<Region>)> = Vec::new();
    for (partition, count) in shares(source) {
        let frames: Vec<Frame> = source.results.rows_of(&partition)?;
        let mut boxes = by_frame(source.results.rows_of(&partition)?, |one: &Box2d| one.frame_id.clone());
        let mut regions = by_frame(source.results.rows_of(&partition)?, |one: &Region| one.frame_id.clone());
        for frame in spread(frames, count) {
            let boxes = boxes.remove(&frame.frame_id).unwrap_or_default();
            let regions = regions.remove(&frame.frame_id).unwrap_or_default();
            chosen.push((partition.clone(), frame, boxes, regions));
        }
    }
    let legend = Legend::new(chosen.iter().flat_map(|(.., boxes, _)| boxes.iter().map(|one| one.category.as_str())));
    let mut cells = Vec::new();
    for (partition, frame, boxes, regions) in &chosen {
        let mut image = load(source, partition, frame)?;
        for region in regions {
            draw_rectangle(&mut image, Outline { x1: region.x1, y1: region.y1, x2: region.x2, y2: region.y2 }, REGION);
        }
        for one in boxes {
            draw_rectangle(&mut image, outline(one), legend.color(&one.category));
        }
        let labelled = if frame.labelled { format!("{} boxes", boxes.len()) } else { "not labelled".into() };
        cells.push((thumbnail(&image, SIDE), format!("{labelled}  {}", frame.frame_id)));
    }
    if !cells.is_empty() {
        cells.push(legend.cell(LEGEND_WIDTH));
    }
    Ok(cells)
}

/// Frames with the boxes that a suite may use in green, and the unknown ones in red.
pub(super) fn by_selection(source: &Source<'_>) -> anyhow::Result<Vec<Cell>> {
    let mut cells = Vec::new();
    for (partition, count) in shares(source) {
        let frames: Vec<Frame> = source.results.rows_of(&partition)?;
        let frames: BTreeMap<String, Frame> = frames.into_iter().map(|frame| (frame.frame_id.clone(), frame)).collect();
        let boxes = by_frame(source.results.rows_of(&partition)?, |one: &Box2d| one.frame_id.clone());
        for selection in spread(source.results.rows_of::<Selection>(&partition)?, count) {
            let Some(frame) = frames.get(&selection.frame_id) else { continue };
            let mut image = load(source, &partition, frame)?;
            let kept: BTreeSet<&String> = selection.kept.iter().collect();
            for one in boxes.get(&selection.frame_id).into_iter().flatten() {
                draw_rectangle(&mut image, outline(one), if kept.contains(&one.box_id) { KEPT } else { UNKNOWN });
            }
            let reason = selection.reason.as_deref().map(|reason| format!("  {reason}")).unwrap_or_default();
            let (kept, unknown) = (selection.kept.len(), selection.unknown.len());
            cells.push((
                thumbnail(&image, SIDE),
                format!("{kept} kept, {unknown} unknown{reason}  {}", selection.selection_id),
            ));
        }
    }
    Ok(cells)
}

/// How many pictures each partition gives, so that the sheet shows many partitions before many of one.
fn shares(source: &Source<'_>) -> Vec<(Partition, usize)> {
    let partitions = source.manifests.iter().map(|manifest| manifest.partition().clone()).collect();
    with_shares(partitions, source.count)
}

/// The upright pixels of a frame; where its file cannot be read or decoded, a grey picture that names the file, so that
/// one broken image hides no other.
pub(super) fn load(source: &Source<'_>, partition: &Partition, frame: &Frame) -> anyhow::Result<RgbImage> {
    let sources = &source.opened.config.project.sources;
    let root = sources.iter().find(|one| Some(one.name.as_str()) == partition.source()).map(|one| one.root());
    let file = root.context("the frame's source is not in the config")?.join(&frame.file);
    Ok(decoded(&file, frame))
}

fn decoded(file: &Path, frame: &Frame) -> RgbImage {
    let image = match (frame.is_of_video(), u64::try_from(frame.source_number)) {
        (true, Ok(number)) => footage_image(file, number).map_err(|fault| fault.to_string()),
        _ => std::fs::read(file)
            .map_err(|error| error.to_string())
            .and_then(|bytes| decode_upright(&bytes).map_err(|fault| fault.to_string())),
    };
    image.unwrap_or_else(|why| {
        let side = |pixels: i64| u32::try_from(pixels).unwrap_or(0);
        missing(side(frame.width), side(frame.height), &format!("cannot show {}: {why}", file.display()))
    })
}

fn outline(one: &Box2d) -> Outline {
    Outline { x1: one.x1, y1: one.y1, x2: one.x2, y2: one.y2 }
}

fn by_frame<R>(rows: Vec<R>, frame_id: impl Fn(&R) -> String) -> BTreeMap<String, Vec<R>> {
    let mut groups: BTreeMap<String, Vec<R>> = BTreeMap::new();
    for row in rows {
        groups.entry(frame_id(&row)).or_default().push(row);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_shown_is_a_grey_picture_of_the_frame_size() {
        let frame: Frame = serde_json::from_value(serde_json::json!({
            "frame_id": "s/a/1", "recording_id": "s/a", "group_id": "g", "split": "train", "index": 0,
            "source_number": 1, "file": "1.jpg", "width": 700, "height": 300, "format": "jpeg", "pixel_layout": "rgb",
            "exif_orientation": 1, "digest": "", "byte_count": 1, "timestamp_us": null, "labelled": true
        }))
        .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let broken = folder.path().join("1.jpg");
        std::fs::write(&broken, [0xff, 0xd8, 0xff]).unwrap();
        for file in [broken, folder.path().join("gone.jpg")] {
            let tile = decoded(&file, &frame);
            assert_eq!(tile.dimensions(), (700, 300));
            assert_eq!(tile.get_pixel(699, 299).0, [110, 110, 110]);
        }
    }
}
