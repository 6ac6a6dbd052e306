//! Texts against programs.

use super::make::terms;
use crate::wording::{gives_answer_away, options_note, rest, unsaid, untold};
use crate::{Area, AreaName, BoxEdges, Expr, ExtremeBy, Program, taxonomy};
use uavgen_schemas::AnswerType;

fn people() -> Expr {
    Expr::objects(0).where_category(["pedestrian", "people"])
}

fn missing(question: &str, root: Expr) -> String {
    unsaid(question, &Program::new(root).unwrap()).unwrap_or_default()
}

#[test]
fn a_question_says_term_place_and_superlative_of_its_program() {
    let left = || Area::named(AreaName::LeftHalf).unwrap();
    let good = "How many people (riders included) are there in the left half of the image?";
    assert_eq!(missing(good, people().where_region(left()).count()), "");
    let swapped = good.replace("left", "right");
    assert_eq!(missing(&swapped, people().where_region(left()).count()), "in the left half of the image");
    let bare = good.replace(" (riders included)", "");
    assert_eq!(missing(&bare, people().where_region(left()).count()), "person (riders included)");
    let cars = good.replace("people (riders included)", "cars");
    assert_eq!(missing(&cars, people().where_region(left()).count()), "person (riders included)");
    let box_area = Area::custom(BoxEdges::new(0.1, 0.2, 0.5, 0.6));
    let other = "Is there a bus inside the box [0.100, 0.200, 0.500, 0.700] (x1, y1, x2, y2 as shares of the image width and height)?";
    let bus = || Expr::objects(0).where_category(["bus"]);
    assert!(missing(other, bus().where_region(box_area).exists()).contains("0.600"));
    assert_eq!(missing(&other.replace("0.700", "0.600"), bus().where_region(box_area).exists()), "");
    let leftmost = "Where is the leftmost bus in the image (by box centre)?";
    assert_eq!(missing(leftmost, bus().extreme(ExtremeBy::Left).box_of()), "");
    assert_eq!(missing(leftmost, bus().extreme(ExtremeBy::Right).box_of()), "rightmost");
    assert_eq!(missing("Where is the only bus in the image?", bus().unique().box_of()), "");
    assert_eq!(missing("Where is the bus in the image?", bus().unique().box_of()), "only");
    // A part of a longer word is another word.
    assert_eq!(
        missing("How many awning-tricycles are there?", Expr::objects(0).where_category(["car"]).count()),
        "car"
    );
    let vans = Expr::objects(0).where_category(["van"]);
    assert_eq!(missing("How many caravans are there?", vans.count()), "van");
}

#[test]
fn most_and_fewest_are_not_exchanged() {
    let among = || terms(&["bus", "car", "truck", "van"]);
    let most = "Which of these kinds of object is the most numerous in the image?";
    let fewest = "Which of the listed kinds has fewer objects in the image than each of the others?";
    assert_eq!(missing(most, Expr::objects(0).most_numerous(among())), "");
    assert_eq!(missing(fewest, Expr::objects(0).fewest(among())), "");
    assert!(missing(most, Expr::objects(0).fewest(among())).contains("least"));
    assert!(missing(fewest, Expr::objects(0).most_numerous(among())).contains("most"));
    assert_eq!(missing("Which of these is there in the image?", Expr::objects(0).most_numerous(among())), "most");
}

#[test]
fn a_question_about_a_clip_says_which_piece_and_when() {
    let people = || Expr::frame_objects().where_category(["pedestrian", "people"]);
    let begins = "How many people (riders included) are in view when the second clip begins?";
    let at_start = |segment| Expr::count_at_start(segment, people());
    assert_eq!(missing(begins, at_start(1)), "");
    assert_eq!(missing(begins, at_start(2)), "third clip");
    assert_eq!(missing(&begins.replace("begins", "ends"), at_start(1)), "begins");
    let tracks = "How many different people (riders included) does the first clip show?";
    assert_eq!(missing(tracks, Expr::count_segment_tracks(0, people())), "");
    assert_eq!(missing(tracks, Expr::count_segment_tracks(3, people())), "fourth clip");
    let order = "In which order do these kinds of object first appear? (People: riders included.)";
    let among = terms(&["bus", "person"]);
    assert_eq!(missing(order, Expr::first_appearances(Expr::frame_objects(), among.clone())), "");
    let last = order.replace("first", "last");
    assert_eq!(missing(&last, Expr::first_appearances(Expr::frame_objects(), among)), "first");
}

#[test]
fn what_is_left_of_a_question_about_a_clip_names_no_piece() {
    let program = Program::new(Expr::count_segment_tracks(1, Expr::frame_objects().where_category(["bus"]))).unwrap();
    let text = "How many buses does the second clip show?";
    assert_eq!(rest(text, &program), "how many {thing} does the {clip} show?");
    let other = rest(&text.replace("second", "third"), &program);
    assert_eq!(untold(&other).unwrap(), "third clip");
}

#[test]
fn what_an_option_covers_is_said_once_for_all_options() {
    let of = |words: &[&str]| options_note(&Program::new(Expr::objects(0).present_terms(terms(words))).unwrap());
    assert_eq!(of(&["bus", "car"]), "");
    assert_eq!(of(&["car", "person"]), " (People: riders included.)");
    assert_eq!(of(&["person", "tricycle"]), " (People: riders included. Tricycles: with or without an awning.)");
    let program = Expr::objects(0).present_terms(terms(&["car", "person"]));
    assert_eq!(missing("Which of these can be seen in the image?", program.clone()), "(People: riders included.)");
    assert_eq!(missing("Which of these can be seen in the image? (People: riders included.)", program), "");
}

#[test]
fn words_agree_with_their_number_and_article() {
    let term = |word| taxonomy::by_word(word).unwrap();
    assert_eq!(term("bus").things(), "buses");
    assert_eq!(term("person").things(), "people (riders included)");
    assert_eq!(term("awning-tricycle").a_thing(), "an awning-tricycle");
    assert_eq!(term("motorcycle").a_thing(), "a motorcycle");
    assert_eq!(term("vehicle").a_thing(), "a vehicle (bicycles and motorcycles included)");
    assert_eq!(
        ExtremeBy::Largest.phrase(&term("person").thing()),
        "the person (riders included) that takes up the largest area of the image (by bounding box)"
    );
}

#[test]
fn an_answer_in_the_question_is_seen_and_places_are_not_answers() {
    let away = |question: &str, answer_type, answer: &str| gives_answer_away(question, answer_type, answer);
    assert!(away("Is it 1 car, or how many?", AnswerType::Int, "1"));
    assert!(away("Is the car the most numerous?", AnswerType::Category, "car"));
    assert!(away("Do you see a bus?", AnswerType::Choices, "bus; car"));
    assert!(away("Is a bus in the second clip?", AnswerType::Segment, "second clip"));
    assert!(!away("In which clip is a bus?", AnswerType::Segment, "second clip"));
    assert!(away("Is it car, then bus?", AnswerType::Order, "car, then bus"));
    assert!(!away("How many cars are inside the box [1, 1, 1, 1]?", AnswerType::Int, "1"));
    assert!(!away("How many cars weigh 1.5 t?", AnswerType::Int, "1"));
    assert!(!away("Yes or no: is there a bus?", AnswerType::Bool, "yes"));
    assert!(!away("Which is the most numerous? (People: riders included.)", AnswerType::Category, "person"));
}
