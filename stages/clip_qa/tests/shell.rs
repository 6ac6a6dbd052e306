//! The shell: tables of several partitions in, one table out.

use super::films::Film;
use crate::clip_qa::STAGE;
use crate::clip_qa::config::ClipQaConfig;
use crate::testing::{Bench, Outcome};
use serde_json::json;
use std::collections::BTreeSet;
use uavgen_core::{Partition, Stage, TaskError};
use uavgen_schemas::{
    Clip, ClipFrame, ClipKind, ClipPool, ClipQaItem, ClipSegment, QaItem, StitchedClip, StitchedFrame, StitchedSegment,
};

fn film() -> Film {
    Film::new("vid", &[10, 10, 10])
        .row(0, 0..10, "car", 1, 2)
        .row(1, 0..10, "car", 1, 5)
        .row(2, 0..10, "car", 1, 9)
        .with(1, 5..10, "bus", 50, [120.0, 50.0, 140.0, 60.0])
        .with(2, 5..10, "truck", 60, [10.0, 50.0, 30.0, 60.0])
}

/// The segments and frames of a clip that shows all frames of some places.
fn plan(film: &Film, clip_id: &str) -> (Vec<ClipSegment>, Vec<ClipFrame>) {
    let (mut segments, mut frames) = (Vec::new(), Vec::new());
    for (position, place) in (0..).zip(&film.places) {
        segments.push(ClipSegment {
            segment_id: format!("{clip_id}/{position}"),
            clip_id: clip_id.into(),
            position,
            source_position: position,
            first_frame: frames.len() as i64,
            frame_count: place.frames.len() as i64,
            member_clip_id: Some(format!("member {position}")),
            recording_id: place.recording.recording_id.clone(),
            video_id: format!("video {position}"),
            video_first_frame: 0,
            overlap_frames: 0,
            encoded_again: 0,
            picture_x1: 0,
            picture_y1: 0,
            picture_x2: 160,
            picture_y2: 120,
        });
        for frame in &place.frames {
            let clip_frame = frames.len() as i64;
            frames.push(ClipFrame {
                entry_id: format!("{clip_id}/{clip_frame:06}"),
                clip_id: clip_id.into(),
                clip_frame,
                pts: clip_frame,
                timescale: 5,
                segment: position,
                frame_id: frame.frame_id.clone(),
                source_number: frame.source_number,
            });
        }
    }
    (segments, frames)
}

/// What upstream stages would have written about a film; `change` may break it.
fn bench(film: &Film, change: impl Fn(&mut Vec<ClipFrame>)) -> Bench {
    bench_of(film, &[(ClipKind::Long, "long")], change)
}

/// The same, where the last place has these clips of its own, all of one file.
fn bench_of(film: &Film, alone: &[(ClipKind, &str)], change: impl Fn(&mut Vec<ClipFrame>)) -> Bench {
    let mut bench = Bench::new("clip_qa", "train");
    for (number, place) in film.places.iter().enumerate() {
        let partition = bench.sequence("vid", &number.to_string());
        bench.table(&partition, vec![place.recording.clone()]);
        bench.table(&partition, place.frames.clone());
        bench.table(&partition, place.boxes.clone());
        bench.table(&partition, place.regions.clone());
        bench.table(&partition, place.selections.clone());
        let own = if number + 1 == film.places.len() { alone } else { &[] };
        let of_kind = |kind| Film { places: vec![place.clone()], kind, ..film.clone() };
        let clip = |&(kind, name): &(ClipKind, &str)| Clip {
            clip_id: name.into(),
            path: "videos/last.mp4".into(),
            pool: (kind == ClipKind::Single).then_some(ClipPool::Sample),
            ..of_kind(kind).clip()
        };
        bench.table(&partition, own.iter().map(clip).collect::<Vec<_>>());
        bench.table(&partition, own.iter().flat_map(|&(kind, name)| plan(&of_kind(kind), name).1).collect::<Vec<_>>());
    }
    let bucket = Partition::Bucket { split: "train".into(), bucket: 0, of: 1 };
    let (segments, mut frames) = plan(film, "vid");
    change(&mut frames);
    // Rows come in any order.
    bench.table(&bucket, vec![StitchedClip(film.clip())]);
    bench.table(&bucket, segments.into_iter().rev().map(StitchedSegment).collect());
    bench.table(&bucket, frames.into_iter().rev().map(StitchedFrame).collect());
    bench
}

