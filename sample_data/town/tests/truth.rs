//! The truth table against the written files.

use super::by_hand::{HEIGHT, HandCamera, HandMesh, RECORDINGS, WIDTH, camera, in_box, mask, meets_box, mesh, minus};
use super::town;
use crate::plane::point;
use crate::town::class::TownClass;
use crate::town::plan;
use crate::town::table::TownRow;
use std::collections::{BTreeMap, BTreeSet};

/// Rows of each frame.
fn frames() -> BTreeMap<(&'static str, u32), Vec<&'static TownRow>> {
    let mut frames: BTreeMap<(&str, u32), Vec<&TownRow>> = BTreeMap::new();
    for row in &town().1.rows {
        frames.entry((&row.recording, row.frame_number)).or_default().push(row);
    }
    frames
}

/// Left, top, right, bottom.
type Bounds = [f64; 4];

fn bounds(points: impl IntoIterator<Item = (f64, f64)>) -> Bounds {
    let none = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
    points.into_iter().fold(none, |b, (x, y)| [b[0].min(x), b[1].min(y), b[2].max(x), b[3].max(y)])
}

/// Where the image shows the corners of a box that lie at these heights (-1 its foot, 1 its top).
fn corners(row: &TownRow, camera: &HandCamera, heights: &[f64]) -> Bounds {
    let shares = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let corners = heights.iter().flat_map(|&height| shares.map(|(along, across)| [along, across, height]));
    bounds(corners.map(|shares| camera.project(in_box(row, shares))))
}

fn overlap(a: Bounds, b: Bounds, margin: f64) -> bool {
    a[0] < b[2] + margin && b[0] < a[2] + margin && a[1] < b[3] + margin && b[1] < a[3] + margin
}

#[test]
fn north_is_up_in_nadir_frames() {
    for frame in 0..8 {
        let camera = camera("nadir", frame);
        let [x, y, z] = camera.position;
        let (below, north) = (camera.project([x, y, z - 80.0]), camera.project([x, y + 10.0, z - 80.0]));
        let east = camera.project([x + 10.0, y, z - 80.0]);
        // 520 pixels of focal length: 65 pixels for 10 m at 80 m, less what the lens bends.
        assert!((below.1 - north.1 - 65.0).abs() < 0.5 && (below.0 - north.0).abs() < 0.5, "{below:?} {north:?}");
        assert!((east.0 - below.0 - 65.0).abs() < 0.5 && (below.1 - east.1).abs() < 0.5, "{below:?} {east:?}");
    }
}

#[test]
fn the_oblique_flight_looks_50_degrees_down_along_a_curve() {
    let mut headings = BTreeSet::new();
    for frame in 0..8 {
        let camera = camera("oblique", frame);
        let [x, y, z] = camera.ray(WIDTH / 2, HEIGHT / 2);
        assert!(((-z).atan2(x.hypot(y)).to_degrees() - 50.0).abs() < 0.1);
        assert!((camera.position[0].hypot(camera.position[1]) - 72.0).abs() < 1e-9);
        headings.insert((x.atan2(y).to_degrees() * 10.0).round() as i64);
    }
    assert!(headings.last().unwrap() - headings.first().unwrap() > 250, "{headings:?}");
}

/// Places in the box of a row that the object fills, whatever its shape: shares of the box.
fn solid_places(row: &TownRow) -> impl Iterator<Item = [f64; 3]> {
    let (corner, height) = match row.class {
        TownClass::Container => (1.0, 1.0),
        // Below the eaves.
        TownClass::Building => (1.0, -0.3),
        // Vehicles are narrower above.
        _ => (0.9, -0.2),
    };
    let ridge = if row.class == TownClass::Building { 1.0 } else { height };
    // The L-shaped building, 18 m long, lacks a corner.
    let is_whole = row.length_m != 18.0;
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].into_iter().filter(move |_| is_whole);
    let corners = corners.map(move |(along, across)| [along * corner, across * corner, height]);
    corners.chain([[-corner, 0.0, ridge], [corner, 0.0, ridge]])
}

