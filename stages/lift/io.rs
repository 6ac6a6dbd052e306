//! The shell: masks, depth and poses in, instances and all that is said of them out.

use super::config::LiftConfig;
use super::pure::{ClassTable, Foreign, add_headings, fragment_rows, times};
use super::pure::{arrangement_rows, oriented_box_rows, relation_rows};
use crate::posed::{by_id, calibrations, depth_maps, frames_in_order};
use std::collections::BTreeMap;
use uavgen_core::{Context, InputPart, TaskError};
use uavgen_geometry::{Intrinsics, Transform};
use uavgen_lifting::{FragmentReason, Lifted, Raster, SeenFrame, Standing, View, associate, lift_view, relate};
use uavgen_media::{decode_labels, read_floats};
use uavgen_schemas::{
    Arrangement, DepthMap, Fragment, Frame, Instance, Mask, MaskClass, OrientedBox, Pose, Recording, Reject, Relation,
};

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
    let rows = if masks.is_empty() { Rows::default() } else { lift_all(config, context, masks)? };
    context.write::<Instance>(rows.instances)?;
    context.write::<Fragment>(rows.fragments)?;
    context.write::<Relation>(rows.relations)?;
    context.write::<Arrangement>(rows.arrangements)?;
    context.write::<OrientedBox>(rows.oriented_boxes)
}

/// What a task writes.
#[derive(Default)]
struct Rows {
    instances: Vec<Instance>,
    fragments: Vec<Fragment>,
    relations: Vec<Relation>,
    arrangements: Vec<Arrangement>,
    oriented_boxes: Vec<OrientedBox>,
}

/// What the mask of a frame shows.
#[derive(Default)]
struct Sight {
    lifted: Lifted,
    foreign: Vec<Foreign>,
}

fn lift_all(config: &LiftConfig, context: &mut Context<'_>, masks: Vec<Mask>) -> Result<Rows, TaskError> {
    let inputs = Inputs::read(context, masks)?;
    let classes: Vec<MaskClass> = context.read()?;
    let mut rows = Rows::default();
    for recording in context.read::<Recording>()? {
        let own = classes.iter().filter(|class| class.recording_id == recording.recording_id);
        lift(context, config, &recording, &ClassTable::new(own), &inputs, &mut rows)?;
    }
    Ok(rows)
}

impl Inputs {
    fn read(context: &Context<'_>, masks: Vec<Mask>) -> Result<Self, TaskError> {
        Ok(Self {
            frames: frames_in_order(context)?,
            cameras: calibrations(context)?,
            poses: by_id(context.read()?),
            masks: by_id(masks),
            depths: depth_maps(context, context.parts::<DepthMap>())?,
        })
    }
}

/// Ingest has checked it; only damage gets here.
fn inconsistent(error: impl std::fmt::Display) -> TaskError {
    TaskError::failed(format!("lift a frame: {error}"))
}

/// Adds the rows of a recording, frame by frame.
fn lift(
    context: &mut Context<'_>,
    config: &LiftConfig,
    recording: &Recording,
    classes: &ClassTable,
    inputs: &Inputs,
    rows: &mut Rows,
) -> Result<(), TaskError> {
    let own =
        |frame: &&Frame| frame.recording_id == recording.recording_id && inputs.masks.contains_key(&frame.frame_id);
    let frames: Vec<&Frame> = inputs.frames.iter().filter(own).collect();
    context.count_read(MASKED_FRAME, frames.len() as u64);
    let mut sights: Vec<Sight> = Vec::with_capacity(frames.len());
    for frame in &frames {
        context.check_cancelled()?;
        sights.push(lift_frame(context, config, recording, classes, inputs, frame)?);
    }
    reject_foreign(context, recording, &sights);
    for (frame, sight) in frames.iter().zip(&sights) {
        let instances = &sight.lifted.instances;
        let least = config.min_fragment_pixels;
        rows.fragments.extend(fragment_rows(classes, frame, &sight.lifted.fragments, &sight.foreign, least));
        let standing: Vec<Standing> = instances.iter().map(Standing::from).collect();
        let found = relate(&standing, &config.relations()).map_err(inconsistent)?;
        rows.relations.extend(relation_rows(frame, &found));
        rows.arrangements.extend(arrangement_rows(frame, &found));
        rows.oriented_boxes.extend(oriented_box_rows(frame, instances));
    }
    rows.instances.extend(instances(config, classes, &frames, &times(&frames, recording.source_fps), &sights));
    Ok(())
}

