//! A variant of the taxonomy with its holes filled: the program, and what its wordings say.

use super::subject::Subject;
use crate::space_qa::config::SpaceMargins;
use crate::space_qa::taxonomy::Variant;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use uavgen_programs::wording::lifted::{Phrases, comparative, with_article};
use uavgen_programs::{Expr, ObjectKind, Program};

/// What is wrong with a variant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VariantFault {
    /// The program has a hole that nothing fills, or a margin that there is not.
    #[error("nothing fills `{0}`")]
    Hole(String),
    /// With its holes filled it is no program.
    #[error("no program: {0}")]
    Program(String),
    /// A wording asks for a phrase that nothing has.
    #[error("nothing is called `{{{0}}}`")]
    Phrase(String),
}

/// A program with the phrases of its parts.
pub struct Filled {
    /// The program.
    pub program: Program,
    /// Named ops of it.
    named: BTreeMap<String, Expr>,
}

/// Puts what was drawn into the holes of a variant's program.
///
/// # Errors
/// What is wrong with the variant.
pub fn fill(variant: &Variant, slots: &BTreeMap<String, Json>, margins: &SpaceMargins) -> Result<Filled, VariantFault> {
    let mut parts = BTreeMap::new();
    let root = resolve(&variant.program, slots, margins, &mut parts)?;
    let expr =
        |json: Json| serde_json::from_value::<Expr>(json).map_err(|error| VariantFault::Program(error.to_string()));
    let program = Program::about(ObjectKind::Lifted, expr(root)?);
    let program = program.map_err(|error| VariantFault::Program(error.to_string()))?;
    let mut named = BTreeMap::new();
    for (name, part) in parts {
        named.insert(name, expr(part)?);
    }
    // Objects that were drawn are called as their slot is.
    for (name, value) in slots {
        if value.get("op").is_some() {
            named.insert(name.clone(), expr(value.clone())?);
        }
    }
    Ok(Filled { program, named })
}

fn resolve(
    json: &Json,
    slots: &BTreeMap<String, Json>,
    margins: &SpaceMargins,
    parts: &mut BTreeMap<String, Json>,
) -> Result<Json, VariantFault> {
    let Json::Object(fields) = json else { return Ok(json.clone()) };
    let text = |key: &str| fields.get(key).and_then(Json::as_str);
    if let Some(slot) = text("slot") {
        return slots.get(slot).cloned().ok_or_else(|| VariantFault::Hole(slot.to_owned()));
    }
    if let Some(margin) = text("margin").filter(|_| fields.len() == 1) {
        return margins.named(margin).ok_or_else(|| VariantFault::Hole(margin.to_owned()));
    }
    let mut resolved = serde_json::Map::new();
    for (key, value) in fields.iter().filter(|(key, _)| *key != "as") {
        resolved.insert(key.clone(), resolve(value, slots, margins, parts)?);
    }
    if let Some(name) = text("as") {
        parts.insert(name.to_owned(), Json::Object(resolved.clone()));
    }
    Ok(Json::Object(resolved))
}

impl Filled {
    /// The text of a placeholder.
    ///
    /// # Errors
    /// A name that nothing has.
    pub fn phrase(&self, name: &str, subject: &Subject) -> Result<String, VariantFault> {
        let unknown = || VariantFault::Phrase(name.to_owned());
        match name {
            "north" => return north(subject).ok_or_else(unknown),
            "interval" => return subject.interval_s().map(|seconds| format!("{seconds:.1} s")).ok_or_else(unknown),
            _ => {}
        }
        let phrases = Phrases::of(&self.program);
        let (part, form) = name.split_once('.').unwrap_or((name, ""));
        let expr = self.named.get(part).ok_or_else(unknown)?;
        let phrase = match (expr, form) {
            (Expr::Compare { left, relation, .. } | Expr::CompareMeasures { left, relation, .. }, "") => {
                comparative(left, *relation).map(str::to_owned)
            }
            (_, "one") => phrases.set(expr),
            (_, "a") => phrases.set(expr).map(|set| with_article(&set)),
            (_, "") => phrases.object(expr).or_else(|| phrases.sets(expr)),
            _ => None,
        };
        phrase.ok_or_else(unknown)
    }
}

/// Where north is in the first image, the only cue to compass directions.
fn north(subject: &Subject) -> Option<String> {
    let degrees = subject.views().next()?.north_in_image_rad().to_degrees().rem_euclid(360.0).round() % 360.0;
    let which = if subject.frames.len() > 1 { "the first image" } else { "the image" };
    Some(format!("In {which}, north points {degrees}° clockwise from the top."))
}
