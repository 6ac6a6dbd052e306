//! Ops over places, on scenes whose truth is arithmetic.

use super::lifted::{LiftedMaker, Thing, above, all, later, members, number, only, only_in, outcome, run, scene};
use crate::{BearingFrame, DistanceMeasure, Expr, ExtremeBy, Measure, Relation, Scene};
use uavgen_schemas::FragmentReason;

use BearingFrame::{Camera, Clock, Compass, Heading, Image};
use DistanceMeasure::{Centre, Gap, Ground};
use Relation::{Greater, Less};

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

fn car(id: &str, at: [f64; 2]) -> Thing {
    Thing::new(id, "car", at)
}

fn bus(at: [f64; 2]) -> Thing {
    Thing::new("bus", "bus", at)
}

#[test]
fn measures_are_those_of_the_record() {
    let tower = Thing::new("t", "tower", [30.0, 0.0]).sides(12.0, 5.0, 70.0).upright(3.0, Some(40.0));
    let scene = above().thing(tower.with(|row| (row.height_m, row.distance_m) = (Some(41.5), 67.0))).scene();
    let of = |measure| number(only("tower").measure(measure), &scene);
    // The height is that above the local ground, which is not the base of the box here.
    let found = [Measure::Height, Measure::Length, Measure::Footprint, Measure::DistanceToCamera].map(of);
    assert_eq!(found, [41.5, 12.0, 60.0, 67.0]);
    // The nearest visible point is seen, whatever else is cut off.
    let cut = above().thing(Thing::new("t", "tower", [0.0, 0.0]).truncated()).scene();
    near(number(only("tower").measure(Measure::DistanceToCamera), &cut), 90.0);
}

#[test]
fn what_is_hidden_by_just_the_share_is_measured() {
    let length =
        |share| outcome(only("car").measure(Measure::Length), &above().thing(car("a", [0.0; 2]).seen(share)).scene());
    assert_eq!([length(0.5), length(0.499)], ["4.0 m", "partly_seen"]);
    let by_rays = above().thing(car("a", [0.0; 2]).with(|row| row.visibility = None)).scene();
    assert_eq!(outcome(only("car").measure(Measure::Length), &by_rays), "4.0 m");
}

#[test]
fn distances_by_pythagoras() {
    // Centres 30 m east and 40 m north of each other; the bus stands 24 m higher and is 10 m high as well.
    let scene = above().thing(car("a", [0.0, -20.0])).thing(bus([30.0, 20.0]).upright(24.0, Some(10.0))).scene();
    let from = |measure| number(only("car").distance(only("bus"), measure), &scene);
    near(from(Ground), 50.0);
    near(from(Centre), (50.0_f64 * 50.0 + 24.0 * 24.0).sqrt());
    // Between the boxes: 30 - 4 east, 40 - 2 north, 24 - 10 up.
    near(from(Gap), (26.0_f64 * 26.0 + 38.0 * 38.0 + 14.0 * 14.0).sqrt());
    for measure in DistanceMeasure::ALL {
        near(number(only("bus").distance(only("car"), measure), &scene), from(measure));
    }
}

#[test]
fn a_gap_needs_the_top_of_the_lower_one_alone() {
    let gap = |car_height, bus_base, bus_height| {
        let car = car("a", [0.0, 0.0]).upright(0.0, car_height);
        let scene = above().thing(car).thing(bus([30.0, 0.0]).upright(bus_base, bus_height)).scene();
        outcome(only("car").distance(only("bus"), Gap), &scene)
    };
    assert_eq!(gap(None, 0.0, None), "26.0 m", "on one level tops do not matter");
    assert_eq!(gap(Some(10.0), 5.0, None), "26.0 m", "the top of the higher one does not matter");
    assert_eq!(gap(None, 5.0, Some(1.0)), "height_unknown", "how far the lower one reaches up does");
    let unknown = above().thing(car("a", [0.0, 0.0]).upright(0.0, None)).thing(bus([30.0, 0.0])).scene();
    assert_eq!(outcome(only("car").distance(only("bus"), Centre), &unknown), "height_unknown");
    assert_eq!(outcome(only("car").distance(only("bus"), Ground), &unknown), "30.0 m");
}

