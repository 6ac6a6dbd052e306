//! Clips whose answers can be read off, and what is not asked about them.

use super::films::{Film, only};
use crate::clip_qa::pure::Asked;
use crate::clip_qa::task::Task;
use std::collections::{BTreeMap, BTreeSet};
use uavgen_schemas::{AnswerType, ClipKind, QaItem};

const LEFT: [f64; 4] = [10.0, 50.0, 30.0, 60.0];
const RIGHT: [f64; 4] = [120.0, 50.0, 140.0, 60.0];

/// Two, five and nine cars; a bus that comes into the second place, a truck into the third; each place lasts two seconds.
fn journey() -> Film {
    Film::new("journey", &[10, 10, 10])
        .row(0, 0..10, "car", 1, 2)
        .row(1, 0..10, "car", 1, 5)
        .row(2, 0..10, "car", 1, 9)
        .with(1, 5..10, "bus", 50, RIGHT)
        .with(2, 5..10, "truck", 60, LEFT)
}

fn reasons(asked: &Asked) -> Vec<&str> {
    asked.rejects.iter().map(|reject| reject.reason.as_str()).collect()
}

/// Position of the clip that a question names.
fn named_clip(text: &str) -> usize {
    ["first clip", "second clip", "third clip", "fourth clip"].iter().position(|clip| text.contains(clip)).unwrap()
}

#[test]
fn the_order_of_clips_decides_which_count_is_right() {
    let asked = journey().ask(&only(Task::ClipOrder, 20));
    let whole: Vec<&QaItem> = asked.items.iter().filter(|item| !item.question.contains(" the image")).collect();
    let of_cars: Vec<&&QaItem> = whole.iter().filter(|item| item.question.contains(" cars")).collect();
    assert!(!of_cars.is_empty());
    for item in of_cars {
        let expected = ["2", "5", "9"][named_clip(&item.question)];
        assert_eq!((item.answer.as_str(), item.answer_type), (expected, AnswerType::Int), "{}", item.question);
        let options: BTreeSet<&str> = item.options.iter().map(String::as_str).collect();
        assert_eq!(options, BTreeSet::from(["2", "5", "9"]));
    }
    let positions: BTreeSet<usize> = whole.iter().map(|item| named_clip(&item.question)).collect();
    assert_eq!(positions.len(), 3, "every clip is asked about");
}

