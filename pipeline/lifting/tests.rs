//! The whole way on drawn scenes: upright boxes on level ground, seen by a camera that casts one ray per pixel.

mod fragments;

use crate::*;
use proptest::prelude::*;
use uavgen_geometry::{Distortion, GroundBox, ImageSize, Intrinsics, Point, Rectangle, Transform, World};

const WIDTH: usize = 320;
const HEIGHT: usize = 240;

/// A camera and what it sees.
struct Scene {
    intrinsics: Intrinsics,
    world_from_camera: Transform<World, uavgen_geometry::Camera>,
    labels: Vec<u8>,
    depths: Vec<f32>,
}

/// Looks north from a place, down by an angle: 90° is straight down.
fn camera(place: [f64; 3], down_deg: f64) -> Transform<World, uavgen_geometry::Camera> {
    let (sin, cos) = down_deg.to_radians().sin_cos();
    Transform::new([[1.0, 0.0, 0.0], [0.0, -sin, cos], [0.0, -cos, -sin]], place).unwrap()
}

/// Way along a ray, per unit of its z in the camera, to the nearest side of a box.
fn hit(own: &GroundBox, start: [f64; 3], ray: [f64; 3]) -> Option<f64> {
    let (sin, cos) = own.axis_yaw_rad().sin_cos();
    let turn = |x: f64, y: f64| [x * cos + y * sin, y * cos - x * sin];
    let centre = own.centre();
    let ([sx, sy], [rx, ry]) = (turn(start[0] - centre.x(), start[1] - centre.y()), turn(ray[0], ray[1]));
    let sides = [(sx, rx, own.length_m()), (sy, ry, own.width_m()), (start[2] - centre.z(), ray[2], own.height_m())];
    let (mut near, mut far) = (f64::NEG_INFINITY, f64::INFINITY);
    for (start, ray, side) in sides {
        let (a, b) = ((-side / 2.0 - start) / ray, (side / 2.0 - start) / ray);
        (near, far) = (near.max(a.min(b)), far.min(a.max(b)));
    }
    (near <= far && near > 0.0).then_some(near)
}

/// Boxes of class 2 on ground of class 1 at height 0.
fn drawn(boxes: &[GroundBox], place: [f64; 3], down_deg: f64) -> Scene {
    let size = ImageSize::new(WIDTH as i64, HEIGHT as i64).unwrap();
    let intrinsics = Intrinsics::new(size, 400.0, 400.0, 160.0, 120.0, Distortion::NONE).unwrap();
    let world_from_camera = camera(place, down_deg);
    let (mut labels, mut depths) = (Vec::new(), Vec::new());
    for pixel in 0..WIDTH * HEIGHT {
        let (x, y) = ((pixel % WIDTH) as f64 + 0.5, (pixel / WIDTH) as f64 + 0.5);
        let ray = (world_from_camera * intrinsics.ray(uavgen_geometry::Pixel { x, y }).unwrap()).coordinates();
        let ground = if ray[2] < 0.0 { -place[2] / ray[2] } else { 0.0 };
        let nearest = boxes.iter().filter_map(|own| hit(own, place, ray)).fold(f64::INFINITY, f64::min);
        labels.push(if nearest < f64::INFINITY { 2 } else { 1 });
        depths.push(if nearest < f64::INFINITY { nearest } else { ground } as f32);
    }
    Scene { intrinsics, world_from_camera, labels, depths }
}

fn roles(things: Role) -> Vec<Role> {
    vec![Role::Other, Role::Ground, things]
}

impl Scene {
    fn view(&self) -> View<'_, u8> {
        let size = self.intrinsics.size();
        View {
            labels: Raster::new(size, &self.labels).unwrap(),
            depth: Raster::new(size, &self.depths).unwrap(),
            intrinsics: &self.intrinsics,
            world_from_camera: self.world_from_camera,
            ground: None,
        }
    }

    fn lifted(&self) -> Lifted {
        lift_view(&self.view(), &Classes::new(roles(Role::Fixed), false), &LiftOptions::default()).unwrap()
    }

    /// Noise of a share of the depth, from a fixed sequence.
    fn with_noise(mut self, share: f32) -> Self {
        let mut state = 4u64;
        let mut draw = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f32 / (1u64 << 24) as f32
        };
        for depth in &mut self.depths {
            *depth *= 1.0 + share * ((0..12).map(|_| draw()).sum::<f32>() - 6.0);
        }
        self
    }
}

