//! The executor: one arm per op, and the handlers by theme.
//!
//! Total: a checked program on any scene gives an answer or a refusal. Bounded: every op is visited once, and a loop's
//! body once per frame; a handler is linear in objects and unknowns, or quadratic in the terms of its list.

mod directions;
mod frames;
mod measures;
mod numbers;
mod objects;
mod segments;
mod sets;
mod space;
mod terms;
mod times;

use crate::answer::{Answer, Facts, Unit, Value};
use crate::ast::{Expr, Relation, Term};
use crate::program::Program;
use crate::scene::{Scene, SceneFrame, SceneObject};
use crate::types::Type;
use crate::undefined::{MAX_NAMED_IDS, Reason, Undefined};
use numbers::IntRange;
use sets::ObjectSet;
use std::collections::BTreeSet;

/// Executes a program on a scene: the answer with its facts, or why there is none.
pub fn execute(program: &Program, scene: &Scene) -> Result<Answer, Undefined> {
    run(program, scene, false)
}

/// Executes a program on a scene as the labels alone tell it, without unknowns. The answer is not certain.
pub(crate) fn execute_on_labels(program: &Program, scene: &Scene) -> Result<Answer, Undefined> {
    run(program, scene, true)
}

fn run(program: &Program, scene: &Scene, labels_only: bool) -> Result<Answer, Undefined> {
    let mut machine = Machine {
        scene,
        labels_only,
        loop_frame: None,
        path: vec!["root".to_owned()],
        facts: Facts::default(),
        ids: BTreeSet::new(),
    };
    if scene.frames().iter().any(|frame| frame.kind() != program.objects()) {
        return Err(machine.placed(Undefined::naming(Reason::OtherObjects, [])));
    }
    let outcome = machine.compute(program.root())?;
    let value = outcome.into_value(program.output()).map_err(|undefined| machine.placed(undefined))?;
    Ok(Answer { value, facts: machine.into_facts() })
}

/// What an op gave.
enum Outcome<'s> {
    Set(ObjectSet<'s>),
    Object(&'s SceneObject),
    Int(IntRange),
    Bool(bool),
    Value(Value),
}

impl Outcome<'_> {
    fn into_value(self, output: Type) -> Result<Value, Undefined> {
        match (self, output) {
            (Self::Value(value), _) => Ok(value),
            (Self::Bool(value), _) => Ok(Value::Bool { value }),
            (Self::Int(range), Type::Int(unit)) => Ok(Value::Int { value: range.exact()?, unit }),
            _ => unreachable!("a checked program ends in an answer of its own type"),
        }
    }
}

/// State of one execution.
struct Machine<'s> {
    scene: &'s Scene,
    /// Whether unknowns are left out.
    labels_only: bool,
    /// Frame that the loop is at; none outside loops.
    loop_frame: Option<u32>,
    path: Vec<String>,
    facts: Facts,
    /// Objects that the answer rests on.
    ids: BTreeSet<&'s str>,
}

