//! The type, unit and bounds checker.

mod fields;

use crate::answer::Unit;
use crate::ast::{Expr, ExtremeBy};
use crate::directions::HOURS;
use crate::program::{MAX_DEPTH, MAX_FRAMES, MAX_NODES, ProgramError};
use crate::scene::ObjectKind;
use std::fmt;

/// Type of what an op gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// Objects of one frame.
    Set,
    /// One object.
    Object,
    /// Whole number with its unit.
    Int(Unit),
    /// Yes or no.
    Bool,
    /// Real number with its unit.
    Float(Unit),
    /// One term.
    Category,
    /// Any number of terms.
    Categories,
    /// One normalised box.
    Box,
    /// Any number of normalised boxes.
    Boxes,
    /// One segment of a clip.
    Segment,
    /// Terms in an order.
    Order,
    /// A direction.
    Direction,
}

impl Type {
    /// Whether a program may end here; sets and objects are steps on the way.
    pub fn is_answer(self) -> bool {
        !matches!(self, Self::Set | Self::Object)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set => f.write_str("set"),
            Self::Object => f.write_str("object"),
            Self::Int(unit) => write!(f, "int ({unit:?})"),
            Self::Bool => f.write_str("bool"),
            Self::Float(unit) => write!(f, "float ({unit:?})"),
            Self::Category => f.write_str("category"),
            Self::Categories => f.write_str("categories"),
            Self::Box => f.write_str("box"),
            Self::Boxes => f.write_str("boxes"),
            Self::Segment => f.write_str("segment"),
            Self::Order => f.write_str("order"),
            Self::Direction => f.write_str("direction"),
        }
    }
}

/// Refuses a tree beyond the bounds, before anything else walks it.
pub(crate) fn check_size(root: &Expr) -> Result<(), ProgramError> {
    let mut nodes = 0;
    let mut level = vec![root];
    for _ in 0..MAX_DEPTH {
        nodes += level.len();
        level = level.into_iter().flat_map(|expr| expr.inputs().map(|(_, input)| input)).collect();
        if nodes + level.len() > MAX_NODES {
            return Err(ProgramError::TooLarge);
        }
    }
    if level.is_empty() { Ok(()) } else { Err(ProgramError::TooLarge) }
}

/// The type of a whole program about objects of a kind, or what is wrong with it.
pub(crate) fn check(root: &Expr, objects: ObjectKind) -> Result<Type, ProgramError> {
    let output = Checker { path: vec!["root"], in_loop: false, objects }.type_of(root)?;
    if output.is_answer() {
        Ok(output)
    } else {
        Err(ProgramError::Type { path: "root".into(), expected: "an answer".into(), found: output })
    }
}

/// Walks the tree with the path to the op that it is at.
struct Checker {
    path: Vec<&'static str>,
    in_loop: bool,
    objects: ObjectKind,
}

