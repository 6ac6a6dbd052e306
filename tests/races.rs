//! Two builds of one project at once.

use crate::harness::Project;

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
    let project = Project::sample();
    let plan = project.run(&["plan", "--stage", "ingest", "--json"]).expect_code(0);
    let plan: serde_json::Value = serde_json::from_str(&plan.stdout).expect("JSON");
    for (number, task) in plan["tasks"].as_array().expect("tasks").iter().enumerate() {
        if task["run"].is_null() {
            continue;
        }
        let file = project.path().join(format!("task-{number}.json"));
        std::fs::write(&file, task.to_string()).expect("a file");
        let name = file.to_string_lossy().into_owned();
        let mut workers: Vec<_> = (0..3).map(|_| project.start(&["run-task", &name])).collect();
        for worker in &mut workers {
            assert!(worker.wait().expect("an end").success());
        }
    }
    project.build();
    project.run(&["check", "latest"]).expect_code(0);
}
