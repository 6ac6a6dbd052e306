//! Videos of others: every frame that is there, upright, at its time, in its colours.

use crate::footage_support::{FRAMES, SIZE, Studio, at, encode, image, near, read, shown, times};
use crate::support::{numbered_frame, psnr, read_number, shared_data};
use image::DynamicImage;
use image::metadata::Orientation;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use uavgen_media::{EncodeSettings, FrameTime, MediaError, encode_footage, inspect_video, read_footage};

fn all() -> Vec<u32> {
    (0..FRAMES).collect()
}

#[test]
fn every_frame_of_every_codec_and_container_is_read_in_order() {
    let Some(studio) = Studio::open("every_frame_of_every_codec_and_container_is_read_in_order") else { return };
    let films = [
        ("-c:v libx264 -pix_fmt yuv420p -bf 3 -g 12", "b.mp4", "h264"),
        ("-c:v libx264 -pix_fmt yuv420p -bf 2 -g 250 -x264-params open-gop=1:keyint=12", "open.mkv", "h264"),
        ("-c:v libx265 -pix_fmt yuv420p -x265-params log-level=none:bframes=3", "hevc.mov", "hevc"),
        ("-c:v mpeg4 -q:v 3 -bf 2", "part2.mp4", "mpeg4"),
        ("-c:v mpeg4 -q:v 3", "part2.avi", "mpeg4"),
        ("-c:v mpeg4 -q:v 3 -bf 2", "part2-b.avi", "mpeg4"),
        ("-c:v libx264 -pix_fmt yuv420p -bf 2", "b.avi", "h264"),
        ("-c:v mjpeg -q:v 3 -pix_fmt yuvj420p", "jpeg.avi", "mjpeg"),
        ("-c:v mjpeg -q:v 3 -pix_fmt yuvj422p", "jpeg.mov", "mjpeg"),
        ("-c:v ffv1 -pix_fmt yuv420p", "lossless.mkv", "ffv1"),
    ];
    for (arguments, name, codec) in films {
        let path = studio.film(arguments, name);
        let (footage, numbers) = read(&path).unwrap();
        assert_eq!(footage.codec, codec, "{name}");
        assert_eq!(numbers, all(), "{name}");
        let expected: Vec<i64> = all().into_iter().map(at).collect();
        near(&times(&footage), &expected, 1000);
        assert!(footage.mean_fps.is_some_and(|fps| (fps - 30.0).abs() < 0.05), "{name}: {:?}", footage.mean_fps);
        assert_eq!((footage.width, footage.height), SIZE, "{name}");
        assert!(footage.untimed.is_empty() && footage.damage.is_none(), "{name}: {footage:?}");
        assert!(footage.listed_frames.is_none_or(|listed| listed == u64::from(FRAMES)), "{name}");
    }
}

#[test]
fn times_are_those_of_the_frames_at_any_rate() {
    let Some(studio) = Studio::open("times_are_those_of_the_frames_at_any_rate") else { return };
    // Two of three frames stay where they were.
    let path = studio.film("-vf select='mod(n\\,3)' -vsync vfr -c:v libx264 -pix_fmt yuv420p -bf 2", "vfr.mp4");
    let (footage, numbers) = read(&path).unwrap();
    let kept: Vec<u32> = all().into_iter().filter(|number| number % 3 != 0).collect();
    assert_eq!(numbers, kept);
    let expected: Vec<i64> = kept.iter().map(|number| at(*number) - at(1)).collect();
    near(&times(&footage), &expected, 1);
    let mean = (kept.len() - 1) as f64 / (34.0 / 30.0);
    assert!(footage.mean_fps.is_some_and(|fps| (fps - mean).abs() < 1e-6), "{:?} instead of {mean}", footage.mean_fps);

    let path = studio.film("-c:v libx264 -pix_fmt yuv420p -r 30000/1001 -vf setpts=N/(30000/1001*TB)", "ntsc.mp4");
    let (footage, _) = read(&path).unwrap();
    assert!(footage.mean_fps.is_some_and(|fps| (fps - 30_000.0 / 1001.0).abs() < 1e-9), "{:?}", footage.mean_fps);
}

