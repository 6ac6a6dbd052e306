//! What is found in folders of all kinds.

use super::harness::{Folder, discover, ingest_project, jpeg, project, source};
use crate::ingest::{Ingest, IngestConfig};
use uavgen_core::project::{SplitConflict, SplitMode};
use uavgen_core::{ConfigError, Discovery, Partition, Project, SourceConfig, SplitConfig, StageDefinition};

fn found(kind: &str, folder: &Folder) -> Discovery {
    discover(&project(vec![source(kind, folder.path())])).unwrap()
}

fn refused(kind: &str, folder: &Folder) -> ConfigError {
    discover(&project(vec![source(kind, folder.path())])).unwrap_err()
}

/// Sequence and split of everything that was found.
fn names(discovery: &Discovery) -> Vec<(&str, &str)> {
    fn name(partition: &Partition) -> (&str, &str) {
        match partition {
            Partition::Sequence { sequence, split, .. } => (sequence, split),
            other => panic!("{other:?}"),
        }
    }
    discovery.found.iter().map(|one| name(&one.partition)).collect()
}

#[test]
fn a_split_folder_is_found_wherever_it_is() {
    for place in ["", "VisDrone2019-VID-val/", "data/VisDrone2019-VID-val/VisDrone2019-VID-val/"] {
        let folder = Folder::new();
        folder
            .sequence(&format!("{place}sequences/uav0000001_a"), 2)
            .write(&format!("{place}annotations/uav0000001_a.txt"), "");
        let discovery = found("visdrone-vid", &folder);
        let split = if place.is_empty() { "train" } else { "val" };
        assert_eq!(names(&discovery), [("uav0000001_a", split)], "{place}");
        let files = [
            "annotations/uav0000001_a.txt",
            "sequences/uav0000001_a/0000001.jpg",
            "sequences/uav0000001_a/0000002.jpg",
        ];
        assert_eq!(discovery.found[0].files, files.map(|file| format!("{place}{file}")));
    }
}

#[test]
fn splits_come_from_folder_names_unless_the_config_says_otherwise() {
    let folder = Folder::new();
    for (number, split) in ["train", "val", "test-dev", "test-challenge"].into_iter().enumerate() {
        folder.sequence(&format!("VisDrone2019-VID-{split}/sequences/uav{number}_a"), 1);
    }
    let expected = [("uav0_a", "train"), ("uav1_a", "val"), ("uav2_a", "test"), ("uav3_a", "test_challenge")];
    assert_eq!(names(&found("visdrone-vid", &folder)), expected);
    let stated = SourceConfig { split: Some("extra".into()), ..source("visdrone-vid", folder.path()) };
    let discovery = discover(&project(vec![stated])).unwrap();
    assert!(names(&discovery).iter().all(|(_, split)| *split == "extra"));
}

#[test]
fn leaving_out_everything_is_an_error() {
    let folder = Folder::new();
    folder.sequence("VisDrone2019-VID-train/sequences/uav0000001_a", 1);
    let mut project = project(vec![source("visdrone-vid", folder.path())]);
    project.split.mode = SplitMode::List;
    project.split_list = [("uav0000001_a".to_owned(), "none".to_owned())].into();
    let error = discover(&project).unwrap_err();
    assert_eq!(
        (error.path.join("."), error.message.as_str()),
        ("split".into(), "every recording of the source is left out")
    );
}

#[test]
fn a_folder_that_names_no_split_is_train_with_a_note() {
    let folder = Folder::new();
    folder.sequence("sequences/a", 1);
    let notes = found("visdrone-vid", &folder).notes;
    assert_eq!(
        notes,
        ["source `src`: its folder names no split and counts as train; set `split` of the source to change that"]
    );
}

#[test]
fn stills_fall_into_buckets_by_name() {
    let folder = Folder::new();
    for number in 0..40 {
        folder.write(&format!("VisDrone2019-DET-val/images/{number:07}_1.jpg"), jpeg(8, 8));
        folder.write(&format!("VisDrone2019-DET-val/annotations/{number:07}_1.txt"), "");
    }
    let before = found("visdrone-det", &folder);
    assert_eq!(before.found.len(), 4, "the source asks for 4 buckets");
    assert_eq!(names(&before)[0], ("val-bucket-000", "val"));
    assert_eq!(before.found.iter().map(|one| one.files.len()).sum::<usize>(), 80);
    folder.write("VisDrone2019-DET-val/images/0000100_1.jpg", jpeg(8, 8));
    let after = found("visdrone-det", &folder);
    let changed = before.found.iter().zip(&after.found).filter(|(before, after)| before != after).count();
    assert_eq!(changed, 1, "one more image changes one bucket");
}

