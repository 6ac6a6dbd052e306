//! Scenes whose every pixel follows from closed forms: a level ground at 10 m, a building and cars on it, seen from straight above.

use super::STAGE;
use super::config::LiftConfig;
use super::pure::{ClassTable, add_headings};
use crate::testing::{Bench, Outcome, frame, recording};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use uavgen_core::{Partition, Stage};
use uavgen_media::{Labels, encode_grey16, write_floats};
use uavgen_schemas::{
    Arrangement, ArrangementKind, Camera, ClassKind, DepthMap, DepthSource, Fragment, FragmentReason, Frame,
    HeadingSource, Instance, Mask, MaskClass, OrientedBox, PlacedBy, Pose, Recording, Relation, Vertical,
};

const WIDTH: usize = 400;
const HEIGHT: usize = 300;
const FOCAL: f64 = 400.0;
const GROUND_M: f64 = 10.0;

const GROUND: u8 = 1;
const BUILDING: u8 = 2;
const CAR: u8 = 3;
const GRASS: u8 = 4;
const TREE: u8 = 5;
const FOREIGN: u8 = 9;

/// A level rectangle at a height above the ground: centre, length, width, yaw of the length from east towards north.
#[derive(Clone, Copy)]
struct Block {
    label: u8,
    centre: [f64; 2],
    length: f64,
    width: f64,
    yaw: f64,
    height: f64,
}

/// 20 m x 12 m, 8 m high, its length 30 degrees from east towards north.
const HOUSE: Block =
    Block { label: BUILDING, centre: [4.0, -3.0], length: 20.0, width: 12.0, yaw: PI / 6.0, height: 8.0 };

/// A car of 4.5 m x 1.8 m that looks east; no mesh has it, so it has no height here.
fn car(east: f64, north: f64) -> Block {
    Block { label: CAR, centre: [east, north], length: 4.5, width: 1.8, yaw: 0.0, height: 0.0 }
}

/// A camera that looks straight down from `height` above the ground, the top of its image to the north.
#[derive(Clone, Copy)]
struct Eye {
    place: [f64; 2],
    height: f64,
}

const MIDDLE: Eye = Eye { place: [0.0, 0.0], height: 60.0 };

impl Eye {
    /// Where the ray of a pixel meets the level `above` the ground.
    fn meets(&self, column: usize, row: usize, above: f64) -> [f64; 2] {
        let reach = (self.height - above) / FOCAL;
        let (right, down) = (column as f64 + 0.5 - WIDTH as f64 / 2.0, row as f64 + 0.5 - HEIGHT as f64 / 2.0);
        [self.place[0] + right * reach, self.place[1] - down * reach]
    }

    /// Label and depth of every pixel. Sides of blocks are not drawn: below what is near the middle they are hidden.
    fn sees(&self, blocks: &[Block]) -> (Vec<u16>, Vec<f32>) {
        let pixel = |at: usize| {
            let inside = |block: &&Block| {
                let [x, y] = self.meets(at % WIDTH, at / WIDTH, block.height);
                let (dx, dy) = (x - block.centre[0], y - block.centre[1]);
                let along = dx * block.yaw.cos() + dy * block.yaw.sin();
                let across = dy * block.yaw.cos() - dx * block.yaw.sin();
                along.abs() <= block.length / 2.0 && across.abs() <= block.width / 2.0
            };
            let (label, above) = blocks.iter().find(inside).map_or((GROUND, 0.0), |block| (block.label, block.height));
            (u16::from(label), (self.height - above) as f32)
        };
        (0..WIDTH * HEIGHT).map(pixel).unzip()
    }
}

fn row_of(value: u8, name: &str, kind: ClassKind) -> MaskClass {
    MaskClass {
        class_id: format!("src/a#{value}"),
        recording_id: "src/a".into(),
        value: i64::from(value),
        name: name.into(),
        kind,
        red: None,
        green: None,
        blue: None,
    }
}

fn classes() -> Vec<MaskClass> {
    vec![
        row_of(GROUND, "road", ClassKind::Ground),
        row_of(BUILDING, "building", ClassKind::Thing),
        row_of(CAR, "car", ClassKind::Moving),
        row_of(GRASS, "grass", ClassKind::Ground),
        row_of(TREE, "tree", ClassKind::Stuff),
    ]
}

