//! What gc removes, and what it must not.

use crate::bench::{Bench, make_foreign, manifest_of, silent, words};
use serde_json::json;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};
use uavgen_engine::{Control, EngineError, Event, GcOptions, GcReport, Observer, Selection};

fn in_a_year() -> SystemTime {
    SystemTime::now() + Duration::from_secs(365 * 86_400)
}

fn gc(bench: &Bench, dry_run: bool) -> GcReport {
    bench.workspace().gc(GcOptions { dry_run, keep_days: 14, wait: false }, silent()).unwrap()
}

#[test]
fn attempts_without_a_manifest_go_and_results_stay() {
    let bench = Bench::new();
    bench.build();
    let orphan = bench.path("store/measure/text/a/a/0123456789abcdef0123456789abcdef/attempt-1-1");
    fs::create_dir_all(&orphan).unwrap();
    fs::write(orphan.join("lengths.parquet"), [0; 1000]).unwrap();
    fs::create_dir_all(bench.path("releases/.making-1-1")).unwrap();
    std::os::unix::fs::symlink("nowhere", bench.path("releases/.making-1-2")).unwrap();
    fs::write(bench.path("store/.cache/digests.1.tmp"), "").unwrap();
    let dry = gc(&bench, true);
    assert_eq!((dry.attempts, dry.results, dry.freed_bytes), (1, 0, 1000));
    assert!(orphan.exists());
    assert_eq!(gc(&bench, false), dry);
    assert!(!orphan.parent().unwrap().exists());
    for left_over in ["releases/.making-1-1", "releases/.making-1-2", "store/.cache/digests.1.tmp"] {
        assert!(fs::symlink_metadata(bench.path(left_over)).is_err(), "{left_over}");
    }
    assert_eq!(gc(&bench, false), GcReport::default());
    assert_eq!(bench.build().ran(), 0);
}

#[test]
fn old_results_that_nothing_reaches_go() {
    let mut bench = Bench::new();
    bench.set("measure", json!({"min_letters": 4}));
    bench.build();
    let release = bench.release();
    bench.set("measure", json!({}));
    bench.build();
    assert_eq!((gc(&bench, false).results, gc(&bench, false).kept_young), (0, 3), "too young; two are released");
    bench.clock = in_a_year;
    let report = gc(&bench, false);
    assert_eq!(report.results, 3, "{report:?}");
    assert_eq!(bench.build().ran(), 0);
    // The older release still stands, and so does all that it links.
    bench.set("measure", json!({"min_letters": 4}));
    assert_eq!(words(&bench.plan())[1], "measure 3 dirty");
    bench.build();
    assert_eq!(bench.release(), release);
}

#[test]
fn where_a_task_is_not_fresh_its_partition_stays() {
    let mut bench = Bench::new();
    bench.build();
    bench.set("measure", json!({"min_letters": 4}));
    bench.clock = in_a_year;
    assert_eq!(gc(&bench, false), GcReport::default());
}

#[test]
fn a_partition_that_is_gone_goes() {
    let mut bench = Bench::new();
    bench.build();
    fs::remove_dir_all(bench.path("source/val.c")).unwrap();
    fs::remove_dir_all(bench.path("releases")).unwrap();
    bench.build();
    bench.clock = in_a_year;
    let report = gc(&bench, false);
    assert_eq!(report.results, 4, "scan, measure, gather of val, and the old release: {report:?}");
    assert!(!bench.path("store/scan/text/c").exists());
}

#[test]
fn what_a_later_version_made_is_left_alone() {
    let mut bench = Bench::new();
    bench.set("measure", json!({"min_letters": 4}));
    bench.build();
    fs::remove_dir_all(bench.path("releases")).unwrap();
    let table = bench.find("measure/text/a", "lengths.parquet");
    make_foreign(&manifest_of(&table));
    bench.set("measure", json!({}));
    bench.build();
    bench.clock = in_a_year;
    let report = gc(&bench, false);
    assert_eq!((report.results, report.kept_foreign), (4, 1), "measure b and c, gather of train, publish: {report:?}");
    assert!(table.exists());
}

#[test]
fn a_torn_manifest_goes() {
    let mut bench = Bench::new();
    bench.build();
    let manifest = manifest_of(&bench.find("measure/text/a", "lengths.parquet"));
    fs::write(&manifest, "{").unwrap();
    // Its partition stays since nothing of it is fresh, but what is torn is of no use to anybody.
    bench.clock = in_a_year;
    let report = gc(&bench, true);
    assert_eq!((report.attempts, report.results, report.removed.len()), (1, 0, 2), "{report:?}");
    assert_eq!(gc(&bench, false), report);
    assert!(!manifest.exists());
}

#[test]
fn a_result_used_an_hour_ago_is_no_day_old() {
    fn at(hours: u64) -> SystemTime {
        SystemTime::now() + Duration::from_secs(hours * 3600)
    }
    let mut bench = Bench::new();
    bench.clock = || at(1);
    bench.build();
    bench.clock = || at(24);
    assert_eq!(bench.build().ran(), 0);
    fs::remove_dir_all(bench.path("releases")).unwrap();
    bench.set("measure", json!({"min_letters": 4}));
    bench.clock = || at(26);
    bench.build();
    let after = |keep_days| {
        let options = GcOptions { dry_run: true, keep_days, wait: false };
        let report = bench.workspace().gc(options, silent()).unwrap();
        (report.results, report.kept_young)
    };
    assert_eq!([0, 1, u64::MAX].map(after), [(5, 0), (0, 5), (0, 5)]);
}

