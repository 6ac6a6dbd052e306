//! Sequences of the sample data joined in many ways, through ingest, filter and this stage, against the truth tables. What is
//! right is computed from the text of the question and the true state of the world, without the answer language.

use crate::asking::templates::Templates;
use crate::clip_qa::config::ClipQaConfig;
use crate::clip_qa::pure::subject::ClipSubject;
use crate::clip_qa::pure::{Setting, ask_clip};
use crate::clip_qa::task::Task;
use crate::testing::sample::{Chain, project, stage};
use crate::testing::words::{WORDS, area_of, categories_of, share_inside};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use uavgen_programs::{FrameRate, Scene, SceneFrame};
use uavgen_sample_data::{DEFAULT_SEED, Kind, TruthRow, write_sample};
use uavgen_schemas::{
    Box2d, Clip, ClipKind, Frame, QaItem, Recording, RecordingKind, Region, Reject, RejectKind, Selection,
};

/// Frames per second of the joined clips: slow, so that a second is five frames.
const FPS: u32 = 5;

/// A sequence: its records as the stages have them, and what is truly on its frames.
struct Flight {
    recording: Recording,
    scenes: Vec<SceneFrame>,
    truth: Vec<Vec<TruthRow>>,
}

/// The sequences of the samples of some seeds.
fn flights(seeds: &[u64]) -> Vec<Flight> {
    let mut flights = Vec::new();
    for seed in seeds {
        let folder = tempfile::tempdir().unwrap();
        let sample = folder.path().join("sample");
        let truth = write_sample(&sample, *seed).unwrap();
        let project = project(&sample);
        let discovery = stage("ingest").configure(&json!({})).unwrap().discover(&project).unwrap().unwrap();
        for (position, found) in discovery.found.iter().enumerate() {
            let mut chain = Chain::new(&project, found, folder.path().join(position.to_string()));
            chain.run("ingest", json!({}));
            chain.run("filter", json!({}));
            let recordings = chain.rows::<Recording>().into_iter();
            for recording in recordings.filter(|recording| recording.kind == RecordingKind::Sequence) {
                flights.push(flight(&chain, recording, &truth.rows, *seed));
            }
        }
    }
    flights
}

fn flight(chain: &Chain, recording: Recording, truth: &[TruthRow], seed: u64) -> Flight {
    let mut frames = chain.rows::<Frame>();
    frames.sort_by_key(|frame| frame.index);
    let (boxes, regions, selections) = (chain.rows::<Box2d>(), chain.rows::<Region>(), chain.rows::<Selection>());
    let scene = |frame: &Frame| {
        let boxes: Vec<Box2d> = boxes.iter().filter(|row| row.frame_id == frame.frame_id).cloned().collect();
        let regions: Vec<Region> = regions.iter().filter(|row| row.frame_id == frame.frame_id).cloned().collect();
        let mut selection = selections.iter().find(|row| row.frame_id == frame.frame_id).unwrap().clone();
        // Samples of other seeds have recordings of the same names.
        let mut frame = frame.clone();
        frame.frame_id = format!("{seed}/{}", frame.frame_id);
        selection.frame_id.clone_from(&frame.frame_id);
        let renamed = |row: &String| format!("{seed}/{row}");
        let boxes: Vec<Box2d> =
            boxes.into_iter().map(|row| Box2d { frame_id: renamed(&row.frame_id), ..row }).collect();
        let regions: Vec<Region> =
            regions.into_iter().map(|row| Region { frame_id: renamed(&row.frame_id), ..row }).collect();
        SceneFrame::new(&frame, &boxes, &regions, &selection).unwrap()
    };
    let rows = |frame: &Frame| {
        let fits = |row: &&TruthRow| {
            row.recording == recording.sequence
                && row.frame_number == frame.source_number as u32
                && row.kind != Kind::IgnoredRegion
        };
        truth.iter().filter(fits).cloned().collect()
    };
    let (scenes, truth) = (frames.iter().map(scene).collect(), frames.iter().map(rows).collect());
    Flight { recording, scenes, truth }
}

/// Everything that came of one joined clip.
struct Outcome<'a> {
    flights: Vec<&'a Flight>,
    items: Vec<QaItem>,
    rejects: Vec<Reject>,
}

