//! The scene tables as a whole: references, splits and groups of every row, and the facts about frames and recordings
//! that later passes need, also the numbers that rows state about other rows. Boxes themselves are not held.

use crate::clip_plans::{self, ClipPlan};
use crate::findings::{FaultCode, Log, Place};
use crate::groups::Groups;
use crate::release::{Release, TableFile};
use crate::tables::{Key, check_table, key};
use crate::tallies::{RecordingTallies, TrackTallies};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use uavgen_schemas::{Box2d, Frame, Recording, Region, Selection, Telemetry, Track, Video};

/// Reason of a selection to drop a box that its source says to ignore.
const IGNORED: &str = "ignored_by_source";

/// Most by which the playback rate of a video from a video file may differ from its true rate, as a share.
const PLAYBACK_TOLERANCE: f64 = 0.0011;

/// What is known of a recording.
pub(crate) struct RecordingFacts {
    pub(crate) group: String,
    pub(crate) split: String,
    pub(crate) licence: String,
    source_fps: Option<f64>,
    /// Whether its frames are those of a video file.
    is_of_video: bool,
}

/// What is known of a frame.
pub(crate) struct FrameFacts {
    pub(crate) recording: Arc<str>,
    pub(crate) index: i64,
    pub(crate) source_number: i64,
    /// Path of the source file.
    pub(crate) file: Key,
    pub(crate) width: i64,
    pub(crate) height: i64,
    /// BLAKE3 of the delivered image, where the source file is delivered untouched.
    pub(crate) delivered_digest: Option<String>,
    /// Size of the source file.
    pub(crate) byte_count: i64,
    boxes: usize,
}

/// Everything that rows may refer to.
#[derive(Default)]
pub(crate) struct Index {
    pub(crate) recordings: BTreeMap<Arc<str>, RecordingFacts>,
    pub(crate) frames: HashMap<Key, FrameFacts>,
    pub(crate) videos: Vec<Video>,
    /// What clips show, as their plans say. Whether that is sound is checked with their files.
    pub(crate) clips: BTreeMap<String, ClipPlan>,
    pub(crate) groups: Groups,
    boxes: HashSet<Key>,
    /// Boxes that their source tells evaluators to ignore.
    ignored: HashSet<Key>,
    recordings_complete: bool,
    frames_complete: bool,
    boxes_complete: bool,
}

impl Index {
    /// Reads and checks the scene tables, those referred to first.
    pub(crate) fn build(release: &Release, log: &mut Log) -> Self {
        let mut index = Self { clips: clip_plans::load(release), ..Self::default() };
        let mut tallies = RecordingTallies::default();
        index.read_recordings(release, &mut tallies, log);
        index.read_frames(release, &mut tallies, log);
        if index.recordings_complete && index.frames_complete {
            tallies.check(log);
        }
        index.read_boxes(release, log);
        index.read_regions(release, log);
        index.read_telemetry(release, log);
        index.read_selections(release, log);
        index.read_videos(release, log);
        index
    }

    fn read_recordings(&mut self, release: &Release, tallies: &mut RecordingTallies, log: &mut Log) {
        let seen = check_table::<Recording>(release, log, |log, file, row| {
            let place = Place::row(&file.path, &row.recording_id);
            check_split(log, place, &row.split, &file.split);
            self.groups.add(&row.group_id, &row.split, &file.path, &row.recording_id);
            tallies.add(&file.path, &row);
            let (licence, source_fps) = (row.licence, row.source_fps);
            let facts =
                RecordingFacts { group: row.group_id, split: row.split, licence, source_fps, is_of_video: false };
            self.recordings.insert(row.recording_id.into(), facts);
        });
        self.recordings_complete = seen.complete;
    }

    fn read_frames(&mut self, release: &Release, tallies: &mut RecordingTallies, log: &mut Log) {
        let seen = check_table::<Frame>(release, log, |log, file, row| {
            let place = Place::row(&file.path, &row.frame_id);
            check_split(log, place, &row.split, &file.split);
            self.check_recording(log, place, &row.recording_id, &file.split);
            self.check_group(log, place, &row.group_id, &row.recording_id);
            self.groups.add(&row.group_id, &row.split, &file.path, &row.frame_id);
            tallies.add_frame(&row);
            if let Some(facts) = self.recordings.get_mut(row.recording_id.as_str()) {
                facts.is_of_video |= row.is_of_video();
            }
            let recording = self.recordings.get_key_value(row.recording_id.as_str()).map(|(id, _)| id.clone());
            let delivered_digest = is_delivered_untouched(&row).then_some(row.digest);
            let facts = FrameFacts {
                recording: recording.unwrap_or_else(|| row.recording_id.into()),
                index: row.index,
                source_number: row.source_number,
                file: key(&row.file),
                width: row.width,
                height: row.height,
                delivered_digest,
                byte_count: row.byte_count,
                boxes: 0,
            };
            self.frames.insert(key(&row.frame_id), facts);
        });
        self.frames_complete = seen.complete;
    }

