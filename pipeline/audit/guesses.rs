//! Whether right answers can be guessed from the words of the questions alone, without looking at an image.
//!
//! The guesser knows, for each task and each kind that a question names (or each place), how often every option is right
//! where it is offered, and always takes the best. Numbers are known by their rank among the options, also beside the smallest of
//! them; that their distances tell nothing is for the stage that draws them, which has a test of it. Orders are known by which of
//! two kinds comes before the other, see [`Orders`]. Each item is guessed from all the others,
//! so that items of which there is one of a sort count as chance. By Chernoff's bound a guesser without any knowledge has
//! a score of at least `s` among `n` items with a chance of at most `exp(-n · KL(s ‖ p))`, see [`crate::slots`].

use crate::findings::{FaultCode, Log, Place, WarningCode};
use crate::slots::{ALL_QUESTIONS, FAULT_CHANCE, WARNING_CHANCE, divergence};
use std::collections::{BTreeMap, BTreeSet};
use uavgen_programs::answer::ORDER_SEPARATOR;
use uavgen_programs::{Expr, Program};
use uavgen_schemas::{AnswerType, QaItem};

/// A score is told from this many times the score by chance.
const SCORE_FACTOR: f64 = 1.25;

/// Tallies over all items with one right option.
#[derive(Default)]
pub(crate) struct Guesses {
    /// By suite and task, and by what the guesser goes by.
    tasks: BTreeMap<(String, &'static str), Tally>,
    /// By suite and task.
    orders: BTreeMap<String, Orders>,
}

/// Items that look alike to the guesser, with their number.
#[derive(Default)]
struct Tally {
    seen: BTreeMap<Seen, u64>,
    /// Whether all answers are yes or no.
    yes_or_no: bool,
}

/// All that the guesser sees of an item, and what is right.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    words: String,
    options: Vec<String>,
    right: String,
}

/// How well guessing goes.
#[derive(Debug, PartialEq)]
struct Score {
    items: f64,
    right: f64,
    by_chance: f64,
}

impl Guesses {
    /// Notes an item. One without a program that can be read tells nothing here.
    pub(crate) fn add(&mut self, item: &QaItem) {
        // Of several right options each is a guess of its own, see `slots`.
        let ([right], Ok(program)) = (&item.answer_indices[..], Program::parse(&item.program)) else { return };
        if item.answer_type == AnswerType::Choices {
            return;
        }
        let names = option_names(item);
        let Some(right) = usize::try_from(*right).ok().and_then(|right| names.get(right)).cloned() else { return };
        let mut options = names;
        options.sort_unstable();
        if item.answer_type == AnswerType::Order {
            self.orders.entry(format!("{}/{}", item.suite, item.task)).or_default().add(&options, &right);
            return;
        }
        let mut words = words(program.root());
        words.extend(smallest(item).map(|number| ("smallest number", format!("{} {number}", program.root().op()))));
        for (what, words) in words {
            let tally = self.tasks.entry((format!("{}/{}", item.suite, item.task), what)).or_default();
            tally.yes_or_no = item.answer_type == AnswerType::Bool && (tally.yes_or_no || tally.seen.is_empty());
            let seen = Seen { words, options: options.clone(), right: right.clone() };
            *tally.seen.entry(seen).or_default() += 1;
        }
    }

    /// Reports tasks that can be guessed.
    pub(crate) fn check(&self, log: &mut Log) {
        for ((task, what), tally) in &self.tasks {
            let score = tally.score();
            report(log, task, what, &score, tally.yes_or_no);
        }
        for (task, orders) in &self.orders {
            report(log, task, "kinds that come early", &orders.score(), false);
        }
    }
}

fn report(log: &mut Log, task: &str, what: &str, score: &Score, yes_or_no: bool) {
    let (share, expected) = (score.right / score.items, score.by_chance / score.items);
    if share <= SCORE_FACTOR * expected {
        return;
    }
    let chance = (-score.items * divergence(share.min(1.0), expected)).exp();
    let problem = format!(
        "who goes by the {what} in question and options alone is right in {share:.2} of {} items, by chance in {expected:.2}",
        score.items
    );
    let place = Place::row(ALL_QUESTIONS, task);
    if yes_or_no && chance < FAULT_CHANCE {
        log.fault(FaultCode::GuessedFromWords, place, problem);
    } else if chance < WARNING_CHANCE {
        log.warn(WarningCode::AnswerLeans, place, problem);
    }
}

