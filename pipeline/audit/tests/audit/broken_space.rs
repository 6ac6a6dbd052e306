//! Cameras, poses, masks and objects in space: whole, and each with one thing wrong.

use crate::release::{HEIGHT, Tables, WIDTH, audit_with, codes};
use std::f64::consts::PI;
use uavgen_schemas::{
    Camera, ClassKind, Fragment, FragmentReason, HeadingSource, Instance, Mask, MaskClass, PlacedBy, Pose,
};

fn class(value: i64, name: &str, kind: ClassKind) -> MaskClass {
    MaskClass {
        class_id: format!("vid/a#{value}"),
        recording_id: "vid/a".into(),
        value,
        name: name.into(),
        kind,
        red: None,
        green: None,
        blue: None,
    }
}

/// A house of 10 m x 5 m on the first frame.
fn house() -> Instance {
    Instance {
        instance_id: "vid/a/1#0".into(),
        frame_id: "vid/a/1".into(),
        recording_id: "vid/a".into(),
        object_id: "vid/a#object0".into(),
        category: "building".into(),
        moving: false,
        pixels: 150,
        x1: 10.0,
        y1: 10.0,
        x2: 30.0,
        y2: 20.0,
        truncated: false,
        visibility: Some(0.75),
        placed_by: PlacedBy::Depth,
        x: 576_705.0,
        y: 5_188_170.0,
        base_z: 60.0,
        top_z: Some(68.0),
        length_m: 10.0,
        width_m: 5.0,
        footprint_m2: 50.0,
        height_m: Some(8.0),
        axis_yaw_rad: 1.0,
        heading_rad: None,
        heading_source: None,
        distance_m: 52.0,
        surface: Some("road".into()),
    }
}

/// A car that drives to the east, cut by the left border.
fn car() -> Instance {
    Instance {
        instance_id: "vid/a/1#1".into(),
        object_id: "vid/a#object1".into(),
        category: "car".into(),
        moving: true,
        x1: 0.0,
        x2: 20.0,
        truncated: true,
        visibility: None,
        placed_by: PlacedBy::GroundRays,
        top_z: None,
        height_m: None,
        heading_rad: Some(PI / 2.0),
        heading_source: Some(HeadingSource::Motion),
        surface: None,
        ..house()
    }
}

/// A splinter of the house.
fn splinter() -> Fragment {
    Fragment {
        fragment_id: "vid/a/1#fragment0".into(),
        frame_id: "vid/a/1".into(),
        recording_id: "vid/a".into(),
        category: Some("building".into()),
        reason: FragmentReason::TooSmall,
        part_of: Some("vid/a/1#0".into()),
        pixels: 4,
        x1: 28.0,
        y1: 10.0,
        x2: 30.0,
        y2: 12.0,
    }
}

/// Poses the three frames of the sequence.
fn pose_all(tables: &mut Tables) {
    let train = "train".to_owned();
    let camera = Camera {
        camera_id: "vid/a#main".into(),
        recording_id: "vid/a".into(),
        width: WIDTH,
        height: HEIGHT,
        fx: 60.0,
        fy: 60.0,
        cx: 32.0,
        cy: 24.0,
        k1: 0.0,
        k2: 0.0,
        k3: 0.0,
        p1: 0.0,
        p2: 0.0,
    };
    tables.cameras.push((train.clone(), camera));
    for number in 1..=3 {
        let pose = Pose {
            frame_id: format!("vid/a/{number}"),
            recording_id: "vid/a".into(),
            camera_id: "vid/a#main".into(),
            x: 576_700.0,
            y: 5_188_170.0,
            z: 120.0,
            qx: 1.0,
            qy: 0.0,
            qz: 0.0,
            qw: 0.0,
        };
        let mask = Mask {
            frame_id: pose.frame_id.clone(),
            recording_id: "vid/a".into(),
            file: format!("masks/{number}.png"),
            digest: "00".into(),
            byte_count: 99,
            pixel_layout: "grey".into(),
        };
        tables.poses.push((train.clone(), pose));
        tables.masks.push((train.clone(), mask));
    }
    let classes = [
        class(1, "road", ClassKind::Ground),
        class(2, "building", ClassKind::Thing),
        class(3, "car", ClassKind::Moving),
    ];
    tables.mask_classes.extend(classes.map(|class| (train.clone(), class)));
    tables.instances.extend([house(), car()].map(|one| (train.clone(), one)));
    tables.fragments.push((train, splinter()));
}

/// Asserts that exactly these faults are found in the posed release after a change.
#[track_caller]
fn expect(expected: &[&str], change: impl FnOnce(&mut Tables)) {
    let report = audit_with(|tables| {
        pose_all(tables);
        change(tables);
    });
    assert_eq!(codes(&report), expected, "\n{}", report.render());
}

/// As [`expect`], with a change of one instance: 0 is the house, 1 the car.
#[track_caller]
fn expect_instance(expected: &[&str], at: usize, change: impl FnOnce(&mut Instance)) {
    expect(expected, |tables| change(&mut tables.instances[at].1));
}

#[test]
fn a_posed_release_is_sound() {
    expect(&[], |_| {});
    // The same object on another frame, and one that nobody knows the visibility of.
    expect(&[], |tables| {
        let again = Instance {
            instance_id: "vid/a/2#0".into(),
            frame_id: "vid/a/2".into(),
            visibility: None,
            height_m: None,
            surface: None,
            ..house()
        };
        tables.instances.push(("train".into(), again));
    });
    expect(&[], |tables| {
        let unknown = Fragment { category: None, reason: FragmentReason::UnknownClass, part_of: None, ..splinter() };
        tables.fragments[0].1 = unknown;
    });
}

