//! What holds of every item, over many drawn frames.

use super::fixtures::{Dice, Fixture, drawn_sequence, drawn_still, generous, only};
use crate::asking::options::{has_room, wrong_counts};
use crate::qa::config::QaConfig;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use uavgen_core::Draw;
use uavgen_core::draw::lowest;
use uavgen_programs::taxonomy::{CONFUSABLE, by_word, confusable};
use uavgen_schemas::{AnswerType, Box2d, BoxRole, QaItem};

fn many_stills(count: u64, config: &QaConfig) -> Vec<(Fixture, Vec<QaItem>)> {
    let fixtures = (0..count).map(drawn_still);
    fixtures.map(|fixture| (fixture.clone(), fixture.ask(config).items)).collect()
}

/// Reverses and deals out rows, as if they had come in another order.
fn shuffled(fixture: &Fixture) -> Fixture {
    let mut other = fixture.clone();
    other.boxes.reverse();
    other.regions.reverse();
    other.selections.reverse();
    let mut dice = Dice::new(99);
    for position in (1..other.boxes.len()).rev() {
        other.boxes.swap(position, dice.below(position as u64 + 1) as usize);
    }
    other
}

#[test]
fn order_of_rows_changes_nothing() {
    let fixture = drawn_sequence(3, 31);
    let (one, two) = (fixture.ask(&QaConfig::default()), shuffled(&fixture).ask(&QaConfig::default()));
    assert!(one.items.len() > 10);
    assert_eq!(one.items, two.items);
    assert_eq!(one.rejects, two.rejects);
}

#[test]
fn a_frame_that_goes_missing_changes_only_items_that_show_it() {
    let fixture = drawn_sequence(4, 46);
    let config = QaConfig { max_per_recording: 10_000, ..QaConfig::default() };
    let all = fixture.ask(&config).items;
    for position in [0, 5, 15, 20, 30] {
        let gone = &fixture.frames[position].frame_id;
        let next = &fixture.frames[position + 1].frame_id;
        let untouched = all.iter().filter(|item| !item.frame_ids.contains(gone));
        let rest = fixture.without(position).ask(&config).items;
        // The next frame may stand in for the one that is gone.
        let kept: Vec<&QaItem> = rest.iter().filter(|item| all.contains(item)).collect();
        assert_eq!(kept, untouched.collect::<Vec<_>>(), "without {gone}");
        assert!(rest.iter().all(|item| kept.contains(&item) || item.frame_ids.contains(next)), "without {gone}");
    }
}

#[test]
fn a_sequence_that_was_thinned_out_is_asked_about_as_often() {
    // Source numbers 10, 20, …, as of a sequence of which every tenth frame was delivered; and 0, 5, ….
    for (first, every, asked) in [(10_i64, 10_i64, 40), (0, 5, 20), (1, 1, 4)] {
        let mut fixture = drawn_sequence(4, 60);
        (0..).zip(&mut fixture.frames).for_each(|(position, frame)| frame.source_number = first + every * position);
        let result = fixture.ask(&QaConfig::default());
        let span = 60 * every;
        assert!(
            result.sampled_frames >= asked && result.sampled_frames as i64 <= 1 + span / 15,
            "{every}: {}",
            result.sampled_frames
        );
        // Five numbers on there is a frame only where every fifth was kept, or every one.
        let temporal = result.items.iter().any(|item| item.task == "temporal_counting");
        let without = result.rejects.iter().any(|reject| reject.reason == "no_frames_at_step");
        assert_eq!((temporal, without), (every < 10, every == 10), "every {every}");
    }
}

#[test]
fn every_program_gives_the_stored_answer_again() {
    for (fixture, items) in many_stills(40, &generous()) {
        for item in &items {
            assert_eq!(fixture.execute(item), item.answer_json, "{}", item.question);
        }
    }
    let sequence = drawn_sequence(5, 46);
    let items = sequence.ask(&QaConfig::default()).items;
    assert!(items.iter().any(|item| item.task == "temporal_counting"));
    items.iter().for_each(|item| assert_eq!(sequence.execute(item), item.answer_json, "{}", item.question));
}

