//! Which fragments of a mask are one object.
//!
//! Runs that belong together for sure make fragments; a single pixel at which two objects seem to touch must not join them.
//! So fragments are joined by their whole contact: where enough of it is without a jump. The body and the cabin of a car
//! meet along the front of the cabin, whatever its far edge hides; two cars meet nowhere.

use std::collections::{BTreeMap, BinaryHeap};

/// Share of the contact of two fragments that must be without a jump.
const MEETING_SHARE: f64 = 0.4;

/// The contact of two fragments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Touch {
    a: usize,
    b: usize,
    sum: Sum,
}

/// Pairs of pixels that touch, and those without a jump between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Sum {
    meeting: u32,
    pairs: u32,
}

impl Sum {
    fn add(&mut self, other: Self) {
        self.meeting += other.meeting;
        self.pairs += other.pairs;
    }

    fn is_meeting(self) -> bool {
        self.meeting > 0 && f64::from(self.meeting) >= MEETING_SHARE * f64::from(self.pairs)
    }
}

impl Touch {
    pub(crate) fn new(a: usize, b: usize, meeting: u32, pairs: u32) -> Self {
        Self { a: a.min(b), b: a.max(b), sum: Sum { meeting, pairs } }
    }
}

/// The pairs of fragments to be joined, in the order in which they are.
///
/// The pair with the longest contact without a jump goes first, and its contacts with third ones are added up, so that
/// a splinter between two objects goes to the one that it belongs to and does not join them.
pub(crate) fn merge(mut touches: Vec<Touch>) -> Vec<(usize, usize)> {
    touches.retain(|touch| touch.a != touch.b);
    let mut regions: BTreeMap<usize, BTreeMap<usize, Sum>> = BTreeMap::new();
    for touch in &touches {
        for (own, other) in [(touch.a, touch.b), (touch.b, touch.a)] {
            regions.entry(own).or_default().entry(other).or_default().add(touch.sum);
        }
    }
    let entry = |a: usize, b: usize, sum: Sum| (sum.meeting, std::cmp::Reverse((a.min(b), a.max(b), sum.pairs)));
    let mut queue: BinaryHeap<_> = regions
        .iter()
        .flat_map(|(a, others)| others.iter().filter(|(b, sum)| *b > a && sum.is_meeting()).map(|(b, sum)| entry(*a, *b, *sum)))
        .collect();
    let mut joined = Vec::new();
    while let Some((meeting, std::cmp::Reverse((a, b, pairs)))) = queue.pop() {
        // An entry of before one of the two grew is out of date.
        if regions.get(&a).and_then(|others| others.get(&b)) != Some(&Sum { meeting, pairs }) {
            continue;
        }
        joined.push((a, b));
        let gone = regions.remove(&b).unwrap_or_default();
        for (other, sum) in gone {
            if let Some(others) = regions.get_mut(&other) {
                others.remove(&b);
            }
            if other == a {
                continue;
            }
            let total = regions.entry(a).or_default().entry(other).or_default();
            total.add(sum);
            let total = *total;
            regions.entry(other).or_default().insert(a, total);
            if total.is_meeting() {
                queue.push(entry(a, other, total));
            }
        }
    }
    joined
}
