//! Releases: linked, repaired, never half there.

use crate::bench::{Bench, empty, ran};
use serde_json::json;
use std::fs;

#[test]
fn a_build_with_nothing_to_do_mends_a_broken_release() {
    let bench = Bench::new();
    let published = bench.build().published;
    assert!(published[0].changed);
    let whole = bench.release();
    let file = published[0].folder.join("data/train.txt");
    fs::remove_file(&file).unwrap();
    let report = bench.build();
    assert_eq!((report.ran(), report.published[0].changed), (0, true));
    assert_eq!(bench.release(), whole);
    fs::remove_dir_all(bench.path("releases")).unwrap();
    bench.build();
    assert_eq!(bench.release(), whole);
    assert!(!bench.build().published[0].changed);
}

#[test]
fn an_edit_through_a_link_is_found_and_undone() {
    let bench = Bench::new();
    bench.build();
    let whole = bench.release();
    let file = bench.path("releases/latest/data/train.txt");
    let edited = whole["data/train.txt"].replace('3', "9");
    fs::write(&file, edited).unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(10);
    fs::File::options().write(true).open(&file).unwrap().set_modified(later).unwrap();
    let report = bench.build();
    assert_eq!(report.ran(), 2, "the split and the release");
    assert_eq!(bench.release(), whole);
}

#[test]
fn an_older_release_stays_and_can_come_back() {
    let mut bench = Bench::new();
    bench.build();
    let first = bench.release();
    bench.set("measure", json!({"min_letters": 4}));
    bench.build();
    assert_ne!(bench.release(), first);
    bench.set("measure", empty());
    let report = bench.build();
    assert_eq!(report.ran(), 0);
    assert_eq!(bench.release(), first);
}

#[test]
fn nothing_in_a_release_names_host_path_or_time() {
    let mut here = Bench::new();
    here.build();
    let mut there = Bench::new();
    there.host = "there".into();
    there.clock = std::time::SystemTime::now;
    there.build();
    here.host.clear();
    assert_eq!(here.release(), there.release());
}

#[test]
fn a_release_with_other_bytes_is_not_called_unchanged() {
    let mut bench = Bench::new();
    bench.build();
    // The dropped lines are counted on the card, and nowhere else.
    bench.runtime.max_bad_share = 0.5;
    bench.write("val.c/1.txt", "seven\n!bad\n");
    let report = bench.build();
    assert_eq!((ran(&report, "gather"), ran(&report, "publish")), ((0, 0, 0), (1, 0, 0)));
    fs::remove_file(bench.find("publish", "README.md")).unwrap();
    assert_eq!(ran(&bench.build(), "publish"), (1, 1, 0), "made again, the same bytes");
}
