//! The state of the town: what is where at which time.

use crate::town::class::TownClass;
use crate::town::ground::Ground;
use crate::town::route::{Route, State};
use crate::town::shape::{FOOTING, Shape, Stand};
use crate::town::surface::{Skin, Surface};

/// Colours of the ground.
const GRASS: [u8; 3] = [104, 126, 72];
const ASPHALT: [u8; 3] = [96, 97, 100];
const PAVING: [u8; 3] = [140, 136, 130];

/// A thing or vehicle that has a row in the truth table.
#[derive(Debug, Clone)]
pub(crate) struct Object {
    /// Number, from 1, the same in all frames and flights.
    pub(crate) number: u32,
    pub(crate) class: TownClass,
    pub(crate) shape: Shape,
    pub(crate) route: Route,
    /// Whether it was on the move while the flights took place, and so is not in the mesh.
    pub(crate) is_moving: bool,
}

/// A tree or a piece of wall.
#[derive(Debug, Clone)]
pub(crate) struct Scenery {
    pub(crate) class: TownClass,
    pub(crate) shape: Shape,
    pub(crate) centre: crate::plane::Point,
    pub(crate) axis: crate::plane::Point,
}

/// The town.
pub(crate) struct TownWorld {
    pub(crate) ground: Ground,
    pub(crate) objects: Vec<Object>,
    pub(crate) scenery: Vec<Scenery>,
    /// Seed of the texture of surfaces.
    pub(crate) texture: u32,
}

impl Object {
    /// Where it is at a time in seconds.
    pub(crate) fn state(&self, seconds: f64) -> State {
        self.route.at(seconds)
    }

    /// Whether it has a front, and so a heading.
    pub(crate) fn has_front(&self) -> bool {
        matches!(self.shape, Shape::Vehicle { .. })
    }
}

impl TownWorld {
    /// Where an object stands at a time in seconds. Vehicles stand on the ground below their centre; what is built stands
    /// just below the lowest ground at its walls.
    pub(crate) fn stand(&self, object: &Object, seconds: f64) -> Stand {
        let state = object.state(seconds);
        let stand = Stand { centre: state.centre, axis: state.heading, foot: self.ground.height_at(state.centre) };
        if object.has_front() { stand } else { self.footed(&object.shape, stand) }
    }

    fn footed(&self, shape: &Shape, stand: Stand) -> Stand {
        let outline: Vec<_> = shape.outline().into_iter().map(|corner| stand.ground(corner)).collect();
        Stand { foot: self.ground.lowest_along(&outline) - FOOTING, ..stand }
    }

    /// The ground alone.
    pub(crate) fn ground_surface(&self) -> Surface {
        let mut surface = Surface::default();
        self.add_ground(&mut surface);
        surface
    }

    /// What a survey would have: all that stands still.
    pub(crate) fn still_surface(&self) -> Surface {
        let mut surface = self.ground_surface();
        for scenery in &self.scenery {
            let stand = Stand { centre: scenery.centre, axis: scenery.axis, foot: 0.0 };
            let stand = self.footed(&scenery.shape, stand);
            let skin = |colour| Skin { class: scenery.class, object: 0, colour };
            scenery.shape.add_to(&mut surface, &stand, skin);
        }
        for object in self.objects.iter().filter(|object| !object.is_moving) {
            self.add_object(object, 0.0, &mut surface);
        }
        surface
    }

    /// Everything at a time in seconds, from the surface of what stands still.
    pub(crate) fn surface_at(&self, still: &Surface, seconds: f64) -> Surface {
        let mut surface = still.clone();
        for object in self.objects.iter().filter(|object| object.is_moving) {
            self.add_object(object, seconds, &mut surface);
        }
        surface
    }

    /// Adds one object as it stands at a time in seconds.
    pub(crate) fn add_object(&self, object: &Object, seconds: f64, surface: &mut Surface) {
        let skin = |colour| Skin { class: object.class, object: object.number, colour };
        object.shape.add_to(surface, &self.stand(object, seconds), skin);
    }

    fn add_ground(&self, surface: &mut Surface) {
        let mut skin = |class, colour| surface.skin(Skin { class, object: 0, colour });
        let grass = skin(TownClass::Grass, GRASS);
        let road = skin(TownClass::Road, ASPHALT);
        let crosswalk = skin(TownClass::Crosswalk, ASPHALT);
        let pavement = skin(TownClass::Pavement, PAVING);
        self.ground.add_to(surface, |class| match class {
            TownClass::Road => road,
            TownClass::Crosswalk => crosswalk,
            TownClass::Pavement => pavement,
            _ => grass,
        });
    }
}
