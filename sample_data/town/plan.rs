//! What stands and drives in the town. Places are in the axes of the town, whose roads run along them.

use crate::category::{Category, Paint};
use crate::dice::Dice;
use crate::model;
use crate::plane::{Point, point};
use crate::raster::Rgb;
use crate::town::class::TownClass;
use crate::town::ground::{Area, Ground, Hill, REACH, from_town};
use crate::town::route::{Piece, Route};
use crate::town::shape::{Shape, rectangle};
use crate::town::state::{Object, Scenery, TownWorld};

use Piece::{Left, Right, Straight};

const PLASTER: [Rgb; 4] = [[206, 196, 178], [190, 182, 170], [212, 204, 196], [186, 172, 150]];
const TILES: [Rgb; 4] = [[158, 82, 62], [138, 74, 62], [120, 88, 76], [172, 98, 70]];
const FLAT_ROOFS: [Rgb; 4] = [[138, 136, 134], [156, 152, 146], [122, 124, 130], [168, 160, 150]];
const STEEL: [Rgb; 5] = [[176, 66, 48], [52, 96, 150], [64, 122, 84], [204, 140, 52], [128, 132, 136]];
const LEAVES: [Rgb; 3] = [[62, 98, 48], [74, 108, 54], [56, 88, 52]];
const STONE: Rgb = [164, 156, 144];

const EAST: Point = point(1.0, 0.0);
const NORTH: Point = point(0.0, 1.0);
const WEST: Point = point(-1.0, 0.0);
const SOUTH: Point = point(0.0, -1.0);

/// The town of a seed. Places, shapes on the ground and motion are always the same; the seed moves heights, colours,
/// hills and trees.
pub(crate) fn town(seed: u64) -> TownWorld {
    let mut dice = Dice::new(seed, 101);
    let mut plan = Plan { objects: Vec::new(), scenery: Vec::new() };
    let ground = Ground::new(areas(), &hills(&mut dice));
    plan.houses(&mut dice);
    plan.blocks(&mut dice);
    plan.containers(&mut dice);
    plan.parked(&mut dice);
    plan.driving(&mut dice);
    plan.trees(&mut dice);
    plan.wall();
    TownWorld { ground, objects: plan.objects, scenery: plan.scenery, texture: dice.bits() }
}

fn areas() -> Vec<Area> {
    let area = |name, class, low: (f64, f64), high: (f64, f64)| Area {
        name,
        class,
        low: point(low.0, low.1),
        high: point(high.0, high.1),
    };
    use TownClass::{Crosswalk, Pavement, Road};
    vec![
        area("car_park", Pavement, (2.0, 8.0), (36.0, 22.0)),
        area("car_park_entry", Pavement, (17.0, 4.0), (23.0, 8.0)),
        area("yard", Pavement, (6.0, -40.0), (42.0, -9.0)),
        area("yard_entry", Pavement, (9.5, -9.0), (16.5, -4.0)),
        area("main_road", Road, (-REACH, -4.0), (REACH, 4.0)),
        area("cross_road", Road, (-14.0, -REACH), (-6.0, REACH)),
        area("east_crosswalk", Crosswalk, (-2.0, -4.0), (2.0, 4.0)),
        area("north_crosswalk", Crosswalk, (-14.0, 8.0), (-6.0, 12.0)),
    ]
}

fn hills(dice: &mut Dice) -> Vec<Hill> {
    let mut hill = |top: Point, radius, height: f64| Hill { top, radius, height: height * dice.between(0.8, 1.2) };
    vec![
        hill(point(-45.0, 30.0), 70.0, 2.4),
        hill(point(30.0, -25.0), 60.0, -1.6),
        hill(point(75.0, 60.0), 80.0, 3.0),
        hill(point(-60.0, -80.0), 90.0, 4.0),
    ]
}

struct Plan {
    objects: Vec<Object>,
    scenery: Vec<Scenery>,
}

impl Plan {
    fn object(&mut self, class: TownClass, shape: Shape, route: Route, is_moving: bool) {
        let route = Route { start: from_town(route.start), heading: from_town(route.heading), ..route };
        let number = self.objects.len() as u32 + 1;
        self.objects.push(Object { number, class, shape, route, is_moving });
    }

