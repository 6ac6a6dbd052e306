//! What the labels of a clip say about every kind in every place, taken in one pass over its frames: which questions to
//! propose. Whether an answer is certain is for its program to say.

use super::subject::ClipSubject;
use crate::asking::words::{Place, all_terms};
use std::collections::{BTreeMap, BTreeSet};
use uavgen_geometry::Box2;
use uavgen_programs::taxonomy::TermEntry;
use uavgen_programs::{InsideRule, SceneFrame, SceneObject, Unknown, UnknownExtent};

/// One kind in one place, over a clip.
#[derive(Debug)]
pub struct Cell<'s> {
    /// The kind.
    pub term: &'static TermEntry,
    /// The place.
    pub place: Place,
    /// What each segment shows.
    pub pieces: Vec<Piece<'s>>,
    /// First frame with a certain object; null where there is none.
    pub first: Option<u32>,
    /// First frame with something that may be one, where that is before `first`.
    pub perhaps: Option<u32>,
}

/// One kind in one place, over a segment.
#[derive(Debug, Clone, Default)]
pub struct Piece<'s> {
    /// Certain objects on the first frame.
    pub at_start: i64,
    /// Whether there may be more on the first frame.
    pub open_at_start: bool,
    /// Frames with a certain object.
    pub showing: u32,
    /// Whether a frame has something that may be one.
    pub open: bool,
    tracks: BTreeSet<&'s str>,
    /// Tracks that may be of the kind and in the place.
    open_tracks: BTreeSet<&'s str>,
    /// Whether there may be objects without a track.
    open_untracked: bool,
}

impl Piece<'_> {
    /// Number of tracks that surely count.
    pub fn track_count(&self) -> i64 {
        self.tracks.len() as i64
    }

    /// Whether the number of tracks is likely to be refused.
    pub fn is_doubtful(&self) -> bool {
        self.open_untracked || !self.open_tracks.is_subset(&self.tracks)
    }
}

/// All kinds in all places.
#[derive(Debug)]
pub struct Tally<'s> {
    cells: Vec<Cell<'s>>,
}

/// Whether something counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sure {
    Perhaps,
    Yes,
}

impl<'s> Tally<'s> {
    /// Counts what a clip shows.
    pub fn of(subject: &'s ClipSubject, inside: InsideRule) -> Self {
        let places = subject.places();
        let kinds: Vec<Kind> = all_terms().map(Kind::new).collect();
        let segments = subject.scene.segments();
        let new = |place: Place, term| Cell {
            term,
            place,
            pieces: vec![Piece::default(); segments.len()],
            first: None,
            perhaps: None,
        };
        let cells = places.iter().flat_map(|&place| kinds.iter().map(move |kind| new(place, kind.term))).collect();
        let mut tally = Self { cells };
        let mut known: BTreeMap<(&str, &str), Vec<(usize, Sure)>> = BTreeMap::new();
        for (piece, frames) in segments.iter().enumerate() {
            for number in frames.clone() {
                let frame = &subject.scene.frames()[number as usize];
                let areas = places.iter().map(|place| place.in_pixels(frame)).collect();
                let sight = Sight { areas, inside, piece, number, starts: number == frames.start };
                let mut shown = BTreeSet::new();
                for object in frame.objects() {
                    let names = (object.category.as_str(), object.annotated_category.as_str());
                    let fitting = known.entry(names).or_insert_with(|| kinds_of(&kinds, object));
                    shown.extend(tally.add_object(object, fitting, kinds.len(), &sight));
                }
                tally.add_unknowns(frame, &kinds, &sight);
                shown.into_iter().for_each(|cell: usize| tally.cells[cell].pieces[piece].showing += 1);
            }
        }
        tally
    }

    /// All cells.
    pub fn cells(&self) -> &[Cell<'s>] {
        &self.cells
    }

