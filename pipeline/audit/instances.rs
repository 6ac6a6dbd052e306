//! Objects in space, and the pieces of masks that became none.

use crate::findings::{FaultCode, Log, Place};
use crate::index::{FrameFacts, Index, check_edges};
use crate::release::Release;
use crate::space::{Space, check_owner};
use crate::tables::{Key, check_table, key};
use std::collections::{HashMap, HashSet};
use std::f64::consts::{PI, TAU};
use uavgen_schemas::{ClassKind, Fragment, FragmentReason, Instance, PlacedBy};

/// By how much a footprint may differ from the product of its sides, as a share.
const AREA_TOLERANCE: f64 = 1e-6;

/// What is known of the objects so far.
#[derive(Default)]
struct Objects {
    /// Recording and category of each object, as the first row has them.
    known: HashMap<Key, (String, String)>,
    /// Object and frame of each row.
    shown: HashSet<(Key, Key)>,
    /// Frame and category of each instance.
    instances: HashMap<Key, (Key, Key)>,
}

/// Checks `instances` and `fragments`.
pub(crate) fn check(release: &Release, index: &Index, space: &Space, log: &mut Log) {
    let mut objects = Objects::default();
    let seen = check_table::<Instance>(release, log, |log, file, row| {
        let place = Place::row(&file.path, &row.instance_id);
        index.check_frame_row(log, place, &row.frame_id, &row.recording_id, file);
        space.check_frame(log, place, &row.frame_id);
        check_owner(log, place, &row.instance_id, &row.frame_id);
        check_classes(log, place, &row, space);
        objects.add(log, place, &row);
        if let Some(frame) = index.frames.get(&key(&row.frame_id)) {
            check_edges(log, place, [row.x1, row.y1, row.x2, row.y2], frame);
            check_border(log, place, &row, frame);
        }
        if let Some(problem) = wrong_number(&row).or_else(|| wrong_null(&row)) {
            log.fault(FaultCode::GeometryInvalid, place, problem);
        }
    });
    check_table::<Fragment>(release, log, |log, file, row| {
        let place = Place::row(&file.path, &row.fragment_id);
        index.check_frame_row(log, place, &row.frame_id, &row.recording_id, file);
        space.check_frame(log, place, &row.frame_id);
        check_owner(log, place, &row.fragment_id, &row.frame_id);
        if let Some(frame) = index.frames.get(&key(&row.frame_id)) {
            check_edges(log, place, [row.x1, row.y1, row.x2, row.y2], frame);
        }
        if let Some(problem) = wrong_fragment(&row, space) {
            log.fault(FaultCode::GeometryInvalid, place, problem);
        }
        if seen.complete {
            objects.check_whole(log, place, &row);
        }
    });
}

/// The classes that an instance names are those of its recording, and of the kinds that it says.
fn check_classes(log: &mut Log, place: Place, row: &Instance, space: &Space) {
    for name in [Some(&row.category), row.surface.as_ref()].into_iter().flatten() {
        if !space.has_class(&row.recording_id, name) {
            log.fault(FaultCode::DanglingReference, place, format!("{} has no class {name}", row.recording_id));
        }
    }
    let kind = if row.moving { ClassKind::Moving } else { ClassKind::Thing };
    if space.kinds(&row.recording_id, &row.category).is_some_and(|kinds| !kinds.contains(&kind)) {
        let problem = format!("moving is {}, its class {} is of another kind", row.moving, row.category);
        log.fault(FaultCode::GeometryInvalid, place, problem);
    }
    if let Some(surface) = &row.surface
        && space.kinds(&row.recording_id, surface).is_some_and(|kinds| !kinds.contains(&ClassKind::Ground))
    {
        log.fault(FaultCode::GeometryInvalid, place, format!("it stands on {surface}, which is no ground"));
    }
}

/// Whether an instance touches the border of its image is what its box says.
fn check_border(log: &mut Log, place: Place, row: &Instance, frame: &FrameFacts) {
    let touches = row.x1 <= 0.0 || row.y1 <= 0.0 || row.x2 >= frame.width as f64 || row.y2 >= frame.height as f64;
    if touches != row.truncated {
        let problem = format!("truncated is {}, its box says otherwise", row.truncated);
        log.fault(FaultCode::GeometryInvalid, place, problem);
    }
}

impl Objects {
    /// An object is of one recording and one category, and at one place in a frame.
    fn add(&mut self, log: &mut Log, place: Place, row: &Instance) {
        let (object, frame) = (key(&row.object_id), key(&row.frame_id));
        let is_of_recording = row.object_id.strip_prefix(&row.recording_id).and_then(|id| id.strip_prefix("#object"));
        if is_of_recording.is_none_or(str::is_empty) {
            let problem = format!("{} is no object of its recording {}", row.object_id, row.recording_id);
            log.fault(FaultCode::ObjectMismatch, place, problem);
        }
        let own = (row.recording_id.clone(), row.category.clone());
        let first = self.known.entry(object).or_insert_with(|| own.clone());
        if *first != own {
            let problem =
                format!("{} is a {} of {}, in a row before a {} of {}", row.object_id, own.1, own.0, first.1, first.0);
            log.fault(FaultCode::ObjectMismatch, place, problem);
        }
        if !self.shown.insert((object, frame)) {
            log.fault(FaultCode::ObjectMismatch, place, format!("{} is on its frame twice", row.object_id));
        }
        self.instances.insert(key(&row.instance_id), (frame, key(&row.category)));
    }

