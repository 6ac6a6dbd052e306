//! How questions name objects: expressions that each lead to one object without doubt.

use crate::asking::words::Place;
use crate::space_qa::config::{SpaceMargins, SpaceQaConfig};
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
    in_words: BTreeMap<&'s str, Vec<Expr>>,
    by_box: BTreeMap<&'s str, Vec<Expr>>,
}

impl<'s> References<'s> {
    /// Tries every way on every class of the frame, and keeps those with a certain outcome.
    pub fn of(scene: &'s Scene, position: u32, config: &SpaceQaConfig) -> Option<Self> {
        let (frame, margins) = (scene.frames().get(position as usize)?, &config.margins);
        let is_near_nadir = frame.view().is_some_and(|view| view.tilt_rad() <= config.nadir_degrees.to_radians());
        let mut in_words: BTreeMap<&str, Vec<Expr>> = BTreeMap::new();
        let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
        for object in frame.objects() {
            *classes.entry(&object.category).or_default() += 1;
        }
        for (class, count) in classes {
            for expr in ways(class, count, position, is_near_nadir, margins) {
                if let Some(object) = named(&expr, scene, frame) {
                    in_words.entry(&object.id).or_default().push(expr);
                }
            }
        }
        let unnamed = frame.objects().iter().filter(|object| !in_words.contains_key(object.id.as_str()));
        let boxed = |object: &'s SceneObject| {
            let at = object.normalised.quantised().into();
            let expr = Expr::ObjectAt { frame: position, at, rule: AtRule::default() };
            named(&expr, scene, frame).filter(|found| found.id == object.id)?;
            Some((object.id.as_str(), vec![expr]))
        };
        let by_box = unnamed.filter_map(boxed).collect();
        Some(Self { frame, in_words, by_box })
    }

    /// Objects of the frame.
    pub fn objects(&self) -> &'s [SceneObject] {
        self.frame.objects()
    }

    /// Whether words name an object.
    pub fn has_words(&self, object: &SceneObject) -> bool {
        self.in_words.contains_key(object.id.as_str())
    }

    /// The ways to name an object: in words, or else by its box. None where its box shows another one as well.
    pub fn ways(&self, object: &SceneObject) -> &[Expr] {
        let id = object.id.as_str();
        self.in_words.get(id).or_else(|| self.by_box.get(id)).map_or(&[], Vec::as_slice)
    }
}

/// Every way that an object of a class may be named by.
fn ways(class: &str, count: usize, position: u32, is_near_nadir: bool, margins: &SpaceMargins) -> Vec<Expr> {
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
    // The far side of a roof is not seen from aside, and nothing tells.
    if is_near_nadir {
        ways.push(most(Measure::Footprint, margins.footprints()));
    }
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
