use super::*;
use proptest::prelude::*;
use std::f64::consts::{FRAC_PI_2, PI};

const CAR: u16 = 1;
const HOUSE: u16 = 2;

/// A box along east, 2 m wide, from 0 m to 1.5 m up.
fn car(east: f64, north: f64) -> Standing {
    let footprint = Rectangle::new([east, north], 4.0, 2.0, 0.0);
    Standing { class: CAR, footprint, base_m: 0.0, top_m: Some(1.5) }
}

fn house(east: f64, north: f64, length: f64, width: f64) -> Standing {
    let footprint = Rectangle::new([east, north], length, width, 0.0);
    Standing { class: HOUSE, footprint, base_m: 0.0, top_m: Some(9.0) }
}

fn related(objects: &[Standing]) -> Relations {
    relate(objects, &RelationOptions::default()).unwrap()
}

fn only_pair(a: Standing, b: Standing) -> Pair {
    let found = related(&[a, b]);
    let [pair] = &found.pairs[..] else { panic!("{found:?}") };
    assert_eq!((pair.subject, pair.object), (0, 1));
    pair.clone()
}

fn members(found: &Relations, kind: ArrangementKind) -> Vec<Vec<usize>> {
    found.arrangements.iter().filter(|own| own.kind == kind).map(|own| own.members.clone()).collect()
}

#[test]
fn a_pair_is_measured() {
    // 3 m between the sides along east, 4 m along north; centres 7 m and 8.5 m apart; 1.5 m and 9 m high.
    let pair = only_pair(car(0.0, 0.0), house(7.0, 8.5, 4.0, 7.0));
    assert_eq!(pair.gap_m, Some(5.0));
    let ground = (7.0_f64 * 7.0 + 8.5 * 8.5).sqrt();
    assert!((pair.ground_distance_m - ground).abs() < 1e-12);
    assert!((pair.centre_distance_m.unwrap() - (ground * ground + 3.75 * 3.75).sqrt()).abs() < 1e-12);
    assert!((pair.bearing_rad.unwrap() - (7.0_f64 / 8.5).atan()).abs() < 1e-12);
    assert_eq!(pair.vertical, Some(Vertical::Level));
    // The house is 7 m long: √(4 · 7) m are more than the gap.
    assert_eq!(pair.is_near, Some(true));
    assert_eq!(only_pair(car(0.0, 0.0), car(8.1, 0.0)).is_near, Some(false));
}

#[test]
fn bearings_go_clockwise_from_north() {
    let at = |east: f64, north: f64| only_pair(car(0.0, 0.0), car(east, north)).bearing_rad;
    assert_eq!(
        [at(0.0, 9.0), at(9.0, 0.0), at(0.0, -9.0), at(-9.0, 0.0)],
        [0.0, 0.5, 1.0, 1.5].map(|half| Some(half * PI))
    );
    assert_eq!(at(0.0, 0.0), None);
}

#[test]
fn heights_tell_above_and_below_where_they_are_known() {
    let at = |base_m: f64, top_m: Option<f64>| Standing { base_m, top_m, ..car(0.0, 0.0) };
    let of = |a: Standing, b: Standing| {
        let pair = only_pair(a, b);
        (pair.vertical, pair.gap_m, pair.is_near)
    };
    use Vertical::{Above, Below, Level};
    assert_eq!(of(at(5.0, Some(6.0)), at(0.0, Some(3.0))), (Some(Above), Some(2.0), Some(true)));
    assert_eq!(of(at(0.0, Some(3.0)), at(5.0, Some(6.0))), (Some(Below), Some(2.0), Some(true)));
    // Boxes that touch are level.
    assert_eq!(of(at(3.0, Some(6.0)), at(0.0, Some(3.0))), (Some(Level), Some(0.0), Some(true)));
    // What has no known top may reach up to a higher one, but never down to a lower one.
    assert_eq!(of(at(5.0, None), at(0.0, Some(3.0))), (Some(Above), Some(2.0), Some(true)));
    assert_eq!(of(at(0.0, None), at(5.0, Some(6.0))), (None, None, None));
    assert_eq!(of(at(1.0, None), at(0.0, Some(3.0))), (Some(Level), Some(0.0), Some(true)));
    assert_eq!(of(at(0.0, None), at(0.0, None)), (Some(Level), Some(0.0), Some(true)));
    let far = Standing { footprint: car(30.0, 0.0).footprint, ..at(5.0, Some(6.0)) };
    assert_eq!(of(at(0.0, None), far), (None, None, Some(false)), "26 m are far whatever the heights are");
    assert_eq!(only_pair(at(0.0, None), far).centre_distance_m, None);
}