#[test]
fn every_item_is_whole() {
    let (mut ids, mut texts) = (BTreeSet::new(), BTreeSet::new());
    for (_, items) in many_stills(60, &generous()) {
        for item in items {
            assert!(ids.insert(item.id.clone()) && item.id.len() == 32);
            assert!(
                texts.insert((item.question.clone(), item.frame_ids.clone(), item.options.clone())),
                "{}",
                item.question
            );
            let distinct: BTreeSet<&String> = item.options.iter().collect();
            assert_eq!(distinct.len(), item.options.len(), "{:?}", item.options);
            let typed: Vec<serde_json::Value> = serde_json::from_str(&item.options_json).unwrap();
            assert_eq!(typed.len(), item.options.len());
            assert!(item.answer_indices.iter().all(|&slot| (slot as usize) < item.options.len()));
            if item.answer_type == AnswerType::Choices {
                assert_eq!(item.options.len(), 6);
            } else if !item.options.is_empty() {
                assert_eq!(item.answer_indices.len(), 1);
                let slot = item.answer_indices[0] as usize;
                assert_eq!(item.options[slot], item.answer);
                assert_eq!(typed[slot].to_string().len(), item.answer_json.len());
            }
            let in_image = |edge: f64| (0.0..=1.0).contains(&edge);
            let inside =
                item.boxes.iter().all(|b| in_image(b.x1) && in_image(b.y1) && in_image(b.x2) && in_image(b.y2));
            assert!(inside && item.boxes.iter().all(|b| b.x1 < b.x2 && b.y1 < b.y2 && b.image_index == 0));
            if item.task == "scene_counting" || item.task == "regional_counting" {
                let shown = item.boxes.iter().filter(|b| b.role == BoxRole::Answer).count();
                assert_eq!(shown.to_string(), item.answer);
                let regions = item.boxes.iter().filter(|b| b.role == BoxRole::Region).count();
                assert_eq!(regions, usize::from(item.task == "regional_counting"));
            }
        }
    }
}

#[test]
fn no_two_answers_to_one_question() {
    for (_, items) in many_stills(60, &generous()) {
        let mut answers: BTreeMap<(String, String), String> = BTreeMap::new();
        for item in items {
            let options = if item.task == "scene_presence" {
                String::new()
            } else {
                let mut sorted = item.options.clone();
                sorted.sort();
                if item.answer_type == AnswerType::Int { String::new() } else { sorted.join("|") }
            };
            let known = answers.insert((item.question.clone(), options), item.answer.clone());
            assert!(known.is_none_or(|known| known == item.answer), "{}", item.question);
        }
    }
}

#[test]
fn kinds_that_are_mixed_up_never_meet() {
    for (_, items) in many_stills(60, &generous()) {
        for item in items.iter().filter(|item| matches!(item.answer_type, AnswerType::Category | AnswerType::Choices)) {
            let terms: Vec<_> = item.options.iter().map(|option| by_word(option).unwrap().term()).collect();
            for (position, one) in terms.iter().enumerate() {
                assert!(terms[..position].iter().all(|other| !confusable(one, other)), "{:?}", item.options);
            }
        }
    }
}

#[test]
fn what_is_not_there_is_not_offered_beside_what_it_is_mixed_up_with() {
    let inside = |b: &Box2d, area: &[f64; 4]| {
        let [x1, y1, x2, y2] = [area[0] * 1000.0, area[1] * 500.0, area[2] * 1000.0, area[3] * 500.0];
        let common = (b.x2.min(x2) - b.x1.max(x1)).max(0.0) * (b.y2.min(y2) - b.y1.max(y1)).max(0.0);
        common / ((b.x2 - b.x1) * (b.y2 - b.y1)) >= 0.5
    };
    let mut asked = 0;
    for (fixture, items) in many_stills(200, &generous()) {
        for item in items.iter().filter(|item| ["multi_target_presence", "number_comparison"].contains(&&*item.task)) {
            let area = item
                .boxes
                .iter()
                .find(|b| b.role == BoxRole::Region)
                .map_or([0.0, 0.0, 1.0, 1.0], |b| [b.x1, b.y1, b.x2, b.y2]);
            let kept = |b: &&Box2d| fixture.selections.iter().any(|selection| selection.kept.contains(&b.box_id));
            let boxes = fixture.boxes.iter().filter(kept).filter(|b| inside(b, &area));
            let here: BTreeSet<&str> = boxes.map(|b| b.category.as_str()).collect();
            for option in &item.options {
                let term = by_word(option).unwrap();
                let is_here = term.any_of.iter().any(|category| here.contains(category));
                let alike = CONFUSABLE
                    .iter()
                    .flat_map(|&(a, b)| [(a, b), (b, a)])
                    .any(|(a, b)| term.any_of.contains(&a) && here.contains(b));
                assert!(is_here || !alike, "{} {option} among {here:?}", item.question);
                asked += 1;
            }
        }
    }
    assert!(asked > 500, "{asked}");
}

/// What a yes/no question says besides its place: kinds by their categories, and the shape of the place.
fn kind_and_shape(item: &QaItem) -> (String, &'static str) {
    let program: serde_json::Value = serde_json::from_str(&item.program).unwrap();
    let region = &program["root"]["of"];
    let shape = match region["area"]["name"].as_str().unwrap() {
        "custom" => "box",
        name if name.ends_with("_half") => "half",
        _ => "cell",
    };
    let size =
        |a: &str, b: &str| region["area"]["edges"][b].as_f64().unwrap() - region["area"]["edges"][a].as_f64().unwrap();
    let size = format!("{:.3} {:.3}", size("x1", "x2"), size("y1", "y2"));
    let size = if shape == "box" { size } else { String::new() };
    (format!("{} {size}", region["of"]["any_of"]), shape)
}

