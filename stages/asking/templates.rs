//! Wordings of the tasks: data files beside a stage, compiled in.

use serde::Deserialize;
use std::collections::BTreeMap;
use uavgen_schemas::AnswerType;

/// The wordings of one task.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Template {
    /// Name of the task.
    pub task: String,
    /// Capability that the task tests.
    pub capability: String,
    /// Type of its answers.
    pub answer_type: AnswerType,
    /// Wordings by form of the question.
    pub forms: BTreeMap<String, Form>,
}

/// Wordings that ask one thing.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Form {
    /// Placeholders that every wording has.
    pub slots: Vec<String>,
    /// Texts with `{slot}` in them; their position is the wording ordinal, so new ones go last.
    pub wordings: Vec<String>,
}

/// A task of a stage, as its templates know it.
pub trait TemplateTask: Copy + Ord + 'static {
    /// Every task of the stage.
    const TASKS: &'static [Self];

    /// Name in config, ids and the column `task`.
    fn name(self) -> &'static str;

    /// Text of the task's template file.
    fn template_text(self) -> &'static str;
}

/// The wordings of every task of a stage.
#[derive(Debug, Clone)]
pub struct Templates<T> {
    by_task: BTreeMap<T, Template>,
}

impl<T: TemplateTask> Templates<T> {
    /// Those that are compiled in.
    ///
    /// # Panics
    /// When a file cannot be read: a test reads each of them.
    pub fn embedded() -> Self {
        let read = |task: T| {
            serde_json::from_str(task.template_text())
                .unwrap_or_else(|error| panic!("the embedded template of {} must be readable: {error}", task.name()))
        };
        Self { by_task: T::TASKS.iter().map(|&task| (task, read(task))).collect() }
    }

    /// The wordings of a task.
    pub fn of(&self, task: T) -> &Template {
        &self.by_task[&task]
    }
}

impl Template {
    /// A form by name.
    ///
    /// # Panics
    /// When there is none: forms are named by the code that fills them, and a test fills each of them.
    pub fn form(&self, name: &str) -> &Form {
        self.forms.get(name).unwrap_or_else(|| panic!("template {} must have the form {name}", self.task))
    }
}

/// BLAKE3 of every template file of a stage, by the name under which the fingerprint has it.
pub fn digests<T: TemplateTask>() -> BTreeMap<String, String> {
    let digest = |task: T| blake3::hash(task.template_text().as_bytes()).to_hex().to_string();
    T::TASKS.iter().map(|&task| (format!("template {}", task.name()), digest(task))).collect()
}

/// A wording with its placeholders filled, starting with a capital letter.
pub fn fill(wording: &str, slots: &[(&str, String)]) -> String {
    let mut text = wording.to_owned();
    for (slot, value) in slots {
        text = text.replace(&format!("{{{slot}}}"), value);
    }
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
