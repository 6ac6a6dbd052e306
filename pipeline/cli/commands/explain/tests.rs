//! A release made by hand: one image with two cars and one box too small to be used.

use super::*;
use std::path::Path;
use uavgen_core::store::{TableOptions, TableWriter};
use uavgen_programs::Program;
use uavgen_schemas::*;

const ID: &str = "0123456789abcdef";
const FRAME: &str = "det/a";

fn write<R: Record>(release: &Path, rows: Vec<R>) {
    let folder = release.join("data").join(R::TABLE);
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("val-00000-of-00001.parquet");
    let mut writer = TableWriter::<R>::create(&file, TableOptions::default()).unwrap();
    rows.into_iter().for_each(|row| writer.push(&row).unwrap());
    writer.finish().unwrap();
}

fn car(name: &str, x1: f64) -> Box2d {
    Box2d {
        box_id: format!("{FRAME}#{name}"),
        frame_id: FRAME.into(),
        recording_id: FRAME.into(),
        track_id: None,
        category: "car".into(),
        annotated_category: "car".into(),
        x1,
        y1: 10.0,
        x2: x1 + 20.0,
        y2: 30.0,
        clipped: false,
        ignored: false,
        truncation: None,
        occlusion: None,
    }
}

fn frame() -> Frame {
    Frame {
        frame_id: FRAME.into(),
        recording_id: FRAME.into(),
        group_id: "a".into(),
        split: "val".into(),
        index: 0,
        source_number: 0,
        file: "images/a.png".into(),
        width: 100,
        height: 50,
        format: "png".into(),
        pixel_layout: "rgb".into(),
        exif_orientation: 1,
        digest: String::new(),
        byte_count: 1,
        timestamp_us: None,
        labelled: true,
    }
}

fn item(answer: i64, program: &str) -> QaRow {
    let answer_box = ItemBox {
        image_index: 0,
        role: BoxRole::Answer,
        object_id: None,
        modality: "rgb".into(),
        view: None,
        x1: 0.1,
        y1: 0.2,
        x2: 0.3,
        y2: 0.6,
    };
    QaItem {
        id: ID.into(),
        suite: "toy".into(),
        task: "scene_counting".into(),
        capability: "counting".into(),
        split: "val".into(),
        question: "How many cars are there?".into(),
        options: Vec::new(),
        options_json: "[]".into(),
        answer: answer.to_string(),
        answer_indices: Vec::new(),
        answer_type: AnswerType::Int,
        answer_json: format!("{{\"type\":\"int\",\"unit\":\"objects\",\"value\":{answer}}}"),
        answer_source: AnswerSource::Computed,
        review_status: ReviewStatus::Approved,
        program: Program::parse(program).unwrap().to_canonical(),
        facts: "{}".into(),
        video: None,
        clip_id: None,
        frame_ids: vec![FRAME.into()],
        recording_ids: vec![FRAME.into()],
        group_id: "a".into(),
        boxes: vec![answer_box],
        provenance: "{}".into(),
        licence: "none".into(),
    }
    .with_images(vec![ImageBytes {
        bytes: uavgen_media::encode_png(&uavgen_media::RgbImage::new(100, 50)).unwrap(),
        path: "a.png".into(),
    }])
}

const COUNT_CARS: &str = r#"{"version":1,"root":{"op":"count","of":{"op":"where_category","of":{"op":"objects","frame":0},"any_of":["car"]}}}"#;

/// A release with these cars, of which those in `unknown` may not be used.
fn release(answer: i64, cars: Vec<Box2d>, unknown: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let is_unknown = |one: &&Box2d| unknown.contains(&one.box_id.as_str());
    let unknown: Vec<UnknownBox> = (cars.iter().filter(is_unknown))
        .map(|one| UnknownBox { box_id: one.box_id.clone(), reason: "too_small".into(), may_be: vec!["car".into()] })
        .collect();
    let kept = cars.iter().map(|one| one.box_id.clone()).filter(|id| unknown.iter().all(|u| u.box_id != *id)).collect();
    write(folder.path(), vec![frame()]);
    write(
        folder.path(),
        vec![Selection {
            selection_id: format!("toy:{FRAME}"),
            suite: "toy".into(),
            frame_id: FRAME.into(),
            recording_id: FRAME.into(),
            usable: true,
            reason: None,
            kept,
            unknown,
        }],
    );
    write(folder.path(), cars);
    write(folder.path(), vec![item(answer, COUNT_CARS)]);
    folder
}

#[test]
fn a_question_is_found_and_its_program_agrees() {
    let folder = release(2, vec![car("1", 10.0), car("2", 50.0)], &[]);
    for id in [&ID[..4], ID, &ID.to_uppercase()] {
        assert_eq!(origin::in_release(folder.path(), id).unwrap().item.id, ID);
    }
    let found = origin::in_release(folder.path(), ID).unwrap();
    let image = folder.path().join("out.jpg");
    assert_eq!(item::explain(&found, Some(&image), false).unwrap(), Exit::Done);
    assert!(std::fs::read(&image).unwrap().starts_with(b"\xff\xd8"));
}

#[test]
fn an_answer_that_the_scene_does_not_give_fails() {
    for (cars, unknown) in [
        (vec![car("1", 10.0)], &[][..]),
        // The unknown box may be a car: the program refuses.
        (vec![car("1", 10.0), car("2", 50.0), car("3", 70.0)], &["det/a#3"][..]),
    ] {
        let folder = release(2, cars, unknown);
        let found = origin::in_release(folder.path(), ID).unwrap();
        let error = item::explain(&found, None, true).unwrap_err();
        assert_eq!(crate::exit::exit_of(&error), Exit::Failed);
        assert!(error.to_string().contains("not what its program gives"));
    }
}

#[test]
fn the_start_of_an_id_must_mean_one_question() {
    let folder = tempfile::tempdir().unwrap();
    let other = QaRow { id: "0123ffff".into(), ..item(1, COUNT_CARS) };
    write(folder.path(), vec![item(1, COUNT_CARS), other]);
    let Err(error) = origin::in_release(folder.path(), "0123") else { panic!("two questions start so") };
    assert_eq!(error.to_string(), "2 ids start with `0123`");
}

#[test]
fn what_goes_with_a_question_is_refused_with_a_partition() {
    let global = Global { config: None, log_format: crate::arguments::LogFormat::Text, quiet: false };
    for (image, release) in [(Some("a.jpg".into()), None), (None, Some("latest".into()))] {
        let what = ["filter", "vid/a"].map(str::to_owned).to_vec();
        let error = run(&ExplainArguments { what, image, release, json: false }, &global).unwrap_err();
        assert_eq!(crate::exit::exit_of(&error), Exit::Usage);
        assert!(error.to_string().starts_with("--image and --release go with a question"), "{error}");
    }
}

#[test]
fn what_is_not_there_is_a_usage_error() {
    let folder = release(1, vec![car("1", 10.0)], &[]);
    for (place, id, message) in [
        (folder.path(), "ffffffffffff", "no question `ffffffffffff`"),
        (folder.path(), "012", "`012` is too short: give at least 4 digits"),
        (Path::new("/nowhere"), ID, "is no release"),
    ] {
        let Err(error) = origin::in_release(place, id) else { panic!("{id} was found in {}", place.display()) };
        assert_eq!(crate::exit::exit_of(&error), Exit::Usage);
        assert!(error.to_string().contains(message), "{error}");
    }
}
