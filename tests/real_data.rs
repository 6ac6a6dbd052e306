//! Real data, exactly as distributed.

use crate::harness::{Project, copy_tree, shared, skipped};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use uavgen_core::store::TableReader;
use uavgen_schemas::{Box2d, Frame, Record, Region};

fn table<R: Record>(project: &Project) -> Vec<R> {
    let folder = project.release().join("data").join(R::TABLE);
    // A table without rows has no file in a release.
    let files = if folder.is_dir() { crate::harness::files(&folder) } else { Vec::new() };
    files.iter().flat_map(|file| TableReader::open(file).unwrap().rows().unwrap()).collect()
}

/// Lines of an annotation file, split at commas: the test's own reading of it.
fn lines(path: &Path) -> Vec<Vec<i64>> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| line.split(',').map(|field| field.trim().parse().unwrap()).collect()).collect()
}

#[test]
fn visdrone_vid_becomes_a_release() {
    let Some(shared) = shared("visdrone_vid_becomes_a_release") else { return };
    let project = Project::empty();
    copy_tree(&shared.join("visdrone_vid"), &project.path().join("visdrone_vid"));
    project.init(&["visdrone-vid=visdrone_vid"]);
    project.build();
    project.run(&["check", "latest"]).expect_code(0);

    let rows = lines(&shared.join("visdrone_vid/annotations/uav0000086_00000_v.txt"));
    let on_images = |row: &&Vec<i64>| row[0] <= 8;
    let objects = rows.iter().filter(on_images).filter(|row| (1..=10).contains(&row[7])).count();
    let ignored = rows.iter().filter(on_images).filter(|row| row[7] == 0).count();
    assert_eq!(table::<Frame>(&project).len(), 8);
    assert_eq!(table::<Box2d>(&project).len(), objects);
    assert_eq!(table::<Region>(&project).len(), ignored);
    let recording = &table::<uavgen_schemas::Recording>(&project)[0];
    assert_eq!(recording.annotated_without_image, 464 - 8);
    assert_eq!(recording.source_fps, None);
}

#[test]
fn visdrone_det_folders_become_a_release() {
    let Some(shared) = shared("visdrone_det_folders_become_a_release") else { return };
    let project = Project::empty();
    for folder in ["visdrone_sample", "trainset", "valset"] {
        copy_tree(&shared.join("visdrone_det").join(folder), &project.path().join(folder));
    }
    project.init(&["visdrone-det=visdrone_sample", "visdrone-det=trainset", "visdrone-det=valset"]);
    project.build();
    project.run(&["check", "latest"]).expect_code(0);
    assert_eq!(table::<Frame>(&project).len(), 14 + 3 + 4);
}

#[test]
fn frames_of_a_real_video_become_a_release() {
    let Some(shared) = shared("frames_of_a_real_video_become_a_release") else { return };
    let project = Project::empty();
    let frames = project.path().join("clips/VisDrone2019-MOT-val/sequences/uav0000305_00000_v");
    let annotations = project.path().join("clips/VisDrone2019-MOT-val/annotations");
    fs::create_dir_all(&frames).unwrap();
    fs::create_dir_all(&annotations).unwrap();
    let extracted = Command::new("ffmpeg")
        .args(["-v", "error", "-i"])
        .arg(shared.join("visdrone_mot_clips/demo1.mp4"))
        .args(["-q:v", "3", "-start_number", "1"])
        .arg(frames.join("%07d.jpg"))
        .status();
    if !extracted.is_ok_and(|status| status.success()) {
        skipped("frames_of_a_real_video_become_a_release", "no ffmpeg command");
        return;
    }
    // The tracker's boxes are in a picture of about 1904x1071; this one is 960x540. They stand in for annotations.
    let tracked = fs::read_to_string(shared.join("visdrone_mot_clips/tracker_results/uav0000305_00000_v.txt")).unwrap();
    let scaled: String = tracked.lines().filter_map(|line| scale(line, 960.0 / 1904.0)).collect();
    fs::write(annotations.join("uav0000305_00000_v.txt"), scaled).unwrap();
    project.init(&["visdrone-mot=clips"]);
    project.build();
    project.run(&["check", "latest"]).expect_code(0);
    assert_eq!(table::<Frame>(&project).len(), 184);
    let videos = table::<uavgen_schemas::Video>(&project);
    assert_eq!((videos.len(), videos[0].frame_count), (1, 184));
    // 12 s are enough for segments of unequal length, and not for overlapping ones.
    let clips = table::<uavgen_schemas::Clip>(&project);
    let strategies: Vec<_> = clips.iter().map(|clip| (clip.kind, clip.strategy)).collect();
    let shuffled = (uavgen_schemas::ClipKind::Shuffled, Some(uavgen_schemas::ShuffleStrategy::Spatial));
    assert!(clips.len() == 2 && strategies.contains(&shuffled), "{strategies:?}");
}

