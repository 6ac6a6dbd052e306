//! Margins within which an answer is refused. They are fields of a program: the defaults here are filled in when a
//! program is written, and a released program keeps what it was written with.

use serde::{Deserialize, Serialize};

/// When an object counts as inside an area, by the share of its box that lies inside.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct InsideRule {
    /// Smallest share that counts as inside (default 0.5).
    pub share: f64,
    /// A share from here (default 0.1) ...
    pub refuse_from: f64,
    /// ... to here (default 0.9), both included, is neither inside nor outside: an answer that hangs on it is refused.
    pub refuse_to: f64,
}

impl Default for InsideRule {
    fn default() -> Self {
        Self { share: 0.5, refuse_from: 0.1, refuse_to: 0.9 }
    }
}

/// How far apart two counts must be: `|a - b| >= max(absolute, relative * max(|a|, |b|))`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CountMargin {
    /// Smallest difference, at least 1 (default 1).
    pub absolute: u32,
    /// Smallest difference as a share of the larger count, below 1 (default 0.05).
    pub relative: f64,
}

impl Default for CountMargin {
    fn default() -> Self {
        Self { absolute: 1, relative: 0.05 }
    }
}

impl CountMargin {
    /// Smallest difference between `a` and `b` that is no near tie.
    pub fn limit(&self, a: i64, b: i64) -> f64 {
        let larger = a.unsigned_abs().max(b.unsigned_abs()) as f64;
        f64::from(self.absolute).max(self.relative * larger)
    }
}

/// How far apart two moments must be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TimeMargin {
    /// Smallest distance in seconds of the video (default 1).
    pub seconds: f64,
}

impl Default for TimeMargin {
    fn default() -> Self {
        Self { seconds: 1.0 }
    }
}

/// How far the winner must be ahead of every other object.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ExtremeMargin {
    /// For positions: share of the image width (left, right), height (top, bottom) or longer side (nearest to the
    /// centre); default 0.05.
    pub side_share: f64,
    /// For sizes: share of the larger of the two areas; default 0.1.
    pub area_share: f64,
}

impl Default for ExtremeMargin {
    fn default() -> Self {
        Self { side_share: 0.05, area_share: 0.1 }
    }
}

/// When a box names an object.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AtRule {
    /// Smallest IoU of the object with the box (default 0.9).
    pub min_iou: f64,
    /// Any other object, or unknown one, with at least this IoU makes the box ambiguous (default 0.5) ...
    pub rival_iou: f64,
    /// ... and so does any that covers at least this share of the box (default 0.3), such as the motorcycle around a
    /// rider: the box shows both.
    pub rival_cover: f64,
}

impl Default for AtRule {
    fn default() -> Self {
        Self { min_iou: 0.9, rival_iou: 0.5, rival_cover: 0.3 }
    }
}

/// How far apart two measures must be: `|a - b| >= max(absolute, relative * max(|a|, |b|))`, and how far a measured number may be
/// from the truth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MeasureMargin {
    /// In the unit of the measure, above 0 (default 0.5).
    pub absolute: f64,
    /// As a share of the larger number, below 1 (default 0.05).
    pub relative: f64,
    /// An object that is cut off by the border of the image, or of which less than this share is seen (default 0.5), is not measured.
    pub min_visibility: f64,
}

impl Default for MeasureMargin {
    fn default() -> Self {
        Self { absolute: 0.5, relative: 0.05, min_visibility: 0.5 }
    }
}

impl MeasureMargin {
    /// Smallest difference between `a` and `b` that is no near tie.
    pub fn limit(&self, a: f64, b: f64) -> f64 {
        self.absolute.max(self.relative * a.abs().max(b.abs()))
    }
}

/// When a direction is certain.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AngleMargin {
    /// Smallest angle to the border of a sector (default 10).
    pub degrees: f64,
    /// Smallest distance over the ground, in metres (default 2).
    pub least_m: f64,
    /// Smallest distance in the image, as a share of its longer side (default 0.05).
    pub least_share: f64,
    /// The `camera` frame needs a camera that looks at least so far, in degrees, away from straight down (default 20).
    pub min_tilt_degrees: f64,
    /// As in [`MeasureMargin`].
    pub min_visibility: f64,
}

impl Default for AngleMargin {
    fn default() -> Self {
        Self { degrees: 10.0, least_m: 2.0, least_share: 0.05, min_tilt_degrees: 20.0, min_visibility: 0.5 }
    }
}
