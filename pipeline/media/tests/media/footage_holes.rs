//! Frames that were lost before a file was written, files that were cut where nothing shows, and containers that say more
//! than they hold.

use crate::footage_support::{FRAMES, Studio, at, read, times};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use uavgen_media::{Footage, VideoFault, read_footage};

/// The x264 and x265 of these tests: groups of 12, every frame where it is expected.
const AVC: &str = "-c:v libx264 -pix_fmt yuv420p -g 12";
const HEVC: &str = "-c:v libx265 -pix_fmt yuv420p -x265-params log-level=none:keyint=12";

/// Copies a film without the packets for which an expression holds.
fn lose(studio: &Studio, film: &str, which: &str) -> PathBuf {
    let name = format!("lost-{film}");
    studio.ffmpeg(&format!("-i {film} -c copy -bsf:v noise=drop='{which}':amount=0 {name}"));
    studio.path(&name)
}

/// What is there, with the number that each frame carries; it must be the one that belongs to its time.
fn read_in_time(path: &Path, first: u32) -> (Footage, Vec<u32>) {
    let (footage, numbers) = read(path).unwrap();
    let expected: Vec<u32> = times(&footage).iter().map(|time| first + (*time as f64 * 30e-6).round() as u32).collect();
    assert_eq!(numbers, expected, "{}: {:?}", path.display(), footage.damage);
    (footage, numbers)
}

#[test]
fn a_lost_packet_ends_a_video_where_it_was() {
    let Some(studio) = Studio::open("a_lost_packet_ends_a_video_where_it_was") else { return };
    for (arguments, film) in [
        (format!("{AVC} -bf 0"), "a.mp4"),
        (format!("{AVC} -bf 0 -slices 3"), "a.mkv"),
        (format!("{AVC} -bf 0"), "a.avi"),
        (format!("{HEVC}:bframes=0"), "h.mp4"),
        (format!("{HEVC}:bframes=0:repeat-headers=1"), "h.mkv"),
    ] {
        studio.film(&arguments, film);
        // One in a group, one behind a keyframe, a keyframe, and several of them.
        for (which, first) in [("eq(n,5)", 5), ("eq(n,13)", 13), ("eq(n,24)", 24), ("between(n,23,25)", 23)] {
            let (footage, numbers) = read_in_time(&lose(&studio, film, which), 0);
            assert_eq!(numbers, (0..first).collect::<Vec<_>>(), "{film} without {which}");
            let damage = footage.damage.unwrap();
            assert_eq!(damage.lost, footage.stored_frames - u64::from(first), "{film} without {which}");
            assert!(damage.detail.starts_with("a frame was lost that it is predicted from"), "{}", damage.detail);
        }
    }
}

#[test]
fn no_frame_is_wrong_where_frames_are_shown_in_another_order() {
    let Some(studio) = Studio::open("no_frame_is_wrong_where_frames_are_shown_in_another_order") else { return };
    for (arguments, film) in [
        (format!("{AVC} -bf 3"), "b.mp4"),
        (format!("{AVC} -bf 2 -x264-params open-gop=1"), "open.mkv"),
        (format!("{AVC} -bf 3 -preset slow -vf fade=out:0:200"), "weights.mp4"),
        (format!("{HEVC}:bframes=3:b-pyramid=1:open-gop=0"), "h.mp4"),
        (format!("{HEVC}:bframes=4:open-gop=1"), "h-open.mkv"),
        (format!("{HEVC}:bframes=3:temporal-layers=1"), "h-layers.mp4"),
    ] {
        studio.film(&arguments, film);
        for lost in [1, 2, 5, 9, 11, 12, 13, 24] {
            let (footage, numbers) = read_in_time(&lose(&studio, film, &format!("eq(n,{lost})")), 0);
            let behind = footage.damage.as_ref().map_or(0, |damage| damage.lost);
            assert_eq!(numbers.len() as u64 + behind, u64::from(FRAMES) - 1, "{film} without {lost}: {footage:?}");
        }
    }
}

