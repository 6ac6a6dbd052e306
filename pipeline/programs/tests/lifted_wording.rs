//! Texts against programs about lifted objects.

use super::lifted::{all, only, only_in, program};
use crate::wording::lifted::Phrases;
use crate::wording::{rest, unsaid};
use crate::{Area, AreaName, BearingFrame, DistanceMeasure, Expr, ExtremeBy, Measure, Relation};

use DistanceMeasure::{Gap, Ground};
use Relation::{Greater, Less};

fn object(expr: Expr) -> String {
    Phrases::of_images(1).object(&expr).unwrap()
}

fn missing(question: &str, root: Expr) -> String {
    unsaid(question, &program(root)).unwrap_or_default()
}

fn left() -> Area {
    Area::named(AreaName::LeftHalf).unwrap()
}

#[test]
fn phrases_of_objects() {
    let building = || all("building");
    assert_eq!(object(only("container_truck")), "the only container truck in the image");
    assert_eq!(
        object(building().kth(ExtremeBy::Left, 2)),
        "the second building from the left in the image (by box centre)"
    );
    assert_eq!(
        object(building().whole().most(Measure::Height, Greater)),
        "the tallest building completely inside the image"
    );
    assert_eq!(object(building().most(Measure::Length, Less)), "the least long building in the image");
    assert_eq!(
        object(building().most(Measure::Footprint, Less)),
        "the building in the image with the smallest footprint"
    );
    assert_eq!(
        object(building().most(Measure::DistanceToCamera, Less)),
        "the building in the image nearest to the camera"
    );
    assert_eq!(
        object(all("car").by_distance(only("bus"), Greater, Gap)),
        "the car in the image farthest from the only bus in the image (measured from edge to edge)"
    );
    assert_eq!(
        object(building().extreme(ExtremeBy::Top)),
        "the building nearest to the top edge of the image (by box centre)"
    );
    assert_eq!(Phrases::of_images(1).object(&building().kth(ExtremeBy::Left, 17)), None);
    assert_eq!(object(Expr::objects(0).where_category(["bus", "car"]).unique()), "the only bus or car in the image");
    assert_eq!(
        object(building().whole().kth(ExtremeBy::Left, 1)),
        "the first building from the left of those completely inside the image (by box centre)"
    );
    assert_eq!(
        object(building().whole().extreme(ExtremeBy::NearestToCentre)),
        "the building nearest to the centre of the image of those completely inside the image (by box centre)"
    );
}

#[test]
fn phrases_of_sets_hold_every_step() {
    let sets = |set: Expr| Phrases::of_images(1).sets(&set).unwrap();
    assert_eq!(sets(Expr::objects(0)), "objects in the image");
    assert_eq!(sets(all("bus").where_measure(Measure::Height, Greater, 5.0)), "buses in the image taller than 5 m");
    assert_eq!(sets(all("bus").standing_on("dirt_road")), "buses in the image on the dirt road");
    assert_eq!(
        sets(all("bus").whole().where_region(left())),
        "buses completely inside the image and in the left half of the image"
    );
    assert_eq!(
        sets(all("car").within(only("bus"), 12.5, Ground)),
        "cars in the image within 12.5 m of the only bus in the image (measured along the ground, from centre to centre)"
    );
    assert_eq!(
        sets(all("car").between(only("bus"), only("van"))),
        "cars in the image on the straight line between the only bus in the image and the only van in the image"
    );
}

#[test]
fn among_several_images_each_phrase_says_which() {
    let phrases = Phrases::of_images(2);
    assert_eq!(phrases.object(&only_in(1, "bus")).unwrap(), "the only bus in the second image");
    let whole = |frame| Expr::objects(frame).where_category(["bus"]).whole();
    assert_eq!(phrases.set(&whole(0)).unwrap(), "bus completely inside the first image");
    assert_eq!(phrases.set(&whole(1)).unwrap(), "bus completely inside the second image");
    assert_eq!(
        phrases.set(&whole(1).where_region(left())).unwrap().split(" and ").nth(1),
        Some("in the left half of the second image")
    );
    assert!(phrases.object(&whole(1).extreme(ExtremeBy::Left)).unwrap().contains("the left edge of the second image"));
}

