//! Options: what stands beside the answer, and in which slot.

use super::draw::{Draw, id_number};
use uavgen_programs::Value;

/// Number of options of counting questions.
pub const COUNT_OPTIONS: usize = 4;

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
    let slot = (id_number(id) % (wrong.len() as u64 + 1)) as usize;
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

/// Wrong whole numbers near an answer, such that it is the `rank`-th smallest (from 0) of all options; none is negative
/// or above `most`. Steps grow with the answer, so that they are told apart where one can count to about a tenth.
///
/// The rank is drawn before the question is, so that neither "the second smallest" nor "the largest" is a good guess.
pub fn wrong_counts(draw: &Draw, key: &str, answer: i64, rank: usize, most: Option<i64>) -> Vec<i64> {
    let base = (answer / 10).max(1);
    let step =
        |side: &str, ordinal: usize| base * (1 + draw.below(2, &["step", side, key, &ordinal.to_string()]) as i64);
    let mut wrong = Vec::new();
    let mut below = answer;
    for ordinal in 0..rank {
        // Leave room for the steps that are still to come.
        let left = (rank - 1 - ordinal) as i64;
        below -= step("down", ordinal).min(below - left).max(1);
        wrong.push(below);
    }
    let mut above = answer;
    let steps_up = COUNT_OPTIONS - 1 - rank;
    for ordinal in 0..steps_up {
        let left = (steps_up - 1 - ordinal) as i64;
        let room = most.map_or(i64::MAX, |most| most - above - left);
        above += step("up", ordinal).min(room).max(1);
        wrong.push(above);
    }
    wrong
}