#[test]
fn limits_of_measures_from_both_sides() {
    // A margin of half a metre, and of a twentieth of what is longer: 0.5 m below 10 m.
    let tall = |height, relation| {
        let scene = above().thing(car("a", [0.0, 0.0]).upright(0.0, Some(height))).scene();
        outcome(all("car").where_measure(Measure::Height, relation, 5.0).count(), &scene)
    };
    assert_eq!([5.5, 5.49, 4.51, 4.5].map(|height| tall(height, Greater)), ["1", "near_tie", "near_tie", "0"]);
    assert_eq!([5.5, 4.5].map(|height| tall(height, Less)), ["0", "1"]);
    let wide = |length| {
        let scene = above().thing(car("a", [0.0, 0.0]).sides(length, 2.0, 0.0)).scene();
        outcome(all("car").where_measure(Measure::Length, Greater, 38.0).count(), &scene)
    };
    // 2 m are a twentieth of 40 m; of 39.9 m it is 1.995 m.
    assert_eq!([wide(40.0), wide(39.9)], ["1", "near_tie"]);
}

#[test]
fn sets_narrow_by_what_is_certain() {
    let row = above()
        .thing(bus([0.0, 0.0]))
        .thing(car("near", [10.0, 0.0]))
        .thing(car("far", [60.0, 0.0]).on(Some("grass")))
        .thing(car("cut", [95.0, 0.0]).truncated().on(None))
        .scene();
    let set = |set| members(set, &row);
    assert_eq!(set(all("car").whole()).unwrap(), ["far", "near"]);
    // Besides the members, answers rest on the objects that these are measured from.
    assert_eq!(set(all("car").whole().within(only("bus"), 20.0, Ground)).unwrap(), ["bus", "near"]);
    assert_eq!(set(all("car").within(only("bus"), 20.0, Ground)), Err("partly_seen"));
    assert_eq!(set(all("car").whole().standing_on("grass")).unwrap(), ["far"]);
    assert_eq!(set(all("car").standing_on("grass")), Err("surface_unknown"));
    assert_eq!(outcome(all("car").standing_on("grass").exists(), &row), "yes");
    // The object in the middle is no member.
    assert_eq!(outcome(Expr::objects(0).whole().within(only("bus"), 20.0, Ground).count(), &row), "1");
}

#[test]
fn a_distance_to_a_limit_from_both_sides() {
    let count = |east| {
        let scene = above().thing(bus([0.0, 0.0])).thing(car("a", [east, 0.0])).scene();
        outcome(all("car").within(only("bus"), 8.0, Ground).count(), &scene)
    };
    assert_eq!([7.5, 7.6, 8.4, 8.5].map(count), ["1", "near_tie", "near_tie", "0"]);
}

#[test]
fn between_is_across_the_straight_line() {
    // From a bus 40 m west to a van 40 m east; cars are 2 m across the line.
    let found = |north: f64, at: f64| {
        let ends = above().thing(bus([-40.0, 0.0])).thing(Thing::new("v", "van", [40.0, 0.0]));
        let scene = ends.thing(car("a", [at, north])).scene();
        outcome(all("car").between(only("bus"), only("van")).count(), &scene)
    };
    // The line must reach half a metre into the footprint, which ends 1 m from its middle, or stay as far off.
    assert_eq!([0.0, 0.49, 0.6, 1.4, 1.51].map(|north| found(north, 5.0)), ["1", "1", "near_tie", "near_tie", "0"]);
    assert_eq!(found(0.0, 55.0), "0", "on the line, but beyond its end");
    assert_eq!(found(0.0, 37.0), "near_tie", "its footprint reaches into that of the van");
    assert_eq!(found(0.0, 35.9), "1");
    assert_eq!(found(0.0, -46.0), "0");
}

#[test]
fn the_furthest_ahead_leads_by_the_margin() {
    let tallest = |second: f64, relation| {
        let first = car("a", [0.0, 0.0]).upright(0.0, Some(20.0));
        let scene = above().thing(first).thing(car("b", [20.0, 0.0]).upright(0.0, Some(second))).scene();
        match run(all("car").most(Measure::Height, relation).box_of(), &scene) {
            Ok(answer) => answer.facts.objects[0].clone(),
            Err(undefined) => undefined.reason.code().to_owned(),
        }
    };
    // A twentieth of 20 m.
    assert_eq!([19.0, 19.1].map(|second| tallest(second, Greater)), ["a", "near_tie"]);
    assert_eq!([19.0, 19.1].map(|second| tallest(second, Less)), ["b", "near_tie"]);
}

