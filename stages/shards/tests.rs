//! Hand-made rows through a hand-made context; files are read back with the Parquet reader.

use super::pure::{frame_runs, image_name, image_runs, shard_path, sort_by_frame};
use super::{STAGE, ShardsConfig};
use crate::testing::{Bench, frame, item, picture, recording};
use std::collections::{BTreeMap, BTreeSet};
use uavgen_core::StageDefinition;
use uavgen_schemas::{
    Box2d, ClipQaItem, DepthMap, DepthPolarity, DepthSource, GenerationFrame, GenerationKind, GenerationSample,
    GenerationTriple, QaItem, QaRow, RELEASE_TABLES, Record, Region, RejectKind, Selection, Shard, ShardImage,
    SpaceQaItem, StitchedClip, StitchedFrame, StitchedSample, StitchedSegment, Telemetry, Track,
};

/// A bench with frames `vid/seq/1..=frames`, `per_frame` items on each, and noisy pictures of about 60 kB.
fn bench(frames: usize, per_frame: usize) -> Bench {
    bench_with(frames, per_frame, |_, picture| picture)
}

/// The same with other files: `change` gets the number and the picture of a frame.
fn bench_with(frames: usize, per_frame: usize, change: impl Fn(usize, Vec<u8>) -> Vec<u8>) -> Bench {
    let mut bench = Bench::new("shards", "train");
    let partition = bench.sequence("vid", "seq");
    let rows: Vec<_> = (1..=frames)
        .map(|number| {
            let file = format!("seq/{number:07}.jpg");
            let bytes = change(number, picture(number as u32, 160, 120));
            bench.source_file("vid", &file, &bytes);
            frame("vid/seq", number as i64, &file, &bytes)
        })
        .collect();
    let items: Vec<QaItem> = (0..frames * per_frame)
        .map(|n| item(&format!("item{:05}", n * 7919 % 100_000), "scene_counting", &[&rows[n % frames].frame_id]))
        .collect();
    bench.table(&partition, vec![recording("vid/seq", frames as i64)]);
    bench.table(&partition, rows);
    bench.table(&partition, items);
    bench.table::<Box2d>(&partition, Vec::new());
    bench.table::<Track>(&partition, Vec::new());
    bench.table::<Region>(&partition, Vec::new());
    bench.table::<Telemetry>(&partition, Vec::new());
    bench.table::<Selection>(&partition, Vec::new());
    bench
}

fn run(bench: &Bench, config: &ShardsConfig) -> crate::testing::Outcome {
    bench.run(|context| super::Shards::run(config, context))
}

#[test]
fn rows_of_one_frame_share_their_image_in_the_file_but_not_in_the_row_group_bound() {
    let bench = bench(4, 20);
    let config = ShardsConfig { row_group_bytes: 1_000_000, ..ShardsConfig::default() };
    let outcome = run(&bench, &config);
    let shard = outcome.rows::<Shard>().into_iter().find(|shard| shard.config == "qa").unwrap();
    let image = bench.source_bytes("vid", "seq/0000001.jpg").len();
    assert_eq!(shard.row_count, 80);
    assert!(shard.decoded_bytes as usize > 80 * image, "an image counts once per row: {shard:?}");
    assert!(shard.row_group_count as usize >= 80 * image / 1_000_000, "{shard:?}");
    assert!((shard.byte_count as usize) < 80 * image / 3, "the dictionary stores an image once per row group");
    let groups = outcome.row_group_bytes(&shard.path);
    assert!(groups.iter().all(|bytes| *bytes <= 1_000_000), "{groups:?}");
    let rows = outcome.blob_rows::<QaRow>(&shard.path);
    let frames: Vec<&str> = rows.iter().map(|row| row.frame_ids[0].as_str()).collect();
    assert_eq!(frames.windows(2).filter(|pair| pair[0] != pair[1]).count(), 3, "frames stand together");
    for row in rows {
        let number = row.frame_ids[0].rsplit('/').next().unwrap();
        assert_eq!(row.images[0].bytes, bench.source_bytes("vid", &format!("seq/{number:0>7}.jpg")));
        assert_eq!(row.images[0].path, format!("vid+seq+{number}.jpg"));
    }
}

