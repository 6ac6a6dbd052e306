//! Places on the Earth against closed forms and the worked examples of IOGP Guidance Note 7-2.

use crate::{Direction, Ecef, Geodetic, GeometryError, Point};

fn place(latitude: f64, longitude: f64, height: f64) -> Geodetic {
    Geodetic::new(latitude, longitude, height).unwrap()
}

/// 6378137 * (1 - 1 / 298.257223563): half of the axis through the poles.
const SEMI_MINOR_M: f64 = 6_356_752.314_245_179;

#[test]
fn the_equator_and_the_poles_are_where_the_axes_say() {
    for (latitude, longitude, expected) in [
        (0.0, 0.0, [6_378_137.0, 0.0, 0.0]),
        (0.0, 90.0, [0.0, 6_378_137.0, 0.0]),
        (0.0, 180.0, [-6_378_137.0, 0.0, 0.0]),
        (90.0, 0.0, [0.0, 0.0, SEMI_MINOR_M]),
        (-90.0, 0.0, [0.0, 0.0, -SEMI_MINOR_M]),
    ] {
        let point = place(latitude, longitude, 0.0).ecef();
        let [x, y, z] = expected;
        assert!(point.distance_to(&Point::new(x, y, z)) < 1e-6, "{latitude} {longitude}: {point:?}");
    }
}

#[test]
fn the_worked_examples_of_the_guidance_note() {
    let (latitude, longitude) = (53.0 + 48.0 / 60.0 + 33.820 / 3600.0, 2.0 + 7.0 / 60.0 + 46.380 / 3600.0);
    let geocentric = Point::<Ecef>::new(3_771_793.968, 140_253.342, 5_124_304.349);
    // Written to a millimetre and a thousandth of a second of arc, which is 3 cm.
    assert!(place(latitude, longitude, 73.0).ecef().distance_to(&geocentric) < 0.03);
    let topocentric = place(55.0, 5.0, 200.0).world_from_ecef() * geocentric;
    assert!(topocentric.distance_to(&Point::new(-189_013.869, -128_642.040, -4_220.171)) < 2e-3, "{topocentric:?}");
}

#[test]
fn there_and_back_is_the_same_place_to_a_micrometre() {
    for latitude in [-90.0, -89.999_999, -47.3, -1e-9, 0.0, 22.302_7, 46.842_656_67, 89.9, 90.0] {
        for (longitude, height) in
            [(-180.0, -300.0), (-91.994, 0.0), (0.0, 120.5), (114.17, 9_000.0), (179.999, 80_000.0)]
        {
            let point = place(latitude, longitude, height).ecef();
            let back = Geodetic::from_ecef(point).unwrap();
            assert!(back.ecef().distance_to(&point) < 1e-6, "{latitude} {longitude} {height}: {back:?}");
            assert!((back.ellipsoid_m() - height).abs() < 1e-6 && (back.latitude_deg() - latitude).abs() < 1e-10);
        }
    }
}

#[test]
fn the_local_world_is_east_north_up() {
    let origin = place(22.3, 114.2, 50.0);
    let world = origin.world_from_ecef();
    assert!((world * origin.ecef()).distance_to(&Point::new(0.0, 0.0, 0.0)) < 1e-6);
    let above = world * place(22.3, 114.2, 173.25).ecef();
    assert!(above.distance_to(&Point::new(0.0, 0.0, 123.25)) < 1e-6);
    // A hundred-thousandth of a degree to the north and to the east is about a metre on the right axis.
    let (north, east) = (world * place(22.300_01, 114.2, 50.0).ecef(), world * place(22.3, 114.200_01, 50.0).ecef());
    assert!((north.y() - 1.107).abs() < 2e-3 && north.x().abs() < 1e-5, "{north:?}");
    assert!((east.x() - 1.031).abs() < 2e-3 && east.y().abs() < 1e-5, "{east:?}");
    // The axis of the Earth points north, and up by the latitude.
    let axis = world * Direction::<Ecef>::new(0.0, 0.0, 1.0);
    assert!(axis.x().abs() < 1e-12 && (axis.z() - 22.3_f64.to_radians().sin()).abs() < 1e-12);
}

#[test]
fn what_is_no_place_is_refused() {
    for (latitude, longitude, height) in [(90.1, 0.0, 0.0), (0.0, 361.0, 0.0), (0.0, 0.0, 2e5), (f64::NAN, 0.0, 0.0)] {
        assert!(matches!(Geodetic::new(latitude, longitude, height), Err(GeometryError::NoPlace { .. })));
    }
    let local = Point::<Ecef>::new(3.0, 5.0, 100.0);
    assert!(matches!(Geodetic::from_ecef(local), Err(GeometryError::NotOnEarth { .. })));
    let far = Point::<Ecef>::new(f64::NAN, 5.0, 100.0);
    assert!(Geodetic::from_ecef(far).is_err());
}