#[test]
fn masks_lie_between_projected_boxes_and_what_fills_them() {
    let mut compared: BTreeMap<TownClass, u32> = BTreeMap::new();
    for ((recording, frame), rows) in frames() {
        let (camera, mask) = (camera(recording, frame as usize), mask(recording, frame));
        let boxes: Vec<Bounds> = rows.iter().map(|row| corners(row, &camera, &[-1.0, 1.0])).collect();
        for (row, &outer) in rows.iter().zip(&boxes) {
            let others = rows.iter().zip(&boxes).filter(|(other, _)| other.object_number != row.object_number);
            let mut near = others.filter(|(other, bounds)| other.class == row.class && overlap(**bounds, outer, 6.0));
            if row.touches_border || row.visible_px < row.silhouette_px || near.next().is_some() {
                continue;
            }
            let columns = (outer[0] - 3.0).max(0.0) as usize..((outer[2] + 3.0) as usize).min(WIDTH);
            let pixels = (0..HEIGHT).flat_map(|y| columns.clone().map(move |x| (x, y)));
            let pixels = pixels.filter(|&(_, y)| (outer[1] - 3.0..outer[3] + 3.0).contains(&(y as f64)));
            let own = pixels.filter(|&(x, y)| mask[y * WIDTH + x] == row.class.value());
            let own: Vec<(usize, usize)> = own.collect();
            assert_eq!(own.len(), row.visible_px as usize, "{row:?}");
            let shown = bounds(own.iter().flat_map(|&(x, y)| [(x as f64, y as f64), (x as f64 + 1.0, y as f64 + 1.0)]));
            let inner = bounds(solid_places(row).map(|shares| camera.project(in_box(row, shares))));
            // A pixel belongs to what is at its centre; the tip of a corner may lie between centres for a pixel and a half.
            for side in 0..4 {
                let out = if side < 2 { -1.0 } else { 1.0 };
                assert!(out * (shown[side] - outer[side]) < 0.51, "side {side}: {shown:?} leaves {outer:?}, {row:?}");
                let missing = out * (inner[side] - shown[side]);
                assert!(missing < 1.51, "side {side}: {shown:?} does not reach {inner:?}, {row:?}");
            }
            *compared.entry(row.class).or_default() += 1;
        }
    }
    assert!(compared.len() == 5 && compared.values().sum::<u32>() > 150, "{compared:?}");
}

#[test]
fn masks_show_the_class_nearest_along_the_ray() {
    let mesh = mesh();
    let mut moving_seen = 0;
    for ((recording, frame), rows) in frames().into_iter().filter(|((_, frame), _)| frame % 3 == 0) {
        let (camera, mask) = (camera(recording, frame as usize), mask(recording, frame));
        let moving: Vec<&&TownRow> = rows.iter().filter(|row| row.is_moving).collect();
        // Steps without a common divisor with the width, so that columns differ from row to row.
        for pixel in (2 * WIDTH + 3..(HEIGHT - 2) * WIDTH).step_by(1009) {
            let (column, row) = (pixel % WIDTH, pixel / WIDTH);
            let around = [pixel - 1, pixel + 1, pixel - WIDTH, pixel + WIDTH];
            if around.iter().any(|&other| mask[other] != mask[pixel]) {
                continue;
            }
            let ray = camera.ray(column, row);
            let label = mesh.hit(camera.position, ray, |_| true).map_or(0, |(_, label)| label);
            let met = moving.iter().filter(|row| meets_box(row, camera.position, ray));
            let met: Vec<u8> = met.map(|row| row.class.value()).collect();
            // A box about a vehicle has corners that the vehicle does not fill.
            let is_right = mask[pixel] == label || met.contains(&mask[pixel]);
            assert!(is_right, "{recording} {frame} at {column},{row}: {}, not {label} or {met:?}", mask[pixel]);
            moving_seen += u32::from(mask[pixel] != label);
        }
    }
    assert!(moving_seen > 5, "{moving_seen} pixels show what moves");
}

