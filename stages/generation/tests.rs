//! Frames of which every pixel is known: a level ground under a camera that looks straight down, and a house on it.

mod pure;

use super::STAGE;
use super::pure::facts::{Above, View, view};
use crate::testing::{Bench, Outcome, frame, recording};
use serde_json::{Value, json};
use uavgen_core::Stage;
use uavgen_media::{Labels, decode_grey8, decode_labels, encode_grey8, encode_grey16, encode_labels};
use uavgen_schemas::{
    AnswerSource, Camera, ClassKind, DepthMap, DepthSource, Fragment, FragmentReason, Frame, GenerationKind,
    GenerationSample, GenerationTriple, Instance, Mask, MaskClass, Modality, PlacedBy, Pose, Recording, SegmentClass,
};

const WIDTH: i64 = 160;
const HEIGHT: i64 = 120;
const STEP_M: f64 = 0.01;
/// Depth of the ground and of the roof in steps: 60 m and 50 m.
const GROUND: u16 = 6000;
const ROOF: u16 = 5000;

const ROAD: u8 = 1;
const HOUSE: u8 = 7;
/// A value that no class has.
const FOREIGN: u8 = 9;

/// A camera 60 m above the ground at 10 m that looks straight down.
const DOWN: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

fn class(value: i64, name: &str, kind: ClassKind, colour: Option<[i64; 3]>) -> MaskClass {
    MaskClass {
        class_id: format!("src/a#{value}"),
        recording_id: "src/a".into(),
        value,
        name: name.into(),
        kind,
        red: colour.map(|colour| colour[0]),
        green: colour.map(|colour| colour[1]),
        blue: colour.map(|colour| colour[2]),
    }
}

fn classes() -> Vec<MaskClass> {
    vec![
        class(i64::from(ROAD), "road", ClassKind::Ground, None),
        class(i64::from(HOUSE), "building", ClassKind::Thing, None),
    ]
}

/// The house covers a quarter of the image, at its top left; the rest is road.
fn is_house(at: usize) -> bool {
    let (column, row) = (at as i64 % WIDTH, at as i64 / WIDTH);
    column < WIDTH / 2 && row < HEIGHT / 2
}

fn labels() -> Vec<u8> {
    (0..(WIDTH * HEIGHT) as usize).map(|at| if is_house(at) { HOUSE } else { ROAD }).collect()
}

fn depth() -> Vec<u16> {
    (0..(WIDTH * HEIGHT) as usize).map(|at| if is_house(at) { ROOF } else { GROUND }).collect()
}

fn instance(number: usize, category: &str) -> Instance {
    Instance {
        instance_id: format!("src/a/1#{number}"),
        frame_id: "src/a/1".into(),
        recording_id: "src/a".into(),
        object_id: format!("src/a#object{number}"),
        category: category.into(),
        moving: false,
        pixels: 100,
        x1: 0.0,
        y1: 0.0,
        x2: 80.0,
        y2: 60.0,
        truncated: true,
        visibility: None,
        placed_by: PlacedBy::Depth,
        x: 0.0,
        y: 0.0,
        base_z: 10.0,
        top_z: Some(20.0),
        length_m: 2.0,
        width_m: 1.0,
        footprint_m2: 2.0,
        height_m: Some(10.0),
        axis_yaw_rad: 0.0,
        heading_rad: None,
        heading_source: None,
        distance_m: 50.0,
        surface: None,
    }
}

fn fragment(category: Option<&str>, part_of: Option<&str>) -> Fragment {
    Fragment {
        fragment_id: "src/a/1#fragment0".into(),
        frame_id: "src/a/1".into(),
        recording_id: "src/a".into(),
        category: category.map(str::to_owned),
        reason: if category.is_some() { FragmentReason::TooSmall } else { FragmentReason::UnknownClass },
        part_of: part_of.map(str::to_owned),
        pixels: 3,
        x1: 0.0,
        y1: 0.0,
        x2: 3.0,
        y2: 1.0,
    }
}

