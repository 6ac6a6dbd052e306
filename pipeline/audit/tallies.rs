//! Numbers that rows state about other rows: frames of a recording, boxes of a track.

use crate::findings::{FaultCode, Log, Place};
use crate::tables::{Key, key};
use std::collections::{BTreeMap, HashMap};
use uavgen_schemas::{Box2d, Frame, Recording, Track};

/// What recordings state, and the frames that are there.
#[derive(Default)]
pub(crate) struct RecordingTallies(BTreeMap<String, RecordingTally>);

struct RecordingTally {
    file: String,
    stated: [i64; 2],
    frames: [i64; 2],
    /// Source number and index of each frame.
    numbers: Vec<(i64, i64)>,
}

impl RecordingTallies {
    pub(crate) fn add(&mut self, file: &str, recording: &Recording) {
        let stated = [recording.frame_count, recording.labelled_frame_count];
        let tally = RecordingTally { file: file.to_owned(), stated, frames: [0, 0], numbers: Vec::new() };
        self.0.insert(recording.recording_id.clone(), tally);
    }

    pub(crate) fn add_frame(&mut self, frame: &Frame) {
        if let Some(tally) = self.0.get_mut(&frame.recording_id) {
            tally.frames[0] += 1;
            tally.frames[1] += i64::from(frame.labelled);
            tally.numbers.push((frame.source_number, frame.index));
        }
    }

    /// Reports recordings whose numbers are not those of their frames, or whose frames are not numbered in order.
    pub(crate) fn check(mut self, log: &mut Log) {
        for (id, RecordingTally { file, stated, frames, numbers }) in &mut self.0 {
            numbers.sort_unstable();
            // Frames that are gone are told by their number.
            let out_of_order = (0..).zip(&*numbers).find(|(expected, (_, index))| expected != index);
            if let (Some((expected, (number, index))), true) = (out_of_order, stated[0] == frames[0]) {
                let problem =
                    format!("the frame with source number {number} has index {index}, in order it is {expected}");
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

/// What tracks state, and the boxes that are there.
#[derive(Default)]
pub(crate) struct TrackTallies(HashMap<Key, TrackTally>);

struct TrackTally {
    file: String,
    track: Track,
    boxes: i64,
    /// Smallest and largest source number of the frames with a box.
    span: Option<(i64, i64)>,
    /// Whether one of those frames is not in the release, which is told where its boxes are.
    frame_is_gone: bool,
}

impl TrackTallies {
    pub(crate) fn add(&mut self, file: &str, track: Track) {
        let tally = TrackTally { file: file.to_owned(), boxes: 0, span: None, frame_is_gone: false, track };
        self.0.insert(key(&tally.track.track_id), tally);
    }

    /// Notes a box of a track on a frame with a source number, and reports what the two say differently.
    pub(crate) fn add_box(&mut self, log: &mut Log, place: Place, object: &Box2d, source_number: Option<i64>) {
        let Some(tally) = object.track_id.as_deref().and_then(|id| self.0.get_mut(&key(id))) else { return };
        tally.boxes += 1;
        match source_number {
            Some(number) => {
                let (first, last) = tally.span.unwrap_or((number, number));
                tally.span = Some((first.min(number), last.max(number)));
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
        for TrackTally { file, track, boxes, span, frame_is_gone } in tallies {
            let place = Place::row(file, &track.track_id);
            if track.box_count != *boxes {
                let problem = format!("it states {} boxes, `boxes_2d` has {boxes}", track.box_count);
                log.fault(FaultCode::TrackMismatch, place, problem);
            }
            let stated = (track.first_source_number, track.last_source_number);
            if let Some(found) = *span
                && found != stated
                && !frame_is_gone
            {
                let problem = format!(
                    "it states frames {} to {}, its boxes are on {} to {}",
                    stated.0, stated.1, found.0, found.1
                );
                log.fault(FaultCode::TrackMismatch, place, problem);
            }
        }
    }
}
