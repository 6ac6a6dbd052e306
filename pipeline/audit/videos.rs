//! Every video: decodes to its last frame, is what its row says, maps frame by frame to its recording, and shows what it maps
//! to.

use crate::clips::VideoFrames;
use crate::film::{Film, Source};
use crate::findings::{FaultCode, Log, Place};
use crate::index::Index;
use crate::pictures::DeliveredCells;
use crate::release::{Release, TableFile};
use crate::tables::{Key, check_table, key};
use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;
use uavgen_core::parallel;
use uavgen_media::VideoInfo;
use uavgen_schemas::{FrameMapEntry, Record, Video};

/// The part of an entry of the frame map that is checked against the video.
struct Entry {
    video_frame: i64,
    pts: i64,
    timescale: i64,
    frame: Key,
    /// Position of the source frame in its recording; null when the frame is not in the release.
    index: Option<i64>,
}

/// Checks videos and their frame maps; gives back the frames that each one shows.
pub(crate) fn check(
    release: &Release,
    index: &Index,
    delivered: &DeliveredCells,
    threads: NonZeroUsize,
    log: &mut Log,
) -> VideoFrames {
    let mut maps = read_maps(release, index, log);
    check_orphans(release, index, log);
    let inspected = parallel::map(threads.get(), &index.videos, |video| {
        let entries = maps.get(&video.video_id).map_or(&[] as &[Entry], Vec::as_slice);
        let mapped: HashMap<i64, Key> = entries.iter().map(|entry| (entry.video_frame, entry.frame)).collect();
        let source = |number: usize| mapped.get(&(number as i64)).map(|&frame| Source { frame, placement: None });
        release.file(&video.path).map(|_| Film::watch(release, &video.path, source, index, delivered))
    });
    let mut frames = VideoFrames::new();
    for (video, outcome) in index.videos.iter().zip(inspected) {
        let place = Place::row(&video.path, &video.video_id);
        let entries = maps.remove(&video.video_id).unwrap_or_default();
        frames.insert(video.video_id.clone(), entries.iter().map(|entry| entry.frame).collect());
        check_map(video, &entries, log);
        let Some(film) = outcome else {
            log.fault(FaultCode::DanglingReference, place, format!("there is no file {}", video.path));
            continue;
        };
        if let Some(info) = film.report(release, place, log) {
            check_content(release, video, film.digest.as_deref(), log);
            check_info(video, info, log);
            check_times(video, info, &entries, log);
        }
    }
    for video_id in maps.into_keys() {
        let problem = format!("there is no video {video_id}");
        log.fault(FaultCode::DanglingReference, Place::row("data/frame_map", &video_id), problem);
    }
    frames
}

/// Size and digest of the file; without a digest it could not be read, which was told before.
fn check_content(release: &Release, video: &Video, digest: Option<&str>, log: &mut Log) {
    if let Some(digest) = digest.filter(|digest| *digest != video.digest) {
        let problem = format!("its BLAKE3 is {digest}, its row says {}", video.digest);
        log.fault(FaultCode::VideoMismatch, Place::row(&video.path, &video.video_id), problem);
    }
    let listed = release.file(&video.path).map_or(0, |file| file.byte_count);
    if listed != video.byte_count {
        let problem = format!("the manifest lists {listed} bytes, its row says {}", video.byte_count);
        log.fault(FaultCode::VideoMismatch, Place::row(&video.path, &video.video_id), problem);
    }
}

/// The frame map by video, with its references checked.
fn read_maps(release: &Release, index: &Index, log: &mut Log) -> BTreeMap<String, Vec<Entry>> {
    let recordings: BTreeMap<&str, &Video> =
        index.videos.iter().map(|video| (video.video_id.as_str(), video)).collect();
    let mut maps: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
    check_table::<FrameMapEntry>(release, log, |log, file, row| {
        let video = recordings.get(row.video_id.as_str()).copied();
        let index = check_entry(index, video, &row, file, log);
        let entry = Entry {
            video_frame: row.video_frame,
            pts: row.pts,
            timescale: row.timescale,
            frame: key(&row.frame_id),
            index,
        };
        maps.entry(row.video_id).or_default().push(entry);
    });
    for entries in maps.values_mut() {
        entries.sort_by_key(|entry| entry.video_frame);
    }
    maps
}

