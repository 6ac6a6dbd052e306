//! `uavgen preview`: what a stage made, as contact sheets.

mod clips;
mod depth;
mod frames;
mod generation;
mod lift;
mod questions;
mod videos;

use crate::arguments::{Global, stage_name};
use crate::commands::clip;
use crate::exit::{Exit, Failure};
use crate::output::print;
use crate::picture;
use crate::results::Results;
use crate::workspace::{Opened, open};
use clap::Args;
use std::path::PathBuf;
use std::sync::Arc;
use uavgen_core::Manifest;
use uavgen_media::RgbImage;
use uavgen_schemas::{
    Box2d, Clip, ClipQaItem, DepthMap, GenerationTriple, Instance, QaItem, Record, Selection, SpaceQaItem,
    StitchedClip, Video,
};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  uavgen preview ingest                frames with their boxes, coloured by category
  uavgen preview depth                 posed frames above their depth, near bright and far dark, north arrow
  uavgen preview lift                  posed frames with the boxes of their objects in space, ids and headings
  uavgen preview generation            image, depth and segmentation of frames, with classes and texts
  uavgen preview video                 frames decoded from the videos
  uavgen preview clips                 first and last frames of the segments of clips
  uavgen preview stitch                first and last frames of the clips that were joined
  uavgen preview filter --split val    kept boxes green, unknown ones red
  uavgen preview qa --count 24         questions with their boxes
  uavgen preview clip_qa               questions with the strips of their clips")]
pub(crate) struct PreviewArguments {
    /// Stage to look at
    #[arg(value_name = "STAGE", value_parser = stage_name())]
    stage: String,
    /// Only this split
    #[arg(long, value_name = "SPLIT")]
    split: Option<String>,
    /// Pictures on the sheet, spread evenly over the results
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u16).range(1..=200))]
    count: u16,
    /// Folder to write to; default: previews/ beside the config
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Columns of a sheet.
const COLUMNS: usize = 3;
/// Longest side of a picture on a sheet, in pixels.
const SIDE: u32 = 640;

/// What previews are drawn from.
struct Source<'a> {
    opened: &'a Opened,
    results: Results,
    /// Results of the stage that have the split.
    manifests: Vec<Arc<Manifest>>,
    count: usize,
}

/// A picture at the size of the sheet, with its caption.
type Cell = (RgbImage, String);

pub(crate) fn run(arguments: &PreviewArguments, global: &Global) -> anyhow::Result<Exit> {
    let draw = drawer(&arguments.stage)?;
    let opened = open(global, None)?;
    let results = Results::look(&opened, &uavgen_engine::Selection::stages([&arguments.stage]))?;
    let mut manifests = results.of_stage(&arguments.stage).to_vec();
    manifests.retain(|one| arguments.split.is_none() || one.partition().split() == arguments.split.as_deref());
    if manifests.is_empty() {
        let stage = &arguments.stage;
        return Err(Failure::usage(format!("{stage} has no current results to show"))
            .with_hint(format!("run `uavgen build --stage {stage}` first"))
            .into());
    }
    let source = Source { opened: &opened, results, manifests, count: usize::from(arguments.count) };
    let cells = draw(&source)?;
    if cells.is_empty() {
        return Err(Failure::usage(format!("{} made nothing that can be shown", arguments.stage)).into());
    }
    let folder = arguments.out.clone().unwrap_or_else(|| opened.config.root.join("previews"));
    let split = arguments.split.as_ref().map(|split| format!("-{split}")).unwrap_or_default();
    let file = folder.join(format!("{}{split}.jpg", arguments.stage));
    // Strips are wide.
    let columns = if cells.iter().any(|(image, _)| image.width() > 2 * SIDE) { 1 } else { COLUMNS };
    picture::write_sheet(&cells, columns, &file)?;
    print(file.display())?;
    Ok(Exit::Done)
}

type Drawer = fn(&Source<'_>) -> anyhow::Result<Vec<Cell>>;

/// How the results of a stage are drawn: by what it writes, so that no stage is known by name.
fn drawer(stage: &str) -> Result<Drawer, Failure> {
    let drawers: [(&str, Drawer); 11] = [
        (Box2d::TABLE, frames::by_category),
        (DepthMap::TABLE, depth::maps),
        (Instance::TABLE, lift::boxes),
        (GenerationTriple::TABLE, generation::triples),
        (Video::TABLE, videos::frames),
        (Clip::TABLE, clips::strips::<clip::Cut>),
        (StitchedClip::TABLE, clips::strips::<clip::Stitched>),
        (Selection::TABLE, frames::by_selection),
        (QaItem::TABLE, questions::items::<QaItem>),
        (SpaceQaItem::TABLE, questions::items::<SpaceQaItem>),
        (ClipQaItem::TABLE, questions::of_clips),
    ];
    let writes = |table: &str, stage: &str| {
        let info = uavgen_stages::STAGES.iter().map(|known| known.info()).find(|info| info.name == stage);
        info.is_some_and(|info| info.writes.iter().any(|written| written.name == table))
    };
    let found = drawers.iter().find(|(table, _)| writes(table, stage)).map(|(_, draw)| *draw);
    found.ok_or_else(|| {
        let stages = uavgen_stages::STAGES.iter().map(|known| known.info().name);
        let with: Vec<&str> = stages.filter(|stage| drawers.iter().any(|(table, _)| writes(table, stage))).collect();
        Failure::usage(format!("there is nothing to see of {stage}"))
            .with_hint(format!("stages with a preview: {}", with.join(", ")))
    })
}

/// `count` of `items`, evenly spread, first one included.
fn spread<T>(items: Vec<T>, count: usize) -> Vec<T> {
    let length = items.len();
    if length <= count {
        return items;
    }
    // The whole part of position * count / length grows by one exactly `count` times.
    let picked = |position: usize| position * count % length < count;
    items.into_iter().enumerate().filter(|(position, _)| picked(*position)).map(|(_, item)| item).collect()
}

/// Results with rows of a table, each with its number of pictures: of most recordings there may be none.
fn shares_with_rows<'s, R: Record>(source: &'s Source<'_>) -> Vec<(&'s Manifest, usize)> {
    let has_rows = |manifest: &&Arc<Manifest>| manifest.counts.written.get(R::TABLE).is_some_and(|rows| *rows > 0);
    with_shares(source.manifests.iter().filter(has_rows).map(Arc::as_ref).collect(), source.count)
}

/// Groups that get a picture, each with its number of pictures, `count` in all.
fn with_shares<T>(groups: Vec<T>, count: usize) -> Vec<(T, usize)> {
    let chosen = spread(groups, count);
    let (each, left) = (count / chosen.len().max(1), count % chosen.len().max(1));
    chosen.into_iter().enumerate().map(|(position, one)| (one, each + usize::from(position < left))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_spread_evenly() {
        assert_eq!(spread((0..10).collect(), 3), [0, 4, 7]);
        assert_eq!(spread((0..3).collect(), 5), [0, 1, 2]);
        assert_eq!(with_shares(vec!["a", "b", "c"], 8), [("a", 3), ("b", 3), ("c", 2)]);
        assert_eq!(with_shares(vec!["a", "b", "c"], 2), [("a", 1), ("c", 1)]);
        for (length, count) in [(100, 7), (12, 12), (13, 12), (1000, 1)] {
            assert_eq!(spread((0..length).collect(), count).len(), count.min(length));
        }
    }
}
