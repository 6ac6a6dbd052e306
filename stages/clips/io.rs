//! The shell: videos in, clips cut out of them, tables out.

use super::config::ClipsConfig;
use super::pure::{self, Plan, WrittenClip};
use crate::{encoding, sampling};
use std::path::Path;
use uavgen_core::{Context, Digests, StoreError, TaskError};
use uavgen_media::{MediaError, Part, assemble};
use uavgen_schemas::{Clip, ClipFrame, ClipSample, ClipSegment, FrameMapEntry, Video};

/// Kind of input: a video that clips are cut out of.
const VIDEO: &str = "video";

#[derive(Default)]
struct Rows {
    clips: Vec<Clip>,
    segments: Vec<ClipSegment>,
    frames: Vec<ClipFrame>,
}

/// Does one task.
pub(super) fn run(config: &ClipsConfig, context: &mut Context<'_>) -> Result<(), TaskError> {
    let mut rows = Rows::default();
    if config.enabled {
        let mut map: Vec<FrameMapEntry> = context.read()?;
        map.sort_by(|a, b| (&a.video_id, a.video_frame).cmp(&(&b.video_id, b.video_frame)));
        for part in context.parts::<Video>().to_vec() {
            for video in context.read_part::<Video>(&part)? {
                context.count_read(VIDEO, 1);
                let (plans, rejects) = pure::plans(config, &video, context.seed());
                rejects.into_iter().for_each(|reject| context.reject(reject));
                let start = map.partition_point(|entry| entry.video_id < video.video_id);
                let end = map.partition_point(|entry| entry.video_id <= video.video_id);
                let (file, _) = part.blob_file(&video.path)?;
                for plan in plans {
                    context.check_cancelled()?;
                    make(context, &plan, &video, &file, &map[start..end], &mut rows)?;
                }
            }
        }
    }
    rows.clips.sort_by(|a, b| a.clip_id.cmp(&b.clip_id));
    rows.segments.sort_by(|a, b| a.segment_id.cmp(&b.segment_id));
    rows.frames.sort_by(|a, b| a.entry_id.cmp(&b.entry_id));
    let samples: Vec<ClipSample> = rows.clips.iter().flat_map(sampling::samples).collect();
    context.write::<Clip>(rows.clips)?;
    context.write::<ClipSegment>(rows.segments)?;
    context.write::<ClipFrame>(rows.frames)?;
    context.write(samples)
}

fn make(
    context: &mut Context<'_>,
    plan: &Plan,
    video: &Video,
    file: &Path,
    map: &[FrameMapEntry],
    rows: &mut Rows,
) -> Result<(), TaskError> {
    let (written, encoded_again) = match shows_all(plan, video) {
        // The video's own file is the clip.
        true => {
            let (clip_id, digest) = (plan.clip_id(&video.video_id, &video.digest), video.digest.clone());
            (WrittenClip { clip_id, path: video.path.clone(), byte_count: video.byte_count, digest }, vec![0])
        }
        false => cut(context, plan, video, file)?,
    };
    rows.segments.extend(pure::segment_rows(&written.clip_id, plan, video, &encoded_again));
    rows.frames.extend(pure::frame_rows(&written.clip_id, plan, map));
    rows.clips.push(pure::clip_row(plan, video, written));
    Ok(())
}

fn shows_all(plan: &Plan, video: &Video) -> bool {
    matches!(&plan.segments[..], [(_, only)] if only.frame_count == video.frame_count.unsigned_abs())
}

fn cut(
    context: &mut Context<'_>,
    plan: &Plan,
    video: &Video,
    file: &Path,
) -> Result<(WrittenClip, Vec<usize>), TaskError> {
    let failed = |error: MediaError| match error {
        MediaError::DiskFull { path } => TaskError::from(StoreError::DiskFull { path }),
        error => TaskError::failed(format!("cut a {} clip out of {}: {error}", plan.kind.as_str(), video.recording_id)),
    };
    let settings = encoding::settings(video)?;
    let parts: Vec<Part> = plan
        .segments
        .iter()
        .map(|(_, segment)| Part {
            video: file.to_path_buf(),
            first_frame: segment.first_frame as usize,
            frame_count: segment.frame_count as usize,
            settings,
        })
        .collect();
    // Its name follows from what is in it.
    let unnamed = "clips/new.mp4";
    let out = context.blob(unnamed)?;
    let assembled = assemble(&parts, &out).map_err(failed)?;
    let Digests { bytes, blake3: digest, .. } = context.blob_digests(unnamed)?;
    let clip_id = plan.clip_id(&video.video_id, &digest);
    let path = Clip::own_path(&clip_id);
    context.rename_blob(unnamed, &path)?;
    let byte_count = i64::try_from(bytes).unwrap_or(i64::MAX);
    Ok((WrittenClip { clip_id, path, byte_count, digest }, assembled.encoded_again))
}
