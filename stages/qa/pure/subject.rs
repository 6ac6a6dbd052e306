//! What a question is about: one frame, or several of one recording.

use super::draw::Draw;
use super::words::Place;
use std::collections::BTreeSet;
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

impl Subject<'_> {
    /// Names the subject in ids and draws.
    pub fn key(&self) -> String {
        let ids: Vec<&str> = self.frames.iter().map(|frame| frame.frame_id.as_str()).collect();
        ids.join("\n")
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

    /// Areas of the image about which something certain can be said: halves, cells of the 3 x 3 grid and a few boxes by hash, without
    /// those that meet an unlabelled area.
    pub fn labelled_areas(&self, draw: &Draw) -> Vec<Place> {
        let key = self.key();
        let drawn = (0..DRAWN_AREAS).map(|ordinal| {
            let ordinal = ordinal.to_string();
            let tenths = |what: &str, count| draw.below(count, &["area", what, &key, &ordinal]);
            let (x1, y1) = (tenths("x", 7), tenths("y", 7));
            let (width, height) = (3 + tenths("width", 3), 3 + tenths("height", 3));
            Place::tenths([x1, y1, (x1 + width).min(10), (y1 + height).min(10)])
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

    /// Number of those members on all frames.
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
