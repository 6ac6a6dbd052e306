//! What a question is about: one frame, or several of one recording.

use crate::asking::question::About;
use crate::asking::words::Place;
use std::collections::BTreeSet;
use uavgen_core::Draw;
use uavgen_geometry::Box2;
use uavgen_programs::{InsideRule, Scene, SceneFrame, SceneObject, Unknown, UnknownExtent};
use uavgen_schemas::{Frame, Recording};

/// Number of boxes that are drawn as areas for questions, besides halves and grid cells.
const DRAWN_AREAS: usize = 6;

/// Frames that are shown together with a question.
#[derive(Debug)]
pub struct Subject<'a> {
    /// Recording of the frames.
    pub recording: &'a Recording,
    /// Frames in order of time.
    pub frames: Vec<&'a Frame>,
    /// What is on them.
    pub scene: Scene,
}

impl crate::asking::question::Subject for Subject<'_> {
    fn scene(&self) -> &Scene {
        &self.scene
    }

    fn ids(&self) -> Vec<&str> {
        self.frame_ids()
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

impl Subject<'_> {
    /// Names the subject in ids and draws.
    pub fn key(&self) -> String {
        self.frame_ids().join("\n")
    }

    /// Ids of the frames, in order.
    pub fn frame_ids(&self) -> Vec<&str> {
        self.frames.iter().map(|frame| frame.frame_id.as_str()).collect()
    }

    /// First frame of the scene.
    pub fn first(&self) -> &SceneFrame {
        &self.scene.frames()[0]
    }

    /// Whether some frame has an area that nobody labelled: then nothing is certain about a whole image.
    pub fn has_unlabelled_area(&self) -> bool {
        self.meets_unlabelled_area(Place::WHOLE)
    }

    fn meets_unlabelled_area(&self, place: Place) -> bool {
        self.scene.frames().iter().any(|frame| {
            let mut areas = frame.unknowns().iter().filter(|unknown| unknown.extent == UnknownExtent::Area);
            let place = place.in_pixels(frame);
            areas.any(|area| place.is_none_or(|place| place.meets(&area.bounds)))
        })
    }

    /// Whether a question about these categories in this place is likely to be refused: an object lies on the border, or
    /// something unknown may be one of them. Such candidates are tried last; whether they are refused is for the program
    /// to say.
    pub fn is_doubtful(&self, any_of: &[String], place: Place, inside: InsideRule) -> bool {
        self.scene.frames().iter().any(|frame| {
            let area = place.in_pixels(frame);
            let on_border = |object: &SceneObject| {
                let share = area.map_or(1.0, |area| object.bounds.share_inside(&area));
                (inside.refuse_from..=inside.refuse_to).contains(&share)
            };
            let doubtful = |object: &SceneObject| !object.is_any_of(any_of) || on_border(object);
            let near = |unknown: &Unknown| area.is_none_or(|area| area.meets(&unknown.bounds));
            frame.objects().iter().any(|object| object.could_be(any_of) && doubtful(object))
                || frame.unknowns().iter().any(|unknown| unknown.could_be(any_of) && near(unknown))
        })
    }

    /// Whether something else that may be of one of the categories shows in the box of an object of the first frame.
    pub fn shows(&self, object: &SceneObject, any_of: &[String]) -> bool {
        let meets = |bounds: &Box2| bounds.meets(&object.bounds);
        let mut others = self.first().objects().iter().filter(|other| other.id != object.id);
        others.any(|other| other.could_be(any_of) && meets(&other.bounds))
            || self.first().unknowns().iter().any(|unknown| unknown.could_be(any_of) && meets(&unknown.bounds))
    }

    /// Areas of the image about which something certain can be said: halves, cells of the 3 x 3 grid and a few boxes by
    /// hash, without those that meet an unlabelled area.
    pub fn labelled_areas(&self, draw: &Draw) -> Vec<Place> {
        let key = self.key();
        // One size for all boxes of a subject, so that the size of a box tells nothing about what is in it.
        let side = |what: &str| 3 + draw.below(3, &["area", what, &key]);
        let (width, height) = (side("width"), side("height"));
        let drawn = (0..DRAWN_AREAS).map(|ordinal| {
            let corner = |what: &str, length| draw.below(11 - length, &["area", what, &key, &ordinal.to_string()]);
            let (x1, y1) = (corner("x", width), corner("y", height));
            Place::tenths([x1, y1, x1 + width, y1 + height])
        });
        Place::named().chain(drawn).filter(|&place| !self.meets_unlabelled_area(place)).collect()
    }

    /// Objects that are surely of one of the categories and lie in the place, with the position of their frame. This is
    /// what the labels say; whether it is certain is for the program to say.
    pub fn members(&self, any_of: &[String], place: Place, inside: InsideRule) -> Vec<(usize, &SceneObject)> {
        let frames = self.scene.frames().iter().enumerate();
        let objects = frames.flat_map(|(position, frame)| frame.objects().iter().map(move |o| (position, frame, o)));
        let fits = |frame: &SceneFrame, o: &SceneObject| o.is_any_of(any_of) && place.holds(frame, o, inside);
        objects.filter(|&(_, frame, o)| fits(frame, o)).map(|(position, _, o)| (position, o)).collect()
    }

    /// The members of which also the program is sure: none of them lies on the border of the place.
    pub fn sure_members(&self, any_of: &[String], place: Place, inside: InsideRule) -> Vec<(usize, &SceneObject)> {
        let clear = |&(position, object): &(usize, &SceneObject)| {
            let area = place.in_pixels(&self.scene.frames()[position]);
            area.is_none_or(|area| object.bounds.share_inside(&area) > inside.refuse_to)
        };
        self.members(any_of, place, inside).into_iter().filter(clear).collect()
    }

    /// Number of members on all frames.
    pub fn count(&self, any_of: &[String], place: Place, inside: InsideRule) -> i64 {
        self.members(any_of, place, inside).len() as i64
    }

    /// Number of their distinct tracks.
    pub fn track_count(&self, any_of: &[String], place: Place, inside: InsideRule) -> i64 {
        let members = self.members(any_of, place, inside);
        members.iter().filter_map(|(_, object)| object.track_id.as_deref()).collect::<BTreeSet<_>>().len() as i64
    }

    /// Number of frames that have one of them.
    pub fn frame_count(&self, any_of: &[String], place: Place, inside: InsideRule) -> i64 {
        let members = self.members(any_of, place, inside);
        members.iter().map(|(position, _)| position).collect::<BTreeSet<_>>().len() as i64
    }
}
