//! The generation track: whole, and with one thing wrong.

use crate::release::{HEIGHT, Tables, WIDTH, audit_with, codes, picture};
use uavgen_core::fingerprint::digest;
use uavgen_media::{encode_grey8, encode_grey16, encode_labels};
use uavgen_schemas::{
    AnswerSource, DepthPolarity, GenerationFrame, GenerationKind, GenerationSample, ImageBytes, Modality, SegmentClass,
};

const PIXELS: usize = (WIDTH * HEIGHT) as usize;
/// Colours of the palette: nothing, road, building.
const PALETTE: [[u8; 3]; 3] = [[0, 0, 0], [120, 120, 120], [230, 80, 60]];

/// The upper half is a roof at 40 m, the lower half a road at 50 m; the last pixel shows nothing. In steps of 1 cm.
fn depth() -> Vec<u16> {
    let mut values: Vec<u16> = (0..PIXELS).map(|at| if at < PIXELS / 2 { 4000 } else { 5000 }).collect();
    values[PIXELS - 1] = 0;
    values
}

/// 255 at 40 m, 1 at 50 m, 0 where there is nothing.
fn view() -> Vec<u8> {
    let mut values: Vec<u8> = (0..PIXELS).map(|at| if at < PIXELS / 2 { 255 } else { 1 }).collect();
    values[PIXELS - 1] = 0;
    values
}

fn indices() -> Vec<u8> {
    (0..PIXELS).map(|at| if at < PIXELS / 2 { 2 } else { 1 }).collect()
}

fn named(bytes: Vec<u8>, name: &str) -> ImageBytes {
    ImageBytes { bytes, path: name.into() }
}

fn class(value: i64, name: &str, [red, green, blue]: [u8; 3]) -> SegmentClass {
    SegmentClass {
        value,
        name: Some(name.into()),
        red: red.into(),
        green: green.into(),
        blue: blue.into(),
        pixels: PIXELS as i64 / 2,
        pixel_share: 0.5,
    }
}

fn row() -> GenerationFrame {
    let (width, height) = (WIDTH as u32, HEIGHT as u32);
    let known = PIXELS as f64 - 1.0;
    let half = PIXELS as f64 / 2.0;
    let row = GenerationFrame {
        frame_id: "vid/a/1".into(),
        recording_id: "vid/a".into(),
        group_id: "g1".into(),
        split: "train".into(),
        licence: "test".into(),
        width: WIDTH,
        height: HEIGHT,
        image: named(picture(1), "a.jpg"),
        image_digest: String::new(),
        depth: named(encode_grey16(width, height, &depth()).unwrap(), "depth.png"),
        depth_view: named(encode_grey8(width, height, &view()).unwrap(), "view.png"),
        segmentation: named(encode_labels(width, height, &indices(), &PALETTE).unwrap(), "seg.png"),
        depth_digest: String::new(),
        depth_step_m: 0.01,
        depth_min_m: 40.0,
        depth_max_m: 50.0,
        depth_mean_m: (half * 40.0 + (half - 1.0) * 50.0) / known,
        depth_known_share: known / PIXELS as f64,
        depth_view_digest: String::new(),
        depth_view_polarity: DepthPolarity::NearBright,
        depth_view_near_m: 40.0,
        depth_view_far_m: 50.0,
        segmentation_digest: String::new(),
        classes: vec![class(1, "road", PALETTE[1]), class(2, "building", PALETTE[2])],
    };
    sealed(row)
}

/// The row with the digests of its pictures.
fn sealed(mut row: GenerationFrame) -> GenerationFrame {
    row.image_digest = digest(&row.image.bytes);
    row.depth_digest = digest(&row.depth.bytes);
    row.depth_view_digest = digest(&row.depth_view.bytes);
    row.segmentation_digest = digest(&row.segmentation.bytes);
    row
}

fn sample(kind: GenerationKind) -> GenerationSample {
    let has_text = kind.has_text();
    GenerationSample {
        sample_id: format!("vid/a/1#{}", kind.name()),
        kind,
        frame_id: "vid/a/1".into(),
        recording_id: "vid/a".into(),
        inputs: kind.inputs().to_vec(),
        target: kind.target(),
        prompt: has_text.then(|| "A road and a building from 50 m.".into()),
        prompt_source: has_text.then_some(AnswerSource::Computed),
        group_id: "g1".into(),
        split: "train".into(),
        licence: "test".into(),
        provenance: "{}".into(),
    }
}

/// Asserts that exactly these faults are found in a release with the track after a change of its frame, whose digests are then those
/// of its pictures.
#[track_caller]
fn expect_frame(expected: &[&str], change: impl FnOnce(&mut GenerationFrame)) {
    expect(expected, |tables| {
        let row = &mut tables.generation_frames[0].1;
        change(row);
        *row = sealed(row.clone());
    });
}

#[track_caller]
fn expect(expected: &[&str], change: impl FnOnce(&mut Tables)) {
    let report = audit_with(|tables| {
        tables.generation_frames.push(("train".into(), row()));
        tables.generation_samples.extend(GenerationKind::ALL.map(|kind| ("train".into(), sample(kind))));
        change(tables);
    });
    assert_eq!(codes(&report), expected, "\n{}", report.render());
}

/// The sample at a place of the kinds: 0 is RGB to depth, 2 text and depth to RGB.
#[track_caller]
fn expect_sample(expected: &[&str], at: usize, change: impl FnOnce(&mut GenerationSample)) {
    expect(expected, |tables| change(&mut tables.generation_samples[at].1));
}

