//! Properties that hold for all boxes, and cases with known areas.

mod cameras;
mod geodetic;
mod transforms;

use crate::{Box2, ImageSize, NormalisedBox};
use proptest::prelude::*;

fn sized(x: f64, y: f64, width: f64, height: f64) -> Box2 {
    Box2::new(x, y, x + width, y + height).unwrap()
}

/// Boxes on a small integer grid: overlaps, shared edges and empty boxes come up often.
fn grid_box() -> impl Strategy<Value = Box2> {
    (0..20i32, 0..20i32, 0..12i32, 0..12i32)
        .prop_map(|(x, y, w, h)| sized(f64::from(x), f64::from(y), f64::from(w), f64::from(h)))
}

/// Number of unit cells of the grid that lie in `inside` and in at least one of `boxes`.
fn cells(inside: &Box2, boxes: &[Box2]) -> usize {
    let centres = (0..40).flat_map(|x| (0..40).map(move |y| (f64::from(x) + 0.5, f64::from(y) + 0.5)));
    centres.filter(|&c| inside.contains(c) && boxes.iter().any(|b| b.contains(c))).count()
}

#[test]
fn coverage_counts_overlaps_once() {
    let own = Box2::new(0.0, 0.0, 10.0, 10.0).unwrap();
    let cross = [Box2::new(4.0, 0.0, 6.0, 10.0).unwrap(), Box2::new(0.0, 4.0, 10.0, 6.0).unwrap()];
    assert_eq!(own.covered_area(&cross), 36.0);
    assert_eq!(own.share_covered(&cross), 0.36);
    assert_eq!(own.share_covered(&[]), 0.0);
    assert_eq!(own.share_covered(&[own, own, cross[0]]), 1.0);
}

#[test]
fn empty_box_counts_by_its_centre() {
    let point = Box2::new(5.0, 5.0, 5.0, 5.0).unwrap();
    assert_eq!(point.share_inside(&Box2::new(0.0, 0.0, 10.0, 10.0).unwrap()), 1.0);
    assert_eq!(point.share_inside(&Box2::new(0.0, 0.0, 5.0, 10.0).unwrap()), 0.0);
    assert_eq!(point.iou(&point), 0.0);
}

#[test]
fn full_box_is_the_unit_box() {
    let size = ImageSize::new(1904, 1071).unwrap();
    assert_eq!(size.full_box().normalised(size), NormalisedBox::new(0.0, 0.0, 1.0, 1.0));
}

#[test]
fn image_sizes_without_pixels_are_refused() {
    for (width, height) in [(0, 5), (5, -1), (1 << 40, 5)] {
        assert!(ImageSize::new(width, height).is_err(), "{width} x {height}");
    }
}

proptest! {
    #[test]
    fn covered_area_equals_counted_cells(own in grid_box(), others in prop::collection::vec(grid_box(), 0..7)) {
        prop_assert_eq!(own.covered_area(&others), cells(&own, &others) as f64);
    }

    #[test]
    fn iou_is_symmetric_bounded_and_one_only_for_equals(a in grid_box(), b in grid_box()) {
        prop_assert_eq!(a.iou(&b), b.iou(&a));
        prop_assert!((0.0..=1.0).contains(&a.iou(&b)));
        prop_assert_eq!(a.iou(&b) == 1.0, a == b && !a.is_empty());
    }

    #[test]
    fn intersection_lies_in_both(a in grid_box(), b in grid_box()) {
        if let Some(common) = a.intersection(&b) {
            prop_assert_eq!(common.share_inside(&a), 1.0);
            prop_assert_eq!(common.share_inside(&b), 1.0);
            prop_assert!(a.meets(&b));
        }
        prop_assert_eq!(a.meets(&b), b.meets(&a));
    }

    #[test]
    fn normalise_and_back(x in 0.0..900.0f64, y in 0.0..500.0f64, w in 0.0..100.0f64, h in 0.0..40.0f64) {
        let size = ImageSize::new(1000, 540).unwrap();
        let own = sized(x, y, w, h);
        let back = own.normalised(size).unwrap().in_pixels(size);
        for (a, b) in [(own.x1(), back.x1()), (own.y1(), back.y1()), (own.x2(), back.x2()), (own.y2(), back.y2())] {
            prop_assert!((a - b).abs() < 1e-9);
        }
    }

    #[test]
    fn clamping_is_idempotent_and_stays_inside(x in -500.0..500.0f64, y in -500.0..500.0f64, w in 0.0..900.0f64) {
        let size = ImageSize::new(300, 200).unwrap();
        let clamped = sized(x, y, w, w).clamped(size);
        prop_assert_eq!(clamped.clamped(size), clamped);
        prop_assert!(clamped.normalised(size).is_ok());
    }

    #[test]
    fn quantising_moves_no_edge_by_more_than_half_a_step(x1 in 0.0..0.5f64, y1 in 0.0..0.5f64, side in 0.0..0.5f64) {
        let exact = NormalisedBox::new(x1, y1, x1 + side, y1 + side).unwrap();
        let rounded = exact.quantised();
        prop_assert_eq!(rounded.quantised(), rounded);
        prop_assert!((rounded.x1() - exact.x1()).abs() <= 0.0005 + 1e-12);
        prop_assert!((rounded.y2() - exact.y2()).abs() <= 0.0005 + 1e-12);
    }

    #[test]
    fn distance_is_zero_exactly_inside(own in grid_box(), x in 0.0..30.0f64, y in 0.0..30.0f64) {
        if own.contains((x, y)) {
            prop_assert_eq!(own.distance_to((x, y)), 0.0);
        }
        let corner = ((x - own.x1()).powi(2) + (y - own.y1()).powi(2)).sqrt();
        prop_assert!(own.distance_to((x, y)) <= corner + 1e-12);
    }
}