#[test]
fn visible_pixels_are_those_of_the_masks() {
    for ((recording, frame), rows) in frames() {
        let mask = mask(recording, frame);
        let classes = rows.iter().map(|row| row.class).collect::<BTreeSet<_>>();
        for class in classes {
            let shown = mask.iter().filter(|&&value| value == class.value()).count();
            let of_class = rows.iter().filter(|row| row.class == class);
            let stated: u32 = of_class.map(|row| row.visible_px).sum();
            assert_eq!(shown, stated as usize, "{recording} {frame} {}", class.name());
        }
    }
    let rows = &town().1.rows;
    assert!(rows.iter().all(|row| row.visible_px <= row.silhouette_px && row.silhouette_px > 0));
    let some = |test: &dyn Fn(&TownRow) -> bool| rows.iter().filter(|row| test(row)).count();
    assert!(some(&|row| row.visible_px < row.silhouette_px) > 20, "nothing is hidden");
    // The box round what is seen of it has room for its pixels, and reaches the border only where its outline does.
    for row in rows {
        let Some([x1, y1, x2, y2]) = row.visible_box_px else {
            assert_eq!((row.visible_px, row.touches_its_class), (0, false), "{row:?}");
            continue;
        };
        assert!(row.visible_px > 0 && row.visible_px <= (x2 - x1) * (y2 - y1), "{row:?}");
        let reaches = x1 == 0 || y1 == 0 || x2 == 640 || y2 == 512;
        assert!(x2 <= 640 && y2 <= 512 && (!reaches || row.touches_border), "{row:?}");
    }
    assert!(some(&|row| row.touches_its_class) > 20 && some(&|row| !row.touches_its_class) > 300);
    assert!(some(&|row| row.touches_border) > 20 && some(&|row| !row.touches_border) > 300);
}

#[test]
fn what_lies_inside_the_image_does_not_touch_its_border() {
    let mut outside = 0;
    for ((recording, frame), rows) in frames() {
        let camera = camera(recording, frame as usize);
        for row in rows {
            let [left, top, right, bottom] = corners(row, &camera, &[-1.0, 1.0]);
            let is_inside = left > 0.5 && top > 0.5 && right < WIDTH as f64 - 0.5 && bottom < HEIGHT as f64 - 0.5;
            assert!(!(is_inside && row.touches_border), "{row:?}");
            let middle = camera.project([row.x_m, row.y_m, row.z_m]);
            let is_cut = !(0.0..WIDTH as f64).contains(&middle.0) || !(0.0..HEIGHT as f64).contains(&middle.1);
            outside += u32::from(is_cut);
            assert!(!is_cut || row.touches_border, "its centre is outside: {row:?}");
        }
    }
    assert!(outside > 5, "{outside}");
}

#[test]
fn distances_are_those_from_the_position_in_the_file() {
    for row in &town().1.rows {
        let position = camera(&row.recording, row.frame_number as usize).position;
        let [x, y, z] = minus([row.x_m, row.y_m, row.z_m], position);
        assert!((row.distance_m - x.hypot(y).hypot(z)).abs() < 1e-6, "{row:?}");
    }
}

#[test]
fn boxes_stand_on_the_ground_of_the_mesh() {
    let mesh = mesh();
    let mut seen = BTreeSet::new();
    for row in town().1.rows.iter().filter(|row| row.is_moving || seen.insert(row.object_number)) {
        let ground = mesh.ground_at(row.x_m, row.y_m);
        assert!((row.ground_z_m - ground).abs() < 1e-4, "{row:?}: ground at {ground}");
        let foot = row.z_m - row.height_m / 2.0;
        if row.heading_deg.is_some() {
            assert!((foot - ground).abs() < 1e-4, "{row:?}");
            continue;
        }
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(along, across)| {
            let [x, y, _] = in_box(row, [along, across, 0.0]);
            mesh.ground_at(x, y)
        });
        let lowest = corners.into_iter().fold(f64::INFINITY, f64::min);
        assert!(foot < lowest && foot > lowest - 0.3, "foot {foot}, ground {lowest}, {row:?}");
        // The mesh ends where the box ends.
        let highest = highest_in(&mesh, row);
        assert!((highest - (row.z_m + row.height_m / 2.0)).abs() < 1e-4, "{highest} m, {row:?}");
    }
    // The ground is no plane: local ground matters.
    let grounds: Vec<f64> = town().1.rows.iter().map(|row| row.ground_z_m).collect();
    let range = grounds.iter().copied().fold(f64::MIN, f64::max) - grounds.iter().copied().fold(f64::MAX, f64::min);
    assert!(range > 2.0, "{range} m");
}

