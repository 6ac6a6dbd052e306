//! The shell: the posed and lifted frames of a sequence in, questions out.

use super::config::SpaceQaConfig;
use super::pure::subject::{ClassNames, Subject};
use super::pure::{Asked, Setting, ask, pairs};
use super::taxonomy::Taxonomy;
use crate::posed::{by_id, frames_in_order, grouped};
use std::collections::{BTreeMap, BTreeSet};
use uavgen_core::{Context, Draw, StageDefinition, TaskError};
use uavgen_programs::wording::lifted::{can_be_said, class_word};
use uavgen_programs::{Scene, SceneError, SceneFrame};
use uavgen_schemas::{
    Camera, ClassKind, Fragment, Frame, Instance, Mask, MaskClass, Pose, Recording, Reject, SpaceQaItem,
};

/// Kind of input: a frame that questions are looked for on, with its records.
const FRAME: &str = "posed frame with a mask";

pub(super) fn run(config: &SpaceQaConfig, context: &mut Context) -> Result<(), TaskError> {
    let masks: BTreeSet<String> = if config.enabled {
        context.read::<Mask>()?.into_iter().map(|mask| mask.frame_id).collect()
    } else {
        BTreeSet::new()
    };
    let items = if masks.is_empty() { Vec::new() } else { ask_all(config, context, &masks)? };
    context.write(items)
}

/// The tables of a task, by what they belong to.
struct Rows {
    frames: BTreeMap<String, Vec<Frame>>,
    cameras: BTreeMap<String, Camera>,
    poses: BTreeMap<String, Pose>,
    instances: BTreeMap<String, Vec<Instance>>,
    fragments: BTreeMap<String, Vec<Fragment>>,
}

fn ask_all(
    config: &SpaceQaConfig,
    context: &mut Context,
    masks: &BTreeSet<String>,
) -> Result<Vec<SpaceQaItem>, TaskError> {
    let taxonomy = Taxonomy::embedded();
    let templates = taxonomy.templates();
    let stage_version = super::SpaceQa::INFO.version;
    let setting = Setting { config, taxonomy: &taxonomy, templates: &templates, seed: context.seed(), stage_version };
    let mut frames = frames_in_order(context)?;
    frames.retain(|frame| masks.contains(&frame.frame_id));
    let mut rows = Rows {
        frames: grouped(frames, |frame| &frame.recording_id),
        cameras: by_id(context.read()?),
        poses: by_id(context.read()?),
        instances: grouped(context.read()?, |row: &Instance| &row.frame_id),
        fragments: grouped(context.read()?, |row: &Fragment| &row.frame_id),
    };
    let classes: Vec<MaskClass> = context.read()?;
    let mut recordings: Vec<Recording> = context.read()?;
    recordings.sort_by(|a, b| a.recording_id.cmp(&b.recording_id));
    let mut items = Vec::new();
    for recording in &recordings {
        let frames = rows.frames.remove(&recording.recording_id).unwrap_or_default();
        let own = classes.iter().filter(|class| class.recording_id == recording.recording_id);
        if let Some(reject) = unsayable(recording, own.clone()) {
            context.reject(reject);
            continue;
        }
        ask_recording(context, &setting, &class_names(own), recording, &frames, &mut rows, &mut items)?;
    }
    Ok(items)
}

/// Why nothing is asked about a recording: a class of objects or ground whose name is no word, or the word of another one.
fn unsayable<'a>(recording: &Recording, classes: impl Iterator<Item = &'a MaskClass>) -> Option<Reject> {
    let mut words: BTreeSet<String> = BTreeSet::new();
    let fault = classes
        .filter(|class| class.kind != ClassKind::Stuff)
        .find(|class| !can_be_said(&class.name) || !words.insert(class_word(&class.name)))?;
    let detail = format!("no question can say the name of class {:?}; give it another one in the source", fault.name);
    Some(Reject::rule(&recording.recording_id, "unsayable_class", detail))
}

fn class_names<'a>(classes: impl Iterator<Item = &'a MaskClass>) -> ClassNames {
    let mut names = ClassNames::default();
    for class in classes {
        match class.kind {
            ClassKind::Thing | ClassKind::Moving => _ = names.objects.insert(class.name.clone()),
            ClassKind::Ground => _ = names.grounds.insert(class.name.clone()),
            ClassKind::Stuff => {}
        }
    }
    names
}

fn ask_recording(
    context: &mut Context,
    setting: &Setting,
    classes: &ClassNames,
    recording: &Recording,
    frames: &[Frame],
    rows: &mut Rows,
    items: &mut Vec<SpaceQaItem>,
) -> Result<(), TaskError> {
    context.count_read(FRAME, frames.len() as u64);
    let (mut shown, mut scenes) = (Vec::new(), Vec::new());
    for frame in frames {
        match scene(frame, rows) {
            Ok(Some(scene)) => {
                shown.push(frame);
                scenes.push(scene);
            }
            // Its depth is on record as missing.
            Ok(None) => {}
            Err(error) => {
                let reject = Reject::quarantine(&frame.frame_id, "inconsistent_records", error.to_string());
                context.quarantine(FRAME, reject);
            }
        }
    }
    let pairs = pairs::pairs(&scenes, setting.config, &Draw::new(setting.seed));
    let singles = (0..scenes.len()).map(|position| vec![position]);
    for positions in singles.chain(pairs.into_iter().map(|(first, second)| vec![first, second])) {
        context.check_cancelled()?;
        let scene = Scene::new(positions.iter().map(|&position| scenes[position].clone()).collect());
        let scene = scene.map_err(|error| TaskError::failed(error.to_string()))?;
        let subject = Subject::new(recording, positions.iter().map(|&position| shown[position]).collect(), scene);
        let Asked { items: asked, rejects } = ask(setting, classes, &subject);
        rejects.into_iter().for_each(|reject| context.reject(reject));
        items.extend(asked.into_iter().map(SpaceQaItem));
    }
    Ok(())
}

/// The scene of a frame; null of one that was not lifted, whose mask is then unknown.
fn scene(frame: &Frame, rows: &mut Rows) -> Result<Option<SceneFrame>, SceneError> {
    let id = frame.frame_id.as_str();
    let (instances, fragments) = (rows.instances.remove(id), rows.fragments.remove(id));
    let Some(pose) = rows.poses.get(id) else { return Ok(None) };
    let Some(camera) = rows.cameras.get(&pose.camera_id) else { return Ok(None) };
    if instances.is_none() {
        return Ok(None);
    }
    let (instances, fragments) = (instances.unwrap_or_default(), fragments.unwrap_or_default());
    SceneFrame::of_instances(frame, camera, pose, &instances, &fragments).map(Some)
}
