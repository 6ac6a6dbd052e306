//! The shell: masks, depth and poses in, instances out.

use super::config::LiftConfig;
use super::pure::{ClassTable, add_headings, times};
use std::collections::BTreeMap;
use uavgen_core::{Context, InputPart, TaskError};
use uavgen_geometry::{Intrinsics, Transform};
use uavgen_lifting::{Instance as Lifted, Raster, RejectReason, SeenFrame, View, associate, lift_view};
use uavgen_media::{decode_labels, read_floats};
use uavgen_schemas::{Camera, DepthMap, Frame, Instance, Mask, MaskClass, Pose, Record, Recording, Reject};

/// Kind of input: a frame with a mask.
const MASKED_FRAME: &str = "masked frame";

/// The tables of a task.
struct Inputs {
    frames: Vec<Frame>,
    cameras: BTreeMap<String, Intrinsics>,
    poses: BTreeMap<String, Pose>,
    masks: BTreeMap<String, Mask>,
    depths: BTreeMap<String, (InputPart, DepthMap)>,
}

/// Does one task.
pub(super) fn run(config: &LiftConfig, context: &mut Context<'_>) -> Result<(), TaskError> {
    let masks: Vec<Mask> = if config.enabled { context.read()? } else { Vec::new() };
    // Most recordings have none: their other tables are not read.
    let rows = if masks.is_empty() { Vec::new() } else { lift_all(config, context, masks)? };
    context.write::<Instance>(rows)
}

fn lift_all(config: &LiftConfig, context: &mut Context<'_>, masks: Vec<Mask>) -> Result<Vec<Instance>, TaskError> {
    let inputs = Inputs::read(context, masks)?;
    let classes: Vec<MaskClass> = context.read()?;
    let mut rows = Vec::new();
    for recording in context.read::<Recording>()? {
        let own = classes.iter().filter(|class| class.recording_id == recording.recording_id);
        rows.extend(lift(context, config, &recording, &ClassTable::new(own), &inputs)?);
    }
    Ok(rows)
}

impl Inputs {
    fn read(context: &Context<'_>, masks: Vec<Mask>) -> Result<Self, TaskError> {
        let mut frames: Vec<Frame> = context.read()?;
        frames.sort_by(|a, b| (&a.recording_id, a.index).cmp(&(&b.recording_id, b.index)));
        let mut cameras = BTreeMap::new();
        for row in context.read::<Camera>()? {
            let intrinsics = Intrinsics::try_from(&row).map_err(inconsistent)?;
            cameras.insert(row.camera_id, intrinsics);
        }
        let mut depths = BTreeMap::new();
        for part in context.parts::<DepthMap>() {
            for row in context.read_part::<DepthMap>(part)? {
                depths.insert(row.frame_id.clone(), (part.clone(), row));
            }
        }
        Ok(Self { frames, cameras, poses: by_id(context.read()?), masks: by_id(masks), depths })
    }
}

fn by_id<R: Record>(rows: Vec<R>) -> BTreeMap<String, R> {
    rows.into_iter().map(|row| (row.id().to_owned(), row)).collect()
}

/// Ingest has checked it; only damage gets here.
fn inconsistent(error: impl std::fmt::Display) -> TaskError {
    TaskError::failed(format!("lift a frame: {error}"))
}

