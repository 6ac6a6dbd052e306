//! Directions in words: sectors of a circle, counted clockwise from the one that each frame of reference begins with.

use serde::{Deserialize, Serialize};

/// What directions are told by. Which one holds is part of every question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BearingFrame {
    /// The image plane, from the top of the image.
    Image,
    /// The image plane as a clock, with the top of the image as 12.
    Clock,
    /// The ground as the camera looks at it: away from it, to its right, towards it, to its left.
    Camera,
    /// The object's own heading: in front of it, to its right, behind it, to its left.
    Heading,
    /// The ground, from north.
    Compass,
}

/// Hours of a clock.
pub const HOURS: u32 = 12;

impl BearingFrame {
    /// Every frame of reference.
    pub const ALL: [Self; 5] = [Self::Image, Self::Clock, Self::Camera, Self::Heading, Self::Compass];

    /// Numbers of sectors that it may have.
    pub fn sectors(self) -> &'static [u32] {
        match self {
            Self::Clock => &[HOURS],
            Self::Camera => &[4],
            Self::Image | Self::Heading | Self::Compass => &[4, 8],
        }
    }

    /// Whether directions are those of the image plane, and not of the ground.
    pub fn is_of_image(self) -> bool {
        matches!(self, Self::Image | Self::Clock)
    }

    /// A sector in words; `None` for one that there is not.
    ///
    /// ```
    /// use uavgen_programs::BearingFrame;
    /// assert_eq!(BearingFrame::Compass.text(8, 3), Some("south-east"));
    /// assert_eq!(BearingFrame::Clock.text(12, 0), Some("12 o'clock"));
    /// assert_eq!(BearingFrame::Heading.text(4, 1), Some("to its right"));
    /// assert_eq!(BearingFrame::Camera.text(8, 1), None);
    /// ```
    pub fn text(self, sectors: u32, sector: u32) -> Option<&'static str> {
        if !self.sectors().contains(&sectors) || sector >= sectors {
            return None;
        }
        let words: &[&str] = match self {
            Self::Clock => &CLOCK,
            Self::Camera => &CAMERA,
            Self::Image => &IMAGE,
            Self::Heading => &HEADING,
            Self::Compass => &COMPASS,
        };
        words.get(sector as usize * (words.len() / sectors as usize)).copied()
    }
}

const CLOCK: [&str; 12] = [
    "12 o'clock",
    "1 o'clock",
    "2 o'clock",
    "3 o'clock",
    "4 o'clock",
    "5 o'clock",
    "6 o'clock",
    "7 o'clock",
    "8 o'clock",
    "9 o'clock",
    "10 o'clock",
    "11 o'clock",
];
const CAMERA: [&str; 4] = ["farther from the camera", "to the right", "closer to the camera", "to the left"];
const IMAGE: [&str; 8] = ["top", "top right", "right", "bottom right", "bottom", "bottom left", "left", "top left"];
const HEADING: [&str; 8] = [
    "in front of it",
    "in front of it, to its right",
    "to its right",
    "behind it, to its right",
    "behind it",
    "behind it, to its left",
    "to its left",
    "in front of it, to its left",
];
const COMPASS: [&str; 8] = ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"];
