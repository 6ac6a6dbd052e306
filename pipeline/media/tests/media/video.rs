//! Encoded videos: every frame, its time, its colours, its bytes.

use crate::support::{jpeg, numbered_frame, png, println_skipped, psnr, read_number, with_exif};
use image::{DynamicImage, RgbImage};
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use uavgen_media::{
    EncodeSettings, EncodedVideo, FrameRate, Preset, decode_upright, encode_video, for_each_frame, inspect_video,
};

fn encode(images: &[Vec<u8>], settings: &EncodeSettings, out: &Path) -> EncodedVideo {
    encode_video(images.iter().map(|bytes| io::Result::Ok(bytes.as_slice())), settings, out).unwrap()
}

fn frames_of(path: &Path) -> Vec<(i64, RgbImage)> {
    let mut frames = Vec::new();
    for_each_frame(path, |frame| {
        assert_eq!(frame.index, frames.len());
        frames.push((frame.pts, frame.image));
        ControlFlow::Continue(())
    })
    .unwrap();
    frames
}

fn numbered_jpegs(count: u32, width: u32, height: u32) -> Vec<Vec<u8>> {
    (0..count).map(|number| jpeg(&numbered_frame(width, height, number), 92)).collect()
}

#[test]
fn every_frame_arrives_once_in_order_and_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("it's a: clip %03d.mp4");
    let images = numbered_jpegs(50, 320, 240);
    let video = encode(&images, &EncodeSettings::default(), &out);
    assert_eq!((video.width, video.height, video.timescale), (320, 240, 15_360));
    assert!(video.skipped.is_empty());

    let times: Vec<i64> = (0..50).map(|n| n * 1024).collect();
    assert_eq!(video.frames.iter().map(|frame| frame.pts).collect::<Vec<_>>(), times);
    assert_eq!(video.frames.iter().map(|frame| frame.source_index).collect::<Vec<_>>(), (0..50).collect::<Vec<_>>());

    let frames = frames_of(&out);
    assert_eq!(frames.iter().map(|(pts, _)| *pts).collect::<Vec<_>>(), times);
    assert_eq!(frames.iter().map(|(_, image)| read_number(image)).collect::<Vec<_>>(), (0..50).collect::<Vec<_>>());
    for ((_, image), source) in frames.iter().zip(&images) {
        let quality = psnr(image, &decode_upright(source).unwrap());
        assert!(quality > 33.0, "{quality} dB");
    }

    let info = inspect_video(&out, |_, _| {}).unwrap();
    assert_eq!((info.codec.as_str(), info.pixel_format.as_str()), ("h264", "yuv420p"));
    assert_eq!((info.color_range.as_str(), info.color_space.as_str()), ("tv", "bt470bg"));
    assert_eq!((info.width, info.height, info.frame_count), (320, 240, 50));
    assert_eq!((info.fps_num, info.fps_den, info.timescale), (15, 1, 15_360));
    assert_eq!(info.pts, times);
    assert_eq!(info.keyframes, [0, 15, 30, 45]);
}

/// Mean of each channel in the middle of column `x`.
fn level(image: &RgbImage, x: u32) -> f64 {
    let rows = image.height() / 4..image.height() * 3 / 4;
    let count = f64::from(rows.end - rows.start) * 3.0;
    rows.flat_map(|y| image.get_pixel(x, y).0).map(f64::from).sum::<f64>() / count
}

#[test]
fn black_stays_black_and_white_stays_white() {
    let folder = tempfile::tempdir().unwrap();
    // Steps of 8 grey levels, each 8 pixels wide, over the full range.
    let ramp = RgbImage::from_fn(256, 64, |x, _| image::Rgb([(x / 8 * 255 / 31) as u8; 3]));
    for (name, bytes) in [("jpeg", jpeg(&ramp, 98)), ("png", png(&DynamicImage::ImageRgb8(ramp.clone())))] {
        let out = folder.path().join(format!("{name}.mp4"));
        let settings = EncodeSettings { crf: 12, ..EncodeSettings::default() };
        encode(&vec![bytes; 20], &settings, &out);
        for (_, image) in frames_of(&out) {
            assert!(psnr(&image, &ramp) > 38.0, "{name}: {} dB", psnr(&image, &ramp));
            for step in 0..32 {
                let (found, expected) = (level(&image, step * 8 + 4), f64::from(step * 255 / 31));
                assert!((found - expected).abs() < 2.5, "{name} step {step}: {found} instead of {expected}");
            }
        }
    }
}