#[test]
fn the_nearest_and_farthest_are_measured_from_the_object() {
    let row = above().thing(bus([-50.0, 0.0])).thing(car("a", [0.0, 0.0])).thing(car("b", [30.0, 0.0])).scene();
    let chosen =
        |relation| run(Expr::objects(0).by_distance(only("bus"), relation, Ground).box_of(), &row).unwrap().facts;
    assert!(chosen(Less).objects.contains(&"a".to_owned()));
    assert!(chosen(Greater).objects.contains(&"b".to_owned()));
    let values = chosen(Less).values;
    assert_eq!((values["root.of[a]"].as_f64(), values["root.of[b]"].as_f64()), (Some(50.0), Some(80.0)));
}

#[test]
fn the_same_object_on_another_frame_is_no_candidate() {
    let second =
        later().thing(Thing::new("bus2", "bus", [1.0, 0.0]).object("r#bus")).thing(Thing::new("o", "bus", [30.0, 0.0]));
    let scene = scene(&[above().thing(bus([0.0, 0.0])), second]);
    let others = Expr::objects(1).where_category(["bus"]);
    assert_eq!(members(others.clone().within(only("bus"), 50.0, Ground), &scene).unwrap(), ["bus", "o"]);
    assert_eq!(outcome(others.by_distance(only("bus"), Less, Ground).distance(only("bus"), Ground), &scene), "30.0 m");
}

#[test]
fn places_in_a_row() {
    let row = [-60.0, -20.0, 20.0].iter().zip(["a", "b", "c"]);
    let row = row.fold(above(), |frame, (east, id)| frame.thing(car(id, [*east, 0.0])));
    let chosen = |along, position, frame: &LiftedMaker| {
        let found = run(all("car").kth(along, position).box_of(), &frame.scene());
        found.map_or_else(|undefined| undefined.reason.code().to_owned(), |answer| answer.facts.objects[0].clone())
    };
    let order = [1, 2, 3, 4].map(|position| chosen(ExtremeBy::Left, position, &row));
    assert_eq!(order, ["a", "b", "c", "no_object"]);
    assert_eq!(chosen(ExtremeBy::Right, 1, &row), "c");
    // Centres lie at 200, 400 and 600 px. A piece before the second changes its place, one behind it does not.
    let piece = |x| row.clone().piece("p", None, FragmentReason::TooThin, [x, 0.0, x + 10.0, 9.0]);
    assert_eq!(chosen(ExtremeBy::Left, 2, &piece(100.0)), "touches_unknown");
    assert_eq!(chosen(ExtremeBy::Left, 2, &piece(440.0)), "touches_unknown", "within 50 px");
    assert_eq!(chosen(ExtremeBy::Left, 2, &piece(460.0)), "b");
}

#[test]
fn pieces_of_masks_block_what_they_could_change() {
    let cars = || above().thing(car("a", [0.0, 0.0]));
    let count = |frame: LiftedMaker, set: Expr| outcome(set.count(), &frame.scene());
    let (inner, border) = ([100.0, 100.0, 110.0, 110.0], [0.0, 100.0, 10.0, 110.0]);
    let piece = |class, reason, edges| cars().piece("p", class, reason, edges);
    let (small, loose) = (FragmentReason::TooSmall, FragmentReason::LooseRegion);
    assert_eq!(count(piece(Some("car"), small, inner), all("car")), "touches_unknown");
    assert_eq!(count(piece(None, FragmentReason::UnknownClass, inner), all("car")), "touches_unknown");
    assert_eq!(count(piece(Some("bus"), small, inner), all("car")), "1");
    let mut part = piece(Some("car"), small, inner);
    part.fragments[0].part_of = Some("a".into());
    assert_eq!(count(part, all("car")), "1", "a piece of a known object is no other one");
    // What the border cuts off is no whole object, but an area may hold one besides.
    assert_eq!(count(piece(Some("car"), small, border), all("car").whole()), "1");
    assert_eq!(count(piece(Some("car"), small, inner), all("car").whole()), "touches_unknown");
    assert_eq!(count(piece(Some("car"), loose, border), all("car").whole()), "touches_unknown");
}

