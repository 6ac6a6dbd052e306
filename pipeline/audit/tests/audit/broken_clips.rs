//! Clips whose plan, file or place is wrong.

use crate::release::{CLIP, HEIGHT, Tables, WIDTH, codes, encoded, picture};
use std::fs;
use uavgen_core::fingerprint::digest;
use uavgen_media::{EncodeSettings, Part, assemble};
use uavgen_schemas::{Clip, ClipFrame, ClipKind, ClipPool, ClipSample, ClipSegment, ShuffleStrategy};

impl Tables {
    /// Adds a clip of the first two frames of the video.
    pub(crate) fn add_clip(&mut self) {
        let folder = tempfile::tempdir().unwrap();
        let [video, out] = ["v.mp4", "c.mp4"].map(|name| folder.path().join(name));
        fs::write(&video, &self.video).unwrap();
        let settings = EncodeSettings::default();
        assemble(&[Part { video, first_frame: 0, frame_count: 2, settings }], &out).unwrap();
        self.clip = fs::read(&out).unwrap();
        let clip = Clip {
            clip_id: "c0".into(),
            kind: ClipKind::Single,
            strategy: None,
            pool: Some(ClipPool::Sample),
            repeat: 0,
            recording_ids: vec!["vid/a".into()],
            group_ids: vec!["g1".into()],
            split: "train".into(),
            path: CLIP.into(),
            frame_count: 2,
            width: WIDTH,
            height: HEIGHT,
            fps_num: 15,
            fps_den: 1,
            segment_count: 1,
            digest: digest(&self.clip),
            byte_count: self.clip.len() as i64,
        };
        let segment = ClipSegment {
            segment_id: "c0/0".into(),
            clip_id: "c0".into(),
            position: 0,
            source_position: 0,
            first_frame: 0,
            frame_count: 2,
            member_clip_id: None,
            recording_id: "vid/a".into(),
            video_id: "v0".into(),
            video_first_frame: 0,
            overlap_frames: 0,
            encoded_again: 0,
            picture_x1: 0,
            picture_y1: 0,
            picture_x2: WIDTH,
            picture_y2: HEIGHT,
        };
        let frames = self.frame_map.iter().take(2).map(|(split, shown)| {
            let frame = ClipFrame {
                entry_id: format!("c0/{:06}", shown.video_frame),
                clip_id: "c0".into(),
                clip_frame: shown.video_frame,
                pts: shown.pts,
                timescale: shown.timescale,
                segment: 0,
                frame_id: shown.frame_id.clone(),
                source_number: shown.source_number,
            };
            (split.clone(), frame)
        });
        self.clip_frames = frames.collect();
        self.clips = vec![("train".into(), clip)];
        self.clip_segments = vec![("train".into(), segment)];
        let (sample_id, profile) = ("c0/sis-eval".into(), "sis-eval".into());
        let sample = ClipSample { sample_id, clip_id: "c0".into(), profile, frames: vec![0, 1] };
        self.clip_samples = vec![("train".into(), sample)];
    }
}

/// Asserts that exactly these faults are found after a change of the release with a clip.
#[track_caller]
fn expect(expected: &[&str], change: impl FnOnce(&mut Tables)) {
    let mut tables = Tables::whole();
    tables.add_clip();
    change(&mut tables);
    let report = tables.write().audit();
    assert_eq!(codes(&report), expected, "\n{}", report.render());
}

#[test]
fn a_clip_that_is_right_passes() {
    expect(&[], |_| {});
    expect(&[], whole_video);
}

#[test]
fn a_clip_without_a_file_of_its_own_is_a_video_from_end_to_end() {
    let changes: [fn(&mut Tables); 4] = [
        |tables| tables.clips[0].1.digest = "0".repeat(64),
        |tables| tables.clips[0].1.byte_count += 1,
        |tables| tables.clips[0].1.width += 2,
        |tables| tables.clips[0].1.path = "videos/v1.mp4".into(),
    ];
    for change in changes {
        expect(&["clip_plan"], |tables| {
            whole_video(tables);
            change(tables);
        });
    }
}

/// Makes the clip the whole video.
fn whole_video(tables: &mut Tables) {
    tables.clip.clear();
    let third = tables.frame_map[2].1.clone();
    let (split, mut frame) = tables.clip_frames[1].clone();
    (frame.entry_id, frame.clip_frame, frame.pts) = ("c0/000002".into(), 2, third.pts);
    (frame.frame_id, frame.source_number) = (third.frame_id, third.source_number);
    tables.clip_frames.push((split, frame));
    tables.clip_segments[0].1.frame_count = 3;
    let video = tables.videos[0].1.clone();
    let clip = &mut tables.clips[0].1;
    (clip.frame_count, clip.path, clip.digest, clip.byte_count) = (3, video.path, video.digest, video.byte_count);
}

