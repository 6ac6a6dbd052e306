//! Frames decoded from videos.

use super::{Cell, Source, spread};
use std::ops::ControlFlow;
use std::path::Path;
use uavgen_media::{for_each_frame, thumbnail};
use uavgen_schemas::Video;

/// Frames spread over a few videos, decoded from the files as they will be delivered.
pub(super) fn frames(source: &Source<'_>) -> anyhow::Result<Vec<Cell>> {
    const FRAMES_PER_VIDEO: usize = 3;
    let mut videos = Vec::new();
    for manifest in &source.manifests {
        for video in source.results.rows::<Video>(manifest)? {
            let name = video.path.rsplit('/').next().unwrap_or_default().to_owned();
            let blob = manifest.blobs.keys().find(|blob| blob.rsplit('/').next() == Some(name.as_str()));
            let blob =
                blob.ok_or_else(|| anyhow::anyhow!("the result of {} has no file {name}", video.recording_id))?;
            videos.push((source.results.store().attempt_folder(manifest).join(blob), video));
        }
    }
    let mut cells = Vec::new();
    for (file, video) in spread(videos, source.count.div_ceil(FRAMES_PER_VIDEO)) {
        let wanted = spread((0..usize::try_from(video.frame_count).unwrap_or(0)).collect(), FRAMES_PER_VIDEO);
        cells.extend(pick(&file, &video.recording_id, &wanted)?);
    }
    Ok(cells)
}

/// The frames with these numbers, ascending.
fn pick(file: &Path, recording: &str, wanted: &[usize]) -> anyhow::Result<Vec<Cell>> {
    let mut cells = Vec::new();
    let decoded = for_each_frame(file, |frame| {
        if wanted.contains(&frame.index) {
            cells.push((thumbnail(&frame.image, super::SIDE), format!("{recording}  frame {}", frame.index)));
        }
        if wanted.last().is_none_or(|last| frame.index >= *last) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    decoded.map_err(|error| anyhow::anyhow!("failed to {error}"))?;
    Ok(cells)
}