    /// Gabled houses.
    fn houses(&mut self, dice: &mut Dice) {
        // Centre, unit axis, length, width, height of the eaves, rise of the roof.
        const HOUSES: [(Point, Point, f64, f64, f64, f64); 7] = [
            (point(-25.0, 17.0), EAST, 11.0, 8.0, 5.2, 3.0),
            (point(-42.0, 15.0), point(0.8, 0.6), 12.0, 8.5, 5.8, 3.2),
            (point(-26.0, 35.0), point(12.0 / 13.0, 5.0 / 13.0), 10.0, 7.0, 4.0, 2.6),
            (point(54.0, 15.0), point(0.28, 0.96), 12.0, 9.0, 5.6, 3.4),
            (point(-50.0, -14.0), point(0.6, 0.8), 11.0, 8.0, 5.0, 3.0),
            (point(-31.0, -36.0), point(15.0 / 17.0, -8.0 / 17.0), 13.0, 9.0, 6.0, 3.6),
            (point(56.0, -19.0), NORTH, 11.0, 8.5, 4.6, 2.8),
        ];
        for (centre, axis, length, width, eaves, rise) in HOUSES {
            let eaves = eaves + dice.between(-0.3, 0.3);
            let (side, top) = (*dice.pick(&PLASTER), *dice.pick(&TILES));
            let shape = Shape::Gable { length, width, eaves, ridge: eaves + rise, side, top };
            self.object(TownClass::Building, shape, Route::standing(centre, axis), false);
        }
    }

    /// Buildings with flat roofs: the last two all but touch, one is L-shaped.
    fn blocks(&mut self, dice: &mut Dice) {
        let outline_l = [(1.5, -0.5), (9.0, -0.5), (9.0, 6.5), (-9.0, 6.5), (-9.0, -6.5), (1.5, -6.5)];
        let outline_l = outline_l.map(|(x, y)| point(x, y)).to_vec();
        // Centre, unit axis, outline, height.
        let blocks = [
            (point(-47.0, 38.0), point(0.96, 0.28), rectangle(14.0, 10.0), 7.0),
            (point(7.0, 33.0), EAST, rectangle(16.0, 12.0), 14.5),
            (point(34.0, 33.0), point(0.96, -0.28), outline_l, 8.5),
            (point(56.0, 40.0), point(0.8, 0.6), rectangle(12.0, 10.0), 10.0),
            (point(-54.0, -40.0), point(0.8, -0.6), rectangle(15.0, 9.0), 6.5),
            (point(25.0, -51.0), EAST, rectangle(30.0, 13.0), 7.5),
            (point(-23.5, -15.0), NORTH, rectangle(12.0, 10.0), 6.0),
            (point(-33.9, -15.0), NORTH, rectangle(11.0, 10.2), 8.5),
        ];
        for (centre, axis, outline, height) in blocks {
            let height = height + dice.between(-0.4, 0.4);
            let (side, top) = (*dice.pick(&PLASTER), *dice.pick(&FLAT_ROOFS));
            let shape = Shape::Prism { outline, height, side, top };
            self.object(TownClass::Building, shape, Route::standing(centre, axis), false);
        }
    }

    /// Containers of 20 and 40 feet, 0.4 m apart in their row.
    fn containers(&mut self, dice: &mut Dice) {
        const ROW: f64 = 2.44 + 0.4;
        let row = (0..5).map(|place| (point(22.0 + ROW * f64::from(place), -15.0), NORTH, 6.06));
        let long = [(point(28.0, -31.0), EAST, 12.19), (point(28.0, -31.0 - ROW), EAST, 12.19)];
        let apart = [(point(38.0, -24.0), point(0.6, 0.8), 6.06)];
        for (centre, axis, length) in row.chain(long).chain(apart) {
            let colour = *dice.pick(&STEEL);
            let side = colour.map(|channel| channel - channel / 8);
            let shape = Shape::Prism { outline: rectangle(length, 2.44), height: 2.59, side, top: colour };
            self.object(TownClass::Container, shape, Route::standing(centre, axis), false);
        }
    }

