//! Finds a question with its scene: in the project's results, or in a release alone.

use super::clip;
use super::scene::{Records, frame_ids};
use crate::commands::clip::ShownClip;
use crate::exit::Failure;
use crate::results::{Results, writer_of};
use crate::workspace::Opened;
use anyhow::Context as _;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use uavgen_core::store::TableReader;
use uavgen_core::{Manifest, Partition};
use uavgen_engine::publish::LATEST;
use uavgen_programs::Scene;
use uavgen_schemas::{
    AnswerType, Box2d, Camera, ClipQaItem, Fragment, Frame, Instance, ItemBox, Pose, QaItem, QaRow, Record, Recording,
    Region, Selection, SpaceQaItem,
};

/// Digits of an id that may stand for all of it, where only one id starts so.
const SHORTEST_PREFIX: usize = 4;
/// Items of a release that are in memory at once, with their images.
const BATCH_ITEMS: usize = 16;

/// A question and everything that its program is executed on.
pub(super) struct Found {
    pub(super) item: Item,
    pub(super) scene: Scene,
    /// The clip that it is about; null for images.
    pub(super) clip: Option<ShownClip>,
    /// Images in the order of the item's frames.
    pub(super) images: Vec<EncodedImage>,
    /// Where it was found, for people.
    pub(super) origin: String,
}

/// The columns of a question that are shown, whether it has images attached or not.
#[derive(Debug, Clone, serde::Serialize)]
pub(super) struct Item {
    pub(super) id: String,
    pub(super) suite: String,
    pub(super) task: String,
    pub(super) split: String,
    pub(super) question: String,
    pub(super) options: Vec<String>,
    pub(super) answer: String,
    pub(super) answer_indices: Vec<i32>,
    pub(super) answer_type: AnswerType,
    pub(super) answer_json: String,
    pub(super) program: String,
    pub(super) clip_id: Option<String>,
    pub(super) frame_ids: Vec<String>,
    pub(super) recording_ids: Vec<String>,
    pub(super) boxes: Vec<ItemBox>,
}

macro_rules! item_from {
    ($($record:ty),*) => {$(
        impl From<$record> for Item {
            fn from(row: $record) -> Self {
                Self {
                    id: row.id,
                    suite: row.suite,
                    task: row.task,
                    split: row.split,
                    question: row.question,
                    options: row.options,
                    answer: row.answer,
                    answer_indices: row.answer_indices,
                    answer_type: row.answer_type,
                    answer_json: row.answer_json,
                    program: row.program,
                    clip_id: row.clip_id,
                    frame_ids: row.frame_ids,
                    recording_ids: row.recording_ids,
                    boxes: row.boxes,
                }
            }
        }
    )*};
}
item_from!(QaItem, QaRow);

/// An encoded image, in memory or in its source.
pub(super) enum EncodedImage {
    Bytes(Vec<u8>),
    File(PathBuf),
}

impl EncodedImage {
    /// The encoded bytes.
    pub(super) fn load(&self) -> anyhow::Result<Vec<u8>> {
        match self {
            Self::Bytes(bytes) => Ok(bytes.clone()),
            Self::File(file) => std::fs::read(file).with_context(|| format!("failed to read {}", file.display())),
        }
    }
}

/// Looks in the project's current results, then in its latest release.
///
/// # Errors
/// When the question is in neither.
pub(super) fn in_project(opened: &Opened, id: &str) -> anyhow::Result<Found> {
    let mut search = Search::<QaItem, _>::new(id)?;
    let stages =
        [QaItem::TABLE, ClipQaItem::TABLE, SpaceQaItem::TABLE].map(|table| writer_of(table).unwrap_or_default());
    let results = Results::look(opened, &uavgen_engine::Selection::stages(stages))?;
    search.offer_results::<QaItem>(&results)?;
    search.offer_results::<ClipQaItem>(&results)?;
    search.offer_results::<SpaceQaItem>(&results)?;
    if let Some((item, manifest)) = search.only()? {
        return from_results(opened, &results, &manifest, item.into());
    }
    let latest = opened.config.runtime.releases.join(LATEST);
    if latest.is_dir() {
        return in_release(&latest, id);
    }
    Err(not_found(id, "the project's results").into())
}

