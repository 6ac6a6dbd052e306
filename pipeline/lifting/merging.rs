//! Which fragments of a mask are one object.
//!
//! Runs that belong together for sure make fragments; a single pixel at which two objects seem to touch must not join
//! them. So fragments are joined by their whole contact: where enough of it is without a jump. The body and the cabin
//! of a car meet along the front of the cabin, whatever its far edge hides; two cars meet nowhere.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Share of the contact of two fragments that must be without a jump.
const MEETING_SHARE: f64 = 0.4;

/// The contact of two fragments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Touch {
    a: u32,
    b: u32,
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
        Self { a: a.min(b) as u32, b: a.max(b) as u32, sum: Sum { meeting, pairs } }
    }
}

/// The pairs of fragments to be joined, in the order in which they are.
///
/// The pair with the longest contact without a jump goes first, and its contacts with third ones are added up, so that
/// a splinter between two objects goes to the one that it belongs to and does not join them.
pub(crate) fn merge(touches: Vec<Touch>) -> Vec<(usize, usize)> {
    let mut regions = Regions::new(touches);
    let mut queue: BinaryHeap<Entry> = BinaryHeap::new();
    for (a, others) in (0..).zip(&regions.others) {
        let later = others.iter().filter(|(b, sum)| *b > a && sum.is_meeting());
        queue.extend(later.map(|(b, sum)| Entry::new(a, *b, *sum)));
    }
    let mut joined = Vec::new();
    while let Some(entry) = queue.pop() {
        let Entry { meeting, pairs, key: Reverse((a, b)) } = entry;
        // An entry of before one of the two grew is out of date.
        if regions.sum(a, b) != Some(Sum { meeting, pairs }) {
            continue;
        }
        joined.push((regions.fragment(a), regions.fragment(b)));
        let is_first_larger = regions.others[a as usize].len() >= regions.others[b as usize].len();
        let (kept, gone) = if is_first_larger { (a, b) } else { (b, a) };
        for (other, total) in regions.absorb(kept, gone) {
            if total.is_meeting() {
                queue.push(Entry::new(kept, other, total));
            }
        }
    }
    joined
}

/// A pair that may be joined; the largest one is next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    meeting: u32,
    key: Reverse<(u32, u32)>,
    pairs: u32,
}

impl Entry {
    fn new(a: u32, b: u32, sum: Sum) -> Self {
        Self { meeting: sum.meeting, key: Reverse((a.min(b), a.max(b))), pairs: sum.pairs }
    }
}

/// Which fragments touch which.
struct Regions {
    /// The fragments in order; the rest of this type knows them by their places here.
    fragments: Vec<u32>,
    /// For each the others that it touches, in order.
    others: Vec<Vec<(u32, Sum)>>,
}

impl Regions {
    fn new(mut touches: Vec<Touch>) -> Self {
        touches.retain(|touch| touch.a != touch.b);
        touches.sort_unstable_by_key(|touch| (touch.a, touch.b));
        touches.dedup_by(|next, kept| {
            let is_same = (next.a, next.b) == (kept.a, kept.b);
            if is_same {
                kept.sum.add(next.sum);
            }
            is_same
        });
        let mut fragments: Vec<u32> = touches.iter().flat_map(|touch| [touch.a, touch.b]).collect();
        fragments.sort_unstable();
        fragments.dedup();
        let mut others: Vec<Vec<(u32, Sum)>> = vec![Vec::new(); fragments.len()];
        let place = |fragment: u32| fragments.partition_point(|other| *other < fragment);
        for touch in &touches {
            let (a, b) = (place(touch.a), place(touch.b));
            others[a].push((b as u32, touch.sum));
            others[b].push((a as u32, touch.sum));
        }
        others.iter_mut().for_each(|others| others.sort_unstable_by_key(|(other, _)| *other));
        Self { fragments, others }
    }

    fn fragment(&self, place: u32) -> usize {
        self.fragments[place as usize] as usize
    }

    fn sum(&self, a: u32, b: u32) -> Option<Sum> {
        let others = &self.others[a as usize];
        others.binary_search_by_key(&b, |(other, _)| *other).ok().map(|place| others[place].1)
    }

    fn remove(&mut self, a: u32, b: u32) {
        let others = &mut self.others[a as usize];
        if let Ok(place) = others.binary_search_by_key(&b, |(other, _)| *other) {
            others.remove(place);
        }
    }

    /// Adds to the contact of two regions, as the first one knows it; the sum after.
    fn add(&mut self, a: u32, b: u32, sum: Sum) -> Sum {
        let others = &mut self.others[a as usize];
        match others.binary_search_by_key(&b, |(other, _)| *other) {
            Ok(place) => {
                others[place].1.add(sum);
                others[place].1
            }
            Err(place) => {
                others.insert(place, (b, sum));
                sum
            }
        }
    }

    /// Makes one region of two: the contacts that have changed.
    fn absorb(&mut self, kept: u32, gone: u32) -> Vec<(u32, Sum)> {
        let contacts = std::mem::take(&mut self.others[gone as usize]);
        self.remove(kept, gone);
        let third = contacts.into_iter().filter(|(other, _)| *other != kept);
        third
            .map(|(other, sum)| {
                self.remove(other, gone);
                self.add(other, kept, sum);
                (other, self.add(kept, other, sum))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_with_much_contact_are_joined_and_others_not() {
        assert_eq!(merge(vec![Touch::new(3, 8, 50, 100)]), [(3, 8)]);
        assert!(merge(vec![Touch::new(3, 8, 30, 100), Touch::new(8, 3, 0, 1)]).is_empty());
        assert_eq!(merge(vec![Touch::new(3, 8, 30, 100), Touch::new(8, 3, 20, 20)]), [(3, 8)]);
        assert!(merge(vec![Touch::new(5, 5, 9, 9)]).is_empty());
    }

    #[test]
    fn a_splinter_goes_to_one_side_and_joins_no_two() {
        // 1 and 9 touch along a jump; the splinter 4 belongs to 1 and meets 9 at two pixels of five.
        let touches = vec![Touch::new(1, 9, 2, 80), Touch::new(1, 4, 10, 10), Touch::new(4, 9, 2, 5)];
        assert_eq!(merge(touches), [(1, 4)]);
        // Without contact of the two large ones it would join them.
        let touches = vec![Touch::new(1, 4, 10, 10), Touch::new(4, 9, 2, 5)];
        assert_eq!(merge(touches), [(1, 4), (4, 9)]);
    }

    #[test]
    fn the_order_of_the_contacts_does_not_matter() {
        let mut touches: Vec<Touch> =
            (0..60).map(|i| Touch::new(i * 7 % 13, i * 5 % 11, (i * 31 % 17) as u32, 20 + (i % 3) as u32)).collect();
        let forward = merge(touches.clone());
        touches.reverse();
        assert_eq!(merge(touches), forward);
    }
}
