//! Images and videos as they are distributed.

use crate::support::{println_skipped, shared_data};
use std::io;
use std::path::{Path, PathBuf};
use uavgen_media::{EncodeSettings, ImageFormat, decode_upright, deliver, encode_video, inspect_video, probe};

fn files_below(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
            if path.is_dir() {
                folders.push(path);
            } else if extension.is_some_and(|extension| extensions.contains(&extension.as_str())) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn real_images_are_sound() {
    let test = "real_images_are_sound";
    let Some(data) = shared_data(test) else { return };
    let files = files_below(&data, &["jpg", "jpeg", "png"]);
    assert!(!files.is_empty());
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        if bytes.starts_with(b"version https://git-lfs") {
            println_skipped(test, &format!("{} is a Git LFS pointer", file.display()));
            continue;
        }
        let info = probe(&bytes).unwrap_or_else(|fault| panic!("{}: {fault}", file.display()));
        let image = decode_upright(&bytes).unwrap_or_else(|fault| panic!("{}: {fault}", file.display()));
        assert_eq!(image.dimensions(), (info.width, info.height));
        let delivered = deliver(&bytes).unwrap();
        assert_eq!(delivered.original, info.is_deliverable(), "{}", file.display());
        if info.format == ImageFormat::Jpeg {
            let cut = [&bytes[..bytes.len() * 9 / 10], &[0xFF, 0xD9]].concat();
            assert!(decode_upright(&cut).is_err(), "{}: a cut scan passes", file.display());
        }
    }
}

#[test]
fn a_real_sequence_encodes() {
    let Some(data) = shared_data("a_real_sequence_encodes") else { return };
    let folder = tempfile::tempdir().unwrap();
    let sequences = files_below(&data.join("visdrone_vid"), &["jpg"]);
    let Some(first) = sequences.first().and_then(|file| file.parent()) else {
        return println_skipped("a_real_sequence_encodes", "no images in visdrone_vid");
    };
    let files = files_below(first, &["jpg"]);
    let out = folder.path().join("clip.mp4");
    let video = encode_video(
        files.iter().map(|file| -> io::Result<_> { std::fs::read(file) }),
        &EncodeSettings::default(),
        &out,
    );
    let video = video.unwrap();
    assert_eq!((video.frame_count(), video.skipped.len()), (files.len(), 0));
    assert_eq!(inspect_video(&out, |_, _| {}).unwrap().frame_count, files.len());
}

#[test]
fn real_videos_decode() {
    let Some(data) = shared_data("real_videos_decode") else { return };
    for file in files_below(&data, &["mp4"]) {
        let frames = inspect_video(&file, |_, _| {}).unwrap_or_else(|error| panic!("{error}")).frame_count;
        assert!(frames > 0, "{}", file.display());
    }
}
