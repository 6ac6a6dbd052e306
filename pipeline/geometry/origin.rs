//! The origin that takes large coordinates to the scene.

use crate::{GeometryError, Point, World};

/// What is taken off the coordinates of a source (UTM, a national grid, ECEF) before they are coordinates of [`World`], in
/// metres.
///
/// UTM northings are millions of metres, where an f32 steps by half a metre and an f64 by a nanometre. So the origin is
/// taken off in f64, once per scene, and only what is left may become f32 (5 km from the origin it steps by 0.5 mm).
/// The axes stay as they are: earth-centred coordinates must be turned to east, north, up as well.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Origin {
    coordinates: [f64; 3],
}

impl Origin {
    /// An origin in the coordinates of the source, in metres; refuses what is not finite.
    ///
    /// ```
    /// use uavgen_geometry::{Origin, Point};
    /// let origin = Origin::new([576_705.0, 5_188_170.0, 200.0]).unwrap();
    /// let corner = origin.world([576_715.125, 5_188_160.25, 212.5]);
    /// assert_eq!(corner, Point::new(10.125, -9.75, 12.5));
    /// assert_eq!(origin.source(corner), [576_715.125, 5_188_160.25, 212.5]);
    /// ```
    pub fn new(coordinates: [f64; 3]) -> Result<Self, GeometryError> {
        if coordinates.iter().all(|coordinate| coordinate.is_finite()) {
            Ok(Self { coordinates })
        } else {
            Err(GeometryError::OriginNotFinite { coordinates })
        }
    }

    /// The origin in the coordinates of the source, in metres.
    pub fn coordinates(&self) -> [f64; 3] {
        self.coordinates
    }

    /// The place of a point of the source in the scene.
    pub fn world(&self, [x, y, z]: [f64; 3]) -> Point<World> {
        let [x0, y0, z0] = self.coordinates;
        Point::new(x - x0, y - y0, z - z0)
    }

    /// The coordinates in the source, in metres, of a point of the scene.
    pub fn source(&self, point: Point<World>) -> [f64; 3] {
        let [x0, y0, z0] = self.coordinates;
        [point.x() + x0, point.y() + y0, point.z() + z0]
    }
}
