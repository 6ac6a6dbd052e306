//! VisDrone's object categories and the paints of the sample's objects.

use crate::raster::Rgb;

/// What an object is, with VisDrone's names and codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// An area that nobody labelled (code 0).
    IgnoredRegion,
    /// A person who stands or walks (code 1).
    Pedestrian,
    /// A person in another pose; here seated (code 2).
    People,
    /// Code 3; with rider.
    Bicycle,
    /// Code 4.
    Car,
    /// Code 5.
    Van,
    /// Code 6.
    Truck,
    /// Code 7.
    Tricycle,
    /// Code 8.
    AwningTricycle,
    /// Code 9.
    Bus,
    /// A motorcycle (code 10); with rider.
    Motor,
    /// An object outside the ten classes (code 11); here a tractor.
    Others,
}

impl Category {
    /// The number in VisDrone's annotation files.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The name in VisDrone's class list.
    pub fn name(self) -> &'static str {
        match self {
            Category::IgnoredRegion => "ignored-region",
            Category::Pedestrian => "pedestrian",
            Category::People => "people",
            Category::Bicycle => "bicycle",
            Category::Car => "car",
            Category::Van => "van",
            Category::Truck => "truck",
            Category::Tricycle => "tricycle",
            Category::AwningTricycle => "awning-tricycle",
            Category::Bus => "bus",
            Category::Motor => "motor",
            Category::Others => "others",
        }
    }

    /// Paints that objects of the category come in.
    pub(crate) fn paints(self) -> &'static [Paint] {
        use Paint::*;
        match self {
            Category::Car => &[White, White, Silver, Black, Red, Blue, Silver],
            Category::Van => &[White, Silver, Blue],
            Category::Truck => &[White, Blue, Green],
            Category::Bus => &[Yellow, Red, Green],
            Category::Others => &[Orange],
            _ => &[Red, Blue, Yellow, White, Green, Orange],
        }
    }
}

/// Body colour of a vehicle, or the colour of a person's clothes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    White,
    Silver,
    Black,
    Red,
    Blue,
    Yellow,
    Green,
    Orange,
}

impl Paint {
    /// English colour word, as in the truth table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Paint::White => "white",
            Paint::Silver => "silver",
            Paint::Black => "black",
            Paint::Red => "red",
            Paint::Blue => "blue",
            Paint::Yellow => "yellow",
            Paint::Green => "green",
            Paint::Orange => "orange",
        }
    }

    /// Colour in full light.
    pub(crate) fn rgb(self) -> Rgb {
        match self {
            Paint::White => [236, 237, 234],
            Paint::Silver => [166, 171, 176],
            Paint::Black => [38, 39, 43],
            Paint::Red => [184, 38, 34],
            Paint::Blue => [40, 78, 158],
            Paint::Yellow => [232, 186, 48],
            Paint::Green => [52, 122, 74],
            Paint::Orange => [224, 116, 36],
        }
    }
}
