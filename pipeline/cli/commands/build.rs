//! `uavgen build`: runs what is not fresh, publishes the release, and sums up on one screen.

mod screen;

use crate::arguments::{Global, Selection};
use crate::exit::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::output::{counted, print};
use crate::progress::Progress;
use crate::workspace::open;
use clap::Args;
use uavgen_engine::{BuildReport, Control, Failure as Failed, Outcome};

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
    conclude(&interrupt, &report)
}

/// The exit code, or the error that ended the run.
fn conclude(interrupt: &Interrupt, report: &BuildReport) -> anyhow::Result<Exit> {
    let failure = match &report.outcome {
        Outcome::Done => return Ok(Exit::Done),
        Outcome::Failed => failed(report),
        Outcome::TooManyBad(bad) => Failure::new(Exit::Failed, screen::too_much_bad(bad))
            .with_hint("mend or remove them and build again, or raise `max_bad_share` under [runtime]"),
        Outcome::Stopped { message } => Failure::new(Exit::Failed, format!("the build stopped: {message}"))
            .with_hint("what was finished counts; run the same command again afterwards"),
        Outcome::Interrupted => Failure::new(interrupt.exit().unwrap_or(Exit::Interrupted), "interrupted")
            .with_hint("what was finished counts: run the same command again"),
    };
    Err(failure.into())
}

/// The error of a build of which some tasks failed, or could not even run.
fn failed(report: &BuildReport) -> Failure {
    if let Some((stage, first)) = report.failures().next() {
        let exit = if report.bugs() > 0 { Exit::Bug } else { Exit::Failed };
        let (count, Failed { partition, message, .. }) = (report.failures().count(), first);
        return Failure::new(exit, format!("{count} of the tasks failed, first {stage} {partition}: {message}"))
            .with_hint(format!("the others are done; mend the cause and build again. Log: {}", report.log.display()));
    }
    let count = report.blocked().count() as u64;
    let first = report.blocked().next().map(|(stage, partition, on)| {
        let needs: Vec<String> = on.iter().map(ToString::to_string).collect();
        format!(", first {stage} {partition}: there is no {}", needs.join(", no "))
    });
    Failure::new(Exit::Failed, format!("{} cannot run{}", counted(count, "task"), first.unwrap_or_default()))
        .with_hint("the others are done; `uavgen plan -v` lists what each of them needs")
}

#[cfg(test)]
mod tests {
    use super::*;
    use uavgen_core::Partition;
    use uavgen_engine::{StageReport, TaskRef};

    #[test]
    fn tasks_that_cannot_run_are_an_error_also_where_none_failed() {
        let partition = |sequence: &str| Partition::Sequence {
            source: "vid".into(),
            scene: "s".into(),
            sequence: sequence.into(),
            split: "val".into(),
        };
        let blocked =
            ["a", "b"].map(|name| (partition(name), vec![TaskRef { stage: "filter", partition: partition(name) }]));
        let stage = StageReport { stage: "qa", blocked: blocked.to_vec(), ..StageReport::default() };
        let mut report = BuildReport {
            run: "r".into(),
            log: "runs/r".into(),
            stages: vec![stage],
            published: vec![],
            outcome: Outcome::Failed,
            notes: vec![],
        };
        let failure = failed(&report);
        assert_eq!(failure.message, "2 tasks cannot run, first qa vid/a: there is no filter vid/a");
        let bug = Failed { partition: partition("c"), message: "no".into(), is_bug: true };
        report.stages[0].failed.push(bug);
        let failure = failed(&report);
        assert_eq!((failure.exit, failure.message.as_str()), (Exit::Bug, "1 of the tasks failed, first qa vid/c: no"));
    }
}
