//! The answer of an item against the value that its program gives.

use uavgen_programs::Value;
use uavgen_schemas::{AnswerType, QaItem};

/// What contradicts the computed value; empty when the item is right.
pub(crate) fn contradictions(item: &QaItem, value: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    let computed = value.to_canonical_json();
    if computed != item.answer_json {
        problems.push(format!("the program gives {computed}, stored is {}", item.answer_json));
    }
    if item.answer_type != value.answer_type() {
        problems.push(format!("the program gives {:?}, answer_type is {:?}", value.answer_type(), item.answer_type));
    }
    if item.options.is_empty() {
        if item.answer != value.text() {
            problems.push(format!("the program gives {:?}, the answer is {:?}", value.text(), item.answer));
        }
    } else {
        problems.extend(option_contradictions(item, value));
    }
    problems
}

/// Whether options and answer of the type are values of the answer language. Free texts are not.
pub(crate) fn has_value_type(answer_type: AnswerType) -> bool {
    !matches!(answer_type, AnswerType::Choice | AnswerType::Text | AnswerType::NotExist)
}

fn option_contradictions(item: &QaItem, value: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    let by_text = right_positions(&item.options, |option| is_right_text(value, option));
    let mut ways = vec![("options", by_text)];
    // Options that cannot be read are a fault of their own.
    if let Ok(typed) = serde_json::from_str::<Vec<Value>>(&item.options_json) {
        ways.push(("options_json", right_positions(&typed, |option| is_right(value, option))));
    }
    for (column, right) in ways {
        if right != item.answer_indices {
            let marked = &item.answer_indices;
            problems.push(format!("by the program right in {column} are {right:?}, marked are {marked:?}"));
        }
    }
    if let Value::Categories { values } = value
        && let Some(left_out) = values.iter().find(|term| !item.options.contains(&term.term))
    {
        problems.push(format!("{:?} is right and not among the options", left_out.term));
    }
    problems
}

fn right_positions<T>(options: &[T], is_right: impl Fn(&T) -> bool) -> Vec<i32> {
    (0..).zip(options).filter(|(_, option)| is_right(option)).map(|(position, _)| position).collect()
}

fn is_right(value: &Value, option: &Value) -> bool {
    match (value, option) {
        (Value::Categories { values }, Value::Category { term, any_of }) => {
            values.iter().any(|right| right.term == *term && right.any_of == *any_of)
        }
        _ => value == option,
    }
}

fn is_right_text(value: &Value, option: &str) -> bool {
    match value {
        Value::Categories { values } => values.iter().any(|right| right.term == option),
        _ => value.text() == option,
    }
}