#[test]
fn every_kind_is_asked_for_with_yes_and_with_no_in_places_of_one_shape() {
    // With the default limits, under which some of a frame's questions are left out.
    let limits = QaConfig::default();
    for config in [only("scene_presence", 4), limits.clone(), QaConfig { max_per_recording: 5, ..limits }] {
        let mut asked = 0;
        for (_, items) in many_stills(120, &config) {
            let mut sides: BTreeMap<(String, &str), [u32; 2]> = BTreeMap::new();
            for item in items.iter().filter(|item| item.task == "scene_presence") {
                sides.entry(kind_and_shape(item)).or_default()[usize::from(item.answer == "yes")] += 1;
            }
            assert!(sides.values().all(|[no, yes]| no == yes), "{sides:?}");
            asked += sides.len();
        }
        assert!(asked > 20, "{asked}");
    }
}

#[test]
fn the_kind_that_is_counted_does_not_tell_the_rank() {
    let mut ranks: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (_, items) in many_stills(600, &only("regional_counting", 2)) {
        for item in &items {
            let number = |text: &str| text.parse::<i64>().unwrap();
            let rank = item.options.iter().filter(|option| number(option) < number(&item.answer)).count();
            let program: serde_json::Value = serde_json::from_str(&item.program).unwrap();
            ranks.entry(program["root"]["of"]["of"]["any_of"].to_string()).or_insert_with(|| vec![0; 4])[rank] += 1;
        }
    }
    println!("right answers by kind and rank: {ranks:?}");
    assert!(ranks.len() > 3);
    ranks
        .iter()
        .filter(|(_, counts)| counts.iter().sum::<u32>() > 40)
        .for_each(|(kind, counts)| assert_even(kind, counts));
}

/// Chi-square of counts against equal shares.
fn chi_square(counts: &[u32]) -> f64 {
    let expected = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
    counts.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum()
}

/// Values that chance exceeds once in ten thousand, for 1, 3 and 5 degrees of freedom.
const CHI_SQUARE_LIMITS: [(usize, f64); 3] = [(2, 15.14), (4, 21.11), (6, 25.75)];

fn assert_even(name: &str, counts: &[u32]) {
    let limit = CHI_SQUARE_LIMITS.iter().find(|(size, _)| *size == counts.len()).unwrap().1;
    assert!(chi_square(counts) < limit, "{name}: {counts:?}");
}

#[test]
fn neither_the_slot_nor_the_rank_tells_the_answer() {
    let mut slots: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    let mut ranks: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    let stills = many_stills(300, &QaConfig { max_per_frame: 100, ..QaConfig::default() });
    let sequences = (0..8).map(|number| drawn_sequence(number, 60).ask(&only("temporal_counting", 2)).items);
    for items in stills.into_iter().map(|(_, items)| items).chain(sequences) {
        for item in items.iter().filter(|item| !item.options.is_empty()) {
            let counts = slots.entry(item.task.clone()).or_insert_with(|| vec![0; item.options.len()]);
            item.answer_indices.iter().for_each(|&slot| counts[slot as usize] += 1);
            if item.answer_type == AnswerType::Int {
                let number = |text: &str| text.parse::<i64>().unwrap();
                let rank = item.options.iter().filter(|option| number(option) < number(&item.answer)).count();
                assert!(item.options.iter().all(|option| number(option) >= 0));
                ranks.entry(item.task.clone()).or_insert_with(|| vec![0; 4])[rank] += 1;
            }
        }
    }
    println!("right answers by slot: {slots:?}\nright answers by rank: {ranks:?}");
    for (task, counts) in slots.iter().chain(&ranks) {
        assert!(counts.iter().sum::<u32>() > 150, "{task}: {counts:?}");
        assert_even(task, counts);
    }
}

#[test]
fn the_winner_is_not_nearly_always_the_commonest_kind() {
    let mut winners: BTreeMap<String, u32> = BTreeMap::new();
    let mut total = 0;
    for (_, items) in many_stills(200, &only("number_comparison", 2)) {
        for item in items.iter().filter(|item| item.options.contains(&"car".to_owned())) {
            total += 1;
            *winners.entry(item.answer.clone()).or_default() += 1;
        }
    }
    println!("winners where car is an option: {winners:?}");
    assert!(total > 50 && winners["car"] * 3 < total * 2, "{winners:?} of {total}");
}