fn standing(x: f64, y: f64, length: f64, width: f64, height: f64, yaw_deg: f64) -> GroundBox {
    GroundBox::new(Rectangle::new([x, y], length, width, yaw_deg.to_radians()), 0.0, height)
}

fn reasons_of(lifted: &Lifted) -> Vec<FragmentReason> {
    lifted.fragments.iter().map(|fragment| fragment.reason).collect()
}

#[test]
fn a_box_is_found_as_it_is_from_above_and_aslant() {
    for (yaw, place, down) in
        [(20.0, [0.0, 0.0, 60.0], 90.0), (110.0, [0.0, -40.0, 40.0], 45.0), (35.0, [3.0, -30.0, 52.0], 60.0)]
    {
        let own = standing(1.0, 2.0, 9.0, 4.0, 5.0, yaw);
        let lifted = drawn(&[own], place, down).lifted();
        let [found] = &lifted.instances[..] else { panic!("{} instances", lifted.instances.len()) };
        assert!(found.ground_box.iou(&own) > 0.93, "{} from {down}°", found.ground_box.iou(&own));
        let turn = (found.ground_box.axis_yaw_rad() - own.axis_yaw_rad()).abs();
        assert!(turn.min(std::f64::consts::PI - turn) < 0.02);
        assert!((found.height_m.unwrap() - 5.0).abs() < 0.05);
        let nearest = own.distance_to(&Point::new(place[0], place[1], place[2]));
        assert!((found.distance_m - nearest).abs() < 0.3, "{} instead of {nearest}", found.distance_m);
        assert!(found.visibility.unwrap() > 0.93 && !found.is_truncated);
        assert_eq!(found.placement, Placement::Depth);
        assert!(lifted.fragments.is_empty());
    }
}

#[test]
fn a_box_at_any_angle_is_given_on_request() {
    let own = standing(1.0, 2.0, 9.0, 4.0, 5.0, 20.0);
    let scene = drawn(&[own], [0.0, -40.0, 40.0], 45.0);
    assert_eq!(scene.lifted().instances[0].oriented_box, None);
    let options = LiftOptions { with_oriented_box: true, ..LiftOptions::default() };
    let lifted = lift_view(&scene.view(), &Classes::new(roles(Role::Fixed), false), &options).unwrap();
    // The visible sides of a box reach from the top to close to the ground.
    let [length, height, width] = lifted.instances[0].oriented_box.unwrap().sides_m();
    assert!((length - 9.0).abs() < 0.3 && (height - 5.0).abs() < 0.5 && (width - 4.0).abs() < 0.3);
}

#[test]
fn noise_does_not_swell_the_box() {
    let own = standing(1.0, 2.0, 9.0, 4.0, 5.0, 20.0);
    let found = drawn(&[own], [0.0, -40.0, 40.0], 45.0).with_noise(0.001).lifted();
    assert_eq!(found.instances.len(), 1);
    assert!(found.instances[0].ground_box.iou(&own) > 0.85, "{}", found.instances[0].ground_box.iou(&own));
}

#[test]
fn cars_that_hide_the_gap_between_them_are_two() {
    let cars = [standing(0.0, 0.0, 4.5, 1.8, 1.5, 0.0), standing(0.5, 2.5, 4.5, 1.8, 1.5, 0.0)];
    let lifted = drawn(&cars, [0.0, -22.0, 20.0], 42.0).lifted();
    assert_eq!(lifted.instances.len(), 2);
    for (found, own) in lifted.instances.iter().zip([cars[1], cars[0]]) {
        let [a, b] = [found.ground_box.footprint().centre(), own.footprint().centre()];
        assert!((a[0] - b[0]).hypot(a[1] - b[1]) < 0.4);
    }
}

