//! Hand-made tables with answers worked out by hand.

use crate::*;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use uavgen_core::store::{TableOptions, TableWriter};
use uavgen_schemas::{
    AnswerSource, AnswerType, Box2d, Frame, ImageBytes, QaItem, QaRow, Record, ReviewStatus, Track, canonical,
};

fn write<R: Record>(folder: &Path, name: &str, rows: Vec<R>) -> PathBuf {
    let path = folder.join(name);
    let mut writer = TableWriter::<R>::create(&path, TableOptions::default()).unwrap();
    rows.into_iter().for_each(|row| writer.push(&row).unwrap());
    writer.finish().unwrap();
    path
}

fn item(id: &str, task: &str, question: &str, answer: &str) -> QaItem {
    QaItem {
        id: id.into(),
        suite: "aerial2d".into(),
        task: task.into(),
        capability: "counting".into(),
        split: "train".into(),
        question: question.into(),
        options: vec!["1".into(), "2".into()],
        options_json: "[]".into(),
        answer: answer.into(),
        answer_indices: vec![1],
        answer_type: AnswerType::Int,
        answer_json: "{}".into(),
        answer_source: AnswerSource::Computed,
        review_status: ReviewStatus::Approved,
        program: "{}".into(),
        facts: "{}".into(),
        video: None,
        clip_id: None,
        frame_ids: vec!["s/a/1".into(), "s/a/2".into()],
        recording_ids: vec!["s/a".into()],
        group_id: "a".into(),
        boxes: Vec::new(),
        provenance: "{}".into(),
        licence: "unstated".into(),
    }
}

fn track(number: i64, category: &str, box_count: i64) -> Track {
    Track {
        track_id: format!("s/a#{number}"),
        recording_id: "s/a".into(),
        category: category.into(),
        annotated_categories: vec![category.into()],
        first_source_number: 1,
        last_source_number: 1,
        box_count,
        gap_count: 0,
    }
}

fn frame(id: &str, labelled: bool) -> Frame {
    Frame {
        frame_id: id.into(),
        recording_id: "s/a".into(),
        group_id: "a".into(),
        split: "train".into(),
        index: 0,
        source_number: 1,
        file: "1.jpg".into(),
        width: 100,
        height: 50,
        format: "jpeg".into(),
        pixel_layout: "rgb".into(),
        exif_orientation: 1,
        digest: String::new(),
        byte_count: 1,
        timestamp_us: None,
        labelled,
    }
}

fn square(frame_id: &str, number: i64, x1: f64, y1: f64, side: f64) -> Box2d {
    Box2d {
        box_id: format!("{frame_id}#{number}"),
        frame_id: frame_id.into(),
        recording_id: "s/a".into(),
        track_id: None,
        category: "car".into(),
        annotated_category: "car".into(),
        x1,
        y1,
        x2: x1 + side,
        y2: y1 + side,
        clipped: false,
        ignored: false,
        truncation: None,
        occlusion: None,
    }
}

#[test]
fn counts_are_per_combination_and_sorted_over_all_files() {
    let folder = TempDir::new().unwrap();
    let paths = [
        write(folder.path(), "a", vec![track(1, "car", 5), track(2, "bus", 5)]),
        write(folder.path(), "b", vec![track(3, "car", 7), track(4, "car", 5)]),
        write::<Track>(folder.path(), "empty", vec![]),
    ];
    let counts = counts_by(&paths, &["category", "box_count"]).unwrap();
    let expected = [(["bus", "5"], 1), (["car", "5"], 2), (["car", "7"], 1)];
    let found: Vec<_> = counts.iter().map(|(key, count)| ([key[0].as_str(), key[1].as_str()], *count)).collect();
    assert_eq!(found, expected);
    assert!(counts_by(&[], &["category"]).unwrap().is_empty());
}

#[test]
fn numbers_are_told_by_group_over_all_files() {
    let folder = TempDir::new().unwrap();
    let paths = [
        write(folder.path(), "a", vec![track(1, "car", 5), track(2, "bus", 9), track(3, "car", 1)]),
        write(folder.path(), "b", vec![track(4, "car", 8), track(5, "car", 7)]),
    ];
    let found = statistics_by(&paths, &["category"], "box_count").unwrap();
    let cars = Statistics { rows: 4, min: Some(1.0), median: Some(6.0), max: Some(8.0) };
    let buses = Statistics { rows: 1, min: Some(9.0), median: Some(9.0), max: Some(9.0) };
    assert_eq!(found, [(vec!["bus".to_owned()], buses), (vec!["car".to_owned()], cars)].into());
    assert!(statistics_by(&[], &["category"], "box_count").unwrap().is_empty());
    assert!(statistics_by(&paths, &["category"], "colour").unwrap_err().to_string().contains("colour"));
    // Numbers that nobody knows are rows all the same.
    let with = |timestamp_us| Frame { timestamp_us, ..frame("s/a/1", true) };
    let paths = [write(folder.path(), "c", vec![with(None), with(Some(30))])];
    let known = Statistics { rows: 2, min: Some(30.0), median: Some(30.0), max: Some(30.0) };
    assert_eq!(statistics_by(&paths, &["split"], "timestamp_us").unwrap().into_values().collect::<Vec<_>>(), [known]);
}

