//! Loops over frames.

use super::Machine;
use super::numbers::{self, Blockers, IntRange};
use super::sets::ObjectSet;
use crate::ast::Expr;
use crate::undefined::{Reason, Undefined};
use crate::unknown::Possible;
use std::collections::BTreeSet;

impl<'s> Machine<'s> {
    /// Distinct tracks among the members of the set of each frame.
    pub(super) fn count_tracks(&mut self, frames: &[u32], each: &Expr) -> Result<IntRange, Undefined> {
        let mut sets = Vec::with_capacity(frames.len());
        for &frame in frames {
            let set = self.at_frame(frame, |machine, name| machine.set_named(name, each))?;
            self.ids.extend(set.member_ids());
            sets.push(set);
        }
        distinct_tracks(&sets)
    }

    /// Frames for which a claim holds; refused when it is undecided on one of them.
    pub(super) fn count_frames_where(&mut self, frames: &[u32], each: &Expr) -> Result<IntRange, Undefined> {
        let mut holding = 0;
        for &frame in frames {
            holding += i64::from(self.at_frame(frame, |machine, name| machine.bool(name, each))?);
        }
        Ok(IntRange::between(holding, Some(holding), Blockers::new()))
    }

    pub(super) fn at_frame<T>(
        &mut self,
        frame: u32,
        body: impl FnOnce(&mut Self, String) -> Result<T, Undefined>,
    ) -> Result<T, Undefined> {
        self.frame(frame)?;
        self.loop_frame = Some(frame);
        let result = body(self, format!("each[{frame}]"))?;
        self.loop_frame = None;
        Ok(result)
    }
}

/// Number of distinct tracks. A possible member adds nothing when its track is counted anyway (an object that was too
/// small on one frame and is a certain member on another); otherwise its track may add one, and an unlabelled area may
/// hide any number of tracks, whichever track the source gave the area itself.
pub(super) fn distinct_tracks(sets: &[ObjectSet<'_>]) -> Result<IntRange, Undefined> {
    if sets.windows(2).any(|pair| pair[0].frame.recording_id() != pair[1].frame.recording_id()) {
        return Err(Undefined::naming(Reason::SeveralRecordings, sets.iter().map(|set| set.frame.recording_id())));
    }
    let members = || sets.iter().flat_map(|set| &set.members);
    let trackless: Vec<&str> = members().filter(|o| o.track_id.is_none()).map(|o| o.id.as_str()).collect();
    if !trackless.is_empty() {
        return Err(Undefined::naming(Reason::NoTracks, trackless));
    }
    let tracks: BTreeSet<&str> = members().filter_map(|object| object.track_id.as_deref()).collect();
    let counted = |possible: &&Possible<'_>| {
        possible.is_one_object() && possible.track_id().is_some_and(|track| tracks.contains(track))
    };
    let open: Vec<&Possible<'_>> = sets.iter().flat_map(|set| &set.possibles).filter(|p| !counted(p)).collect();
    let high = open.iter().all(|possible| possible.is_one_object()).then(|| {
        let more: BTreeSet<&str> = open.iter().map(|possible| possible.track_id().unwrap_or(possible.id())).collect();
        (tracks.len() + more.len()) as i64
    });
    Ok(IntRange::between(tracks.len() as i64, high, numbers::blockers(open)))
}
