//! What holds for every clip.

use super::films::{drawn, only};
use crate::asking::templates::Templates;
use crate::clip_qa::config::ClipQaConfig;
use crate::clip_qa::task::Task;
use std::collections::{BTreeMap, BTreeSet};
use uavgen_core::draw::right_slot;
use uavgen_programs::wording::{rest, unsaid, untold};
use uavgen_programs::{Program, Value};
use uavgen_schemas::QaItem;

const FILMS: u64 = 120;

fn items(config: &ClipQaConfig) -> Vec<QaItem> {
    (0..FILMS).flat_map(|number| drawn(number).ask(config).items).collect()
}

#[test]
fn items_are_sound() {
    let mut ids = BTreeSet::new();
    for number in 0..FILMS {
        let film = drawn(number);
        let asked = film.ask(&ClipQaConfig::default());
        assert_eq!(asked.items, film.ask(&ClipQaConfig::default()).items, "twice the same");
        assert!(asked.items.len() <= 8);
        for item in &asked.items {
            assert!(ids.insert(item.id.clone()), "{}", item.id);
            assert_eq!(film.execute(item), item.answer_json, "{}", item.question);
            let options: BTreeSet<&String> = item.options.iter().collect();
            assert_eq!(options.len(), item.options.len(), "{:?}", item.options);
            let slot = right_slot(&item.id, item.options.len());
            assert_eq!((item.answer_indices.as_slice(), &item.options[slot]), (&[slot as i32][..], &item.answer));
            let typed: Vec<Value> = serde_json::from_str(&item.options_json).unwrap();
            assert_eq!(typed.iter().map(Value::text).collect::<Vec<_>>(), item.options);
        }
    }
    assert!(ids.len() > 300, "{}", ids.len());
}

#[test]
fn questions_say_what_their_programs_ask_and_nothing_else() {
    let mut rests: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for item in items(&ClipQaConfig::default()) {
        let program = Program::parse(&item.program).unwrap();
        assert_eq!(unsaid(&item.question, &program), None, "{}", item.question);
        let rest = rest(&item.question, &program);
        assert_eq!(untold(&rest), None, "{}", item.question);
        let origin: serde_json::Value = serde_json::from_str(&item.provenance).unwrap();
        let wording = (origin["template"].to_string(), origin["wording"].to_string());
        rests.entry(wording).or_default().insert(rest);
    }
    assert_eq!(rests.len(), 20, "five wordings of four tasks");
    assert!(rests.values().all(|rests| rests.len() == 1), "{rests:?}");
    let templates = Templates::<Task>::embedded();
    for task in Task::ALL {
        for form in templates.of(task).forms.values() {
            for (wording, slot) in form.wordings.iter().flat_map(|text| form.slots.iter().map(move |slot| (text, slot)))
            {
                assert!(wording.contains(&format!("{{{slot}}}")), "{wording} has no {slot}");
            }
        }
    }
}

/// How often each answer (by `name`) is right among items with so many options.
fn shares(items: &[QaItem], options: usize, name: impl Fn(&QaItem) -> String) -> BTreeMap<String, usize> {
    let mut shares = BTreeMap::new();
    for item in items.iter().filter(|item| item.options.len() == options) {
        *shares.entry(name(item)).or_default() += 1;
    }
    shares
}

/// Whether no name has more than its share by chance and four standard deviations.
fn is_even(shares: &BTreeMap<String, usize>, options: usize) -> bool {
    let total = shares.values().sum::<usize>() as f64;
    let chance = 1.0 / options as f64;
    let limit = total * chance + 4.0 * (total * chance * (1.0 - chance)).sqrt();
    total > 20.0 && shares.values().all(|&count| (count as f64) < limit)
}

fn is_many(shares: &BTreeMap<String, usize>) -> bool {
    shares.values().sum::<usize>() > 20
}

fn rank(item: &QaItem) -> String {
    let number = |text: &String| text.parse::<i64>().unwrap();
    item.options.iter().filter(|option| number(option) < number(&item.answer)).count().to_string()
}

#[test]
fn ranks_of_counts_and_positions_of_clips_are_even() {
    for (task, name) in [
        (Task::ClipOrder, rank as fn(&QaItem) -> String),
        (Task::ClipCounting, rank),
        (Task::ClipPresence, |item| item.answer.clone()),
    ] {
        let items = items(&only(task, 2));
        let counts: BTreeSet<usize> = items.iter().map(|item| item.options.len()).collect();
        for options in counts {
            let shares = shares(&items, options, name);
            assert!(is_even(&shares, options), "{task:?} with {options} options: {shares:?}");
        }
    }
}

#[test]
fn the_numbers_on_offer_do_not_tell_which_is_right() {
    let mut by_smallest: BTreeMap<String, Vec<QaItem>> = BTreeMap::new();
    for item in items(&only(Task::ClipCounting, 8)) {
        let smallest = item.options.iter().map(|option| option.parse::<i64>().unwrap()).min();
        by_smallest.entry(format!("{smallest:?}")).or_default().push(item);
    }
    let groups: Vec<_> = by_smallest.values().map(|items| shares(items, 4, rank)).filter(is_many).collect();
    assert!(groups.len() > 1 && groups.iter().all(|shares| is_even(shares, 4)), "{groups:?}");
}

#[test]
fn who_knows_which_kinds_come_early_knows_no_order() {
    // The kinds as the generator of the films draws them: cars twice as often. Of the orders on offer the guesser takes the one with
    // most frequent kinds first.
    let early = ["car", "bus", "truck", "person", "motorcycle", "bicycle", "van"];
    let place = |kind: &str| early.iter().position(|known| kind == *known).unwrap_or(early.len());
    let swaps = |order: &String| {
        let kinds: Vec<usize> = order.split(", then ").map(place).collect();
        (0..kinds.len()).map(|at| kinds[at + 1..].iter().filter(|next| **next < kinds[at]).count()).sum::<usize>()
    };
    let (mut total, mut right) = (0.0, 0.0);
    for item in items(&only(Task::FirstAppearances, 8)) {
        let least = item.options.iter().map(swaps).min().unwrap();
        let guesses = item.options.iter().filter(|order| swaps(order) == least).count() as f64;
        total += 1.0;
        right += if swaps(&item.answer) == least { 1.0 / guesses } else { 0.0 };
    }
    assert!(total > 50.0 && right / total < 0.4, "{right} of {total}");
}

#[test]
fn another_clip_changes_nothing_and_another_seed_something() {
    let config = ClipQaConfig::default();
    let seven: Vec<String> = items(&config).into_iter().map(|item| item.id).collect();
    let eight: Vec<String> =
        (0..FILMS).flat_map(|number| drawn(number).ask_with_seed(&config, 8).items).map(|item| item.id).collect();
    assert_ne!(seven, eight);
}
