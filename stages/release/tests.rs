//! A whole small release, from hand-made scenes through `shards` to the published folder.

use super::{Release, ReleaseConfig};
use crate::testing::{Bench, Outcome, PROJECT, frame, item, picture, recording};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::process::Command;
use uavgen_core::{Counts, InputCounts, StageDefinition};
use uavgen_schemas::{
    Box2d, BoxRole, Frame, ItemBox, QaItem, Recording, Region, ReleaseManifest, Selection, Shard, ShardImage,
    Telemetry, Track, Video,
};

fn car(frame: &Frame, number: i64, x1: f64) -> Box2d {
    Box2d {
        box_id: format!("{}#{number}", frame.frame_id),
        frame_id: frame.frame_id.clone(),
        recording_id: frame.recording_id.clone(),
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

fn answer_box(id: &str) -> ItemBox {
    ItemBox {
        image_index: 0,
        role: BoxRole::Answer,
        object_id: Some(id.into()),
        modality: "rgb".into(),
        view: None,
        x1: 0.25,
        y1: 0.25,
        x2: 0.5,
        y2: 0.5,
    }
}

/// Two sequences of three frames in split `test`, two questions on each frame.
fn scenes() -> Bench {
    scenes_with(|frame| questions(frame).into())
}

fn scenes_with(questions: impl Fn(&Frame) -> Vec<QaItem>) -> Bench {
    let mut bench = Bench::new("shards", "test");
    for sequence in ["a", "b"] {
        let partition = bench.sequence("vid", sequence);
        let id = format!("vid/{sequence}");
        let mut frames = Vec::new();
        for number in 1..=3 {
            let file = format!("{sequence}/{number}.jpg");
            let bytes = picture(number + u32::from(sequence.as_bytes()[0]), 160, 120);
            bench.source_file("vid", &file, &bytes);
            frames.push(Frame { split: "test".into(), ..frame(&id, number.into(), &file, &bytes) });
        }
        let items: Vec<QaItem> = frames.iter().flat_map(&questions).collect();
        bench.table::<Box2d>(&partition, frames.iter().flat_map(|f| [car(f, 1, 5.0), car(f, 2, 90.0)]).collect());
        bench.table(&partition, frames);
        bench.table(&partition, vec![Recording { split: "test".into(), ..recording(&id, 3) }]);
        bench.table(&partition, items);
        bench.table::<Track>(&partition, Vec::new());
        bench.table::<Region>(&partition, Vec::new());
        bench.table::<Telemetry>(&partition, Vec::new());
        bench.table::<Selection>(&partition, Vec::new());
        bench.table_with_blobs(&partition, vec![video(sequence)], &[(&format!("videos/{sequence}.mp4"), vec![7; 99])]);
    }
    bench
}

fn questions(frame: &Frame) -> [QaItem; 2] {
    let ids = [frame.frame_id.as_str()];
    let mut count = item(&format!("count {}", frame.frame_id), "scene_counting", &ids);
    count.split = "test".into();
    count.boxes = vec![answer_box("1"), answer_box("2")];
    count.question = "How many <b>cars & vans</b> are there?".into();
    let mut open = item(&format!("open {}", frame.frame_id), "object_grounding", &ids);
    open.split = "test".into();
    (open.options, open.answer_indices) = (Vec::new(), Vec::new());
    [count, open]
}

fn video(sequence: &str) -> Video {
    Video {
        video_id: sequence.into(),
        recording_id: format!("vid/{sequence}"),
        group_id: format!("vid/{sequence}"),
        split: "test".into(),
        path: format!("videos/{sequence}.mp4"),
        frame_count: 3,
        width: 160,
        height: 120,
        fps_num: 15,
        fps_den: 1,
        source_fps: None,
        gop_frames: 15,
        crf: 23,
        preset: "veryfast".into(),
        digest: String::new(),
        byte_count: 99,
    }
}

fn shards_of(bench: &Bench) -> Outcome {
    let stage = crate::STAGES.iter().find(|stage| stage.info().name == "shards").unwrap();
    let configured = stage.configure(&serde_json::json!({})).unwrap();
    bench.run(|context| configured.run(context))
}

/// The inputs of `release`: those of `shards`, and what it wrote.
fn bench() -> Bench {
    with_shards(scenes())
}

fn with_shards(scenes: Bench) -> Bench {
    let shards = shards_of(&scenes);
    let split = uavgen_core::Partition::Split { split: "test".into() };
    let blobs = shards.blobs();
    let blobs: Vec<(&str, Vec<u8>)> = blobs.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
    let mut bench = scenes.then("release");
    bench.table_with_blobs(&split, shards.rows::<Shard>(), &blobs);
    bench.table(&split, shards.rows::<ShardImage>());
    let mut counts = Counts::default();
    counts.rule.insert("too_small".into(), 1234);
    let broken = BTreeMap::from([("<script>".into(), 1)]);
    counts.inputs.insert("image".into(), InputCounts { read: 9, quarantined: broken });
    bench.counts("filter", counts);
    bench.option("project", PROJECT);
    bench.option("split_mode", "regroup");
    bench
}

fn run(bench: &Bench) -> Outcome {
    bench.run(|context| Release::run(&ReleaseConfig::default(), context))
}

#[test]
fn the_manifest_lists_every_published_file_with_its_hash() {
    let outcome = run(&bench());
    let folder = tempfile::tempdir().unwrap();
    outcome.publish(folder.path());
    let manifest: ReleaseManifest = serde_json::from_slice(&outcome.blob("manifest.json")).unwrap();
    let publication = outcome.result.publication.as_ref().unwrap();
    assert_eq!(publication.id, manifest.id);
    assert!(manifest.id.starts_with("tiny-honest-set-"), "{}", manifest.id);
    let listed: Vec<&str> = manifest.files.iter().map(|file| file.path.as_str()).collect();
    let published: Vec<&str> = publication.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(published.iter().copied().filter(|path| *path != "manifest.json").collect::<Vec<_>>(), listed);
    assert!(listed.contains(&"videos/a.mp4") && listed.contains(&"data/qa/test-00000-of-00001.parquet"));
    for file in &manifest.files {
        let content = fs::read(folder.path().join(&file.path)).unwrap();
        let sha: String = Sha256::digest(&content).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!((sha, content.len() as i64), (file.sha256.clone(), file.byte_count), "{}", file.path);
    }
    let qa = manifest.configs.iter().find(|config| config.name == "qa").unwrap();
    assert_eq!((qa.splits[0].name.as_str(), qa.splits[0].row_count), ("test", 12));
    assert!(!manifest.configs.iter().any(|config| config.name == "tracks"), "a table without rows has no config");
}

#[test]
fn the_card_counts_what_is_delivered() {
    let card = String::from_utf8(run(&bench()).blob("README.md")).unwrap();
    for line in [
        "| `test` | 12 | 6 | 2 | 2 | 6 | 6 | 12 |",
        "| aerial2d | object_grounding | 6 | 6 |",
        "| filter | rule | `too_small` | 1,234 | the box has less area in square pixels than the suite asks for |",
        "| vid | academic use |",
        "Recordings were divided by `regroup`: a salted hash of the leak group decides.",
        "Tables without rows have no config: tracks, regions, telemetry, cameras, poses, masks, mask_classes, instances, fragments, generation_frames, generation_samples, frame_map, clips, clip_segments, clip_frames, clip_samples, selections.",
        "(6 of 6 are original)",
    ] {
        assert!(card.contains(line), "no line `{line}` in\n{card}");
    }
}

#[test]
fn the_report_is_one_page_and_escapes_what_it_shows() {
    let report = String::from_utf8(run(&bench()).blob("report.html")).unwrap();
    assert!(report.contains("How many &lt;b&gt;cars &amp; vans&lt;&#x2f;b&gt; are there?"));
    assert!(report.contains("Tiny &amp; &lt;honest&gt; set") && !report.contains(PROJECT));
    assert!(!report.contains("<script>"));
    assert!(!report.contains("src=\"http") && !report.contains("href="), "the page needs nothing else");
    assert_eq!(report.matches("<svg").count(), 3);
    assert_eq!(report.matches("data:image/jpeg;base64,").count(), 4, "two items of each of two tasks");
    assert_eq!(report.matches("class=\"right\">B. 2").count(), 2, "the right option is marked");
}

#[test]
fn the_same_content_gives_the_same_release_and_other_content_another_name() {
    let id = |outcome: &Outcome| outcome.result.publication.as_ref().unwrap().id.clone();
    let (one, two) = (run(&bench()), run(&bench()));
    assert_eq!(one.blob_digests(), two.blob_digests());
    assert_eq!(id(&one), id(&two));
    let config = ReleaseConfig { description: "Another paragraph.".into(), ..ReleaseConfig::default() };
    let other = bench().run(|context| Release::run(&config, context));
    assert_ne!(id(&one), id(&other));
}

#[test]
fn a_data_set_without_anything_still_gives_a_card_and_a_report() {
    let mut bench = Bench::new("release", "");
    bench.empty_table::<Shard>();
    let outcome = bench.run(|context| Release::run(&ReleaseConfig::default(), context));
    let card = String::from_utf8(outcome.blob("README.md")).unwrap();
    assert!(card.contains("no questions") && !card.contains("load_dataset(\"path"), "nothing can be loaded: {card}");
    assert_eq!(outcome.result.counts.notes["releases without a question"], 1);
    assert!(String::from_utf8(outcome.blob("report.html")).unwrap().contains("only the scene tables"));
}

#[test]
fn a_card_shows_how_to_load_only_what_is_there() {
    let card = String::from_utf8(run(&bench()).blob("README.md")).unwrap();
    assert!(card.contains("load_dataset(\"path/to/this/folder\", \"qa\")") && card.contains("questions[\"test\"][0]"));
    let bench = with_shards(scenes_with(|_| Vec::new()));
    let card = String::from_utf8(run(&bench).blob("README.md")).unwrap();
    assert!(!card.contains("\"qa\"") && card.contains("load_dataset(\"path/to/this/folder\", \"boxes_2d\")"), "{card}");
}

#[test]
fn a_missing_video_file_is_an_error_that_names_the_recording() {
    let mut bench = bench();
    let partition = bench.sequence("vid", "c");
    bench.table(&partition, vec![video("c")]);
    let error = bench.try_run(|context| Release::run(&ReleaseConfig::default(), context)).unwrap_err().to_string();
    assert!(error.contains("vid/c has no file"), "{error}");
}

#[test]
fn datasets_and_pyarrow_read_the_release() {
    let test = "datasets_and_pyarrow_read_the_release";
    let python = std::env::var("UAVGEN_PYTHON").unwrap_or_else(|_| "python3".into());
    let ready = Command::new(&python).args(["-c", "import datasets, pyarrow, PIL"]).output();
    if !ready.is_ok_and(|output| output.status.success()) {
        let told =
            writeln!(std::io::stderr(), "SKIPPED {test}: {python} lacks datasets, pyarrow or pillow (make python)");
        told.expect("stderr");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let release = folder.path().join("release");
    run(&bench()).publish(&release);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/python/load_release.py");
    let output =
        Command::new(python).arg(script).arg(&release).env("HF_HOME", folder.path().join("hf")).output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}");
}

#[test]
fn the_readme_opens_with_the_summary() {
    assert_eq!(include_str!("README.md").lines().next(), Some(Release::INFO.summary));
}
