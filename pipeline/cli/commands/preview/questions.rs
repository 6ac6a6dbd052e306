//! Questions on their images.

use super::{Cell, SIDE, Source, frames, spread, with_shares};
use crate::commands::clip::{self, Cut, ShownClip, Stitched};
use crate::picture::{KEPT, below, draw_item_boxes, missing, text_block};
use crate::results::writer_of;
use std::collections::{BTreeMap, BTreeSet};
use uavgen_core::Partition;
use uavgen_media::{Color, thumbnail};
use uavgen_schemas::{Clip, ClipQaItem, Frame, QaItem, Record, StitchedClip};

/// Longest side of the strip of a clip.
const STRIP_SIDE: u32 = 2 * SIDE;

/// Questions of every task in turn, each on its first image with the boxes that it refers to.
pub(super) fn items<R: Record + Into<QaItem>>(source: &Source<'_>) -> anyhow::Result<Vec<Cell>> {
    let mut by_task: BTreeMap<String, Vec<(Partition, QaItem)>> = BTreeMap::new();
    for manifest in &source.manifests {
        for item in source.results.rows::<R>(manifest)?.into_iter().map(Into::<QaItem>::into) {
            by_task.entry(item.task.clone()).or_default().push((manifest.partition().clone(), item));
        }
    }
    let mut cells = Vec::new();
    for (items, count) in with_shares(by_task.into_values().collect(), source.count) {
        for (partition, item) in spread(items, count) {
            cells.push(cell(source, &partition, &item)?);
        }
    }
    Ok(cells)
}

/// Questions of every task about clips in turn, each with the strip of its clip.
pub(super) fn of_clips(source: &Source<'_>) -> anyhow::Result<Vec<Cell>> {
    let mut by_task: BTreeMap<String, Vec<QaItem>> = BTreeMap::new();
    for manifest in &source.manifests {
        for item in source.results.rows::<ClipQaItem>(manifest)?.into_iter().map(QaItem::from) {
            by_task.entry(item.task.clone()).or_default().push(item);
        }
    }
    let chosen = with_shares(by_task.into_values().collect(), source.count);
    let items: Vec<QaItem> = chosen.into_iter().flat_map(|(items, count)| spread(items, count)).collect();
    let wanted: BTreeSet<&str> = items.iter().filter_map(|item| item.clip_id.as_deref()).collect();
    let mut clips: Vec<ShownClip> = Vec::new();
    for manifest in source.results.of_stage(writer_of(StitchedClip::TABLE).unwrap_or_default()) {
        clips.extend(clip::of_result::<Stitched>(&source.results, manifest, |clip| is_in(&wanted, clip))?);
    }
    for manifest in source.results.of_stage(writer_of(Clip::TABLE).unwrap_or_default()) {
        clips.extend(clip::of_result::<Cut>(&source.results, manifest, |clip| is_in(&wanted, clip))?);
    }
    let of_item = |item: &QaItem| {
        let shown = clips.iter().find(|shown| Some(&shown.clip.clip_id) == item.clip_id.as_ref());
        let (strip, name) = match shown {
            Some(shown) => (shown.strip()?, shown.caption()),
            None => (missing(SIDE, SIDE / 2, "the clip has no current result"), String::new()),
        };
        let strip = thumbnail(&strip, STRIP_SIDE);
        let text = text_block(&paragraphs(item), strip.width());
        Ok((below(&strip, &text), format!("{}  {name}", item.task)))
    };
    items.iter().map(of_item).collect()
}

fn is_in(wanted: &BTreeSet<&str>, clip: &Clip) -> bool {
    wanted.contains(clip.clip_id.as_str())
}

/// The picture with its boxes, and below it the question with everything that is offered.
fn cell(source: &Source<'_>, partition: &Partition, item: &QaItem) -> anyhow::Result<Cell> {
    let first = item.frame_ids.first().map(String::as_str).unwrap_or_default();
    let rows: Vec<Frame> = source.results.rows_of(partition)?;
    let mut image = match rows.iter().find(|frame| frame.frame_id == first) {
        Some(frame) => frames::load(source, partition, frame)?,
        None => missing(SIDE, SIDE / 2, &format!("there is no frame {first}")),
    };
    draw_item_boxes(&mut image, item.boxes.iter().filter(|one| one.image_index == 0));
    let image = below(&thumbnail(&image, SIDE), &text_block(&paragraphs(item), SIDE));
    let frames = if item.frame_ids.len() > 1 { format!(" (first of {})", item.frame_ids.len()) } else { String::new() };
    Ok((image, format!("{}  {first}{frames}", item.task)))
}

/// The question, then its options, or the answer of an open question; what is right on green.
fn paragraphs(item: &QaItem) -> Vec<(String, Option<Color>)> {
    let mut paragraphs = vec![(item.question.clone(), None)];
    for (option, (letter, position)) in item.options.iter().zip(('A'..='Z').zip(0_i32..)) {
        let right = item.answer_indices.contains(&position);
        paragraphs.push((format!("{letter}. {option}"), right.then_some(KEPT)));
    }
    if item.options.is_empty() {
        paragraphs.push((item.answer.clone(), Some(KEPT)));
    }
    paragraphs
}
