//! Numbers out of delivered files.

use super::super::pure::charts::{Histogram, heat_map, histogram};
use super::super::pure::facts::{Facts, drops};
use super::super::pure::report::{Charts, TaskAnswers, task_answers};
use super::super::pure::space::{CategoryNumbers, GenerationFacts, KindFacts, SpaceFacts, categories, metres, spread};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use uavgen_core::{Context, InputPart, TaskError};
use uavgen_schemas::{
    Box2d, Fragment, Frame, GenerationFrame, GenerationSample, Instance, Mask, Pose, RELEASE_TABLES, Record,
    ReleaseFile, Shard, ShardImage,
};
use uavgen_tables::{
    ScenePaths, Statistics, TableError, box_sides, boxes_per_frame, centre_grid, counts_by, statistics_by,
};

/// Edges of box sizes: powers of the square root of two, where VisDrone has most of its boxes.
const SIDE_EDGES: [f64; 13] = [0.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0, 96.0, 128.0, 256.0];
/// Edges of object counts.
const COUNT_EDGES: [f64; 12] = [0.0, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0, 50.0, 75.0, 100.0, 200.0];
const GRID: (usize, usize) = (32, 18);

/// The Parquet files of all splits, and where they are.
pub(super) struct DeliveredShards {
    /// Sorted by path.
    pub shards: Vec<Shard>,
    parts: Vec<(InputPart, Vec<String>)>,
    files: BTreeMap<String, PathBuf>,
}

impl DeliveredShards {
    pub(super) fn of(context: &Context) -> Result<Self, TaskError> {
        let mut delivered = Self { shards: Vec::new(), parts: Vec::new(), files: BTreeMap::new() };
        for part in context.parts::<Shard>() {
            let shards = context.read_part::<Shard>(part)?;
            for shard in &shards {
                let file = part.attempt_folder.join(&shard.path);
                if delivered.files.insert(shard.path.clone(), file).is_some() {
                    return Err(TaskError::failed(format!(
                        "two splits are both delivered as {}; give one of them another name",
                        shard.split
                    )));
                }
            }
            delivered.parts.push((part.clone(), shards.iter().map(|shard| shard.path.clone()).collect()));
            delivered.shards.extend(shards);
        }
        delivered.shards.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(delivered)
    }

    /// The files of a config, in the order of their names.
    pub(super) fn files_of(&self, config: &str) -> Vec<PathBuf> {
        let of_config = self.shards.iter().filter(|shard| shard.config == config);
        of_config.filter_map(|shard| self.files.get(&shard.path).cloned()).collect()
    }

    /// Number of rows of a config.
    fn rows_of(&self, config: &str) -> u64 {
        let of_config = self.shards.iter().filter(|shard| shard.config == config);
        of_config.map(|shard| shard.row_count.max(0) as u64).sum()
    }

    /// Each upstream task with the paths of its files.
    pub(super) fn parts(&self) -> &[(InputPart, Vec<String>)] {
        &self.parts
    }
}

/// Everything that card and report count.
pub(super) fn facts(
    context: &Context,
    delivered: &DeliveredShards,
    videos: &[ReleaseFile],
) -> Result<Facts, TaskError> {
    let mut facts = Facts {
        name: context.option("project").as_str().unwrap_or_default().to_owned(),
        split_mode: split_mode(context),
        drops: drops(context.upstream_counts()),
        video_count: videos.len() as u64,
        video_bytes: videos.iter().map(|file| file.byte_count.max(0) as u64).sum(),
        empty_tables: empty_tables(delivered),
        ..Facts::default()
    };
    facts.add_shards(&delivered.shards);
    let count = |config: &str, columns: &[&str]| counts_by(&delivered.files_of(config), columns).map_err(failed);
    facts.add_recordings(&count("recordings", &["split", "source", "licence", "group_id"])?);
    facts.add_frames(&count("frames", &["split", "labelled"])?);
    facts.add_questions(&count("qa", &["suite", "task", "split"])?);
    for part in context.parts::<ShardImage>() {
        facts.add_images(&context.read_part::<ShardImage>(part)?);
    }
    facts.space = space(delivered)?;
    Ok(facts)
}

