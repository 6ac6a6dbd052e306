//! Sample items with their pictures.

use super::super::pure::samples::{MOST_IMAGES, Sample, sample};
use super::clip_pictures;
use super::gather::{DeliveredShards, failed};
use crate::release::ReleaseConfig;
use std::collections::{BTreeMap, BTreeSet};
use uavgen_core::{Context, Partition, TaskError};
use uavgen_media::decode_upright;
use uavgen_schemas::{Frame, QaItem, Record, SpaceQaItem};

/// A few delivered items per task, by hash rank, sorted by suite, task and id.
pub(super) fn samples(
    config: &ReleaseConfig,
    context: &Context,
    delivered: &DeliveredShards,
) -> Result<Vec<Sample>, TaskError> {
    let questions = delivered.files_of("qa");
    // Another salt than the one that balances, so that samples are no corner of the ranks.
    let salt = context.seed() ^ 0x5a5a;
    let limit = config.samples_per_task as usize;
    let mut wanted =
        uavgen_tables::keep_lowest_rank(&questions, "id", &["suite", "task"], salt, limit).map_err(failed)?;
    let mut samples = of_images::<QaItem>(config, context, &mut wanted)?;
    samples.extend(of_images::<SpaceQaItem>(config, context, &mut wanted)?);
    samples.extend(clip_pictures::samples(config, context, &mut wanted)?);
    samples.sort_by(|a, b| (&a.suite, &a.task, &a.id).cmp(&(&b.suite, &b.task, &b.id)));
    Ok(samples)
}

/// The wanted items of a table of items about images; their ids are taken out of `wanted`.
fn of_images<R: Record + Into<QaItem>>(
    config: &ReleaseConfig,
    context: &Context,
    wanted: &mut BTreeSet<String>,
) -> Result<Vec<Sample>, TaskError> {
    let mut samples = Vec::new();
    for part in context.parts::<R>() {
        if wanted.is_empty() {
            break;
        }
        context.check_cancelled()?;
        let items = context.read_part::<R>(part)?.into_iter().map(Into::<QaItem>::into);
        let items: Vec<QaItem> = items.filter(|item| wanted.remove(&item.id)).collect();
        if items.is_empty() {
            continue;
        }
        let frames = context.read_partition::<Frame>(&part.partition)?;
        let frames = frames.into_iter().map(|frame| (frame.frame_id.clone(), frame)).collect();
        for item in items {
            samples.push(with_pictures(config, context, &part.partition, &frames, item)?);
        }
    }
    Ok(samples)
}

fn with_pictures(
    config: &ReleaseConfig,
    context: &Context,
    partition: &Partition,
    frames: &BTreeMap<String, Frame>,
    item: QaItem,
) -> Result<Sample, TaskError> {
    let source = partition.source().unwrap_or_default();
    let mut images = Vec::new();
    for id in item.frame_ids.iter().take(MOST_IMAGES) {
        let Some(frame) = frames.get(id) else { continue };
        let file = context.read_source(source, &frame.file, &frame.digest)?;
        // It was decoded when it was delivered, from the very same bytes.
        images.push(decode_upright(&file).map_err(|fault| TaskError::failed(format!("{}: {fault}", frame.file)))?);
    }
    sample(item, images, config.sample_px).map_err(TaskError::failed)
}
