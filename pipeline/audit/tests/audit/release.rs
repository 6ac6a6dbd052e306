//! The tiny release: a sequence of three frames in `train`, a still in `val`, seven questions, one video.
//!
//! Every frame is 64 x 48. On the sequence a car drives right past a parked bus, beside a pedestrian too small to use;
//! the still shows three cars and a bus.

use crate::questions::{questions, seal};
use crate::writer::{Writer, sha256, write_manifest};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use tempfile::TempDir;
use uavgen_audit::{AuditOptions, AuditReport, audit};
use uavgen_core::fingerprint::digest;
use uavgen_core::store::TableReader;
use uavgen_media::{EncodeSettings, EncodedVideo, Rgb, RgbImage, encode_jpeg, encode_video};
use uavgen_schemas::*;

pub(crate) const WIDTH: i64 = 64;
pub(crate) const HEIGHT: i64 = 48;
pub(crate) const VIDEO: &str = "videos/v0.mp4";
pub(crate) const CLIP: &str = "clips/c0.mp4";

/// Rows with the split of the file that holds them.
pub(crate) type Rows<R> = Vec<(String, R)>;

/// All tables of the release, to be changed before they are written.
pub(crate) struct Tables {
    pub(crate) recordings: Rows<Recording>,
    pub(crate) frames: Rows<Frame>,
    pub(crate) boxes: Rows<Box2d>,
    pub(crate) tracks: Rows<Track>,
    pub(crate) regions: Rows<Region>,
    pub(crate) telemetry: Rows<Telemetry>,
    pub(crate) cameras: Rows<Camera>,
    pub(crate) poses: Rows<Pose>,
    pub(crate) masks: Rows<Mask>,
    pub(crate) mask_classes: Rows<MaskClass>,
    pub(crate) instances: Rows<Instance>,
    pub(crate) fragments: Rows<Fragment>,
    pub(crate) generation_frames: Rows<GenerationFrame>,
    pub(crate) generation_samples: Rows<GenerationSample>,
    pub(crate) selections: Rows<Selection>,
    pub(crate) videos: Rows<Video>,
    pub(crate) frame_map: Rows<FrameMapEntry>,
    pub(crate) clips: Rows<Clip>,
    pub(crate) clip_segments: Rows<ClipSegment>,
    pub(crate) clip_frames: Rows<ClipFrame>,
    pub(crate) clip_samples: Rows<ClipSample>,
    pub(crate) qa: Rows<QaRow>,
    pub(crate) video: Vec<u8>,
    pub(crate) clip: Vec<u8>,
    /// Further files, by path.
    pub(crate) more_files: Vec<(String, Vec<u8>)>,
}

/// A release on disk.
pub(crate) struct OnDisk {
    pub(crate) folder: TempDir,
    /// Names of the questions by id.
    names: BTreeMap<String, String>,
}

impl OnDisk {
    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    /// Audits the release; questions have their names in place of their ids.
    pub(crate) fn audit(&self) -> AuditReport {
        let mut report = audit(self.folder.path(), &AuditOptions::default()).unwrap();
        let all = report.faults.iter_mut().chain(&mut report.warnings).flat_map(|findings| &mut findings.first);
        for row in all.filter_map(|finding| finding.row.as_mut()) {
            *row = self.names.get(row).unwrap_or(row).clone();
        }
        report
    }

    /// Id and provenance of a question.
    pub(crate) fn question(&self, name: &str) -> (String, String) {
        let (id, _) = self.names.iter().find(|(_, found)| *found == name).unwrap();
        let files = ["train", "val"].map(|split| self.path(&format!("data/qa/{split}-00000-of-00001.parquet")));
        let rows = files.iter().flat_map(|file| TableReader::<QaRow>::open(file).unwrap().rows().unwrap());
        let row = rows.into_iter().find(|row| row.id == *id).unwrap();
        (row.id, row.provenance)
    }