#[test]
fn videos_and_frames_become_a_release() {
    let Some(shared) = shared("videos_and_frames_become_a_release") else { return };
    let build = |jobs: &str| {
        let project = Project::empty();
        for folder in ["airscape", "visdrone_mot_clips", "uav123"] {
            copy_tree(&shared.join(folder), &project.path().join(folder));
        }
        let telemetry = shared.join("dji_srt/samples/air2s.srt");
        fs::copy(telemetry, project.path().join("airscape/generated_example/00819_urbanvideo_test.SRT")).unwrap();
        project.init(&["video=airscape", "video=visdrone_mot_clips", "frames=uav123"]);
        project.run(&["build", "--stage", "all", "--jobs", jobs]).expect_code(0);
        project
    };
    let project = build("1");
    project.run(&["check", "latest"]).expect_code(0);
    // Frames and rates as `ffprobe -count_frames` has them.
    let recordings = table::<uavgen_schemas::Recording>(&project);
    let facts: BTreeSet<_> = recordings
        .iter()
        .map(|row| (row.sequence.as_str(), row.frame_count, row.source_fps.map(|fps| fps.round() as i64)))
        .collect();
    let expected = [
        ("data_seq/UAV123/wakeboard7", 25, None),
        ("demo1", 184, Some(30)),
        ("dataset_example/area/05442_WebUAV3M_train_hot-air_balloon_83_0", 129, Some(24)),
        ("generated_example/00819_urbanvideo_test", 49, Some(8)),
        ("generated_example/00930_urbanvideo_test", 49, Some(8)),
        ("generated_example/01035_NAT2021_test_N02029_4", 49, Some(8)),
    ];
    assert_eq!(facts, BTreeSet::from(expected));
    let videos = table::<uavgen_schemas::Video>(&project);
    let rates: BTreeSet<_> = videos.iter().map(|row| (row.frame_count, row.fps_num, row.fps_den)).collect();
    assert_eq!(rates, BTreeSet::from([(25, 15, 1), (184, 30, 1), (129, 24, 1), (49, 8, 1)]));
    // The blocks end at 0.567 s: five frames at 8 per second.
    let telemetry = table::<uavgen_schemas::Telemetry>(&project);
    assert_eq!(telemetry.len(), 5, "{telemetry:?}");
    assert!(telemetry.iter().all(|row| row.latitude_deg.is_some_and(|latitude| (latitude - 41.4247).abs() < 1e-3)));
    assert_eq!(project.release_digests(), build("4").release_digests());
}

fn scale(line: &str, factor: f64) -> Option<String> {
    let fields: Vec<f64> = line.split(',').map(|field| field.trim().parse().ok()).collect::<Option<_>>()?;
    let [frame, id, x, y, w, h] = fields[..6].try_into().ok()?;
    let px = |value: f64| (value * factor).round();
    Some(format!("{frame},{id},{},{},{},{},1,4,0,0\n", px(x), px(y), px(w), px(h)))
}
