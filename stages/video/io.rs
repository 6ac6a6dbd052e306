//! The shell: frames in source order to the encoder, its file and tables out.

use super::config::VideoConfig;
use super::pure::{self, Material, Verdict, WrittenFile};
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use uavgen_core::{Context, Digests, StoreError, TaskError};
use uavgen_media::{EncodeSettings, EncodedVideo, MediaError};
use uavgen_schemas::{Frame, FrameMapEntry, Recording, Reject, Video};

/// Kind of input: a recording that is to become a video.
const RECORDING: &str = "recording";
/// Kind of input: one of its frames.
const FRAME: &str = "frame";

/// Does one task.
pub(super) fn run(config: &VideoConfig, context: &mut Context<'_>) -> Result<(), TaskError> {
    let (mut videos, mut entries) = (Vec::new(), Vec::new());
    if config.enabled {
        let recordings: Vec<Recording> = context.read()?;
        let mut frames: Vec<Frame> = context.read()?;
        frames.sort_by(|a, b| (&a.recording_id, a.index).cmp(&(&b.recording_id, b.index)));
        for recording in &recordings {
            let start = frames.partition_point(|frame| frame.recording_id < recording.recording_id);
            let end = frames.partition_point(|frame| frame.recording_id <= recording.recording_id);
            match pure::judge(recording, frames[start..end].iter().collect()) {
                Verdict::Still => {}
                Verdict::Reject(reject) => context.reject(*reject),
                Verdict::Encode(frames, odd) => {
                    context.count_read(RECORDING, 1);
                    context.count_read(FRAME, (frames.len() + odd.len()) as u64);
                    odd.into_iter().for_each(|reject| context.quarantine(FRAME, reject));
                    encode(recording, &frames, config, context, &mut videos, &mut entries)?;
                }
            }
        }
    }
    context.write::<Video>(videos)?;
    context.write::<FrameMapEntry>(entries)
}

fn encode(
    recording: &Recording,
    frames: &[&Frame],
    config: &VideoConfig,
    context: &mut Context<'_>,
    videos: &mut Vec<Video>,
    entries: &mut Vec<FrameMapEntry>,
) -> Result<(), TaskError> {
    let video_id = pure::video_id(&recording.recording_id);
    let name = pure::video_path(&video_id);
    let out = context.blob(&name)?;
    let material = pure::material(frames);
    let mut settings = config.settings();
    if let Material::File { .. } = &material {
        match recording.source_fps.and_then(pure::true_rate) {
            Some(fps) => settings.fps = fps,
            None => {
                context.reject(pure::rate_out_of_range(recording));
                return context.discard_blob(&name);
            }
        }
    }
    let encoded = match encode_material(recording, frames, &material, &settings, context, &out)? {
        Ok(encoded) => encoded,
        Err(reject) => {
            context.quarantine(RECORDING, reject);
            return context.discard_blob(&name);
        }
    };
    pure::skipped_frames(&encoded, frames).for_each(|reject| context.quarantine(FRAME, reject));
    if encoded.frames.len() < pure::FEWEST_FRAMES {
        context.reject(pure::too_few_frames(recording, encoded.frames.len()));
        return context.discard_blob(&name);
    }
    let Digests { bytes: byte_count, blake3: digest, .. } = context.blob_digests(&name)?;
    videos.push(pure::video_row(recording, &encoded, &settings, WrittenFile { byte_count, digest }));
    entries.extend(pure::frame_map(&video_id, &encoded, frames));
    Ok(())
}

/// Encodes images or a file; the inner error is the reject of a recording that has no picture to show.
fn encode_material(
    recording: &Recording,
    frames: &[&Frame],
    material: &Material<'_>,
    settings: &EncodeSettings,
    context: &Context<'_>,
    out: &Path,
) -> Result<Result<EncodedVideo, Reject>, TaskError> {
    // The encoder knows I/O errors only; the task's own error waits here.
    let cause: Mutex<Option<TaskError>> = Mutex::new(None);
    let keep = |error: TaskError| {
        let text = error.to_string();
        *cause.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        io::Error::other(text)
    };
    let result = match material {
        Material::Images => {
            let load = |frame: &&Frame| {
                let read = || context.read_source(&recording.source, &frame.file, &frame.digest);
                context.check_cancelled().and_then(|()| read()).map_err(keep)
            };
            uavgen_media::encode_video(frames.iter().map(load), settings, out)
        }
        Material::File { file, digest, frames } => {
            let keep_on = || context.check_cancelled().map_err(keep);
            context.with_source(&recording.source, file, digest, |path| {
                uavgen_media::encode_footage(path, frames, keep_on, settings, out)
            })?
        }
    };
    let cause = cause.into_inner().unwrap_or_else(PoisonError::into_inner);
    match result {
        Ok(encoded) => Ok(Ok(encoded)),
        Err(MediaError::NoFrames { skipped, first }) => Ok(Err(no_frames(recording, skipped, first.as_ref()))),
        Err(MediaError::DiskFull { path }) => Err(StoreError::DiskFull { path }.into()),
        Err(error) => {
            Err(cause.unwrap_or_else(|| TaskError::failed(format!("encode {}: {error}", recording.recording_id))))
        }
    }
}

fn no_frames(recording: &Recording, skipped: usize, first: Option<&uavgen_media::ImageFault>) -> Reject {
    let first = first.map_or_else(String::new, |fault| format!(", the first one: {fault}"));
    let detail = format!("none of {skipped} frames can be decoded{first}");
    Reject::quarantine(&recording.recording_id, "no_decodable_frame", detail).measured(skipped as f64, None)
}
