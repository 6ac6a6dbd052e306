//! What holds for all scenes of lifted objects.

use super::lifted::{LiftedMaker, Thing, all, one_of_each, only, program, scene};
use crate::{BearingFrame, DistanceMeasure, Expr, ExtremeBy, Measure, Program, Relation, Scene, Value, execute};
use proptest::prelude::*;
use std::f64::consts::TAU;
use uavgen_schemas::FragmentReason;

const CLASSES: [&str; 3] = ["bus", "car", "van"];

type Frames = Vec<LiftedMaker>;

/// A thing of the first frames with few of each class, so that programs have answers. Its place is no round number: on the border of a
/// margin rounding alone would decide.
fn thing() -> impl Strategy<Value = (usize, [f64; 2], [f64; 3], Option<f64>, Option<f64>, u8)> {
    (
        0..3usize,
        prop::array::uniform2(-40.0..40.0f64),
        (3.0..9.0f64, 1.0..3.0f64, 0.0..180.0f64).prop_map(|(length, width, yaw)| [length, width, yaw]),
        prop::option::weighted(0.8, 2.0..40.0f64),
        prop::option::weighted(0.8, 0.0..360.0f64),
        0..20u8,
    )
}

/// Two frames of one recording, the second from another place, in which what moves has moved.
fn frames() -> impl Strategy<Value = Frames> {
    (prop::collection::vec(thing(), 1..6), 0.0..360.0f64, 0.0..50.0f64, prop::array::uniform2(-9.0..9.0f64)).prop_map(
        |(things, azimuth, tilt, step)| {
            let mut first = LiftedMaker::tilted("r/1", azimuth, tilt).at_s(1.0);
            let mut second = LiftedMaker::nadir("r/2", azimuth).at_s(3.0).moved_to([step[0], step[1], 130.0]);
            for (index, (class, place, [length, width, yaw], height, heading, luck)) in things.into_iter().enumerate() {
                let at = 150.0 * index as f64;
                let edges = [at, 3.0 * (place[0] + 45.0), at + 90.0, 3.0 * (place[0] + 45.0) + 60.0];
                let made = |id: &str, place| {
                    let thing = Thing::new(id, CLASSES[class], place).sides(length, width, yaw).upright(0.0, height);
                    let thing = heading.into_iter().fold(thing, Thing::heading).object(&format!("r#{index}"));
                    let thing = if luck == 1 { thing.seen(0.3) } else { thing };
                    if luck == 2 { thing.truncated() } else { thing }.boxed(edges)
                };
                first = first.thing(made(&format!("1:{index}"), place));
                if luck != 3 {
                    let moved = [place[0] + step[0] * f64::from(luck % 2), place[1] + step[1] * f64::from(luck % 2)];
                    second = second.thing(made(&format!("2:{index}"), moved));
                }
            }
            vec![first, second]
        },
    )
}

fn class() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&CLASSES[..])
}

fn relation() -> impl Strategy<Value = Relation> {
    prop::sample::select(vec![Relation::Greater, Relation::Less])
}

fn measure() -> impl Strategy<Value = Measure> {
    prop::sample::select(Measure::ALL.to_vec())
}

fn distance() -> impl Strategy<Value = DistanceMeasure> {
    prop::sample::select(DistanceMeasure::ALL.to_vec())
}

fn set() -> BoxedStrategy<Expr> {
    let narrow = prop_oneof![Just(0).prop_map(|_| None), (measure(), relation(), 1.0..60.0f64).prop_map(Some),];
    (class(), class(), narrow, distance(), 0..7u8, 5.0..60.0f64)
        .prop_map(|(class, other, narrow, how, step, metres)| {
            let set = narrow
                .into_iter()
                .fold(all(class), |set, (measure, relation, limit)| set.where_measure(measure, relation, limit));
            match step {
                0 => set.whole(),
                1 => set.within(only(other), metres, how),
                2 => Expr::objects(0).between(only(class), only(other)),
                3 => set.seen_from(1),
                4 => set.standing_on("road"),
                5 => Expr::objects(0).within(only(other), metres, how),
                _ => set,
            }
        })
        .boxed()
}

fn object() -> BoxedStrategy<Expr> {
    let along = prop::sample::select(vec![ExtremeBy::Left, ExtremeBy::Right, ExtremeBy::Top, ExtremeBy::Bottom]);
    prop_oneof![
        class().prop_map(only),
        set().prop_map(Expr::unique),
        (set(), measure(), relation()).prop_map(|(set, measure, relation)| set.most(measure, relation)),
        (class(), relation(), distance()).prop_map(|(to, relation, how)| Expr::objects(0).by_distance(
            only(to),
            relation,
            how
        )),
        (set(), along, 1..4u32).prop_map(|(set, along, position)| set.kth(along, position)),
    ]
    .boxed()
}

fn direction() -> impl Strategy<Value = (BearingFrame, u32)> {
    let all =
        BearingFrame::ALL.into_iter().flat_map(|frame| frame.sectors().iter().map(move |sectors| (frame, *sectors)));
    prop::sample::select(all.collect::<Vec<_>>())
}

