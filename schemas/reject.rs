//! Dropped records: data, not log lines.

use crate::record;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a reject says about the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RejectKind {
    /// A rule of the config dropped the record: expected.
    Rule,
    /// The input is broken (unreadable image, malformed row). Too many of these fail the build.
    Quarantine,
    /// A question was refused since its answer is not certain.
    Refusal,
}

/// One record that a stage did not take further, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reject {
    /// Id of the dropped record, or `<file>:<line>` where it never became one.
    pub record_id: String,
    /// Rule, quarantine or refusal.
    pub kind: RejectKind,
    /// Reason code, lower snake case, listed in the stage's README.
    pub reason: String,
    /// Measured value that decided, where there is one.
    pub value: Option<f64>,
    /// Limit that it was held against, where there is one.
    pub limit: Option<f64>,
    /// What a person needs to find and mend it; may be empty.
    pub detail: String,
}
record!(Reject, "rejects", 1, record_id);

impl Reject {
    /// A record that a rule of the config dropped.
    pub fn rule(record_id: impl Into<String>, reason: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(RejectKind::Rule, record_id.into(), reason.into(), detail.into())
    }

    /// Broken input.
    pub fn quarantine(record_id: impl Into<String>, reason: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(RejectKind::Quarantine, record_id.into(), reason.into(), detail.into())
    }

    /// A question without a certain answer.
    pub fn refusal(record_id: impl Into<String>, reason: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(RejectKind::Refusal, record_id.into(), reason.into(), detail.into())
    }

    fn new(kind: RejectKind, record_id: String, reason: String, detail: String) -> Self {
        Self { record_id, kind, reason, value: None, limit: None, detail }
    }

    /// The same with what was measured, and the limit that it was held against.
    #[must_use]
    pub fn measured(self, value: impl Into<Option<f64>>, limit: impl Into<Option<f64>>) -> Self {
        Self { value: value.into(), limit: limit.into(), ..self }
    }
}
