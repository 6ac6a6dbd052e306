//! Axis-aligned boxes in pixels of the image frame.

use crate::{GeometryError, ImageSize, NormalisedBox, coverage};
use uavgen_schemas::{Box2d, Region};

/// Half-open axis-aligned box in pixels: `x1 <= x < x2`, `y1 <= y < y2`. Edges are finite and in order; a side may be
/// zero (annotations hold boxes that are a line or a point), and such a box has no area and is called empty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Box2 {
    x1: f64,
    y1: f64,
    x2: f64,
    y2: f64,
}

impl Box2 {
    /// A box from its edges in pixels; refuses non-finite and inverted edges.
    ///
    /// ```
    /// use uavgen_geometry::{Box2, GeometryError};
    /// let car = Box2::new(10.0, 20.0, 30.0, 25.0).unwrap();
    /// assert_eq!((car.width(), car.height(), car.area(), car.centre()), (20.0, 5.0, 100.0, (20.0, 22.5)));
    /// assert!(matches!(Box2::new(30.0, 20.0, 10.0, 25.0), Err(GeometryError::Inverted { .. })));
    /// assert!(matches!(Box2::new(0.0, 0.0, f64::NAN, 1.0), Err(GeometryError::NotFinite { .. })));
    /// ```
    pub fn new(x1: f64, y1: f64, x2: f64, y2: f64) -> Result<Self, GeometryError> {
        if ![x1, y1, x2, y2].into_iter().all(f64::is_finite) {
            return Err(GeometryError::NotFinite { x1, y1, x2, y2 });
        }
        if x2 < x1 || y2 < y1 {
            return Err(GeometryError::Inverted { x1, y1, x2, y2 });
        }
        Ok(Self { x1, y1, x2, y2 })
    }

    /// A box from edges that are known to be finite and in order.
    pub(crate) fn from_ordered(x1: f64, y1: f64, x2: f64, y2: f64) -> Self {
        debug_assert!(x1 <= x2 && y1 <= y2, "edges in order");
        Self { x1, y1, x2, y2 }
    }

    /// Left edge in pixels.
    pub fn x1(&self) -> f64 {
        self.x1
    }

    /// Top edge in pixels.
    pub fn y1(&self) -> f64 {
        self.y1
    }

    /// Right edge in pixels, exclusive.
    pub fn x2(&self) -> f64 {
        self.x2
    }

    /// Bottom edge in pixels, exclusive.
    pub fn y2(&self) -> f64 {
        self.y2
    }

    /// Width in pixels.
    pub fn width(&self) -> f64 {
        self.x2 - self.x1
    }

    /// Height in pixels.
    pub fn height(&self) -> f64 {
        self.y2 - self.y1
    }

    /// Area in square pixels.
    pub fn area(&self) -> f64 {
        self.width() * self.height()
    }

    /// Centre as `(x, y)` in pixels.
    pub fn centre(&self) -> (f64, f64) {
        (self.x1 + self.width() / 2.0, self.y1 + self.height() / 2.0)
    }

    /// Whether the box is a line or a point.
    pub fn is_empty(&self) -> bool {
        self.width() == 0.0 || self.height() == 0.0
    }