/// Counts the values and colours that no class has, over all frames of a recording.
fn reject_foreign(context: &mut Context<'_>, recording: &Recording, sights: &[Sight]) {
    let mut pixels: BTreeMap<&str, u64> = BTreeMap::new();
    for foreign in sights.iter().flat_map(|sight| &sight.foreign) {
        *pixels.entry(&foreign.label).or_default() += foreign.pixels;
    }
    for (label, pixels) in pixels {
        let record_id = format!("{}#{label}", recording.recording_id);
        let detail = "the masks have a value or colour that no class has; its pixels are nothing";
        context.reject(Reject::rule(record_id, "unknown_class", detail).measured(pixels as f64, None));
    }
}

/// The rows of the instances of a recording, one object with one id over all frames.
fn instances(
    config: &LiftConfig,
    classes: &ClassTable,
    frames: &[&Frame],
    times: &[f64],
    sights: &[Sight],
) -> Vec<Instance> {
    let seen = |(time_s, sight): (&f64, &Sight)| SeenFrame {
        time_s: *time_s,
        seen: sight.lifted.instances.iter().map(|one| classes.seen(one)).collect(),
    };
    let seen: Vec<SeenFrame> = times.iter().zip(sights).map(seen).collect();
    let objects = associate(&seen, &config.association());
    let (mut rows, mut row_times) = (Vec::new(), Vec::new());
    for (((frame, time), sight), objects) in frames.iter().zip(times).zip(sights).zip(&objects) {
        for (position, (one, object)) in sight.lifted.instances.iter().zip(objects).enumerate() {
            rows.push(classes.row(frame, position, *object, one));
            row_times.push(*time);
        }
    }
    add_headings(&mut rows, &row_times, config.least_motion_m, config.max_unseen_s);
    rows
}

/// What the mask of a frame shows; nothing, with a reject, where something of it is missing or broken.
fn lift_frame(
    context: &mut Context<'_>,
    config: &LiftConfig,
    recording: &Recording,
    classes: &ClassTable,
    inputs: &Inputs,
    frame: &Frame,
) -> Result<Sight, TaskError> {
    let id = frame.frame_id.as_str();
    let (Some(mask), Some(pose)) = (inputs.masks.get(id), inputs.poses.get(id)) else {
        return Err(inconsistent(format!("{id} has a mask and no pose")));
    };
    let Some((part, depth)) = inputs.depths.get(id) else {
        context.reject(Reject::rule(id, "no_depth", "the frame has a mask and no depth: see the rejects of depth"));
        return Ok(Sight::default());
    };
    let intrinsics = inputs.cameras.get(&pose.camera_id);
    let intrinsics = intrinsics.ok_or_else(|| inconsistent(format!("{id} was taken by no camera there is")))?;
    let width = intrinsics.size().width_px() as usize;
    let (labels, foreign) = match decode_labels(&context.read_source(&recording.source, &mask.file, &mask.digest)?) {
        Ok(labels) => classes.values(labels, width),
        Err(fault) => {
            let detail = format!("{}: {fault}", mask.file);
            context.quarantine(MASKED_FRAME, Reject::quarantine(id, fault.reason(), detail));
            return Ok(Sight::default());
        }
    };
    let (path, _) = part.blob_file(&depth.floats_path)?;
    let (_, _, depths) = read_floats(&path).map_err(inconsistent)?;
    let view = View {
        labels: Raster::new(intrinsics.size(), &labels).map_err(inconsistent)?,
        depth: Raster::new(intrinsics.size(), &depths).map_err(inconsistent)?,
        intrinsics,
        world_from_camera: Transform::try_from(pose).map_err(inconsistent)?,
        ground: None,
    };
    let lifted = lift_view(&view, &classes.classes(), &config.lift()).map_err(inconsistent)?;
    for fragment in &lifted.fragments {
        context.note(note(fragment.reason), 1);
    }
    Ok(Sight { lifted, foreign })
}

/// What the report calls pieces of masks that are no instance.
fn note(reason: FragmentReason) -> &'static str {
    match reason {
        FragmentReason::TooSmall => "pieces_of_masks_too_small",
        FragmentReason::TooThin => "pieces_of_masks_too_thin",
        FragmentReason::LooseRegion => "pieces_of_masks_round_smaller_ones",
        FragmentReason::NoDepth => "pieces_of_masks_without_depth",
        FragmentReason::NoGround => "pieces_of_masks_above_no_ground",
    }
}
