//! Records in, questions with measured answers out. The answers are `programs`' business.

mod draws;
pub(super) mod options;
pub mod pairs;
pub mod program;
pub mod references;
pub mod subject;

use super::config::SpaceQaConfig;
use super::taxonomy::{QuestionType, Taxonomy, Variant, ViewNeed};
use crate::asking::boxes::object_box;
use crate::asking::inquiry::{Answered, Inquiry};
use crate::asking::question::{Origin, Question};
use crate::asking::templates::Template;
use draws::{Drawer, Purpose};
use references::References;
use subject::{ClassNames, Subject};
use uavgen_core::Draw;
use uavgen_programs::{Answer, Expr, SceneObject, Value};
use uavgen_schemas::{BoxRole, ItemBox, QaItem, Reject};

/// What a run has besides its records.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    /// Config of the stage.
    pub config: &'a SpaceQaConfig,
    /// Question types.
    pub taxonomy: &'a Taxonomy,
    /// Their wordings, in their order.
    pub templates: &'a [Template],
    /// Seed of the project.
    pub seed: u64,
    /// Version of the stage.
    pub stage_version: u32,
}

/// What came of one subject.
#[derive(Debug, Default)]
pub struct Asked {
    /// Items, sorted by task and id.
    pub items: Vec<QaItem>,
    /// What was not asked, and why.
    pub rejects: Vec<Reject>,
}

/// Asks every type that fits about one frame, or one pair.
pub fn ask(setting: &Setting, classes: &ClassNames, subject: &Subject) -> Asked {
    let config = setting.config;
    let positions = 0..subject.scene.frames().len() as u32;
    let references: Vec<References> =
        positions.filter_map(|position| References::of(&subject.scene, position, config)).collect();
    let draw = Draw::new(setting.seed);
    let drawer = Drawer { subject, references: &references, classes, margins: &config.margins, draw };
    let origin =
        Origin { suite: &config.suite, seed: setting.seed, stage: "space_qa", stage_version: setting.stage_version };
    let mut asker = Asker { setting, drawer, inquiry: Inquiry::new(origin) };
    for (kind, template) in setting.taxonomy.types.iter().zip(setting.templates) {
        if !config.off.contains(&kind.name) {
            asker.ask_type(kind, template);
        }
    }
    let mut items: Vec<QaItem> = asker.inquiry.take_items().into_iter().flatten().collect();
    items.sort_by(|a, b| (&a.task, &a.id).cmp(&(&b.task, &b.id)));
    Asked { items, rejects: asker.inquiry.into_rejects() }
}

/// The boxes of the objects that the answer rests on, on each frame that shows them.
fn boxes(subject: &Subject, question: &Question, answer: &Answer) -> Vec<ItemBox> {
    let counted = matches!(question.program.root(), Expr::Count { .. });
    let role = if counted { BoxRole::Answer } else { BoxRole::Clue };
    let named = |object: &&SceneObject| answer.facts.objects.contains(&object.id);
    let mut boxes = Vec::new();
    for (position, frame) in subject.scene.frames().iter().enumerate() {
        boxes.extend(frame.objects().iter().filter(named).map(|object| object_box((position, object), role)));
    }
    boxes
}

/// The questions about one subject.
struct Asker<'a> {
    setting: &'a Setting<'a>,
    drawer: Drawer<'a>,
    inquiry: Inquiry<'a>,
}

/// A variant with the name of its form.
type Named<'a> = (&'a str, &'a Variant);

impl<'a> Asker<'a> {
    fn ask_type(&mut self, kind: &'a QuestionType, template: &'a Template) {
        let fitting = kind.variants.iter().filter(|(_, variant)| self.fits(variant));
        let form = |(name, variant): (&String, &'a Variant)| {
            let form = variant.form_name(name);
            template.forms.get_key_value(&form).map(|(form, _)| (form.as_str(), variant))
        };
        let fitting: Vec<Named<'a>> = fitting.filter_map(form).collect();
        if fitting.is_empty() {
            return;
        }
        let key = &self.drawer.subject.key;
        let mut asked = 0;
        for ordinal in 0..self.setting.config.per_type * self.setting.config.tries {
            if asked == self.setting.config.per_type {
                break;
            }
            let ordinal = ordinal.to_string();
            let at = self.drawer.draw.below(fitting.len(), &["variant", &kind.name, key, &ordinal]);
            let (name, variant) = fitting[at];
            asked += u32::from(self.ask_one(template, name, variant, &ordinal));
        }
    }

    /// Whether a variant is for such frames.
    fn fits(&self, variant: &Variant) -> bool {
        let subject = self.drawer.subject;
        let steepest = self.setting.config.nadir_degrees.to_radians();
        let view = match variant.view {
            ViewNeed::Any => true,
            ViewNeed::NearNadir => subject.views().all(|view| view.tilt_rad() <= steepest),
            ViewNeed::Oblique => subject.views().all(|view| view.tilt_rad() > steepest),
        };
        view && variant.frame_count() == subject.frames.len()
    }

    /// Draws a candidate and asks it; whether it became an item.
    fn ask_one(&mut self, template: &'a Template, form: &'a str, variant: &'a Variant, ordinal: &str) -> bool {
        let question = format!("{}/{form}", template.task);
        let purpose = Purpose { question: &question, ordinal };
        let Some(slots) = self.drawer.fill(variant, purpose) else { return false };
        let subject = self.drawer.subject;
        let filled = match program::fill(variant, &slots, &self.setting.config.margins) {
            Ok(filled) => filled,
            Err(fault) => unreachable!("the taxonomy is checked by its tests: {question}: {fault}"),
        };
        let mut texts: Vec<(&str, String)> = Vec::new();
        for name in &template.form(form).slots {
            // What has no times has no interval.
            let Ok(phrase) = filled.phrase(name, subject) else { return false };
            texts.push((name, phrase));
        }
        let candidate = Question { template, form, slots: texts, program: filled.program };
        let Some(answer) = self.inquiry.answer(subject, &candidate) else { return false };
        self.keep(candidate, answer, purpose)
    }

    fn keep(&mut self, question: Question<'a>, answer: Answer, purpose: Purpose) -> bool {
        let (draw, subject) = (self.drawer.draw, self.drawer.subject);
        let key = [purpose.question, &subject.key, purpose.ordinal].join("\n");
        if let Value::Bool { value } = answer.value
            && value != (draw.below(2, &["yes or no", purpose.question, &subject.key]) == 0)
        {
            // Which of the two is asked for was drawn, so that neither is the better guess.
            self.inquiry.leave_out(
                subject,
                &question,
                "other_answer_drawn",
                "its answer is not the one that was drawn",
            );
            return false;
        }
        if matches!(answer.value, Value::Int { value: 0, .. }) && draw.below(4, &["zero", &key]) != 0 {
            self.inquiry.leave_out(subject, &question, "zero_again", "it counts nothing");
            return false;
        }
        let Some(options) = options::options(&draw, &key, &question.program, &answer.value) else {
            self.inquiry.leave_out(subject, &question, "no_options", "its answer cannot have the rank that was drawn");
            return false;
        };
        self.inquiry
            .keep(subject, vec![Answered { boxes: boxes(subject, &question, &answer), question, answer, options }]);
        true
    }
}
