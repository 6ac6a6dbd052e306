//! What lifting may be told.

use crate::LiftingError;

/// Options of lifting, with defaults for photographs from some tens to a few hundred metres.
#[derive(Debug, Clone, PartialEq)]
pub struct LiftOptions {
    /// Least gap between two objects of one class: a jump in depth, beyond the slope, that amounts to this many metres
    /// on the ground parts them.
    pub gap_m: f64,
    /// Least step in height that no single object has: a jump in depth of this many metres upright parts two.
    pub step_m: f64,
    /// Least jump as a share of the depth, whatever the two above say.
    pub jump_share: f64,
    /// Components below this many pixels are no part of any object.
    pub min_part_pixels: u32,
    /// Objects below this many pixels are dropped.
    pub min_pixels: u32,
    /// Components thinner than this are dropped: rims of the wrong surface, one pixel wide, that a mask has which lies
    /// a little beside its object. Twice the area over the outline, in pixels.
    pub min_thickness_px: f64,
    /// A component whose box holds at least this share of a smaller box of its class is dropped unless it is tight.
    pub nms_inside_share: f64,
    /// A component is tight from this share of its box on.
    pub nms_tightness: f64,
    /// Points that are taken of one object at most.
    pub max_points: usize,
    /// Whether objects get a box at any angle as well.
    pub with_oriented_box: bool,
}

impl Default for LiftOptions {
    fn default() -> Self {
        Self {
            gap_m: 0.4,
            step_m: 2.5,
            jump_share: 0.001,
            min_part_pixels: 40,
            min_pixels: 120,
            min_thickness_px: 1.5,
            nms_inside_share: 0.8,
            nms_tightness: 0.2,
            max_points: 900,
            with_oriented_box: false,
        }
    }
}

impl LiftOptions {
    /// Refuses numbers without meaning.
    pub fn check(&self) -> Result<(), LiftingError> {
        let positive = "(0, infinity)";
        let share = "[0, 1]";
        check("gap_m", self.gap_m, self.gap_m > 0.0 && self.gap_m.is_finite(), positive)?;
        check("step_m", self.step_m, self.step_m > 0.0 && self.step_m.is_finite(), positive)?;
        check("jump_share", self.jump_share, (0.0..=1.0).contains(&self.jump_share), share)?;
        check("min_thickness_px", self.min_thickness_px, self.min_thickness_px >= 0.0, "[0, infinity)")?;
        check("nms_inside_share", self.nms_inside_share, (0.0..=1.0).contains(&self.nms_inside_share), share)?;
        check("nms_tightness", self.nms_tightness, (0.0..=1.0).contains(&self.nms_tightness), share)?;
        check("max_points", self.max_points as f64, self.max_points >= 16, "[16, infinity)")
    }
}

pub(crate) fn check(option: &'static str, value: f64, holds: bool, range: &'static str) -> Result<(), LiftingError> {
    if holds { Ok(()) } else { Err(LiftingError::Option { option, value, range }) }
}