#[test]
fn cameras_and_poses_that_cannot_be_are_found() {
    expect(&["geometry_invalid"], |tables| tables.cameras[0].1.fx = f64::NAN);
    expect(&["geometry_invalid"], |tables| tables.cameras[0].1.cx = 320.0);
    expect(&["geometry_invalid"], |tables| tables.poses[1].1.qx = 0.99);
    expect(&["geometry_invalid"], |tables| tables.poses[1].1.x = f64::INFINITY);
    expect(&["geometry_invalid"], |tables| {
        (tables.poses[1].1.qx, tables.poses[1].1.qw) = (0.6, -0.8);
    });
    expect(&["geometry_invalid"], |tables| {
        // Images twice as large as the frames; still a camera.
        let camera = &mut tables.cameras[0].1;
        (camera.width, camera.height) = (2 * WIDTH, 2 * HEIGHT);
        (camera.fx, camera.fy, camera.cx, camera.cy) = (120.0, 120.0, 64.0, 48.0);
    });
}

#[test]
fn references_to_nothing_are_found() {
    expect(&["dangling_reference"], |tables| tables.cameras.clear());
    // The other recording is in another split.
    expect(&["dangling_reference", "split_mismatch"], |tables| tables.cameras[0].1.recording_id = "det/b".into());
    expect(&["dangling_reference"], |tables| tables.poses[2].1.frame_id = "vid/a/9".into());
    expect(&["dangling_reference"], |tables| _ = tables.poses.remove(0));
    expect(&["dangling_reference"], |tables| _ = tables.masks.remove(0));
    expect(&["dangling_reference"], |tables| tables.mask_classes[0].1.class_id = "vid/a#7".into());
    expect(&["dangling_reference"], |tables| _ = tables.mask_classes.remove(0));
    expect(&["dangling_reference"], |tables| tables.fragments[0].1.part_of = Some("vid/a/1#9".into()));
    expect_instance(&["dangling_reference"], 1, |car| car.frame_id = "vid/a/9".into());
    expect_instance(&["dangling_reference"], 1, |car| car.instance_id = "vid/a/2#1".into());
    expect_instance(&["dangling_reference"], 0, |house| house.surface = Some("grass".into()));
    expect(&["split_mismatch"], |tables| tables.masks[2].0 = "val".into());
}

#[test]
fn classes_that_cannot_be_are_found() {
    expect(&["geometry_invalid"], |tables| tables.mask_classes[0].1.red = Some(7));
    expect(&["geometry_invalid"], |tables| {
        let row = &mut tables.mask_classes[0].1;
        (row.red, row.green, row.blue) = (Some(0), Some(256), Some(0));
    });
    expect(&["geometry_invalid"], |tables| {
        let mut nameless = class(9, " ", ClassKind::Stuff);
        nameless.class_id = "vid/a#9".into();
        tables.mask_classes.push(("train".into(), nameless));
    });
    // The house is no thing that moves, and stands on no car.
    expect(&["geometry_invalid"], |tables| tables.mask_classes[1].1.kind = ClassKind::Moving);
    expect_instance(&["geometry_invalid"], 0, |house| house.surface = Some("car".into()));
}

#[test]
fn numbers_of_objects_that_cannot_be_are_found() {
    let changes: [fn(&mut Instance); 14] = [
        |one| one.x = f64::NAN,
        |one| one.distance_m = 0.0,
        |one| one.width_m = -5.0,
        |one| (one.length_m, one.width_m) = (5.0, 10.0),
        |one| one.footprint_m2 = 51.0,
        |one| one.pixels = 201,
        |one| one.pixels = 0,
        |one| one.visibility = Some(1.01),
        |one| one.axis_yaw_rad = PI,
        |one| one.top_z = Some(59.0),
        |one| one.height_m = Some(f64::INFINITY),
        |one| one.truncated = true,
        |one| (one.heading_rad, one.heading_source) = (Some(-0.1), Some(HeadingSource::Motion)),
        |one| one.base_z = f64::NEG_INFINITY,
    ];
    for change in changes {
        expect_instance(&["geometry_invalid"], 0, change);
    }
    expect_instance(&["annotation_out_of_bounds", "geometry_invalid"], 0, |house| house.x2 = 65.0);
}

#[test]
fn nulls_in_the_wrong_place_are_found() {
    expect_instance(&["geometry_invalid"], 0, |house| house.top_z = None);
    expect_instance(&["geometry_invalid"], 1, |car| car.top_z = Some(61.5));
    expect_instance(&["geometry_invalid"], 1, |car| car.height_m = Some(1.5));
    expect_instance(&["geometry_invalid"], 1, |car| car.visibility = Some(0.5));
    expect_instance(&["geometry_invalid"], 1, |car| car.heading_source = None);
    expect_instance(&["geometry_invalid"], 1, |car| car.heading_rad = None);
    expect(&["geometry_invalid"], |tables| tables.fragments[0].1.reason = FragmentReason::UnknownClass);
    expect(&["geometry_invalid"], |tables| {
        (tables.fragments[0].1.category, tables.fragments[0].1.part_of) = (None, None);
    });
}

#[test]
fn objects_that_are_not_one_are_found() {
    expect_instance(&["object_mismatch"], 1, |car| car.object_id = "vid/a#object0".into());
    expect_instance(&["object_mismatch"], 1, |car| car.object_id = "vid/b#object1".into());
    expect(&["object_mismatch"], |tables| {
        let twin = Instance { instance_id: "vid/a/1#7".into(), ..house() };
        tables.instances.push(("train".into(), twin));
    });
    expect(&["object_mismatch"], |tables| tables.fragments[0].1.part_of = Some("vid/a/1#1".into()));
    expect(&["duplicate_id"], |tables| {
        let twin = tables.fragments[0].clone();
        tables.fragments.push(twin);
    });
}
