//! The shell: masks, depth and what was lifted in, pictures and samples out.

use super::GenerationConfig;
use super::pure::facts::{self, Eye, Facts};
use super::pure::prompts::Prompts;
use super::pure::samples::samples;
use super::pure::segmentation::Palette;
use super::pure::view::Clip;
use crate::class_values::ClassValues;
use crate::posed::{by_id, calibrations, depth_maps, frames_in_order, grouped};
use rayon::prelude::*;
use std::collections::BTreeMap;
use uavgen_core::draw::{Draw, content_id};
use uavgen_core::{Context, InputPart, TaskError};
use uavgen_geometry::{Intrinsics, Transform};
use uavgen_media::{ImageFault, decode_grey16, decode_labels, encode_grey8, encode_labels};
use uavgen_schemas::{
    DepthMap, Fragment, Frame, GenerationSample, GenerationTriple, Instance, Mask, MaskClass, Pose, Recording, Reject,
};

/// Kind of input: a frame with a mask.
const MASKED_FRAME: &str = "masked frame";
/// Frames that are worked on at once.
const FRAMES_AT_ONCE: usize = 4;

/// The tables of a task.
struct Inputs {
    frames: Vec<Frame>,
    cameras: BTreeMap<String, Intrinsics>,
    poses: BTreeMap<String, Pose>,
    masks: BTreeMap<String, Mask>,
    depths: BTreeMap<String, (InputPart, DepthMap)>,
    instances: BTreeMap<String, Vec<Instance>>,
    fragments: BTreeMap<String, Vec<Fragment>>,
}

/// What holds for all frames of a recording.
struct Place<'a> {
    recording: &'a Recording,
    classes: ClassValues,
    palette: Palette,
    is_ground: Vec<bool>,
}

/// A frame with everything that is known of it.
struct Loaded<'a> {
    frame: &'a Frame,
    mask: Vec<u8>,
    depth_png: Vec<u8>,
    depth: &'a DepthMap,
    pose: &'a Pose,
    intrinsics: &'a Intrinsics,
    instances: Vec<&'a Instance>,
    fragments: Vec<&'a Fragment>,
}

/// What was made of a frame. Paths and digests of its files are filled in when they are written.
struct Made {
    triple: GenerationTriple,
    view: Vec<u8>,
    segmentation: Vec<u8>,
    facts: Facts,
}

/// The rows of a task.
#[derive(Default)]
struct Rows {
    triples: Vec<GenerationTriple>,
    samples: Vec<GenerationSample>,
}

/// Why nothing was made of a frame.
enum NotMade {
    /// Its mask cannot be decoded.
    Broken(ImageFault),
    /// Pixels of no class have no index left.
    NoIndex,
    /// Inputs contradict each other, which only damage explains.
    Inconsistent(String),
}

/// Does one task.
pub(super) fn run(config: &GenerationConfig, context: &mut Context<'_>) -> Result<(), TaskError> {
    let masks: Vec<Mask> = if config.enabled { context.read()? } else { Vec::new() };
    let mut rows = Rows::default();
    // Most recordings have none: their other tables are not read.
    if !masks.is_empty() {
        let (inputs, prompts) = (Inputs::read(context, masks)?, Prompts::embedded()?);
        let classes: Vec<MaskClass> = context.read()?;
        for recording in context.read::<Recording>()? {
            let own: Vec<&MaskClass> =
                classes.iter().filter(|class| class.recording_id == recording.recording_id).collect();
            of_recording(config, context, &recording, &own, &inputs, &prompts, &mut rows)?;
        }
    }
    context.write(rows.triples)?;
    context.write(rows.samples)
}

impl Inputs {
    fn read(context: &Context<'_>, masks: Vec<Mask>) -> Result<Self, TaskError> {
        Ok(Self {
            frames: frames_in_order(context)?,
            cameras: calibrations(context)?,
            poses: by_id(context.read()?),
            masks: by_id(masks),
            depths: depth_maps(context, context.parts::<DepthMap>())?,
            instances: grouped(context.read()?, |one: &Instance| &one.frame_id),
            fragments: grouped(context.read()?, |one: &Fragment| &one.frame_id),
        })
    }

