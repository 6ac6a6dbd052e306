//! How much is asked in space, and how sure an answer must be.

use super::taxonomy::Taxonomy;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use uavgen_core::ConfigError;
use uavgen_programs::{AngleMargin, CountMargin, ExtremeMargin, InsideRule, MeasureMargin};

/// `[space_qa]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SpaceQaConfig {
    /// Whether anything is asked.
    pub enabled: bool,
    /// Name of the suite in the items.
    pub suite: String,
    /// Question types that are not asked, by name.
    pub off: BTreeSet<String>,
    /// Questions of each type about one frame, or one pair of frames, at most.
    pub per_type: u32,
    /// Candidates that are executed for one question at most.
    pub tries: u32,
    /// Pairs with a later frame that a frame is the first of, at most.
    pub pairs_per_frame: u32,
    /// How many frames later the second frame of a pair may be at most.
    pub pair_reach: u32,
    /// Share of its ground that each frame of a pair must have in common with the other one.
    pub min_common_share: f64,
    /// Least time between the frames of a pair, where their times are known.
    #[schemars(extend("x-unit" = "s"))]
    pub min_pair_s: f64,
    /// A view that looks at most this far, in degrees, away from straight down is near nadir.
    #[schemars(extend("x-unit" = "°"))]
    pub nadir_degrees: f64,
    /// How sure an answer must be: `[space_qa.margins]`.
    pub margins: SpaceMargins,
}

/// `[space_qa.margins]`: written into every program, so that a release says what held.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SpaceMargins {
    /// Least difference of distances, and how far one may be from the truth.
    #[schemars(extend("x-unit" = "m"))]
    pub distance_m: f64,
    /// Least difference of heights.
    #[schemars(extend("x-unit" = "m"))]
    pub height_m: f64,
    /// Least difference of lengths.
    #[schemars(extend("x-unit" = "m"))]
    pub length_m: f64,
    /// Least difference of footprints.
    #[schemars(extend("x-unit" = "m²"))]
    pub footprint_m2: f64,
    /// Least way that is motion.
    #[schemars(extend("x-unit" = "m"))]
    pub motion_m: f64,
    /// Least difference of any two of them, as a share of the larger.
    pub relative: f64,
    /// Least angle to the border of a direction.
    #[schemars(extend("x-unit" = "°"))]
    pub angle_degrees: f64,
    /// Least angle to the border of an hour.
    #[schemars(extend("x-unit" = "°"))]
    pub clock_degrees: f64,
    /// Least distance over the ground that has a direction.
    #[schemars(extend("x-unit" = "m"))]
    pub direction_m: f64,
    /// Least distance in the image that has a direction, as a share of its longer side.
    pub direction_share: f64,
    /// The camera's own directions need a view that looks so far away from straight down.
    #[schemars(extend("x-unit" = "°"))]
    pub min_tilt_degrees: f64,
    /// What is seen by less than this share is not measured.
    pub min_visibility: f64,
    /// Least difference of counts.
    pub count_absolute: u32,
    /// Least difference of counts as a share of the larger.
    pub count_relative: f64,
    /// Least distance in an order along the image, as a share of a side.
    pub side_share: f64,
    /// Least distance of a place from the border of another image that shows it, as a share of the longer side.
    pub border_share: f64,
}

impl Default for SpaceQaConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            suite: "space".into(),
            off: BTreeSet::new(),
            per_type: 1,
            tries: 6,
            pairs_per_frame: 1,
            pair_reach: 10,
            min_common_share: 0.3,
            min_pair_s: 1.0,
            nadir_degrees: 25.0,
            margins: SpaceMargins::default(),
        }
    }
}

impl Default for SpaceMargins {
    fn default() -> Self {
        let (measure, angle, count) = (MeasureMargin::default(), AngleMargin::default(), CountMargin::default());
        Self {
            distance_m: measure.absolute,
            height_m: measure.absolute,
            length_m: measure.absolute,
            footprint_m2: 2.0,
            motion_m: 2.0,
            relative: measure.relative,
            // Places are known to centimetres: the definition's 10 degrees would refuse 44 of 100 directions of eight.
            angle_degrees: 7.5,
            clock_degrees: 5.0,
            direction_m: angle.least_m,
            direction_share: angle.least_share,
            min_tilt_degrees: angle.min_tilt_degrees,
            // What is hidden by a third looks a third smaller.
            min_visibility: 0.8,
            count_absolute: count.absolute,
            count_relative: count.relative,
            side_share: ExtremeMargin::default().side_share,
            border_share: 0.01,
        }
    }
}

impl SpaceMargins {
    fn measure(&self, absolute: f64) -> MeasureMargin {
        MeasureMargin { absolute, relative: self.relative, min_visibility: self.min_visibility }
    }

    fn angle(&self, degrees: f64) -> AngleMargin {
        AngleMargin {
            degrees,
            least_m: self.direction_m,
            least_share: self.direction_share,
            min_tilt_degrees: self.min_tilt_degrees,
            min_visibility: self.min_visibility,
        }
    }

