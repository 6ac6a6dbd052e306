//! Joined videos, whose frames carry their numbers: each shows its clips from end to end, in order.

use super::STAGE;
use crate::testing::{Bench, Outcome, number_in, numbered};
use serde_json::json;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use uavgen_core::Stage;
use uavgen_media::{
    EncodeSettings, Part, RgbImage, assemble, encode_jpeg, encode_video, for_each_frame, inspect_video,
};
use uavgen_schemas::{
    Clip, ClipFrame, ClipKind, ClipPool, ClipSegment, StitchGroup, StitchedClip, StitchedFrame, StitchedSample,
    StitchedSegment, Video,
};

/// A recording whose frames show the numbers from `first` on.
struct Flight {
    name: &'static str,
    size: (u32, u32),
    first: u32,
    frames: u32,
    /// The clip is the frames from this one on; the whole video, when 0.
    cut: u32,
}

/// 30 frames from end to end, 20 frames cut out of 35, 25 frames of another size, and the first two again.
const FLIGHTS: [Flight; 5] = [
    Flight { name: "a", size: (160, 96), first: 0, frames: 30, cut: 0 },
    Flight { name: "b", size: (160, 96), first: 100, frames: 35, cut: 15 },
    Flight { name: "c", size: (240, 200), first: 200, frames: 25, cut: 0 },
    // The same pictures as the first two, under other names.
    Flight { name: "d", size: (160, 96), first: 0, frames: 30, cut: 0 },
    Flight { name: "e", size: (160, 96), first: 100, frames: 35, cut: 15 },
];

impl Flight {
    /// The numbers that its clip shows.
    fn numbers(&self) -> impl Iterator<Item = u32> {
        self.first + self.cut..self.first + self.frames
    }

    /// Adds what `video` and `clips` would have written.
    fn add_to(&self, bench: &mut Bench) {
        let folder = tempfile::tempdir().unwrap();
        let [path, cut] = ["v.mp4", "c.mp4"].map(|name| folder.path().join(name));
        let images = (self.first..self.first + self.frames)
            .map(|number| Ok(encode_jpeg(&numbered(number, self.size.0, self.size.1), 92).unwrap()));
        let settings = EncodeSettings::default();
        encode_video(images.collect::<Vec<std::io::Result<_>>>(), &settings, &path).unwrap();
        let frame_count = (self.frames - self.cut) as usize;
        let part = Part { video: path.clone(), first_frame: self.cut as usize, frame_count, settings };
        assemble(&[part], &cut).unwrap();
        let (video, own) = (std::fs::read(&path).unwrap(), std::fs::read(&cut).unwrap());
        let partition = bench.sequence("vid", self.name);
        let row = self.video(&video);
        let clip = self.clip(if self.cut == 0 { &video } else { &own });
        let (own_path, clip_path) = (Clip::own_path(&clip.clip_id), clip.path.clone());
        let blobs: Vec<(&str, Vec<u8>)> = if clip_path == own_path { vec![(&own_path, own)] } else { Vec::new() };
        bench.table(&partition, vec![self.segment()]);
        bench.table(&partition, self.clip_frames().rev().collect::<Vec<_>>());
        bench.table_with_blobs(&partition, vec![clip], &blobs);
        bench.table_with_blobs(&partition, vec![row.clone()], &[(&row.path, video)]);
    }

    fn video(&self, content: &[u8]) -> Video {
        Video {
            video_id: format!("v{}", self.name),
            recording_id: format!("vid/{}", self.name),
            group_id: format!("place {}", self.name),
            split: "train".into(),
            path: format!("videos/v{}.mp4", self.name),
            frame_count: i64::from(self.frames),
            width: i64::from(self.size.0),
            height: i64::from(self.size.1),
            fps_num: 15,
            fps_den: 1,
            source_fps: None,
            gop_frames: 15,
            crf: 23,
            preset: "veryfast".into(),
            digest: blake3::hash(content).to_hex().to_string(),
            byte_count: content.len() as i64,
        }
    }

    fn clip(&self, content: &[u8]) -> Clip {
        let clip_id = format!("clip{}", self.name);
        let path = if self.cut == 0 { format!("videos/v{}.mp4", self.name) } else { Clip::own_path(&clip_id) };
        Clip {
            clip_id,
            kind: ClipKind::Single,
            strategy: None,
            pool: Some(ClipPool::Member),
            repeat: 0,
            recording_ids: vec![format!("vid/{}", self.name)],
            group_ids: vec![format!("place {}", self.name)],
            split: "train".into(),
            path,
            frame_count: i64::from(self.frames - self.cut),
            width: i64::from(self.size.0),
            height: i64::from(self.size.1),
            fps_num: 15,
            fps_den: 1,
            segment_count: 1,
            digest: blake3::hash(content).to_hex().to_string(),
            byte_count: content.len() as i64,
        }
    }

