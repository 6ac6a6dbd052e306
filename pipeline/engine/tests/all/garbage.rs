//! What gc removes, and what it must not.

use crate::bench::{Bench, silent, words};
use serde_json::json;
use std::fs;
use std::time::{Duration, SystemTime};
use uavgen_engine::{GcOptions, GcReport};

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
    let dry = gc(&bench, true);
    assert_eq!((dry.attempts, dry.results, dry.freed_bytes), (1, 0, 1000));
    assert!(orphan.exists());
    assert_eq!(gc(&bench, false), dry);
    assert!(!orphan.parent().unwrap().exists());
    assert!(!bench.path("releases/.making-1-1").exists());
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
