//! The scenes that items are about, rebuilt from the release's own tables.

use crate::release::Release;
use crate::tables::{Key, for_each_row, key};
use std::collections::{BTreeMap, HashSet};
use uavgen_programs::SceneFrame;
use uavgen_schemas::{Box2d, Camera, Fragment, Frame, Instance, Pose, Record, Region, Selection};

/// All records of one frame.
pub(crate) struct FrameRows {
    pub(crate) frame: Frame,
    pub(crate) boxes: Vec<Box2d>,
    regions: Vec<Region>,
    selections: BTreeMap<String, Selection>,
    pose: Option<Pose>,
    pub(crate) instances: Vec<Instance>,
    fragments: Vec<Fragment>,
}

/// The records of some frames, by frame id, and the cameras that took them.
#[derive(Default)]
pub(crate) struct SceneRows {
    frames: BTreeMap<Key, FrameRows>,
    cameras: BTreeMap<String, Camera>,
}

/// Why a frame has no scene.
#[derive(Debug, PartialEq)]
pub(crate) enum NoScene {
    /// The frame is not in the release.
    NoFrame,
    /// The suite has no selection for the frame.
    NoSelection,
    /// The suite may not ask about the frame.
    Unusable(String),
    /// Nothing tells where the camera of the frame stood.
    NoPose,
    /// The records contradict each other.
    Invalid(String),
}

impl FrameRows {
    fn new(frame: Frame) -> Self {
        let (boxes, regions, selections) = (Vec::new(), Vec::new(), BTreeMap::new());
        Self { frame, boxes, regions, selections, pose: None, instances: Vec::new(), fragments: Vec::new() }
    }

    fn scene(&self, selection: &Selection) -> Result<SceneFrame, NoScene> {
        SceneFrame::new(&self.frame, &self.boxes, &self.regions, selection)
            .map_err(|error| NoScene::Invalid(error.to_string()))
    }
}

impl SceneRows {
    /// The records of the wanted frames, from the tables of all splits: a misplaced item finds its frames too.
    pub(crate) fn load(release: &Release, wanted: &HashSet<Key>) -> Self {
        let mut scenes = Self::default();
        let rows = &mut scenes.frames;
        for_each_row::<Frame>(&release.table_files(Frame::TABLE), |_, frame| {
            let id = key(&frame.frame_id);
            if wanted.contains(&id) {
                rows.insert(id, FrameRows::new(frame));
            }
        });
        for_each_row::<Pose>(&release.table_files(Pose::TABLE), |_, row| {
            if let Some(frame) = rows.get_mut(&key(&row.frame_id)) {
                frame.pose = Some(row);
            }
        });
        for_each_row::<Instance>(&release.table_files(Instance::TABLE), |_, row| {
            if let Some(frame) = rows.get_mut(&key(&row.frame_id)) {
                frame.instances.push(row);
            }
        });
        for_each_row::<Fragment>(&release.table_files(Fragment::TABLE), |_, row| {
            if let Some(frame) = rows.get_mut(&key(&row.frame_id)) {
                frame.fragments.push(row);
            }
        });
        for_each_row::<Box2d>(&release.table_files(Box2d::TABLE), |_, row| {
            if let Some(frame) = rows.get_mut(&key(&row.frame_id)) {
                frame.boxes.push(row);
            }
        });
        for_each_row::<Region>(&release.table_files(Region::TABLE), |_, row| {
            if let Some(frame) = rows.get_mut(&key(&row.frame_id)) {
                frame.regions.push(row);
            }
        });
        for_each_row::<Selection>(&release.table_files(Selection::TABLE), |_, row| {
            if let Some(frame) = rows.get_mut(&key(&row.frame_id)) {
                frame.selections.insert(row.suite.clone(), row);
            }
        });
        let cameras = &mut scenes.cameras;
        for_each_row::<Camera>(&release.table_files(Camera::TABLE), |_, row| {
            cameras.insert(row.camera_id.clone(), row);
        });
        scenes
    }

    /// The records of a frame.
    pub(crate) fn get(&self, frame_id: &str) -> Option<&FrameRows> {
        self.frames.get(&key(frame_id))
    }

    /// The scene of a frame as a suite sees it.
    pub(crate) fn frame(&self, suite: &str, frame_id: &str) -> Result<SceneFrame, NoScene> {
        let rows = self.get(frame_id).ok_or(NoScene::NoFrame)?;
        let selection = rows.selections.get(suite).ok_or(NoScene::NoSelection)?;
        if !selection.usable {
            return Err(NoScene::Unusable(selection.reason.clone().unwrap_or_else(|| "no reason given".into())));
        }
        rows.scene(selection)
    }

    /// The scene of a frame with the objects that were lifted from its mask.
    pub(crate) fn lifted(&self, frame_id: &str) -> Result<SceneFrame, NoScene> {
        let rows = self.get(frame_id).ok_or(NoScene::NoFrame)?;
        let pose = rows.pose.as_ref().ok_or(NoScene::NoPose)?;
        let camera = self.cameras.get(&pose.camera_id).ok_or(NoScene::NoPose)?;
        SceneFrame::of_instances(&rows.frame, camera, pose, &rows.instances, &rows.fragments)
            .map_err(|error| NoScene::Invalid(error.to_string()))
    }

    /// The scene of a frame of a clip as a suite sees it. A clip shows all of its frames, also those that the suite may not ask
    /// about by themselves.
    pub(crate) fn frame_of_clip(&self, suite: &str, frame: &Key) -> Result<SceneFrame, NoScene> {
        let rows = self.frames.get(frame).ok_or(NoScene::NoFrame)?;
        rows.scene(rows.selections.get(suite).ok_or(NoScene::NoSelection)?)
    }
}
