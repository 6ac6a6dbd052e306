//! What is measured of lifted objects, in metres of the `world` frame.

use crate::answer::Unit;
use serde::{Deserialize, Serialize};

/// A measure of one object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Height of its top above the local ground.
    Height,
    /// Longer horizontal side of its box.
    Length,
    /// Area of its footprint.
    Footprint,
    /// Distance from the camera to its nearest visible point.
    DistanceToCamera,
}

impl Measure {
    /// Every measure.
    pub const ALL: [Self; 4] = [Self::Height, Self::Length, Self::Footprint, Self::DistanceToCamera];

    /// Its unit.
    pub fn unit(self) -> Unit {
        match self {
            Self::Footprint => Unit::SquareMetres,
            Self::Height | Self::Length | Self::DistanceToCamera => Unit::Metres,
        }
    }
}

/// Between which points of two objects a distance is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DistanceMeasure {
    /// Between the centres of their boxes.
    Centre,
    /// Between the nearest points of their boxes; 0 where they touch.
    Gap,
    /// Between the centres of their footprints, over the ground (horizontal).
    Ground,
}

impl DistanceMeasure {
    /// Every way.
    pub const ALL: [Self; 3] = [Self::Centre, Self::Gap, Self::Ground];

    /// How a question says it.
    pub fn phrase(self) -> &'static str {
        match self {
            Self::Centre => "from centre to centre",
            Self::Gap => "from edge to edge",
            Self::Ground => "along the ground, from centre to centre",
        }
    }
}