/// Where a car lies from a bus in the middle, by frame of reference and number of sectors.
fn toward(frame: &LiftedMaker, at: [f64; 2], by: BearingFrame, sectors: u32) -> String {
    let scene = frame.clone().thing(bus([0.0, 0.0]).heading(120.0)).thing(car("a", at)).scene();
    outcome(only("bus").bearing(only("car"), by, sectors), &scene)
}

/// 30 m away at an azimuth in degrees.
fn at(azimuth: f64) -> [f64; 2] {
    [30.0 * azimuth.to_radians().sin(), 30.0 * azimuth.to_radians().cos()]
}

#[test]
fn directions_over_the_ground() {
    let names = ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"];
    for (sector, name) in names.into_iter().enumerate() {
        // A sector of 45° less 10° on both sides.
        for off in [-12.0, 0.0, 12.0] {
            assert_eq!(toward(&above(), at(45.0 * sector as f64 + off), Compass, 8), name);
        }
        assert_eq!(toward(&above(), at(45.0 * sector as f64 + 13.0), Compass, 8), "near_tie");
        assert_eq!(toward(&above(), at(45.0 * sector as f64 - 13.0), Compass, 8), "near_tie");
    }
    // The bus heads for 120°.
    let words = ["in front of it", "to its right", "behind it", "to its left"];
    for (quarter, word) in words.into_iter().enumerate() {
        assert_eq!(toward(&above(), at(120.0 + 90.0 * quarter as f64 + 34.0), Heading, 4), word);
        assert_eq!(toward(&above(), at(120.0 + 90.0 * quarter as f64 + 36.0), Heading, 4), "near_tie");
    }
    assert_eq!(toward(&above(), at(120.0 - 45.0), Heading, 8), "in front of it, to its left");
}

#[test]
fn directions_in_the_image_turn_with_the_camera() {
    let turned = LiftedMaker::nadir("r/1", 37.0);
    // What lies at 37° is at the top.
    assert_eq!(toward(&turned, at(37.0), Image, 8), "top");
    assert_eq!(toward(&turned, at(127.0), Image, 4), "right");
    assert_eq!(toward(&turned, at(37.0 - 45.0), Image, 8), "top left");
    assert_eq!(toward(&turned, at(37.0 + 4.0), Clock, 12), "12 o'clock");
    assert_eq!(toward(&turned, at(37.0 + 6.0), Clock, 12), "near_tie");
    assert_eq!(toward(&turned, at(37.0 + 150.0), Clock, 12), "5 o'clock");
    assert_eq!(toward(&turned, at(30.0), Compass, 4), "north");
    let hour = |azimuth| outcome(only("car").clock(), &turned.clone().thing(car("a", at(azimuth))).scene());
    assert_eq!([hour(37.0), hour(37.0 + 240.0)], ["12 o'clock", "8 o'clock"]);
}

#[test]
fn directions_as_a_tilted_camera_looks() {
    // It looks 45° down towards an azimuth of 50°.
    let tilted = LiftedMaker::tilted("r/1", 50.0, 45.0);
    let toward = |azimuth, by, sectors| {
        let [bus, car] = [
            bus([0.0, 0.0]).boxed([480.0, 240.0, 500.0, 250.0]),
            car("a", at(azimuth)).boxed([600.0, 240.0, 620.0, 250.0]),
        ];
        outcome(only("bus").bearing(only("car"), by, sectors), &tilted.clone().thing(bus).thing(car).scene())
    };
    let words = ["farther from the camera", "to the right", "closer to the camera", "to the left"];
    for (quarter, word) in words.into_iter().enumerate() {
        assert_eq!(toward(50.0 + 90.0 * quarter as f64, Camera, 4), word);
    }
    assert_eq!(toward(50.0, Image, 4), "right", "between the boxes, wherever the objects are");
    // 20° from straight down is needed.
    let steep = |tilt| {
        let frame = LiftedMaker::tilted("r/1", 0.0, tilt).thing(bus([0.0, 0.0])).thing(car("a", [0.0, 30.0]));
        outcome(only("bus").bearing(only("car"), Camera, 4), &frame.scene())
    };
    assert_eq!([steep(19.9), steep(20.1)], ["too_steep", "farther from the camera"]);
}

