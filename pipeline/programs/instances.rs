//! The scene of a frame whose objects were lifted from its mask.

use crate::scene::{SceneError, SceneFrame, SceneObject};
use crate::solid::{SceneView, Solid};
use crate::unknown::{MayBe, Unknown, UnknownExtent};
use std::collections::{BTreeMap, BTreeSet};
use uavgen_geometry::{Box2, ImageSize, Intrinsics, Rectangle, Transform};
use uavgen_schemas::{Camera, Fragment, FragmentReason, Frame, Instance, Pose};

/// Fewest objects of a class that tell how large its objects are.
const FEWEST: usize = 4;
/// Largest deviation from the median, as a share of it, of objects that are about equally large.
const ALIKE: f64 = 0.3;
/// An object with so many times the footprint of its like is perhaps several.
const SEVERAL: f64 = 1.6;

/// Height of what moves on the ground, at most: trucks and buses.
const TALLEST_M: f64 = 3.5;

/// The median of sizes most of which are about equal; null where they are not, or too few.
fn usual_size(mut sizes: Vec<f64>) -> Option<f64> {
    sizes.sort_by(f64::total_cmp);
    let median = sizes.get(sizes.len() / 2).copied().filter(|_| sizes.len() >= FEWEST)?;
    let alike = sizes.iter().filter(|size| (*size - median).abs() <= ALIKE * median).count();
    (2 * alike > sizes.len()).then_some(median)
}

impl SceneFrame {
    /// The scene of a frame with a mask, from its records: instances become objects, and the pieces of the mask that became none
    /// are unknown. A piece that surely belongs to an instance adds nothing, and so is none.
    ///
    /// # Errors
    /// Records of another frame, camera or recording, and numbers that are none of a camera, pose or box.
    pub fn of_instances(
        frame: &Frame,
        camera: &Camera,
        pose: &Pose,
        instances: &[Instance],
        fragments: &[Fragment],
    ) -> Result<Self, SceneError> {
        let geometry =
            |source| SceneError::Geometry { frame_id: frame.frame_id.clone(), id: frame.frame_id.clone(), source };
        let size = ImageSize::try_from(frame).map_err(geometry)?;
        let view = SceneView {
            intrinsics: Intrinsics::try_from(camera).map_err(geometry)?,
            world_from_camera: Transform::try_from(pose).map_err(geometry)?,
            time_s: frame.timestamp_us.map(|time| time as f64 * 1e-6),
        };
        let mut built = Self {
            frame_id: frame.frame_id.clone(),
            recording_id: frame.recording_id.clone(),
            size,
            labelled: true,
            objects: Vec::with_capacity(instances.len()),
            unknowns: Vec::new(),
            view: Some(view),
        };
        if pose.frame_id != frame.frame_id || pose.camera_id != camera.camera_id {
            return Err(built.fault(&pose.camera_id, "the pose is of another frame or camera"));
        }
        if (camera.width, camera.height) != (frame.width, frame.height) {
            return Err(built.fault(&camera.camera_id, "the camera takes images of another size"));
        }
        for instance in instances {
            built.objects.push(built.lifted(instance)?);
        }
        built.set_several_aside();
        for fragment in fragments {
            if fragment.frame_id != frame.frame_id {
                return Err(built.fault(&fragment.fragment_id, "the fragment is of another frame"));
            }
            if fragment.part_of.is_none() {
                built.unknowns.push(built.piece(fragment)?);
            }
        }
        built.objects.sort_by(|a, b| a.id.cmp(&b.id));
        built.unknowns.sort_by(|a, b| a.id.cmp(&b.id));
        built.refuse_twins()?;
        Ok(built)
    }

    /// An instance or piece that comes twice, and two instances of one object, would be counted twice.
    fn refuse_twins(&self) -> Result<(), SceneError> {
        let ids = self.objects.iter().map(|object| &object.id).chain(self.unknowns.iter().map(|piece| &piece.id));
        let mut seen = BTreeSet::new();
        for id in ids {
            if !seen.insert(id) {
                return Err(self.fault(id, "the instance or fragment comes twice"));
            }
        }
        let mut tracks = BTreeSet::new();
        match self.objects.iter().find(|object| !tracks.insert(&object.track_id)) {
            Some(twin) => Err(self.fault(&twin.id, "another instance of the frame is the same object")),
            None => Ok(()),
        }
    }