#[test]
fn what_lies_in_the_corridor_is_between() {
    let ends = [house(-20.0, 0.0, 10.0, 8.0), house(20.0, 0.0, 10.0, 12.0)];
    let is_between =
        |own: Standing| members(&related(&[ends[0], own, ends[1]]), ArrangementKind::Between) == [[0, 1, 2]];
    assert!(is_between(car(0.0, 0.0)) && is_between(car(-14.0, 3.0)));
    // The corridor is as wide as the narrower house: 4 m to either side.
    assert!(is_between(car(0.0, -4.0)) && !is_between(car(0.0, 4.1)));
    // Its centre must be past the facing sides at ±15 m.
    assert!(!is_between(car(-15.1, 0.0)) && !is_between(car(26.0, 0.0)));
    // A wall that crosses the line, its middle 9 m off; and one that ends before it.
    let wall = |north: f64| Standing { class: 7, ..house(0.0, north, 0.5, 20.0) };
    assert!(is_between(wall(9.0)) && is_between(wall(10.0)) && !is_between(wall(10.1)));
    // One of 60 m, far from the middle of the pair.
    let long = |north: f64| Standing { class: 7, ..house(0.0, north, 0.5, 60.0) };
    assert!(is_between(long(29.0)) && !is_between(long(31.0)));
}

#[test]
fn what_is_between_is_measured() {
    let middle = Standing { class: HOUSE, ..car(10.0, 0.5) };
    let found = related(&[car(0.0, 0.0), middle, car(24.0, 0.0)]);
    let [own] = &found.arrangements[..] else { panic!("{found:?}") };
    assert_eq!((own.kind, own.members.as_slice()), (ArrangementKind::Between, &[0, 1, 2][..]));
    assert_eq!((own.length_m, own.deviation_m, own.spacing_m, own.spacing_deviation_m), (24.0, 0.5, 12.0, 2.0));
    assert!((own.bearing_rad - FRAC_PI_2).abs() < 1e-12);
}

#[test]
fn a_row_is_found_whole_and_once() {
    // Seven cars side by side, 3 m apart, along a line 30° from east; one of them a little off.
    let (sin, cos) = (PI / 6.0).sin_cos();
    let mut cars: Vec<Standing> =
        (0..7).map(|step| car(3.0 * cos * f64::from(step), 3.0 * sin * f64::from(step))).collect();
    cars.swap(1, 5);
    let footprint = cars[3].footprint;
    let [x, y] = footprint.centre();
    cars[3].footprint = Rectangle::new([x - 0.2 * sin, y + 0.2 * cos], 4.0, 2.0, 0.0);
    let found = related(&cars);
    assert_eq!(members(&found, ArrangementKind::Row), [[0, 5, 2, 3, 4, 1, 6]]);
    let row = found.arrangements.iter().find(|own| own.kind == ArrangementKind::Row).unwrap();
    assert!((row.length_m - 18.0).abs() < 1e-9 && (row.spacing_m - 3.0).abs() < 1e-9);
    assert!((row.deviation_m - 0.2).abs() < 1e-9 && row.spacing_deviation_m < 1e-9);
    assert!((row.bearing_rad - PI / 3.0).abs() < 1e-9);
}

