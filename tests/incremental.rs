//! What runs again when something changes, and that nothing else does.

use crate::harness::{Project, edit};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// Tasks of one stage that the plan calls by `state` (fresh, dirty, maybe).
fn planned(project: &Project, stage: &str, state: &str) -> usize {
    let run = project.run(&["plan", "--json"]).expect_code(0);
    let plan: Value = serde_json::from_str(&run.stdout).expect("plan --json prints JSON");
    let tasks = plan["tasks"].as_array().expect("a list of tasks");
    tasks.iter().filter(|task| task["stage"] == stage && task["state"] == state).count()
}

fn first_image(project: &Project) -> PathBuf {
    project
        .path()
        .join("data/VisDrone2019-VID-val/sequences")
        .read_dir()
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path()
        .join("0000001.jpg")
}

#[test]
fn nothing_changed_runs_nothing() {
    let project = Project::sample();
    project.build();
    let before = project.release_digests();
    for stage in ["ingest", "video", "clips", "stitch_plan", "stitch", "filter", "qa", "clip_qa", "shards", "release"] {
        assert_eq!(planned(&project, stage, "dirty") + planned(&project, stage, "maybe"), 0, "{stage}");
        assert!(planned(&project, stage, "fresh") > 0, "{stage}");
    }
    project.build();
    assert_eq!(before, project.release_digests());
}

#[test]
fn a_touched_file_rebuilds_nothing() {
    let project = Project::sample();
    project.build();
    let image = first_image(&project);
    let content = fs::read(&image).unwrap();
    fs::remove_file(&image).unwrap();
    fs::write(&image, content).unwrap();
    assert_eq!(planned(&project, "ingest", "dirty"), 0);
}

#[test]
fn a_changed_annotation_dirties_its_recording_only_and_names_the_file() {
    let project = Project::sample();
    project.build();
    let folder = project.path().join("data/VisDrone2019-VID-val/annotations");
    let file = folder.read_dir().unwrap().next().unwrap().unwrap().path();
    let mut text = fs::read_to_string(&file).unwrap();
    text.push_str("1,9999,10,10,40,40,1,4,0,0\n");
    fs::write(&file, text).unwrap();
    assert_eq!(planned(&project, "ingest", "dirty"), 1);
    let plan = project.run(&["plan", "-v"]).expect_code(0);
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    assert!(plan.stdout.contains(&name), "the plan does not name {name}:\n{}", plan.stdout);
    let before = project.release_digests();
    project.build();
    assert_ne!(before, project.release_digests());
}

#[test]
fn a_changed_threshold_runs_only_what_depends_on_it() {
    let project = Project::sample();
    project.build();
    project.edit_config("#min_area_px2 = 64.0", "min_area_px2 = 100.0");
    assert_eq!(planned(&project, "ingest", "dirty"), 0);
    assert_eq!(planned(&project, "video", "dirty"), 0);
    assert_eq!(planned(&project, "filter", "fresh"), 0);
    let plan = project.run(&["plan", "-v"]).expect_code(0);
    assert!(plan.stdout.contains("min_area_px2"), "{}", plan.stdout);
    project.build();
    project.run(&["check", "latest"]).expect_code(0);
}

#[test]
fn a_threshold_that_changes_no_selection_stops_early() {
    let project = Project::sample();
    project.build();
    let before = project.release_digests();
    // No box of the sample has an area between 64 and 64.5 square pixels: the filter runs, what follows does not.
    project.edit_config("#min_area_px2 = 64.0", "min_area_px2 = 64.5");
    project.run(&["build", "--stage", "filter"]).expect_code(0);
    assert_eq!(planned(&project, "qa", "fresh"), planned(&project, "ingest", "fresh"));
    project.build();
    assert_eq!(
        before["data/qa/val-00000-of-00001.parquet"],
        project.release_digests()["data/qa/val-00000-of-00001.parquet"]
    );
}

#[test]
fn an_overlay_for_one_split_touches_that_split_only() {
    let project = Project::sample();
    project.build();
    let before = project.release_digests();
    project.append_config("[qa.split.val]\nmax_per_frame = 2");
    project.build();
    let after = project.release_digests();
    assert_eq!(before["data/qa/train-00000-of-00001.parquet"], after["data/qa/train-00000-of-00001.parquet"]);
    assert_ne!(before["data/qa/val-00000-of-00001.parquet"], after["data/qa/val-00000-of-00001.parquet"]);
}

#[test]
fn one_more_still_dirties_one_bucket() {
    let project = Project::sample();
    let config = std::fs::read_to_string(project.path().join("uavgen.toml")).unwrap();
    fs::write(project.path().join("uavgen.toml"), config.replace("\nbuckets = 1", "\nbuckets = 4")).unwrap();
    project.build();
    let folder = project.path().join("data/VisDrone2019-DET-train");
    let image = folder.join("images").read_dir().unwrap().next().unwrap().unwrap().path();
    let extension = image.extension().unwrap().to_string_lossy().into_owned();
    fs::copy(&image, folder.join(format!("images/9000099_00001_d_0000099.{extension}"))).unwrap();
    fs::write(folder.join("annotations/9000099_00001_d_0000099.txt"), "10,10,30,30,1,4,0,0\n").unwrap();
    assert_eq!(planned(&project, "ingest", "dirty"), 1);
}

#[test]
fn a_runtime_key_changes_nothing() {
    let project = Project::sample();
    project.build();
    edit(&project.path().join("uavgen.toml"), "#jobs = 0", "jobs = 1");
    assert_eq!(planned(&project, "ingest", "dirty"), 0);
    assert_eq!(planned(&project, "release", "dirty"), 0);
}
