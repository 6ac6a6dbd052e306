//! A bucket of stills: each image is a recording of its own.

use super::super::config::{IngestConfig, UnreadableRows};
use super::super::sources::bad_row::Lost;
use super::objects::Target;
use super::place::Canvas;
use super::{AnnotationFile, Origin, ProbedImage, Scene, first_usable, frame_of_file, only_file, stem};
use std::collections::BTreeMap;
use uavgen_media::ImageInfo;
use uavgen_schemas::{Frame, Recording, RecordingKind};

/// A still with its annotation file, where it has one.
pub(crate) struct FoundStill<'a> {
    /// Image file.
    pub(crate) image: ProbedImage,
    /// Leak group.
    pub(crate) group_id: String,
    /// Annotation file; empty where there is none, more than one where their names differ by case.
    pub(crate) annotations: &'a [AnnotationFile],
}

/// The tables of a bucket.
pub(crate) fn scene(origin: &Origin, stills: Vec<FoundStill<'_>>, config: &IngestConfig) -> Scene {
    let mut scene = Scene::default();
    let mut named: BTreeMap<String, Vec<FoundStill<'_>>> = BTreeMap::new();
    for still in stills {
        named.entry(stem(&still.image.file).to_owned()).or_default().push(still);
    }
    for (name, stills) in named {
        if let Some(still) = first_usable(stills, |still| &still.image, "duplicate_name", &mut scene) {
            add_still(origin, &name, still, config, &mut scene);
        }
    }
    scene
}

fn add_still(origin: &Origin, name: &str, still: FoundStill<'_>, config: &IngestConfig, scene: &mut Scene) {
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
    match only_file(still.annotations, scene) {
        Some(annotations) => add_labels(origin, &mut frame, info, annotations, config, scene),
        None => scene.note("stills_without_annotation_file", u64::from(still.annotations.is_empty())),
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
        // One image has no rate.
        source_fps: None,
        licence: origin.licence.clone(),
    });
    scene.frames.push(frame);
}

fn add_labels(
    origin: &Origin,
    frame: &mut Frame,
    info: &ImageInfo,
    AnnotationFile { file, content }: &AnnotationFile,
    config: &IngestConfig,
    scene: &mut Scene,
) {
    for bad in &content.bad {
        scene.quarantine_row(file, bad, config);
    }
    let unusable = content.rows.is_empty() && !content.bad.is_empty();
    let unreadable = content.bad.iter().any(|bad| matches!(bad.lost, Lost::Frame(_) | Lost::File));
    scene.note("annotation_files_without_a_usable_row", u64::from(unusable));
    scene.note("frames_with_unreadable_rows", u64::from(unreadable));
    scene.note("frames_without_rows", u64::from(content.rows.is_empty()));
    frame.labelled = !unusable && (!unreadable || config.unreadable_rows == UnreadableRows::Ignore);
    let Ok(canvas) = Canvas::new(info, origin.boxes_in) else { return };
    let target = Target { frame, canvas, annotation_file: file, config };
    target.add_rows(&content.rows, scene);
    for bad in content.bad.iter().filter(|_| !unusable) {
        if let Lost::Object { place, .. } = bad.lost {
            target.add_unknown_object(bad.line, place, None, scene);
        }
    }
}