fn png8(values: &[u8]) -> Vec<u8> {
    encode_grey8(WIDTH as u32, HEIGHT as u32, values).unwrap()
}

fn png16(values: &[u16]) -> Vec<u8> {
    encode_grey16(WIDTH as u32, HEIGHT as u32, values).unwrap()
}

fn palette_png(indices: &[u8]) -> Vec<u8> {
    encode_labels(WIDTH as u32, HEIGHT as u32, indices, &PALETTE).unwrap()
}

#[test]
fn a_whole_track_is_sound() {
    expect(&[], |_| {});
    // Fewer kinds are no fault.
    expect(&[], |tables| tables.generation_samples.truncate(3));
    expect_frame(&[], |row| {
        row.depth_view_polarity = DepthPolarity::NearDark;
        // 255 becomes 1, 1 becomes 255, and nothing stays nothing.
        let dark: Vec<u8> = view().into_iter().map(u8::wrapping_neg).collect();
        row.depth_view.bytes = png8(&dark);
    });
}

#[test]
fn pictures_that_are_not_those_of_their_row_are_found() {
    expect(&["image_mismatch"], |tables| tables.generation_frames[0].1.depth_digest = "00".into());
    expect_frame(&["image_mismatch"], |row| row.image.bytes = picture(2));
    expect_frame(&["image_undecodable"], |row| row.image.bytes.truncate(200));
    expect_frame(&["image_form"], |row| row.depth.bytes = png8(&view()));
    expect_frame(&["image_form"], |row| row.depth_view.bytes = png16(&depth()));
    expect_frame(&["image_form"], |row| row.segmentation.bytes = png8(&indices()));
    expect_frame(&["image_size"], |row| row.depth.bytes = encode_grey16(48, 64, &depth()).unwrap());
    expect_frame(&["image_size"], |row| row.width = 65);
}

#[test]
fn depth_whose_numbers_are_others_is_found() {
    let changes: [fn(&mut GenerationFrame); 8] = [
        |row| row.depth_min_m = 39.0,
        |row| row.depth_max_m = 50.02,
        |row| row.depth_mean_m = f64::NAN,
        |row| row.depth_step_m = 0.02,
        |row| row.depth_step_m = 0.0,
        |row| row.depth_known_share = 1.0,
        |row| row.depth_view_far_m = 51.0,
        |row| row.depth_view_near_m = f64::NAN,
    ];
    for change in changes {
        expect_frame(&["depth_mismatch"], change);
    }
    expect_frame(&["depth_mismatch"], |row| row.depth.bytes = png16(&[0; PIXELS]));
    expect_frame(&["depth_mismatch"], |row| {
        let mut wrong = view();
        wrong[7] -= 1;
        row.depth_view.bytes = png8(&wrong);
    });
    // A surface at the nearest depth where there is none.
    expect_frame(&["depth_mismatch"], |row| {
        let mut wrong = depth();
        wrong[PIXELS - 1] = 4000;
        row.depth.bytes = png16(&wrong);
    });
}

#[test]
fn classes_that_are_not_those_of_the_picture_are_found() {
    let changes: [fn(&mut GenerationFrame); 6] = [
        |row| _ = row.classes.remove(0),
        |row| row.classes[1].pixels += 1,
        |row| row.classes[1].pixel_share = 0.51,
        |row| row.classes[1].red = 229,
        |row| row.classes.reverse(),
        |row| row.classes.push(class(3, "car", [0, 0, 0])),
    ];
    for change in changes {
        expect_frame(&["segmentation_mismatch"], change);
    }
    expect_frame(&["segmentation_mismatch"], |row| {
        let mut wrong = indices();
        wrong[0] = 0;
        row.segmentation.bytes = palette_png(&wrong);
    });
}

#[test]
fn samples_that_are_none_of_their_kind_are_found() {
    expect_sample(&["sample_invalid"], 0, |sample| sample.sample_id = "vid/a/1#other".into());
    expect_sample(&["sample_invalid"], 0, |sample| sample.target = Modality::Segmentation);
    expect_sample(&["sample_invalid"], 2, |sample| _ = sample.inputs.pop());
    expect_sample(&["sample_invalid"], 2, |sample| sample.prompt = None);
    expect_sample(&["sample_invalid"], 2, |sample| sample.prompt = Some(" ".into()));
    expect_sample(&["sample_invalid"], 2, |sample| sample.prompt_source = None);
    expect_sample(&["sample_invalid"], 0, |sample| sample.prompt = Some("A road.".into()));
    expect_sample(&["sample_invalid"], 0, |sample| sample.provenance = "none".into());
    expect_sample(&["sample_invalid"], 1, |sample| {
        // Asks what the sample before it asks, under an id of its own.
        let id = std::mem::take(&mut sample.sample_id);
        *sample = GenerationSample { sample_id: id, ..self::sample(GenerationKind::RgbToDepth) };
    });
}

#[test]
fn what_refers_to_nothing_or_to_another_is_found() {
    expect(&["dangling_reference"], |tables| tables.generation_frames.clear());
    expect_sample(&["dangling_reference"], 0, |sample| {
        (sample.frame_id, sample.sample_id) = ("vid/a/2".into(), "vid/a/2#rgb_to_depth".into());
    });
    expect_sample(&["group_mismatch"], 0, |sample| sample.group_id = "g2".into());
    expect_sample(&["item_mismatch"], 0, |sample| sample.licence = "free".into());
    expect_sample(&["split_mismatch"], 0, |sample| sample.split = "val".into());
    expect_frame(&["item_mismatch"], |row| row.licence = "free".into());
    expect_frame(&["group_mismatch"], |row| row.group_id = "g2".into());
}
