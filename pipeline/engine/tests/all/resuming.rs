//! Kills, races and threads: the same release in the end.

use crate::bench::{Bench, StopAfter, files, make_foreign, manifest_of, ran, silent, words};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use uavgen_engine::{Control, EngineError, Event, Observer, Outcome, Reason, Selection};

fn expected() -> BTreeMap<String, String> {
    let bench = Bench::new();
    bench.build();
    bench.release()
}

#[test]
fn the_number_of_threads_does_not_show() {
    let mut many = Bench::new();
    let mut one = Bench::new();
    for bench in [&many, &one] {
        (0..40).for_each(|number| bench.write(&format!("train.s{number}/1.txt"), &"line\n".repeat(number)));
    }
    (many.runtime.jobs, one.runtime.jobs) = (8, 1);
    many.build();
    one.build();
    assert_eq!(many.release(), one.release());
    let fingerprints = |bench: &Bench| {
        let plan = bench.plan();
        plan.stages.into_iter().flat_map(|stage| stage.tasks).map(|task| task.fingerprint).collect::<Vec<_>>()
    };
    assert_eq!(fingerprints(&many), fingerprints(&one));
}

#[test]
fn an_interrupted_run_goes_on_where_it_was() {
    for stage in ["scan", "measure", "gather", "publish"] {
        let mut bench = Bench::new();
        bench.runtime.jobs = 1;
        let cancelled = AtomicBool::new(false);
        let observer = StopAfter { stage, cancelled: &cancelled };
        let control = Control { observer: &observer, cancelled: &cancelled };
        let report = bench.workspace().build(&Selection::all(), false, control).unwrap();
        assert_eq!(report.outcome, Outcome::Interrupted);
        assert_eq!(ran(&report, stage).0, 1);
        let before = report.ran();
        assert_eq!(bench.build().ran() + before, 9, "nothing is done twice");
        assert_eq!(bench.release(), expected());
    }
}

#[test]
fn an_attempt_without_a_manifest_is_no_result() {
    let bench = Bench::new();
    bench.build();
    // What a kill just before the commit leaves behind.
    fs::remove_file(task_manifest(&bench)).unwrap();
    assert_eq!(words(&bench.plan())[1], "measure 2 fresh 1 dirty");
    assert_eq!(bench.build().ran(), 1);
    assert_eq!(bench.release(), expected());
}

#[test]
fn torn_edited_and_cut_results_are_built_again() {
    type Damage = fn(&Bench);
    let cases: [(Damage, &str); 5] = [
        (|bench| cut(&task_manifest(bench)), "torn or edited"),
        (|bench| cut(&bench.find("measure/text/a", "lengths.parquet")), "bytes instead of"),
        (|bench| fs::remove_file(bench.find("measure/text/a", "lengths.parquet")).unwrap(), "is gone"),
        (|bench| edit(&bench.find("measure/text/a", "lengths.parquet")), "was edited"),
        (|bench| edit_in_secret(&bench.find("measure/text/a", "lengths.parquet")), "was edited"),
    ];
    for (damage, expected_problem) in cases {
        let bench = Bench::new();
        bench.build();
        damage(&bench);
        let plan = bench.plan();
        let reasons = crate::bench::reasons(&plan, "measure");
        assert!(
            matches!(&reasons[..], [Reason::Missing { problem, .. }] if problem.contains(expected_problem)),
            "{reasons:?}"
        );
        let report = bench.build();
        assert_eq!((ran(&report, "measure").0, ran(&report, "gather").0), (1, 0));
        assert_eq!(bench.build().ran(), 0);
        assert_eq!(bench.release(), expected());
    }
}

fn task_manifest(bench: &Bench) -> std::path::PathBuf {
    manifest_of(&bench.find("measure/text/a", "lengths.parquet"))
}