    fn read_boxes(&mut self, release: &Release, log: &mut Log) {
        let mut tallies = TrackTallies::default();
        let tracks = check_table::<Track>(release, log, |log, file, row| {
            self.check_recording(log, Place::row(&file.path, &row.track_id), &row.recording_id, &file.split);
            tallies.add(&file.path, row);
        });
        let seen = check_table::<Box2d>(release, log, |log, file, row| {
            let place = Place::row(&file.path, &row.box_id);
            self.check_frame_row(log, place, &row.frame_id, &row.recording_id, file);
            if let Some(track) = row.track_id.as_deref().filter(|track| !tracks.ids.contains(&key(track)))
                && tracks.complete
            {
                log.fault(FaultCode::DanglingReference, place, format!("there is no track {track}"));
            }
            if row.ignored {
                self.ignored.insert(key(&row.box_id));
            }
            let frame = self.frames.get_mut(&key(&row.frame_id));
            tallies.add_box(log, place, &row, frame.as_ref().map(|frame| (frame.source_number, frame.index)));
            if let Some(frame) = frame {
                frame.boxes += 1;
                check_edges(log, place, [row.x1, row.y1, row.x2, row.y2], frame);
            }
        });
        (self.boxes, self.boxes_complete) = (seen.ids, seen.complete);
        if tracks.complete && self.boxes_complete {
            tallies.check(log);
        }
    }

    fn read_regions(&mut self, release: &Release, log: &mut Log) {
        check_table::<Region>(release, log, |log, file, row| {
            let place = Place::row(&file.path, &row.region_id);
            self.check_frame_row(log, place, &row.frame_id, &row.recording_id, file);
            // A track may consist of areas alone, so it need not be in `tracks`.
            let of_recording =
                |track: &&String| track.strip_prefix(&row.recording_id).is_some_and(|rest| rest.starts_with('#'));
            if let Some(track) = row.track_id.as_ref().filter(|track| !of_recording(track)) {
                let problem = format!("{track} is no track of its recording {}", row.recording_id);
                log.fault(FaultCode::DanglingReference, place, problem);
            }
            if let Some(frame) = self.frames.get(&key(&row.frame_id)) {
                check_edges(log, place, [row.x1, row.y1, row.x2, row.y2], frame);
            }
        });
    }

    fn read_telemetry(&mut self, release: &Release, log: &mut Log) {
        check_table::<Telemetry>(release, log, |log, file, row| {
            let place = Place::row(&file.path, &row.frame_id);
            self.check_frame_row(log, place, &row.frame_id, &row.recording_id, file);
            let outside =
                |value: Option<f64>, most: f64| value.is_some_and(|value| !(0.0..=most).contains(&value.abs()));
            let no_place = outside(row.latitude_deg, 90.0)
                || outside(row.longitude_deg, 180.0)
                || row.latitude_deg.is_some() != row.longitude_deg.is_some();
            if no_place {
                let (latitude, longitude) = (row.latitude_deg, row.longitude_deg);
                let problem = format!("latitude {latitude:?} and longitude {longitude:?} are no place");
                log.fault(FaultCode::SceneInvalid, place, problem);
            }
        });
    }

    fn read_selections(&mut self, release: &Release, log: &mut Log) {
        check_table::<Selection>(release, log, |log, file, row| {
            let place = Place::row(&file.path, &row.selection_id);
            self.check_frame_row(log, place, &row.frame_id, &row.recording_id, file);
            let named = row.kept.iter().chain(row.unknown.iter().map(|unknown| &unknown.box_id));
            named.for_each(|id| self.check_box(log, place, id));
            if self.boxes_complete
                && let Some(problem) = self.wrongly_kept(&row)
            {
                log.fault(FaultCode::SceneInvalid, place, problem);
            }
            let count = row.kept.len() + row.unknown.len();
            if let Some(frame) = self.frames.get(&key(&row.frame_id))
                && self.boxes_complete
                && frame.boxes != count
            {
                let problem = format!("it names {count} boxes, the frame has {}", frame.boxes);
                log.fault(FaultCode::SceneInvalid, place, problem);
            }
        });
    }

    /// A box that is kept though its source says to ignore it, or dropped for that though its source does not say so.
    fn wrongly_kept(&self, selection: &Selection) -> Option<String> {
        let is_ignored = |id: &str| self.ignored.contains(&key(id));
        if let Some(id) = selection.kept.iter().find(|id| is_ignored(id)) {
            return Some(format!("it keeps {id}, which its source says to ignore"));
        }
        let mut dropped = selection.unknown.iter();
        let wrong = dropped.find(|dropped| (dropped.reason == IGNORED) != is_ignored(&dropped.box_id));
        wrong.map(|dropped| format!("it drops {} as {}, `boxes_2d` says otherwise", dropped.box_id, dropped.reason))
    }