#[test]
fn a_plan_that_does_not_account_for_every_frame_is_found() {
    expect(&["clip_plan"], |tables| tables.clip_segments[0].1.first_frame = 1);
    expect(&["clip_plan"], |tables| tables.clip_segments[0].1.frame_count = 1);
    expect(&["clip_plan"], |tables| tables.clip_segments[0].1.video_first_frame = 1);
    expect(&["clip_plan"], |tables| tables.clip_segments[0].1.video_first_frame = -1);
    expect(&["clip_plan"], |tables| tables.clip_segments[0].1.video_id = "v1".into());
    expect(&["clip_plan"], |tables| tables.clip_segments[0].1.source_position = 1);
    expect(&["clip_plan"], |tables| tables.clips[0].1.segment_count = 2);
    expect(&["clip_plan"], |tables| _ = tables.clip_frames.pop());
    expect(&["clip_plan"], |tables| tables.clip_frames[1].1.segment = 1);
    expect(&["clip_plan"], |tables| tables.clips[0].1.kind = ClipKind::Shuffled);
    expect(&["video_picture", "clip_plan"], |tables| {
        let first = tables.clip_frames[0].1.frame_id.clone();
        tables.clip_frames[0].1.frame_id = std::mem::replace(&mut tables.clip_frames[1].1.frame_id, first);
    });
    expect(&["clip_plan"], |tables| tables.clip_segments[0].1.overlap_frames = 1);
    expect(&["clip_plan"], |tables| tables.clip_segments[0].1.encoded_again = 3);
    expect(&["clip_plan"], |tables| tables.clip_frames[1].1.source_number += 1);
    expect(&["clip_plan"], |tables| tables.clips[0].1.pool = None);
    expect(&["clip_plan"], |tables| tables.clips[0].1.strategy = Some(ShuffleStrategy::Spatial));
    // Two segments of which the second begins where none ends.
    expect(&["clip_plan"], |tables| {
        let (split, second) = tables.clip_segments[0].clone();
        let second = ClipSegment {
            segment_id: "c0/1".into(),
            position: 1,
            source_position: 1,
            first_frame: 1,
            frame_count: 1,
            ..second
        };
        tables.clip_segments[0].1.frame_count = 1;
        tables.clip_segments.push((split, second));
        tables.clips[0].1.segment_count = 2;
    });
}

#[test]
fn samples_of_frames_that_a_clip_does_not_have_are_found() {
    for frames in [vec![], vec![0, 2], vec![1, 0], vec![-1], vec![1, 1]] {
        expect(&["clip_plan"], |tables| tables.clip_samples[0].1.frames = frames);
    }
    expect(&["dangling_reference"], |tables| tables.clip_samples[0].1.clip_id = "c1".into());
}

#[test]
fn times_that_are_not_those_of_the_file_are_found() {
    expect(&["clip_plan"], |tables| tables.clip_frames[1].1.pts += 1);
    expect(&["clip_plan"], |tables| tables.clips[0].1.fps_num = 30);
}

#[test]
fn a_clip_in_another_split_or_group_is_found() {
    expect(&["split_mismatch", "group_in_two_splits"], |tables| tables.clips[0].1.split = "val".into());
    expect(&["clip_plan"], |tables| tables.clips[0].1.group_ids = vec!["g9".into()]);
    expect(&["clip_plan"], |tables| tables.clips[0].1.recording_ids = vec!["vid/b".into()]);
    expect(&["dangling_reference", "clip_plan"], |tables| {
        tables.clips[0].1.recording_ids = vec!["vid/x".into()];
        tables.clip_segments[0].1.recording_id = "vid/x".into();
    });
    expect(&["dangling_reference", "clip_plan"], |tables| tables.clip_segments[0].1.clip_id = "c9".into());
}

#[test]
fn a_file_that_is_not_the_clip_is_found() {
    expect(&["video_mismatch", "clip_plan"], |tables| tables.clips[0].1.width += 2);
    expect(&["video_mismatch"], |tables| tables.clips[0].1.byte_count += 1);
    expect(&["video_mismatch"], |tables| tables.clips[0].1.digest = "0".repeat(64));
    expect(&["dangling_reference"], |tables| tables.clip.clear());
    expect(&["dangling_reference", "clip_plan"], |tables| tables.clips[0].1.path = "clips/other.mp4".into());
    expect(&["video_picture"], |tables| {
        let images: Vec<Vec<u8>> = [2, 1].map(picture).into();
        (tables.clip, _) = encoded(&images, &EncodeSettings::default());
        let clip = &mut tables.clips[0].1;
        (clip.digest, clip.byte_count) = (digest(&tables.clip), tables.clip.len() as i64);
    });
    expect(&["dangling_reference"], |tables| {
        tables.clips.clear();
        tables.clip_segments.clear();
        tables.clip_frames.clear();
        tables.clip_samples.clear();
    });
    assert!(CLIP.starts_with("clips/"));
}
