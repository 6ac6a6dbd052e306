//! Two builds of one project at once.

use crate::harness::{Project, files};

#[test]
fn a_second_build_says_who_is_busy_or_waits() {
    let alone = Project::sample();
    alone.build();
    let expected = alone.release_digests();

    let project = Project::sample();
    let mut first = project.start(&["build", "--stage", "all"]);
    // Wait until the first holds the lock.
    let lock = project.path().join("store/.lock");
    while !lock.exists() && first.try_wait().expect("a child").is_none() {
        std::thread::yield_now();
    }
    let second = project.run(&["build", "--stage", "all"]);
    assert!(matches!(second.code, 0 | 6), "{second:?}");
    if second.code == 6 {
        assert!(second.stderr.contains(&first.id().to_string()), "the holder is not named: {}", second.stderr);
    }
    let waiting = project.run(&["build", "--stage", "all", "--wait"]).expect_code(0);
    drop(waiting);
    assert!(first.wait().expect("an end").success());
    assert_eq!(expected, project.release_digests());
}

#[test]
fn workers_on_the_same_tasks_agree() {
    let alone = Project::sample();
    alone.build();

    let project = Project::sample();
    let plan = project.run(&["plan", "--stage", "ingest", "--json"]).expect_code(0);
    let plan: serde_json::Value = serde_json::from_str(&plan.stdout).expect("JSON");
    let tasks = plan["tasks"].as_array().expect("tasks");
    assert!(tasks.len() > 2 && tasks.iter().all(|task| !task["run"].is_null()), "{tasks:?}");
    for (number, task) in tasks.iter().enumerate() {
        let file = project.path().join(format!("task-{number}.json"));
        std::fs::write(&file, task.to_string()).expect("a file");
        let name = file.to_string_lossy().into_owned();
        let mut workers: Vec<_> = (0..3).map(|_| project.start(&["run-task", &name])).collect();
        for worker in &mut workers {
            assert!(worker.wait().expect("an end").success());
        }
    }
    let made = |name: &str| {
        let files = files(&project.path().join("store/ingest"));
        files.iter().filter(|file| file.file_name().is_some_and(|file| file == name)).count()
    };
    assert_eq!(
        (made("manifest.json"), made("frames.parquet")),
        (tasks.len(), tasks.len()),
        "one attempt for each task"
    );
    let build = project.build();
    assert!(build.stderr.contains("fresh   ingest") && !build.stderr.contains("dirty   ingest"), "{}", build.stderr);
    assert_eq!(alone.release_digests(), project.release_digests());
}

#[test]
fn a_worker_reports_as_a_build_does() {
    let project = Project::sample();
    let plan = project.run(&["plan", "--stage", "ingest", "--json"]).expect_code(0);
    let plan: serde_json::Value = serde_json::from_str(&plan.stdout).expect("JSON");
    std::fs::write(project.path().join("task.json"), plan["tasks"][0].to_string()).expect("a file");
    let run = project.run(&["run-task", "task.json", "--log-format", "json"]).expect_code(0);
    let events: Vec<serde_json::Value> =
        run.stderr.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    assert_eq!(events.iter().map(|event| &event["event"]).collect::<Vec<_>>(), ["task_started", "task_done"]);
    assert!(events.iter().all(|event| event["unix_ms"].is_u64()));
}
