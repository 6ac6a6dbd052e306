//! `uavgen run-task`: one task by description, for engines that spread tasks over machines.

use crate::arguments::Global;
use crate::exit::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::output::{counted, note, print};
use crate::progress::Progress;
use crate::workspace::open;
use anyhow::Context as _;
use clap::Args;
use serde::Deserialize;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use uavgen_engine::{Control, TaskDescription};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  uavgen plan --json --stage video | jq -c '.tasks[] | select(.run)' > tasks.jsonl
  sed -n 7p tasks.jsonl | uavgen run-task -
  xargs -d '\\n' -a tasks.jsonl -P 8 -I{} sh -c 'echo \"$1\" | uavgen run-task -' _ {}

Tasks of one stage may run anywhere that sees the same store and sources, in any order, also twice. List again for the
next stage: its tasks depend on what these gave.")]
pub(crate) struct RunTaskArguments {
    /// File with one task as `uavgen plan --json` lists it; `-` reads stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// One element of `tasks` in `uavgen plan --json`; what else it holds is for people.
#[derive(Debug, Deserialize)]
struct ListedTask {
    stage: String,
    state: String,
    run: Option<TaskDescription>,
}

pub(crate) fn run(arguments: &RunTaskArguments, global: &Global) -> anyhow::Result<Exit> {
    let task = match parse(&read(&arguments.file)?)? {
        ListedTask { run: Some(task), .. } => task,
        ListedTask { state, stage, .. } if state == "fresh" => {
            note(format_args!("this task of {stage} is fresh: there is nothing to run"));
            return Ok(Exit::Done);
        }
        ListedTask { state, stage, .. } => {
            return Err(Failure::usage(format!("this task of {stage} cannot run yet: it is {state}"))
                .with_hint("run the tasks of the stages before it, then list again with `uavgen plan --json`")
                .into());
        }
    };
    let opened = open(global, Some(1))?;
    let interrupt = Interrupt::watch()?;
    let progress = Progress::in_lines(global);
    let control = Control { observer: &progress, cancelled: interrupt.cancelled() };
    let manifest = opened.workspace.run_task(&task, control).map_err(|error| opened.failure(&interrupt, error))?;
    if !global.quiet {
        let rows = manifest.counts.written.values().sum();
        print(format_args!("done {} {}: {}", manifest.inputs.stage, manifest.partition(), counted(rows, "row")))?;
    }
    Ok(Exit::Done)
}

fn read(file: &Path) -> anyhow::Result<String> {
    if file == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("failed to read a task from stdin")?;
        return Ok(text);
    }
    let text = std::fs::read_to_string(file);
    Ok(text.map_err(|error| Failure::usage(format!("failed to read {}: {error}", file.display())))?)
}

fn parse(text: &str) -> Result<ListedTask, Failure> {
    serde_json::from_str(text).map_err(|error| {
        Failure::usage(format!("failed to read the task: {error}"))
            .with_hint("give one element of `tasks` from `uavgen plan --json`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_no_task_is_a_usage_error() {
        let failure = parse("{}").unwrap_err();
        assert_eq!(failure.exit, Exit::Usage);
        assert!(failure.message.contains("missing field `stage`"), "{failure}");
    }

    #[test]
    fn a_missing_file_is_a_usage_error() {
        let error = read(Path::new("/nowhere/task.json")).unwrap_err();
        assert_eq!(crate::exit::exit_of(&error), Exit::Usage);
    }
}
