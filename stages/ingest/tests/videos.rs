//! Videos and folders of frames: what is found, under which names, groups and splits, and what becomes of it.

use super::harness::{Folder, Written, discover, ingest, ingest_project, jpeg, project, source};
use crate::ingest::IngestConfig;
use std::collections::BTreeMap;
use std::fs;
use uavgen_core::project::{GroupBy, SplitMode};
use uavgen_core::{ConfigError, Discovery, Partition, Project, SourceConfig};
use uavgen_media::{EncodeSettings, FrameRate, Rgb, RgbImage};
use uavgen_schemas::RecordingKind;

/// A video of frames of 64x48 pixels, 10 in a second.
fn film(frames: u8) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film.mp4");
    let picture = |n: u8| uavgen_media::encode_jpeg(&RgbImage::from_pixel(64, 48, Rgb([8 * n + 20; 3])), 95).unwrap();
    let settings = EncodeSettings { fps: FrameRate::new(10, 1).unwrap(), gop_frames: 4, ..EncodeSettings::default() };
    uavgen_media::encode_video((0..frames).map(|n| Ok(picture(n))), &settings, &path).unwrap();
    fs::read(path).unwrap()
}

fn found(kind: &str, folder: &Folder) -> Discovery {
    discover(&project(vec![source(kind, folder.path())])).unwrap()
}

fn refused(source: SourceConfig) -> ConfigError {
    discover(&project(vec![source])).unwrap_err()
}

/// Recording, split and files of everything that was found.
fn units(discovery: &Discovery) -> Vec<(&str, &str, Vec<&str>)> {
    fn name(partition: &Partition) -> (&str, &str) {
        match partition {
            Partition::Sequence { sequence, split, .. } => (sequence, split),
            other => panic!("{other:?}"),
        }
    }
    let found = discovery.found.iter().map(|one| (name(&one.partition), &one.files));
    found.map(|((name, split), files)| (name, split, files.iter().map(String::as_str).collect())).collect()
}

/// Leak group of each recording.
fn groups(written: &Written) -> BTreeMap<&str, &str> {
    written.recordings.iter().map(|row| (row.sequence.as_str(), row.group_id.as_str())).collect()
}

#[test]
fn every_video_is_a_recording_wherever_it_lies() {
    let folder = Folder::new();
    for file in ["a.mp4", "train/b.MOV", "deep/er/val/c.Mkv", "x/y/z/w/d.avi", "x/y/z/w/v/too-deep.mp4", ".hidden.mp4"]
    {
        folder.write(file, "");
    }
    folder.write("notes.txt", "").write("train/B.srt", "").write("train/lonely.SRT", "");
    let discovery = found("video", &folder);
    let expected = [
        ("a", "train", vec!["a.mp4"]),
        ("deep/er/val/c", "val", vec!["deep/er/val/c.Mkv"]),
        ("train/b", "train", vec!["train/B.srt", "train/b.MOV"]),
        ("x/y/z/w/d", "train", vec!["x/y/z/w/d.avi"]),
    ];
    let mut units = units(&discovery);
    units.sort_unstable();
    assert_eq!(units, expected);
    assert!(discovery.notes.iter().any(|note| note.ends_with("1 entries are no videos and are skipped: notes.txt")));
    assert!(
        discovery.notes.iter().any(|note| note.ends_with("train: 1 entries are no videos and are skipped: lonely.SRT"))
    );
    let unsplit = "source `src`: 2 of its folders name no split and count as train; set `split` of the source to change that: ., x/y/z/w";
    assert!(discovery.notes.iter().any(|note| note == unsplit), "{:?}", discovery.notes);
}

#[test]
fn names_are_told_apart() {
    let folder = Folder::new();
    for file in ["a.mp4", "a.MOV", "b.mp4", "b.mp4.mkv", "c/a.mp4", "c.d.mp4"] {
        folder.write(file, "");
    }
    let discovery = found("video", &folder);
    let mut names: Vec<&str> = units(&discovery).into_iter().map(|(name, ..)| name).collect();
    names.sort_unstable();
    assert_eq!(names, ["a.MOV", "a.mp4", "b", "b.mp4.mkv", "c.d", "c/a"]);
}

