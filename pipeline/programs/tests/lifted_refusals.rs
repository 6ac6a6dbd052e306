//! Each refusal of an op over places, by a scene that has it.

use super::lifted::{LiftedMaker, Thing, above, all, later, only, only_in, program, scene};
use super::make::FrameMaker;
use crate::{BearingFrame, DistanceMeasure, Expr, ExtremeBy, Measure, Program, Relation, Scene, execute};
use std::collections::BTreeSet;
use uavgen_schemas::FragmentReason;

use BearingFrame::{Camera, Compass, Heading, Image};
use DistanceMeasure::{Gap, Ground};
use Relation::{Greater, Less};

type Case = (&'static str, &'static str, Program, Scene);

fn car(at: [f64; 2]) -> Thing {
    Thing::new("c", "car", at)
}

fn bus(at: [f64; 2]) -> Thing {
    Thing::new("b", "bus", at)
}

fn van(at: [f64; 2]) -> Thing {
    Thing::new("v", "van", at)
}

/// A bus in the middle and a car 20 m east of it.
fn two() -> LiftedMaker {
    above().thing(bus([0.0, 0.0])).thing(car([20.0, 0.0]))
}

/// The same with the car changed.
fn with_car(change: impl FnOnce(Thing) -> Thing) -> Scene {
    above().thing(bus([0.0, 0.0])).thing(change(car([20.0, 0.0]))).scene()
}

fn with_small_piece() -> Scene {
    two().piece("p", Some("car"), FragmentReason::TooSmall, [100.0, 100.0, 110.0, 110.0]).scene()
}

fn sets() -> Vec<Case> {
    let tall = || all("car").most(Measure::Height, Greater).box_of();
    let nearest = || all("car").by_distance(only("bus"), Less, Gap).box_of();
    let second = || all("car").kth(ExtremeBy::Left, 2).box_of();
    let first = || all("car").kth(ExtremeBy::Left, 1).box_of();
    let twins = || two().thing(Thing::new("d", "car", [-20.0, 0.0])).scene();
    let row = || two().thing(Thing::new("d", "car", [20.0, 9.0])).scene();
    let cut = |thing: Thing| thing.truncated();
    let low = |thing: Thing| thing.upright(0.0, None);
    let within = all("bus").within(only("car"), 50.0, Ground).count();
    let between = all("bus").between(only("car"), only("car")).count();
    let on = |root: Expr| program(root);
    vec![
        ("where_within", "partly_seen", on(within), with_car(cut)),
        ("where_between", "partly_seen", on(between), with_car(cut)),
        ("where_seen_from", "no_such_frame", on(all("car").seen_from(1).count()), two().scene()),
        ("superlative", "near_tie", on(tall()), twins()),
        ("superlative", "partly_seen", on(tall()), with_car(cut)),
        ("superlative", "height_unknown", on(tall()), with_car(low)),
        ("superlative", "no_object", on(tall()), above().scene()),
        ("superlative", "touches_unknown", on(tall()), with_small_piece()),
        ("by_distance", "near_tie", on(nearest()), twins()),
        ("by_distance", "partly_seen", on(nearest()), with_car(cut)),
        ("by_distance", "height_unknown", on(nearest()), with_car(|car| car.upright(-5.0, None))),
        ("by_distance", "no_object", on(nearest()), above().thing(bus([0.0, 0.0])).scene()),
        ("by_distance", "touches_unknown", on(nearest()), with_small_piece()),
        ("kth", "near_tie", on(first()), row()),
        ("kth", "no_object", on(second()), two().scene()),
        ("kth", "touches_unknown", on(first()), with_small_piece()),
    ]
}

fn measures() -> Vec<Case> {
    let tall = || only("car").measure(Measure::Height);
    let way = || only("bus").distance(only("car"), Gap);
    let moved = || only("car").speed(only("car").in_frame(1));
    let at = |second: [f64; 2], change: fn(Thing) -> Thing| {
        let second = later().at_s(3.0).thing(change(Thing::new("c2", "car", second).object("r#c")));
        scene(&[two().at_s(1.0), second])
    };
    let compared = only("car").measure(Measure::Length).compared(Greater, only("bus").measure(Measure::Length));
    let timeless = scene(&[two(), later().thing(Thing::new("c2", "car", [30.0, 0.0]).object("r#c"))]);
    let trackless = FrameMaker::new("r/1").object("a", "car", [0.0, 0.0, 50.0, 50.0]).scene();
    let vans = scene(&[two().at_s(1.0), later().at_s(2.0).thing(van([9.0, 9.0]))]);
    let on = |root: Expr| program(root);
    vec![
        ("in_frame", "not_in_frame", on(only("car").in_frame(1).box_of()), scene(&[two(), later()])),
        ("in_frame", "no_such_frame", on(only("car").in_frame(1).box_of()), two().scene()),
        ("in_frame", "no_tracks", Program::new(only("car").in_frame(0).box_of()).unwrap(), trackless),
        ("measure_of", "partly_seen", on(tall()), with_car(|car| car.seen(0.4))),
        ("measure_of", "height_unknown", on(tall()), with_car(|car| car.upright(0.0, None))),
        ("distance", "too_close", on(way()), with_car(|car| car.sides(36.0, 2.0, 0.0))),
        ("distance", "partly_seen", on(way()), with_car(|car| car.seen(0.4))),
        ("distance", "height_unknown", on(way()), with_car(|car| car.upright(-5.0, None))),
        ("speed", "too_close", on(moved()), at([20.5, 0.0], |car| car)),
        ("speed", "partly_seen", on(moved()), at([30.0, 0.0], Thing::truncated)),
        ("speed", "times_unknown", on(moved()), timeless),
        ("speed", "not_unique", on(only("car").speed(only_in(1, "van"))), vans),
        ("compare_measures", "near_tie", on(compared), two().scene()),
    ]
}

