//! Scene tables: references, splits, groups, and what edits of them do to the answers.

use crate::release::{Tables, audit_with, codes, expect};
use uavgen_schemas::{RecordingKind, Telemetry};

#[test]
fn one_edited_box_changes_the_answer_that_is_computed_from_it() {
    let report = expect(&["program_answer", "box_mismatch"], |tables| tables.object("vid/a/3#2").x2 -= 3.0);
    let wrong = &report.faults[0];
    assert_eq!((wrong.count, wrong.first[0].row.as_deref()), (1, Some("id-grounding")));
    assert!(wrong.first[0].problem.contains("0.703125"), "{}", wrong.first[0].problem);
}

#[test]
fn an_object_more_changes_counts() {
    let report = audit_with(|tables| {
        let (split, mut twin) = tables.boxes[0].clone();
        (twin.box_id, twin.track_id) = ("vid/a/1#8".into(), None);
        (twin.x1, twin.x2) = (40.0, 56.0);
        tables.boxes.push((split, twin));
        tables.selection("vid/a/1").kept.push("vid/a/1#8".into());
    });
    // The temporal question counts tracks, and the new object has none.
    assert_eq!(codes(&report), ["program_answer", "program_refused"]);
}

#[test]
fn an_object_that_the_selection_no_longer_keeps_is_found() {
    let report = expect(&["scene_invalid", "program_answer"], |tables| _ = tables.selection("vid/a/1").kept.pop());
    assert_eq!(report.faults[1].count, 2, "the count and the temporal question");
}

#[test]
fn an_object_that_became_unknown_makes_its_programs_refuse() {
    // The question which kind there is most of keeps its answer, and still shows the object.
    let report = expect(&["program_refused", "box_mismatch"], |tables| {
        let selection = tables.selection("det/b");
        let box_id = selection.kept.remove(3);
        let may_be = vec!["bus".to_owned(), "truck".to_owned()];
        selection.unknown.push(uavgen_schemas::UnknownBox { box_id, reason: "too_small".into(), may_be });
    });
    assert!(report.faults[0].first[0].problem.contains("touches_unknown"), "{}", report.faults[0].first[0].problem);
}

#[test]
fn a_frame_that_the_suite_may_not_ask_about_is_found() {
    expect(&["frame_unusable"], |tables| tables.selection("vid/a/1").usable = false);
}

#[test]
fn references_to_nothing_are_found() {
    expect(&["dangling_reference", "scene_counts"], |tables| {
        tables.frames.retain(|(_, frame)| frame.frame_id != "vid/a/1");
    });
    expect(&["dangling_reference"], |tables| tables.recordings.retain(|(split, _)| split != "val"));
    expect(&["dangling_reference"], |tables| _ = tables.tracks.pop());
    expect(&["dangling_reference"], |tables| tables.selections.retain(|(split, _)| split != "val"));
    expect(&["dangling_reference"], |tables| tables.regions[0].1.frame_id = "vid/a/9".into());
    expect(&["dangling_reference"], |tables| tables.regions[0].1.track_id = Some("vid/b#9".into()));
    let own = audit_with(|tables| tables.regions[0].1.track_id = Some("vid/a#9".into()));
    assert!(own.passed, "an area may have a track of its own: {}", own.render());
    expect(&["dangling_reference"], |tables| tables.item("count").video = Some("videos/none.mp4".into()));
    expect(&["dangling_reference"], |tables| tables.item("temporal").recording_ids.clear());
}

/// The recording with the video, as if from a video file that was filmed at this rate.
fn film(tables: &mut Tables, fps: f64) {
    for (number, (_, frame)) in (0..).zip(tables.frames.iter_mut().filter(|(_, frame)| frame.recording_id == "vid/a")) {
        frame.timestamp_us = Some(number * 66_667);
        frame.format = uavgen_schemas::Frame::VIDEO_FORMAT.into();
    }
    tables.recordings[0].1.source_fps = Some(fps);
    tables.videos[0].1.source_fps = Some(fps);
}

#[test]
fn times_that_do_not_increase_and_false_rates_are_found() {
    let whole = audit_with(|tables| film(tables, 15.0));
    assert!(whole.passed, "{}", whole.render());
    expect(&["video_mismatch"], |tables| film(tables, 30.0));
    for time in [None, Some(0), Some(-5)] {
        let report = expect(&["frame_order"], |tables| {
            film(tables, 15.0);
            tables.frames[1].1.timestamp_us = time;
        });
        let problem = &report.faults[0].first[0].problem;
        assert!(problem.starts_with("source frame 1 is at 0 us, frame 2 at "), "{problem}");
    }
}

