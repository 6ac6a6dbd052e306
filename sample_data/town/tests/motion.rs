//! Motion: the route by hand, and displacements against speeds.

use super::town;
use crate::plane::{Point, point};
use crate::town::plan;
use crate::town::route::{Piece, Route};
use crate::town::shape::Shape;
use crate::town::table::TownRow;
use std::collections::BTreeMap;
use std::f64::consts::FRAC_PI_2;

/// Rows of each object that moves, frame by frame, of either recording.
fn moving() -> BTreeMap<(&'static str, u32), Vec<&'static TownRow>> {
    let mut tracks: BTreeMap<(&str, u32), Vec<&TownRow>> = BTreeMap::new();
    for row in town().1.rows.iter().filter(|row| row.is_moving) {
        tracks.entry((&row.recording, row.object_number)).or_default().push(row);
    }
    tracks
}

fn assert_near(found: Point, expected: (f64, f64)) {
    assert!((found - point(expected.0, expected.1)).length() < 1e-9, "{found:?}, not {expected:?}");
}

#[test]
fn a_route_turns_as_worked_out_by_hand() {
    let (start, heading) = (point(6.0, 2.0), point(-1.0, 0.0));
    let pieces = vec![Piece::Straight(9.0), Piece::Right(5.0), Piece::Left(2.0)];
    let route = Route { start, heading, pieces, speed: 1.0, braking: 0.0 };
    assert_near(route.at(4.0).centre, (2.0, 2.0));
    // West, then a quarter to the right about (-3, 7): half of it, and all of it.
    let half = route.at(9.0 + 2.5 * FRAC_PI_2);
    let eighth = 0.5f64.sqrt();
    assert_near(half.centre, (-3.0 - 5.0 * eighth, 7.0 - 5.0 * eighth));
    assert_near(half.heading, (-eighth, eighth));
    let north = route.at(9.0 + 5.0 * FRAC_PI_2);
    assert_near(north.centre, (-8.0, 7.0));
    assert_near(north.heading, (0.0, 1.0));
    // A quarter to the left about (-10, 7), then straight on to the west.
    let west = route.at(9.0 + 7.0 * FRAC_PI_2 + 3.0);
    assert_near(west.centre, (-13.0, 9.0));
    assert_near(west.heading, (-1.0, 0.0));
}

#[test]
fn braking_ends_in_a_halt() {
    let route = Route { speed: 10.0, braking: 5.0, ..Route::standing(point(0.0, 0.0), point(0.0, 1.0)) };
    assert_near(route.at(1.0).centre, (0.0, 7.5));
    assert_eq!(route.at(1.0).speed, 5.0);
    for seconds in [2.0, 3.5] {
        assert_near(route.at(seconds).centre, (0.0, 10.0));
        assert_eq!(route.at(seconds).speed, 0.0);
    }
}

#[test]
fn displacement_is_speed_times_time() {
    let (mut straight, mut bent) = (0, 0);
    for ((recording, number), rows) in moving() {
        for pair in rows.windows(2).filter(|pair| pair[1].frame_number == pair[0].frame_number + 1) {
            let (a, b) = (pair[0], pair[1]);
            let (east, north) = (b.x_m - a.x_m, b.y_m - a.y_m);
            // Speeds that change do so evenly, and become 0 on a frame.
            let length = 0.5 * (a.speed_mps + b.speed_mps) / 2.0;
            let turn = (b.heading_deg.unwrap() - a.heading_deg.unwrap() + 540.0).rem_euclid(360.0) - 180.0;
            let chord = east.hypot(north);
            if turn.abs() < 1e-9 {
                assert!((chord - length).abs() < 1e-9, "{recording} {number}: {chord} m, not {length}");
                let radians = a.heading_deg.unwrap().to_radians();
                assert!((east - length * radians.sin()).abs() < 1e-3, "{recording} {number}");
                assert!((north - length * radians.cos()).abs() < 1e-3, "{recording} {number}");
                straight += 1;
            } else {
                // All directions on the way lie within half the turn of the middle one.
                let shortest = length * (turn.abs() / 2.0).to_radians().cos();
                assert!(chord < length && chord > shortest - 1e-3, "{recording} {number}: {chord} of {length} m");
                bent += 1;
            }
        }
    }
    assert!(straight > 50 && bent > 8, "{straight} straight, {bent} bent");
}

#[test]
fn some_turn_one_stops_two_approach() {
    let tracks = moving();
    let objects = |test: &dyn Fn(&[&TownRow]) -> bool| {
        let found = tracks.iter().filter(|(_, rows)| test(rows)).map(|((_, number), _)| *number);
        found.collect::<std::collections::BTreeSet<u32>>().len()
    };
    assert_eq!(objects(&|_| true), 9);
    assert_eq!(objects(&|rows| rows[0].speed_mps > 0.0 && rows[rows.len() - 1].speed_mps == 0.0), 1);
    assert_eq!(objects(&|rows| rows[0].heading_deg != rows[rows.len() - 1].heading_deg), 3);
    // The first two drive towards each other all the time, at 11 and 9 m/s in lanes 4 m apart.
    let (nadir, first) = ("nadir", tracks.keys().map(|(_, number)| *number).min().unwrap());
    let state = |number: u32| tracks[&(nadir, number)].iter().map(|row| (row.frame_number, (row.x_m, row.y_m)));
    let other: BTreeMap<u32, (f64, f64)> = state(first + 1).collect();
    let apart = state(first).filter_map(|(frame, (x, y))| {
        other.get(&frame).map(|(other_x, other_y)| (frame, (x - other_x).hypot(y - other_y)))
    });
    let apart: Vec<(u32, f64)> = apart.collect();
    assert!(apart.len() > 3);
    for (frame, distance) in apart {
        let along = 90.0 - 20.0 * 0.5 * f64::from(frame);
        assert!((distance - along.hypot(4.0)).abs() < 1e-9, "{distance} on frame {frame}");
    }
}

#[test]
fn parked_and_built_stands_still() {
    let mut places: BTreeMap<u32, (f64, f64, f64)> = BTreeMap::new();
    for row in town().1.rows.iter().filter(|row| !row.is_moving) {
        let place = (row.x_m, row.y_m, row.z_m);
        assert_eq!(*places.entry(row.object_number).or_insert(place), place);
        assert_eq!(row.speed_mps, 0.0);
    }
    assert!(places.len() > 30);
}

/// Corners of the outline of every object at a time, east and north.
fn outlines(seconds: f64) -> Vec<(u32, Vec<Point>)> {
    let town = plan::town(crate::DEFAULT_SEED);
    let outline = |object: &crate::town::state::Object| {
        let stand = town.stand(object, seconds);
        (object.number, object.shape.outline().into_iter().map(|corner| stand.ground(corner)).collect())
    };
    town.objects.iter().map(outline).collect()
}

/// Largest gap between two convex outlines along the normals of their sides; negative where they overlap.
fn gap(a: &[Point], b: &[Point]) -> f64 {
    let one_way = |a: &[Point], b: &[Point]| {
        let sides = a.iter().zip(a.iter().cycle().skip(1)).map(|(&from, &to)| (from, (to - from).left() * -1.0));
        let gaps = sides.map(|(corner, outwards)| {
            let nearest = b.iter().map(|&point| (point - corner).dot(outwards)).fold(f64::INFINITY, f64::min);
            nearest / outwards.length()
        });
        gaps.fold(f64::NEG_INFINITY, f64::max)
    };
    one_way(a, b).max(one_way(b, a))
}

#[test]
fn nothing_overlaps_and_one_pair_of_buildings_all_but_touches() {
    for frame in 0..8 {
        let mut outlines = outlines(0.5 * f64::from(frame));
        // The L-shaped building is taken for the rectangle about it.
        for (_, outline) in outlines.iter_mut().filter(|(_, outline)| outline.len() > 4) {
            *outline = vec![outline[2], outline[3], outline[4], outline[1] + (outline[4] - outline[3])];
        }
        let mut nearest_buildings = f64::INFINITY;
        for (index, (number, outline)) in outlines.iter().enumerate() {
            for (other_number, other) in &outlines[..index] {
                let gap = gap(outline, other);
                assert!(gap > 0.2, "{other_number} and {number} are {gap} m apart on frame {frame}");
                if *number <= 15 {
                    nearest_buildings = nearest_buildings.min(gap);
                }
            }
        }
        assert!((nearest_buildings - 0.3).abs() < 1e-9, "{nearest_buildings}");
    }
}

#[test]
fn the_box_of_the_l_is_the_smallest_rectangle_about_it() {
    let town = plan::town(crate::DEFAULT_SEED);
    let outlines = town.objects.iter().map(|object| &object.shape).filter_map(|shape| match shape {
        Shape::Prism { outline, .. } if outline.len() == 6 => Some((outline, shape.size())),
        _ => None,
    });
    let found: Vec<_> = outlines.collect();
    let [(outline, [length, width, _])] = found[..] else { panic!("one building is L-shaped") };
    for degrees in 1..90 {
        let (sine, cosine) = f64::from(degrees).to_radians().sin_cos();
        let extent = |axis: Point| {
            let along: Vec<f64> = outline.iter().map(|corner| corner.dot(axis)).collect();
            along.iter().copied().fold(f64::MIN, f64::max) - along.iter().copied().fold(f64::MAX, f64::min)
        };
        let axis = point(cosine, sine);
        assert!(extent(axis) * extent(axis.left()) > length * width, "smaller at {degrees} degrees");
    }
}
