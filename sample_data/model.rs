//! Shapes of the objects: each category is a short list of blocks in the object's own frame.

use crate::category::{Category, Paint};
use crate::raster::Rgb;

const GLASS: Shade = Shade::Fixed([40, 50, 60]);
const DARK: Shade = Shade::Fixed([34, 34, 36]);
const SKIN: Shade = Shade::Fixed([196, 152, 122]);
const HAIR: Shade = Shade::Fixed([58, 44, 36]);
const CARGO: Shade = Shade::Fixed([128, 112, 92]);
const UNIT: Shade = Shade::Fixed([206, 206, 202]);
const FULL: Shade = Shade::Painted(1.0);
const LIT: Shade = Shade::Painted(0.88);
const SHADED: Shade = Shade::Painted(0.58);

/// How a face is coloured.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shade {
    /// The object's paint, darkened by this factor.
    Painted(f64),
    /// The same on every object.
    Fixed(Rgb),
}

impl Shade {
    /// Colour of the face on an object of this paint.
    pub(crate) fn rgb(self, paint: Paint) -> Rgb {
        match self {
            Shade::Painted(factor) => paint.rgb().map(|channel| (f64::from(channel) * factor).round() as u8),
            Shade::Fixed(rgb) => rgb,
        }
    }
}

/// A truncated pyramid on a rectangle: lengths along the heading from the object's centre, in metres.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    /// Rear and front end of the base.
    pub(crate) along: (f64, f64),
    /// Half the width of the base.
    pub(crate) half_width: f64,
    /// Height of base and top above the ground.
    pub(crate) heights: (f64, f64),
    /// How far the top stands back from the base at rear, front and either side.
    pub(crate) inset: (f64, f64, f64),
    /// Colour of the sides.
    pub(crate) side: Shade,
    /// Colour of the top.
    pub(crate) top: Shade,
}

const fn block(
    along: (f64, f64),
    half_width: f64,
    heights: (f64, f64),
    inset: (f64, f64, f64),
    shades: (Shade, Shade),
) -> Block {
    Block { along, half_width, heights, inset, side: shades.0, top: shades.1 }
}

const STRAIGHT: (f64, f64, f64) = (0.0, 0.0, 0.0);

const fn head(along: f64, bottom: f64) -> Block {
    block((along - 0.13, along + 0.13), 0.12, (bottom, bottom + 0.26), (0.02, 0.02, 0.02), (SKIN, HAIR))
}