#[test]
fn telemetry_of_no_frame_and_no_place_is_found() {
    let row = |frame: &str| Telemetry {
        frame_id: frame.into(),
        recording_id: "vid/a".into(),
        block: 1,
        latitude_deg: Some(48.0),
        longitude_deg: Some(-121.7),
        relative_altitude_m: Some(20.0),
        absolute_altitude_m: None,
        gimbal_yaw_deg: None,
        gimbal_pitch_deg: None,
        gimbal_roll_deg: None,
        focal_length_mm: None,
        iso: Some(100.0),
        shutter_s: None,
        f_number: None,
    };
    let with = |row: Telemetry| move |tables: &mut Tables| tables.telemetry.push(("train".into(), row));
    let whole = audit_with(with(row("vid/a/1")));
    assert!(whole.passed, "{}", whole.render());
    expect(&["dangling_reference"], with(row("vid/a/9")));
    expect(&["scene_invalid"], with(Telemetry { latitude_deg: Some(91.0), ..row("vid/a/1") }));
    expect(&["scene_invalid"], with(Telemetry { longitude_deg: None, ..row("vid/a/1") }));
}

#[test]
fn numbers_that_frames_and_boxes_do_not_have_are_found() {
    expect(&["scene_counts"], |tables| tables.recordings[0].1.frame_count += 1);
    expect(&["scene_counts"], |tables| tables.recordings[1].1.labelled_frame_count = 0);
    expect(&["scene_counts"], |tables| tables.recordings[0].1.kind = RecordingKind::Still);
    expect(&["track_mismatch"], |tables| tables.tracks[0].1.box_count = 2);
    expect(&["track_mismatch"], |tables| tables.tracks[0].1.gap_count = 1);
    expect(&["track_mismatch"], |tables| tables.tracks[0].1.annotated_categories.push("van".into()));
    expect(&["track_mismatch"], |tables| tables.tracks[0].1.first_source_number = 2);
    expect(&["track_mismatch"], |tables| tables.tracks[1].1.last_source_number = 4);
    let report = expect(&["track_mismatch"], |tables| tables.tracks[0].1.category = "van".into());
    assert_eq!(report.faults[0].count, 3, "each of its boxes says car");
    expect(&["track_mismatch"], |tables| tables.tracks[2].1.annotated_categories.clear());
    expect(&["track_mismatch"], |tables| {
        tables.object("vid/a/2#3").track_id = Some("vid/a#2".into());
    });
}

#[test]
fn frames_that_are_not_numbered_in_order_are_found() {
    expect(&["frame_order"], |tables| tables.frames[3].1.index = 1);
    // Tracks span the frames between, and the video maps to them, in the order of their source numbers.
    expect(&["frame_order", "track_mismatch", "frame_map"], |tables| {
        tables.frames[0].1.index = 1;
        tables.frames[1].1.index = 0;
    });
}

#[test]
fn a_selection_that_says_otherwise_than_the_source_about_ignored_boxes_is_found() {
    let report = expect(&["scene_invalid"], |tables| tables.object("vid/a/1#2").ignored = true);
    assert!(report.faults[0].first[0].problem.contains("keeps vid/a/1#2"), "{}", report.render());
    expect(&["scene_invalid"], |tables| tables.object("vid/a/1#3").ignored = true);
    expect(&["scene_invalid"], |tables| tables.selection("vid/a/1").unknown[0].reason = "ignored_by_source".into());
    let dropped = audit_with(|tables| {
        tables.object("vid/a/1#3").ignored = true;
        tables.selection("vid/a/1").unknown[0].reason = "ignored_by_source".into();
    });
    assert!(dropped.passed, "{}", dropped.render());
}

#[test]
fn annotations_outside_their_image_are_found() {
    expect(&["annotation_out_of_bounds"], |tables| tables.regions[0].1.x2 = 64.5);
    expect(&["annotation_out_of_bounds"], |tables| tables.regions[0].1.y1 = -1.0);
    expect(&["annotation_out_of_bounds"], |tables| tables.object("vid/a/2#3").x2 = 65.0);
}

#[test]
fn ids_that_come_twice_are_found() {
    expect(&["duplicate_id"], |tables| {
        let twin = tables.regions[0].clone();
        tables.regions.push(twin);
    });
}

#[test]
fn a_group_in_two_splits_is_found_in_every_table() {
    let report =
        expect(&["group_mismatch", "group_in_two_splits"], |tables| tables.recordings[1].1.group_id = "g1".into());
    assert!(report.faults[1].first[0].problem.contains("g1"));
    expect(&["group_mismatch", "group_in_two_splits"], |tables| tables.frames[3].1.group_id = "g1".into());
    expect(&["group_mismatch", "group_in_two_splits"], |tables| tables.item("several").group_id = "g1".into());
}

#[test]
fn a_row_in_another_split_than_its_recording_is_found() {
    expect(&["split_mismatch"], |tables| tables.boxes[0].0 = "val".into());
    expect(&["split_mismatch", "group_in_two_splits"], |tables| tables.frames[0].1.split = "val".into());
    expect(&["split_mismatch", "group_in_two_splits"], |tables| {
        let row = tables.qa.iter_mut().find(|(_, row)| row.task == "count").unwrap();
        row.0 = "val".into();
        row.1.split = "val".into();
    });
}
