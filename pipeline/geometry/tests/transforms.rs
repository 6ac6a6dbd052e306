//! Transforms, axes and origins with numbers that a reader can check, and properties that hold for all of them.

use crate::*;
use proptest::prelude::*;
use std::f64::consts::{FRAC_PI_2, PI};

const DOWN: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]];

fn pose(vector: [f64; 3], translation: [f64; 3]) -> Transform<World, Camera> {
    Transform::from_rotation_vector(vector, translation).unwrap()
}

fn any_pose() -> impl Strategy<Value = Transform<World, Camera>> {
    ([-3.0..3.0f64, -3.0..3.0, -3.0..3.0], [-1e4..1e4f64, -1e4..1e4, -1e3..1e3]).prop_map(|(r, t)| pose(r, t))
}

fn any_point<F: Frame>() -> impl Strategy<Value = Point<F>> {
    (-500.0..500.0f64, -500.0..500.0f64, -500.0..500.0f64).prop_map(|(x, y, z)| Point::new(x, y, z))
}

#[test]
fn nadir_camera_sees_a_known_point() {
    // 100 m up, image top to the north: 10 m east is 10 m right, 20 m north is 20 m up the image, 100 m deep.
    let world_from_camera = Transform::<World, Camera>::new(DOWN, [0.0, 0.0, 100.0]).unwrap();
    let seen = world_from_camera.inverse() * Point::new(10.0, 20.0, 0.0);
    assert_eq!(seen, Point::new(10.0, -20.0, 100.0));
    let camera =
        Intrinsics::new(ImageSize::new(1000, 800).unwrap(), 1000.0, 1000.0, 500.0, 400.0, Distortion::NONE).unwrap();
    assert_eq!(camera.project(seen), Some(Pixel { x: 600.0, y: 200.0 }));
    assert_eq!(world_from_camera.position(), Point::new(0.0, 0.0, 100.0));
}

#[test]
fn oblique_camera_looks_north_and_down() {
    // Pitched 45° down towards north: the optical axis is (0, 1, -1)/√2, the image's down is (0, -1, -1)/√2.
    let s = std::f64::consts::FRAC_1_SQRT_2;
    let oblique = Transform::<World, Camera>::new([[1.0, 0.0, 0.0], [0.0, -s, s], [0.0, -s, -s]], [0.0; 3]).unwrap();
    let ahead = oblique * Direction::new(0.0, 0.0, 1.0);
    assert!((ahead.y() - s).abs() < 1e-15 && (ahead.z() + s).abs() < 1e-15 && ahead.x() == 0.0);
}

#[test]
fn an_opengl_pose_and_its_opencv_form_are_one() {
    // A nadir camera in OpenGL's axes has no rotation: x east, y north, z up (backward).
    let identity = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let opengl = Transform::<World, OpenGlCamera>::new(identity, [0.0, 0.0, 100.0]).unwrap();
    let opencv = Transform::<World, Camera>::new(DOWN, [0.0, 0.0, 100.0]).unwrap();
    assert_eq!(opengl * opengl_from_camera(), opencv);
}

#[test]
fn a_drone_that_flies_north_has_its_right_wing_to_the_east() {
    // FRD axes of a level drone that heads north are north, east, down: NED itself.
    let identity = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let ned_from_body = Transform::<Ned, Body>::new(identity, [0.0, 0.0, -100.0]).unwrap();
    let nadir = world_from_ned() * ned_from_body * body_from_camera(Gimbal::Down);
    assert_eq!(nadir, Transform::new(DOWN, [0.0, 0.0, 100.0]).unwrap());
    let forward = world_from_ned() * ned_from_body * body_from_camera(Gimbal::Forward);
    assert_eq!(forward * Point::new(1.0, 2.0, 3.0), Point::new(1.0, 3.0, 98.0));
}

#[test]
fn axes_there_and_back_change_nothing() {
    assert_eq!(camera_from_opengl() * opengl_from_camera(), Transform::identity());
    assert_eq!(world_from_ned() * ned_from_world(), Transform::identity());
    for gimbal in [Gimbal::Forward, Gimbal::Down] {
        assert_eq!(camera_from_body(gimbal) * body_from_camera(gimbal), Transform::identity());
    }
}

