//! Why a program has no certain answer.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use thiserror::Error;

/// Number of ids that a refusal or the facts name; totals are always given.
pub const MAX_NAMED_IDS: usize = 64;

/// Why a question is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Several objects fit where one is asked for.
    NotUnique,
    /// No object fits where one is asked for.
    NoObject,
    /// An object that is there but not labelled, or not usable, could change the answer.
    TouchesUnknown,
    /// An object that lies neither inside nor outside an area could change the answer.
    StraddlesRegion,
    /// Two values are too close to tell apart, or equal where one must be ahead.
    NearTie,
    /// The object was annotated with two categories that give different answers.
    AmbiguousCategory,
    /// The object's category belongs to none of the terms.
    OutsideTerms,
    /// An object has no track where tracks are counted.
    NoTracks,
    /// Tracks are counted over frames of more than one recording.
    SeveralRecordings,
    /// The program names a frame that the item does not have.
    NoSuchFrame,
    /// The program names a segment that the item's clip does not have, or the item shows no clip.
    NoSuchSegment,
    /// The program is about other objects than the scene has.
    OtherObjects,
    /// An object is cut off by the border of the image, or mostly hidden, and so not measured.
    PartlySeen,
    /// The height of an object is unknown: what moves is in no mesh, or no ground is seen near it.
    HeightUnknown,
    /// Nothing tells which way the front of an object points.
    HeadingUnknown,
    /// The class of ground that an object stands on is unknown.
    SurfaceUnknown,
    /// Two objects, or places, are too close to each other to tell a direction or distance.
    TooClose,
    /// The camera looks too steeply down for a direction as it sees it.
    TooSteep,
    /// The object is not seen on the other frame.
    NotInFrame,
    /// The place is not in view on the other frame, or something stands before it.
    PlaceHidden,
    /// The times of the frames are unknown, or not in order.
    TimesUnknown,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 21] = [
        Self::NotUnique,
        Self::NoObject,
        Self::TouchesUnknown,
        Self::StraddlesRegion,
        Self::NearTie,
        Self::AmbiguousCategory,
        Self::OutsideTerms,
        Self::NoTracks,
        Self::SeveralRecordings,
        Self::NoSuchFrame,
        Self::NoSuchSegment,
        Self::OtherObjects,
        Self::PartlySeen,
        Self::HeightUnknown,
        Self::HeadingUnknown,
        Self::SurfaceUnknown,
        Self::TooClose,
        Self::TooSteep,
        Self::NotInFrame,
        Self::PlaceHidden,
        Self::TimesUnknown,
    ];

    /// Reason code as reject tables have it.
    pub fn code(self) -> &'static str {
        match self {
            Self::NotUnique => "not_unique",
            Self::NoObject => "no_object",
            Self::TouchesUnknown => "touches_unknown",
            Self::StraddlesRegion => "straddles_region",
            Self::NearTie => "near_tie",
            Self::AmbiguousCategory => "ambiguous_category",
            Self::OutsideTerms => "outside_terms",
            Self::NoTracks => "no_tracks",
            Self::SeveralRecordings => "several_recordings",
            Self::NoSuchFrame => "no_such_frame",
            Self::NoSuchSegment => "no_such_segment",
            Self::OtherObjects => "other_objects",
            Self::PartlySeen => "partly_seen",
            Self::HeightUnknown => "height_unknown",
            Self::HeadingUnknown => "heading_unknown",
            Self::SurfaceUnknown => "surface_unknown",
            Self::TooClose => "too_close",
            Self::TooSteep => "too_steep",
            Self::NotInFrame => "not_in_frame",
            Self::PlaceHidden => "place_hidden",
            Self::TimesUnknown => "times_unknown",
        }
    }
}

/// A refusal with what decided it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Error)]
#[serde(deny_unknown_fields)]
#[error("answer at `{path}`: {}{}", .reason.code(), named_ids(.ids, *.id_count))]
pub struct Undefined {
    /// Why.
    pub reason: Reason,
    /// Op that refused, as a path through the program, e.g. `root.left.of`.
    pub path: String,
    /// Objects and unknowns that decided, sorted; at most [`MAX_NAMED_IDS`].
    pub ids: Vec<String>,
    /// Number of objects and unknowns that decided.
    pub id_count: usize,
    /// Measured value that decided; null where none was measured.
    pub value: Option<f64>,
    /// Limit that the value was held against; null where there is none.
    pub limit: Option<f64>,
}

impl Undefined {
    /// A refusal that names objects or unknowns; the executor adds the path.
    pub(crate) fn naming<'a>(reason: Reason, ids: impl IntoIterator<Item = &'a str>) -> Self {
        let mut ids: Vec<String> = ids.into_iter().map(str::to_owned).collect();
        ids.sort();
        ids.dedup();
        let id_count = ids.len();
        ids.truncate(MAX_NAMED_IDS);
        Self { reason, path: String::new(), ids, id_count, value: None, limit: None }
    }

    /// A refusal because of what may be counted or not, each with the reason why nobody can say. What is not labelled
    /// comes before what lies on a border.
    pub(crate) fn blocked<'a>(blockers: impl IntoIterator<Item = (&'a str, Reason)>) -> Self {
        let (ids, reasons): (Vec<&str>, BTreeSet<Reason>) = blockers.into_iter().unzip();
        Self::naming(reasons.first().copied().unwrap_or(Reason::TouchesUnknown), ids)
    }

    /// The refusal with the value and the limit that decided it.
    pub(crate) fn measured(self, value: f64, limit: f64) -> Self {
        Self { value: Some(value), limit: Some(limit), ..self }
    }
}

fn named_ids(ids: &[String], count: usize) -> String {
    match ids {
        [] => String::new(),
        ids if ids.len() < count => format!(" ({}, and {} more)", ids.join(", "), count - ids.len()),
        ids => format!(" ({})", ids.join(", ")),
    }
}
