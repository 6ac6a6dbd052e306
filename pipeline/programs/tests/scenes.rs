//! Every op on a scene whose answers can be read off the boxes, and the records that make no scene.

use super::make::{FrameMaker, buses, cars, outcome, run, scene, street, terms, value};
use crate::{Area, AreaName, BoxEdges, Expr, ExtremeBy, Relation, Scene, SceneError, Unit, Value};

fn area(name: AreaName) -> Area {
    Area::named(name).unwrap()
}

#[test]
fn counts_and_presence() {
    let scene = street().scene();
    assert_eq!(value(cars().count(), &scene), Value::Int { value: 3, unit: Unit::Objects });
    assert_eq!(outcome(Expr::objects(0).count(), &scene), "6");
    assert_eq!(outcome(Expr::objects(0).where_category(["people", "pedestrian"]).count(), &scene), "2");
    assert_eq!(value(buses().exists(), &scene), Value::Bool { value: true });
    assert_eq!(outcome(Expr::objects(0).where_category(["truck"]).exists(), &scene), "no");
}

#[test]
fn counts_in_areas() {
    let scene = street().scene();
    let counted = |name| outcome(cars().where_region(area(name)).count(), &scene);
    assert_eq!(counted(AreaName::LeftHalf), "2");
    assert_eq!(counted(AreaName::RightHalf), "1");
    assert_eq!(counted(AreaName::TopLeft), "1");
    assert_eq!(counted(AreaName::TopCentre), "0");
    let custom = Area::custom(BoxEdges::new(0.65, 0.5, 0.95, 0.9));
    assert_eq!(outcome(cars().where_region(custom).count(), &scene), "1");
}

#[test]
fn an_object_with_a_sliver_across_the_border_is_placed() {
    // 4 % of the car lie in the left half: below the band of 10 to 90 %.
    let scene = FrameMaker::new("r/1").object("a", "car", [496.0, 0.0, 596.0, 50.0]).scene();
    assert_eq!(outcome(cars().where_region(area(AreaName::LeftHalf)).count(), &scene), "0");
    assert_eq!(outcome(cars().where_region(area(AreaName::RightHalf)).count(), &scene), "1");
}

#[test]
fn boxes_are_normalised_and_exact() {
    let scene = street().scene();
    let bus = Value::normalised_box(BoxEdges::new(480.0 / 1000.0, 220.0 / 500.0, 560.0 / 1000.0, 270.0 / 500.0));
    assert_eq!(value(buses().unique().box_of(), &scene), bus);
    assert_eq!(bus.text(), "[0.480, 0.440, 0.560, 0.540]");
    let people = Expr::objects(0).where_category(["people", "pedestrian"]).boxes_of();
    assert_eq!(outcome(people, &scene), "[0.020, 0.800, 0.040, 0.880]; [0.600, 0.100, 0.620, 0.180]");
    assert_eq!(value(buses().unique().area_share(), &scene), Value::Float { value: 0.008, unit: Unit::Share });
}

#[test]
fn extremes() {
    let scene = street().scene();
    let chosen = |by| run(cars().extreme(by).box_of(), &scene).unwrap().facts.objects;
    assert_eq!(chosen(ExtremeBy::Left), ["a"]);
    assert_eq!(chosen(ExtremeBy::Right), ["c"]);
    assert_eq!(chosen(ExtremeBy::Top), ["a"]);
    assert_eq!(chosen(ExtremeBy::Bottom), ["c"]);
    assert_eq!(chosen(ExtremeBy::Largest), ["c"]);
    assert_eq!(chosen(ExtremeBy::Smallest), ["a"]);
    assert_eq!(chosen(ExtremeBy::NearestToCentre), ["b"]);
}

#[test]
fn the_nearest_to_the_centre_is_measured_in_pixels() {
    // 120 px to the left is nearer than 150 px above, although 150 px are more of the height than 120 of the width...
    let scene = FrameMaker::new("r/1")
        .object("left", "car", [370.0, 240.0, 390.0, 260.0])
        .object("above", "bus", [490.0, 40.0, 510.0, 60.0])
        .scene();
    let nearest = run(Expr::objects(0).extreme(ExtremeBy::NearestToCentre).box_of(), &scene).unwrap();
    assert_eq!(nearest.facts.objects, ["left"]);
}

