//! What is recorded: four sequences and a dozen stills, with their cameras, objects and oddities.

use crate::cast::{Reach, Recipe, add_actors, next_number};
use crate::category::{Category, Paint};
use crate::dice::Dice;
use crate::place::{self, Lane, Place};
use crate::plane::{Camera, Point, point};
use crate::world::{Actor, FRAMES_PER_SECOND, IgnoredArea, Kind, Mislabel, World};

use Category::{AwningTricycle, Bicycle, Bus, Car, Motor, Others, Pedestrian, People, Tricycle, Truck, Van};

/// One recording: a sequence, or a still (one frame at time 0).
pub(crate) struct Recording {
    /// Sequence name, or file stem of the still.
    pub(crate) name: String,
    /// `train` or `val`.
    pub(crate) split: &'static str,
    /// Whether the annotation file ends its lines with CR LF, as some copies of the real data do.
    pub(crate) crlf: bool,
    pub(crate) frame_count: u32,
    /// Whether there is an annotation file. Without one, nothing of it is in the truth table.
    pub(crate) annotated: bool,
    pub(crate) world: World,
    /// Camera of the first frame.
    pub(crate) camera: Camera,
    /// Metres per second on the ground.
    pub(crate) camera_velocity: Point,
}

impl Recording {
    /// Time of a frame, counted from 1, since the first.
    pub(crate) fn seconds(&self, frame: u32) -> f64 {
        f64::from(frame - 1) / FRAMES_PER_SECOND
    }

    /// Camera of a frame, counted from 1.
    pub(crate) fn camera(&self, frame: u32) -> Camera {
        Camera { centre: self.camera.centre + self.camera_velocity * self.seconds(frame), ..self.camera }
    }
}

const NORTH: Point = point(0.0, 1.0);
const NORTH_EAST: Point = point(0.6, 0.8);
const NORTH_WEST: Point = point(-0.28, 0.96);

/// The four sequences.
pub(crate) fn sequences(seed: u64) -> Vec<Recording> {
    vec![avenue_sequence(seed), junction_sequence(seed), park_sequence(seed), car_park_sequence(seed)]
}

struct SequencePlan {
    name: &'static str,
    split: &'static str,
    frame_count: u32,
    centre: Point,
    up: Point,
    velocity: Point,
}

fn sequence(plan: SequencePlan, world: World, camera: Camera) -> Recording {
    Recording {
        name: plan.name.to_owned(),
        split: plan.split,
        crlf: false,
        frame_count: plan.frame_count,
        annotated: true,
        world,
        camera,
        camera_velocity: plan.velocity,
    }
}

fn video_camera(plan: &SequencePlan) -> Camera {
    Camera { centre: plan.centre, up: plan.up, pixels_per_metre: 11.0, width: 640, height: 360 }
}

/// An ignored bicycle rack that leaves the picture, a truck that enters it; one bus; a pedestrian who is called
/// `people` on a few frames.
fn avenue_sequence(seed: u64) -> Recording {
    let plan = SequencePlan {
        name: "uav9000001_00000_v",
        split: "train",
        frame_count: 30,
        centre: point(-2.0, 0.5),
        up: NORTH,
        velocity: point(3.5, 0.0),
    };
    let camera = video_camera(&plan);
    let mut dice = Dice::new(seed, 1);
    let (mut world, lanes) = place::build(Place::Avenue, &mut dice);
    add_ignored(&mut world, point(-31.8, -13.2), (3.6, 2.2));
    let mut walker = scripted(&world, Pedestrian, Paint::Red, point(2.0, -8.2), point(1.0, 0.0), 1.2);
    walker.mislabel = Some(Mislabel { frames: 10..=13, category: People });
    world.actors.push(walker);
    let bus = scripted(&world, Bus, Paint::Yellow, point(14.0, 4.8), point(-1.0, 0.0), 8.0);
    world.actors.push(bus);
    let truck = scripted(&world, Truck, Paint::Blue, point(-35.0, -4.8), point(1.0, 0.0), 9.0);
    world.actors.push(truck);
    let recipe: Recipe = &[(Van, 1), (Car, 6), (Motor, 1), (Bicycle, 1), (Pedestrian, 3), (People, 1)];
    add_actors(&mut world, &lanes, &Reach { camera: &camera, margin: 9.0 }, recipe, &mut dice);
    sequence(plan, world, camera)
}

