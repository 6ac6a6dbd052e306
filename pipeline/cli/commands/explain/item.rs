//! One question: what it says, and its program executed again.

use super::origin::{Found, Item};
use crate::commands::clip::ShownClip;
use crate::exit::{Exit, Failure};
use crate::output::{Style, note, print};
use crate::picture;
use std::fmt::Write as _;
use std::path::Path;
use uavgen_geometry::GroundBox;
use uavgen_media::{RgbImage, decode_upright, draw_label, draw_line, thumbnail};
use uavgen_programs::answer::segment_text;
use uavgen_programs::{Answer, Program, SceneFrame, Undefined, execute};

/// Columns of the sheet of an item with several images.
const SHEET_COLUMNS: usize = 2;
/// Longest side of an image on such a sheet, in pixels.
const SHEET_SIDE: u32 = 960;

pub(super) fn explain(found: &Found, image: Option<&Path>, json: bool) -> anyhow::Result<Exit> {
    let program = Program::parse(&found.item.program).map_err(|error| anyhow::anyhow!("failed to {error}"))?;
    let outcome = execute(&program, &found.scene);
    let agrees = matches!(&outcome, Ok(answer) if answer.value.to_canonical_json() == found.item.answer_json);
    match json {
        true => print(as_json(found, &outcome, agrees))?,
        false => print(render(found, &outcome, agrees, Style::stdout()))?,
    }
    if let Some(file) = image {
        draw(found, outcome.as_ref().ok(), file)?;
        note(format_args!("wrote {}", file.display()));
    }
    if agrees {
        return Ok(Exit::Done);
    }
    Err(Failure::new(Exit::Failed, "the stored answer is not what its program gives on these scene tables")
        .with_hint("audit the whole release with `uavgen check`")
        .into())
}

fn as_json(found: &Found, outcome: &Result<Answer, Undefined>, agrees: bool) -> serde_json::Value {
    let (value, facts, refused) = match outcome {
        Ok(answer) => (serde_json::to_value(&answer.value).ok(), serde_json::to_value(&answer.facts).ok(), None),
        Err(undefined) => (None, None, serde_json::to_value(undefined).ok()),
    };
    serde_json::json!({
        "item": found.item, "origin": found.origin,
        "executed": {"value": value, "facts": facts, "refused": refused, "agrees": agrees},
    })
}

fn render(found: &Found, outcome: &Result<Answer, Undefined>, agrees: bool, style: Style) -> String {
    let Item { id, suite, task, split, question, answer, answer_json, .. } = &found.item;
    let mut text = format!("{} {id}\n", style.bold("question"));
    let _ = writeln!(text, "  from      {}\n  task      {suite} / {task}, split {split}", found.origin);
    match &found.clip {
        None => _ = writeln!(text, "  frames    {}", found.item.frame_ids.join(", ")),
        Some(shown) => {
            let _ = writeln!(text, "  clip      {}\n            {}", shown.caption(), shown.file.display());
            pieces(&mut text, shown);
        }
    }
    let _ = writeln!(text, "\n  {}", style.bold(question));
    for (position, option) in (0_i32..).zip(&found.item.options) {
        let mark = if found.item.answer_indices.contains(&position) { style.green("*") } else { " ".into() };
        let _ = writeln!(text, "  {mark} {option}");
    }
    let _ = writeln!(text, "  answer    {answer}\n            {answer_json}");
    let _ = writeln!(text, "\n{}\n{}", style.bold("program"), pretty(&found.item.program));
    let _ = writeln!(text, "\n{}", style.bold("executed again"));
    match outcome {
        Ok(answer) => {
            let verdict = if agrees { style.green("the same answer") } else { style.red("ANOTHER ANSWER") };
            let _ = writeln!(text, "  {}: {verdict}", answer.value.text());
            facts(&mut text, answer);
        }
        Err(undefined) => _ = writeln!(text, "  {}: {undefined}", style.red("refused")),
    }
    text.trim_end().to_owned()
}

