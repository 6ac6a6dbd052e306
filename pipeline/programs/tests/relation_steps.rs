//! Questions whose relation step does nothing.

use super::make::{FrameMaker, buses, cars, scene, street, terms};
use crate::{Area, AreaName, Expr, ExtremeBy, Program, Relation, Scene, relation_steps_matter};

fn matter(expr: Expr, scene: &Scene) -> bool {
    relation_steps_matter(&Program::new(expr).unwrap(), scene)
}

fn inside(name: AreaName, set: Expr) -> Expr {
    set.where_region(Area::named(name).unwrap())
}

#[test]
fn programs_without_steps_pass_and_without_answer_fail() {
    let scene = street().scene();
    assert!(matter(cars().count(), &scene));
    assert!(!matter(cars().unique().box_of(), &scene));
}

#[test]
fn an_area_must_change_the_count() {
    let scene = street().scene();
    assert!(matter(inside(AreaName::LeftHalf, cars()).count(), &scene));
    assert!(matter(inside(AreaName::TopCentre, cars()).count(), &scene));
    // Both people... the pedestrian is left, the other one right: one each.
    let people = || Expr::objects(0).where_category(["people", "pedestrian"]);
    assert!(matter(inside(AreaName::LeftHalf, people()).count(), &scene));
    // No truck anywhere, so none in the area.
    let trucks = Expr::objects(0).where_category(["truck"]);
    assert!(!matter(inside(AreaName::LeftHalf, trucks).count(), &scene));
    // All the pedestrians are there.
    let pedestrians = Expr::objects(0).where_category(["pedestrian"]);
    assert!(!matter(inside(AreaName::LeftHalf, pedestrians).count(), &scene));
}

#[test]
fn an_unknown_elsewhere_does_not_make_an_area_meaningful() {
    let scene = street().ignored("i", [900.0, 0.0, 960.0, 40.0]).scene();
    let pedestrians = Expr::objects(0).where_category(["pedestrian"]);
    assert!(!matter(inside(AreaName::LeftHalf, pedestrians).count(), &scene));
}

#[test]
fn an_extreme_must_choose() {
    let scene = street().scene();
    assert!(matter(cars().extreme(ExtremeBy::Left).box_of(), &scene));
    assert!(!matter(buses().extreme(ExtremeBy::Left).box_of(), &scene));
    // With an area that leaves one car, the extreme does nothing; with one that leaves two, both steps work or not:
    // the leftmost car of the left half is the leftmost car anyway.
    let right = inside(AreaName::RightHalf, cars());
    assert!(!matter(right.extreme(ExtremeBy::Left).box_of(), &scene));
    assert!(!matter(inside(AreaName::LeftHalf, cars()).extreme(ExtremeBy::Left).box_of(), &scene));
    assert!(matter(inside(AreaName::LeftHalf, cars()).extreme(ExtremeBy::Right).box_of(), &scene));
}

#[test]
fn presence_in_an_area_needs_an_object_outside_it() {
    let scene = street().scene();
    // Cars on both sides: "yes" is allowed, although there are cars without the area as well.
    assert!(matter(inside(AreaName::LeftHalf, cars()).exists(), &scene));
    // The only bus lies in the middle column; asked for the left one the answer is no, and the area decides.
    assert!(matter(inside(AreaName::MiddleLeft, buses()).exists(), &scene));
    assert!(!matter(inside(AreaName::MiddleCentre, buses()).exists(), &scene));
}

#[test]
fn comparisons_go_by_what_the_area_leaves_out() {
    let scene = street().scene();
    let left = inside(AreaName::LeftHalf, cars()).count();
    let people = Expr::objects(0).where_category(["people"]).count();
    assert!(matter(left.compare(Relation::Greater, people), &scene));
}

#[test]
fn the_most_numerous_in_an_area_must_differ_from_that_of_the_frame() {
    let scene = street().scene();
    let among = terms(&["bus", "person"]);
    let left = inside(AreaName::LeftHalf, Expr::objects(0).where_category(["bus", "pedestrian", "people"]));
    // The bus straddles no border of the left third; one person against none, and two against one without the area.
    let third = inside(AreaName::BottomLeft, Expr::objects(0).where_category(["bus", "pedestrian", "people"]));
    assert!(!matter(third.most_numerous(among.clone()), &scene));
    assert!(!matter(left.most_numerous(among), &scene), "refused by the executor: the bus straddles the half");
}

#[test]
fn loops_are_judged_frame_by_frame() {
    let frames = [
        FrameMaker::new("r/1").tracked("1#1", "car", "r#1", [0.0, 0.0, 50.0, 50.0]),
        FrameMaker::new("r/2").tracked("2#1", "car", "r#1", [600.0, 0.0, 650.0, 50.0]),
    ];
    let scene = scene(&frames);
    let left = || inside(AreaName::LeftHalf, Expr::frame_objects().where_category(["car"]));
    assert!(matter(Expr::count_frames_where([0, 1], left().exists()), &scene));
    assert!(!matter(Expr::count_frames_where([0], left().exists()), &scene));
    assert!(!matter(Expr::count_tracks([0, 1], left()), &scene), "the same one track without the area");
    // A claim about a loop is judged by what its area leaves out.
    let frames_with = Expr::count_frames_where([0, 1], left().exists());
    let fewer = frames_with.compare(Relation::Less, Expr::count_frames_where([0, 1], Expr::frame_objects().exists()));
    assert!(matter(fewer, &scene));
}