#[test]
fn what_a_pole_cuts_in_two_is_one() {
    let own = standing(0.0, 0.0, 9.0, 4.0, 3.0, 0.0);
    let mut scene = drawn(&[own], [0.0, -30.0, 30.0], 45.0);
    let pole = drawn(&[standing(0.5, -6.0, 0.12, 0.12, 12.0, 0.0)], [0.0, -30.0, 30.0], 45.0);
    for pixel in 0..WIDTH * HEIGHT {
        if pole.labels[pixel] == 2 && pole.depths[pixel] < scene.depths[pixel] {
            (scene.labels[pixel], scene.depths[pixel]) = (0, pole.depths[pixel]);
        }
    }
    let lifted = scene.lifted();
    assert_eq!(lifted.instances.len(), 1);
    assert!(lifted.instances[0].ground_box.iou(&own) > 0.93);
}

#[test]
fn what_moves_is_placed_on_the_ground_without_a_height() {
    let own = standing(3.0, 4.0, 4.5, 1.8, 0.2, 30.0);
    let mut scene = drawn(&[own], [0.0, 0.0, 40.0], 90.0);
    // The mesh does not hold it: the depth is that of the ground.
    scene.depths = drawn(&[], [0.0, 0.0, 40.0], 90.0).depths;
    let classes = Classes::new(roles(Role::Moving), false);
    let by_depth = lift_view(&scene.view(), &classes, &LiftOptions::default()).unwrap();
    let level = |_: [f64; 2]| Some(0.0);
    let by_rays = View { ground: Some(&level), ..scene.view() };
    let by_rays = lift_view(&by_rays, &classes, &LiftOptions::default()).unwrap();
    for lifted in [by_depth, by_rays] {
        let [found] = &lifted.instances[..] else { panic!("{} instances", lifted.instances.len()) };
        let [x, y] = found.ground_box.footprint().centre();
        assert!((x - 3.0).hypot(y - 4.0) < 0.15, "({x}, {y})");
        assert_eq!((found.height_m, found.ground_box.height_m(), found.visibility), (None, 0.0, None));
        assert_eq!(found.placement, Placement::GroundRays);
        assert!((found.ground_box.axis_yaw_rad().to_degrees() - 30.0).abs() < 4.0);
        assert!((38.0..40.5).contains(&found.distance_m));
    }
    let nowhere = |_: [f64; 2]| None;
    let lifted =
        lift_view(&View { ground: Some(&nowhere), ..scene.view() }, &classes, &LiftOptions::default()).unwrap();
    assert_eq!(reasons_of(&lifted), [FragmentReason::NoGround]);
}

/// A lorry whose body and cab do not touch in the mask is one object; two with a metre between them are two.
#[test]
fn parts_of_what_moves_are_one_where_they_keep_no_distance() {
    let count = |gap_m: f64| {
        let parts = [standing(0.0, 0.0, 5.0, 2.0, 0.2, 0.0), standing(3.5 + gap_m, 0.0, 2.0, 2.0, 0.2, 0.0)];
        let mut scene = drawn(&parts, [0.0, 0.0, 20.0], 90.0);
        scene.depths = drawn(&[], [0.0, 0.0, 20.0], 90.0).depths;
        let classes = Classes::new(roles(Role::Moving), false);
        lift_view(&scene.view(), &classes, &LiftOptions::default()).unwrap().instances.len()
    };
    assert_eq!((count(0.15), count(1.0)), (1, 2));
}