    fn parked(&mut self, dice: &mut Dice) {
        for slot in [0, 1, 2, 4, 7, 8, 10] {
            let centre = point(4.0 + 2.8 * f64::from(slot), 18.8);
            let heading = if slot % 3 == 1 { SOUTH } else { NORTH };
            self.vehicle(Category::Car, Route::standing(centre, heading), false, dice);
        }
        for (centre, heading) in [(point(6.8, 10.8), NORTH), (point(30.0, 10.8), SOUTH), (point(-22.0, -5.3), EAST)] {
            self.vehicle(Category::Car, Route::standing(centre, heading), false, dice);
        }
        for (centre, heading) in [(point(9.5, -34.0), NORTH), (point(18.0, -25.0), point(0.96, -0.28))] {
            self.vehicle(Category::Truck, Route::standing(centre, heading), false, dice);
        }
    }

    /// What moves: the first two cars approach each other, the fourth stops before the crosswalk.
    fn driving(&mut self, dice: &mut Dice) {
        let cars = [
            (point(-45.0, -2.0), EAST, vec![], 11.0, 0.0),
            (point(45.0, 2.0), WEST, vec![], 9.0, 0.0),
            (point(6.0, 2.0), WEST, vec![Straight(9.0), Right(5.0)], 6.0, 0.0),
            (point(-12.0, 25.0), SOUTH, vec![], 10.0, 5.0),
            (point(-8.0, -52.0), NORTH, vec![], 12.0, 0.0),
            (point(32.0, 14.5), WEST, vec![Straight(7.0), Left(5.0)], 4.0, 0.0),
        ];
        let bus = (point(22.0, -2.0), EAST, vec![], 7.0, 0.0);
        let trucks = [
            (point(62.0, 2.0), WEST, vec![], 8.0, 0.0),
            (point(2.0, -2.0), EAST, vec![Straight(2.0), Right(9.0)], 4.5, 0.0),
        ];
        let all = cars.map(|car| (Category::Car, car)).into_iter();
        let all = all.chain([(Category::Bus, bus)]).chain(trucks.map(|truck| (Category::Truck, truck)));
        for (category, (start, heading, pieces, speed, braking)) in all {
            self.vehicle(category, Route { start, heading, pieces, speed, braking }, true, dice);
        }
    }

    fn vehicle(&mut self, category: Category, route: Route, is_moving: bool, dice: &mut Dice) {
        let class = match category {
            Category::Bus => TownClass::Bus,
            Category::Truck => TownClass::Truck,
            _ => TownClass::Car,
        };
        let paint: Paint = *dice.pick(category.paints());
        self.object(class, Shape::Vehicle { blocks: model::blocks(category), paint }, route, is_moving);
    }

    fn trees(&mut self, dice: &mut Dice) {
        const TREES: [(f64, f64); 12] = [
            (-18.0, 26.0),
            (-35.0, 25.0),
            (-36.0, 44.0),
            (-57.0, 24.0),
            (-3.0, 26.0),
            (19.5, 29.0),
            (48.0, 26.0),
            (46.0, 9.0),
            (-44.0, -28.0),
            (-20.0, -26.0),
            (-2.0, -14.0),
            (48.0, -35.0),
        ];
        for (x, y) in TREES {
            let place = point(x + dice.between(-0.8, 0.8), y + dice.between(-0.8, 0.8));
            let (radius, height) = (dice.between(1.8, 3.0), dice.between(5.5, 8.0));
            let shape = Shape::Tree { radius, height, crown: *dice.pick(&LEAVES) };
            self.scenery.push(Scenery {
                class: TownClass::Tree,
                shape,
                centre: from_town(place),
                axis: from_town(EAST),
            });
        }
    }

    /// A garden wall in pieces of 7 m, which step down the slope.
    fn wall(&mut self) {
        for piece in 0..6 {
            let shape = Shape::Prism { outline: rectangle(7.0, 0.4), height: 2.0, side: STONE, top: STONE };
            let centre = from_town(point(-21.5 - 7.0 * f64::from(piece), -23.5));
            self.scenery.push(Scenery { class: TownClass::Wall, shape, centre, axis: from_town(EAST) });
        }
    }
}