/// What is posed in space; null where nothing is.
fn space(delivered: &DeliveredShards) -> Result<Option<SpaceFacts>, TaskError> {
    let poses = delivered.rows_of(Pose::TABLE);
    if poses == 0 {
        return Ok(None);
    }
    let instances = delivered.files_of(Instance::TABLE);
    let numbers = |column: &str| statistics_by(&instances, &["category"], column).map_err(failed);
    let numbers = CategoryNumbers {
        heights: numbers("height_m")?,
        lengths: numbers("length_m")?,
        distances: numbers("distance_m")?,
        objects: counts_by(&instances, &["category", "object_id"]).map_err(failed)?,
    };
    let (masks, fragments) = (delivered.rows_of(Mask::TABLE), delivered.rows_of(Fragment::TABLE));
    let generation = generation(delivered)?;
    Ok(Some(SpaceFacts { poses, masks, fragments, categories: categories(&numbers), generation }))
}

/// The generation track; null where there is none.
fn generation(delivered: &DeliveredShards) -> Result<Option<GenerationFacts>, TaskError> {
    let files = delivered.files_of(GenerationFrame::TABLE);
    let numbers = |column: &str| -> Result<Statistics, TaskError> {
        let found = statistics_by(&files, &[], column).map_err(failed)?;
        Ok(found.into_values().next().unwrap_or_default())
    };
    if files.is_empty() {
        return Ok(None);
    }
    let samples = counts_by(&delivered.files_of(GenerationSample::TABLE), &["kind"]).map_err(failed)?;
    let known = numbers("depth_known_share")?;
    let percent = |share: Option<f64>| share.map(|share| share * 100.0);
    let known = Statistics { min: percent(known.min), median: percent(known.median), max: percent(known.max), ..known };
    Ok(Some(GenerationFacts {
        frames: delivered.rows_of(GenerationFrame::TABLE),
        kinds: samples.into_iter().map(|(key, count)| KindFacts { kind: key[0].clone(), count }).collect(),
        nearest_m: numbers("depth_min_m")?.min.map_or_else(String::new, metres),
        farthest_m: numbers("depth_max_m")?.max.map_or_else(String::new, metres),
        mean_m: spread(Some(&numbers("depth_mean_m")?)),
        known_percent: spread(Some(&known)),
    }))
}

/// How recordings were divided, as the engine says.
pub(super) fn split_mode(context: &Context) -> String {
    context.option("split_mode").as_str().unwrap_or("unstated").to_owned()
}

/// Tables that a release may have and this one has no rows of.
fn empty_tables(delivered: &DeliveredShards) -> Vec<String> {
    let there: BTreeSet<&str> = delivered.shards.iter().map(|shard| shard.config.as_str()).collect();
    let names = RELEASE_TABLES.iter().map(|table| table.name);
    names.filter(|name| !there.contains(name)).map(str::to_owned).collect()
}

/// The distributions over all annotated objects.
pub(super) fn charts(context: &Context) -> Result<Charts, TaskError> {
    let scenes = scenes(context)?;
    let sides = box_sides(&scenes, &SIDE_EDGES).map_err(failed)?;
    let objects = boxes_per_frame(&scenes, &COUNT_EDGES).map_err(failed)?;
    let grid = centre_grid(&scenes, GRID.0, GRID.1).map_err(failed)?;
    let draw = |label, edges, counts: &[u64]| {
        histogram(&Histogram { label, edges, counts, open_end: true }).map_err(TaskError::failed)
    };
    Ok(Charts {
        box_sides: draw("square root of the area, px", &SIDE_EDGES, &sides)?,
        boxes_per_frame: draw("annotated objects on one image", &COUNT_EDGES, &objects)?,
        positions: heat_map(&grid).map_err(TaskError::failed)?,
    })
}

/// Frames and boxes of each partition that has both.
fn scenes(context: &Context) -> Result<Vec<ScenePaths>, TaskError> {
    let boxes: BTreeMap<_, _> = context.parts::<Box2d>().iter().map(|part| (&part.partition, part)).collect();
    let pairs = context.parts::<Frame>().iter().filter_map(|part| Some((part, *boxes.get(&part.partition)?)));
    pairs.map(|(frames, boxes)| Ok(ScenePaths { frames: frames.table_file()?, boxes: boxes.table_file()? })).collect()
}

/// How the delivered answers are spread.
pub(super) fn answers(delivered: &DeliveredShards) -> Result<Vec<TaskAnswers>, TaskError> {
    let questions = delivered.files_of("qa");
    let answers = counts_by(&questions, &["suite", "task", "answer"]).map_err(failed)?;
    let slots = counts_by(&questions, &["suite", "task", "answer_indices"]).map_err(failed)?;
    Ok(task_answers(&answers, &slots))
}

pub(super) fn failed(error: TableError) -> TaskError {
    TaskError::failed(error.to_string())
}
