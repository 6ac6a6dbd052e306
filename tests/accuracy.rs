//! How near depth and boxes come to the truth of the sample town, which lifting knows nothing of. The figures are printed
//! (`--nocapture`) and held.

use crate::harness::{Project, files};
use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::PI;
use uavgen_core::store::TableReader;
use uavgen_geometry::{GroundBox, Rectangle};
use uavgen_sample_data::{DEFAULT_SEED, TownRow, write_town};
use uavgen_schemas::{DepthMap, Instance, PlacedBy, Record, Reject};

/// Rows of a table of a stage, over all results in the store.
fn stored<R: Record>(project: &Project, stage: &str) -> Vec<R> {
    let name = format!("{}.parquet", R::TABLE);
    let found = files(&project.path().join("store").join(stage)).into_iter().filter(|file| file.ends_with(&name));
    found.flat_map(|file| TableReader::open(&file).unwrap().rows().unwrap()).collect()
}

/// The town with its truth, lifted.
fn town() -> (Project, Vec<TownRow>) {
    let project = Project::empty();
    let truth = write_town(&project.path().join("data"), DEFAULT_SEED).unwrap();
    project.init(&["posed-mesh=data/town"]);
    project.run(&["build", "--stage", "lift"]).expect_code(0);
    (project, truth.rows)
}

/// Errors of the instances of one class.
#[derive(Default)]
struct Errors {
    truths: usize,
    centres_m: Vec<f64>,
    yaws_rad: Vec<f64>,
    ious: Vec<f64>,
    heights_m: Vec<f64>,
    headings_rad: Vec<f64>,
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Smallest difference of two angles that mean the same after `period`.
fn apart(a: f64, b: f64, period: f64) -> f64 {
    let off = (a - b).rem_euclid(period);
    off.min(period - off)
}

/// Frame of a truth row, as ids have it.
fn frame_id(row: &TownRow) -> String {
    format!("mesh/{}/{}", row.recording, row.frame_number)
}

/// Whether enough of an object is to be seen for its box to be asked for.
fn is_well_seen(row: &TownRow) -> bool {
    row.visible_px >= 250 && 2 * row.visible_px >= row.silhouette_px && !row.touches_border
}

/// Objects nearer than this to another of their class are one to lifting, whose `gap_m` is 0.4: what a mesh and a mask show as one.
const APART_M: f64 = 0.7;

/// Outline of the footprint of a truth row as points 20 cm apart.
fn outline(row: &TownRow) -> Vec<[f64; 2]> {
    let (sin, cos) = row.axis_yaw_deg.to_radians().sin_cos();
    let (half_length, half_width) = (row.length_m / 2.0, row.width_m / 2.0);
    let mut points = Vec::new();
    let steps = |half: f64| {
        (0..=(half * 10.0).ceil() as i32).map(move |step| -half + 2.0 * half * f64::from(step) / (half * 10.0).ceil())
    };
    let mut push = |along: f64, across: f64| {
        points.push([row.x_m + along * cos - across * sin, row.y_m + along * sin + across * cos]);
    };
    for along in steps(half_length) {
        push(along, half_width);
        push(along, -half_width);
    }
    for across in steps(half_width) {
        push(half_length, across);
        push(-half_length, across);
    }
    points
}

/// Numbers of the objects that stand nearly at another one of their class.
fn crowded(truth: &[TownRow]) -> BTreeSet<u32> {
    let mut standing: BTreeMap<u32, &TownRow> = BTreeMap::new();
    truth.iter().filter(|row| !row.is_moving).for_each(|row| _ = standing.entry(row.object_number).or_insert(row));
    let outlines: Vec<(&TownRow, Vec<[f64; 2]>)> = standing.into_values().map(|row| (row, outline(row))).collect();
    let mut crowded = BTreeSet::new();
    for (at, (row, own)) in outlines.iter().enumerate() {
        for (other, others) in &outlines[at + 1..] {
            let near = |a: &[f64; 2]| others.iter().any(|b| (a[0] - b[0]).hypot(a[1] - b[1]) < APART_M);
            if row.class == other.class && own.iter().any(near) {
                crowded.extend([row.object_number, other.object_number]);
            }
        }
    }
    crowded
}

/// Pairs each well seen object with the nearest instance of its class on its frame, each instance once.
fn matched<'a>(truth: &'a [TownRow], instances: &'a [Instance]) -> Vec<(&'a TownRow, Option<&'a Instance>)> {
    let distance = |row: &TownRow, one: &Instance| (row.x_m - one.x).hypot(row.y_m - one.y);
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for (at, row) in truth.iter().enumerate() {
        let same = |one: &Instance| one.frame_id == frame_id(row) && one.category == row.class.name();
        let near = instances.iter().enumerate().filter(|(_, one)| same(one));
        pairs.extend(near.map(|(position, one)| (distance(row, one), at, position)).filter(|pair| pair.0 < 3.0));
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut found, mut taken) = (BTreeMap::new(), BTreeSet::new());
    for (_, at, position) in pairs {
        if !found.contains_key(&at) && taken.insert(position) {
            found.insert(at, &instances[position]);
        }
    }
    truth.iter().enumerate().map(|(at, row)| (row, found.get(&at).copied())).collect()
}