#[test]
fn the_forecast_counts_images_and_recordings_and_not_files() {
    let forecast = |kind, folder: &Folder| {
        let mut sum = std::collections::BTreeMap::new();
        for one in found(kind, folder).found {
            for (table, rows) in Ingest::estimate(&IngestConfig::default(), &one.numbers) {
                *sum.entry(table).or_insert(0) += rows;
            }
        }
        (sum["recordings"], sum["frames"])
    };
    let vid = Folder::new();
    vid.sequence("sequences/uav1_a", 12).write("annotations/uav1_a.txt", "").sequence("sequences/uav2_a", 3);
    vid.write("annotations/uav3_a.txt", "");
    assert_eq!(forecast("visdrone-vid", &vid), (2, 15));
    let det = Folder::new();
    for number in 1..=8 {
        det.write(&format!("images/{number}_a.jpg"), jpeg(8, 8)).write(&format!("annotations/{number}_a.txt"), "");
    }
    assert_eq!(forecast("visdrone-det", &det), (8, 8));
}

#[test]
fn a_source_of_another_kind_is_refused_with_what_it_looks_like() {
    let det = Folder::new();
    det.write("VisDrone2019-DET-val/images/a.jpg", jpeg(8, 8)).write("VisDrone2019-DET-val/annotations/a.txt", "");
    let error = refused("visdrone-vid", &det);
    assert_eq!(error.path, ["source", "0", "path"]);
    assert!(error.message.ends_with("is no visdrone-vid: it looks like visdrone-det"), "{error}");
    assert_eq!(error.hint.as_deref(), Some("set kind = \"visdrone-det\""));

    let vid = Folder::new();
    vid.sequence("sequences/a", 1);
    assert_eq!(refused("visdrone-det", &vid).hint.as_deref(), Some("set kind = \"visdrone-vid\""));
}

#[test]
fn folders_that_are_no_visdrone_are_named() {
    let cases: [(&[&str], &str); 10] = [
        (&[], "an empty folder"),
        (&["train.json"], "a COCO data set"),
        (&["annotations/instances.json"], "a COCO data set"),
        (&["images/a.jpg", "labels/a.txt"], "a YOLO data set"),
        (&["VisDrone2019-VID-val.zip"], "a folder of archives that are not unpacked"),
        (&["0000001.jpg", "0000002.jpg"], "a folder of images"),
        (&["clip.mp4"], "a folder of videos"),
        (&["a.txt"], "a folder of text files"),
        (&["annotations/a.txt"], "a folder of annotations without `sequences` or `images`"),
        (&["uav1_a/0000001.jpg", "uav2_a/0000001.jpg"], "a folder of sequences; the folder above"),
    ];
    for (files, expected) in cases {
        let folder = Folder::new();
        files.iter().for_each(|file| _ = folder.write(file, "x"));
        let error = refused("visdrone-det", &folder);
        assert!(error.message.contains(&format!("it looks like {expected}")), "{files:?}: {error}");
        assert!(error.hint.is_some_and(|hint| hint.contains("images/<image>.jpg")));
    }
}

#[test]
fn paths_that_are_no_folder_are_refused() {
    let folder = Folder::new();
    folder.write("VisDrone2019-VID-val.zip", "PK").write("x.json", "{}");
    let error =
        |path: &str| discover(&project(vec![source("visdrone-vid", &folder.path().join(path))])).unwrap_err().message;
    assert!(error("nowhere").ends_with("does not exist"));
    assert!(error("VisDrone2019-VID-val.zip").ends_with("is an archive; unpack it and give the folder"));
    assert!(error("x.json").ends_with("is a JSON file, perhaps COCO annotations"));
}

#[test]
fn an_unknown_kind_is_refused_with_the_nearest() {
    let folder = Folder::new();
    let error = refused("visdrone-video", &folder);
    assert_eq!(error.path, ["source", "0", "kind"]);
    assert!(error.hint.unwrap().starts_with("did you mean `visdrone-vid`?"));
}

#[test]
fn an_empty_split_is_a_note_and_an_empty_source_an_error() {
    let folder = Folder::new();
    folder.sequence("VisDrone2019-VID-train/sequences/a", 1);
    std::fs::create_dir_all(folder.path().join("VisDrone2019-VID-val/sequences")).unwrap();
    let discovery = found("visdrone-vid", &folder);
    assert_eq!(discovery.notes, ["source `src`: VisDrone2019-VID-val holds no image"]);
    std::fs::remove_dir_all(folder.path().join("VisDrone2019-VID-train")).unwrap();
    assert!(refused("visdrone-vid", &folder).message.starts_with("there is no image in "));
}

