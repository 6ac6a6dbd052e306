//! One sequence: numbered images and one annotation file.

use super::super::config::{IngestConfig, UnreadableRows};
use super::super::sources::bad_row::{BadRow, Lost};
use super::super::sources::visdrone_text::Row;
use super::super::sources::visdrone_vid;
use super::objects::Target;
use super::place::Canvas;
use super::{
    ANNOTATION_FILE, AnnotationFile, IMAGE, Origin, ProbedImage, Scene, first_usable, frame_of_file, only_file, stem,
    tracks,
};
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
    /// Its annotation file; empty where there is none, more than one where their names differ by case.
    pub(crate) annotations: Vec<AnnotationFile>,
}

/// The tables of one sequence.
pub(crate) fn scene(origin: &Origin, found: FoundSequence<'_>, config: &IngestConfig) -> Scene {
    let mut scene = Scene::default();
    let recording_id = format!("{}/{}", origin.source, found.name);
    let numbered = number_images(found.images, &mut scene);
    let image_numbers: BTreeSet<i64> = numbered.keys().copied().collect();
    let mut frames = usable_frames(numbered, &recording_id, origin, found.group_id, &mut scene);
    let mut labels = only_file(&found.annotations, &mut scene).map(Labels::new);
    if let Some(labels) = &mut labels {
        labels.report_bad(config, &mut scene);
        labels.check_numbering(&image_numbers, &mut scene);
        labels.mark(&mut frames, config, &mut scene);
        labels.add_objects(&frames, origin, config, &mut scene);
    } else if found.annotations.is_empty() {
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

/// Images by frame number; files without a number, or with a number that another one has, are rejects.
fn number_images(images: Vec<ProbedImage>, scene: &mut Scene) -> BTreeMap<i64, ProbedImage> {
    let mut numbered: BTreeMap<i64, Vec<ProbedImage>> = BTreeMap::new();
    for image in images {
        match visdrone_vid::frame_number(stem(&image.file)) {
            Some(number) => numbered.entry(number).or_default().push(image),
            None => {
                let detail = "frames are called by their number, such as 0000001.jpg; rename the file or remove it";
                scene.quarantine(IMAGE, image.file, "bad_frame_name", detail.into());
            }
        }
    }
    let mut kept = |files| first_usable(files, |image| image, "duplicate_frame_number", scene);
    numbered.into_iter().filter_map(|(number, files)| Some((number, kept(files)?))).collect()
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
struct Labels<'a> {
    file: &'a str,
    rows: Vec<Row>,
    bad: &'a [BadRow],
    /// The file cannot be trusted at all; no frame is labelled.
    unusable: bool,
}

impl<'a> Labels<'a> {
    fn new(AnnotationFile { file, content }: &'a AnnotationFile) -> Self {
        let mut rows = content.rows.clone();
        rows.sort_by_key(|row| (row.frame, row.target.is_none(), row.target, row.line));
        let unusable = rows.is_empty() && !content.bad.is_empty();
        Self { file, rows, bad: &content.bad, unusable }
    }

    fn report_bad(&self, config: &IngestConfig, scene: &mut Scene) {
        for bad in self.bad {
            scene.quarantine_row(self.file, bad, config);
        }
        if self.unusable {
            scene.note("annotation_files_without_a_usable_row", 1);
        }
    }

    /// Refuses annotations whose frame numbers cannot be those of the images: each box would be on another frame.
    fn check_numbering(&mut self, images: &BTreeSet<i64>, scene: &mut Scene) {
        let (Some(first), Some(last)) = (self.rows.first(), self.rows.last()) else { return };
        let (Some(&first_image), Some(&last_image)) = (images.first(), images.last()) else { return };
        let (reason, advice) = if first.frame == 0 && first_image > 0 {
            ("frames_count_from_zero", "add 1 to the frame numbers, or remove the rows of frame 0 if they are astray")
        } else if first_image == 0 && !self.tells_of_frame(0) {
            (
                "frames_count_from_one",
                "if the rows count from 1, as VisDrone's do, rename the images so that they start at 1; if the rows \
                 count from 0 and the first image shows no object, do so too, and add 1 to the frame numbers",
            )
        } else if !self.rows.iter().any(|row| images.contains(&row.frame)) {
            ("frames_match_no_image", "give both the same numbers")
        } else {
            return;
        };
        let numbers = format!("annotated frames are {} to {}", first.frame, last.frame);
        let detail = format!("{numbers}, images are {first_image} to {last_image}; no frame is labelled: {advice}");
        scene.quarantine(ANNOTATION_FILE, self.file.to_owned(), reason, detail);
        self.unusable = true;
        self.rows.clear();
    }

    /// Whether a line is about this frame, usable or not.
    fn tells_of_frame(&self, number: i64) -> bool {
        let lost = |bad: &BadRow| match bad.lost {
            Lost::Frame(frame) | Lost::Object { frame, .. } => frame == number,
            Lost::Nothing | Lost::File => false,
        };
        !self.rows_of(number).is_empty() || self.bad.iter().any(lost)
    }

    /// Tells which frames are labelled.
    fn mark(&self, frames: &mut [(Frame, ImageInfo)], config: &IngestConfig, scene: &mut Scene) {
        if self.unusable {
            return;
        }
        let any_frame = self.bad.iter().any(|bad| bad.lost == Lost::File);
        let unreadable: BTreeSet<i64> = self
            .bad
            .iter()
            .filter_map(|bad| if let Lost::Frame(frame) = bad.lost { Some(frame) } else { None })
            .collect();
        for (frame, _) in frames {
            let incomplete = any_frame || unreadable.contains(&frame.source_number);
            frame.labelled = !incomplete || config.unreadable_rows == UnreadableRows::Ignore;
            scene.note("frames_with_unreadable_rows", u64::from(incomplete));
        }
    }

    fn add_objects(&self, frames: &[(Frame, ImageInfo)], origin: &Origin, config: &IngestConfig, scene: &mut Scene) {
        if self.unusable {
            return;
        }
        let mut unknown: BTreeMap<i64, Vec<(u32, [f64; 4])>> = BTreeMap::new();
        for bad in self.bad {
            if let Lost::Object { frame, place } = bad.lost {
                unknown.entry(frame).or_default().push((bad.line, place));
            }
        }
        for (frame, info) in frames {
            let Ok(canvas) = Canvas::new(info, origin.boxes_in) else { continue };
            let target = Target { frame, canvas, annotation_file: self.file, config };
            let rows = self.rows_of(frame.source_number);
            scene.note("frames_without_rows", u64::from(rows.is_empty()));
            target.add_rows(rows, scene);
            for &(line, place) in unknown.get(&frame.source_number).into_iter().flatten() {
                target.add_unknown_object(line, place, None, scene);
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
