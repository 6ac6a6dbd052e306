//! Ground in common, by the geometry of two cameras that look straight down.

use crate::space_qa::pure::pairs::common_share;
use uavgen_geometry::{Distortion, ImageSize, Intrinsics, Transform};
use uavgen_programs::SceneView;

/// 100 m above the ground, over a place east of the origin: 100 m by 50 m of ground in 1000 by 500 pixels, north at the top.
fn over(east: f64) -> SceneView {
    let size = ImageSize::new(1000, 500).unwrap();
    SceneView {
        intrinsics: Intrinsics::new(size, 1000.0, 1000.0, 500.0, 250.0, Distortion::default()).unwrap(),
        world_from_camera: Transform::new([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]], [east, 0.0, 100.0])
            .unwrap(),
        time_s: None,
    }
}

#[test]
fn the_common_share_is_that_of_the_areas() {
    // The grid has twelve columns: shares in twelfths are exact.
    for (shift, share) in [(0.0, 1.0), (25.0, 0.75), (50.0, 0.5), (75.0, 0.25), (101.0, 0.0)] {
        assert!((common_share(&over(0.0), &over(shift), 0.0) - share).abs() < 1e-9, "{shift} m");
        assert!((common_share(&over(shift), &over(0.0), 0.0) - share).abs() < 1e-9, "{shift} m, the other way round");
    }
}

#[test]
fn ground_that_is_higher_is_seen_less_of() {
    // 50 m below the camera the image is 50 m wide.
    assert!((common_share(&over(0.0), &over(25.0), 50.0) - 0.5).abs() < 1e-9);
    assert!(common_share(&over(0.0), &over(0.0), 200.0) == 0.0, "ground above the camera is not seen");
}

#[test]
fn north_is_told_clockwise_from_the_top() {
    assert!(over(0.0).north_in_image_rad().abs() < 1e-12);
    // The camera turned so that the top of the image looks east: north is to the left, 270 degrees clockwise.
    let east_up = SceneView {
        world_from_camera: Transform::new([[0.0, -1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, -1.0]], [0.0, 0.0, 100.0])
            .unwrap(),
        ..over(0.0)
    };
    assert!((east_up.north_in_image_rad().to_degrees() + 90.0).abs() < 1e-9, "{}", east_up.north_in_image_rad());
}
