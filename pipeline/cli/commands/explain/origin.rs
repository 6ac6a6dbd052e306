//! Finds a question with its scene: in the project's results, or in a release alone.

use crate::exit::Failure;
use crate::results::{Results, writer_of};
use crate::workspace::Opened;
use anyhow::Context as _;
use std::path::{Path, PathBuf};
use uavgen_core::store::TableReader;
use uavgen_engine::publish::LATEST;
use uavgen_programs::{Scene, SceneFrame};
use uavgen_schemas::{AnswerType, Box2d, Frame, ItemBox, QaItem, QaRow, Record, Region, Selection};

/// Digits of an id that may stand for all of it, where only one id starts so.
const SHORTEST_PREFIX: usize = 4;
/// Items of a release that are in memory at once, with their images.
const BATCH_ITEMS: usize = 16;

/// A question and everything that its program is executed on.
pub(super) struct Found {
    pub(super) item: Item,
    pub(super) scene: Scene,
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
    pub(super) frame_ids: Vec<String>,
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
                    frame_ids: row.frame_ids,
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
    if let Some(stage) = writer_of(QaItem::TABLE) {
        let mut search = Search::new(id)?;
        let results = Results::look(opened, &uavgen_engine::Selection::stages([stage]))?;
        for manifest in results.of_stage(stage) {
            for item in results.rows::<QaItem>(manifest)? {
                search.offer(item, manifest);
            }
        }
        if let Some((item, manifest)) = search.only()? {
            return from_results(opened, &results, &manifest, item.into());
        }
    }
    let latest = opened.config.runtime.releases.join(LATEST);
    if latest.is_dir() {
        return in_release(&latest, id);
    }
    Err(not_found(id, "the project's results").into())
}

fn from_results(
    opened: &Opened,
    results: &Results,
    manifest: &uavgen_core::Manifest,
    item: Item,
) -> anyhow::Result<Found> {
    let partition = manifest.partition();
    let tables = Tables {
        frames: results.rows_of(partition)?,
        boxes: results.rows_of(partition)?,
        regions: results.rows_of(partition)?,
        selections: results.rows_of(partition)?,
    };
    let source = opened.config.project.sources.iter().find(|source| Some(source.name.as_str()) == partition.source());
    let root = source.map(|source| source.path.clone()).unwrap_or_default();
    let mut images = Vec::new();
    for id in &item.frame_ids {
        images.push(EncodedImage::File(root.join(&tables.frame(id)?.file)));
    }
    let scene = tables.scene(&item)?;
    Ok(Found { item, scene, images, origin: format!("the results of {partition}") })
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
    let scene = Tables::of_release(release, &item)?.scene(&item)?;
    Ok(Found { item, scene, images, origin: release.display().to_string() })
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

/// The records that scenes are made of.
struct Tables {
    frames: Vec<Frame>,
    boxes: Vec<Box2d>,
    regions: Vec<Region>,
    selections: Vec<Selection>,
}

impl Tables {
    /// The records of an item's frames.
    fn of_release(release: &Path, item: &Item) -> anyhow::Result<Self> {
        let wanted = |frame_id: &str| item.frame_ids.iter().any(|id| id == frame_id);
        Ok(Self {
            frames: filtered(release, |frame: &Frame| wanted(&frame.frame_id))?,
            boxes: filtered(release, |object: &Box2d| wanted(&object.frame_id))?,
            regions: filtered(release, |region: &Region| wanted(&region.frame_id))?,
            selections: filtered(release, |selection: &Selection| wanted(&selection.frame_id))?,
        })
    }

    fn frame(&self, id: &str) -> anyhow::Result<&Frame> {
        let found = self.frames.iter().find(|frame| frame.frame_id == id);
        found.with_context(|| format!("the scene tables have no frame {id}: check the release with `uavgen check`"))
    }

    fn scene(&self, item: &Item) -> anyhow::Result<Scene> {
        let mut frames = Vec::new();
        for id in &item.frame_ids {
            let boxes: Vec<Box2d> = self.boxes.iter().filter(|object| object.frame_id == *id).cloned().collect();
            let regions: Vec<Region> = self.regions.iter().filter(|region| region.frame_id == *id).cloned().collect();
            let of_item = |one: &&Selection| one.frame_id == *id && one.suite == item.suite;
            let selection = self.selections.iter().find(of_item);
            let selection =
                selection.with_context(|| format!("no selection of suite {} for frame {id}", item.suite))?;
            let frame = SceneFrame::new(self.frame(id)?, &boxes, &regions, selection);
            frames.push(frame.map_err(|error| anyhow::anyhow!("failed to {error}"))?);
        }
        Scene::new(frames).map_err(|error| anyhow::anyhow!("failed to {error}"))
    }
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