impl Checker {
    /// One arm per op: long, as it is the list of the language.
    fn type_of(&mut self, expr: &Expr) -> Result<Type, ProgramError> {
        if expr.needs_space() && self.objects != ObjectKind::Lifted {
            return Err(self.problem(format!("`{}` needs objects with a place in space: `lifted` ones", expr.op())));
        }
        match expr {
            Expr::Objects { .. } => Ok(Type::Set),
            Expr::FrameObjects {} if self.in_loop => Ok(Type::Set),
            Expr::FrameObjects {} => Err(self.problem("frame_objects stands outside a loop (`each`)")),
            Expr::WhereCategory { of, any_of } => {
                self.categories(any_of)?;
                self.reads_set(of, Type::Set)
            }
            Expr::WhereRegion { of, area, inside } => {
                self.area(area)?;
                self.inside_rule(inside)?;
                self.reads_set(of, Type::Set)
            }
            Expr::Count { of } => self.reads_set(of, Type::Int(Unit::Objects)),
            Expr::Exists { of } => self.reads_set(of, Type::Bool),
            Expr::Unique { of } => self.reads_set(of, Type::Object),
            Expr::Extreme { of, margin, .. } => {
                self.extreme_margin(margin)?;
                self.reads_set(of, Type::Object)
            }
            Expr::ObjectAt { at, rule, .. } => {
                self.edges(at)?;
                self.at_rule(rule)?;
                Ok(Type::Object)
            }
            Expr::CategoryOf { of, among } => {
                self.terms(among)?;
                self.reads_object(of, Type::Category)
            }
            Expr::BoxOf { of } => self.reads_object(of, Type::Box),
            Expr::AreaShare { of } => self.reads_object(of, Type::Float(Unit::Share)),
            Expr::BoxesOf { of } => self.reads_set(of, Type::Boxes),
            Expr::PresentTerms { of, among } => {
                self.terms(among)?;
                self.reads_set(of, Type::Categories)
            }
            Expr::MostNumerous { of, among, margin } | Expr::Fewest { of, among, margin } => {
                self.terms(among)?;
                self.count_margin(margin)?;
                self.reads_set(of, Type::Category)
            }
            Expr::Difference { left, right } => self.same_unit(left, right).map(Type::Int),
            Expr::Compare { left, right, margin, .. } => {
                self.count_margin(margin)?;
                self.same_unit(left, right).map(|_| Type::Bool)
            }
            Expr::CountTracks { frames, each } => {
                self.each(frames, each, Type::Set)?;
                Ok(Type::Int(Unit::Tracks))
            }
            Expr::CountFramesWhere { frames, each } => {
                self.each(frames, each, Type::Bool)?;
                Ok(Type::Int(Unit::Frames))
            }
            Expr::CountAtStart { each, margin, .. } => {
                self.count_margin(margin)?;
                self.loops(each, Type::Set).map(|()| Type::Int(Unit::Objects))
            }
            Expr::CountSegmentTracks { each, .. } => self.loops(each, Type::Set).map(|()| Type::Int(Unit::Tracks)),
            Expr::SegmentWith { each } => self.loops(each, Type::Set).map(|()| Type::Segment),
            Expr::FirstAppearances { each, among, margin } => {
                self.terms(among)?;
                self.time_margin(margin)?;
                self.loops(each, Type::Set).map(|()| Type::Order)
            }
            Expr::WhereWhole { of } => self.reads_set(of, Type::Set),
            Expr::WhereMeasure { of, limit, margin, .. } => {
                self.positive("limit", *limit)?;
                self.measure_margin(margin)?;
                self.reads_set(of, Type::Set)
            }
            Expr::WhereWithin { of, centre, metres, margin, .. } => {
                self.positive("metres", *metres)?;
                self.measure_margin(margin)?;
                self.reads_set(of, Type::Set)?;
                self.expect("centre", centre, Type::Object).map(|()| Type::Set)
            }
            Expr::WhereOn { of, surface } => {
                self.word("surface", surface)?;
                self.reads_set(of, Type::Set)
            }
            Expr::WhereBetween { of, one, other, margin } => {
                self.measure_margin(margin)?;
                self.reads_set(of, Type::Set)?;
                self.expect("one", one, Type::Object)?;
                self.expect("other", other, Type::Object).map(|()| Type::Set)
            }
            Expr::WhereSeenFrom { of, margin, .. } => {
                self.extreme_margin(margin)?;
                self.reads_set(of, Type::Set)
            }
            Expr::Superlative { of, margin, .. } => {
                self.measure_margin(margin)?;
                self.reads_set(of, Type::Object)
            }
            Expr::ByDistance { of, to, margin, .. } => {
                self.measure_margin(margin)?;
                self.reads_set(of, Type::Object)?;
                self.expect("to", to, Type::Object).map(|()| Type::Object)
            }
            Expr::Kth { of, along, position, margin } => {
                self.require(*position >= 1, "`position` counts from 1")?;
                let side = matches!(along, ExtremeBy::Left | ExtremeBy::Right | ExtremeBy::Top | ExtremeBy::Bottom);
                self.require(side, "`along` must be left, right, top or bottom")?;
                self.extreme_margin(margin)?;
                self.reads_set(of, Type::Object)
            }
            Expr::InFrame { of, .. } => self.reads_object(of, Type::Object),
            Expr::MeasureOf { of, measure, margin } => {
                self.measure_margin(margin)?;
                self.reads_object(of, Type::Float(measure.unit()))
            }
            Expr::Distance { from, to, margin, .. } => {
                self.measure_margin(margin)?;
                self.two_objects(from, to, Type::Float(Unit::Metres))
            }
            Expr::Speed { from, to, margin } => {
                self.measure_margin(margin)?;
                self.two_objects(from, to, Type::Float(Unit::MetresPerSecond))
            }
            Expr::CompareMeasures { left, right, margin, .. } => {
                self.measure_margin(margin)?;
                let unit = match self.input("left", left)? {
                    Type::Float(unit) => unit,
                    found => return Err(self.mismatch("left", "float".into(), found)),
                };
                self.expect("right", right, Type::Float(unit)).map(|()| Type::Bool)
            }
            Expr::Bearing { from, to, frame, sectors, margin } => {
                let allowed = frame.sectors().contains(sectors);
                self.require(allowed, &format!("`sectors` of this `frame` must be one of {:?}", frame.sectors()))?;
                self.angle_margin(margin, *sectors)?;
                self.two_objects(from, to, Type::Direction)
            }
            Expr::ClockPosition { of, margin } => {
                self.angle_margin(margin, HOURS)?;
                self.reads_object(of, Type::Direction)
            }
            Expr::SurfaceOf { of, among } => {
                self.terms(among)?;
                self.reads_object(of, Type::Category)
            }
            Expr::StillThere { of, margin, .. } => {
                self.measure_margin(margin)?;
                self.reads_object(of, Type::Bool)
            }
        }
    }

