//! What becomes of annotations on their image (100x50 px unless said otherwise).

use super::harness::{Folder, Written, ingest, ingest_project, project, source, turned_jpeg};
use crate::ingest::{IngestConfig, UnreadableRows};
use uavgen_core::project::BoxesIn;
use uavgen_schemas::RegionKind;

/// Ingests three frames with these annotations.
fn sequence(annotations: &str) -> Written {
    sequence_with(annotations, &IngestConfig::default())
}

fn sequence_with(annotations: &str, config: &IngestConfig) -> Written {
    let folder = Folder::new();
    folder.sequence("sequences/uav0000001_00000_v", 3).write("annotations/uav0000001_00000_v.txt", annotations);
    ingest_project(&project(vec![source("visdrone-vid", folder.path())]), config)
}

const RECORDING: &str = "src/uav0000001_00000_v";
const FILE: &str = "annotations/uav0000001_00000_v.txt";

#[test]
fn a_row_becomes_a_box() {
    let written = sequence("2,7,10,20,30,5,1,4,1,2\n");
    let object = &written.boxes[0];
    assert_eq!(object.box_id, format!("{RECORDING}/2#7"));
    assert_eq!(object.frame_id, format!("{RECORDING}/2"));
    assert_eq!(object.track_id, Some(format!("{RECORDING}#7")));
    assert_eq!((object.x1, object.y1, object.x2, object.y2), (10.0, 20.0, 40.0, 25.0));
    assert_eq!((object.category.as_str(), object.clipped, object.ignored), ("car", false, false));
    assert_eq!((object.truncation, object.occlusion), (Some(1), Some(2)));
    assert!(written.rejects.is_empty());
}

#[test]
fn the_categories_are_those_of_visdrone() {
    let text: String = (1..=10).map(|category| format!("1,{category},0,0,5,5,1,{category},0,0\n")).collect();
    let names: Vec<String> = sequence(&text).boxes.into_iter().map(|object| object.category).collect();
    let expected =
        ["pedestrian", "people", "bicycle", "car", "van", "truck", "tricycle", "awning-tricycle", "bus", "motor"];
    assert_eq!(names, expected);
}

#[test]
fn category_0_is_an_area_and_11_is_no_object_class() {
    let written = sequence("1,31,0,0,20,20,0,0,0,0\n1,32,30,0,5,5,0,11,0,0\n1,33,40,0,5,5,1,0,0,0\n");
    assert!(written.boxes.is_empty() && written.tracks.is_empty());
    let found: Vec<_> = written.regions.iter().map(|region| (region.kind, region.track_id.clone())).collect();
    let track = |number| Some(format!("{RECORDING}#{number}"));
    use RegionKind::{Ignored, Others};
    assert_eq!(found, [(Ignored, track(31)), (Others, track(32)), (Ignored, track(33))]);
}

#[test]
fn score_0_of_a_class_is_ignored_and_counted() {
    let written = sequence("1,1,0,0,5,5,0,4,0,0\n");
    assert!(written.boxes[0].ignored);
    assert_eq!(written.note("boxes_ignored_by_source"), 1);
}

#[test]
fn boxes_over_the_edge_are_cut_or_flagged_or_dropped() {
    let cases = [
        ("-1,10,20,10", Some((0.0, 19.0, false)), None),
        ("81,10,20,10", Some((81.0, 100.0, false)), None),
        ("-1,10,1,10", None, Some("outside_image")),
        ("-5,10,20,10", Some((0.0, 15.0, true)), None),
        ("-10,10,20,10", Some((0.0, 10.0, true)), None),
        ("-11,10,20,10", None, Some("mostly_outside")),
        ("120,10,20,10", None, Some("outside_image")),
        ("100,10,20,10", None, Some("outside_image")),
        ("99,10,2,10", Some((99.0, 100.0, false)), None),
    ];
    for (place, expected, reason) in cases {
        let written = sequence(&format!("1,1,{place},1,4,0,0\n"));
        let found = written.boxes.first().map(|object| (object.x1, object.x2, object.clipped));
        assert_eq!(found, expected, "{place}");
        assert_eq!(written.rejects.first().map(|reject| reject.reason.as_str()), reason, "{place}");
    }
}

