//! What a question is about: one frame, or a pair of frames of one recording.

use crate::asking::question::About;
use std::collections::BTreeSet;
use uavgen_programs::{Scene, SceneFrame, SceneView};
use uavgen_schemas::{Frame, Recording};

/// Frames that are shown together with a question.
#[derive(Debug)]
pub struct Subject<'a> {
    /// Recording of the frames.
    pub recording: &'a Recording,
    /// Frames, as the question calls them: the first one, the second one.
    pub frames: Vec<&'a Frame>,
    /// What is on them.
    pub scene: Scene,
    /// Names it in draws.
    pub key: String,
}

/// What is known of the classes of a recording's masks.
#[derive(Debug, Clone, Default)]
pub struct ClassNames {
    /// Classes of objects, sorted.
    pub objects: BTreeSet<String>,
    /// Classes of ground, sorted.
    pub grounds: BTreeSet<String>,
}

impl<'a> Subject<'a> {
    /// A subject with its scene.
    pub fn new(recording: &'a Recording, frames: Vec<&'a Frame>, scene: Scene) -> Self {
        let key = frames.iter().map(|frame| frame.frame_id.as_str()).collect::<Vec<_>>().join("\n");
        Self { recording, frames, scene, key }
    }

    /// A frame of the scene.
    pub fn frame(&self, position: u32) -> Option<&SceneFrame> {
        self.scene.frames().get(position as usize)
    }

    /// How the camera stood on each frame.
    pub fn views(&self) -> impl Iterator<Item = &SceneView> {
        self.scene.frames().iter().filter_map(SceneFrame::view)
    }

    /// Seconds between the two frames; null for one frame, and where times are unknown.
    pub fn interval_s(&self) -> Option<f64> {
        let times: Vec<f64> = self.views().filter_map(|view| view.time_s).collect();
        if let [first, second] = times[..] { Some(second - first) } else { None }
    }
}

impl crate::asking::question::Subject for Subject<'_> {
    fn scene(&self) -> &Scene {
        &self.scene
    }

    fn ids(&self) -> Vec<&str> {
        self.frames.iter().map(|frame| frame.frame_id.as_str()).collect()
    }

    fn about(&self) -> About {
        About {
            split: self.recording.split.clone(),
            video: None,
            clip_id: None,
            frame_ids: self.frames.iter().map(|frame| frame.frame_id.clone()).collect(),
            recording_ids: vec![self.recording.recording_id.clone()],
            group_id: self.recording.group_id.clone(),
            licence: self.recording.licence.clone(),
        }
    }
}