fn errors_by_class(truth: &[TownRow], instances: &[Instance]) -> BTreeMap<String, Errors> {
    let mut by_class: BTreeMap<String, Errors> = BTreeMap::new();
    let crowded = crowded(truth);
    let is_asked = |row: &TownRow| is_well_seen(row) && !crowded.contains(&row.object_number);
    for (row, found) in matched(truth, instances).into_iter().filter(|(row, _)| is_asked(row)) {
        let errors = by_class.entry(row.class.name().to_owned()).or_default();
        errors.truths += 1;
        let Some(found) = found else { continue };
        errors.centres_m.push((row.x_m - found.x).hypot(row.y_m - found.y));
        let yaw = row.axis_yaw_deg.to_radians();
        // A nearly square footprint has no axis.
        if row.length_m > 1.2 * row.width_m {
            errors.yaws_rad.push(apart(found.axis_yaw_rad, yaw, PI));
        }
        let base = row.z_m - row.height_m / 2.0;
        let own = GroundBox::new(
            Rectangle::new([row.x_m, row.y_m], row.length_m, row.width_m, yaw),
            base,
            base + row.height_m,
        );
        let footprint = Rectangle::new([found.x, found.y], found.length_m, found.width_m, found.axis_yaw_rad);
        match found.top_z {
            Some(top) => errors.ious.push(own.iou(&GroundBox::new(footprint, found.base_z, top))),
            // Without a height, of the footprints.
            None => errors.ious.push(own.iou(&GroundBox::new(footprint, own.base_m(), own.top_m()))),
        }
        errors.heights_m.extend(found.height_m.map(|height| (height - (base + row.height_m - row.ground_z_m)).abs()));
        if let (Some(heading), Some(true_heading)) = (found.heading_rad, row.heading_deg) {
            errors.headings_rad.push(apart(heading, true_heading.to_radians(), 2.0 * PI));
        }
    }
    by_class
}

#[test]
fn boxes_of_the_town_are_near_its_truth() {
    let (project, truth) = town();
    assert!(stored::<Reject>(&project, "depth").is_empty() && stored::<Reject>(&project, "lift").is_empty());
    let maps: Vec<DepthMap> = stored(&project, "depth");
    assert_eq!(maps.len(), 16);
    assert!(maps.iter().all(|map| map.known_share > 0.9), "the town fills its pictures");
    let instances: Vec<Instance> = stored(&project, "lift");
    let by_class = errors_by_class(&truth, &instances);
    println!("class        seen found  centre m (median)  yaw deg  IoU (mean)  height m  heading deg");
    for (class, errors) in &by_class {
        println!(
            "{class:<12} {:>4} {:>5} {:>18.3} {:>8.2} {:>11.3} {:>9.3} {:>12.2}",
            errors.truths,
            errors.centres_m.len(),
            median(&errors.centres_m),
            median(&errors.yaws_rad).to_degrees(),
            mean(&errors.ious),
            median(&errors.heights_m),
            median(&errors.headings_rad).to_degrees(),
        );
    }
    for (class, least_found, most_centre_m, least_iou) in [
        ("building", 0.97, 0.05, 0.84),
        ("container", 0.9, 0.05, 0.85),
        ("car", 0.95, 0.15, 0.8),
        ("truck", 0.95, 0.2, 0.75),
        ("bus", 0.95, 1.0, 0.55),
    ] {
        let errors = by_class.get(class).unwrap_or_else(|| panic!("no {class} is well seen"));
        let found = errors.centres_m.len() as f64 / errors.truths as f64;
        assert!(found >= least_found, "{class}: {found} found");
        assert!(median(&errors.centres_m) <= most_centre_m, "{class}: {} m off", median(&errors.centres_m));
        assert!(mean(&errors.ious) >= least_iou, "{class}: IoU {}", mean(&errors.ious));
    }
    // What stands has its heights, what may move has none.
    assert!(median(&by_class["building"].heights_m) <= 0.1);
    assert!(instances.iter().all(|one| one.moving == (one.placed_by == PlacedBy::GroundRays)));
    assert!(instances.iter().all(|one| one.top_z.is_some() == (one.placed_by == PlacedBy::Depth)));
    assert!(median(&by_class["car"].headings_rad).to_degrees() <= 5.0);
}

#[test]
fn objects_of_the_town_keep_their_ids() {
    let (project, truth) = town();
    let instances: Vec<Instance> = stored(&project, "lift");
    let (pairs, crowded) = (matched(&truth, &instances), crowded(&truth));
    let is_asked = |row: &TownRow| is_well_seen(row) && !crowded.contains(&row.object_number);
    let mut ids: BTreeMap<(&str, u32), BTreeMap<&str, usize>> = BTreeMap::new();
    let mut of_id: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for (row, found) in pairs.iter().filter(|(row, _)| is_asked(row)) {
        let Some(found) = found else { continue };
        *ids.entry((&row.recording, row.object_number)).or_default().entry(&found.object_id).or_default() += 1;
        of_id.entry(&found.object_id).or_default().insert(row.object_number);
    }
    let several: Vec<_> = ids.values().filter(|ids| ids.values().sum::<usize>() > 1).collect();
    let kept = several.iter().filter(|ids| ids.len() == 1).count();
    println!("objects seen on several frames {}, with one id {kept}", several.len());
    assert!(several.len() > 40 && kept as f64 >= 0.9 * several.len() as f64, "{kept} of {}", several.len());
    // And no id is that of two objects.
    let mixed = of_id.values().filter(|objects| objects.len() > 1).count();
    println!("ids {}, of several objects {mixed}", of_id.len());
    assert!(mixed as f64 <= 0.05 * of_id.len() as f64, "{mixed} of {}", of_id.len());
}