const PEDESTRIAN: &[Block] = &[
    block((-0.24, 0.28), 0.18, (0.0, 0.8), STRAIGHT, (DARK, DARK)),
    block((-0.22, 0.24), 0.3, (0.8, 1.5), (0.04, 0.04, 0.04), (LIT, FULL)),
    head(0.02, 1.5),
];
const PEOPLE: &[Block] = &[
    block((-0.1, 0.48), 0.22, (0.0, 0.45), STRAIGHT, (DARK, DARK)),
    block((-0.3, 0.12), 0.3, (0.4, 0.98), (0.04, 0.04, 0.04), (LIT, FULL)),
    head(-0.08, 0.98),
];
const BICYCLE: &[Block] = &[
    block((-0.85, 0.85), 0.05, (0.1, 0.7), STRAIGHT, (DARK, DARK)),
    block((0.35, 0.45), 0.28, (0.8, 0.9), STRAIGHT, (DARK, DARK)),
    block((-0.35, 0.15), 0.26, (0.75, 1.3), (0.04, 0.1, 0.04), (LIT, FULL)),
    head(0.1, 1.3),
];
const MOTOR: &[Block] = &[
    block((-1.0, 1.0), 0.17, (0.1, 0.75), (0.1, 0.1, 0.04), (DARK, LIT)),
    block((0.45, 0.6), 0.38, (0.8, 0.95), STRAIGHT, (DARK, DARK)),
    block((-0.45, 0.15), 0.3, (0.75, 1.3), (0.04, 0.1, 0.05), (SHADED, FULL)),
    head(0.05, 1.3),
];
const CAR: &[Block] = &[
    block((-2.2, 2.2), 0.92, (0.1, 0.75), (0.06, 0.12, 0.05), (SHADED, LIT)),
    block((-1.85, 1.4), 0.85, (0.75, 1.45), (0.5, 0.6, 0.14), (GLASS, FULL)),
];
const VAN: &[Block] = &[
    block((-2.6, 2.6), 1.0, (0.1, 1.1), (0.04, 0.15, 0.03), (SHADED, LIT)),
    block((-2.55, 2.0), 0.96, (1.1, 2.1), (0.12, 0.75, 0.1), (GLASS, FULL)),
];
const TRUCK: &[Block] = &[
    block((1.7, 3.7), 1.12, (0.1, 2.1), (0.0, 0.35, 0.06), (SHADED, LIT)),
    block((3.2, 3.5), 0.98, (1.7, 2.0), (0.0, 0.1, 0.04), (GLASS, GLASS)),
    block((-3.7, 1.5), 1.2, (0.5, 2.8), STRAIGHT, (SHADED, FULL)),
];
const TRICYCLE: &[Block] = &[
    block((0.2, 1.4), 0.16, (0.1, 0.75), (0.1, 0.1, 0.04), (DARK, LIT)),
    block((-1.4, 0.1), 0.62, (0.3, 0.85), STRAIGHT, (SHADED, LIT)),
    block((-1.3, 0.0), 0.52, (0.85, 0.87), STRAIGHT, (CARGO, CARGO)),
    block((0.15, 0.6), 0.28, (0.75, 1.3), (0.04, 0.08, 0.04), (SHADED, FULL)),
    head(0.4, 1.3),
];
const AWNING_TRICYCLE: &[Block] = &[
    block((0.4, 1.45), 0.16, (0.1, 0.8), (0.1, 0.1, 0.04), (DARK, LIT)),
    block((-1.4, 0.5), 0.62, (0.2, 0.9), STRAIGHT, (SHADED, LIT)),
    block((-1.35, 0.75), 0.68, (1.55, 1.72), (0.05, 0.05, 0.05), (SHADED, FULL)),
    block((-0.38, -0.28), 0.64, (1.72, 1.73), STRAIGHT, (UNIT, UNIT)),
];
const BUS: &[Block] = &[
    block((-5.5, 5.5), 1.26, (0.2, 1.4), STRAIGHT, (SHADED, SHADED)),
    block((-5.5, 5.5), 1.26, (1.4, 2.35), (0.0, 0.05, 0.02), (GLASS, GLASS)),
    block((-5.5, 5.4), 1.24, (2.35, 2.95), (0.08, 0.15, 0.05), (SHADED, FULL)),
    block((-3.9, -2.3), 0.75, (2.95, 3.15), (0.05, 0.05, 0.05), (UNIT, UNIT)),
    block((2.2, 3.1), 0.45, (2.95, 3.05), STRAIGHT, (UNIT, UNIT)),
];
const TRACTOR: &[Block] = &[
    block((-1.5, -0.3), 0.95, (0.0, 1.2), (0.15, 0.15, 0.0), (DARK, DARK)),
    block((0.8, 1.6), 0.8, (0.0, 0.7), (0.1, 0.1, 0.0), (DARK, DARK)),
    block((-1.5, 1.7), 0.48, (0.5, 1.3), (0.0, 0.1, 0.04), (SHADED, LIT)),
    block((-1.3, 0.1), 0.6, (1.3, 2.1), (0.1, 0.15, 0.08), (GLASS, FULL)),
];

/// Blocks of a category, lower ones first; an ignored region has none.
pub(crate) fn blocks(category: Category) -> &'static [Block] {
    match category {
        Category::IgnoredRegion => &[],
        Category::Pedestrian => PEDESTRIAN,
        Category::People => PEOPLE,
        Category::Bicycle => BICYCLE,
        Category::Car => CAR,
        Category::Van => VAN,
        Category::Truck => TRUCK,
        Category::Tricycle => TRICYCLE,
        Category::AwningTricycle => AWNING_TRICYCLE,
        Category::Bus => BUS,
        Category::Motor => MOTOR,
        Category::Others => TRACTOR,
    }
}

/// Length of an object of the category, in metres; 0 for an ignored region.
pub(crate) fn length(category: Category) -> f64 {
    let blocks = blocks(category);
    let rear = blocks.iter().map(|b| b.along.0).fold(0.0, f64::min);
    let front = blocks.iter().map(|b| b.along.1).fold(0.0, f64::max);
    front - rear
}
