//! Files that are no video, broken ones, and those whose pictures would come out wrong.

use crate::footage_support::{FRAMES, Studio, read};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use uavgen_media::{VideoFault, read_footage};

fn fault(path: &Path) -> VideoFault {
    read_footage(path, |_| ControlFlow::Continue(())).unwrap_err()
}

#[test]
fn what_is_no_video_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let contents: [(&[u8], &str); 6] = [
        (b"", "empty_file"),
        (b"just a text\n", "not_a_video"),
        (b"#EXTM3U\n#EXTINF:1,\nother.ts\n", "not_a_video"),
        (b"ffconcat version 1.0\nfile 'other.mp4'\n", "not_a_video"),
        (b"<html>not found</html>", "not_a_video"),
        (b"\0\0\0\x18ftypisom\0\0\0\0isomiso2", "truncated"),
    ];
    for (content, reason) in contents {
        let path = folder.path().join("a.mp4");
        fs::write(&path, content).unwrap();
        assert_eq!(fault(&path).reason(), reason, "{content:?}");
    }
    assert_eq!(fault(&folder.path().join("gone.mp4")).reason(), "unreadable_file");
}

#[test]
fn videos_without_an_index_or_a_picture_are_named() {
    let Some(studio) = Studio::open("videos_without_an_index_or_a_picture_are_named") else { return };
    let path = studio.film("-c:v libx264 -pix_fmt yuv420p", "late.mp4");
    let bytes = fs::read(&path).unwrap();
    // The index comes last.
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    assert_eq!(fault(&path).reason(), "truncated");
    studio.ffmpeg("-f lavfi -i sine=duration=1 -c:a aac sound.mp4");
    assert_eq!(fault(&studio.path("sound.mp4")), VideoFault::NoVideoStream);
    studio.ffmpeg(
        "-f lavfi -i sine=duration=1 -i 1.png -map 0 -map 1 -c:a aac -c:v png -disposition:v:0 attached_pic cover.mp4",
    );
    assert_eq!(fault(&studio.path("cover.mp4")), VideoFault::NoVideoStream);
}

#[test]
fn what_would_come_out_wrong_is_refused_by_name() {
    let Some(studio) = Studio::open("what_would_come_out_wrong_is_refused_by_name") else { return };
    let films = [
        ("-vf setsar=2 -c:v libx264 -pix_fmt yuv420p", "wide.mp4", "non_square_pixels"),
        ("-c:v libx264 -pix_fmt yuv420p -x264-params interlaced=1:tff=1", "fields.mp4", "interlaced"),
        ("-c:v ffv1 -pix_fmt yuva420p", "alpha.mkv", "unsupported_pixels"),
        ("-c:v libx264 -pix_fmt yuv420p -color_trc smpte2084", "hdr.mp4", "unsupported_colour"),
        ("-c:v libx264 -pix_fmt yuv420p -colorspace ycgco", "ycgco.mp4", "unsupported_colour"),
    ];
    for (arguments, name, reason) in films {
        let path = studio.film(arguments, name);
        assert_eq!(fault(&path).reason(), reason, "{name}: {}", fault(&path));
    }
    // Less than a pixel in a hundred is what scalers leave.
    let path = studio.film("-vf setsar=1071/1070 -c:v libx264 -pix_fmt yuv420p", "nearly.mp4");
    assert_eq!(read(&path).unwrap().1.len(), FRAMES as usize);
    let path = studio.film("-c:v libx264 -pix_fmt yuv420p", "slanted.mp4");
    let mut bytes = fs::read(&path).unwrap();
    let matrix = bytes.windows(4).position(|window| window == b"tkhd").unwrap() + 44;
    bytes[matrix..matrix + 8].copy_from_slice(&[0, 0, 0xB5, 0x05, 0, 0, 0xB5, 0x05]);
    fs::write(&path, bytes).unwrap();
    assert_eq!(fault(&path), VideoFault::UnsupportedRotation);
}