fn mask_row(number: usize, content: &[u8]) -> Mask {
    Mask {
        frame_id: format!("src/a/{number}"),
        recording_id: "src/a".into(),
        file: format!("{number}.png"),
        digest: blake3::hash(content).to_hex().to_string(),
        byte_count: content.len() as i64,
        pixel_layout: "grey16".into(),
    }
}

fn depth_row(number: usize) -> DepthMap {
    DepthMap {
        frame_id: format!("src/a/{number}"),
        recording_id: "src/a".into(),
        source: DepthSource::Mesh,
        path: String::new(),
        digest: String::new(),
        byte_count: 0,
        step_m: 0.001,
        floats_path: format!("depth/{number}.npy.zst"),
        floats_digest: String::new(),
        min_m: 1.0,
        max_m: 1.0,
        mean_m: 1.0,
        known_share: 1.0,
    }
}

/// Files and rows of a frame's mask and depth.
type Content = (Vec<u8>, Mask, Vec<u8>, DepthMap);

fn content(number: usize, eye: Eye, blocks: &[Block]) -> Content {
    let (labels, depth) = eye.sees(blocks);
    let mask = encode_grey16(WIDTH as u32, HEIGHT as u32, &labels).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    write_floats(file.path(), WIDTH, HEIGHT, &depth).unwrap();
    let row = mask_row(number, &mask);
    (mask, row, std::fs::read(file.path()).unwrap(), depth_row(number))
}

/// Inputs of a task: frames half a second apart, each with its eye and what stands there.
fn bench(frames: &[(Eye, Vec<Block>)]) -> Bench {
    let contents = frames.iter().enumerate().map(|(number, (eye, blocks))| content(number, *eye, blocks)).collect();
    bench_of(frames, contents)
}

fn bench_of(frames: &[(Eye, Vec<Block>)], contents: Vec<Content>) -> Bench {
    let mut bench = Bench::new("lift", "train");
    let partition = bench.sequence("src", "a");
    bench.table(&partition, vec![Recording { source: "src".into(), ..recording("src/a", frames.len() as i64) }]);
    let of_number = |number: usize| Frame {
        timestamp_us: Some(500_000 * number as i64),
        index: number as i64,
        ..frame("src/a", number as i64, "a.jpg", b"")
    };
    bench.table(&partition, (0..frames.len()).map(of_number).collect::<Vec<Frame>>());
    add_cameras(&mut bench, &partition, frames);
    bench.table(&partition, classes());
    let (mut masks, mut depths, mut blobs) = (Vec::new(), Vec::new(), Vec::new());
    for (file, mask, floats, depth) in contents {
        bench.source_file("src", &mask.file, &file);
        masks.push(mask);
        blobs.push((depth.floats_path.clone(), floats));
        depths.push(depth);
    }
    bench.table(&partition, masks);
    let named: Vec<(&str, Vec<u8>)> = blobs.iter().map(|(name, content)| (name.as_str(), content.clone())).collect();
    bench.table_with_blobs(&partition, depths, &named);
    bench
}

fn add_cameras(bench: &mut Bench, partition: &Partition, frames: &[(Eye, Vec<Block>)]) {
    let camera = Camera {
        camera_id: "src/a#main".into(),
        recording_id: "src/a".into(),
        width: WIDTH as i64,
        height: HEIGHT as i64,
        fx: FOCAL,
        fy: FOCAL,
        cx: WIDTH as f64 / 2.0,
        cy: HEIGHT as f64 / 2.0,
        k1: 0.0,
        k2: 0.0,
        k3: 0.0,
        p1: 0.0,
        p2: 0.0,
    };
    bench.table(partition, vec![camera]);
    let pose = |(number, (eye, _)): (usize, &(Eye, Vec<Block>))| Pose {
        frame_id: format!("src/a/{number}"),
        recording_id: "src/a".into(),
        camera_id: "src/a#main".into(),
        x: eye.place[0],
        y: eye.place[1],
        z: GROUND_M + eye.height,
        qx: 1.0,
        qy: 0.0,
        qz: 0.0,
        qw: 0.0,
    };
    bench.table(partition, frames.iter().enumerate().map(pose).collect::<Vec<Pose>>());
}

