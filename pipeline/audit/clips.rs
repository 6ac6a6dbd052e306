//! Every clip: its plan accounts for each of its frames, its file shows what the plan says, and all of it is of one split.

use crate::film::{Film, Source};
use crate::findings::{FaultCode, Log, Place};
use crate::index::Index;
use crate::pictures::DeliveredCells;
use crate::release::Release;
use crate::tables::{Key, check_table, key};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use uavgen_core::parallel;
use uavgen_media::Placement;
use uavgen_schemas::{Clip, ClipFrame, ClipKind, ClipPool, ClipSample, ClipSegment, Record, ShuffleStrategy, Video};

/// A clip with its plan.
struct Planned {
    clip: Clip,
    segments: Vec<ClipSegment>,
    frames: Vec<PlannedFrame>,
}

/// The part of a row of `clip_frames` that is checked.
struct PlannedFrame {
    clip_frame: i64,
    pts: i64,
    timescale: i64,
    segment: i64,
    frame: Key,
    source_number: i64,
}

/// Source frames of every video, in its order.
pub(crate) type VideoFrames = BTreeMap<String, Vec<Key>>;

/// Checks clips, their plans and their files.
pub(crate) fn check(
    release: &Release,
    index: &mut Index,
    videos: &VideoFrames,
    delivered: &DeliveredCells,
    threads: NonZeroUsize,
    log: &mut Log,
) {
    let clips = read(release, index, log);
    check_samples(release, &clips, log);
    check_orphans(release, &clips, log);
    for planned in &clips {
        check_membership(index, planned, log);
        let plan = planned.check_segments().and_then(|()| planned.check_kind());
        let plan = plan.and_then(|()| planned.check_pictures(index));
        if let Err(problem) = plan.and_then(|()| planned.check_frames(videos, index)) {
            log.fault(FaultCode::ClipPlan, planned.place(), problem);
        }
    }
    check_members(&clips, log);
    let with_files: Vec<&Planned> = clips.iter().filter(|planned| planned.clip.has_own_file()).collect();
    let inspected = parallel::map(threads.get(), &with_files, |planned| {
        let source = |number: usize| planned.source(number);
        let path = &planned.clip.path;
        release.file(path).map(|file| (file.byte_count, Film::watch(release, path, source, index, delivered)))
    });
    for (planned, outcome) in with_files.iter().zip(inspected) {
        match outcome {
            None => {
                let problem = format!("there is no file {}", planned.clip.path);
                log.fault(FaultCode::DanglingReference, planned.place(), problem);
            }
            Some((listed, film)) => planned.check_film(&film, listed, release, log),
        }
    }
    for planned in clips.iter().filter(|planned| !planned.clip.has_own_file()) {
        if !index.videos.iter().any(|video| planned.is_all_of(video)) {
            let problem =
                format!("{} is neither its own file nor the video that it shows from end to end", planned.clip.path);
            log.fault(FaultCode::ClipPlan, planned.place(), problem);
        }
    }
}

/// Concatenated clips show single clips of the pool `member` from end to end, each once in all, and in one of them no leak
/// group twice.
fn check_members(clips: &[Planned], log: &mut Log) {
    let by_id: BTreeMap<&str, &Planned> =
        clips.iter().map(|planned| (planned.clip.clip_id.as_str(), planned)).collect();
    let mut joined: BTreeSet<&str> = BTreeSet::new();
    for planned in clips.iter().filter(|planned| planned.clip.kind == ClipKind::Concatenated) {
        let mut groups: BTreeSet<&str> = BTreeSet::new();
        for segment in &planned.segments {
            let id = segment.member_clip_id.as_deref().unwrap_or_default();
            let problem = match by_id.get(id) {
                None => Some("is no clip of the release".to_owned()),
                Some(member) if !member.is_shown_by(segment) => {
                    Some("is no member, or is not shown from end to end".to_owned())
                }
                Some(_) if !joined.insert(id) => Some("is joined twice".to_owned()),
                Some(member) => member
                    .clip
                    .group_ids
                    .iter()
                    .find(|group| !groups.insert(group.as_str()))
                    .map(|group| format!("is of group {group}, as another clip of it")),
            };
            if let Some(problem) = problem {
                log.fault(FaultCode::ClipPlan, planned.place(), format!("clip {id} {problem}"));
            }
        }
    }
}

