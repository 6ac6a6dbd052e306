//! Executes candidates and keeps what has a certain answer; the others become rejects with the reason.

use super::question::{Evidence, Options, Origin, Question};
use super::subject::Subject;
use super::templates::Templates;
use crate::qa::config::{Margins, QaConfig};
use crate::qa::task::Task;
use std::collections::BTreeSet;
use uavgen_core::Draw;
use uavgen_programs::wording::gives_answer_away;
use uavgen_programs::{Answer, Expr, Program, Value, execute, relation_steps_matter};
use uavgen_schemas::{QaItem, Reject, RejectKind};

/// State of asking about one recording.
pub struct Asker<'a> {
    /// Config of the stage.
    pub config: &'a QaConfig,
    /// Wordings.
    pub templates: &'a Templates,
    /// Choices.
    pub draw: Draw,
    origin: Origin<'a>,
    tried: BTreeSet<String>,
    /// Sets of items that belong together.
    items: Vec<Vec<QaItem>>,
    rejects: Vec<Reject>,
}

/// A question with its certain answer, not yet an item.
#[derive(Debug, Clone)]
pub struct Answered {
    /// Question.
    pub question: Question,
    /// Its answer.
    pub answer: Answer,
}

impl<'a> Asker<'a> {
    /// Nothing asked yet.
    pub fn new(config: &'a QaConfig, templates: &'a Templates, seed: u64, stage_version: u32) -> Self {
        Self {
            config,
            templates,
            draw: Draw::new(seed),
            origin: Origin { suite: &config.suite, seed, stage_version },
            tried: BTreeSet::new(),
            items: Vec::new(),
            rejects: Vec::new(),
        }
    }

    /// Questions wanted of a task about one subject.
    pub fn wanted(&self, task: Task) -> usize {
        self.config.tasks.of(task).wanted() as usize
    }

    /// Candidates that may be executed for one question.
    pub fn tries(&self) -> usize {
        self.config.tries as usize
    }

    /// Margins of a task.
    pub fn margins(&self, task: Task) -> &'a Margins {
        &self.config.tasks.of(task).margins
    }

    /// Executes a candidate. Null when it was tried before, or when it is refused (then with a reject).
    ///
    /// # Panics
    /// When the expression is no program: the tasks build well-typed ones only.
    pub fn answer(&mut self, subject: &Subject, candidate: Candidate) -> Option<Answered> {
        let Candidate { task, form, slots, place, root } = candidate;
        let program =
            Program::new(root).unwrap_or_else(|error| panic!("a {} program must check: {error}", task.name()));
        let question = Question { task, form, slots, place, program };
        if !self.tried.insert(question.candidate_id(&self.origin, subject)) {
            return None;
        }
        match execute(&question.program, &subject.scene) {
            Err(undefined) => {
                let (code, text) = (undefined.reason.code(), undefined.to_string());
                self.refuse(subject, &question, code, undefined.value, undefined.limit, &text);
                None
            }
            Ok(_) if !relation_steps_matter(&question.program, &subject.scene) => {
                self.refuse(subject, &question, "degenerate", None, None, "the answer stays without the relation step");
                None
            }
            Ok(answer) => Some(Answered { question, answer }),
        }
    }

    /// The certain answer of a program, without asking anything: for the order in which candidates are tried.
    ///
    /// # Panics
    /// When the expression is no program.
    pub fn certain(&self, subject: &Subject, root: Expr) -> Option<Answer> {
        let program = Program::new(root).unwrap_or_else(|error| panic!("a candidate must check: {error}"));
        execute(&program, &subject.scene).ok()
    }

    /// Keeps an answered question as an item.
    pub fn keep(&mut self, subject: &Subject, answered: Answered, options: Options, evidence: &Evidence) {
        self.keep_together(subject, vec![(answered, options)], evidence);
    }

    /// Keeps answered questions as items of which limits keep all or none.
    pub fn keep_together(&mut self, subject: &Subject, answered: Vec<(Answered, Options)>, evidence: &Evidence) {
        let items = answered.into_iter().filter_map(|(one, options)| self.finish(subject, one, options, evidence));
        let together: Vec<QaItem> = items.collect();
        if !together.is_empty() {
            self.items.push(together);
        }
    }

    fn finish(
        &mut self,
        subject: &Subject,
        answered: Answered,
        options: Options,
        evidence: &Evidence,
    ) -> Option<QaItem> {
        let Answered { question, answer } = answered;
        let template = self.templates.of(question.task);
        let item = question.clone().into_item(&self.origin, template, subject, &answer, options, evidence);
        if gives_answer_away(&item.question, item.answer_type, &item.answer) {
            self.refuse(subject, &question, "answer_in_question", None, None, "its text holds the answer");
            return None;
        }
        Some(item)
    }

    /// Records that a question is not asked since its answer is not certain.
    pub fn refuse(
        &mut self,
        subject: &Subject,
        question: &Question,
        reason: &str,
        value: Option<f64>,
        limit: Option<f64>,
        detail: &str,
    ) {
        let record_id = question.candidate_id(&self.origin, subject);
        let text = question.refused_text(&self.origin, self.templates.of(question.task), subject);
        let detail = describe(question.task, subject, &format!("{text}: {detail}"));
        let reason = reason.to_owned();
        self.rejects.push(Reject { record_id, kind: RejectKind::Refusal, reason, value, limit, detail });
    }

    /// Records that a rule of ours leaves out a question that has an answer.
    pub fn leave_out(&mut self, subject: &Subject, answered: &Answered, reason: &str, detail: &str) {
        let record_id = answered.question.candidate_id(&self.origin, subject);
        let detail = describe(answered.question.task, subject, detail);
        let reason = reason.to_owned();
        self.rejects.push(Reject { record_id, kind: RejectKind::Rule, reason, value: None, limit: None, detail });
    }

    /// Records that a task asks nothing about a subject.
    pub fn leave_out_subject(&mut self, task: Task, subject: &Subject, reason: &str, value: f64, limit: f64) {
        let record_id = format!("{}:{}", task.name(), subject.frames[0].frame_id);
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
            detail: format!("{}: {}", item.task, item.frame_ids.join(", ")),
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

/// A question as a task proposes it.
#[derive(Debug)]
pub struct Candidate {
    /// Task.
    pub task: Task,
    /// Form of its template.
    pub form: &'static str,
    /// What fills the placeholders.
    pub slots: Vec<(&'static str, String)>,
    /// Where it looks.
    pub place: super::words::Place,
    /// The program.
    pub root: Expr,
}

impl Answered {
    /// The answer, where it is a whole number.
    pub fn whole_number(&self) -> Option<i64> {
        match self.answer.value {
            Value::Int { value, .. } => Some(value),
            _ => None,
        }
    }
}

fn describe(task: Task, subject: &Subject, detail: &str) -> String {
    let frames: Vec<&str> = subject.frames.iter().map(|frame| frame.frame_id.as_str()).collect();
    format!("{}: {}: {detail}", task.name(), frames.join(", "))
}