    pub(crate) fn edit_manifest(&self, edit: impl FnOnce(&mut ReleaseManifest)) {
        let path = self.path("manifest.json");
        let mut manifest: ReleaseManifest = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        edit(&mut manifest);
        write_manifest(self.folder.path(), manifest);
    }

    /// Makes the manifest agree with a changed file.
    pub(crate) fn reseal(&self, file: &str) {
        let content = fs::read(self.path(file)).unwrap();
        self.edit_manifest(|manifest| {
            let entry = manifest.files.iter_mut().find(|entry| entry.path == file).unwrap();
            (entry.byte_count, entry.sha256) = (content.len() as i64, sha256(&content));
        });
    }
}

/// Codes of the faults.
pub(crate) fn codes(report: &AuditReport) -> Vec<&'static str> {
    report.faults.iter().map(|findings| findings.code).collect()
}

/// Codes of the warnings.
pub(crate) fn warnings(report: &AuditReport) -> Vec<&'static str> {
    report.warnings.iter().map(|findings| findings.code).collect()
}

/// Audits the release after a change of its tables.
pub(crate) fn audit_with(change: impl FnOnce(&mut Tables)) -> AuditReport {
    let mut tables = Tables::whole();
    change(&mut tables);
    tables.write().audit()
}

/// Asserts that exactly these faults are found after a change.
#[track_caller]
pub(crate) fn expect(expected: &[&str], change: impl FnOnce(&mut Tables)) -> AuditReport {
    let report = audit_with(change);
    assert_eq!(codes(&report), expected, "\n{}", report.render());
    report
}

/// Picture of a frame; every number gives another one.
pub(crate) fn picture(number: u8) -> Vec<u8> {
    let image = RgbImage::from_fn(WIDTH as u32, HEIGHT as u32, |x, y| Rgb([x as u8 * 3, y as u8 * 5, number * 40]));
    encode_jpeg(&image, 90).unwrap()
}

pub(crate) fn frame(recording: &str, split: &str, group: &str, number: i64) -> Frame {
    let (frame_id, index) =
        if number == 0 { (recording.into(), 0) } else { (format!("{recording}/{number}"), number - 1) };
    let image = picture(number as u8);
    Frame {
        frame_id,
        recording_id: recording.into(),
        group_id: group.into(),
        split: split.into(),
        index,
        source_number: number,
        file: format!("{recording}/{number:07}.jpg"),
        width: WIDTH,
        height: HEIGHT,
        format: "jpeg".into(),
        pixel_layout: "rgb".into(),
        exif_orientation: 1,
        digest: digest(&image),
        byte_count: image.len() as i64,
        timestamp_us: None,
        labelled: true,
    }
}

fn object(frame: &Frame, name: &str, track: Option<&str>, category: &str, edges: [f64; 4]) -> Box2d {
    let [x1, y1, x2, y2] = edges;
    Box2d {
        box_id: format!("{}#{name}", frame.frame_id),
        frame_id: frame.frame_id.clone(),
        recording_id: frame.recording_id.clone(),
        track_id: track.map(|track| format!("{}#{track}", frame.recording_id)),
        category: category.into(),
        annotated_category: category.into(),
        x1,
        y1,
        x2,
        y2,
        clipped: false,
        ignored: false,
        truncation: Some(0),
        occlusion: Some(0),
    }
}

pub(crate) fn recording(id: &str, split: &str, group: &str, kind: RecordingKind, frames: i64) -> Recording {
    Recording {
        recording_id: id.into(),
        source: "s".into(),
        group_id: group.into(),
        sequence: id.into(),
        split: split.into(),
        kind,
        frame_count: frames,
        labelled_frame_count: frames,
        annotated_without_image: 0,
        source_fps: None,
        licence: "test".into(),
    }
}

fn track(number: i64, category: &str) -> Track {
    Track {
        track_id: format!("vid/a#{number}"),
        recording_id: "vid/a".into(),
        category: category.into(),
        annotated_categories: vec![category.into()],
        first_source_number: 1,
        last_source_number: 3,
        box_count: 3,
        gap_count: 0,
    }
}

