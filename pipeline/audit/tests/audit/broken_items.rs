//! Items: questions, options, answers, programs, boxes, images.

use crate::release::{Tables, audit_with, codes, expect, picture, warnings};
use uavgen_media::{Rgb, RgbImage, encode_jpeg, encode_png};
use uavgen_programs::{Expr, Program};
use uavgen_schemas::{AnswerType, BoxRole, ItemBox};

/// Adds a copy of an item under another id, changed.
pub(crate) fn twin(tables: &mut Tables, task: &str, change: impl FnOnce(&mut uavgen_schemas::QaRow)) {
    let (split, mut row) = tables.qa.iter().find(|(_, row)| row.task == task).unwrap().clone();
    row.id = format!("twin-{task}");
    change(&mut row);
    tables.qa.push((split, row));
}

#[test]
fn a_question_that_comes_twice_is_found() {
    expect(&["duplicate_question"], |tables| twin(tables, "grounding", |_| {}));
    expect(&["duplicate_question"], |tables| {
        twin(tables, "count", |row| row.question = format!(" {} ", row.question.to_uppercase()));
    });
    let two_kinds =
        audit_with(|tables| twin(tables, "count", |row| row.question = "How many cars can you see?".into()));
    assert!(two_kinds.passed, "another wording is another question");
}

#[test]
fn a_question_with_two_answers_is_one_fault_of_its_own() {
    expect(&["contradicting_question", "program_answer"], |tables| {
        twin(tables, "count", |row| {
            row.answer_indices = vec![2];
            row.answer = "2".into();
        });
    });
}

#[test]
fn missing_options_are_found() {
    expect(&["options_missing", "program_answer"], |tables| {
        let item = tables.item("count");
        item.options.clear();
        item.answer = "7".into();
    });
    // Another item of the task has options.
    let report = expect(&["options_missing"], |tables| {
        twin(tables, "count", |row| {
            row.question = "Count the cars.".into();
            row.options.clear();
            row.answer_indices.clear();
            row.options_json = "[]".into();
        });
    });
    assert_eq!(report.faults[0].first[0].row.as_deref(), Some("twin-count"));
}

#[test]
fn repeated_options_are_found() {
    expect(&["options_repeated", "options_mismatch"], |tables| tables.item("count").options[0] = "3".into());
    expect(&["options_repeated", "options_mismatch"], |tables| tables.item("comparison").options[0] = " Bus".into());
}

#[test]
fn options_and_typed_options_that_differ_are_found() {
    expect(&["options_mismatch"], |tables| tables.item("count").options[0] = "9".into());
    expect(&["options_mismatch"], |tables| tables.item("count").options_json = "[".into());
}

#[test]
fn answers_that_are_no_option_are_found() {
    for indices in [vec![4], vec![-1], vec![1, 1]] {
        let report = audit_with(|tables| tables.item("count").answer_indices = indices.clone());
        assert!(codes(&report).contains(&"answer_out_of_bounds"), "{indices:?}: {:?}", codes(&report));
    }
    let report = audit_with(|tables| tables.item("count").answer_indices.clear());
    assert!(codes(&report).contains(&"answer_missing"));
    expect(&["answer_mismatch"], |tables| tables.item("several").answer = "car; bus".into());
}

#[test]
fn an_answer_in_the_question_is_found() {
    expect(&["answer_in_question"], |tables| tables.item("count").question = "Is it 1 car, or how many?".into());
    let report = audit_with(|tables| tables.item("presence").question = "Yes or no: is there a bus?".into());
    assert!(report.passed, "yes/no questions may say yes");
    let area = "How many cars are there inside the box [1, 1, 1, 1]?";
    let report = audit_with(|tables| tables.item("count").question = area.into());
    assert!(report.passed, "names of places give nothing away");
}

#[test]
fn questions_that_nobody_can_read_are_found() {
    let unsaid = ["question_invalid", "question_program"];
    expect(&unsaid, |tables| tables.item("count").question = "How many {things} are there?".into());
    expect(&unsaid, |tables| tables.item("count").question = " ".into());
    expect(&["item_id", "json_invalid"], |tables| tables.item("count").provenance = "{".into());
}

#[test]
fn a_question_that_asks_something_else_than_its_program_is_found() {
    let swapped = [
        ("count", "cars", "buses"),
        ("grounding", "only bus", "leftmost bus"),
        ("temporal", "three", "two"),
        ("comparison", "most of", "least of"),
        ("several", " (People: riders included.)", ""),
    ];
    for (task, from, to) in swapped {
        let report = expect(&["question_program"], |tables| {
            let question = &mut tables.item(task).question;
            assert!(question.contains(from));
            *question = question.replace(from, to);
        });
        assert_eq!(report.faults[0].count, 1, "{task}");
    }
}

