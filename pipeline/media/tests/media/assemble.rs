//! Cuts and permutations: every frame of the output is the one that was asked for.

use crate::support::{jpeg, numbered_frame, psnr, read_number};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use uavgen_media::{
    EncodeSettings, FrameRate, MediaError, Part, Preset, RgbImage, assemble, encode_video, for_each_frame,
    inspect_video,
};

pub(crate) const SETTINGS: fn(u32) -> EncodeSettings =
    |gop_frames| EncodeSettings { gop_frames, ..EncodeSettings::default() };

/// A video whose frames carry the numbers from `start`.
pub(crate) fn video(folder: &Path, name: &str, start: u32, count: u32, settings: &EncodeSettings) -> PathBuf {
    let path = folder.join(name);
    let images = (start..start + count).map(|number| io::Result::Ok(jpeg(&numbered_frame(320, 240, number), 92)));
    encode_video(images.collect::<Vec<_>>(), settings, &path).unwrap();
    path
}

pub(crate) fn part(video: &Path, first_frame: usize, frame_count: usize, settings: EncodeSettings) -> Part {
    Part { video: video.to_path_buf(), first_frame, frame_count, settings }
}

fn pictures(path: &Path) -> Vec<RgbImage> {
    let mut pictures = Vec::new();
    for_each_frame(path, |frame| {
        pictures.push(frame.image);
        ControlFlow::Continue(())
    })
    .unwrap();
    pictures
}

fn numbers(path: &Path) -> Vec<u32> {
    pictures(path).iter().map(read_number).collect()
}

/// What FFmpeg's own tools say of a file: nothing, and one packet per frame in even steps.
fn assert_sound(path: &Path, frames: usize) {
    let info = inspect_video(path, |_, _| {}).unwrap();
    assert_eq!(info.frame_count, frames);
    let step = i64::from(SETTINGS(15).fps.ticks_per_frame());
    assert_eq!(info.pts, (0..frames as i64).map(|n| n * step).collect::<Vec<_>>());
    assert_keyframes_alternate(path, frames);
    let strict =
        Command::new("ffmpeg").args(["-v", "error", "-xerror", "-i"]).arg(path).args(["-f", "null", "-"]).output();
    let strict = strict.unwrap();
    assert!(strict.status.success() && strict.stderr.is_empty(), "{}", String::from_utf8_lossy(&strict.stderr));
    let tags = Command::new("ffprobe")
        .args(["-v", "error", "-show_entries", "format_tags:stream_tags", "-of", "csv=p=0"])
        .arg(path)
        .output();
    let tags = String::from_utf8(tags.unwrap().stdout).unwrap();
    assert!(!tags.contains("Lavf") && !tags.contains("creation_time"), "{tags}");
}

