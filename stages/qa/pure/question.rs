//! A question before it has an answer, and the item that it becomes.

use super::options::{Placed, place_one, place_several};
use super::subject::Subject;
use super::templates::{Template, fill};
use super::words::Place;
use crate::qa::task::Task;
use serde_json::json;
use std::collections::BTreeSet;
use uavgen_core::draw::{candidate_id, item_id, lowest};
use uavgen_programs::wording::options_note;
use uavgen_programs::{Answer, Expr, InsideRule, Program, SceneObject, Value};
use uavgen_schemas::{AnswerSource, BoxRole, ItemBox, QaItem, ReviewStatus, canonical};

/// Modality of everything that this suite asks about.
const MODALITY: &str = "rgb";

/// A question that may turn out to have a certain answer.
#[derive(Debug, Clone)]
pub struct Question {
    /// Task.
    pub task: Task,
    /// Form of the task's template.
    pub form: &'static str,
    /// What fills the placeholders.
    pub slots: Vec<(&'static str, String)>,
    /// Where it looks.
    pub place: Place,
    /// What computes the answer.
    pub program: Program,
}

/// What stands beside the answer.
#[derive(Debug, Clone)]
pub enum Options {
    /// Nothing: the question is open-ended.
    Open,
    /// Wrong values; the answer is the one right option.
    One(Vec<Value>),
    /// All options; those that the answer lists are right.
    Several(Vec<Value>),
}

/// Which boxes an item shows.
#[derive(Debug, Clone)]
pub enum Evidence {
    /// The object that the program chose.
    Chosen(BoxRole),
    /// All objects of some categories that are surely in the question's place.
    Members {
        /// Source categories.
        any_of: Vec<String>,
        /// What they are to the question.
        role: BoxRole,
        /// When an object counts as inside an area.
        inside: InsideRule,
    },
}

/// What all items of a run have in common.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// Suite.
    pub suite: &'a str,
    /// Seed of the project.
    pub seed: u64,
    /// Version of the stage.
    pub stage_version: u32,
}

impl Question {
    /// Id of the question whatever its wording: from suite, task, program and frames.
    pub fn candidate_id(&self, origin: &Origin, subject: &Subject) -> String {
        candidate_id(origin.suite, self.task.name(), &self.program.to_canonical(), &subject.frame_ids())
    }

    /// Ordinal of the wording that the question gets.
    fn wording(&self, candidate_id: &str, template: &Template) -> usize {
        lowest(template.form(self.form).wordings.len(), &format!("{candidate_id}/wording"))
    }

    /// The question as a person reads it.
    fn text(&self, wording: usize, template: &Template) -> String {
        fill(&template.form(self.form).wordings[wording], &self.slots) + &options_note(&self.program)
    }

    /// The question as a refusal shows it: its text, and what would have been offered to choose from.
    pub fn refused_text(&self, origin: &Origin, template: &Template, subject: &Subject) -> String {
        let text = self.text(self.wording(&self.candidate_id(origin, subject), template), template);
        match self.program.root() {
            Expr::MostNumerous { among, .. } | Expr::Fewest { among, .. } | Expr::PresentTerms { among, .. } => {
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
        template: &Template,
        subject: &Subject,
        answer: &Answer,
        options: Options,
        evidence: &Evidence,
    ) -> QaItem {
        let candidate_id = self.candidate_id(origin, subject);
        let wording = self.wording(&candidate_id, template);
        let id = item_id(&candidate_id, wording as u64);
        let placed = place(&id, &answer.value, options);
        let text = self.text(wording, template);
        let recording = subject.recording;
        QaItem {
            suite: origin.suite.to_owned(),
            task: self.task.name().to_owned(),
            capability: template.capability.clone(),
            split: recording.split.clone(),
            question: text,
            // Several right options are named in one order, whatever their slots.
            answer: answer.value.text(),
            options: placed.options.iter().map(Value::text).collect(),
            options_json: Value::list_to_canonical_json(&placed.options),
            answer_indices: placed.right,
            answer_type: template.answer_type,
            answer_json: answer.value.to_canonical_json(),
            answer_source: AnswerSource::Computed,
            review_status: ReviewStatus::Approved,
            program: self.program.to_canonical(),
            facts: answer.facts.to_canonical_json(),
            video: None,
            clip_id: None,
            frame_ids: subject.frames.iter().map(|frame| frame.frame_id.clone()).collect(),
            recording_ids: vec![recording.recording_id.clone()],
            group_id: recording.group_id.clone(),
            boxes: boxes(subject, answer, self.place, evidence),
            provenance: self.provenance(origin, wording),
            licence: recording.licence.clone(),
            id,
        }
    }

    fn provenance(&self, origin: &Origin, wording: usize) -> String {
        canonical::to_string(&json!({
            "template": format!("{}/{}", self.task.name(), self.form),
            "wording": wording,
            "seed": origin.seed,
            "stage": "qa",
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

/// Boxes that the item refers to: its area, then its objects, each by frame.
fn boxes(subject: &Subject, answer: &Answer, place: Place, evidence: &Evidence) -> Vec<ItemBox> {
    let areas = place.area.into_iter().flat_map(|area| {
        (0..subject.frames.len()).map(move |position| ItemBox {
            image_index: position as i32,
            role: BoxRole::Region,
            object_id: None,
            modality: MODALITY.to_owned(),
            view: None,
            x1: area.edges.x1,
            y1: area.edges.y1,
            x2: area.edges.x2,
            y2: area.edges.y2,
        })
    });
    let objects = match evidence {
        Evidence::Chosen(role) => {
            let chosen: BTreeSet<&str> = answer.facts.objects.iter().map(String::as_str).collect();
            let all = subject
                .scene
                .frames()
                .iter()
                .enumerate()
                .flat_map(|(p, frame)| frame.objects().iter().map(move |o| (p, o)));
            all.filter(|(_, object)| chosen.contains(object.id.as_str()))
                .map(|found| object_box(found, *role))
                .collect()
        }
        Evidence::Members { any_of, role, inside } => {
            let members = subject.sure_members(any_of, place, *inside);
            members.into_iter().map(|found| object_box(found, *role)).collect::<Vec<_>>()
        }
    };
    areas.chain(objects).collect()
}

fn object_box((position, object): (usize, &SceneObject), role: BoxRole) -> ItemBox {
    ItemBox {
        image_index: position as i32,
        role,
        object_id: Some(object.id.clone()),
        modality: MODALITY.to_owned(),
        view: None,
        x1: object.normalised.x1(),
        y1: object.normalised.y1(),
        x2: object.normalised.x2(),
        y2: object.normalised.y2(),
    }
}
