//! Whether the options of a computed item are such as its answer could be one of, and tell nothing by themselves.

use uavgen_programs::taxonomy::{by_word, confusable};
use uavgen_programs::wording::lifted::class_word;
use uavgen_programs::{Expr, ObjectKind, Program, Term, Value};
use uavgen_schemas::{AnswerType, QaItem};

/// What is wrong with the options; null when nothing is. What cannot be read is told elsewhere.
pub(crate) fn contradiction(item: &QaItem) -> Option<String> {
    let options: Vec<Value> = serde_json::from_str(&item.options_json).ok()?;
    let answer = Value::parse(&item.answer_json).ok()?;
    if let Some(option) = options.iter().find(|option| !is_like(option, &answer)) {
        return Some(format!("option {} is of another type or unit than the answer", option.to_canonical_json()));
    }
    if let Some(option) = options.iter().find(|option| matches!(option, Value::Int { value: ..0, .. })) {
        return Some(format!("option {} counts less than nothing", option.text()));
    }
    let terms: Vec<Term> = options.iter().filter_map(term).collect();
    if let Some(option) = options.iter().find(|option| !is_an_order_of(option, item)) {
        return Some(format!("option {:?} is no order of the kinds that the program looks for", option.text()));
    }
    let lifted = Program::parse(&item.program).is_ok_and(|program| program.objects() == ObjectKind::Lifted);
    if let Some(term) = terms.iter().find(|term| !is_word_for(term, lifted)) {
        return Some(format!("{:?} does not stand for {} in any question", term.term, term.any_of.join(", ")));
    }
    // Of several right options each is right or wrong by itself.
    if item.answer_type == AnswerType::Category {
        let mut pairs = terms.iter().enumerate().flat_map(|(at, a)| terms[at + 1..].iter().map(move |b| (a, b)));
        if let Some((a, b)) = pairs.find(|(a, b)| confusable(a, b)) {
            return Some(format!("options {:?} and {:?} are mixed up with each other", a.term, b.term));
        }
    }
    differs_from_program(item, terms)
}

/// Whether an option is what the answer could be: of its type and unit, or one of its terms.
fn is_like(option: &Value, answer: &Value) -> bool {
    match (option, answer) {
        (Value::Int { unit, .. }, Value::Int { unit: own, .. })
        | (Value::Float { unit, .. }, Value::Float { unit: own, .. }) => unit == own,
        (Value::Category { .. }, Value::Categories { .. }) => true,
        _ => std::mem::discriminant(option) == std::mem::discriminant(answer),
    }
}

/// Whether an order has every kind that the program looks for, once. True for any other option.
fn is_an_order_of(option: &Value, item: &QaItem) -> bool {
    let Value::Order { values } = option else { return true };
    let Ok(program) = Program::parse(&item.program) else { return true };
    let Expr::FirstAppearances { among, .. } = program.root() else { return true };
    let (mut values, mut among) = (values.clone(), among.clone());
    values.sort();
    among.sort();
    values == among
}

/// Whether questions say the word for these categories: one of the vocabulary, or of lifted objects the name of their class.
fn is_word_for(term: &Term, lifted: bool) -> bool {
    match term.any_of.as_slice() {
        [class] if lifted => class_word(class) == term.term,
        _ => by_word(&term.term).is_some_and(|entry| entry.term() == *term),
    }
}

fn term(option: &Value) -> Option<Term> {
    match option {
        Value::Category { term, any_of } => Some(Term::new(term, any_of.iter().map(String::as_str))),
        _ => None,
    }
}

/// Options of a question "which of these" are the terms that its program compares.
fn differs_from_program(item: &QaItem, mut terms: Vec<Term>) -> Option<String> {
    let program = Program::parse(&item.program).ok()?;
    let among = match program.root() {
        Expr::CategoryOf { among, .. }
        | Expr::SurfaceOf { among, .. }
        | Expr::PresentTerms { among, .. }
        | Expr::MostNumerous { among, .. }
        | Expr::Fewest { among, .. } => among,
        _ => return None,
    };
    terms.sort();
    let mut among = among.clone();
    among.sort();
    let words = |terms: &[Term]| terms.iter().map(|term| term.term.clone()).collect::<Vec<_>>().join(", ");
    (terms != among).then(|| format!("the program compares [{}], the options are [{}]", words(&among), words(&terms)))
}