/// Highest vertex of the class of a row within its box as seen from above.
fn highest_in(mesh: &HandMesh, row: &TownRow) -> f64 {
    let (sine, cosine) = row.axis_yaw_deg.to_radians().sin_cos();
    let of_class = mesh.faces.iter().zip(&mesh.labels).filter(|(_, label)| **label == row.class.value());
    let vertices = of_class.flat_map(|(face, _)| face.map(|corner| mesh.vertices[corner]));
    let inside = vertices.filter(|[x, y, _]| {
        let (east, north) = (x - row.x_m, y - row.y_m);
        let (along, across) = (east * cosine + north * sine, north * cosine - east * sine);
        along.abs() < row.length_m / 2.0 + 1e-3 && across.abs() < row.width_m / 2.0 + 1e-3
    });
    inside.map(|[.., z]| z).fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn the_mesh_holds_what_stands_and_nothing_that_moves() {
    let mesh = mesh();
    for row in &town().1.rows {
        let is_there = highest_in(&mesh, row).is_finite();
        assert_eq!(is_there, !row.is_moving, "{row:?}");
    }
    // Nor does it hold a vehicle anywhere else: those that stand are as many as its parts say.
    let vehicles = mesh.labels.iter().filter(|&&label| label >= TownClass::Car.value()).count();
    let town = plan::town(crate::DEFAULT_SEED);
    let parked = |class| town.objects.iter().filter(|object| object.class == class && !object.is_moving).count();
    // A car has two blocks, a truck three, of ten triangles each.
    assert_eq!(vehicles, parked(TownClass::Car) * 20 + parked(TownClass::Truck) * 30);
    assert_eq!((parked(TownClass::Car), parked(TownClass::Truck), parked(TownClass::Bus)), (10, 2, 0));
}

#[test]
fn angles_and_numbers_are_in_range() {
    for row in &town().1.rows {
        assert!((0.0..180.0).contains(&row.axis_yaw_deg), "{row:?}");
        assert!(row.length_m >= row.width_m && row.width_m > 0.0 && row.height_m > 0.0, "{row:?}");
        assert_eq!(row.heading_deg.is_some(), row.colour.is_some(), "vehicles have fronts and colours");
        if let Some(heading) = row.heading_deg {
            assert!((0.0..360.0).contains(&heading), "{row:?}");
            let axis = (90.0 - heading).rem_euclid(180.0);
            let difference = (axis - row.axis_yaw_deg).abs();
            assert!(difference.min(180.0 - difference) < 0.002, "{row:?}");
        }
    }
    let seen: BTreeSet<(&str, u32)> = town().1.rows.iter().map(|row| (row.class.name(), row.object_number)).collect();
    let numbers: BTreeSet<u32> = seen.iter().map(|(_, number)| *number).collect();
    assert_eq!(seen.len(), numbers.len(), "a number stands for one object");
    let count = |class| seen.iter().filter(|(name, _)| *name == class).count();
    assert!(count("building") >= 14 && count("container") == 8 && count("bus") == 1 && count("truck") == 4);
    for recording in RECORDINGS {
        assert!(town().1.rows.iter().filter(|row| row.recording == recording).count() > 250);
    }
}

#[test]
fn places_lie_on_the_ground_and_show_their_class() {
    let mesh = mesh();
    let truth = &town().1;
    assert_eq!(truth.places.len(), 8);
    for (number, place) in truth.places.iter().enumerate() {
        let corners = place.corners.map(|[x, y, _]| point(x, y));
        for (corner, &[x, y, z]) in corners.iter().zip(&place.corners) {
            let inwards = corners[0] + (corners[2] - corners[0]) * 0.5 - *corner;
            let inside = *corner + inwards * (0.001 / inwards.length());
            assert!((mesh.ground_at(inside.x, inside.y) - z).abs() < 1e-3, "{} at {x} {y}", place.name);
        }
        let sides = [corners[1] - corners[0], corners[3] - corners[0]];
        assert!(sides[0].cross(sides[1]) > 0.0 && sides[0].dot(sides[1]).abs() < 1e-6, "{}", place.name);
        let later = &truth.places[number + 1..];
        for (along, across) in [(0.3, 0.3), (0.5, 0.5), (0.7, 0.2), (0.55, 0.9)] {
            let at = corners[0] + sides[0] * along + sides[1] * across;
            let (_, label) =
                mesh.hit([at.x, at.y, 1000.0], [0.0, 0.0, -1.0], |label| (1..=4).contains(&label)).unwrap();
            let is_covered = later.iter().any(|other| holds(other.corners, at));
            assert!(is_covered || label == place.class.value(), "{}", place.name);
        }
    }
}

fn holds(corners: [[f64; 3]; 4], at: crate::plane::Point) -> bool {
    let corners = corners.map(|[x, y, _]| point(x, y));
    (0..4).all(|side| (corners[(side + 1) % 4] - corners[side]).cross(at - corners[side]) >= 0.0)
}