/// What a test changes.
struct Case {
    mask: Vec<u8>,
    classes: Vec<MaskClass>,
    quaternion: [f64; 4],
    with_depth: bool,
    instances: Vec<Instance>,
    fragments: Vec<Fragment>,
    config: Value,
}

impl Case {
    fn whole() -> Self {
        Self {
            mask: encode_grey8(WIDTH as u32, HEIGHT as u32, &labels()).unwrap(),
            classes: classes(),
            quaternion: DOWN,
            with_depth: true,
            instances: vec![instance(0, "building")],
            fragments: Vec::new(),
            config: json!({"clip_share": 0.0}),
        }
    }

    fn run(self) -> Outcome {
        let mut bench = Bench::new("generation", "train");
        let partition = bench.sequence("src", "a");
        bench.source_file("src", "mask.png", &self.mask);
        bench.table(&partition, vec![Recording { source: "src".into(), ..recording("src/a", 1) }]);
        bench.table(&partition, vec![Frame { width: WIDTH, height: HEIGHT, ..frame("src/a", 1, "a.jpg", b"") }]);
        let (camera_id, recording_id) = ("src/a#main".to_owned(), "src/a".to_owned());
        let [qx, qy, qz, qw] = self.quaternion;
        bench.table(
            &partition,
            vec![Camera {
                camera_id: camera_id.clone(),
                recording_id: recording_id.clone(),
                width: WIDTH,
                height: HEIGHT,
                fx: 160.0,
                fy: 160.0,
                cx: 80.0,
                cy: 60.0,
                k1: 0.0,
                k2: 0.0,
                k3: 0.0,
                p1: 0.0,
                p2: 0.0,
            }],
        );
        let frame_id = "src/a/1".to_owned();
        bench.table(
            &partition,
            vec![Pose {
                frame_id: frame_id.clone(),
                recording_id: recording_id.clone(),
                camera_id,
                x: 0.0,
                y: 0.0,
                z: 70.0,
                qx,
                qy,
                qz,
                qw,
            }],
        );
        bench.table(
            &partition,
            vec![Mask {
                frame_id: frame_id.clone(),
                recording_id: recording_id.clone(),
                file: "mask.png".into(),
                digest: blake3::hash(&self.mask).to_hex().to_string(),
                byte_count: self.mask.len() as i64,
                pixel_layout: "grey".into(),
            }],
        );
        bench.table(&partition, self.classes);
        bench.table(&partition, self.instances);
        bench.table(&partition, self.fragments);
        let png = encode_grey16(WIDTH as u32, HEIGHT as u32, &depth()).unwrap();
        let row = DepthMap {
            frame_id,
            recording_id,
            source: DepthSource::Mesh,
            path: "depth/1.png".into(),
            digest: blake3::hash(&png).to_hex().to_string(),
            byte_count: png.len() as i64,
            step_m: STEP_M,
            floats_path: String::new(),
            floats_digest: String::new(),
            min_m: 50.0,
            max_m: 60.0,
            mean_m: 57.5,
            known_share: 1.0,
        };
        let rows = if self.with_depth { vec![row] } else { Vec::new() };
        bench.table_with_blobs(&partition, rows, &[("depth/1.png", png)]);
        bench.run(|context| STAGE.configure(&self.config).unwrap().run(context))
    }
}

/// The facts behind the texts of the samples.
fn facts(outcome: &Outcome) -> Value {
    let samples: Vec<GenerationSample> = outcome.rows();
    let with_text = samples.iter().find(|sample| sample.kind.has_text()).unwrap();
    serde_json::from_str::<Value>(&with_text.provenance).unwrap()["facts"].take()
}

