//! Connected components of all classes in one pass over the runs.

use crate::classes::Classes;
use crate::jumps::JumpRule;
use crate::merging::{Touch, merge};
use crate::runs::{Contact, Run, contacts_in_row, contacts_of_rows, cut_runs};
use crate::smooth::Depth;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;

/// Pixels of one class that touch each other, also at corners, without a jump in depth between them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Component {
    pub(crate) class: u16,
    /// Its runs among all, row by row, from left to right.
    pub(crate) runs: Range<usize>,
    pub(crate) pixels: u32,
    /// Half-open columns and rows of the box round it.
    pub(crate) columns: Range<u32>,
    pub(crate) rows: Range<u32>,
    /// Number of pixel sides with a pixel of the component on one side only.
    pub(crate) outline_px: u32,
}

impl Component {
    /// Twice the area over the outline: close to 1 for a line of one pixel, half the side for a square.
    pub(crate) fn thickness_px(&self) -> f64 {
        2.0 * f64::from(self.pixels) / f64::from(self.outline_px.max(1))
    }

    /// Area in square pixels of the box round it.
    pub(crate) fn box_px2(&self) -> f64 {
        self.columns.len() as f64 * self.rows.len() as f64
    }
}

impl Component {
    /// Parts of one object together; its runs are elsewhere.
    pub(crate) fn of_parts(first: &Component, others: &[&Component]) -> Self {
        let mut whole = Self { runs: 0..0, ..first.clone() };
        for other in others {
            whole.pixels += other.pixels;
            whole.outline_px += other.outline_px;
            whole.columns = whole.columns.start.min(other.columns.start)..whole.columns.end.max(other.columns.end);
            whole.rows = whole.rows.start.min(other.rows.start)..whole.rows.end.max(other.rows.end);
        }
        whole
    }
}

/// The components in the order of their first pixels, row by row, and the runs that they are made of.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Components {
    pub(crate) runs: Vec<Run>,
    pub(crate) components: Vec<Component>,
}

/// The components of the runs of each row; all rows of the image, by class alone.
///
/// Rows are cut into runs, runs of neighbouring rows linked, and linked runs joined by union-find (He, Chao and Suzuki,
/// A run-based two-scan labeling algorithm, 2008): the work grows with runs and not with pixels, apart from one look at
/// the depths.
pub(crate) fn components_of(rows: &[Vec<Run>], depth: &Depth, classes: &Classes, rule: &JumpRule) -> Components {
    let rows: Vec<Vec<Run>> = rows.par_iter().map(|runs| cut_runs(runs, depth, classes, rule)).collect();
    let contacts: Vec<(Vec<Contact>, Vec<Contact>)> = (0..rows.len())
        .into_par_iter()
        .map(|y| {
            let below =
                rows.get(y + 1).map_or(Vec::new(), |next| contacts_of_rows(&rows[y], next, depth, classes, rule));
            (contacts_in_row(&rows[y], depth, rule), below)
        })
        .collect();
    let runs = rows.concat();
    let mut roots = Roots::new(runs.len());
    let mut shared = vec![0; runs.len()];
    let mut doubtful = Vec::new();
    let mut first = 0;
    for (row, (beside, below)) in rows.iter().zip(&contacts) {
        let beside = beside.iter().map(|contact| (contact, first));
        for (contact, second) in beside.chain(below.iter().map(|contact| (contact, first + row.len()))) {
            let (a, b) = (first + contact.first as usize, second + contact.second as usize);
            shared[a] += contact.columns;
            if contact.is_sure {
                roots.join(a, b);
            } else {
                doubtful.push((a, b, contact.meeting, contact.pairs));
            }
        }
        first += row.len();
    }
    // Fragments of different classes never touch, so that each class is a matter of its own.
    let mut touches: BTreeMap<u16, Vec<Touch>> = BTreeMap::new();
    for (a, b, meeting, pairs) in doubtful {
        touches.entry(runs[a].class).or_default().push(Touch::new(roots.find(a), roots.find(b), meeting, pairs));
    }
    let touches: Vec<Vec<Touch>> = touches.into_values().collect();
    let joined: Vec<Vec<(usize, usize)>> = touches.into_par_iter().with_max_len(1).map(merge).collect();
    for (a, b) in joined.concat() {
        roots.join(a, b);
    }
    grouped(&runs, &mut roots, &shared)
}

/// Gathers the runs of each component. `shared`: columns that a run has in common with linked runs below it.
fn grouped(runs: &[Run], roots: &mut Roots, shared: &[u32]) -> Components {
    let mut place_of_root = vec![usize::MAX; runs.len()];
    let mut components: Vec<Component> = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        let root = roots.find(index);
        if root == index {
            place_of_root[root] = components.len();
            components.push(Component {
                class: run.class,
                runs: 0..0,
                pixels: 0,
                columns: run.start..run.end,
                rows: run.row..run.row + 1,
                outline_px: 0,
            });
        }
        let component = &mut components[place_of_root[root]];
        component.runs.end += 1;
        component.pixels += run.pixels();
        component.columns = component.columns.start.min(run.start)..component.columns.end.max(run.end);
        component.rows.end = run.row + 1;
        component.outline_px += 2 + 2 * (run.pixels() - shared[index].min(run.pixels()));
    }
    let mut end = 0;
    for component in &mut components {
        let start = end;
        end += component.runs.len();
        component.runs = start..start;
    }
    let mut sorted = runs.to_vec();
    for (index, run) in runs.iter().enumerate() {
        let range = &mut components[place_of_root[roots.find(index)]].runs;
        sorted[range.end] = *run;
        range.end += 1;
    }
    Components { runs: sorted, components }
}