#[test]
fn a_question_says_what_its_program_asks() {
    let tall = "How tall is the second building from the left in the image (by box centre)?";
    let of = |set: Expr, position| set.kth(ExtremeBy::Left, position).measure(Measure::Height);
    assert_eq!(missing(tall, of(all("building"), 2)), "");
    assert_ne!(missing(tall, of(all("tower"), 2)), "", "another class");
    assert_ne!(missing(tall, of(all("building"), 3)), "", "another ordinal");
    assert_ne!(missing(tall, of(all("building").where_region(left()), 2)), "", "another place");
    assert_ne!(missing(tall, of(all("building").whole(), 2)), "", "whole ones alone");
    assert_ne!(missing(tall, all("building").kth(ExtremeBy::Right, 2).measure(Measure::Height)), "", "another side");
    assert_eq!(missing(tall, all("building").kth(ExtremeBy::Left, 2).measure(Measure::Footprint)), "footprint");
    let many = "How many buildings in the image taller than 5 m are there?";
    let limit = |relation, limit| all("building").where_measure(Measure::Height, relation, limit).count();
    assert_eq!(missing(many, limit(Greater, 5.0)), "");
    assert_ne!(missing(many, limit(Greater, 15.0)), "", "another number");
    assert_ne!(missing(many, limit(Less, 5.0)), "", "another relation");
}

#[test]
fn a_question_says_what_directions_are_told_by() {
    let ask =
        |by| format!("In which direction {by} does the only car in the image lie from the only bus in the image?");
    let toward = |frame, sectors| only("bus").bearing(only("car"), frame, sectors);
    for (by, frame, sectors) in [
        ("of the compass", BearingFrame::Compass, 8),
        ("of a clock", BearingFrame::Clock, 12),
        ("as the camera looks", BearingFrame::Camera, 4),
        ("from its heading", BearingFrame::Heading, 4),
    ] {
        assert_eq!(missing(&ask(by), toward(frame, sectors)), "", "{by}");
        assert_ne!(missing(&ask(""), toward(frame, sectors)), "", "{by}");
    }
    let compared =
        |relation| only("bus").measure(Measure::Height).compared(relation, only("car").measure(Measure::Height));
    let taller = "Is the only bus in the image taller than the only car in the image?";
    assert_eq!(missing(taller, compared(Greater)), "");
    assert_eq!(missing(taller, compared(Less)), "less tall");
}

#[test]
fn what_has_no_phrase_no_question_says() {
    let text = "How tall is the seventeenth object from the left in the image?";
    let far = Expr::objects(0).where_category(["bus"]).kth(ExtremeBy::Left, 17);
    assert!(missing(text, far.measure(Measure::Height)).contains("no question has words"));
    let tracks = Expr::count_tracks([0, 1], Expr::frame_objects());
    assert!(missing("How many objects are in the image?", tracks).contains("no question has words"));
}

#[test]
fn what_is_left_is_the_wording() {
    let how_tall = |object: Expr| {
        let text = format!("How tall is {}?", Phrases::of_images(1).object(&object).unwrap());
        rest(&text, &program(object.measure(Measure::Height)))
    };
    let nearest = all("car").by_distance(only("bus"), Less, Gap);
    for object in
        [only("bus"), all("tower").whole().most(Measure::Height, Greater), nearest, all("car").kth(ExtremeBy::Top, 3)]
    {
        assert_eq!(how_tall(object), "how tall is {object}?");
    }
    let many = |set: Expr| {
        rest(&format!("How many {} are there?", Phrases::of_images(1).sets(&set).unwrap()), &program(set.count()))
    };
    assert_eq!(many(all("bus").whole()), "how many {things} are there?");
    assert_eq!(many(all("car").where_region(left()).standing_on("road")), "how many {things} are there?");
    let north = |degrees: &str| {
        let text = format!("North is {degrees}° clockwise from the top. How tall is the only bus in the image?");
        rest(&text, &program(only("bus").measure(Measure::Height)))
    };
    assert_eq!(north("12.5"), north("340"));
}
