//! Directions, as sectors of a circle.

use super::measures::solid;
use crate::answer::Value;
use crate::directions::{BearingFrame, HOURS};
use crate::margins::AngleMargin;
use crate::scene::{SceneFrame, SceneObject};
use crate::solid::SceneView;
use crate::undefined::{Reason, Undefined};
use std::f64::consts::TAU;

/// An object with the frame that shows it.
#[derive(Clone, Copy)]
pub(super) struct Seen<'s> {
    pub(super) object: &'s SceneObject,
    pub(super) frame: &'s SceneFrame,
    pub(super) view: &'s SceneView,
}

/// In which sector `to` lies from `from`.
pub(super) fn bearing(
    from: Seen<'_>,
    to: Seen<'_>,
    frame: BearingFrame,
    sectors: u32,
    margin: &AngleMargin,
) -> Result<Value, Undefined> {
    let ids = [from.object.id.as_str(), to.object.id.as_str()];
    let refuse = |reason| Err(Undefined::naming(reason, ids));
    if let Some(cut) = [from, to].iter().find(|seen| !solid(seen.object).is_measurable(margin.min_visibility)) {
        return Err(Undefined::naming(Reason::PartlySeen, [cut.object.id.as_str()]));
    }
    let angle = if frame.is_of_image() { image_angle(from, to, margin)? } else { ground_angle(from, to, margin)? };
    let zero = match frame {
        BearingFrame::Image | BearingFrame::Clock | BearingFrame::Compass => 0.0,
        BearingFrame::Camera if from.view.tilt_rad() < margin.min_tilt_degrees.to_radians() => {
            let tilt = from.view.tilt_rad().to_degrees();
            return Err(Undefined::naming(Reason::TooSteep, []).measured(tilt, margin.min_tilt_degrees));
        }
        BearingFrame::Camera => from.view.azimuth_rad(),
        BearingFrame::Heading => match solid(from.object).heading_rad {
            Some(heading) => heading,
            None => return refuse(Reason::HeadingUnknown),
        },
    };
    sector(angle - zero, sectors, margin, ids).map(|sector| Value::Direction { frame, sectors, sector })
}

/// At which hour an object lies round the point under the drone.
pub(super) fn clock_position(seen: Seen<'_>, margin: &AngleMargin) -> Result<Value, Undefined> {
    let id = seen.object.id.as_str();
    if !solid(seen.object).is_measurable(margin.min_visibility) {
        return Err(Undefined::naming(Reason::PartlySeen, [id]));
    }
    let image = seen.frame.size().full_box();
    let nadir = seen.view.nadir().map(|pixel| (pixel.x, pixel.y)).filter(|&nadir| image.contains(nadir));
    let Some(nadir) = nadir else { return Err(Undefined::naming(Reason::PlaceHidden, [])) };
    let angle = angle_in_image(nadir, seen.object.bounds.centre(), seen.frame, margin, [id, id])?;
    if seen.object.bounds.contains(nadir) {
        return Err(Undefined::naming(Reason::TooClose, [id]));
    }
    let sector = sector(angle, HOURS, margin, [id, id])?;
    Ok(Value::Direction { frame: BearingFrame::Clock, sectors: HOURS, sector })
}

/// Clockwise from the top of the image of `from`: between the centres of the boxes where that frame shows both, else between the
/// places on the ground as that frame would show them.
fn image_angle(from: Seen<'_>, to: Seen<'_>, margin: &AngleMargin) -> Result<f64, Undefined> {
    let ids = [from.object.id.as_str(), to.object.id.as_str()];
    let (start, end) = if from.frame.frame_id() == to.frame.frame_id() {
        let (start, end) = (from.object.bounds.centre(), to.object.bounds.centre());
        // From within a box everything lies all round.
        if from.object.bounds.contains(end) || to.object.bounds.contains(start) {
            return Err(Undefined::naming(Reason::TooClose, ids));
        }
        (start, end)
    } else {
        let place = |seen: Seen<'_>| from.view.pixel(solid(seen.object).foot()).map(|pixel| (pixel.x, pixel.y));
        let (Some(start), Some(end)) = (place(from), place(to)) else {
            return Err(Undefined::naming(Reason::PlaceHidden, ids));
        };
        (start, end)
    };
    angle_in_image(start, end, from.frame, margin, ids)
}

/// Clockwise from the top of the image.
fn angle_in_image(
    (x, y): (f64, f64),
    (to_x, to_y): (f64, f64),
    frame: &SceneFrame,
    margin: &AngleMargin,
    ids: [&str; 2],
) -> Result<f64, Undefined> {
    let share = (to_x - x).hypot(to_y - y) / frame.size().longer_side_px();
    if share < margin.least_share || share == 0.0 {
        return Err(Undefined::naming(Reason::TooClose, ids).measured(share, margin.least_share));
    }
    Ok((to_x - x).atan2(y - to_y))
}

/// Clockwise from north, between the centres of the footprints.
fn ground_angle(from: Seen<'_>, to: Seen<'_>, margin: &AngleMargin) -> Result<f64, Undefined> {
    let ids = [from.object.id.as_str(), to.object.id.as_str()];
    let (start, end) = (solid(from.object), solid(to.object));
    let apart = start.ground_m(end);
    if apart < margin.least_m {
        return Err(Undefined::naming(Reason::TooClose, ids).measured(apart, margin.least_m));
    }
    let same = from.object.track_id.is_some() && from.object.track_id == to.object.track_id;
    let within = start.footprint.contains(end.footprint.centre()) || end.footprint.contains(start.footprint.centre());
    if !same && within {
        return Err(Undefined::naming(Reason::TooClose, ids));
    }
    Ok(start.azimuth_to_rad(end))
}

/// The sector of an angle; the first one has its middle at 0.
fn sector(angle_rad: f64, sectors: u32, margin: &AngleMargin, ids: [&str; 2]) -> Result<u32, Undefined> {
    let width = 360.0 / f64::from(sectors);
    let degrees = angle_rad.rem_euclid(TAU).to_degrees();
    let nearest = (degrees / width).round();
    let to_border = 0.5 * width - (degrees - nearest * width).abs();
    // With a margin of 0 the border itself still belongs to neither sector.
    if to_border < margin.degrees || to_border <= 0.0 {
        return Err(Undefined::naming(Reason::NearTie, ids).measured(to_border, margin.degrees));
    }
    Ok(nearest as u32 % sectors)
}
