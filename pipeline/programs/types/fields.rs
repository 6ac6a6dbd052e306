//! Checks of the fields of ops: lists, boxes and margins.

use super::Checker;
use crate::area::{Area, AreaName, BoxEdges};
use crate::ast::Term;
use crate::margins::{AngleMargin, AtRule, CountMargin, ExtremeMargin, InsideRule, MeasureMargin, TimeMargin};
use crate::program::{MAX_LIST, MAX_WORD_BYTES, ProgramError};
use std::collections::BTreeSet;
use uavgen_geometry::NormalisedBox;

impl Checker {
    pub(super) fn categories(&self, any_of: &[String]) -> Result<(), ProgramError> {
        if any_of.is_empty() || any_of.len() > MAX_LIST {
            return Err(self.problem(format!("`any_of` has {} entries, allowed are 1 to {MAX_LIST}", any_of.len())));
        }
        if any_of.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(self.problem("`any_of` names a category twice"));
        }
        any_of.iter().try_for_each(|category| self.word("any_of", category))
    }

    pub(super) fn terms(&self, among: &[Term]) -> Result<(), ProgramError> {
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

    pub(super) fn word(&self, field: &str, word: &str) -> Result<(), ProgramError> {
        if word.is_empty() || word.len() > MAX_WORD_BYTES {
            return Err(self.problem(format!("`{field}` holds a word of {} bytes", word.len())));
        }
        Ok(())
    }

    pub(super) fn area(&self, area: &Area) -> Result<(), ProgramError> {
        self.edges(&area.edges)?;
        if area.name != AreaName::Custom && area.name.edges() != Some(area.edges) {
            return Err(self.problem(format!("`area` is named {:?} but has other edges", area.name)));
        }
        Ok(())
    }

    pub(super) fn edges(&self, edges: &BoxEdges) -> Result<(), ProgramError> {
        let checked = NormalisedBox::try_from(*edges).map_err(|error| self.problem(error.to_string()))?;
        if checked.is_empty() { Err(self.problem("the box has no area")) } else { Ok(()) }
    }

    pub(super) fn inside_rule(&self, rule: &InsideRule) -> Result<(), ProgramError> {
        let InsideRule { share, refuse_from, refuse_to } = *rule;
        let ordered = 0.0 < refuse_from && refuse_from <= share && share <= refuse_to && refuse_to <= 1.0;
        self.require(ordered, "`inside` needs 0 < refuse_from <= share <= refuse_to <= 1")
    }

    pub(super) fn at_rule(&self, rule: &AtRule) -> Result<(), ProgramError> {
        let ordered = 0.0 < rule.rival_iou && rule.rival_iou <= rule.min_iou && rule.min_iou <= 1.0;
        self.require(ordered, "`rule` needs 0 < rival_iou <= min_iou <= 1")?;
        let valid = 0.0 < rule.rival_cover && rule.rival_cover <= 1.0;
        self.require(valid, "`rule` needs 0 < rival_cover <= 1")
    }

    pub(super) fn count_margin(&self, margin: &CountMargin) -> Result<(), ProgramError> {
        let valid = margin.absolute >= 1 && (0.0..1.0).contains(&margin.relative);
        self.require(valid, "`margin` needs absolute >= 1 and 0 <= relative < 1")
    }

    pub(super) fn time_margin(&self, margin: &TimeMargin) -> Result<(), ProgramError> {
        let valid = margin.seconds.is_finite() && margin.seconds >= 0.0;
        self.require(valid, "`margin` needs a number of seconds of at least 0")
    }

    pub(super) fn extreme_margin(&self, margin: &ExtremeMargin) -> Result<(), ProgramError> {
        let valid = (0.0..1.0).contains(&margin.side_share) && (0.0..1.0).contains(&margin.area_share);
        self.require(valid, "`margin` needs shares of at least 0 and below 1")
    }

    pub(super) fn require(&self, valid: bool, problem: &str) -> Result<(), ProgramError> {
        if valid { Ok(()) } else { Err(self.problem(problem)) }
    }

    pub(super) fn measure_margin(&self, margin: &MeasureMargin) -> Result<(), ProgramError> {
        let valid = margin.absolute > 0.0 && margin.absolute.is_finite() && (0.0..1.0).contains(&margin.relative);
        self.require(valid, "`margin` needs absolute > 0 and 0 <= relative < 1")?;
        self.visibility(margin.min_visibility)
    }

    /// A margin of an angle that leaves something of a sector.
    pub(super) fn angle_margin(&self, margin: &AngleMargin, sectors: u32) -> Result<(), ProgramError> {
        let half = 180.0 / f64::from(sectors);
        self.require((0.0..half).contains(&margin.degrees), "`margin` needs 0 <= degrees < half a sector")?;
        let least = margin.least_m > 0.0 && margin.least_m.is_finite() && (0.0..1.0).contains(&margin.least_share);
        self.require(least, "`margin` needs least_m > 0 and 0 <= least_share < 1")?;
        let tilt = (0.0..90.0).contains(&margin.min_tilt_degrees);
        self.require(tilt, "`margin` needs 0 <= min_tilt_degrees < 90")?;
        self.visibility(margin.min_visibility)
    }

    fn visibility(&self, share: f64) -> Result<(), ProgramError> {
        self.require((0.0..=1.0).contains(&share), "`margin` needs 0 <= min_visibility <= 1")
    }

    /// A number above 0.
    pub(super) fn positive(&self, field: &str, number: f64) -> Result<(), ProgramError> {
        self.require(number > 0.0 && number.is_finite(), &format!("`{field}` must be above 0"))
    }
}
