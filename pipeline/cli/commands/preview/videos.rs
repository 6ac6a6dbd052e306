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
        let part = source.results.part::<Video>(manifest)?;
        for video in part.reader::<Video>()?.rows()? {
            let name = video.path.rsplit('/').next().unwrap_or_default();
            let blob = part.blobs.keys().find(|blob| blob.rsplit('/').next() == Some(name));
            let blob =
                blob.ok_or_else(|| anyhow::anyhow!("the result of {} has no file {name}", video.recording_id))?;
            videos.push((part.clone(), blob.clone(), video));
        }
    }
    let mut cells = Vec::new();
    for (part, blob, video) in spread(videos, source.count.div_ceil(FRAMES_PER_VIDEO)) {
        let (file, _) = part.blob_file(&blob)?;
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