#[test]
fn of_vid_and_mot_side_by_side_only_the_asked_kind_counts() {
    let folder = Folder::new();
    folder.sequence("VisDrone2019-VID-val/sequences/uav1_a", 1).sequence("VisDrone2019-MOT-val/sequences/uav1_a", 1);
    folder.write("VisDrone2019-DET-val/images/1_a.jpg", jpeg(8, 8));
    let discovery = found("visdrone-mot", &folder);
    assert_eq!(names(&discovery), [("uav1_a", "val")]);
    assert!(discovery.found[0].files[0].starts_with("VisDrone2019-MOT-val/"));
    assert_eq!(discovery.notes.len(), 2, "{:?}", discovery.notes);
}

#[test]
fn a_sequence_that_is_there_twice_is_refused() {
    let folder = Folder::new();
    folder.sequence("a-val/sequences/uav1_a", 1).sequence("b-val/sequences/uav1_a", 1);
    let error = refused("visdrone-vid", &folder);
    assert!(
        error.message.starts_with("sequence `uav1_a` is there twice: a-val/sequences/uav1_a and b-val/"),
        "{error}"
    );
}

#[test]
#[cfg(unix)]
fn links_are_followed_but_not_in_circles() {
    let folder = Folder::new();
    folder.sequence("elsewhere/frames", 2).sequence("data-val/sequences/uav1_a", 1);
    let link =
        |from: &str, to: &str| std::os::unix::fs::symlink(folder.path().join(from), folder.path().join(to)).unwrap();
    link("elsewhere/frames", "data-val/sequences/uav2_a");
    link("nowhere", "data-val/sequences/uav3_a");
    link("", "data-val/loop");
    link("", "loop");
    link("data-val", "again");
    let discovery = found("visdrone-vid", &folder);
    assert_eq!(names(&discovery).len(), 2, "{:?}", discovery.found);
}

#[test]
#[cfg(unix)]
fn what_is_left_out_is_named() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = Folder::new();
    folder.sequence("sequences/uav1_a", 2).write("sequences/loose.jpg", jpeg(8, 8));
    folder.write("sequences/uav1_a/sub/0000003.jpg", jpeg(8, 8)).write("annotations/uav1_a.txt", "");
    folder.write("annotations/old/uav1_a.txt", "").write("annotations/notes.md", "");
    let link = |from: &str, to: &str| std::os::unix::fs::symlink(from, folder.path().join(to)).unwrap();
    link("gone.jpg", "sequences/uav1_a/0000004.jpg");
    link("0000005.jpg", "sequences/uav1_a/0000005.jpg");
    link("gone.txt", "annotations/uav2_a.txt");
    link("gone", "elsewhere");
    let strange = std::ffi::OsStr::from_bytes(b"sequences/uav1_a/000\xff.jpg");
    std::fs::write(folder.path().join(strange), jpeg(8, 8)).unwrap();
    let status = std::process::Command::new("mkfifo").arg(folder.path().join("sequences/uav1_a/0000006.jpg")).status();
    let notes = found("visdrone-vid", &folder).notes.join("\n");
    for part in [
        "source `src`: 1 entries cannot be read and are skipped: elsewhere (a link that leads nowhere",
        "annotations: 1 entries cannot be read and are skipped: uav2_a.txt (a link that leads nowhere",
        "annotations: 2 entries are no annotations and are skipped: notes.md, old/",
        "sequences: 1 entries lie beside the sequences and are skipped: loose.jpg",
        "sequences/uav1_a: 1 entries are no images and are skipped: sub/",
        "0000004.jpg (a link that leads nowhere",
        "0000005.jpg (a link that leads nowhere",
        "(the name is not UTF-8)",
    ] {
        assert!(notes.contains(part), "{part}\nis not in\n{notes}");
    }
    assert!(status.is_err() || notes.contains("0000006.jpg (neither a file nor a folder)"), "{notes}");
}

