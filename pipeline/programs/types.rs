//! The type, unit and bounds checker.

use crate::answer::Unit;
use crate::ast::{Area, AreaName, BoxEdges, Expr, Term};
use crate::margins::{AtRule, CountMargin, ExtremeMargin, InsideRule, TimeMargin};
use crate::program::{MAX_DEPTH, MAX_FRAMES, MAX_LIST, MAX_NODES, MAX_WORD_BYTES, ProgramError};
use std::collections::BTreeSet;
use std::fmt;
use uavgen_geometry::NormalisedBox;

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

/// The type of a whole program, or what is wrong with it.
pub(crate) fn check(root: &Expr) -> Result<Type, ProgramError> {
    let output = Checker { path: vec!["root"], in_loop: false }.type_of(root)?;
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
}

impl Checker {
    /// One arm per op: long, as it is the list of the language.
    fn type_of(&mut self, expr: &Expr) -> Result<Type, ProgramError> {
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

    fn categories(&self, any_of: &[String]) -> Result<(), ProgramError> {
        if any_of.is_empty() || any_of.len() > MAX_LIST {
            return Err(self.problem(format!("`any_of` has {} entries, allowed are 1 to {MAX_LIST}", any_of.len())));
        }
        if any_of.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(self.problem("`any_of` names a category twice"));
        }
        any_of.iter().try_for_each(|category| self.word("any_of", category))
    }

    fn terms(&self, among: &[Term]) -> Result<(), ProgramError> {
        if among.len() < 2 || among.len() > MAX_LIST {
            return Err(self.problem(format!("`among` has {} terms, allowed are 2 to {MAX_LIST}", among.len())));
        }
        let (mut words, mut categories) = (BTreeSet::new(), BTreeSet::new());
        for term in among {
            self.word("term", &term.term)?;
            self.categories(&term.any_of)?;
            if !words.insert(&term.term) {
                return Err(self.problem(format!("`among` names `{}` twice", term.term)));
            }
            if let Some(shared) = term.any_of.iter().find(|category| !categories.insert(*category)) {
                return Err(self.problem(format!("two terms of `among` share the category `{shared}`")));
            }
        }
        Ok(())
    }

    fn word(&self, field: &str, word: &str) -> Result<(), ProgramError> {
        if word.is_empty() || word.len() > MAX_WORD_BYTES {
            return Err(self.problem(format!("`{field}` holds a word of {} bytes", word.len())));
        }
        Ok(())
    }

    fn area(&self, area: &Area) -> Result<(), ProgramError> {
        self.edges(&area.edges)?;
        if area.name != AreaName::Custom && area.name.edges() != Some(area.edges) {
            return Err(self.problem(format!("`area` is named {:?} but has other edges", area.name)));
        }
        Ok(())
    }

    fn edges(&self, edges: &BoxEdges) -> Result<(), ProgramError> {
        let checked = NormalisedBox::try_from(*edges).map_err(|error| self.problem(error.to_string()))?;
        if checked.is_empty() { Err(self.problem("the box has no area")) } else { Ok(()) }
    }

    fn inside_rule(&self, rule: &InsideRule) -> Result<(), ProgramError> {
        let InsideRule { share, refuse_from, refuse_to } = *rule;
        let ordered = 0.0 < refuse_from && refuse_from <= share && share <= refuse_to && refuse_to <= 1.0;
        self.require(ordered, "`inside` needs 0 < refuse_from <= share <= refuse_to <= 1")
    }

    fn at_rule(&self, rule: &AtRule) -> Result<(), ProgramError> {
        let ordered = 0.0 < rule.rival_iou && rule.rival_iou <= rule.min_iou && rule.min_iou <= 1.0;
        self.require(ordered, "`rule` needs 0 < rival_iou <= min_iou <= 1")?;
        let valid = 0.0 < rule.rival_cover && rule.rival_cover <= 1.0;
        self.require(valid, "`rule` needs 0 < rival_cover <= 1")
    }

    fn count_margin(&self, margin: &CountMargin) -> Result<(), ProgramError> {
        let valid = margin.absolute >= 1 && (0.0..1.0).contains(&margin.relative);
        self.require(valid, "`margin` needs absolute >= 1 and 0 <= relative < 1")
    }

    fn time_margin(&self, margin: &TimeMargin) -> Result<(), ProgramError> {
        let valid = margin.seconds.is_finite() && margin.seconds >= 0.0;
        self.require(valid, "`margin` needs a number of seconds of at least 0")
    }

    fn extreme_margin(&self, margin: &ExtremeMargin) -> Result<(), ProgramError> {
        let valid = (0.0..1.0).contains(&margin.side_share) && (0.0..1.0).contains(&margin.area_share);
        self.require(valid, "`margin` needs shares of at least 0 and below 1")
    }

    fn require(&self, valid: bool, problem: &str) -> Result<(), ProgramError> {
        if valid { Ok(()) } else { Err(self.problem(problem)) }
    }

    fn problem(&self, problem: impl Into<String>) -> ProgramError {
        ProgramError::Field { path: self.path.join("."), problem: problem.into() }
    }

    fn mismatch(&self, name: &str, expected: String, found: Type) -> ProgramError {
        ProgramError::Type { path: format!("{}.{name}", self.path.join(".")), expected, found }
    }
}
