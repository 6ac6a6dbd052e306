//! Killed at any moment, the next run continues, and the release is the one of an uninterrupted run.

use crate::harness::Project;
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
    thread::sleep(Duration::from_millis(300));
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    let status = child.wait().expect("an end");
    if sent.success() {
        assert!(matches!(status.code(), Some(130 | 0)), "{status:?}");
    }
    project.build();
    project.run(&["check", "latest"]).expect_code(0);
}