/// Whether each frame is a keyframe, and the number that its header then has (`idr_pic_id`), as FFmpeg's tracer reads them.
fn keyframe_numbers(path: &Path) -> Vec<Option<u32>> {
    let trace = Command::new("ffmpeg")
        .args(["-v", "verbose", "-i"])
        .arg(path)
        .args(["-c", "copy", "-bsf:v", "trace_headers", "-f", "null", "-"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&trace.stderr).into_owned();
    let mut found = Vec::new();
    for line in text.lines() {
        let number = || line.rsplit(' ').next().and_then(|number| number.parse::<u32>().ok());
        if line.contains(" first_mb_in_slice ") && number() == Some(0) {
            found.push(None);
        } else if line.contains(" idr_pic_id ")
            && let Some(last) = found.last_mut()
        {
            *last = number();
        }
    }
    found
}

/// ITU-T H.264, 7.4.3: of two keyframes in a row the numbers differ. They alternate everywhere, as in a video in one piece.
fn assert_keyframes_alternate(path: &Path, frames: usize) {
    let numbers = keyframe_numbers(path);
    assert_eq!(numbers.len(), frames, "the tracer sees every frame");
    let of_keyframes: Vec<u32> = numbers.into_iter().flatten().collect();
    assert_eq!(of_keyframes, (0..of_keyframes.len() as u32).map(|ordinal| ordinal % 2).collect::<Vec<_>>());
}

#[test]
fn whole_groups_are_copied_in_any_order() {
    let folder = tempfile::tempdir().unwrap();
    let source = video(folder.path(), "a.mp4", 0, 100, &SETTINGS(15));
    let out = folder.path().join("out.mp4");
    let cut = |first, count| part(&source, first, count, SETTINGS(15));
    // The last part ends inside a group, and at the end of the video.
    let result = assemble(&[cut(60, 40), cut(0, 15), cut(30, 30), cut(15, 20)], &out).unwrap();
    assert_eq!(result.encoded_again, [0, 0, 0, 0]);
    let expected: Vec<u32> = (60..100).chain(0..15).chain(30..60).chain(15..35).collect();
    assert_eq!(numbers(&out), expected);
    assert_sound(&out, expected.len());
}

#[test]
fn cuts_inside_groups_encode_only_their_beginnings_again() {
    let folder = tempfile::tempdir().unwrap();
    let source = video(folder.path(), "a.mp4", 0, 100, &SETTINGS(15));
    let out = folder.path().join("out.mp4");
    // Inside one group; over groups; from just behind a keyframe; a frame before the next one; to just behind a keyframe;
    // both; the last frames; one frame of each of two groups.
    let cases = [(17, 9), (20, 51), (31, 40), (29, 40), (20, 11), (29, 17), (98, 2), (44, 2)];
    for (first, count) in cases {
        let result = assemble(&[part(&source, first, count, SETTINGS(15))], &out).unwrap();
        assert_eq!(result.encoded_again, [1], "{first} {count}");
        assert_eq!(numbers(&out), (first as u32..(first + count) as u32).collect::<Vec<_>>(), "{first} {count}");
        assert_sound(&out, count);
    }
    let parts: Vec<Part> = cases.iter().map(|&(first, count)| part(&source, first, count, SETTINGS(15))).collect();
    assemble(&parts, &out).unwrap();
    let expected: Vec<u32> = cases.iter().flat_map(|&(first, count)| first as u32..(first + count) as u32).collect();
    assert_eq!(numbers(&out), expected);
    assert_sound(&out, expected.len());
}

#[test]
fn frames_behind_a_cut_are_close_to_those_of_the_video_and_others_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.mp4");
    // A frame is predicted from up to 1, 2, 3 and 16 others.
    for (preset, encoded) in [(Preset::Veryfast, 1), (Preset::Fast, 2), (Preset::Medium, 3), (Preset::Veryslow, 13)] {
        let settings = EncodeSettings { preset, ..SETTINGS(15) };
        let source = video(folder.path(), "a.mp4", 0, 40, &settings);
        let frames = pictures(&source);
        let result = assemble(&[part(&source, 2, 30, settings)], &out).unwrap();
        assert_eq!(result.encoded_again, [encoded], "{preset:?}");
        assert_sound(&out, 30);
        for (position, (cut, whole)) in pictures(&out).iter().zip(&frames[2..]).enumerate() {
            if position < 13 {
                assert!(psnr(cut, whole) > 40.0, "{preset:?}, frame {position}: {} dB", psnr(cut, whole));
            } else {
                assert!(cut == whole, "{preset:?}, frame {position}");
            }
        }
    }
}

#[test]
fn parts_of_one_frame_and_videos_of_keyframes_only_can_be_joined() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.mp4");
    for gop in [1, 5] {
        let source = video(folder.path(), "a.mp4", 0, 12, &SETTINGS(gop));
        let cut = |first, count| part(&source, first, count, SETTINGS(gop));
        let result =
            assemble(&[cut(5, 1), cut(0, 1), cut(3, 6), cut(0, 3), cut(10, 2), cut(11, 1), cut(10, 1)], &out).unwrap();
        assert_eq!(result.encoded_again, if gop == 1 { [0; 7] } else { [0, 0, 1, 0, 0, 1, 0] });
        assert_eq!(numbers(&out), [5, 0, 3, 4, 5, 6, 7, 8, 0, 1, 2, 10, 11, 11, 10]);
        assert_sound(&out, 15);
    }
}

#[test]
fn videos_of_every_preset_are_numbered() {
    // The fastest has no CABAC: there all bits of a keyframe move.
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.mp4");
    for preset in Preset::ALL {
        let settings = EncodeSettings { preset, ..SETTINGS(4) };
        let source = video(folder.path(), "a.mp4", 0, 14, &settings);
        let cut = |first, count| part(&source, first, count, settings);
        assemble(&[cut(4, 4), cut(12, 1), cut(4, 7), cut(1, 8), cut(0, 4)], &out).unwrap();
        let expected: Vec<u32> = (4..8).chain(12..13).chain(4..11).chain(1..9).chain(0..4).collect();
        assert_eq!(numbers(&out), expected, "{preset:?}");
        assert_sound(&out, expected.len());
    }
}