#[test]
fn limits_hold_and_say_what_they_left_out() {
    let config = QaConfig { max_per_frame: 3, max_per_recording: 5, ..QaConfig::default() };
    let asked = drawn_sequence(6, 61).ask(&config);
    assert_eq!(asked.items.len(), 5);
    let over: Vec<&str> = asked.rejects.iter().map(|reject| reject.reason.as_str()).collect();
    assert!(over.contains(&"max_per_frame") && over.contains(&"max_per_recording"));
    let free =
        drawn_sequence(6, 61).ask(&QaConfig { max_per_frame: 3, max_per_recording: 1000, ..QaConfig::default() });
    let single = free.items.iter().filter(|item| item.frame_ids.len() == 1);
    let mut per_frame: BTreeMap<&String, u32> = BTreeMap::new();
    single.for_each(|item| *per_frame.entry(&item.frame_ids[0]).or_default() += 1);
    assert!(per_frame.values().all(|&count| count == 3), "{per_frame:?}");
    let mut temporal = only("temporal_counting", 10);
    temporal.max_per_frame = 2;
    let mut per_group: BTreeMap<Vec<String>, u32> = BTreeMap::new();
    for item in drawn_sequence(6, 61).ask(&temporal).items {
        *per_group.entry(item.frame_ids).or_default() += 1;
    }
    assert!(!per_group.is_empty() && per_group.values().all(|&count| count <= 2), "{per_group:?}");
    assert!((free.items.len() as u64) <= config_estimate(&config, 61));
}

fn config_estimate(config: &QaConfig, frames: u64) -> u64 {
    QaConfig { max_per_recording: 1000, ..config.clone() }.estimate(1, frames)
}

/// Who knows how options are made, and takes the one from which the others are most likely made. Written down here on its
/// own: a step is a tenth to a fifth of the smaller number.
fn most_likely_answer(options: &[i64]) -> usize {
    let steps = |from: i64| (from / 10).max(1)..=(from / 5).max(1);
    let likelihood = |rank: usize| {
        let up = options[rank..3].iter().map(|&from| steps(from).count());
        let down =
            options[1..=rank].iter().map(|&to| (0..to).filter(|&from| steps(from).contains(&(to - from))).count());
        up.chain(down).map(|ways| 1.0 / ways as f64).product::<f64>()
    };
    (0..4).max_by(|&a, &b| likelihood(a).total_cmp(&likelihood(b))).unwrap()
}

#[test]
fn neither_the_distances_of_options_nor_their_size_tell_the_answer() {
    let draw = Draw::new(3);
    for (low, high) in [(3, 10), (10, 20), (20, 30), (30, 50), (50, 100), (100, 300), (300, 1000)] {
        let (mut right, mut asked) = (0, 0);
        for answer in (0..4000).map(|number| low + number % (high - low)) {
            let key = asked.to_string();
            let rank = draw.below(4, &["rank", &key]);
            let mut options = wrong_counts(&draw, &key, answer, rank, None);
            options.push(answer);
            options.sort_unstable();
            assert!(options.windows(2).all(|pair| pair[1] - pair[0] >= pair[0] / 10), "{options:?} can be told apart");
            right += usize::from(most_likely_answer(&options) == rank);
            asked += 1;
        }
        let share = right as f64 / asked as f64;
        println!("{low} to {high}: {share:.2}");
        assert!(share < 0.35, "{low} to {high}: {share}");
    }
}

#[test]
fn a_new_wording_takes_over_its_share_and_moves_no_other() {
    let ids: Vec<String> = (0..2000).map(|number| number.to_string()).collect();
    let moved: Vec<&String> = ids.iter().filter(|id| lowest(6, id) != lowest(7, id)).collect();
    assert!(moved.iter().all(|id| lowest(7, id) == 6));
    assert!((200..400).contains(&moved.len()), "{}", moved.len());
    let counts: Vec<u32> =
        (0..6).map(|ordinal| ids.iter().filter(|id| lowest(6, id) == ordinal).count() as u32).collect();
    assert_even("wordings", &counts);
}

proptest! {
    #[test]
    fn wrong_counts_leave_the_answer_its_rank(answer in 0_i64..200, rank in 0_usize..4, room in 0_i64..6, key in "[a-z]{1,8}", bounded: bool) {
        let most = bounded.then_some(answer + room);
        prop_assume!(has_room(answer, rank, most));
        let wrong = wrong_counts(&Draw::new(1), &key, answer, rank, most);
        let all: BTreeSet<i64> = wrong.iter().copied().chain([answer]).collect();
        prop_assert_eq!(all.len(), 4);
        prop_assert!(all.iter().all(|&count| count >= 0 && most.is_none_or(|most| count <= most)));
        prop_assert_eq!(all.iter().position(|&count| count == answer), Some(rank));
    }
}