#[test]
fn the_three_pictures_agree_pixel_by_pixel() {
    let outcome = Case::whole().run();
    let rows: Vec<GenerationTriple> = outcome.rows();
    let row = &rows[0];
    assert_eq!(
        (row.frame_id.as_str(), row.width, row.height, row.licence.as_str()),
        ("src/a/1", WIDTH, HEIGHT, "academic use")
    );
    let segmentation = outcome.blob(&row.segmentation_path);
    let Labels::Ids { values, palette } = decode_labels(&segmentation).unwrap() else { panic!("a palette picture") };
    assert!(values.iter().zip(labels()).all(|(&index, label)| index == u16::from(label)), "indices are class values");
    // The colours of the data file.
    assert_eq!((palette[usize::from(ROAD)], palette[usize::from(HOUSE)]), ([120, 120, 120], [230, 80, 60]));
    let of = |value: u8, name: &str, [red, green, blue]: [i64; 3], pixels: i64, pixel_share| SegmentClass {
        value: i64::from(value),
        name: Some(name.into()),
        red,
        green,
        blue,
        pixels,
        pixel_share,
    };
    let all = WIDTH * HEIGHT;
    let expected = [of(ROAD, "road", [120; 3], all * 3 / 4, 0.75), of(HOUSE, "building", [230, 80, 60], all / 4, 0.25)];
    assert_eq!(row.classes, expected);
    // 50 m is the near end and bright, 60 m the far end.
    let (width, height, view) = decode_grey8(&outcome.blob(&row.depth_view_path)).unwrap();
    assert_eq!((i64::from(width), i64::from(height)), (WIDTH, HEIGHT));
    assert!(view.iter().enumerate().all(|(at, &value)| value == if is_house(at) { 255 } else { 1 }));
    assert_eq!((row.depth_view_near_m, row.depth_view_far_m), (50.0, 60.0));
    assert_eq!((row.depth_min_m, row.depth_max_m, row.depth_step_m), (50.0, 60.0, STEP_M));
    let digest = |bytes: &[u8]| blake3::hash(bytes).to_hex().to_string();
    assert_eq!(row.segmentation_digest, digest(&segmentation));
    assert_eq!(row.depth_view_digest, digest(&outcome.blob(&row.depth_view_path)));
}

#[test]
fn each_kind_is_asked_once_and_texts_are_computed() {
    let outcome = Case::whole().run();
    let samples: Vec<GenerationSample> = outcome.rows();
    let kinds: Vec<GenerationKind> = samples.iter().map(|sample| sample.kind).collect();
    assert_eq!(kinds, GenerationKind::ALL);
    for sample in &samples {
        assert_eq!(sample.sample_id, format!("src/a/1#{}", sample.kind.name()));
        let has_text = sample.inputs.contains(&Modality::Text);
        assert_eq!(
            (sample.prompt.is_some(), sample.prompt_source),
            (has_text, has_text.then_some(AnswerSource::Computed))
        );
        if let Some(prompt) = &sample.prompt {
            assert!(prompt.contains("60 m above the ground") && prompt.contains("one building"), "{prompt}");
            assert!(prompt.contains("road and building"), "road is the larger: {prompt}");
        }
    }
    let text = facts(&outcome);
    assert_eq!(
        (text["view"].as_str(), text["height_m"].as_f64(), text["tilt_deg"].as_f64()),
        (Some("nadir"), Some(60.0), Some(0.0))
    );
}

#[test]
fn a_camera_that_is_turned_looks_at_an_angle() {
    // Half a turn about x looks down; 45 degrees less looks forward and down.
    let half = (135.0_f64 / 2.0).to_radians();
    let outcome = Case { quaternion: [half.sin(), 0.0, 0.0, half.cos()], ..Case::whole() }.run();
    let text = facts(&outcome);
    assert_eq!((text["view"].as_str(), text["tilt_deg"].as_f64()), (Some("oblique"), Some(45.0)));
    let config = super::GenerationConfig::default();
    let called = [0.0, 15.0, 15.1, 74.9, 75.0, 120.0].map(|tilt| view(tilt, &config));
    assert_eq!(called, [View::Nadir, View::Nadir, View::Oblique, View::Oblique, View::Level, View::Level]);
}

#[test]
fn without_ground_a_height_is_above_what_is_seen() {
    let mut all_stuff = classes();
    all_stuff[0].kind = ClassKind::Stuff;
    let text = facts(&Case { classes: all_stuff, ..Case::whole() }.run());
    // Three quarters of the pixels lie 60 m below.
    assert_eq!((&text["above"], text["height_m"].as_f64()), (&serde_json::to_value(Above::Scene).unwrap(), Some(60.0)));
}

