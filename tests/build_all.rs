//! From the sample data to a release in one command.

use crate::harness::Project;
use std::collections::BTreeSet;
use std::fs;
use uavgen_core::store::TableReader;
use uavgen_schemas::{QaRow, ReleaseManifest};

pub(crate) const TASKS: [&str; 8] = [
    "multi_target_presence",
    "number_comparison",
    "object_grounding",
    "regional_classification",
    "regional_counting",
    "scene_counting",
    "scene_presence",
    "temporal_counting",
];

pub(crate) fn rows(project: &Project) -> Vec<QaRow> {
    let folder = project.release().join("data/qa");
    let files = crate::harness::files(&folder);
    files.iter().flat_map(|file| TableReader::open(file).unwrap().rows().unwrap()).collect()
}

#[test]
fn sample_becomes_a_release_that_passes_its_check() {
    let project = Project::sample();
    project.build();
    project.run(&["check", "latest"]).expect_code(0);

    let rows = rows(&project);
    for task in TASKS {
        assert!(rows.iter().any(|row| row.task == task), "no item of task {task}");
    }
    let release = project.release();
    let manifest: ReleaseManifest = serde_json::from_slice(&fs::read(release.join("manifest.json")).unwrap()).unwrap();
    let configs: Vec<&str> = manifest.configs.iter().map(|config| config.name.as_str()).collect();
    let scenes = ["boxes_2d", "frame_map", "frames", "qa", "recordings", "regions", "selections", "tracks", "videos"];
    let clips = ["clip_frames", "clip_samples", "clip_segments", "clips"];
    let expected: BTreeSet<&str> = scenes.into_iter().chain(clips).collect();
    assert_eq!(configs, expected.into_iter().collect::<Vec<_>>());
    let qa = manifest.configs.iter().find(|config| config.name == "qa").unwrap();
    assert_eq!(qa.splits.iter().map(|split| split.row_count).sum::<i64>(), rows.len() as i64);
    for file in ["README.md", "report.html"] {
        assert!(release.join(file).metadata().unwrap().len() > 1000, "{file}");
    }
}

#[test]
fn release_names_no_path_host_or_time() {
    let project = Project::sample();
    project.build();
    let folder = project.path().to_string_lossy().into_owned();
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = host.trim();
    for file in crate::harness::files(&project.release()) {
        let content = fs::read(&file).unwrap();
        let holds = |needle: &str| content.windows(needle.len()).any(|window| window == needle.as_bytes());
        assert!(!holds(&folder), "{} holds the path of the project", file.display());
        assert!(host.len() < 6 || !holds(host), "{} holds the name of the host", file.display());
    }
}

#[test]
fn a_move_of_the_project_and_the_number_of_threads_change_nothing() {
    let one = Project::sample();
    one.run(&["build", "--stage", "all", "-j", "1"]).expect_code(0);
    let other = Project::sample();
    other.run(&["build", "--stage", "all", "-j", "8"]).expect_code(0);
    assert_eq!(one.release_digests(), other.release_digests());
}

#[test]
fn no_leak_group_is_in_two_splits_and_every_item_is_answerable() {
    let project = Project::sample();
    project.build();
    let mut split_of = std::collections::BTreeMap::new();
    for row in rows(&project) {
        let split = split_of.entry(row.group_id.clone()).or_insert_with(|| row.split.clone());
        assert_eq!(*split, row.split, "group {} is in two splits", row.group_id);
        assert_eq!(row.images.is_empty(), row.clip_id.is_some());
        assert_eq!(row.images.len(), row.frame_ids.len());
        if row.options.is_empty() {
            assert!(row.answer_indices.is_empty());
        } else {
            let mut right: Vec<&str> = row.answer_indices.iter().map(|&i| row.options[i as usize].as_str()).collect();
            right.sort_unstable();
            assert_eq!(right.join("; "), row.answer, "{}", row.id);
        }
    }
}
