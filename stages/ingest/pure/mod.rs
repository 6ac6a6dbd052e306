//! From image headers and annotation rows to scene tables. No files, no clock, no threads.

pub(crate) mod objects;
pub(crate) mod place;
pub(crate) mod sequence;
pub(crate) mod splits;
pub(crate) mod stills;
pub(crate) mod tracks;

use super::sources::visdrone_text::{BadRow, RowFault};
use std::collections::BTreeMap;
use uavgen_core::project::BoxesIn;
use uavgen_media::{ImageFault, ImageInfo};
use uavgen_schemas::{Box2d, Frame, Recording, Region, Reject, RejectKind, Track};

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

/// Rows of every table, what was rejected, and numbers for the report.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Scene {
    pub(crate) recordings: Vec<Recording>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) boxes: Vec<Box2d>,
    pub(crate) tracks: Vec<Track>,
    pub(crate) regions: Vec<Region>,
    pub(crate) rejects: Vec<Reject>,
    pub(crate) notes: BTreeMap<&'static str, u64>,
}

impl Scene {
    /// Adds to a number of the report.
    pub(crate) fn note(&mut self, name: &'static str, count: u64) {
        if count > 0 {
            *self.notes.entry(name).or_default() += count;
        }
    }

    /// Records that the input is broken at `record_id`.
    pub(crate) fn quarantine(&mut self, record_id: String, reason: &str, detail: String) {
        self.rejects.push(Reject {
            record_id,
            kind: RejectKind::Quarantine,
            reason: reason.into(),
            value: None,
            limit: None,
            detail,
        });
    }

    /// Records that an image file cannot be used.
    pub(crate) fn quarantine_image(&mut self, file: &str, fault: &ImageFault) {
        self.quarantine(file.into(), fault.reason(), format!("{fault}; fetch the file again or remove it"));
    }

    /// Records that an annotation line cannot be used.
    pub(crate) fn quarantine_row(&mut self, file: &str, bad: &BadRow) {
        let value = match bad.fault {
            RowFault::UnknownCategory { value } => Some(value),
            RowFault::NegativeSize { width, height } => Some(width.min(height)),
            _ => None,
        };
        self.quarantine(format!("{file}:{}", bad.line), bad.fault.reason(), bad.fault.to_string());
        if let Some(reject) = self.rejects.last_mut() {
            reject.value = value;
        }
    }

    /// Records that a rule dropped `record_id`.
    pub(crate) fn drop_by_rule(
        &mut self,
        record_id: String,
        reason: &str,
        measured: Option<(f64, f64)>,
        detail: String,
    ) {
        self.rejects.push(Reject {
            record_id,
            kind: RejectKind::Rule,
            reason: reason.into(),
            value: measured.map(|(value, _)| value),
            limit: measured.map(|(_, limit)| limit),
            detail,
        });
    }
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
        labelled: false,
    }
}
