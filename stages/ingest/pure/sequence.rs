//! One sequence: numbered images and one annotation file.

use super::super::config::{IngestConfig, UnreadableRows};
use super::super::sources::visdrone_text::{Annotations, BadRow, Row};
use super::super::sources::visdrone_vid;
use super::objects::Target;
use super::place::Canvas;
use super::{Origin, ProbedImage, Scene, frame_of_file, stem, tracks};
use std::collections::{BTreeMap, BTreeSet};
use uavgen_media::ImageInfo;
use uavgen_schemas::{Frame, Recording, RecordingKind};

/// A sequence as found on disk.
pub(crate) struct FoundSequence<'a> {
    /// Name of the sequence.
    pub(crate) name: &'a str,
    /// Leak group.
    pub(crate) group_id: &'a str,
    /// Its image files.
    pub(crate) images: Vec<ProbedImage>,
    /// Its annotation file (path and content), where there is one.
    pub(crate) annotations: Option<(String, Annotations)>,
}

/// The tables of one sequence.
pub(crate) fn scene(origin: &Origin, found: FoundSequence<'_>, config: &IngestConfig) -> Scene {
    let mut scene = Scene::default();
    let recording_id = format!("{}/{}", origin.source, found.name);
    let numbered = number_images(found.images, &mut scene);
    let image_numbers: BTreeSet<i64> = numbered.keys().copied().collect();
    let mut frames = usable_frames(numbered, &recording_id, origin, found.group_id, &mut scene);
    let mut labels = found.annotations.map(|(file, annotations)| Labels::new(file, annotations));
    if let Some(labels) = &mut labels {
        labels.report_bad(&mut scene);
        labels.check_numbering(&image_numbers, &mut scene);
        labels.mark(&mut frames, config, &mut scene);
        labels.add_objects(&frames, origin, config, &mut scene);
    } else {
        scene.note("sequences_without_annotation_file", 1);
    }
    let without_image = labels.map_or(0, |labels| labels.frames_without(&image_numbers));
    scene.note("annotated_without_image", without_image);
    let frames: Vec<Frame> = frames.into_iter().map(|(frame, _)| frame).collect();
    let mut boxes = std::mem::take(&mut scene.boxes);
    tracks::add_tracks(&recording_id, &frames, &mut boxes, &mut scene);
    scene.boxes = boxes;
    if !frames.is_empty() {
        scene.recordings.push(recording(origin, found.name, found.group_id, recording_id, &frames, without_image));
    }
    scene.frames = frames;
    scene
}

fn recording(
    origin: &Origin,
    name: &str,
    group_id: &str,
    recording_id: String,
    frames: &[Frame],
    without_image: u64,
) -> Recording {
    Recording {
        recording_id,
        source: origin.source.clone(),
        group_id: group_id.to_owned(),
        sequence: name.to_owned(),
        split: origin.split.clone(),
        kind: RecordingKind::Sequence,
        frame_count: frames.len() as i64,
        labelled_frame_count: frames.iter().filter(|frame| frame.labelled).count() as i64,
        annotated_without_image: without_image as i64,
        source_fps: origin.source_fps,
        licence: origin.licence.clone(),
    }
}

/// Images by frame number; files without a number, or with a number that is taken, are rejects.
fn number_images(images: Vec<ProbedImage>, scene: &mut Scene) -> BTreeMap<i64, ProbedImage> {
    let mut numbered: BTreeMap<i64, ProbedImage> = BTreeMap::new();
    for image in images {
        let Some(number) = visdrone_vid::frame_number(stem(&image.file)) else {
            let detail = "frames are called by their number, such as 0000001.jpg; rename the file or remove it";
            scene.quarantine(image.file, "bad_frame_name", detail.into());
            continue;
        };
        match numbered.get(&number) {
            Some(taken) => {
                let detail = format!("frame {number} is also {}, which is kept", taken.file);
                scene.quarantine(image.file, "duplicate_frame_number", detail);
            }
            None => _ = numbered.insert(number, image),
        }
    }
    numbered
}