#[test]
fn what_comes_before_the_first_damage_stays_and_the_rest_is_counted() {
    let Some(studio) = Studio::open("what_comes_before_the_first_damage_stays_and_the_rest_is_counted") else { return };
    let films = [
        ("-c:v libx264 -pix_fmt yuv420p -bf 0 -g 6 -movflags +faststart", "h264.mp4"),
        ("-c:v mpeg4 -q:v 3 -g 6 -movflags +faststart", "part2.mp4"),
        ("-c:v mjpeg -q:v 3 -pix_fmt yuvj420p", "jpeg.avi"),
    ];
    for (arguments, name) in films {
        let path = studio.film(arguments, name);
        let whole = fs::read(&path).unwrap();
        let mut noisy = whole.clone();
        let middle = whole.len() * 6 / 10;
        for (index, byte) in noisy[middle..middle + 600].iter_mut().enumerate() {
            *byte = (index * 151 % 251) as u8;
        }
        for (damage, bytes) in [("overwritten", &noisy[..]), ("cut", &whole[..middle])] {
            fs::write(&path, bytes).unwrap();
            let (footage, numbers) = read(&path).unwrap();
            assert!((4..FRAMES as usize).contains(&numbers.len()), "{name} {damage}: {numbers:?}");
            assert_eq!(numbers, (0..numbers.len() as u32).collect::<Vec<_>>(), "{name} {damage}");
            let all_told = footage.damage.as_ref().map_or(0, |damage| damage.lost) + numbers.len() as u64;
            let listed = footage.listed_frames.unwrap_or(0);
            assert!(footage.damage.is_some() || footage.stored_frames < listed, "{name} {damage}: {footage:?}");
            assert_eq!(all_told.max(listed), u64::from(FRAMES), "{name} {damage}: {footage:?}");
        }
    }
}

#[test]
fn a_video_that_changes_its_size_ends_there() {
    let Some(studio) = Studio::open("a_video_that_changes_its_size_ends_there") else { return };
    studio.film("-frames:v 10 -c:v mjpeg -q:v 3 -pix_fmt yuvj420p -f mjpeg", "a.jpegs");
    studio.film("-frames:v 5 -vf scale=160:96 -c:v mjpeg -q:v 3 -pix_fmt yuvj420p -f mjpeg", "b.jpegs");
    let both = [fs::read(studio.path("a.jpegs")).unwrap(), fs::read(studio.path("b.jpegs")).unwrap()].concat();
    fs::write(studio.path("ab.jpegs"), both).unwrap();
    studio.ffmpeg("-framerate 30 -f mjpeg -i ab.jpegs -c copy ab.mkv");
    let (footage, numbers) = read(&studio.path("ab.mkv")).unwrap();
    assert_eq!(numbers, (0..10).collect::<Vec<_>>());
    let damage = footage.damage.unwrap();
    assert_eq!((damage.lost, damage.detail.as_str()), (5, "from here on it is 160x96 instead of 200x120"));
}

#[test]
fn a_matroska_file_that_ends_early_is_damaged_there() {
    let Some(studio) = Studio::open("a_matroska_file_that_ends_early_is_damaged_there") else { return };
    for (arguments, name) in
        [("-c:v libx264 -pix_fmt yuv420p -bf 0 -g 6", "h264.mkv"), ("-c:v libvpx -g 6", "vp8.webm")]
    {
        let path = studio.film(arguments, name);
        let whole = fs::read(&path).unwrap();
        assert_eq!(read(&path).unwrap().0.damage, None);
        for length in [whole.len() / 2, whole.len() - 150] {
            fs::write(&path, &whole[..length]).unwrap();
            let footage = read(&path).unwrap().0;
            assert!(footage.damage.is_some(), "{name} cut to {length} of {} bytes", whole.len());
        }
    }
}

#[test]
fn an_avi_of_which_some_frames_do_not_decode_is_refused() {
    let Some(studio) = Studio::open("an_avi_of_which_some_frames_do_not_decode_is_refused") else { return };
    let path = studio.film("-c:v libx264 -pix_fmt yuv420p -bf 0 -g 6", "h264.avi");
    assert_eq!(read(&path).unwrap().1.len(), FRAMES as usize);
    // The seventh chunk is a keyframe. Without its beginning the decoder gives nothing until the next one.
    let mut bytes = fs::read(&path).unwrap();
    let chunks: Vec<usize> = (0..bytes.len() - 4).filter(|&at| &bytes[at..at + 4] == b"00dc").collect();
    bytes[chunks[6] + 8..chunks[6] + 208].fill(0);
    fs::write(&path, bytes).unwrap();
    let (footage, numbers) = match read(&path) {
        Err(fault) => return assert!(fault.to_string().contains("AVI does not tell which"), "{fault}"),
        Ok(read) => read,
    };
    assert!(footage.damage.is_some(), "{footage:?} {numbers:?}");
}
