//! Small sequences encoded without an engine, and the config.

use super::{PlaybackRate, VideoConfig, VideoStage, pure};
use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use uavgen_core::context::Surroundings;
use uavgen_core::store::{TableOptions, TableReader, TableWriter};
use uavgen_core::{Context, Counts, InputPart, Inputs, Partition, Stage, StageDefinition, TaskError};
use uavgen_media::{EncodeSettings, FrameRate, Rgb, RgbImage};
use uavgen_schemas::{Frame, FrameMapEntry, Record, Recording, RecordingKind, Reject, Video};

/// A recording `src/a` of these images, with the frame numbers 1, 3, 5, …
struct Sequence {
    folder: tempfile::TempDir,
    recording: Recording,
    frames: Vec<Frame>,
}

impl Sequence {
    fn new(images: &[Vec<u8>]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let frames: Vec<Frame> =
            images.iter().enumerate().map(|(index, image)| frame(folder.path(), index, image)).collect();
        let recording = Recording {
            recording_id: "src/a".into(),
            source: "src".into(),
            group_id: "g".into(),
            sequence: "a".into(),
            split: "train".into(),
            kind: RecordingKind::Sequence,
            frame_count: frames.len() as i64,
            labelled_frame_count: 0,
            annotated_without_image: 0,
            source_fps: None,
            licence: "test".into(),
        };
        Self { folder, recording, frames }
    }

    fn encode(&self) -> Encoded {
        self.encode_with(&VideoConfig::default()).unwrap()
    }

    fn encode_with(&self, config: &VideoConfig) -> Result<Encoded, TaskError> {
        let attempt = self.folder.path().join("attempt");
        fs::remove_dir_all(&attempt).ok();
        fs::create_dir_all(&attempt).unwrap();
        let partition = Partition::Sequence {
            source: "src".into(),
            scene: "a".into(),
            sequence: "a".into(),
            split: "train".into(),
        };
        let tables = BTreeMap::from([
            self.input(&partition, vec![self.recording.clone()]),
            // Rows of a table come in no promised order.
            self.input(&partition, self.frames.iter().rev().cloned().collect()),
        ]);
        let cancelled = AtomicBool::new(false);
        let surroundings = Surroundings {
            stage: "video",
            partition: &partition,
            attempt_folder: attempt.clone(),
            store_root: attempt.clone(),
            source_roots: &BTreeMap::from([("src".to_owned(), self.folder.path().to_owned())]),
            seed: None,
            cancelled: &cancelled,
        };
        let mut context = Context::new(surroundings, Inputs { tables, ..Inputs::default() });
        VideoStage::run(config, &mut context)?;
        let result = context.finish()?;
        let file = result.blobs.keys().next().map(|name| fs::read(attempt.join(name)).unwrap());
        let left = fs::read_dir(attempt.join("videos")).map_or(0, Iterator::count);
        assert_eq!(left, result.blobs.len(), "no file without a blob");
        Ok(Encoded {
            videos: rows(&attempt),
            entries: rows(&attempt),
            rejects: rows(&attempt),
            counts: result.counts,
            file,
            path: attempt,
        })
    }

    fn input<R: Record>(&self, partition: &Partition, rows: Vec<R>) -> (String, Vec<InputPart>) {
        let path = self.folder.path().join(format!("{}.parquet", R::TABLE));
        fs::remove_file(&path).ok();
        let mut writer = TableWriter::<R>::create(&path, TableOptions::default()).unwrap();
        rows.into_iter().for_each(|row| writer.push(&row).unwrap());
        let table = writer.finish().unwrap().into_artifact(format!("{}.parquet", R::TABLE));
        let part = InputPart {
            partition: partition.clone(),
            table,
            attempt_folder: self.folder.path().to_owned(),
            blobs: BTreeMap::new(),
        };
        (R::TABLE.to_owned(), vec![part])
    }
}

struct Encoded {
    videos: Vec<Video>,
    entries: Vec<FrameMapEntry>,
    rejects: Vec<Reject>,
    counts: Counts,
    file: Option<Vec<u8>>,
    path: std::path::PathBuf,
}

