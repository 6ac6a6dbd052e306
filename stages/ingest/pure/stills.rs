//! A bucket of stills: each image is a recording of its own.

use super::super::config::{IngestConfig, UnreadableRows};
use super::super::sources::visdrone_text::Annotations;
use super::objects::Target;
use super::place::Canvas;
use super::{Origin, ProbedImage, Scene, frame_of_file, stem};
use std::collections::BTreeMap;
use uavgen_media::ImageInfo;
use uavgen_schemas::{Frame, Recording, RecordingKind};

/// A still with its annotation file, where it has one.
pub(crate) struct FoundStill {
    /// Image file.
    pub(crate) image: ProbedImage,
    /// Leak group.
    pub(crate) group_id: String,
    /// Annotation file (path and content).
    pub(crate) annotations: Option<(String, Annotations)>,
}

/// The tables of a bucket.
pub(crate) fn scene(origin: &Origin, stills: Vec<FoundStill>, config: &IngestConfig) -> Scene {
    let mut scene = Scene::default();
    let mut taken: BTreeMap<String, String> = BTreeMap::new();
    for still in stills {
        let name = stem(&still.image.file).to_owned();
        if let Some(first) = taken.get(&name) {
            let detail = format!("{first} has the same name and is kept; rename one of them");
            scene.quarantine(still.image.file, "duplicate_name", detail);
            continue;
        }
        taken.insert(name.clone(), still.image.file.clone());
        add_still(origin, &name, still, config, &mut scene);
    }
    scene
}

fn add_still(origin: &Origin, name: &str, still: FoundStill, config: &IngestConfig, scene: &mut Scene) {
    let info = match &still.image.probed {
        Ok(info) => info,
        Err(fault) => return scene.quarantine_image(&still.image.file, fault),
    };
    let recording_id = format!("{}/{name}", origin.source);
    let mut frame = Frame {
        frame_id: recording_id.clone(),
        recording_id: recording_id.clone(),
        group_id: still.group_id.clone(),
        split: origin.split.clone(),
        ..frame_of_file(&still.image, info)
    };
    match &still.annotations {
        Some((file, annotations)) => add_labels(origin, &mut frame, info, (file, annotations), config, scene),
        None => scene.note("stills_without_annotation_file", 1),
    }
    scene.recordings.push(Recording {
        recording_id,
        source: origin.source.clone(),
        group_id: still.group_id,
        sequence: name.to_owned(),
        split: origin.split.clone(),
        kind: RecordingKind::Still,
        frame_count: 1,
        labelled_frame_count: i64::from(frame.labelled),
        annotated_without_image: 0,
        source_fps: origin.source_fps,
        licence: origin.licence.clone(),
    });
    scene.frames.push(frame);
}

fn add_labels(
    origin: &Origin,
    frame: &mut Frame,
    info: &ImageInfo,
    (file, annotations): (&str, &Annotations),
    config: &IngestConfig,
    scene: &mut Scene,
) {
    for bad in &annotations.bad {
        scene.quarantine_row(file, bad);
    }
    let unusable = annotations.rows.is_empty() && !annotations.bad.is_empty();
    let unreadable = annotations.bad.iter().any(|bad| bad.place.is_none());
    scene.note("annotation_files_without_a_usable_row", u64::from(unusable));
    scene.note("frames_with_unreadable_rows", u64::from(unreadable));
    scene.note("frames_without_rows", u64::from(annotations.rows.is_empty()));
    frame.labelled = !unusable && (!unreadable || config.unreadable_rows == UnreadableRows::Ignore);
    let Ok(canvas) = Canvas::new(info, origin.boxes_in) else { return };
    let target = Target { frame, canvas, annotation_file: file, config };
    target.add_rows(&annotations.rows, scene);
    if !unusable {
        annotations.bad.iter().for_each(|bad| target.add_unknown(bad, scene));
    }
}
