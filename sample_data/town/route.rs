//! How an object gets along: straights and bends, at a speed that stays or brakes to a halt.

use crate::plane::{Point, point};

/// A piece of a route.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Piece {
    /// Metres straight on.
    Straight(f64),
    /// A quarter of a circle of this radius in metres, to the left.
    Left(f64),
    /// A quarter of a circle of this radius in metres, to the right.
    Right(f64),
}

/// Where an object is at which time. Behind its last piece a route goes straight on.
#[derive(Debug, Clone)]
pub(crate) struct Route {
    /// Centre on the ground at time 0.
    pub(crate) start: Point,
    /// Unit vector at time 0: to the front, or along the axis of what has no front.
    pub(crate) heading: Point,
    pub(crate) pieces: Vec<Piece>,
    /// Metres per second at time 0.
    pub(crate) speed: f64,
    /// Metres per second squared that the speed goes down by until the object stands; 0 for one that keeps its speed.
    pub(crate) braking: f64,
}

/// State of an object at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct State {
    pub(crate) centre: Point,
    pub(crate) heading: Point,
    /// Metres per second.
    pub(crate) speed: f64,
}

impl Route {
    /// The route of what stands.
    pub(crate) fn standing(start: Point, heading: Point) -> Route {
        Route { start, heading, pieces: Vec::new(), speed: 0.0, braking: 0.0 }
    }

    /// State at a time in seconds, from 0.
    pub(crate) fn at(&self, seconds: f64) -> State {
        let driven = if self.braking > 0.0 { seconds.min(self.speed / self.braking) } else { seconds };
        let length = self.speed * driven - 0.5 * self.braking * driven * driven;
        let (centre, heading) = self.after(length);
        State { centre, heading, speed: self.speed - self.braking * driven }
    }

    /// Centre and heading after so many metres.
    fn after(&self, length: f64) -> (Point, Point) {
        let (mut centre, mut heading, mut rest) = (self.start, self.heading, length);
        for piece in &self.pieces {
            let (radius, whole) = match *piece {
                Piece::Straight(whole) => (0.0, whole),
                Piece::Left(radius) => (radius, radius * std::f64::consts::FRAC_PI_2),
                Piece::Right(radius) => (-radius, radius * std::f64::consts::FRAC_PI_2),
            };
            let along = rest.min(whole);
            rest -= along;
            if radius == 0.0 {
                centre = centre + heading * along;
            } else {
                let middle = centre + heading.left() * radius;
                heading = turned(heading, along / radius);
                centre = middle + heading.left() * -radius;
            }
        }
        (centre + heading * rest, heading)
    }
}

/// A vector turned to the left by an angle in radians, up to a quarter turn. The series of sine and cosine are
/// summed here, because the last bit of the platform's own differs between platforms.
fn turned(vector: Point, angle: f64) -> Point {
    let (mut term, mut cosine, mut sine) = (1.0, 0.0, 0.0);
    for power in 0..24 {
        match power % 4 {
            0 => cosine += term,
            1 => sine += term,
            2 => cosine -= term,
            _ => sine -= term,
        }
        term *= angle / f64::from(power + 1);
    }
    point(vector.x * cosine - vector.y * sine, vector.x * sine + vector.y * cosine)
}
