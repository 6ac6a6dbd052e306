//! One clip: its plan, as text and as a strip of frames.

use super::origin::Search;
use crate::commands::clip::{self, ShownClip};
use crate::exit::Exit;
use crate::output::{Style, note, print};
use crate::picture;
use crate::results::{Results, writer_of};
use crate::workspace::Opened;
use std::path::Path;
use uavgen_schemas::{Clip, Record};

/// The clip that an id, or the start of one, means; null when there is none.
///
/// # Errors
/// When several start so, or results cannot be read.
pub(super) fn find(opened: &Opened, id: &str) -> anyhow::Result<Option<ShownClip>> {
    let Some(stage) = writer_of(Clip::TABLE) else { return Ok(None) };
    let mut search = Search::new(id)?;
    let results = Results::look(opened, &uavgen_engine::Selection::stages([stage]))?;
    for manifest in results.of_stage(stage) {
        results.rows::<Clip>(manifest)?.into_iter().for_each(|clip| search.offer(clip, manifest));
    }
    let Some((clip, manifest)) = search.only()? else { return Ok(None) };
    Ok(clip::of_result(&results, &manifest, |other| other.clip_id == clip.clip_id)?.pop())
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
