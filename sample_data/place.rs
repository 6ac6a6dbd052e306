//! The kinds of place: static scenery, and the lanes on which objects may be.

use crate::dice::Dice;
use crate::plane::{Point, point};
use crate::raster::Rgb;
use crate::world::{Building, Patch, Tree, World};

const ASPHALT: Rgb = [92, 94, 97];
const PAVEMENT: Rgb = [158, 152, 144];
const KERB: Rgb = [182, 178, 170];
const WHITE: Rgb = [214, 214, 208];
const GRASS: Rgb = [96, 116, 68];
const PLAZA: Rgb = [176, 162, 142];
const ROOFS: [Rgb; 5] = [[150, 92, 76], [126, 122, 118], [168, 160, 148], [112, 124, 138], [142, 112, 90]];
/// Roads reach this far from the origin, well beyond every view.
const REACH: f64 = 90.0;
const EAST: Point = point(1.0, 0.0);
const NORTH: Point = point(0.0, 1.0);
const SOUTH: Point = point(0.0, -1.0);
const WEST: Point = point(-1.0, 0.0);

/// Who may be on a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// Vehicles that keep the lane's speed.
    Driving,
    /// One parked vehicle.
    Parking,
    /// People who walk, either way.
    Walking,
    /// People who sit.
    Sitting,
}

/// A line that objects stand on or move along.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lane {
    pub(crate) from: Point,
    pub(crate) heading: Point,
    /// Metres.
    pub(crate) length: f64,
    /// Metres per second; people have their own.
    pub(crate) speed: f64,
    pub(crate) usage: Use,
}

/// The kinds of place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// A road of four lanes between houses and a green.
    Avenue,
    /// A crossing of two roads, where north and south wait.
    Junction,
    /// Two rows of parking slots beside a street.
    CarPark,
    /// Paths across a green, a street at its south side.
    Park,
}

/// A place without objects, and where objects may be.
pub(crate) fn build(place: Place, dice: &mut Dice) -> (World, Vec<Lane>) {
    let mut site = Site {
        world: World {
            ground: GRASS,
            texture: dice.bits(),
            patches: Vec::new(),
            buildings: Vec::new(),
            trees: Vec::new(),
            actors: Vec::new(),
            ignored: Vec::new(),
        },
        lanes: Vec::new(),
    };
    match place {
        Place::Avenue => site.avenue(dice),
        Place::Junction => site.junction(dice),
        Place::CarPark => site.car_park(dice),
        Place::Park => site.park(dice),
    }
    (site.world, site.lanes)
}

struct Site {
    world: World,
    lanes: Vec<Lane>,
}

impl Site {
    fn avenue(&mut self, dice: &mut Dice) {
        self.patch((-REACH, -9.4), (REACH, 9.4), PAVEMENT);
        self.patch((-REACH, -6.7), (REACH, 6.7), KERB);
        self.patch((-REACH, -6.5), (REACH, 6.5), ASPHALT);
        self.patch((-REACH, -0.25), (REACH, -0.1), [206, 176, 84]);
        self.patch((-REACH, 0.1), (REACH, 0.25), [206, 176, 84]);
        self.dashes_along_x(-3.2);
        self.dashes_along_x(3.2);
        self.zebra_across_x(9.0, 6.3);
        for (y, heading, speed) in [(-4.8, EAST, 9.0), (-1.6, EAST, 12.0), (1.6, WEST, 11.0), (4.8, WEST, 8.0)] {
            self.lane(point(-REACH * heading.x, y), heading, 2.0 * REACH, speed, Use::Driving);
        }
        self.walks_along_x(&[-7.5, -8.7, 7.5, 8.7]);
        self.sitting(&[(-15.0, -10.6), (4.0, -10.8), (14.0, -11.5), (19.0, -10.6)]);
        self.houses_along_x(11.5, 10.0, dice);
        self.trees_along_x(-10.4, dice);
        self.trees_along_x(-15.5, dice);
    }