#[test]
fn a_folder_is_read_by_one_source() {
    let folder = Folder::new();
    folder.sequence("data/VisDrone2019-VID-val/sequences/uav1_a", 1);
    let below = |name: &str, kind: &str, path: &str| SourceConfig {
        name: name.into(),
        ..source(kind, &folder.path().join(path))
    };
    for (kind, path) in [
        ("visdrone-vid", "data"),
        ("visdrone-vid", "data/VisDrone2019-VID-val/../VisDrone2019-VID-val"),
        ("visdrone-mot", "data"),
    ] {
        let error = discover(&project(vec![below("a", "visdrone-vid", "data"), below("b", kind, path)])).unwrap_err();
        assert_eq!(error.path, ["source", "1", "path"]);
        assert!(error.message.ends_with("VisDrone2019-VID-val is read by source `a` already"), "{error}");
    }
}

#[test]
fn what_a_task_depends_on_is_in_its_options_and_the_path_is_not() {
    let folder = Folder::new();
    folder.sequence("x-val/sequences/uav0000001_a", 1);
    let base = || source("visdrone-vid", folder.path());
    let options = |source: SourceConfig| discover(&project(vec![source])).unwrap().found[0].options.clone();
    let plain = options(base());
    assert!(!serde_json::to_string(&plain).unwrap().contains(folder.path().to_str().unwrap()));
    let changed = [
        SourceConfig { fps: Some(30.0), ..base() },
        SourceConfig { licence: "other".into(), ..base() },
        SourceConfig { boxes_in: uavgen_core::project::BoxesIn::Stored, ..base() },
        SourceConfig { kind: "visdrone-mot".into(), ..base() },
    ];
    for source in changed {
        assert_ne!(options(source.clone()), plain, "{source:?}");
    }
    let mut aliased = project(vec![base()]);
    aliased.split.aliases.insert("visdrone:0000001".into(), "town".into());
    assert_ne!(discover(&aliased).unwrap().found[0].options, plain);
    aliased.split.aliases = [("visdrone:0000009".into(), "town".into())].into();
    let found = discover(&aliased).unwrap();
    assert_eq!(found.found[0].options, plain, "aliases of other groups do not matter");
    let note = "[split.aliases] `visdrone:0000009`: no recording is of this group; did you mean `visdrone:0000001`?";
    assert!(found.notes.iter().any(|line| line == note), "{:?}", found.notes);
}

fn conflicting(folder: &Folder) -> Project {
    folder.sequence("VisDrone2019-VID-val/sequences/uav0000001_a", 1);
    folder.sequence("VisDrone2019-VID-train/sequences/uav0000001_b", 1);
    folder.sequence("VisDrone2019-VID-train/sequences/uav0000002_a", 1);
    for name in ["0000001_x", "0000003_x"] {
        folder.write(&format!("VisDrone2019-DET-train/images/{name}.jpg"), jpeg(8, 8));
    }
    let det = SourceConfig { name: "det".into(), ..source("visdrone-det", folder.path()) };
    project(vec![source("visdrone-vid", folder.path()), det])
}

#[test]
fn groups_are_compared_across_sources() {
    let folder = Folder::new();
    let error = discover(&conflicting(&folder)).unwrap_err();
    assert!(error.message.contains("visdrone:0000001"), "{error}");
    assert!(!error.message.contains("visdrone:0000002"), "{error}");
}

#[test]
fn dropped_recordings_are_named_rejects() {
    let folder = Folder::new();
    let mut project = conflicting(&folder);
    project.split = SplitConfig { on_conflict: SplitConflict::Drop, ..SplitConfig::default() };
    let written = ingest_project(&project, &IngestConfig::default());
    let mut reasons = written.reasons();
    reasons.sort_unstable();
    assert_eq!(reasons, [("det/0000001_x", "split_conflict"), ("src/uav0000001_b", "split_conflict")]);
    let mut kept: Vec<_> =
        written.recordings.iter().map(|one| (one.recording_id.as_str(), one.split.as_str())).collect();
    kept.sort_unstable();
    assert_eq!(kept, [("det/0000003_x", "train"), ("src/uav0000001_a", "val"), ("src/uav0000002_a", "train")]);
}

#[test]
fn regrouping_gives_stills_and_sequences_of_a_place_one_split() {
    let folder = Folder::new();
    let mut project = conflicting(&folder);
    project.split.mode = SplitMode::Regroup;
    for salt in ["a", "b", "c", "d"] {
        project.split.salt = salt.into();
        let written = ingest_project(&project, &IngestConfig::default());
        let of_group = written.recordings.iter().filter(|one| one.group_id == "visdrone:0000001");
        let splits: std::collections::BTreeSet<_> = of_group.map(|one| one.split.clone()).collect();
        assert_eq!((splits.len(), written.recordings.len()), (1, 5));
    }
}