pub(crate) fn selection(frame: &Frame, kept: &[&str], unknown: &[&str]) -> Selection {
    let id = |name: &&str| format!("{}#{name}", frame.frame_id);
    let may_be = || vec!["pedestrian".to_owned(), "people".to_owned()];
    let dropped = |name| UnknownBox { box_id: id(name), reason: "too_small".into(), may_be: may_be() };
    Selection {
        selection_id: format!("t:{}", frame.frame_id),
        suite: "t".into(),
        frame_id: frame.frame_id.clone(),
        recording_id: frame.recording_id.clone(),
        usable: true,
        reason: None,
        kept: kept.iter().map(id).collect(),
        unknown: unknown.iter().map(dropped).collect(),
    }
}

impl Tables {
    pub(crate) fn whole() -> Self {
        let sequence: Vec<Frame> = (1..=3).map(|number| frame("vid/a", "train", "g1", number)).collect();
        let still = frame("det/b", "val", "g2", 0);
        let train = |row| ("train".to_owned(), row);
        let mut boxes: Rows<Box2d> = Vec::new();
        for (offset, shown) in (0..).zip(&sequence) {
            let x = 8.0 + 4.0 * f64::from(offset);
            boxes.push(train(object(shown, "1", Some("1"), "car", [x, 6.0, x + 16.0, 18.0])));
            boxes.push(train(object(shown, "2", Some("2"), "bus", [32.0, 24.0, 48.0, 36.0])));
            boxes.push(train(object(shown, "3", Some("3"), "pedestrian", [60.0, 2.0, 62.0, 4.0])));
        }
        for (number, x) in [0.0, 20.0, 40.0].into_iter().enumerate() {
            boxes.push(("val".into(), object(&still, &format!("r{number}"), None, "car", [x, 0.0, x + 16.0, 12.0])));
        }
        boxes.push(("val".into(), object(&still, "r3", None, "bus", [8.0, 20.0, 40.0, 44.0])));
        let others = Region {
            region_id: "vid/a/3#9".into(),
            frame_id: "vid/a/3".into(),
            recording_id: "vid/a".into(),
            kind: RegionKind::Others,
            track_id: None,
            x1: 50.0,
            y1: 40.0,
            x2: 60.0,
            y2: 46.0,
        };
        let mut selections: Rows<Selection> =
            sequence.iter().map(|shown| ("train".into(), selection(shown, &["1", "2"], &["3"]))).collect();
        selections.push(("val".into(), selection(&still, &["r0", "r1", "r2", "r3"], &[])));
        let (video, videos, frame_map) = video(&sequence);
        let mut frames: Rows<Frame> = sequence.into_iter().map(|frame| ("train".into(), frame)).collect();
        frames.push(("val".into(), still));
        let mut tables = Self {
            recordings: vec![
                ("train".into(), recording("vid/a", "train", "g1", RecordingKind::Sequence, 3)),
                ("val".into(), recording("det/b", "val", "g2", RecordingKind::Still, 1)),
            ],
            frames,
            boxes,
            tracks: [(1, "car"), (2, "bus"), (3, "pedestrian")].map(|(n, c)| ("train".into(), track(n, c))).into(),
            regions: vec![("train".into(), others)],
            telemetry: Vec::new(),
            cameras: Vec::new(),
            poses: Vec::new(),
            masks: Vec::new(),
            mask_classes: Vec::new(),
            instances: Vec::new(),
            fragments: Vec::new(),
            generation_frames: Vec::new(),
            generation_samples: Vec::new(),
            selections,
            videos,
            frame_map,
            clips: Vec::new(),
            clip_segments: Vec::new(),
            clip_frames: Vec::new(),
            clip_samples: Vec::new(),
            clip: Vec::new(),
            more_files: Vec::new(),
            qa: Vec::new(),
            video,
        };
        tables.qa = questions(&tables);
        tables
    }

    pub(crate) fn item(&mut self, task: &str) -> &mut QaRow {
        &mut self.qa.iter_mut().find(|(_, row)| row.task == task).unwrap().1
    }