fn run(bench: &Bench) -> Outcome {
    bench.run(|context| STAGE.configure(&json!({})).unwrap().run(context))
}

/// Instances of a class.
fn of(outcome: &Outcome, category: &str) -> Vec<Instance> {
    outcome.rows::<Instance>().into_iter().filter(|row| row.category == category).collect()
}

#[test]
fn a_house_is_lifted_to_its_box() {
    let outcome = run(&bench(&[(MIDDLE, vec![HOUSE])]));
    let houses = of(&outcome, "building");
    let [house] = houses.as_slice() else { panic!("{houses:?}") };
    // A pixel is 13 cm on the roof.
    let near = |value: f64, truth: f64, by: f64| assert!((value - truth).abs() <= by, "{value}, in truth {truth}");
    near(house.x, 4.0, 0.1);
    near(house.y, -3.0, 0.1);
    near(house.length_m, 20.0, 0.26);
    near(house.width_m, 12.0, 0.26);
    near(house.axis_yaw_rad, PI / 6.0, 0.01);
    near(house.base_z, GROUND_M, 0.05);
    near(house.top_z.unwrap(), GROUND_M + 8.0, 0.05);
    near(house.height_m.unwrap(), 8.0, 0.05);
    // The nearest point of the roof is the one below the camera.
    near(house.distance_m, 52.0, 0.2);
    assert_eq!((house.placed_by, house.moving, house.truncated), (PlacedBy::Depth, false, false));
    assert_eq!((house.heading_rad, house.heading_source), (None, None), "houses have no front");
    assert!(house.visibility.is_some_and(|share| share > 0.8), "{:?}", house.visibility);
    assert!(outcome.rejects().is_empty());
}

#[test]
fn one_object_keeps_its_id_and_what_moves_has_a_heading() {
    // The camera flies north, the car 4 m east in each half second; a second one stands.
    let scene = |number: usize| {
        let eye = Eye { place: [0.0, 3.0 * number as f64], height: 60.0 };
        (eye, vec![HOUSE, car(-12.0 + 4.0 * number as f64, 14.0), car(-15.0, -8.0)])
    };
    let outcome = run(&bench(&(0..4).map(scene).collect::<Vec<_>>()));
    let objects = |category: &str| of(&outcome, category).into_iter().map(|row| row.object_id).collect::<BTreeSet<_>>();
    assert_eq!((of(&outcome, "building").len(), objects("building").len()), (4, 1));
    let cars = of(&outcome, "car");
    assert_eq!((cars.len(), objects("car").len()), (8, 2));
    let mut by_object: BTreeMap<&str, Vec<&Instance>> = BTreeMap::new();
    cars.iter().for_each(|row| by_object.entry(&row.object_id).or_default().push(row));
    for rows in by_object.values() {
        let moves = (rows[0].y - 14.0).abs() < 1.0;
        for (number, row) in rows.iter().enumerate() {
            let east = if moves { -12.0 + 4.0 * number as f64 } else { -15.0 };
            assert!((row.x - east).abs() < 0.15 && (row.length_m - 4.5).abs() < 0.3, "{row:?}");
            assert_eq!((row.placed_by, row.top_z, row.height_m, row.moving), (PlacedBy::GroundRays, None, None, true));
            // East, clockwise from north.
            let heading = row.heading_rad.map(|heading| (heading - FRAC_PI_2).abs() < 0.05);
            assert_eq!(heading, moves.then_some(true), "{row:?}");
            assert_eq!(row.heading_source, moves.then_some(HeadingSource::Motion));
        }
    }
}

