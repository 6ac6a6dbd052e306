//! Ops that read places in space: the sets that they narrow, and one arm for each.

use super::directions::{Seen, bearing, clock_position};
use super::measures::{ahead, beyond, distance, measure, solid};
use super::sets::ObjectSet;
use super::{Machine, Outcome, terms};
use crate::answer::{Unit, Value};
use crate::ast::{Expr, Relation};
use crate::margins::{ExtremeMargin, MeasureMargin};
use crate::scene::{SceneFrame, SceneObject};
use crate::undefined::{Reason, Undefined};
use crate::unknown::{Possible, UnknownExtent};

impl<'s> ObjectSet<'s> {
    /// Members that fit; those of which nobody can say become possible ones. What is unknown may fit.
    fn sift(self, fits: impl Fn(&'s SceneObject) -> Result<bool, Reason>) -> Self {
        let mut sifted = Self { frame: self.frame, members: Vec::new(), possibles: Vec::new() };
        for possible in self.possibles {
            let out = matches!(possible, Possible::Object(object, _) if fits(object) == Ok(false));
            if !out {
                sifted.possibles.push(possible);
            }
        }
        for object in self.members {
            match fits(object) {
                Ok(true) => sifted.members.push(object),
                Ok(false) => {}
                Err(reason) => sifted.possibles.push(Possible::Object(object, reason)),
            }
        }
        sifted
    }

    /// Members wholly in the image. A piece at the border is no whole object either, but an area that nobody labelled may hold one.
    fn whole(self) -> Self {
        let image = self.frame.size().full_box();
        let mut sifted = self.sift(|object| Ok(!solid(object).truncated));
        sifted.possibles.retain(|possible| match possible {
            Possible::Unknown(unknown) if unknown.extent == UnknownExtent::OneObject => {
                let (own, all) = (&unknown.bounds, &image);
                own.x1() > all.x1() && own.y1() > all.y1() && own.x2() < all.x2() && own.y2() < all.y2()
            }
            _ => true,
        });
        sifted
    }
}

impl<'s> Machine<'s> {
    /// One arm per op: long, as it is a list.
    pub(super) fn apply_in_space(&mut self, expr: &Expr) -> Result<Outcome<'s>, Undefined> {
        Ok(match expr {
            Expr::WhereWhole { of } => Outcome::Set(self.set(of)?.whole()),
            Expr::WhereMeasure { of, measure: what, relation, limit, margin } => {
                let fits = |object: &SceneObject| beyond(measure(object, *what, margin)?, *relation, *limit, margin);
                Outcome::Set(self.set(of)?.sift(fits))
            }
            Expr::WhereWithin { of, centre, metres, measure, margin } => {
                let set = self.set(of)?;
                let centre = self.measurable("centre", centre, margin)?;
                let set = set.without(centre);
                let fits = |object: &SceneObject| {
                    beyond(distance(centre, object, *measure, margin)?, Relation::Less, *metres, margin)
                };
                Outcome::Set(set.sift(fits))
            }
            Expr::WhereOn { of, surface } => {
                let on = |object: &SceneObject| match &solid(object).surface {
                    Some(own) => Ok(own == surface),
                    None => Err(Reason::SurfaceUnknown),
                };
                Outcome::Set(self.set(of)?.sift(on))
            }
            Expr::WhereBetween { of, one, other, margin } => {
                let set = self.set(of)?;
                let one = self.measurable("one", one, margin)?;
                let other = self.measurable("other", other, margin)?;
                Outcome::Set(set.without(one).without(other).sift(|object| between(one, other, object, margin)))
            }
            Expr::WhereSeenFrom { of, frame, margin } => {
                let (set, frame) = (self.set(of)?, self.frame(*frame)?);
                Outcome::Set(set.sift(|object| is_shown(object, frame, margin)))
            }
            Expr::Superlative { of, measure: what, relation, margin } => {
                let set = self.set(of)?;
                let (winner, numbers) = ahead(&set, *relation, margin, |object| measure(object, *what, margin))?;
                self.note_each(&numbers);
                self.chosen(winner)
            }
            Expr::ByDistance { of, to, relation, measure, margin } => {
                let set = self.set(of)?;
                let to = self.measurable("to", to, margin)?;
                let number = |object: &SceneObject| distance(to, object, *measure, margin);
                let (winner, numbers) = ahead(&set.without(to), *relation, margin, number)?;
                self.note_each(&numbers);
                self.chosen(winner)
            }
            Expr::MeasureOf { of, measure: what, margin } => {
                let object = self.object(of)?;
                let value = measure(object, *what, margin);
                let value = value.map_err(|reason| Undefined::naming(reason, [object.id.as_str()]))?;
                Outcome::Value(Value::Float { value, unit: what.unit() })
            }
            Expr::Distance { from, to, measure, margin } => {
                let (from, to) = (self.object_named("from", from)?, self.object_named("to", to)?);
                let ids = [from.id.as_str(), to.id.as_str()];
                let value = distance(from, to, *measure, margin);
                let value = value.map_err(|reason| Undefined::naming(reason, ids))?;
                if value <= margin.absolute {
                    return Err(Undefined::naming(Reason::TooClose, ids).measured(value, margin.absolute));
                }
                Outcome::Value(Value::Float { value, unit: Unit::Metres })
            }
            Expr::Speed { from, to, margin } => {
                let (from, to) = (self.seen("from", from)?, self.seen("to", to)?);
                let value = self.speed(from, to, margin)?;
                Outcome::Value(Value::Float { value, unit: Unit::MetresPerSecond })
            }
            Expr::CompareMeasures { left, relation, right, margin } => {
                let (left, right) = (self.float("left", left)?, self.float("right", right)?);
                let (apart, limit) = ((left - right).abs(), margin.limit(left, right));
                let greater = beyond(left, *relation, right, margin);
                Outcome::Bool(greater.map_err(|reason| Undefined::naming(reason, []).measured(apart, limit))?)
            }
            Expr::Bearing { from, to, frame, sectors, margin } => {
                let (from, to) = (self.seen("from", from)?, self.seen("to", to)?);
                Outcome::Value(bearing(from, to, *frame, *sectors, margin)?)
            }
            Expr::ClockPosition { of, margin } => Outcome::Value(clock_position(self.seen("of", of)?, margin)?),
            Expr::SurfaceOf { of, among } => Outcome::Value(terms::surface_of(self.object(of)?, among)?),
            Expr::StillThere { of, frame, margin } => {
                let (seen, frame) = (self.seen("of", of)?, self.frame(*frame)?);
                Outcome::Bool(self.still_there(seen, frame, margin)?)
            }
            _ => unreachable!("`{}` reads no place in space", expr.op()),
        })
    }

