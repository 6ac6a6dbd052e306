//! The shell: clips and the scenes of their recordings in, questions out.

use super::config::ClipQaConfig;
use super::pure::subject::ClipSubject;
use super::pure::{Setting, ask_clip};
use super::task::Task;
use crate::asking::templates::Templates;
use std::collections::{BTreeMap, BTreeSet};
use uavgen_core::{Context, Partition, StageDefinition, TaskError};
use uavgen_programs::{FrameRate, Scene, SceneError, SceneFrame};
use uavgen_schemas::{
    Box2d, Clip, ClipFrame, ClipKind, ClipPool, ClipQaItem, ClipSegment, Frame, QaItem, Record, Recording, Region,
    Reject, RejectKind, Selection, StitchedClip, StitchedFrame, StitchedSegment,
};

/// Kind of input: a clip that questions are looked for on, with the records of its frames.
const CLIP: &str = "clip";

/// A clip with its plan.
struct Planned {
    clip: Clip,
    /// Frames of each segment.
    lengths: Vec<u32>,
    fills: bool,
    /// Its frames by position.
    frames: BTreeMap<i64, String>,
}

/// The recordings of the bucket, each with the partition that has its records.
type Recordings = BTreeMap<String, (Recording, Partition)>;

pub(super) fn run(config: &ClipQaConfig, context: &mut Context) -> Result<(), TaskError> {
    let templates = Templates::<Task>::embedded();
    let stage_version = super::ClipQa::INFO.version;
    let setting = Setting { config, templates: &templates, seed: context.seed(), stage_version };
    let mut recordings = Recordings::new();
    for part in context.parts::<Recording>() {
        for row in context.read_part::<Recording>(part)? {
            recordings.insert(row.recording_id.clone(), (row, part.partition.clone()));
        }
    }
    let mut items: Vec<QaItem> = Vec::new();
    for part in context.parts::<Clip>().to_vec() {
        for planned in whole_recordings(context, &part.partition)? {
            ask(context, &setting, &recordings, &planned, &mut items)?;
        }
    }
    for planned in joined(context)? {
        ask(context, &setting, &recordings, &planned, &mut items)?;
    }
    items.sort_by(|a, b| (&a.clip_id, &a.task, &a.id).cmp(&(&b.clip_id, &b.task, &b.id)));
    context.write(items.into_iter().map(ClipQaItem))
}

/// Single clips that are samples, and long clips, of one sequence: each file once, for a recording may be both.
fn whole_recordings(context: &Context, partition: &Partition) -> Result<Vec<Planned>, TaskError> {
    let mut clips = context.read_partition::<Clip>(partition)?;
    clips.retain(|clip| clip.kind == ClipKind::Long || clip.pool == Some(ClipPool::Sample));
    clips.sort_by_key(|clip| clip.kind);
    let mut files: BTreeSet<String> = BTreeSet::new();
    clips.retain(|clip| files.insert(clip.path.clone()));
    let planned = |clip: Clip| Planned {
        lengths: vec![u32::try_from(clip.frame_count).unwrap_or(0)],
        fills: true,
        frames: BTreeMap::new(),
        clip,
    };
    let mut planned: BTreeMap<String, Planned> =
        clips.into_iter().map(|clip| (clip.clip_id.clone(), planned(clip))).collect();
    if planned.is_empty() {
        return Ok(Vec::new());
    }
    for frame in context.read_partition::<ClipFrame>(partition)? {
        if let Some(planned) = planned.get_mut(&frame.clip_id) {
            planned.frames.insert(frame.clip_frame, frame.frame_id);
        }
    }
    Ok(planned.into_values().collect())
}

/// The clips of several places.
fn joined(context: &Context) -> Result<Vec<Planned>, TaskError> {
    let mut planned: BTreeMap<String, Planned> = BTreeMap::new();
    for StitchedClip(clip) in context.read::<StitchedClip>()? {
        let new = Planned { lengths: Vec::new(), fills: true, frames: BTreeMap::new(), clip };
        planned.insert(new.clip.clip_id.clone(), new);
    }
    let mut segments: Vec<ClipSegment> = context.read::<StitchedSegment>()?.into_iter().map(Into::into).collect();
    segments.sort_by(|a, b| (&a.clip_id, a.position).cmp(&(&b.clip_id, b.position)));
    for segment in segments {
        let Some(planned) = planned.get_mut(&segment.clip_id) else { continue };
        planned.lengths.push(u32::try_from(segment.frame_count).unwrap_or(0));
        let edges = (segment.picture_x1, segment.picture_y1, segment.picture_x2, segment.picture_y2);
        planned.fills &= edges == (0, 0, planned.clip.width, planned.clip.height);
    }
    for part in context.parts::<StitchedFrame>() {
        // Of a row only the id of its frame is kept.
        for rows in part.reader::<StitchedFrame>()? {
            for StitchedFrame(frame) in rows? {
                if let Some(planned) = planned.get_mut(&frame.clip_id) {
                    planned.frames.insert(frame.clip_frame, frame.frame_id);
                }
            }
        }
    }
    Ok(planned.into_values().collect())
}

