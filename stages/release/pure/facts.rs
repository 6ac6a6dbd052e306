//! What is in the release, in numbers: the common ground of card, manifest and report.

use super::space::SpaceFacts;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use uavgen_core::Counts;
use uavgen_schemas::{ReleaseSplit, ReleaseTable, Shard, ShardImage, TABLES};

/// Everything counted before anything is written.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Facts {
    /// Title of the data set.
    pub name: String,
    /// How recordings were divided.
    pub split_mode: String,
    /// Splits that have any rows, sorted.
    pub splits: BTreeMap<String, SplitFacts>,
    /// Delivered questions by suite and task, then split.
    #[serde(skip)]
    pub questions: BTreeMap<TaskName, BTreeMap<String, u64>>,
    /// Licence or terms by source.
    pub licences: BTreeMap<String, BTreeSet<String>>,
    /// What each stage dropped, in the order in which stages ran.
    pub drops: Vec<Dropped>,
    /// Bytes of all Parquet files.
    pub data_bytes: u64,
    /// Bytes of all videos.
    pub video_bytes: u64,
    /// Number of videos.
    pub video_count: u64,
    /// What is posed in space; null where nothing is.
    pub space: Option<SpaceFacts>,
    /// Tables that no split has rows of.
    pub empty_tables: Vec<String>,
}

/// A task of a suite.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct TaskName {
    pub suite: String,
    pub task: String,
}

/// One split in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct SplitFacts {
    pub questions: u64,
    pub images: u64,
    pub original_images: u64,
    pub recordings: u64,
    pub groups: u64,
    pub frames: u64,
    pub labelled_frames: u64,
    pub boxes: u64,
}

/// Why a number of records was not taken further.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Dropped {
    pub stage: String,
    /// `rule`, `quarantine` or `refusal`.
    pub kind: &'static str,
    pub reason: String,
    pub count: u64,
    /// What the reason means; empty when the code says it all.
    pub meaning: String,
}

impl Facts {
    /// Number of delivered questions.
    pub(crate) fn question_count(&self) -> u64 {
        self.splits.values().map(|split| split.questions).sum()
    }

    /// Adds the delivered recordings, counted by split, source, licence and leak group.
    pub(crate) fn add_recordings(&mut self, counts: &BTreeMap<Vec<String>, u64>) {
        for (key, count) in counts {
            let [split, source, licence, _group] = key.as_slice() else { continue };
            let facts = self.splits.entry(split.clone()).or_default();
            facts.recordings += count;
            self.licences.entry(source.clone()).or_default().insert(licence.clone());
        }
        let groups: BTreeSet<(&String, &String)> = counts.keys().map(|key| (&key[0], &key[3])).collect();
        for (split, _) in groups {
            self.splits.entry(split.clone()).or_default().groups += 1;
        }
    }

    /// Adds the delivered frames, counted by split and whether they are labelled.
    pub(crate) fn add_frames(&mut self, counts: &BTreeMap<Vec<String>, u64>) {
        for (key, count) in counts {
            let facts = self.splits.entry(key[0].clone()).or_default();
            facts.frames += count;
            if key[1] == "true" {
                facts.labelled_frames += count;
            }
        }
    }

    /// Adds the delivered questions, counted by suite, task and split.
    pub(crate) fn add_questions(&mut self, counts: &BTreeMap<Vec<String>, u64>) {
        for (key, count) in counts {
            let task = TaskName { suite: key[0].clone(), task: key[1].clone() };
            self.questions.entry(task).or_default().insert(key[2].clone(), *count);
        }
    }

    /// Adds the delivered images of one split.
    pub(crate) fn add_images(&mut self, images: &[ShardImage]) {
        for image in images {
            let facts = self.splits.entry(image.split.clone()).or_default();
            facts.images += 1;
            facts.original_images += u64::from(image.original_bytes);
        }
    }

    /// Adds what the shards say.
    pub(crate) fn add_shards(&mut self, shards: &[Shard]) {
        for shard in shards {
            let facts = self.splits.entry(shard.split.clone()).or_default();
            match shard.config.as_str() {
                "qa" => facts.questions += shard.row_count.max(0) as u64,
                "boxes_2d" => facts.boxes += shard.row_count.max(0) as u64,
                _ => {}
            }
            self.data_bytes += shard.byte_count.max(0) as u64;
        }
    }
}

/// The configs of the release: one per table that has rows, sorted by name, as are its splits.
pub(crate) fn configs(shards: &[Shard]) -> Vec<ReleaseTable> {
    let mut by_config: BTreeMap<&str, BTreeMap<&str, Vec<&Shard>>> = BTreeMap::new();
    for shard in shards {
        by_config.entry(&shard.config).or_default().entry(&shard.split).or_default().push(shard);
    }
    let split = |(name, mut files): (&str, Vec<&Shard>)| {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        ReleaseSplit {
            name: name.to_owned(),
            row_count: files.iter().map(|shard| shard.row_count).sum(),
            decoded_bytes: files.iter().map(|shard| shard.decoded_bytes).sum(),
            files: files.iter().map(|shard| shard.path.clone()).collect(),
        }
    };
    by_config
        .into_iter()
        .map(|(name, splits)| ReleaseTable {
            name: name.to_owned(),
            record_version: TABLES.iter().find(|table| table.name == name).map_or(1, |table| table.version),
            splits: splits.into_iter().map(split).collect(),
        })
        .collect()
}

/// What every stage dropped, largest first within a stage and kind.
pub(crate) fn drops(counts: &BTreeMap<String, Counts>) -> Vec<Dropped> {
    let meanings = reason_meanings();
    let mut drops = Vec::new();
    for (stage, counts) in counts {
        let quarantined = counts.quarantined();
        let kinds = [("rule", &counts.rule), ("quarantine", &quarantined), ("refusal", &counts.refusal)];
        for (kind, reasons) in kinds {
            let mut listed: Vec<(&String, &u64)> = reasons.iter().collect();
            listed.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
            drops.extend(listed.into_iter().map(|(reason, count)| Dropped {
                stage: stage.clone(),
                kind,
                reason: reason.clone(),
                count: *count,
                meaning: meanings.get(reason).cloned().unwrap_or_default(),
            }));
        }
    }
    drops
}

/// Meaning of the reason codes, for people.
fn reason_meanings() -> BTreeMap<String, String> {
    // The file is part of the program, and a test reads it.
    serde_json::from_str(include_str!("../templates/reasons.json")).unwrap_or_default()
}
