//! Places on the Earth: latitude, longitude and height on WGS84, earth-centred coordinates, and the local world about an origin.
//!
//! The ellipsoid is that of NIMA TR8350.2; the conversions are the methods 9602 (geographic/geocentric) and 9836 (geocentric/topocentric)
//! of IOGP Guidance Note 7-2.

use crate::{Frame, GeometryError, Point, Transform, World};
use nalgebra::{Matrix3, Vector3};

/// Half of the Earth's longest diameter on WGS84, in metres.
const SEMI_MAJOR_M: f64 = 6_378_137.0;
/// Flattening of WGS84.
const FLATTENING: f64 = 1.0 / 298.257_223_563;
/// Square of the first eccentricity.
const ECCENTRICITY_2: f64 = FLATTENING * (2.0 - FLATTENING);
/// Each round leaves less than a hundredth of the error of the latitude that was there before it.
const ROUNDS: usize = 12;
/// Distances from the centre of the Earth that places of a flight have, in metres.
const RADII_M: std::ops::RangeInclusive<f64> = 6.3e6..=6.5e6;

/// Earth-centred, Earth-fixed: x to latitude 0, longitude 0, z to the North Pole, in metres from the centre of the Earth. Only importers
/// meet it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ecef;

impl Frame for Ecef {}

/// A place on or above the ellipsoid of WGS84.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Geodetic {
    latitude_deg: f64,
    longitude_deg: f64,
    ellipsoid_m: f64,
}

impl Geodetic {
    /// From latitude (north positive) and longitude (east positive) in degrees, and the height above the *ellipsoid* in metres, which is
    /// not that above the sea.
    ///
    /// # Errors
    /// Numbers that are no place: latitudes beyond 90°, longitudes beyond 360°, heights of over 100 km, and what is not finite.
    pub fn new(latitude_deg: f64, longitude_deg: f64, ellipsoid_m: f64) -> Result<Self, GeometryError> {
        let fits = latitude_deg.abs() <= 90.0 && longitude_deg.abs() <= 360.0 && ellipsoid_m.abs() <= 100_000.0;
        match fits {
            true => Ok(Self { latitude_deg, longitude_deg, ellipsoid_m }),
            false => Err(GeometryError::NoPlace { latitude_deg, longitude_deg, ellipsoid_m }),
        }
    }

    /// The place of earth-centred coordinates, to a nanometre of what [`Self::ecef`] gives.
    ///
    /// # Errors
    /// A point that is not near the surface of the Earth: its coordinates are of another system.
    pub fn from_ecef(point: Point<Ecef>) -> Result<Self, GeometryError> {
        let (x, y, z) = (point.x(), point.y(), point.z());
        let radius_m = point.vector.norm();
        if !RADII_M.contains(&radius_m) {
            return Err(GeometryError::NotOnEarth { radius_m });
        }
        let from_axis = x.hypot(y);
        // Of the point on the surface, then nearer and nearer.
        let mut latitude = z.atan2(from_axis * (1.0 - ECCENTRICITY_2));
        for _ in 0..ROUNDS {
            let normal = prime_vertical(latitude);
            latitude = (z + ECCENTRICITY_2 * normal * latitude.sin()).atan2(from_axis);
        }
        let (sin, cos) = latitude.sin_cos();
        // Of the distances along the normal, the form that stays exact at the poles.
        let height = from_axis * cos + z * sin - SEMI_MAJOR_M * (1.0 - ECCENTRICITY_2 * sin * sin).sqrt();
        Self::new(latitude.to_degrees(), y.atan2(x).to_degrees(), height)
    }

    /// Latitude in degrees, north positive.
    pub fn latitude_deg(&self) -> f64 {
        self.latitude_deg
    }

    /// Longitude in degrees, east positive.
    pub fn longitude_deg(&self) -> f64 {
        self.longitude_deg
    }

    /// Height above the ellipsoid, in metres.
    pub fn ellipsoid_m(&self) -> f64 {
        self.ellipsoid_m
    }

    /// Its earth-centred coordinates.
    ///
    /// ```
    /// use uavgen_geometry::Geodetic;
    /// let point = Geodetic::new(0.0, 90.0, 100.0).unwrap().ecef();
    /// assert!(point.x().abs() < 1e-6 && (point.y() - 6_378_237.0).abs() < 1e-6 && point.z().abs() < 1e-6);
    /// ```
    pub fn ecef(&self) -> Point<Ecef> {
        let (latitude, longitude) = (self.latitude_deg.to_radians(), self.longitude_deg.to_radians());
        let normal = prime_vertical(latitude);
        let from_axis = (normal + self.ellipsoid_m) * latitude.cos();
        let z = (normal * (1.0 - ECCENTRICITY_2) + self.ellipsoid_m) * latitude.sin();
        Point::new(from_axis * longitude.cos(), from_axis * longitude.sin(), z)
    }

    /// From earth-centred coordinates to east, north, up about this place.
    pub fn world_from_ecef(&self) -> Transform<World, Ecef> {
        let (sin_latitude, cos_latitude) = self.latitude_deg.to_radians().sin_cos();
        let (sin_longitude, cos_longitude) = self.longitude_deg.to_radians().sin_cos();
        let rotation = Matrix3::from_rows(&[
            Vector3::new(-sin_longitude, cos_longitude, 0.0).transpose(),
            Vector3::new(-sin_latitude * cos_longitude, -sin_latitude * sin_longitude, cos_latitude).transpose(),
            Vector3::new(cos_latitude * cos_longitude, cos_latitude * sin_longitude, sin_latitude).transpose(),
        ]);
        Transform::from_rigid(rotation, -(rotation * self.ecef().vector))
    }
}

/// Radius of curvature in the prime vertical at a latitude in radians, in metres.
fn prime_vertical(latitude: f64) -> f64 {
    SEMI_MAJOR_M / (1.0 - ECCENTRICITY_2 * latitude.sin().powi(2)).sqrt()
}
