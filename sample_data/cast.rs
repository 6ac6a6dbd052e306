//! Puts objects into a place: so many of each category, on lanes that suit them, without collisions.

use crate::category::Category;
use crate::dice::Dice;
use crate::model;
use crate::place::{Lane, Use};
use crate::plane::{Camera, Point};
use crate::world::{Actor, Kind, World};

/// How often a free spot is drawn before an object is left out.
const TRIES: u32 = 300;

/// How many objects of which category.
pub(crate) type Recipe = &'static [(Category, u32)];

/// Where objects may be put: within the first view, widened by a margin.
pub(crate) struct Reach<'a> {
    pub(crate) camera: &'a Camera,
    /// Metres beyond the borders of the picture; negative keeps clear of them.
    pub(crate) margin: f64,
}

/// Adds the objects of a recipe, numbered on from those that are there.
pub(crate) fn add_actors(world: &mut World, lanes: &[Lane], reach: &Reach, recipe: Recipe, dice: &mut Dice) {
    for &(category, count) in recipe {
        for _ in 0..count {
            // Without a free spot the object is left out; the truth table tells what is there.
            if let Some(actor) = find_spot(world, lanes, reach, category, dice) {
                world.actors.push(actor);
            }
        }
    }
}

/// The number for the next actor or ignored area.
pub(crate) fn next_number(world: &World) -> u32 {
    (world.actors.len() + world.ignored.len()) as u32
}

fn find_spot(world: &World, lanes: &[Lane], reach: &Reach, category: Category, dice: &mut Dice) -> Option<Actor> {
    let suitable: Vec<Lane> = lanes.iter().copied().filter(|lane| suits(lane, category)).collect();
    (0..TRIES).find_map(|_| {
        let lane = dice.pick(&suitable);
        let actor = draw_actor(world, lane, category, dice);
        let free = world.actors.iter().all(|other| !collide(&actor, other));
        let clear = world.ignored.iter().all(|area| (area.centre - actor.start).length() > area.half_extent.0 + 3.0);
        (reach.contains(actor.start) && free && clear).then_some(actor)
    })
}

fn suits(lane: &Lane, category: Category) -> bool {
    match lane.usage {
        Use::Driving => !matches!(category, Category::Pedestrian | Category::People),
        Use::Parking => matches!(category, Category::Car | Category::Van),
        Use::Walking => category == Category::Pedestrian,
        Use::Sitting => category == Category::People,
    }
}

fn draw_actor(world: &World, lane: &Lane, category: Category, dice: &mut Dice) -> Actor {
    let walks = lane.usage == Use::Walking;
    let backwards = walks && dice.below(2) == 0;
    // People do not walk in file.
    let aside = if walks { dice.between(-0.5, 0.5) } else { 0.0 };
    Actor {
        number: next_number(world),
        category,
        kind: if category == Category::Others { Kind::Others } else { Kind::Object },
        paint: *dice.pick(category.paints()),
        size: 1.0,
        start: lane.from + lane.heading * dice.between(0.0, lane.length) + lane.heading.left() * aside,
        heading: if backwards { lane.heading * -1.0 } else { lane.heading },
        speed: if walks { dice.between(0.8, 1.6) } else { lane.speed },
        mislabel: None,
    }
}

/// Whether two objects are too near each other to begin with. Vehicles of a lane share its speed and stay apart.
fn collide(one: &Actor, other: &Actor) -> bool {
    let offset = other.start - one.start;
    let lengths = (model::length(one.category) + model::length(other.category)) / 2.0;
    let along = offset.dot(one.heading);
    let across = offset.cross(one.heading);
    if one.heading.cross(other.heading) == 0.0 {
        along.abs() < lengths + 1.0 && across.abs() < 0.8
    } else {
        offset.length() < lengths + 0.5
    }
}

impl Reach<'_> {
    fn contains(&self, ground: Point) -> bool {
        let offset = ground - self.camera.centre;
        let half = |pixels: u32| f64::from(pixels) / 2.0 / self.camera.pixels_per_metre + self.margin;
        offset.dot(self.camera.right()).abs() < half(self.camera.width)
            && offset.dot(self.camera.up).abs() < half(self.camera.height)
    }
}
