//! Size of an image as delivered.

use crate::{Box2, GeometryError};
use uavgen_schemas::Frame;

/// Width and height of an image in pixels, each at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageSize {
    width_px: u32,
    height_px: u32,
}

impl ImageSize {
    /// A size from a width and a height in pixels; refuses sides below 1 or above 2³¹ − 1.
    ///
    /// ```
    /// use uavgen_geometry::ImageSize;
    /// assert_eq!(ImageSize::new(1904, 1071).unwrap().width_px(), 1904.0);
    /// assert!(ImageSize::new(0, 1071).is_err());
    /// ```
    pub fn new(width: i64, height: i64) -> Result<Self, GeometryError> {
        let side = |length: i64| u32::try_from(length).ok().filter(|side| (1..=i32::MAX as u32).contains(side));
        match (side(width), side(height)) {
            (Some(width_px), Some(height_px)) => Ok(Self { width_px, height_px }),
            _ => Err(GeometryError::ImageSize { width, height }),
        }
    }

    /// Width in pixels.
    pub fn width_px(self) -> f64 {
        f64::from(self.width_px)
    }

    /// Height in pixels.
    pub fn height_px(self) -> f64 {
        f64::from(self.height_px)
    }

    /// The longer of the two sides in pixels.
    pub fn longer_side_px(self) -> f64 {
        self.width_px().max(self.height_px())
    }

    /// Area in square pixels.
    pub fn area_px2(self) -> f64 {
        self.width_px() * self.height_px()
    }

    /// The centre of the image as `(x, y)` in pixels.
    pub fn centre_px(self) -> (f64, f64) {
        (self.width_px() / 2.0, self.height_px() / 2.0)
    }

    /// The box that covers the whole image.
    pub fn full_box(self) -> Box2 {
        Box2::from_ordered(0.0, 0.0, self.width_px(), self.height_px())
    }
}

impl TryFrom<&Frame> for ImageSize {
    type Error = GeometryError;

    fn try_from(frame: &Frame) -> Result<Self, GeometryError> {
        Self::new(frame.width, frame.height)
    }
}