#[test]
fn an_item_about_a_clip_says_what_it_is_about() {
    let mut film = journey();
    film.places[1].recording.licence = "CC0-1.0".into();
    let item = film.ask(&only(Task::ClipOrder, 1)).items.remove(0);
    assert_eq!((item.clip_id.as_deref(), item.video.as_deref()), (Some("journey"), Some("clips/journey.mp4")));
    assert!(item.frame_ids.is_empty() && item.boxes.is_empty());
    assert_eq!(item.recording_ids, ["journey/0", "journey/1", "journey/2"]);
    assert_eq!(item.group_id, "journey/0+journey/1+journey/2");
    assert_eq!(item.licence, "CC0-1.0; academic use");
    assert_eq!((item.suite.as_str(), item.task.as_str(), item.split.as_str()), ("aerial2d", "clip_order", "train"));
    assert!(item.provenance.contains(r#""stage":"clip_qa""#));
}

#[test]
fn equal_or_near_counts_tell_no_order() {
    let equal = Film::new("e", &[6, 6]).row(0, 0..6, "car", 1, 4).row(1, 0..6, "car", 1, 4);
    let asked = equal.ask(&only(Task::ClipOrder, 2));
    assert!(asked.items.iter().all(|item| item.question.contains(" the image")), "only areas tell them apart");
    let none = Film::new("n", &[6, 6]).row(0, 0..6, "car", 1, 1).row(1, 0..6, "car", 1, 1);
    assert_eq!(reasons(&none.ask(&only(Task::ClipOrder, 2))), ["no_cue"]);
    // 40 and 41 cars differ by less than five percent of 41.
    let mut config = only(Task::ClipOrder, 2);
    config.margins.count_relative = 0.05;
    let near = Film::new("c", &[6, 6]).row(0, 0..6, "car", 1, 40).row(1, 0..6, "car", 1, 41);
    let whole = |item: &&QaItem| item.question.contains(" cars") && !item.question.contains(" the image");
    assert!(!near.ask(&config).items.iter().any(|item| whole(&item)));
}

#[test]
fn an_unknown_at_the_start_is_refused_on_record() {
    let film = Film::new("u", &[6, 6]).row(0, 0..6, "car", 1, 1).dropped(1, 0, "car", 9, LEFT);
    let asked = film.ask(&only(Task::ClipOrder, 2));
    assert!(asked.items.is_empty(), "{:?}", asked.items);
    assert_eq!(reasons(&asked), ["touches_unknown"]);
    assert!(asked.rejects[0].detail.starts_with("clip_order: u: "), "{}", asked.rejects[0].detail);
    // A frame later it changes no count at the start.
    let later = Film::new("u", &[6, 6]).row(0, 0..6, "car", 1, 1).dropped(1, 1, "car", 9, LEFT);
    assert!(!later.ask(&only(Task::ClipOrder, 2)).items.is_empty());
}

#[test]
fn the_only_clip_that_shows_a_kind_is_found() {
    let asked = journey().ask(&only(Task::ClipPresence, 20));
    let answer = |word: &str| {
        let whole = |item: &&QaItem| item.question.contains(word) && !item.question.contains(" the image");
        asked.items.iter().find(whole).map(|item| (item.answer.as_str(), item.answer_type))
    };
    assert_eq!(answer("a bus"), Some(("second clip", AnswerType::Segment)));
    assert_eq!(answer("a truck"), Some(("third clip", AnswerType::Segment)));
    assert_eq!(answer("a car"), None, "every clip has cars");
    let options: BTreeSet<&str> = asked.items[0].options.iter().map(String::as_str).collect();
    assert_eq!(options, BTreeSet::from(["first clip", "second clip", "third clip"]));
}

#[test]
fn what_a_kind_is_mixed_up_with_in_another_clip_stops_the_question() {
    let film = |other: &str| Film::new("m", &[6, 6]).with(0, 0..6, "van", 1, LEFT).with(1, 0..6, other, 2, RIGHT);
    let about_vans = |film: &Film| {
        let items = film.ask(&only(Task::ClipPresence, 20)).items;
        items.iter().filter(|item| item.question.contains("a van ")).count()
    };
    assert!(about_vans(&film("bus")) > 0);
    assert_eq!(about_vans(&film("car")), 0);
}

#[test]
fn a_kind_in_every_clip_or_none_is_in_no_single_one() {
    let film = Film::new("s", &[6, 6]).row(0, 0..6, "bus", 1, 1).row(1, 0..6, "bus", 1, 1);
    let asked = film.ask(&only(Task::ClipPresence, 2));
    // Everywhere on the picture the two clips show the same.
    assert_eq!((asked.items.len(), reasons(&asked)), (0, vec!["in_no_single_clip"]));
}

#[test]
fn doubt_in_another_clip_is_refused_on_record() {
    let film = Film::new("d", &[6, 6]).with(0, 0..6, "bus", 1, LEFT).ignored(1, 3, [0.0, 0.0, 160.0, 120.0]);
    let asked = film.ask(&only(Task::ClipPresence, 2));
    assert_eq!((asked.items.len(), reasons(&asked)), (0, vec!["touches_unknown"]));
}

#[test]
fn objects_are_counted_once_in_their_clip() {
    // Three cars at first, one leaves and two come: five in all.
    let film = Film::new("k", &[10, 10, 10, 10])
        .row(0, 0..10, "car", 1, 3)
        .row(1, 0..4, "car", 1, 3)
        .with(1, 4..10, "car", 1, [0.0, 50.0, 9.0, 59.0])
        .with(1, 4..10, "car", 2, [20.0, 50.0, 29.0, 59.0])
        .with(1, 5..10, "car", 7, [40.0, 50.0, 49.0, 59.0])
        .with(1, 6..10, "car", 8, [60.0, 50.0, 69.0, 59.0])
        .row(2, 0..10, "car", 1, 4)
        .row(3, 0..10, "car", 1, 6);
    let items = film.ask(&only(Task::ClipCounting, 40)).items;
    let whole = |item: &&QaItem| item.question.contains(" cars") && !item.question.contains(" the image");
    let found: Vec<&QaItem> = items.iter().filter(whole).collect();
    assert!(!found.is_empty());
    for item in found {
        assert_eq!(item.answer, ["3", "5", "4", "6"][named_clip(&item.question)], "{}", item.question);
        let options: BTreeSet<&str> = item.options.iter().map(String::as_str).collect();
        assert_eq!(options, BTreeSet::from(["3", "4", "5", "6"]), "each is the count of a clip");
    }
}

#[test]
fn a_kind_with_few_counts_is_not_counted() {
    let film = Film::new("f", &[6, 6]).row(0, 0..6, "car", 1, 2).row(1, 0..6, "car", 1, 1);
    let asked = film.ask(&only(Task::ClipCounting, 2));
    assert_eq!((asked.items.len(), reasons(&asked)), (0, vec!["few_counts"]));
    assert_eq!((asked.rejects[0].value, asked.rejects[0].limit), (Some(2.0), Some(4.0)));
}

/// A car on the right, then a bus and a truck on the left, where the car comes last.
fn roundabout() -> Film {
    let film = Film::new("t", &[60]).with(0, 0..40, "car", 1, [140.0, 10.0, 150.0, 20.0]);
    let film =
        film.with(0, 40..60, "car", 1, [10.0, 10.0, 20.0, 20.0]).with(0, 10..60, "bus", 5, [25.0, 10.0, 35.0, 20.0]);
    film.with(0, 20..60, "truck", 6, [10.0, 25.0, 20.0, 35.0])
}

#[test]
fn kinds_are_put_in_the_order_of_their_first_frames() {
    let asked = roundabout().ask(&only(Task::FirstAppearances, 8));
    let answers: BTreeMap<bool, BTreeSet<&str>> = asked.items.iter().fold(BTreeMap::new(), |mut answers, item| {
        answers.entry(item.question.contains("left")).or_default().insert(&item.answer);
        answers
    });
    let everywhere = BTreeSet::from(["car, then bus, then truck"]);
    let left = BTreeSet::from(["bus, then truck, then car"]);
    assert_eq!(answers, BTreeMap::from([(false, everywhere.clone()), (true, left.clone())]));
    for item in &asked.items {
        let options: BTreeSet<&str> = item.options.iter().map(String::as_str).collect();
        assert_eq!((options.len(), item.answer_type), (4, AnswerType::Order));
        assert!(options.is_superset(&everywhere) && options.is_superset(&left), "both that are there: {options:?}");
    }
}

#[test]
fn kinds_that_come_in_one_order_only_are_not_asked_about() {
    let asked = journey().ask(&only(Task::FirstAppearances, 4));
    assert_eq!((asked.items.len(), reasons(&asked)), (0, vec!["one_order"]));
}

#[test]
fn two_orders_of_one_clip_are_not_asked_for_in_the_same_words() {
    // Four kinds: several questions could be asked about the whole picture, each with the same text.
    let film = roundabout().with(0, 30..60, "motor", 7, [25.0, 25.0, 30.0, 30.0]);
    let asked = film.ask(&only(Task::FirstAppearances, 4));
    let mut places: Vec<serde_json::Value> = asked
        .items
        .iter()
        .map(|item| serde_json::from_str::<serde_json::Value>(&item.program).unwrap()["root"]["each"]["area"].take())
        .collect();
    let all = places.len();
    places.dedup_by_key(|place| place.to_string());
    places.sort_by_key(serde_json::Value::to_string);
    places.dedup();
    assert!(all >= 2 && places.len() == all, "{all} questions about {} places", places.len());
}

#[test]
fn kinds_that_come_within_a_second_have_no_order() {
    let film = Film::new("t", &[10]).row(0, 0..10, "car", 1, 1).with(0, 3..10, "bus", 5, RIGHT).with(
        0,
        6..10,
        "truck",
        6,
        LEFT,
    );
    let mut config = only(Task::FirstAppearances, 1);
    assert_eq!(reasons(&film.ask(&config)), ["no_order"]);
    config.margins.seconds = 0.6;
    assert_eq!(reasons(&film.ask(&config)), ["one_order"]);
}

#[test]
fn of_a_clip_in_one_piece_only_first_appearances_are_asked() {
    let mut film = roundabout();
    film.kind = ClipKind::Long;
    let asked = film.ask(&Default::default());
    assert!(!asked.items.is_empty());
    assert!(asked.items.iter().all(|item| item.task == "first_appearances"));
    assert_eq!(asked.items[0].group_id, "t/0");
}

#[test]
fn areas_are_asked_about_only_where_all_pictures_fill_the_video() {
    let in_areas = |film: &Film| {
        let items = film.ask(&only(Task::ClipOrder, 20)).items;
        items.iter().filter(|item| item.question.contains(" the image")).count()
    };
    let mut film = journey();
    assert!(in_areas(&film) > 0);
    film.fills = false;
    assert_eq!(in_areas(&film), 0);
}

#[test]
fn a_clip_has_no_more_items_than_the_limit() {
    let config = crate::clip_qa::config::ClipQaConfig { max_per_clip: 3, ..Default::default() };
    let asked = journey().ask(&config);
    assert_eq!(asked.items.len(), 3);
    assert!(reasons(&asked).contains(&"max_per_clip"));
}

#[test]
fn a_clip_without_labels_is_one_reject() {
    let mut film = journey();
    film.places.iter_mut().flat_map(|place| &mut place.frames).for_each(|frame| frame.labelled = false);
    film.places.iter_mut().for_each(|place| place.boxes.clear());
    film.places.iter_mut().flat_map(|place| &mut place.selections).for_each(|selection| selection.kept.clear());
    let asked = film.ask(&Default::default());
    assert_eq!((asked.items.len(), reasons(&asked)), (0, vec!["unlabelled"]));
    // Where one frame has labels, the tasks say themselves what they lack.
    film.places[0].frames[0].labelled = true;
    assert!(!reasons(&film.ask(&Default::default())).contains(&"unlabelled"));
}