fn placement(segment: &ClipSegment) -> Option<Placement> {
    let edges = [segment.picture_x1, segment.picture_y1, segment.picture_x2, segment.picture_y2];
    let [x1, y1, x2, y2] = edges.map(|edge| u32::try_from(edge).ok());
    Some(Placement { x1: x1?, y1: y1?, x2: x2?, y2: y2? })
}

/// The clips by id, each with its plan in order.
fn read(release: &Release, index: &mut Index, log: &mut Log) -> Vec<Planned> {
    let mut clips: BTreeMap<String, Planned> = BTreeMap::new();
    check_table::<Clip>(release, log, |log, file, clip| {
        let place = Place::row(&file.path, &clip.clip_id);
        if clip.split != file.split {
            log.fault(FaultCode::SplitMismatch, place, format!("it is of split {}", clip.split));
        }
        clip.group_ids.iter().for_each(|group| index.groups.add(group, &clip.split, &file.path, &clip.clip_id));
        clips.insert(clip.clip_id.clone(), Planned { clip, segments: Vec::new(), frames: Vec::new() });
    });
    let missing = |log: &mut Log, file: &str, row: &str, clip: &str| {
        log.fault(FaultCode::DanglingReference, Place::row(file, row), format!("there is no clip {clip}"));
    };
    check_table::<ClipSegment>(release, log, |log, file, row| match clips.get_mut(&row.clip_id) {
        Some(planned) => planned.segments.push(row),
        None => missing(log, &file.path, &row.segment_id, &row.clip_id),
    });
    check_table::<ClipFrame>(release, log, |log, file, row| match clips.get_mut(&row.clip_id) {
        Some(planned) => planned.frames.push(PlannedFrame {
            clip_frame: row.clip_frame,
            pts: row.pts,
            timescale: row.timescale,
            segment: row.segment,
            frame: key(&row.frame_id),
            source_number: row.source_number,
        }),
        None => missing(log, &file.path, &row.entry_id, &row.clip_id),
    });
    let mut clips: Vec<Planned> = clips.into_values().collect();
    for planned in &mut clips {
        planned.segments.sort_by_key(|segment| segment.position);
        planned.frames.sort_by_key(|frame| frame.clip_frame);
    }
    clips
}

/// Sampled frames are ascending frames of their clip.
fn check_samples(release: &Release, clips: &[Planned], log: &mut Log) {
    let counts: BTreeMap<&str, i64> =
        clips.iter().map(|planned| (planned.clip.clip_id.as_str(), planned.clip.frame_count)).collect();
    check_table::<ClipSample>(release, log, |log, file, row| {
        let place = Place::row(&file.path, &row.sample_id);
        let Some(count) = counts.get(row.clip_id.as_str()) else {
            return log.fault(FaultCode::DanglingReference, place, format!("there is no clip {}", row.clip_id));
        };
        let ascending = row.frames.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascending || row.frames.is_empty() || row.frames.iter().any(|frame| !(0..*count).contains(frame)) {
            log.fault(FaultCode::ClipPlan, place, "its frames are not ascending frames of the clip");
        }
    });
}

/// Files below `clips/` that no row describes.
fn check_orphans(release: &Release, clips: &[Planned], log: &mut Log) {
    let known: BTreeSet<&str> = clips.iter().map(|planned| planned.clip.path.as_str()).collect();
    for file in release.manifest.files.iter().filter(|file| file.path.starts_with("clips/")) {
        if !known.contains(file.path.as_str()) {
            log.fault(FaultCode::DanglingReference, Place::file(&file.path), "no row of `clips` describes it");
        }
    }
}

