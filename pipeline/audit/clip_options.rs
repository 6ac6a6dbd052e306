//! Whether the options and the places of an item about a clip are those of the clip.

use crate::clip_plans::ClipPlan;
use uavgen_programs::{Answer, Expr, Program, Scene, Value};
use uavgen_schemas::QaItem;

/// What is wrong with an item about a clip whose program gives this answer on its scene; null when nothing is.
pub(crate) fn contradiction(
    item: &QaItem,
    program: &Program,
    clip: &ClipPlan,
    scene: &Scene,
    answer: &Answer,
) -> Option<String> {
    if !clip.fills && looks_at_an_area(program.root()) {
        return Some("it asks about an area, and the pictures of its clip are not all of one shape".to_owned());
    }
    let options: Vec<Value> = serde_json::from_str(&item.options_json).ok()?;
    let none = |option: &&Value| match (program.root(), option) {
        // The count of a clip is known to the program: it refuses unless all are.
        (Expr::CountAtStart { .. }, Value::Int { value, .. }) => {
            let mut counts = answer.facts.values.iter().filter(|(path, _)| path.starts_with("root.segment["));
            !counts.any(|(_, count)| count.as_i64() == Some(*value))
        }
        (_, Value::Segment { position }) => usize::try_from(*position).is_ok_and(|at| at >= scene.segments().len()),
        _ => false,
    };
    let option = options.iter().find(none)?;
    Some(format!("option {:?} belongs to none of the {} pieces of its clip", option.text(), scene.segments().len()))
}

fn looks_at_an_area(expr: &Expr) -> bool {
    matches!(expr, Expr::WhereRegion { .. }) || expr.inputs().any(|(_, input)| looks_at_an_area(input))
}
