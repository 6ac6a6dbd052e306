//! Frames with their boxes.

use super::{Cell, Source, spread, with_shares};
use crate::picture::{KEPT, Legend, UNKNOWN};
use anyhow::Context as _;
use std::collections::{BTreeMap, BTreeSet};
use uavgen_core::Partition;
use uavgen_media::{Color, Outline, RgbImage, decode_upright, draw_rectangle};
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
        cells.push((image, format!("{labelled}  {}", frame.frame_id)));
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
            cells.push((image, format!("{kept} kept, {unknown} unknown{reason}  {}", selection.selection_id)));
        }
    }
    Ok(cells)
}

/// How many pictures each partition gives, so that the sheet shows many partitions before many of one.
fn shares(source: &Source<'_>) -> Vec<(Partition, usize)> {
    let partitions = source.manifests.iter().map(|manifest| manifest.partition().clone()).collect();
    with_shares(partitions, source.count)
}

/// The upright pixels of a frame.
pub(super) fn load(source: &Source<'_>, partition: &Partition, frame: &Frame) -> anyhow::Result<RgbImage> {
    let sources = &source.opened.config.project.sources;
    let root = sources.iter().find(|one| Some(one.name.as_str()) == partition.source()).map(|one| &one.path);
    let file = root.context("the frame's source is not in the config")?.join(&frame.file);
    let bytes = std::fs::read(&file).with_context(|| format!("failed to read {}", file.display()))?;
    decode_upright(&bytes).map_err(|fault| anyhow::anyhow!("failed to decode {}: {fault}", file.display()))
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