fn from_results(opened: &Opened, results: &Results, manifest: &Manifest, item: Item) -> anyhow::Result<Found> {
    let partition = manifest.partition();
    let clip = match item.clip_id.as_deref() {
        None => None,
        Some(id) => Some(clip::find(opened, id)?.with_context(|| format!("clip {id} has no current result"))?),
    };
    let partitions = match clip {
        None => vec![partition.clone()],
        Some(_) => partitions_of(results, &item)?,
    };
    let wanted: BTreeSet<&str> = frame_ids(&item, clip.as_ref()).iter().map(String::as_str).collect();
    let mut records = Records::default();
    for partition in &partitions {
        let scene = (results.rows_of(partition)?, results.rows_of(partition)?);
        records.add(&item.suite, &wanted, scene, (results.rows_of(partition)?, results.rows_of(partition)?));
        let posed = (results.rows_of(partition)?, results.rows_of(partition)?);
        records.add_posed(&wanted, posed, (results.rows_of(partition)?, results.rows_of(partition)?));
    }
    let source = opened.config.project.sources.iter().find(|source| Some(source.name.as_str()) == partition.source());
    let root = source.map(|source| source.path.clone()).unwrap_or_default();
    let mut images = Vec::new();
    for id in &item.frame_ids {
        images.push(EncodedImage::File(root.join(&records.frame(id)?.file)));
    }
    let scene = records.scene(&item, clip.as_ref())?;
    Ok(Found { item, scene, clip, images, origin: format!("the results of {partition}") })
}

/// The partitions that have the recordings of an item.
fn partitions_of(results: &Results, item: &Item) -> anyhow::Result<Vec<Partition>> {
    let mut partitions = Vec::new();
    for manifest in results.of_stage(writer_of(Recording::TABLE).unwrap_or_default()) {
        let rows = results.rows::<Recording>(manifest)?;
        if rows.iter().any(|row| item.recording_ids.contains(&row.recording_id)) {
            partitions.push(manifest.partition().clone());
        }
    }
    Ok(partitions)
}

/// Looks in a release, without any project.
///
/// # Errors
/// When it is no release, or the question is not in it.
pub(super) fn in_release(release: &Path, id: &str) -> anyhow::Result<Found> {
    if !release.join("data").is_dir() {
        return Err(Failure::usage(format!("{} is no release: it has no folder data/", release.display())).into());
    }
    let mut search = Search::new(id)?;
    for file in table_files(release, QaRow::TABLE)? {
        for batch in TableReader::<QaRow>::with_batch_rows(&file, BATCH_ITEMS)? {
            batch?.into_iter().for_each(|row| search.offer(row, &()));
        }
    }
    let (mut row, ()) = search.only()?.ok_or_else(|| not_found(id, &release.display().to_string()))?;
    let images = std::mem::take(&mut row.images);
    let images = images.into_iter().map(|image| EncodedImage::Bytes(image.bytes)).collect();
    let item = Item::from(row);
    let clip = match item.clip_id.as_deref() {
        None => None,
        Some(id) => Some(
            clip::in_release(release, id)?
                .with_context(|| format!("there is no clip {id}: check the release with `uavgen check`"))?,
        ),
    };
    let wanted: BTreeSet<&str> = frame_ids(&item, clip.as_ref()).iter().map(String::as_str).collect();
    let mut records = Records::default();
    let scene = (
        filtered(release, |row: &Frame| wanted.contains(row.frame_id.as_str()))?,
        filtered(release, |row: &Box2d| wanted.contains(row.frame_id.as_str()))?,
    );
    let judged = (
        filtered(release, |row: &Region| wanted.contains(row.frame_id.as_str()))?,
        filtered(release, |row: &Selection| wanted.contains(row.frame_id.as_str()))?,
    );
    records.add(&item.suite, &wanted, scene, judged);
    let posed = (
        filtered(release, |_: &Camera| true)?,
        filtered(release, |row: &Pose| wanted.contains(row.frame_id.as_str()))?,
    );
    let lifted = (
        filtered(release, |row: &Instance| wanted.contains(row.frame_id.as_str()))?,
        filtered(release, |row: &Fragment| wanted.contains(row.frame_id.as_str()))?,
    );
    records.add_posed(&wanted, posed, lifted);
    let scene = records.scene(&item, clip.as_ref())?;
    Ok(Found { item, scene, clip, images, origin: release.display().to_string() })
}

