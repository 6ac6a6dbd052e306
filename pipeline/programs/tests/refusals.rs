//! Every reason to refuse, one case each, with the value and limit that decided.

use super::make::{FrameMaker, buses, cars, outcome, run, scene, street, terms};
use crate::{Area, AreaName, BoxEdges, CountMargin, Expr, ExtremeBy, ExtremeMargin, Reason, Relation, Undefined};

fn refusal(expr: Expr, frame: &FrameMaker) -> Undefined {
    run(expr, &frame.scene()).unwrap_err()
}

fn left() -> Area {
    Area::named(AreaName::LeftHalf).unwrap()
}

#[test]
fn not_unique() {
    let refused = refusal(cars().unique().box_of(), &street());
    assert_eq!((refused.reason, refused.path.as_str()), (Reason::NotUnique, "root.of"));
    assert_eq!((refused.ids.as_slice(), refused.value), (["a", "b", "c"].map(String::from).as_slice(), Some(3.0)));
    assert_eq!(refused.to_string(), "answer at `root.of`: not_unique (a, b, c)");
}

#[test]
fn a_box_with_a_rival_is_not_unique() {
    // A rider's box overlaps the one of the motorcycle: IoU 0.6.
    let ride = FrameMaker::new("r/1").object("m", "motor", [100.0, 100.0, 150.0, 150.0]).object(
        "p",
        "people",
        [100.0, 100.0, 150.0, 130.0],
    );
    let at = Expr::object_at(0, BoxEdges::new(0.1, 0.2, 0.15, 0.3)).category_of(terms(&["motorcycle", "person"]));
    assert_eq!(refusal(at, &ride).reason, Reason::NotUnique);
}

#[test]
fn a_box_that_shows_a_second_object_is_not_unique_however_small_the_iou() {
    // A rider within the box of a motorcycle that is much larger: the IoU is 0.125, and the box shows both.
    let at = || {
        Expr::object_at(0, BoxEdges::new(0.1, 0.2, 0.125, 0.25)).category_of(terms(&["bus", "car", "person", "truck"]))
    };
    let rider = |frame: FrameMaker| frame.object("p", "people", [100.0, 100.0, 125.0, 125.0]);
    let near = |edges: [f64; 4]| rider(FrameMaker::new("r/1").object("m", "motor", edges));
    assert_eq!(refusal(at(), &near([90.0, 90.0, 190.0, 140.0])).reason, Reason::NotUnique);
    // 30 % of the box are too much, 28 % are not.
    assert_eq!(refusal(at(), &near([117.5, 100.0, 190.0, 140.0])).reason, Reason::NotUnique);
    assert_eq!(outcome(at(), &near([118.0, 100.0, 190.0, 140.0]).scene()), "person");
    let dropped = rider(FrameMaker::new("r/1")).dropped("x", &["bus"], None, [90.0, 90.0, 190.0, 140.0]);
    assert_eq!(refusal(at(), &dropped).reason, Reason::TouchesUnknown);
}

#[test]
fn no_object() {
    let trucks = || Expr::objects(0).where_category(["truck"]);
    assert_eq!(refusal(trucks().unique().box_of(), &street()).reason, Reason::NoObject);
    assert_eq!(refusal(trucks().extreme(ExtremeBy::Left).box_of(), &street()).reason, Reason::NoObject);
    assert_eq!(
        refusal(Expr::object_at(0, BoxEdges::new(0.0, 0.0, 0.1, 0.1)).box_of(), &street()).reason,
        Reason::NoObject
    );
    // Half a box is not the box: IoU 0.5.
    let half = BoxEdges::new(0.48, 0.44, 0.52, 0.54);
    assert_eq!(refusal(Expr::object_at(0, half).box_of(), &street()).reason, Reason::NoObject);
}

#[test]
fn touches_unknown() {
    let frame = street().dropped("u", &["bus", "truck"], None, [10.0, 10.0, 14.0, 14.0]);
    let refused = refusal(buses().count(), &frame);
    assert_eq!((refused.reason, refused.ids.as_slice()), (Reason::TouchesUnknown, ["u".to_owned()].as_slice()));
    assert_eq!(refusal(buses().unique().box_of(), &frame).reason, Reason::TouchesUnknown);
    assert_eq!(refusal(buses().boxes_of(), &frame).reason, Reason::TouchesUnknown);
    assert_eq!(refusal(Expr::objects(0).where_category(["truck"]).exists(), &frame).reason, Reason::TouchesUnknown);
    assert_eq!(
        refusal(Expr::objects(0).where_category(["truck"]).unique().box_of(), &frame).reason,
        Reason::TouchesUnknown
    );
    let trucks = Expr::objects(0).where_category(["truck"]);
    assert_eq!(refusal(trucks.extreme(ExtremeBy::Left).box_of(), &frame).reason, Reason::TouchesUnknown);
    let among = terms(&["bus", "car", "truck"]);
    assert_eq!(refusal(Expr::objects(0).present_terms(among.clone()), &frame).reason, Reason::TouchesUnknown);
    assert_eq!(refusal(Expr::objects(0).fewest(among), &frame).reason, Reason::TouchesUnknown);
    assert_eq!(refusal(cars().count().difference(buses().count()), &frame).reason, Reason::TouchesUnknown);
    // Two unknown buses could make it three against three.
    let twice = frame.dropped("v", &["bus"], None, [20.0, 10.0, 24.0, 14.0]);
    let more = cars().count().compare(Relation::Greater, buses().count());
    assert_eq!(refusal(more, &twice).reason, Reason::TouchesUnknown);
}

