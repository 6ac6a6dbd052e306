//! `uavgen build`: runs what is not fresh, publishes the release, and sums up on one screen.

mod screen;

use crate::arguments::{Global, Selection};
use crate::exit::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::output::print;
use crate::progress::Progress;
use crate::workspace::{Opened, open};
use clap::Args;
use uavgen_engine::{BuildReport, Control, Outcome};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  uavgen build                          everything that is missing or out of date
  uavgen build --stage qa --split val   questions of one split, and what they need
  uavgen build -j 8 --wait              eight tasks at once; wait for another build to end
  uavgen build -q                       print the release folder only, for scripts

Killed at any moment, the same command goes on where it was. There is no --force: results are kept by what they were
made from. To ask for other results, change the config.")]
pub(crate) struct BuildArguments {
    #[command(flatten)]
    selection: Selection,
    /// Tasks at the same time; default: `jobs` in the section runtime, else one per processor
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Wait while another process is building in this store, instead of exiting with 6
    #[arg(long)]
    wait: bool,
}

pub(crate) fn run(arguments: &BuildArguments, global: &Global) -> anyhow::Result<Exit> {
    let opened = open(global, arguments.jobs.map(usize::from))?;
    let interrupt = Interrupt::watch()?;
    let progress = Progress::new(global);
    let selection = arguments.selection.for_engine();
    let control = Control { observer: &progress, cancelled: interrupt.cancelled() };
    let outcome = opened.workspace.build(&selection, arguments.wait, control);
    progress.finish();
    let report = outcome.map_err(|error| opened.failure(&interrupt, error))?;
    if global.quiet {
        for release in &report.published {
            print(release.folder.display())?;
        }
    } else {
        report.notes.iter().for_each(|line| progress.note(line));
        print(screen::render(&report))?;
    }
    conclude(&opened, &interrupt, &report)
}

/// The exit code, or the error that ended the run.
fn conclude(opened: &Opened, interrupt: &Interrupt, report: &BuildReport) -> anyhow::Result<Exit> {
    let log = opened.config.runtime.runs.join(&report.run).join("events.jsonl");
    match &report.outcome {
        Outcome::Done => Ok(Exit::Done),
        Outcome::Failed => {
            let count = report.failures().count();
            let exit = if report.bugs() > 0 { Exit::Bug } else { Exit::Failed };
            let (stage, first) =
                report.failures().next().ok_or_else(|| anyhow::anyhow!("a failed build without a failure"))?;
            Err(Failure::new(
                exit,
                format!("{count} of the tasks failed, first {stage} {}: {}", first.partition, first.message),
            )
            .with_hint(format!("the others are done; mend the cause and build again. Log: {}", log.display()))
            .into())
        }
        Outcome::TooManyBad(bad) => Err(Failure::new(Exit::Failed, screen::too_much_bad(bad))
            .with_hint("mend or remove them and build again, or raise `max_bad_share` under [runtime]")
            .into()),
        Outcome::Stopped { message } => Err(Failure::new(Exit::Failed, format!("the build stopped: {message}"))
            .with_hint("what was finished counts; run the same command again afterwards")
            .into()),
        Outcome::Interrupted => Err(Failure::new(interrupt.exit().unwrap_or(Exit::Interrupted), "interrupted")
            .with_hint("what was finished counts: run the same command again")
            .into()),
    }
}
