//! From image headers and annotation rows to scene tables. No files, no clock, no threads.

pub(crate) mod footage;
pub(crate) mod objects;
pub(crate) mod place;
pub(crate) mod posed;
pub(crate) mod sequence;
pub(crate) mod splits;
pub(crate) mod stills;
pub(crate) mod tracks;

use super::config::{IngestConfig, UnreadableRows};
use super::sources::bad_row::{BadRow, Lost, RowFault};
use super::sources::visdrone_text::Annotations;
use std::collections::BTreeMap;
use uavgen_core::project::BoxesIn;
use uavgen_media::{ImageFault, ImageInfo};
use uavgen_schemas::{
    Box2d, Camera, Frame, Mask, MaskClass, Mesh, Pose, RecordedDepth, Recording, Region, Reject, Telemetry, Track,
};

/// Kind of input: an image file.
pub(crate) const IMAGE: &str = "image";
/// Kind of input: a file of annotations.
pub(crate) const ANNOTATION_FILE: &str = "annotation file";
/// Kind of input: a line of such a file.
pub(crate) const ANNOTATION_LINE: &str = "annotation line";

/// What all recordings of a task share.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    /// Name of the source.
    pub(crate) source: String,
    /// Split of the task.
    pub(crate) split: String,
    /// Licence of the source.
    pub(crate) licence: String,
    /// True capture rate, where known.
    pub(crate) source_fps: Option<f64>,
    /// Orientation that boxes refer to.
    pub(crate) boxes_in: BoxesIn,
}

/// An image file after a look at its header and end.
#[derive(Debug, Clone)]
pub(crate) struct ProbedImage {
    /// Path relative to the source's root.
    pub(crate) file: String,
    /// BLAKE3 of the file.
    pub(crate) digest: String,
    /// Size of the file.
    pub(crate) byte_count: u64,
    /// Header, or why the file cannot be used.
    pub(crate) probed: Result<ImageInfo, ImageFault>,
}

/// An annotation file after reading.
#[derive(Debug, Clone)]
pub(crate) struct AnnotationFile {
    /// Path relative to the source's root.
    pub(crate) file: String,
    /// Its lines.
    pub(crate) content: Annotations,
}

/// Rows of every table, what was rejected, and numbers for the report.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Scene {
    pub(crate) recordings: Vec<Recording>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) boxes: Vec<Box2d>,
    pub(crate) tracks: Vec<Track>,
    pub(crate) regions: Vec<Region>,
    pub(crate) telemetry: Vec<Telemetry>,
    pub(crate) posed: PosedRows,
    pub(crate) rejects: Vec<Reject>,
    /// Broken input, each with its kind.
    pub(crate) quarantined: Vec<(&'static str, Reject)>,
    pub(crate) notes: BTreeMap<&'static str, u64>,
}

/// Rows of the tables about space.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct PosedRows {
    pub(crate) cameras: Vec<Camera>,
    pub(crate) poses: Vec<Pose>,
    pub(crate) meshes: Vec<Mesh>,
    pub(crate) depths: Vec<RecordedDepth>,
    pub(crate) masks: Vec<Mask>,
    pub(crate) classes: Vec<MaskClass>,
}

impl Scene {
    /// Adds to a number of the report.
    pub(crate) fn note(&mut self, name: &'static str, count: u64) {
        if count > 0 {
            *self.notes.entry(name).or_default() += count;
        }
    }

    /// Records that one input of `kind` is broken.
    pub(crate) fn quarantine(&mut self, kind: &'static str, record_id: String, reason: &str, detail: String) {
        self.quarantined.push((kind, Reject::quarantine(record_id, reason, detail)));
    }

    /// Records that an image file cannot be used.
    pub(crate) fn quarantine_image(&mut self, file: &str, fault: &ImageFault) {
        self.quarantine(IMAGE, file.into(), fault.reason(), format!("{fault}; fetch the file again or remove it"));
    }

    /// Records that an annotation line cannot be used, and what follows from that.
    pub(crate) fn quarantine_row(&mut self, file: &str, bad: &BadRow, config: &IngestConfig) {
        let record_id = format!("{file}:{}", bad.line);
        let costs_labels = config.unreadable_rows == UnreadableRows::Unlabelled;
        let consequence = match bad.lost {
            Lost::Nothing => {
                return self.rejects.push(Reject::rule(record_id, bad.fault.reason(), bad.fault.to_string()));
            }
            Lost::Object { .. } => "; what is visible of it counts as unknown",
            Lost::Frame(_) if costs_labels => "; its frame is not labelled",
            Lost::File if costs_labels => "; no frame of the file is labelled",
            Lost::Frame(_) | Lost::File => "",
        };
        let value = match bad.fault {
            RowFault::UnknownCategory { value } => Some(value),
            RowFault::NegativeSize { width, height } => Some(width.min(height)),
            _ => None,
        };
        // Text that is no text says nothing about any of its lines.
        let kind = if bad.fault == RowFault::Utf16 { ANNOTATION_FILE } else { ANNOTATION_LINE };
        let reject = Reject::quarantine(record_id, bad.fault.reason(), format!("{}{consequence}", bad.fault));
        self.quarantined.push((kind, reject.measured(value, None)));
    }
}

/// Of files that are the same frame or still, the first that can be used; the others are rejects, a broken one by what
/// it is broken by.
pub(crate) fn first_usable<T>(
    mut files: Vec<T>,
    image: impl Fn(&T) -> &ProbedImage,
    reason: &str,
    scene: &mut Scene,
) -> Option<T> {
    let position = files.iter().position(|file| image(file).probed.is_ok()).unwrap_or(0);
    let kept = (!files.is_empty()).then(|| files.remove(position))?;
    for other in files.iter().map(&image) {
        match &other.probed {
            Err(fault) => scene.quarantine_image(&other.file, fault),
            Ok(_) => {
                let detail = format!("{} is the same and is kept; rename or remove one of them", image(&kept).file);
                scene.quarantine(IMAGE, other.file.clone(), reason, detail);
            }
        }
    }
    Some(kept)
}

/// The annotation file of a recording. Where there are two, nobody knows which one holds: none is used.
pub(crate) fn only_file<'a>(files: &'a [AnnotationFile], scene: &mut Scene) -> Option<&'a AnnotationFile> {
    if let [first, second, ..] = files {
        for (one, other) in files.iter().zip([second].into_iter().chain(std::iter::repeat(first))) {
            let detail = format!("{} belongs to the same images; none is used, remove one of them", other.file);
            scene.quarantine(ANNOTATION_FILE, one.file.clone(), "duplicate_annotation_file", detail);
        }
        return None;
    }
    files.first()
}

/// File name without folders and extension.
pub(crate) fn stem(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// The part of a frame row that comes from the file.
pub(crate) fn frame_of_file(image: &ProbedImage, info: &ImageInfo) -> Frame {
    Frame {
        frame_id: String::new(),
        recording_id: String::new(),
        group_id: String::new(),
        split: String::new(),
        index: 0,
        source_number: 0,
        file: image.file.clone(),
        width: i64::from(info.width),
        height: i64::from(info.height),
        format: info.format.as_str().into(),
        pixel_layout: info.pixel_layout.as_str().into(),
        exif_orientation: i64::from(info.exif_orientation),
        digest: image.digest.clone(),
        byte_count: i64::try_from(image.byte_count).unwrap_or(i64::MAX),
        timestamp_us: None,
        labelled: false,
    }
}