impl Encoded {
    fn reasons(&self) -> Vec<(&str, &str)> {
        self.rejects.iter().map(|reject| (reject.record_id.as_str(), reject.reason.as_str())).collect()
    }
}

fn rows<R: Record>(folder: &Path) -> Vec<R> {
    TableReader::open(&folder.join(format!("{}.parquet", R::TABLE))).unwrap().rows().unwrap()
}

fn frame(folder: &Path, index: usize, image: &[u8]) -> Frame {
    let number = 2 * index as i64 + 1;
    let file = format!("{number:07}.jpg");
    fs::write(folder.join(&file), image).unwrap();
    let (width, height) = uavgen_media::probe(image).map_or((64, 48), |info| (info.width, info.height));
    Frame {
        frame_id: format!("src/a/{number}"),
        recording_id: "src/a".into(),
        group_id: "g".into(),
        split: "train".into(),
        index: index as i64,
        source_number: number,
        file,
        width: i64::from(width),
        height: i64::from(height),
        format: "jpeg".into(),
        pixel_layout: "rgb".into(),
        exif_orientation: 1,
        digest: blake3::hash(image).to_hex().to_string(),
        byte_count: image.len() as i64,
        timestamp_us: None,
        labelled: true,
    }
}

/// Pictures that get brighter by 20 each.
fn pictures(count: u8, width: u32, height: u32) -> Vec<Vec<u8>> {
    let picture = |n: u8| RgbImage::from_pixel(width, height, Rgb([20 * n + 20; 3]));
    (0..count).map(|n| uavgen_media::encode_jpeg(&picture(n), 95).unwrap()).collect()
}

/// Bytes in the middle of the entropy-coded data, overwritten: the header and the end stay whole.
fn damaged(image: &[u8]) -> Vec<u8> {
    let noise = RgbImage::from_fn(64, 48, |x, y| Rgb([((x * 7) ^ (y * 13)) as u8, (x * y) as u8, (x + 3 * y) as u8]));
    let mut bytes = uavgen_media::encode_jpeg(&noise, 90).unwrap();
    assert!(bytes.len() > image.len());
    let end = bytes.len() - 2;
    bytes.drain(end - 200..end);
    bytes
}

#[test]
fn each_video_frame_is_mapped_to_the_source_frame_that_it_shows() {
    let sequence = Sequence::new(&pictures(6, 64, 48));
    let encoded = sequence.encode();
    let video = &encoded.videos[0];
    assert_eq!((video.frame_count, video.width, video.height), (6, 64, 48));
    assert_eq!((video.fps_num, video.fps_den, video.gop_frames, video.source_fps), (15, 1, 15, None));
    let numbers: Vec<i64> = encoded.entries.iter().map(|entry| entry.source_number).collect();
    assert_eq!(numbers, [1, 3, 5, 7, 9, 11]);
    for (position, entry) in encoded.entries.iter().enumerate() {
        assert_eq!(entry.entry_id, format!("{}/{position:06}", video.video_id));
        assert_eq!(
            (entry.video_frame, entry.file.clone()),
            (position as i64, format!("{:07}.jpg", entry.source_number))
        );
        assert_eq!(entry.pts * 15, position as i64 * entry.timescale, "frame k is shown at k/15 s");
    }
    let mut shown = Vec::new();
    uavgen_media::for_each_frame(&encoded.path.join(&video.path), |frame| {
        shown.push(frame.image.get_pixel(32, 24).0[0]);
        ControlFlow::Continue(())
    })
    .unwrap();
    let expected: Vec<u8> = (0..6).map(|n| 20 * n + 20).collect();
    let off = shown.iter().zip(&expected).map(|(a, b)| a.abs_diff(*b)).max();
    assert!(shown.len() == 6 && off <= Some(3), "{shown:?} against {expected:?}: order and range are right");
}