fn not_found(id: &str, place: &str) -> Failure {
    Failure::usage(format!("no question `{id}` in {place}"))
        .with_hint("ids are in the column `id` of the table `qa`; `--release DIR` looks in another release")
}

/// Rows that an id, or the start of one, may mean. `C` is where a row was found.
pub(super) struct Search<R, C> {
    /// In the case that ids have.
    id: String,
    exact: Option<(R, C)>,
    /// The first row whose id starts so, and how many there are.
    started: Option<(R, C)>,
    started_count: usize,
}

impl<R: Record, C: Clone> Search<R, C> {
    pub(super) fn new(id: &str) -> Result<Self, Failure> {
        if id.len() < SHORTEST_PREFIX {
            let message = format!("`{id}` is too short: give at least {SHORTEST_PREFIX} digits of the id");
            return Err(Failure::usage(message));
        }
        Ok(Self { id: id.to_ascii_lowercase(), exact: None, started: None, started_count: 0 })
    }

    pub(super) fn offer(&mut self, row: R, place: &C) {
        if row.id() == self.id {
            self.exact = Some((row, place.clone()));
        } else if row.id().starts_with(&self.id) {
            self.started_count += 1;
            self.started.get_or_insert_with(|| (row, place.clone()));
        }
    }

    /// The row that was meant; an error when the start of an id means several.
    pub(super) fn only(self) -> Result<Option<(R, C)>, Failure> {
        match (self.exact, self.started_count) {
            (Some(exact), _) => Ok(Some(exact)),
            (None, 0 | 1) => Ok(self.started),
            (None, count) => {
                Err(Failure::usage(format!("{count} ids start with `{}`", self.id))
                    .with_hint("give more digits of the id"))
            }
        }
    }
}

impl<R: Record> Search<R, Arc<Manifest>> {
    /// Offers the rows of a table, over all its current results.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub(super) fn offer_results<S: Record + Into<R>>(&mut self, results: &Results) -> anyhow::Result<()> {
        for manifest in results.of_stage(writer_of(S::TABLE).unwrap_or_default()) {
            results.rows::<S>(manifest)?.into_iter().for_each(|row| self.offer(row.into(), manifest));
        }
        Ok(())
    }
}

/// Files of a table in a release, in order; none when the table has no rows.
fn table_files(release: &Path, table: &str) -> anyhow::Result<Vec<PathBuf>> {
    let folder = release.join("data").join(table);
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let entries = std::fs::read_dir(&folder).with_context(|| format!("failed to read {}", folder.display()))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "parquet") {
            files.push(path);
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// Rows of a table of a release.
///
/// # Errors
/// When a file of it cannot be read.
pub(super) fn filtered<R: Record>(release: &Path, keep: impl Fn(&R) -> bool) -> anyhow::Result<Vec<R>> {
    let mut kept = Vec::new();
    for file in table_files(release, R::TABLE)? {
        for batch in TableReader::<R>::open(&file)? {
            kept.extend(batch?.into_iter().filter(|row| keep(row)));
        }
    }
    Ok(kept)
}
