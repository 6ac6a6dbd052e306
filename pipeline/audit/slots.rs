//! Whether right answers prefer a slot, and whether they can be guessed without looking.
//!
//! Slot balance: among `n` items of one shape (number of options; one or several right) a slot is right `c` times,
//! expected is a share `p`. By Chernoff's bound the chance of a share at least (or at most) `c/n` is at most
//! `exp(-n · KL(c/n ‖ p))`, for any `n`, so no minimum sample is needed: too few items cannot reach the limit. The bound
//! is summed over both sides of all slots. Slots drawn by hash fail once in a billion releases.

use crate::findings::{FaultCode, Log, Place, WarningCode};
use std::collections::BTreeMap;
use uavgen_schemas::QaItem;

/// Chance, under slots drawn by hash, below which a slot's share is a fault.
pub(crate) const FAULT_CHANCE: f64 = 1e-9;
/// The same for a warning.
pub(crate) const WARNING_CHANCE: f64 = 1e-4;
/// Fewest items for a statement on priors.
const PRIOR_SAMPLE: u64 = 50;
/// A majority answer is told when its share is this many times the share by chance.
const MAJORITY_FACTOR: f64 = 1.5;
/// An option of several-right questions is told when it is right in fewer or more than this share of its offers.
const OPTION_SHARES: (f64, f64) = (0.05, 0.95);
/// Findings about the whole release name this.
pub(crate) const ALL_QUESTIONS: &str = "data/qa";

/// Tallies over all items.
#[derive(Default)]
pub(crate) struct Slots {
    /// By number of options, and whether several may be right.
    shapes: BTreeMap<(usize, bool), Shape>,
    /// By suite and task.
    tasks: BTreeMap<String, Prior>,
}

struct Shape {
    items: u64,
    /// Right answers per slot.
    right: Vec<u64>,
}

#[derive(Default)]
struct Prior {
    items: u64,
    /// Sum over items of the chance to guess right.
    chance: f64,
    /// Items per right answer.
    answers: BTreeMap<String, u64>,
    /// Offers, and right ones among them, per option of questions with several right.
    offers: BTreeMap<String, (u64, u64)>,
}

impl Slots {
    /// Notes an item with options whose answer is one of them.
    pub(crate) fn add(&mut self, item: &QaItem, several: bool) {
        let options = item.options.len();
        let right: Vec<usize> = item
            .answer_indices
            .iter()
            .filter_map(|index| usize::try_from(*index).ok())
            .filter(|slot| *slot < options)
            .collect();
        if right.is_empty() {
            return;
        }
        let shape =
            self.shapes.entry((options, several)).or_insert_with(|| Shape { items: 0, right: vec![0; options] });
        shape.items += 1;
        right.iter().for_each(|&slot| shape.right[slot] += 1);
        let prior = self.tasks.entry(format!("{}/{}", item.suite, item.task)).or_default();
        prior.items += 1;
        if several {
            for (slot, option) in item.options.iter().enumerate() {
                let (offered, was_right) = prior.offers.entry(option.clone()).or_default();
                *offered += 1;
                *was_right += u64::from(right.contains(&slot));
            }
        } else {
            prior.chance += 1.0 / options as f64;
            *prior.answers.entry(item.answer.clone()).or_default() += 1;
        }
    }

    /// Reports slots and answers that stand out.
    pub(crate) fn check(&self, log: &mut Log) {
        for ((options, several), shape) in &self.shapes {
            let kind = if *several { "several right" } else { "one right" };
            shape.check(&format!("{options} options, {kind}"), log);
        }
        for (task, prior) in &self.tasks {
            prior.check(task, log);
        }
    }
}

impl Shape {
    fn check(&self, name: &str, log: &mut Log) {
        let share = self.right.iter().sum::<u64>() as f64 / (self.items as f64 * self.right.len() as f64);
        let tails = 2.0 * self.right.len() as f64;
        let chance =
            |right: u64| tails * (-(self.items as f64) * divergence(right as f64 / self.items as f64, share)).exp();
        let least = self.right.iter().map(|&right| chance(right)).fold(f64::INFINITY, f64::min);
        let place = Place::row(ALL_QUESTIONS, name);
        let problem = || {
            format!(
                "right answers per slot are {:?} of {} items, by hash this happens with a chance below {least:.1e}",
                self.right, self.items
            )
        };
        if least < FAULT_CHANCE {
            log.fault(FaultCode::SlotBalance, place, problem());
        } else if least < WARNING_CHANCE {
            log.warn(WarningCode::SlotLean, place, problem());
        }
    }
}

impl Prior {
    fn check(&self, task: &str, log: &mut Log) {
        let place = Place::row(ALL_QUESTIONS, task);
        let items: u64 = self.answers.values().sum();
        if let Some((answer, count)) = self.answers.iter().max_by_key(|(_, count)| **count)
            && items >= PRIOR_SAMPLE
            && *count as f64 > MAJORITY_FACTOR * self.chance
        {
            let (share, chance) = (*count as f64 / items as f64, self.chance / items as f64);
            let problem =
                format!("{answer:?} is right in {share:.2} of {items} items, by chance an answer is in {chance:.2}");
            log.warn(WarningCode::MajorityAnswer, place, problem);
        }
        for (option, (offered, right)) in &self.offers {
            let share = *right as f64 / *offered as f64;
            if *offered >= PRIOR_SAMPLE && !(OPTION_SHARES.0..=OPTION_SHARES.1).contains(&share) {
                let problem = format!("option {option:?} is right in {right} of {offered} items that offer it");
                log.warn(WarningCode::OptionPrior, place, problem);
            }
        }
    }
}

/// Kullback–Leibler divergence of two yes/no chances, in nats.
pub(crate) fn divergence(observed: f64, expected: f64) -> f64 {
    let term = |a: f64, b: f64| if a <= 0.0 { 0.0 } else { a * (a / b).ln() };
    term(observed, expected) + term(1.0 - observed, 1.0 - expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(right: &[u64], items: u64) -> (Vec<&'static str>, Vec<&'static str>) {
        let mut log = Log::new(1);
        Shape { items, right: right.to_vec() }.check("test", &mut log);
        let report = log.into_report("r");
        let codes = |findings: &[crate::Findings]| findings.iter().map(|f| f.code).collect();
        (codes(&report.faults), codes(&report.warnings))
    }

    #[test]
    fn always_the_first_of_four_is_a_fault_from_seventeen_items_on() {
        // 8 · (1/4)^n < 1e-9 from n = 17 on.
        assert_eq!(codes(&[17, 0, 0, 0], 17).0, ["slot_balance"]);
        assert_eq!(codes(&[16, 0, 0, 0], 16), (vec![], vec!["slot_lean"]));
    }

    #[test]
    fn even_and_nearly_even_slots_pass() {
        assert_eq!(codes(&[1, 0], 1), (vec![], vec![]));
        assert_eq!(codes(&[250, 260, 240, 250], 1000), (vec![], vec![]));
        // Three standard deviations off.
        assert_eq!(codes(&[291, 236, 236, 237], 1000), (vec![], vec![]));
    }

    #[test]
    fn a_lean_is_found_with_enough_items() {
        assert_eq!(codes(&[3000, 2300, 2350, 2350], 10_000).0, ["slot_balance"]);
    }

    #[test]
    fn several_right_answers_are_held_against_their_own_share() {
        // Six options, three right on average: even.
        assert_eq!(codes(&[50; 6], 100), (vec![], vec![]));
        assert_eq!(codes(&[100, 40, 40, 40, 40, 40], 100).0, ["slot_balance"]);
    }
}