#[test]
fn every_cut_of_a_short_video_is_exact() {
    let folder = tempfile::tempdir().unwrap();
    let source = video(folder.path(), "a.mp4", 0, 10, &SETTINGS(4));
    let out = folder.path().join("out.mp4");
    for first in 0..10 {
        for end in first + 1..=10 {
            let two = [part(&source, first, end - first, SETTINGS(4)), part(&source, 3, 6, SETTINGS(4))];
            assemble(&two, &out).unwrap();
            let expected: Vec<u32> = (first as u32..end as u32).chain(3..9).collect();
            assert_eq!(numbers(&out), expected, "{first} to {end}");
            assert_sound(&out, expected.len());
        }
    }
}

#[test]
fn clips_of_several_videos_follow_each_other_and_the_bytes_are_the_same_again() {
    let folder = tempfile::tempdir().unwrap();
    let settings = EncodeSettings { fps: FrameRate::new(15, 1).unwrap(), crf: 30, ..SETTINGS(5) };
    let one = video(folder.path(), "it's one.mp4", 0, 20, &settings);
    let two = video(folder.path(), "zwei ü.mp4", 100, 20, &settings);
    let parts = [part(&two, 5, 10, settings), part(&one, 7, 9, settings), part(&two, 0, 20, settings)];
    let outs = ["x.mp4", "y.mp4"].map(|name| folder.path().join(name));
    outs.iter().for_each(|out| _ = assemble(&parts, out).unwrap());
    assert_eq!(numbers(&outs[0]), (105..115).chain(7..16).chain(100..120).collect::<Vec<_>>());
    assert_eq!(std::fs::read(&outs[0]).unwrap(), std::fs::read(&outs[1]).unwrap());
    // A whole video comes out as it went in.
    assemble(&[part(&one, 0, 20, settings)], &outs[0]).unwrap();
    assert_eq!(std::fs::read(&outs[0]).unwrap(), std::fs::read(&one).unwrap());
}

#[test]
fn videos_that_do_not_fit_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let one = video(folder.path(), "one.mp4", 0, 12, &SETTINGS(5));
    let out = folder.path().join("out.mp4");
    let refused = |parts: &[Part]| match assemble(parts, &out).unwrap_err() {
        MediaError::Unlike { detail, .. } => detail,
        other => panic!("{other}"),
    };
    let faster = EncodeSettings { fps: FrameRate::new(30, 1).unwrap(), ..SETTINGS(5) };
    let fast = video(folder.path(), "fast.mp4", 0, 12, &faster);
    let coarse = EncodeSettings { crf: 40, ..SETTINGS(5) };
    let other = video(folder.path(), "coarse.mp4", 0, 12, &coarse);
    let (first, second) = (part(&one, 0, 6, SETTINGS(5)), part(&fast, 0, 6, faster));
    assert_eq!(refused(&[first.clone(), second]), "its frame rate is another one");
    assert_eq!(refused(&[first.clone(), part(&other, 0, 6, coarse)]), "it was encoded with other settings");
    assert_eq!(refused(&[part(&one, 0, 6, faster)]), "frame 1 is missing at 30 frames per second");
    let odd = EncodeSettings { fps: FrameRate::new(30_000, 1001).unwrap(), ..SETTINGS(5) };
    assert_eq!(refused(&[part(&one, 0, 6, odd)]), "its unit of time is 1/15360 s, expected 1/30000 s");
    assert_eq!(refused(&[part(&one, 6, 7, SETTINGS(5))]), "it ends before frame 12");
    assert_eq!(refused(&[part(&one, 6, 0, SETTINGS(5))]), "a part has no frames");
    let coarser = SETTINGS(6);
    assert!(refused(&[part(&one, 6, 2, coarser)]).starts_with("frame 6 is no keyframe"));
    // Settings that are not those of the video are found out where frames are encoded again.
    assert_eq!(refused(&[part(&one, 2, 8, coarse)]), "its decoder parameters are not those of its settings");
    assert!(assemble(&[], &out).is_err());
}
