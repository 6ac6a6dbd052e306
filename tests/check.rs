//! `check` passes a good release and finds each kind of damage, by name.

use crate::broken::Copy;
use crate::harness::Project;
use std::fs;
use std::path::Path;
use uavgen_core::store::{TableOptions, TableReader, TableWriter};
use uavgen_schemas::{AnswerType, Box2d, BoxRole, Frame, ItemBox, QaRow, Recording};

fn first(rows: &mut [QaRow], wanted: impl Fn(&QaRow) -> bool) -> Option<&mut QaRow> {
    rows.iter_mut().find(|row| wanted(row))
}

#[test]
fn a_copy_passes() {
    Copy::new().project.run(&["check", "release"]).expect_code(0);
}

#[test]
fn one_edited_box_is_found_by_executing_the_programs() {
    let copy = Copy::new();
    let grounded = {
        let mut found = None;
        for shard in copy.shards("qa") {
            let rows: Vec<QaRow> = TableReader::open(&shard).unwrap().rows().unwrap();
            found = found.or(rows.into_iter().find(|row| row.answer_type == AnswerType::Box));
        }
        found.expect("a grounding item").boxes[0].object_id.clone().expect("an object")
    };
    copy.change::<Box2d>(|rows| match rows.iter_mut().find(|row| row.box_id == grounded) {
        Some(row) => {
            row.x2 -= 3.0;
            true
        }
        None => false,
    });
    copy.expect_fault("program_answer");
}

#[test]
fn a_deleted_object_changes_a_count() {
    let copy = Copy::new();
    let counted = {
        let shards = copy.shards("qa");
        let rows = shards.iter().flat_map(|s| TableReader::<QaRow>::open(s).unwrap().rows().unwrap());
        rows.filter(|row| row.task == "scene_counting" && row.answer != "0")
            .find_map(|row| row.boxes.iter().find_map(|b| b.object_id.clone()))
            .expect("a counted object")
    };
    copy.change::<uavgen_schemas::Selection>(|rows| {
        rows.iter_mut().any(|row| {
            let before = row.kept.len();
            row.kept.retain(|id| *id != counted);
            row.kept.len() < before
        })
    });
    copy.expect_fault("program_answer");
}

#[test]
fn a_changed_answer_is_found() {
    let copy = Copy::new();
    copy.change::<QaRow>(|rows| {
        first(rows, |row| row.options.len() == 4).is_some_and(|row| {
            let wrong = (row.answer_indices[0] + 1) % 4;
            row.answer_indices = vec![wrong];
            row.answer = row.options[wrong as usize].clone();
            true
        })
    });
    copy.expect_fault("program_answer");
}

#[test]
fn a_recording_that_lost_frames_is_found() {
    let copy = Copy::new();
    copy.change::<Recording>(|rows| {
        rows[0].frame_count += 1;
        true
    });
    copy.expect_fault("scene_counts");
}

#[test]
fn a_program_that_does_not_parse_is_found() {
    let copy = Copy::new();
    copy.change::<QaRow>(|rows| {
        rows[0].program = "{\"version\":1,\"root\":{\"op\":\"guess\"}}".into();
        true
    });
    copy.expect_fault("program_invalid");
}

#[test]
fn a_missing_file_is_found() {
    let copy = Copy::new();
    fs::remove_file(&copy.shards("frames")[0]).unwrap();
    copy.expect_fault("file_missing");
}

#[test]
fn a_flipped_byte_is_found() {
    let copy = Copy::new();
    let shard = &copy.shards("qa")[0];
    let mut content = fs::read(shard).unwrap();
    let middle = content.len() / 2;
    content[middle] ^= 1;
    fs::write(shard, content).unwrap();
    copy.expect_fault("file_digest");
}

#[test]
fn an_extra_file_is_found() {
    let copy = Copy::new();
    fs::write(copy.folder().join("data/qa/train-old.parquet"), b"x").unwrap();
    copy.expect_fault("file_unlisted");
}

#[test]
fn counts_that_differ_from_the_manifest_are_found() {
    let copy = Copy::new();
    copy.edit_manifest(|manifest| manifest.configs.iter_mut().for_each(|c| c.splits[0].row_count += 1));
    copy.expect_fault("row_count");
}

#[test]
fn a_repeated_question_is_found() {
    let copy = Copy::new();
    copy.change::<QaRow>(|rows| {
        let mut twin = rows[0].clone();
        twin.id = "f".repeat(twin.id.len());
        rows.push(twin);
        true
    });
    copy.expect_fault("duplicate_question");
}

#[test]
fn two_answers_to_one_question_are_found() {
    let copy = Copy::new();
    copy.change::<QaRow>(|rows| {
        let Some(row) = first(rows, |row| row.options.len() == 4) else { return false };
        let mut twin = row.clone();
        twin.id = "e".repeat(twin.id.len());
        let wrong = (twin.answer_indices[0] + 1) % 4;
        twin.answer_indices = vec![wrong];
        twin.answer = twin.options[wrong as usize].clone();
        rows.push(twin);
        true
    });
    copy.expect_fault("contradicting_question");
}

#[test]
fn repeated_options_are_found() {
    let copy = Copy::new();
    copy.change::<QaRow>(|rows| {
        first(rows, |row| row.options.len() == 4).is_some_and(|row| {
            let right = row.answer_indices[0] as usize;
            row.options[(right + 1) % 4] = row.options[(right + 2) % 4].clone();
            true
        })
    });
    copy.expect_fault("options_repeated");
}

#[test]
fn missing_options_are_found() {
    let copy = Copy::new();
    copy.change::<QaRow>(|rows| {
        first(rows, |row| row.options.len() == 4).is_some_and(|row| {
            row.options.clear();
            true
        })
    });
    copy.expect_fault("options_missing");
}

