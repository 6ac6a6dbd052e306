//! What makes no program about lifted objects, no scene of them, and relation steps that do nothing.

use super::lifted::{LiftedMaker, Thing, above, all, later, one_of_each, only, program, scene};
use super::make::{cars, street};
use crate::{
    AngleMargin, BearingFrame, DistanceMeasure, Expr, ExtremeBy, Measure, MeasureMargin, ObjectKind, Program, Relation,
    Scene, execute, relation_steps_matter,
};
use uavgen_schemas::FragmentReason;

use DistanceMeasure::Ground;
use Relation::{Greater, Less};

fn problem(expr: Expr) -> String {
    Program::about(ObjectKind::Lifted, expr).unwrap_err().to_string()
}

#[test]
fn ops_over_places_need_lifted_objects() {
    for expr in one_of_each() {
        let needs = expr.needs_space() || expr.inputs().any(|(_, input)| input.needs_space());
        match Program::new(expr.clone()) {
            Err(error) => assert!(error.to_string().contains("needs objects with a place in space"), "{error}"),
            Ok(_) => assert!(!needs, "{}", expr.op()),
        }
    }
}

#[test]
fn programs_fit_their_scenes() {
    let lifted = above().thing(Thing::new("a", "car", [0.0, 0.0])).scene();
    let code = |program: &Program, scene: &Scene| execute(program, scene).unwrap_err().reason.code();
    assert_eq!(code(&Program::new(cars().count()).unwrap(), &lifted), "other_objects");
    assert_eq!(code(&program(all("car").count()), &street().scene()), "other_objects");
    let mixed = Scene::new(vec![above().build().unwrap(), street().build().unwrap()]);
    assert!(mixed.unwrap_err().to_string().contains("lifted"));
}

#[test]
fn units_sectors_and_limits_are_checked() {
    let (car, bus) = (|| only("car"), || only("bus"));
    let mixed = car().measure(Measure::Height).compared(Greater, bus().measure(Measure::Footprint));
    assert_eq!(problem(mixed), "check `root.right`: expected float (Metres), found float (SquareMetres)");
    let speeds = car().distance(bus(), Ground).compared(Greater, car().speed(car().in_frame(1)));
    assert!(problem(speeds).contains("found float (MetresPerSecond)"));
    let counted = all("car").count().compared(Greater, all("bus").count());
    assert!(problem(counted).contains("expected float"));
    for (frame, sectors) in [
        (BearingFrame::Clock, 8),
        (BearingFrame::Camera, 8),
        (BearingFrame::Compass, 12),
        (BearingFrame::Image, 0),
        (BearingFrame::Heading, 16),
    ] {
        assert!(problem(car().bearing(bus(), frame, sectors)).contains("`sectors`"), "{frame:?} {sectors}");
    }
    for limit in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(problem(all("car").where_measure(Measure::Height, Less, limit).count()).contains("`limit`"));
        assert!(problem(all("car").within(bus(), limit, Ground).count()).contains("`metres`"));
    }
    assert!(problem(all("car").kth(ExtremeBy::Left, 0).box_of()).contains("counts from 1"));
    assert!(problem(all("car").kth(ExtremeBy::Largest, 1).box_of()).contains("`along`"));
    assert!(problem(all("car").whole()).contains("expected an answer, found set"));
    assert!(problem(all("car").standing_on("").count()).contains("0 bytes"));
}