fn directions() -> Vec<Case> {
    let to = |frame, sectors| program(only("bus").bearing(only("car"), frame, sectors));
    let at = |place| above().thing(bus([0.0, 0.0])).thing(car(place)).scene();
    // From 100 m up and 45° down to the north, what is 150 m south lies behind the camera: its depth is
    // (y + 100) / √2 < 0.
    let tilted = LiftedMaker::tilted("r/1", 0.0, 45.0).thing(car([0.0, 50.0]).boxed([480.0, 300.0, 520.0, 320.0]));
    let behind = scene(&[
        tilted,
        later().thing(Thing::new("c2", "car", [0.0, -150.0]).object("r#c").boxed([1.0, 1.0, 9.0, 9.0])),
    ]);
    let away = program(only("car").bearing(only("car").in_frame(1), Image, 8));
    let hour = || program(only("car").clock());
    let alone = |place| above().thing(car(place)).scene();
    let low = LiftedMaker::tilted("r/1", 0.0, 45.0).thing(car([0.0, 50.0]).boxed([480.0, 300.0, 520.0, 320.0]));
    vec![
        // 22.5° is the border of north and north-east; 15° is 7.5° from it.
        ("bearing", "near_tie", to(Compass, 8), at([10.0, 10.0 / 15_f64.to_radians().tan()])),
        ("bearing", "too_close", to(Compass, 8), at([0.0, 1.9])),
        ("bearing", "partly_seen", to(Compass, 8), with_car(Thing::truncated)),
        ("bearing", "heading_unknown", to(Heading, 4), two().scene()),
        ("bearing", "too_steep", to(Camera, 4), two().scene()),
        ("bearing", "place_hidden", away, behind),
        ("clock_position", "near_tie", hour(), alone([10.0, 10.0 / 15_f64.to_radians().tan()])),
        // 9 m are 45 pixels, of the 50 that are needed.
        ("clock_position", "too_close", hour(), alone([9.0, 0.0])),
        ("clock_position", "partly_seen", hour(), with_car(Thing::truncated)),
        ("clock_position", "place_hidden", hour(), low.scene()),
    ]
}

fn times() -> Vec<Case> {
    let still = || program(only("car").still_there(1));
    let then = |second: LiftedMaker| scene(&[two(), second]);
    let again = |at| Thing::new("c2", "car", at).object("r#c");
    // The footprint of the car, 18 to 22 m east and 1 m to both sides, is x 590 to 610 and y 245 to 255.
    let piece = |class| later().piece("p", Some(class), FragmentReason::TooSmall, [600.0, 250.0, 604.0, 254.0]);
    vec![
        ("surface_of", "surface_unknown", program(only("car").surface()), with_car(|car| car.on(None))),
        ("surface_of", "outside_terms", program(only("car").surface()), two().scene()),
        ("still_there", "no_such_frame", still(), two().scene()),
        ("still_there", "near_tie", still(), then(later().thing(again([21.0, 0.0])))),
        ("still_there", "place_hidden", still(), then(later().moved_to([-85.0, 0.0, 100.0]))),
        ("still_there", "place_hidden", still(), then(later().thing(bus([19.0, 0.0])))),
        ("still_there", "not_unique", still(), then(later().thing(Thing::new("x", "car", [20.0, 2.4])))),
        // Seen again, but cut off: where its middle is nobody knows.
        ("still_there", "partly_seen", still(), then(later().thing(again([20.0, 0.0]).truncated()))),
        ("still_there", "touches_unknown", still(), then(piece("car"))),
        // A piece of another class may stand before it.
        ("still_there", "touches_unknown", still(), then(piece("tree"))),
    ]
}

/// Ops with the reasons that they are shown to refuse with.
pub(super) fn refused() -> BTreeSet<(&'static str, &'static str)> {
    let cases = [sets(), measures(), directions(), times()].concat();
    for (op, reason, program, scene) in &cases {
        let refused = execute(program, scene).unwrap_err();
        assert_eq!(refused.reason.code(), *reason, "{op}: {}", program.to_canonical());
    }
    cases.into_iter().map(|(op, reason, ..)| (op, reason)).collect()
}

/// Without what makes the refusal each of these questions has an answer: the scenes differ in that alone.
#[test]
fn the_plain_scene_has_answers() {
    let said = |root| super::lifted::outcome(root, &two().scene());
    assert_eq!(said(only("car").measure(Measure::Height)), "10.0 m");
    assert_eq!(said(only("bus").distance(only("car"), Gap)), "16.0 m");
    assert_eq!(said(only("bus").bearing(only("car"), Compass, 8)), "east");
    assert_eq!(said(only("car").clock()), "3 o'clock");
    assert_eq!(said(all("car").by_distance(only("bus"), Less, Gap).measure(Measure::Length)), "4.0 m");
    assert_eq!(said(all("bus").within(only("car"), 50.0, Ground).count()), "1");
    let still = |second| super::lifted::outcome(only("car").still_there(1), &scene(&[two(), second]));
    assert_eq!(still(later()), "no");
    assert_eq!(still(later().thing(Thing::new("c2", "car", [20.2, 0.0]).object("r#c"))), "yes");
}
