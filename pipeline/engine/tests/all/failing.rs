//! Tasks that fail, panic, fill the disk or find too much that is bad.

use crate::bench::{Bench, ran, silent};
use crate::toy;
use serde_json::json;
use uavgen_core::Partition;
use uavgen_engine::{Outcome, Selection};

#[test]
fn a_failing_task_blocks_what_needs_it_and_nothing_else() {
    let mut bench = Bench::new();
    bench.set("measure", json!({"fail_on": ["c"]}));
    let report = bench.run();
    assert_eq!(report.outcome, Outcome::Failed);
    assert_eq!((ran(&report, "measure"), ran(&report, "gather")), ((2, 0, 1), (1, 0, 0)));
    let (stage, failure) = report.failures().next().unwrap();
    assert_eq!((stage, failure.message.as_str(), failure.is_bug), ("measure", "c cannot be measured", false));
    let gather = &report.stages[2];
    assert_eq!(gather.blocked[0].0, Partition::Split { split: "val".into() });
    let publish = &report.stages[3].blocked[0];
    assert_eq!(publish.1.iter().map(ToString::to_string).collect::<Vec<_>>(), ["measure text/c"], "the root cause");
    bench.set("measure", json!({}));
    bench.build();
}

#[test]
fn a_panic_is_a_bug_of_one_task() {
    let mut bench = Bench::new();
    bench.set("measure", json!({"panic_on": ["a"]}));
    let report = bench.run();
    assert_eq!((ran(&report, "measure"), report.bugs()), ((2, 0, 1), 1));
    assert_eq!(report.failures().next().unwrap().1.message, "invariant of a is broken");
}

#[test]
fn a_stage_that_forgets_a_table_is_a_bug() {
    let mut bench = Bench::new();
    bench.set("measure", json!({"forget_on": ["a"]}));
    let report = bench.run();
    assert_eq!(report.bugs(), 1);
    assert_eq!(report.failures().next().unwrap().1.message, "stage measure did not write its table lengths");
}

#[test]
fn a_stage_that_writes_a_table_that_it_only_reads_is_a_bug() {
    let mut bench = Bench::new();
    bench.set("measure", json!({"meddle_on": ["a"]}));
    let report = bench.run();
    assert_eq!(report.bugs(), 1);
    assert_eq!(report.failures().next().unwrap().1.message, "stage measure wrote lines, which it does not declare");
}

#[test]
fn a_full_disk_stops_the_run_at_once() {
    let mut bench = Bench::new();
    bench.runtime.jobs = 1;
    bench.set("measure", json!({"disk_full_on": ["a", "b", "c"]}));
    let report = bench.run();
    assert!(matches!(&report.outcome, Outcome::Stopped { message } if message.contains("no space left")));
    let measure = report.stages.last().unwrap();
    assert_eq!((measure.stage, measure.failed.len(), measure.not_started), ("measure", 1, 2));
}

#[test]
fn too_much_quarantine_fails_the_run_each_time_and_lists_it() {
    let mut bench = Bench::new();
    bench.write("val.c/1.txt", "seven\n!bad\n");
    bench.runtime.max_bad_share = 0.10;
    for _ in 0..2 {
        // Four sound files say nothing about the lines: 1 of 12 would pass.
        let Outcome::TooManyBad(bad) = bench.run().outcome else { panic!("1 of 8 lines is too much") };
        assert_eq!((bad.stage, bad.kind.as_str(), bad.bad, bad.read), ("scan", "line", 1, 8));
        assert_eq!(bad.first, ["val.c/1.txt:1: marked_bad "]);
    }
    bench.runtime.max_bad_share = 0.125;
    bench.build();
    bench.runtime.max_bad_share = 0.0;
    bench.write("val.c/1.txt", "seven\n");
    bench.build();
}

#[test]
fn the_list_of_what_is_broken_holds_no_other_kind_that_is_broken_alike() {
    let mut bench = Bench::new();
    bench.runtime.max_bad_share = 0.25;
    // A file that cannot be read, and lines that cannot: one reason, two kinds. Of the files, 1 of 5 is not too much.
    let file = bench.path("source/train.a/3.txt");
    std::os::unix::fs::symlink(&file, &file).unwrap();
    bench.write("val.c/1.txt", "seven\n!unreadable\n!unreadable\n!unreadable\n!unreadable\n");
    let Outcome::TooManyBad(bad) = bench.run().outcome else { panic!("4 of 11 lines are too much") };
    assert_eq!((bad.kind.as_str(), bad.bad), ("line", 4));
    assert_eq!(bad.first, [1, 2, 3, 4].map(|line| format!("val.c/1.txt:{line}: unreadable ")));
}

#[test]
fn a_task_that_needs_what_no_task_gives_is_blocked_and_the_build_is_no_success() {
    let mut bench = Bench::new();
    bench.registry = toy::STAGES_OF_TWO_ROOTS;
    let report = bench.run();
    assert_eq!((report.outcome.clone(), report.failures().count()), (Outcome::Failed, 0));
    let blocked: Vec<String> =
        report.blocked().map(|(stage, partition, on)| format!("{stage} {partition} needs {}", on[0])).collect();
    assert_eq!(blocked[0], "blend text/a needs paint text/a");
    assert_eq!(blocked.len(), 3);
    assert_eq!(ran(&report, "measure").0, 3, "an optional table may have no task that writes it");
}

#[test]
fn nothing_but_rejects_and_empty_files_is_normal() {
    let mut bench = Bench::new();
    bench.set("measure", json!({"min_letters": 100}));
    bench.write("val.c/1.txt", "");
    let report = bench.build();
    assert_eq!(ran(&report, "publish").0, 1);
    let summary = bench.workspace().summary(&Selection::all(), silent()).unwrap();
    assert_eq!(summary.stages[1].counts.rule["too_short"], 6);
    assert_eq!(summary.stages[1].counts.written["lengths"], 0);
    assert_eq!(bench.release()["data/val.txt"], "");
}