#[test]
fn what_is_visible_of_a_dropped_box_stays_unknown() {
    let written = sequence("1,1,-30,10,40,10,1,4,0,0\n1,1,0,0,5,5,0,0,0,0\n");
    let reject = &written.rejects[0];
    assert_eq!((reject.value, reject.limit), (Some(0.75), Some(0.5)));
    assert_eq!(reject.record_id, format!("{FILE}:1"));
    let region = written.regions.iter().find(|region| region.kind == RegionKind::UnknownObject).unwrap();
    assert_eq!((region.x1, region.y1, region.x2, region.y2), (0.0, 10.0, 10.0, 20.0));
    assert_eq!(region.track_id, Some(format!("{RECORDING}#1")));
    assert_eq!(written.regions.len(), 2, "an ignored region with the same target has an id of its own");
}

#[test]
fn boxes_without_area_exist_and_are_counted() {
    let written = sequence("1,1,10,10,4,0,1,4,0,0\n1,2,10,10,0,4,1,4,0,0\n1,3,10,10,0,0,1,4,0,0\n");
    assert_eq!((written.boxes.len(), written.note("zero_size_boxes"), written.rejects.len()), (3, 3, 0));
}

#[test]
fn a_line_without_a_category_marks_an_unknown_object() {
    let written = sequence("1,1,20,20,5,6,1,12,0,0\n1,2,0,0,5,5,1,4,0,0\n");
    assert_eq!(written.reasons(), [(format!("{FILE}:1").as_str(), "unknown_category")]);
    assert_eq!(written.rejects[0].value, Some(12.0));
    let region = &written.regions[0];
    assert_eq!((region.kind, region.x1, region.x2), (RegionKind::UnknownObject, 20.0, 25.0));
    assert!(written.frame(&format!("{RECORDING}/1")).labelled);
}

#[test]
fn of_a_line_without_a_category_only_what_is_visible_is_said_to_be_unknown() {
    for (place, regions) in [("20,20,5,6", 1), ("-2,20,5,6", 1), ("120,20,5,6", 0)] {
        let written = sequence(&format!("1,1,{place},1,12,0,0\n1,2,0,0,5,5,1,4,0,0\n"));
        assert_eq!(written.regions.len(), regions, "{place}");
        let detail = &written.rejects[0].detail;
        assert!(detail.ends_with("; what is visible of it counts as unknown"), "{place}: {detail}");
    }
}

#[test]
fn a_negative_size_is_rejected_and_leaves_its_frame_unknown() {
    let written = sequence("1,1,20,20,-5,6,1,4,0,0\n1,2,0,0,5,5,1,4,0,0\n2,2,0,0,5,5,1,4,0,0\n");
    assert_eq!(written.reasons(), [(format!("{FILE}:1").as_str(), "negative_size")]);
    assert_eq!(written.rejects[0].value, Some(-5.0));
    assert_eq!(written.rejects[0].detail, "box of -5 x 6 px; its frame is not labelled");
    assert_eq!(written.frames.iter().map(|frame| frame.labelled).collect::<Vec<_>>(), [false, true, true]);
}

#[test]
fn a_line_that_cannot_be_read_leaves_its_frame_unknown() {
    let text = "1,1,0,0,5,5,1,4,0,0\n2,1,0,0,five,5,1,4,0,0\n3,1,0,0,5,5,1,4,0,0\n";
    let written = sequence(text);
    assert_eq!(written.reasons(), [(format!("{FILE}:2").as_str(), "not_a_number")]);
    assert_eq!(written.frames.iter().map(|frame| frame.labelled).collect::<Vec<_>>(), [true, false, true]);
    assert_eq!(written.recordings[0].labelled_frame_count, 2);
    let ignore = IngestConfig { unreadable_rows: UnreadableRows::Ignore, ..IngestConfig::default() };
    assert!(sequence_with(text, &ignore).frames.iter().all(|frame| frame.labelled));
}

