//! What the masks and the mesh of the town tell apart.

use uavgen_schemas::ClassKind;

/// A class of the town; its place in [`TownClass::ALL`] is its value in masks and mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TownClass {
    /// Where the picture looks past the edge of the mesh.
    Background,
    /// Lawn: all ground that is nothing else.
    Grass,
    /// Carriageway.
    Road,
    /// Striped part of a carriageway.
    Crosswalk,
    /// Paved ground beside the roads: a car park, a yard.
    Pavement,
    /// House or hall.
    Building,
    /// Shipping container.
    Container,
    /// Tree with its crown. It is not counted: crowns merge, have no axis, and real surveys do not tell them apart.
    Tree,
    /// Free-standing wall.
    Wall,
    /// Car, driving or parked.
    Car,
    /// Truck, driving or parked.
    Truck,
    /// Bus.
    Bus,
}

impl TownClass {
    /// All classes in the order of their values.
    pub const ALL: [TownClass; 12] = [
        TownClass::Background,
        TownClass::Grass,
        TownClass::Road,
        TownClass::Crosswalk,
        TownClass::Pavement,
        TownClass::Building,
        TownClass::Container,
        TownClass::Tree,
        TownClass::Wall,
        TownClass::Car,
        TownClass::Truck,
        TownClass::Bus,
    ];

    /// Value in masks and mesh, from 0.
    pub fn value(self) -> u8 {
        self as u8
    }

    /// Name in `cameras.json` and in the tables.
    pub fn name(self) -> &'static str {
        match self {
            TownClass::Background => "background",
            TownClass::Grass => "grass",
            TownClass::Road => "road",
            TownClass::Crosswalk => "crosswalk",
            TownClass::Pavement => "pavement",
            TownClass::Building => "building",
            TownClass::Container => "container",
            TownClass::Tree => "tree",
            TownClass::Wall => "wall",
            TownClass::Car => "car",
            TownClass::Truck => "truck",
            TownClass::Bus => "bus",
        }
    }

    /// What it is. Vehicles are `Moving` as a class, as in UAVScenes (sedan, truck), although some of them stand parked
    /// and are in the mesh.
    pub fn kind(self) -> ClassKind {
        match self {
            TownClass::Grass | TownClass::Road | TownClass::Crosswalk | TownClass::Pavement => ClassKind::Ground,
            TownClass::Building | TownClass::Container => ClassKind::Thing,
            TownClass::Car | TownClass::Truck | TownClass::Bus => ClassKind::Moving,
            TownClass::Background | TownClass::Tree | TownClass::Wall => ClassKind::Stuff,
        }
    }
}