#[test]
fn what_is_no_rotation_is_named_with_its_measure() {
    let build = |rows| Transform::<World, Camera>::new(rows, [0.0; 3]);
    let twice = [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]];
    assert_eq!(build(twice), Err(GeometryError::Scale { factor: 2.0 }));
    let sheared = [[1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    assert_eq!(build(sheared), Err(GeometryError::Shear { determinant: 1.0, error: 0.5 }));
    let unequal = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 3.0]];
    assert_eq!(build(unequal), Err(GeometryError::Shear { determinant: 3.0, error: 8.0 }));
    assert!(matches!(build([[0.0; 3]; 3]), Err(GeometryError::Shear { determinant: 0.0, .. })));
    let swapped = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    assert_eq!(build(swapped), Err(GeometryError::Reflection { determinant: -1.0 }));
    let broken = [[f64::NAN, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    assert!(matches!(build(broken), Err(GeometryError::TransformNotFinite { .. })));
    let quaternion = Transform::<World, Camera>::from_quaternion([0.0, 0.0, 0.0, 2.0], [0.0; 3]);
    assert_eq!(quaternion, Err(GeometryError::Quaternion { length: 2.0 }));
}

#[test]
fn a_rotation_written_with_four_decimals_is_taken_and_made_exact() {
    let rounded = pose([0.3, -0.7, 1.1], [0.0; 3]).rotation().map(|row| row.map(|x: f64| (x * 1e4).round() / 1e4));
    let taken = Transform::<World, Camera>::new(rounded, [1.0, 2.0, 3.0]).unwrap();
    let back = taken.inverse() * (taken * Point::new(100.0, -200.0, 300.0));
    assert!(back.distance_to(&Point::new(100.0, -200.0, 300.0)) < 1e-10);
}

#[test]
fn a_rotation_vector_turns_about_its_axis() {
    let quarter = pose([0.0, 0.0, FRAC_PI_2], [0.0; 3]);
    assert!((quarter * Point::new(1.0, 0.0, 5.0)).distance_to(&Point::new(0.0, 1.0, 5.0)) < 1e-12);
    let half = pose([PI, 0.0, 0.0], [0.0; 3]);
    assert!((half * Point::new(1.0, 2.0, 3.0)).distance_to(&Point::new(1.0, -2.0, -3.0)) < 1e-12);
}

#[test]
fn a_pose_of_opensfm_is_the_matrix_that_mve_writes_for_it() {
    // One shot of a real flight (Brighton Beach): its rotation vector in reconstruction.json, its matrix in meta.ini.
    let vector = [-2.808958551680782, 1.3326064906422348, -0.005951465535237868];
    let camera_from_world =
        Transform::<Camera, World>::from_rotation_vector(vector, [-4.831532420908764, -14.012292933615859, 198.1])
            .unwrap();
    let matrix = [
        [0.6326540709, -0.7742389441, 0.01740884036],
        [-0.7743635178, -0.6321321726, 0.02776586637],
        [-0.01049272902, -0.0310469605, -0.999463439],
    ];
    let rotation = camera_from_world.rotation();
    let mut entries = rotation.as_flattened().iter().zip(matrix.as_flattened());
    assert!(entries.all(|(got, right): (&f64, &f64)| (got - right).abs() < 1e-6), "{rotation:?}");
    // It looks down from 198 m.
    let world_from_camera = camera_from_world.inverse();
    assert!((world_from_camera * Direction::new(0.0, 0.0, 1.0)).z() < -0.99);
    assert!((world_from_camera.position().z() - 198.4).abs() < 1.0);
}

proptest! {
    #[test]
    fn inverse_undoes(pose in any_pose(), point in any_point::<Camera>()) {
        prop_assert!((pose.inverse() * (pose * point)).distance_to(&point) < 1e-8);
    }

    #[test]
    fn composition_is_one_after_the_other(a in any_pose(), b in any_pose(), point in any_point::<Camera>()) {
        let chain = a * camera_from_opengl() * (opengl_from_camera() * b.inverse());
        prop_assert!((chain * (b * point)).distance_to(&(a * point)) < 1e-8);
    }

    #[test]
    fn distances_and_handedness_stay(pose in any_pose(), p in any_point::<Camera>(), q in any_point::<Camera>()) {
        prop_assert!(((pose * p).distance_to(&(pose * q)) - p.distance_to(&q)).abs() < 1e-8);
        let (x, y) = (pose * Direction::new(1.0, 0.0, 0.0), pose * Direction::new(0.0, 1.0, 0.0));
        let z = pose * Direction::<Camera>::new(0.0, 0.0, 1.0);
        prop_assert!((x.cross(&y).dot(&z) - 1.0).abs() < 1e-12);
    }
}
