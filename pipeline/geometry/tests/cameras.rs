//! Cameras with numbers that a reader can check, and round trips through every kind of lens.

use crate::*;
use proptest::prelude::*;

fn size() -> ImageSize {
    ImageSize::new(2448, 2048).unwrap()
}

fn camera(coefficients: [f64; 5]) -> Intrinsics {
    Intrinsics::new(size(), 1450.0, 1440.0, 1220.0, 1030.0, Distortion::from_opencv(coefficients)).unwrap()
}

#[test]
fn distortion_moves_a_point_by_hand() {
    // At (0.5, 0): r² = 0.25, radial = 1 - 0.1·0.25 + 0.04·0.0625 = 0.9775; x = 0.48875 + p2·(0.25 + 0.5), y = p1·0.25.
    let lens = Distortion::from_opencv([-0.1, 0.04, 0.002, 0.004, 0.0]);
    let (x, y) = lens.distort((0.5, 0.0));
    assert!((x - 0.49175).abs() < 1e-15 && (y - 0.0005).abs() < 1e-15, "{x} {y}");
}

#[test]
fn a_point_beyond_the_fold_is_not_in_the_image() {
    // r (1 - 0.3 r²) grows up to r = 1/√0.9 = 1.0541, where it is 0.7027; further out the polynomial comes back.
    let lens = camera([-0.3, 0.0, 0.0, 0.0, 0.0]);
    assert!(lens.project(Point::new(1.05, 0.0, 1.0)).is_some());
    assert_eq!(lens.project(Point::new(1.06, 0.0, 1.0)), None);
    assert!(lens.ray(Pixel { x: 1220.0 + 0.702 * 1450.0, y: 1030.0 }).is_some());
    assert_eq!(lens.ray(Pixel { x: 1220.0 + 0.704 * 1450.0, y: 1030.0 }), None);
}

#[test]
fn what_is_not_in_front_has_no_pixel() {
    for lens in [camera([0.0; 5]), camera([-0.1, 0.01, 0.001, 0.001, 0.0])] {
        for z in [0.0, -1.0, f64::NAN, 1e-320] {
            assert_eq!(lens.project(Point::new(1.0, 1.0, z)), None, "{z}");
        }
        assert_eq!(lens.ray(Pixel { x: f64::NAN, y: 0.0 }), None);
    }
}

#[test]
fn a_calibration_of_another_image_size_is_refused() {
    let build = |fx, cx, cy| Intrinsics::new(size(), fx, fx, cx, cy, Distortion::NONE);
    assert!(build(1450.0, 1224.0, 1024.0).is_ok());
    assert!(matches!(build(725.0, 612.0, 512.0), Err(GeometryError::PrincipalPoint { .. })));
    assert!(matches!(build(2900.0, 2448.0, 2048.0), Err(GeometryError::PrincipalPoint { .. })));
    for fx in [0.0, -1450.0, f64::NAN, f64::INFINITY, 1.0, 0.55] {
        assert!(matches!(build(fx, 1224.0, 1024.0), Err(GeometryError::FocalLength { .. })), "{fx}");
    }
    let broken = Distortion::from_opencv([f64::NAN, 0.0, 0.0, 0.0, 0.0]);
    let refused = Intrinsics::new(size(), 1450.0, 1450.0, 1224.0, 1024.0, broken);
    assert!(matches!(refused, Err(GeometryError::DistortionNotFinite { .. })));
}

#[test]
fn real_calibrations_invert_at_the_corners() {
    // The published calibrations of two sites of UAVScenes, and a wide lens.
    let lenses = [
        [-0.052, 0.1168, 0.0015, 0.00013, -0.068564],
        [-0.0572, 0.1209, 0.00124, -0.00018, -0.06327],
        [-0.28, 0.1, 0.0, 0.0, -0.015],
    ];
    for coefficients in lenses {
        let lens = camera(coefficients);
        for (x, y) in [(0.5, 0.5), (2447.5, 0.5), (0.5, 2047.5), (2447.5, 2047.5), (1220.0, 1030.0)] {
            let seen = lens.unproject(Pixel { x, y }, 87.5).unwrap();
            let back = lens.project(seen).unwrap();
            assert!((back.x - x).hypot(back.y - y) < 1e-6, "{coefficients:?} at {x} {y}: {back:?}");
            assert_eq!(seen.z(), 87.5);
        }
    }
}