#[test]
fn yes_and_no_that_follow_from_the_kind_are_found() {
    let asked = |kinds: [&'static str; 2]| {
        move |tables: &mut Tables| {
            for number in 0..80 {
                let category = kinds[number % 2];
                let yes = category == "bus";
                let program = Expr::objects(0).where_category([category]).exists();
                twin(tables, "presence", |row| {
                    row.id = format!("id-{number}");
                    row.question = format!("Wording {number}: is there a {category}?");
                    row.program = Program::new(program).unwrap().to_canonical();
                    let slot = usize::from(number % 4 < 2);
                    let mut options = [("yes", true), ("no", false)];
                    options.rotate_left(slot);
                    row.options = options.iter().map(|(text, _)| (*text).to_owned()).collect();
                    let typed = |value: bool| format!(r#"{{"type":"bool","value":{value}}}"#);
                    row.options_json = format!("[{},{}]", typed(options[0].1), typed(options[1].1));
                    let right = options.iter().position(|(_, value)| *value == yes).unwrap();
                    row.answer_indices = vec![right as i32];
                    (row.answer, row.answer_json) = (options[right].0.to_owned(), typed(yes));
                    row.boxes.retain(|_| yes);
                });
            }
        }
    };
    // A bus is on the frame, no van is.
    let report = expect(&["guessed_from_words"], asked(["bus", "van"]));
    let problem = &report.faults[0].first[0].problem;
    assert!(problem.contains("kind") && problem.contains("right in 1.00 of 81 items"), "{problem}");
}

#[test]
fn a_changed_answer_is_found_whichever_column_has_it() {
    expect(&["program_answer"], |tables| {
        let item = tables.item("count");
        item.answer_indices = vec![3];
        item.answer = "3".into();
    });
    expect(&["program_answer"], |tables| {
        let item = tables.item("count");
        item.answer_json = item.answer_json.replace("\"value\":1", "\"value\":2");
    });
    expect(&["program_answer"], |tables| tables.item("grounding").answer = "[0.500, 0.500, 0.750, 0.751]".into());
    expect(&["program_answer"], |tables| {
        let item = tables.item("several");
        item.answer_indices = vec![1];
        item.answer = "bus".into();
    });
    expect(&["program_answer"], |tables| tables.item("grounding").answer_type = AnswerType::Boxes);
    // Yes and no exchanged in every column but the value.
    expect(&["program_answer"], |tables| {
        let item = tables.item("presence");
        item.answer_indices = vec![1];
        item.answer = "no".into();
    });
}

#[test]
fn programs_that_are_none_are_found() {
    expect(&["program_invalid"], |tables| {
        tables.item("count").program = r#"{"version":1,"root":{"op":"guess"}}"#.into()
    });
    expect(&["program_invalid"], |tables| tables.item("count").program = String::new());
    expect(&["program_invalid"], |tables| tables.item("count").program.insert(1, ' '));
}

#[test]
fn boxes_that_are_not_those_of_their_objects_are_found() {
    expect(&["box_out_of_bounds", "box_mismatch"], |tables| tables.item("count").boxes[0].x2 = 1.5);
    expect(&["box_out_of_bounds", "box_mismatch"], |tables| tables.item("count").boxes[0].x1 = f64::NAN);
    expect(&["box_out_of_bounds", "box_mismatch"], |tables| tables.item("count").boxes[0].image_index = 1);
    expect(&["box_mismatch"], |tables| tables.item("count").boxes[0].x2 += 0.01);
    // The box of the same object on another frame.
    expect(&["box_mismatch"], |tables| tables.item("temporal").boxes[0].image_index = 1);
    expect(&["dangling_reference", "box_mismatch"], |tables| {
        tables.item("count").boxes[0].object_id = Some("vid/a/1#77".into());
    });
}

/// Asserts that a change of an item's boxes is found, and by which words.
#[track_caller]
fn expect_other_boxes(task: &str, words: &str, change: impl FnOnce(&mut Vec<ItemBox>)) {
    let report = expect(&["box_mismatch"], |tables| change(&mut tables.item(task).boxes));
    let found = &report.faults[0].first[0];
    assert_eq!((report.faults[0].count, found.row.as_deref()), (1, Some(format!("id-{task}").as_str())));
    assert!(found.problem.contains(words), "{}", found.problem);
}

#[test]
fn another_real_object_than_the_one_that_the_program_gives_is_found() {
    // The car of the same frame in place of the bus, with the car's own edges.
    let car = |boxes: &mut Vec<ItemBox>| {
        let edges = [16.0 / 64.0, 6.0 / 48.0, 32.0 / 64.0, 18.0 / 48.0];
        let [x1, y1, x2, y2] = edges;
        boxes[0] = ItemBox { object_id: Some("vid/a/3#1".into()), x1, y1, x2, y2, ..boxes[0].clone() };
    };
    expect_other_boxes("grounding", "the Answer box vid/a/3#1 on image 0 is none", car);
    // The bus among the cars that are counted, and the car outside the area.
    for wrong in [3, 2] {
        let boxes = Tables::whole().item("comparison").boxes.clone();
        expect_other_boxes("regional", "is none", |shown| {
            shown[1] = ItemBox { role: BoxRole::Answer, ..boxes[wrong].clone() };
        });
    }
    // A box that names no object, however right its edges are.
    expect_other_boxes("grounding", "is none", |boxes| boxes[0].object_id = None);
}

#[test]
fn boxes_that_were_removed_or_added_are_found() {
    for task in ["count", "presence", "grounding", "temporal", "comparison", "several", "regional"] {
        expect_other_boxes(task, "is missing", Vec::clear);
        expect_other_boxes(task, "is missing", |boxes| _ = boxes.pop());
        expect_other_boxes(task, "is listed twice", |boxes| boxes.push(boxes[0].clone()));
    }
    // An object that is not counted: the bus beside the car.
    let bus = Tables::whole().item("presence").boxes[0].clone();
    expect_other_boxes("count", "is none", |boxes| {
        boxes.push(ItemBox { role: BoxRole::Answer, object_id: Some("vid/a/1#2".into()), ..bus });
    });
}

#[test]
fn a_box_that_is_something_else_to_the_question_is_found() {
    for (task, role) in [("grounding", BoxRole::Clue), ("count", BoxRole::Reference), ("presence", BoxRole::Answer)] {
        expect_other_boxes(task, "is none", |boxes| boxes[0].role = role);
    }
}

#[test]
fn another_area_than_that_of_the_program_is_found() {
    expect_other_boxes("regional", "the Region box", |boxes| boxes[0].x2 = 0.7);
    expect_other_boxes("regional", "the Region box [0.0, 0.0, 0.6, 1.0] on image 0 is missing", |boxes| {
        boxes.remove(0);
    });
    // An area where the program looks at the whole image.
    let area = Tables::whole().item("regional").boxes[0].clone();
    expect_other_boxes("count", "is none", |boxes| boxes.push(area));
}

#[test]
fn images_that_are_missing_or_too_many_are_found() {
    expect(&["image_count"], |tables| tables.item("count").images.clear());
    expect(&["image_count"], |tables| {
        let extra = tables.item("count").images[0].clone();
        tables.item("count").images.push(extra);
    });
}

#[test]
fn an_image_that_does_not_decode_is_found() {
    expect(&["image_undecodable", "image_mismatch"], |tables| {
        let bytes = &mut tables.item("count").images[0].bytes;
        bytes.truncate(bytes.len() / 2);
    });
}

#[test]
fn an_image_of_another_frame_is_found() {
    let report = expect(&["image_mismatch"], |tables| tables.item("count").images[0].bytes = picture(2));
    assert_eq!(warnings(&report), ["image_repeated"]);
}

#[test]
fn an_image_of_another_length_than_its_file_is_found() {
    expect(&["image_mismatch"], |tables| tables.frames[0].1.byte_count += 1);
}

#[test]
fn an_image_of_another_size_or_form_is_found() {
    // Frames whose source file was turned or converted have no digest to compare with.
    let large = RgbImage::from_pixel(10, 10, Rgb([1, 2, 3]));
    expect(&["image_size", "video_picture"], |tables| {
        tables.frames[0].1.exif_orientation = 6;
        for (_, row) in tables.qa.iter_mut().filter(|(_, row)| row.frame_ids[0] == "vid/a/1") {
            row.images[0].bytes = encode_jpeg(&large, 90).unwrap();
        }
    });
    expect(&["image_form", "video_picture"], |tables| {
        tables.frames[0].1.exif_orientation = 6;
        let picture = RgbImage::from_pixel(64, 48, Rgb([1, 2, 3]));
        for (_, row) in tables.qa.iter_mut().filter(|(_, row)| row.frame_ids[0] == "vid/a/1") {
            row.images[0].bytes = encode_png(&picture).unwrap();
        }
    });
}

#[test]
fn one_picture_in_two_splits_is_a_warning() {
    let report = audit_with(|tables| {
        let source = tables.frames[0].1.clone();
        (tables.frames[3].1.digest, tables.frames[3].1.byte_count) = (source.digest, source.byte_count);
        for (_, row) in tables.qa.iter_mut().filter(|(split, _)| split == "val") {
            row.images[0].bytes = picture(1);
        }
    });
    assert!(report.passed, "{}", report.render());
    assert_eq!(warnings(&report), ["image_in_two_splits"]);
}

#[test]
fn answers_that_always_stand_in_one_slot_are_found() {
    let report = expect(&["slot_balance"], |tables| {
        for number in 0..20 {
            twin(tables, "count", |row| {
                row.id = format!("id-{number}");
                row.question = format!("Wording {number}a: how many cars?");
            });
        }
    });
    assert!(report.faults[0].first[0].problem.contains("[0, 22, 2, 0]"), "{}", report.faults[0].first[0].problem);
}
