//! Ops over two frames of one recording.

use super::Machine;
use super::directions::Seen;
use super::measures::solid;
use crate::ast::Expr;
use crate::margins::MeasureMargin;
use crate::scene::{SceneFrame, SceneObject};
use crate::undefined::{Reason, Undefined};
use crate::unknown::{Possible, Unknown};
use uavgen_geometry::{Box2, Point};

impl<'s> Machine<'s> {
    /// The same object on another frame.
    pub(super) fn in_frame(&mut self, name: &str, of: &Expr, frame: u32) -> Result<&'s SceneObject, Undefined> {
        let object = self.object_named(name, of)?;
        let frame = self.frame(frame)?;
        let Some(track) = object.track_id.as_deref() else {
            return Err(Undefined::naming(Reason::NoTracks, [object.id.as_str()]));
        };
        same_in(frame, track).ok_or_else(|| Undefined::naming(Reason::NotInFrame, [object.id.as_str()]))
    }

    /// Mean speed over the ground in metres per second.
    pub(super) fn speed(&self, from: Seen<'s>, to: Seen<'s>, margin: &MeasureMargin) -> Result<f64, Undefined> {
        let ids = [from.object.id.as_str(), to.object.id.as_str()];
        if from.object.track_id.is_none() || from.object.track_id != to.object.track_id {
            return Err(Undefined::naming(Reason::NotUnique, ids));
        }
        let (start, end) = (solid(from.object), solid(to.object));
        if ![start, end].iter().all(|solid| solid.is_measurable(margin.min_visibility)) {
            return Err(Undefined::naming(Reason::PartlySeen, ids));
        }
        let way = start.ground_m(end);
        if way <= margin.absolute {
            return Err(Undefined::naming(Reason::TooClose, ids).measured(way, margin.absolute));
        }
        match (from.view.time_s, to.view.time_s) {
            (Some(start), Some(end)) if end > start => Ok(way / (end - start)),
            _ => Err(Undefined::naming(Reason::TimesUnknown, [])),
        }
    }

    /// Whether an object is still where it was. Yes, where it has not gone half the margin; no, where it has gone the margin and its
    /// own length, or where the other frame shows the whole place with nothing of its class near it and nothing before it.
    pub(super) fn still_there(
        &self,
        seen: Seen<'s>,
        frame: &'s SceneFrame,
        margin: &MeasureMargin,
    ) -> Result<bool, Undefined> {
        let (object, place) = (seen.object, solid(seen.object));
        let refuse = |reason, id: &'s str| Err(Undefined::naming(reason, [object.id.as_str(), id]));
        if !place.is_measurable(margin.min_visibility) {
            return refuse(Reason::PartlySeen, &object.id);
        }
        let Some(shown) = place_in(object, frame) else { return refuse(Reason::PlaceHidden, &object.id) };
        let again = object.track_id.as_deref().and_then(|track| same_in(frame, track));
        if let Some(again) = again {
            // Where the middle of what is cut off or hidden lies, nobody knows.
            if !solid(again).is_measurable(margin.min_visibility) {
                return refuse(Reason::PartlySeen, &again.id);
            }
            let (way, far) = (place.ground_m(solid(again)), margin.absolute.max(place.footprint.length()));
            return match way {
                way if way <= 0.5 * margin.absolute => Ok(true),
                way if way >= far => Ok(false),
                way => {
                    Err(Undefined::naming(Reason::NearTie, [object.id.as_str(), again.id.as_str()]).measured(way, far))
                }
            };
        }
        let alike = |other: &&SceneObject| other.category == object.category;
        let near = |other: &&SceneObject| solid(other).footprint.distance_to(&place.footprint) < margin.absolute;
        if let Some(other) = frame.objects().iter().filter(alike).find(near) {
            return refuse(Reason::NotUnique, &other.id);
        }
        // Of whatever class it is: it may be the object, or stand before it.
        let hides = |unknown: &&Unknown| unknown.bounds.meets(&shown);
        if let Some(unknown) = frame.unknowns().iter().filter(|_| !self.labels_only).find(hides) {
            return refuse(Possible::Unknown(unknown).reason(), &unknown.id);
        }
        let covers = |other: &&SceneObject| other.bounds.meets(&shown);
        match frame.objects().iter().find(covers) {
            Some(other) => refuse(Reason::PlaceHidden, &other.id),
            None => Ok(false),
        }
    }
}

fn same_in<'s>(frame: &'s SceneFrame, track: &str) -> Option<&'s SceneObject> {
    frame.objects().iter().find(|object| object.track_id.as_deref() == Some(track))
}

/// Box of an object's footprint as a frame shows it, in pixels; null where that does not show all of it.
fn place_in(object: &SceneObject, frame: &SceneFrame) -> Option<Box2> {
    let (solid, view) = (solid(object), frame.view()?);
    let image = frame.size().full_box();
    let mut edges = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
    for [x, y] in solid.footprint.corners() {
        let pixel = view.pixel(Point::new(x, y, solid.base_m)).filter(|pixel| image.contains((pixel.x, pixel.y)))?;
        edges = [edges[0].min(pixel.x), edges[1].min(pixel.y), edges[2].max(pixel.x), edges[3].max(pixel.y)];
    }
    Box2::new(edges[0], edges[1], edges[2], edges[3]).ok()
}
