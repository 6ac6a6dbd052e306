//! Strips of clips.

use super::{Cell, Source, spread};
use crate::commands::clip::{self, ClipTables, ShownClip};

/// A strip per clip: first and last frame of every segment, with their numbers in the source.
pub(super) fn strips<T: ClipTables>(source: &Source<'_>) -> anyhow::Result<Vec<Cell>> {
    let mut clips: Vec<ShownClip> = Vec::new();
    for manifest in &source.manifests {
        clips.extend(clip::of_result::<T>(&source.results, manifest, |_| true)?);
    }
    // Kinds together, so that a sheet shows some of each.
    clips.sort_by_key(|shown| (shown.clip.kind, shown.clip.strategy));
    spread(clips, source.count).into_iter().map(|shown| Ok((shown.strip()?, shown.caption()))).collect()
}