/// The instances of a recording, frame by frame.
fn lift(
    context: &mut Context<'_>,
    config: &LiftConfig,
    recording: &Recording,
    classes: &ClassTable,
    inputs: &Inputs,
) -> Result<Vec<Instance>, TaskError> {
    let own =
        |frame: &&Frame| frame.recording_id == recording.recording_id && inputs.masks.contains_key(&frame.frame_id);
    let frames: Vec<&Frame> = inputs.frames.iter().filter(own).collect();
    context.count_read(MASKED_FRAME, frames.len() as u64);
    let mut unknown = BTreeMap::new();
    let mut lifted: Vec<Vec<Lifted>> = Vec::with_capacity(frames.len());
    for frame in &frames {
        context.check_cancelled()?;
        lifted.push(lift_frame(context, config, recording, classes, inputs, frame, &mut unknown)?);
    }
    for (label, pixels) in unknown {
        let record_id = format!("{}#{label}", recording.recording_id);
        let detail = "the masks have a value or colour that no class has; its pixels are nothing";
        context.reject(Reject::rule(record_id, "unknown_class", detail).measured(pixels as f64, None));
    }
    let times = times(&frames, recording.source_fps);
    let seen = |(time_s, lifted): (&f64, &Vec<Lifted>)| SeenFrame {
        time_s: *time_s,
        seen: lifted.iter().map(|one| classes.seen(one)).collect(),
    };
    let seen: Vec<SeenFrame> = times.iter().zip(&lifted).map(seen).collect();
    let objects = associate(&seen, &config.association());
    let (mut rows, mut row_times) = (Vec::new(), Vec::new());
    for (((frame, time), lifted), objects) in frames.iter().zip(&times).zip(&lifted).zip(&objects) {
        for (position, (one, object)) in lifted.iter().zip(objects).enumerate() {
            rows.push(classes.row(frame, position, *object, one));
            row_times.push(*time);
        }
    }
    add_headings(&mut rows, &row_times, config.least_motion_m, config.max_unseen_s);
    Ok(rows)
}

/// The objects of a frame; none, with a reject, where something of it is missing or broken.
fn lift_frame(
    context: &mut Context<'_>,
    config: &LiftConfig,
    recording: &Recording,
    classes: &ClassTable,
    inputs: &Inputs,
    frame: &Frame,
    unknown: &mut BTreeMap<String, u64>,
) -> Result<Vec<Lifted>, TaskError> {
    let id = frame.frame_id.as_str();
    let (Some(mask), Some(pose)) = (inputs.masks.get(id), inputs.poses.get(id)) else {
        return Err(inconsistent(format!("{id} has a mask and no pose")));
    };
    let Some((part, depth)) = inputs.depths.get(id) else {
        context.reject(Reject::rule(id, "no_depth", "the frame has a mask and no depth: see the rejects of depth"));
        return Ok(Vec::new());
    };
    let labels = match decode_labels(&context.read_source(&recording.source, &mask.file, &mask.digest)?) {
        Ok(labels) => classes.values(labels, unknown),
        Err(fault) => {
            let detail = format!("{}: {fault}", mask.file);
            context.quarantine(MASKED_FRAME, Reject::quarantine(id, fault.reason(), detail));
            return Ok(Vec::new());
        }
    };
    let intrinsics = inputs.cameras.get(&pose.camera_id);
    let intrinsics = intrinsics.ok_or_else(|| inconsistent(format!("{id} was taken by no camera there is")))?;
    let (path, _) = part.blob_file(&depth.floats_path)?;
    let (_, _, depths) = read_floats(&path).map_err(inconsistent)?;
    let view = View {
        labels: Raster::new(intrinsics.size(), &labels).map_err(inconsistent)?,
        depth: Raster::new(intrinsics.size(), &depths).map_err(inconsistent)?,
        intrinsics,
        world_from_camera: Transform::try_from(pose).map_err(inconsistent)?,
        ground: None,
    };
    let found = lift_view(&view, &classes.classes(), &config.lift()).map_err(inconsistent)?;
    for (reason, count) in &found.rejects {
        context.note(note(*reason), u64::from(*count));
    }
    Ok(found.instances)
}

/// What the report calls pieces of masks that are no instance.
fn note(reason: RejectReason) -> &'static str {
    match reason {
        RejectReason::TooSmall => "pieces_of_masks_too_small",
        RejectReason::TooThin => "pieces_of_masks_too_thin",
        RejectReason::LooseRegion => "pieces_of_masks_round_smaller_ones",
        RejectReason::NoDepth => "pieces_of_masks_without_depth",
        RejectReason::NoGround => "pieces_of_masks_above_no_ground",
    }
}