#[test]
fn rows_are_straight_even_and_of_one_class() {
    let rows = |places: &[(f64, f64)]| {
        let cars: Vec<Standing> = places.iter().map(|&(east, north)| car(east, north)).collect();
        members(&related(&cars), ArrangementKind::Row)
    };
    assert_eq!(rows(&[(0.0, 0.0), (10.0, 0.0), (20.0, 0.0)]), [[0, 1, 2]]);
    // Off the line by 1 m of a spacing of 10 m, and by more.
    assert_eq!(rows(&[(0.0, 0.0), (10.0, 0.99), (20.0, 0.0)]), [[0, 1, 2]]);
    assert!(rows(&[(0.0, 0.0), (10.0, 1.01), (20.0, 0.0)]).is_empty());
    // Spacings of 12.5 m and 7.5 m are 25 % off the mean.
    assert_eq!(rows(&[(0.0, 0.0), (12.49, 0.0), (20.0, 0.0)]), [[0, 1, 2]]);
    assert!(rows(&[(0.0, 0.0), (12.51, 0.0), (20.0, 0.0)]).is_empty());
    // A gap in a row makes two of it, and each second one makes none.
    let gap = [0.0, 3.0, 6.0, 12.0, 15.0, 18.0].map(|east| (east, 0.0));
    assert_eq!(rows(&gap), [[0, 1, 2], [3, 4, 5]]);
    assert!(rows(&[(0.0, 0.0), (10.0, 0.0)]).is_empty());
    let mixed = [car(0.0, 0.0), Standing { class: HOUSE, ..car(10.0, 0.0) }, car(20.0, 0.0)];
    assert!(members(&related(&mixed), ArrangementKind::Row).is_empty());
    // On top of each other they are no row.
    assert!(rows(&[(0.0, 0.0); 5]).is_empty());
}

#[test]
fn a_grid_has_rows_columns_and_diagonals() {
    let cars: Vec<Standing> = (0..9).map(|at| car(6.0 * f64::from(at % 3), 6.0 * f64::from(at / 3))).collect();
    let found = members(&related(&cars), ArrangementKind::Row);
    let expected = [[0, 1, 2], [0, 3, 6], [0, 4, 8], [1, 4, 7], [2, 4, 6], [2, 5, 8], [3, 4, 5], [6, 7, 8]];
    assert_eq!(found, expected);
}

#[test]
fn few_and_far_objects_have_no_relations() {
    assert_eq!(related(&[]), Relations::default());
    assert_eq!(related(&[car(0.0, 0.0)]), Relations::default());
    assert_eq!(related(&[car(0.0, 0.0), car(50.1, 0.0)]), Relations::default());
    assert_eq!(related(&[car(0.0, 0.0), car(50.0, 0.0)]).pairs.len(), 1);
    let bad = RelationOptions { row_spacing_share: 0.5, ..RelationOptions::default() };
    assert!(matches!(relate(&[], &bad), Err(LiftingError::Option { option: "row_spacing_share", .. })));
}

/// Boxes on a coarse grid of places, so that many are equally far, or on top of each other.
fn crowd() -> impl Strategy<Value = Vec<Standing>> {
    let own = (0..14i32, 0..14i32, 0.0..6.0f64, 0.0..3.0f64, 0.0..PI, 0..2u16);
    let own = own.prop_map(|(x, y, length, width, yaw, class)| Standing {
        class,
        footprint: Rectangle::new(
            [f64::from(x) * 4.0 + 500_000.0, f64::from(y) * 4.0 + 5_400_000.0],
            length,
            width,
            yaw,
        ),
        base_m: 0.0,
        top_m: Some(2.0),
    });
    prop::collection::vec(own, 0..60)
}