/// Questions for an order of kinds. The guesser knows how often each kind comes before each other one, and takes the option whose
/// pairs are the most likely, as if they did not depend on each other.
#[derive(Default)]
struct Orders {
    /// Options of each item, and the right one.
    items: Vec<(Vec<Vec<String>>, Vec<String>)>,
}

impl Orders {
    fn add(&mut self, options: &[String], right: &str) {
        let kinds = |order: &str| order.split(ORDER_SEPARATOR).map(str::to_owned).collect();
        self.items.push((options.iter().map(|order| kinds(order)).collect(), kinds(right)));
    }

    fn score(&self) -> Score {
        let mut before: BTreeMap<(&str, &str), f64> = BTreeMap::new();
        for pair in self.items.iter().flat_map(|(_, right)| pairs(right)) {
            *before.entry(pair).or_default() += 1.0;
        }
        let mut score = Score { items: 0.0, right: 0.0, by_chance: 0.0 };
        for (options, right) in &self.items {
            let own: BTreeSet<(&str, &str)> = pairs(right).collect();
            let count = |pair: (&str, &str)| {
                let all = before.get(&pair).copied().unwrap_or(0.0);
                all - if own.contains(&pair) { 1.0 } else { 0.0 }
            };
            // Laplace's rule: a pair that was never seen is as likely as its reverse.
            let chance = |(a, b)| ((count((a, b)) + 1.0) / (count((a, b)) + count((b, a)) + 2.0)).ln();
            let likely: Vec<f64> = options.iter().map(|order| pairs(order).map(chance).sum()).collect();
            let best = likely.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let guesses: Vec<&Vec<String>> =
                options.iter().zip(&likely).filter(|(_, likely)| **likely >= best).map(|(order, _)| order).collect();
            score.items += 1.0;
            score.by_chance += 1.0 / options.len() as f64;
            score.right += if guesses.contains(&right) { 1.0 / guesses.len() as f64 } else { 0.0 };
        }
        score
    }
}

/// All pairs of an order, the earlier one first.
fn pairs(order: &[String]) -> impl Iterator<Item = (&str, &str)> {
    order.iter().enumerate().flat_map(move |(at, a)| order[at + 1..].iter().map(move |b| (a.as_str(), b.as_str())))
}

impl Tally {
    fn score(&self) -> Score {
        // Offers, and right ones among them.
        let mut known: BTreeMap<(&str, &str), (u64, u64)> = BTreeMap::new();
        for (seen, count) in &self.seen {
            for option in &seen.options {
                let (offered, right) = known.entry((&seen.words, option)).or_default();
                *offered += count;
                *right += if *option == seen.right { *count } else { 0 };
            }
        }
        let mut score = Score { items: 0.0, right: 0.0, by_chance: 0.0 };
        for (seen, &count) in &self.seen {
            let chance = 1.0 / seen.options.len() as f64;
            // Without the item itself.
            let rate = |option: &String| {
                let (offered, right) = known[&(seen.words.as_str(), option.as_str())];
                let own = u64::from(*option == seen.right);
                if offered > 1 { (right - own) as f64 / (offered - 1) as f64 } else { chance }
            };
            let best = seen.options.iter().map(rate).fold(0.0, f64::max);
            let guesses: Vec<&String> = seen.options.iter().filter(|option| rate(option) >= best).collect();
            let hit = guesses.contains(&&seen.right);
            score.items += count as f64;
            score.by_chance += count as f64 * chance;
            score.right += if hit { count as f64 / guesses.len() as f64 } else { 0.0 };
        }
        score
    }
}

/// The smallest number on offer; null where the options are no numbers.
fn smallest(item: &QaItem) -> Option<String> {
    let numbers = matches!(item.answer_type, AnswerType::Int | AnswerType::Float);
    let parsed = item.options.iter().filter(|_| numbers).filter_map(|option| option.parse::<f64>().ok());
    parsed.min_by(f64::total_cmp).map(|number| number.to_string())
}

