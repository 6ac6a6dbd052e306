//! Executes candidates and keeps what has a certain answer; the others become rejects with the reason.

use super::options::Options;
use super::question::{Origin, Question, Subject};
use std::collections::BTreeSet;
use uavgen_programs::wording::{gives_answer_away, own_words};
use uavgen_programs::{Answer, execute, relation_steps_matter};
use uavgen_schemas::{ItemBox, QaItem, Reject, RejectKind};

/// What came of the questions so far.
pub struct Inquiry<'a> {
    origin: Origin<'a>,
    tried: BTreeSet<String>,
    /// Sets of items that belong together.
    items: Vec<Vec<QaItem>>,
    rejects: Vec<Reject>,
}

/// A question with its answer, and what its item shows beside it.
pub struct Answered<'t> {
    /// Question.
    pub question: Question<'t>,
    /// Its certain answer.
    pub answer: Answer,
    /// What is offered.
    pub options: Options,
    /// Boxes that the item shows.
    pub boxes: Vec<ItemBox>,
}

impl<'a> Inquiry<'a> {
    /// Nothing asked yet.
    pub fn new(origin: Origin<'a>) -> Self {
        Self { origin, tried: BTreeSet::new(), items: Vec::new(), rejects: Vec::new() }
    }

    /// Executes a candidate. Null when it was tried before, or when it is refused (then with a reject).
    pub fn answer(&mut self, subject: &impl Subject, question: &Question) -> Option<Answer> {
        if !self.tried.insert(question.candidate_id(&self.origin, subject)) {
            return None;
        }
        match execute(&question.program, subject.scene()) {
            Err(undefined) => {
                let (code, text) = (undefined.reason.code(), undefined.to_string());
                self.refuse(subject, question, code, undefined.value, undefined.limit, &text);
                None
            }
            Ok(_) if !relation_steps_matter(&question.program, subject.scene()) => {
                self.refuse(subject, question, "degenerate", None, None, "the answer stays without the relation step");
                None
            }
            Ok(answer) => Some(answer),
        }
    }

    /// Keeps answered questions as items of which limits keep all or none.
    pub fn keep(&mut self, subject: &impl Subject, answered: Vec<Answered>) {
        let together: Vec<QaItem> = answered.into_iter().filter_map(|one| self.finish(subject, one)).collect();
        if !together.is_empty() {
            self.items.push(together);
        }
    }

    fn finish(&mut self, subject: &impl Subject, answered: Answered) -> Option<QaItem> {
        let Answered { question, answer, options, boxes } = answered;
        let item = question.clone().into_item(&self.origin, subject, &answer, options, boxes);
        if gives_answer_away(&own_words(&item.question, &question.program), item.answer_type, &item.answer) {
            self.refuse(subject, &question, "answer_in_question", None, None, "its text holds the answer");
            return None;
        }
        Some(item)
    }

    /// Records that a question is not asked since its answer is not certain.
    pub fn refuse(
        &mut self,
        subject: &impl Subject,
        question: &Question,
        reason: &str,
        value: Option<f64>,
        limit: Option<f64>,
        detail: &str,
    ) {
        let record_id = question.candidate_id(&self.origin, subject);
        let text = question.refused_text(&self.origin, subject);
        let detail = describe(&question.template.task, subject, &format!("{text}: {detail}"));
        let reason = reason.to_owned();
        self.rejects.push(Reject { record_id, kind: RejectKind::Refusal, reason, value, limit, detail });
    }

    /// Records that a rule of ours leaves out a question that has an answer.
    pub fn leave_out(&mut self, subject: &impl Subject, question: &Question, reason: &str, detail: &str) {
        let record_id = question.candidate_id(&self.origin, subject);
        let detail = describe(&question.template.task, subject, detail);
        let reason = reason.to_owned();
        self.rejects.push(Reject { record_id, kind: RejectKind::Rule, reason, value: None, limit: None, detail });
    }

    /// Records that a task asks nothing about a subject.
    pub fn leave_out_subject(&mut self, task: &str, subject: &impl Subject, reason: &str, value: f64, limit: f64) {
        let record_id = format!("{task}:{}", subject.ids().first().copied().unwrap_or_default());
        let detail = describe(task, subject, "nothing asked");
        let (value, limit) = (Some(value), Some(limit));
        self.rejects.push(Reject { record_id, kind: RejectKind::Rule, reason: reason.into(), value, limit, detail });
    }

    /// Takes the items so far, for a limit to be applied: sets of which all stay or none.
    pub fn take_items(&mut self) -> Vec<Vec<QaItem>> {
        std::mem::take(&mut self.items)
    }

    /// Records items that a limit on their number leaves out.
    pub fn leave_out_items(&mut self, items: Vec<QaItem>, reason: &str, count: usize, limit: u32) {
        let (value, limit) = (Some(count as f64), Some(f64::from(limit)));
        self.rejects.extend(items.into_iter().map(|item| Reject {
            detail: format!("{}: {}", item.task, item.clip_id.unwrap_or_else(|| item.frame_ids.join(", "))),
            record_id: item.id,
            kind: RejectKind::Rule,
            reason: reason.to_owned(),
            value,
            limit,
        }));
    }

    /// Everything that was not asked.
    pub fn into_rejects(self) -> Vec<Reject> {
        self.rejects
    }
}

fn describe(task: &str, subject: &impl Subject, detail: &str) -> String {
    format!("{task}: {}: {detail}", subject.ids().join(", "))
}
