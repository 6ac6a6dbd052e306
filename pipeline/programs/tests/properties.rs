//! What holds for all programs and scenes.

use super::make::{self, FrameMaker, run};
use super::random::{CATEGORIES, Thing, Things, any_of, any_tree, area, expr, frames, object, things, unknown};
use crate::{Expr, Program, Relation, Scene, Value, execute, relation_steps_matter};
use proptest::prelude::*;

/// Three frames are a clip of two segments, so that programs about clips have answers too.
fn scene(frames: &[FrameMaker]) -> Scene {
    if frames.len() == 3 { make::clip(frames, &[2, 1]) } else { make::scene(frames) }
}

/// A frame with a thing more on it.
fn with(things: &Things, frame: usize, thing: Thing) -> Things {
    let mut more = things.clone();
    more[frame].push(thing);
    more
}

/// An object that an unknown may turn out to be, as an annotator with a better image would have drawn it.
fn turned_out(thing: &Thing, pick: usize) -> Option<Thing> {
    let object = |category: &'static str, track, edges| Thing::Object { category, annotated: category, track, edges };
    match thing {
        Thing::Dropped { may_be, track, edges } => {
            let may_be = if may_be.is_empty() { &CATEGORIES[..] } else { may_be };
            Some(object(may_be[pick % may_be.len()], *track, *edges))
        }
        Thing::Others { edges } => Some(object("others", Some(77), *edges)),
        Thing::UnknownObject { track, edges } => Some(object(CATEGORIES[pick % CATEGORIES.len()], *track, *edges)),
        Thing::Ignored { edges: [x1, y1, x2, y2], .. } => {
            let part = |step: usize| (pick / step % 3) as f64 / 4.0;
            let (left, top) = (x1 + (x2 - x1) * part(1), y1 + (y2 - y1) * part(3));
            let (right, bottom) = (x2 - (x2 - left) * part(9), y2 - (y2 - top) * part(27));
            Some(object(CATEGORIES[pick % CATEGORIES.len()], Some(88), [left, top, right, bottom]))
        }
        Thing::Object { .. } => None,
    }
}

/// The category-and-place test of one object, written anew: whole categories, corners by hand.
fn counted_by_hand(things: &[Thing], any_of: &[&str], edges: [f64; 4]) -> Option<i64> {
    let mut count = 0;
    for thing in things {
        let Thing::Object { category, edges: [x1, y1, x2, y2], .. } = thing else { continue };
        let width = (x2.min(edges[2]) - x1.max(edges[0])).max(0.0);
        let height = (y2.min(edges[3]) - y1.max(edges[1])).max(0.0);
        let share = width * height / ((x2 - x1) * (y2 - y1));
        if any_of.contains(category) {
            if (0.1..=0.9).contains(&share) {
                return None;
            }
            count += i64::from(share > 0.5);
        }
    }
    Some(count)
}

