//! Hand-made frames with the selection that each rule gives.

use super::config::{FilterConfig, SuiteRules};
use super::pure::{Annotations, select};
use serde_json::json;
use uavgen_core::Stage;
use uavgen_schemas::{Box2d, Frame, Region, RegionKind, Reject, Selection};

fn frame(labelled: bool) -> Frame {
    Frame {
        frame_id: "s/1".into(),
        recording_id: "s".into(),
        group_id: "g".into(),
        split: "train".into(),
        index: 0,
        source_number: 1,
        file: "1.jpg".into(),
        width: 200,
        height: 100,
        format: "jpeg".into(),
        pixel_layout: "rgb".into(),
        exif_orientation: 1,
        digest: String::new(),
        byte_count: 1,
        timestamp_us: None,
        labelled,
    }
}

fn object(number: u32, category: &str, [x1, y1, x2, y2]: [f64; 4]) -> Box2d {
    Box2d {
        box_id: format!("s/1#{number}"),
        frame_id: "s/1".into(),
        recording_id: "s".into(),
        track_id: None,
        category: category.into(),
        annotated_category: category.into(),
        x1,
        y1,
        x2,
        y2,
        clipped: false,
        ignored: false,
        truncation: None,
        occlusion: None,
    }
}

fn area(number: u32, kind: RegionKind, [x1, y1, x2, y2]: [f64; 4]) -> Region {
    Region {
        region_id: format!("s/1#{number}"),
        frame_id: "s/1".into(),
        recording_id: "s".into(),
        kind,
        track_id: None,
        x1,
        y1,
        x2,
        y2,
    }
}

fn run(rules: &SuiteRules, boxes: &[Box2d], regions: &[Region]) -> (Selection, Vec<Reject>) {
    select("aerial2d", rules, &frame(true), &Annotations::new(boxes, regions))
}

/// Reason, value and limit of every reject.
fn rejected(rejects: &[Reject]) -> Vec<(&str, Option<f64>, Option<f64>)> {
    rejects.iter().map(|reject| (reject.reason.as_str(), reject.value, reject.limit)).collect()
}

#[test]
fn sixty_four_square_pixels_stay_and_sixty_three_are_unknown() {
    let boxes = [object(1, "car", [0.0, 0.0, 8.0, 8.0]), object(2, "car", [0.0, 0.0, 9.0, 7.0])];
    let (selection, rejects) = run(&SuiteRules::default(), &boxes, &[]);
    assert_eq!(selection.kept, ["s/1#1"]);
    assert_eq!(selection.unknown[0].box_id, "s/1#2");
    assert_eq!(selection.unknown[0].reason, "too_small");
    assert_eq!(rejected(&rejects), [("too_small", Some(63.0), Some(64.0))]);
    assert!(selection.usable);
}

#[test]
fn a_line_is_zero_size_even_where_no_area_is_asked_for() {
    let rules = SuiteRules { min_area_px2: 0.0, ..SuiteRules::default() };
    let boxes = [object(1, "bus", [5.0, 5.0, 5.0, 50.0]), object(2, "bus", [5.0, 5.0, 6.0, 6.0])];
    let (selection, rejects) = run(&rules, &boxes, &[]);
    assert_eq!(selection.kept, ["s/1#2"]);
    assert_eq!(rejected(&rejects), [("zero_size", Some(0.0), Some(0.0))]);
}

#[test]
fn overlapping_ignored_regions_count_once() {
    // 0 to 10 of 20 is covered by the union; summed areas would give 0.8.
    let regions =
        [area(1, RegionKind::Ignored, [0.0, 0.0, 8.0, 20.0]), area(2, RegionKind::Ignored, [2.0, 0.0, 9.0, 20.0])];
    let boxes = [object(3, "car", [0.0, 0.0, 20.0, 20.0])];
    let (selection, _) = run(&SuiteRules::default(), &boxes, &regions);
    assert_eq!(selection.kept, ["s/1#3"]);
    let half =
        [area(1, RegionKind::Ignored, [0.0, 0.0, 8.0, 20.0]), area(2, RegionKind::Ignored, [2.0, 0.0, 10.0, 20.0])];
    let (selection, rejects) = run(&SuiteRules::default(), &boxes, &half);
    assert_eq!(rejected(&rejects), [("in_ignored_region", Some(0.5), Some(0.5))]);
    assert!(selection.kept.is_empty());
}

