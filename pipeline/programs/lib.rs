//! The answer language: every answer of a data set is computed by a program in it, and can be computed again.
//!
//! A [`Program`] is an expression of typed ops over a [`Scene`] (annotated frames). It is stored as canonical JSON with
//! each item, with every margin written out, so that a release is enough to execute it again. [`execute()`] is pure,
//! deterministic, total and bounded: it returns a typed [`Value`] with its [`Facts`], or an [`Undefined`] that says why
//! the question has no certain answer.
//!
//! Two ideas carry the crate. *Three-valued sets*: a set holds its certain members and, beside them, the
//! [`Possible`] ones (dropped boxes, unlabelled areas, objects of two categories or on a border); every op narrows both,
//! so an unknown blocks an answer exactly when it could change it. *Explicit margins*: near ties are refused, and the margin is part
//! of the program, so that a later change of a default changes no released answer. What a scene takes for several objects, and how
//! far off what was placed by rays may be, are rules of the language (`instances`): who changes them raises its version.
//!
//! Adding an op: a variant in [`ast`], an arm in `ops` and [`types`], a handler in `execute`, and a row in README.md.

pub mod answer;
pub mod area;
pub mod ast;
mod builders;
pub mod directions;
mod execute;
mod instances;
pub mod margins;
pub mod measures;
mod ops;
pub mod program;
mod relation_steps;
pub mod scene;
pub mod solid;
pub mod taxonomy;
#[cfg(test)]
mod tests;
pub mod types;
pub mod undefined;
pub mod unknown;
pub mod wording;

pub use answer::{Answer, Facts, MIN_BOX_TEXT_IOU, ReferenceFrame, Unit, Value, box_text_iou, box_text_is_faithful};
pub use area::{Area, AreaName, BoxEdges};
pub use ast::{Expr, ExtremeBy, Relation, Term};
pub use directions::BearingFrame;
pub use execute::execute;
pub use margins::{AngleMargin, AtRule, CountMargin, ExtremeMargin, InsideRule, MeasureMargin, TimeMargin};
pub use measures::{DistanceMeasure, Measure};
pub use program::{Program, ProgramError};
pub use relation_steps::relation_steps_matter;
pub use scene::{FrameRate, ObjectKind, Scene, SceneError, SceneFrame, SceneObject};
pub use solid::{SceneView, Solid};
pub use types::Type;
pub use undefined::{Reason, Undefined};
pub use unknown::{MayBe, Possible, Unknown, UnknownExtent};
