//! Questions on their images.

use super::{Cell, Source, frames, spread, with_shares};
use crate::picture::draw_item_boxes;
use std::collections::BTreeMap;
use uavgen_core::Partition;
use uavgen_media::{Rgb, RgbImage, draw_label};
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

fn cell(source: &Source<'_>, partition: &Partition, item: &QaItem) -> anyhow::Result<Cell> {
    let first = item.frame_ids.first().map(String::as_str).unwrap_or_default();
    let rows: Vec<Frame> = source.results.rows_of(partition)?;
    let mut image = match rows.iter().find(|frame| frame.frame_id == first) {
        Some(frame) => frames::load(source, partition, frame)?,
        None => RgbImage::new(super::SIDE, super::SIDE / 2),
    };
    draw_item_boxes(&mut image, item.boxes.iter().filter(|one| one.image_index == 0));
    let mut image = uavgen_media::thumbnail(&image, super::SIDE);
    let lines = wrapped(&item.question, image.width());
    let height = f64::from(image.height());
    for (line, above) in lines.iter().rev().zip(0_u32..) {
        draw_label(&mut image, (0.0, height - f64::from(above) * 9.0), line, Rgb([20, 20, 20]));
    }
    let options = if item.options.is_empty() { String::new() } else { format!(" of {}", item.options.join(" | ")) };
    Ok((image, format!("{}: {}{options}", item.task, item.answer)))
}

/// Width of a character of a label, in pixels, at the size of a sheet's cell.
const CHARACTER: u32 = 6;

/// The question in lines that fit the width.
fn wrapped(text: &str, width: u32) -> Vec<String> {
    let fitting = ((width / CHARACTER).saturating_sub(1) as usize).max(10);
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        if !lines[last].is_empty() && lines[last].len() + 1 + word.len() > fitting {
            lines.push(word.to_owned());
        } else {
            let gap = if lines[last].is_empty() { "" } else { " " };
            lines[last].push_str(gap);
            lines[last].push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_broken_at_blanks() {
        assert_eq!(wrapped("How many cars are there?", 6 * 14), ["How many cars", "are there?"]);
        assert_eq!(wrapped("", 600), [""]);
    }
}
