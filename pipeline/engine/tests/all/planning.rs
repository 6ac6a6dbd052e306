//! What makes a task dirty, and what does not.

use crate::bench::{Bench, config_reason, in_an_hour, ran, reasons, silent, words};
use crate::toy;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};
use uavgen_core::Stage;
use uavgen_engine::{Control, EngineError, Event, Observer, Outcome, Reason, Runtime, Selection};

const ALL_FRESH: [&str; 4] = ["scan 3 fresh", "measure 3 fresh", "gather 2 fresh", "publish 1 fresh"];

#[test]
fn an_empty_store_is_never_built_and_a_full_one_is_fresh() {
    let bench = Bench::new();
    let plan = bench.plan();
    assert_eq!(words(&plan), ["scan 3 dirty", "measure 3 maybe", "gather 2 maybe", "publish 1 maybe"]);
    assert_eq!(reasons(&plan, "scan"), [Reason::NeverBuilt]);
    bench.build();
    assert_eq!(words(&bench.plan()), ALL_FRESH);
    assert_eq!(bench.build().ran(), 0);
}

#[test]
fn every_config_key_is_a_reason_and_no_runtime_setting_is() {
    let mut bench = Bench::new();
    bench.build();
    let Value::Object(defaults) = toy::Measure::<1, 1>.default_config() else { panic!("a section is an object") };
    for (key, old) in &defaults {
        let (path, new) = match old {
            Value::Number(_) => (key.clone(), json!(2)),
            Value::String(_) => (key.clone(), json!("other")),
            Value::Array(_) => (key.clone(), json!(["other"])),
            _ => ("nested.factor".to_owned(), json!(2.0)),
        };
        let section = if path == *key { json!({key: new}) } else { json!({"nested": {"factor": new}}) };
        bench.set("measure", section);
        let old = if path == *key { old.clone() } else { old["factor"].clone() };
        assert_eq!(reasons(&bench.plan(), "measure"), [config_reason(&path, old, new)]);
    }
    bench.config.clear();
    bench.runtime = Runtime { jobs: 5, max_bad_share: 0.5, keep_days: 1 };
    bench.host = "there".into();
    bench.clock = SystemTime::now;
    assert_eq!(words(&bench.plan()), ALL_FRESH);
}

#[test]
fn versions_libraries_seeds_and_options_are_reasons() {
    let mut bench = Bench::new();
    bench.build();
    bench.registry = toy::STAGES_WITH_NEW_MEASURE;
    assert_eq!(reasons(&bench.plan(), "measure"), [Reason::StageVersion { old: 1, new: 2 }]);
    bench.registry = toy::STAGES_WITH_NEW_LIBRARY;
    assert_eq!(reasons(&bench.plan(), "measure"), [Reason::External { name: "library".into() }]);
    bench.registry = toy::STAGES;
    bench.seed = 8;
    assert_eq!(reasons(&bench.plan(), "scan"), [Reason::Seed]);
    bench.seed = 7;
    bench.fps = Some(25.0);
    assert_eq!(reasons(&bench.plan(), "scan"), [Reason::External { name: "option fps".into() }]);
}

#[test]
fn unchanged_output_stops_the_wave() {
    let mut bench = Bench::new();
    bench.build();
    bench.set("measure", json!({"label": "b"}));
    assert_eq!(words(&bench.plan()), ["scan 3 fresh", "measure 3 dirty", "gather 2 maybe", "publish 1 maybe"]);
    let report = bench.build();
    assert_eq!(ran(&report, "measure"), (3, 3, 0));
    assert_eq!((ran(&report, "gather").0, ran(&report, "publish").0), (0, 0));
}

#[test]
fn a_change_reaches_only_what_depends_on_it() {
    let mut bench = Bench::new();
    bench.build();
    bench.set("measure", json!({"split": {"val": {"min_letters": 6}}}));
    let plan = bench.plan();
    assert_eq!(words(&plan), ["scan 3 fresh", "measure 2 fresh 1 dirty", "gather 1 fresh 1 maybe", "publish 1 maybe"]);
    let report = bench.build();
    assert_eq!((ran(&report, "measure"), ran(&report, "gather").0), ((1, 0, 0), 1));
}

#[test]
fn a_touched_file_rebuilds_nothing_and_a_changed_one_does() {
    let bench = Bench::new();
    bench.build();
    let file = bench.path("source/train.a/1.txt");
    File::options().write(true).open(&file).unwrap().set_modified(SystemTime::now()).unwrap();
    assert_eq!(words(&bench.plan()), ALL_FRESH);
    bench.write("train.a/1.txt", "one\ntwo\nTHREE\n");
    bench.write("train.a/3.txt", "new\n");
    fs::remove_file(bench.path("source/train.a/2.txt")).unwrap();
    let names = ["1", "3", "2"].map(|name| format!("train.a/{name}.txt")).to_vec();
    let expected = Reason::SourceFiles { changed: 1, added: 1, removed: 1, names };
    let plan = bench.plan();
    assert_eq!(reasons(&plan, "scan"), [expected]);
    assert_eq!(words(&plan)[0], "scan 2 fresh 1 dirty");
}