    fn read_videos(&mut self, release: &Release, log: &mut Log) {
        check_table::<Video>(release, log, |log, file, row| {
            let place = Place::row(&file.path, &row.video_id);
            check_split(log, place, &row.split, &file.split);
            self.check_recording(log, place, &row.recording_id, &file.split);
            self.check_group(log, place, &row.group_id, &row.recording_id);
            self.groups.add(&row.group_id, &row.split, &file.path, &row.video_id);
            if let Some(recording) = self.recordings.get(row.recording_id.as_str())
                && let Some(problem) = wrong_playback(recording, &row)
            {
                log.fault(FaultCode::VideoMismatch, place, problem);
            }
            if let Some(recording) = self.recordings.get(row.recording_id.as_str())
                && recording.source_fps != row.source_fps
            {
                let (own, other) = (row.source_fps, recording.source_fps);
                log.fault(
                    FaultCode::VideoMismatch,
                    place,
                    format!("source_fps is {own:?}, of its recording {other:?}"),
                );
            }
            self.videos.push(row);
        });
    }

    /// A row of one frame: the frame is there, it is of the row's recording, and that is in the file's split.
    pub(crate) fn check_frame_row(
        &self,
        log: &mut Log,
        place: Place,
        frame_id: &str,
        recording_id: &str,
        file: &TableFile,
    ) {
        self.check_frame(log, place, frame_id);
        if let Some(frame) = self.frames.get(&key(frame_id))
            && *frame.recording != *recording_id
        {
            let problem = format!("its recording is {recording_id}, that of its frame {}", frame.recording);
            log.fault(FaultCode::DanglingReference, place, problem);
        }
        self.check_recording(log, place, recording_id, &file.split);
    }

    /// A reference to a frame.
    pub(crate) fn check_frame(&self, log: &mut Log, place: Place, frame_id: &str) {
        if self.frames_complete && !self.frames.contains_key(&key(frame_id)) {
            log.fault(FaultCode::DanglingReference, place, format!("there is no frame {frame_id}"));
        }
    }

    /// A reference to a box.
    pub(crate) fn check_box(&self, log: &mut Log, place: Place, box_id: &str) {
        if self.boxes_complete && !self.boxes.contains(&key(box_id)) {
            log.fault(FaultCode::DanglingReference, place, format!("there is no box {box_id}"));
        }
    }

    /// A reference to a recording, which must be in `split`.
    pub(crate) fn check_recording(&self, log: &mut Log, place: Place, recording_id: &str, split: &str) {
        match self.recordings.get(recording_id) {
            Some(recording) if recording.split != split => {
                let problem = format!("it is in split {split}, its recording {recording_id} in {}", recording.split);
                log.fault(FaultCode::SplitMismatch, place, problem);
            }
            None if self.recordings_complete => {
                log.fault(FaultCode::DanglingReference, place, format!("there is no recording {recording_id}"));
            }
            _ => {}
        }
    }

    pub(crate) fn check_group(&self, log: &mut Log, place: Place, group: &str, recording_id: &str) {
        if let Some(recording) = self.recordings.get(recording_id)
            && recording.group != group
        {
            let problem = format!("its leak group is {group}, that of its recording {}", recording.group);
            log.fault(FaultCode::GroupMismatch, place, problem);
        }
    }
}

/// A video from a video file is played at its true rate, or its seconds are not those of the flight.
fn wrong_playback(recording: &RecordingFacts, video: &Video) -> Option<String> {
    let played = video.fps_num as f64 / video.fps_den as f64;
    let off = recording.source_fps.map_or(f64::INFINITY, |fps| (played / fps - 1.0).abs());
    let wrong = recording.is_of_video && !(0.0..=PLAYBACK_TOLERANCE).contains(&off);
    wrong.then(|| format!("it is played at {played} frames per second, filmed at {:?}", recording.source_fps))
}

/// The split that a row states is that of its file.
pub(crate) fn check_split(log: &mut Log, place: Place, row: &str, file: &str) {
    if row != file {
        log.fault(FaultCode::SplitMismatch, place, format!("it is of split {row}, its file of {file}"));
    }
}

/// Annotated boxes and areas lie on their image.
pub(crate) fn check_edges(log: &mut Log, place: Place, [x1, y1, x2, y2]: [f64; 4], frame: &FrameFacts) {
    let (width, height) = (frame.width as f64, frame.height as f64);
    // Written so that NaN fails.
    let inside = 0.0 <= x1 && x1 <= x2 && x2 <= width && 0.0 <= y1 && y1 <= y2 && y2 <= height;
    if !inside {
        let problem = format!("[{x1}, {y1}, {x2}, {y2}] is not within its image of {width}x{height}");
        log.fault(FaultCode::AnnotationOutOfBounds, place, problem);
    }
}

/// Whether the source file is surely delivered as it is. Grey PNGs may have fewer than 8 bits and are left out.
fn is_delivered_untouched(frame: &Frame) -> bool {
    let layout = frame.pixel_layout.as_str();
    frame.exif_orientation == 1 && (layout == "rgb" || layout == "grey" && frame.format == "jpeg")
}
