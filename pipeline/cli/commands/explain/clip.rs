//! One clip: its plan, as text and as a strip of frames.

use super::origin::{Search, filtered};
use crate::commands::clip::{self, Cut, ShownClip, Stitched};
use crate::exit::Exit;
use crate::output::{Style, note, print};
use crate::picture;
use crate::results::{Results, writer_of};
use crate::workspace::Opened;
use std::path::Path;
use uavgen_schemas::{Clip, ClipFrame, ClipKind, ClipSegment, Record, StitchedClip};

/// The clip that an id, or the start of one, means; null when there is none.
///
/// # Errors
/// When several start so, or results cannot be read.
pub(super) fn find(opened: &Opened, id: &str) -> anyhow::Result<Option<ShownClip>> {
    let stages = [Clip::TABLE, StitchedClip::TABLE].map(|table| writer_of(table).unwrap_or_default());
    let results = Results::look(opened, &uavgen_engine::Selection::stages(stages))?;
    let mut search = Search::<Clip, _>::new(id)?;
    search.offer_results::<Clip>(&results)?;
    search.offer_results::<StitchedClip>(&results)?;
    let Some((clip, manifest)) = search.only()? else { return Ok(None) };
    let is_wanted = |other: &Clip| other.clip_id == clip.clip_id;
    let mut found = match clip.kind {
        ClipKind::Concatenated => clip::of_result::<Stitched>(&results, &manifest, is_wanted)?,
        _ => clip::of_result::<Cut>(&results, &manifest, is_wanted)?,
    };
    Ok(found.pop())
}

/// The clip of a release that an id, or the start of one, means; null when there is none.
///
/// # Errors
/// When several start so, or the release cannot be read.
pub(super) fn in_release(release: &Path, id: &str) -> anyhow::Result<Option<ShownClip>> {
    let mut search = Search::new(id)?;
    filtered::<Clip>(release, |_| true)?.into_iter().for_each(|clip| search.offer(clip, &()));
    let Some((clip, ())) = search.only()? else { return Ok(None) };
    let segments = filtered(release, |segment: &ClipSegment| segment.clip_id == clip.clip_id)?;
    let frames = filtered(release, |frame: &ClipFrame| frame.clip_id == clip.clip_id)?;
    let file = release.join(&clip.path);
    Ok(Some(ShownClip::new(clip, segments, frames, file)))
}

pub(super) fn explain(shown: &ShownClip, image: Option<&Path>, json: bool) -> anyhow::Result<Exit> {
    match json {
        true => print(serde_json::json!({"clip": shown.clip, "segments": shown.segments}))?,
        false => {
            let (style, clip) = (Style::stdout(), &shown.clip);
            let rate =
                if clip.fps_den == 1 { clip.fps_num.to_string() } else { format!("{}/{}", clip.fps_num, clip.fps_den) };
            print(format_args!(
                "{} {}\n  split {}, {} frames at {rate} per second, {}\n  {}\n\n{}\n{}",
                style.bold("clip"),
                clip.clip_id,
                clip.split,
                clip.frame_count,
                clip.recording_ids.join(", "),
                shown.file.display(),
                shown.lines(),
                shown.table().trim_end(),
            ))?;
        }
    }
    if let Some(file) = image {
        picture::write(&shown.strip()?, file)?;
        note(format_args!("wrote {}", file.display()));
    }
    Ok(Exit::Done)
}
