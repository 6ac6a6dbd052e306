//! `uavgen status`: how far the data set is, and where releases are.

use crate::arguments::Global;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::output::{Align, Columns, Style, bytes, grouped, print};
use crate::progress::{Progress, duration};
use crate::workspace::{Opened, open};
use clap::Args;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;
use uavgen_engine::publish::{LATEST, TEMPORARY_PREFIX};
use uavgen_engine::{Control, Selection, Summary};

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
    let releases = Releases::list(&opened.config.runtime.releases)?;
    let last_run = last_run(&opened.config.runtime.runs)?;
    if arguments.json {
        let latest = &releases.latest;
        print(serde_json::json!({
            "summary": summary, "releases": releases.names, "latest": latest, "last_run": last_run.as_ref().map(|run| &run.0),
            "last_outcome": last_run.as_ref().and_then(|run| run.1.as_ref()),
        }))?;
        return Ok(Exit::Done);
    }
    for line in &summary.notes {
        progress.note(line);
    }
    print(render(&opened, &summary, &releases, last_run.as_ref()))?;
    Ok(Exit::Done)
}

/// What lies in the folder of releases.
struct Releases {
    names: Vec<String>,
    latest: Option<String>,
}

impl Releases {
    fn list(folder: &Path) -> anyhow::Result<Self> {
        let names = sorted_names(folder)?.into_iter();
        let names = names.filter(|name| name != LATEST && !name.starts_with(TEMPORARY_PREFIX)).collect();
        let latest = std::fs::read_link(folder.join(LATEST)).ok();
        Ok(Self { names, latest: latest.map(|target| target.display().to_string()) })
    }
}

/// Name of the newest run, and the word for how it ended; null when it was killed, or is still at work.
fn last_run(runs: &Path) -> anyhow::Result<Option<(String, Option<String>)>> {
    // Names begin with the UTC time, so the last name is the newest run.
    let Some(name) = sorted_names(runs)?.pop() else { return Ok(None) };
    let log = std::fs::read_to_string(runs.join(&name).join("events.jsonl")).unwrap_or_default();
    let last: Option<serde_json::Value> = log.lines().next_back().and_then(|line| serde_json::from_str(line).ok());
    let outcome = last
        .filter(|event| event["event"] == "run_finished")
        .and_then(|event| event["outcome"].as_str().map(str::to_owned));
    Ok(Some((name, outcome)))
}

fn sorted_names(folder: &Path) -> anyhow::Result<Vec<String>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry?.file_name().into_string());
    }
    names.sort_unstable();
    Ok(names)
}

fn render(
    opened: &Opened,
    summary: &Summary,
    releases: &Releases,
    last_run: Option<&(String, Option<String>)>,
) -> String {
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
    if let Some((run, outcome)) = last_run {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_listed_without_leftovers() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b", "a", ".making-x"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        std::os::unix::fs::symlink("b", folder.path().join(LATEST)).unwrap();
        let releases = Releases::list(folder.path()).unwrap();
        assert_eq!((releases.names, releases.latest.as_deref()), (vec!["a".into(), "b".into()], Some("b")));
        assert!(Releases::list(&folder.path().join("missing")).unwrap().names.is_empty());
    }

    #[test]
    fn the_last_run_tells_how_it_ended() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(last_run(folder.path()).unwrap(), None);
        for (run, log) in [
            ("20260101T000000Z-1", "{\"event\":\"run_started\"}\n{\"event\":\"run_finished\",\"outcome\":\"done\"}\n"),
            ("20260102T000000Z-1", "{\"event\":\"run_started\"}\n{\"event\":\"task_st"),
        ] {
            std::fs::create_dir(folder.path().join(run)).unwrap();
            std::fs::write(folder.path().join(run).join("events.jsonl"), log).unwrap();
        }
        assert_eq!(last_run(folder.path()).unwrap(), Some(("20260102T000000Z-1".into(), None)));
        std::fs::remove_dir_all(folder.path().join("20260102T000000Z-1")).unwrap();
        assert_eq!(last_run(folder.path()).unwrap(), Some(("20260101T000000Z-1".into(), Some("done".into()))));
    }
}