#[test]
fn rows_bound_a_row_group_too_and_bytes_a_file() {
    // Rows are encoded some 16 MB at a time; these are 40 MB.
    let bench = bench_with(4, 20, |number, _| picture(number as u32, 480, 360));
    let config = ShardsConfig { row_group_rows: 10, shard_bytes: 1_000_000, ..ShardsConfig::default() };
    let outcome = run(&bench, &config);
    let shards: Vec<Shard> = outcome.rows::<Shard>().into_iter().filter(|shard| shard.config == "qa").collect();
    assert!(shards.len() > 1, "{shards:?}");
    assert_eq!(shards.iter().map(|shard| shard.row_count).sum::<i64>(), 80);
    for (index, shard) in shards.iter().enumerate() {
        assert_eq!(shard.path, shard_path("qa", "train", index, shards.len()));
        assert!(outcome.blob(&shard.path).len() as i64 == shard.byte_count);
    }
    assert!(!outcome.blob_names().iter().any(|name| name.contains(".part")), "working names are gone");
    let schemas: BTreeSet<String> = shards.iter().map(|shard| outcome.arrow_schema(&shard.path)).collect();
    assert_eq!(schemas.len(), 1, "files of a config share one schema");
}

#[test]
fn the_same_rows_give_the_same_bytes() {
    let bench = bench(3, 5);
    let digests = |outcome: &crate::testing::Outcome| outcome.blob_digests();
    assert_eq!(digests(&run(&bench, &ShardsConfig::default())), digests(&run(&bench, &ShardsConfig::default())));
}

#[test]
fn a_split_without_questions_still_delivers_its_scenes() {
    let outcome = run(&bench(2, 0), &ShardsConfig::default());
    let configs: Vec<String> = outcome.rows::<Shard>().into_iter().map(|shard| shard.config).collect();
    assert_eq!(configs, ["frames", "recordings"], "tables without rows give no file");
    assert!(outcome.rows::<ShardImage>().is_empty());
}

#[test]
fn a_column_without_values_keeps_its_type() {
    let outcome = run(&bench(1, 1), &ShardsConfig::default());
    assert_eq!(outcome.column_type("data/recordings/train-00000-of-00001.parquet", "source_fps"), "Float64");
    assert_eq!(outcome.column_type("data/qa/train-00000-of-00001.parquet", "video"), "Utf8");
}

#[test]
fn a_broken_image_is_quarantined_and_its_items_refused() {
    let bench = bench_with(2, 3, |number, bytes| if number == 2 { bytes[..bytes.len() / 2].to_vec() } else { bytes });
    let outcome = run(&bench, &ShardsConfig::default());
    let rejects = outcome.rejects();
    let broken: Vec<_> = rejects.iter().filter(|r| r.kind == RejectKind::Quarantine).collect();
    assert_eq!(broken.len(), 1, "an image is reported once: {rejects:?}");
    assert_eq!((broken[0].record_id.as_str(), broken[0].reason.as_str()), ("vid/seq/2", "truncated"));
    assert!(broken[0].detail.contains("seq/0000002.jpg"), "{}", broken[0].detail);
    let refused: Vec<_> = rejects.iter().filter(|r| r.reason == "image_undecodable").collect();
    assert_eq!(refused.len(), 3);
    assert!(refused.iter().all(|r| r.kind == RejectKind::Refusal && r.detail == "vid/seq/2"));
    let images = outcome.rows::<ShardImage>();
    assert_eq!(images.len(), 1);
    assert_eq!((images[0].frame_id.as_str(), images[0].item_count, images[0].original_bytes), ("vid/seq/1", 3, true));
}

#[test]
fn an_image_that_changed_since_ingest_fails_the_task() {
    let mut bench = bench(1, 1);
    bench.source_file("vid", "seq/0000001.jpg", &picture(99, 160, 120));
    let error = bench.try_run(|context| super::Shards::run(&ShardsConfig::default(), context)).unwrap_err();
    assert!(error.to_string().contains("seq/0000001.jpg changed"), "{error}");
}

#[test]
fn max_per_task_drops_by_hash_rank_and_is_stable_when_items_join() {
    let config = ShardsConfig { max_per_task: 30, ..ShardsConfig::default() };
    let ids = |bench: &Bench| -> BTreeSet<String> {
        let outcome = run(bench, &config);
        let rejects = outcome.rejects();
        assert!(
            rejects.iter().all(|r| r.kind == RejectKind::Rule && r.reason == "max_per_task" && r.limit == Some(30.0))
        );
        let rows = outcome.blob_rows::<QaRow>("data/qa/train-00000-of-00001.parquet");
        assert_eq!(rows.len(), 30);
        rows.into_iter().map(|row| row.id).collect()
    };
    let (few, more) = (ids(&bench(2, 25)), ids(&bench(2, 30)));
    let all_few: BTreeSet<String> = (0..50).map(|n| format!("item{:05}", n * 7919 % 100_000)).collect();
    assert!(more.iter().all(|id| few.contains(id) || !all_few.contains(id)), "an item came back");
    assert!(more.intersection(&few).count() >= 20, "most stay");
}