#[test]
fn a_source_may_be_one_file() {
    let folder = Folder::new();
    folder.write("flights/DJI_0001.MP4", film(3)).write("flights/DJI_0001.SRT", "").write("flights/DJI_0002.MP4", "x");
    let written = ingest(source("video", &folder.path().join("flights/DJI_0001.MP4")));
    assert_eq!((written.recordings.len(), written.recordings[0].recording_id.as_str()), (1, "src/DJI_0001"));
    assert_eq!(written.frames[2].file, "DJI_0001.MP4");
    let error = refused(source("frames", &folder.path().join("flights/DJI_0002.MP4")));
    assert!(error.message.contains("it looks like a video, which has the kind `video`"), "{}", error.message);
}

#[test]
fn frames_are_those_that_decode_with_their_times() {
    let folder = Folder::new();
    let content = film(5);
    folder.write("town/DJI_0001.MP4", &content);
    let written = ingest(source("video", folder.path()));
    let recording = &written.recordings[0];
    assert_eq!((recording.recording_id.as_str(), recording.kind), ("src/town/DJI_0001", RecordingKind::Sequence));
    assert_eq!((recording.frame_count, recording.labelled_frame_count, recording.source_fps), (5, 0, Some(10.0)));
    for (number, frame) in (0_i64..).zip(&written.frames) {
        assert_eq!(frame.frame_id, format!("src/town/DJI_0001/{number}"));
        assert_eq!((frame.index, frame.source_number, frame.timestamp_us), (number, number, Some(number * 100_000)));
        assert_eq!((frame.width, frame.height, frame.exif_orientation, frame.labelled), (64, 48, 1, false));
        assert_eq!((frame.format.as_str(), frame.pixel_layout.as_str()), ("video", "yuv420p"));
        assert_eq!(frame.digest, blake3::hash(&content).to_hex().to_string());
        assert_eq!((frame.file.as_str(), frame.byte_count), ("town/DJI_0001.MP4", content.len() as i64));
    }
    assert!(written.rejects.is_empty() && written.boxes.is_empty());
    let stated = SourceConfig { fps: Some(40.0), ..source("video", folder.path()) };
    assert_eq!(ingest(stated).recordings[0].source_fps, Some(40.0));
}

#[test]
fn broken_videos_are_quarantined_by_name() {
    let folder = Folder::new();
    let whole = film(12);
    folder.write("a/empty.mp4", "").write("a/text.mp4", "hello\n").write("a/whole.mp4", &whole);
    folder.write("b/cut.mp4", &whole[..whole.len() - 60]).write("b/headless.mp4", &whole[..100]);
    let written = ingest(source("video", folder.path()));
    let files: Vec<_> = written.reasons().into_iter().filter(|(id, _)| id.ends_with(".mp4")).collect();
    assert!(files.contains(&("a/empty.mp4", "empty_file")), "{files:?}");
    assert!(files.contains(&("a/text.mp4", "not_a_video")), "{files:?}");
    assert!(files.contains(&("b/headless.mp4", "truncated")), "{files:?}");
    let videos = &written.counts.inputs["video"];
    assert_eq!((videos.read, videos.quarantined.values().sum::<u64>()), (5, 3));
    // Of the cut one the frames before the cut stay, and each of the others is accounted for.
    let names: Vec<&str> = written.recordings.iter().map(|row| row.sequence.as_str()).collect();
    assert_eq!(names, ["a/whole", "b/cut"]);
    let kept = written.recordings[1].frame_count as u64;
    let lost = written.counts.inputs["video frame"].quarantined.values().sum::<u64>();
    assert!((1..12).contains(&kept), "{kept}");
    assert_eq!(written.counts.inputs["video frame"].read, 12 + kept + lost);
    let unlisted = written.note("frames_listed_and_not_there");
    let behind = lost - u64::from(unlisted > 0);
    assert_eq!(kept + behind + unlisted, 12, "{:?}", written.reasons());
    assert!(written.rejects.iter().any(|reject| reject.record_id == format!("src/b/cut/{kept}")));
}