fn int(value: &Value) -> i64 {
    match value {
        Value::Int { value, .. } => *value,
        other => panic!("{other:?} is no int"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_tree_is_checked_and_executed_without_panic(tree in any_tree(), things in things()) {
        if let Ok(program) = Program::new(tree) {
            let scene = scene(&frames(&things));
            let _ = execute(&program, &scene);
            let _ = relation_steps_matter(&program, &scene);
        }
    }

    #[test]
    fn parse_and_canonical_are_inverse(expr in expr()) {
        let program = Program::new(expr).unwrap();
        let text = program.to_canonical();
        let read = Program::parse(&text).unwrap();
        prop_assert_eq!(&read, &program);
        prop_assert_eq!(read.to_canonical(), text);
    }

    #[test]
    fn arbitrary_text_never_panics(text in ".{0,200}") {
        let _ = Program::parse(&text);
        let _ = Value::parse(&text);
    }

    #[test]
    fn order_of_records_does_not_matter(expr in expr(), things in things()) {
        let program = Program::new(expr).unwrap();
        let mut turned = frames(&things);
        for frame in &mut turned {
            frame.boxes.reverse();
            frame.regions.reverse();
            frame.selection.kept.reverse();
            frame.selection.unknown.reverse();
        }
        let (straight, turned) = (scene(&frames(&things)), scene(&turned));
        prop_assert_eq!(execute(&program, &straight), execute(&program, &turned));
        prop_assert_eq!(execute(&program, &straight), execute(&program, &straight));
        prop_assert_eq!(relation_steps_matter(&program, &straight), relation_steps_matter(&program, &turned));
    }

    #[test]
    fn an_unknown_more_never_makes_or_changes_an_answer(
        expr in expr(), things in things(), frame in 0..3usize, extra in unknown()
    ) {
        let program = Program::new(expr).unwrap();
        let before = execute(&program, &scene(&frames(&things)));
        let after = execute(&program, &scene(&frames(&with(&things, frame, extra))));
        if let Ok(after) = after {
            prop_assert_eq!(before.map(|answer| answer.value), Ok(after.value));
        }
    }

    #[test]
    fn a_frame_that_loses_its_labels_never_makes_or_changes_an_answer(expr in expr(), things in things(), at in 0..3usize) {
        let program = Program::new(expr).unwrap();
        let mut unlabelled: Vec<FrameMaker> = frames(&things);
        unlabelled[at] = unlabelled[at].clone().unlabelled();
        if let Ok(after) = execute(&program, &scene(&unlabelled)) {
            let before = execute(&program, &scene(&frames(&things)));
            prop_assert_eq!(before.map(|answer| answer.value), Ok(after.value));
        }
    }

    #[test]
    fn an_answer_holds_whatever_an_unknown_turns_out_to_be(
        expr in expr(), things in things(), frame in 0..3usize, hidden in unknown(), pick in 0..405usize
    ) {
        let program = Program::new(expr).unwrap();
        let Some(revealed) = turned_out(&hidden, pick) else { return Ok(()) };
        let Ok(answer) = execute(&program, &scene(&frames(&with(&things, frame, hidden)))) else { return Ok(()) };
        // The revealed object may itself be refused (it straddles a border); an answer, where there is one, is the same.
        if let Ok(truth) = execute(&program, &scene(&frames(&with(&things, frame, revealed)))) {
            prop_assert_eq!(answer.value, truth.value);
        }
    }

    #[test]
    fn counts_equal_those_by_hand(objects in prop::collection::vec(object(), 0..12), any_of in any_of(), area in area()) {
        let steady: Vec<Thing> = objects.into_iter().map(|thing| match thing {
            Thing::Object { category, track, edges, .. } => Thing::Object { category, annotated: category, track, edges },
            other => other,
        }).collect();
        let scene = scene(&frames(&vec![steady.clone()]));
        let set = Expr::objects(0).where_category(any_of.clone());
        let all = counted_by_hand(&steady, &any_of, [0.0, 0.0, 1000.0, 500.0]).unwrap();
        prop_assert_eq!(int(&run(set.clone().count(), &scene).unwrap().value), all);
        let edges = [area.edges.x1 * 1000.0, area.edges.y1 * 500.0, area.edges.x2 * 1000.0, area.edges.y2 * 500.0];
        let inside = run(set.where_region(area).count(), &scene);
        prop_assert_eq!(inside.ok().map(|answer| int(&answer.value)), counted_by_hand(&steady, &any_of, edges));
    }

    #[test]
    fn more_and_less_are_opposites(things in things(), a in any_of(), b in any_of()) {
        let scene = scene(&frames(&things));
        let count = |any_of: &Vec<&'static str>| Expr::objects(0).where_category(any_of.clone()).count();
        let text = |relation| make::outcome(count(&a).compare(relation, count(&b)), &scene);
        match text(Relation::Greater).as_str() {
            "yes" => prop_assert_eq!(text(Relation::Less), "no"),
            "no" => prop_assert_eq!(text(Relation::Less), "yes"),
            refused => prop_assert_eq!(text(Relation::Less), refused),
        }
    }
}