#[test]
fn a_lost_frame_that_none_is_predicted_from_is_missing_alone() {
    let Some(studio) = Studio::open("a_lost_frame_that_none_is_predicted_from_is_missing_alone") else { return };
    // They are decoded as 0, 3, 1, 2, 6, 4, 5, …
    let films = [
        (format!("{AVC} -bf 2 -x264-params b-pyramid=none:b-adapt=0:scenecut=0"), "a.mp4"),
        (format!("{HEVC}:bframes=2:b-pyramid=0:b-adapt=0:scenecut=0"), "h.mkv"),
    ];
    for (arguments, film) in films {
        studio.film(&arguments, film);
        let (footage, numbers) = read_in_time(&lose(&studio, film, "eq(n,5)"), 0);
        assert_eq!(footage.damage, None, "{film}");
        assert_eq!(numbers, (0..FRAMES).filter(|number| *number != 4).collect::<Vec<_>>(), "{film}");
    }
}

#[test]
fn sound_streams_of_many_kinds_have_no_holes() {
    let Some(studio) = Studio::open("sound_streams_of_many_kinds_have_no_holes") else { return };
    let avc = |more: &str| format!("{AVC} {more}");
    let hevc = |more: &str| format!("{HEVC}:{more}");
    let films = [
        (avc("-bf 0 -x264-params intra-refresh=1"), "refresh.mp4"),
        (avc("-bf 0 -profile:v baseline -x264-params aud=1"), "baseline.mp4"),
        (avc("-bf 4 -refs 6 -preset slower -x264-params weightp=2:weightb=1:b-pyramid=strict"), "references.mkv"),
        (avc("-bf 2 -x264-params cqm=jvt:8x8dct=1"), "matrices.mp4"),
        (avc("-bf 2 -pix_fmt yuv444p"), "444.mp4"),
        (avc("-bf 2 -pix_fmt yuv422p10le"), "ten.mkv"),
        (avc("-bf 2 -x264-params stitchable=1:open-gop=1"), "stitchable.mp4"),
        (avc("-bf 2 -movflags frag_keyframe+empty_moov"), "fragments.mp4"),
        (avc("-bf 0 -g 1"), "keyframes.mp4"),
        (hevc("scaling-list=default:bframes=2"), "lists.mkv"),
        (hevc("intra-refresh=1:bframes=0:ref=5"), "refresh-h.mp4"),
        (hevc("bframes=8:b-adapt=2:ref=5:open-gop=1:radl=2"), "leading.mp4"),
        (hevc("wpp=0:aud=1:hrd=1:vbv-maxrate=500:vbv-bufsize=500"), "buffer.mkv"),
        (hevc("bframes=3 -pix_fmt yuv420p10le"), "ten.mp4"),
    ];
    for (arguments, film) in films {
        let (footage, numbers) = read_in_time(&studio.film(&arguments, film), 0);
        assert_eq!((footage.damage, numbers.len()), (None, FRAMES as usize), "{film}");
    }
}

#[test]
fn a_stream_may_begin_before_it_can_be_decoded() {
    let Some(studio) = Studio::open("a_stream_may_begin_before_it_can_be_decoded") else { return };
    let films = [
        (format!("{AVC} -bf 0"), "a.mkv"),
        (format!("{AVC} -bf 3"), "b.mp4"),
        (format!("{AVC} -bf 2 -x264-params open-gop=1"), "open.mp4"),
        (format!("{HEVC}:bframes=3:open-gop=0"), "h.mp4"),
        (format!("{HEVC}:bframes=4:open-gop=1"), "h-open.mkv"),
    ];
    for (arguments, film) in films {
        studio.film(&arguments, film);
        let (footage, numbers) = read_in_time(&lose(&studio, film, "lt(n,5)"), 12);
        assert_eq!((footage.damage, numbers), (None, (12..FRAMES).collect()), "{film}");
        assert_eq!(footage.stored_frames, u64::from(FRAMES) - 5, "{film}");
    }
    // The frames that an AVI begins with and that cannot be used are known, and so are the times of the others.
    studio.film(&format!("{AVC} -bf 0"), "a.avi");
    let (footage, numbers) = read_in_time(&lose(&studio, "a.avi", "lt(n,5)"), 12);
    assert_eq!((footage.damage, numbers), (None, (12..FRAMES).collect()));
}

#[test]
fn fragments_that_are_listed_and_not_there_are_missed() {
    let Some(studio) = Studio::open("fragments_that_are_listed_and_not_there_are_missed") else { return };
    let path = studio.film(&format!("{AVC} -bf 2 -movflags frag_keyframe+dash+global_sidx"), "fragments.mp4");
    assert_eq!(read(&path).unwrap().0.damage, None);
    let bytes = fs::read(&path).unwrap();
    let fragments: Vec<usize> = (0..bytes.len() - 4).filter(|&at| &bytes[at..at + 4] == b"moof").collect();
    fs::write(&path, &bytes[..fragments[2] - 4]).unwrap();
    let (footage, numbers) = read_in_time(&path, 0);
    assert_eq!(numbers, (0..24).collect::<Vec<_>>());
    assert_eq!(footage.damage.unwrap().detail, "the file ends before its container does");
}

