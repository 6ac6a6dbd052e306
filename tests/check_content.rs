//! `check` looks at what questions say, what videos show and what loaders read.

use crate::broken::Copy;
use crate::harness::{Project, files};
use std::fs;
use std::io;
use std::ops::ControlFlow;
use uavgen_core::Digests;
use uavgen_media::{EncodeSettings, RgbImage, encode_jpeg, encode_video, for_each_frame};
use uavgen_schemas::{QaRow, Video};

#[test]
fn a_card_that_lacks_a_column_is_found() {
    let copy = Copy::new();
    let card = copy.folder().join("README.md");
    let text = fs::read_to_string(&card).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let column = lines.iter().position(|line| line.trim() == "- name: answer_json").expect("a feature in the card");
    assert_eq!(lines[column + 1].trim(), "dtype: string");
    fs::write(&card, [&lines[..column], &lines[column + 2..]].concat().join("\n")).unwrap();
    copy.reseal();
    copy.expect_fault("card_counts");
}

#[test]
fn a_question_that_says_more_than_its_program_is_found() {
    let more = [
        ("scene_counting", "?", " in the left half?"),
        ("scene_presence", "?", "? Count only what moves."),
        ("object_grounding", "the only", "the only red"),
    ];
    for (task, from, to) in more {
        let copy = Copy::new();
        copy.change::<QaRow>(|rows| {
            let row = rows.iter_mut().find(|row| row.task == task && row.question.contains(from));
            row.map(|row| row.question = row.question.replacen(from, to, 1)).is_some()
        });
        copy.expect_fault("question_program");
    }
}

#[test]
fn a_video_of_the_strongest_compression_passes_though_it_lags_where_much_moves() {
    let project = Project::sample();
    project.edit_config("#crf = 23", "crf = 51");
    // An image of every frame to compare with.
    project.edit_config("#frame_stride = 15", "frame_stride = 1");
    project.build();
    let run = project.run(&["check", "latest", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert!(!run.stdout.contains("video_picture"), "{}", run.stdout);
    assert!(report["checked"]["compared_frames"].as_u64() > Some(40), "{}", report["checked"]);
}

#[test]
fn a_reversed_a_black_and_a_shifted_video_are_found() {
    let reversed = |images: &mut Vec<RgbImage>| images.reverse();
    let shifted = |images: &mut Vec<RgbImage>| images.rotate_right(3);
    let black = |images: &mut Vec<RgbImage>| images.iter_mut().for_each(|image| image.fill(0));
    for change in [&reversed as &dyn Fn(&mut Vec<RgbImage>), &black, &shifted] {
        let copy = Copy::new();
        copy.change::<Video>(|rows| {
            let row = &mut rows[0];
            let path = copy.folder().join(&row.path);
            let mut images = Vec::new();
            for_each_frame(&path, |frame| {
                images.push(frame.image);
                ControlFlow::Continue(())
            })
            .unwrap();
            change(&mut images);
            let images = images.iter().map(|image| encode_jpeg(image, 95).map_err(io::Error::other));
            let settings = EncodeSettings { gop_frames: row.gop_frames as u32, ..EncodeSettings::default() };
            fs::remove_file(&path).unwrap();
            encode_video(images, &settings, &path).unwrap();
            row.digest = Digests::blake3_of(&path).unwrap();
            row.byte_count = fs::metadata(&path).unwrap().len() as i64;
            true
        });
        let run = copy.project.run(&["check", "release", "--json"]);
        assert!(run.stdout.contains("video_picture") && !run.stdout.contains("video_mismatch"), "{}", run.stdout);
    }
}

#[test]
fn a_card_of_another_release_is_found() {
    let copy = Copy::new();
    let card = copy.folder().join("README.md");
    let text = fs::read_to_string(&card).unwrap();
    let rows = text.lines().find(|line| line.trim_start().starts_with("num_examples:")).expect("a count in the card");
    fs::write(&card, text.replacen(rows.trim(), "num_examples: 123456", 1)).unwrap();
    copy.reseal();
    copy.expect_fault("card_counts");
}

#[test]
fn a_video_that_does_not_decode_is_found() {
    let copy = Copy::new();
    let video = &files(&copy.folder().join("videos"))[0];
    let content = fs::read(video).unwrap();
    fs::write(video, &content[..content.len() / 3]).unwrap();
    copy.reseal();
    copy.expect_fault("video_undecodable");
}

#[test]
fn a_question_about_another_place_than_its_program_is_found() {
    let copy = Copy::new();
    copy.change::<QaRow>(|rows| {
        let swaps = [("left", "right"), ("right", "left"), ("top", "bottom"), ("bottom", "top")];
        rows.iter_mut().filter(|row| row.task == "scene_presence").any(|row| {
            let swap = swaps.iter().find(|(from, _)| row.question.contains(from));
            if let Some((from, to)) = swap {
                row.question = row.question.replace(from, to);
            }
            swap.is_some()
        })
    });
    copy.expect_fault("question_program");
}