#[test]
fn labels_without_a_class_are_counted_and_listed() {
    let patch =
        |east: f64, label: u8| Block { label, centre: [east, 0.0], length: 3.0, width: 3.0, yaw: 0.0, height: 0.0 };
    let outcome =
        run(&bench(&[(MIDDLE, vec![patch(0.0, FOREIGN)]), (MIDDLE, vec![patch(0.0, FOREIGN), patch(6.0, FOREIGN)])]));
    let rejects = outcome.rejects();
    assert_eq!((rejects[0].record_id.as_str(), rejects[0].reason.as_str()), ("src/a#9", "unknown_class"));
    // 3 m are 20 pixels.
    assert_eq!(rejects[0].value, Some(3.0 * 400.0));
    assert!(outcome.rows::<Instance>().is_empty());
    // On each frame all of them are one fragment, which may be of any class.
    let fragments = outcome.rows::<Fragment>();
    let found: Vec<_> = fragments.iter().map(|row| (row.fragment_id.as_str(), row.pixels, row.x1, row.x2)).collect();
    assert_eq!(found, [("src/a/0#fragment0", 400, 190.0, 210.0), ("src/a/1#fragment0", 800, 190.0, 250.0)]);
    for row in fragments {
        assert_eq!((row.y1, row.y2), (140.0, 160.0));
        assert_eq!((row.reason, row.category, row.part_of), (FragmentReason::UnknownClass, None, None));
    }
}

#[test]
fn pieces_that_are_no_object_are_fragments() {
    // A hut of 1.2 m, 9 x 9 pixels at its roof, on open ground; and a patch of foreign pixels before it in the image.
    let hut = Block { label: BUILDING, centre: [-15.0, -12.0], length: 1.2, width: 1.2, yaw: 0.0, height: 2.0 };
    let foreign = Block { label: FOREIGN, centre: [-15.0, 15.0], length: 3.0, width: 3.0, yaw: 0.0, height: 0.0 };
    // A tree over the house leaves a patch of its roof to be seen; trees are of no kind that is lifted.
    let roof = Block { label: BUILDING, centre: HOUSE.centre, length: 1.0, width: 1.0, yaw: 0.0, height: 8.0 };
    let tree = Block { label: TREE, length: 4.0, width: 4.0, ..roof };
    let outcome = run(&bench(&[(MIDDLE, vec![hut, foreign, roof, tree, HOUSE])]));
    let houses = of(&outcome, "building");
    let [house] = houses.as_slice() else { panic!("{houses:?}") };
    let fragments = outcome.rows::<Fragment>();
    let found: Vec<_> =
        fragments.iter().map(|row| (row.category.as_deref(), row.reason, row.part_of.as_deref())).collect();
    let building = Some("building");
    let expected = [
        (None, FragmentReason::UnknownClass, None),
        (building, FragmentReason::TooSmall, Some(house.instance_id.as_str())),
        (building, FragmentReason::TooSmall, None),
    ];
    assert_eq!(found, expected);
    let ids: Vec<_> = fragments.iter().map(|row| row.fragment_id.as_str()).collect();
    assert_eq!(ids, ["src/a/0#fragment0", "src/a/0#fragment1", "src/a/0#fragment2"]);
}

#[test]
fn an_instance_tells_the_ground_it_stands_on() {
    let outcome = run(&bench(&[(MIDDLE, vec![HOUSE, car(-15.0, -8.0)])]));
    let surfaces: Vec<_> = outcome.rows::<Instance>().into_iter().map(|row| row.surface).collect();
    assert_eq!(surfaces, [Some("road".to_owned()), Some("road".to_owned())]);
    // With grass on half of the ground near the car it is none of the two.
    let grass = Block { label: GRASS, centre: [-25.0, -8.0], length: 20.0, width: 20.0, yaw: 0.0, height: 0.0 };
    let outcome = run(&bench(&[(MIDDLE, vec![car(-15.0, -8.0), grass])]));
    assert_eq!(of(&outcome, "car")[0].surface, None);
}

