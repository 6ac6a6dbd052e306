//! `uavgen plan`: what a build would do, and why.

use crate::arguments::{Global, Selection};
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::output::{Style, bytes, counted, grouped, print};
use crate::progress::{Progress, reasons_text, status_line};
use crate::workspace::open;
use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use uavgen_core::Partition;
use uavgen_engine::{Control, Plan, StagePlan, Status, TaskDescription, TaskPlan, space};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  uavgen plan                                  every stage: fresh, dirty and why, maybe
  uavgen plan -v --stage qa --split val        each task by name, with all its reasons
  uavgen plan --json --stage video | jq -c '.tasks[] | select(.run)'    for `uavgen run-task`

`maybe`: a stage before it must run first; when that gives the same bytes again, this one stays fresh.")]
pub(crate) struct PlanArguments {
    #[command(flatten)]
    selection: Selection,
    /// Print one JSON object: sums per stage, and every task with its state and, where it can run now, how to run it
    #[arg(long)]
    json: bool,
    /// Name every task that is not fresh
    #[arg(short, long)]
    verbose: bool,
}

pub(crate) fn run(arguments: &PlanArguments, global: &Global) -> anyhow::Result<Exit> {
    let opened = open(global, None)?;
    let interrupt = Interrupt::unwatched();
    let progress = Progress::new(global);
    let control = Control { observer: &progress, cancelled: interrupt.cancelled() };
    let selection = arguments.selection.for_engine();
    if arguments.json {
        let seen = opened.workspace.plan_and_tasks(&selection, control);
        progress.finish();
        let (plan, tasks) = seen.map_err(|error| opened.failure(&interrupt, error))?;
        print(serde_json::to_string(&as_json(&plan, &tasks))?)?;
        return Ok(Exit::Done);
    }
    let plan = opened.workspace.plan(&selection, control);
    progress.finish();
    let plan = plan.map_err(|error| opened.failure(&interrupt, error))?;
    for line in &plan.notes {
        progress.note(line);
    }
    let free = space::free_bytes(&opened.config.runtime.store).ok();
    print(render(&plan, arguments.verbose, free, Style::stdout()))?;
    Ok(Exit::Done)
}

/// One task as `plan --json` lists it and `run-task` takes it.
#[derive(Debug, Serialize)]
struct ListedTask<'a> {
    stage: &'a str,
    partition: &'a Partition,
    /// `fresh`, `dirty`, `maybe` or `blocked`.
    state: &'static str,
    /// Why it is dirty or blocked, for people.
    reasons: Vec<String>,
    fingerprint: Option<&'a str>,
    /// What `run-task` needs; null when the task cannot run now or need not run.
    run: Option<&'a TaskDescription>,
}

fn as_json(plan: &Plan, tasks: &[TaskDescription]) -> Value {
    let key = |one: &TaskDescription| (one.inputs.stage.clone(), one.inputs.partition.clone());
    let runnable: BTreeMap<_, _> = tasks.iter().map(|one| (key(one), one)).collect();
    let listed = plan.stages.iter().flat_map(|stage| stage.tasks.iter().map(move |task| (stage.stage, task)));
    let listed: Vec<ListedTask<'_>> = listed
        .map(|(stage, task)| ListedTask {
            stage,
            partition: &task.partition,
            state: task.status.word(),
            reasons: reasons(&task.status),
            fingerprint: task.fingerprint.as_deref(),
            run: runnable.get(&(stage.to_owned(), task.partition.clone())).copied(),
        })
        .collect();
    let stages: Vec<Value> = plan.stages.iter().map(stage_sums).collect();
    json!({
        "source_files": plan.source_files, "source_bytes": plan.source_bytes, "notes": plan.notes,
        "stages": stages, "tasks": listed,
    })
}

fn stage_sums(stage: &StagePlan) -> Value {
    json!({
        "stage": stage.stage, "grain": stage.grain, "selected": stage.selected,
        "fresh": stage.count("fresh"), "dirty": stage.count("dirty"),
        "maybe": stage.count("maybe"), "blocked": stage.count("blocked"),
        "expected_rows": stage.expected_rows, "rows_are_exact": stage.rows_are_exact,
        "stored_bytes": stage.stored_bytes, "needed_bytes": stage.needed_bytes,
    })
}

fn render(plan: &Plan, verbose: bool, free: Option<u64>, style: Style) -> String {
    let mut text = format!("sources: {}, {}\n", counted(plan.source_files, "file"), bytes(plan.source_bytes));
    for stage in &plan.stages {
        stage_lines(&mut text, stage, verbose, style);
    }
    if plan.stages.iter().all(|stage| stage.tasks.is_empty()) {
        text.push_str("no work was found in the sources\n");
    } else if plan.is_fresh() {
        text.push_str("everything is fresh: a build would do nothing\n");
    }
    text.push_str(&expected_rows(plan));
    if let Some(free) = free {
        text.push_str(&disk_line(plan, free));
    }
    text.trim_end().to_owned()
}

fn stage_lines(text: &mut String, stage: &StagePlan, verbose: bool, style: Style) {
    for word in ["fresh", "dirty", "maybe", "blocked"] {
        let count = stage.count(word);
        if count == 0 {
            continue;
        }
        let detail = match word {
            "dirty" => reasons_text(&stage.frequent_reasons()),
            "maybe" => "a stage before it runs first".into(),
            _ => String::new(),
        };
        let _ = writeln!(text, "{}", status_line(style, word, stage.stage, count, &detail));
        if verbose && word != "fresh" {
            for task in stage.tasks.iter().filter(|task| task.status.word() == word) {
                let _ = writeln!(text, "          {}", task_line(task).trim_end());
            }
        }
    }
}

