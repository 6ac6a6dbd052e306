//! The release's `README.md`: what loaders read, then what people read.

use super::facts::Facts;
use super::{render, yaml};
use crate::release::ReleaseConfig;
use serde_json::{Value, json};
use uavgen_core::store::features::card_features;
use uavgen_schemas::{Box2d, QaRow, Record, ReleaseTable, Shard, TABLES};

/// The text of the card.
///
/// # Errors
/// When the template is broken, which its test would show.
pub(crate) fn text(
    config: &ReleaseConfig,
    facts: &Facts,
    configs: &[ReleaseTable],
    shards: &[Shard],
) -> Result<String, String> {
    let front = yaml::block(&front_matter(config, facts, configs, shards));
    let body = render(
        "card.md",
        &json!({
            "name": facts.name,
            "description": config.description,
            "facts": facts,
            "questions": facts.question_count(),
            "tasks": task_rows(facts),
            "first_split": first_split(configs),
            "first_scene_table": first_scene_table(configs),
            "images": facts.splits.values().map(|split| split.images).sum::<u64>(),
            "original_images": facts.splits.values().map(|split| split.original_images).sum::<u64>(),
            "configs": configs.iter().map(config_row).collect::<Vec<_>>(),
            "licence": config.licence,
        }),
    )?;
    Ok(format!("---\n{front}---\n\n{body}"))
}

/// A split that has questions.
fn first_split(configs: &[ReleaseTable]) -> Option<&str> {
    let questions = configs.iter().find(|entry| entry.name == QaRow::TABLE)?;
    questions.splits.first().map(|split| split.name.as_str())
}

/// The table that the card shows how to load beside the questions: the boxes, where there are any.
fn first_scene_table(configs: &[ReleaseTable]) -> Option<&str> {
    let scene = || configs.iter().map(|entry| entry.name.as_str()).filter(|name| *name != QaRow::TABLE);
    scene().find(|name| *name == Box2d::TABLE).or_else(|| scene().next())
}

/// One row per task: its name, its questions per split in the order of the splits, and in all.
pub(super) fn task_rows(facts: &Facts) -> Vec<Value> {
    let row = |(name, by_split): (&super::facts::TaskName, &std::collections::BTreeMap<String, u64>)| {
        let counts: Vec<u64> = facts.splits.keys().map(|split| by_split.get(split).copied().unwrap_or(0)).collect();
        json!({"suite": name.suite, "task": name.task, "total": counts.iter().sum::<u64>(), "counts": counts})
    };
    facts.questions.iter().map(row).collect()
}

fn config_row(entry: &ReleaseTable) -> Value {
    let rows: i64 = entry.splits.iter().map(|split| split.row_count).sum();
    json!({"name": entry.name, "rows": rows, "files": entry.splits.iter().map(|split| split.files.len()).sum::<usize>()})
}

fn front_matter(config: &ReleaseConfig, facts: &Facts, configs: &[ReleaseTable], shards: &[Shard]) -> Value {
    let mut tags = vec!["uav", "drone", "aerial", "visual-question-answering", "computed-answers", "uavgen"];
    tags.extend(config.tags.iter().map(String::as_str));
    json!({
        "pretty_name": facts.name,
        "language": ["en"],
        "license": config.licence,
        "task_categories": ["visual-question-answering"],
        "tags": tags,
        "size_categories": [size_category(facts.question_count())],
        "configs": configs.iter().map(|entry| data_files(entry, default_config(configs))).collect::<Vec<_>>(),
        "dataset_info": configs.iter().map(|entry| dataset_info(entry, shards)).collect::<Vec<_>>(),
    })
}

/// The config that loads when none is named: the questions, or without any the first table.
fn default_config(configs: &[ReleaseTable]) -> &str {
    let named = configs.iter().find(|entry| entry.name == QaRow::TABLE).or(configs.first());
    named.map_or("", |entry| &entry.name)
}

fn data_files(entry: &ReleaseTable, default: &str) -> Value {
    let files: Vec<Value> =
        entry.splits.iter().map(|split| json!({"split": split.name, "path": split.files})).collect();
    let mut value = json!({"config_name": entry.name, "data_files": files});
    if entry.name == default {
        value["default"] = true.into();
    }
    value
}

fn dataset_info(entry: &ReleaseTable, shards: &[Shard]) -> Value {
    let download: i64 = shards.iter().filter(|shard| shard.config == entry.name).map(|shard| shard.byte_count).sum();
    let decoded: i64 = entry.splits.iter().map(|split| split.decoded_bytes).sum();
    let split = |split: &uavgen_schemas::ReleaseSplit| json!({"name": split.name, "num_bytes": split.decoded_bytes, "num_examples": split.row_count});
    json!({
        "config_name": entry.name,
        "features": declared_features(&entry.name),
        "splits": entry.splits.iter().map(split).collect::<Vec<_>>(),
        "download_size": download,
        "dataset_size": decoded,
    })
}

/// Features of a table as cards spell them.
fn declared_features(table: &str) -> Value {
    TABLES.iter().find(|info| info.name == table).map_or(Value::Null, card_features)
}

/// Size class as the hub spells it.
fn size_category(rows: u64) -> &'static str {
    match rows {
        0..1_000 => "n<1K",
        1_000..10_000 => "1K<n<10K",
        10_000..100_000 => "10K<n<100K",
        100_000..1_000_000 => "100K<n<1M",
        1_000_000..10_000_000 => "1M<n<10M",
        _ => "10M<n<100M",
    }
}