fn run(bench: &Bench, section: serde_json::Value) -> Result<Outcome, TaskError> {
    bench.try_run(|context| STAGE.configure(&section).unwrap().run(context))
}

#[test]
fn clips_are_asked_about_with_the_records_of_all_their_recordings() {
    let film = film();
    let outcome = run(&bench(&film, |_| ()), json!({})).unwrap();
    let items: Vec<QaItem> = outcome.rows::<ClipQaItem>().into_iter().map(QaItem::from).collect();
    let joined: Vec<&QaItem> = items.iter().filter(|item| item.clip_id.as_deref() == Some("vid")).collect();
    let expected = film.ask(&ClipQaConfig::default()).items;
    let ids = |items: Vec<&QaItem>| items.into_iter().map(|item| item.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(joined), ids(expected.iter().collect()));
    assert!(expected.len() >= 4, "{expected:?}");
    let order = |item: &QaItem| (item.clip_id.clone(), item.task.clone(), item.id.clone());
    assert!(items.is_sorted_by_key(order));
    let tasks: BTreeSet<&str> = items.iter().map(|item| item.task.as_str()).collect();
    assert!(tasks.contains("clip_order") && tasks.contains("clip_presence"), "{tasks:?}");
}

/// The last place shows the same kinds in another order in the lower half of the picture.
fn film_of_two_orders() -> Film {
    film()
        .with(2, 8..10, "bus", 70, [60.0, 65.0, 80.0, 75.0])
        .with(2, 7..10, "car", 71, [120.0, 90.0, 130.0, 98.0])
        .with(2, 9..10, "truck", 72, [100.0, 80.0, 110.0, 90.0])
}

/// Kinds may come within a frame of each other.
fn close_together() -> serde_json::Value {
    let mut section = serde_json::to_value(ClipQaConfig::default()).unwrap();
    section["margins"]["seconds"] = json!(0.2);
    section
}

#[test]
fn a_long_clip_is_asked_about_too() {
    let film = film_of_two_orders();
    let outcome = run(&bench(&film, |_| ()), close_together()).unwrap();
    let items = outcome.rows::<ClipQaItem>();
    let long: Vec<&QaItem> =
        items.iter().map(|item| &item.0).filter(|item| item.clip_id.as_deref() == Some("long")).collect();
    assert!(!long.is_empty());
    for item in &long {
        let lower = item.question.contains("bottom") || item.question.contains("lower");
        let order = if lower { "car, then bus, then truck" } else { "car, then truck, then bus" };
        assert_eq!(item.answer, order, "{}", item.question);
    }
    assert!(long.iter().all(|item| item.recording_ids == ["vid/2"] && item.group_id == "vid/2"));
}

#[test]
fn a_file_that_is_two_clips_is_asked_about_once() {
    let film = film_of_two_orders();
    let both = [(ClipKind::Long, "a long one"), (ClipKind::Single, "single")];
    let items = run(&bench_of(&film, &both, |_| ()), close_together()).unwrap().rows::<ClipQaItem>();
    let asked: BTreeSet<&str> = items.iter().filter_map(|item| item.0.clip_id.as_deref()).collect();
    assert_eq!(asked, BTreeSet::from(["single", "vid"]));
}

#[test]
fn a_clip_whose_records_are_not_there_is_left_out_by_name() {
    let outcome = run(&bench(&film(), |frames| frames[3].frame_id = "vid/0/99".into()), json!({})).unwrap();
    let rejects = outcome.rejects();
    let broken: Vec<_> = rejects.iter().filter(|reject| reject.reason == "inconsistent_records").collect();
    assert_eq!(broken.len(), 1);
    assert_eq!(broken[0].record_id, "vid");
    assert!(broken[0].detail.contains("vid/0/99"), "{}", broken[0].detail);
    assert!(outcome.rows::<ClipQaItem>().iter().all(|item| item.0.clip_id.as_deref() != Some("vid")));
}

#[test]
fn a_frame_that_comes_twice_is_told() {
    let outcome = run(&bench(&film(), |frames| frames[3].frame_id = frames[2].frame_id.clone()), json!({})).unwrap();
    assert!(outcome.rejects().iter().any(|reject| reject.reason == "inconsistent_records"));
}

#[test]
fn a_suite_without_rules_is_told() {
    let error = run(&bench(&film(), |_| ()), json!({"suite": "aerial3d"})).unwrap_err().to_string();
    assert!(error.contains("[filter.suites.aerial3d]"), "{error}");
}