    pub(crate) fn object(&mut self, id: &str) -> &mut Box2d {
        &mut self.boxes.iter_mut().find(|(_, row)| row.box_id == id).unwrap().1
    }

    /// Puts other pictures into the video, in a file that its row describes.
    pub(crate) fn film(&mut self, images: &[Vec<u8>], settings: &EncodeSettings) {
        (self.video, _) = encoded(images, settings);
        let row = &mut self.videos[0].1;
        (row.digest, row.byte_count) = (digest(&self.video), self.video.len() as i64);
    }

    pub(crate) fn selection(&mut self, frame_id: &str) -> &mut Selection {
        &mut self.selections.iter_mut().find(|(_, row)| row.frame_id == frame_id).unwrap().1
    }

    /// Writes the release, with manifest and card that agree with the tables.
    pub(crate) fn write(mut self) -> OnDisk {
        let names = seal(&mut self.qa);
        let folder = tempfile::tempdir().unwrap();
        let mut writer = Writer { folder: folder.path(), configs: Vec::new(), files: Vec::new() };
        writer.table(self.recordings);
        writer.table(self.frames);
        writer.table(self.boxes);
        writer.table(self.tracks);
        writer.table(self.regions);
        writer.table(self.telemetry);
        writer.table(self.cameras);
        writer.table(self.poses);
        writer.table(self.masks);
        writer.table(self.mask_classes);
        writer.table(self.instances);
        writer.table(self.fragments);
        writer.table(self.generation_frames);
        writer.table(self.generation_samples);
        writer.table(self.selections);
        writer.table(self.videos);
        writer.table(self.frame_map);
        writer.table(self.clips);
        writer.table(self.clip_segments);
        writer.table(self.clip_frames);
        writer.table(self.clip_samples);
        writer.table(self.qa);
        writer.file(VIDEO, &self.video);
        if !self.clip.is_empty() {
            writer.file(CLIP, &self.clip);
        }
        self.more_files.iter().for_each(|(path, content)| writer.file(path, content));
        writer.file("report.html", b"<!doctype html>");
        writer.finish();
        OnDisk { folder, names }
    }
}

/// Images as a video.
pub(crate) fn encoded(images: &[Vec<u8>], settings: &EncodeSettings) -> (Vec<u8>, EncodedVideo) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("v.mp4");
    let encoded = encode_video(images.iter().map(|image| Ok::<_, io::Error>(image.clone())), settings, &path).unwrap();
    (fs::read(&path).unwrap(), encoded)
}

/// The sequence as a video, with its row and its frame map.
fn video(sequence: &[Frame]) -> (Vec<u8>, Rows<Video>, Rows<FrameMapEntry>) {
    let images: Vec<Vec<u8>> = sequence.iter().map(|frame| picture(frame.source_number as u8)).collect();
    let (content, encoded) = encoded(&images, &EncodeSettings::default());
    let row = Video {
        video_id: "v0".into(),
        recording_id: "vid/a".into(),
        group_id: "g1".into(),
        split: "train".into(),
        path: VIDEO.into(),
        frame_count: 3,
        width: WIDTH,
        height: HEIGHT,
        fps_num: 15,
        fps_den: 1,
        source_fps: None,
        gop_frames: 15,
        crf: 23,
        preset: "veryfast".into(),
        digest: digest(&content),
        byte_count: content.len() as i64,
    };
    let entries = sequence.iter().zip(&encoded.frames).enumerate().map(|(position, (frame, shown))| {
        let entry = FrameMapEntry {
            entry_id: format!("v0/{position:06}"),
            video_id: "v0".into(),
            video_frame: position as i64,
            pts: shown.pts,
            timescale: i64::from(encoded.timescale),
            frame_id: frame.frame_id.clone(),
            source_number: frame.source_number,
            file: frame.file.clone(),
        };
        ("train".to_owned(), entry)
    });
    (content, vec![("train".into(), row)], entries.collect())
}
