//! What goes wrong while encoding and reading videos, and how it is reported.

use crate::support::{jpeg, numbered_frame, read_number};
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use uavgen_media::{EncodeSettings, MediaError, encode_video, for_each_frame, inspect_video, library};

fn image(number: u32) -> Vec<u8> {
    jpeg(&numbered_frame(200, 120, number), 90)
}

fn encode(images: Vec<Vec<u8>>, out: &Path) -> Result<uavgen_media::EncodedVideo, MediaError> {
    encode_video(images.into_iter().map(Ok), &EncodeSettings::default(), out)
}

#[test]
fn a_broken_image_is_left_out_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("clip.mp4");
    let mut images: Vec<_> = (0..30).map(image).collect();
    images[0] = Vec::new();
    images[12].truncate(2000);
    images[13] = b"<html>not found</html>".to_vec();
    // Cut within the scan, end marker put back: decoders that fill with grey accept it.
    let length = images[20].len();
    images[20].truncate(length * 2 / 3);
    images[20].extend([0xFF, 0xD9]);
    let video = encode(images, &out).unwrap();
    let skipped: Vec<_> = video.skipped.iter().map(|s| (s.source_index, s.fault.reason())).collect();
    assert_eq!(skipped, [(0, "empty_file"), (12, "truncated"), (13, "not_an_image"), (20, "truncated")]);

    let kept: Vec<usize> = (1..30).filter(|n| ![12, 13, 20].contains(n)).collect();
    assert_eq!(video.frames.iter().map(|frame| frame.source_index).collect::<Vec<_>>(), kept);
    let (mut numbers, mut times) = (Vec::new(), Vec::new());
    for_each_frame(&out, |frame| {
        numbers.push(read_number(&frame.image) as usize);
        times.push(frame.pts);
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(numbers, kept);
    assert_eq!(times, (0..26).map(|n| n * 1024).collect::<Vec<_>>(), "the step stays constant over the gaps");
}

#[test]
fn nothing_to_encode_is_an_error_with_its_first_cause() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("clip.mp4");
    let error = encode(vec![Vec::new(), b"text".to_vec()], &out).unwrap_err();
    assert!(matches!(error, MediaError::NoFrames { skipped: 2, first: Some(uavgen_media::ImageFault::EmptyFile) }));
    assert!(!out.exists());
}

#[test]
fn a_change_of_size_names_the_frame() {
    let folder = tempfile::tempdir().unwrap();
    let mut images: Vec<_> = (0..10).map(image).collect();
    images[6] = jpeg(&numbered_frame(202, 120, 6), 90);
    let error = encode(images, &folder.path().join("clip.mp4")).unwrap_err();
    assert!(matches!(error, MediaError::SizeChanged { index: 6, width: 202, height: 120, .. }), "{error}");
    // 199 and 200 pad to the same size, yet they are different images.
    let images = vec![image(0), jpeg(&numbered_frame(199, 120, 1), 90)];
    let error = encode(images, &folder.path().join("clip.mp4")).unwrap_err();
    assert!(matches!(error, MediaError::SizeChanged { index: 1, width: 199, .. }), "{error}");
}

#[test]
fn a_failing_source_stops_the_encoding() {
    let folder = tempfile::tempdir().unwrap();
    let loaded = AtomicUsize::new(0);
    let images = (0..100).map(|number| {
        loaded.fetch_add(1, Ordering::Relaxed);
        if number == 5 { Err(io::Error::other("unplugged")) } else { Ok(image(number)) }
    });
    let error = encode_video(images, &EncodeSettings::default(), &folder.path().join("clip.mp4")).unwrap_err();
    assert!(matches!(&error, MediaError::Load { index: 5, source } if source.to_string() == "unplugged"), "{error}");
    assert_eq!(loaded.load(Ordering::Relaxed), 6, "nothing is loaded after the failure");
}

#[test]
fn images_are_loaded_only_a_few_ahead() {
    let folder = tempfile::tempdir().unwrap();
    let loaded = AtomicUsize::new(0);
    let mut images: Vec<_> = (0..60).map(image).collect();
    images[1] = jpeg(&numbered_frame(64 * 4, 120, 1), 90);
    let images = images.into_iter().map(|bytes| {
        loaded.fetch_add(1, Ordering::Relaxed);
        io::Result::Ok(bytes)
    });
    let result = encode_video(images, &EncodeSettings::default(), &folder.path().join("clip.mp4"));
    assert!(matches!(result, Err(MediaError::SizeChanged { index: 1, .. })));
    assert!(loaded.load(Ordering::Relaxed) <= 12, "{loaded:?}");
}

#[test]
fn a_full_disk_is_an_error() {
    let full = Path::new("/dev/full");
    if !full.exists() {
        return crate::support::println_skipped("a_full_disk_is_an_error", "there is no /dev/full");
    }
    let error = encode((0..40).map(image).collect(), full).unwrap_err();
    assert!(matches!(error, MediaError::DiskFull { .. }), "{error:?}");
}

#[test]
fn unwritable_and_unreadable_paths_are_named() {
    let missing = Path::new("/nowhere/at all/clip.mp4");
    let error = encode(vec![image(0)], missing).unwrap_err();
    assert!(error.to_string().contains("/nowhere/at all/clip.mp4"), "{error}");
    assert!(error.to_string().contains("No such file"), "{error}");
    let error = inspect_video(missing, |_, _| {}).unwrap_err();
    assert!(error.to_string().contains("No such file"), "{error}");
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        let path = Path::new(std::ffi::OsStr::from_bytes(b"/tmp/\xFF.mp4"));
        assert!(matches!(inspect_video(path, |_, _| {}), Err(MediaError::Path { .. })));
        assert!(matches!(encode(vec![image(0)], path), Err(MediaError::Path { .. })));
    }
}

#[test]
fn damaged_videos_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("clip.mp4");
    encode((0..45).map(image).collect(), &out).unwrap();
    let bytes = std::fs::read(&out).unwrap();
    let damaged = folder.path().join("damaged.mp4");

    std::fs::write(&damaged, &bytes[..bytes.len() * 2 / 3]).unwrap();
    let error = inspect_video(&damaged, |_, _| {}).unwrap_err();
    assert!(matches!(error, MediaError::Damaged { decoded_frames: 1..45, .. }), "{error}");

    let mut overwritten = bytes.clone();
    let middle = bytes.len() / 2;
    overwritten[middle..middle + 400].fill(0xA5);
    std::fs::write(&damaged, &overwritten).unwrap();
    assert!(matches!(inspect_video(&damaged, |_, _| {}), Err(MediaError::Damaged { .. })));

    std::fs::write(&damaged, b"").unwrap();
    assert!(inspect_video(&damaged, |_, _| {}).is_err());
    std::fs::write(&damaged, image(3)).unwrap();
    assert!(
        inspect_video(&damaged, |_, _| {}).is_ok_and(|info| info.codec == "mjpeg"),
        "a still is a video of one frame"
    );
}

#[test]
fn the_library_names_itself() {
    let info = library();
    assert!(info.licence.contains("GPL"), "{info:?}");
    assert!(info.x264.as_deref().is_some_and(|version| version.starts_with("core ")), "{info:?}");
    for part in [&info.avcodec, &info.avformat, &info.swscale, "x264-core-"] {
        assert!(info.build_id.contains(part), "{part} in {}", info.build_id);
    }
    assert_eq!(library().build_id, info.build_id);
}