/// The pieces of a clip: its frames, and where each is from.
fn pieces(text: &mut String, shown: &ShownClip) {
    for segment in &shown.segments {
        let (first, count, from) = (segment.first_frame, segment.frame_count, &segment.recording_id);
        let name = segment_text(u32::try_from(segment.position).unwrap_or(0));
        let _ = writeln!(text, "            {name}: frames {first} to {}, of {from}", first + count - 1);
    }
}

fn facts(text: &mut String, answer: &Answer) {
    let facts = &answer.facts;
    if facts.object_count > 0 {
        let more = facts.object_count.saturating_sub(facts.objects.len());
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let _ = writeln!(text, "  rests on  {}{more}", facts.objects.join(", "));
    }
    for (path, number) in &facts.values {
        let _ = writeln!(text, "  {path} = {number}");
    }
}

fn pretty(program: &str) -> String {
    match serde_json::from_str::<serde_json::Value>(program) {
        Ok(program) => format!("  {}", format!("{program:#}").replace('\n', "\n  ")),
        Err(_) => format!("  {program}"),
    }
}

/// Draws the item's boxes on its images, and in space those of the objects that its answer rests on; or the strip of its clip.
fn draw(found: &Found, answer: Option<&Answer>, file: &Path) -> anyhow::Result<()> {
    if let Some(shown) = &found.clip {
        return picture::write(&shown.strip()?, file);
    }
    let mut cells = Vec::new();
    for (index, encoded) in (0_i32..).zip(&found.images) {
        let decoded = decode_upright(&encoded.load()?);
        let mut image = decoded.map_err(|fault| anyhow::anyhow!("failed to decode image {index}: {fault}"))?;
        picture::draw_item_boxes(&mut image, found.item.boxes.iter().filter(|one| one.image_index == index));
        if let (Some(frame), Some(answer)) = (found.scene.frames().get(index as usize), answer) {
            draw_solids(&mut image, frame, &answer.facts.objects);
        }
        cells.push((image, found.item.frame_ids.get(index as usize).cloned().unwrap_or_default()));
    }
    match cells.len() {
        1 => picture::write(&cells.remove(0).0, file),
        _ => {
            let small = cells.into_iter().map(|(image, caption)| (thumbnail(&image, SHEET_SIDE), caption));
            picture::write_sheet(&small.collect::<Vec<_>>(), SHEET_COLUMNS, file)
        }
    }
}

/// The upright boxes of lifted objects, with the ends of their ids.
fn draw_solids(image: &mut RgbImage, frame: &SceneFrame, ids: &[String]) {
    let Some(view) = frame.view() else { return };
    let legend = picture::Legend::new(ids.iter().map(String::as_str));
    for object in ids.iter().filter_map(|id| frame.object(id)) {
        let colour = legend.color(&object.id);
        let Some(solid) = &object.solid else { continue };
        let upright = GroundBox::new(solid.footprint, solid.base_m, solid.top_m.unwrap_or(solid.base_m));
        let corners = upright.corners().map(|corner| view.pixel(corner).map(|pixel| (pixel.x, pixel.y)));
        for side in 0..4 {
            let next = (side + 1) % 4;
            for (from, to) in [(side, next), (4 + side, 4 + next), (side, 4 + side)] {
                if let (Some(from), Some(to)) = (corners[from], corners[to]) {
                    draw_line(image, from, to, colour);
                }
            }
        }
        let name = object.id.rsplit_once('#').map_or(object.id.as_str(), |(_, end)| end);
        draw_label(image, (object.bounds.x1(), object.bounds.y1()), &format!("{} {name}", object.category), colour);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_printed_indented() {
        assert_eq!(pretty("{\"op\":\"count\"}"), "  {\n    \"op\": \"count\"\n  }");
        assert_eq!(pretty("no json"), "  no json");
    }
}
