//! Numbers that rows state about other rows: frames of a recording, boxes of a track.

use crate::findings::{FaultCode, Log, Place};
use crate::tables::{Key, key};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use uavgen_schemas::{Box2d, Frame, Recording, RecordingKind, Track};

/// What recordings state, and the frames that are there.
#[derive(Default)]
pub(crate) struct RecordingTallies(BTreeMap<String, RecordingTally>);

struct RecordingTally {
    file: String,
    is_still: bool,
    stated: [i64; 2],
    frames: [i64; 2],
    /// Source number and index of each frame, and its time.
    numbers: Vec<(i64, i64, Option<i64>)>,
}

impl RecordingTallies {
    pub(crate) fn add(&mut self, file: &str, recording: &Recording) {
        let stated = [recording.frame_count, recording.labelled_frame_count];
        let is_still = recording.kind == RecordingKind::Still;
        let tally = RecordingTally { is_still, file: file.to_owned(), stated, frames: [0, 0], numbers: Vec::new() };
        self.0.insert(recording.recording_id.clone(), tally);
    }

    pub(crate) fn add_frame(&mut self, frame: &Frame) {
        if let Some(tally) = self.0.get_mut(&frame.recording_id) {
            tally.frames[0] += 1;
            tally.frames[1] += i64::from(frame.labelled);
            tally.numbers.push((frame.source_number, frame.index, frame.timestamp_us));
        }
    }

    /// Reports recordings whose numbers are not those of their frames, or whose frames are not numbered in order.
    pub(crate) fn check(mut self, log: &mut Log) {
        for (id, RecordingTally { file, is_still, stated, frames, numbers }) in &mut self.0 {
            if *is_still && frames[0] > 1 {
                let problem = format!("it is a still, `frames` has {} of it", frames[0]);
                log.fault(FaultCode::SceneCounts, Place::row(file, id), problem);
            }
            numbers.sort_unstable();
            // Frames that are gone are told by their number.
            let out_of_order = (0..).zip(&*numbers).find(|(expected, (_, index, _))| expected != index);
            if let (Some((expected, (number, index, _))), true) = (out_of_order, stated[0] == frames[0]) {
                let problem =
                    format!("the frame with source number {number} has index {index}, in order it is {expected}");
                log.fault(FaultCode::FrameOrder, Place::row(file, id), problem);
            }
            if let Some(problem) = wrong_time(numbers) {
                log.fault(FaultCode::FrameOrder, Place::row(file, id), problem);
            }
            for (what, stated, found) in [("frames", stated[0], frames[0]), ("labelled frames", stated[1], frames[1])] {
                if stated != found {
                    let problem = format!("it states {stated} {what}, `frames` has {found}");
                    log.fault(FaultCode::SceneCounts, Place::row(file, id), problem);
                }
            }
        }
    }
}

/// What is wrong with the times of frames that are in order: none has one, or all have, and they increase.
fn wrong_time(frames: &[(i64, i64, Option<i64>)]) -> Option<String> {
    let mut pairs = frames.iter().zip(frames.iter().skip(1));
    let wrong = pairs.find(|((.., before), (.., after))| match (before, after) {
        (Some(before), Some(after)) => before >= after,
        (before, after) => before != after,
    });
    let shown = |time: &Option<i64>| time.map_or("no time".to_owned(), |time| format!("{time} us"));
    wrong.map(|((first, _, before), (second, _, after))| {
        format!("source frame {first} is at {}, frame {second} at {}", shown(before), shown(after))
    })
}

/// What tracks state, and the boxes that are there.
#[derive(Default)]
pub(crate) struct TrackTallies(HashMap<Key, TrackTally>);

struct TrackTally {
    file: String,
    track: Track,
    boxes: i64,
    /// Source number and index of the first and the last frame with a box.
    span: Option<[(i64, i64); 2]>,
    /// Categories that its boxes were annotated as.
    annotated: BTreeSet<String>,
    /// Whether one of those frames is not in the release, which is told where its boxes are.
    frame_is_gone: bool,
}

impl TrackTallies {
    pub(crate) fn add(&mut self, file: &str, track: Track) {
        let tally = TrackTally {
            file: file.to_owned(),
            boxes: 0,
            span: None,
            frame_is_gone: false,
            track,
            annotated: BTreeSet::new(),
        };
        self.0.insert(key(&tally.track.track_id), tally);
    }

    /// Notes a box of a track on a frame with a source number and an index, and reports what the two say differently.
    pub(crate) fn add_box(&mut self, log: &mut Log, place: Place, object: &Box2d, frame: Option<(i64, i64)>) {
        let Some(tally) = object.track_id.as_deref().and_then(|id| self.0.get_mut(&key(id))) else { return };
        tally.boxes += 1;
        if !tally.annotated.contains(&object.annotated_category) {
            tally.annotated.insert(object.annotated_category.clone());
        }
        match frame {
            Some(here) => {
                let [first, last] = tally.span.unwrap_or([here, here]);
                tally.span = Some([first.min(here), last.max(here)]);
            }
            None => tally.frame_is_gone = true,
        }
        let track = &tally.track;
        let mut problems = Vec::new();
        if track.recording_id != object.recording_id {
            problems
                .push(format!("its recording is {}, that of its track {}", object.recording_id, track.recording_id));
        }
        if track.category != object.category {
            problems.push(format!("its category is {}, that of its track {}", object.category, track.category));
        }
        if !track.annotated_categories.contains(&object.annotated_category) {
            problems.push(format!("its track does not list that it was annotated as {}", object.annotated_category));
        }
        problems.into_iter().for_each(|problem| log.fault(FaultCode::TrackMismatch, place, problem));
    }

    /// Reports tracks whose numbers are not those of their boxes.
    pub(crate) fn check(&self, log: &mut Log) {
        let mut tallies: Vec<&TrackTally> = self.0.values().collect();
        tallies.sort_by(|a, b| a.track.track_id.cmp(&b.track.track_id));
        for tally in tallies {
            let place = Place::row(&tally.file, &tally.track.track_id);
            tally.problems().into_iter().for_each(|problem| log.fault(FaultCode::TrackMismatch, place, problem));
        }
    }
}

impl TrackTally {
    fn problems(&self) -> Vec<String> {
        let Self { track, boxes, annotated, .. } = self;
        let mut problems = Vec::new();
        if track.box_count != *boxes {
            problems.push(format!("it states {} boxes, `boxes_2d` has {boxes}", track.box_count));
        }
        if let Some(extra) = track.annotated_categories.iter().find(|category| !annotated.contains(*category)) {
            problems.push(format!("it was annotated as {extra}, no box of it says so"));
        }
        let Some([first, last]) = self.span.filter(|_| !self.frame_is_gone) else { return problems };
        let stated = (track.first_source_number, track.last_source_number);
        if stated != (first.0, last.0) {
            let (from, to) = stated;
            problems.push(format!("it states frames {from} to {to}, its boxes are on {} to {}", first.0, last.0));
        }
        let gaps = last.1 - first.1 + 1 - boxes;
        if track.gap_count != gaps {
            problems.push(format!("it states {} frames without a box, there are {gaps}", track.gap_count));
        }
        problems
    }
}