/// The same scene at UTM coordinates gives the same boxes; depth and labels know nothing of the place.
#[test]
fn large_coordinates_change_nothing() {
    const SHIFT: [f64; 3] = [500_000.0, 5_400_000.0, 100.0];
    let boxes = [
        standing(0.0, 0.0, 4.5, 1.8, 1.5, 10.0),
        standing(8.0, 3.0, 9.0, 4.0, 5.0, 70.0),
        standing(-9.0, 6.0, 3.0, 3.0, 3.0, 0.0),
    ];
    let options = LiftOptions { with_oriented_box: true, ..LiftOptions::default() };
    for (role, share) in [(Role::Fixed, 0.0), (Role::Fixed, 0.001), (Role::Moving, 0.0)] {
        let place = [1.0, -40.0, 40.0];
        let here = drawn(&boxes, place, 45.0).with_noise(share);
        let there = camera([0, 1, 2].map(|axis| place[axis] + SHIFT[axis]), 45.0);
        let lift = |world_from_camera| {
            let view = View { world_from_camera, ..here.view() };
            lift_view(&view, &Classes::new(roles(role), false), &options).unwrap().instances
        };
        let (near, far) = (lift(here.world_from_camera), lift(there));
        assert_eq!((near.len(), far.len()), (3, 3));
        for (near, far) in near.iter().zip(&far) {
            let (a, b) = (near.ground_box, far.ground_box);
            let off = |a: Point<World>, b: Point<World>| {
                [0, 1, 2].map(|axis| b.coordinates()[axis] - SHIFT[axis] - a.coordinates()[axis]).map(f64::abs)
            };
            let corners = a.corners().into_iter().zip(b.corners()).flat_map(|(a, b)| off(a, b));
            assert!(corners.fold(0.0, f64::max) < 1e-3, "{a:?} {b:?}");
            assert!(
                (near.distance_m - far.distance_m).abs() < 1e-3 && near.height_m.is_some() == far.height_m.is_some()
            );
            assert!((near.height_m.unwrap_or(0.0) - far.height_m.unwrap_or(0.0)).abs() < 1e-3);
            assert!((near.visibility.unwrap_or(0.0) - far.visibility.unwrap_or(0.0)).abs() < 1e-4);
            assert_eq!((&near.runs, near.surface), (&far.runs, far.surface));
            if let (Some(a), Some(b)) = (near.oriented_box, far.oriented_box) {
                assert!(off(a.centre(), b.centre()).into_iter().fold(0.0, f64::max) < 1e-3, "{a:?} {b:?}");
            }
        }
    }
}

#[test]
fn what_leaves_the_image_is_truncated() {
    let lifted = drawn(&[standing(24.0, 0.0, 9.0, 4.0, 2.0, 0.0)], [0.0, 0.0, 60.0], 90.0).lifted();
    assert!(lifted.instances[0].is_truncated);
}

#[test]
fn an_object_without_depth_is_a_reject() {
    let mut scene = drawn(&[standing(0.0, 0.0, 9.0, 4.0, 5.0, 0.0)], [0.0, 0.0, 60.0], 90.0);
    for (depth, label) in scene.depths.iter_mut().zip(&scene.labels) {
        *depth = if *label == 2 { f32::NAN } else { *depth };
    }
    let lifted = scene.lifted();
    assert!(lifted.instances.is_empty());
    assert_eq!(reasons_of(&lifted), [FragmentReason::NoDepth]);
}

#[test]
fn without_ground_in_sight_height_is_unknown() {
    let mut scene = drawn(&[standing(0.0, 0.0, 9.0, 4.0, 5.0, 0.0)], [0.0, -40.0, 40.0], 45.0);
    scene.labels.iter_mut().filter(|label| **label == 1).for_each(|label| *label = 0);
    let lifted = scene.lifted();
    assert_eq!(lifted.instances[0].height_m, None);
    assert!(lifted.instances[0].ground_box.height_m() > 4.0);
}

#[test]
fn images_of_a_few_pixels_are_no_special_case() {
    for (width, height) in [(1, 1), (1, 7), (7, 1), (2, 3)] {
        let size = ImageSize::new(width, height).unwrap();
        let intrinsics =
            Intrinsics::new(size, 5.0, 5.0, size.centre_px().0, size.centre_px().1, Distortion::NONE).unwrap();
        let pixels = (width * height) as usize;
        let (labels, depths) = (vec![2u8; pixels], vec![30.0; pixels]);
        let view = View {
            labels: Raster::new(size, &labels).unwrap(),
            depth: Raster::new(size, &depths).unwrap(),
            intrinsics: &intrinsics,
            world_from_camera: camera([0.0, 0.0, 30.0], 90.0),
            ground: None,
        };
        let options =
            LiftOptions { min_part_pixels: 1, min_pixels: 1, min_thickness_px: 0.0, ..LiftOptions::default() };
        let lifted = lift_view(&view, &Classes::new(roles(Role::Fixed), false), &options).unwrap();
        // Where all points lie on a line there is no box.
        if let [line] = lifted.fragments.as_slice() {
            assert_eq!((lifted.instances.len(), line.pixels as usize), (0, pixels));
            assert!(line.reason == FragmentReason::TooThin && (width == 1 || height == 1));
            continue;
        }
        assert_eq!((lifted.instances.len(), lifted.instances[0].pixels as usize), (1, pixels));
        assert!(lifted.instances[0].is_truncated);
    }
}