#[test]
fn an_answer_outside_the_options_is_found() {
    let copy = Copy::new();
    copy.change::<QaRow>(|rows| {
        first(rows, |row| row.options.len() == 4).is_some_and(|row| {
            row.answer_indices = vec![4];
            true
        })
    });
    copy.expect_fault("answer_out_of_bounds");
}

#[test]
fn a_box_outside_its_image_is_found() {
    let copy = Copy::new();
    copy.change::<QaRow>(|rows| {
        first(rows, |row| !row.boxes.is_empty()).is_some_and(|row| {
            row.boxes[0].x2 = 1.5;
            true
        })
    });
    copy.expect_fault("box_out_of_bounds");
}

#[test]
fn boxes_that_the_program_does_not_give_are_found() {
    // Another real object of the frame in place of the one that is asked for.
    let exchanged = |rows: &mut Vec<QaRow>| {
        let shown: Vec<(Vec<String>, ItemBox)> =
            rows.iter().flat_map(|row| row.boxes.iter().map(|shown| (row.frame_ids.clone(), shown.clone()))).collect();
        rows.iter_mut().filter(|row| row.answer_type == AnswerType::Box).any(|row| {
            let own = row.boxes[0].object_id.clone();
            let other = |(frames, shown): &&(Vec<String>, ItemBox)| {
                *frames == row.frame_ids && shown.object_id.is_some() && shown.object_id != own
            };
            let found = shown.iter().find(other).map(|(_, shown)| shown.clone());
            row.boxes[0] = match &found {
                Some(shown) => ItemBox { role: BoxRole::Answer, ..shown.clone() },
                None => return false,
            };
            true
        })
    };
    let removed = |rows: &mut Vec<QaRow>| {
        let row = rows.iter_mut().find(|row| row.task == "scene_counting" && row.boxes.len() > 1);
        row.map(|row| row.boxes.pop()).is_some()
    };
    let moved = |rows: &mut Vec<QaRow>| {
        let mut shown = rows.iter_mut().flat_map(|row| &mut row.boxes);
        shown.find(|shown| shown.role == BoxRole::Region).map(|area| area.x1 += 0.01).is_some()
    };
    for change in [&exchanged as &dyn Fn(&mut Vec<QaRow>) -> bool, &removed, &moved] {
        let copy = Copy::new();
        copy.change::<QaRow>(change);
        copy.expect_fault("box_mismatch");
    }
}

#[test]
fn a_group_in_two_splits_is_found() {
    let copy = Copy::new();
    let mut group = None;
    let train = copy.shards("recordings").into_iter().find(|p| p.to_string_lossy().contains("train")).unwrap();
    if let Some(row) = TableReader::<Recording>::open(&train).unwrap().rows().unwrap().first() {
        group = Some(row.group_id.clone());
    }
    let group = group.unwrap();
    copy.change::<Recording>(|rows| {
        let Some(row) = rows.iter_mut().find(|row| row.split == "val") else { return false };
        row.group_id = group.clone();
        true
    });
    copy.expect_fault("group_in_two_splits");
}

#[test]
fn an_image_that_does_not_decode_is_found() {
    let copy = Copy::new();
    copy.change::<QaRow>(|rows| {
        let image = &mut rows[0].images[0].bytes;
        let half = image.len() / 2;
        image.truncate(half);
        true
    });
    copy.expect_fault("image_undecodable");
}

#[test]
fn an_item_without_its_images_is_found() {
    let copy = Copy::new();
    copy.change::<QaRow>(|rows| {
        rows[0].images.clear();
        true
    });
    copy.expect_fault("image_count");
}

#[test]
fn a_frame_that_is_gone_is_found() {
    let copy = Copy::new();
    let shards = copy.shards("qa");
    let row = TableReader::<QaRow>::open(&shards[0]).unwrap().rows().unwrap().remove(0);
    copy.change::<Frame>(|rows| {
        let before = rows.len();
        rows.retain(|frame| frame.frame_id != row.frame_ids[0]);
        rows.len() < before
    });
    copy.expect_fault("dangling_reference");
}

#[test]
fn a_shard_with_other_columns_is_found() {
    let copy = Copy::new();
    let frames = copy.shards("frames");
    fs::copy(&copy.shards("regions")[0], &frames[0]).unwrap();
    copy.reseal();
    copy.expect_fault("schema");
}

#[test]
fn answers_that_always_stand_first_are_found() {
    let copy = Copy::new();
    for shard in copy.shards("qa") {
        let mut rows: Vec<QaRow> = TableReader::open(&shard).unwrap().rows().unwrap();
        for row in &mut rows {
            if row.answer_indices.len() == 1 {
                let mut typed: Vec<serde_json::Value> = serde_json::from_str(&row.options_json).unwrap();
                let right = row.answer_indices[0] as usize;
                row.options.swap(0, right);
                typed.swap(0, right);
                row.options_json = serde_json::to_string(&typed).unwrap();
                row.answer_indices = vec![0];
            }
        }
        rewrite(&shard, rows);
    }
    copy.reseal();
    copy.expect_fault("slot_balance");
}

fn rewrite(shard: &Path, rows: Vec<QaRow>) {
    fs::remove_file(shard).unwrap();
    let options = TableOptions { declare_features: true, ..TableOptions::default() };
    let mut writer = TableWriter::<QaRow>::create(shard, options).unwrap();
    for row in rows {
        writer.push(&row).unwrap();
    }
    writer.finish().unwrap();
}

#[test]
fn what_is_no_release_is_a_usage_error() {
    let project = Project::empty();
    let run = project.run(&["check", "nothing-here"]).expect_code(2);
    assert!(run.stderr.contains("nothing-here"), "{}", run.stderr);
}
