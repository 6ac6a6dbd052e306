//! Questions measured in space, about the sample town: released, checked, explained and seen.

use crate::broken::Copy;
use crate::harness::{Project, files};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use uavgen_core::store::TableReader;
use uavgen_sample_data::{DEFAULT_SEED, write_town};
use uavgen_schemas::{Instance, QaRow, Record};

fn town() -> Project {
    let project = Project::empty();
    write_town(&project.path().join("data"), DEFAULT_SEED).unwrap();
    project.init(&["posed-mesh=data/town"]);
    project.edit_config("#per_type = 1", "per_type = 2");
    project.build();
    project
}

fn rows<R: Record>(project: &Project) -> Vec<R> {
    let folder = project.release().join("data").join(R::TABLE);
    files(&folder).iter().flat_map(|file| TableReader::open(file).unwrap().rows().unwrap()).collect()
}

/// The setting of an item, as its provenance has it: `<type>/<setting>/<variant>`.
fn setting(row: &QaRow) -> String {
    let provenance: serde_json::Value = serde_json::from_str(&row.provenance).unwrap();
    provenance["template"].as_str().unwrap().split('/').nth(1).unwrap().to_owned()
}

#[test]
fn questions_in_space_are_released_checked_explained_and_seen() {
    let project = town();
    project.run(&["check", "latest"]).expect_code(0);
    let items: Vec<QaRow> = rows::<QaRow>(&project).into_iter().filter(|row| row.suite == "space").collect();
    let types: BTreeSet<&str> = items.iter().map(|row| row.task.as_str()).collect();
    assert_eq!(types.len(), 22, "every type has items: {types:?}");
    let settings: BTreeSet<String> = items.iter().map(setting).collect();
    assert_eq!(settings, BTreeSet::from(["VQA-1F", "VQA-2F", "VQA-2F-ihead"].map(str::to_owned)));
    for row in &items {
        let frames = if setting(row) == "VQA-1F" { 1 } else { 2 };
        assert_eq!((row.frame_ids.len(), row.images.len()), (frames, frames), "{}", row.question);
        assert!(!row.question.contains(['{', '}']), "{}", row.question);
    }
    // Nothing but the cue tells a compass direction.
    for row in items.iter().filter(|row| setting(row) == "VQA-2F-ihead" || row.task == "compass_bearing") {
        assert!(row.question.contains("° clockwise from the top"), "{}", row.question);
    }

    let far = items.iter().find(|row| row.task == "absolute_distance").unwrap();
    for place in [&["--release", "latest"][..], &[]] {
        let run = project.run(&[&["explain", &far.id, "--image", "boxes.png"], place].concat()).expect_code(0);
        assert!(run.stdout.contains("the same answer") && run.stdout.contains("root = "), "{}", run.stdout);
        let drawn = uavgen_media::decode_upright(&fs::read(project.path().join("boxes.png")).unwrap()).unwrap();
        let plain = uavgen_media::decode_upright(&far.images[0].bytes).unwrap();
        assert_eq!((drawn.width(), drawn.height()), (plain.width(), plain.height()));
        assert!(drawn.as_raw() != plain.as_raw(), "boxes are drawn on the picture");
    }
    project.run(&["preview", "space_qa"]).expect_code(0);
    assert!(project.path().join("previews/space_qa.jpg").is_file());
}

#[test]
fn a_box_that_is_moved_by_five_metres_does_not_pass() {
    let project = town();
    let items: Vec<QaRow> = rows(&project);
    let far = items.iter().find(|row| row.task == "absolute_distance").unwrap();
    let moved = far.boxes[0].object_id.clone().unwrap();
    let copy = Copy::of(&project);
    copy.change::<Instance>(|rows| match rows.iter_mut().find(|row| row.instance_id == moved) {
        Some(row) => {
            row.x += 5.0;
            true
        }
        None => false,
    });
    copy.expect_fault("program_answer");
}

#[test]
fn one_more_recording_changes_no_question_about_another() {
    let ids = |project: &Project| -> BTreeMap<String, BTreeSet<String>> {
        let mut ids: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for row in rows::<QaRow>(project) {
            ids.entry(row.recording_ids.join("+")).or_default().insert(row.id);
        }
        ids
    };
    let both = town();
    let one = Project::empty();
    write_town(&one.path().join("data"), DEFAULT_SEED).unwrap();
    fs::remove_dir_all(one.path().join("data/town/oblique")).unwrap();
    one.init(&["posed-mesh=data/town"]);
    one.edit_config("#per_type = 1", "per_type = 2");
    one.build();
    let (both, one) = (ids(&both), ids(&one));
    assert_eq!((both.len(), one.len()), (2, 1));
    assert_eq!(one.values().next().unwrap(), &both["mesh/nadir"]);
}