#[test]
fn classification_at_a_box() {
    let scene = street().scene();
    let among = terms(&["bus", "car", "person"]);
    let at = |edges| Expr::object_at(0, edges).category_of(among.clone());
    assert_eq!(outcome(at(BoxEdges::new(0.48, 0.44, 0.56, 0.54)), &scene), "bus");
    assert_eq!(outcome(at(BoxEdges::new(0.02, 0.80, 0.04, 0.88)), &scene), "person");
    // One pixel off in each direction still fits a car of 100 x 60: IoU 0.95.
    assert_eq!(outcome(at(BoxEdges::new(0.301, 0.402, 0.401, 0.522)), &scene), "car");
}

#[test]
fn terms_of_a_frame() {
    let scene = street().scene();
    let among = terms(&["person", "truck", "bus", "car"]);
    assert_eq!(outcome(Expr::objects(0).present_terms(among), &scene), "bus; car; person");
    let three = terms(&["bus", "car", "person"]);
    assert_eq!(outcome(Expr::objects(0).most_numerous(three.clone()), &scene), "car");
    assert_eq!(outcome(Expr::objects(0).fewest(three), &scene), "bus");
}

#[test]
fn numbers_of_numbers() {
    let scene = street().scene();
    let difference = || cars().count().difference(buses().count());
    assert_eq!(value(difference(), &scene), Value::Int { value: 2, unit: Unit::Objects });
    assert_eq!(outcome(buses().count().difference(cars().count()), &scene), "-2");
    assert_eq!(outcome(cars().count().compare(Relation::Greater, buses().count()), &scene), "yes");
    assert_eq!(outcome(cars().count().compare(Relation::Less, buses().count()), &scene), "no");
    assert_eq!(outcome(buses().count().compare(Relation::Less, cars().count()), &scene), "yes");
}

/// Car 1 on all three frames, car 2 on the last two, a bus on the first only.
fn drive() -> Scene {
    scene(&[
        FrameMaker::new("r/1").tracked("1#1", "car", "r#1", [0.0, 0.0, 50.0, 50.0]).tracked(
            "1#9",
            "bus",
            "r#9",
            [500.0, 0.0, 600.0, 90.0],
        ),
        FrameMaker::new("r/2").tracked("2#1", "car", "r#1", [10.0, 0.0, 60.0, 50.0]).tracked(
            "2#2",
            "car",
            "r#2",
            [900.0, 0.0, 960.0, 50.0],
        ),
        FrameMaker::new("r/3").tracked("3#1", "car", "r#1", [20.0, 0.0, 70.0, 50.0]).tracked(
            "3#2",
            "car",
            "r#2",
            [910.0, 0.0, 970.0, 50.0],
        ),
    ])
}

#[test]
fn tracks_and_frames() {
    let (scene, each) = (drive(), || Expr::frame_objects().where_category(["car"]));
    let tracks = Expr::count_tracks([0, 1, 2], each());
    assert_eq!(value(tracks, &scene), Value::Int { value: 2, unit: Unit::Tracks });
    assert_eq!(outcome(Expr::count_tracks([0], each()), &scene), "1");
    assert_eq!(outcome(Expr::count_tracks([0, 2], Expr::frame_objects()), &scene), "3");
    let right = each().where_region(area(AreaName::RightHalf));
    assert_eq!(outcome(Expr::count_tracks([0, 1, 2], right.clone()), &scene), "1");
    let holding = Expr::count_frames_where([0, 1, 2], right.exists());
    assert_eq!(value(holding, &scene), Value::Int { value: 2, unit: Unit::Frames });
}