#[test]
fn an_unknown_on_the_box_touches() {
    let frame = street().dropped("u", &[], None, [481.0, 221.0, 561.0, 271.0]);
    let at = Expr::object_at(0, BoxEdges::new(0.48, 0.44, 0.56, 0.54)).box_of();
    assert_eq!(refusal(at, &frame).reason, Reason::TouchesUnknown);
}

#[test]
fn straddles_region() {
    let frame = street().object("s", "car", [490.0, 0.0, 510.0, 10.0]);
    let refused = refusal(cars().where_region(left()).count(), &frame);
    assert_eq!((refused.reason, refused.ids.as_slice()), (Reason::StraddlesRegion, ["s".to_owned()].as_slice()));
    assert_eq!(refused.path, "root");
    // Of another class it is no obstacle, when the class is chosen first.
    assert_eq!(
        outcome(buses().where_region(Area::named(AreaName::RightHalf).unwrap()).count(), &frame.scene()),
        "straddles_region"
    );
    assert_eq!(outcome(Expr::objects(0).where_category(["people"]).where_region(left()).count(), &frame.scene()), "0");
    // Something unknown beside it is the graver reason.
    let unknown = frame.dropped("u", &["car"], None, [0.0, 0.0, 9.0, 9.0]);
    assert_eq!(refusal(cars().where_region(left()).count(), &unknown).reason, Reason::TouchesUnknown);
}

#[test]
fn an_object_on_a_border_blocks_only_what_hangs_on_it() {
    // Three cars are surely on the left and one may be; of the two buses one may be, the other is on the right.
    let frame = (0..3)
        .fold(FrameMaker::new("r/1"), |frame, n| {
            frame.object(&format!("c{n}"), "car", [90.0 * f64::from(n), 0.0, 90.0 * f64::from(n) + 50.0, 20.0])
        })
        .object("on", "car", [490.0, 0.0, 510.0, 10.0])
        .object("b1", "bus", [480.0, 100.0, 520.0, 140.0])
        .object("b2", "bus", [800.0, 100.0, 850.0, 140.0]);
    let outcome = |expr: Expr| outcome(expr, &frame.scene());
    let in_left = |set: Expr| set.where_region(left());
    let all = || Expr::objects(0).where_category(["bus", "car"]);
    assert_eq!(outcome(in_left(cars()).exists()), "yes");
    assert_eq!(outcome(in_left(buses()).exists()), "straddles_region");
    assert_eq!(outcome(in_left(cars()).count()), "straddles_region");
    assert_eq!(outcome(in_left(all()).most_numerous(terms(&["bus", "car"]))), "car");
    assert_eq!(outcome(in_left(all()).present_terms(terms(&["bus", "car"]))), "straddles_region");
    assert_eq!(outcome(in_left(cars()).count().compare(Relation::Greater, in_left(buses()).count())), "yes");
    assert_eq!(outcome(in_left(buses()).unique().box_of()), "straddles_region");
    // The leftmost car is the same whether the car on the border counts or not; the rightmost one is not.
    assert_eq!(outcome(in_left(cars()).extreme(ExtremeBy::Left).box_of()), "[0.000, 0.000, 0.050, 0.040]");
    assert_eq!(outcome(in_left(cars()).extreme(ExtremeBy::Right).box_of()), "straddles_region");
}

#[test]
fn both_ends_of_the_band_are_refused() {
    for (x1, expected) in [(491.0, "straddles_region"), (490.9, "1"), (499.0, "straddles_region"), (499.1, "0")] {
        let frame = FrameMaker::new("r/1").object("s", "car", [x1, 0.0, x1 + 10.0, 10.0]);
        assert_eq!(outcome(cars().where_region(left()).count(), &frame.scene()), expected, "x1 = {x1}");
    }
}

#[test]
fn near_tie_of_positions_and_sizes() {
    let frame = FrameMaker::new("r/1").object("a", "car", [100.0, 0.0, 200.0, 100.0]).object(
        "b",
        "car",
        [149.0, 200.0, 249.0, 295.0],
    );
    let refused = refusal(cars().extreme(ExtremeBy::Left).box_of(), &frame);
    assert_eq!((refused.reason, refused.limit), (Reason::NearTie, Some(0.05)));
    assert!((refused.value.unwrap() - 0.049).abs() < 1e-12);
    let refused = refusal(cars().extreme(ExtremeBy::Largest).box_of(), &frame);
    assert_eq!((refused.reason, refused.value, refused.limit), (Reason::NearTie, Some(500.0), Some(1000.0)));
    assert_eq!(outcome(cars().extreme(ExtremeBy::Top).area_share(), &frame.scene()), "0.020");
    // A smaller margin in the program itself lets the same pair pass; an exact tie never passes.
    let margin = ExtremeMargin { side_share: 0.0, area_share: 0.0 };
    let strict = |by| Expr::Extreme { of: Box::new(cars()), by, margin }.box_of();
    assert!(run(strict(ExtremeBy::Left), &frame.scene()).is_ok());
    let tie = frame.object("t", "car", [100.0, 400.0, 200.0, 500.0]);
    assert_eq!(refusal(strict(ExtremeBy::Left), &tie).reason, Reason::NearTie);
}