#[test]
fn videos_of_a_folder_share_a_leak_group() {
    let folder = Folder::new();
    let content = film(2);
    for file in ["a.mp4", "town/b.mp4", "town/c.mp4", "clips/uav0000305_00000_v.mp4"] {
        folder.write(file, &content);
    }
    let written = ingest(source("video", folder.path()));
    let expected = [
        ("a", "src:."),
        ("clips/uav0000305_00000_v", "visdrone:0000305"),
        ("town/b", "src:town"),
        ("town/c", "src:town"),
    ];
    assert_eq!(groups(&written), BTreeMap::from(expected));
    let by_file = SourceConfig { group_by: GroupBy::File, ..source("video", folder.path()) };
    let mut grouped = project(vec![by_file]);
    grouped.split.aliases = [("src:a".to_owned(), "visdrone:1".to_owned())].into();
    let written = ingest_project(&grouped, &IngestConfig::default());
    let expected = [
        ("a", "visdrone:1"),
        ("clips/uav0000305_00000_v", "visdrone:0000305"),
        ("town/b", "src:town/b"),
        ("town/c", "src:town/c"),
    ];
    assert_eq!(groups(&written), BTreeMap::from(expected));
    let error = refused(SourceConfig { group_by: GroupBy::File, ..source("frames", folder.path()) });
    assert_eq!(error.path.last().map(String::as_str), Some("group_by"));
}

#[test]
fn splits_can_be_drawn_and_listed() {
    let folder = Folder::new();
    for place in 0..12 {
        folder.write(&format!("{place}/a.mp4"), "").write(&format!("{place}/b.mp4"), "");
    }
    let mut drawn = project(vec![source("video", folder.path())]);
    drawn.split.mode = SplitMode::Regroup;
    let discovery = discover(&drawn).unwrap();
    let mut splits: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, split, _) in units(&discovery) {
        splits.entry(name.split('/').next().unwrap().to_owned()).or_default().push(split.to_owned());
    }
    assert!(splits.values().all(|splits| splits[0] == splits[1]), "{splits:?}");
    assert!(splits.values().any(|of| of[0] != splits["0"][0]), "{splits:?}");
    drawn.split.mode = SplitMode::List;
    drawn.split_list = (0..12).map(|place| (format!("src:{place}"), "val".to_owned())).collect();
    drawn.split_list.insert("src/0/a".into(), "none".into());
    let discovery = discover(&drawn).unwrap();
    assert_eq!(units(&discovery).len(), 23);
    assert!(units(&discovery).iter().all(|(_, split, _)| *split == "val"));
}

#[test]
fn a_video_is_read_by_one_source() {
    let folder = Folder::new();
    folder.write("a/b.mp4", "");
    let twice = SourceConfig { name: "two".into(), ..source("video", &folder.path().join("a")) };
    let error = discover(&project(vec![source("video", folder.path()), twice])).unwrap_err();
    assert!(error.message.ends_with("a/b.mp4 is read by source `src` already"), "{}", error.message);
    std::os::unix::fs::symlink(folder.path(), folder.path().join("a/circle")).unwrap();
    assert_eq!(units(&found("video", &folder)).len(), 1);
}

#[test]
fn links_to_a_video_of_the_source_are_skipped_by_name() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    folder.write("b/DJI_0001.MP4", "").write("b/DJI_0001.SRT", "").write("a/notes.txt", "");
    symlink("../b/DJI_0001.MP4", folder.path().join("a/latest.mp4")).unwrap();
    symlink("DJI_0001.MP4", folder.path().join("b/again.mp4")).unwrap();
    let discovery = found("video", &folder);
    // The file itself is taken, with its telemetry, though a link comes before it.
    let files = vec!["b/DJI_0001.MP4", "b/DJI_0001.SRT"];
    assert_eq!(units(&discovery), [("b/DJI_0001", "train", files)]);
    for link in ["a/latest.mp4", "b/again.mp4"] {
        let note = format!("source `src`: {link} is the same file as b/DJI_0001.MP4 and is skipped");
        assert!(discovery.notes.contains(&note), "{:?}", discovery.notes);
    }
    // Of links to a file outside, the first is taken.
    let links = Folder::new();
    for link in ["x.mp4", "y.mp4"] {
        symlink(folder.path().join("b/DJI_0001.MP4"), links.path().join(link)).unwrap();
    }
    let discovery = found("video", &links);
    assert_eq!(units(&discovery), [("x", "train", vec!["x.mp4"])]);
    assert!(discovery.notes.contains(&"source `src`: y.mp4 is the same file as x.mp4 and is skipped".to_owned()));
}