/// A car that is to be ignored; a child too small to be kept (under 64 square pixels); a camera that is turned.
fn junction_sequence(seed: u64) -> Recording {
    let plan = SequencePlan {
        name: "uav9000002_00104_v",
        split: "train",
        frame_count: 24,
        centre: point(-2.0, 1.0),
        up: NORTH_EAST,
        velocity: point(2.0, 1.5),
    };
    let camera = video_camera(&plan);
    let mut dice = Dice::new(seed, 2);
    let (mut world, lanes) = place::build(Place::Junction, &mut dice);
    let mut car = scripted(&world, Car, Paint::Black, point(1.7, -9.0), NORTH, 0.0);
    car.kind = Kind::IgnoredObject;
    world.actors.push(car);
    let mut child = scripted(&world, Pedestrian, Paint::Yellow, point(10.0, 8.0), point(-1.0, 0.0), 0.7);
    child.size = 0.55;
    world.actors.push(child);
    let recipe: Recipe = &[(Truck, 1), (Van, 1), (Car, 7), (Motor, 1), (Bicycle, 1), (Pedestrian, 4), (People, 3)];
    add_actors(&mut world, &lanes, &Reach { camera: &camera, margin: 5.0 }, recipe, &mut dice);
    sequence(plan, world, camera)
}

/// Sixteen seconds over a green, long enough to be cut and shuffled, in small pictures that nobody annotated.
fn park_sequence(seed: u64) -> Recording {
    let plan = SequencePlan {
        name: "uav9000004_00204_v",
        split: "train",
        frame_count: 240,
        centre: point(-14.0, -6.0),
        up: NORTH_WEST,
        velocity: point(1.7, 0.9),
    };
    let camera = Camera { pixels_per_metre: 6.0, width: 320, height: 180, ..video_camera(&plan) };
    let mut dice = Dice::new(seed, 4);
    let (mut world, lanes) = place::build(Place::Park, &mut dice);
    let recipe: Recipe = &[(Bus, 1), (Van, 1), (Car, 5), (Bicycle, 2), (Pedestrian, 9), (People, 3)];
    add_actors(&mut world, &lanes, &Reach { camera: &camera, margin: 12.0 }, recipe, &mut dice);
    Recording { annotated: false, ..sequence(plan, world, camera) }
}

/// A tractor (`others`); an ignored bicycle rack that comes into the picture.
fn car_park_sequence(seed: u64) -> Recording {
    let plan = SequencePlan {
        name: "uav9000003_00000_v",
        split: "val",
        frame_count: 24,
        centre: point(6.0, -3.0),
        up: NORTH,
        velocity: point(-3.0, 0.5),
    };
    let camera = video_camera(&plan);
    let mut dice = Dice::new(seed, 3);
    let (mut world, lanes) = place::build(Place::CarPark, &mut dice);
    add_ignored(&mut world, point(-27.9, 8.4), (2.6, 2.4));
    let mut tractor = scripted(&world, Others, Paint::Orange, point(-4.0, -15.7), point(1.0, 0.0), 8.0);
    tractor.kind = Kind::Others;
    world.actors.push(tractor);
    let recipe: Recipe =
        &[(Bus, 1), (Tricycle, 1), (AwningTricycle, 1), (Van, 1), (Car, 6), (Pedestrian, 3), (People, 1)];
    add_actors(&mut world, &lanes, &Reach { camera: &camera, margin: 4.0 }, recipe, &mut dice);
    sequence(plan, world, camera)
}

fn scripted(world: &World, category: Category, paint: Paint, start: Point, heading: Point, speed: f64) -> Actor {
    let number = next_number(world);
    Actor { number, category, kind: Kind::Object, paint, size: 1.0, start, heading, speed, mislabel: None }
}

fn add_ignored(world: &mut World, centre: Point, half_extent: (f64, f64)) {
    let number = next_number(world);
    world.ignored.push(IgnoredArea { number, centre, half_extent });
}

/// Plan of one still image.
struct Still {
    name: &'static str,
    split: &'static str,
    place: Place,
    size: (u32, u32),
    centre: Point,
    up: Point,
    pixels_per_metre: f64,
    recipe: Recipe,
    /// Picture position of an ignored area, as shares of width and height.
    ignored: Option<(f64, f64)>,
    crlf: bool,
}

/// The dozen stills. The first group of a name is the scene; no scene is in both splits.
pub(crate) fn stills(seed: u64) -> Vec<Recording> {
    STILLS.iter().map(|still| take(still, seed)).collect()
}

fn take(still: &Still, seed: u64) -> Recording {
    let (width, height) = still.size;
    let camera = Camera { centre: still.centre, up: still.up, pixels_per_metre: still.pixels_per_metre, width, height };
    // Stills of one scene show the same place, so the scenery's stream is the scene's; the objects' is the still's.
    let (mut world, lanes) = place::build(still.place, &mut Dice::new(seed, stream(&still.name[..7])));
    if let Some((x, y)) = still.ignored {
        add_ignored(&mut world, camera.ground_at(point(x * f64::from(width), y * f64::from(height))), (2.6, 1.6));
    }
    place_objects(&mut world, &lanes, &camera, still, seed);
    Recording {
        name: still.name.to_owned(),
        split: still.split,
        crlf: still.crlf,
        frame_count: 1,
        annotated: true,
        world,
        camera,
        camera_velocity: point(0.0, 0.0),
    }
}