fn task_line(task: &TaskPlan) -> String {
    format!("{}  {}", task.partition, reasons(&task.status).join("; "))
}

fn reasons(status: &Status) -> Vec<String> {
    match status {
        Status::Dirty { reasons } => reasons.iter().map(ToString::to_string).collect(),
        Status::Blocked { on } => on.iter().map(|on| format!("needs {on}")).collect(),
        Status::Fresh | Status::Maybe => Vec::new(),
    }
}

fn expected_rows(plan: &Plan) -> String {
    let mut text = String::new();
    for stage in plan.stages.iter().filter(|stage| !stage.expected_rows.is_empty()) {
        let rows: Vec<String> =
            stage.expected_rows.iter().map(|(table, rows)| format!("{} {table}", grouped(*rows))).collect();
        let limit = if stage.rows_are_exact { "" } else { "at most " };
        let _ = writeln!(text, "rows of {}: {limit}{}", stage.stage, rows.join(", "));
    }
    text
}

fn disk_line(plan: &Plan, free: u64) -> String {
    let stored: u64 = plan.stages.iter().map(|stage| stage.stored_bytes).sum();
    let needed: u64 = plan.stages.iter().filter_map(|stage| stage.needed_bytes).sum();
    let unknown: Vec<&str> = plan
        .stages
        .iter()
        .filter(|stage| stage.needed_bytes.is_none() && stage.tasks.iter().any(|task| task.status != Status::Fresh))
        .map(|stage| stage.stage)
        .collect();
    let unknown = match unknown.as_slice() {
        [] => String::new(),
        names => format!(" (not known yet for {})", names.join(", ")),
    };
    format!("disk: {} stored, about {} more needed{unknown}, {} free\n", bytes(stored), bytes(needed), bytes(free))
}

#[cfg(test)]
mod tests {
    use super::*;
    use uavgen_core::{FingerprintInputs, Grain};
    use uavgen_engine::Reason;

    fn task(status: Status) -> TaskPlan {
        TaskPlan { partition: Partition::Split { split: "val".into() }, status, fingerprint: None }
    }

    fn stage(name: &'static str, tasks: Vec<TaskPlan>) -> StagePlan {
        StagePlan {
            stage: name,
            grain: Grain::Split,
            selected: true,
            tasks,
            expected_rows: BTreeMap::from([("frames".into(), 1200)]),
            rows_are_exact: false,
            stored_bytes: 2_000_000,
            needed_bytes: None,
        }
    }

    fn plan(stages: Vec<StagePlan>) -> Plan {
        Plan { stages, notes: Vec::new(), source_files: 3, source_bytes: 1500 }
    }

    #[test]
    fn a_plan_tells_status_reasons_rows_and_disk() {
        let reasons = vec![Reason::Seed, Reason::NeverBuilt];
        let plan =
            plan(vec![stage("toy", vec![task(Status::Dirty { reasons }), task(Status::Fresh), task(Status::Maybe)])]);
        let text = render(&plan, true, Some(5_000_000_000), Style::plain());
        let expected = "sources: 3 files, 1.5 kB\n\
            fresh   toy            1 sequence\n\
            dirty   toy            1 sequence  never built (1); 1 more reason\n          split val  seed changed; never built\n\
            maybe   toy            1 sequence  a stage before it runs first\n          split val\n\
            rows of toy: at most 1 200 frames\n\
            disk: 2.0 MB stored, about 0 B more needed (not known yet for toy), 5.0 GB free";
        assert_eq!(text, expected);
    }

    #[test]
    fn every_task_is_listed_and_those_that_can_run_say_how() {
        let partition = Partition::Split { split: "val".into() };
        let inputs = FingerprintInputs {
            stage: "toy".into(),
            stage_version: 1,
            partition,
            records: BTreeMap::new(),
            encoding: 1,
            config: json!({}),
            inputs: BTreeMap::new(),
            externals: BTreeMap::new(),
            seed: Some(1),
        };
        let description = TaskDescription { inputs, upstream: vec![], files: vec![], options: BTreeMap::new() };
        let dirty = task(Status::Dirty { reasons: vec![Reason::NeverBuilt] });
        let plan = plan(vec![stage("toy", vec![dirty]), stage("other", vec![task(Status::Maybe)])]);
        let listed = as_json(&plan, &[description]);
        assert_eq!(listed["tasks"][0]["state"], "dirty");
        assert_eq!(listed["tasks"][0]["reasons"], json!(["never built"]));
        assert_eq!(listed["tasks"][0]["run"]["inputs"]["stage"], "toy");
        assert_eq!((&listed["tasks"][1]["state"], &listed["tasks"][1]["run"]), (&json!("maybe"), &Value::Null));
        assert_eq!(listed["stages"][0]["dirty"], 1);
    }

    #[test]
    fn a_fresh_plan_says_so() {
        let text = render(&plan(vec![stage("toy", vec![task(Status::Fresh)])]), false, None, Style::plain());
        assert!(text.contains("everything is fresh: a build would do nothing"), "{text}");
        assert!(render(&plan(vec![]), false, None, Style::plain()).contains("no work was found"));
    }
}
