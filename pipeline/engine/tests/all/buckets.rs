//! Tasks on buckets: some of the sequences of a split.

use crate::bench::{Bench, ran, words};
use crate::toy;
use serde_json::json;
use std::fs;
use uavgen_core::Partition;
use uavgen_core::store::TableReader;

fn bench_of(sequences: usize) -> Bench {
    let mut bench = Bench::new();
    bench.registry = toy::STAGES_WITH_BUCKETS;
    (0..sequences).for_each(|number| bench.write(&format!("test.s{number}/1.txt"), "a\nbb\n"));
    bench
}

fn bucket(sequence: &str, of: u32) -> Partition {
    let (source, name, split) = ("text".into(), sequence.to_owned(), "test".to_owned());
    Partition::Sequence { source, scene: name.clone(), sequence: name, split }.bucket(of).unwrap()
}

#[test]
fn every_sequence_is_in_one_bucket_and_nothing_is_lost_on_the_way_up() {
    let bench = bench_of(9);
    bench.build();
    let plan = bench.plan();
    let buckets: Vec<&Partition> = plan.stage("sort").unwrap().tasks.iter().map(|task| &task.partition).collect();
    let weighed: Vec<&Partition> = plan.stage("weigh").unwrap().tasks.iter().map(|task| &task.partition).collect();
    assert_eq!(buckets, weighed);
    // Train has two sequences and val one, so these may be in one bucket; nine are in two.
    assert_eq!(buckets.iter().filter(|bucket| bucket.split() == Some("test")).count(), 2);
    let table = bench.find("add/_split/test", "bundles.parquet");
    assert_eq!(TableReader::<toy::Bundle>::open(&table).unwrap().rows().unwrap()[0].rows, 18);
}

#[test]
fn one_more_sequence_changes_only_its_own_bucket() {
    let bench = bench_of(9);
    bench.build();
    let before = bench.plan().stage("sort").unwrap().tasks.len();
    bench.write("test.new/1.txt", "a\n");
    let report = bench.build();
    assert_eq!((ran(&report, "sort").0, ran(&report, "weigh").0, ran(&report, "add").0), (1, 1, 1));
    let other = (0..9).map(|number| format!("s{number}")).find(|name| bucket(name, 2) != bucket("new", 2)).unwrap();
    fs::remove_dir_all(bench.path(&format!("source/test.{other}"))).unwrap();
    let report = bench.build();
    assert_eq!((ran(&report, "sort").0, ran(&report, "weigh").0), (1, 1));
    assert_eq!(bench.plan().stage("sort").unwrap().tasks.len(), before);
}

#[test]
fn another_number_of_buckets_makes_others_and_a_split_may_have_its_own() {
    let mut bench = bench_of(9);
    bench.build();
    bench.set("sort", json!({"split": {"test": {"buckets": 1}}}));
    let plan = bench.plan();
    let tests = |plan: &uavgen_engine::Plan| {
        plan.stage("sort").unwrap().tasks.iter().filter(|task| task.partition.split() == Some("test")).count()
    };
    assert_eq!(tests(&plan), 1);
    bench.build();
    assert!(words(&bench.plan()).iter().all(|line| line.contains("fresh") && !line.contains("dirty")));
}