    /// An object of which the whole was measured.
    fn measurable(&mut self, name: &str, expr: &Expr, margin: &MeasureMargin) -> Result<&'s SceneObject, Undefined> {
        let object = self.object_named(name, expr)?;
        if solid(object).is_measurable(margin.min_visibility) {
            Ok(object)
        } else {
            Err(Undefined::naming(Reason::PartlySeen, [object.id.as_str()]))
        }
    }

    /// An object with the frame that shows it.
    fn seen(&mut self, name: &str, expr: &Expr) -> Result<Seen<'s>, Undefined> {
        let object = self.object_named(name, expr)?;
        let shows = |frame: &&SceneFrame| frame.object(&object.id).is_some();
        let frame = self.scene.frames().iter().find(shows);
        match frame.and_then(|frame| frame.view().map(|view| Seen { object, frame, view })) {
            Some(seen) => Ok(seen),
            None => unreachable!("checked: objects come from the frames of the scene, which are lifted ones"),
        }
    }

    /// The numbers that candidates were compared by, for the facts.
    fn note_each(&mut self, numbers: &[(&str, f64)]) {
        for (id, number) in numbers {
            if let Some(number) = serde_json::Number::from_f64(*number) {
                self.note_at(format!("{}[{id}]", self.path.join(".")), number);
            }
        }
    }
}

impl<'s> ObjectSet<'s> {
    /// The set without one object, on whatever frame that is.
    fn without(mut self, object: &SceneObject) -> Self {
        let other =
            |own: &SceneObject| own.id != object.id && (own.track_id.is_none() || own.track_id != object.track_id);
        self.members.retain(|own| other(own));
        self.possibles.retain(|possible| !matches!(possible, Possible::Object(own, _) if !other(own)));
        self
    }
}

/// Whether the straight line from one footprint centre to another crosses the footprint of an object, between the two.
fn between(
    one: &SceneObject,
    other: &SceneObject,
    object: &SceneObject,
    margin: &MeasureMargin,
) -> Result<bool, Reason> {
    let [one, other, own] = [one, other, object].map(solid);
    if !own.is_measurable(margin.min_visibility) {
        return Err(Reason::PartlySeen);
    }
    let (start, end) = (one.footprint.centre(), other.footprint.centre());
    if own.footprint.distance_to_segment(start, end) > margin.absolute {
        return Ok(false);
    }
    let crossed = own.footprint.shrunk(margin.absolute).distance_to_segment(start, end) == 0.0;
    let apart = [one, other].iter().all(|end| end.footprint.distance_to(&own.footprint) > 0.0);
    if crossed && apart { Ok(true) } else { Err(Reason::NearTie) }
}

/// Whether the ground that an object stands on is in the image of a frame.
fn is_shown(object: &SceneObject, frame: &SceneFrame, margin: &ExtremeMargin) -> Result<bool, Reason> {
    let solid = solid(object);
    // Where the middle of what is cut off lies, nobody knows: the other frame may show the very part that this one lacks.
    if solid.truncated {
        return Err(Reason::PartlySeen);
    }
    let Some(pixel) = frame.view().and_then(|view| view.pixel(solid.foot())) else { return Ok(false) };
    let (size, band) = (frame.size(), margin.side_share * frame.size().longer_side_px());
    // Distance from the border, negative outside.
    let inside = pixel.x.min(size.width_px() - pixel.x).min(pixel.y).min(size.height_px() - pixel.y);
    match inside {
        inside if inside < -band => Ok(false),
        inside if inside <= band => Err(Reason::StraddlesRegion),
        _ => Ok(true),
    }
}
