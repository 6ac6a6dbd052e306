//! How questions name objects: expressions that each lead to one object without doubt.

use crate::asking::words::Place;
use crate::space_qa::config::SpaceMargins;
use std::collections::BTreeMap;
use uavgen_programs::{
    AreaName, AtRule, Expr, ExtremeBy, InsideRule, Measure, MeasureMargin, ObjectKind, Program, Relation, Scene,
    SceneFrame, SceneObject, execute, relation_steps_matter,
};

/// Largest place in an order that a question counts to.
const MOST_ORDINAL: u32 = 3;

/// The ways to name each object of a frame, by id.
pub struct References<'s> {
    frame: &'s SceneFrame,
    position: u32,
    by_object: BTreeMap<&'s str, Vec<Expr>>,
}

impl<'s> References<'s> {
    /// Tries every way on every class of the frame, and keeps those with a certain outcome.
    pub fn of(scene: &'s Scene, position: u32, margins: &SpaceMargins) -> Option<Self> {
        let frame = scene.frames().get(position as usize)?;
        let mut by_object: BTreeMap<&str, Vec<Expr>> = BTreeMap::new();
        let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
        for object in frame.objects() {
            *classes.entry(&object.category).or_default() += 1;
        }
        for (class, count) in classes {
            for expr in ways(class, count, position, margins) {
                if let Some(object) = named(&expr, scene, frame) {
                    by_object.entry(&object.id).or_default().push(expr);
                }
            }
        }
        Some(Self { frame, position, by_object })
    }

    /// Objects of the frame.
    pub fn objects(&self) -> &'s [SceneObject] {
        self.frame.objects()
    }

    /// The ways to name an object in words; by its box where there is none.
    pub fn ways(&self, object: &SceneObject) -> Vec<Expr> {
        self.by_object.get(object.id.as_str()).cloned().unwrap_or_else(|| {
            let at = object.normalised.quantised().into();
            vec![Expr::ObjectAt { frame: self.position, at, rule: AtRule::default() }]
        })
    }
}

/// Every way that an object of a class may be named by.
fn ways(class: &str, count: usize, position: u32, margins: &SpaceMargins) -> Vec<Expr> {
    let all = || Expr::objects(position).where_category([class]);
    if count == 1 {
        return vec![all().unique()];
    }
    let whole = || Box::new(Expr::WhereWhole { of: Box::new(all()) });
    let sides = [ExtremeBy::Left, ExtremeBy::Right, ExtremeBy::Top, ExtremeBy::Bottom];
    let ordinals = sides.into_iter().flat_map(|along| (1..=MOST_ORDINAL).map(move |place| (along, place)));
    let mut ways: Vec<Expr> =
        ordinals.map(|(along, position)| Expr::Kth { of: whole(), along, position, margin: margins.side() }).collect();
    ways.push(Expr::Extreme { of: whole(), by: ExtremeBy::NearestToCentre, margin: margins.side() });
    let most = |measure, margin: MeasureMargin| Expr::Superlative {
        of: whole(),
        measure,
        relation: Relation::Greater,
        margin,
    };
    ways.push(most(Measure::Height, margins.heights()));
    ways.push(most(Measure::Footprint, margins.footprints()));
    let halves = Place::named().filter(|place| place.area.is_some_and(|area| AreaName::HALVES.contains(&area.name)));
    ways.extend(halves.map(|place| place.narrow(all(), InsideRule::default()).unique()));
    ways
}

/// The object that an expression leads to, and only with all of its steps.
fn named<'s>(expr: &Expr, scene: &Scene, frame: &'s SceneFrame) -> Option<&'s SceneObject> {
    let program = Program::about(ObjectKind::Lifted, expr.clone().box_of()).ok()?;
    let answer = execute(&program, scene).ok()?;
    let [id] = answer.facts.objects.as_slice() else { return None };
    if relation_steps_matter(&program, scene) { frame.object(id) } else { None }
}
