//! Concatenated clips whose members, order or pictures are wrong.

use crate::release::{HEIGHT, Tables, WIDTH, codes, encoded, frame, picture, recording, selection};
use std::fs;
use uavgen_core::fingerprint::digest;
use uavgen_media::{EncodeSettings, Part, assemble};
use uavgen_schemas::{Clip, ClipFrame, ClipKind, ClipPool, ClipSegment, FrameMapEntry, RecordingKind, Video};

const SECOND: &str = "videos/v1.mp4";
const JOINED: &str = "clips/c3.mp4";
const TICKS: i64 = 1024;

fn train<R>(row: R) -> (String, R) {
    ("train".into(), row)
}

impl Tables {
    /// Adds a second sequence of another place, each of the two as a single clip, and both joined.
    fn add_join(&mut self) {
        let images = [4, 5, 6].map(picture).to_vec();
        let (content, _) = encoded(&images, &EncodeSettings::default());
        self.recordings.push(train(recording("vid/b", "train", "g3", RecordingKind::Sequence, 3)));
        for (position, number) in (0..).zip(4..7) {
            let mut shown = frame("vid/b", "train", "g3", number);
            shown.index = position;
            self.selections.push(train(selection(&shown, &[], &[])));
            self.frame_map.push(train(FrameMapEntry {
                entry_id: format!("v1/{position:06}"),
                video_id: "v1".into(),
                video_frame: position,
                frame_id: shown.frame_id.clone(),
                source_number: number,
                file: shown.file.clone(),
                ..self.frame_map[position as usize].1.clone()
            }));
            self.frames.push(train(shown));
        }
        let second = Video {
            video_id: "v1".into(),
            recording_id: "vid/b".into(),
            group_id: "g3".into(),
            path: SECOND.into(),
            digest: digest(&content),
            byte_count: content.len() as i64,
            ..self.videos[0].1.clone()
        };
        let joined = joined(&[&self.video, &content]);
        self.more_files = vec![(SECOND.into(), content), (JOINED.into(), joined.clone())];
        let first = self.videos[0].1.clone();
        for (clip_id, video) in [("c1", &first), ("c2", &second)] {
            self.clips.push(train(whole(clip_id, video)));
            self.clip_segments.push(train(segment(clip_id, 0, video)));
            self.add_frames(clip_id, &[&video.video_id]);
        }
        self.videos.push(train(second.clone()));
        self.clips.push(train(Clip {
            clip_id: "c3".into(),
            kind: ClipKind::Concatenated,
            pool: None,
            recording_ids: vec!["vid/a".into(), "vid/b".into()],
            group_ids: vec!["g1".into(), "g3".into()],
            path: JOINED.into(),
            frame_count: 6,
            segment_count: 2,
            digest: digest(&joined),
            byte_count: joined.len() as i64,
            ..whole("c3", &first)
        }));
        for (position, member, video) in [(0, "c1", &first), (1, "c2", &second)] {
            let row = ClipSegment { member_clip_id: Some(member.into()), ..segment("c3", position, video) };
            self.clip_segments.push(train(row));
        }
        self.add_frames("c3", &["v0", "v1"]);
    }

    /// Adds the frames of a clip that shows videos from end to end.
    fn add_frames(&mut self, clip_id: &str, videos: &[&str]) {
        let mut number = 0;
        for (segment, video) in (0..).zip(videos) {
            for (_, entry) in self.frame_map.iter().filter(|(_, entry)| entry.video_id == **video) {
                self.clip_frames.push(train(ClipFrame {
                    entry_id: format!("{clip_id}/{number:06}"),
                    clip_id: clip_id.into(),
                    clip_frame: number,
                    pts: number * TICKS,
                    timescale: entry.timescale,
                    segment,
                    frame_id: entry.frame_id.clone(),
                    source_number: entry.source_number,
                }));
                number += 1;
            }
        }
    }

    fn clip(&mut self, clip_id: &str) -> &mut Clip {
        &mut self.clips.iter_mut().find(|(_, clip)| clip.clip_id == clip_id).unwrap().1
    }

    fn segment(&mut self, segment_id: &str) -> &mut ClipSegment {
        &mut self.clip_segments.iter_mut().find(|(_, row)| row.segment_id == segment_id).unwrap().1
    }
}

/// Videos of three frames, one after the other.
fn joined(videos: &[&[u8]]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let part = |(number, content): (usize, &&[u8])| {
        let video = folder.path().join(format!("{number}.mp4"));
        fs::write(&video, content).unwrap();
        Part { video, first_frame: 0, frame_count: 3, settings: EncodeSettings::default() }
    };
    let parts: Vec<Part> = videos.iter().enumerate().map(part).collect();
    let out = folder.path().join("out.mp4");
    assemble(&parts, &out).unwrap();
    fs::read(&out).unwrap()
}

