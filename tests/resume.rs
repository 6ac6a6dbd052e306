//! Killed at any moment, the next run continues, and the release is the one of an uninterrupted run.

use crate::harness::Project;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

const STAGES: [&str; 10] =
    ["ingest", "video", "clips", "stitch_plan", "stitch", "filter", "qa", "clip_qa", "shards", "release"];

#[test]
fn killed_in_every_stage_the_release_is_the_same() {
    let whole = Project::sample();
    whole.build();
    let expected = whole.release_digests();

    let project = Project::sample();
    for (position, stage) in STAGES.iter().enumerate() {
        let says = |event: &str, stage: &str| format!(r#""event":"{event}","stage":"{stage}""#);
        // While its first task is at work, then after a commit: behind the last one, that is while the release is laid out.
        assert!(killed_once(&project, &[says("task_started", stage)]), "the build ended before it came to {stage}");
        let mut committed = vec![says("task_done", stage)];
        committed.extend(STAGES.get(position + 1).map(|next| says("task_started", next)));
        killed_once(&project, &committed);
    }
    project.build();
    assert_eq!(expected, project.release_digests());
    project.run(&["check", "latest"]).expect_code(0);
    project.run(&["gc"]).expect_code(0);
    project.build();
    assert_eq!(expected, project.release_digests());
}

/// Starts a build and kills it as soon as its log holds one of the texts; false when it ended before.
fn killed_once(project: &Project, texts: &[String]) -> bool {
    let mut child = project.start(&["build", "--stage", "all", "-j", "2"]);
    let run = format!("-{}", child.id());
    while child.try_wait().expect("a child").is_none() {
        if logs(project, &run).iter().any(|log| texts.iter().any(|text| log.contains(text))) {
            child.kill().expect("a kill");
            return !child.wait().expect("an end").success();
        }
        thread::sleep(Duration::from_millis(1));
    }
    false
}

#[test]
fn an_interrupt_ends_with_130_and_loses_nothing() {
    let project = Project::sample();
    let mut child = project.start(&["build", "--stage", "all", "-j", "1"]);
    // The log begins with the first task; nearly all are still to come.
    let started = Instant::now();
    let log_says = |text: &str| logs(&project, "").iter().any(|log| log.contains(text));
    while !log_says("task_started") {
        assert!(started.elapsed() < Duration::from_secs(120), "no task was started");
        thread::sleep(Duration::from_millis(5));
    }
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
    let status = child.wait().expect("an end");
    assert_eq!(status.code(), Some(130), "{status:?}");
    assert!(log_says(r#""outcome":"interrupted""#));
    project.build();
    project.run(&["check", "latest"]).expect_code(0);
}

/// Logs of the runs of the project whose names end so.
fn logs(project: &Project, suffix: &str) -> Vec<String> {
    let Ok(runs) = fs::read_dir(project.path().join("runs")) else { return Vec::new() };
    let runs = runs.map(|run| run.expect("an entry").path());
    let runs = runs.filter(|run| run.to_string_lossy().ends_with(suffix));
    runs.filter_map(|run| fs::read_to_string(run.join("events.jsonl")).ok()).collect()
}