#[test]
fn what_becomes_free_is_what_no_release_links() {
    fn size(bench: &Bench) -> u64 {
        use std::os::unix::fs::MetadataExt as _;
        let files = crate::bench::files(&bench.path("")).into_iter().map(|file| fs::metadata(file).unwrap());
        // A file that two names have takes its room once.
        files.map(|file| file.len() as f64 / file.nlink() as f64).sum::<f64>().round() as u64
    }
    let mut bench = Bench::new();
    bench.set("measure", json!({"min_letters": 4}));
    bench.build();
    bench.set("measure", json!({}));
    bench.build();
    bench.clock = in_a_year;
    // What the plan learns about old files is kept when it looks for the first time.
    gc(&bench, true);
    let before = size(&bench);
    let report = gc(&bench, false);
    assert!(report.results > 0 && report.runs > 0, "{report:?}");
    assert_eq!(before - size(&bench), report.freed_bytes);
}

#[test]
fn an_interrupted_gc_says_so() {
    struct Stop<'a>(&'a AtomicBool);
    impl Observer for Stop<'_> {
        fn observe(&self, event: &Event) {
            if matches!(event, Event::SourcesFound { .. }) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
    }
    let bench = Bench::new();
    bench.build();
    let cancelled = AtomicBool::new(false);
    let control = Control { observer: &Stop(&cancelled), cancelled: &cancelled };
    let outcome = bench.workspace().gc(GcOptions { dry_run: true, keep_days: 14, wait: false }, control);
    assert!(matches!(outcome, Err(EngineError::Interrupted)));
}

#[test]
fn what_the_engine_did_not_make_is_never_removed() {
    let mut bench = Bench::new();
    bench.build();
    let foreign = [
        "store/photos/2019/summer/beach/best/1.jpg",
        "store/measure/mine/a/b/c/d/1.txt",
        "store/measure/text/a/a/0123456789abcdef0123456789abcdef/mine/1.txt",
        "store/measure/text/a/a/mine/attempt-1/1.txt",
        "store/.cache/mine.tmp",
        "releases/mine/1.txt",
        "runs/mine/events.jsonl",
        "runs/20200101T000000Z-1/mine.txt",
    ];
    for file in foreign {
        fs::create_dir_all(bench.path(file).parent().unwrap()).unwrap();
        fs::write(bench.path(file), "mine").unwrap();
    }
    bench.clock = in_a_year;
    gc(&bench, false);
    for file in foreign {
        assert!(bench.path(file).exists(), "{file}");
    }
}

#[test]
fn a_folder_that_holds_other_things_is_no_store() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("store/a/b/c/d/e")).unwrap();
    let error = bench.open().err().unwrap().to_string();
    assert!(error.contains("store: the folder holds other files; name a new or empty folder"), "{error}");
    assert!(bench.path("store/a/b/c/d/e").exists());
}

#[test]
fn age_counts_from_the_last_build_that_used_a_result() {
    let in_twenty_days = || SystemTime::now() + Duration::from_secs(20 * 86_400);
    let mut bench = Bench::new();
    bench.build();
    fs::remove_dir_all(bench.path("releases")).unwrap();
    bench.clock = in_twenty_days;
    assert_eq!(bench.build().ran(), 0);
    // An experiment; a moment ago the old results were in use.
    fs::remove_dir_all(bench.path("releases")).unwrap();
    bench.set("measure", json!({"min_letters": 4}));
    bench.build();
    let report = gc(&bench, false);
    assert_eq!((report.results, report.kept_young), (0, 5), "measure, gather of train, publish: {report:?}");
    bench.clock = in_a_year;
    assert_eq!(gc(&bench, false).results, 5);
}

#[test]
fn an_attempt_whose_files_a_release_links_stays() {
    let bench = Bench::new();
    bench.build();
    // The table of a split is lost; made again it is the same, so that the release stays as it is, with its old links.
    fs::remove_file(bench.find("gather/_split/train", "bundles.parquet")).unwrap();
    assert_eq!(bench.build().ran(), 1);
    assert_eq!(gc(&bench, false), GcReport::default());
    let report = bench.build();
    assert_eq!((report.ran(), report.published[0].changed), (0, false));
}

#[test]
fn logs_of_old_runs_go_except_the_last() {
    let mut bench = Bench::new();
    bench.build();
    bench.set("measure", json!({"min_letters": 4}));
    bench.build();
    let logs = |bench: &Bench| fs::read_dir(bench.path("runs")).unwrap().count();
    assert_eq!((gc(&bench, false).runs, logs(&bench)), (0, 2));
    bench.clock = in_a_year;
    assert_eq!((gc(&bench, false).runs, logs(&bench)), (1, 1));
}

#[test]
fn a_dry_run_excludes_nobody_and_spares_what_may_be_alive() {
    struct Meanwhile<'a>(&'a Bench);
    impl Observer for Meanwhile<'_> {
        fn observe(&self, event: &Event) {
            if matches!(event, Event::TaskStarted { .. }) {
                assert_eq!(gc(self.0, true).attempts, 0, "the attempt of a living build is no garbage");
            }
        }
    }
    let mut bench = Bench::new();
    bench.clock = SystemTime::now;
    let observer = Meanwhile(&bench);
    bench.workspace().build(&Selection::all(), false, Control { observer: &observer, ..silent() }).unwrap();
}