/// Writes a number at a distance from the name of the first box of a kind.
fn patch(path: &Path, kind: &[u8; 4], distance: usize, change: impl Fn(u32) -> u32) {
    let mut bytes = fs::read(path).unwrap();
    let at = bytes.windows(4).position(|window| window == kind).unwrap() + distance;
    let number = u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    bytes[at..at + 4].copy_from_slice(&change(number).to_be_bytes());
    fs::write(path, bytes).unwrap();
}

#[test]
fn an_edit_list_that_starts_late_hides_frames_and_loses_none() {
    let Some(studio) = Studio::open("an_edit_list_that_starts_late_hides_frames_and_loses_none") else { return };
    // 512 units are a frame.
    for (arguments, film) in [(format!("{AVC} -bf 2"), "a.mp4"), (format!("{HEVC}:bframes=3:open-gop=0"), "h.mp4")] {
        for first in [5, 14, 30] {
            let path = studio.film(&arguments, film);
            patch(&path, b"elst", 16, |start| start + first * 512);
            let (footage, numbers) = read_in_time(&path, first);
            assert_eq!((footage.damage, numbers), (None, (first..FRAMES).collect()), "{film} from {first}");
            assert_eq!(footage.listed_frames, Some(footage.stored_frames), "{film} from {first}");
        }
    }
}

#[test]
fn frames_are_counted_by_decoding_them() {
    let Some(studio) = Studio::open("frames_are_counted_by_decoding_them") else { return };
    let film = || studio.film(&format!("{AVC} -bf 2"), "a.mp4");
    // Times of more and of fewer frames than there are.
    for (times, listed) in [(86, 86), (30, 30)] {
        patch(&film(), b"stts", 12, |_| times);
        let (footage, numbers) = read(&studio.path("a.mp4")).unwrap();
        assert_eq!((numbers, footage.listed_frames), ((0..FRAMES).collect(), Some(listed)));
        assert_eq!((footage.stored_frames, footage.damage), (u64::from(FRAMES), None));
    }
    // Sizes of fewer.
    patch(&film(), b"stsz", 12, |count| count - 6);
    let (footage, numbers) = read(&studio.path("a.mp4")).unwrap();
    assert_eq!((numbers.len() as u64, footage.stored_frames, footage.listed_frames), (30, 30, Some(36)));
    // Sizes of more than the table has: there is no index to go by.
    patch(&film(), b"stsz", 12, |count| count + 100);
    let fault = read_footage(&studio.path("a.mp4"), |_| ControlFlow::Continue(())).unwrap_err();
    assert_eq!(fault.reason(), "undecodable");
}

#[test]
fn pixels_that_the_container_alone_calls_wide_are_refused() {
    let Some(studio) = Studio::open("pixels_that_the_container_alone_calls_wide_are_refused") else { return };
    for arguments in [AVC, HEVC, "-c:v mpeg4 -q:v 3"] {
        studio.film(arguments, "a.mp4");
        studio.ffmpeg("-i a.mp4 -c copy -aspect 20:9 wide.mov");
        patch(&studio.path("wide.mov"), b"pasp", 4, |_| 4);
        patch(&studio.path("wide.mov"), b"pasp", 8, |_| 3);
        let fault = read_footage(&studio.path("wide.mov"), |_| ControlFlow::Continue(())).unwrap_err();
        assert_eq!(fault, VideoFault::NonSquarePixels { num: 4, den: 3 }, "{arguments}");
        // What scalers leave is less than a hundredth.
        patch(&studio.path("wide.mov"), b"pasp", 4, |_| 1_003);
        patch(&studio.path("wide.mov"), b"pasp", 8, |_| 1_000);
        assert_eq!(times(&read(&studio.path("wide.mov")).unwrap().0).len(), FRAMES as usize);
    }
    // A film of square pixels, and one of which nothing is stated.
    for film in ["a.mp4", "none.mp4"] {
        studio.film(AVC, film);
        assert_eq!(times(&read(&studio.path(film)).unwrap().0)[1], at(1), "{film}");
    }
}