    /// The common part of two boxes; `None` when it has no area (boxes that only touch share nothing).
    ///
    /// ```
    /// # use uavgen_geometry::Box2;
    /// let a = Box2::new(0.0, 0.0, 10.0, 10.0).unwrap();
    /// assert_eq!(a.intersection(&Box2::new(5.0, 8.0, 20.0, 20.0).unwrap()), Box2::new(5.0, 8.0, 10.0, 10.0).ok());
    /// assert_eq!(a.intersection(&Box2::new(10.0, 0.0, 20.0, 10.0).unwrap()), None);
    /// ```
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        let (x1, y1) = (self.x1.max(other.x1), self.y1.max(other.y1));
        let (x2, y2) = (self.x2.min(other.x2), self.y2.min(other.y2));
        (x1 < x2 && y1 < y2).then(|| Self::from_ordered(x1, y1, x2, y2))
    }

    /// Area of the common part in square pixels.
    pub fn intersection_area(&self, other: &Self) -> f64 {
        self.intersection(other).map_or(0.0, |common| common.area())
    }

    /// Whether the boxes have a common part, where a box without area counts by its points, edges included. Used where
    /// "cannot possibly overlap" must be certain: an annotation without area still marks a place.
    ///
    /// ```
    /// # use uavgen_geometry::Box2;
    /// let a = Box2::new(0.0, 0.0, 10.0, 10.0).unwrap();
    /// assert!(a.meets(&Box2::new(10.0, 4.0, 10.0, 4.0).unwrap()));
    /// assert!(!a.meets(&Box2::new(10.0, 4.0, 12.0, 6.0).unwrap()));
    /// ```
    pub fn meets(&self, other: &Self) -> bool {
        if self.is_empty() || other.is_empty() {
            self.x1 <= other.x2 && other.x1 <= self.x2 && self.y1 <= other.y2 && other.y1 <= self.y2
        } else {
            self.intersection(other).is_some()
        }
    }

    /// Intersection over union, 0 to 1; 0 when neither box has an area.
    ///
    /// ```
    /// # use uavgen_geometry::Box2;
    /// let a = Box2::new(0.0, 0.0, 10.0, 10.0).unwrap();
    /// let b = Box2::new(5.0, 0.0, 15.0, 10.0).unwrap();
    /// assert_eq!(a.iou(&b), 50.0 / 150.0);
    /// ```
    pub fn iou(&self, other: &Self) -> f64 {
        let common = self.intersection_area(other);
        let union = self.area() + other.area() - common;
        if union > 0.0 { common / union } else { 0.0 }
    }

    /// Share of this box's own area that lies inside `other`, 0 to 1. An empty box has no area to share out: it counts
    /// as 1 when its centre lies inside `other` and as 0 when not.
    ///
    /// ```
    /// # use uavgen_geometry::Box2;
    /// let small = Box2::new(8.0, 0.0, 12.0, 10.0).unwrap();
    /// let large = Box2::new(0.0, 0.0, 10.0, 10.0).unwrap();
    /// assert_eq!((small.share_inside(&large), large.share_inside(&small)), (0.5, 0.2));
    /// ```
    pub fn share_inside(&self, other: &Self) -> f64 {
        self.share_covered(std::slice::from_ref(other))
    }

    /// Whether the point, in pixels, lies in the half-open box.
    pub fn contains(&self, (x, y): (f64, f64)) -> bool {
        self.x1 <= x && x < self.x2 && self.y1 <= y && y < self.y2
    }

    /// Distance in pixels from a point to the nearest point of the box (edges included); 0 inside.
    ///
    /// ```
    /// # use uavgen_geometry::Box2;
    /// let b = Box2::new(3.0, 4.0, 6.0, 8.0).unwrap();
    /// assert_eq!(b.distance_to((0.0, 0.0)), 5.0);
    /// ```
    pub fn distance_to(&self, (x, y): (f64, f64)) -> f64 {
        let dx = (self.x1 - x).max(x - self.x2).max(0.0);
        let dy = (self.y1 - y).max(y - self.y2).max(0.0);
        dx.hypot(dy)
    }

    /// Area in square pixels of this box that at least one of `others` covers: the area of the union, so overlapping
    /// boxes count once.
    ///
    /// ```
    /// # use uavgen_geometry::Box2;
    /// let a = Box2::new(0.0, 0.0, 10.0, 10.0).unwrap();
    /// let regions = [Box2::new(0.0, 0.0, 6.0, 10.0).unwrap(), Box2::new(4.0, 0.0, 8.0, 10.0).unwrap()];
    /// assert_eq!(a.covered_area(&regions), 80.0);
    /// ```
    pub fn covered_area(&self, others: &[Self]) -> f64 {
        coverage::union_area(others.iter().filter_map(|other| self.intersection(other)).collect())
    }

    /// [`Self::covered_area`] as a share of this box's own area, 0 to 1; an empty box counts by its centre.
    pub fn share_covered(&self, others: &[Self]) -> f64 {
        if self.area() > 0.0 {
            (self.covered_area(others) / self.area()).min(1.0)
        } else if others.iter().any(|other| other.contains(self.centre())) {
            1.0
        } else {
            0.0
        }
    }

    /// The box cut to the image. A box wholly outside becomes an empty one on the nearest edge.
    ///
    /// ```
    /// # use uavgen_geometry::{Box2, ImageSize};
    /// let size = ImageSize::new(100, 50).unwrap();
    /// assert_eq!(Box2::new(-5.0, 40.0, 20.0, 60.0).unwrap().clamped(size), Box2::new(0.0, 40.0, 20.0, 50.0).unwrap());
    /// assert!(Box2::new(120.0, 0.0, 130.0, 10.0).unwrap().clamped(size).is_empty());
    /// ```
    pub fn clamped(&self, size: ImageSize) -> Self {
        let (width, height) = (size.width_px(), size.height_px());
        Self::from_ordered(
            self.x1.clamp(0.0, width),
            self.y1.clamp(0.0, height),
            self.x2.clamp(0.0, width),
            self.y2.clamp(0.0, height),
        )
    }

    /// The box as shares of the image sides; refuses a box that leaves the image.
    ///
    /// ```
    /// # use uavgen_geometry::{Box2, ImageSize, NormalisedBox};
    /// let size = ImageSize::new(200, 100).unwrap();
    /// let half = Box2::new(50.0, 25.0, 100.0, 100.0).unwrap();
    /// assert_eq!(half.normalised(size), NormalisedBox::new(0.25, 0.25, 0.5, 1.0));
    /// assert!(Box2::new(0.0, 0.0, 201.0, 1.0).unwrap().normalised(size).is_err());
    /// ```
    pub fn normalised(&self, size: ImageSize) -> Result<NormalisedBox, GeometryError> {
        let (width, height) = (size.width_px(), size.height_px());
        NormalisedBox::new(self.x1 / width, self.y1 / height, self.x2 / width, self.y2 / height)
    }
}

impl TryFrom<&Box2d> for Box2 {
    type Error = GeometryError;

    fn try_from(object: &Box2d) -> Result<Self, GeometryError> {
        Self::new(object.x1, object.y1, object.x2, object.y2)
    }
}

impl TryFrom<&Region> for Box2 {
    type Error = GeometryError;

    fn try_from(region: &Region) -> Result<Self, GeometryError> {
        Self::new(region.x1, region.y1, region.x2, region.y2)
    }
}