/// Recordings, groups and split of a clip are those of its segments.
fn check_membership(index: &Index, planned: &Planned, log: &mut Log) {
    let shown: BTreeSet<&str> = planned.segments.iter().map(|segment| segment.recording_id.as_str()).collect();
    let stated: Vec<&str> = planned.clip.recording_ids.iter().map(String::as_str).collect();
    if shown.iter().copied().collect::<Vec<_>>() != stated {
        let problem = format!("it is said to show {stated:?}, its segments show {shown:?}");
        log.fault(FaultCode::ClipPlan, planned.place(), problem);
    }
    let mut groups = BTreeSet::new();
    for recording in shown {
        let Some(facts) = index.recordings.get(recording) else {
            log.fault(FaultCode::DanglingReference, planned.place(), format!("there is no recording {recording}"));
            continue;
        };
        groups.insert(facts.group.as_str());
        if facts.split != planned.clip.split {
            let problem = format!("{recording} is of split {}, the clip of {}", facts.split, planned.clip.split);
            log.fault(FaultCode::SplitMismatch, planned.place(), problem);
        }
    }
    if !planned.clip.group_ids.iter().map(String::as_str).eq(groups.iter().copied()) {
        let problem = format!("its groups are {:?}, those of its recordings {groups:?}", planned.clip.group_ids);
        log.fault(FaultCode::ClipPlan, planned.place(), problem);
    }
}