#[test]
fn a_published_calibration_folds_inside_its_own_image() {
    // AMtown of UAVScenes: radial distortion stops growing at r² = 1.63, which it shows 1.058 focal lengths from the
    // principal point; the corners on the right are 1.13 away.
    let lens = Distortion::from_opencv([-0.121, 0.1113, 0.0016, 0.00013, -0.062353]);
    let town = Intrinsics::new(size(), 1453.72, 1453.28, 1172.68, 1042.28, lens).unwrap();
    assert_eq!(town.ray(Pixel { x: 2447.5, y: 0.5 }), None);
    assert!(town.ray(Pixel { x: 0.5, y: 300.0 }).is_some());
    assert!(town.ray(Pixel { x: 2447.5, y: 1042.0 }).is_some());
}

proptest! {
    #[test]
    fn an_image_of_a_line_stays_within_the_bound_of_the_second_derivative(
        (x1, y1, x2, y2) in (-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64),
        k in (-0.5..0.5f64, -0.2..0.2f64, -0.1..0.1f64),
        p in (-0.01..0.01f64, -0.01..0.01f64),
    ) {
        let lens = Distortion { k1: k.0, k2: k.1, p1: p.0, p2: p.1, k3: k.2 };
        let [from, to, middle] = [(x1, y1), (x2, y2), ((x1 + x2) / 2.0, (y1 + y2) / 2.0)].map(|point| lens.distort(point));
        let off = (middle.0 - (from.0 + to.0) / 2.0).hypot(middle.1 - (from.1 + to.1) / 2.0);
        let bound = lens.second_derivative_bound(x1.hypot(y1).max(x2.hypot(y2)));
        prop_assert!(off <= bound * ((x1 - x2).powi(2) + (y1 - y2).powi(2)) / 8.0 + 1e-12);
    }

    #[test]
    fn project_then_unproject(
        x in 0.0..2448.0f64,
        y in 0.0..2048.0f64,
        depth in 0.5..5000.0f64,
        k1 in -0.3..0.3f64,
        k2 in -0.1..0.1f64,
        k3 in -0.05..0.05f64,
        (p1, p2) in (-0.005..0.005f64, -0.005..0.005f64),
    ) {
        let lens = camera([k1, k2, p1, p2, k3]);
        if let Some(point) = lens.unproject(Pixel { x, y }, depth) {
            let back = lens.project(point).unwrap();
            prop_assert!((back.x - x).hypot(back.y - y) < 1e-6, "{:?}", back);
        }
    }

    #[test]
    fn unproject_then_project(
        (x, y) in (-0.8..0.8f64, -0.7..0.7f64),
        depth in 0.5..5000.0f64,
        k1 in -0.3..0.3f64,
        k2 in -0.1..0.1f64,
        (p1, p2) in (-0.005..0.005f64, -0.005..0.005f64),
    ) {
        let lens = camera([k1, k2, p1, p2, 0.0]);
        let point = Point::new(x * depth, y * depth, depth);
        if let Some(pixel) = lens.project(point) {
            let back = lens.unproject(pixel, depth);
            prop_assert!(back.is_some_and(|back| back.distance_to(&point) < 1e-6 * depth), "{:?}", back);
        }
    }

    #[test]
    fn a_pinhole_is_similar_triangles(x in -50.0..50.0f64, y in -50.0..50.0f64, z in 1.0..500.0f64) {
        let pixel = camera([0.0; 5]).project(Point::new(x, y, z)).unwrap();
        prop_assert!(((pixel.x - 1220.0) * z - 1450.0 * x).abs() < 1e-6);
        prop_assert!(((pixel.y - 1030.0) * z - 1440.0 * y).abs() < 1e-6);
    }
}