#[test]
fn a_direction_needs_distance() {
    let toward = |at, by| toward(&above(), at, by, 8);
    // 5 % of 1000 px are 50 px: 10 m. On the ground 2 m, and no centre within the other footprint.
    assert_eq!([toward([0.0, 10.1], Image), toward([0.0, 9.9], Image)], ["top", "too_close"]);
    assert_eq!([toward([0.0, 2.1], Compass), toward([0.0, 1.99], Compass)], ["north", "too_close"]);
    let within = above().thing(bus([0.0, 0.0]).sides(30.0, 30.0, 0.0)).thing(car("a", [14.0, 0.0])).scene();
    assert_eq!(outcome(only("bus").bearing(only("car"), Compass, 8), &within), "too_close");
    assert_eq!(outcome(only("bus").bearing(only("car"), Image, 8), &within), "too_close");
}

/// A car that goes 30 m east and 40 m north in 4 seconds, as seen by a camera whose top is at 37°.
fn going() -> Scene {
    let first = LiftedMaker::nadir("r/1", 37.0).at_s(2.0).thing(car("a", [-15.0, -20.0]).heading(90.0));
    let second = Thing::new("a2", "car", [15.0, 20.0]).object("r#a");
    scene(&[first, later().at_s(6.0).moved_to([5.0, 5.0, 100.0]).thing(second)])
}

#[test]
fn ways_of_one_object_over_two_frames() {
    let (then, now) = (only("car"), only("car").in_frame(1));
    near(number(then.clone().distance(now.clone(), Ground), &going()), 50.0);
    near(number(then.clone().speed(now.clone()), &going()), 12.5);
    assert_eq!(outcome(now.clone().speed(then.clone()), &going()), "times_unknown");
    // atan2(30, 40) = 36.87°: north-east, straight up in the first image, and 53° left of where it points.
    let toward = |by, sectors| outcome(then.clone().bearing(now.clone(), by, sectors), &going());
    assert_eq!([toward(Compass, 8), toward(Image, 8)], ["north-east", "top"]);
    assert_eq!(toward(Heading, 8), "in front of it, to its left");
    assert_eq!(
        outcome(only("car").in_frame(1).area_share(), &going()),
        outcome(only_in(1, "car").area_share(), &going())
    );
}

#[test]
fn ground_that_another_frame_shows() {
    // The second camera stands 100 m east: it shows what lies between 0 and 200 m east, and surely from 10 m on (50 px).
    let shown = |east, change: fn(Thing) -> Thing| {
        let first = above().thing(change(car("a", [east, 0.0])));
        let scene = scene(&[first, later().moved_to([100.0, 0.0, 100.0])]);
        outcome(all("car").seen_from(1).count(), &scene)
    };
    assert_eq!(
        [10.1, 9.9, -9.9, -10.1].map(|east| shown(east, |car| car)),
        ["1", "straddles_region", "straddles_region", "0"]
    );
    // What lies beyond the border of the first image may well be seen in the second.
    assert_eq!(shown(-50.0, Thing::truncated), "partly_seen");
}

#[test]
fn still_there_or_gone() {
    let still = |second: LiftedMaker| {
        outcome(only("car").still_there(1), &scene(&[above().thing(car("a", [0.0, 0.0])), second]))
    };
    let again = |east| later().thing(car("a2", [east, 0.0]).object("r#a"));
    // Half of half a metre; and its own length, 4 m.
    assert_eq!([0.25, 0.26, 3.9, 4.0].map(|east| still(again(east))), ["yes", "near_tie", "near_tie", "no"]);
    assert_eq!(still(later()), "no", "the place is empty");
    // Another car: 2.4 m away its footprint is 0.4 m off, 2.6 m away 0.6 m.
    assert_eq!(still(later().thing(car("x", [0.0, 2.4]))), "not_unique");
    assert_eq!(still(later().thing(car("x", [0.0, 2.6]))), "no");
    assert_eq!(still(later().thing(bus([1.0, 0.0]))), "place_hidden");
    // The place is x 490 to 510 and y 245 to 255.
    let piece = |x| later().piece("p", Some("tree"), FragmentReason::NoDepth, [x, 240.0, x + 20.0, 260.0]);
    assert_eq!([still(piece(500.0)), still(piece(511.0))], ["touches_unknown", "no"]);
    // From 99 m east the frame ends 1 m west of the middle, and the car reaches 2 m.
    assert_eq!(still(later().moved_to([99.0, 0.0, 100.0])), "place_hidden");
    assert_eq!(still(later().moved_to([97.0, 0.0, 100.0])), "no");
}