#[test]
fn a_result_of_a_later_version_is_named_and_never_replaced() {
    let bench = Bench::new();
    bench.build();
    make_foreign(&task_manifest(&bench));
    let before = fs::read(task_manifest(&bench)).unwrap();
    assert_eq!(crate::bench::reasons(&bench.plan(), "measure"), [Reason::Foreign]);
    let report = bench.run();
    let (stage, failure) = report.failures().next().unwrap();
    assert_eq!((stage, report.failures().count()), ("measure", 1));
    assert!(failure.message.contains("a later version of uavgen made it"), "{}", failure.message);
    let tasks = bench.workspace().plan_and_tasks(&Selection::all(), silent()).unwrap().1;
    let error = bench.workspace().run_task(&tasks[0], silent()).unwrap_err().to_string();
    assert!(error.contains("a later version of uavgen made it"), "{error}");
    assert_eq!(fs::read(task_manifest(&bench)).unwrap(), before);
}

#[test]
fn damage_that_leaves_no_trace_in_the_times_is_never_shown_and_made_good() {
    let mut bench = Bench::new();
    bench.runtime.max_bad_share = 0.5;
    bench.write("val.c/1.txt", "seven\n!bad\n");
    bench.build();
    let table = bench.find("scan/text/c", "rejects.parquet");
    let whole = fs::read(&table).unwrap();
    damage_without_a_trace(&table);
    assert_eq!(words(&bench.plan())[0], "scan 3 fresh");
    let error = bench.workspace().explain("scan", "c", silent()).unwrap_err().to_string();
    assert!(error.contains("rejects.parquet: it was damaged"), "{error}");
    // The same for a build that comes first.
    fs::write(&table, whole).unwrap();
    damage_without_a_trace(&table);
    let error = bench.workspace().build(&Selection::all(), false, silent()).unwrap_err().to_string();
    assert!(error.contains("the next build makes it again"), "{error}");
    assert_eq!(bench.build().stages[0].quarantined.len(), 1);
}

#[test]
fn what_stands_in_the_way_of_a_folder_is_named_and_waited_for_by_nobody() {
    let bench = Bench::new();
    bench.workspace();
    std::os::unix::fs::symlink("nowhere", bench.path("store/measure")).unwrap();
    let report = bench.run();
    assert_eq!((report.outcome.clone(), ran(&report, "measure")), (Outcome::Failed, (0, 0, 3)));
    let message = &report.failures().next().unwrap().1.message;
    assert!(message.ends_with("store/measure: what is there is no folder; remove it"), "{message}");
}

fn cut(path: &std::path::Path) {
    let whole = fs::read(path).unwrap();
    fs::remove_file(path).unwrap();
    fs::write(path, &whole[..whole.len() / 2]).unwrap();
}

/// In place and later than the manifest, as an edit through a hard link would be.
fn edit(path: &std::path::Path) {
    let mut content = fs::read(path).unwrap();
    content[10] ^= 1;
    fs::write(path, content).unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(10);
    fs::File::options().write(true).open(path).unwrap().set_modified(later).unwrap();
}

/// As a failing disk would: the manifest stays the younger of the two.
fn damage_without_a_trace(table: &std::path::Path) {
    edit_in_secret(table);
    let manifest = manifest_of(table);
    let content = fs::read(&manifest).unwrap();
    fs::remove_file(&manifest).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(20));
    fs::write(&manifest, content).unwrap();
}

/// With the modification time put back, as tools do that keep times.
fn edit_in_secret(path: &std::path::Path) {
    let before = fs::metadata(path).unwrap().modified().unwrap();
    edit(path);
    fs::File::options().write(true).open(path).unwrap().set_modified(before).unwrap();
}

#[test]
fn of_two_builds_one_is_told_who_is_at_work_or_waits() {
    let bench = Bench::new();
    let inner = bench.workspace();
    let busy = AtomicUsize::new(0);
    struct Meanwhile<'a>(&'a uavgen_engine::Workspace, &'a AtomicUsize);
    impl uavgen_engine::Observer for Meanwhile<'_> {
        fn observe(&self, event: &uavgen_engine::Event) {
            if matches!(event, uavgen_engine::Event::RunStarted { .. }) {
                let error = self.0.build(&Selection::all(), false, silent()).unwrap_err();
                let EngineError::Busy { holder } = error else { panic!("{error}") };
                assert_eq!((holder.pid, holder.host.as_str()), (std::process::id(), "here"));
                self.1.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
    let observer = Meanwhile(&inner, &busy);
    let control = Control { observer: &observer, ..silent() };
    bench.workspace().build(&Selection::all(), false, control).unwrap();
    assert_eq!(busy.into_inner(), 1);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| inner.build(&Selection::all(), true, silent()).unwrap());
        }
    });
    assert_eq!(bench.release(), expected());
}

