//! `uavgen check`: audits a release, from the release alone.

use crate::arguments::Global;
use crate::config::{self, Config};
use crate::exit::{Exit, Failure};
use crate::output::print;
use crate::releases;
use crate::workspace::threads;
use clap::Args;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use uavgen_audit::{AuditError, AuditOptions, audit};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  uavgen check latest              the newest release of this project
  uavgen check /data/town-3f9c     any release, also without a project
  uavgen check latest --json       the faults as JSON

Checked are: schemas, counts against manifest and card, options, repeated and contradicting questions, every program
executed again on the release's own scene tables, balance of the answer slots, leakage across splits, and that every
file is there and every image and video decodes. Exits with 1 on any fault.")]
pub(crate) struct CheckArguments {
    /// `latest`, the name of a release of this project, or a folder
    #[arg(value_name = "RELEASE")]
    release: PathBuf,
    /// Threads; default: `jobs` of the project at hand, else one per processor
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Findings listed per kind; all are counted
    #[arg(long, value_name = "N", default_value_t = 5)]
    list: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &CheckArguments, global: &Global) -> anyhow::Result<Exit> {
    let folder = releases::resolve(&arguments.release, global)?;
    let jobs = arguments.jobs.map(usize::from).or_else(|| jobs_of_project(global)).unwrap_or(0);
    let threads = NonZeroUsize::new(threads(jobs)).unwrap_or(NonZeroUsize::MIN);
    let report = audit(&folder, &AuditOptions { listed: arguments.list, threads }).map_err(failure)?;
    match arguments.json {
        true => print(serde_json::to_string_pretty(&report)?)?,
        false => print(report.render())?,
    }
    Ok(if report.passed { Exit::Done } else { Exit::Failed })
}

/// A release is checked also without a project, and beside one whose config is broken.
fn jobs_of_project(global: &Global) -> Option<usize> {
    let file = config::find(global.config.as_deref()).ok()?;
    Some(Config::load(&file, uavgen_stages::STAGES).ok()?.runtime.jobs)
}

fn failure(error: AuditError) -> Failure {
    let exit = match error {
        AuditError::NoRelease { .. } | AuditError::LaterFormat { .. } => Exit::Usage,
        AuditError::Io { .. } => Exit::Failed,
    };
    Failure::new(exit, format!("failed to {error}"))
}
