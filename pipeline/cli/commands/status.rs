//! `uavgen status`: how far the data set is, and where releases are.

use crate::arguments::Global;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::output::{Align, Columns, Style, bytes, grouped, print};
use crate::progress::{Progress, duration};
use crate::workspace::{Opened, open};
use clap::Args;
use std::fmt::Write as _;
use std::time::Duration;
use uavgen_engine::{Control, LastRun, Releases, Selection, Summary};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  uavgen status           a table of the stages, the releases, and how the last run ended
  uavgen status --json    the same as one JSON object")]
pub(crate) struct StatusArguments {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &StatusArguments, global: &Global) -> anyhow::Result<Exit> {
    let opened = open(global, None)?;
    let interrupt = Interrupt::unwatched();
    let progress = Progress::new(global);
    let control = Control { observer: &progress, cancelled: interrupt.cancelled() };
    let summary = opened.workspace.summary(&Selection::all(), control);
    progress.finish();
    let summary = summary.map_err(|error| opened.failure(&interrupt, error))?;
    let releases = opened.workspace.releases().map_err(|error| opened.failure(&interrupt, error.into()))?;
    let last_run = opened.workspace.last_run().map_err(|error| opened.failure(&interrupt, error.into()))?;
    if arguments.json {
        let (run, outcome) = last_run.map(|last| (last.run, last.outcome)).unzip();
        print(serde_json::json!({
            "summary": summary, "releases": releases.names, "latest": releases.latest,
            "last_run": run, "last_outcome": outcome.flatten(),
        }))?;
        return Ok(Exit::Done);
    }
    for line in &summary.notes {
        progress.note(line);
    }
    print(render(&opened, &summary, &releases, last_run.as_ref()))?;
    Ok(Exit::Done)
}

fn render(opened: &Opened, summary: &Summary, releases: &Releases, last_run: Option<&LastRun>) -> String {
    let style = Style::stdout();
    let mut text =
        format!("{}  {}\n\n", style.bold(&opened.config.project.name), style.dim(opened.config.file.display()));
    text.push_str(&stage_table(summary, style));
    text.push_str("\n\n");
    for name in &releases.names {
        let mark = if releases.latest.as_ref() == Some(name) { "  (latest)" } else { "" };
        let current = if summary.releases.contains(name) { "  up to date with the config" } else { "" };
        let _ = writeln!(text, "release  {}{mark}{current}", opened.config.runtime.releases.join(name).display());
    }
    if releases.names.is_empty() {
        text.push_str("no release yet: `uavgen build`\n");
    }
    if let Some(LastRun { run, outcome }) = last_run {
        let outcome = outcome.as_deref().unwrap_or("did not end: killed, or still at work");
        let _ = writeln!(text, "last run {run}: {outcome}");
    }
    text.trim_end().to_owned()
}

fn stage_table(summary: &Summary, style: Style) -> String {
    use Align::{Left, Right};
    let mut columns = Columns::new(&[Left, Right, Right, Right, Right, Right, Right]);
    columns.row(["stage", "fresh", "to do", "rows", "rejects", "stored", "took"].map(|heading| style.dim(heading)));
    for stage in &summary.stages {
        let counts = &stage.counts;
        let to_do = stage.tasks - stage.fresh;
        columns.row([
            style.bold(stage.stage),
            stage.fresh.to_string(),
            if to_do == 0 { "-".into() } else { style.yellow(to_do) },
            grouped(counts.written.values().sum()),
            grouped(counts.rejects()),
            bytes(stage.bytes),
            duration(Duration::from_secs_f64(stage.seconds.max(0.0))),
        ]);
    }
    columns.render("")
}
