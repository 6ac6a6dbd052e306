//! What a task must know besides its files: options of the source and of the split, all of them in the fingerprint.
//!
//! Never the path of the source: the same files elsewhere give the same tables.

use super::super::pure::splits::{self, Member};
use super::super::sources::{Layout, SourceKind};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use uavgen_core::project::BoxesIn;
use uavgen_core::{Context, SourceConfig, TaskError};

const KIND: &str = "kind";
const FPS: &str = "fps";
const LICENCE: &str = "licence";
const BOXES_IN: &str = "boxes_in";
const GROUPS: &str = "groups";
const DROPPED: &str = "dropped";
/// What decodes videos: other libraries may find other frames in them.
const DECODER: &str = "decoder";

/// Options of one task.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TaskOptions {
    /// Format of the source.
    pub(crate) kind: SourceKind,
    /// True capture rate, where known.
    pub(crate) fps: Option<f64>,
    /// Licence of the source.
    pub(crate) licence: String,
    /// Orientation that boxes refer to.
    pub(crate) boxes_in: BoxesIn,
    /// Leak groups that do not follow from the name alone (aliases), by name of the recording.
    groups: BTreeMap<String, String>,
    /// Recordings whose group is kept in another split, with that split.
    pub(crate) dropped: BTreeMap<String, String>,
}

impl TaskOptions {
    /// The options of a source, before any recording is added.
    pub(crate) fn new(kind: SourceKind, source: &SourceConfig) -> Self {
        Self {
            kind,
            fps: source.fps,
            licence: source.licence.clone(),
            boxes_in: source.boxes_in,
            groups: BTreeMap::new(),
            dropped: BTreeMap::new(),
        }
    }

    /// Adds what concerns one recording.
    pub(crate) fn add(&mut self, member: &Member, kept_in: Option<&str>) {
        if let Some(kept_in) = kept_in {
            self.dropped.insert(member.name.clone(), kept_in.to_owned());
        } else if splits::plain_group(&member.name) != member.group {
            self.groups.insert(member.name.clone(), member.group.clone());
        }
    }

    /// Leak group of a recording of the task.
    pub(crate) fn group_of(&self, name: &str) -> String {
        self.groups.get(name).cloned().unwrap_or_else(|| splits::plain_group(name))
    }

    /// As the task's options by name.
    pub(crate) fn into_map(self) -> BTreeMap<String, Value> {
        let values = [
            (KIND, json!(self.kind.name())),
            (FPS, json!(self.fps)),
            (LICENCE, json!(self.licence)),
            (BOXES_IN, json!(self.boxes_in)),
            (GROUPS, json!(self.groups)),
            (DROPPED, json!(self.dropped)),
        ];
        let decoder =
            (self.kind.layout() == Layout::Videos).then(|| (DECODER, json!(uavgen_media::library().build_id)));
        values.into_iter().chain(decoder).map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Reads the options of a task back.
    pub(crate) fn of_task(context: &Context<'_>) -> Result<Self, TaskError> {
        let kind = context.option(KIND).as_str().and_then(SourceKind::from_name);
        let kind = kind.ok_or_else(|| bad_option(KIND, context.option(KIND)))?;
        Ok(Self {
            kind,
            fps: read(context, FPS)?,
            licence: read(context, LICENCE)?,
            boxes_in: read(context, BOXES_IN)?,
            groups: read(context, GROUPS)?,
            dropped: read(context, DROPPED)?,
        })
    }
}

fn read<T: serde::de::DeserializeOwned>(context: &Context<'_>, name: &str) -> Result<T, TaskError> {
    let value = context.option(name);
    serde_json::from_value(value.clone()).map_err(|_| bad_option(name, value))
}

fn bad_option(name: &str, value: &Value) -> TaskError {
    TaskError::failed(format!("ingest was given no usable option `{name}`: {value}"))
}