    /// A frame with its files.
    fn load<'a>(&'a self, context: &Context<'_>, source: &str, frame: &'a Frame) -> Result<Loaded<'a>, TaskError> {
        let id = frame.frame_id.as_str();
        let (Some(mask), Some(pose), Some((part, depth))) =
            (self.masks.get(id), self.poses.get(id), self.depths.get(id))
        else {
            return Err(inconsistent(format!("{id} has a mask or depth, and no pose")));
        };
        let intrinsics = self.cameras.get(&pose.camera_id);
        let intrinsics = intrinsics.ok_or_else(|| inconsistent(format!("{id} was taken by no camera there is")))?;
        let (path, _) = part.blob_file(&depth.path)?;
        Ok(Loaded {
            frame,
            mask: context.read_source(source, &mask.file, &mask.digest)?,
            depth_png: std::fs::read(&path).map_err(inconsistent)?,
            depth,
            pose,
            intrinsics,
            instances: self.instances.get(id).map(|all| all.iter().collect()).unwrap_or_default(),
            fragments: self.fragments.get(id).map(|all| all.iter().collect()).unwrap_or_default(),
        })
    }
}

/// Stages before have checked it; only damage gets here.
fn inconsistent(error: impl std::fmt::Display) -> TaskError {
    TaskError::failed(format!("make the pictures of a frame: {error}"))
}

/// Adds what is made of the frames of a recording.
fn of_recording(
    config: &GenerationConfig,
    context: &mut Context<'_>,
    recording: &Recording,
    classes: &[&MaskClass],
    inputs: &Inputs,
    prompts: &Prompts,
    rows: &mut Rows,
) -> Result<(), TaskError> {
    let id = &recording.recording_id;
    let is_masked = |frame: &&Frame| frame.recording_id == *id && inputs.masks.contains_key(&frame.frame_id);
    let frames: Vec<&Frame> = inputs.frames.iter().filter(is_masked).collect();
    context.count_read(MASKED_FRAME, frames.len() as u64);
    let palette = match Palette::new(classes.iter().copied()) {
        _ if frames.is_empty() => return Ok(()),
        Ok(palette) => palette,
        Err(problem) => {
            let detail = format!("{problem}: a palette has 256 colours; no frame of the recording is used");
            context.reject(Reject::rule(id, "too_many_classes", detail));
            return Ok(());
        }
    };
    let is_ground = facts::ground_values(classes.iter().copied());
    let place = Place { recording, classes: ClassValues::new(classes.iter().copied()), palette, is_ground };
    let (with_depth, without): (Vec<&Frame>, Vec<&Frame>) =
        frames.into_iter().partition(|frame| inputs.depths.contains_key(&frame.frame_id));
    for frame in without {
        let detail = "the frame has a mask and no depth: see the rejects of depth";
        context.reject(Reject::rule(&frame.frame_id, "no_depth", detail));
    }
    let draw = Draw::new(context.seed());
    for run in with_depth.chunks(FRAMES_AT_ONCE) {
        context.check_cancelled()?;
        let loaded: Result<Vec<Loaded<'_>>, TaskError> =
            run.iter().map(|frame| inputs.load(context, &recording.source, frame)).collect();
        let made: Vec<Result<Made, NotMade>> = loaded?.par_iter().map(|frame| make(config, &place, frame)).collect();
        for (frame, made) in run.iter().zip(made) {
            match made {
                Ok(made) => {
                    let (triple, facts) = store(context, frame, made)?;
                    rows.samples.extend(samples(&triple, &facts, prompts, &draw)?);
                    rows.triples.push(triple);
                }
                Err(problem) => refuse(context, frame, &inputs.masks, problem)?,
            }
        }
    }
    Ok(())
}

fn refuse(
    context: &mut Context<'_>,
    frame: &Frame,
    masks: &BTreeMap<String, Mask>,
    problem: NotMade,
) -> Result<(), TaskError> {
    let id = &frame.frame_id;
    match problem {
        NotMade::Broken(fault) => {
            let file = masks.get(id).map_or("", |mask| mask.file.as_str());
            context.quarantine(MASKED_FRAME, Reject::quarantine(id, fault.reason(), format!("{file}: {fault}")));
        }
        NotMade::NoIndex => {
            let detail = "256 classes, and pixels that are of none of them: a palette has 256 colours";
            context.reject(Reject::rule(id, "too_many_classes", detail));
        }
        NotMade::Inconsistent(problem) => return Err(inconsistent(format!("{id}: {problem}"))),
    }
    Ok(())
}

