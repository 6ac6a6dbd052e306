//! Items whose columns contradict each other: questions, ids, options, tasks, videos.

use crate::broken_items::twin;
use crate::release::{Tables, VIDEO, audit_with, expect, picture};
use uavgen_schemas::{AnswerSource, AnswerType};

/// Asks for the bus on each of the three frames in one wording.
fn three_of_one_wording(tables: &mut Tables) {
    tables.item("grounding").provenance = r#"{"template":"grounding/box","wording":0}"#.into();
    for number in 1..=2 {
        twin(tables, "grounding", |row| {
            row.frame_ids = vec![format!("vid/a/{number}")];
            row.images[0].bytes = picture(number);
            row.boxes[0].object_id = Some(format!("vid/a/{number}#2"));
        });
    }
}

#[test]
fn a_question_that_says_more_than_its_program_is_found() {
    let edited = |to: &'static str| {
        move |tables: &mut Tables| {
            three_of_one_wording(tables);
            tables.item("grounding").question = to.into();
        }
    };
    assert!(audit_with(three_of_one_wording).passed);
    for (to, rest) in [
        ("Where is the only red bus in the image?", "where is the only red {thing}?"),
        ("Where is the only bus in the image? It moves.", "where is {target}? it moves."),
        ("Where is the only bus not in the image?", "where is the only {thing} not?"),
    ] {
        let report = expect(&["question_program"], edited(to));
        let found = &report.faults[0];
        assert_eq!((found.count, found.first[0].row.as_deref()), (1, Some("id-grounding")), "{to}");
        assert!(found.first[0].problem.contains(rest), "{}", found.first[0].problem);
    }
    // Of two neither is the usual one.
    let report = expect(&["question_program"], |tables| {
        edited("Where is the only red bus in the image?")(tables);
        _ = tables.qa.pop();
    });
    assert_eq!(report.faults[0].count, 2);
}

#[test]
fn a_place_or_kind_or_superlative_that_the_program_lacks_is_found_in_a_single_question() {
    for (task, to) in [
        ("count", "How many cars are there in the left half?"),
        ("count", "How many cars are there beside vans in the image?"),
        ("grounding", "Where is the only bus in the image, the leftmost?"),
        ("comparison", "Which of these is there most of, beside cars?"),
    ] {
        let report = expect(&["question_program"], |tables| tables.item(task).question = to.into());
        assert!(report.faults[0].first[0].problem.contains("its program does not"), "{}", report.render());
    }
}

#[test]
fn an_id_that_is_not_that_of_the_content_is_found() {
    expect(&["item_id"], |tables| tables.item("count").id = "0".repeat(32));
    expect(&["item_id"], |tables| tables.item("count").provenance = r#"{"template":"handwritten"}"#.into());
    // The right option in another slot than the one that the id gives: the slot is drawn for another wording.
    let report = expect(&["item_id"], |tables| {
        let whole = Tables::whole().write();
        let item = tables.item("count");
        (item.id, item.provenance) = whole.question("id-count");
        item.options.rotate_right(1);
        item.answer_indices = vec![2];
        let mut typed: Vec<serde_json::Value> = serde_json::from_str(&item.options_json).unwrap();
        typed.rotate_right(1);
        item.options_json = serde_json::to_string(&typed).unwrap();
    });
    assert!(report.faults[0].first[0].problem.contains("into slot 1, it is in 2"), "{}", report.render());
}

/// Puts an option with another value beside the right one.
fn offer(tables: &mut Tables, task: &str, slot: usize, text: &str, json: &str) {
    let item = tables.item(task);
    let mut typed: Vec<serde_json::Value> = serde_json::from_str(&item.options_json).unwrap();
    typed[slot] = serde_json::from_str(json).unwrap();
    item.options[slot] = text.into();
    item.options_json = serde_json::to_string(&typed).unwrap();
}

#[test]
fn options_that_no_answer_could_be_are_found() {
    let cases = [
        ("count", "-3", r#"{"type":"int","unit":"objects","value":-3}"#, "less than nothing"),
        ("count", "9", r#"{"type":"int","unit":"tracks","value":9}"#, "another type or unit"),
        ("count", "yes", r#"{"type":"bool","value":true}"#, "another type or unit"),
        ("comparison", "spaceship", r#"{"any_of":["spaceship"],"term":"spaceship","type":"category"}"#, "stand for"),
        ("comparison", "bicycle", r#"{"any_of":["bus"],"term":"bicycle","type":"category"}"#, "stand for"),
        ("comparison", "van", r#"{"any_of":["van"],"term":"van","type":"category"}"#, "mixed up"),
        ("comparison", "truck", r#"{"any_of":["truck"],"term":"truck","type":"category"}"#, "the options are"),
        ("several", "van", r#"{"any_of":["van"],"term":"van","type":"category"}"#, "the options are"),
    ];
    for (task, text, json, words) in cases {
        let report = expect(&["options_unfit"], |tables| offer(tables, task, 0, text, json));
        assert!(report.faults[0].first[0].problem.contains(words), "{text}: {}", report.render());
    }
}

#[test]
fn items_that_differ_from_their_task_or_recording_are_found() {
    expect(&["item_mismatch"], |tables| {
        twin(tables, "grounding", |row| {
            row.frame_ids = vec!["vid/a/1".into()];
            row.images[0].bytes = picture(1);
            row.boxes[0].object_id = Some("vid/a/1#2".into());
            row.capability = "banana".into();
        })
    });
    expect(&["item_mismatch"], |tables| tables.item("count").licence = "CC0".into());
    // Said to be a person's, though it has a program; and without one, though the task computes its answers.
    expect(&["item_mismatch"], |tables| tables.item("count").answer_source = AnswerSource::Human);
    expect(&["item_mismatch"], |tables| {
        twin(tables, "count", |row| {
            (row.answer_source, row.program) = (AnswerSource::Measured, String::new());
            row.question = "How many are on the road?".into();
        })
    });
    expect(&["program_answer"], |tables| tables.item("count").answer_type = AnswerType::Text);
}

#[test]
fn a_video_of_another_recording_is_found() {
    let own = audit_with(|tables| tables.item("presence").video = Some(VIDEO.into()));
    assert!(own.passed, "{}", own.render());
    expect(&["dangling_reference"], |tables| tables.item("several").video = Some(VIDEO.into()));
    expect(&["dangling_reference"], |tables| tables.item("presence").video = Some("README.md".into()));
    expect(&["image_count"], |tables| {
        let item = tables.item("presence");
        item.video = Some(VIDEO.into());
        item.images.clear();
    });
}
