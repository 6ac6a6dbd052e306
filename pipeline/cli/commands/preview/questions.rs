//! Questions on their images.

use super::{Cell, SIDE, Source, frames, spread, with_shares};
use crate::picture::{KEPT, below, draw_item_boxes, missing, text_block};
use std::collections::BTreeMap;
use uavgen_core::Partition;
use uavgen_media::{Color, thumbnail};
use uavgen_schemas::{Frame, QaItem};

/// Questions of every task in turn, each on its first image with the boxes that it refers to.
pub(super) fn items(source: &Source<'_>) -> anyhow::Result<Vec<Cell>> {
    let mut by_task: BTreeMap<String, Vec<(Partition, QaItem)>> = BTreeMap::new();
    for manifest in &source.manifests {
        for item in source.results.rows::<QaItem>(manifest)? {
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