#[test]
fn colours_survive() {
    let folder = tempfile::tempdir().unwrap();
    let colors = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 0], [0, 255, 255], [255, 0, 255], [60, 120, 40]];
    let image = RgbImage::from_fn(7 * 32, 64, |x, _| image::Rgb(colors[(x / 32) as usize]));
    for (name, bytes) in [("jpeg", jpeg(&image, 98)), ("png", png(&DynamicImage::ImageRgb8(image.clone())))] {
        let out = folder.path().join(format!("{name}.mp4"));
        encode(&vec![bytes; 3], &EncodeSettings { crf: 8, ..EncodeSettings::default() }, &out);
        for (_, frame) in frames_of(&out) {
            for (n, color) in (0..).zip(colors) {
                let found = frame.get_pixel(n * 32 + 16, 32).0;
                assert!(found.iter().zip(color).all(|(a, b)| a.abs_diff(b) <= 6), "{name}: {found:?} for {color:?}");
            }
        }
    }
}

#[test]
fn the_same_images_give_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let mut images = numbered_jpegs(20, 200, 120);
    images[7] = png(&DynamicImage::ImageRgb8(numbered_frame(200, 120, 7)));
    let paths: Vec<_> = (0..5).map(|run| folder.path().join(format!("run {run}.mp4"))).collect();
    encode(&images, &EncodeSettings::default(), &paths[0]);
    // Four more at once: other threads must not matter.
    std::thread::scope(|scope| {
        for path in &paths[1..] {
            scope.spawn(|| encode(&images, &EncodeSettings::default(), path));
        }
    });
    let first = std::fs::read(&paths[0]).unwrap();
    for path in &paths[1..] {
        assert!(std::fs::read(path).unwrap() == first, "{}", path.display());
    }
    for text in ["x264", "Lavf", "Lavc"] {
        assert!(!first.windows(text.len()).any(|window| window == text.as_bytes()), "the file names `{text}`");
    }
    let index = first.windows(4).position(|window| window == b"moov").unwrap();
    let data = first.windows(4).position(|window| window == b"mdat").unwrap();
    assert!(index < data, "the index stands before the data");
}

#[test]
fn settings_take_effect() {
    let folder = tempfile::tempdir().unwrap();
    let images = numbered_jpegs(25, 192, 96);
    let ntsc = FrameRate::new(30_000, 1001).unwrap();
    let settings = EncodeSettings { fps: ntsc, gop_frames: 4, crf: 30, preset: Preset::Ultrafast };
    let out = folder.path().join("clip.mp4");
    let video = encode(&images, &settings, &out);
    assert_eq!((video.timescale, video.frames[3].pts), (30_000, 3003));
    let info = inspect_video(&out, |_, _| {}).unwrap();
    assert_eq!((info.fps_num, info.fps_den, info.timescale), (30_000, 1001, 30_000));
    assert_eq!(info.keyframes, [0, 4, 8, 12, 16, 20, 24]);
    assert_eq!(info.pts, (0..25).map(|n| n * 1001).collect::<Vec<_>>());
    let small = std::fs::metadata(&out).unwrap().len();
    encode(&images, &EncodeSettings { crf: 15, ..settings }, &out);
    assert!(std::fs::metadata(&out).unwrap().len() > small, "an existing file is replaced");
}

