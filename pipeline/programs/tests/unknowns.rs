//! The blocking rule, case by case: an unknown blocks exactly what it could change.

use super::make::{FrameMaker, buses, cars, outcome, run, scene, street, terms};
use crate::{Area, AreaName, Expr, ExtremeBy, Relation};
use uavgen_schemas::RegionKind;

const CORNER: [f64; 4] = [900.0, 0.0, 960.0, 40.0];

fn left_cars() -> Expr {
    cars().where_region(Area::named(AreaName::LeftHalf).unwrap())
}

#[test]
fn a_dropped_box_blocks_the_categories_that_it_may_be() {
    let van = street().dropped("u", &["van"], None, CORNER).scene();
    assert_eq!(outcome(cars().count(), &van), "3");
    let either = street().dropped("u", &["car", "van"], None, CORNER).scene();
    assert_eq!(outcome(cars().count(), &either), "touches_unknown");
    let anything = street().dropped("u", &[], None, CORNER).scene();
    assert_eq!(outcome(cars().count(), &anything), "touches_unknown");
    assert_eq!(outcome(Expr::objects(0).count(), &van), "touches_unknown");
}

#[test]
fn an_unknown_elsewhere_does_not_block_an_area() {
    let frame = street().dropped("u", &["car"], None, CORNER);
    assert_eq!(outcome(left_cars().count(), &frame.scene()), "2");
    let across = street().ignored("i", [499.0, 0.0, 600.0, 500.0]);
    assert_eq!(outcome(left_cars().count(), &across.scene()), "touches_unknown");
    let touching = street().ignored("i", [500.0, 0.0, 600.0, 500.0]);
    assert_eq!(outcome(left_cars().count(), &touching.scene()), "2");
}

#[test]
fn a_dropped_box_without_area_still_marks_a_place() {
    let on_border = street().dropped("u", &["car"], None, [500.0, 10.0, 500.0, 10.0]);
    assert_eq!(outcome(left_cars().count(), &on_border.scene()), "touches_unknown");
    let outside = street().dropped("u", &["car"], None, [501.0, 10.0, 501.0, 10.0]);
    assert_eq!(outcome(left_cars().count(), &outside.scene()), "2");
}

#[test]
fn yes_survives_and_no_does_not() {
    let frame = street().ignored("i", CORNER).scene();
    assert_eq!(outcome(buses().exists(), &frame), "yes");
    assert_eq!(outcome(Expr::objects(0).where_category(["truck"]).exists(), &frame), "touches_unknown");
    assert_eq!(outcome(Expr::objects(0).present_terms(terms(&["bus", "car", "person"])), &frame), "bus; car; person");
}

#[test]
fn objects_of_no_category_block_vehicles_only() {
    let frame = street().others("o", CORNER).scene();
    assert_eq!(outcome(cars().count(), &frame), "3");
    let vehicles = Expr::objects(0).where_category(terms(&["vehicle"])[0].any_of.clone());
    assert_eq!(outcome(vehicles.count(), &frame), "touches_unknown");
}

#[test]
fn an_object_of_unknown_category_blocks_every_category() {
    let frame = street().unknown_object("u", CORNER).scene();
    assert_eq!(outcome(cars().count(), &frame), "touches_unknown");
    assert_eq!(outcome(Expr::objects(0).where_category(["truck"]).exists(), &frame), "touches_unknown");
    assert_eq!(outcome(buses().unique().box_of(), &frame), "touches_unknown");
    assert_eq!(outcome(buses().exists(), &frame), "yes");
    assert_eq!(outcome(left_cars().count(), &frame), "2");
    // It is one object: three cars stay ahead of at most two buses.
    assert_eq!(outcome(cars().count().compare(Relation::Greater, buses().count()), &frame), "yes");
}

#[test]
fn a_frame_without_labels_is_unknown_and_not_empty() {
    let frame = FrameMaker::new("r/1").unlabelled().scene();
    assert_eq!(outcome(cars().count(), &frame), "touches_unknown");
    assert_eq!(outcome(cars().exists(), &frame), "touches_unknown");
    assert_eq!(outcome(left_cars().count(), &frame), "touches_unknown");
    let empty = FrameMaker::new("r/1").scene();
    assert_eq!(outcome(cars().count(), &empty), "0");
    assert_eq!(outcome(cars().exists(), &empty), "no");
}

#[test]
fn a_flipping_object_blocks_what_tells_its_categories_apart() {
    let frame = street().flipped("x", "van", "car", CORNER).scene();
    assert_eq!(outcome(cars().count(), &frame), "touches_unknown");
    assert_eq!(outcome(Expr::objects(0).where_category(["van"]).exists(), &frame), "touches_unknown");
    assert_eq!(outcome(Expr::objects(0).where_category(["car", "van"]).count(), &frame), "4");
    assert_eq!(outcome(buses().count(), &frame), "1");
}