#[test]
fn time_starts_at_the_first_frame_that_is_shown() {
    let Some(studio) = Studio::open("time_starts_at_the_first_frame_that_is_shown") else { return };
    studio.film("-c:v libx264 -pix_fmt yuv420p -bf 2 -g 12", "plain.mp4");
    for name in ["late.mp4", "late.mkv"] {
        studio.ffmpeg(&format!("-itsoffset 5 -i plain.mp4 -c copy {name}"));
        let (footage, numbers) = read(&studio.path(name)).unwrap();
        assert_eq!((numbers, footage.frames[0].time_us), (all(), 0), "{name}");
    }
    // The keyframe before the cut is stored, and an edit list hides what comes before it.
    studio.ffmpeg("-ss 0.5 -i plain.mp4 -c copy -map 0:v edit.mp4");
    let (footage, numbers) = read(&studio.path("edit.mp4")).unwrap();
    assert_eq!(numbers.len(), studio.decoded_by_ffmpeg("edit.mp4"));
    assert_eq!(numbers, (15..FRAMES).collect::<Vec<_>>());
    assert_eq!(footage.stored_frames, u64::from(FRAMES) - 12);
    let expected: Vec<i64> = (0..FRAMES - 15).map(at).collect();
    near(&times(&footage), &expected, 1);
}

