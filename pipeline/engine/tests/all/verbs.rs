//! Summary, explain, stages and the event log.

use crate::bench::{Bench, config_reason, silent};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use uavgen_core::{Counts, InputCounts};
use uavgen_engine::{Selection, Status};

#[test]
fn a_summary_is_the_same_after_any_number_of_builds() {
    let mut bench = Bench::new();
    bench.set("measure", json!({"min_letters": 4}));
    bench.build();
    let first = bench.workspace().summary(&Selection::all(), silent()).unwrap();
    bench.build();
    assert_eq!(bench.workspace().summary(&Selection::all(), silent()).unwrap(), first);
    let measure = &first.stages[1];
    assert_eq!((measure.tasks, measure.fresh), (3, 3));
    let pairs = |pairs: &[(&str, u64)]| pairs.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
    let lines = InputCounts { read: 7, ..InputCounts::default() };
    let expected = Counts {
        inputs: BTreeMap::from([("line".to_owned(), lines)]),
        written: pairs(&[("lengths", 4)]),
        rule: pairs(&[("too_short", 3)]),
        ..Counts::default()
    };
    assert_eq!(measure.counts, expected);
    assert_eq!(first.releases.len(), 1);
    assert!(measure.bytes > 0);
}

#[test]
fn explain_tells_inputs_difference_and_rejects() {
    let mut bench = Bench::new();
    bench.build();
    bench.set("measure", json!({"min_letters": 4}));
    let before = bench.workspace().explain("measure", "text/a", silent()).unwrap();
    let difference = vec![config_reason("min_letters", json!(1), json!(4))];
    assert_eq!(before.status, Status::Dirty { reasons: difference.clone() });
    assert_eq!((before.inputs.unwrap().config["min_letters"].clone(), before.result), (json!(4), None));
    bench.build();
    for name in ["text/a", "text/a/a", "a"] {
        let after = bench.workspace().explain("measure", name, silent()).unwrap();
        assert_eq!((after.status, &after.since_previous), (Status::Fresh, &difference));
        let dropped: Vec<_> = after.rejects.iter().map(|reject| (reject.record_id.as_str(), reject.value)).collect();
        assert_eq!(dropped, [("train.a/1.txt:0", Some(3.0)), ("train.a/1.txt:1", Some(3.0))]);
        assert!(after.folder.unwrap().join("lengths.parquet").exists());
    }
    let error = bench.workspace().explain("measure", "text/aa", silent()).unwrap_err();
    assert_eq!(error.to_string(), "find partition `text/aa` of stage measure; did you mean `text/a`?");
}

#[test]
fn a_name_that_several_partitions_have_is_no_unknown_one() {
    let bench = Bench::new();
    bench.write("train.north+x/1.txt", "one\n");
    bench.write("train.south+x/1.txt", "two\n");
    let explain = |name: &str| bench.workspace().explain("scan", name, silent());
    for name in ["text/x", "x"] {
        let error = explain(name).unwrap_err().to_string();
        let expected = "it may be text/north/x or text/south/x; give one of these";
        assert_eq!(error, format!("find partition `{name}` of stage scan: {expected}"));
    }
    assert!(explain("text/south/x").is_ok());
}

#[test]
fn the_event_log_has_a_line_per_event() {
    let bench = Bench::new();
    let report = bench.build();
    let text = fs::read_to_string(bench.path("runs").join(&report.run).join("events.jsonl")).unwrap();
    let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let count = |name: &str| events.iter().filter(|event| event["event"] == name).count();
    assert_eq!((count("run_started"), count("stage_started"), count("run_finished")), (1, 4, 1));
    assert_eq!((count("task_started"), count("task_done"), count("published")), (9, 9, 1));
    assert_eq!(events.last().unwrap()["outcome"], "done");
    assert!(events.iter().all(|event| event["unix_ms"].is_u64()));
    bench.build();
    assert_eq!(fs::read_dir(bench.path("runs")).unwrap().count(), 1, "a run that does nothing leaves no log");
}

#[test]
fn free_space_is_told() {
    let bench = Bench::new();
    assert!(uavgen_engine::space::free_bytes(&bench.path("")).unwrap() > 0);
}
