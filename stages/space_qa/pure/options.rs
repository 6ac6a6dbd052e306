//! What stands beside an answer.

use crate::asking::options::{COUNT_OPTIONS, Options, has_room, wrong_counts};
use uavgen_core::Draw;
use uavgen_programs::{Expr, Program, Value};

/// Factors from one option to the next larger one, in hundredths: far enough apart for who measures within a tenth.
const FACTORS: std::ops::RangeInclusive<usize> = 130..=170;

/// Wrong options for an answer; null where it cannot have the rank that was drawn for it.
pub(crate) fn options(draw: &Draw, key: &str, program: &Program, answer: &Value) -> Option<Options> {
    let rank = draw.below(COUNT_OPTIONS, &["rank", key]);
    Some(match answer {
        Value::Bool { value } => Options::One(vec![Value::Bool { value: !value }]),
        Value::Int { value, unit } => {
            if !has_room(*value, rank, None) {
                return None;
            }
            let wrong = wrong_counts(draw, key, *value, rank, None);
            Options::One(wrong.into_iter().map(|value| Value::Int { value, unit: *unit }).collect())
        }
        Value::Float { value, unit } => {
            let factor = (FACTORS.start() + draw.below(FACTORS.count(), &["factor", key])) as f64 / 100.0;
            // The answer is one of a row of numbers that grow by one factor, at the place that was drawn.
            let steps = (0..COUNT_OPTIONS).filter(|step| *step != rank).map(|step| step as i32 - rank as i32);
            let wrong: Vec<Value> =
                steps.map(|step| Value::Float { value: value * factor.powi(step), unit: *unit }).collect();
            let mut texts: Vec<String> = wrong.iter().chain([answer]).map(Value::text).collect();
            texts.sort();
            texts.dedup();
            if texts.len() < COUNT_OPTIONS {
                return None;
            }
            Options::One(wrong)
        }
        Value::Direction { frame, sectors, sector } => {
            let others = (0..*sectors).filter(|other| other != sector);
            let others = draw.shuffled(others, &["direction", key], u32::to_string);
            let wrong = others.into_iter().take(COUNT_OPTIONS - 1);
            Options::One(wrong.map(|sector| Value::Direction { frame: *frame, sectors: *sectors, sector }).collect())
        }
        Value::Category { term, .. } => {
            let (Expr::CategoryOf { among, .. } | Expr::SurfaceOf { among, .. }) = program.root() else { return None };
            Options::One(among.iter().filter(|other| other.term != *term).map(Value::category).collect())
        }
        _ => Options::Open,
    })
}