#[test]
fn what_a_release_has_is_what_is_read() {
    // Rows of these stand in other configs.
    let elsewhere = [
        QaItem::TABLE,
        DepthMap::TABLE,
        GenerationTriple::TABLE,
        ClipQaItem::TABLE,
        SpaceQaItem::TABLE,
        StitchedClip::TABLE,
        StitchedSegment::TABLE,
        StitchedFrame::TABLE,
        StitchedSample::TABLE,
    ];
    let read = super::Shards::INFO.reads.iter().map(|read| read.table.name).filter(|name| !elsewhere.contains(name));
    let configs: BTreeSet<&str> = read.chain([QaRow::TABLE, GenerationFrame::TABLE]).collect();
    assert_eq!(configs, RELEASE_TABLES.iter().map(|table| table.name).collect());
}

/// A triple of frame `vid/seq/<number>` with files of few bytes: what they show is the business of others.
fn triple(number: usize) -> GenerationTriple {
    let digest = |content: &[u8]| blake3::hash(content).to_hex().to_string();
    GenerationTriple {
        frame_id: format!("vid/seq/{number}"),
        recording_id: "vid/seq".into(),
        group_id: "vid/seq".into(),
        split: "train".into(),
        licence: "academic use".into(),
        width: 160,
        height: 120,
        depth_view_path: format!("generation/{number}.view.png"),
        segmentation_path: format!("generation/{number}.seg.png"),
        depth_digest: digest(b"depth"),
        depth_step_m: 0.01,
        depth_min_m: 10.0,
        depth_max_m: 20.0,
        depth_mean_m: 15.0,
        depth_known_share: 1.0,
        depth_view_digest: digest(b"view"),
        depth_view_polarity: DepthPolarity::NearBright,
        depth_view_near_m: 10.0,
        depth_view_far_m: 20.0,
        segmentation_digest: digest(b"segmentation"),
        classes: Vec::new(),
    }
}

fn sample_of(number: usize, kind: GenerationKind) -> GenerationSample {
    let triple = triple(number);
    GenerationSample {
        sample_id: format!("{}#{}", triple.frame_id, kind.name()),
        kind,
        frame_id: triple.frame_id,
        recording_id: triple.recording_id,
        inputs: kind.inputs().to_vec(),
        target: kind.target(),
        prompt: None,
        prompt_source: None,
        group_id: triple.group_id,
        split: triple.split,
        licence: triple.licence,
        provenance: "{}".into(),
    }
}

fn depth_map(number: usize) -> DepthMap {
    DepthMap {
        frame_id: format!("vid/seq/{number}"),
        recording_id: "vid/seq".into(),
        source: DepthSource::Mesh,
        path: format!("depth/{number}.png"),
        digest: triple(number).depth_digest,
        byte_count: 5,
        step_m: 0.01,
        floats_path: String::new(),
        floats_digest: String::new(),
        min_m: 10.0,
        max_m: 20.0,
        mean_m: 15.0,
        known_share: 1.0,
    }
}

