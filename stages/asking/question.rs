//! A question before it has an answer, and the item that it becomes.

use super::options::{Options, Placed, place_one, place_several};
use super::templates::{Template, fill};
use serde_json::json;
use uavgen_core::draw::{candidate_id, item_id, lowest};
use uavgen_programs::wording::options_note;
use uavgen_programs::{Answer, Expr, Program, Scene, Value};
use uavgen_schemas::{AnswerSource, ItemBox, QaItem, ReviewStatus, canonical};

/// What a question is about.
pub trait Subject {
    /// What programs are executed on.
    fn scene(&self) -> &Scene;

    /// Ids that stand for it in the ids of questions: those of its frames in order, or that of its clip.
    fn ids(&self) -> Vec<&str>;

    /// What its items say of it.
    fn about(&self) -> About;
}

/// The columns of an item that say what it is about.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// Split.
    pub split: String,
    /// Path of the video inside the release; null for images.
    pub video: Option<String>,
    /// Clip; null for images.
    pub clip_id: Option<String>,
    /// Frames in order; none for a clip.
    pub frame_ids: Vec<String>,
    /// Recordings, sorted.
    pub recording_ids: Vec<String>,
    /// Leak group.
    pub group_id: String,
    /// Licence or terms.
    pub licence: String,
}

/// A question that may turn out to have a certain answer.
#[derive(Debug, Clone)]
pub struct Question<'t> {
    /// Wordings of its task.
    pub template: &'t Template,
    /// Form of the template.
    pub form: &'t str,
    /// What fills the placeholders.
    pub slots: Vec<(&'t str, String)>,
    /// What computes the answer.
    pub program: Program,
}

/// What all items of a run have in common.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// Suite.
    pub suite: &'a str,
    /// Seed of the project.
    pub seed: u64,
    /// Stage.
    pub stage: &'static str,
    /// Version of the stage.
    pub stage_version: u32,
}

impl Question<'_> {
    /// Id of the question whatever its wording: from suite, task, program and what it is about.
    pub fn candidate_id(&self, origin: &Origin, subject: &impl Subject) -> String {
        candidate_id(origin.suite, &self.template.task, &self.program.to_canonical(), &subject.ids())
    }

    /// Ordinal of the wording that the question gets.
    fn wording(&self, candidate_id: &str) -> usize {
        lowest(self.template.form(self.form).wordings.len(), &format!("{candidate_id}/wording"))
    }

    /// The question as a person reads it.
    fn text(&self, wording: usize) -> String {
        fill(&self.template.form(self.form).wordings[wording], &self.slots) + &options_note(&self.program)
    }

    /// The question as a refusal shows it: its text, and what would have been offered to choose from.
    pub fn refused_text(&self, origin: &Origin, subject: &impl Subject) -> String {
        let text = self.text(self.wording(&self.candidate_id(origin, subject)));
        match self.program.root() {
            Expr::MostNumerous { among, .. }
            | Expr::Fewest { among, .. }
            | Expr::PresentTerms { among, .. }
            | Expr::FirstAppearances { among, .. } => {
                let offered: Vec<String> = among.iter().map(|term| Value::category(term).text()).collect();
                format!("{text} ({})", offered.join("; "))
            }
            _ => text,
        }
    }

    /// The finished item.
    pub fn into_item(
        self,
        origin: &Origin,
        subject: &impl Subject,
        answer: &Answer,
        options: Options,
        boxes: Vec<ItemBox>,
    ) -> QaItem {
        let candidate_id = self.candidate_id(origin, subject);
        let wording = self.wording(&candidate_id);
        let id = item_id(&candidate_id, wording as u64);
        let placed = place(&id, &answer.value, options);
        let about = subject.about();
        QaItem {
            suite: origin.suite.to_owned(),
            task: self.template.task.clone(),
            capability: self.template.capability.clone(),
            split: about.split,
            question: self.text(wording),
            // Several right options are named in one order, whatever their slots.
            answer: answer.value.text(),
            options: placed.options.iter().map(Value::text).collect(),
            options_json: Value::list_to_canonical_json(&placed.options),
            answer_indices: placed.right,
            answer_type: self.template.answer_type,
            answer_json: answer.value.to_canonical_json(),
            answer_source: AnswerSource::Computed,
            review_status: ReviewStatus::Approved,
            program: self.program.to_canonical(),
            facts: answer.facts.to_canonical_json(),
            video: about.video,
            clip_id: about.clip_id,
            frame_ids: about.frame_ids,
            recording_ids: about.recording_ids,
            group_id: about.group_id,
            boxes,
            provenance: self.provenance(origin, wording),
            licence: about.licence,
            id,
        }
    }

    fn provenance(&self, origin: &Origin, wording: usize) -> String {
        canonical::to_string(&json!({
            "template": format!("{}/{}", self.template.task, self.form),
            "wording": wording,
            "seed": origin.seed,
            "stage": origin.stage,
            "stage_version": origin.stage_version,
        }))
    }
}

fn place(id: &str, answer: &Value, options: Options) -> Placed {
    match options {
        Options::Open => Placed::default(),
        Options::One(wrong) => place_one(id, answer.clone(), wrong),
        Options::Several(all) => place_several(id, all, |option| answer_lists(answer, option)),
    }
}

fn answer_lists(answer: &Value, option: &Value) -> bool {
    match (answer, option) {
        (Value::Categories { values }, Value::Category { term, .. }) => values.iter().any(|value| value.term == *term),
        _ => answer == option,
    }
}
