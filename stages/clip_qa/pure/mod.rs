//! A clip with its scene in, questions with computed answers out. The answers are `programs`' business.

mod appearances;
pub mod asker;
mod counting;
mod order;
mod presence;
pub mod subject;
pub mod tally;

use super::config::ClipQaConfig;
use super::task::Task;
use crate::asking::limit;
use crate::asking::templates::Templates;
use asker::Asker;
use subject::ClipSubject;
use tally::Tally;
use uavgen_programs::SceneFrame;
use uavgen_schemas::{ClipKind, QaItem, Reject, RejectKind};

/// What came of one clip.
#[derive(Debug, Default)]
pub struct Asked {
    /// Items, sorted by task and id.
    pub items: Vec<QaItem>,
    /// What was not asked, and why.
    pub rejects: Vec<Reject>,
}

/// What a run has besides its records.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    /// Config of the stage.
    pub config: &'a ClipQaConfig,
    /// Wordings.
    pub templates: &'a Templates<Task>,
    /// Seed of the project.
    pub seed: u64,
    /// Version of the stage.
    pub stage_version: u32,
}

/// Asks about one clip. Of one without labels nothing is known, which is one reject and no more.
pub fn ask_clip(setting: &Setting, subject: &ClipSubject) -> Asked {
    if subject.scene.frames().iter().any(SceneFrame::is_labelled) {
        return ask_tasks(setting, subject);
    }
    let reject = Reject {
        record_id: subject.clip.clip_id.clone(),
        kind: RejectKind::Rule,
        reason: "unlabelled".into(),
        value: Some(0.0),
        limit: Some(1.0),
        detail: format!("none of its {} frames has labels", subject.scene.frames().len()),
    };
    Asked { items: Vec::new(), rejects: vec![reject] }
}

/// Asks about one clip: all tasks where it joins several, else only when kinds first appear.
fn ask_tasks(setting: &Setting, subject: &ClipSubject) -> Asked {
    let config = setting.config;
    let mut asker = Asker::new(setting);
    let tally = Tally::of(subject, config.margins.inside());
    if subject.clip.kind == ClipKind::Concatenated {
        order::ask(&mut asker, subject, &tally);
        presence::ask(&mut asker, subject, &tally);
        counting::ask(&mut asker, subject, &tally);
    }
    appearances::ask(&mut asker, subject, &tally);
    let items = asker.inquiry.take_items();
    let (count, most) = (items.iter().map(Vec::len).sum(), config.max_per_clip);
    let weight = |item: &QaItem| {
        let task = Task::ALL.into_iter().find(|task| task.name() == item.task);
        task.map_or(1, |task| config.tasks.of(task).weight)
    };
    let (kept, over) = limit(&asker.draw, "clip", items, most, |item| &item.id, weight);
    asker.inquiry.leave_out_items(over, "max_per_clip", count, most);
    let mut items: Vec<QaItem> = kept.into_iter().flatten().collect();
    items.sort_by(|a, b| (&a.task, &a.id).cmp(&(&b.task, &b.id)));
    Asked { items, rejects: asker.inquiry.into_rejects() }
}
