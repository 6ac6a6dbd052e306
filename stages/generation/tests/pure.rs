//! Counts, areas, views and colours of hand-made cases.

use super::{class, fragment, instance};
use crate::generation::pure::facts::{areas, counted};
use crate::generation::pure::segmentation::Palette;
use crate::generation::pure::view::Clip;
use std::collections::{BTreeMap, BTreeSet};
use uavgen_schemas::{ClassKind, DepthPolarity, Fragment, Instance, MaskClass, SegmentClass};

#[test]
fn counts_are_lower_bounds_where_something_was_not_counted() {
    let instances = [instance(0, "building"), instance(1, "building"), instance(2, "car")];
    let shown: Vec<&Instance> = instances.iter().collect();
    let told = |pieces: &[Fragment]| {
        let all: Vec<&Fragment> = pieces.iter().collect();
        counted(&shown, &all).into_iter().map(|one| (one.category, one.count, one.at_least)).collect::<Vec<_>>()
    };
    let of = |houses, cars| vec![("building".to_owned(), 2, houses), ("car".to_owned(), 1, cars)];
    assert_eq!(told(&[]), of(false, false));
    assert_eq!(told(&[fragment(Some("car"), None)]), of(false, true));
    assert_eq!(told(&[fragment(Some("car"), Some("src/a/1#2"))]), of(false, false), "a piece of one that was counted");
    assert_eq!(told(&[fragment(None, None)]), of(true, true), "it may be of any class");
}

#[test]
fn the_largest_areas_are_named_first() {
    let of = |value: i64, name: Option<&str>, pixels: i64| SegmentClass {
        value,
        name: name.map(str::to_owned),
        red: 0,
        green: 0,
        blue: 0,
        pixels,
        pixel_share: pixels as f64 / 100.0,
    };
    let shown = [of(1, Some("road"), 3), of(2, Some("grass"), 30), of(3, Some("roof"), 27), of(255, None, 40)];
    assert_eq!(areas(&shown, 0.05), ["grass", "roof"]);
    assert_eq!(areas(&shown, 0.01), ["grass", "roof", "road"]);
    assert_eq!(areas(&[of(1, Some("road"), 1), of(255, None, 99)], 0.05), ["road"], "the largest whatever its share");
    assert!(areas(&[of(255, None, 100)], 0.05).is_empty());
}

#[test]
fn views_leave_out_the_share_that_is_asked_for() {
    // 1000 values: one mast at 10 steps, 998 from 100 to 109, one abyss at 60000; and 50 without a surface.
    let mut values: Vec<u16> = (0..998).map(|number| 100 + number % 10).collect();
    values.extend([10, 60_000]);
    values.extend([0; 50]);
    let range = |share| Clip::of(&values, 0.5, share).map(|clip| (clip.near_m, clip.far_m));
    assert_eq!(range(0.0), Some((5.0, 30_000.0)));
    assert_eq!(range(0.001), Some((50.0, 54.5)));
    assert_eq!(Clip::of(&[0; 9], 0.5, 0.0), None);
    let view = Clip::of(&values, 0.5, 0.001).unwrap().view(&[10, 100, 109, 60_000, 0], 0.5, DepthPolarity::NearBright);
    assert_eq!(view, [255, 255, 1, 1, 0]);
}

#[test]
fn colours_are_the_same_in_every_data_set_and_never_shared() {
    let named: BTreeMap<String, [u8; 3]> = serde_json::from_str(include_str!("../templates/colours.json")).unwrap();
    assert!(named.len() > 20 && named.keys().all(|name| *name == name.to_lowercase()));
    let rows: Vec<MaskClass> = ["zebra", "road", "paved_road", "Zebra"]
        .iter()
        .zip(0..)
        .map(|(name, value)| class(value, name, ClassKind::Stuff, None))
        .collect();
    let colours = Palette::new(&rows).unwrap().colours();
    assert_eq!(colours[1], [120; 3]);
    let distinct: BTreeSet<[u8; 3]> = colours[..4].iter().copied().collect();
    assert_eq!(distinct.len(), 4, "two classes never share a colour: {:?}", &colours[..4]);
    let alone = Palette::new(&[class(3, "zebra", ClassKind::Stuff, None)]).unwrap().colours();
    assert_eq!(alone[3], colours[0], "the name decides");
}
