//! Executes candidates about frames: what they share with other stages is [`crate::asking`]'s, the settings and the boxes
//! are this stage's.

use super::evidence::{Evidence, boxes};
use super::subject::Subject;
use crate::asking::inquiry::{Answered as Finished, Inquiry};
use crate::asking::options::Options;
use crate::asking::question::{Origin, Question};
use crate::asking::templates::Templates;
use crate::asking::words::Place;
use crate::qa::config::{Margins, QaConfig};
use crate::qa::task::Task;
use uavgen_core::Draw;
use uavgen_programs::{Answer, Expr, Program, Value, execute};
use uavgen_schemas::{QaItem, Reject};

/// State of asking about one recording.
pub struct Asker<'a> {
    /// Config of the stage.
    pub config: &'a QaConfig,
    /// Choices.
    pub draw: Draw,
    templates: &'a Templates<Task>,
    inquiry: Inquiry<'a>,
}

/// A question with its certain answer, not yet an item.
#[derive(Debug, Clone)]
pub struct Answered<'a> {
    /// Task.
    pub task: Task,
    /// Where it looks.
    pub place: Place,
    /// Question.
    pub question: Question<'a>,
    /// Its answer.
    pub answer: Answer,
}

impl<'a> Asker<'a> {
    /// Nothing asked yet.
    pub fn new(config: &'a QaConfig, templates: &'a Templates<Task>, seed: u64, stage_version: u32) -> Self {
        let origin = Origin { suite: &config.suite, seed, stage: "qa", stage_version };
        Self { config, draw: Draw::new(seed), templates, inquiry: Inquiry::new(origin) }
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
    pub fn answer(&mut self, subject: &Subject, candidate: Candidate) -> Option<Answered<'a>> {
        let Candidate { task, form, slots, place, root } = candidate;
        let program =
            Program::new(root).unwrap_or_else(|error| panic!("a {} program must check: {error}", task.name()));
        let question = Question { template: self.templates.of(task), form, slots, program };
        let answer = self.inquiry.answer(subject, &question)?;
        Some(Answered { task, place, question, answer })
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
        let finished = answered.into_iter().map(|(Answered { place, question, answer, .. }, options)| {
            let boxes = boxes(subject, &answer, place, evidence);
            Finished { question, answer, options, boxes }
        });
        self.inquiry.keep(subject, finished.collect());
    }

    /// Records that a question is not asked since its answer cannot be told.
    pub fn refuse(
        &mut self,
        subject: &Subject,
        answered: &Answered,
        reason: &str,
        value: f64,
        limit: f64,
        detail: &str,
    ) {
        self.inquiry.refuse(subject, &answered.question, reason, Some(value), Some(limit), detail);
    }

    /// Records that a rule of ours leaves out a question that has an answer.
    pub fn leave_out(&mut self, subject: &Subject, answered: &Answered, reason: &str, detail: &str) {
        self.inquiry.leave_out(subject, &answered.question, reason, detail);
    }

    /// Records that a task asks nothing about a subject.
    pub fn leave_out_subject(&mut self, task: Task, subject: &Subject, reason: &str, value: f64, limit: f64) {
        self.inquiry.leave_out_subject(task.name(), subject, reason, value, limit);
    }

    /// Takes the items so far, for a limit to be applied: sets of which all stay or none.
    pub fn take_items(&mut self) -> Vec<Vec<QaItem>> {
        self.inquiry.take_items()
    }

    /// Records items that a limit on their number leaves out.
    pub fn leave_out_items(&mut self, items: Vec<QaItem>, reason: &str, count: usize, limit: u32) {
        self.inquiry.leave_out_items(items, reason, count, limit);
    }

    /// Everything that was not asked.
    pub fn into_rejects(self) -> Vec<Reject> {
        self.inquiry.into_rejects()
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
    pub place: Place,
    /// The program.
    pub root: Expr,
}

impl Answered<'_> {
    /// The answer, where it is a whole number.
    pub fn whole_number(&self) -> Option<i64> {
        match self.answer.value {
            Value::Int { value, .. } => Some(value),
            _ => None,
        }
    }
}