    fn junction(&mut self, dice: &mut Dice) {
        self.patch((-REACH, -6.2), (REACH, 6.2), PAVEMENT);
        self.patch((-6.2, -REACH), (6.2, REACH), PAVEMENT);
        self.patch((6.2, 6.2), (24.0, 20.0), PLAZA);
        for (low, high, colour) in [((-REACH, -3.7), (REACH, 3.7), KERB), ((-3.7, -REACH), (3.7, REACH), KERB)] {
            self.patch(low, high, colour);
        }
        self.patch((-REACH, -3.5), (REACH, 3.5), ASPHALT);
        self.patch((-3.5, -REACH), (3.5, REACH), ASPHALT);
        self.dashes_along_x(0.0);
        self.dashes_along_y(0.0);
        self.patch((-3.6, -3.5), (3.6, 3.5), ASPHALT);
        for side in [-1.0, 1.0] {
            self.zebra_across_x(side * 5.2, 3.3);
            self.zebra_across_y(side * 5.2, 3.3);
        }
        self.lane(point(-REACH, -1.7), EAST, 2.0 * REACH, 8.0, Use::Driving);
        self.lane(point(REACH, 1.7), WEST, 2.0 * REACH, 9.0, Use::Driving);
        // North and south wait at the line: the lanes end before the crossing and nobody moves.
        self.lane(point(1.7, -40.0), NORTH, 29.5, 0.0, Use::Driving);
        self.lane(point(-1.7, 40.0), SOUTH, 29.5, 0.0, Use::Driving);
        self.walks_along_x(&[-4.9, 4.9]);
        for x in [-4.9, 4.9] {
            self.lane(point(x, 6.0), NORTH, 40.0, 0.0, Use::Walking);
            self.lane(point(x, -46.0), NORTH, 40.0, 0.0, Use::Walking);
        }
        self.lane(point(8.0, 9.0), EAST, 14.0, 0.0, Use::Walking);
        self.sitting(&[(9.0, 12.0), (12.0, 15.0), (16.0, 11.5), (10.5, 17.0), (18.0, 16.0)]);
        self.house((-24.0, 9.5), (-9.0, 20.0), 7.0, dice);
        self.house((10.0, -22.0), (26.0, -11.5), 6.0, dice);
        self.house((-46.0, 9.0), (-28.0, 22.0), 10.0, dice);
        for (x, y) in
            [(-9.0, -9.5), (-14.5, -8.0), (-20.0, -9.0), (-12.0, -14.0), (21.5, 8.2), (-26.0, -8.5), (14.0, 18.0)]
        {
            self.tree(x, y, dice);
        }
    }

    fn car_park(&mut self, dice: &mut Dice) {
        self.street_along_x(-14.0);
        self.patch((-32.0, -8.5), (30.0, 11.5), KERB);
        self.patch((-31.7, -8.2), (29.7, 11.2), [104, 105, 106]);
        self.patch((14.0, -10.5), (20.0, -8.0), [104, 105, 106]);
        for row in [(5.8, 11.0, SOUTH), (-8.0, -2.8, NORTH)] {
            self.parking_row(row.0, row.1, row.2);
        }
        self.lane(point(-28.0, 1.0), EAST, 54.0, 3.0, Use::Driving);
        self.lane(point(-30.0, 3.6), EAST, 58.0, 0.0, Use::Walking);
        self.lane(point(-30.0, -1.2), EAST, 58.0, 0.0, Use::Walking);
        self.sitting(&[(-20.0, 12.8), (-6.0, 12.6), (8.0, 12.8)]);
        self.houses_along_x(15.0, 9.0, dice);
        for x in [-24.0, -13.0, -2.0, 9.0, 26.0] {
            self.tree(x, -9.4, dice);
        }
        self.trees_along_x(-20.0, dice);
    }

    fn park(&mut self, dice: &mut Dice) {
        self.street_along_x(-13.5);
        self.patch((-REACH, 1.5), (REACH, 4.5), PLAZA);
        self.patch((-8.0, -10.0), (-5.0, 40.0), PLAZA);
        self.patch((-12.5, -2.5), (-0.5, 8.5), PLAZA);
        self.patch((-8.2, 1.3), (-4.8, 4.7), [120, 150, 158]);
        self.lane(point(-40.0, 2.2), EAST, 80.0, 0.0, Use::Walking);
        self.lane(point(-40.0, 3.8), EAST, 80.0, 0.0, Use::Walking);
        self.lane(point(-6.5, -9.5), NORTH, 9.0, 0.0, Use::Walking);
        self.lane(point(-6.5, 7.0), NORTH, 20.0, 0.0, Use::Walking);
        self.sitting(&[(-11.5, 0.0), (-1.5, 7.0), (-11.0, 7.5), (4.0, 5.4), (12.0, 5.4), (9.0, -3.0), (-18.0, 6.0)]);
        for (x, y) in [(3.0, 10.5), (10.0, 12.0), (17.5, 9.5), (24.0, -4.0), (16.0, -5.5), (4.0, -5.0), (-17.0, -3.0)] {
            self.tree(x, y, dice);
        }
        for (x, y) in [(-24.0, 8.0), (-16.0, 11.0), (-27.0, -5.0), (31.0, 8.0), (-20.0, 15.5), (8.0, 17.0)] {
            self.tree(x, y, dice);
        }
    }

