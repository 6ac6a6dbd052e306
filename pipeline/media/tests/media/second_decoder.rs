//! Another decoder than FFmpeg's (OpenH264, built from source) sees the same pictures, bit by bit.

use crate::assemble::{SETTINGS, part, video};
use openh264::decoder::Decoder;
use openh264::formats::YUVSource as _;
use openh264::nal_units;
use std::path::Path;
use std::process::Command;
use uavgen_media::{EncodeSettings, Part, Preset, assemble};

fn ffmpeg(input: &Path, arguments: &[&str]) -> Vec<u8> {
    let command = Command::new("ffmpeg").args(["-v", "error", "-xerror", "-i"]).arg(input).args(arguments).output();
    let output = command.unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// The samples of all pictures: plane by plane, row by row.
fn samples_of_second_decoder(path: &Path) -> Vec<u8> {
    let stream = ffmpeg(path, &["-c", "copy", "-bsf:v", "h264_mp4toannexb", "-f", "h264", "-"]);
    let mut decoder = Decoder::new().unwrap();
    let mut samples = Vec::new();
    let mut take = |picture: &openh264::decoder::DecodedYUV<'_>| {
        let (width, height) = picture.dimensions();
        let (luma, blue, red) = picture.strides();
        let planes = [
            (picture.y(), luma, width, height),
            (picture.u(), blue, width / 2, height / 2),
            (picture.v(), red, width / 2, height / 2),
        ];
        for (plane, stride, width, height) in planes {
            plane.chunks(stride).take(height).for_each(|row| samples.extend_from_slice(&row[..width]));
        }
    };
    for unit in nal_units(&stream) {
        if let Some(picture) = decoder.decode(unit).unwrap() {
            take(&picture);
        }
    }
    decoder.flush_remaining().unwrap().iter().for_each(&mut take);
    samples
}

fn assert_agreed(path: &Path, frames: usize) {
    let expected = ffmpeg(path, &["-f", "rawvideo", "-pix_fmt", "yuv420p", "-"]);
    assert_eq!(expected.len(), frames * 320 * 240 * 3 / 2);
    // No `assert_eq`: it would print millions of numbers.
    assert!(samples_of_second_decoder(path) == expected, "the decoders disagree on {}", path.display());
}

#[test]
fn videos_and_what_is_put_together_of_them_decode_alike() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.mp4");
    for preset in [Preset::Ultrafast, Preset::Veryfast, Preset::Medium] {
        let settings = EncodeSettings { preset, ..SETTINGS(10) };
        let source = video(folder.path(), "a.mp4", 0, 45, &settings);
        assert_agreed(&source, 45);
        let cut = |first, count| part(&source, first, count, settings);
        let orders: [&[Part]; 3] = [
            &[cut(30, 15), cut(0, 10), cut(20, 10), cut(10, 10)],
            &[cut(33, 12), cut(0, 11), cut(24, 9), cut(11, 13)],
            &[cut(7, 1), cut(39, 2), cut(10, 1), cut(20, 1), cut(3, 30)],
        ];
        for parts in orders {
            assemble(parts, &out).unwrap();
            assert_agreed(&out, parts.iter().map(|part| part.frame_count).sum());
        }
    }
}

#[test]
fn pictures_of_several_slices_are_joined() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, sliced, out) = (
        video(folder.path(), "a.mp4", 0, 30, &SETTINGS(5)),
        folder.path().join("s.mp4"),
        folder.path().join("out.mp4"),
    );
    // As `encode_video` does, but for the slices.
    let parameters = "keyint=5:min-keyint=1:scenecut=0:open-gop=0:bframes=0:slices=4:threads=1";
    let arguments = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-x264-params", parameters];
    let made = Command::new("ffmpeg")
        .args(["-v", "error", "-i"])
        .arg(&whole)
        .args(arguments)
        .args(["-video_track_timescale", "15360"])
        .arg(&sliced)
        .status();
    assert!(made.unwrap().success());
    let cut = |first, count| part(&sliced, first, count, SETTINGS(5));
    assemble(&[cut(10, 5), cut(20, 1), cut(0, 6), cut(5, 12)], &out).unwrap();
    assert_agreed(&out, 24);
}
