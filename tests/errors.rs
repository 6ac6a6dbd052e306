//! What goes wrong is said clearly: what, where, and what to do next; with the documented exit code.

use crate::harness::{Project, Run, sample_data};
use std::fs;
use std::path::PathBuf;

/// Fails the test unless everything expected stands in what the run said.
#[track_caller]
fn says(run: &Run, expected: &[&str]) {
    let said = format!("{}{}", run.stdout, run.stderr);
    for text in expected {
        assert!(said.contains(text), "{text:?} is missing in\n{said}");
    }
}

/// An image of the sample, by its position in its sequence.
fn image(project: &Project, number: usize) -> PathBuf {
    let sequences = project.path().join("data/VisDrone2019-VID-val/sequences");
    let sequence = fs::read_dir(sequences).unwrap().next().unwrap().unwrap().path();
    sequence.join(format!("{number:07}.jpg"))
}

#[test]
fn an_unknown_key_is_named_with_line_and_likely_meaning() {
    let project = Project::sample();
    project.edit_config("#max_per_frame = 8", "max_per_frames = 8");
    let run = project.run(&["plan"]).expect_code(2);
    says(&run, &["uavgen.toml:", "max_per_frames", "did you mean `max_per_frame`?"]);
}

#[test]
fn a_value_of_the_wrong_type_is_named_with_its_line() {
    let project = Project::sample();
    project.edit_config("#crf = 23", "crf = \"good\"");
    let run = project.run(&["plan"]).expect_code(2);
    says(&run, &["uavgen.toml:", "crf"]);
}

#[test]
fn without_a_config_the_next_step_is_named() {
    let run = Project::empty().run(&["build"]).expect_code(2);
    says(&run, &["uavgen.toml", "init"]);
}

#[test]
fn a_config_is_never_overwritten() {
    let project = Project::sample();
    let before = fs::read(project.path().join("uavgen.toml")).unwrap();
    project.run(&["init", ".", "--source", "visdrone-vid=data"]).expect_code(2);
    assert_eq!(before, fs::read(project.path().join("uavgen.toml")).unwrap());
}

#[test]
fn a_source_that_is_not_there_or_of_another_kind_is_named() {
    let project = Project::sample();
    project.edit_config("path = \"data\"", "path = \"datta\"");
    says(&project.run(&["plan"]).expect_code(2), &["datta"]);

    let other = Project::empty();
    let stills = sample_data().join("VisDrone2019-DET-train");
    let run = other.run(&["init", ".", "--source", &format!("visdrone-vid={}", stills.display())]);
    says(&run.expect_code(2), &["visdrone-det"]);
}

#[test]
fn an_unknown_stage_is_named() {
    let run = Project::sample().run(&["build", "--stage", "fliter"]).expect_code(2);
    says(&run, &["fliter", "filter"]);
}

#[test]
fn a_broken_image_is_quarantined_by_name_and_the_build_goes_on() {
    let project = Project::sample();
    let broken = image(&project, 3);
    let content = fs::read(&broken).unwrap();
    fs::write(&broken, &content[..content.len() / 2]).unwrap();
    let run = project.build();
    says(&run, &["0000003.jpg", "truncated"]);
    project.run(&["check", "latest"]).expect_code(0);
}

#[test]
fn too_many_broken_images_fail_the_build_with_the_list() {
    let project = Project::sample();
    project.edit_config("#max_bad_share = 0.1", "max_bad_share = 0.001");
    for number in [2, 5] {
        fs::write(image(&project, number), b"<html>not found</html>").unwrap();
    }
    let run = project.run(&["build", "--stage", "all"]).expect_code(1);
    says(&run, &["0000002.jpg", "0000005.jpg", "not_an_image", "max_bad_share"]);
    assert!(!project.path().join("releases").exists());
}

#[test]
fn a_missing_annotation_file_makes_frames_unknown_not_empty() {
    let project = Project::sample();
    for entry in fs::read_dir(project.path().join("data/VisDrone2019-VID-val/annotations")).unwrap() {
        fs::remove_file(entry.unwrap().path()).unwrap();
    }
    project.build();
    project.run(&["check", "latest"]).expect_code(0);
    let vid = |row: &uavgen_schemas::QaRow| row.frame_ids[0].contains("uav") && row.split == "val";
    assert!(!crate::build_all::rows(&project).iter().any(vid), "an unlabelled frame was asked about");
}

#[test]
fn an_unwritable_store_is_an_error_that_names_it() {
    let project = Project::sample();
    fs::write(project.path().join("store"), b"in the way").unwrap();
    let run = project.run(&["build", "--stage", "all"]);
    assert!(matches!(run.code, 1 | 2), "{run:?}");
    says(&run, &["store"]);
}

#[test]
fn what_is_no_item_is_named() {
    let project = Project::sample();
    project.build();
    let run = project.run(&["explain", "0123456789abcdef"]);
    assert_eq!(run.code, 2, "{run:?}");
    says(&run, &["0123456789abcdef"]);
}