    /// A two-lane street with pavements, its axis at `y`.
    fn street_along_x(&mut self, y: f64) {
        self.patch((-REACH, y - 5.6), (REACH, y + 5.6), PAVEMENT);
        self.patch((-REACH, y - 3.7), (REACH, y + 3.7), KERB);
        self.patch((-REACH, y - 3.5), (REACH, y + 3.5), ASPHALT);
        self.dashes_along_x(y);
        self.lane(point(-REACH, y - 1.7), EAST, 2.0 * REACH, 8.0, Use::Driving);
        self.lane(point(REACH, y + 1.7), WEST, 2.0 * REACH, 9.0, Use::Driving);
        self.walks_along_x(&[y - 4.7, y + 4.7]);
    }

    /// Slots of 2.7 m side by side, with lines between them.
    fn parking_row(&mut self, low: f64, high: f64, heading: Point) {
        for slot in 0..21 {
            let x = -28.0 + f64::from(slot) * 2.7;
            self.patch((x - 0.06, low), (x + 0.06, high), WHITE);
            let centre = point(x + 1.35, (low + high) / 2.0);
            self.lane(centre, heading, 0.0, 0.0, Use::Parking);
        }
    }

    fn walks_along_x(&mut self, ys: &[f64]) {
        for &y in ys {
            self.lane(point(-REACH, y), EAST, 2.0 * REACH, 0.0, Use::Walking);
        }
    }

    fn sitting(&mut self, spots: &[(f64, f64)]) {
        for &(x, y) in spots {
            self.patch((x - 0.9, y - 0.28), (x + 0.9, y + 0.22), [124, 92, 62]);
            self.lane(point(x - 0.45, y), SOUTH, 0.0, 0.0, Use::Sitting);
            self.lane(point(x + 0.45, y), SOUTH, 0.0, 0.0, Use::Sitting);
        }
    }

    fn houses_along_x(&mut self, y: f64, depth: f64, dice: &mut Dice) {
        let mut x = -REACH;
        while x < REACH {
            let width = dice.between(11.0, 19.0);
            let height = 3.0 * (2 + dice.below(2)) as f64 + 0.6;
            self.house((x, y), (x + width, y + depth), height, dice);
            x += width + dice.between(3.0, 6.0);
        }
    }

    fn trees_along_x(&mut self, y: f64, dice: &mut Dice) {
        let mut x = -REACH + dice.between(0.0, 6.0);
        while x < REACH {
            self.tree(x, y, dice);
            x += dice.between(7.5, 13.0);
        }
    }

    fn dashes_along_x(&mut self, y: f64) {
        for dash in -22..22 {
            let x = f64::from(dash) * 4.0;
            self.patch((x, y - 0.08), (x + 2.0, y + 0.08), WHITE);
        }
    }

    fn dashes_along_y(&mut self, x: f64) {
        for dash in -22..22 {
            let y = f64::from(dash) * 4.0;
            self.patch((x - 0.08, y), (x + 0.08, y + 2.0), WHITE);
        }
    }

    /// A zebra crossing at `x` of a road along x that reaches `half` to either side.
    fn zebra_across_x(&mut self, x: f64, half: f64) {
        for bar in 0..(half / 0.5) as u32 {
            let y = -half + 0.25 + f64::from(bar);
            self.patch((x - 1.3, y), (x + 1.3, y + 0.5), WHITE);
        }
    }

    fn zebra_across_y(&mut self, y: f64, half: f64) {
        for bar in 0..(half / 0.5) as u32 {
            let x = -half + 0.25 + f64::from(bar);
            self.patch((x, y - 1.3), (x + 0.5, y + 1.3), WHITE);
        }
    }

    fn patch(&mut self, low: (f64, f64), high: (f64, f64), colour: Rgb) {
        self.world.patches.push(Patch { low: point(low.0, low.1), high: point(high.0, high.1), colour });
    }

    fn lane(&mut self, from: Point, heading: Point, length: f64, speed: f64, usage: Use) {
        self.lanes.push(Lane { from, heading, length, speed, usage });
    }

    fn house(&mut self, low: (f64, f64), high: (f64, f64), height: f64, dice: &mut Dice) {
        let colour = *dice.pick(&ROOFS);
        let footprint = Patch { low: point(low.0, low.1), high: point(high.0, high.1), colour };
        self.world.buildings.push(Building { footprint, height });
    }

    fn tree(&mut self, x: f64, y: f64, dice: &mut Dice) {
        self.world.trees.push(Tree { foot: point(x, y), radius: dice.between(1.4, 2.1) });
    }
}