#[test]
fn facts_name_objects_and_numbers() {
    let scene = street().scene();
    let facts = run(cars().count().difference(buses().count()), &scene).unwrap().facts;
    assert_eq!(
        facts.to_canonical_json(),
        r#"{"object_count":4,"objects":["a","b","c","d"],"values":{"root":2,"root.left":3,"root.right":1}}"#
    );
    let facts = run(Expr::count_frames_where([0, 1], Expr::frame_objects().where_category(["bus"]).exists()), &drive());
    let expected = r#"{"object_count":1,"objects":["1#9"],"values":{"root":1,"root.each[0]":1,"root.each[1]":0}}"#;
    assert_eq!(facts.unwrap().facts.to_canonical_json(), expected);
}

#[test]
fn facts_of_terms_leave_other_objects_out() {
    let facts = run(Expr::objects(0).most_numerous(terms(&["bus", "person"])), &street().scene()).unwrap().facts;
    let expected = r#"{"object_count":3,"objects":["d","p","q"],"values":{"root[bus]":1,"root[person]":2}}"#;
    assert_eq!(facts.to_canonical_json(), expected);
}

#[test]
fn facts_name_at_most_64_objects() {
    let many = (0..100).fold(FrameMaker::new("r/1"), |frame, i| {
        frame.object(&format!("{i:03}"), "car", [f64::from(i), 0.0, f64::from(i) + 1.0, 9.0])
    });
    let facts = run(cars().count(), &many.scene()).unwrap().facts;
    assert_eq!((facts.object_count, facts.objects.len(), facts.objects[63].as_str()), (100, 64, "063"));
}

/// What is wrong with the records of a frame.
fn problem(frame: &FrameMaker) -> &'static str {
    match frame.build() {
        Err(SceneError::Record { problem, .. }) => problem,
        Err(SceneError::Geometry { .. }) => "geometry",
        Err(SceneError::Clip { problem }) => problem,
        Ok(_) => "nothing",
    }
}

#[test]
fn records_that_make_no_scene() {
    let mut foreign = street();
    foreign.boxes[0].frame_id = "r/2".into();
    assert_eq!(problem(&foreign), "the box is of another frame");
    let mut foreign = street();
    foreign.selection.frame_id = "r/2".into();
    assert_eq!(problem(&foreign), "the selection is of another frame");
    let mut foreign = street().ignored("z", [0.0, 0.0, 1.0, 1.0]);
    foreign.regions[0].frame_id = "r/2".into();
    assert_eq!(problem(&foreign), "the region is of another frame");
    let mut forgotten = street();
    forgotten.selection.kept.pop();
    assert_eq!(problem(&forgotten), "the selection does not mention the box, or it comes twice");
    let mut missing = street();
    missing.boxes.pop();
    assert_eq!(problem(&missing), "the selection names a box that the frame does not have");
    let mut both = street().dropped("z", &[], None, [0.0, 0.0, 1.0, 1.0]);
    both.selection.kept.push("z".into());
    assert_eq!(problem(&both), "the selection keeps and drops the box");
    assert_eq!(problem(&street().object("z", "car", [5.0, 5.0, 5.0, 9.0])), "the selection keeps a box without area");
    assert_eq!(problem(&street().object("z", "car", [5.0, 5.0, 2.0, 9.0])), "geometry");
    assert_eq!(problem(&street().object("z", "car", [990.0, 5.0, 1001.0, 9.0])), "geometry");
    let mut empty = street();
    empty.frame.width = 0;
    assert_eq!(problem(&empty), "geometry");
}

#[test]
fn a_frame_comes_once() {
    let frame = street().build().unwrap();
    assert!(Scene::new(vec![frame.clone(), frame]).is_err());
}

#[test]
fn unknown_boxes_and_regions_may_leave_the_image() {
    let frame = street().dropped("z", &["car"], None, [-5.0, 5.0, 2.0, 9.0]).ignored("i", [900.0, 0.0, 1200.0, 90.0]);
    let bounds: Vec<(f64, f64)> =
        frame.build().unwrap().unknowns().iter().map(|u| (u.bounds.x1(), u.bounds.x2())).collect();
    assert_eq!(bounds, [(900.0, 1000.0), (0.0, 2.0)]);
}
