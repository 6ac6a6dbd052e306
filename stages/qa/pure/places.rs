//! Where questions look, in the order in which places are tried.

use super::asker::Asker;
use super::subject::Subject;
use crate::asking::words::Place;
use crate::qa::task::Task;
use uavgen_programs::InsideRule;
use uavgen_programs::taxonomy::TermEntry;

/// Places by hash: the whole image first in every other case where it may be asked about.
pub(super) fn places(asker: &Asker, subject: &Subject, task: Task, ordinal: &str) -> Vec<Place> {
    let key = subject.key();
    let purpose = ["places", task.name(), &key, ordinal];
    let mut places = asker.draw.shuffled(subject.labelled_areas(&asker.draw), &purpose, Place::phrase);
    places.dedup();
    if !subject.has_unlabelled_area() {
        let position = asker.draw.below(2, &["whole", task.name(), &key, ordinal]);
        places.insert(position.min(places.len()), Place::WHOLE);
    }
    places
}

/// Whether a question about these terms in a place is likely to be refused.
pub(super) fn is_doubtful(subject: &Subject, terms: &[&TermEntry], place: Place, inside: InsideRule) -> bool {
    let any_of: Vec<String> = terms.iter().flat_map(|term| term.categories()).collect();
    subject.is_doubtful(&any_of, place, inside)
}

/// One of each queue, then the second of each, and so on.
pub(super) fn in_turns<T: Clone>(queues: &[Vec<T>]) -> Vec<T> {
    let longest = queues.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest).flat_map(|row| queues.iter().filter_map(move |queue| queue.get(row).cloned())).collect()
}
