//! Frames of the generation track: image, depth and segmentation one below the other, with their texts.

use super::frames::load;
use super::{Cell, SIDE, Source, shares_with_rows, spread};
use crate::picture::{below, text_block};
use anyhow::Context as _;
use std::collections::BTreeMap;
use uavgen_core::InputPart;
use uavgen_media::{Color, Rgb, RgbImage, decode_upright, thumbnail};
use uavgen_schemas::{Frame, GenerationSample, GenerationTriple};

/// The pictures of each frame, its classes in their colours, and the texts of its samples.
pub(super) fn triples(source: &Source<'_>) -> anyhow::Result<Vec<Cell>> {
    let mut cells = Vec::new();
    for (manifest, count) in shares_with_rows::<GenerationTriple>(source) {
        let part = source.results.part::<GenerationTriple>(manifest)?;
        let frames: Vec<Frame> = source.results.rows_of(manifest.partition())?;
        let frames: BTreeMap<&str, &Frame> = frames.iter().map(|frame| (frame.frame_id.as_str(), frame)).collect();
        let mut prompts: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for sample in source.results.rows::<GenerationSample>(manifest)? {
            if let Some(prompt) = sample.prompt {
                let line = format!("{}: {prompt}", sample.kind.name());
                prompts.entry(sample.frame_id).or_default().push(line);
            }
        }
        for triple in spread(part.reader::<GenerationTriple>()?.rows()?, count) {
            let frame = frames.get(triple.frame_id.as_str()).context("a triple without a frame")?;
            let image = thumbnail(&load(source, manifest.partition(), frame)?, SIDE);
            let texts = prompts.remove(&triple.frame_id).unwrap_or_default();
            cells.push(cell(&part, &triple, &image, texts)?);
        }
    }
    Ok(cells)
}

fn cell(part: &InputPart, triple: &GenerationTriple, image: &RgbImage, texts: Vec<String>) -> anyhow::Result<Cell> {
    let picture = |path: &str| -> anyhow::Result<RgbImage> {
        let (file, _) = part.blob_file(path)?;
        Ok(thumbnail(&decode_upright(&std::fs::read(&file)?)?, SIDE))
    };
    let classes = triple.classes.iter().map(|class| {
        let name = class.name.as_deref().unwrap_or("no class");
        let colour = [class.red, class.green, class.blue].map(|channel| channel.clamp(0, 255) as u8);
        let colour: Option<Color> = Some(Rgb(colour));
        (format!("{} {name} {:.1} %", class.value, 100.0 * class.pixel_share), colour)
    });
    let text: Vec<(String, Option<Color>)> = classes.chain(texts.into_iter().map(|text| (text, None))).collect();
    let pictures = below(&below(image, &picture(&triple.depth_view_path)?), &picture(&triple.segmentation_path)?);
    let (near, far) = (triple.depth_view_near_m, triple.depth_view_far_m);
    Ok((below(&pictures, &text_block(&text, image.width())), format!("{near:.1} to {far:.1} m  {}", triple.frame_id)))
}