#[test]
fn near_tie_of_counts() {
    let bus = |frame: FrameMaker| {
        frame.object("e", "bus", [0.0, 0.0, 20.0, 20.0]).object("f", "bus", [30.0, 0.0, 50.0, 20.0])
    };
    let even = bus(street());
    let refused = refusal(cars().count().compare(Relation::Greater, buses().count()), &even);
    assert_eq!((refused.reason, refused.value, refused.limit), (Reason::NearTie, Some(0.0), Some(1.0)));
    assert_eq!(refusal(Expr::objects(0).most_numerous(terms(&["bus", "car"])), &even).reason, Reason::NearTie);
    assert_eq!(refusal(Expr::objects(0).fewest(terms(&["bus", "car"])), &even).reason, Reason::NearTie);
    let wide = Expr::Compare {
        left: Box::new(cars().count()),
        relation: Relation::Greater,
        right: Box::new(Expr::objects(0).where_category(["people"]).count()),
        margin: CountMargin { absolute: 3, relative: 0.05 },
    };
    let refused = refusal(wide, &street());
    assert_eq!((refused.reason, refused.value, refused.limit), (Reason::NearTie, Some(2.0), Some(3.0)));
}

#[test]
fn five_percent_of_the_larger_count() {
    // 40 cars against 39 buses: one apart, and 5 % of 40 is 2; against 38 it passes.
    let parked = |buses: u32| {
        let row = |frame: FrameMaker, i: u32, category: &str, y: f64| {
            let x = f64::from(i) * 20.0;
            frame.object(&format!("{category}{i}"), category, [x, y, x + 10.0, y + 10.0])
        };
        let frame = (0..40).fold(FrameMaker::new("r/1"), |frame, i| row(frame, i, "car", 0.0));
        (0..buses).fold(frame, |frame, i| row(frame, i, "bus", 100.0)).scene()
    };
    assert_eq!(outcome(Expr::objects(0).most_numerous(terms(&["bus", "car"])), &parked(39)), "near_tie");
    assert_eq!(outcome(Expr::objects(0).most_numerous(terms(&["bus", "car"])), &parked(38)), "car");
}

#[test]
fn ambiguous_category() {
    let frame = street().flipped("x", "van", "truck", [0.0, 0.0, 80.0, 50.0]);
    let at = || Expr::object_at(0, BoxEdges::new(0.0, 0.0, 0.08, 0.1));
    assert_eq!(refusal(at().category_of(terms(&["bus", "truck"])), &frame).reason, Reason::AmbiguousCategory);
    assert_eq!(refusal(at().category_of(terms(&["truck", "van"])), &frame).reason, Reason::AmbiguousCategory);
    assert_eq!(outcome(at().category_of(terms(&["person", "vehicle"])), &frame.scene()), "vehicle");
}

#[test]
fn outside_terms() {
    let at = Expr::object_at(0, BoxEdges::new(0.48, 0.44, 0.56, 0.54)).category_of(terms(&["car", "truck"]));
    let refused = refusal(at, &street());
    assert_eq!((refused.reason, refused.ids.as_slice()), (Reason::OutsideTerms, ["d".to_owned()].as_slice()));
}

#[test]
fn no_tracks() {
    let refused = refusal(Expr::count_tracks([0], Expr::frame_objects().where_category(["bus"])), &street());
    assert_eq!((refused.reason, refused.ids.as_slice()), (Reason::NoTracks, ["d".to_owned()].as_slice()));
}

#[test]
fn several_recordings() {
    let frames = scene(&[FrameMaker::new("r/1"), FrameMaker::new("s/1")]);
    let refused = run(Expr::count_tracks([0, 1], Expr::frame_objects()), &frames).unwrap_err();
    assert_eq!((refused.reason, refused.id_count), (Reason::SeveralRecordings, 2));
}

#[test]
fn no_such_frame() {
    for expr in [
        Expr::objects(1).count(),
        Expr::object_at(7, BoxEdges::new(0.0, 0.0, 1.0, 1.0)).box_of(),
        Expr::count_frames_where([0, 1], Expr::frame_objects().where_category(["car"]).exists()),
    ] {
        assert_eq!(refusal(expr, &street()).reason, Reason::NoSuchFrame);
    }
}

#[test]
fn every_reason_has_its_own_code() {
    let codes: std::collections::BTreeSet<&str> = Reason::ALL.iter().map(|reason| reason.code()).collect();
    assert_eq!(codes.len(), Reason::ALL.len());
    for reason in Reason::ALL {
        assert_eq!(serde_json::to_value(reason).unwrap(), reason.code(), "one spelling in JSON and in tables");
    }
}