#[test]
fn frames_of_the_generation_track_hold_their_pictures_once() {
    // The image of the second frame is broken.
    let mut bench = bench_with(2, 1, |number, bytes| if number == 2 { bytes[..200].to_vec() } else { bytes });
    let partition = bench.sequence("vid", "seq");
    let numbers = [1, 2];
    let kinds = [GenerationKind::RgbToDepth, GenerationKind::SegReconstruction];
    let samples = numbers.iter().flat_map(|&number| kinds.map(|kind| sample_of(number, kind)));
    bench.table(&partition, samples.collect::<Vec<GenerationSample>>());
    let paths = numbers.map(|number| (triple(number).depth_view_path, triple(number).segmentation_path));
    let blobs: Vec<(&str, Vec<u8>)> = paths
        .iter()
        .flat_map(|(view, seg)| [(view.as_str(), b"view".to_vec()), (seg.as_str(), b"segmentation".to_vec())])
        .collect();
    bench.table_with_blobs(&partition, numbers.map(triple).to_vec(), &blobs);
    let depth = numbers.map(|number| depth_map(number).path);
    let blobs: Vec<(&str, Vec<u8>)> = depth.iter().map(|path| (path.as_str(), b"depth".to_vec())).collect();
    bench.table_with_blobs(&partition, numbers.map(depth_map).to_vec(), &blobs);
    let outcome = run(&bench, &ShardsConfig::default());
    let frames = outcome.blob_rows::<GenerationFrame>("data/generation_frames/train-00000-of-00001.parquet");
    assert_eq!(frames.len(), 1);
    let image = bench.source_bytes("vid", "seq/0000001.jpg");
    assert_eq!((&frames[0].image.bytes, frames[0].image.path.as_str()), (&image, "vid+seq+1.jpg"));
    assert_eq!(frames[0].image_digest, blake3::hash(&image).to_hex().to_string());
    let pictures = [&frames[0].depth, &frames[0].depth_view, &frames[0].segmentation];
    let shown = pictures.map(|picture| (picture.bytes.as_slice(), picture.path.as_str()));
    let expected: [(&[u8], &str); 3] = [
        (b"depth", "vid+seq+1+depth.png"),
        (b"view", "vid+seq+1+depth_view.png"),
        (b"segmentation", "vid+seq+1+segmentation.png"),
    ];
    assert_eq!(shown, expected);
    let samples = outcome.blob_rows::<GenerationSample>("data/generation_samples/train-00000-of-00001.parquet");
    assert_eq!(samples, kinds.map(|kind| sample_of(1, kind)));
    let rejects = outcome.rejects();
    let of = |reason: &str| {
        rejects.iter().filter(|one| one.reason == reason).map(|one| one.record_id.as_str()).collect::<BTreeSet<_>>()
    };
    assert_eq!(of("truncated"), BTreeSet::from(["vid/seq/2"]), "reported once: {rejects:?}");
    let refused = of("image_undecodable");
    assert_eq!(refused.len(), 3, "the question and both samples: {rejects:?}");
    assert!(refused.contains("vid/seq/2#rgb_to_depth") && refused.contains("vid/seq/2#seg_reconstruction"));
}

#[test]
fn runs_of_frames_hold_few_pixels_and_at_least_one_frame() {
    let triples: Vec<GenerationTriple> = (1..=5).map(triple).collect();
    let pixels = 160 * 120;
    assert_eq!(frame_runs(&triples, 2 * pixels), [0..2, 2..4, 4..5]);
    assert_eq!(frame_runs(&triples, 1), [0..1, 1..2, 2..3, 3..4, 4..5]);
    assert!(frame_runs(&[], pixels).is_empty());
}

#[test]
fn image_names_are_one_path_part_and_injective() {
    assert_eq!(image_name("vid/uav_1/12", "jpg"), "vid+uav_1+12.jpg");
    let ids = ["a/b", "a+b", "a%2Bb", "a\\b", "a%b"];
    let names: BTreeSet<String> = ids.iter().map(|id| image_name(id, "png")).collect();
    assert_eq!(names.len(), ids.len());
    assert!(names.iter().all(|name| !name.contains(['/', '\\'])));
}

#[test]
fn runs_hold_few_images_and_at_least_one_item() {
    let bytes = vec![0; 10];
    let frames: BTreeMap<_, _> =
        (1..=6).map(|n| frame("s/a", n, "f", &bytes)).map(|frame| (frame.frame_id.clone(), frame)).collect();
    let mut items = vec![
        item("d", "t", &["s/a/3", "s/a/4", "s/a/5"]),
        item("a", "t", &["s/a/1"]),
        item("c", "t", &["s/a/2"]),
        item("b", "t", &["s/a/1"]),
        item("e", "t", &["s/a/6"]),
    ];
    sort_by_frame(&mut items);
    assert_eq!(items.iter().map(|item| item.id.as_str()).collect::<String>(), "abcde");
    let pixels = |images: i64| images * frames["s/a/1"].width * frames["s/a/1"].height;
    assert_eq!(image_runs(&items, &frames, pixels(2), 1000), [0..3, 3..4, 4..5], "by pixels");
    assert_eq!(image_runs(&items, &frames, pixels(9), 20), [0..3, 3..4, 4..5], "by bytes");
    assert_eq!(image_runs(&items, &frames, pixels(9), 1000), vec![0..items.len()]);
    assert!(image_runs(&[], &frames, pixels(9), 1000).is_empty());
}

#[test]
fn the_readme_opens_with_the_summary() {
    assert_eq!(include_str!("README.md").lines().next(), Some(super::Shards::INFO.summary));
    let _ = STAGE;
}

#[test]
fn bounds_that_no_reader_could_hold_are_refused() {
    let config = ShardsConfig { row_group_bytes: 500_000_000, ..ShardsConfig::default() };
    assert_eq!(super::Shards::validate(&config).unwrap_err().path, ["row_group_bytes"]);
    assert!(super::Shards::validate(&ShardsConfig::default()).is_ok());
}