/// The pictures of a frame, encoded, and what is known of it.
fn make(config: &GenerationConfig, place: &Place<'_>, loaded: &Loaded<'_>) -> Result<Made, NotMade> {
    let inconsistent = |problem: String| NotMade::Inconsistent(problem);
    let Loaded { frame, depth, .. } = loaded;
    let (width, height, values) =
        decode_grey16(&loaded.depth_png).ok_or_else(|| inconsistent(format!("{} is no 16-bit PNG", depth.path)))?;
    let labels = decode_labels(&loaded.mask).map_err(NotMade::Broken)?;
    let indices = place.palette.indices(&place.classes.of(labels)).ok_or(NotMade::NoIndex)?;
    let pixels = frame.width * frame.height;
    if (i64::from(width), i64::from(height)) != (frame.width, frame.height) || indices.len() as i64 != pixels {
        let problem = format!("a depth of {width}x{height} and a mask of {} pixels", indices.len());
        return Err(inconsistent(format!("{problem}, the image is {}x{}", frame.width, frame.height)));
    }
    let clip = Clip::of(&values, depth.step_m, config.clip_share)
        .ok_or_else(|| inconsistent(format!("{} shows no surface", depth.path)))?;
    let encoding = |error: uavgen_media::MediaError| NotMade::Inconsistent(error.to_string());
    let view = encode_grey8(width, height, &clip.view(&values, depth.step_m, config.polarity)).map_err(encoding)?;
    let segmentation = encode_labels(width, height, &indices, &place.palette.colours()).map_err(encoding)?;
    let classes = place.palette.shown(&indices);
    let facts = facts_of(config, place, loaded, &values, &indices, &classes)?;
    let triple = GenerationTriple {
        frame_id: frame.frame_id.clone(),
        recording_id: frame.recording_id.clone(),
        group_id: frame.group_id.clone(),
        split: frame.split.clone(),
        licence: place.recording.licence.clone(),
        width: frame.width,
        height: frame.height,
        depth_view_path: String::new(),
        segmentation_path: String::new(),
        depth_digest: depth.digest.clone(),
        depth_step_m: depth.step_m,
        depth_min_m: depth.min_m,
        depth_max_m: depth.max_m,
        depth_mean_m: depth.mean_m,
        depth_known_share: depth.known_share,
        depth_view_digest: String::new(),
        depth_view_polarity: config.polarity,
        depth_view_near_m: clip.near_m,
        depth_view_far_m: clip.far_m,
        segmentation_digest: String::new(),
        classes,
    };
    Ok(Made { triple, view, segmentation, facts })
}

fn facts_of(
    config: &GenerationConfig,
    place: &Place<'_>,
    loaded: &Loaded<'_>,
    depth: &[u16],
    indices: &[u8],
    classes: &[uavgen_schemas::SegmentClass],
) -> Result<Facts, NotMade> {
    let inconsistent = |problem: String| NotMade::Inconsistent(problem);
    let world_from_camera = Transform::try_from(loaded.pose).map_err(|error| inconsistent(error.to_string()))?;
    let eye = Eye { intrinsics: loaded.intrinsics, world_from_camera };
    let is_ground = |at: usize| place.is_ground[usize::from(indices[at])];
    let seen = eye.height(depth, loaded.depth.step_m, is_ground);
    // The grid may miss the few pixels that show a surface.
    let (height_m, above) = seen.unwrap_or((loaded.depth.mean_m, facts::Above::Scene));
    let hundredths = |value: f64| (value * 100.0).round() / 100.0;
    let tilt_deg = eye.tilt_deg();
    Ok(Facts {
        view: facts::view(tilt_deg, config),
        tilt_deg: hundredths(tilt_deg),
        height_m: hundredths(height_m),
        above,
        objects: facts::counted(&loaded.instances, &loaded.fragments),
        areas: facts::areas(classes, config.least_area_share),
    })
}

/// Writes the two files of a frame.
fn store(context: &mut Context<'_>, frame: &Frame, made: Made) -> Result<(GenerationTriple, Facts), TaskError> {
    let Made { mut triple, view, segmentation, facts } = made;
    let folder = content_id(&["generation", &frame.recording_id]);
    let stem = format!("generation/{folder}/{:06}", frame.source_number);
    triple.depth_view_path = format!("{stem}.depth_view.png");
    triple.segmentation_path = format!("{stem}.segmentation.png");
    context.write_blob(&triple.depth_view_path, &view)?;
    context.write_blob(&triple.segmentation_path, &segmentation)?;
    triple.depth_view_digest = context.blob_digests(&triple.depth_view_path)?.blake3;
    triple.segmentation_digest = context.blob_digests(&triple.segmentation_path)?.blake3;
    Ok((triple, facts))
}