/// What the guesser calls the options: numbers by their rank, anything else by its text.
fn option_names(item: &QaItem) -> Vec<String> {
    let numbers: Option<Vec<f64>> = match item.answer_type {
        AnswerType::Int | AnswerType::Float => item.options.iter().map(|option| option.parse().ok()).collect(),
        _ => None,
    };
    match numbers {
        Some(numbers) => {
            let rank = |number: &f64| numbers.iter().filter(|other| *other < number).count();
            numbers.iter().map(|number| format!("rank {}", rank(number))).collect()
        }
        None => item.options.clone(),
    }
}

/// What a question says besides its options: of what kind it asks, where, and about which piece of a clip, each with the op
/// that asks.
fn words(root: &Expr) -> Vec<(&'static str, String)> {
    let mut kind = None;
    let mut area = None;
    let mut step = Some(root);
    while let Some(expr) = step {
        match expr {
            Expr::WhereCategory { any_of, .. } => kind = Some(any_of.join(", ")),
            Expr::WhereRegion { area: found, .. } => area = Some(format!("{:?}", found.name)),
            _ => {}
        }
        step = expr.inputs().next().map(|(_, input)| input);
    }
    // Terms to choose from stand among the options, not in the question.
    let chooses = matches!(root, Expr::MostNumerous { .. } | Expr::Fewest { .. } | Expr::PresentTerms { .. });
    let kind = kind.filter(|_| !chooses).unwrap_or_default();
    let mut words = vec![("kind", format!("{} {kind}", root.op()))];
    words.extend(area.map(|area| ("place", format!("{} {area}", root.op()))));
    if let Expr::CountAtStart { segment, .. } | Expr::CountSegmentTracks { segment, .. } = root {
        words.push(("clip", format!("{} {segment}", root.op())));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(items: &[(&str, &str, u64)]) -> Score {
        let mut tally = Tally::default();
        for (words, right, count) in items {
            let options = vec!["no".to_owned(), "yes".to_owned()];
            tally.seen.insert(Seen { words: (*words).into(), options, right: (*right).into() }, *count);
        }
        tally.score()
    }

    #[test]
    fn a_word_that_always_has_one_answer_is_guessed() {
        let score = tally(&[("vehicle", "yes", 30), ("person", "no", 20)]);
        assert_eq!(score, Score { items: 50.0, right: 50.0, by_chance: 25.0 });
    }

    #[test]
    fn kinds_that_nearly_always_come_first_are_guessed() {
        let options: Vec<String> = [
            "car, then bus, then van",
            "bus, then car, then van",
            "van, then bus, then car",
            "van, then car, then bus",
        ]
        .map(String::from)
        .into();
        let score = |right: &[usize]| {
            let mut orders = Orders::default();
            right.iter().for_each(|&at| orders.add(&options, &options[at]));
            orders.score()
        };
        assert_eq!(score(&[0; 40]).right, 40.0);
        let even: Vec<usize> = (0..40).map(|number| number % 4).collect();
        assert!(score(&even).right <= 10.0, "{:?}", score(&even));
        // Two of four that are never right leave two.
        let half: Vec<usize> = (0..400).map(|number| if number % 2 == 0 { 0 } else { 2 }).collect();
        assert!(score(&half).right <= 200.0);
    }

    #[test]
    fn even_words_and_single_items_are_not() {
        assert!(tally(&[("bus", "yes", 20), ("bus", "no", 20)]).right <= 20.0);
        let single: Vec<String> = (0..40).map(|number| number.to_string()).collect();
        let items: Vec<(&str, &str, u64)> = single.iter().map(|word| (word.as_str(), "yes", 1)).collect();
        assert_eq!(tally(&items).right, 20.0);
    }

    #[test]
    fn three_of_four_is_a_score_of_three_in_four() {
        assert_eq!(tally(&[("bus", "yes", 30), ("bus", "no", 10)]).right, 30.0);
    }
}
