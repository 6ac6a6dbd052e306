//! Which ground an object stands on.

use crate::Raster;
use crate::classes::Classes;
use crate::components::Component;
use crate::ground::{FEWEST, places_near};
use crate::runs::Run;
use std::collections::BTreeMap;

/// Share of the ground seen that one class must have.
const SHARE: f64 = 0.9;

/// Labels of the pixels to the left and to the right of the runs of a mask; what is beyond the image has none.
pub(crate) fn beside<L: Copy + Into<u16>>(runs: &[Run], labels: Raster<L>) -> impl Iterator<Item = u16> {
    runs.iter().flat_map(move |run| {
        let (row, start, end) = (labels.row(run.row as usize), run.start as usize, run.end as usize);
        let left = start.checked_sub(1).map(|x| row[x].into());
        left.into_iter().chain(row.get(end).map(|label| (*label).into()))
    })
}

/// Labels of the pixels above and below the pixels of a mask, its own pixels among them.
pub(crate) fn above_and_below<L: Copy + Into<u16>>(runs: &[Run], labels: Raster<L>) -> impl Iterator<Item = u16> {
    runs.iter().flat_map(move |run| {
        let (row, columns) = (run.row as usize, run.start as usize..run.end as usize);
        let rows = [row.checked_sub(1), Some(row + 1).filter(|below| *below < labels.height())];
        rows.into_iter().flatten().flat_map(move |y| labels.row(y)[columns.clone()].iter().map(|label| (*label).into()))
    })
}

/// The class of the ground that an object stands on: the one that nearly all ground has which is seen near it. `None` where
/// hardly any is, where several share it, and where the ground that touches the mask is not of that class: a path as wide as
/// the car on it is not the lawn around. Of what moves, the one that touches it.
pub(crate) fn surface_of<L: Copy + Into<u16>>(
    component: &Component,
    runs: &[Run],
    labels: Raster<L>,
    classes: &Classes,
) -> Option<u16> {
    if !classes.is_in_depth(component.class) {
        // What is low stands on what touches it; a street is narrower than the surroundings of a bus.
        let touching = counted(beside(runs, labels).chain(above_and_below(runs, labels)), classes);
        let enough = touching.values().sum::<u32>() as usize >= FEWEST;
        return prevailing(&touching).filter(|_| enough);
    }
    let near = counted(places_near(component, labels).map(|(x, y)| labels.at(x, y).into()), classes);
    let enough = near.values().sum::<u32>() as usize >= FEWEST;
    let class = prevailing(&near).filter(|_| enough)?;
    let touching = counted(beside(runs, labels), classes);
    (touching.is_empty() || prevailing(&touching) == Some(class)).then_some(class)
}

/// Numbers of the labels of ground, by class.
fn counted(labels: impl Iterator<Item = u16>, classes: &Classes) -> BTreeMap<u16, u32> {
    let mut counts = BTreeMap::new();
    labels.filter(|class| classes.is_ground(*class)).for_each(|class| *counts.entry(class).or_default() += 1);
    counts
}

/// The class that has nearly all of the pixels.
fn prevailing(counts: &BTreeMap<u16, u32>) -> Option<u16> {
    let total = f64::from(counts.values().sum::<u32>());
    counts.iter().find(|(_, count)| f64::from(**count) >= SHARE * total).map(|(class, _)| *class)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Role;
    use crate::runs::runs_of_row;
    use uavgen_geometry::ImageSize;

    const ROAD: u8 = 1;
    const GRASS: u8 = 2;
    const THING: u8 = 3;
    const WATER: u8 = 4;

    /// The surface of a thing of 40 x 20 pixels in the middle of 200 x 160 pixels of these labels.
    fn surface(label: impl Fn(usize, usize) -> u8) -> Option<u16> {
        let inside = |x: usize, y: usize| (80..120).contains(&x) && (70..90).contains(&y);
        let pixel = |at: usize| if inside(at % 200, at / 200) { THING } else { label(at % 200, at / 200) };
        let labels: Vec<u8> = (0..200 * 160).map(pixel).collect();
        let labels = Raster::new(ImageSize::new(200, 160).unwrap(), &labels).unwrap();
        let classes = Classes::new(vec![Role::Other, Role::Ground, Role::Ground, Role::Fixed, Role::Other], false);
        let runs: Vec<Run> = (0..160).flat_map(|y| runs_of_row(labels, &classes, y)).collect();
        let own = Component { class: 3, runs: 0..20, pixels: 800, columns: 80..120, rows: 70..90, outline_px: 120 };
        surface_of(&own, &runs, labels, &classes)
    }

    #[test]
    fn ground_of_one_class_is_the_surface() {
        assert_eq!(surface(|_, _| ROAD), Some(1));
        // Other ground begins beyond the margin of 40 pixels.
        assert_eq!(surface(|x, _| if x < 40 { GRASS } else { ROAD }), Some(1));
        // What is no ground has no say.
        assert_eq!(surface(|_, y| if y < 65 { WATER } else { GRASS }), Some(2));
        assert_eq!(surface(|_, _| WATER), None);
    }

    #[test]
    fn nearly_all_of_the_ground_is_enough_and_less_is_not() {
        // The grid has 30 columns of 25 places, from column 40 and row 30 on, 4 pixels apart; 10 x 5 of them show the thing. Columns
        // from `x` on are grass: 2 of them hold 50 of 700 places, 3 of them 75.
        assert_eq!(surface(|x, _| if x >= 152 { GRASS } else { ROAD }), Some(1));
        assert_eq!(surface(|x, _| if x >= 148 { GRASS } else { ROAD }), None);
    }

    #[test]
    fn the_ground_that_touches_must_be_of_the_same_class() {
        // A path of 4 pixels round the thing is 3 % of the ground near it, and all of what touches it.
        let path = |x: usize, y: usize| (78..122).contains(&x) && (68..92).contains(&y);
        assert_eq!(surface(|x, y| if path(x, y) { ROAD } else { GRASS }), None);
        // A rim of water hides what touches.
        assert_eq!(surface(|x, y| if path(x, y) { WATER } else { GRASS }), Some(2));
    }

    #[test]
    fn a_handful_of_places_tells_nothing() {
        // 16 places of ground, in the upper left corner of the margin.
        assert_eq!(surface(|x, y| if x < 56 && y < 46 { ROAD } else { WATER }), None);
    }
}