/// Well-typed programs of every kind.
fn expr() -> BoxedStrategy<Expr> {
    prop_oneof![
        set().prop_map(Expr::count),
        set().prop_map(Expr::exists),
        (object(), measure()).prop_map(|(object, measure)| object.measure(measure)),
        (object(), object(), distance()).prop_map(|(from, to, how)| from.distance(to, how)),
        object().prop_map(|object| object.clone().distance(object.in_frame(1), DistanceMeasure::Ground)),
        object().prop_map(|object| object.clone().speed(object.in_frame(1))),
        (object(), object(), measure(), relation()).prop_map(|(one, other, measure, relation)| one
            .measure(measure)
            .compared(relation, other.measure(measure))),
        (object(), object(), direction()).prop_map(|(from, to, (frame, sectors))| from.bearing(to, frame, sectors)),
        (object(), direction()).prop_map(|(object, (by, sectors))| object.clone().bearing(
            object.in_frame(1),
            by,
            sectors
        )),
        object().prop_map(Expr::clock),
        object().prop_map(Expr::surface),
        object().prop_map(|object| object.still_there(1)),
        prop::sample::select(one_of_each()),
    ]
    .boxed()
}

/// The world turned clockwise about the vertical and moved: poses and instances alike.
fn turned(frames: &Frames, degrees: f64, shift: f64) -> Scene {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let place = |x: &mut f64, y: &mut f64| {
        (*x, *y) = (*x * cos + *y * sin + shift, *y * cos - *x * sin - shift);
    };
    let mut frames = frames.clone();
    for frame in &mut frames {
        place(&mut frame.pose.x, &mut frame.pose.y);
        // Rz(-degrees) from the left.
        let (s, c) = (0.5 * degrees.to_radians()).sin_cos();
        let pose = &mut frame.pose;
        (pose.qx, pose.qy) = (c * pose.qx + s * pose.qy, c * pose.qy - s * pose.qx);
        (pose.qz, pose.qw) = (c * pose.qz - s * pose.qw, c * pose.qw + s * pose.qz);
        for row in &mut frame.instances {
            place(&mut row.x, &mut row.y);
            row.axis_yaw_rad = (row.axis_yaw_rad - degrees.to_radians()).rem_euclid(TAU / 2.0);
            row.heading_rad = row.heading_rad.map(|heading| (heading + degrees.to_radians()).rem_euclid(TAU));
        }
    }
    scene(&frames)
}

/// The value of an answer, or the code of its refusal, with real numbers to the micrometre.
fn said(program: &Program, scene: &Scene, eighths: u32) -> String {
    match execute(program, scene).map(|answer| answer.value) {
        Ok(Value::Float { value, unit }) => format!("{value:.6} {unit:?}"),
        Ok(Value::Direction { frame: BearingFrame::Compass, sectors, sector }) => {
            format!("compass {} of {sectors}", (sector + eighths * sectors / 8) % sectors)
        }
        Ok(value) => value.to_canonical_json(),
        Err(undefined) => undefined.reason.code().to_owned(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn canonical_texts_are_read_back(expr in expr()) {
        let program = program(expr);
        let text = program.to_canonical();
        let read = Program::parse(&text).unwrap();
        prop_assert_eq!(&read, &program);
        prop_assert_eq!(read.to_canonical(), text);
    }

    #[test]
    fn an_unknown_more_never_makes_or_changes_an_answer(
        expr in expr(), frames in frames(), at in 0..2usize, class in prop::option::of(class()), loose in any::<bool>(),
        x in 0.0..900.0f64, y in 0.0..400.0f64
    ) {
        let program = program(expr);
        let reason = if loose { FragmentReason::LooseRegion } else { FragmentReason::TooSmall };
        let mut more = frames.clone();
        more[at] = more[at].clone().piece("piece", class, reason, [x, y, x + 60.0, y + 60.0]);
        if let Ok(after) = execute(&program, &scene(&more)) {
            let before = execute(&program, &scene(&frames));
            prop_assert_eq!(before.map(|answer| answer.value), Ok(after.value));
        }
    }

    #[test]
    fn a_world_that_turns_and_moves_keeps_its_answers(expr in expr(), frames in frames(), eighths in 0..8u32) {
        let program = program(expr);
        // A quarter holds two eighths, so half quarters turn no answer of four sectors into another.
        let quarters = program.to_canonical().contains(r#""sectors":4"#);
        let eighths = if quarters { eighths / 2 * 2 } else { eighths };
        let before = said(&program, &turned(&frames, 0.0, 0.0), eighths);
        let after = said(&program, &turned(&frames, 45.0 * f64::from(eighths), 500_000.0), 0);
        prop_assert_eq!(before, after);
    }

    #[test]
    fn distances_are_the_same_both_ways(one in object(), other in object(), how in distance(), frames in frames()) {
        let scene = scene(&frames);
        let way = |from: &Expr, to: &Expr| execute(&program(from.clone().distance(to.clone(), how)), &scene);
        match (way(&one, &other), way(&other, &one)) {
            (Ok(there), Ok(back)) => match (there.value, back.value) {
                (Value::Float { value: there, .. }, Value::Float { value: back, .. }) => {
                    prop_assert!((there - back).abs() < 1e-9);
                }
                other => prop_assert!(false, "{other:?}"),
            },
            (there, back) => prop_assert_eq!(there.is_ok(), back.is_ok()),
        }
    }

    #[test]
    fn the_way_back_is_the_opposite_sector(one in class(), other in class(), by in direction(), frames in frames()) {
        let (by, sectors) = by;
        prop_assume!(by != BearingFrame::Heading);
        let scene = scene(&frames);
        let sector = |from, to| match execute(&program(only(from).bearing(only(to), by, sectors)), &scene) {
            Ok(answer) => match answer.value {
                Value::Direction { sector, .. } => Some(sector),
                other => panic!("{other:?} is no direction"),
            },
            Err(_) => None,
        };
        prop_assert_eq!(sector(one, other).map(|there| (there + sectors / 2) % sectors), sector(other, one));
    }
}