#[test]
fn deleting_the_digest_cache_changes_nothing() {
    let bench = Bench::new();
    bench.build();
    fs::remove_dir_all(bench.path("store/.cache")).unwrap();
    assert_eq!(words(&bench.plan()), ALL_FRESH);
    assert!(bench.path("store/.cache/digests").exists());
}

/// Keeps the reasons that a build gives, in words.
struct Reasons(Mutex<Vec<String>>);

impl Observer for Reasons {
    fn observe(&self, event: &Event) {
        if let Event::StageStarted { reasons, .. } = event {
            self.0.lock().unwrap().extend(reasons.iter().map(|(reason, _)| reason.clone()));
        }
    }
}

fn reasons_of_build(bench: &Bench) -> Vec<String> {
    let reasons = Reasons(Mutex::default());
    let control = Control { observer: &reasons, ..silent() };
    bench.workspace().build(&Selection::all(), false, control).unwrap();
    reasons.0.into_inner().unwrap()
}

#[test]
fn inputs_and_counts_upstream_are_reasons() {
    let mut bench = Bench::new();
    bench.build();
    bench.write("val.c/1.txt", "seventeen\n");
    let expected = ["source files changed", "input lines changed", "input lengths changed", "input bundles changed"];
    assert_eq!(reasons_of_build(&bench), expected);
    // More dropped lines: the same tables, other counts.
    bench.runtime.max_bad_share = 0.5;
    bench.write("val.c/1.txt", "seventeen\n!bad\n");
    assert_eq!(reasons_of_build(&bench), ["source files changed", "counts upstream changed"]);
}

#[test]
fn a_sequence_that_moves_to_another_split_is_built_again() {
    let bench = Bench::new();
    bench.build();
    fs::rename(bench.path("source/train.b"), bench.path("source/val.b")).unwrap();
    let reasons = reasons(&bench.plan(), "scan");
    assert_eq!(reasons[0], Reason::Split { old: "train".into(), new: "val".into() });
    bench.build();
}

#[test]
fn a_removed_sequence_leaves_the_release() {
    let bench = Bench::new();
    bench.build();
    fs::remove_dir_all(bench.path("source/val.c")).unwrap();
    let report = bench.build();
    assert_eq!(ran(&report, "publish").0, 1);
    assert_eq!(bench.release().keys().collect::<Vec<_>>(), ["README.md", "data/train.txt"]);
}

#[test]
fn expected_rows_are_chained_from_estimates_and_exact_when_fresh() {
    let bench = Bench::new();
    let plan = bench.plan();
    assert_eq!((plan.source_files, plan.source_bytes), (4, 34));
    assert_eq!(plan.stage("measure").unwrap().expected_rows["lengths"], 40);
    assert_eq!(plan.stage("scan").unwrap().needed_bytes, None);
    bench.build();
    let plan = bench.plan();
    let measure = plan.stage("measure").unwrap();
    assert_eq!((measure.expected_rows["lengths"], measure.rows_are_exact, measure.needed_bytes), (7, true, Some(0)));
}

#[test]
fn a_selection_takes_upstream_along_and_a_split_leaves_the_rest() {
    let bench = Bench::new();
    let workspace = bench.workspace();
    let plan = workspace.plan(&Selection::stages(["measure"]), silent()).unwrap();
    assert_eq!(words(&plan), ["scan 3 dirty", "measure 3 maybe"]);
    assert_eq!(plan.stages.iter().map(|stage| stage.selected).collect::<Vec<_>>(), [false, true]);
    let val = Selection { stages: None, split: Some("val".into()) };
    assert_eq!(words(&workspace.plan(&val, silent()).unwrap()), ["scan 1 dirty", "measure 1 maybe", "gather 1 maybe"]);
    workspace.build(&val, false, silent()).unwrap();
    assert_eq!(words(&bench.plan())[2], "gather 1 fresh 1 maybe", "what a split built, a full plan finds");
}