#[test]
fn instances_of_a_frame_are_related() {
    // Three cars in a row along east, 9 m apart, north of the house.
    let cars = [-9.0, 0.0, 9.0].map(|east| car(east, 14.0));
    let outcome = run(&bench(&[(MIDDLE, [&cars[..], &[HOUSE]].concat())]));
    let instances = outcome.rows::<Instance>();
    assert_eq!(instances.len(), 4);
    let relations = outcome.rows::<Relation>();
    assert_eq!(relations.len(), 6);
    let ids: Vec<&str> = instances.iter().map(|row| row.instance_id.as_str()).collect();
    // The cars come first in the image; which of them, is a matter of the row that their masks begin in.
    let by_east = |east: f64| instances.iter().find(|row| row.moving && (row.x - east).abs() < 0.2).unwrap();
    let relation = |a: &Instance, b: &Instance| {
        let of = |row: &&Relation| {
            [&row.subject, &row.object].iter().all(|id| [&a.instance_id, &b.instance_id].contains(id))
        };
        relations.iter().find(of).unwrap()
    };
    let (west, east) = (by_east(-9.0), by_east(9.0));
    let both = relation(west, east);
    assert!((both.ground_distance_m - 18.0).abs() < 0.2, "{both:?}");
    // 18 m from middle to middle and half a car at both ends.
    assert!((both.gap_m.unwrap() - 13.5).abs() < 0.4 && both.near == Some(false), "{both:?}");
    assert_eq!(
        (both.centre_distance_m, both.vertical),
        (None, Some(Vertical::Level)),
        "nobody knows how high cars are"
    );
    let bearing = if both.subject == west.instance_id { FRAC_PI_2 } else { 3.0 * FRAC_PI_2 };
    assert!((both.bearing_rad.unwrap() - bearing).abs() < 0.02);
    assert!(relations.iter().all(|row| row.subject < row.object && row.frame_id == "src/a/0"));
    let arrangements = outcome.rows::<Arrangement>();
    let middle = &by_east(0.0).instance_id;
    let kinds: Vec<_> =
        arrangements.iter().map(|row| (row.kind, row.members.len(), &row.members[1] == middle)).collect();
    assert_eq!(kinds, [(ArrangementKind::Between, 3, true), (ArrangementKind::Row, 3, true)]);
    assert!(arrangements.iter().all(|row| (row.length_m - 18.0).abs() < 0.2 && row.deviation_m < 0.2));
    assert!(arrangements.iter().flat_map(|row| &row.members).all(|id| ids.contains(&id.as_str())));
    assert!(outcome.rows::<OrientedBox>().is_empty(), "nobody asked for them");
}

#[test]
fn boxes_at_any_angle_are_written_on_request() {
    let bench = bench(&[(MIDDLE, vec![HOUSE, car(-15.0, -8.0)])]);
    let options = json!({ "with_oriented_box": true });
    let outcome = bench.run(|context| STAGE.configure(&options).unwrap().run(context));
    let boxes = outcome.rows::<OrientedBox>();
    let [found] = boxes.as_slice() else { panic!("{boxes:?}") };
    assert_eq!(found.instance_id, of(&outcome, "building")[0].instance_id, "cars are placed by rays");
    // From above only the roof is seen: a level plate at 18 m.
    assert!((found.length_m - 20.0).abs() < 0.3 && (found.width_m - 12.0).abs() < 0.3 && found.thickness_m < 0.01);
    assert!((found.x - 4.0).hypot(found.y + 3.0) < 0.15 && (found.z - 18.0).abs() < 0.01);
    let (x, y, z, w) = (found.qx, found.qy, found.qz, found.qw);
    assert!((x * x + y * y + z * z + w * w - 1.0).abs() < 1e-9);
    // Its first axis is that of the house, 30 degrees from east towards north.
    let first = [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)];
    assert!((first[0] - (PI / 6.0).cos()).abs() < 0.01 && (first[1] - 0.5).abs() < 0.01 && first[2].abs() < 0.01);
}

#[test]
fn a_mask_without_depth_or_that_is_none_is_a_reject() {
    let frames = [(MIDDLE, vec![HOUSE]), (MIDDLE, vec![HOUSE])];
    let mut contents: Vec<Content> = (0..2).map(|number| content(number, MIDDLE, &[HOUSE])).collect();
    let broken = b"\x89PNG\r\n\x1a\nnot much".to_vec();
    contents[0].1 = mask_row(0, &broken);
    contents[0].0 = broken;
    contents[1].3.frame_id = "src/a/7".into();
    let outcome = run(&bench_of(&frames, contents));
    let rejects: Vec<(String, String)> =
        outcome.rejects().into_iter().map(|reject| (reject.record_id, reject.reason)).collect();
    let expected = [("src/a/0", "truncated"), ("src/a/1", "no_depth")];
    assert_eq!(rejects, expected.map(|(id, reason)| (id.to_owned(), reason.to_owned())));
    assert!(outcome.rows::<Instance>().is_empty());
}