#[test]
fn names_digests_and_sizes_are_those_of_the_file() {
    let encoded = Sequence::new(&pictures(3, 64, 48)).encode();
    let (video, file) = (&encoded.videos[0], encoded.file.unwrap());
    assert_eq!(video.path, format!("videos/{}.mp4", video.video_id));
    assert_eq!((video.digest.clone(), video.byte_count), (blake3::hash(&file).to_hex().to_string(), file.len() as i64));
    assert_eq!(video.video_id.len(), 32);
    assert!(!video.video_id.contains("src"));
    assert_ne!(pure::video_id("src/a"), pure::video_id("src/b"));
}

#[test]
fn the_same_frames_give_the_same_bytes_and_other_settings_others() {
    let sequence = Sequence::new(&pictures(5, 64, 48));
    let first = sequence.encode().file;
    assert_eq!(first, sequence.encode().file);
    let changed = VideoConfig { crf: 40, gop_frames: 2, ..VideoConfig::default() };
    assert_ne!(first, sequence.encode_with(&changed).unwrap().file);
}

#[test]
fn an_odd_size_gains_a_column_and_a_row() {
    let encoded = Sequence::new(&pictures(2, 63, 47)).encode();
    assert_eq!((encoded.videos[0].width, encoded.videos[0].height), (64, 48));
}

#[test]
fn a_damaged_frame_is_left_out_and_named() {
    let mut images = pictures(4, 64, 48);
    images[1] = damaged(&images[1]);
    let encoded = Sequence::new(&images).encode();
    let reasons = encoded.reasons();
    assert_eq!(reasons.len(), 1);
    assert_eq!(reasons[0].0, "src/a/3");
    assert!(["truncated", "undecodable"].contains(&reasons[0].1), "{reasons:?}");
    assert_eq!(encoded.counts.quarantined().values().sum::<u64>(), 1);
    let numbers: Vec<i64> = encoded.entries.iter().map(|entry| entry.source_number).collect();
    assert_eq!((numbers, encoded.videos[0].frame_count), (vec![1, 5, 7], 3));
}

#[test]
fn a_frame_whose_header_states_another_size_is_left_out_and_named() {
    let mut images = pictures(6, 64, 48);
    let height = images[2].windows(2).position(|marker| marker == [0xFF, 0xC0]).unwrap() + 5;
    images[2][height..height + 2].copy_from_slice(&56_u16.to_be_bytes());
    let encoded = Sequence::new(&images).encode();
    assert_eq!(encoded.reasons(), [("src/a/5", "odd_size")]);
    let detail = &encoded.rejects[0].detail;
    assert_eq!(detail, "0000005.jpg is 64x56, its sequence is 64x48; it is left out of the video");
    let numbers: Vec<i64> = encoded.entries.iter().map(|entry| entry.source_number).collect();
    assert_eq!((numbers, encoded.videos[0].height), (vec![1, 3, 7, 9, 11], 48));
}

#[test]
fn what_cannot_become_a_video_is_a_reject_and_leaves_no_file() {
    let mixed = Sequence::new(&[pictures(1, 64, 48), pictures(1, 32, 48)].concat()).encode();
    assert_eq!(mixed.reasons(), [("src/a", "mixed_resolution")]);
    assert!(
        mixed.rejects[0].detail.contains("0000001.jpg is 64x48, 0000003.jpg is 32x48"),
        "{}",
        mixed.rejects[0].detail
    );
    let short = Sequence::new(&pictures(1, 64, 48)).encode();
    assert_eq!(short.reasons(), [("src/a", "too_few_frames")]);
    assert_eq!((short.rejects[0].value, short.rejects[0].limit), (Some(1.0), Some(2.0)));
    let broken = damaged(&pictures(1, 64, 48)[0]);
    let none = Sequence::new(&[broken.clone(), broken.clone()]).encode();
    assert_eq!(none.reasons(), [("src/a", "no_decodable_frame")]);
    let one = Sequence::new(&[broken, pictures(1, 64, 48).remove(0)]).encode();
    assert!(one.reasons().contains(&("src/a", "too_few_frames")), "{:?}", one.reasons());
    for encoded in [mixed, short, none, one] {
        assert!(encoded.videos.is_empty() && encoded.entries.is_empty() && encoded.file.is_none());
    }
}