#[test]
fn list_columns_are_joined_and_enums_are_their_texts() {
    let folder = TempDir::new().unwrap();
    let mut several = item("b", "t", "q", "a");
    several.answer_indices = vec![0, 2];
    let paths = [write(folder.path(), "a", vec![item("a", "t", "q", "a"), several])];
    let counts = counts_by(&paths, &["answer_indices", "answer_source"]).unwrap();
    let keys: Vec<_> = counts.into_keys().collect();
    assert_eq!(keys, [[format!("0{LIST_SEPARATOR}2"), "computed".into()], ["1".into(), "computed".into()]]);
}

#[test]
fn rows_with_images_are_counted_without_their_images() {
    let folder = TempDir::new().unwrap();
    let mut row = serde_json::to_value(item("a", "counting", "q", "a")).unwrap();
    row["images"] = serde_json::to_value(vec![ImageBytes { bytes: vec![0xff; 10], path: "a.jpg".into() }]).unwrap();
    assert!(canonical::of(&row).is_ok());
    let row: QaRow = serde_json::from_value(row).unwrap();
    let paths = [write(folder.path(), "a", vec![row])];
    assert_eq!(counts_by(&paths, &["task"]).unwrap(), [(vec!["counting".to_owned()], 1)].into());
}

#[test]
fn a_missing_column_is_an_error_that_names_the_file() {
    let folder = TempDir::new().unwrap();
    let paths = [write(folder.path(), "a", vec![track(1, "car", 1)])];
    let error = counts_by(&paths, &["colour"]).unwrap_err().to_string();
    assert!(error.contains("colour") && error.contains("counts_by"), "{error}");
}

#[test]
fn each_group_keeps_its_limit_and_small_groups_keep_all() {
    let folder = TempDir::new().unwrap();
    let rows =
        |from: i64, to: i64, task: &str| (from..to).map(|n| item(&format!("{task}{n:03}"), task, "q", "a")).collect();
    let paths =
        [write::<QaItem>(folder.path(), "a", rows(0, 50, "many")), write(folder.path(), "b", rows(0, 3, "few"))];
    let kept = keep_lowest_rank(&paths, "id", &["task"], 1, 10).unwrap();
    assert_eq!(kept.iter().filter(|id| id.starts_with("many")).count(), 10);
    assert_eq!(kept.iter().filter(|id| id.starts_with("few")).count(), 3);
    let swapped = [paths[1].clone(), paths[0].clone()];
    assert_eq!(kept, keep_lowest_rank(&swapped, "id", &["task"], 1, 10).unwrap(), "order of files");
    assert_ne!(kept, keep_lowest_rank(&paths, "id", &["task"], 2, 10).unwrap(), "salt");
}

#[test]
fn added_rows_only_push_rows_out() {
    let folder = TempDir::new().unwrap();
    let rows = |from: i64, to: i64| (from..to).map(|n| item(&format!("{n:03}"), "t", "q", "a")).collect::<Vec<_>>();
    let old = [write(folder.path(), "a", rows(0, 100))];
    let new = [old[0].clone(), write(folder.path(), "b", rows(100, 120))];
    let before = keep_lowest_rank(&old, "id", &["task"], 1, 50).unwrap();
    let after = keep_lowest_rank(&new, "id", &["task"], 1, 50).unwrap();
    let joined = after.iter().filter(|id| !before.contains(*id)).count();
    assert!(after.iter().all(|id| before.contains(id) || id.as_str() >= "100"), "an old row came back");
    assert!((1..20).contains(&joined), "{joined} of 20 new rows joined");
}

#[test]
fn boxes_are_measured_on_their_frames() {
    let folder = TempDir::new().unwrap();
    let frames = vec![frame("s/a/1", true), frame("s/a/2", true), frame("s/a/3", false)];
    // Frame 1 (100 x 50): a box of side 10 in the top-left cell, one of side 20 in the bottom-right one.
    let boxes = vec![square("s/a/1", 1, 0.0, 0.0, 10.0), square("s/a/1", 2, 75.0, 25.0, 20.0)];
    let scene =
        ScenePaths { frames: write(folder.path(), "frames", frames), boxes: write(folder.path(), "boxes", boxes) };
    let scenes = [scene];
    assert_eq!(box_sides(&scenes, &[8.0, 16.0, 32.0]).unwrap(), [1, 1]);
    assert_eq!(boxes_per_frame(&scenes, &[0.0, 1.0, 2.0, 3.0]).unwrap(), [1, 0, 1], "the unlabelled frame is unknown");
    assert_eq!(centre_grid(&scenes, 2, 2).unwrap(), [[1, 0], [0, 1]]);
    // Values outside the edges go to the first and the last bin.
    assert_eq!(box_sides(&scenes, &[12.0, 15.0, 16.0]).unwrap(), [1, 1]);
    assert!(matches!(box_sides(&scenes, &[2.0, 2.0]), Err(TableError::Argument { .. })));
}

#[test]
fn names_with_glob_characters_are_names() {
    let folder = TempDir::new().unwrap();
    let paths = [write(folder.path(), "a[1]*.parquet", vec![track(1, "car", 1)])];
    assert_eq!(counts_by(&paths, &["category"]).unwrap().len(), 1);
}
