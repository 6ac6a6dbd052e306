//! The records that the program of a question is executed on, and the scene that they make.

use super::origin::Item;
use crate::commands::clip::ShownClip;
use anyhow::Context as _;
use std::collections::{BTreeMap, BTreeSet};
use uavgen_programs::{FrameRate, Scene, SceneFrame};
use uavgen_schemas::{Box2d, Frame, Region, Selection};

/// The records of some frames, by frame.
#[derive(Default)]
pub(super) struct Records {
    frames: BTreeMap<String, Frame>,
    boxes: BTreeMap<String, Vec<Box2d>>,
    regions: BTreeMap<String, Vec<Region>>,
    /// Those of the item's suite.
    selections: BTreeMap<String, Selection>,
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

    pub(super) fn frame(&self, id: &str) -> anyhow::Result<&Frame> {
        let found = self.frames.get(id);
        found.with_context(|| format!("the scene tables have no frame {id}: check the release with `uavgen check`"))
    }

    /// The scene of a question, which is about images or a clip.
    pub(super) fn scene(&self, item: &Item, clip: Option<&ShownClip>) -> anyhow::Result<Scene> {
        let mut frames = Vec::new();
        for id in frame_ids(item, clip) {
            let selection = self.selections.get(id);
            let selection =
                selection.with_context(|| format!("no selection of suite {} for frame {id}", item.suite))?;
            let boxes = self.boxes.get(id).map_or(&[] as &[Box2d], Vec::as_slice);
            let regions = self.regions.get(id).map_or(&[] as &[Region], Vec::as_slice);
            let frame = SceneFrame::new(self.frame(id)?, boxes, regions, selection);
            frames.push(frame.map_err(|error| anyhow::anyhow!("failed to {error}"))?);
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
