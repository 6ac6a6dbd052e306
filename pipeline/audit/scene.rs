//! The scenes that items are about, rebuilt from the release's own tables.

use crate::release::Release;
use crate::tables::{Key, for_each_row, key};
use std::collections::{BTreeMap, HashSet};
use uavgen_programs::SceneFrame;
use uavgen_schemas::{Box2d, Frame, Record, Region, Selection};

/// All records of one frame.
pub(crate) struct FrameRows {
    pub(crate) frame: Frame,
    pub(crate) boxes: Vec<Box2d>,
    regions: Vec<Region>,
    selections: BTreeMap<String, Selection>,
}

/// The records of some frames, by frame id.
#[derive(Default)]
pub(crate) struct SceneRows(BTreeMap<Key, FrameRows>);

/// Why a frame has no scene.
#[derive(Debug, PartialEq)]
pub(crate) enum NoScene {
    /// The frame is not in the release.
    NoFrame,
    /// The suite has no selection for the frame.
    NoSelection,
    /// The suite may not ask about the frame.
    Unusable(String),
    /// The records contradict each other.
    Invalid(String),
}

impl FrameRows {
    fn scene(&self, selection: &Selection) -> Result<SceneFrame, NoScene> {
        SceneFrame::new(&self.frame, &self.boxes, &self.regions, selection)
            .map_err(|error| NoScene::Invalid(error.to_string()))
    }
}

impl SceneRows {
    /// The records of the wanted frames, from the tables of all splits: a misplaced item finds its frames too.
    pub(crate) fn load(release: &Release, wanted: &HashSet<Key>) -> Self {
        let mut scenes = Self::default();
        let rows = &mut scenes.0;
        for_each_row::<Frame>(&release.table_files(Frame::TABLE), |_, frame| {
            let id = key(&frame.frame_id);
            if wanted.contains(&id) {
                let nothing = (Vec::new(), Vec::new(), BTreeMap::new());
                rows.insert(id, FrameRows { frame, boxes: nothing.0, regions: nothing.1, selections: nothing.2 });
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
        scenes
    }

    /// The records of a frame.
    pub(crate) fn get(&self, frame_id: &str) -> Option<&FrameRows> {
        self.0.get(&key(frame_id))
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

    /// The scene of a frame of a clip as a suite sees it. A clip shows all of its frames, also those that the suite may not ask
    /// about by themselves.
    pub(crate) fn frame_of_clip(&self, suite: &str, frame: &Key) -> Result<SceneFrame, NoScene> {
        let rows = self.0.get(frame).ok_or(NoScene::NoFrame)?;
        rows.scene(rows.selections.get(suite).ok_or(NoScene::NoSelection)?)
    }
}