#[test]
fn odd_sizes_gain_a_column_and_a_row() {
    let folder = tempfile::tempdir().unwrap();
    for (width, height) in [(201, 121), (200, 121), (201, 120)] {
        let out = folder.path().join(format!("{width}x{height}.mp4"));
        let images = numbered_jpegs(17, width, height);
        let video = encode(&images, &EncodeSettings::default(), &out);
        assert_eq!((video.width, video.height), (width.next_multiple_of(2), height.next_multiple_of(2)));
        for ((_, frame), source) in frames_of(&out).iter().zip(&images) {
            let visible = image::imageops::crop_imm(frame, 0, 0, width, height).to_image();
            let quality = psnr(&visible, &decode_upright(source).unwrap());
            assert!(quality > 31.0, "{width}x{height}: {quality} dB");
            let (right, last) = (frame.width() - 1, width - 1);
            let (x, y) = (frame.get_pixel(right, height / 2).0[1], frame.get_pixel(last, height / 2).0[1]);
            assert!(x.abs_diff(y) < 30, "the added column repeats the last one: {x} {y}");
        }
    }
}

#[test]
fn layouts_may_mix_and_rotation_is_applied() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("mixed.mp4");
    let upright = |number| numbered_frame(240, 160, number);
    let images = vec![
        jpeg(&upright(0), 92),
        png(&DynamicImage::ImageRgb8(upright(1))),
        png(&DynamicImage::ImageRgba8(DynamicImage::ImageRgb8(upright(2)).into_rgba8())),
        png(&DynamicImage::ImageRgb16(DynamicImage::ImageRgb8(upright(3)).into_rgb16())),
        png(&DynamicImage::ImageLuma8(DynamicImage::ImageRgb8(upright(4)).into_luma8())),
        // Stored rotated by 90 degrees against the clock; orientation 6 turns it back.
        with_exif(&jpeg(&image::imageops::rotate270(&upright(5)), 92), 6),
        jpeg(&upright(6), 92),
    ];
    let video = encode(&images, &EncodeSettings::default(), &out);
    assert_eq!((video.width, video.height, video.frame_count()), (240, 160, 7));
    let frames = frames_of(&out);
    assert_eq!(frames.iter().map(|(_, frame)| read_number(frame)).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6]);
    for ((_, frame), source) in frames.iter().zip(&images) {
        let quality = psnr(frame, &decode_upright(source).unwrap());
        assert!(quality > 31.0, "{quality} dB");
    }
}

#[test]
fn other_programs_agree() {
    let test = "other_programs_agree";
    if !["ffmpeg", "ffprobe"].iter().all(|tool| Command::new(tool).arg("-version").output().is_ok()) {
        return println_skipped(test, "ffmpeg and ffprobe are not installed");
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("clip.mp4");
    let images = numbered_jpegs(40, 320, 240);
    encode(&images, &EncodeSettings::default(), &out);
    let fields = "stream=codec_name,profile,pix_fmt,color_range,color_space,r_frame_rate,time_base,nb_read_frames,\
                  has_b_frames,start_pts,chroma_location";
    let probed = Command::new("ffprobe")
        .args(["-v", "error", "-count_frames", "-select_streams", "v", "-of", "default=nw=1", "-show_entries", fields])
        .arg(&out)
        .output()
        .unwrap();
    let probed = String::from_utf8(probed.stdout).unwrap();
    for expected in [
        "codec_name=h264",
        "profile=High",
        "pix_fmt=yuv420p",
        "color_range=tv",
        "color_space=bt470bg",
        "chroma_location=center",
        "r_frame_rate=15/1",
        "time_base=1/15360",
        "start_pts=0",
        "has_b_frames=0",
        "nb_read_frames=40",
    ] {
        assert!(probed.lines().any(|line| line == expected), "{expected} is not in\n{probed}");
    }
    let decoded = Command::new("ffmpeg")
        .args(["-v", "error", "-xerror", "-nostdin", "-i"])
        .arg(&out)
        .args(["-f", "rawvideo", "-pix_fmt", "rgb24", "-"])
        .output()
        .unwrap();
    assert!(decoded.status.success() && decoded.stderr.is_empty(), "{}", String::from_utf8_lossy(&decoded.stderr));
    let frames: Vec<_> = decoded.stdout.chunks_exact(320 * 240 * 3).collect();
    assert_eq!(frames.len(), 40);
    for (number, (frame, source)) in (0..).zip(frames.iter().zip(&images)) {
        let frame = RgbImage::from_raw(320, 240, frame.to_vec()).unwrap();
        assert_eq!(read_number(&frame), number);
        assert!(psnr(&frame, &decode_upright(source).unwrap()) > 33.0);
    }
}
