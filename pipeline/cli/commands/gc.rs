//! `uavgen gc`: removes results that nothing needs any more.

use crate::arguments::Global;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::output::{bytes, counted, print};
use crate::progress::Progress;
use crate::workspace::open;
use clap::Args;
use std::fmt::Write as _;
use uavgen_engine::{Control, GcOptions, GcReport};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  uavgen gc --dry-run          show what would go
  uavgen gc                    remove it
  uavgen gc --keep-days 0      also results that a build used today, other projects' on this store included

Kept are: what the current config reaches, what a release in the folder of releases was made from, and what a build
reached within the last `keep_days` days: on a store that several projects share, that is all that keeps what only the
others use. Logs of runs older than that go too, the last one excepted. Releases themselves
are never removed: delete their folder when you no longer want one.")]
pub(crate) struct GcArguments {
    /// Only show what would be removed
    #[arg(long)]
    dry_run: bool,
    /// Days that a result stays after a build last used it; default: `keep_days` in the section runtime
    #[arg(long, value_name = "DAYS")]
    keep_days: Option<u64>,
    /// Wait while another process is at work in this store, instead of exiting with 6
    #[arg(long)]
    wait: bool,
}

pub(crate) fn run(arguments: &GcArguments, global: &Global) -> anyhow::Result<Exit> {
    let opened = open(global, None)?;
    let interrupt = Interrupt::watch()?;
    let progress = Progress::new(global);
    let control = Control { observer: &progress, cancelled: interrupt.cancelled() };
    let keep_days = arguments.keep_days.unwrap_or(opened.config.runtime.keep_days);
    let options = GcOptions { dry_run: arguments.dry_run, keep_days, wait: arguments.wait };
    let report = opened.workspace.gc(options, control);
    progress.finish();
    let report = report.map_err(|error| opened.failure(&interrupt, error))?;
    print(render(&report, options))?;
    Ok(Exit::Done)
}

fn render(report: &GcReport, options: GcOptions) -> String {
    let mut text = String::new();
    for folder in &report.removed {
        let _ = writeln!(text, "{folder}");
    }
    let verb = if options.dry_run { "would remove" } else { "removed" };
    let _ = write!(
        text,
        "{verb} {} and {}, freeing {}",
        counted(report.attempts as u64, "unfinished attempt"),
        counted(report.results as u64, "unused result"),
        bytes(report.freed_bytes)
    );
    if report.runs > 0 {
        let _ = write!(text, "; {}", counted(report.runs as u64, "old log"));
    }
    if report.kept_young > 0 {
        let young = counted(report.kept_young as u64, "unused result");
        let _ = write!(text, "; kept {young} that a build used within {}", counted(options.keep_days, "day"));
    }
    if report.kept_foreign > 0 {
        let foreign = counted(report.kept_foreign as u64, "result");
        let _ = write!(text, "; left alone {foreign} of later versions of uavgen");
    }
    if report.results > 0 && options.keep_days == 0 {
        text.push_str("; with 0 days also what only other projects on this store use");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_tells_what_went_and_what_stayed() {
        let report = GcReport {
            removed: vec!["qa/a/b".into()],
            attempts: 1,
            results: 2,
            runs: 1,
            freed_bytes: 1500,
            kept_young: 3,
            kept_foreign: 0,
        };
        let options = GcOptions { dry_run: true, keep_days: 14, wait: false };
        assert_eq!(
            render(&report, options),
            "qa/a/b\nwould remove 1 unfinished attempt and 2 unused results, freeing 1.5 kB; 1 old log; \
             kept 3 unused results that a build used within 14 days"
        );
        let options = GcOptions { dry_run: false, keep_days: 0, wait: false };
        assert_eq!(
            render(&GcReport { results: 1, kept_foreign: 2, ..GcReport::default() }, options),
            "removed 0 unfinished attempts and 1 unused result, freeing 0 B; left alone 2 results of later versions of \
             uavgen; with 0 days also what only other projects on this store use"
        );
    }
}
