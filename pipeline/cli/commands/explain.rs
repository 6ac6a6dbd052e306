//! `uavgen explain`: how an answer was computed, what a clip shows, or what a result was made from.

mod clip;
mod item;
mod origin;
mod scene;
mod task;

use crate::arguments::Global;
use crate::commands::clip::ShownClip;
use crate::exit::{Exit, Failure};
use crate::releases;
use crate::workspace::open;
use clap::Args;
use std::path::PathBuf;
use uavgen_core::config::nearest;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  uavgen explain 3f9c2a71d0e4                       question, answer, program; the program is executed again
  uavgen explain 3f9c2a71d0e4 --image item.jpg      with its boxes drawn on its images; of a clip, its strip
  uavgen explain 3f9c2a71d0e4 --release DIR         from a release alone, also without a project (a clip too)
  uavgen explain 81b7c02e55aa --image clip.jpg      a clip: its segments, taken and shown, with their first and last frames
  uavgen explain filter vid/uav0000086_00000_v      why a task is fresh or dirty, its inputs and its rejects
  uavgen explain shards split val")]
pub(crate) struct ExplainArguments {
    /// Id of a question or clip (its first digits are enough, four at least), or a stage and a partition as `plan -v` prints it
    #[arg(value_name = "ID | STAGE PARTITION", required = true, num_args = 1..=8)]
    what: Vec<String>,
    /// Draw the question's images with its boxes, or the strip of the clip, into this .jpg or .png
    #[arg(long, value_name = "FILE")]
    image: Option<PathBuf>,
    /// Look for the question or clip in this release (`latest`, a name, or a folder); default: the project's results, then its
    /// latest release
    #[arg(long, value_name = "RELEASE")]
    release: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &ExplainArguments, global: &Global) -> anyhow::Result<Exit> {
    match arguments.what.as_slice() {
        [id] => {
            refuse_stage_name(id)?;
            match &arguments.release {
                Some(release) => {
                    let release = releases::resolve(release, global)?;
                    explain_row(origin::in_release(&release, id), || clip::in_release(&release, id), arguments)
                }
                None => {
                    let opened = open(global, None)?;
                    explain_row(origin::in_project(&opened, id), || clip::find(&opened, id), arguments)
                }
            }
        }
        [..] if arguments.image.is_some() || arguments.release.is_some() => {
            Err(Failure::usage("--image and --release go with a question, not with a stage and a partition").into())
        }
        [stage, partition @ ..] => {
            let opened = open(global, None)?;
            task::explain(&opened, stage, &partition.join(" "), arguments.json)
        }
        [] => Err(Failure::usage("name a question, or a stage and a partition").into()),
    }
}

/// Explains a question; where there is none, the clip of that id.
fn explain_row(
    question: anyhow::Result<origin::Found>,
    clip: impl FnOnce() -> anyhow::Result<Option<ShownClip>>,
    arguments: &ExplainArguments,
) -> anyhow::Result<Exit> {
    let image = arguments.image.as_deref();
    match question {
        Ok(found) => item::explain(&found, image, arguments.json),
        Err(error) => match clip() {
            Ok(Some(shown)) => clip::explain(&shown, image, arguments.json),
            Ok(None) | Err(_) => Err(error),
        },
    }
}

fn refuse_stage_name(word: &str) -> Result<(), Failure> {
    let names: Vec<&str> = uavgen_stages::STAGES.iter().map(|stage| stage.info().name).collect();
    match names.contains(&word) || nearest(word, &names).is_some() {
        true => Err(Failure::usage(format!("which partition of `{word}`?"))
            .with_hint(format!("`uavgen plan -v --stage {word}` lists them; a question id stands alone"))),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests;