    /// One kind in one place.
    pub fn cell(&self, term: &TermEntry, place: Place) -> Option<&Cell<'s>> {
        self.cells.iter().find(|cell| cell.term.word == term.word && cell.place == place)
    }

    /// One kind everywhere.
    pub fn whole(&self, term: &TermEntry) -> Option<&Cell<'s>> {
        self.cell(term, Place::WHOLE)
    }

    /// Notes an object of so many kinds in every place; gives back the cells where it surely counts.
    fn add_object(
        &mut self,
        object: &'s SceneObject,
        fitting: &[(usize, Sure)],
        kinds: usize,
        sight: &Sight,
    ) -> Vec<usize> {
        let mut counted = Vec::new();
        if fitting.is_empty() {
            return counted;
        }
        for (place, area) in sight.areas.iter().enumerate() {
            let Some(there) = is_inside(object, area.as_ref(), sight.inside) else { continue };
            for &(kind, sure) in fitting {
                let cell = place * kinds + kind;
                if self.cells[cell].add(sure.min(there), object.track_id.as_deref(), sight) {
                    counted.push(cell);
                }
            }
        }
        counted
    }

    fn add_unknowns(&mut self, frame: &'s SceneFrame, kinds: &[Kind], sight: &Sight) {
        for unknown in frame.unknowns() {
            let track = if unknown.extent == UnknownExtent::OneObject { unknown.track_id.as_deref() } else { None };
            for (place, area) in sight.areas.iter().enumerate() {
                if area.is_some_and(|area| !area.meets(&unknown.bounds)) {
                    continue;
                }
                for (kind, _) in kinds.iter().enumerate().filter(|(_, kind)| kind.may_be(unknown)) {
                    self.cells[place * kinds.len() + kind].add(Sure::Perhaps, track, sight);
                }
            }
        }
    }
}

/// The frame that is looked at.
struct Sight {
    /// The places, in pixels; null for the whole picture.
    areas: Vec<Option<Box2>>,
    inside: InsideRule,
    /// Position of its segment.
    piece: usize,
    /// Position in the clip.
    number: u32,
    /// Whether it is the first one of its segment.
    starts: bool,
}

impl<'s> Cell<'s> {
    /// Notes an object; whether it surely counts.
    fn add(&mut self, sure: Sure, track: Option<&'s str>, at: &Sight) -> bool {
        let piece = &mut self.pieces[at.piece];
        match (sure, track) {
            (Sure::Yes, track) => {
                piece.at_start += i64::from(at.starts);
                piece.tracks.extend(track);
                self.first.get_or_insert(at.number);
            }
            (Sure::Perhaps, track) => {
                piece.open = true;
                piece.open_at_start |= at.starts;
                piece.open_tracks.extend(track);
                piece.open_untracked |= track.is_none();
                // On the frame of the first certain object it changes nothing.
                if self.first.is_none() {
                    self.perhaps.get_or_insert(at.number);
                }
            }
        }
        sure == Sure::Yes
    }

    /// First frame with something that may be one.
    pub fn perhaps_first(&self) -> Option<u32> {
        self.perhaps.into_iter().chain(self.first).min()
    }

    /// Positions of the segments that show one.
    pub fn showing(&self) -> Vec<usize> {
        let shows = |(_, piece): &(usize, &Piece)| piece.showing > 0;
        self.pieces.iter().enumerate().filter(shows).map(|(position, _)| position).collect()
    }
}

/// A term with its categories.
struct Kind {
    term: &'static TermEntry,
    any_of: Vec<String>,
}

impl Kind {
    fn new(term: &'static TermEntry) -> Self {
        Self { term, any_of: term.categories() }
    }

    fn may_be(&self, unknown: &Unknown) -> bool {
        unknown.could_be(&self.any_of)
    }
}

fn kinds_of(kinds: &[Kind], object: &SceneObject) -> Vec<(usize, Sure)> {
    let sure = |kind: &Kind| if object.is_any_of(&kind.any_of) { Sure::Yes } else { Sure::Perhaps };
    let fitting = kinds.iter().enumerate().filter(|(_, kind)| object.could_be(&kind.any_of));
    fitting.map(|(position, kind)| (position, sure(kind))).collect()
}

/// Whether an object lies in an area; null when it surely does not.
fn is_inside(object: &SceneObject, area: Option<&Box2>, inside: InsideRule) -> Option<Sure> {
    let share = area.map_or(1.0, |area| object.bounds.share_inside(area));
    let on_border = (inside.refuse_from..=inside.refuse_to).contains(&share);
    if area.is_some() && on_border {
        return Some(Sure::Perhaps);
    }
    (share >= inside.share).then_some(Sure::Yes)
}