/// Position of the entry's frame in its recording.
fn check_entry(
    index: &Index,
    video: Option<&Video>,
    row: &FrameMapEntry,
    file: &TableFile,
    log: &mut Log,
) -> Option<i64> {
    let place = Place::row(&file.path, &row.entry_id);
    index.check_frame(log, place, &row.frame_id);
    let frame = index.frames.get(&key(&row.frame_id))?;
    if let Some(video) = video
        && *frame.recording != *video.recording_id
    {
        let problem = format!("the frame is of {}, its video of {}", frame.recording, video.recording_id);
        log.fault(FaultCode::FrameMap, place, problem);
    }
    if let Some(video) = video
        && video.split != file.split
    {
        let problem = format!("it is in split {}, its video in {}", file.split, video.split);
        log.fault(FaultCode::SplitMismatch, place, problem);
    }
    if frame.source_number != row.source_number {
        let problem = format!("source_number is {}, that of its frame {}", row.source_number, frame.source_number);
        log.fault(FaultCode::FrameMap, place, problem);
    }
    // A side of odd length is one pixel longer in the video.
    let fits = |side: i64, film: i64| film == side || film == side + side.rem_euclid(2);
    if let Some(video) = video
        && !(fits(frame.width, video.width) && fits(frame.height, video.height))
    {
        let (width, height) = (frame.width, frame.height);
        let problem = format!("its frame is {width}x{height}, the video {}x{}", video.width, video.height);
        log.fault(FaultCode::FrameMap, place, problem);
    }
    if frame.file != key(&row.file) {
        let problem = format!("{} is not the file of its frame {}", row.file, row.frame_id);
        log.fault(FaultCode::FrameMap, place, problem);
    }
    Some(frame.index)
}

/// Files below `videos/` that no row describes.
fn check_orphans(release: &Release, index: &Index, log: &mut Log) {
    for file in release.manifest.files.iter().filter(|file| file.path.starts_with("videos/")) {
        if !index.videos.iter().any(|video| video.path == file.path) {
            log.fault(FaultCode::DanglingReference, Place::file(&file.path), "no row of `videos` describes it");
        }
    }
}

/// The map covers the video once, in the order of the recording.
fn check_map(video: &Video, entries: &[Entry], log: &mut Log) {
    let place = Place::row(FrameMapEntry::TABLE, &video.video_id);
    if entries.len() as i64 != video.frame_count {
        let problem = format!("{} entries, the video has {} frames", entries.len(), video.frame_count);
        log.fault(FaultCode::FrameMap, place, problem);
    }
    if let Some((position, entry)) = (0..).zip(entries).find(|(position, entry)| entry.video_frame != *position) {
        let problem = format!("entry {position} is of video frame {}", entry.video_frame);
        log.fault(FaultCode::FrameMap, place, problem);
    }
    let sources: Vec<i64> = entries.iter().filter_map(|entry| entry.index).collect();
    if let Some(pair) = sources.windows(2).find(|pair| pair[0] >= pair[1]) {
        let problem = format!("source frame {} comes before {}", pair[0], pair[1]);
        log.fault(FaultCode::FrameMap, place, problem);
    }
}

/// The file is what its row says.
fn check_info(video: &Video, info: &VideoInfo, log: &mut Log) {
    let place = Place::row(&video.path, &video.video_id);
    let mut compare = |what: &str, found: i64, stated: i64| {
        if found != stated {
            log.fault(FaultCode::VideoMismatch, place, format!("{what} is {found}, its row says {stated}"));
        }
    };
    compare("the number of frames", info.frame_count as i64, video.frame_count);
    compare("the width", i64::from(info.width), video.width);
    compare("the height", i64::from(info.height), video.height);
    let rate = (i64::from(info.fps_num) * video.fps_den, video.fps_num * i64::from(info.fps_den));
    compare("the rate times both denominators", rate.0, rate.1);
    if info.codec != "h264" || info.pixel_format != "yuv420p" {
        let problem = format!("{} in {}, delivered is h264 in yuv420p", info.codec, info.pixel_format);
        log.fault(FaultCode::VideoMismatch, place, problem);
    }
    let group = usize::try_from(video.gop_frames).unwrap_or(0).max(1);
    let expected = (0..info.frame_count).step_by(group);
    if !info.keyframes.iter().copied().eq(expected) {
        let problem = format!("frames that decode on their own are not those of groups of {}", video.gop_frames);
        log.fault(FaultCode::VideoMismatch, place, problem);
    }
}

/// The times of the map are those of the file, evenly spaced by the rate.
fn check_times(video: &Video, info: &VideoInfo, entries: &[Entry], log: &mut Log) {
    let place = Place::row(FrameMapEntry::TABLE, &video.video_id);
    for (entry, &pts) in entries.iter().zip(&info.pts) {
        // Products instead of quotients: exact.
        let same = i128::from(entry.pts) * i128::from(info.timescale) == i128::from(pts) * i128::from(entry.timescale);
        let position = entry.video_frame;
        let even = i128::from(entry.pts) * i128::from(video.fps_num)
            == i128::from(position) * i128::from(video.fps_den) * i128::from(entry.timescale);
        if !same || !even {
            let problem = format!(
                "frame {position} is shown at {}/{} s by the map, at {pts}/{} s by the file, at frame {position} of {}/{} per second",
                entry.pts, entry.timescale, info.timescale, video.fps_num, video.fps_den
            );
            return log.fault(FaultCode::FrameMap, place, problem);
        }
    }
}
