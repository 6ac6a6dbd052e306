//! State of a place and its motion: what stands, drives and walks where at which moment.

use crate::category::{Category, Paint};
use crate::model::{self, Block};
use crate::plane::{Camera, Point, convex_hull, point};
use crate::raster::Rgb;
use std::ops::RangeInclusive;

/// Frames per second of the sequences.
pub const FRAMES_PER_SECOND: f64 = 15.0;

/// A place with everything in it.
pub(crate) struct World {
    /// Colour of the bare ground.
    pub(crate) ground: Rgb,
    /// Seed of the ground's texture.
    pub(crate) texture: u32,
    /// Flat areas (roads, markings, pavements), later ones on top.
    pub(crate) patches: Vec<Patch>,
    pub(crate) buildings: Vec<Building>,
    pub(crate) trees: Vec<Tree>,
    /// Objects that are annotated, by ascending number.
    pub(crate) actors: Vec<Actor>,
    /// Areas that are annotated as ignored.
    pub(crate) ignored: Vec<IgnoredArea>,
}

/// A flat rectangle along the axes of the ground.
pub(crate) struct Patch {
    pub(crate) low: Point,
    pub(crate) high: Point,
    pub(crate) colour: Rgb,
}

impl Patch {
    /// The four corners.
    pub(crate) fn corners(&self) -> [Point; 4] {
        [self.low, point(self.high.x, self.low.y), self.high, point(self.low.x, self.high.y)]
    }
}

/// A box-shaped house along the axes of the ground.
pub(crate) struct Building {
    pub(crate) footprint: Patch,
    /// Metres.
    pub(crate) height: f64,
}

/// A tree: a round crown on a trunk.
pub(crate) struct Tree {
    pub(crate) foot: Point,
    /// Radius of the crown in metres.
    pub(crate) radius: f64,
}

impl Tree {
    /// Height of the middle of the crown in metres.
    pub(crate) fn crown_height(&self) -> f64 {
        1.2 + self.radius
    }
}

/// Whether evaluators are told to use an object (VisDrone's score).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// An object of one of the ten classes; score 1.
    Object,
    /// An unlabelled area; category 0, score 0.
    IgnoredRegion,
    /// An object outside the ten classes; category 11, score 0.
    Others,
    /// An object of one of the ten classes that is to be ignored; score 0.
    IgnoredObject,
}

impl Kind {
    /// Name in the truth table.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Object => "object",
            Kind::IgnoredRegion => "ignored_region",
            Kind::Others => "others",
            Kind::IgnoredObject => "ignored_object",
        }
    }

    /// VisDrone's score: 1 = evaluated.
    pub fn score(self) -> u8 {
        u8::from(self == Kind::Object)
    }
}

/// A stretch of frames on which an object is annotated as something that it is not, as happens in the real data.
#[derive(Debug, Clone)]
pub(crate) struct Mislabel {
    pub(crate) frames: RangeInclusive<u32>,
    pub(crate) category: Category,
}

/// An object that is annotated. It moves in a straight line at constant speed.
#[derive(Debug, Clone)]
pub(crate) struct Actor {
    /// Track number; unique among actors and ignored areas of the world.
    pub(crate) number: u32,
    pub(crate) category: Category,
    pub(crate) kind: Kind,
    pub(crate) paint: Paint,
    /// Scale of the category's model.
    pub(crate) size: f64,
    /// Position of the centre at the first frame.
    pub(crate) start: Point,
    /// Unit vector that the object faces, and moves along.
    pub(crate) heading: Point,
    /// Metres per second.
    pub(crate) speed: f64,
    pub(crate) mislabel: Option<Mislabel>,
}

impl Actor {
    /// Position of the centre on the ground.
    pub(crate) fn position(&self, seconds: f64) -> Point {
        self.start + self.heading * (self.speed * seconds)
    }

    /// What the annotation calls the object on a frame.
    pub(crate) fn annotated_category(&self, frame: u32) -> Category {
        match &self.mislabel {
            Some(mislabel) if mislabel.frames.contains(&frame) => mislabel.category,
            _ => self.category,
        }
    }

