//! The shell: streams partitions into shards.

mod generation;
mod images;
mod shard_set;

use super::ShardsConfig;
use super::pure::{image_runs, sort_by_frame};
use images::ImageShelf;
use shard_set::ShardSet;
use std::collections::BTreeSet;
use std::path::PathBuf;
use uavgen_core::store::TableOptions;
use uavgen_core::{Context, InputPart, Partition, TaskError};
use uavgen_schemas::{
    Box2d, Camera, Clip, ClipFrame, ClipQaItem, ClipSample, ClipSegment, Fragment, Frame, FrameMapEntry, Instance,
    Mask, MaskClass, Pose, QaItem, QaRow, Record, Recording, Region, Reject, Selection, Shard, SpaceQaItem,
    StitchedClip, StitchedFrame, StitchedSample, StitchedSegment, Telemetry, Track, Video,
};

/// Most pixels of the images that are decoded at once: some 100 MB, four images of 4K.
const RUN_PIXELS: i64 = 32 << 20;
/// Most bytes of images, as source files, that are held at once, next to the row group.
const RUN_BYTES: i64 = 24 << 20;

pub(super) fn run(config: &ShardsConfig, context: &mut Context) -> Result<(), TaskError> {
    let Some(split) = context.partition().split() else {
        return Err(TaskError::failed("shards works on one split, got the whole data set"));
    };
    let mut shards = Vec::new();
    let mut images = ImageShelf::new(split);
    shards.extend(write_questions(config, context, split, &mut images)?);
    shards.extend(copy_table::<Recording>(config, context, split)?);
    shards.extend(copy_table::<Frame>(config, context, split)?);
    shards.extend(copy_table::<Box2d>(config, context, split)?);
    shards.extend(copy_table::<Track>(config, context, split)?);
    shards.extend(copy_table::<Region>(config, context, split)?);
    shards.extend(copy_table::<Telemetry>(config, context, split)?);
    shards.extend(copy_table::<Camera>(config, context, split)?);
    shards.extend(copy_table::<Pose>(config, context, split)?);
    shards.extend(copy_table::<Mask>(config, context, split)?);
    shards.extend(copy_table::<MaskClass>(config, context, split)?);
    shards.extend(copy_table::<Instance>(config, context, split)?);
    shards.extend(copy_table::<Fragment>(config, context, split)?);
    shards.extend(generation::write(config, context, split, &mut images)?);
    shards.extend(copy_table::<Selection>(config, context, split)?);
    shards.extend(copy_table::<Video>(config, context, split)?);
    shards.extend(copy_table::<FrameMapEntry>(config, context, split)?);
    shards.extend(join_tables::<Clip, StitchedClip>(config, context, split)?);
    shards.extend(join_tables::<ClipSegment, StitchedSegment>(config, context, split)?);
    shards.extend(join_tables::<ClipFrame, StitchedFrame>(config, context, split)?);
    shards.extend(join_tables::<ClipSample, StitchedSample>(config, context, split)?);
    shards.sort_by(|a, b| a.path.cmp(&b.path));
    context.write(shards)?;
    context.write(images.into_rows())
}

/// Writes config `qa`: items that stay within `max_per_task`, with their images; those about clips, which have none, last.
fn write_questions(
    config: &ShardsConfig,
    context: &mut Context,
    split: &str,
    images: &mut ImageShelf,
) -> Result<Vec<Shard>, TaskError> {
    let kept = items_to_keep(config, context)?;
    let mut rows = picture_set::<QaRow>(config, split);
    for part in context.parts::<QaItem>().to_vec() {
        let mut items = read_kept::<QaItem>(config, context, &part, &kept)?;
        sort_by_frame(&mut items);
        write_partition(context, &part.partition, items, images, &mut rows)?;
    }
    for part in context.parts::<SpaceQaItem>().to_vec() {
        let mut items = read_kept::<SpaceQaItem>(config, context, &part, &kept)?;
        sort_by_frame(&mut items);
        write_partition(context, &part.partition, items, images, &mut rows)?;
    }
    for part in context.parts::<ClipQaItem>().to_vec() {
        context.check_cancelled()?;
        for item in read_kept::<ClipQaItem>(config, context, &part, &kept)? {
            rows.push(context, item.with_images(Vec::new()))?;
        }
    }
    rows.finish(context)
}

