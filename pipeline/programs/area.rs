//! Areas of an image, and boxes in shares of its sides.

use serde::{Deserialize, Serialize};
use uavgen_geometry::{GeometryError, NormalisedBox};

/// Box edges as shares of the image sides, each 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoxEdges {
    /// Left edge as a share of the image width.
    pub x1: f64,
    /// Top edge as a share of the image height.
    pub y1: f64,
    /// Right edge as a share of the image width, exclusive.
    pub x2: f64,
    /// Bottom edge as a share of the image height, exclusive.
    pub y2: f64,
}

impl BoxEdges {
    /// Edges in the order x1, y1, x2, y2; not yet checked.
    pub const fn new(x1: f64, y1: f64, x2: f64, y2: f64) -> Self {
        Self { x1, y1, x2, y2 }
    }
}

impl From<NormalisedBox> for BoxEdges {
    fn from(checked: NormalisedBox) -> Self {
        Self::new(checked.x1(), checked.y1(), checked.x2(), checked.y2())
    }
}

impl TryFrom<BoxEdges> for NormalisedBox {
    type Error = GeometryError;

    fn try_from(edges: BoxEdges) -> Result<Self, GeometryError> {
        Self::new(edges.x1, edges.y1, edges.x2, edges.y2)
    }
}

/// An area of the image by name and box. The box decides; a name other than `custom` must belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Area {
    /// Name that the question uses.
    pub name: AreaName,
    /// Edges, normalised.
    pub edges: BoxEdges,
}

/// Named areas of an image: halves, the cells of a 3 x 3 grid, or a box given in the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AreaName {
    /// x below 1/2.
    LeftHalf,
    /// x from 1/2.
    RightHalf,
    /// y below 1/2.
    TopHalf,
    /// y from 1/2.
    BottomHalf,
    /// First column, first row.
    TopLeft,
    /// Second column, first row.
    TopCentre,
    /// Third column, first row.
    TopRight,
    /// First column, second row.
    MiddleLeft,
    /// Second column, second row.
    MiddleCentre,
    /// Third column, second row.
    MiddleRight,
    /// First column, third row.
    BottomLeft,
    /// Second column, third row.
    BottomCentre,
    /// Third column, third row.
    BottomRight,
    /// A box given in the question.
    Custom,
}

/// A third of an image side, as every program states it.
const THIRD: f64 = 1.0 / 3.0;
/// Two thirds of an image side, as every program states it.
const TWO_THIRDS: f64 = 2.0 / 3.0;

impl AreaName {
    /// Halves of the image.
    pub const HALVES: [Self; 4] = [Self::LeftHalf, Self::RightHalf, Self::TopHalf, Self::BottomHalf];

    /// Cells of the 3 x 3 grid, row by row.
    pub const GRID: [Self; 9] = [
        Self::TopLeft,
        Self::TopCentre,
        Self::TopRight,
        Self::MiddleLeft,
        Self::MiddleCentre,
        Self::MiddleRight,
        Self::BottomLeft,
        Self::BottomCentre,
        Self::BottomRight,
    ];

    /// The normalised edges that belong to the name; `None` for a custom area.
    pub fn edges(self) -> Option<BoxEdges> {
        let (columns, rows) = ([0.0, THIRD, TWO_THIRDS, 1.0], [0.0, THIRD, TWO_THIRDS, 1.0]);
        let cell = |x: usize, y: usize| BoxEdges::new(columns[x], rows[y], columns[x + 1], rows[y + 1]);
        Some(match self {
            Self::LeftHalf => BoxEdges::new(0.0, 0.0, 0.5, 1.0),
            Self::RightHalf => BoxEdges::new(0.5, 0.0, 1.0, 1.0),
            Self::TopHalf => BoxEdges::new(0.0, 0.0, 1.0, 0.5),
            Self::BottomHalf => BoxEdges::new(0.0, 0.5, 1.0, 1.0),
            Self::TopLeft => cell(0, 0),
            Self::TopCentre => cell(1, 0),
            Self::TopRight => cell(2, 0),
            Self::MiddleLeft => cell(0, 1),
            Self::MiddleCentre => cell(1, 1),
            Self::MiddleRight => cell(2, 1),
            Self::BottomLeft => cell(0, 2),
            Self::BottomCentre => cell(1, 2),
            Self::BottomRight => cell(2, 2),
            Self::Custom => return None,
        })
    }

    /// The name as a question says it, after "in"; `None` for a custom area.
    pub fn phrase(self) -> Option<&'static str> {
        Some(match self {
            Self::LeftHalf => "the left half of the image",
            Self::RightHalf => "the right half of the image",
            Self::TopHalf => "the top half of the image",
            Self::BottomHalf => "the bottom half of the image",
            Self::TopLeft => "the top-left cell of a three-by-three grid over the image",
            Self::TopCentre => "the top-centre cell of a three-by-three grid over the image",
            Self::TopRight => "the top-right cell of a three-by-three grid over the image",
            Self::MiddleLeft => "the middle-left cell of a three-by-three grid over the image",
            Self::MiddleCentre => "the centre cell of a three-by-three grid over the image",
            Self::MiddleRight => "the middle-right cell of a three-by-three grid over the image",
            Self::BottomLeft => "the bottom-left cell of a three-by-three grid over the image",
            Self::BottomCentre => "the bottom-centre cell of a three-by-three grid over the image",
            Self::BottomRight => "the bottom-right cell of a three-by-three grid over the image",
            Self::Custom => return None,
        })
    }
}

impl Area {
    /// The area of a name; `None` for [`AreaName::Custom`], which needs a box.
    pub fn named(name: AreaName) -> Option<Self> {
        name.edges().map(|edges| Self { name, edges })
    }

    /// An area given by its box.
    pub fn custom(edges: BoxEdges) -> Self {
        Self { name: AreaName::Custom, edges }
    }
}