#[test]
fn pixels_of_no_class_have_an_index_without_a_name() {
    let mut changed = labels();
    changed[..40].fill(FOREIGN);
    let mask = encode_grey8(WIDTH as u32, HEIGHT as u32, &changed).unwrap();
    let outcome = Case { mask, ..Case::whole() }.run();
    let row = &outcome.rows::<GenerationTriple>()[0];
    let last = row.classes.last().unwrap();
    assert_eq!((last.value, last.name.as_deref(), last.pixels, last.red + last.green + last.blue), (255, None, 40, 0));
    let Labels::Ids { values, .. } = decode_labels(&outcome.blob(&row.segmentation_path)).unwrap() else { panic!() };
    assert!(values[..40].iter().all(|&index| index == 255) && values[40] == u16::from(HOUSE));
}

#[test]
fn masks_of_colours_keep_their_colours_and_their_values() {
    let classes = vec![
        class(i64::from(ROAD), "road", ClassKind::Ground, Some([10, 20, 30])),
        class(i64::from(HOUSE), "building", ClassKind::Thing, Some([120, 120, 120])),
    ];
    // The palette of the source has other indices.
    let indices: Vec<u8> = labels().iter().map(|&label| u8::from(label == HOUSE)).collect();
    let mask = encode_labels(WIDTH as u32, HEIGHT as u32, &indices, &[[10, 20, 30], [120; 3]]).unwrap();
    let outcome = Case { classes, mask, ..Case::whole() }.run();
    let row = &outcome.rows::<GenerationTriple>()[0];
    let Labels::Ids { values, palette } = decode_labels(&outcome.blob(&row.segmentation_path)).unwrap() else {
        panic!()
    };
    assert!(values.iter().zip(labels()).all(|(&index, label)| index == u16::from(label)));
    assert_eq!((palette[usize::from(ROAD)], palette[usize::from(HOUSE)]), ([10, 20, 30], [120; 3]));
}

#[test]
fn what_cannot_be_made_is_a_reject_with_its_reason() {
    let nothing = |outcome: &Outcome, reason: &str| {
        let rejects = outcome.rejects();
        assert_eq!(rejects.iter().map(|one| one.reason.as_str()).collect::<Vec<_>>(), [reason], "{rejects:?}");
        assert!(outcome.rows::<GenerationTriple>().is_empty() && outcome.rows::<GenerationSample>().is_empty());
        assert!(outcome.blob_names().is_empty());
    };
    nothing(&Case { with_depth: false, ..Case::whole() }.run(), "no_depth");
    let mut cut = Case::whole();
    cut.mask.truncate(cut.mask.len() / 2);
    nothing(&cut.run(), "truncated");
    let mut many = Case::whole();
    many.classes.push(class(256, "rare", ClassKind::Stuff, None));
    nothing(&many.run(), "too_many_classes");
    let mut full = Case::whole();
    full.mask = encode_grey16(WIDTH as u32, HEIGHT as u32, &vec![700; (WIDTH * HEIGHT) as usize]).unwrap();
    full.classes = (0..256).map(|value| class(value, &format!("c{value}"), ClassKind::Stuff, None)).collect();
    nothing(&full.run(), "too_many_classes");
    let off = Case { config: json!({"enabled": false}), ..Case::whole() }.run();
    assert!(off.rows::<GenerationTriple>().is_empty() && off.rejects().is_empty());
    for wrong in [json!({"clip_share": 0.5}), json!({"level_deg": 10}), json!({"polarity": "bright"})] {
        assert!(STAGE.configure(&wrong).is_err(), "{wrong}");
    }
}

#[test]
fn the_same_inputs_give_the_same_bytes() {
    let (one, two) = (Case::whole().run(), Case::whole().run());
    assert_eq!(one.blob_digests(), two.blob_digests());
    assert_eq!(one.rows::<GenerationSample>(), two.rows::<GenerationSample>());
    assert_eq!(one.blob_names().len(), 2);
}

#[test]
fn the_readme_opens_with_the_summary() {
    assert_eq!(include_str!("README.md").lines().next(), Some(STAGE.info().summary));
}
