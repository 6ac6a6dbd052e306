//! Small patches of a mask, inside and outside of larger ones, seen from straight above.

use super::*;

/// Height of the camera; a pixel is 15 cm on the ground.
const ABOVE_M: f64 = 60.0;
const OTHER: u8 = 0;
const GROUND: u8 = 1;
const THING: u8 = 2;

/// A patch of 8 x 8 pixels with a corner, and a ring of 5 pixels of another label round it.
fn with_patch(mut scene: Scene, [left, top]: [usize; 2], ring: u8) -> Scene {
    for y in top - 5..top + 13 {
        for x in left - 5..left + 13 {
            let inside = (left..left + 8).contains(&x) && (top..top + 8).contains(&y);
            scene.labels[y * WIDTH + x] = if inside { THING } else { ring };
        }
    }
    scene
}

/// Two houses of 12 m x 9 m, 5 m high: at 5 m the middle of the first one lies at (95, 120), that of the second at (225, 120).
fn houses() -> Scene {
    drawn(
        &[standing(-9.0, 0.0, 12.0, 9.0, 5.0, 0.0), standing(9.0, 0.0, 12.0, 9.0, 5.0, 0.0)],
        [0.0, 0.0, ABOVE_M],
        90.0,
    )
}

fn only_fragment(scene: &Scene, role: Role) -> Fragment {
    let classes = Classes::new(roles(role), false);
    let lifted = lift_view(&scene.view(), &classes, &LiftOptions::default()).unwrap();
    assert_eq!(lifted.instances.len(), 2);
    let [fragment] = &lifted.fragments[..] else { panic!("{:?}", lifted.fragments) };
    assert_eq!((fragment.reason, fragment.pixels), (FragmentReason::TooSmall, 64));
    fragment.clone()
}

#[test]
fn what_lies_in_the_box_of_an_instance_is_a_piece_of_it() {
    // A tree hides the roof but for a patch.
    let first = only_fragment(&with_patch(houses(), [91, 116], OTHER), Role::Fixed);
    assert_eq!(first.first_pixel, (116, 91));
    let bounds = first.image_box;
    assert_eq!([bounds.x1(), bounds.y1(), bounds.x2(), bounds.y2()], [91.0, 116.0, 99.0, 124.0]);
    let second = only_fragment(&with_patch(houses(), [221, 116], OTHER), Role::Fixed);
    // Instances are in the order of their first pixels, and both begin in one row: the left one comes first.
    assert_eq!((first.part_of, second.part_of), (Some(0), Some(1)));
    // A patch in between is of neither.
    assert_eq!(only_fragment(&with_patch(houses(), [156, 116], OTHER), Role::Fixed).part_of, None);
}

#[test]
fn what_stands_on_open_ground_is_no_piece() {
    // A yard with a hut, inside the outline of the house.
    let mut scene = with_patch(houses(), [91, 116], GROUND);
    assert_eq!(only_fragment(&scene, Role::Fixed).part_of, None);
    // Ground at three pixels of the 32 sides is less than a tenth of them.
    scene = with_patch(houses(), [91, 116], OTHER);
    scene.labels[115 * WIDTH + 91..][..3].fill(GROUND);
    assert_eq!(only_fragment(&scene, Role::Fixed).part_of, Some(0));
}

#[test]
fn what_is_higher_than_the_box_or_without_depth_is_no_piece() {
    let patch = |depth: f32| {
        let mut scene = with_patch(houses(), [91, 116], OTHER);
        for y in 116..124 {
            scene.depths[y * WIDTH + 91..][..8].fill(depth);
        }
        only_fragment(&scene, Role::Fixed).part_of
    };
    // The roof is 55 m below the camera, and the box grows by 0.4 m.
    assert_eq!((patch(55.0), patch(54.7), patch(57.0)), (Some(0), Some(0), Some(0)));
    assert_eq!((patch(54.5), patch(f32::NAN)), (None, None));
}

#[test]
fn pieces_of_what_moves_are_judged_on_the_ground() {
    let on_ground = |mut scene: Scene| {
        scene.depths = drawn(&[], [0.0, 0.0, ABOVE_M], 90.0).depths;
        only_fragment(&scene, Role::Moving).part_of
    };
    assert_eq!(on_ground(with_patch(houses(), [221, 116], OTHER)), Some(1));
    assert_eq!(on_ground(with_patch(houses(), [221, 116], GROUND)), None);
    assert_eq!(on_ground(with_patch(houses(), [156, 116], OTHER)), None);
}

/// Pixels of a house that are cut off at its edge have ground beside them.
#[test]
fn specks_at_the_edge_of_a_house_are_pieces_of_it() {
    let mut scene = houses();
    // Twigs part three pixels at the left edge of the roof from the rest of it.
    let left = (0..WIDTH).find(|x| scene.labels[120 * WIDTH + x] == THING).unwrap();
    for y in 118..123 {
        scene.labels[y * WIDTH + left + 1] = OTHER;
    }
    scene.labels[118 * WIDTH + left] = OTHER;
    scene.labels[122 * WIDTH + left] = OTHER;
    let pieces: Vec<_> = scene.lifted().fragments.iter().map(|own| (own.pixels, own.part_of)).collect();
    assert_eq!(pieces, [(3, Some(0))]);
    // The same beyond the box, on the road, are of nothing.
    for y in 119..122 {
        scene.labels[y * WIDTH + 10] = THING;
    }
    let lifted = scene.lifted();
    assert!(lifted.fragments.iter().any(|own| own.first_pixel == (119, 10) && own.part_of.is_none()));
}

#[test]
fn specks_are_fragments_in_the_order_of_their_pixels() {
    let mut scene = houses();
    for (x, y) in [(150, 30), (10, 30), (200, 5)] {
        scene.labels[y * WIDTH + x] = THING;
    }
    let found = scene.lifted().fragments;
    let firsts: Vec<_> = found.iter().map(|own| (own.first_pixel, own.pixels, own.part_of)).collect();
    assert_eq!(firsts, [((5, 200), 1, None), ((30, 10), 1, None), ((30, 150), 1, None)]);
}
