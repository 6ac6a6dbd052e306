//! Boxes as shares of the image sides: the form in which questions, answers and releases hold them.

use crate::{Box2, GeometryError, ImageSize};

/// Half-open box whose edges are shares of the image sides, each 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormalisedBox(Box2);

impl NormalisedBox {
    /// A box from its edges as shares of the image sides; refuses edges that are inverted or leave 0 to 1.
    ///
    /// ```
    /// use uavgen_geometry::{GeometryError, NormalisedBox};
    /// assert!(NormalisedBox::new(0.0, 0.0, 0.5, 1.0).is_ok());
    /// assert!(matches!(NormalisedBox::new(0.0, 0.0, 0.5, 1.1), Err(GeometryError::OutsideImage { .. })));
    /// ```
    pub fn new(x1: f64, y1: f64, x2: f64, y2: f64) -> Result<Self, GeometryError> {
        let edges = Box2::new(x1, y1, x2, y2)?;
        if x1 < 0.0 || y1 < 0.0 || x2 > 1.0 || y2 > 1.0 {
            return Err(GeometryError::OutsideImage { x1, y1, x2, y2 });
        }
        Ok(Self(edges))
    }

    /// Left edge as a share of the image width.
    pub fn x1(&self) -> f64 {
        self.0.x1()
    }

    /// Top edge as a share of the image height.
    pub fn y1(&self) -> f64 {
        self.0.y1()
    }

    /// Right edge as a share of the image width, exclusive.
    pub fn x2(&self) -> f64 {
        self.0.x2()
    }

    /// Bottom edge as a share of the image height, exclusive.
    pub fn y2(&self) -> f64 {
        self.0.y2()
    }

    /// Share of the image area, 0 to 1.
    pub fn area(&self) -> f64 {
        self.0.area()
    }

    /// Whether the box is a line or a point.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Intersection over union, 0 to 1; the same as in pixels, as both sides scale alike.
    pub fn iou(&self, other: &Self) -> f64 {
        self.0.iou(&other.0)
    }

    /// The box in pixels of an image of the given size.
    ///
    /// ```
    /// # use uavgen_geometry::{Box2, ImageSize, NormalisedBox};
    /// let size = ImageSize::new(200, 100).unwrap();
    /// let pixels = NormalisedBox::new(0.25, 0.25, 0.5, 1.0).unwrap().in_pixels(size);
    /// assert_eq!(pixels, Box2::new(50.0, 25.0, 100.0, 100.0).unwrap());
    /// ```
    pub fn in_pixels(&self, size: ImageSize) -> Box2 {
        let (width, height) = (size.width_px(), size.height_px());
        Box2::from_ordered(self.x1() * width, self.y1() * height, self.x2() * width, self.y2() * height)
    }

    /// Every edge rounded to three decimals, as box texts have them (halves away from zero). A small box may become
    /// empty: compare by [`Self::iou`] before such a text stands for the box.
    ///
    /// ```
    /// # use uavgen_geometry::NormalisedBox;
    /// let exact = NormalisedBox::new(0.12345, 0.5, 0.98765, 0.99999).unwrap();
    /// assert_eq!(exact.quantised(), NormalisedBox::new(0.123, 0.5, 0.988, 1.0).unwrap());
    /// ```
    pub fn quantised(&self) -> Self {
        let [x1, y1, x2, y2] = [self.x1(), self.y1(), self.x2(), self.y2()].map(round_share);
        Self(Box2::from_ordered(x1, y1, x2, y2))
    }
}

/// A share of an image side with the three decimals that texts have (halves away from zero).
pub fn round_share(share: f64) -> f64 {
    (share * 1000.0).round() / 1000.0
}
