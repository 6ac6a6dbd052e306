//! The tables of what was posed in space: cameras, poses, masks and their classes.

use crate::findings::{FaultCode, Log, Place};
use crate::index::Index;
use crate::instances;
use crate::release::Release;
use crate::tables::{Key, check_table, key};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use uavgen_geometry::{Camera as CameraFrame, Intrinsics, Transform, World};
use uavgen_schemas::{Camera, ClassKind, Mask, MaskClass, Pose};

/// By how much the length of a quaternion may differ from 1.
const UNIT_TOLERANCE: f64 = 1e-6;

/// What rows on objects in space refer to.
#[derive(Default)]
pub(crate) struct Space {
    /// Recording, width and height of each camera.
    cameras: BTreeMap<String, (String, i64, i64)>,
    cameras_complete: bool,
    /// Frames with a pose.
    pub(crate) posed: HashSet<Key>,
    pub(crate) poses_complete: bool,
    /// Frames with a mask.
    masked: HashSet<Key>,
    masks_complete: bool,
    /// Kind of each class of each recording; of classes that share a name, all of their kinds.
    pub(crate) classes: HashMap<(String, String), BTreeSet<ClassKind>>,
    pub(crate) classes_complete: bool,
}

/// Checks all tables of what was posed in space.
pub(crate) fn check(release: &Release, index: &Index, log: &mut Log) {
    let mut space = Space::default();
    space.read_cameras(release, index, log);
    space.read_poses(release, index, log);
    space.read_masks(release, index, log);
    space.read_classes(release, index, log);
    instances::check(release, index, &space, log);
}

impl Space {
    fn read_cameras(&mut self, release: &Release, index: &Index, log: &mut Log) {
        let seen = check_table::<Camera>(release, log, |log, file, row| {
            let place = Place::row(&file.path, &row.camera_id);
            index.check_recording(log, place, &row.recording_id, &file.split);
            check_owner(log, place, &row.camera_id, &row.recording_id);
            if let Err(error) = Intrinsics::try_from(&row) {
                log.fault(FaultCode::GeometryInvalid, place, error.to_string());
            }
            self.cameras.insert(row.camera_id, (row.recording_id, row.width, row.height));
        });
        self.cameras_complete = seen.complete;
    }

    fn read_poses(&mut self, release: &Release, index: &Index, log: &mut Log) {
        let seen = check_table::<Pose>(release, log, |log, file, row| {
            let place = Place::row(&file.path, &row.frame_id);
            index.check_frame_row(log, place, &row.frame_id, &row.recording_id, file);
            self.check_camera(log, place, &row, index);
            if let Some(problem) = no_pose(&row) {
                log.fault(FaultCode::GeometryInvalid, place, problem);
            }
        });
        (self.posed, self.poses_complete) = (seen.ids, seen.complete);
    }

    /// The camera that took a frame is there, of the frame's recording, and takes images of its size.
    fn check_camera(&self, log: &mut Log, place: Place, pose: &Pose, index: &Index) {
        let Some((recording, width, height)) = self.cameras.get(&pose.camera_id) else {
            if self.cameras_complete {
                log.fault(FaultCode::DanglingReference, place, format!("there is no camera {}", pose.camera_id));
            }
            return;
        };
        if *recording != pose.recording_id {
            let problem = format!("its recording is {}, that of its camera {recording}", pose.recording_id);
            log.fault(FaultCode::DanglingReference, place, problem);
        }
        if let Some(frame) = index.frames.get(&key(&pose.frame_id))
            && (frame.width, frame.height) != (*width, *height)
        {
            let problem =
                format!("its frame is {}x{}, images of its camera are {width}x{height}", frame.width, frame.height);
            log.fault(FaultCode::GeometryInvalid, place, problem);
        }
    }