#[test]
fn wrong_sizes_and_options_are_refused() {
    let scene = drawn(&[], [0.0, 0.0, 60.0], 90.0);
    let other = ImageSize::new(HEIGHT as i64, WIDTH as i64).unwrap();
    let view = View { labels: Raster::new(other, &scene.labels).unwrap(), ..scene.view() };
    let classes = Classes::new(roles(Role::Fixed), false);
    let refused = lift_view(&view, &classes, &LiftOptions::default());
    assert!(matches!(refused, Err(LiftingError::SizeDiffers { what: "labels", width: HEIGHT, .. })));
    let options = LiftOptions { gap_m: f64::NAN, ..LiftOptions::default() };
    assert!(matches!(lift_view(&scene.view(), &classes, &options), Err(LiftingError::Option { option: "gap_m", .. })));
}

#[test]
fn threads_and_label_width_change_nothing() {
    let boxes = [
        standing(0.0, 0.0, 4.5, 1.8, 1.5, 10.0),
        standing(8.0, 3.0, 9.0, 4.0, 5.0, 70.0),
        standing(-9.0, 6.0, 3.0, 3.0, 3.0, 0.0),
    ];
    let scene = drawn(&boxes, [0.0, -40.0, 40.0], 45.0).with_noise(0.001);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(|| scene.lifted());
    let five = rayon::ThreadPoolBuilder::new().num_threads(5).build().unwrap().install(|| scene.lifted());
    assert_eq!(one, five);
    let wide: Vec<u16> = scene.labels.iter().map(|label| u16::from(*label)).collect();
    let (size, view) = (scene.intrinsics.size(), scene.view());
    let labels = Raster::new(size, &wide).unwrap();
    let View { depth, intrinsics, world_from_camera, ground, .. } = view;
    let view = View { labels, depth, intrinsics, world_from_camera, ground };
    let classes = Classes::new(roles(Role::Fixed), false);
    assert_eq!(lift_view(&view, &classes, &LiftOptions::default()).unwrap(), one);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Whatever the pixels hold, every number that comes out is finite.
    #[test]
    fn any_input_gives_finite_boxes(seed in any::<u64>(), block in 1..40usize, down in 0.0..90.0f64, wild in 0..3usize) {
        let mut scene = drawn(&[standing(0.0, 0.0, 9.0, 4.0, 5.0, 0.0)], [0.0, -40.0, 40.0], down);
        let mut state = seed | 1;
        let mut cells = vec![0u64; (WIDTH / block + 1) * (HEIGHT / block + 1)];
        for cell in &mut cells {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            *cell = state >> 33;
        }
        for pixel in 0..WIDTH * HEIGHT {
            let cell = cells[pixel / WIDTH / block * (WIDTH / block + 1) + pixel % WIDTH / block];
            scene.labels[pixel] = (cell % 4) as u8;
            let wild_depths = [f32::NAN, f32::INFINITY, -1.0, 0.0, 1e-30, 3e6, 50.0];
            if wild > 0 && (cell / 4) % 3 < wild as u64 {
                scene.depths[pixel] = wild_depths[(cell / 16 % 7) as usize];
            }
        }
        for (role, ground) in [(Role::Fixed, false), (Role::Moving, false), (Role::Moving, true)] {
            let level = |place: [f64; 2]| (place[0] < 30.0).then_some(0.0);
            let view = View { ground: ground.then_some(&level as GroundHeight), ..scene.view() };
            let lifted = lift_view(&view, &Classes::new(roles(role), false), &LiftOptions::default()).unwrap();
            for found in &lifted.instances {
                let own = found.ground_box;
                let mut numbers = own.corners().iter().flat_map(|corner| corner.coordinates()).collect::<Vec<_>>();
                numbers.extend([own.axis_yaw_rad(), found.distance_m, found.height_m.unwrap_or(0.0), found.visibility.unwrap_or(0.0)]);
                prop_assert!(numbers.iter().all(|number| number.is_finite()), "{found:?}");
            }
        }
    }
}