#[test]
fn comparisons_survive_what_cannot_change_them() {
    // Three cars against at most two buses.
    let one_more = street().dropped("u", &["bus"], None, CORNER).scene();
    assert_eq!(outcome(cars().count().compare(Relation::Greater, buses().count()), &one_more), "yes");
    assert_eq!(outcome(Expr::objects(0).most_numerous(terms(&["bus", "car"])), &one_more), "car");
    assert_eq!(outcome(Expr::objects(0).fewest(terms(&["bus", "car"])), &one_more), "bus");
    // An ignored region may hold any number of buses.
    let area = street().ignored("i", CORNER).scene();
    assert_eq!(outcome(cars().count().compare(Relation::Greater, buses().count()), &area), "touches_unknown");
    assert_eq!(outcome(Expr::objects(0).most_numerous(terms(&["bus", "car"])), &area), "touches_unknown");
}

#[test]
fn an_extreme_survives_unknowns_behind_it() {
    let right = street().ignored("i", CORNER).scene();
    let chosen = |by, scene: &_| {
        run(cars().extreme(by).box_of(), scene).map_or_else(|u| u.reason.code().into(), |a| a.facts.objects.join(","))
    };
    assert_eq!(chosen(ExtremeBy::Left, &right), "a");
    assert_eq!(chosen(ExtremeBy::Right, &right), "touches_unknown");
    assert_eq!(chosen(ExtremeBy::Top, &right), "touches_unknown");
    assert_eq!(chosen(ExtremeBy::Bottom, &right), "c");
    // The region of 60 x 40 cannot hold anything as large as car c, but anything small.
    assert_eq!(chosen(ExtremeBy::Largest, &right), "c");
    assert_eq!(chosen(ExtremeBy::Smallest, &right), "touches_unknown");
    assert_eq!(chosen(ExtremeBy::NearestToCentre, &right), "b");
    // A region larger than every car may hold a smaller one.
    let large = street().ignored("i", [600.0, 0.0, 1000.0, 290.0]).scene();
    assert_eq!(chosen(ExtremeBy::Smallest, &large), "touches_unknown");
    assert_eq!(chosen(ExtremeBy::Largest, &large), "touches_unknown");
    // Within the margin counts as could be: the nearest edge is 40 px right of the winner's centre at 150.
    let close = street().ignored("i", [190.0, 0.0, 250.0, 20.0]).scene();
    assert_eq!(chosen(ExtremeBy::Left, &close), "touches_unknown");
    let far = street().ignored("i", [200.0, 0.0, 250.0, 20.0]).scene();
    assert_eq!(chosen(ExtremeBy::Left, &far), "a");
    // A dropped box has a known size.
    let dropped = street().dropped("u", &["car"], None, [900.0, 0.0, 1000.0, 100.0]).scene();
    assert_eq!(chosen(ExtremeBy::Smallest, &dropped), "a");
}

/// One car in a track on the first frame; the second frame as given.
fn tracked(second: FrameMaker) -> String {
    let first = FrameMaker::new("r/1").tracked("1#1", "car", "r#1", [0.0, 0.0, 50.0, 50.0]);
    let each = Expr::frame_objects().where_category(["car"]);
    outcome(Expr::count_tracks([0, 1], each), &scene(&[first, second]))
}

#[test]
fn tracks_survive_unknowns_of_counted_tracks() {
    let second = || FrameMaker::new("r/2");
    assert_eq!(tracked(second().dropped("2#1", &["car"], Some("r#1"), [0.0, 0.0, 5.0, 5.0])), "1");
    assert_eq!(tracked(second().dropped("2#2", &["car"], Some("r#2"), [0.0, 0.0, 5.0, 5.0])), "touches_unknown");
    assert_eq!(tracked(second().dropped("2#2", &["bus"], Some("r#2"), [0.0, 0.0, 5.0, 5.0])), "1");
    assert_eq!(tracked(second().dropped("2#r1", &["car"], None, [0.0, 0.0, 5.0, 5.0])), "touches_unknown");
    assert_eq!(tracked(second().ignored("i", CORNER)), "touches_unknown");
    assert_eq!(tracked(second().others("o", CORNER)), "1");
    assert_eq!(tracked(second().unknown_object("o", CORNER)), "touches_unknown");
    let region = |kind, track| tracked(second().tracked_region("o", kind, Some(track), CORNER));
    assert_eq!(region(RegionKind::UnknownObject, "r#1"), "1");
    assert_eq!(region(RegionKind::UnknownObject, "r#2"), "touches_unknown");
    assert_eq!(region(RegionKind::Ignored, "r#1"), "touches_unknown", "an area hides more than its own track");
    assert_eq!(tracked(second().unlabelled()), "touches_unknown");
}
