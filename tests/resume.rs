//! Killed at any moment, the next run continues, and the release is the one of an uninterrupted run.

use crate::harness::Project;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn killed_at_many_points_the_release_is_the_same() {
    let whole = Project::sample();
    let started = Instant::now();
    whole.build();
    let duration = started.elapsed();
    let expected = whole.release_digests();

    let project = Project::sample();
    let mut killed = 0;
    // A fixed sweep over the length of a build: every stage is hit, and each run starts from what the last one left.
    for step in 1..=24_u32 {
        let mut child = project.start(&["build", "--stage", "all", "-j", "2"]);
        thread::sleep(duration.mul_f64(f64::from(step % 12 + 1) / 14.0).min(Duration::from_secs(20)));
        if child.try_wait().expect("a child").is_none() {
            child.kill().expect("a kill");
            killed += 1;
        }
        child.wait().expect("an end");
    }
    assert!(killed >= 3, "only {killed} runs were killed before they ended");
    project.build();
    assert_eq!(expected, project.release_digests());
    project.run(&["check", "latest"]).expect_code(0);
    project.run(&["gc"]).expect_code(0);
    project.build();
    assert_eq!(expected, project.release_digests());
}

#[test]
fn an_interrupt_ends_with_130_and_loses_nothing() {
    let project = Project::sample();
    let mut child = project.start(&["build", "--stage", "all", "-j", "1"]);
    // The log begins with the first task; nearly all are still to come.
    let started = Instant::now();
    while !log_says(&project, "task_started") {
        assert!(started.elapsed() < Duration::from_secs(120), "no task was started");
        thread::sleep(Duration::from_millis(5));
    }
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
    let status = child.wait().expect("an end");
    assert_eq!(status.code(), Some(130), "{status:?}");
    assert!(log_says(&project, r#""outcome":"interrupted""#));
    project.build();
    project.run(&["check", "latest"]).expect_code(0);
}

/// Whether the log of a run of the project holds a text.
fn log_says(project: &Project, text: &str) -> bool {
    let Ok(runs) = fs::read_dir(project.path().join("runs")) else { return false };
    let logs = runs.map(|run| fs::read_to_string(run.expect("an entry").path().join("events.jsonl")));
    logs.into_iter().any(|log| log.is_ok_and(|log| log.contains(text)))
}