    /// Makes objects unknown that are perhaps several: much larger than the others of their class, where these are about equally large.
    /// Masks without instances show things that touch as one.
    fn set_several_aside(&mut self) {
        let mut sizes: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for object in &self.objects {
            if let Some(solid) = object.solid.as_ref().filter(|solid| !solid.truncated) {
                sizes.entry(object.category.clone()).or_default().push(solid.footprint.area());
            }
        }
        let usual: BTreeMap<String, f64> =
            sizes.into_iter().filter_map(|(class, sizes)| Some((class, usual_size(sizes)?))).collect();
        let is_several = |object: &SceneObject| {
            let size = object.solid.as_ref().map_or(0.0, |solid| solid.footprint.area());
            usual.get(&object.category).is_some_and(|usual| size > SEVERAL * usual)
        };
        let (several, single): (Vec<SceneObject>, Vec<SceneObject>) =
            std::mem::take(&mut self.objects).into_iter().partition(is_several);
        self.objects = single;
        self.unknowns.extend(several.into_iter().map(|object| Unknown {
            id: object.id,
            track_id: object.track_id,
            bounds: object.bounds,
            extent: UnknownExtent::Area,
            may_be: MayBe::Only([object.category].into()),
        }));
    }

    fn lifted(&self, row: &Instance) -> Result<SceneObject, SceneError> {
        if row.frame_id != self.frame_id {
            return Err(self.fault(&row.instance_id, "the instance is of another frame"));
        }
        let geometry = |source| self.geometry(&row.instance_id, source);
        let bounds = Box2::new(row.x1, row.y1, row.x2, row.y2).map_err(geometry)?;
        let normalised = bounds.normalised(self.size).map_err(geometry)?;
        let numbers = [row.x, row.y, row.base_z, row.length_m, row.width_m, row.axis_yaw_rad, row.distance_m];
        let known = [row.top_z, row.height_m, row.heading_rad, row.visibility];
        if bounds.is_empty() || !numbers.into_iter().chain(known.into_iter().flatten()).all(f64::is_finite) {
            return Err(self.fault(&row.instance_id, "the instance has no area, or a number that is none"));
        }
        let is_below = row.top_z.is_some_and(|top| top < row.base_z);
        if row.length_m < 0.0 || row.width_m < 0.0 || row.distance_m < 0.0 || is_below {
            return Err(self
                .fault(&row.instance_id, "a side or distance of the instance is below 0, or its top below its base"));
        }
        Ok(SceneObject {
            id: row.instance_id.clone(),
            track_id: Some(row.object_id.clone()),
            category: row.category.clone(),
            annotated_category: row.category.clone(),
            bounds,
            normalised,
            image_share: bounds.area() / self.size.area_px2(),
            solid: Some(Solid {
                footprint: Rectangle::new([row.x, row.y], row.length_m, row.width_m, row.axis_yaw_rad),
                base_m: row.base_z,
                top_m: row.top_z,
                lean_m: self.lean_m(row),
                height_m: row.height_m,
                heading_rad: row.heading_rad,
                surface: row.surface.clone(),
                distance_m: row.distance_m,
                moving: row.moving,
                truncated: row.truncated,
                visibility: row.visibility,
            }),
        })
    }

    /// See [`Solid::lean_m`]: half of the way that the top of something as tall as a truck is off.
    fn lean_m(&self, row: &Instance) -> f64 {
        let Some(view) = self.view.as_ref().filter(|_| row.top_z.is_none()) else { return 0.0 };
        let camera = view.world_from_camera.position();
        let off = (row.x - camera.x()).hypot(row.y - camera.y()) / (camera.z() - row.base_z).max(f64::MIN_POSITIVE);
        0.5 * TALLEST_M * off
    }

    fn piece(&self, row: &Fragment) -> Result<Unknown, SceneError> {
        let geometry = |source| self.geometry(&row.fragment_id, source);
        let bounds = Box2::new(row.x1, row.y1, row.x2, row.y2).map_err(geometry)?;
        // One that is too small or thin is one object at most; in the others any number may hide.
        let one = matches!(row.reason, FragmentReason::TooSmall | FragmentReason::TooThin);
        Ok(Unknown {
            id: row.fragment_id.clone(),
            track_id: None,
            bounds: bounds.clamped(self.size),
            extent: if one { UnknownExtent::OneObject } else { UnknownExtent::Area },
            may_be: row.category.as_ref().map_or(MayBe::Anything, |category| MayBe::Only([category.clone()].into())),
        })
    }
}
