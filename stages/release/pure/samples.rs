//! A few items as people would look at them.

use super::base64;
use serde::Serialize;
use serde_json::Value;
use uavgen_media::{
    Color, Outline, PALETTE, RgbImage, contact_sheet, draw_label, draw_rectangle, encode_jpeg, thumbnail,
};
use uavgen_schemas::{BoxRole, ItemBox, QaItem};

/// Most images of one item that are shown.
pub(crate) const MOST_IMAGES: usize = 4;
const QUALITY: u8 = 82;

/// One item of the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Sample {
    pub id: String,
    pub suite: String,
    pub task: String,
    pub question: String,
    pub options: Vec<SampleOption>,
    pub answer: String,
    pub answer_type: Value,
    pub program: String,
    pub facts: String,
    pub frames: Vec<String>,
    /// Number of images that are not shown.
    pub more_images: usize,
    /// JPEG in base64; empty when the item has no image.
    pub picture: String,
}

/// One option of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct SampleOption {
    pub letter: String,
    pub text: String,
    pub right: bool,
}

/// Makes the sample from an item and its first images, decoded.
///
/// # Errors
/// When the picture cannot be encoded.
pub(crate) fn sample(item: QaItem, images: Vec<RgbImage>, longest_px: u32) -> Result<Sample, String> {
    let shown = images.len();
    let picture = match images.len() {
        0 => String::new(),
        _ => picture(&item.boxes, images, longest_px)?,
    };
    let options = item.options.iter().enumerate().map(|(index, text)| SampleOption {
        letter: letter(index),
        text: text.clone(),
        right: item.answer_indices.contains(&(index as i32)),
    });
    Ok(Sample {
        options: options.collect(),
        picture,
        more_images: item.frame_ids.len().saturating_sub(shown),
        answer_type: serde_json::to_value(item.answer_type).unwrap_or_default(),
        program: indented(&item.program),
        facts: indented(&item.facts),
        id: item.id,
        suite: item.suite,
        task: item.task,
        question: item.question,
        answer: item.answer,
        frames: item.frame_ids,
    })
}

/// A, B, … Z, then 27, 28, …
fn letter(index: usize) -> String {
    u8::try_from(index)
        .ok()
        .filter(|i| *i < 26)
        .map_or_else(|| (index + 1).to_string(), |i| char::from(b'A' + i).to_string())
}

/// JSON on several lines; anything else as it is.
fn indented(json: &str) -> String {
    let value: Option<Value> = serde_json::from_str(json).ok();
    value.and_then(|value| serde_json::to_string_pretty(&value).ok()).unwrap_or_else(|| json.to_owned())
}

fn picture(boxes: &[ItemBox], images: Vec<RgbImage>, longest_px: u32) -> Result<String, String> {
    let several = images.len() > 1;
    let side = if several { longest_px / 2 } else { longest_px };
    let mut cells: Vec<(RgbImage, String)> = images
        .into_iter()
        .enumerate()
        .map(|(index, image)| {
            let mut small = thumbnail(&image, side);
            boxes.iter().filter(|b| b.image_index == index as i32).for_each(|b| outline(&mut small, b));
            (small, format!("image {}", index + 1))
        })
        .collect();
    let sheet = match cells.pop() {
        Some((image, _)) if !several => image,
        Some(last) => {
            cells.push(last);
            contact_sheet(&cells, 2)
        }
        None => return Ok(String::new()),
    };
    encode_jpeg(&sheet, QUALITY).map(|bytes| base64::encode(&bytes)).map_err(|error| error.to_string())
}

fn outline(image: &mut RgbImage, item_box: &ItemBox) {
    let (width, height) = (f64::from(image.width()), f64::from(image.height()));
    let color = role_color(item_box.role);
    let (x1, y1) = (item_box.x1 * width, item_box.y1 * height);
    draw_rectangle(image, Outline { x1, y1, x2: item_box.x2 * width, y2: item_box.y2 * height }, color);
    // Answers may be many; their colour says enough.
    match item_box.role {
        BoxRole::Reference => draw_label(image, (x1, y1), "reference", color),
        BoxRole::Region => draw_label(image, (x1, y1), "region", color),
        BoxRole::Answer | BoxRole::Option | BoxRole::Clue => {}
    }
}

/// Colour of a role; the legend of the report names the same.
fn role_color(role: BoxRole) -> Color {
    match role {
        BoxRole::Reference => PALETTE[0],
        BoxRole::Option => PALETTE[1],
        BoxRole::Answer => PALETTE[2],
        BoxRole::Region => PALETTE[3],
        BoxRole::Clue => PALETTE[6],
    }
}
