//! Options: what stands beside the answer, and in which slot.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use uavgen_core::Draw;
use uavgen_core::draw::{id_number, right_slot};
use uavgen_programs::Value;

/// Number of options of counting questions.
pub const COUNT_OPTIONS: usize = 4;

/// Options of a counting question, ascending.
pub type CountWindow = [i64; COUNT_OPTIONS];

/// What stands beside the answer.
#[derive(Debug, Clone)]
pub enum Options {
    /// Nothing: the question is open-ended.
    Open,
    /// Wrong values; the answer is the one right option.
    One(Vec<Value>),
    /// All options; those that the answer lists are right.
    Several(Vec<Value>),
}

/// Options with the positions of the right ones.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Placed {
    /// Options in order; empty when the question is open-ended.
    pub options: Vec<Value>,
    /// Positions of the right options, ascending.
    pub right: Vec<i32>,
}

/// Puts the right option into the slot that the item's id gives, and the others around it in hash order.
pub fn place_one(id: &str, right: Value, wrong: Vec<Value>) -> Placed {
    let slot = right_slot(id, wrong.len() + 1);
    let mut options = in_hash_order(id, wrong);
    options.insert(slot, right);
    Placed { options, right: vec![slot as i32] }
}

/// Puts options into hash order; several of them may be right.
pub fn place_several(id: &str, options: Vec<Value>, is_right: impl Fn(&Value) -> bool) -> Placed {
    let options = in_hash_order(id, options);
    let right = (0_i32..).zip(&options).filter(|(_, option)| is_right(option)).map(|(slot, _)| slot).collect();
    Placed { options, right }
}

fn in_hash_order(id: &str, mut options: Vec<Value>) -> Vec<Value> {
    options.sort_by_cached_key(|option| {
        let text = option.text();
        (id_number(&format!("{id}/{text}")), text)
    });
    options
}

/// Whether an answer may be the `rank`-th smallest of [`COUNT_OPTIONS`] whole numbers from 0 to `most`.
pub fn has_room(answer: i64, rank: usize, most: Option<i64>) -> bool {
    let above = (COUNT_OPTIONS - 1 - rank) as i64;
    answer >= rank as i64 && most.is_none_or(|most| most - answer >= above)
}

/// Steps from one option to the next larger one: about a tenth to a fifth, which can be told apart by who counts well.
/// They depend on the smaller of the two alone, never on which one is right.
fn steps(from: i64) -> RangeInclusive<i64> {
    (from / 10).max(1)..=(from / 5).max(1)
}

/// Wrong whole numbers beside an answer, such that it is the `rank`-th smallest (from 0) of all options; none is negative
/// or above `most`.
///
/// The rank is drawn before the question is, so that neither "the second smallest" nor "the largest" is a good guess. The
/// options are a walk of such steps through the answer, drawn upwards and downwards from it, so that each of them could as
/// well be the one that the walk began with: neither the distances nor the size of the numbers tell it.
pub fn wrong_counts(draw: &Draw, key: &str, answer: i64, rank: usize, most: Option<i64>) -> Vec<i64> {
    let pick = |numbers: &[i64], side: &str, ordinal: usize| {
        numbers[draw.below(numbers.len(), &["step", side, key, &ordinal.to_string()])]
    };
    let mut wrong = Vec::new();
    let mut below = answer;
    for ordinal in 0..rank {
        // Those from which one step leads here; the number just below is always one of them while numbers are small.
        let before: Vec<i64> = (0..below).filter(|&number| steps(number).contains(&(below - number))).collect();
        below = pick(&before, "down", ordinal);
        wrong.push(below);
    }
    let mut above = answer;
    let steps_up = COUNT_OPTIONS - 1 - rank;
    for ordinal in 0..steps_up {
        // Leave room for the steps that are still to come.
        let left = (steps_up - 1 - ordinal) as i64;
        let room = most.map_or(i64::MAX, |most| (most - above - left).max(1));
        let after: Vec<i64> = steps(above).map(|step| above + step.min(room)).collect();
        above = pick(&after, "up", ordinal);
        wrong.push(above);
    }
    wrong
}

/// All options that can be made of some counts alone, ascending: each a step from the one before, as in [`wrong_counts`].
///
/// Where every option is true of something, and which of them is asked for is drawn, the numbers tell nothing at all.
pub fn count_windows(counts: &BTreeSet<i64>) -> Vec<CountWindow> {
    let mut walks: Vec<Vec<i64>> = counts.iter().map(|&count| vec![count]).collect();
    for _ in 1..COUNT_OPTIONS {
        let longer = |walk: Vec<i64>| {
            let last = walk[walk.len() - 1];
            let reached = steps(last).map(move |step| last + step).filter(|count| counts.contains(count));
            reached.map(move |count| [walk.as_slice(), &[count]].concat()).collect::<Vec<_>>()
        };
        walks = walks.into_iter().flat_map(longer).collect();
    }
    walks.into_iter().filter_map(|walk| walk.try_into().ok()).collect()
}
