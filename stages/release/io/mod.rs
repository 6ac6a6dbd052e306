//! The shell: counts delivered files, renders, publishes.

mod clip_pictures;
mod gather;
mod pictures;
mod publish;

use super::pure::{card, facts, report};
use super::{ReleaseConfig, WITHOUT_QUESTION};
use gather::DeliveredShards;
use uavgen_core::{Context, TaskError};

pub(super) fn run(config: &ReleaseConfig, context: &mut Context) -> Result<(), TaskError> {
    let delivered = DeliveredShards::of(context)?;
    let videos = publish::videos(context)?;
    let facts = gather::facts(context, &delivered, &videos)?;
    let configs = facts::configs(&delivered.shards);
    context.count_read("question", facts.question_count());
    context.note(WITHOUT_QUESTION, u64::from(facts.question_count() == 0));

    let charts = gather::charts(context)?;
    let answers = gather::answers(&delivered)?;
    let samples = pictures::samples(config, context, &delivered)?;
    let card = card::text(config, &facts, &configs, &delivered.shards).map_err(TaskError::failed)?;
    let report = report::text(&facts, &charts, &answers, &samples).map_err(TaskError::failed)?;

    context.write_blob("README.md", card.as_bytes())?;
    context.write_blob("report.html", report.as_bytes())?;
    publish::everything(context, &facts, configs, &delivered, videos)
}
