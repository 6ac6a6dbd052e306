//! Questions about a clip that name the wrong clip, say too much, or have answers that its frames do not give.

use crate::release::{CLIP, Tables, codes};
use uavgen_programs::{Expr, Program};
use uavgen_schemas::{AnswerType, QaRow};

impl Tables {
    /// Adds the clip, and a question about it: one car drives through its two frames.
    fn add_clip_item(&mut self) {
        self.add_clip();
        let cars = Expr::frame_objects().where_category(["car"]);
        let row = QaRow {
            id: "id-clip".into(),
            task: "clip".into(),
            question: "How many different cars does the first clip show?".into(),
            program: Program::new(Expr::count_segment_tracks(0, cars)).unwrap().to_canonical(),
            facts: r#"{"object_count":2,"objects":["vid/a/1#1","vid/a/2#1"],"values":{"root":1}}"#.into(),
            video: Some(CLIP.into()),
            clip_id: Some("c0".into()),
            frame_ids: Vec::new(),
            images: Vec::new(),
            boxes: Vec::new(),
            ..self.item("temporal").clone()
        };
        self.qa.push(("train".into(), row));
    }

    fn clip_item(&mut self) -> &mut QaRow {
        self.item("clip")
    }
}

/// Asserts that exactly these faults are found after a change of the release with a question about a clip.
#[track_caller]
fn expect(expected: &[&str], change: impl FnOnce(&mut Tables)) {
    let mut tables = Tables::whole();
    tables.add_clip_item();
    change(&mut tables);
    let report = tables.write().audit();
    assert_eq!(codes(&report), expected, "\n{}", report.render());
}

#[test]
fn a_question_about_a_clip_passes() {
    expect(&[], |_| {});
}

#[test]
fn a_question_names_its_clip_its_file_and_its_places() {
    expect(&["dangling_reference"], |tables| tables.clip_item().clip_id = Some("c9".into()));
    expect(&["dangling_reference"], |tables| tables.clip_item().video = Some("videos/v0.mp4".into()));
    expect(&["dangling_reference"], |tables| tables.clip_item().video = None);
    expect(&["group_mismatch"], |tables| tables.clip_item().group_id = "g1+g9".into());
    expect(&["item_mismatch"], |tables| tables.clip_item().licence = "test; other".into());
}

#[test]
fn a_question_about_a_clip_shows_no_images_and_no_boxes() {
    expect(&["item_mismatch"], |tables| {
        let shown = tables.item("temporal").clone();
        (tables.clip_item().frame_ids, tables.clip_item().images) = (shown.frame_ids, shown.images);
    });
    expect(&["item_mismatch", "box_mismatch"], |tables| {
        let boxes = tables.item("count").boxes.clone();
        tables.clip_item().boxes = boxes;
    });
}

#[test]
fn the_program_is_executed_on_all_frames_of_the_clip() {
    expect(&["program_answer"], |tables| {
        let row = tables.clip_item();
        (row.answer, row.answer_indices) = ("2".into(), vec![2]);
        row.answer_json = r#"{"type":"int","unit":"tracks","value":2}"#.into();
    });
    expect(&["question_program"], |tables| {
        tables.clip_item().question = "How many different cars does the second clip show?".into();
    });
    expect(&["program_refused"], |tables| {
        let buses = Expr::frame_objects().where_category(["bus"]);
        let row = tables.clip_item();
        row.program = Program::new(Expr::count_segment_tracks(1, buses)).unwrap().to_canonical();
        row.question = "How many different buses does the second clip show?".into();
    });
}

#[test]
fn options_are_those_of_the_clip() {
    // The clip begins with one car, and no piece begins with none, two or three.
    expect(&["options_unfit"], |tables| {
        let cars = Expr::frame_objects().where_category(["car"]);
        let row = tables.clip_item();
        row.program = Program::new(Expr::count_at_start(0, cars)).unwrap().to_canonical();
        row.question = "How many cars are in view when the first clip begins?".into();
        row.facts = r#"{"object_count":1,"objects":["vid/a/1#1"],"values":{"root":1,"root.segment[0]":1}}"#.into();
        row.options_json = row.options_json.replace("tracks", "objects");
        row.answer_json = row.answer_json.replace("tracks", "objects");
    });
    // It has no second piece.
    expect(&["options_unfit"], |tables| {
        let cars = Expr::frame_objects().where_category(["car"]);
        let row = tables.clip_item();
        row.program = Program::new(Expr::segment_with(cars)).unwrap().to_canonical();
        row.question = "Which is the only clip that shows a car?".into();
        row.facts = r#"{"object_count":2,"objects":["vid/a/1#1","vid/a/2#1"],"values":{"root.segment[0]":2}}"#.into();
        row.answer_type = AnswerType::Segment;
        row.answer_json = r#"{"position":0,"type":"segment"}"#.into();
        row.answer = "first clip".into();
        row.options = vec!["first clip".into(), "second clip".into()];
        row.options_json = r#"[{"position":0,"type":"segment"},{"position":1,"type":"segment"}]"#.into();
        row.answer_indices = vec![0];
    });
}