impl Planned {
    fn place(&self) -> Place<'_> {
        Place::row(Clip::TABLE, &self.clip.clip_id)
    }

    /// Segments follow each other without a gap, and taken in the order of the recording each begins where the one before
    /// it ends, but for the overlap.
    fn check_segments(&self) -> Result<(), String> {
        let mut first_frame = 0;
        for (position, segment) in (0..).zip(&self.segments) {
            if segment.position != position || segment.first_frame != first_frame || segment.frame_count < 1 {
                return Err(format!("segment {position} begins at frame {}, not {first_frame}", segment.first_frame));
            }
            first_frame += segment.frame_count;
        }
        if first_frame != self.clip.frame_count || self.segments.len() as i64 != self.clip.segment_count {
            return Err(format!("its segments have {first_frame} frames, its row says {}", self.clip.frame_count));
        }
        let again = |segment: &ClipSegment| (0..=segment.frame_count).contains(&segment.encoded_again);
        if !self.segments.iter().all(again) {
            return Err("a segment encodes more frames again than it has".into());
        }
        if self.clip.kind == ClipKind::Concatenated { Ok(()) } else { self.check_cuts() }
    }

    /// Segments of one video, taken in its order: each begins where the one before it ends, but for the overlap.
    fn check_cuts(&self) -> Result<(), String> {
        let mut by_source: Vec<&ClipSegment> = self.segments.iter().collect();
        by_source.sort_by_key(|segment| segment.source_position);
        if !by_source.iter().map(|segment| segment.source_position).eq(0..by_source.len() as i64) {
            return Err("its segments do not stand in one order of the recording".into());
        }
        let follows = |pair: &[&ClipSegment]| {
            let end = pair[0].video_first_frame + pair[0].frame_count;
            let shorter = pair[0].frame_count.min(pair[1].frame_count);
            pair[0].video_id == pair[1].video_id
                && pair[1].video_first_frame == end - pair[1].overlap_frames
                && (0..shorter).contains(&pair[1].overlap_frames)
        };
        if let Some(pair) = by_source.windows(2).find(|pair| !follows(pair)) {
            return Err(format!("frames are lost or repeated before segment {}", pair[1].position));
        }
        let overlaps_none = by_source.first().is_some_and(|first| first.overlap_frames != 0);
        if overlaps_none { Err("its first segment overlaps with none".into()) } else { Ok(()) }
    }

    /// Pictures are those of the video from edge to edge, or lie on a canvas as large as fits, in the middle; on a canvas
    /// every frame is encoded again.
    fn check_pictures(&self, index: &Index) -> Result<(), String> {
        for segment in &self.segments {
            let video = index.videos.iter().find(|video| video.video_id == segment.video_id);
            let Some(video) = video else { return Err(format!("there is no video {}", segment.video_id)) };
            let size = |width: i64, height: i64| (width as u32, height as u32);
            let expected =
                Placement::letterbox(size(video.width, video.height), size(self.clip.width, self.clip.height));
            let is_whole = (video.width, video.height) == (self.clip.width, self.clip.height);
            let may_differ = self.clip.kind == ClipKind::Concatenated && segment.encoded_again == segment.frame_count;
            if placement(segment) != Some(expected) || !(is_whole || may_differ) {
                return Err(format!("the pictures of segment {} do not lie where they should", segment.position));
            }
        }
        Ok(())
    }

    /// What a frame shows.
    fn source(&self, number: usize) -> Option<Source> {
        let planned = self.frames.get(number)?;
        let segment = usize::try_from(planned.segment).ok().and_then(|segment| self.segments.get(segment))?;
        let whole = Placement { x1: 0, y1: 0, x2: self.clip.width as u32, y2: self.clip.height as u32 };
        Some(Source { frame: planned.frame, placement: placement(segment).filter(|placement| *placement != whole) })
    }

    /// Whether it is a clip that may be joined, and the segment shows all of it.
    fn is_shown_by(&self, segment: &ClipSegment) -> bool {
        let place = |segment: &ClipSegment| (segment.video_id.clone(), segment.video_first_frame, segment.frame_count);
        let is_same = matches!(&self.segments[..], [only] if place(only) == place(segment));
        is_same && self.clip.kind == ClipKind::Single && self.clip.pool == Some(ClipPool::Member)
    }

    /// What holds for clips of its kind.
    fn check_kind(&self) -> Result<(), String> {
        let clip = &self.clip;
        let in_order = self.segments.iter().all(|segment| segment.position == segment.source_position);
        let fits = match clip.kind {
            ClipKind::Single => clip.pool.is_some() && clip.strategy.is_none() && self.segments.len() == 1,
            ClipKind::Long => clip.pool.is_none() && clip.strategy.is_none() && self.segments.len() == 1,
            ClipKind::Shuffled => clip.pool.is_none() && clip.strategy.is_some() && !in_order,
            ClipKind::Concatenated => {
                clip.pool.is_none() && clip.strategy.is_none() && in_order && self.segments.len() > 1
            }
        };
        let is_joined = clip.kind == ClipKind::Concatenated;
        let fits = fits && self.segments.iter().all(|segment| segment.member_clip_id.is_some() == is_joined);
        if !fits {
            let kind = clip.kind.as_str();
            return Err(format!("its order, pool, strategy or number of segments is not that of a {kind} clip"));
        }
        match clip.strategy {
            Some(ShuffleStrategy::Spatial) if !self.is_spatial() => {
                Err("it is no four segments of unequal length from the beginning of the recording".into())
            }
            Some(ShuffleStrategy::SpatioTemporal) if !self.is_spatio_temporal() => {
                Err("it is no four overlapping segments, each twice as long as the overlap, from the beginning".into())
            }
            _ => Ok(()),
        }
    }

    fn begins_with_the_recording(&self) -> bool {
        self.segments.len() == 4 && self.segments.iter().any(|segment| segment.video_first_frame == 0)
    }

    fn is_spatial(&self) -> bool {
        let lengths: BTreeSet<i64> = self.segments.iter().map(|segment| segment.frame_count).collect();
        let apart = self.segments.iter().all(|segment| segment.overlap_frames == 0);
        self.begins_with_the_recording() && lengths.len() == 4 && apart
    }

    fn is_spatio_temporal(&self) -> bool {
        let overlaps = self.segments.iter().filter(|segment| segment.source_position > 0);
        let overlaps: BTreeSet<i64> = overlaps.map(|segment| segment.overlap_frames).collect();
        let mut one = overlaps.iter().copied();
        let (Some(overlap), None) = (one.next(), one.next()) else { return false };
        let long = self.segments.iter().all(|segment| segment.frame_count >= 2 * overlap);
        self.begins_with_the_recording() && overlap > 0 && long
    }

    /// Whether the clip is a video from end to end.
    fn is_all_of(&self, video: &Video) -> bool {
        let clip = &self.clip;
        let shows = |segment: &ClipSegment| segment.video_id == video.video_id && segment.video_first_frame == 0;
        matches!(&self.segments[..], [only] if shows(only))
            && (clip.path.as_str(), clip.digest.as_str(), clip.byte_count)
                == (video.path.as_str(), video.digest.as_str(), video.byte_count)
            && (clip.frame_count, clip.width, clip.height) == (video.frame_count, video.width, video.height)
            && (clip.fps_num, clip.fps_den) == (video.fps_num, video.fps_den)
    }

    /// Each frame is the one that its segment takes out of the video, at even times.
    fn check_frames(&self, videos: &VideoFrames, index: &Index) -> Result<(), String> {
        let planned = self.segments.iter().flat_map(|segment| {
            let frames = segment.video_first_frame..segment.video_first_frame + segment.frame_count;
            frames.map(move |frame| (segment, usize::try_from(frame).ok()))
        });
        let mut frames = self.frames.iter();
        for (number, (segment, video_frame)) in (0..).zip(planned) {
            let expected = videos.get(&segment.video_id).zip(video_frame).and_then(|(video, frame)| video.get(frame));
            let Some(expected) = expected else {
                return Err(format!("segment {} leaves the video {}", segment.position, segment.video_id));
            };
            let Some(found) = frames.next().filter(|frame| frame.clip_frame == number) else {
                return Err(format!("frame {number} is missing in {}", ClipFrame::TABLE));
            };
            if found.frame != *expected || found.segment != segment.position {
                return Err(format!("frame {number} is not the one that segment {} has there", segment.position));
            }
            if index.frames.get(&found.frame).is_some_and(|frame| frame.source_number != found.source_number) {
                return Err(format!("frame {number} has another source number than its frame"));
            }
            // Products instead of quotients: exact.
            let even = i128::from(found.pts) * i128::from(self.clip.fps_num)
                == i128::from(number) * i128::from(self.clip.fps_den) * i128::from(found.timescale);
            if !even {
                return Err(format!("frame {number} is at {}/{} s", found.pts, found.timescale));
            }
        }
        if frames.next().is_some() { Err("it has more frames than its segments".into()) } else { Ok(()) }
    }

    /// The file is what the clip's row says, and shows its frames at the times of the plan.
    fn check_film(&self, film: &Film, listed_bytes: i64, release: &Release, log: &mut Log) {
        let (place, clip) = (Place::row(&self.clip.path, &self.clip.clip_id), &self.clip);
        let Some(info) = film.report(release, place, log) else { return };
        let stated = [clip.frame_count, clip.width, clip.height, clip.byte_count];
        let found = [info.frame_count as i64, i64::from(info.width), i64::from(info.height), listed_bytes];
        if stated != found || film.digest.as_ref().is_some_and(|digest| *digest != clip.digest) {
            let problem = format!(
                "frames, width, height and bytes are {found:?}, its row says {stated:?}, or the digest differs"
            );
            log.fault(FaultCode::VideoMismatch, place, problem);
        }
        let times = self.frames.iter().map(|frame| (frame.pts, frame.timescale));
        let same = |(&pts, (planned, timescale)): (&i64, (i64, i64))| {
            i128::from(pts) * i128::from(timescale) == i128::from(planned) * i128::from(info.timescale)
        };
        if !info.pts.iter().zip(times).all(same) {
            log.fault(FaultCode::ClipPlan, place, "its frames are shown at other times than its plan says");
        }
    }
}