/// A video from end to end as a clip that may be joined.
fn whole(clip_id: &str, video: &Video) -> Clip {
    Clip {
        clip_id: clip_id.into(),
        kind: ClipKind::Single,
        strategy: None,
        pool: Some(ClipPool::Member),
        repeat: 0,
        recording_ids: vec![video.recording_id.clone()],
        group_ids: vec![video.group_id.clone()],
        split: "train".into(),
        path: video.path.clone(),
        frame_count: 3,
        width: WIDTH,
        height: HEIGHT,
        fps_num: 15,
        fps_den: 1,
        segment_count: 1,
        digest: video.digest.clone(),
        byte_count: video.byte_count,
    }
}

fn segment(clip_id: &str, position: i64, video: &Video) -> ClipSegment {
    ClipSegment {
        segment_id: format!("{clip_id}/{position}"),
        clip_id: clip_id.into(),
        position,
        source_position: position,
        first_frame: 3 * position,
        frame_count: 3,
        member_clip_id: None,
        recording_id: video.recording_id.clone(),
        video_id: video.video_id.clone(),
        video_first_frame: 0,
        overlap_frames: 0,
        encoded_again: 0,
        picture_x1: 0,
        picture_y1: 0,
        picture_x2: WIDTH,
        picture_y2: HEIGHT,
    }
}

#[track_caller]
fn expect(expected: &[&str], change: impl FnOnce(&mut Tables)) {
    let mut tables = Tables::whole();
    tables.add_join();
    change(&mut tables);
    let report = tables.write().audit();
    assert_eq!(codes(&report), expected, "\n{}", report.render());
}

#[test]
fn a_joined_clip_that_is_right_passes() {
    expect(&[], |_| {});
}

#[test]
fn members_that_are_none_are_found() {
    expect(&["clip_plan"], |tables| tables.segment("c3/0").member_clip_id = Some("c9".into()));
    expect(&["clip_plan"], |tables| tables.segment("c3/0").member_clip_id = Some("c2".into()));
    expect(&["clip_plan"], |tables| tables.segment("c3/0").member_clip_id = None);
    expect(&["clip_plan"], |tables| tables.segment("c1/0").member_clip_id = Some("c2".into()));
    expect(&["clip_plan"], |tables| tables.clip("c2").pool = Some(ClipPool::Sample));
    expect(&["clip_plan"], |tables| tables.clip("c3").pool = Some(ClipPool::Member));
    expect(&["clip_plan"], |tables| tables.segment("c3/1").source_position = 0);
    // A clip that is joined a second time, in a clip of its own name and file.
    expect(&["clip_plan"], |tables| {
        let (file, mut clip) = (tables.more_files[1].1.clone(), tables.clip("c3").clone());
        (clip.clip_id, clip.path) = ("c4".into(), "clips/c4.mp4".into());
        tables.more_files.push((clip.path.clone(), file));
        tables.clips.push(train(clip));
        let again = |mut row: ClipSegment| {
            (row.segment_id, row.clip_id) = (format!("c4/{}", row.position), "c4".into());
            train(row)
        };
        let rows: Vec<_> = tables.clip_segments.iter().filter(|(_, row)| row.clip_id == "c3").cloned().collect();
        tables.clip_segments.extend(rows.into_iter().map(|(_, row)| again(row)));
        tables.add_frames("c4", &["v0", "v1"]);
    });
}

#[test]
fn two_clips_of_one_place_in_one_video_are_found() {
    expect(&["clip_plan"], |tables| {
        tables
            .recordings
            .iter_mut()
            .filter(|(_, row)| row.recording_id == "vid/b")
            .for_each(|(_, row)| row.group_id = "g1".into());
        tables
            .frames
            .iter_mut()
            .filter(|(_, row)| row.recording_id == "vid/b")
            .for_each(|(_, row)| row.group_id = "g1".into());
        tables.videos[1].1.group_id = "g1".into();
        tables.clip("c2").group_ids = vec!["g1".into()];
        tables.clip("c3").group_ids = vec!["g1".into()];
    });
}

#[test]
fn pictures_that_lie_elsewhere_and_clips_in_another_order_are_found() {
    expect(&["clip_plan"], |tables| tables.segment("c3/1").picture_y1 = 2);
    expect(&["clip_plan"], |tables| tables.segment("c3/1").picture_x2 = -1);
    expect(&["video_picture"], |tables| {
        let second = tables.more_files[0].1.clone();
        let other = joined(&[&second, &tables.video]);
        let clip = tables.clip("c3");
        (clip.digest, clip.byte_count) = (digest(&other), other.len() as i64);
        tables.more_files[1].1 = other;
    });
}
