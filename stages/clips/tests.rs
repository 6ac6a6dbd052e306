//! Clips of a video whose frames carry their numbers: what is shown is what the plan says.

use super::{ClipsConfig, CutGrid, STAGE};
use crate::testing::{Bench, Outcome, number_in, numbered};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use uavgen_core::Stage;
use uavgen_media::{EncodeSettings, FrameRate, RgbImage, encode_jpeg, encode_video, for_each_frame, inspect_video};
use uavgen_schemas::{Clip, ClipFrame, ClipKind, ClipPool, ClipSegment, FrameMapEntry, RejectKind, Video};

/// A recording of so many frames, as the stages before leave it. Source numbers run from 5 in steps of 2.
fn bench(frames: u32, gop_frames: u32) -> Bench {
    bench_of(frames, gop_frames, |number| numbered(number, 160, 96))
}

/// A recording in which nothing moves.
fn still_bench(frames: u32) -> Bench {
    bench_of(frames, 15, |_| numbered(5, 160, 96))
}

fn bench_of(frames: u32, gop_frames: u32, picture: impl Fn(u32) -> RgbImage) -> Bench {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("v.mp4");
    let settings = EncodeSettings { gop_frames, ..EncodeSettings::default() };
    let images = (0..frames).map(|number| std::io::Result::Ok(encode_jpeg(&picture(number), 92).unwrap()));
    let encoded = encode_video(images.collect::<Vec<_>>(), &settings, &path).unwrap();
    let content = std::fs::read(&path).unwrap();
    let video = Video {
        video_id: "v0".into(),
        recording_id: "vid/a".into(),
        group_id: "place".into(),
        split: "train".into(),
        path: "videos/v0.mp4".into(),
        frame_count: i64::from(frames),
        width: 160,
        height: 96,
        fps_num: 15,
        fps_den: 1,
        source_fps: None,
        gop_frames: i64::from(gop_frames),
        crf: 23,
        preset: "veryfast".into(),
        digest: blake3::hash(&content).to_hex().to_string(),
        byte_count: content.len() as i64,
    };
    let map = encoded.frames.iter().map(|frame| FrameMapEntry {
        entry_id: format!("v0/{:06}", frame.source_index),
        video_id: "v0".into(),
        video_frame: frame.source_index as i64,
        pts: frame.pts,
        timescale: i64::from(encoded.timescale),
        frame_id: format!("vid/a/{:06}", 5 + 2 * frame.source_index),
        source_number: 5 + 2 * frame.source_index as i64,
        file: String::new(),
    });
    let mut bench = Bench::new("clips", "train");
    let partition = bench.sequence("vid", "a");
    // Rows of a table come in no promised order.
    bench.table(&partition, map.rev().collect());
    bench.table_with_blobs(&partition, vec![video], &[("videos/v0.mp4", content)]);
    bench
}

/// Everything that the stage made.
struct Made {
    outcome: Outcome,
    clips: Vec<Clip>,
    segments: BTreeMap<String, Vec<ClipSegment>>,
    frames: BTreeMap<String, Vec<ClipFrame>>,
}

fn made(bench: &Bench, config: serde_json::Value) -> Made {
    let configured = STAGE.configure(&config).unwrap();
    let outcome = bench.run(|context| configured.run(context));
    let (mut segments, mut frames): (BTreeMap<_, Vec<_>>, BTreeMap<_, Vec<_>>) = Default::default();
    outcome
        .rows::<ClipSegment>()
        .into_iter()
        .for_each(|row| segments.entry(row.clip_id.clone()).or_default().push(row));
    outcome.rows::<ClipFrame>().into_iter().for_each(|row| frames.entry(row.clip_id.clone()).or_default().push(row));
    Made { clips: outcome.rows(), segments, frames, outcome }
}

impl Made {
    fn of_kind(&self, kind: ClipKind) -> Vec<&Clip> {
        self.clips.iter().filter(|clip| clip.kind == kind).collect()
    }

    /// Frame numbers that a clip shows, found by decoding.
    fn shown(&self, clip: &Clip) -> Vec<i64> {
        let mut shown = Vec::new();
        for_each_frame(&self.outcome.path(&clip.path), |frame| {
            shown.push(i64::from(number_in(&frame.image)));
            ControlFlow::Continue(())
        })
        .unwrap();
        shown
    }

    /// Frame numbers that the plan says.
    fn planned(&self, clip: &Clip) -> Vec<i64> {
        let segments = self.segments[&clip.clip_id].iter();
        segments
            .flat_map(|segment| segment.video_first_frame..segment.video_first_frame + segment.frame_count)
            .collect()
    }