#[test]
fn a_row_that_repeats_another_is_rejected() {
    let written = sequence("1,1,0,0,5,5,1,4,0,0\n1,1,0,0,5,5,1,4,0,0\n2,1,0,0,5,5,1,4,0,0\n");
    assert_eq!((written.boxes.len(), written.regions.len()), (2, 0));
    assert_eq!(written.reasons(), [(format!("{FILE}:2").as_str(), "duplicate_row")]);
    assert_eq!(written.rejects[0].detail, "repeats line 1");
}

#[test]
fn rows_of_one_target_that_contradict_each_other_are_unknown_objects() {
    for second in ["1,1,9,0,5,5,1,4,0,0", "1,1,0,0,5,5,1,9,0,0", "1,1,0,0,5,5,0,4,0,0"] {
        let written = sequence(&format!("1,1,0,0,5,5,1,4,0,0\n{second}\n2,1,0,0,5,5,1,4,0,0\n"));
        let frames: Vec<&str> = written.boxes.iter().map(|object| object.frame_id.as_str()).collect();
        assert_eq!(frames, [format!("{RECORDING}/2")], "{second}");
        let details: Vec<&str> = written.rejects.iter().map(|reject| reject.detail.as_str()).collect();
        let expected = [2, 1].map(|line| format!("contradicts line {line}; what is visible of it counts as unknown"));
        assert_eq!(details, expected, "{second}");
        let regions: Vec<_> = written.regions.iter().map(|region| (region.kind, region.track_id.as_deref())).collect();
        assert_eq!(regions, [(RegionKind::UnknownObject, None); 2], "{second}");
    }
}

#[test]
fn no_ignored_area_is_lost_to_a_repeated_target() {
    let written = sequence("1,0,0,0,5,5,0,0,0,0\n1,0,50,0,5,5,0,0,0,0\n1,0,50,0,5,5,0,0,0,0\n");
    let ids: Vec<&str> = written.regions.iter().map(|region| region.region_id.rsplit('#').next().unwrap()).collect();
    assert_eq!(ids, ["0", "r2"]);
    assert_eq!(written.reasons(), [(format!("{FILE}:3").as_str(), "duplicate_row")]);
}

#[test]
fn rows_may_come_in_any_order() {
    let by_frame = "1,2,0,0,5,5,1,4,0,0\n1,10,9,0,5,5,1,4,0,0\n2,2,0,0,5,5,1,4,0,0\n2,10,9,0,5,5,1,4,0,0\n";
    let by_track = "1,10,9,0,5,5,1,4,0,0\n2,10,9,0,5,5,1,4,0,0\n1,2,0,0,5,5,1,4,0,0\n2,2,0,0,5,5,1,4,0,0\n";
    let written = sequence(by_frame);
    assert_eq!(written, sequence(by_track));
    let ids: Vec<&str> = written.boxes.iter().map(|object| object.box_id.rsplit('/').next().unwrap()).collect();
    assert_eq!(ids, ["1#2", "1#10", "2#2", "2#10"], "frames in order, targets by number");
}

#[test]
fn a_track_has_the_category_of_most_of_its_boxes() {
    let written = sequence("1,5,0,0,5,5,1,2,0,0\n2,5,0,0,5,5,1,1,0,0\n3,5,0,0,5,5,1,1,0,0\n");
    let track = &written.tracks[0];
    assert_eq!((track.category.as_str(), track.box_count, track.gap_count), ("pedestrian", 3, 0));
    assert_eq!(track.annotated_categories, ["pedestrian", "people"]);
    assert!(written.boxes.iter().all(|object| object.category == "pedestrian"));
    assert_eq!(written.boxes[0].annotated_category, "people");
    assert_eq!((written.note("tracks_with_several_categories"), written.note("boxes_renamed_by_their_track")), (1, 1));
}