    fn input(&mut self, name: &'static str, expr: &Expr) -> Result<Type, ProgramError> {
        self.path.push(name);
        let found = self.type_of(expr)?;
        self.path.pop();
        Ok(found)
    }

    fn reads_set(&mut self, of: &Expr, output: Type) -> Result<Type, ProgramError> {
        self.expect("of", of, Type::Set).map(|()| output)
    }

    fn reads_object(&mut self, of: &Expr, output: Type) -> Result<Type, ProgramError> {
        self.expect("of", of, Type::Object).map(|()| output)
    }

    fn two_objects(&mut self, from: &Expr, to: &Expr, output: Type) -> Result<Type, ProgramError> {
        self.expect("from", from, Type::Object)?;
        self.expect("to", to, Type::Object).map(|()| output)
    }

    fn expect(&mut self, name: &'static str, expr: &Expr, expected: Type) -> Result<(), ProgramError> {
        let found = self.input(name, expr)?;
        if found == expected { Ok(()) } else { Err(self.mismatch(name, expected.to_string(), found)) }
    }

    fn same_unit(&mut self, left: &Expr, right: &Expr) -> Result<Unit, ProgramError> {
        let unit = match self.input("left", left)? {
            Type::Int(unit) => unit,
            found => return Err(self.mismatch("left", "int".into(), found)),
        };
        self.expect("right", right, Type::Int(unit))?;
        Ok(unit)
    }

    fn each(&mut self, frames: &[u32], each: &Expr, expected: Type) -> Result<(), ProgramError> {
        if frames.is_empty() || frames.len() > MAX_FRAMES {
            return Err(self.problem(format!("`frames` has {} entries, allowed are 1 to {MAX_FRAMES}", frames.len())));
        }
        if frames.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(self.problem("`frames` names a frame twice"));
        }
        self.loops(each, expected)
    }

    fn loops(&mut self, each: &Expr, expected: Type) -> Result<(), ProgramError> {
        if self.in_loop {
            return Err(self.problem("a loop stands inside a loop"));
        }
        self.in_loop = true;
        self.expect("each", each, expected)?;
        self.in_loop = false;
        Ok(())
    }

    fn problem(&self, problem: impl Into<String>) -> ProgramError {
        ProgramError::Field { path: self.path.join("."), problem: problem.into() }
    }

    fn mismatch(&self, name: &str, expected: String, found: Type) -> ProgramError {
        ProgramError::Type { path: format!("{}.{name}", self.path.join(".")), expected, found }
    }
}