#[test]
fn pictures_are_turned_upright() {
    let matrices: [(u8, [i32; 4]); 8] = [
        (1, [1, 0, 0, 1]),
        (2, [-1, 0, 0, 1]),
        (3, [-1, 0, 0, -1]),
        (4, [1, 0, 0, -1]),
        (5, [0, 1, 1, 0]),
        (6, [0, 1, -1, 0]),
        (7, [0, -1, -1, 0]),
        (8, [0, -1, 1, 0]),
    ];
    for (orientation, matrix) in matrices {
        let back = if orientation == 6 {
            8
        } else if orientation == 8 {
            6
        } else {
            orientation
        };
        let store = |mut picture: DynamicImage| {
            picture.apply_orientation(Orientation::from_exif(back).unwrap());
            picture
        };
        let Some(studio) = Studio::with_pictures("pictures_are_turned_upright", store) else { return };
        let path = studio.film("-c:v libx264 -pix_fmt yuv420p", "turned.mp4");
        set_matrix(&path, matrix);
        let (footage, numbers) = read(&path).unwrap();
        assert_eq!(numbers, all(), "orientation {orientation}");
        assert_eq!((footage.exif_orientation, footage.width, footage.height), (orientation, SIZE.0, SIZE.1));
        let likeness = psnr(&image(&path, 7), &numbered_frame(SIZE.0, SIZE.1, 7));
        assert!(likeness > 28.0, "orientation {orientation}: {likeness} dB");
        let out = studio.path("upright.mp4");
        encode(&path, &footage.frames, &out);
        let again = read_footage(&out, |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(again.exif_orientation, 1, "nothing is left to turn");
    }
}

/// Writes the display matrix of the only track of an MP4.
fn set_matrix(path: &Path, [a, b, c, d]: [i32; 4]) {
    let mut bytes = fs::read(path).unwrap();
    let track = bytes.windows(4).position(|window| window == b"tkhd").unwrap() + 44;
    let numbers = [a << 16, b << 16, 0, c << 16, d << 16, 0, 0, 0, 1 << 30];
    let matrix: Vec<u8> = numbers.into_iter().flat_map(i32::to_be_bytes).collect();
    bytes[track..track + 36].copy_from_slice(&matrix);
    fs::write(path, bytes).unwrap();
}

#[test]
fn colours_survive_every_layout_range_and_matrix() {
    let Some(studio) = Studio::open("colours_survive_every_layout_range_and_matrix") else { return };
    let films = [
        ("-c:v ffv1 -pix_fmt yuv420p", "601.mkv"),
        ("-c:v ffv1 -pix_fmt yuv422p", "422.mkv"),
        ("-c:v ffv1 -pix_fmt yuv444p", "444.mkv"),
        ("-c:v ffv1 -pix_fmt yuv420p10le", "ten.mkv"),
        ("-c:v libx264 -pix_fmt yuv422p10le -crf 10", "ten422.mp4"),
        ("-c:v ffv1 -pix_fmt gbrp", "rgb.mkv"),
        ("-c:v libx264 -crf 10 -vf scale=out_color_matrix=bt709 -pix_fmt yuv420p -colorspace bt709", "709.mp4"),
        ("-c:v libx264 -crf 10 -vf scale=out_color_matrix=bt709 -pix_fmt yuv444p -colorspace bt709", "709-444.mp4"),
        ("-c:v libx264 -crf 10 -vf scale=out_range=full -pix_fmt yuv420p -color_range pc", "full.mp4"),
        ("-c:v mjpeg -q:v 2 -pix_fmt yuvj444p", "jpeg.mov"),
        ("-c:v rawvideo -pix_fmt bgr24", "raw.avi"),
    ];
    for (arguments, name) in films {
        let path = studio.film(arguments, name);
        let (_, numbers) = read(&path).unwrap();
        assert_eq!(numbers, all(), "{name}");
        let likeness = psnr(&image(&path, 3), &numbered_frame(SIZE.0, SIZE.1, 3));
        assert!(likeness > 30.0, "{name}: {likeness} dB");
    }
}

#[test]
fn odd_sizes_gain_a_column_and_a_row() {
    let Some(studio) = Studio::open("odd_sizes_gain_a_column_and_a_row") else { return };
    let path = studio.film("-vf crop=199:119:0:0 -c:v ffv1 -pix_fmt yuv444p", "odd.mkv");
    let (footage, numbers) = read(&path).unwrap();
    assert_eq!((footage.width, footage.height, numbers), (199, 119, all()));
    let out = studio.path("out.mp4");
    encode(&path, &footage.frames, &out);
    let info = inspect_video(&out, |_, _| {}).unwrap();
    assert_eq!((info.width, info.height), (200, 120));
}

#[test]
fn sound_data_and_covers_are_passed_over() {
    let Some(studio) = Studio::open("sound_data_and_covers_are_passed_over") else { return };
    studio.film("-c:v libx264 -pix_fmt yuv420p", "plain.mp4");
    studio.ffmpeg(
        "-f lavfi -i sine=duration=3 -i 35.png -i plain.mp4 -map 0 -map 1 -map 2 -c:a aac -c:v:0 png -c:v:1 copy \
         -disposition:v:0 attached_pic loud.mp4",
    );
    let (footage, numbers) = read(&studio.path("loud.mp4")).unwrap();
    assert_eq!((footage.codec.as_str(), numbers), ("h264", all()));
}

#[test]
fn a_file_of_one_frame_is_read() {
    let Some(studio) = Studio::open("a_file_of_one_frame_is_read") else { return };
    let path = studio.film("-frames:v 1 -c:v libx264 -pix_fmt yuv420p", "one.mp4");
    let (footage, numbers) = read(&path).unwrap();
    assert_eq!((numbers, footage.mean_fps), (vec![0], None));
    assert_eq!(footage.frames, [FrameTime { number: 0, time_us: 0 }]);
}

#[test]
fn frames_that_are_not_as_expected_stop_the_encoding() {
    let Some(studio) = Studio::open("frames_that_are_not_as_expected_stop_the_encoding") else { return };
    let path = studio.film("-c:v libx264 -pix_fmt yuv420p", "plain.mp4");
    let frames = read(&path).unwrap().0.frames;
    let out = studio.path("out.mp4");
    let encode = |expected: &[FrameTime]| {
        encode_footage(&path, expected, || Ok(()), &EncodeSettings::default(), &out).unwrap_err()
    };
    let one_less = encode(&frames[..35]);
    assert!(matches!(&one_less, MediaError::Load { index: 35, .. }), "{one_less}");
    let mut more = frames.clone();
    more.push(FrameTime { number: 36, time_us: 1_200_000 });
    assert!(encode(&more).to_string().ends_with("the video ends before frame 36 at 1200000 us"));
    let mut moved = frames.clone();
    moved[4].time_us += 1;
    let moved = encode(&moved);
    assert!(matches!(&moved, MediaError::Load { index: 4, .. }), "{moved}");
    let stopped =
        encode_footage(&path, &frames, || Err(std::io::Error::other("stop")), &EncodeSettings::default(), &out);
    assert!(stopped.unwrap_err().to_string().ends_with("stop"));
}

#[test]
fn the_same_video_gives_the_same_bytes() {
    let Some(studio) = Studio::open("the_same_video_gives_the_same_bytes") else { return };
    let path = studio.film("-c:v libx264 -pix_fmt yuv420p -colorspace bt709", "plain.mp4");
    let frames = read(&path).unwrap().0.frames;
    let bytes = ["a.mp4", "b.mp4"].map(|name| {
        encode(&path, &frames, &studio.path(name));
        fs::read(studio.path(name)).unwrap()
    });
    assert_eq!(bytes[0], bytes[1]);
    assert_eq!(shown(&studio.path("a.mp4")), all());
    assert_eq!(read_number(&image(&path, 20)), 20);
}

#[test]
fn real_videos_are_read_to_their_last_frame() {
    let Some(data) = shared_data("real_videos_are_read_to_their_last_frame") else { return };
    let files = [
        ("airscape/dataset_example/area/05442_WebUAV3M_train_hot-air_balloon_83_0.mp4", "mpeg4", 129, 24.0),
        ("airscape/generated_example/00819_urbanvideo_test.mp4", "h264", 49, 8.0),
        ("visdrone_mot_clips/demo1.mp4", "h264", 184, 30.0),
    ];
    for (file, codec, count, fps) in files {
        let footage = read_footage(&data.join(file), |_| ControlFlow::Continue(())).unwrap();
        assert_eq!((footage.codec.as_str(), footage.frames.len()), (codec, count), "{file}");
        assert_eq!(footage.damage, None);
        assert!(footage.mean_fps.is_some_and(|mean| (mean - fps).abs() < 1e-6), "{file}: {:?}", footage.mean_fps);
    }
}