    /// Ground position and height of the corners of a block: four of the base, then four of the top.
    pub(crate) fn block_corners(&self, block: &Block, seconds: f64) -> [(Point, f64); 8] {
        let (rear, front) = block.along;
        let (rear_inset, front_inset, side_inset) = block.inset;
        let place = |along: f64, left: f64| {
            self.position(seconds) + self.heading * (along * self.size) + self.heading.left() * (left * self.size)
        };
        let ring = |rear: f64, front: f64, half: f64| {
            [place(rear, -half), place(front, -half), place(front, half), place(rear, half)]
        };
        let base = ring(rear, front, block.half_width);
        let top = ring(rear + rear_inset, front - front_inset, block.half_width - side_inset);
        let (low, high) = (block.heights.0 * self.size, block.heights.1 * self.size);
        std::array::from_fn(|i| if i < 4 { (base[i], low) } else { (top[i - 4], high) })
    }

    /// Outline in the picture (convex).
    pub(crate) fn silhouette(&self, camera: &Camera, seconds: f64) -> Vec<Point> {
        let corners = model::blocks(self.category).iter().flat_map(|block| self.block_corners(block, seconds));
        convex_hull(&corners.map(|(ground, height)| camera.project(ground, height)).collect::<Vec<_>>())
    }
}

/// A rectangle, upright in the picture, in which nobody labelled anything; a rack full of bicycles stands there.
pub(crate) struct IgnoredArea {
    /// Track number.
    pub(crate) number: u32,
    pub(crate) centre: Point,
    /// Half of the width and height in metres.
    pub(crate) half_extent: (f64, f64),
}

/// Something that stands up from the ground, and so hides what is behind it.
pub(crate) enum Solid<'a> {
    Building(&'a Building),
    Tree(&'a Tree),
    Actor(&'a Actor),
}

impl World {
    /// Everything that stands up, farthest first: the order to paint in.
    pub(crate) fn solids(&self, camera: &Camera, seconds: f64) -> Vec<Solid<'_>> {
        let mut solids: Vec<(f64, Solid)> = Vec::new();
        solids.extend(self.buildings.iter().map(|building| {
            let feet = building.footprint.corners().map(|corner| camera.project(corner, 0.0).y);
            (feet.into_iter().fold(f64::MIN, f64::max), Solid::Building(building))
        }));
        solids.extend(self.trees.iter().map(|tree| (camera.project(tree.foot, 0.0).y, Solid::Tree(tree))));
        let actors = self.actors.iter();
        solids.extend(actors.map(|a| (camera.project(a.position(seconds), 0.0).y, Solid::Actor(a))));
        solids.sort_by(|a, b| a.0.total_cmp(&b.0));
        solids.into_iter().map(|(_, solid)| solid).collect()
    }
}

impl Solid<'_> {
    /// Outline in the picture (convex).
    pub(crate) fn silhouette(&self, camera: &Camera, seconds: f64) -> Vec<Point> {
        match self {
            Solid::Building(building) => {
                let corners = building.footprint.corners();
                let base = corners.iter().map(|&corner| camera.project(corner, 0.0));
                let roof = corners.iter().map(|&corner| camera.project(corner, building.height));
                convex_hull(&base.chain(roof).collect::<Vec<_>>())
            }
            Solid::Tree(tree) => {
                let middle = camera.project(tree.foot, tree.crown_height());
                circle(middle, tree.radius * camera.pixels_per_metre)
            }
            Solid::Actor(actor) => actor.silhouette(camera, seconds),
        }
    }
}

/// A circle as a polygon of 24 corners.
pub(crate) fn circle(centre: Point, radius: f64) -> Vec<Point> {
    // Cosine and sine of 0, 15, ... 75 degrees to three decimals; written out, so that they are the same everywhere.
    const DIRECTIONS: [Point; 6] = [
        point(1.0, 0.0),
        point(0.966, 0.259),
        point(0.866, 0.5),
        point(0.707, 0.707),
        point(0.5, 0.866),
        point(0.259, 0.966),
    ];
    let mut corners = Vec::with_capacity(24);
    for direction in DIRECTIONS {
        let mut turned = direction;
        for _ in 0..4 {
            corners.push(centre + turned * radius);
            turned = turned.left();
        }
    }
    convex_hull(&corners)
}
