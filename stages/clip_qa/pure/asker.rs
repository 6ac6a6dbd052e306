//! Executes candidates about a clip, with the settings of the stage.

use super::Setting;
use super::subject::{ClipSubject, where_phrase};
use crate::asking::inquiry::{Answered, Inquiry};
use crate::asking::options::Options;
use crate::asking::question::{Origin, Question};
use crate::asking::templates::Templates;
use crate::asking::words::Place;
use crate::clip_qa::config::ClipQaConfig;
use crate::clip_qa::task::Task;
use uavgen_core::Draw;
use uavgen_programs::taxonomy::TermEntry;
use uavgen_programs::{Answer, Expr, Program, Value};

/// State of asking about one clip.
pub struct Asker<'a> {
    /// Config of the stage.
    pub config: &'a ClipQaConfig,
    /// Choices.
    pub draw: Draw,
    /// What came of it.
    pub inquiry: Inquiry<'a>,
    templates: &'a Templates<Task>,
}

/// A question as a task proposes it.
pub struct Candidate {
    /// Task.
    pub task: Task,
    /// Form of its template.
    pub form: &'static str,
    /// What fills the placeholders, besides `where`.
    pub slots: Vec<(&'static str, String)>,
    /// Where it looks.
    pub place: Place,
    /// The program.
    pub root: Expr,
}

impl<'a> Asker<'a> {
    /// Nothing asked yet.
    pub fn new(setting: &Setting<'a>) -> Self {
        let Setting { config, templates, seed, stage_version } = *setting;
        let origin = Origin { suite: &config.suite, seed, stage: "clip_qa", stage_version };
        Self { config, draw: Draw::new(seed), inquiry: Inquiry::new(origin), templates }
    }

    /// Questions wanted of a task about one clip.
    pub fn wanted(&self, task: Task) -> usize {
        self.config.tasks.of(task).wanted() as usize
    }

    /// Candidates that may be executed for a question: one where all are doubtful, so that the refusal is on record.
    pub fn tries(&self, all_doubtful: bool) -> usize {
        if all_doubtful { 1 } else { self.config.tries as usize }
    }

    /// The set of a frame that is of a kind, in a place.
    pub fn each(&self, term: &TermEntry, place: Place) -> Expr {
        place.narrow(Expr::frame_objects().where_category(term.categories()), self.config.margins.inside())
    }

    /// Executes a candidate. Null when it was tried before, or when it is refused (then with a reject).
    ///
    /// # Panics
    /// When the expression is no program: the tasks build well-typed ones only.
    pub fn answer(&mut self, subject: &ClipSubject, candidate: Candidate) -> Option<(Question<'a>, Answer)> {
        let Candidate { task, form, mut slots, place, root } = candidate;
        let program =
            Program::new(root).unwrap_or_else(|error| panic!("a {} program must check: {error}", task.name()));
        slots.push(("where", where_phrase(place)));
        let question = Question { template: self.templates.of(task), form, slots, program };
        let answer = self.inquiry.answer(subject, &question)?;
        Some((question, answer))
    }

    /// Keeps an answered question as an item, with wrong options beside the answer.
    pub fn keep(&mut self, subject: &ClipSubject, question: Question, answer: Answer, wrong: Vec<Value>) {
        let options = Options::One(wrong);
        self.inquiry.keep(subject, vec![Answered { question, answer, options, boxes: Vec::new() }]);
    }
}
