//! The shell: groups of clips in, joined videos and their plans out.

use super::pure::{self, Member, WrittenFile};
use crate::{encoding, sampling};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use uavgen_core::{Context, Digests, StoreError, TaskError};
use uavgen_media::{EncodeSettings, MediaError, Part, Placement, assemble, join_on_canvas};
use uavgen_schemas::{
    Clip, ClipFrame, ClipSegment, StitchGroup, StitchedClip, StitchedFrame, StitchedSample, StitchedSegment, Video,
};

/// Kind of input: a group of clips.
const GROUP: &str = "group";

/// The clips of the bucket that are to be joined.
struct Clips {
    members: BTreeMap<String, Member>,
    files: BTreeMap<String, PathBuf>,
    videos: BTreeMap<String, Video>,
}

/// Does one task.
pub(super) fn run(context: &mut Context<'_>) -> Result<(), TaskError> {
    let groups: Vec<StitchGroup> = context.read()?;
    context.count_read(GROUP, groups.len() as u64);
    let clips = Clips::read(context, &groups)?;
    let mut stitched: Vec<(Clip, Vec<ClipSegment>, Vec<&Member>)> = Vec::new();
    for group in &groups {
        context.check_cancelled()?;
        let members = clips.of(group)?;
        let file = clips.join(context, group, &members)?;
        let clip_id = pure::clip_id(&file.digest, &members);
        let row = pure::clip_row(&clip_id, group, &members, &file);
        stitched.push((row, pure::segment_rows(&clip_id, &members, &file), members));
    }
    stitched.sort_by(|a, b| a.0.clip_id.cmp(&b.0.clip_id));
    let all = || stitched.iter();
    context.write(all().map(|(clip, _, _)| StitchedClip(clip.clone())))?;
    context.write(all().flat_map(|(_, segments, _)| segments.iter().cloned().map(StitchedSegment)))?;
    context.write(all().flat_map(|(clip, _, members)| pure::frame_rows(&clip.clip_id, members).map(StitchedFrame)))?;
    context.write(all().flat_map(|(clip, _, _)| sampling::samples(clip)).map(StitchedSample))
}

impl Clips {
    /// Reads those of the groups, sequence by sequence.
    fn read(context: &Context<'_>, groups: &[StitchGroup]) -> Result<Self, TaskError> {
        let wanted: BTreeSet<&str> = groups.iter().flat_map(|group| &group.clip_ids).map(String::as_str).collect();
        let videos = context.read::<Video>()?.into_iter().map(|video| (video.video_id.clone(), video)).collect();
        let mut clips = Self { members: BTreeMap::new(), files: BTreeMap::new(), videos };
        for part in context.parts::<Clip>() {
            let mut found = context.read_part::<Clip>(part)?;
            found.retain(|clip| wanted.contains(clip.clip_id.as_str()));
            if found.is_empty() {
                continue;
            }
            let mut segments: BTreeMap<String, ClipSegment> = BTreeMap::new();
            for segment in context.read_partition::<ClipSegment>(&part.partition)? {
                segments.insert(segment.clip_id.clone(), segment);
            }
            let mut frames: BTreeMap<String, Vec<ClipFrame>> = BTreeMap::new();
            for frame in context.read_partition::<ClipFrame>(&part.partition)? {
                if wanted.contains(frame.clip_id.as_str()) {
                    frames.entry(frame.clip_id.clone()).or_default().push(frame);
                }
            }
            for clip in found {
                let video = context.parts::<Video>().iter().find(|video| video.partition == part.partition);
                let holder = if clip.has_own_file() { Some(part) } else { video };
                let (Some(holder), Some(segment)) = (holder, segments.remove(&clip.clip_id)) else {
                    return Err(missing(&clip.clip_id));
                };
                let mut frames = frames.remove(&clip.clip_id).unwrap_or_default();
                frames.sort_by_key(|frame| frame.clip_frame);
                clips.files.insert(clip.clip_id.clone(), holder.blob_file(&clip.path)?.0);
                clips.members.insert(clip.clip_id.clone(), Member { clip, segment, frames });
            }
        }
        Ok(clips)
    }

    fn of(&self, group: &StitchGroup) -> Result<Vec<&Member>, TaskError> {
        group.clip_ids.iter().map(|id| self.members.get(id).ok_or_else(|| missing(id))).collect()
    }

    /// Writes the file of a group.
    fn join(
        &self,
        context: &mut Context<'_>,
        group: &StitchGroup,
        members: &[&Member],
    ) -> Result<WrittenFile, TaskError> {
        let first = members.first().and_then(|member| self.videos.get(&member.segment.video_id));
        let settings = encoding::settings(first.ok_or_else(|| missing(&group.stitch_id))?)?;
        let files: Vec<PathBuf> =
            members.iter().filter_map(|member| self.files.get(&member.clip.clip_id).cloned()).collect();
        // Its name follows from what is in it.
        let unnamed = "clips/new.mp4";
        let out = context.blob(unnamed)?;
        let canvas = (group.width as u32, group.height as u32);
        let made = match group.alike {
            true => copy(members, files, settings, &out),
            false => join_on_canvas(&files, canvas, &settings, &out)
                .map(|joined| joined.into_iter().map(|video| (video.placement, video.frame_count)).collect()),
        };
        let made = made.map_err(|error| failed(members, error))?;
        let whole = |(member, (_, count)): (&&Member, &(Placement, usize))| {
            member.clip.frame_count == *count as i64 && member.frames.len() == *count
        };
        if !members.iter().zip(&made).all(whole) {
            return Err(TaskError::failed(format!("group {} has other frames than its clips", group.stitch_id)));
        }
        let joined = made.iter().map(|(placement, _)| (*placement, !group.alike)).collect();
        let Digests { bytes, blake3: digest, .. } = context.blob_digests(unnamed)?;
        context.rename_blob(unnamed, &Clip::own_path(&pure::clip_id(&digest, members)))?;
        Ok(WrittenFile { digest, byte_count: i64::try_from(bytes).unwrap_or(i64::MAX), joined })
    }
}

/// Copies the packets of clips that were encoded alike.
fn copy(
    members: &[&Member],
    files: Vec<PathBuf>,
    settings: EncodeSettings,
    out: &Path,
) -> Result<Vec<(Placement, usize)>, MediaError> {
    let part = |(member, video): (&&Member, PathBuf)| {
        let frame_count = member.clip.frame_count as usize;
        Part { video, first_frame: 0, frame_count, settings }
    };
    let parts: Vec<Part> = members.iter().zip(files).map(part).collect();
    assemble(&parts, out)?;
    let whole = |member: &&Member| {
        let (x2, y2) = (member.clip.width as u32, member.clip.height as u32);
        (Placement { x1: 0, y1: 0, x2, y2 }, member.clip.frame_count as usize)
    };
    Ok(members.iter().map(whole).collect())
}

fn failed(members: &[&Member], error: MediaError) -> TaskError {
    let recordings: Vec<&str> = members.iter().map(|member| member.segment.recording_id.as_str()).collect();
    match error {
        MediaError::DiskFull { path } => StoreError::DiskFull { path }.into(),
        error => TaskError::failed(format!("join clips of {}: {error}", recordings.join(", "))),
    }
}

fn missing(clip_id: &str) -> TaskError {
    TaskError::failed(format!("the plan names {clip_id}, whose clip, segment, frames or video is not there"))
}