#[test]
fn stills_and_a_disabled_stage_give_no_rows() {
    let mut still = Sequence::new(&pictures(1, 64, 48));
    still.recording.kind = RecordingKind::Still;
    let disabled = VideoConfig { enabled: false, ..VideoConfig::default() };
    let sequence = Sequence::new(&pictures(3, 64, 48));
    for encoded in [still.encode(), sequence.encode_with(&disabled).unwrap()] {
        assert!(encoded.videos.is_empty() && encoded.entries.is_empty() && encoded.rejects.is_empty());
    }
}

/// A recording from a video file of `count` frames at this rate, as `ingest` would have it.
fn footage(count: u8, fps: FrameRate) -> Sequence {
    let mut sequence = Sequence::new(&[]);
    let path = sequence.folder.path().join("film.mp4");
    let settings = EncodeSettings { fps, gop_frames: 7, ..EncodeSettings::default() };
    uavgen_media::encode_video(pictures(count, 64, 48).into_iter().map(Ok), &settings, &path).unwrap();
    let bytes = fs::read(&path).unwrap();
    let found = uavgen_media::read_footage(&path, |_| ControlFlow::Continue(())).unwrap();
    let row = |time: &uavgen_media::FrameTime| Frame {
        frame_id: format!("src/a/{}", time.number),
        index: time.number as i64,
        source_number: time.number as i64,
        file: "film.mp4".into(),
        format: "video".into(),
        digest: blake3::hash(&bytes).to_hex().to_string(),
        timestamp_us: Some(time.time_us),
        ..frame(sequence.folder.path(), 0, &pictures(1, 64, 48)[0])
    };
    sequence.frames = found.frames.iter().map(row).collect();
    sequence.recording.frame_count = i64::from(count);
    sequence.recording.source_fps = found.mean_fps;
    sequence
}

#[test]
fn a_video_file_becomes_a_video_of_its_own_rate() {
    let sequence = footage(9, FrameRate::new(30_000, 1001).unwrap());
    let encoded = sequence.encode();
    let video = &encoded.videos[0];
    assert_eq!((video.fps_num, video.fps_den, video.gop_frames, video.frame_count), (30_000, 1001, 15, 9));
    assert!(video.source_fps.is_some_and(|fps| (fps - 29.97003).abs() < 1e-5));
    for (number, entry) in (0_i64..).zip(&encoded.entries) {
        assert_eq!((entry.video_frame, entry.source_number, entry.file.as_str()), (number, number, "film.mp4"));
        assert_eq!(entry.frame_id, format!("src/a/{number}"));
    }
    let mut shown = Vec::new();
    uavgen_media::for_each_frame(&encoded.path.join(&video.path), |frame| {
        shown.push(frame.image.get_pixel(32, 24).0[0]);
        ControlFlow::Continue(())
    })
    .unwrap();
    let off = shown.iter().zip((0..9).map(|n| 20 * n + 20)).map(|(a, b): (&u8, u8)| a.abs_diff(b)).max();
    assert!(shown.len() == 9 && off <= Some(5), "{shown:?}");
    let first = encoded.file;
    assert_eq!(first, sequence.encode().file, "the same bytes");
}

#[test]
fn frames_of_a_video_file_are_all_there_or_the_task_fails() {
    let mut sequence = footage(9, FrameRate::new(10, 1).unwrap());
    sequence.frames.remove(4);
    let error = sequence.encode_with(&VideoConfig::default()).err().unwrap().to_string();
    assert!(error.contains("the video has frame 4 at 400000 us, expected was frame 5 at 500000 us"), "{error}");
    let mut sequence = footage(9, FrameRate::new(10, 1).unwrap());
    fs::write(sequence.folder.path().join("film.mp4"), "other").unwrap();
    let error = sequence.encode_with(&VideoConfig::default()).err().unwrap();
    assert!(matches!(error, TaskError::SourceChanged { ref file } if file == "film.mp4"), "{error}");
    sequence = footage(9, FrameRate::new(10, 1).unwrap());
    sequence.recording.source_fps = Some(1e-5);
    let encoded = sequence.encode();
    assert_eq!((encoded.reasons(), encoded.file.as_ref()), (vec![("src/a", "rate_out_of_range")], None));
}

