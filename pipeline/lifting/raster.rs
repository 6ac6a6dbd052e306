//! Bands of an image as plain arrays.

use crate::LiftingError;
use uavgen_geometry::ImageSize;

/// One band of an image, row by row from the top: labels, or depths.
#[derive(Debug, Clone, Copy)]
pub struct Raster<'a, T> {
    values: &'a [T],
    width: usize,
    height: usize,
}

impl<'a, T: Copy> Raster<'a, T> {
    /// A band of a size from its values; refuses another number of values than pixels.
    ///
    /// ```
    /// use uavgen_geometry::ImageSize;
    /// use uavgen_lifting::Raster;
    /// let size = ImageSize::new(3, 2).unwrap();
    /// assert_eq!(Raster::new(size, &[1, 2, 3, 4, 5, 6]).unwrap().row(1), [4, 5, 6]);
    /// assert!(Raster::new(size, &[1, 2, 3]).is_err());
    /// ```
    pub fn new(size: ImageSize, values: &'a [T]) -> Result<Self, LiftingError> {
        let (width, height) = (size.width_px() as usize, size.height_px() as usize);
        if width.checked_mul(height) != Some(values.len()) {
            return Err(LiftingError::RasterLength { width, height, values: values.len() });
        }
        Ok(Self { values, width, height })
    }

    /// Width in pixels.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The values of a row.
    pub fn row(&self, y: usize) -> &'a [T] {
        &self.values[y * self.width..][..self.width]
    }

    /// The value of a pixel.
    pub fn at(&self, x: usize, y: usize) -> T {
        self.values[y * self.width + x]
    }

    /// All values.
    pub fn values(&self) -> &'a [T] {
        self.values
    }
}
