//! A file of moving pictures, decoded once: what it holds, and how its frames look beside the images of their source frames.

use crate::findings::{FaultCode, Log, Place};
use crate::index::Index;
use crate::pictures::{self, DeliveredCells, Shown};
use crate::release::Release;
use crate::tables::Key;
use uavgen_core::Digests;
use uavgen_media::{MediaError, Placement, VideoInfo, inspect_video};

/// What a frame of a film shows.
pub(crate) struct Source {
    /// Source frame.
    pub(crate) frame: Key,
    /// Where its picture lies; null where it is all of the film's, but for padding.
    pub(crate) placement: Option<Placement>,
}

/// What decoding a file shows.
pub(crate) struct Film<'a> {
    pub(crate) info: Result<VideoInfo, MediaError>,
    /// BLAKE3 of the file; null when it cannot be read, which is told elsewhere.
    pub(crate) digest: Option<String>,
    shown: Vec<Shown<'a>>,
}

impl<'a> Film<'a> {
    /// Decodes a file of the release; `source` tells what each of its frames shows.
    pub(crate) fn watch(
        release: &Release,
        path: &str,
        source: impl Fn(usize) -> Option<Source>,
        index: &Index,
        delivered: &'a DeliveredCells,
    ) -> Self {
        let disk = release.disk(path);
        let mut shown = Vec::new();
        let info = inspect_video(&disk, |number, decoded| {
            let Some(Source { frame, placement }) = source(number) else { return };
            let size = index.frames.get(&frame).map(|frame| (u32::try_from(frame.width), u32::try_from(frame.height)));
            let Some((Ok(width), Ok(height))) = size else { return };
            let cells = match placement {
                None => decoded.grey_cells((0, 0), (width, height)),
                Some(Placement { x1, y1, x2, y2 }) => {
                    decoded.grey_cells((x1, y1), (x2.saturating_sub(x1), y2.saturating_sub(y1)))
                }
            };
            shown.extend(cells.map(|cells| Shown { number, cells, image: delivered.get(&frame) }));
        });
        Self { info, digest: Digests::blake3_of(&disk).ok(), shown }
    }

    /// Counts what was looked at, and reports a file that does not decode, or shows other pictures than its source frames.
    /// What it holds is for the caller to compare; null when it does not decode.
    pub(crate) fn report(&self, release: &Release, place: Place, log: &mut Log) -> Option<&VideoInfo> {
        let info = match &self.info {
            Ok(info) => info,
            Err(error) => {
                // A file that is not there was told before.
                if release.disk(place.file).is_file() {
                    log.fault(FaultCode::VideoUndecodable, place, damage(error));
                }
                return None;
            }
        };
        log.checked.videos += 1;
        log.checked.video_frames += info.frame_count as u64;
        log.checked.compared_frames += self.shown.iter().filter(|frame| frame.image.is_some()).count() as u64;
        if let Some(problem) = pictures::contradiction(&self.shown) {
            log.fault(FaultCode::VideoPicture, place, problem);
        }
        Some(info)
    }
}

fn damage(error: &MediaError) -> String {
    match error {
        MediaError::Damaged { decoded_frames, detail, .. } => {
            format!("damaged after {decoded_frames} frames: {detail}")
        }
        MediaError::NoVideoStream { .. } => "it has no video stream".to_owned(),
        MediaError::Ffmpeg { detail, .. } => detail.clone(),
        other => other.to_string(),
    }
}