#[test]
fn what_builds_write_is_no_source() {
    let folder = Folder::new();
    for file in ["flight/a.mp4", "releases/one/videos/b.mp4", "store/video/c.mp4"] {
        folder.write(file, "");
    }
    std::os::unix::fs::symlink(folder.path(), folder.path().join("flight/all")).unwrap();
    std::os::unix::fs::symlink(folder.path().join("releases"), folder.path().join("flight/latest")).unwrap();
    let own_folders = ["store", "releases", "runs"].map(|name| folder.path().join(name)).to_vec();
    let project = Project { own_folders, ..project(vec![source("video", folder.path())]) };
    let discovery = discover(&project).unwrap();
    assert_eq!(units(&discovery).len(), 1, "{:?}", units(&discovery));
}

#[test]
fn what_holds_no_video_is_named() {
    let folder = Folder::new();
    folder.write("a.txt", "");
    let error = refused(source("video", folder.path()));
    assert!(error.message.starts_with("there is no video in "), "{}", error.message);
    assert!(error.hint.unwrap().contains("<recording>.mp4"));
    assert!(refused(source("frames", folder.path())).message.starts_with("there is no image in "));
    assert!(refused(source("video", &folder.path().join("gone"))).message.ends_with("does not exist"));
    folder.write("v/a.mp4", "");
    let error = refused(source("visdrone-vid", &folder.path().join("v")));
    assert!(error.message.ends_with("it looks like a folder of videos, which have the kind `video`"));
}

#[test]
fn folders_of_frames_are_sequences_without_labels() {
    let folder = Folder::new();
    folder.sequence("data_seq/UAV123/wakeboard7", 3).sequence("data_seq/UAV123/car1", 2).sequence("val", 1);
    folder.write("anno/UAV123/wakeboard7.txt", "1,2,3,4\n").write("val/cover.jpg", jpeg(10, 10));
    let written = ingest(source("frames", folder.path()));
    let recordings: Vec<_> =
        written.recordings.iter().map(|row| (row.sequence.as_str(), row.frame_count, row.split.as_str())).collect();
    let expected =
        [("data_seq/UAV123/car1", 2, "train"), ("data_seq/UAV123/wakeboard7", 3, "train"), ("val", 1, "val")];
    assert_eq!(recordings, expected);
    assert_eq!(written.frame("src/data_seq/UAV123/wakeboard7/2").file, "data_seq/UAV123/wakeboard7/0000002.jpg");
    assert!(written.frames.iter().all(|frame| !frame.labelled && frame.timestamp_us.is_none()));
    assert_eq!(written.reasons(), [("val/cover.jpg", "bad_frame_name")]);
    assert_eq!(groups(&written)["data_seq/UAV123/car1"], "src:data_seq/UAV123/car1");
    // The folder itself may be the sequence.
    let one = ingest(source("frames", &folder.path().join("data_seq/UAV123/wakeboard7")));
    assert_eq!(one.recordings[0].recording_id, "src/wakeboard7");
}

#[test]
fn a_group_that_is_kept_in_another_split_leaves_no_video() {
    let folder = Folder::new();
    folder.write("train/uav0000001_a.mp4", film(2)).write("val/uav0000001_b.mp4", film(2));
    let mut both = project(vec![source("video", folder.path())]);
    assert!(discover(&both).unwrap_err().message.contains("visdrone:0000001"));
    both.split.on_conflict = uavgen_core::project::SplitConflict::Drop;
    let written = ingest_project(&both, &IngestConfig::default());
    assert_eq!(written.reasons(), [("src/train/uav0000001_a", "split_conflict")]);
    assert_eq!((written.recordings.len(), written.frames.len()), (1, 2));
}