#[test]
fn colours_are_looked_up() {
    let coloured = |mut row: MaskClass, [red, green, blue]: [i64; 3]| {
        (row.red, row.green, row.blue) = (Some(red), Some(green), Some(blue));
        row
    };
    let rows = [
        coloured(row_of(1, "road", ClassKind::Ground), [0, 0, 0]),
        coloured(row_of(2, "building", ClassKind::Thing), [9, 8, 7]),
    ];
    let table = ClassTable::new(rows.iter());
    let colours = vec![[0, 0, 0], [9, 8, 7], [1, 1, 1], [9, 8, 7], [1, 1, 1]];
    let (values, foreign) = table.values(Labels::Colours(colours), 3);
    assert_eq!(values, [1, 2, u16::MAX, 2, u16::MAX]);
    let found: Vec<_> = foreign.iter().map(|own| (own.label.as_str(), own.pixels)).collect();
    assert_eq!(found, [("1,1,1", 2)]);
    let indexed = Labels::Ids { values: vec![1, 0], palette: vec![[0, 0, 0], [9, 8, 7]] };
    assert_eq!(table.values(indexed, 2), (vec![2, 1], vec![]));
}

/// Headings of a car that was seen at these places, east and north, at these times.
fn headings(places: &[(f64, f64)], times: &[f64]) -> Vec<Option<f64>> {
    let seen = |(number, &(x, y)): (usize, &(f64, f64))| {
        let row = json!({
            "instance_id": format!("r/{number}#0"), "frame_id": format!("r/{number}"), "recording_id": "r",
            "object_id": "r#object0", "category": "car", "moving": true, "pixels": 9, "x1": 0.0, "y1": 0.0, "x2": 1.0,
            "y2": 1.0, "truncated": false, "visibility": null, "placed_by": "ground_rays", "x": x, "y": y, "base_z": 0.0,
            "top_z": null, "length_m": 4.0, "width_m": 2.0, "footprint_m2": 8.0, "height_m": null, "axis_yaw_rad": 0.0,
            "heading_rad": null, "heading_source": null, "distance_m": 50.0
        });
        serde_json::from_value::<Instance>(row).unwrap()
    };
    let mut rows: Vec<Instance> = places.iter().enumerate().map(seen).collect();
    add_headings(&mut rows, times, 1.0, 2.0);
    rows.into_iter().map(|row| row.heading_rad).collect()
}

#[test]
fn headings_need_a_way() {
    // South, then west: in between both.
    let turned = headings(&[(0.0, 0.0), (0.0, -3.0), (-3.0, -3.0)], &[0.0, 0.5, 1.0]);
    let expected = [PI, 1.25 * PI, 1.5 * PI];
    assert!(turned.iter().zip(expected).all(|(found, truth)| (found.unwrap() - truth).abs() < 1e-12), "{turned:?}");
    assert_eq!(headings(&[(0.0, 0.0), (0.4, 0.0), (0.8, 0.0)], &[0.0, 0.5, 1.0]), [None; 3], "less than a metre");
    assert_eq!(headings(&[(0.0, 0.0), (9.0, 0.0)], &[0.0, 5.0]), [None; 2], "too long ago");
    assert_eq!(headings(&[(0.0, 0.0)], &[0.0]), [None]);
    let north_west = headings(&[(0.0, 0.0), (-5.0, 5.0)], &[0.0, 1.0])[0].unwrap();
    assert!((north_west - (TAU - PI / 4.0)).abs() < 1e-12, "clockwise from north, never negative");
}

#[test]
fn settings_are_checked() {
    assert!(LiftConfig::default().validate().is_ok());
    for bad in [
        LiftConfig { gap_m: 0.0, ..LiftConfig::default() },
        LiftConfig { nms_tightness: 1.5, ..LiftConfig::default() },
        LiftConfig { gate_m: f64::NAN, ..LiftConfig::default() },
        LiftConfig { least_motion_m: -1.0, ..LiftConfig::default() },
        LiftConfig { relations_within_m: 0.0, ..LiftConfig::default() },
        LiftConfig { row_spacing_share: 0.5, ..LiftConfig::default() },
    ] {
        assert!(bad.validate().is_err());
    }
}
