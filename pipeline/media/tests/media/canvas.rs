//! Videos of unlike size on one canvas.

use crate::support::{jpeg, numbered_frame, read_number};
use image::imageops::{self, FilterType};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use uavgen_media::{
    EncodeSettings, FrameRate, MediaError, Placement, RgbImage, encode_video, for_each_frame, inspect_video,
    join_on_canvas,
};

/// A video of pictures with these numbers.
fn video(folder: &Path, size: (u32, u32), numbers: std::ops::Range<u32>) -> PathBuf {
    let out = folder.join(format!("{}x{}-{}.mp4", size.0, size.1, numbers.start));
    let pictures = numbers.map(|number| Ok(jpeg(&numbered_frame(size.0, size.1, number), 92)));
    encode_video(pictures, &EncodeSettings::default(), &out).unwrap();
    out
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

#[test]
fn every_frame_lies_where_it_is_said_to_lie() {
    let folder = tempfile::tempdir().unwrap();
    let sizes = [(320, 180), (240, 320), (480, 360)];
    let videos: Vec<PathBuf> =
        (0..).zip(sizes).map(|(ordinal, size)| video(folder.path(), size, 100 * ordinal..100 * ordinal + 20)).collect();
    let out = folder.path().join("out.mp4");
    let joined = join_on_canvas(&videos, (480, 360), &EncodeSettings::default(), &out).unwrap();
    let places: Vec<Placement> = joined.iter().map(|video| video.placement).collect();
    assert_eq!(places[0], Placement { x1: 0, y1: 44, x2: 480, y2: 314 });
    assert_eq!(places[1], Placement { x1: 104, y1: 0, x2: 374, y2: 360 });
    assert_eq!(places[2], Placement { x1: 0, y1: 0, x2: 480, y2: 360 });
    let pictures = pictures(&out);
    assert_eq!(pictures.len(), 60);
    for (position, picture) in (0_u32..).zip(&pictures) {
        let (member, number) = (position / 20, position % 20);
        let (Placement { x1, y1, x2, y2 }, (width, height)) = (places[member as usize], sizes[member as usize]);
        let shown = imageops::crop_imm(picture, x1, y1, x2 - x1, y2 - y1).to_image();
        let shown = imageops::resize(&shown, width, height, FilterType::Triangle);
        assert_eq!(read_number(&shown), 100 * member + number, "frame {position}");
        let corner = picture.get_pixel(2, 2).0;
        assert!(member == 2 || corner.iter().all(|&value| value < 8), "bars are black: {corner:?}");
    }
    let info = inspect_video(&out, |_, _| {}).unwrap();
    let step = i64::from(info.timescale) / 15;
    assert!(info.pts.iter().zip(0..).all(|(&pts, number)| pts == number * step));
}

#[test]
fn the_same_videos_give_the_same_bytes_and_another_rate_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let videos = [video(folder.path(), (320, 180), 0..9), video(folder.path(), (240, 320), 50..59)];
    let join = |name: &str, settings: &EncodeSettings| {
        let out = folder.path().join(name);
        join_on_canvas(&videos, (320, 180), settings, &out).map(|_| std::fs::read(&out).unwrap())
    };
    let settings = EncodeSettings::default();
    assert_eq!(join("a.mp4", &settings).unwrap(), join("b.mp4", &settings).unwrap());
    let faster = EncodeSettings { fps: FrameRate::new(30, 1).unwrap(), ..settings };
    let error = join("c.mp4", &faster).unwrap_err();
    assert!(matches!(&error, MediaError::Unlike { detail, .. } if detail.contains("15/1")), "{error}");
}