    fn segment(&self) -> ClipSegment {
        ClipSegment {
            segment_id: format!("clip{}/0", self.name),
            clip_id: format!("clip{}", self.name),
            position: 0,
            source_position: 0,
            first_frame: 0,
            frame_count: i64::from(self.frames - self.cut),
            member_clip_id: None,
            recording_id: format!("vid/{}", self.name),
            video_id: format!("v{}", self.name),
            video_first_frame: i64::from(self.cut),
            overlap_frames: 0,
            encoded_again: 0,
            picture_x1: 0,
            picture_y1: 0,
            picture_x2: i64::from(self.size.0),
            picture_y2: i64::from(self.size.1),
        }
    }

    fn clip_frames(&self) -> impl DoubleEndedIterator<Item = ClipFrame> {
        (self.cut..self.frames).map(|number| ClipFrame {
            entry_id: format!("clip{}/{:06}", self.name, number - self.cut),
            clip_id: format!("clip{}", self.name),
            clip_frame: i64::from(number - self.cut),
            pts: i64::from(number - self.cut) * 1024,
            timescale: 15_360,
            segment: 0,
            frame_id: format!("vid/{}/{}", self.name, self.first + number),
            source_number: i64::from(self.first + number),
        })
    }
}

fn group(clips: &[&str], alike: bool, (width, height): (i64, i64)) -> StitchGroup {
    StitchGroup {
        stitch_id: clips.join("+"),
        split: "train".into(),
        clip_ids: clips.iter().map(|name| format!("clip{name}")).collect(),
        alike,
        width,
        height,
    }
}

fn stitched(groups: Vec<StitchGroup>) -> Outcome {
    let mut bench = Bench::new("stitch", "train");
    FLIGHTS.iter().for_each(|flight| flight.add_to(&mut bench));
    let partition = bench.sequence("vid", "a").bucket(1).unwrap();
    bench.table(&partition, groups);
    let configured = STAGE.configure(&json!({})).unwrap();
    bench.run(|context| configured.run(context))
}

fn pictures(outcome: &Outcome, clip: &Clip) -> Vec<RgbImage> {
    let mut pictures = Vec::new();
    for_each_frame(&outcome.path(&clip.path), |frame| {
        pictures.push(frame.image);
        ControlFlow::Continue(())
    })
    .unwrap();
    pictures
}

#[test]
fn clips_that_were_encoded_alike_are_copied_from_end_to_end() {
    let outcome = stitched(vec![group(&["b", "a"], true, (160, 96))]);
    let [StitchedClip(clip)] = &outcome.rows::<StitchedClip>()[..] else { panic!("one clip") };
    assert_eq!((clip.kind, clip.frame_count, clip.segment_count), (ClipKind::Concatenated, 50, 2));
    assert_eq!(
        (clip.recording_ids.join(" "), clip.group_ids.join(" ")),
        ("vid/a vid/b".into(), "place a place b".into())
    );
    let shown: Vec<u32> = pictures(&outcome, clip).iter().map(number_in).collect();
    let expected: Vec<u32> = FLIGHTS[1].numbers().chain(FLIGHTS[0].numbers()).collect();
    assert_eq!(shown, expected);
    let frames: Vec<ClipFrame> = outcome.rows::<StitchedFrame>().into_iter().map(|row| row.0).collect();
    assert!(frames.iter().map(|frame| frame.source_number).eq(expected.iter().map(|&number| i64::from(number))));
    assert!(frames.iter().zip(0..).all(|(frame, number)| (frame.clip_frame, frame.pts) == (number, number * 1024)));
    let segments: Vec<ClipSegment> = outcome.rows::<StitchedSegment>().into_iter().map(|row| row.0).collect();
    let facts = |segment: &ClipSegment| {
        (segment.first_frame, segment.frame_count, segment.video_first_frame, segment.encoded_again)
    };
    assert_eq!(segments.iter().map(facts).collect::<Vec<_>>(), [(0, 20, 15, 0), (20, 30, 0, 0)]);
    assert_eq!(segments[0].member_clip_id.as_deref(), Some("clipb"));
    let pts = inspect_video(&outcome.path(&clip.path), |_, _| {}).unwrap().pts;
    assert!(pts.iter().zip(0..).all(|(&pts, number)| pts == number * 1024));
    assert_eq!(outcome.rows::<StitchedSample>().len(), 3);
}

