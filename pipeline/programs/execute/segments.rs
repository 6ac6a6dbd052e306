//! Ops over the segments of a clip.

use super::Machine;
use super::frames::distinct_tracks;
use super::numbers::{self, Blockers, IntRange};
use super::sets::ObjectSet;
use crate::answer::Value;
use crate::ast::{Expr, Term};
use crate::margins::{CountMargin, TimeMargin};
use crate::scene::FrameRate;
use crate::undefined::{Reason, Undefined};
use std::ops::Range;

/// When a term first has an object in a clip.
struct Appearance<'t> {
    term: &'t Term,
    /// Frame with the first certain object; none where there is none.
    surely: Option<u32>,
    /// Frame with the first possible object before that; none where nothing could be one.
    perhaps: Option<u32>,
    /// The possible objects before the first certain one.
    blockers: Blockers,
}

impl<'s> Machine<'s> {
    /// Objects on the first frame of a segment, when those of every segment are known, and apart.
    pub(super) fn count_at_start(
        &mut self,
        segment: u32,
        each: &Expr,
        margin: &CountMargin,
    ) -> Result<IntRange, Undefined> {
        self.segment(segment)?;
        let mut counts = Vec::new();
        for (position, frames) in (0..).zip(self.scene.segments()) {
            let set = self.set_at(frames.start, each)?;
            if position == segment {
                self.ids.extend(set.member_ids());
            }
            let count = numbers::count(&set);
            self.note_segment(position, count.labelled());
            counts.push(count);
        }
        counts.iter().try_for_each(|count| count.exact().map(|_| ()))?;
        for (position, count) in counts.iter().enumerate() {
            counts[..position].iter().try_for_each(|other| count.compare(other, margin).map(|_| ()))?;
        }
        Ok(counts.swap_remove(segment as usize))
    }

    /// Distinct tracks among the members of the sets of a segment.
    pub(super) fn count_segment_tracks(&mut self, segment: u32, each: &Expr) -> Result<IntRange, Undefined> {
        let mut sets = Vec::new();
        for frame in self.segment(segment)? {
            let set = self.set_at(frame, each)?;
            self.ids.extend(set.member_ids());
            sets.push(set);
        }
        distinct_tracks(&sets)
    }

    /// The segment with a certain member on one of its frames, when no frame of any other could have one.
    pub(super) fn segment_with(&mut self, each: &Expr) -> Result<Value, Undefined> {
        let (mut showing, mut blockers) = (Vec::new(), Blockers::new());
        for (position, frames) in (0..).zip(self.segments()?) {
            let (mut holding, mut open) = (0, Blockers::new());
            for frame in frames.clone() {
                let set = self.set_at(frame, each)?;
                self.ids.extend(set.member_ids());
                holding += i64::from(!set.members.is_empty());
                open.extend(numbers::blockers(&set.possibles));
            }
            self.note_segment(position, holding);
            if holding > 0 { showing.push(position) } else { blockers.extend(open) }
        }
        match (&showing[..], blockers.is_empty()) {
            (&[position], true) => Ok(Value::Segment { position }),
            ([], true) => Err(Undefined::naming(Reason::NoObject, [])),
            ([] | [_], false) => Err(refused(&blockers)),
            (several, _) => Err(Undefined::naming(Reason::NotUnique, []).measured(several.len() as f64, 1.0)),
        }
    }

    /// Terms by the frame of their first certain object, when nothing possible could change their order.
    pub(super) fn first_appearances(
        &mut self,
        each: &Expr,
        among: &[Term],
        margin: &TimeMargin,
    ) -> Result<Value, Undefined> {
        self.segments()?;
        let new = |term| Appearance { term, surely: None, perhaps: None, blockers: Blockers::new() };
        let mut all: Vec<Appearance<'_>> = among.iter().map(new).collect();
        for (position, _) in (0..).zip(self.scene.frames()) {
            if all.iter().all(|one| one.surely.is_some()) {
                break;
            }
            let set = self.set_at(position, each)?;
            for one in all.iter_mut().filter(|one| one.surely.is_none()) {
                let of_term = set.clone().where_category(&one.term.any_of);
                self.ids.extend(of_term.member_ids());
                one.look(position, &of_term);
            }
        }
        for one in &all {
            if let Some(frame) = one.surely {
                self.note_at(format!("{}[{}]", self.path.join("."), one.term.term), frame.into());
            }
        }
        in_order(all, margin, self.scene.fps())
    }

    /// The set of one frame.
    fn set_at(&mut self, frame: u32, each: &Expr) -> Result<ObjectSet<'s>, Undefined> {
        self.at_frame(frame, |machine, name| machine.set_named(name, each))
    }

    /// The number of a segment, as the labels tell it, for the facts.
    fn note_segment(&mut self, position: u32, number: i64) {
        self.note_at(format!("{}.segment[{position}]", self.path.join(".")), number.into());
    }

    fn segments(&self) -> Result<&'s [Range<u32>], Undefined> {
        self.segment(0).map(|_| self.scene.segments())
    }

    fn segment(&self, position: u32) -> Result<Range<u32>, Undefined> {
        let segments = self.scene.segments();
        usize::try_from(position).ok().and_then(|at| segments.get(at)).cloned().ok_or_else(|| {
            Undefined::naming(Reason::NoSuchSegment, []).measured(position.into(), segments.len() as f64)
        })
    }
}

impl Appearance<'_> {
    /// Takes note of a frame; those before it had no certain object.
    fn look(&mut self, frame: u32, of_term: &ObjectSet<'_>) {
        if !of_term.members.is_empty() {
            self.surely = Some(frame);
        } else if !of_term.possibles.is_empty() {
            self.perhaps.get_or_insert(frame);
            self.blockers.extend(numbers::blockers(&of_term.possibles));
        }
    }
}

/// The terms in order. The first object of a term comes between its `perhaps` and its `surely`; whatever is true, the next
/// one must follow by the margin.
fn in_order(mut all: Vec<Appearance<'_>>, margin: &TimeMargin, fps: FrameRate) -> Result<Value, Undefined> {
    if let Some(missing) = all.iter().find(|one| one.surely.is_none()) {
        let nothing = missing.blockers.is_empty();
        return Err(if nothing { Undefined::naming(Reason::NoObject, []) } else { refused(&missing.blockers) });
    }
    all.sort_by_key(|one| (one.surely, one.term));
    let seconds = |frames: i64| frames as f64 * f64::from(fps.den) / f64::from(fps.num);
    // Products instead of quotients: exact for whole seconds.
    let apart = |frames: i64| frames > 0 && frames as f64 * f64::from(fps.den) >= margin.seconds * f64::from(fps.num);
    for pair in all.windows(2) {
        let frames = |one: &Appearance<'_>| i64::from(one.surely.unwrap_or_default());
        let labelled = frames(&pair[1]) - frames(&pair[0]);
        let surely = i64::from(pair[1].perhaps.or(pair[1].surely).unwrap_or_default()) - frames(&pair[0]);
        if !apart(surely) {
            let blockers: Blockers = pair.iter().flat_map(|one| one.blockers.clone()).collect();
            let tie = blockers.is_empty();
            let refusal = if tie { Undefined::naming(Reason::NearTie, []) } else { refused(&blockers) };
            return Err(refusal.measured(seconds(labelled), margin.seconds));
        }
    }
    Ok(Value::Order { values: all.into_iter().map(|one| one.term.clone()).collect() })
}

fn refused(blockers: &Blockers) -> Undefined {
    Undefined::blocked(blockers.iter().map(|(id, reason)| (id.as_str(), *reason)))
}
