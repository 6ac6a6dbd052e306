//! Whether the relation steps of a question do any work.
//!
//! "How many cars are in the left half?" asks nothing about the half when all cars are there, and "the leftmost bus" is
//! no relation when there is one bus. Such a question can be answered without the step, so it is refused. So it is with the steps
//! over places in space: within a distance, between, taller than, the tallest, the nearest.
//!
//! Choices. (1) A step is *removed* by putting its input in its place: `where_region` becomes the whole set, `extreme`
//! becomes `unique`; objects that a step measures from stay left out, as they are no members either way. Steps that state what is looked at (`where_whole`, `where_seen_from`) are no relations. (2) The shortened question is judged by the labels alone: an unknown elsewhere in the image does
//! not make a meaningless qualifier meaningful. (3) Where the shortened question has no answer (several objects fit),
//! the step matters. (4) A yes/no answer would stay the same half of the time by chance, and refusing those would leave
//! only "no" to questions of presence in a region; so there a `where_region` step matters when it surely
//! leaves out at least one labelled object.

use crate::answer::Value;
use crate::ast::{Expr, Relation};
use crate::execute::{execute, execute_on_labels};
use crate::margins::{CountMargin, MeasureMargin};
use crate::measures::DistanceMeasure;
use crate::program::Program;
use crate::scene::Scene;
use crate::types::Type;

/// No two objects of a world are so far apart.
const FARTHER_THAN_ANYTHING_M: f64 = 1e12;

/// Whether every relation step (what narrows a set by place or measure, or picks one object from it) of the program is needed for its answer. True for a program
/// without such steps, false for one that has no answer on the scene.
pub fn relation_steps_matter(program: &Program, scene: &Scene) -> bool {
    let Ok(answer) = execute(program, scene) else { return false };
    steps(program.root()).into_iter().enumerate().all(|(position, step)| match step {
        _ if narrows(step) && program.output() == Type::Bool => leaves_something_out(program, step, scene),
        _ => {
            let shortened = Program::about(program.objects(), without_step(program.root(), position));
            !shortened
                .is_ok_and(|shortened| execute_on_labels(&shortened, scene).is_ok_and(|it| it.value == answer.value))
        }
    })
}

/// Whether a step surely leaves an object out on some frame, as the labels tell it.
fn leaves_something_out(program: &Program, step: &Expr, scene: &Scene) -> bool {
    let Some(of) = set_of(step) else { return false };
    let of = &without_ends(of.clone(), step);
    let margin = CountMargin { absolute: 1, relative: 0.0 };
    (0..).zip(scene.frames()).any(|(frame, _)| {
        let [left, right] = [step, of].map(|set| Box::new(at_frame(set, frame).count()));
        let fewer = Expr::Compare { left, relation: Relation::Less, right, margin };
        let fewer = Program::about(program.objects(), fewer);
        fewer.is_ok_and(|fewer| {
            execute_on_labels(&fewer, scene).is_ok_and(|answer| answer.value == Value::Bool { value: true })
        })
    })
}

/// The relation steps, each before its inputs.
fn steps(expr: &Expr) -> Vec<&Expr> {
    let own = is_step(expr).then_some(expr);
    own.into_iter().chain(expr.inputs().flat_map(|(_, input)| steps(input))).collect()
}

fn is_step(expr: &Expr) -> bool {
    narrows(expr) || chooses(expr)
}

/// Whether it leaves out members of a set by their places or measures.
fn narrows(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::WhereRegion { .. }
            | Expr::WhereMeasure { .. }
            | Expr::WhereWithin { .. }
            | Expr::WhereOn { .. }
            | Expr::WhereBetween { .. }
    )
}

/// Whether it picks one of several members of a set.
fn chooses(expr: &Expr) -> bool {
    matches!(expr, Expr::Extreme { .. } | Expr::Superlative { .. } | Expr::ByDistance { .. } | Expr::Kth { .. })
}

/// The set that a step looks at.
fn set_of(step: &Expr) -> Option<&Expr> {
    step.inputs().find(|(name, _)| *name == "of").map(|(_, input)| input)
}

/// The set of a step without the objects that the step measures from, which are no members of what it gives either: else the step
/// would matter by leaving out those alone. Everything is within such a distance of them.
fn without_ends(of: Expr, step: &Expr) -> Expr {
    let margin = MeasureMargin { min_visibility: 0.0, relative: 0.0, ..MeasureMargin::default() };
    let ends = step.inputs().filter(|(name, _)| ["centre", "one", "other", "to"].contains(name));
    ends.fold(of, |of, (_, end)| Expr::WhereWithin {
        of: Box::new(of),
        centre: Box::new(end.clone()),
        metres: FARTHER_THAN_ANYTHING_M,
        measure: DistanceMeasure::Ground,
        margin,
    })
}

/// The program without the relation step at a position of [`steps`].
fn without_step(root: &Expr, position: usize) -> Expr {
    let mut shortened = root.clone();
    remove_step(&mut shortened, &mut Some(position));
    shortened
}

/// Removes the step that `remaining` counts down to; `None` once that is done.
fn remove_step(expr: &mut Expr, remaining: &mut Option<usize>) {
    match (is_step(expr), *remaining) {
        (_, None) => return,
        (true, Some(0)) => {
            *remaining = None;
            if let Some(of) = set_of(expr).cloned() {
                let of = without_ends(of, expr);
                *expr = if chooses(expr) { of.unique() } else { of };
            }
            return;
        }
        (true, Some(more)) => *remaining = Some(more - 1),
        (false, Some(_)) => {}
    }
    expr.inputs_mut().for_each(|input| remove_step(input, remaining));
}

/// The expression with the frame of an enclosing loop made plain.
fn at_frame(expr: &Expr, frame: u32) -> Expr {
    fn place(expr: &mut Expr, frame: u32) {
        if matches!(expr, Expr::FrameObjects {}) {
            *expr = Expr::objects(frame);
        }
        expr.inputs_mut().for_each(|input| place(input, frame));
    }
    let mut placed = expr.clone();
    place(&mut placed, frame);
    placed
}
