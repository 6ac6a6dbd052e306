//! The shell of a video file: decoded once, with the subtitles beside it.

use super::super::pure::footage::{self, FoundVideo, TelemetryFault, TelemetryFile, VIDEO, VIDEO_FRAME};
use super::super::pure::{Origin, Scene};
use super::super::sources::dji_srt::Subtitles;
use super::super::sources::is_telemetry;
use super::options::TaskOptions;
use std::ops::ControlFlow;
use uavgen_core::{Context, SourceFile, TaskError};
use uavgen_media::{Footage, VideoFault, read_footage};

/// Kind of input: a subtitle file.
const TELEMETRY_FILE: &str = "telemetry file";
/// Kind of input: a block of one.
const TELEMETRY_BLOCK: &str = "telemetry block";

/// Reads the video of a task.
pub(super) fn scene(
    context: &mut Context<'_>,
    origin: &Origin,
    name: &str,
    options: &TaskOptions,
) -> Result<Scene, TaskError> {
    let (subtitles, videos): (Vec<SourceFile>, Vec<SourceFile>) =
        context.source_files().iter().cloned().partition(|file| is_telemetry(&file.file));
    // A recording that is kept in another split has no file here.
    let Some(video) = videos.first() else { return Ok(Scene::default()) };
    let telemetry: Vec<TelemetryFile> =
        subtitles.iter().map(|file| read_telemetry(context, origin, file)).collect::<Result<_, _>>()?;
    let footage = read_video(context, origin, video)?;
    count(context, &footage, &telemetry);
    let found = FoundVideo {
        name,
        group_id: &options.group_of(name),
        file: &video.file,
        digest: &video.digest,
        byte_count: video.stamp.size,
        footage,
        telemetry,
    };
    Ok(footage::scene(origin, &found))
}

fn read_video(
    context: &Context<'_>,
    origin: &Origin,
    video: &SourceFile,
) -> Result<Result<Footage, VideoFault>, TaskError> {
    if let Some(problem) = &video.unreadable {
        return Ok(Err(VideoFault::Unreadable { problem: problem.clone() }));
    }
    let mut outcome = Ok(());
    let read = context.with_source(&origin.source, &video.file, &video.digest, |path| {
        read_footage(path, |_| {
            outcome = context.check_cancelled();
            if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
    });
    outcome?;
    read
}

fn read_telemetry(context: &Context<'_>, origin: &Origin, file: &SourceFile) -> Result<TelemetryFile, TaskError> {
    let content = match &file.unreadable {
        Some(problem) => Err(TelemetryFault::Unreadable { problem: problem.clone() }),
        None => {
            let bytes = context.read_source(&origin.source, &file.file, &file.digest)?;
            Subtitles::parse(&bytes).map_err(TelemetryFault::from)
        }
    };
    Ok(TelemetryFile { file: file.file.clone(), content })
}

fn count(context: &mut Context<'_>, footage: &Result<Footage, VideoFault>, telemetry: &[TelemetryFile]) {
    context.count_read(VIDEO, 1);
    if let Ok(footage) = footage {
        let lost = footage.damage.as_ref().map_or(0, |damage| damage.lost);
        let unlisted = u64::from(footage.listed_frames.is_some_and(|listed| listed > footage.stored_frames));
        let decoded = (footage.frames.len() + footage.untimed.len()) as u64;
        context.count_read(VIDEO_FRAME, decoded + lost + unlisted);
    }
    context.count_read(TELEMETRY_FILE, telemetry.len() as u64);
    let blocks = telemetry.iter().filter_map(|file| file.content.as_ref().ok()).map(Subtitles::block_count).sum();
    context.count_read(TELEMETRY_BLOCK, blocks);
}
