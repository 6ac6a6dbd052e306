//! The records that the program of a question is executed on, and the scene that they make.

use super::origin::Item;
use crate::commands::clip::ShownClip;
use anyhow::Context as _;
use std::collections::{BTreeMap, BTreeSet};
use uavgen_programs::{FrameRate, ObjectKind, Program, Scene, SceneFrame};
use uavgen_schemas::{Box2d, Camera, Fragment, Frame, Instance, Pose, Region, Selection};

/// The records of some frames, by frame.
#[derive(Default)]
pub(super) struct Records {
    frames: BTreeMap<String, Frame>,
    boxes: BTreeMap<String, Vec<Box2d>>,
    regions: BTreeMap<String, Vec<Region>>,
    /// Those of the item's suite.
    selections: BTreeMap<String, Selection>,
    /// By camera.
    cameras: BTreeMap<String, Camera>,
    poses: BTreeMap<String, Pose>,
    instances: BTreeMap<String, Vec<Instance>>,
    fragments: BTreeMap<String, Vec<Fragment>>,
}

/// Ids of the frames that a question is about, in order.
pub(super) fn frame_ids<'a>(item: &'a Item, clip: Option<&'a ShownClip>) -> &'a [String] {
    clip.map_or(&item.frame_ids, |clip| &clip.frame_ids)
}

impl Records {
    /// Adds those of the rows that are of the wanted frames.
    pub(super) fn add(
        &mut self,
        suite: &str,
        wanted: &BTreeSet<&str>,
        (frames, boxes): (Vec<Frame>, Vec<Box2d>),
        (regions, selections): (Vec<Region>, Vec<Selection>),
    ) {
        let is_wanted = |id: &String| wanted.contains(id.as_str());
        let frames = frames.into_iter().filter(|row| is_wanted(&row.frame_id));
        self.frames.extend(frames.map(|row| (row.frame_id.clone(), row)));
        for row in boxes.into_iter().filter(|row| is_wanted(&row.frame_id)) {
            self.boxes.entry(row.frame_id.clone()).or_default().push(row);
        }
        for row in regions.into_iter().filter(|row| is_wanted(&row.frame_id)) {
            self.regions.entry(row.frame_id.clone()).or_default().push(row);
        }
        let selections = selections.into_iter().filter(|row| row.suite == suite && is_wanted(&row.frame_id));
        self.selections.extend(selections.map(|row| (row.frame_id.clone(), row)));
    }

    /// Adds what is known of the wanted frames in space.
    pub(super) fn add_posed(
        &mut self,
        wanted: &BTreeSet<&str>,
        (cameras, poses): (Vec<Camera>, Vec<Pose>),
        (instances, fragments): (Vec<Instance>, Vec<Fragment>),
    ) {
        let is_wanted = |id: &String| wanted.contains(id.as_str());
        self.cameras.extend(cameras.into_iter().map(|row| (row.camera_id.clone(), row)));
        let poses = poses.into_iter().filter(|row| is_wanted(&row.frame_id));
        self.poses.extend(poses.map(|row| (row.frame_id.clone(), row)));
        for row in instances.into_iter().filter(|row| is_wanted(&row.frame_id)) {
            self.instances.entry(row.frame_id.clone()).or_default().push(row);
        }
        for row in fragments.into_iter().filter(|row| is_wanted(&row.frame_id)) {
            self.fragments.entry(row.frame_id.clone()).or_default().push(row);
        }
    }

    /// The scene of a frame with the objects that were lifted from its mask.
    fn lifted(&self, id: &str) -> anyhow::Result<SceneFrame> {
        let pose = self.poses.get(id).with_context(|| format!("no pose for frame {id}"))?;
        let camera = self.cameras.get(&pose.camera_id).with_context(|| format!("no camera for frame {id}"))?;
        let instances = self.instances.get(id).map_or(&[] as &[Instance], Vec::as_slice);
        let fragments = self.fragments.get(id).map_or(&[] as &[Fragment], Vec::as_slice);
        let frame = SceneFrame::of_instances(self.frame(id)?, camera, pose, instances, fragments);
        frame.map_err(|error| anyhow::anyhow!("failed to {error}"))
    }

    /// The scene of a frame with its annotated boxes.
    fn annotated(&self, id: &str, suite: &str) -> anyhow::Result<SceneFrame> {
        let selection = self.selections.get(id);
        let selection = selection.with_context(|| format!("no selection of suite {suite} for frame {id}"))?;
        let boxes = self.boxes.get(id).map_or(&[] as &[Box2d], Vec::as_slice);
        let regions = self.regions.get(id).map_or(&[] as &[Region], Vec::as_slice);
        let frame = SceneFrame::new(self.frame(id)?, boxes, regions, selection);
        frame.map_err(|error| anyhow::anyhow!("failed to {error}"))
    }

    pub(super) fn frame(&self, id: &str) -> anyhow::Result<&Frame> {
        let found = self.frames.get(id);
        found.with_context(|| format!("the scene tables have no frame {id}: check the release with `uavgen check`"))
    }

    /// The scene of a question, which is about images or a clip.
    pub(super) fn scene(&self, item: &Item, clip: Option<&ShownClip>) -> anyhow::Result<Scene> {
        let lifted = Program::parse(&item.program).is_ok_and(|program| program.objects() == ObjectKind::Lifted);
        let mut frames = Vec::new();
        for id in frame_ids(item, clip) {
            frames.push(if lifted { self.lifted(id)? } else { self.annotated(id, &item.suite)? });
        }
        let scene = match clip {
            None => Scene::new(frames),
            Some(shown) => {
                let number = |value: i64| u32::try_from(value).unwrap_or(0);
                let lengths: Vec<u32> = shown.segments.iter().map(|segment| number(segment.frame_count)).collect();
                let fps = FrameRate { num: number(shown.clip.fps_num), den: number(shown.clip.fps_den) };
                Scene::of_clip(frames, &lengths, fps)
            }
        };
        scene.map_err(|error| anyhow::anyhow!("failed to {error}"))
    }
}