/// Asks about one clip. Its scene is built, asked about and forgotten.
fn ask(
    context: &mut Context,
    setting: &Setting,
    recordings: &Recordings,
    planned: &Planned,
    items: &mut Vec<QaItem>,
) -> Result<(), TaskError> {
    context.check_cancelled()?;
    context.count_read(CLIP, 1);
    let scene = match scene(context, &setting.config.suite, recordings, planned)? {
        Ok(scene) => scene,
        Err(problem) => {
            context.quarantine(CLIP, inconsistent(&planned.clip.clip_id, problem));
            return Ok(());
        }
    };
    let of_clip = planned.clip.recording_ids.iter().filter_map(|id| recordings.get(id).map(|(recording, _)| recording));
    let subject = ClipSubject { clip: &planned.clip, recordings: of_clip.collect(), scene, fills: planned.fills };
    let asked = ask_clip(setting, &subject);
    asked.rejects.into_iter().for_each(|reject| context.reject(reject));
    items.extend(asked.items);
    Ok(())
}

/// The scene of a clip, or what is wrong with its records. Each sequence is read once.
fn scene(
    context: &Context,
    suite: &str,
    recordings: &Recordings,
    planned: &Planned,
) -> Result<Result<Scene, String>, TaskError> {
    let wanted: BTreeSet<&str> = planned.frames.values().map(String::as_str).collect();
    let mut built: BTreeMap<String, SceneFrame> = BTreeMap::new();
    for id in &planned.clip.recording_ids {
        let Some((_, partition)) = recordings.get(id) else { return Ok(Err(format!("there is no recording {id}"))) };
        match scene_frames(context, suite, partition, &wanted, &mut built)? {
            Ok(()) => {}
            Err(error) => return Ok(Err(error.to_string())),
        }
    }
    let mut frames = Vec::with_capacity(planned.frames.len());
    for id in planned.frames.values() {
        match built.remove(id) {
            Some(frame) => frames.push(frame),
            None => return Ok(Err(format!("frame {id} has no record, or no selection, or the clip shows it twice"))),
        }
    }
    let number = |value: i64| u32::try_from(value).unwrap_or(0);
    let fps = FrameRate { num: number(planned.clip.fps_num), den: number(planned.clip.fps_den) };
    Ok(Scene::of_clip(frames, &planned.lengths, fps).map_err(|error| error.to_string()))
}

/// Adds the scenes of the wanted frames of a sequence.
fn scene_frames(
    context: &Context,
    suite: &str,
    partition: &Partition,
    wanted: &BTreeSet<&str>,
    built: &mut BTreeMap<String, SceneFrame>,
) -> Result<Result<(), SceneError>, TaskError> {
    let mut boxes = by_frame(context.read_partition::<Box2d>(partition)?, wanted, |row| &row.frame_id);
    let mut regions = by_frame(context.read_partition::<Region>(partition)?, wanted, |row| &row.frame_id);
    let mut selections = context.read_partition::<Selection>(partition)?;
    let of_frames = !selections.is_empty();
    selections.retain(|selection| selection.suite == suite);
    if of_frames && selections.is_empty() {
        return Err(TaskError::failed(format!(
            "the filter has no rules for suite `{suite}`: write [filter.suites.{suite}], or set `suite` under [clip_qa] to one it has"
        )));
    }
    let selections = by_frame(selections, wanted, |row| &row.frame_id);
    for frame in context.read_partition::<Frame>(partition)? {
        let id = frame.frame_id.as_str();
        let Some([selection]) = selections.get(id).map(Vec::as_slice) else { continue };
        let (boxes, regions) = (boxes.remove(id).unwrap_or_default(), regions.remove(id).unwrap_or_default());
        match SceneFrame::new(&frame, &boxes, &regions, selection) {
            Ok(scene) => built.insert(frame.frame_id.clone(), scene),
            Err(error) => return Ok(Err(error)),
        };
    }
    Ok(Ok(()))
}

fn by_frame<R: Record>(
    rows: Vec<R>,
    wanted: &BTreeSet<&str>,
    frame_id: impl Fn(&R) -> &String,
) -> BTreeMap<String, Vec<R>> {
    let mut sorted: BTreeMap<String, Vec<R>> = BTreeMap::new();
    for row in rows {
        if wanted.contains(frame_id(&row).as_str()) {
            sorted.entry(frame_id(&row).clone()).or_default().push(row);
        }
    }
    sorted
}

/// A clip without a scene is left out by name.
fn inconsistent(clip_id: &str, problem: String) -> Reject {
    Reject {
        record_id: clip_id.to_owned(),
        kind: RejectKind::Quarantine,
        reason: "inconsistent_records".into(),
        value: None,
        limit: None,
        detail: problem,
    }
}