#[test]
fn margins_of_measures_and_angles_are_checked() {
    let length = |absolute, relative, min_visibility| {
        let margin = MeasureMargin { absolute, relative, min_visibility };
        Program::about(ObjectKind::Lifted, Expr::MeasureOf { of: only("car").into(), measure: Measure::Length, margin })
    };
    assert!(length(0.1, 0.0, 1.0).is_ok());
    for (absolute, relative, share) in [
        (0.0, 0.0, 0.5),
        (-1.0, 0.0, 0.5),
        (f64::INFINITY, 0.0, 0.5),
        (1.0, 1.0, 0.5),
        (1.0, -0.1, 0.5),
        (1.0, 0.1, 1.1),
    ] {
        assert!(length(absolute, relative, share).unwrap_err().to_string().contains("`margin`"));
    }
    let hour = |change: fn(&mut AngleMargin)| {
        let mut margin = AngleMargin::default();
        change(&mut margin);
        Program::about(ObjectKind::Lifted, Expr::ClockPosition { of: only("car").into(), margin })
    };
    assert!(hour(|margin| margin.degrees = 14.9).is_ok());
    // Half an hour of a clock is 15°.
    assert!(hour(|margin| margin.degrees = 15.0).unwrap_err().to_string().contains("half a sector"));
    assert!(hour(|margin| margin.least_m = 0.0).unwrap_err().to_string().contains("least_m"));
    assert!(hour(|margin| margin.least_share = f64::NAN).unwrap_err().to_string().contains("least_share"));
    assert!(hour(|margin| margin.min_tilt_degrees = 90.0).unwrap_err().to_string().contains("min_tilt_degrees"));
}

#[test]
fn records_that_make_no_scene() {
    let car = || Thing::new("a", "car", [0.0, 0.0]);
    let fault = |frame: LiftedMaker| frame.build().unwrap_err().to_string();
    let twice = above().thing(car()).thing(car().object("r#other"));
    assert!(fault(twice).contains("comes twice"));
    assert!(
        fault(above().thing(car()).thing(Thing::new("b", "car", [9.0, 0.0]).object("r#a"))).contains("same object")
    );
    assert!(fault(above().thing(car().with(|row| row.width_m = -1.0))).contains("below 0"));
    assert!(fault(above().thing(car().with(|row| row.top_z = Some(-1.0)))).contains("top below its base"));
    assert!(fault(above().thing(car().with(|row| row.heading_rad = Some(f64::NAN)))).contains("a number that is none"));
    assert!(fault(above().thing(car().boxed([10.0, 10.0, 10.0, 20.0]))).contains("no area"));
    let mut foreign = above().thing(car()).piece("p", None, FragmentReason::TooSmall, [0.0, 0.0, 1.0, 1.0]);
    foreign.fragments[0].frame_id = "r/2".into();
    assert!(fault(foreign).contains("the fragment is of another frame"));
    let mut foreign = above();
    foreign.pose = later().pose;
    assert!(fault(foreign).contains("the pose is of another frame or camera"));
    let mut smaller = above();
    smaller.camera.width = 900;
    assert!(fault(smaller).contains("images of another size"));
    assert!(scene(&[above(), later()]).frames().len() == 2);
}

fn matter(expr: Expr, scene: &Scene) -> bool {
    relation_steps_matter(&program(expr), scene)
}

#[test]
fn steps_over_places_must_do_something() {
    let row = [("a", 0.0), ("b", 20.0), ("c", 60.0)].into_iter();
    let scene = row.fold(above(), |frame, (id, east)| {
        let height = 10.0 + east;
        frame.thing(Thing::new(id, "car", [east, 0.0]).upright(0.0, Some(height)))
    });
    let scene = scene.thing(Thing::new("v", "van", [-50.0, 0.0])).scene();
    let tallest = || all("car").most(Measure::Height, Greater);
    assert!(matter(tallest().measure(Measure::Height), &scene));
    assert!(!matter(all("van").most(Measure::Height, Greater).measure(Measure::Height), &scene), "there is one van");
    let near = |metres| all("car").within(tallest(), metres, Ground);
    assert!(matter(near(50.0).count(), &scene));
    assert!(matter(near(50.0).exists(), &scene));
    // All the others are so near; that the tallest one is no member is no work of the distance.
    assert!(!matter(near(90.0).count(), &scene));
    assert!(!matter(near(90.0).exists(), &scene));
    // Of two objects the other one is the nearest.
    let pair = above().thing(Thing::new("a", "car", [0.0, 0.0])).thing(Thing::new("b", "car", [30.0, 0.0])).scene();
    let left = || all("car").kth(ExtremeBy::Left, 1);
    assert!(!matter(all("car").by_distance(left(), Less, Ground).measure(Measure::Length), &pair));
}