/// The frames that can be used, in order, with their headers.
fn usable_frames(
    numbered: BTreeMap<i64, ProbedImage>,
    recording_id: &str,
    origin: &Origin,
    group_id: &str,
    scene: &mut Scene,
) -> Vec<(Frame, ImageInfo)> {
    let mut frames: Vec<(Frame, ImageInfo)> = Vec::with_capacity(numbered.len());
    let mut previous = None;
    for (number, image) in numbered {
        scene.note("missing_frame_numbers", previous.map_or(0, |previous: i64| (number - previous - 1) as u64));
        previous = Some(number);
        let info = match &image.probed {
            Ok(info) => info,
            Err(fault) => {
                scene.quarantine_image(&image.file, fault);
                continue;
            }
        };
        let frame = Frame {
            frame_id: format!("{recording_id}/{number}"),
            recording_id: recording_id.to_owned(),
            group_id: group_id.to_owned(),
            split: origin.split.clone(),
            index: frames.len() as i64,
            source_number: number,
            ..frame_of_file(&image, info)
        };
        frames.push((frame, info.clone()));
    }
    frames
}

/// The annotations of a sequence, ordered by frame.
struct Labels {
    file: String,
    rows: Vec<Row>,
    bad: Vec<BadRow>,
    /// The file cannot be trusted at all; no frame is labelled.
    unusable: bool,
}

impl Labels {
    fn new(file: String, annotations: Annotations) -> Self {
        let Annotations { mut rows, bad } = annotations;
        rows.sort_by_key(|row| (row.frame, row.target.is_none(), row.target, row.line));
        let unusable = rows.is_empty() && !bad.is_empty();
        Self { file, rows, bad, unusable }
    }

    fn report_bad(&self, scene: &mut Scene) {
        for bad in &self.bad {
            scene.quarantine_row(&self.file, bad);
        }
        if self.unusable {
            scene.note("annotation_files_without_a_usable_row", 1);
        }
    }

    /// Refuses annotations that count frames from 0 where the images count from 1: each box would be one frame late.
    fn check_numbering(&mut self, images: &BTreeSet<i64>, scene: &mut Scene) {
        let (Some(first), Some(last)) = (self.rows.first(), self.rows.last()) else { return };
        let (Some(&first_image), Some(&last_image)) = (images.first(), images.last()) else { return };
        if first.frame == 0 && first_image == 1 && last.frame == last_image - 1 {
            let detail = format!(
                "annotated frames are 0 to {}, images are 1 to {last_image}: add 1 to the frame numbers",
                last.frame
            );
            scene.quarantine(self.file.clone(), "frames_count_from_zero", detail);
            self.unusable = true;
            self.rows.clear();
        }
    }

    /// Tells which frames are labelled.
    fn mark(&self, frames: &mut [(Frame, ImageInfo)], config: &IngestConfig, scene: &mut Scene) {
        if self.unusable {
            return;
        }
        let unreadable: BTreeSet<i64> =
            self.bad.iter().filter(|bad| bad.place.is_none()).filter_map(|bad| bad.frame).collect();
        for (frame, _) in frames {
            let incomplete = unreadable.contains(&frame.source_number);
            frame.labelled = !incomplete || config.unreadable_rows == UnreadableRows::Ignore;
            scene.note("frames_with_unreadable_rows", u64::from(incomplete));
        }
    }

    fn add_objects(&self, frames: &[(Frame, ImageInfo)], origin: &Origin, config: &IngestConfig, scene: &mut Scene) {
        if self.unusable {
            return;
        }
        let mut bad_by_frame: BTreeMap<i64, Vec<&BadRow>> = BTreeMap::new();
        for bad in &self.bad {
            if let Some(frame) = bad.frame {
                bad_by_frame.entry(frame).or_default().push(bad);
            }
        }
        for (frame, info) in frames {
            let Ok(canvas) = Canvas::new(info, origin.boxes_in) else { continue };
            let target = Target { frame, canvas, annotation_file: &self.file, config };
            let rows = self.rows_of(frame.source_number);
            scene.note("frames_without_rows", u64::from(rows.is_empty()));
            target.add_rows(rows, scene);
            for bad in bad_by_frame.get(&frame.source_number).into_iter().flatten() {
                target.add_unknown(bad, scene);
            }
        }
    }

    fn rows_of(&self, frame: i64) -> &[Row] {
        let start = self.rows.partition_point(|row| row.frame < frame);
        let count = self.rows[start..].partition_point(|row| row.frame == frame);
        &self.rows[start..start + count]
    }

    /// Number of annotated frames that no image file belongs to.
    fn frames_without(&self, images: &BTreeSet<i64>) -> u64 {
        let annotated: BTreeSet<i64> = self.rows.iter().map(|row| row.frame).collect();
        annotated.difference(images).count() as u64
    }
}
