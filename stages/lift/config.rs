//! When masks are objects, and when two objects are one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZero;
use uavgen_core::ConfigError;
use uavgen_lifting::{AssociationOptions, LiftOptions, LiftingError, RelationOptions};

/// `[lift]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LiftConfig {
    /// Whether objects are lifted at all.
    pub enabled: bool,
    /// Least gap between two objects of one class: a jump in depth, beyond the slope, that amounts to this on the ground parts them.
    #[schemars(extend("x-unit" = "m"))]
    pub gap_m: f64,
    /// Least step in height that no single object has.
    #[schemars(extend("x-unit" = "m"))]
    pub step_m: f64,
    /// Least jump as a share of the depth, whatever the two above say.
    pub jump_share: f64,
    /// Pieces of a mask below this many pixels are part of no object.
    #[schemars(extend("x-unit" = "px"))]
    pub min_part_pixels: u32,
    /// Pieces of a frame below this many pixels, which nobody could see, are no fragments either.
    #[schemars(extend("x-unit" = "px"))]
    pub min_fragment_pixels: u32,
    /// Objects below this many pixels are left out.
    #[schemars(extend("x-unit" = "px"))]
    pub min_pixels: u32,
    /// Objects thinner than this are left out: twice the area over the outline.
    #[schemars(extend("x-unit" = "px"))]
    pub min_thickness_px: f64,
    /// An object whose image box holds at least this share of a smaller one of its class is left out unless it is tight.
    pub nms_inside_share: f64,
    /// An object is tight from this share of its image box on.
    pub nms_tightness: f64,
    /// Points that a box is fitted to, at most.
    pub max_points: u32,
    /// How far apart on the ground the boxes of one object may lie in two frames where they do not overlap; of what moves, how far
    /// from where its motion takes it.
    #[schemars(extend("x-unit" = "m"))]
    pub gate_m: f64,
    /// What moves is at most this fast.
    #[schemars(extend("x-unit" = "m/s"))]
    pub max_speed_mps: f64,
    /// What moves brakes, turns and starts with at most this.
    #[schemars(extend("x-unit" = "m/s²"))]
    pub max_acceleration_mps2: f64,
    /// What moves is looked for this long after it was last seen.
    #[schemars(extend("x-unit" = "s"))]
    pub max_unseen_s: f64,
    /// Least way between two frames that tells a heading.
    #[schemars(extend("x-unit" = "m"))]
    pub least_motion_m: f64,
    /// Instances of a frame are related where the centres of their footprints are at most this far apart.
    #[schemars(extend("x-unit" = "m"))]
    pub relations_within_m: f64,
    /// Instances of a frame are related where one is among so many nearest ones of the other.
    pub relations_nearest: NonZero<u32>,
    /// Two are near where the gap between them is at most so many times the geometric mean of their lengths.
    pub near_sizes: f64,
    /// The centres of a row lie off its line by at most this share of its mean spacing.
    pub row_deviation_share: f64,
    /// Each spacing of a row differs from the mean one by at most this share of it.
    pub row_spacing_share: f64,
    /// Whether a box at any angle is written for each instance as well, round the points that are seen of it.
    pub with_oriented_box: bool,
}

impl Default for LiftConfig {
    fn default() -> Self {
        let (lift, association) = (LiftOptions::default(), AssociationOptions::default());
        let relations = RelationOptions::default();
        Self {
            enabled: true,
            gap_m: lift.gap_m,
            step_m: lift.step_m,
            jump_share: lift.jump_share,
            min_fragment_pixels: 10,
            min_part_pixels: lift.min_part_pixels,
            min_pixels: lift.min_pixels,
            min_thickness_px: lift.min_thickness_px,
            nms_inside_share: lift.nms_inside_share,
            nms_tightness: lift.nms_tightness,
            max_points: lift.max_points as u32,
            gate_m: association.gate_m,
            max_speed_mps: association.max_speed_mps,
            max_acceleration_mps2: association.max_acceleration_mps2,
            max_unseen_s: association.max_unseen_s,
            least_motion_m: 1.0,
            relations_within_m: relations.within_m,
            relations_nearest: relations.nearest,
            near_sizes: relations.near_sizes,
            row_deviation_share: relations.row_deviation_share,
            row_spacing_share: relations.row_spacing_share,
            with_oriented_box: lift.with_oriented_box,
        }
    }
}

impl LiftConfig {
    /// What lifting is told.
    pub(super) fn lift(&self) -> LiftOptions {
        LiftOptions {
            gap_m: self.gap_m,
            step_m: self.step_m,
            jump_share: self.jump_share,
            min_part_pixels: self.min_part_pixels,
            min_pixels: self.min_pixels,
            min_thickness_px: self.min_thickness_px,
            nms_inside_share: self.nms_inside_share,
            nms_tightness: self.nms_tightness,
            max_points: self.max_points as usize,
            with_oriented_box: self.with_oriented_box,
        }
    }

    /// What association is told.
    pub(super) fn association(&self) -> AssociationOptions {
        AssociationOptions {
            gate_m: self.gate_m,
            max_speed_mps: self.max_speed_mps,
            max_acceleration_mps2: self.max_acceleration_mps2,
            max_unseen_s: self.max_unseen_s,
        }
    }

    /// What relations are told.
    pub(super) fn relations(&self) -> RelationOptions {
        RelationOptions {
            within_m: self.relations_within_m,
            nearest: self.relations_nearest,
            near_sizes: self.near_sizes,
            row_deviation_share: self.row_deviation_share,
            row_spacing_share: self.row_spacing_share,
        }
    }

    /// Checks what types cannot.
    ///
    /// # Errors
    /// The first value outside its range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let checked = self.lift().check().and_then(|()| self.relations().check());
        if let Err(LiftingError::Option { option, range, .. }) = checked {
            return Err(ConfigError::new(&[option], format!("must be in {range}")));
        }
        let positive = [
            ("gate_m", self.gate_m),
            ("max_speed_mps", self.max_speed_mps),
            ("max_acceleration_mps2", self.max_acceleration_mps2),
            ("max_unseen_s", self.max_unseen_s),
            ("least_motion_m", self.least_motion_m),
        ];
        match positive.into_iter().find(|(_, value)| !(value.is_finite() && *value > 0.0)) {
            Some((name, _)) => Err(ConfigError::new(&[name], "must be a number above 0")),
            None => Ok(()),
        }
    }
}
