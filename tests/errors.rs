//! What goes wrong is said clearly: what, where, and what to do next; with the documented exit code.

use crate::harness::{Project, Run, sample_data};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

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
    let config = fs::read_to_string(project.path().join("uavgen.toml")).unwrap();
    let line = 1 + config.lines().position(|line| line == "crf = \"good\"").unwrap();
    let run = project.run(&["plan"]).expect_code(2);
    says(&run, &[&format!("uavgen.toml:{line}:7: `video.crf`: invalid type"), &format!("{line} | crf = \"good\"\n")]);
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
fn a_suite_without_rules_is_named() {
    let project = Project::sample();
    project.edit_config("#suite = \"aerial2d\"", "suite = \"aerial3d\"");
    let run = project.run(&["build", "--stage", "qa"]).expect_code(1);
    says(&run, &["aerial3d", "[filter.suites.aerial3d]"]);
}

#[test]
fn the_verdict_of_a_check_does_not_depend_on_who_reads_it() {
    let project = Project::sample();
    project.build();
    fs::remove_file(project.release().join("report.html")).unwrap();
    let command = format!("'{}' check latest | head -c 0; exit ${{PIPESTATUS[0]}}", env!("CARGO_BIN_EXE_uavgen"));
    let status = Command::new("bash").args(["-c", &command]).current_dir(project.path()).status().unwrap();
    assert_eq!(status.code(), Some(1));
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

/// Every image of the sample, sorted.
fn images(project: &Project) -> Vec<PathBuf> {
    let mut all = crate::harness::files(&project.path().join("data"));
    all.retain(|file| file.extension().is_some_and(|extension| extension != "txt"));
    all
}

#[test]
fn too_many_broken_images_fail_the_build_at_the_default_limit_with_the_list() {
    // Every image, and every fourth: the many sound annotation lines must not make up for them.
    for step in [1, 4] {
        let project = Project::sample();
        let all = images(&project);
        let broken: Vec<&PathBuf> = all.iter().step_by(step).collect();
        broken.iter().for_each(|file| fs::write(file, b"<html>not found</html>").unwrap());
        let run = project.run(&["build", "--stage", "all"]).expect_code(1);
        let count = format!("{} of {} images that ingest read are broken", broken.len(), all.len());
        let name = broken[0].file_name().unwrap().to_string_lossy().into_owned();
        says(&run, &[&count, &name, "not_an_image", "max_bad_share"]);
        assert!(!project.path().join("releases").exists());
    }
}

#[test]
fn images_that_only_decoding_shows_to_be_broken_count_too() {
    let project = Project::sample();
    for file in images(&project) {
        // Header and end stay; what lies between does not decode.
        let mut content = fs::read(&file).unwrap();
        let (start, end) = (content.len() / 2, content.len() - 64);
        content[start..end].fill(0xFF);
        fs::write(&file, content).unwrap();
    }
    let run = project.run(&["build", "--stage", "all"]).expect_code(1);
    says(&run, &["are broken: 100.0 %", "max_bad_share"]);
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
    let vid = |row: &uavgen_schemas::QaRow| row.recording_ids.iter().any(|id| id.contains("uav")) && row.split == "val";
    assert!(!crate::build_all::rows(&project).iter().any(vid), "an unlabelled frame was asked about");
}

#[test]
fn a_store_that_cannot_be_written_is_an_error_that_names_it() {
    let project = Project::sample();
    fs::write(project.path().join("store"), b"in the way").unwrap();
    let run = project.run(&["build", "--stage", "all"]).expect_code(1);
    says(&run, &["failed to create", "/store: File exists"]);
    // A file system of the kernel takes no folders, also from root.
    project.edit_config("#store = \"store\"", "store = \"/sys/uavgen-store\"");
    let run = project.run(&["build", "--stage", "all"]).expect_code(1);
    says(
        &run,
        &[
            "failed to create /sys/uavgen-store",
            "give yourself the rights to read and write it, or set another folder under [runtime]",
        ],
    );
}

#[test]
fn a_text_that_cannot_be_written_is_an_error_that_says_what_is_lost() {
    let command = format!("'{}' stages > /dev/full", env!("CARGO_BIN_EXE_uavgen"));
    let output = Command::new("bash").args(["-c", &command]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said.contains("failed to write to stdout: No space left") && said.contains("only this text is lost"),
        "{said}"
    );
}

#[test]
fn what_is_no_item_is_named() {
    let project = Project::sample();
    project.build();
    for release in [&[][..], &["--release", "latest"]] {
        let arguments = [&["explain", "0123456789abcdef"], release].concat();
        says(&project.run(&arguments).expect_code(2), &["no question `0123456789abcdef` in "]);
    }
    let run = project.run(&["explain", "0123456789abcdef", "--release", "last"]).expect_code(2);
    says(&run, &["no release last", "`uavgen status` lists the releases"]);
}

#[test]
fn a_folder_with_other_things_is_never_taken_as_store() {
    for folder in [".", "data"] {
        let project = Project::sample();
        project.edit_config("#store = \"store\"", &format!("store = \"{folder}\""));
        let before = crate::harness::files(project.path());
        for command in [&["build"][..], &["plan"], &["gc", "--keep-days", "0"]] {
            let run = project.run(command).expect_code(2);
            says(&run, &["the folder holds other files", "store", "[runtime]"]);
        }
        assert_eq!(before, crate::harness::files(project.path()));
    }
}

#[test]
fn a_stage_over_everything_has_no_single_split() {
    let project = Project::sample();
    let run = project.run(&["build", "--stage", "release", "--split", "val"]).expect_code(2);
    says(&run, &["release", "covers the whole data set", "--split"]);
    project.append_config("[release.split.val]");
    let run = project.run(&["plan"]).expect_code(2);
    says(&run, &["uavgen.toml:", "release.split.val", "covers the whole data set", "[release]"]);
}

#[test]
fn a_leak_group_in_two_splits_is_said_and_the_config_is_written_all_the_same() {
    let project = Project::empty();
    for (split, take) in [("train", 1), ("val", 2)] {
        let folder = project.path().join(format!("data/VisDrone2019-VID-{split}/sequences/uav0000001_0000{take}_v"));
        fs::create_dir_all(&folder).unwrap();
        let sample = crate::harness::files(sample_data());
        let image = sample.iter().find(|file| file.extension().is_some_and(|extension| extension == "jpg")).unwrap();
        fs::copy(image, folder.join("0000001.jpg")).unwrap();
    }
    let run = project.run(&["init", ".", "--source", "visdrone-vid=data"]).expect_code(0);
    says(&run, &["vid (visdrone-vid): 2 sequences with 2 images", "in two splits", "on_conflict", "choose in [split]"]);
    project.run(&["plan"]).expect_code(2);
    project.edit_config("#on_conflict = \"error\"", "on_conflict = \"drop\"");
    project.run(&["plan"]).expect_code(0);
}

#[test]
fn quiet_is_quiet_in_every_format() {
    let project = Project::sample();
    let run = project.run(&["build", "--stage", "ingest", "-q", "--log-format", "json"]).expect_code(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
}

#[test]
fn an_image_that_cannot_be_read_is_quarantined_by_name() {
    let project = Project::sample();
    let file = image(&project, 3);
    fs::remove_file(&file).unwrap();
    // A folder in its place would be skipped; a file without rights can be read by root, so the disk must fail: a link to
    // a file of the kernel that may not be read from.
    std::os::unix::fs::symlink("/proc/self/mem", &file).unwrap();
    let run = project.build();
    says(&run, &["0000003.jpg", "unreadable_file"]);
    project.run(&["check", "latest"]).expect_code(0);
}