proptest! {
    #[test]
    fn neighbours_are_those_of_all_pairs(objects in crowd(), nearest in 1..9u32, within_m in 3.0..40.0f64) {
        let options = RelationOptions { nearest: NonZero::new(nearest).unwrap(), within_m, ..RelationOptions::default() };
        let found = relate(&objects, &options).unwrap();
        let distance = |a: usize, b: usize| {
            let ([x, y], [other_x, other_y]) = (objects[a].footprint.centre(), objects[b].footprint.centre());
            (x - other_x).hypot(y - other_y)
        };
        let mut expected = Vec::new();
        for own in 0..objects.len() {
            let mut others: Vec<usize> = (0..objects.len()).filter(|other| *other != own && distance(own, *other) <= within_m).collect();
            others.sort_by(|a, b| distance(own, *a).total_cmp(&distance(own, *b)).then(a.cmp(b)));
            expected.extend(others.into_iter().take(nearest as usize).map(|other| (own.min(other), own.max(other))));
        }
        expected.sort_unstable();
        expected.dedup();
        let pairs: Vec<(usize, usize)> = found.pairs.iter().map(|pair| (pair.subject, pair.object)).collect();
        prop_assert_eq!(pairs.clone(), expected);
        // What is between is found without a tree as well.
        let mut triples = Vec::new();
        for (a, b) in pairs {
            let (start, end) = (objects[a].footprint.centre(), objects[b].footprint.centre());
            let length = distance(a, b);
            if length <= 1e-6 {
                continue;
            }
            let along = [(end[0] - start[0]) / length, (end[1] - start[1]) / length];
            let extents = |own: &Standing, axis: [f64; 2]| {
                let ways = own.footprint.corners().map(|corner| (corner[0] - start[0]) * axis[0] + (corner[1] - start[1]) * axis[1]);
                (ways.into_iter().fold(f64::INFINITY, f64::min), ways.into_iter().fold(f64::NEG_INFINITY, f64::max))
            };
            let width = |own: &Standing| { let (low, high) = extents(own, [-along[1], along[0]]); (high - low) / 2.0 };
            for other in (0..objects.len()).filter(|other| ![a, b].contains(other)) {
                let centre = objects[other].footprint.centre();
                let way = (centre[0] - start[0]) * along[0] + (centre[1] - start[1]) * along[1];
                let off = ((centre[1] - start[1]) * along[0] - (centre[0] - start[0]) * along[1]).abs();
                let room = width(&objects[a]).min(width(&objects[b])).max(width(&objects[other]));
                // How far it is inside the corridor; what is on its border may be either.
                let inside = (way - extents(&objects[a], along).1).min(extents(&objects[b], along).0 - way).min(room - off);
                triples.push((vec![a, other, b], inside));
            }
        }
        let betweens = members(&found, ArrangementKind::Between);
        for (members, inside) in triples {
            if inside.abs() > 1e-6 {
                prop_assert_eq!(betweens.contains(&members), inside > 0.0, "{:?} {}", members, inside);
            }
        }
    }

    #[test]
    fn rows_hold_what_they_promise(objects in crowd()) {
        let found = related(&objects);
        let rows = members(&found, ArrangementKind::Row);
        for row in &rows {
            prop_assert!(row.len() >= 3 && row.iter().all(|own| objects[*own].class == objects[row[0]].class));
            let centre = |own: usize| objects[own].footprint.centre();
            let (start, end) = (centre(row[0]), centre(row[row.len() - 1]));
            let spacing = (end[0] - start[0]).hypot(end[1] - start[1]) / (row.len() - 1) as f64;
            for (step, own) in row.iter().enumerate() {
                // On its line and at its place: no farther off than deviations and all spacings before allow.
                let share = step as f64 / (row.len() - 1) as f64;
                let expected = [0, 1].map(|axis| start[axis] + share * (end[axis] - start[axis]));
                let off = (centre(*own)[0] - expected[0]).hypot(centre(*own)[1] - expected[1]);
                prop_assert!(off <= spacing * (0.1 + 0.25 * step as f64) + 1e-6);
            }
            prop_assert!(row[0] < row[row.len() - 1]);
            let is_part = |other: &&Vec<usize>| *other != row && row.iter().all(|own| other.contains(own));
            prop_assert!(!rows.iter().any(|other| is_part(&other)));
        }
    }
}