/// The items of a part that stay; a reject for each other one.
fn read_kept<R: Record + Into<QaItem>>(
    config: &ShardsConfig,
    context: &mut Context,
    part: &InputPart,
    kept: &BTreeSet<String>,
) -> Result<Vec<QaItem>, TaskError> {
    let mut items: Vec<QaItem> = context.read_part::<R>(part)?.into_iter().map(Into::into).collect();
    context.count_read("question", items.len() as u64);
    let dropped = items.extract_if(.., |item| !kept.contains(&item.id)).collect::<Vec<_>>();
    dropped.iter().for_each(|item| reject_over_limit(context, config, item));
    Ok(items)
}

/// Ids of the items within `max_per_task`.
fn items_to_keep(config: &ShardsConfig, context: &Context) -> Result<BTreeSet<String>, TaskError> {
    let parts = context.parts::<QaItem>().iter().chain(context.parts::<SpaceQaItem>());
    let parts = parts.chain(context.parts::<ClipQaItem>());
    let paths: Vec<PathBuf> = parts.map(InputPart::table_file).collect::<Result<_, _>>()?;
    let limit = config.max_per_task as usize;
    uavgen_tables::keep_lowest_rank(&paths, "id", &["suite", "task"], context.seed(), limit)
        .map_err(|error| TaskError::failed(error.to_string()))
}

fn reject_over_limit(context: &mut Context, config: &ShardsConfig, item: &QaItem) {
    let limit = f64::from(config.max_per_task);
    context.reject(Reject::rule(&item.id, "max_per_task", &item.task).measured(None, limit));
}

fn write_partition(
    context: &mut Context,
    partition: &Partition,
    items: Vec<QaItem>,
    images: &mut ImageShelf,
    rows: &mut ShardSet<QaRow>,
) -> Result<(), TaskError> {
    if items.is_empty() {
        return Ok(());
    }
    let frames = context.read_partition::<Frame>(partition)?;
    let frames = frames.into_iter().map(|frame| (frame.frame_id.clone(), frame)).collect();
    let runs = image_runs(&items, &frames, RUN_PIXELS, RUN_BYTES);
    let mut items = items.into_iter();
    for run in runs {
        context.check_cancelled()?;
        let run: Vec<QaItem> = items.by_ref().take(run.len()).collect();
        images.fill(context, partition, &run, &frames)?;
        for item in run {
            match images.take_for(&item) {
                Ok(pictures) => {
                    rows.push(context, item.with_images(pictures))?;
                }
                Err(broken_frame) => context.reject(Reject::refusal(item.id, "image_undecodable", broken_frame)),
            }
        }
    }
    Ok(())
}

/// Writes a scene table as a config of its own, partition by partition.
fn copy_table<R: Record>(config: &ShardsConfig, context: &mut Context, split: &str) -> Result<Vec<Shard>, TaskError> {
    let mut rows = table_set::<R>(config, split);
    copy_rows::<R, R>(context, &mut rows)?;
    rows.finish(context)
}

/// Writes two tables of one kind of row as one config, one after the other.
fn join_tables<R: Record, S: Record + Into<R>>(
    config: &ShardsConfig,
    context: &mut Context,
    split: &str,
) -> Result<Vec<Shard>, TaskError> {
    let mut rows = table_set::<R>(config, split);
    copy_rows::<R, R>(context, &mut rows)?;
    copy_rows::<S, R>(context, &mut rows)?;
    rows.finish(context)
}

/// The files of a config with images.
fn picture_set<R: Record>(config: &ShardsConfig, split: &str) -> ShardSet<R> {
    let options = TableOptions {
        row_group_rows: config.row_group_rows as usize,
        row_group_bytes: config.row_group_bytes as usize,
        declare_features: true,
    };
    ShardSet::new(R::TABLE, split, options, config.shard_bytes)
}

fn table_set<R: Record>(config: &ShardsConfig, split: &str) -> ShardSet<R> {
    let options = TableOptions {
        row_group_bytes: config.row_group_bytes as usize,
        declare_features: true,
        ..TableOptions::default()
    };
    ShardSet::new(R::TABLE, split, options, config.shard_bytes)
}

fn copy_rows<S: Record + Into<R>, R: Record>(context: &mut Context, rows: &mut ShardSet<R>) -> Result<(), TaskError> {
    for part in context.parts::<S>().to_vec() {
        context.check_cancelled()?;
        for row in context.read_part::<S>(&part)? {
            rows.push(context, row.into())?;
        }
    }
    Ok(())
}