/// Asks about the parts of some flights, one after the other: of each the frames from `from` on.
fn ask<'a>(name: &str, flights: Vec<(&'a Flight, usize)>) -> Outcome<'a> {
    let parts: Vec<Flight> = flights
        .iter()
        .map(|(flight, from)| Flight {
            recording: flight.recording.clone(),
            scenes: flight.scenes[*from..].to_vec(),
            truth: flight.truth[*from..].to_vec(),
        })
        .collect();
    let lengths: Vec<u32> = parts.iter().map(|part| part.scenes.len() as u32).collect();
    let frames = parts.iter().flat_map(|part| part.scenes.clone()).collect();
    let scene = Scene::of_clip(frames, &lengths, FrameRate { num: FPS, den: 1 }).unwrap();
    let clip = Clip {
        clip_id: name.to_owned(),
        kind: ClipKind::Concatenated,
        strategy: None,
        pool: None,
        repeat: 0,
        recording_ids: parts.iter().map(|part| part.recording.recording_id.clone()).collect(),
        group_ids: Vec::new(),
        split: "train".into(),
        path: Clip::own_path(name),
        frame_count: lengths.iter().map(|length| i64::from(*length)).sum(),
        width: 640,
        height: 360,
        fps_num: i64::from(FPS),
        fps_den: 1,
        segment_count: lengths.len() as i64,
        digest: String::new(),
        byte_count: 1,
    };
    let (config, templates) = (ClipQaConfig { max_per_clip: 100, ..Default::default() }, Templates::<Task>::embedded());
    let recordings = parts.iter().map(|part| &part.recording).collect();
    let subject = ClipSubject { clip: &clip, recordings, scene, fills: true };
    let asked = ask_clip(&Setting { config: &config, templates: &templates, seed: 7, stage_version: 1 }, &subject);
    let flights = flights.into_iter().map(|(flight, _)| flight).collect();
    Outcome { flights, items: asked.items, rejects: asked.rejects }
}

/// What is truly of some kinds in an area of a frame.
fn members<'t>(rows: &'t [TruthRow], categories: &[&str], area: [f64; 4]) -> Vec<&'t TruthRow> {
    let fits = |row: &&TruthRow| categories.contains(&row.category.name()) && share_inside(row, area) >= 0.5;
    rows.iter().filter(fits).collect()
}

/// The answer to the text of an item, by the truth tables of the pieces of its clip.
fn expected(item: &QaItem, pieces: &[&[Vec<TruthRow>]]) -> String {
    const NAMES: [&str; 4] = ["first clip", "second clip", "third clip", "fourth clip"];
    let (text, area) = (item.question.as_str(), area_of(&item.question));
    let piece = || pieces[NAMES.iter().position(|name| text.contains(name)).unwrap()];
    match item.task.as_str() {
        "clip_order" => members(&piece()[0], categories_of(text), area).len().to_string(),
        "clip_counting" => {
            let rows = piece().iter().flat_map(|rows| members(rows, categories_of(text), area));
            rows.map(|row| row.object_number).collect::<BTreeSet<_>>().len().to_string()
        }
        "clip_presence" => {
            let shows = |piece: &&[Vec<TruthRow>]| {
                piece.iter().any(|rows| !members(rows, categories_of(text), area).is_empty())
            };
            let found: Vec<&str> = pieces.iter().zip(NAMES).filter(|(piece, _)| shows(piece)).map(|(_, n)| n).collect();
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            found[0].to_owned()
        }
        "first_appearances" => {
            let all: Vec<&Vec<TruthRow>> = pieces.iter().flat_map(|piece| piece.iter()).collect();
            let first = |word: &str| {
                let categories = WORDS.iter().find(|(own, ..)| *own == word).unwrap().2;
                all.iter().position(|rows| !members(rows, categories, area).is_empty()).unwrap()
            };
            let mut firsts: Vec<(usize, &str)> = item.answer.split(", then ").map(|word| (first(word), word)).collect();
            firsts.sort_unstable();
            assert!(firsts.windows(2).all(|pair| pair[1].0 >= pair[0].0 + FPS as usize), "{text}: {firsts:?}");
            firsts.into_iter().map(|(_, word)| word).collect::<Vec<_>>().join(", then ")
        }
        other => panic!("no check for {other}"),
    }
}

#[test]
fn answers_equal_the_truth_table() {
    let flights = flights(&[DEFAULT_SEED, 20_261_130]);
    assert_eq!(flights.len(), 8);
    let mut tasks: BTreeMap<String, usize> = BTreeMap::new();
    let mut refused = 0;
    let mut number = 0;
    for first in 0..8 {
        for step in [1, 3, 5] {
            for count in 2..=4 {
                // Another flight each, beginning somewhere; steps that are odd meet none twice.
                let chosen: Vec<usize> = (0..count).map(|place| (first + place * step) % 8).collect();
                number += 1;
                let from = |place: usize| (number * 5 + place * 7) % 12;
                let parts = chosen.iter().enumerate().map(|(place, &flight)| (&flights[flight], from(place)));
                let parts: Vec<(&Flight, usize)> = parts.collect();
                let truth: Vec<&[Vec<TruthRow>]> = parts.iter().map(|(flight, from)| &flight.truth[*from..]).collect();
                let outcome = ask(&format!("clip{number}"), parts.clone());
                assert_eq!(outcome.flights.len(), count);
                for item in &outcome.items {
                    assert_eq!(item.answer, expected(item, &truth), "{} {}", item.question, item.program);
                    *tasks.entry(item.task.clone()).or_default() += 1;
                }
                refused += outcome.rejects.iter().filter(|reject| reject.kind == RejectKind::Refusal).count();
            }
        }
    }
    println!("{number} clips, items {tasks:?}, refused {refused}");
    assert_eq!(tasks.len(), 4, "{tasks:?}");
    // Kinds come in two certain orders in few of these clips: an unlabelled object stands in each flight.
    assert!(tasks.iter().all(|(task, &count)| count >= 10 || task == "first_appearances"), "{tasks:?}");
}