    fn read_masks(&mut self, release: &Release, index: &Index, log: &mut Log) {
        let seen = check_table::<Mask>(release, log, |log, file, row| {
            let place = Place::row(&file.path, &row.frame_id);
            index.check_frame_row(log, place, &row.frame_id, &row.recording_id, file);
            if row.byte_count <= 0 {
                log.fault(FaultCode::GeometryInvalid, place, format!("a mask of {} bytes", row.byte_count));
            }
        });
        (self.masked, self.masks_complete) = (seen.ids, seen.complete);
    }

    fn read_classes(&mut self, release: &Release, index: &Index, log: &mut Log) {
        let seen = check_table::<MaskClass>(release, log, |log, file, row| {
            let place = Place::row(&file.path, &row.class_id);
            index.check_recording(log, place, &row.recording_id, &file.split);
            if row.class_id != format!("{}#{}", row.recording_id, row.value) {
                let problem = format!("it is the class of value {} of {}", row.value, row.recording_id);
                log.fault(FaultCode::DanglingReference, place, problem);
            }
            if let Some(problem) = no_class(&row) {
                log.fault(FaultCode::GeometryInvalid, place, problem);
            }
            self.classes.entry((row.recording_id, row.name)).or_default().insert(row.kind);
        });
        self.classes_complete = seen.complete;
    }

    /// What is shown of a frame in space has a pose and was cut out of a mask.
    pub(crate) fn check_frame(&self, log: &mut Log, place: Place, frame_id: &str) {
        let frame = key(frame_id);
        if self.poses_complete && !self.posed.contains(&frame) {
            log.fault(FaultCode::DanglingReference, place, format!("frame {frame_id} has no pose"));
        }
        if self.masks_complete && !self.masked.contains(&frame) {
            log.fault(FaultCode::DanglingReference, place, format!("frame {frame_id} has no mask"));
        }
    }

    /// Whether a recording has a class of this name; unknown, and so true, where not all classes can be read.
    pub(crate) fn has_class(&self, recording_id: &str, name: &str) -> bool {
        !self.classes_complete || self.kinds(recording_id, name).is_some()
    }

    /// Kinds of the classes of this name.
    pub(crate) fn kinds(&self, recording_id: &str, name: &str) -> Option<&BTreeSet<ClassKind>> {
        self.classes.get(&(recording_id.to_owned(), name.to_owned()))
    }
}

/// An id that begins with that of its owner, and `#`.
pub(crate) fn check_owner(log: &mut Log, place: Place, id: &str, owner: &str) {
    if !id.strip_prefix(owner).is_some_and(|rest| rest.len() > 1 && rest.starts_with('#')) {
        log.fault(FaultCode::DanglingReference, place, format!("{id} is none of {owner}"));
    }
}

/// Why a row is no pose.
fn no_pose(row: &Pose) -> Option<String> {
    let quaternion = [row.qx, row.qy, row.qz, row.qw];
    let length = quaternion.iter().map(|part| part * part).sum::<f64>().sqrt();
    // Written so that NaN fails.
    let is_unit = (length - 1.0).abs() <= UNIT_TOLERANCE;
    if !is_unit {
        return Some(format!("the length of its quaternion is {length}, not 1"));
    }
    if row.qw < 0.0 {
        return Some(format!("the scalar component of its quaternion is {}, below 0", row.qw));
    }
    Transform::<World, CameraFrame>::try_from(row).err().map(|error| error.to_string())
}

/// Why a row is no class.
fn no_class(row: &MaskClass) -> Option<String> {
    let channels = [row.red, row.green, row.blue];
    if row.name.trim().is_empty() {
        return Some("it has no name".into());
    }
    if u16::try_from(row.value).is_err() {
        return Some(format!("no mask has the value {}", row.value));
    }
    let some = channels.iter().flatten().count();
    let in_range = channels.iter().flatten().all(|channel| (0..=255).contains(channel));
    let is_colour = (some == 0 || some == channels.len()) && in_range;
    (!is_colour).then(|| format!("{channels:?} is no colour"))
}