    fn check(&self) {
        for clip in &self.clips {
            let planned = self.planned(clip);
            assert_eq!(clip.frame_count, planned.len() as i64);
            assert_eq!(clip.segment_count, self.segments[&clip.clip_id].len() as i64);
            let frames = &self.frames[&clip.clip_id];
            assert_eq!(
                frames.iter().map(|frame| frame.source_number).collect::<Vec<_>>(),
                planned.iter().map(|n| 5 + 2 * n).collect::<Vec<_>>()
            );
            let joins: Vec<i64> = self.segments[&clip.clip_id].iter().map(|segment| segment.first_frame).collect();
            let by_frame: BTreeMap<i64, i64> =
                frames.iter().rev().map(|frame| (frame.segment, frame.clip_frame)).collect();
            assert_eq!(by_frame.into_values().collect::<Vec<_>>(), joins);
            if clip.path.starts_with("clips/") {
                assert_eq!(self.shown(clip), planned, "{clip:?}");
                let info = inspect_video(&self.outcome.path(&clip.path), |_, _| {}).unwrap();
                assert_eq!(info.pts, frames.iter().map(|frame| frame.pts).collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn every_frame_of_every_clip_is_the_one_of_its_plan() {
    for (frames, gop, grid) in [(240, 15, "gop"), (240, 15, "frame"), (260, 10, "gop"), (477, 15, "frame")] {
        let made = made(&bench(frames, gop), json!({"cut_grid": grid, "shuffled": {"repeats": 2}}));
        made.check();
        assert_eq!(made.of_kind(ClipKind::Shuffled).len(), 4, "{frames} {grid}");
        let encoded: i64 = made.segments.values().flatten().map(|segment| segment.encoded_again).sum();
        assert_eq!(encoded == 0, grid == "gop", "{encoded} frames were encoded again on the grid {grid}");
    }
}

#[test]
fn shuffled_clips_lose_and_repeat_nothing_but_their_overlaps() {
    let made = made(&bench(240, 15), json!({}));
    for clip in made.of_kind(ClipKind::Shuffled) {
        let mut segments = made.segments[&clip.clip_id].clone();
        assert!(segments.iter().any(|segment| segment.position != segment.source_position));
        segments.sort_by_key(|segment| segment.source_position);
        let last = segments.iter().map(|segment| segment.video_first_frame + segment.frame_count).max().unwrap();
        assert!((226..=240).contains(&last), "less than a group is left out");
        let mut counts = vec![0; 240];
        made.planned(clip).into_iter().for_each(|frame| counts[frame as usize] += 1);
        let overlaps: BTreeSet<i64> = segments
            .iter()
            .flat_map(|segment| segment.video_first_frame..segment.video_first_frame + segment.overlap_frames)
            .collect();
        let expected = |frame: i64| if overlaps.contains(&frame) { 2 } else { 1 };
        assert!((0..last).all(|frame| counts[frame as usize] == expected(frame)), "{counts:?}");
    }
}

#[test]
fn a_clip_that_shows_a_whole_video_is_that_file() {
    let made = made(&bench(240, 15), json!({}));
    let [single] = made.of_kind(ClipKind::Single)[..] else { panic!("{:?}", made.clips) };
    assert_eq!((single.path.as_str(), single.frame_count), ("videos/v0.mp4", 240));
    // 16 s are no long clip.
    let reasons = made
        .outcome
        .rejects()
        .iter()
        .map(|reject| (reject.record_id.clone(), reject.value, reject.limit))
        .collect::<Vec<_>>();
    assert_eq!(reasons, [("vid/a:long".to_owned(), Some(240.0), Some(450.0))]);
}

#[test]
fn long_recordings_are_cut_into_disjoint_samples_and_members() {
    let made = made(&bench(500, 5), json!({"single": {"max_seconds": 4, "sample_share": 0.5}}));
    let singles = made.of_kind(ClipKind::Single);
    assert_eq!(made.of_kind(ClipKind::Long).len(), 1);
    let mut shown: Vec<i64> = singles.iter().flat_map(|clip| made.planned(clip)).collect();
    shown.sort_unstable();
    assert_eq!(shown, (0..500).collect::<Vec<_>>());
    assert!(singles.iter().all(|clip| clip.frame_count <= 60));
    let pools: BTreeSet<Option<ClipPool>> = singles.iter().map(|clip| clip.pool).collect();
    assert_eq!(pools, BTreeSet::from([Some(ClipPool::Sample), Some(ClipPool::Member)]));
    made.check();
}

#[test]
fn too_short_a_video_is_a_reject_for_each_kind() {
    let made = made(&bench(10, 15), json!({}));
    assert!(made.clips.is_empty());
    let rejects = made.outcome.rejects();
    assert!(rejects.iter().all(|reject| reject.reason == "too_short" && reject.kind == RejectKind::Rule));
    let limits: BTreeMap<&str, f64> =
        rejects.iter().map(|reject| (reject.record_id.as_str(), reject.limit.unwrap())).collect();
    let expected =
        [("vid/a:single", 15.0), ("vid/a:long", 450.0), ("vid/a:spatial", 150.0), ("vid/a:spatio_temporal", 225.0)];
    assert_eq!(limits, BTreeMap::from(expected));
}

#[test]
fn the_same_again_gives_the_same_bytes() {
    let bench = bench(240, 15);
    let digests = || -> Vec<String> {
        made(&bench, json!({"cut_grid": "frame"})).clips.into_iter().map(|clip| clip.digest).collect()
    };
    assert_eq!(digests(), digests());
}

#[test]
fn names_tell_nothing_and_files_hold_no_words_of_the_plan() {
    let made = made(&bench(240, 15), json!({}));
    for clip in made.of_kind(ClipKind::Shuffled) {
        let name = clip.path.strip_prefix("clips/").unwrap().strip_suffix(".mp4").unwrap();
        assert!(name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let content = std::fs::read(made.outcome.path(&clip.path)).unwrap();
        let holds = |word: &[u8]| content.windows(word.len()).any(|window| window == word);
        assert!(!holds(b"shuffle") && !holds(b"spatial") && !holds(b"Lavf") && !holds(b"v0.mp4") && !holds(b"x264"));
    }
}

/// What a file shows of its own structure: the number of frames of each group of pictures.
fn groups(made: &Made, clip: &Clip) -> Vec<usize> {
    let info = inspect_video(&made.outcome.path(&clip.path), |_, _| {}).unwrap();
    let borders: Vec<usize> = info.keyframes.iter().copied().chain([info.frame_count]).collect();
    borders.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

#[test]
fn on_the_grid_of_keyframes_groups_do_not_tell_which_segment_was_the_last() {
    // 247 frames end within a group; so do overlaps of 45 frames in groups of 10.
    for (frames, gop) in [(247, 15), (247, 10), (256, 7)] {
        let made = made(&bench(frames, gop), json!({}));
        for clip in made.of_kind(ClipKind::Shuffled) {
            let phases: BTreeSet<i64> =
                made.segments[&clip.clip_id].iter().map(|segment| segment.frame_count % i64::from(gop)).collect();
            assert_eq!(phases.len(), 1, "{frames} {gop}: {:?}", groups(&made, clip));
        }
        made.check();
    }
}

#[test]
fn videos_of_keyframes_only_are_shuffled_and_long_groups_are_rejects() {
    let made_of = |frames, gop| {
        let made = made(&bench(frames, gop), json!({"single": {"max_seconds": 4}}));
        made.check();
        made.outcome.rejects().into_iter().map(|reject| (reject.record_id, reject.reason)).collect::<BTreeMap<_, _>>()
    };
    let only = made_of(300, 1);
    assert_eq!(only.into_keys().collect::<Vec<_>>(), ["vid/a:long"]);
    let long = made_of(300, 250);
    assert_eq!((long["vid/a:single"].as_str(), long["vid/a:spatial"].as_str()), ("groups_too_long", "too_short"));
}

#[test]
fn a_still_video_gives_clips_that_are_told_apart() {
    // All pieces have the same pictures, and all orders do.
    let made = made(&still_bench(480), json!({"single": {"max_seconds": 4}, "shuffled": {"repeats": 3}}));
    assert_eq!((made.of_kind(ClipKind::Single).len(), made.of_kind(ClipKind::Shuffled).len()), (8, 6));
}

#[test]
fn settings_are_checked() {
    let path = |section| STAGE.configure(&section).map(|_| ()).unwrap_err().path.join(".");
    assert_eq!(path(json!({"single": {"min_seconds": 20}})), "single.max_seconds");
    assert_eq!(path(json!({"single": {"sample_share": 1.5}})), "single.sample_share");
    assert_eq!(path(json!({"long": {"min_seconds": 0}})), "long.min_seconds");
    assert_eq!(path(json!({"shuffled": {"repeats": 11}})), "shuffled.repeats");
    assert_eq!(path(json!({"cut_grid": "second"})), "cut_grid");
    assert_eq!(ClipsConfig::default().cut_grid, CutGrid::Gop);
    assert!(FrameRate::new(15, 1).is_ok());
    let off = made(&bench(30, 15), json!({"enabled": false}));
    assert!(off.clips.is_empty() && off.outcome.rejects().is_empty());
}
