//! What a question is about: one clip, with everything that its frames show.

use crate::asking::question::{About, Subject};
use crate::asking::words::Place;
use uavgen_programs::Scene;
use uavgen_schemas::qa::{joined_group, joined_licence};
use uavgen_schemas::{Clip, Recording};

/// A clip with its scene.
#[derive(Debug)]
pub struct ClipSubject<'a> {
    /// The clip.
    pub clip: &'a Clip,
    /// Its recordings.
    pub recordings: Vec<&'a Recording>,
    /// What is on its frames.
    pub scene: Scene,
    /// Whether the pictures of all its segments fill the picture of the clip. Else the left half of one is not that of
    /// the other, and only the whole picture is asked about.
    pub fills: bool,
}

impl ClipSubject<'_> {
    /// Names the clip in draws.
    pub fn key(&self) -> &str {
        &self.clip.clip_id
    }

    /// Where questions look: the whole picture, and its halves and the cells of a 3 x 3 grid where those are the same
    /// in all segments.
    pub fn places(&self) -> Vec<Place> {
        let named = Place::named().filter(|_| self.fills);
        std::iter::once(Place::WHOLE).chain(named).collect()
    }

    /// Number of segments.
    pub fn segments(&self) -> usize {
        self.scene.segments().len()
    }
}

impl Subject for ClipSubject<'_> {
    fn scene(&self) -> &Scene {
        &self.scene
    }

    fn ids(&self) -> Vec<&str> {
        vec![&self.clip.clip_id]
    }

    fn about(&self) -> About {
        About {
            split: self.clip.split.clone(),
            video: Some(self.clip.path.clone()),
            clip_id: Some(self.clip.clip_id.clone()),
            frame_ids: Vec::new(),
            recording_ids: self.clip.recording_ids.clone(),
            group_id: joined_group(self.recordings.iter().map(|recording| recording.group_id.as_str())),
            licence: joined_licence(self.recordings.iter().map(|recording| recording.licence.as_str())),
        }
    }
}

/// Where a question about a place looks, to stand after a verb: " in the left half of the image", or nothing.
pub fn where_phrase(place: Place) -> String {
    if place.area.is_some() { format!(" {}", place.phrase()) } else { String::new() }
}
