//! Frames made by hand, with what is asked and what is refused.

use super::fixtures::{Fixture, only, reasons};
use uavgen_schemas::{AnswerSource, AnswerType, BoxRole, QaItem, RejectKind, ReviewStatus};

/// Five cars in a row in the left half, one bus in the right one.
fn five_cars_and_a_bus() -> Fixture {
    five_cars_and_a_bus_of("made/1")
}

fn five_cars_and_a_bus_of(id: &str) -> Fixture {
    let mut fixture = Fixture::still(id);
    for track in 0..5 {
        let x = 20.0 + 80.0 * f64::from(track);
        fixture.add(0, track, "car", [x, 100.0, x + 50.0, 130.0]);
    }
    fixture.add(0, 9, "bus", [700.0, 300.0, 800.0, 350.0]);
    fixture
}

fn find<'a>(items: &'a [QaItem], words: &str) -> &'a QaItem {
    items.iter().find(|item| item.question.contains(words)).unwrap_or_else(|| panic!("no question with {words}"))
}

#[test]
fn cars_are_counted_with_their_boxes() {
    let asked = five_cars_and_a_bus().ask(&only("scene_counting", 30));
    let item = find(&asked.items, " cars");
    assert_eq!((item.answer.as_str(), item.answer_type), ("5", AnswerType::Int));
    assert_eq!(item.answer_json, r#"{"type":"int","unit":"objects","value":5}"#);
    assert_eq!(
        item.program,
        r#"{"root":{"of":{"any_of":["car"],"of":{"frame":0,"op":"objects"},"op":"where_category"},"op":"count"},"version":1}"#
    );
    assert_eq!(item.options.len(), 4);
    assert_eq!(item.options[item.answer_indices[0] as usize], "5");
    assert_eq!((item.answer_source, item.review_status), (AnswerSource::Computed, ReviewStatus::Approved));
    assert_eq!((item.suite.as_str(), item.capability.as_str(), item.split.as_str()), ("aerial2d", "counting", "val"));
    assert_eq!((item.group_id.as_str(), item.licence.as_str()), ("group of made/1", "CC0-1.0"));
    assert_eq!((&item.frame_ids[..], &item.recording_ids[..]), (&["made/1/000".into()][..], &["made/1".into()][..]));
    assert_eq!(item.boxes.len(), 5);
    assert!(item.boxes.iter().all(|shown| shown.role == BoxRole::Answer && shown.image_index == 0));
    assert_eq!((item.boxes[0].x1, item.boxes[0].y2), (0.02, 0.26));
    let vehicles = find(&asked.items, " vehicles (bicycles and motorcycles included)");
    assert_eq!(vehicles.answer, "6");
}

#[test]
fn an_ignored_region_blocks_counts_of_the_image_but_not_of_the_other_half() {
    let mut fixture = five_cars_and_a_bus();
    fixture.add_ignored(0, 50, [900.0, 0.0, 1000.0, 100.0]);
    let asked = fixture.ask(&only("scene_counting", 30));
    assert!(asked.items.is_empty());
    assert_eq!(reasons(&asked.rejects), [("touches_unknown".to_owned(), 1)].into());
    assert_eq!(asked.rejects[0].kind, RejectKind::Refusal);
    assert!(asked.rejects[0].detail.starts_with("scene_counting: made/1/000: "), "{}", asked.rejects[0].detail);

    let asked = fixture.ask(&only("regional_counting", 100));
    let texts = asked.items.iter().map(|item| item.question.as_str());
    assert!(texts.clone().all(|text| !text.contains("right half") && !text.contains("top half")));
    // All five cars are in the left half: naming it would do nothing.
    assert!(texts.clone().all(|text| !(text.contains(" cars ") && text.contains("left half"))));
}

#[test]
fn a_dropped_car_blocks_the_count_of_cars_and_vehicles_only() {
    let mut fixture = five_cars_and_a_bus();
    fixture.add_unknown(0, 60, "car", [500.0, 400.0, 505.0, 405.0]);
    let asked = fixture.ask(&only("scene_counting", 60));
    // Without cars and vehicles no count reaches 3, so one of those is tried, and refused.
    assert!(asked.items.is_empty());
    assert_eq!(reasons(&asked.rejects), [("touches_unknown".to_owned(), 1)].into());
    assert!(asked.rejects[0].detail.contains("(made/1/000#0060)"), "{}", asked.rejects[0].detail);
}

#[test]
fn yes_and_no_come_in_pairs_and_no_is_not_asked_of_a_likeness() {
    let asked = five_cars_and_a_bus().ask(&only("scene_presence", 8));
    let yes = asked.items.iter().filter(|item| item.answer == "yes").count();
    assert!(yes > 0 && asked.items.len() == 2 * yes, "{}", asked.items.len());
    for item in &asked.items {
        assert_eq!(item.answer_type, AnswerType::Bool);
        let mut options = item.options.clone();
        options.sort();
        assert_eq!(options, ["no", "yes"]);
        // A van is what somebody may take a car for.
        assert!(!(item.question.contains(" van ") && item.answer == "no"), "{}", item.question);
    }
}

#[test]
fn the_leftmost_car_is_found_and_a_tie_refused() {
    // Each object is asked for once, by a phrase that is drawn.
    let frames = (0..40).map(|number| five_cars_and_a_bus_of(&format!("made/{number}")));
    let all: Vec<QaItem> = frames.flat_map(|frame| frame.ask(&only("object_grounding", 1)).items).collect();
    let item = find(&all, "the leftmost car in the image (by box centre)");
    assert_eq!(item.answer, "[0.020, 0.200, 0.070, 0.260]");
    assert_eq!(item.answer_json, r#"{"frame":"image_normalised","type":"box","x1":0.02,"x2":0.07,"y1":0.2,"y2":0.26}"#);
    assert!(item.options.is_empty() && item.answer_indices.is_empty() && item.options_json == "[]");
    assert_eq!((item.boxes.len(), item.boxes[0].role), (1, BoxRole::Answer));
    assert!(item.boxes[0].object_id.as_deref().unwrap().ends_with("#0000"));
    assert_eq!(find(&all, "the only bus in the image").answer, "[0.700, 0.600, 0.800, 0.700]");
    let asked = five_cars_and_a_bus().ask(&only("object_grounding", 40));
    // All cars are in one row: neither is the topmost.
    assert!(reasons(&asked.rejects)["near_tie"] >= 2, "{:?}", reasons(&asked.rejects));
}

#[test]
fn a_box_too_small_for_three_decimals_is_refused() {
    let mut fixture = Fixture::still("made/2");
    fixture.add(0, 1, "bus", [700.4, 300.3, 704.0, 302.9]);
    let asked = fixture.ask(&only("object_grounding", 10));
    assert!(asked.items.is_empty());
    let coarse = asked.rejects.iter().find(|reject| reject.reason == "box_text_coarse").unwrap();
    assert!(coarse.value.unwrap() < 0.9 && coarse.limit == Some(0.9));
    // The classification program is asked about the rounded box, which no longer fits the object; so one kind is left.
    fixture.add(0, 2, "car", [100.0, 100.0, 150.0, 130.0]);
    let asked = fixture.ask(&only("regional_classification", 10));
    assert!(asked.items.is_empty());
    assert_eq!(reasons(&asked.rejects), [("few_kinds".to_owned(), 1)].into());
    assert_eq!((asked.rejects[0].value, asked.rejects[0].limit), (Some(1.0), Some(2.0)));
}

#[test]
fn the_kind_in_a_box_stands_among_kinds_that_are_not_mixed_up() {
    let asked = five_cars_and_a_bus().ask(&only("regional_classification", 6));
    let item = find(&asked.items, "[0.700, 0.600, 0.800, 0.700]");
    assert_eq!((item.answer.as_str(), item.answer_type), ("bus", AnswerType::Category));
    assert!(item.options.contains(&"car".to_owned()) && !item.options.contains(&"van".to_owned()));
    assert_eq!(item.boxes[0].role, BoxRole::Reference);
    let person = item.options.contains(&"person".to_owned());
    assert_eq!(item.question.ends_with(" (People: riders included.)"), person, "{}", item.question);
    assert_eq!(item.answer_json, r#"{"any_of":["bus"],"term":"bus","type":"category"}"#);
}

#[test]
fn a_rider_and_a_motorcycle_are_never_options_of_one_box() {
    let mut fixture = five_cars_and_a_bus();
    // A rider most of whose box is the motorcycle's, and one who only touches a motorcycle.
    fixture.add(0, 20, "people", [600.0, 100.0, 620.0, 140.0]);
    fixture.add(0, 21, "motor", [590.0, 110.0, 630.0, 160.0]);
    fixture.add(0, 22, "people", [800.0, 100.0, 820.0, 140.0]);
    fixture.add(0, 23, "motor", [790.0, 132.0, 830.0, 172.0]);
    let asked = fixture.ask(&only("regional_classification", 40));
    let about = |edges: &str| asked.items.iter().filter(|item| item.question.contains(edges)).collect::<Vec<_>>();
    assert!(about("[0.600, 0.200, 0.620, 0.280]").is_empty(), "the box shows both");
    for item in about("[0.800, 0.200, 0.820, 0.280]").into_iter().chain(about("[0.790, 0.264, 0.830, 0.344]")) {
        let both = ["person", "motorcycle"].iter().all(|word| item.options.contains(&(*word).to_owned()));
        assert!(!both, "{} {:?}", item.question, item.options);
    }
    assert!(!about("[0.800, 0.200, 0.820, 0.280]").is_empty(), "{:?}", reasons(&asked.rejects));
}

#[test]
fn a_tricycle_with_an_awning_counts_as_a_tricycle() {
    let mut fixture = five_cars_and_a_bus();
    for (track, category) in ["tricycle", "awning-tricycle", "tricycle", "awning-tricycle"].into_iter().enumerate() {
        let x = 500.0 + 60.0 * track as f64;
        fixture.add(0, 30 + track as u32, category, [x, 200.0, x + 40.0, 240.0]);
    }
    let asked = fixture.ask(&only("scene_counting", 30));
    assert_eq!(find(&asked.items, " tricycles (with or without an awning)").answer, "4");
    let only_one = "the only tricycle (with or without an awning) in the image";
    assert!(fixture.ask(&only("object_grounding", 60)).items.iter().all(|item| !item.question.contains(only_one)));
    for item in fixture.ask(&only("regional_classification", 40)).items {
        let kinds = ["tricycle", "awning-tricycle"].iter().filter(|word| item.options.contains(&(**word).to_owned()));
        assert!(kinds.count() < 2, "{:?}", item.options);
    }
}

#[test]
fn no_object_is_asked_for_twice_and_no_place_listed_twice() {
    for number in 0..40 {
        let fixture = super::fixtures::drawn_still(number);
        let boxes: Vec<String> =
            fixture.ask(&only("object_grounding", 4)).items.into_iter().map(|item| item.answer).collect();
        let distinct: std::collections::BTreeSet<&String> = boxes.iter().collect();
        assert_eq!(distinct.len(), boxes.len(), "{boxes:?}");
        for task in ["multi_target_presence", "number_comparison"] {
            let items = fixture.ask(&only(task, 3)).items;
            let place = |item: &QaItem| {
                let program: serde_json::Value = serde_json::from_str(&item.program).unwrap();
                program["root"]["of"]["area"]["edges"].to_string()
            };
            let places: std::collections::BTreeSet<String> = items.iter().map(place).collect();
            assert_eq!(places.len(), items.len(), "{task}");
        }
    }
}

#[test]
fn several_right_options_are_joined() {
    let asked = five_cars_and_a_bus().ask(&only("multi_target_presence", 8));
    let item = find(&asked.items, "in the image");
    assert_eq!(item.options.len(), 6);
    let mut right: Vec<&str> = item.answer_indices.iter().map(|&i| item.options[i as usize].as_str()).collect();
    right.sort_unstable();
    assert_eq!(right, ["bus", "car"]);
    assert_eq!(item.answer, "bus; car", "in one order, whatever the slots");
    assert_eq!(item.answer_type, AnswerType::Choices);
    assert!(item.answer_indices.is_sorted());
    assert_eq!(item.boxes.len(), 6);
}

#[test]
fn the_most_numerous_is_asked_with_a_clear_lead() {
    let mut fixture = Fixture::still("made/3");
    let counts = [("car", 6), ("pedestrian", 4), ("bus", 2), ("truck", 1)];
    let mut track = 0;
    for (row, (category, count)) in (0_u32..).zip(counts) {
        for column in 0..count {
            let (x, y) = (20.0 + 100.0 * f64::from(column), 20.0 + 100.0 * f64::from(row));
            fixture.add(0, track, category, [x, y, x + 50.0, y + 30.0]);
            track += 1;
        }
    }
    let asked = fixture.ask(&only("number_comparison", 12));
    for item in asked.items.iter().filter(|item| item.question.contains("in the image")) {
        let most = item.provenance.contains("number_comparison/most");
        let expected = fixture_winner(&item.options, most);
        assert_eq!(item.answer, expected, "{} {:?}", item.question, item.options);
    }
    assert!(asked.items.iter().any(|item| item.question.contains("in the image")));
}

/// The winner by the counts above.
fn fixture_winner(options: &[String], most: bool) -> String {
    let count = |word: &str| match word {
        "car" => 6,
        "person" => 4,
        "bus" => 2,
        "truck" => 1,
        _ => 0,
    };
    let winner = if most { options.iter().max_by_key(|o| count(o)) } else { options.iter().min_by_key(|o| count(o)) };
    winner.unwrap().clone()
}

#[test]
fn tracks_over_frames_count_once() {
    // Five cars throughout; the bus comes in on frame 6, at the top right, and is further down from frame 11 on.
    let mut fixture = Fixture::sequence("made/4", 40);
    for position in 0..40 {
        for track in 0..5 {
            let x = 20.0 + 80.0 * f64::from(track);
            fixture.add(position, track, "car", [x, 100.0, x + 50.0, 130.0]);
        }
        if position >= 5 {
            let y = if position < 10 { 50.0 } else { 270.0 };
            fixture.add(position, 9, "bus", [800.0, y, 900.0, y + 50.0]);
        }
    }
    let mut config = only("temporal_counting", 80);
    config.temporal.min_frames = 4;
    config.temporal.max_frames = 4;
    config.frame_stride = 40;
    let asked = fixture.ask(&config);
    assert!(asked.items.iter().all(|item| item.frame_ids == ["made/4/001", "made/4/006", "made/4/011", "made/4/016"]));
    let in_image = |item: &&QaItem| item.boxes.iter().all(|b| b.role != BoxRole::Region);
    let tracks = asked.items.iter().filter(in_image).find(|item| item.question.contains(" cars")).unwrap();
    assert_eq!(tracks.answer, "5");
    assert_eq!(tracks.answer_json, r#"{"type":"int","unit":"tracks","value":5}"#);
    assert_eq!(tracks.boxes.len(), 20);
    assert_eq!(tracks.boxes[19].image_index, 3);
    assert!(tracks.question.contains("four") && !tracks.question.contains('4'));
    let of_bus = |item: &&QaItem| item.question.contains(" bus") && item.answer_json.contains("frames");
    let mut places = 0;
    for item in asked.items.iter().filter(of_bus).filter(|item| !item.question.contains("inside the box")) {
        let text = &item.question;
        let expected = match text {
            text if ["top-right", "top half"].iter().any(|place| text.contains(place)) => "1",
            text if ["middle-right", "bottom half"].iter().any(|place| text.contains(place)) => "2",
            text if text.contains(" half of") || text.contains(" cell of") => "0",
            _ => "3",
        };
        assert_eq!(item.answer, expected, "{text}");
        places += 1;
    }
    assert!(places > 1, "the bus is asked about in several places");
}