#[test]
fn unlike_clips_lie_on_the_canvas_of_the_largest() {
    let outcome = stitched(vec![group(&["a", "c", "b"], false, (240, 200))]);
    let [StitchedClip(clip)] = &outcome.rows::<StitchedClip>()[..] else { panic!("one clip") };
    assert_eq!((clip.width, clip.height, clip.frame_count), (240, 200, 75));
    let segments: Vec<ClipSegment> = outcome.rows::<StitchedSegment>().into_iter().map(|row| row.0).collect();
    let place = |segment: &ClipSegment| {
        (segment.picture_x1, segment.picture_y1, segment.picture_x2, segment.picture_y2, segment.encoded_again)
    };
    // 160 x 96 on 240 x 200: 240 x 144 between bars of 28.
    let expected = [(0, 28, 240, 172, 30), (0, 0, 240, 200, 25), (0, 28, 240, 172, 20)];
    assert_eq!(segments.iter().map(place).collect::<Vec<_>>(), expected);
    let numbers = FLIGHTS[0].numbers().chain(FLIGHTS[2].numbers()).chain(FLIGHTS[1].numbers());
    let owners = segments.iter().flat_map(|segment| (0..segment.frame_count).map(move |_| segment));
    for ((picture, number), owner) in pictures(&outcome, clip).iter().zip(numbers).zip(owners) {
        let (top, bottom) = (owner.picture_y1 as u32, owner.picture_y2 as u32);
        let inner = RgbImage::from_fn(240, bottom - top, |x, y| *picture.get_pixel(x, top + y));
        assert_eq!(number_in(&inner), number);
        assert!(top == 0 || picture.get_pixel(120, 10).0.iter().all(|&value| value < 8));
    }
}

#[test]
fn several_groups_give_several_videos_whose_names_tell_nothing() {
    let groups = vec![group(&["a", "b"], true, (160, 96)), group(&["c", "a"], false, (240, 200))];
    let outcome = stitched(groups.clone());
    let clips: Vec<Clip> = outcome.rows::<StitchedClip>().into_iter().map(|row| row.0).collect();
    assert_eq!(outcome.blob_names().len(), 2);
    assert!(clips.windows(2).all(|pair| pair[0].clip_id < pair[1].clip_id));
    for clip in &clips {
        let own: BTreeSet<&str> =
            ["a", "b", "c"].into_iter().filter(|name| clip.clip_id == format!("clip{name}")).collect();
        assert!(own.is_empty() && clip.clip_id.len() == 32);
        let content = outcome.blob(&clip.path);
        assert_eq!(clip.digest, blake3::hash(&content).to_hex().to_string());
        for trace in [&b"clipa"[..], b"vid/", b"uavgen", b"Lavf", b"x264"] {
            assert!(!content.windows(trace.len()).any(|window| window == trace), "a trace of {trace:?}");
        }
    }
    assert_eq!(stitched(groups).blob_digests(), outcome.blob_digests());
}

#[test]
fn videos_of_the_same_pictures_are_told_apart() {
    let outcome = stitched(vec![group(&["b", "a"], true, (160, 96)), group(&["e", "d"], true, (160, 96))]);
    let clips: Vec<Clip> = outcome.rows::<StitchedClip>().into_iter().map(|row| row.0).collect();
    assert_eq!(clips[0].digest, clips[1].digest);
    assert_ne!(clips[0].clip_id, clips[1].clip_id);
    assert_eq!(outcome.blob_names().len(), 2);
    assert_eq!(outcome.rows::<StitchedFrame>().len(), 100);
}

#[test]
fn a_plan_that_names_what_is_not_there_fails_by_name() {
    let mut bench = Bench::new("stitch", "train");
    FLIGHTS[0].add_to(&mut bench);
    let partition = bench.sequence("vid", "a").bucket(1).unwrap();
    bench.table(&partition, vec![group(&["a", "b"], true, (160, 96))]);
    let configured = STAGE.configure(&json!({})).unwrap();
    let error = bench.try_run(|context| configured.run(context)).unwrap_err().to_string();
    assert!(error.contains("clipb"), "{error}");
}