    /// The instance that a fragment is a piece of is there, on its frame, and of its class.
    fn check_whole(&self, log: &mut Log, place: Place, row: &Fragment) {
        let Some(whole) = &row.part_of else { return };
        let own = row.category.as_ref().map(|category| (key(&row.frame_id), key(category)));
        match self.instances.get(&key(whole)) {
            None => log.fault(FaultCode::DanglingReference, place, format!("there is no instance {whole}")),
            Some(found) if Some(*found) != own => {
                log.fault(FaultCode::ObjectMismatch, place, format!("{whole} is of another frame or class"));
            }
            Some(_) => {}
        }
    }
}

/// A number of an instance that cannot be. Written so that NaN fails.
fn wrong_number(row: &Instance) -> Option<String> {
    let places = [row.x, row.y, row.base_z];
    let sizes = [row.length_m, row.width_m, row.footprint_m2, row.distance_m];
    let area = (row.x2 - row.x1) * (row.y2 - row.y1);
    let off = (row.footprint_m2 - row.length_m * row.width_m).abs();
    let wrong = |is_right: bool, problem: String| (!is_right).then_some(problem);
    None.or_else(|| wrong(places.iter().all(|value| value.is_finite()), format!("{places:?} is no place")))
        .or_else(|| {
            let positive = sizes.iter().all(|value| value.is_finite() && *value > 0.0);
            wrong(positive, format!("length, width, footprint and distance {sizes:?} are not all above 0"))
        })
        .or_else(|| {
            wrong(
                row.length_m >= row.width_m,
                format!("its width {} is above its length {}", row.width_m, row.length_m),
            )
        })
        .or_else(|| {
            let problem = format!("its footprint {} is not {} times {}", row.footprint_m2, row.length_m, row.width_m);
            wrong(off <= AREA_TOLERANCE * row.footprint_m2, problem)
        })
        .or_else(|| {
            let fits = row.pixels >= 1 && row.pixels as f64 <= area;
            wrong(fits, format!("{} pixels in a box of {area} pixels", row.pixels))
        })
        .or_else(|| {
            let visible = row.visibility.is_none_or(|share| share > 0.0 && share <= 1.0);
            wrong(visible, format!("its visibility is {:?}", row.visibility))
        })
        .or_else(|| wrong((0.0..PI).contains(&row.axis_yaw_rad), format!("its axis is at {} rad", row.axis_yaw_rad)))
        .or_else(|| {
            let heads = row.heading_rad.is_none_or(|heading| (0.0..TAU).contains(&heading));
            wrong(heads, format!("its heading is {:?} rad", row.heading_rad))
        })
        .or_else(|| {
            let stands = row.top_z.is_none_or(|top| top.is_finite() && top >= row.base_z);
            wrong(stands, format!("its top {:?} is not above its base {}", row.top_z, row.base_z))
        })
        .or_else(|| wrong(row.height_m.is_none_or(f64::is_finite), format!("its height is {:?}", row.height_m)))
}

/// A null of an instance where there must be a value, or a value where there must be none.
fn wrong_null(row: &Instance) -> Option<String> {
    let by_rays = row.placed_by == PlacedBy::GroundRays;
    if by_rays != row.top_z.is_none() {
        return Some(format!("its top is {:?}, it was placed by {:?}", row.top_z, row.placed_by));
    }
    if by_rays && (row.height_m.is_some() || row.visibility.is_some()) {
        return Some("it was placed by rays, and has a height or a visibility".into());
    }
    let heading = (row.heading_rad.is_some(), row.heading_source.is_some());
    (heading.0 != heading.1).then(|| format!("its heading is {:?}, from {:?}", row.heading_rad, row.heading_source))
}

/// What is wrong with a piece of a mask.
fn wrong_fragment(row: &Fragment, space: &Space) -> Option<String> {
    let area = (row.x2 - row.x1) * (row.y2 - row.y1);
    if row.pixels < 1 || row.pixels as f64 > area {
        return Some(format!("{} pixels in a box of {area} pixels", row.pixels));
    }
    match &row.category {
        None if row.reason != FragmentReason::UnknownClass => Some(format!("it has no class, and is {:?}", row.reason)),
        Some(name) if row.reason == FragmentReason::UnknownClass => Some(format!("it is of an unknown class {name}")),
        Some(name) if !space.has_class(&row.recording_id, name) => {
            Some(format!("{} has no class {name}", row.recording_id))
        }
        _ => None,
    }
}