    /// A margin as programs carry it, by the name that the taxonomy calls it by; null for a name that there is not.
    pub fn named(&self, name: &str) -> Option<serde_json::Value> {
        let json = |margin: Result<serde_json::Value, serde_json::Error>| margin.ok();
        match name {
            "distance" => json(serde_json::to_value(self.measure(self.distance_m))),
            "height" => json(serde_json::to_value(self.measure(self.height_m))),
            "length" => json(serde_json::to_value(self.measure(self.length_m))),
            "footprint" => json(serde_json::to_value(self.measure(self.footprint_m2))),
            "motion" => json(serde_json::to_value(self.measure(self.motion_m))),
            "angle" => json(serde_json::to_value(self.angle(self.angle_degrees))),
            "clock" => json(serde_json::to_value(self.angle(self.clock_degrees))),
            "count" => {
                let margin = CountMargin { absolute: self.count_absolute, relative: self.count_relative };
                json(serde_json::to_value(margin))
            }
            "side" => json(serde_json::to_value(self.side())),
            "border" => {
                let margin = ExtremeMargin { side_share: self.border_share, ..ExtremeMargin::default() };
                json(serde_json::to_value(margin))
            }
            "inside" => json(serde_json::to_value(InsideRule::default())),
            _ => None,
        }
    }

    /// The margin of an order along the image.
    pub fn side(&self) -> ExtremeMargin {
        ExtremeMargin { side_share: self.side_share, ..ExtremeMargin::default() }
    }

    /// The margin of heights.
    pub fn heights(&self) -> MeasureMargin {
        self.measure(self.height_m)
    }

    /// The margin of footprints.
    pub fn footprints(&self) -> MeasureMargin {
        self.measure(self.footprint_m2)
    }

    fn validate(&self) -> Result<(), ConfigError> {
        let metres = [
            ("distance_m", self.distance_m),
            ("height_m", self.height_m),
            ("length_m", self.length_m),
            ("footprint_m2", self.footprint_m2),
            ("motion_m", self.motion_m),
            ("direction_m", self.direction_m),
        ];
        if let Some((name, _)) = metres.iter().find(|(_, value)| !(value.is_finite() && *value > 0.0)) {
            let error = ConfigError::new(&[name], "must be a number above 0");
            return Err(error.with_hint("nothing is measured without error"));
        }
        let shares = [
            ("relative", self.relative),
            ("direction_share", self.direction_share),
            ("side_share", self.side_share),
            ("border_share", self.border_share),
            ("count_relative", self.count_relative),
            ("min_visibility", self.min_visibility),
        ];
        if let Some((name, _)) = shares.iter().find(|(_, value)| !(0.0..1.0).contains(value)) {
            return Err(ConfigError::new(&[name], "must be at least 0 and below 1"));
        }
        let angles = [
            ("angle_degrees", self.angle_degrees, 22.5),
            ("clock_degrees", self.clock_degrees, 15.0),
            ("min_tilt_degrees", self.min_tilt_degrees, 90.0),
        ];
        if let Some((name, _, limit)) = angles.iter().find(|(_, value, limit)| !(0.0..*limit).contains(value)) {
            return Err(ConfigError::new(&[name], format!("must be at least 0 and below {limit}")));
        }
        if self.count_absolute == 0 {
            return Err(ConfigError::new(&["count_absolute"], "must be at least 1"));
        }
        Ok(())
    }
}

impl SpaceQaConfig {
    /// Checks what types cannot.
    ///
    /// # Errors
    /// The first value outside its range, and a type that there is not.
    pub fn validate(&self) -> Result<(), ConfigError> {
        if self.suite.is_empty() {
            return Err(ConfigError::new(&["suite"], "must not be empty"));
        }
        let counts = [("per_type", self.per_type), ("tries", self.tries), ("pair_reach", self.pair_reach)];
        if let Some((name, _)) = counts.into_iter().find(|(_, count)| *count == 0 || *count > 1000) {
            return Err(ConfigError::new(&[name], "must be 1 to 1000"));
        }
        if !(0.0..=1.0).contains(&self.min_common_share) {
            return Err(ConfigError::new(&["min_common_share"], "must be 0 to 1"));
        }
        if !(self.min_pair_s.is_finite() && self.min_pair_s >= 0.0) {
            return Err(ConfigError::new(&["min_pair_s"], "must be a number of at least 0"));
        }
        if !(0.0..90.0).contains(&self.nadir_degrees) {
            return Err(ConfigError::new(&["nadir_degrees"], "must be at least 0 and below 90"));
        }
        let taxonomy = Taxonomy::embedded();
        if let Some(unknown) = self.off.iter().find(|name| taxonomy.types.iter().all(|kind| kind.name != **name)) {
            let names: Vec<&str> = taxonomy.types.iter().map(|kind| kind.name.as_str()).collect();
            let error = ConfigError::new(&["off"], format!("there is no question type `{unknown}`"));
            return Err(error.with_hint(format!("the types are {}", names.join(", "))));
        }
        self.margins.validate().map_err(|error| error.under("margins"))
    }

    /// Questions at most about so many frames with masks.
    pub fn estimate(&self, masked_frames: u64) -> u64 {
        let types = Taxonomy::embedded().types.len().saturating_sub(self.off.len()) as u64;
        let subjects = 1 + u64::from(self.pairs_per_frame);
        let most =
            masked_frames.saturating_mul(types).saturating_mul(u64::from(self.per_type)).saturating_mul(subjects);
        if self.enabled { most } else { 0 }
    }
}