impl<'s> Machine<'s> {
    /// One op: inputs first, then its handler; refusals get the path of the op, numbers go to the facts.
    fn compute(&mut self, expr: &Expr) -> Result<Outcome<'s>, Undefined> {
        let outcome = self.apply(expr).map_err(|undefined| self.placed(undefined))?;
        match &outcome {
            Outcome::Int(range) => self.note(range.labelled().into()),
            Outcome::Bool(value) => self.note(u64::from(*value).into()),
            Outcome::Value(Value::Float { value, .. }) => {
                if let Some(number) = serde_json::Number::from_f64(*value) {
                    self.note(number);
                }
            }
            Outcome::Set(_) | Outcome::Object(_) | Outcome::Value(_) => {}
        }
        Ok(outcome)
    }

    /// One arm per op: long, as it is the list of the language.
    fn apply(&mut self, expr: &Expr) -> Result<Outcome<'s>, Undefined> {
        Ok(match expr {
            Expr::Objects { frame } => Outcome::Set(self.all_objects(*frame)?),
            Expr::FrameObjects {} => {
                let frame = self.loop_frame.unwrap_or_else(|| unreachable!("checked: frame_objects stands in a loop"));
                Outcome::Set(self.all_objects(frame)?)
            }
            Expr::WhereCategory { of, any_of } => Outcome::Set(self.set(of)?.where_category(any_of)),
            Expr::WhereRegion { of, area, inside } => Outcome::Set(self.set(of)?.where_region(area, inside)),
            Expr::Count { of } => Outcome::Int(numbers::count(&self.final_set(of)?)),
            Expr::Exists { of } => Outcome::Bool(self.final_set(of)?.exists()?),
            Expr::Unique { of } => {
                let object = objects::unique(&self.set(of)?)?;
                self.chosen(object)
            }
            Expr::Extreme { of, by, margin } => {
                let object = objects::extreme(&self.set(of)?, *by, margin)?;
                self.chosen(object)
            }
            Expr::ObjectAt { frame, at, rule } => {
                let object = objects::object_at(&self.all_objects(*frame)?, at, rule)?;
                self.chosen(object)
            }
            Expr::CategoryOf { of, among } => Outcome::Value(terms::category_of(self.object(of)?, among)?),
            Expr::BoxOf { of } => Outcome::Value(Value::normalised_box(self.object(of)?.normalised)),
            Expr::AreaShare { of } => {
                let value = self.object(of)?.image_share;
                Outcome::Value(Value::Float { value, unit: Unit::Share })
            }
            Expr::BoxesOf { of } => Outcome::Value(self.final_set(of)?.boxes()?),
            Expr::PresentTerms { of, among } => Outcome::Value(terms::present(&self.term_set(of, among)?, among)?),
            Expr::MostNumerous { of, among, margin } => {
                Outcome::Value(terms::ahead(&self.term_set(of, among)?, among, Relation::Greater, margin)?)
            }
            Expr::Fewest { of, among, margin } => {
                Outcome::Value(terms::ahead(&self.term_set(of, among)?, among, Relation::Less, margin)?)
            }
            Expr::Difference { left, right } => {
                let left = self.int("left", left)?;
                Outcome::Int(left.minus(&self.int("right", right)?))
            }
            Expr::Compare { left, relation, right, margin } => {
                let left = self.int("left", left)?;
                let order = left.compare(&self.int("right", right)?, margin)?;
                Outcome::Bool(order == *relation)
            }
            Expr::CountTracks { frames, each } => Outcome::Int(self.count_tracks(frames, each)?),
            Expr::CountFramesWhere { frames, each } => Outcome::Int(self.count_frames_where(frames, each)?),
            Expr::CountAtStart { segment, each, margin } => Outcome::Int(self.count_at_start(*segment, each, margin)?),
            Expr::CountSegmentTracks { segment, each } => Outcome::Int(self.count_segment_tracks(*segment, each)?),
            Expr::SegmentWith { each } => Outcome::Value(self.segment_with(each)?),
            Expr::FirstAppearances { each, among, margin } => {
                Outcome::Value(self.first_appearances(each, among, margin)?)
            }
            Expr::Kth { of, along, position, margin } => {
                let object = objects::kth(&self.set(of)?, *along, *position, margin)?;
                self.chosen(object)
            }
            Expr::InFrame { of, frame } => {
                let object = self.in_frame("of", of, *frame)?;
                self.chosen(object)
            }
            _ => self.apply_in_space(expr)?,
        })
    }

    fn input(&mut self, name: impl Into<String>, expr: &Expr) -> Result<Outcome<'s>, Undefined> {
        self.path.push(name.into());
        let outcome = self.compute(expr)?;
        self.path.pop();
        Ok(outcome)
    }

    fn set(&mut self, of: &Expr) -> Result<ObjectSet<'s>, Undefined> {
        self.set_named("of", of)
    }

    fn set_named(&mut self, name: impl Into<String>, expr: &Expr) -> Result<ObjectSet<'s>, Undefined> {
        match self.input(name, expr)? {
            Outcome::Set(set) => Ok(set),
            _ => unreachable!("checked: `{}` gives a set", expr.op()),
        }
    }

    /// The set that an answer is read from: its members are what the answer rests on.
    fn final_set(&mut self, of: &Expr) -> Result<ObjectSet<'s>, Undefined> {
        let set = self.set(of)?;
        self.ids.extend(set.member_ids());
        Ok(set)
    }

    /// The set that several terms are looked up in, without what belongs to none of them; facts get the count of each.
    fn term_set(&mut self, of: &Expr, among: &[Term]) -> Result<ObjectSet<'s>, Undefined> {
        let all: Vec<String> = among.iter().flat_map(|term| term.any_of.iter().cloned()).collect();
        let set = self.set(of)?.where_category(&all);
        self.ids.extend(set.member_ids());
        for term in among {
            let count = numbers::count(&set.clone().where_category(&term.any_of)).labelled();
            self.note_at(format!("{}[{}]", self.path.join("."), term.term), count.into());
        }
        Ok(set)
    }

    fn object(&mut self, of: &Expr) -> Result<&'s SceneObject, Undefined> {
        self.object_named("of", of)
    }

    fn object_named(&mut self, name: &str, expr: &Expr) -> Result<&'s SceneObject, Undefined> {
        match self.input(name, expr)? {
            Outcome::Object(object) => Ok(object),
            _ => unreachable!("checked: `{}` gives an object", expr.op()),
        }
    }

    fn float(&mut self, name: &str, expr: &Expr) -> Result<f64, Undefined> {
        match self.input(name, expr)? {
            Outcome::Value(Value::Float { value, .. }) => Ok(value),
            _ => unreachable!("checked: `{}` gives a float", expr.op()),
        }
    }

    fn int(&mut self, name: &str, expr: &Expr) -> Result<IntRange, Undefined> {
        match self.input(name, expr)? {
            Outcome::Int(range) => Ok(range),
            _ => unreachable!("checked: `{}` gives an int", expr.op()),
        }
    }

    fn bool(&mut self, name: impl Into<String>, expr: &Expr) -> Result<bool, Undefined> {
        match self.input(name, expr)? {
            Outcome::Bool(value) => Ok(value),
            _ => unreachable!("checked: `{}` gives a bool", expr.op()),
        }
    }

    fn all_objects(&self, position: u32) -> Result<ObjectSet<'s>, Undefined> {
        let frame = self.frame(position)?;
        Ok(if self.labels_only { ObjectSet::of_labels(frame) } else { ObjectSet::of_frame(frame) })
    }

    fn frame(&self, position: u32) -> Result<&'s SceneFrame, Undefined> {
        let found = usize::try_from(position).ok().and_then(|position| self.scene.frames().get(position));
        found.ok_or_else(|| {
            Undefined::naming(Reason::NoSuchFrame, []).measured(position.into(), self.scene.frames().len() as f64)
        })
    }

    fn chosen(&mut self, object: &'s SceneObject) -> Outcome<'s> {
        self.ids.insert(&object.id);
        Outcome::Object(object)
    }

    fn note(&mut self, number: serde_json::Number) {
        self.note_at(self.path.join("."), number);
    }

    fn note_at(&mut self, path: String, number: serde_json::Number) {
        if self.facts.values.len() < MAX_NAMED_IDS {
            self.facts.values.insert(path, number);
        }
    }

    /// The refusal with the path of the op that it came from: the innermost one, which is the first to see it.
    fn placed(&self, undefined: Undefined) -> Undefined {
        if undefined.path.is_empty() { Undefined { path: self.path.join("."), ..undefined } } else { undefined }
    }

    fn into_facts(mut self) -> Facts {
        self.facts.object_count = self.ids.len();
        self.facts.objects = self.ids.into_iter().take(MAX_NAMED_IDS).map(str::to_owned).collect();
        self.facts
    }
}
