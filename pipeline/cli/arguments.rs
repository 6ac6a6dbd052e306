//! What can be typed.

use crate::commands::{build, check, doctor, explain, gc, init, plan, preview, run_task, schema, stages, status};
use crate::exit::Exit;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Builds UAV vision-language datasets whose every answer carries the program that computed it
///
/// One config file (uavgen.toml) names the sources. `build` runs every stage on every recording, in parallel, and
/// publishes a release: Parquet shards that load with Hugging Face `datasets`, videos, a card, and a report. Results
/// are kept by content: after a change, only what depends on it runs again, and a killed build continues.
#[derive(Debug, Parser)]
#[command(name = "uavgen", version, after_help = after_help())]
#[command(max_term_width = 120, arg_required_else_help = true, subcommand_required = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

fn after_help() -> String {
    format!(
        "Examples:
  uavgen init town --source visdrone-vid=~/VisDrone2019-VID-val   write town/uavgen.toml
  cd town && uavgen plan                                          see what would be done, and why
  uavgen build                                                    do it
  uavgen check latest                                             audit the release

{}",
        Exit::HELP
    )
}

/// What every command understands.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Global {
    /// Config file, or its folder; default: uavgen.toml in the current folder or the nearest one above
    #[arg(long, global = true, value_name = "FILE", env = "UAVGEN_CONFIG")]
    pub(crate) config: Option<PathBuf>,
    /// How progress is written to stderr
    #[arg(long, global = true, value_name = "FORMAT", default_value = "text")]
    pub(crate) log_format: LogFormat,
    /// Print results and errors only
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

/// Form of the progress on stderr.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// A bar on a terminal, lines elsewhere
    Text,
    /// One JSON object per line, as in `runs/ID/events.jsonl`
    Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a commented uavgen.toml for these sources
    Init(init::InitArguments),
    /// Build what is missing or out of date, then publish the release
    Build(build::BuildArguments),
    /// Show what a build would do, and why
    Plan(plan::PlanArguments),
    /// Show how far the data set is, and where releases are
    Status(status::StatusArguments),
    /// Show how an answer was computed, or what a result was made from
    Explain(explain::ExplainArguments),
    /// Audit a release: execute every program again, compare every count, open every file
    Check(check::CheckArguments),
    /// Draw what a stage made as contact sheets
    Preview(preview::PreviewArguments),
    /// Print the JSON Schema of a table, or the reference of all
    Schema(schema::SchemaArguments),
    /// List the stages
    Stages(stages::StagesArguments),
    /// Do one task of `plan --json`: for Slurm, Ray, make and the like
    RunTask(run_task::RunTaskArguments),
    /// Look over the installation, the disk and the store
    Doctor(doctor::DoctorArguments),
    /// Remove results that nothing needs any more
    Gc(gc::GcArguments),
}

/// A parser that accepts the names of the stages, with their purpose in `--help`.
pub(crate) fn stage_name() -> PossibleValuesParser {
    let stages = uavgen_stages::STAGES.iter().map(|stage| stage.info());
    PossibleValuesParser::new(stages.map(|info| PossibleValue::new(info.name).help(info.summary)))
}

/// Like [`stage_name`], and `all`.
pub(crate) fn stage_name_or_all() -> PossibleValuesParser {
    let all = PossibleValue::new(ALL).help("Every stage");
    let stages = uavgen_stages::STAGES.iter().map(|stage| stage.info());
    PossibleValuesParser::new(
        [all].into_iter().chain(stages.map(|info| PossibleValue::new(info.name).help(info.summary))),
    )
}

/// The `--stage` value for all stages.
pub(crate) const ALL: &str = "all";

/// Which part of the work a command is about.
#[derive(Debug, Args)]
pub(crate) struct Selection {
    /// Stages, with those that they depend on
    #[arg(long, value_name = "NAME", value_parser = stage_name_or_all(), num_args = 1.., value_delimiter = ',',
        default_value = ALL)]
    pub(crate) stage: Vec<String>,
    /// Only recordings of this split; stages that cover the whole data set are then left out
    #[arg(long, value_name = "SPLIT")]
    pub(crate) split: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_definitions_hold_together() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_command_has_help_with_an_example() {
        for command in Arguments::command().get_subcommands() {
            let name = command.get_name();
            assert!(command.get_about().is_some(), "{name}");
            let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(after.contains(&format!("uavgen {name}")), "{name} shows no example");
        }
    }
}