#[test]
fn at_a_tie_the_first_category_wins_and_gaps_are_counted() {
    let written = sequence("1,5,0,0,5,5,1,2,0,0\n3,5,0,0,5,5,1,1,0,0\n");
    let track = &written.tracks[0];
    assert_eq!((track.category.as_str(), track.gap_count), ("people", 1));
    assert_eq!((track.first_source_number, track.last_source_number), (1, 3));
}

#[test]
fn rows_without_a_track_are_boxes_of_their_own() {
    let written = sequence("1,-1,0,0,5,5,1,4,0,0\n1,-1,9,0,5,5,1,4,0,0\n");
    let ids: Vec<&str> = written.boxes.iter().map(|object| object.box_id.rsplit('#').next().unwrap()).collect();
    assert_eq!((ids, written.tracks.len()), (vec!["r1", "r2"], 0));
}

#[test]
fn boxes_turn_with_the_picture_where_they_were_drawn_on_stored_pixels() {
    // A mark of 10x5 in the top-left corner of 40x30 stored pixels, by orientation: where the corner goes when shown.
    let expected = [
        (1, (0.0, 0.0, 10.0, 5.0)),
        (2, (30.0, 0.0, 40.0, 5.0)),
        (3, (30.0, 25.0, 40.0, 30.0)),
        (4, (0.0, 25.0, 10.0, 30.0)),
        (5, (0.0, 0.0, 5.0, 10.0)),
        (6, (25.0, 0.0, 30.0, 10.0)),
        (7, (25.0, 30.0, 30.0, 40.0)),
        (8, (0.0, 30.0, 5.0, 40.0)),
    ];
    for (orientation, (x1, y1, x2, y2)) in expected {
        let folder = Folder::new();
        folder.write("images/a.jpg", turned_jpeg(40, 30, orientation)).write("annotations/a.txt", "0,0,10,5,1,4,0,0\n");
        let stored = uavgen_core::SourceConfig { boxes_in: BoxesIn::Stored, ..source("visdrone-det", folder.path()) };
        let written = ingest(stored);
        let (frame, object) = (&written.frames[0], &written.boxes[0]);
        let size = if orientation >= 5 { (30, 40) } else { (40, 30) };
        assert_eq!((frame.width, frame.height), size, "orientation {orientation}");
        assert_eq!(frame.exif_orientation, i64::from(orientation));
        assert_eq!((object.x1, object.y1, object.x2, object.y2), (x1, y1, x2, y2), "orientation {orientation}");
        let displayed = ingest(source("visdrone-det", folder.path()));
        assert_eq!((displayed.boxes[0].x1, displayed.boxes[0].x2), (0.0, 10.0), "orientation {orientation}");
    }
}

#[test]
fn stills_are_recordings_of_their_own() {
    let folder = Folder::new();
    folder.write("images/0000002_1_d.jpg", super::harness::jpeg(100, 50));
    folder.write("annotations/0000002_1_d.txt", "1,2,3,4,1,4,0,0\n1,2,3,4,1,4,0,0\n1,2,3,4,1,5,0,0\n5,5,5,5,0,0,0,0\n");
    let written = ingest(source("visdrone-det", folder.path()));
    let ids: Vec<&str> = written.boxes.iter().map(|object| object.box_id.as_str()).collect();
    assert_eq!(ids, ["src/0000002_1_d#r1", "src/0000002_1_d#r3"]);
    assert_eq!(written.reasons(), [("annotations/0000002_1_d.txt:2", "duplicate_row")]);
    assert_eq!(written.regions[0].region_id, "src/0000002_1_d#r4");
    assert_eq!(written.recordings[0].group_id, "visdrone:0000002");
    assert_eq!(written.frames[0].frame_id, written.recordings[0].recording_id);
    let with_rate = uavgen_core::SourceConfig { fps: Some(30.0), ..source("visdrone-det", folder.path()) };
    assert_eq!(ingest(with_rate).recordings[0].source_fps, None, "an image has no rate");
    assert!(written.boxes.iter().all(|object| object.track_id.is_none()));
}