#[test]
fn an_object_of_no_category_does_not_cover() {
    let boxes = [object(1, "car", [0.0, 0.0, 20.0, 20.0])];
    let (selection, rejects) =
        run(&SuiteRules::default(), &boxes, &[area(2, RegionKind::Others, [0.0, 0.0, 20.0, 20.0])]);
    assert_eq!((selection.kept.len(), rejects.len()), (1, 0));
}

#[test]
fn what_the_source_ignores_is_unknown_and_may_be_what_it_is_mixed_up_with() {
    let mut car = object(1, "car", [0.0, 0.0, 20.0, 20.0]);
    car.ignored = true;
    let mut flips = object(2, "bus", [0.0, 0.0, 2.0, 2.0]);
    flips.annotated_category = "pedestrian".into();
    let (selection, rejects) = run(&SuiteRules::default(), &[flips, car], &[]);
    assert_eq!(rejected(&rejects), [("ignored_by_source", None, None), ("too_small", Some(4.0), Some(64.0))]);
    assert_eq!(selection.unknown[0].may_be, ["car", "van"]);
    assert_eq!(selection.unknown[1].may_be, ["bus", "pedestrian", "people"]);
}

#[test]
fn few_objects_matter_only_to_suites_that_ask() {
    let boxes = [object(1, "car", [0.0, 0.0, 20.0, 20.0]), object(2, "car", [0.0, 0.0, 1.0, 1.0])];
    let (selection, rejects) = run(&SuiteRules { min_objects: 3, ..SuiteRules::default() }, &boxes, &[]);
    assert!(!selection.usable);
    assert_eq!(selection.reason.as_deref(), Some("too_few_objects"));
    assert_eq!(rejected(&rejects)[1], ("too_few_objects", Some(1.0), Some(3.0)));
    assert_eq!(rejects[1].record_id, "aerial2d:s/1");
    let (selection, _) = run(&SuiteRules::default(), &boxes, &[]);
    assert!(selection.usable);
}

#[test]
fn a_frame_without_labels_is_unknown_and_not_empty() {
    let (selection, rejects) = select("aerial2d", &SuiteRules::default(), &frame(false), &Annotations::default());
    assert!(!selection.usable);
    assert_eq!(selection.reason.as_deref(), Some("unlabelled"));
    assert_eq!(rejects[0].reason, "unlabelled");
    let (empty, rejects) = run(&SuiteRules::default(), &[], &[]);
    assert!(empty.usable && rejects.is_empty());
}

#[test]
fn every_box_is_kept_or_unknown_exactly_once() {
    let boxes: Vec<Box2d> =
        (0..40).map(|n| object(n, "car", [0.0, 0.0, f64::from(n), f64::from(n % 7) + 3.0])).collect();
    let regions = [area(99, RegionKind::Ignored, [0.0, 0.0, 10.0, 4.0])];
    let (selection, rejects) = run(&SuiteRules::default(), &boxes, &regions);
    let unknown = selection.unknown.iter().map(|unknown| unknown.box_id.clone());
    let mut ids: Vec<String> = selection.kept.iter().cloned().chain(unknown).collect();
    ids.sort();
    let mut expected: Vec<String> = boxes.iter().map(|object| object.box_id.clone()).collect();
    expected.sort();
    assert_eq!(ids, expected);
    assert_eq!(rejects.len(), selection.unknown.len());
    assert!(selection.kept.is_sorted() && selection.unknown.is_sorted_by_key(|unknown| &unknown.box_id));
}

#[test]
fn config_has_defaults_and_refuses_what_has_no_meaning() {
    let configured = super::STAGE.configure(&json!({"suites": {"refdrone": {"min_objects": 3}}})).unwrap();
    let expected =
        json!({"suites": {"refdrone": {"min_area_px2": 64.0, "min_objects": 3, "ignored_region_share": 0.5}}});
    assert_eq!(configured.config(), &expected);
    let refused = |section| super::STAGE.configure(&section).err().map(|error| error.path.join("."));
    let share = json!({"suites": {"a": {"ignored_region_share": 0.0}}});
    assert_eq!(refused(share).as_deref(), Some("suites.a.ignored_region_share"));
    let area = json!({"suites": {"a": {"min_area_px2": -1.0}}});
    assert_eq!(refused(area).as_deref(), Some("suites.a.min_area_px2"));
    assert_eq!(refused(json!({"suites": {"a:b": {}}})).as_deref(), Some("suites.a:b"));
    assert_eq!(FilterConfig::default().suites.keys().collect::<Vec<_>>(), ["aerial2d"]);
}