#[test]
fn a_killed_build_is_not_named_as_the_holder_of_a_task_that_runs_later() {
    let bench = Bench::new();
    let tasks = bench.workspace().plan_and_tasks(&Selection::all(), silent()).unwrap().1;
    let lock = bench.path("store/.lock");
    fs::write(&lock, r#"{"pid":4242,"host":"gone","since_unix_s":1}"#).unwrap();
    bench.workspace().run_task(&tasks[0], silent()).unwrap();
    assert_eq!(fs::read_to_string(lock).unwrap(), "");
}

#[test]
fn a_task_says_whom_it_waits_for_and_how_it_went() {
    struct Told<'a>(Mutex<Vec<String>>, &'a File);
    impl Observer for Told<'_> {
        fn observe(&self, event: &Event) {
            let line = event.line(std::time::SystemTime::now());
            let event: serde_json::Value = serde_json::from_str(&line).unwrap();
            assert!(event["unix_ms"].is_u64());
            if event["event"] == "waiting" {
                self.1.unlock().unwrap();
                assert_eq!(event["holder"]["pid"], 4242);
            }
            self.0.lock().unwrap().push(event["event"].as_str().unwrap().to_owned());
        }
    }
    let bench = Bench::new();
    let tasks = bench.workspace().plan_and_tasks(&Selection::all(), silent()).unwrap().1;
    let path = bench.path("store/.lock");
    let lock = File::options().create(true).truncate(false).write(true).open(&path).unwrap();
    lock.lock().unwrap();
    fs::write(&path, r#"{"pid":4242,"host":"there","since_unix_s":1}"#).unwrap();
    let told = Told(Mutex::default(), &lock);
    bench.workspace().run_task(&tasks[0], Control { observer: &told, ..silent() }).unwrap();
    assert_eq!(told.0.into_inner().unwrap(), ["waiting", "task_started", "task_done"]);
}

#[test]
fn tasks_run_one_by_one_by_many_workers_give_the_same_release() {
    let bench = Bench::new();
    let workspace = bench.workspace();
    for _ in 0..4 {
        let tasks = workspace.plan_and_tasks(&Selection::all(), silent()).unwrap().1;
        assert!(!tasks.is_empty());
        let text = serde_json::to_string(&tasks).unwrap();
        // Two workers on every task: one commits, the other takes its result.
        std::thread::scope(|scope| {
            for _ in 0..2 {
                let tasks: Vec<uavgen_engine::TaskDescription> = serde_json::from_str(&text).unwrap();
                let workspace = &workspace;
                scope.spawn(move || tasks.iter().for_each(|task| _ = workspace.run_task(task, silent()).unwrap()));
            }
        });
    }
    assert!(workspace.plan_and_tasks(&Selection::all(), silent()).unwrap().1.is_empty());
    assert_eq!(bench.build().ran(), 0);
    assert_eq!(bench.release(), expected());
    let attempts = files(&bench.path("store")).into_iter().filter(|path| path.ends_with("rejects.parquet")).count();
    assert_eq!(attempts, 9, "losers drop their attempts");
}

#[test]
fn a_described_task_that_does_not_fit_the_config_is_refused() {
    let mut bench = Bench::new();
    let task = bench.workspace().plan_and_tasks(&Selection::all(), silent()).unwrap().1.remove(0);
    bench.set("scan", json!({"trim": true}));
    let error = bench.workspace().run_task(&task, silent()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "run task scan text/a: config trim: false -> true; list the tasks again with `uavgen plan --json`"
    );
}