/// Sets of numbered things; each is known by its first member.
pub(crate) struct Roots(Vec<u32>);

impl Roots {
    pub(crate) fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    pub(crate) fn find(&mut self, mut index: usize) -> usize {
        while self.0[index] as usize != index {
            self.0[index] = self.0[self.0[index] as usize];
            index = self.0[index] as usize;
        }
        index
    }

    pub(crate) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b)] = a.min(b) as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::runs_of_row;
    use crate::{LiftOptions, Raster, Role};
    use proptest::prelude::*;
    use uavgen_geometry::{Distortion, ImageSize, Intrinsics, Transform};

    /// Components of a mask of 24 columns, class 1 and 2, at these depths, seen straight down.
    fn components(labels: &[u8], depths: &[f32]) -> Components {
        let size = ImageSize::new(24, (labels.len() / 24) as i64).unwrap();
        let intrinsics = Intrinsics::new(size, 20.0, 20.0, 12.0, size.centre_px().1, Distortion::NONE).unwrap();
        let down = Transform::new([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]], [0.0, 0.0, 50.0]).unwrap();
        let classes = Classes::new(vec![Role::Other, Role::Fixed, Role::Fixed], false);
        let labels = Raster::new(size, labels).unwrap();
        let rows: Vec<Vec<Run>> = (0..labels.height()).map(|y| runs_of_row(labels, &classes, y)).collect();
        let depth = Depth::new(Raster::new(size, depths).unwrap(), &rows);
        let rule = JumpRule::new(&intrinsics, down, &depth, &LiftOptions::default());
        components_of(&rows, &depth, &classes, &rule)
    }

    /// The component of every pixel by flooding, numbered in the order of first pixels; 0 for none.
    fn flooded(labels: &[u8]) -> Vec<usize> {
        let mut numbers = vec![0; labels.len()];
        let mut count = 0;
        for start in 0..labels.len() {
            if labels[start] == 0 || numbers[start] > 0 {
                continue;
            }
            count += 1;
            let mut open = vec![start];
            while let Some(place) = open.pop() {
                if numbers[place] > 0 {
                    continue;
                }
                numbers[place] = count;
                let (x, y) = ((place % 24) as i64, (place / 24) as i64);
                for (dx, dy) in (-1..2).flat_map(|dx| (-1..2).map(move |dy| (dx, dy))) {
                    let next = (y + dy) * 24 + x + dx;
                    if (0..24).contains(&(x + dx))
                        && (0..labels.len() as i64).contains(&next)
                        && labels[next as usize] == labels[start]
                    {
                        open.push(next as usize);
                    }
                }
            }
        }
        numbers
    }

    fn numbers(found: &Components, pixels: usize) -> Vec<usize> {
        let mut numbers = vec![0; pixels];
        for (place, component) in found.components.iter().enumerate() {
            for run in &found.runs[component.runs.clone()] {
                numbers[run.row as usize * 24..][run.start as usize..run.end as usize].fill(place + 1);
            }
        }
        numbers
    }

    proptest! {
        #[test]
        fn without_jumps_they_are_those_of_flooding(labels in prop::collection::vec(0..3u8, 24 * 20)) {
            let found = components(&labels, &vec![50.0; labels.len()]);
            let expected = flooded(&labels);
            prop_assert_eq!(numbers(&found, labels.len()), expected.clone());
            for (place, component) in found.components.iter().enumerate() {
                let own: Vec<usize> = (0..labels.len()).filter(|pixel| expected[*pixel] == place + 1).collect();
                prop_assert_eq!(component.pixels as usize, own.len());
                prop_assert_eq!(component.rows.start as usize, own.iter().map(|pixel| pixel / 24).min().unwrap());
                prop_assert_eq!(component.rows.end as usize, own.iter().map(|pixel| pixel / 24).max().unwrap() + 1);
                prop_assert_eq!(component.columns.start as usize, own.iter().map(|pixel| pixel % 24).min().unwrap());
                prop_assert_eq!(component.columns.end as usize, own.iter().map(|pixel| pixel % 24).max().unwrap() + 1);
                let sides = own.iter().map(|&pixel| {
                    let (x, y) = (pixel % 24, pixel / 24);
                    let is_own = |there: bool, other: usize| there && expected[other] == place + 1;
                    let around = [
                        is_own(x > 0, pixel.wrapping_sub(1)),
                        is_own(x < 23, pixel + 1),
                        is_own(y > 0, pixel.wrapping_sub(24)),
                        is_own(y < 19, pixel + 24),
                    ];
                    around.into_iter().filter(|own| !own).count()
                });
                prop_assert_eq!(component.outline_px as usize, sides.sum::<usize>());
            }
        }
    }

    #[test]
    fn one_pixel_of_contact_joins_no_two_across_a_jump() {
        // Two plates, the right one 3 m lower; in one row the depth has no step at the seam.
        let labels = vec![1; 24 * 20];
        let mut depths: Vec<f32> = (0..480).map(|i| if i % 24 < 12 { 40.0 } else { 43.0 }).collect();
        assert_eq!(components(&labels, &depths).components.len(), 2);
        for x in 0..24 {
            depths[9 * 24 + x] = 40.0 + x as f32 * 0.13;
        }
        let sizes: Vec<u32> = components(&labels, &depths).components.iter().map(|own| own.pixels).collect();
        // The row itself goes to one of the plates, which are 240 pixels each.
        assert!(sizes.iter().all(|pixels| *pixels <= 264), "{sizes:?}");
    }
}