fn place_objects(world: &mut World, lanes: &[Lane], camera: &Camera, still: &Still, seed: u64) {
    let mut dice = Dice::new(seed, stream(still.name));
    add_actors(world, lanes, &Reach { camera, margin: -1.2 }, still.recipe, &mut dice);
}

/// A stream number from a name (FNV-1a), clear of the small numbers that the sequences use.
fn stream(name: &str) -> u64 {
    name.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

const PLAIN: Still = Still {
    name: "",
    split: "train",
    place: Place::Avenue,
    size: (640, 480),
    centre: point(0.0, 0.0),
    up: NORTH,
    pixels_per_metre: 11.0,
    recipe: &[],
    ignored: None,
    crlf: false,
};

const STILLS: [Still; 12] = [
    Still {
        name: "9000011_00001_d_0000001",
        size: (960, 540),
        pixels_per_metre: 13.0,
        recipe: &[(Bus, 1), (Car, 7), (Pedestrian, 3), (Motor, 1)],
        ..PLAIN
    },
    Still {
        name: "9000011_00120_d_0000002",
        size: (800, 600),
        centre: point(24.0, -1.0),
        pixels_per_metre: 14.0,
        recipe: &[(Truck, 2), (Car, 5), (Van, 1), (Pedestrian, 5), (People, 2)],
        crlf: true,
        ..PLAIN
    },
    Still {
        name: "9000011_00245_d_0000003",
        size: (641, 479),
        centre: point(-20.0, 1.0),
        up: NORTH_WEST,
        recipe: &[(Car, 4), (Bicycle, 2), (Motor, 1), (Pedestrian, 2)],
        ignored: Some((0.07, 0.94)),
        ..PLAIN
    },
    Still {
        name: "9000012_00001_d_0000004",
        place: Place::Park,
        size: (720, 720),
        centre: point(0.0, 3.0),
        pixels_per_metre: 14.0,
        recipe: &[(Pedestrian, 7), (People, 4)],
        ..PLAIN
    },
    Still {
        name: "9000012_00090_d_0000005",
        place: Place::Park,
        size: (800, 450),
        centre: point(6.0, -8.0),
        pixels_per_metre: 13.0,
        recipe: &[(Bus, 1), (Van, 2), (Car, 3), (Bicycle, 1), (Pedestrian, 3), (People, 2)],
        crlf: true,
        ..PLAIN
    },
    // Labelled and empty: a corner of the green where nobody is.
    Still {
        name: "9000012_00300_d_0000006",
        place: Place::Park,
        size: (640, 480),
        centre: point(-26.0, 16.0),
        ..PLAIN
    },
    Still {
        name: "9000013_00001_d_0000007",
        place: Place::CarPark,
        size: (960, 540),
        centre: point(-1.0, -1.5),
        pixels_per_metre: 14.0,
        recipe: &[(Car, 22), (Van, 3), (Pedestrian, 8), (Motor, 1), (People, 2)],
        ignored: Some((0.95, 0.945)),
        ..PLAIN
    },
    Still {
        name: "9000013_00210_d_0000008",
        place: Place::CarPark,
        size: (640, 512),
        centre: point(10.0, -6.0),
        pixels_per_metre: 12.0,
        recipe: &[(AwningTricycle, 1), (Tricycle, 2), (Car, 6), (Pedestrian, 2), (Others, 1)],
        crlf: true,
        ..PLAIN
    },
    Still {
        name: "9000021_00001_d_0000009",
        split: "val",
        place: Place::Junction,
        size: (960, 540),
        up: NORTH_WEST,
        pixels_per_metre: 13.0,
        recipe: &[(Bus, 1), (Truck, 1), (Car, 5), (Bicycle, 1), (Pedestrian, 4), (People, 2)],
        ..PLAIN
    },
    Still {
        name: "9000021_00150_d_0000010",
        split: "val",
        place: Place::Junction,
        size: (640, 480),
        centre: point(6.0, 3.0),
        up: NORTH_EAST,
        pixels_per_metre: 12.0,
        recipe: &[(Car, 4), (Van, 2), (Motor, 2), (Pedestrian, 5)],
        ignored: Some((0.08, 0.06)),
        crlf: true,
    },
    Still {
        name: "9000022_00001_d_0000011",
        split: "val",
        size: (720, 540),
        centre: point(4.0, -2.0),
        pixels_per_metre: 12.0,
        recipe: &[(Bus, 1), (Car, 8), (Truck, 1), (Pedestrian, 2)],
        ..PLAIN
    },
    Still {
        name: "9000022_00180_d_0000012",
        split: "val",
        size: (800, 600),
        centre: point(-24.0, 0.0),
        pixels_per_metre: 14.0,
        recipe: &[(Van, 3), (Car, 3), (AwningTricycle, 1), (Pedestrian, 6), (People, 1)],
        ignored: Some((0.06, 0.95)),
        ..PLAIN
    },
];