#[test]
fn wrong_names_are_errors_with_a_hint() {
    let mut bench = Bench::new();
    let workspace = bench.workspace();
    let error = workspace.plan(&Selection::stages(["mesure"]), silent()).unwrap_err();
    assert_eq!(error.to_string(), "select stage `mesure`: there is no such stage; did you mean `measure`?");
    let split = Selection { stages: None, split: Some("vall".into()) };
    let error = workspace.plan(&split, silent()).unwrap_err();
    assert_eq!(error.to_string(), "select split `vall`: the sources have train, val");
    let whole = Selection { split: Some("val".into()), ..Selection::stages(["publish"]) };
    let error = workspace.plan(&whole, silent()).unwrap_err().to_string();
    assert_eq!(error, "select split `val` of stage publish: the stage covers the whole data set; leave out --split");
    bench.set("measur", json!({}));
    assert!(matches!(bench.open(), Err(EngineError::UnknownSection { .. })));
    bench.config.clear();
    bench.set("measure", json!({"split": {"val": {"min_leters": 3}}}));
    let error = bench.open().err().unwrap().to_string();
    assert_eq!(error, "read config section [measure]: split.val.min_leters: unknown key; did you mean `min_letters`?");
    bench.config.clear();
    bench.set("publish", json!({"split": {"val": {}}}));
    let error = bench.open().err().unwrap().to_string();
    assert!(error.contains("[publish]: split.val: has no effect: the stage covers the whole data set"), "{error}");
    bench.config.clear();
    bench.set("measure", json!({"split": {"vall": {"min_letters": 3}}}));
    assert!(bench.plan().notes.contains(&"[measure.split.vall] has no effect: there is no split vall".to_owned()));
}

#[test]
fn no_sequences_at_all_give_no_tasks() {
    let bench = Bench::new();
    fs::remove_dir_all(bench.path("source")).unwrap();
    fs::create_dir(bench.path("source")).unwrap();
    assert_eq!(words(&bench.plan()), ["scan", "measure", "gather", "publish"]);
    bench.build();
    fs::remove_dir_all(bench.path("source")).unwrap();
    let error = bench.workspace().plan(&Selection::all(), silent()).unwrap_err();
    assert_eq!(error.to_string(), "look for work in the sources: sources.0.path: no such folder");
}

/// Asks to stop once 100 source files are hashed, and keeps how many had to be.
#[derive(Default)]
struct Hashing {
    stop: AtomicBool,
    hashed: AtomicU64,
}

impl Observer for Hashing {
    fn observe(&self, event: &Event) {
        match event {
            Event::Digesting { files, of_files, bytes, of_bytes } => {
                // `line\n`, but for the 4 files of every test.
                assert!(of_bytes / of_files == 5 && bytes / 5 >= *files, "{event:?}");
                self.stop.store(*files >= 100, Ordering::Relaxed);
            }
            Event::SourcesFound { hashed, .. } => self.hashed.store(*hashed, Ordering::Relaxed),
            _ => {}
        }
    }
}

#[test]
fn what_was_hashed_before_an_interruption_is_not_hashed_again() {
    let mut bench = Bench::new();
    bench.runtime.jobs = 1;
    // Every look at it takes a second.
    bench.clock = || {
        static LOOKS: AtomicU64 = AtomicU64::new(0);
        in_an_hour() + Duration::from_secs(LOOKS.fetch_add(1, Ordering::Relaxed))
    };
    (0..700).for_each(|number| bench.write(&format!("train.big/{number}.txt"), "line\n"));
    let hashing = Hashing::default();
    let control = Control { observer: &hashing, cancelled: &hashing.stop };
    assert!(matches!(bench.workspace().plan(&Selection::all(), control), Err(EngineError::Interrupted)));
    let control = Control { observer: &hashing, ..silent() };
    bench.workspace().plan(&Selection::all(), control).unwrap();
    let again = hashing.hashed.into_inner();
    assert!((100..=704 - 100).contains(&again), "{again} of 704 files were hashed again");
}

#[test]
fn what_a_plan_has_verified_is_remembered() {
    let bench = Bench::new();
    bench.build();
    let blob = bench.find("gather", "train.txt");
    let remembered = || {
        let table = fs::read(bench.path("store/.cache/digests")).unwrap();
        let name = blob.to_str().unwrap().as_bytes();
        table.windows(name.len()).any(|window| window == name)
    };
    assert!(!remembered());
    File::options().write(true).open(&blob).unwrap().set_modified(SystemTime::now()).unwrap();
    assert_eq!(words(&bench.plan()), ALL_FRESH);
    assert!(remembered());
}

#[test]
fn a_file_that_cannot_be_read_is_left_out_by_name_until_it_can() {
    let mut bench = Bench::new();
    bench.runtime.max_bad_share = 0.5;
    // A link in a circle is unreadable for everybody, also for root.
    let file = bench.path("source/val.c/2.txt");
    std::os::unix::fs::symlink(&file, &file).unwrap();
    let report = bench.build();
    assert_eq!(report.stages[0].counts.quarantined()["unreadable"], 1);
    assert_eq!(report.stages[0].quarantined[0].1.record_id, "val.c/2.txt");
    assert_eq!(bench.build().ran(), 0);
    bench.runtime.max_bad_share = 0.1;
    let Outcome::TooManyBad(bad) = bench.run().outcome else { panic!("1 of 5 files is too much") };
    assert_eq!((bad.kind.as_str(), bad.bad, bad.read), ("file", 1, 5));
    fs::remove_file(&file).unwrap();
    bench.write("val.c/2.txt", "eight\n");
    assert_eq!(words(&bench.plan())[0], "scan 2 fresh 1 dirty");
    bench.build();
}