#[test]
fn true_rates_are_fractions() {
    let rate = |fps: f64| pure::true_rate(fps).map(|rate| (rate.num(), rate.den()));
    assert_eq!(rate(29.970_029_97), Some((30_000, 1001)));
    assert_eq!(rate(29.98), Some((30_000, 1001)));
    assert_eq!(rate(23.976), Some((24_000, 1001)));
    assert_eq!((rate(24.0), rate(59.94), rate(25.001)), (Some((24, 1)), Some((60_000, 1001)), Some((25, 1))));
    assert_eq!((rate(8.0), rate(17.345_678), rate(0.5)), (Some((8, 1)), Some((8673, 500)), Some((1, 2))));
    assert_eq!((rate(1.0 / 30.0), rate(1.0 / 45.0), rate(1.0 / 700.0)), (Some((1, 30)), Some((1, 45)), Some((1, 700))));
    assert_eq!((rate(1.0 / 1200.0), rate(0.7)), (None, Some((1000, 1429))));
    assert_eq!((rate(0.0), rate(1e-4), rate(5000.0), rate(f64::NAN)), (None, None, None, None));
}

#[test]
fn a_frame_that_has_changed_fails_the_task() {
    let sequence = Sequence::new(&pictures(3, 64, 48));
    fs::write(sequence.folder.path().join("0000003.jpg"), &pictures(4, 64, 48)[3]).unwrap();
    let error = sequence.encode_with(&VideoConfig::default()).err().unwrap();
    assert!(matches!(error, TaskError::SourceChanged { ref file } if file == "0000003.jpg"), "{error}");
}

#[test]
fn rates_are_exact() {
    let rate = |value: serde_json::Value| {
        serde_json::from_value::<PlaybackRate>(value).map(|rate| (rate.rate().num(), rate.rate().den())).ok()
    };
    use serde_json::json;
    assert_eq!(rate(json!(15)), Some((15, 1)));
    assert_eq!(rate(json!(15.0)), Some((15, 1)));
    assert_eq!(rate(json!(29.97)), Some((2997, 100)));
    assert_eq!(rate(json!("30000/1001")), Some((30_000, 1001)));
    assert_eq!(rate(json!("12.5")), Some((25, 2)));
    for refused in [json!(0), json!(-15), json!(1e9), json!(29.970_03), json!("15/0"), json!("fast"), json!(true)] {
        assert_eq!(rate(refused.clone()), None, "{refused}");
    }
}

#[test]
fn the_config_round_trips_and_ranges_are_checked() {
    use serde_json::json;
    let text = serde_json::to_value(VideoConfig::default()).unwrap();
    assert_eq!(text, json!({"enabled": true, "fps": 15, "gop_frames": 15, "crf": 23, "preset": "veryfast"}));
    assert_eq!(serde_json::from_value::<VideoConfig>(text).unwrap(), VideoConfig::default());
    let path = |section| VideoStage.configure(&section).err().map(|error| error.path.join("."));
    assert_eq!(path(json!({"fps": "24000/1001", "preset": "slow"})), None);
    assert_eq!(path(json!({"gop_frames": 0})).as_deref(), Some("gop_frames"));
    assert_eq!(path(json!({"crf": 0})).as_deref(), Some("crf"));
    assert_eq!(path(json!({"fps": 0})).as_deref(), Some("fps"));
    assert_eq!(path(json!({"preset": "warp"})).as_deref(), Some("preset"));
    assert_eq!(path(json!({"gop": 15})).as_deref(), Some("gop"));
}
