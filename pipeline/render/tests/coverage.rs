//! Every pixel of a surface belongs to exactly one of its faces.

use super::scenes::{Numbers, camera};
use crate::lens::Lens;
use crate::raster::draw;
use crate::target::{Band, Target};
use crate::view::Projected;
use crate::warp::draw_through;
use proptest::prelude::*;

/// How often each pixel was offered a face.
struct Counts {
    width: usize,
    hits: Vec<u32>,
}

impl Target for Counts {
    fn span(&mut self, row: usize, column: usize, length: usize, _: f32, _: f32, _: u32) {
        self.hits[row * self.width + column..][..length].iter_mut().for_each(|hits| *hits += 1);
    }

    fn values(&mut self, row: usize, column: usize, inverse_z: impl ExactSizeIterator<Item = f32>, face: u32) {
        self.span(row, column, inverse_z.len(), 0.0, 0.0, face);
    }
}

/// Hits of a triangulated grid that covers an image of 64 x 48 pixels and more; inner vertices lie anywhere near their
/// places, on multiples of `step` where that is not 0.
fn hits(seed: u64, step: f64, lens: Option<&Lens>) -> Vec<u32> {
    const CELLS: usize = 12;
    let mut numbers = Numbers(seed);
    let mut vertices = Vec::new();
    for row in 0..=CELLS {
        for column in 0..=CELLS {
            let is_inner = |index: usize| (1..CELLS).contains(&index);
            let reach = if is_inner(row) && is_inner(column) { 3.4 } else { 0.0 };
            let mut place = |index: usize, cell: f64| {
                let at = index as f64 * cell - 8.0 + reach * numbers.between(-1.0, 1.0);
                if step > 0.0 { (at / step).round() * step } else { at }
            };
            let (x, y) = (place(column, 8.0), place(row, 8.0));
            vertices.push(Projected { x, y, inverse_z: numbers.between(0.01, 0.02) });
        }
    }
    let mut counts = Counts { width: 64, hits: vec![0; 64 * 48] };
    for index in (0..CELLS * CELLS).map(|cell| cell / CELLS * (CELLS + 1) + cell % CELLS) {
        let [a, b, c, d] = [index, index + 1, index + CELLS + 1, index + CELLS + 2].map(|corner| &vertices[corner]);
        let pair = if numbers.next() < 0.5 { [[a, b, c], [c, d, b]] } else { [[d, a, b], [c, a, d]] };
        // A cell that is not convex is split by its other diagonal, if that one lies inside.
        let pair = if is_fold(pair) { [[a, b, c], [c, d, b]] } else { pair };
        let pair = if is_fold(pair) { [[d, a, b], [c, a, d]] } else { pair };
        for corners in pair {
            // Bands of odd heights: a face that reaches over their borders is drawn in parts.
            for (top, bottom) in [(0, 13), (13, 14), (14, 48)] {
                let band = Band { top, bottom, width: 64 };
                let mut part = Counts { width: 64, hits: vec![0; 64 * (bottom - top)] };
                match lens {
                    None => draw(corners, band, 0, &mut part),
                    Some(lens) => {
                        let places = corners.map(|corner| [corner.x, corner.y]);
                        let curvature = lens.curvature(places.into_iter());
                        let reach = lens.reach(places, places.map(|place| lens.shown(place)), curvature);
                        draw_through(corners, reach, lens, band, 0, &mut part);
                    }
                }
                counts.hits[64 * top..64 * bottom].iter_mut().zip(part.hits).for_each(|(sum, hits)| *sum += hits);
            }
        }
    }
    counts.hits
}

/// Whether two triangles that share an edge lie on one side of it, or one of them has no area.
fn is_fold(pair: [[&Projected; 3]; 2]) -> bool {
    let area = |[a, b, c]: [&Projected; 3]| (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
    let whole = area(pair[0]).abs() + area(pair[1]).abs();
    let [first, second] = pair;
    let corners: Vec<&Projected> = first.into_iter().chain(second).collect();
    let shared: Vec<&Projected> = first.into_iter().filter(|corner| second.contains(corner)).collect();
    let lone: Vec<&Projected> = corners.into_iter().filter(|corner| !shared.contains(corner)).collect();
    let (one, other) = (area([shared[0], shared[1], lone[0]]), area([shared[0], shared[1], lone[1]]));
    whole == 0.0 || one * other >= 0.0
}

#[test]
fn a_pixel_centre_on_an_edge_goes_to_the_right_and_below() {
    let corner = |x: f64, y: f64| Projected { x, y, inverse_z: 0.01 };
    // The square from (1.5, 1.5) to (4.5, 4.5) in two triangles: its edges and its diagonal run through pixel centres.
    let [a, b, c, d] = [corner(1.5, 1.5), corner(4.5, 1.5), corner(4.5, 4.5), corner(1.5, 4.5)];
    let mut counts = Counts { width: 8, hits: vec![0; 64] };
    for corners in [[&a, &b, &c], [&d, &c, &a]] {
        draw(corners, Band { top: 0, bottom: 8, width: 8 }, 0, &mut counts);
    }
    // Left and top edges are in, right and bottom ones are out.
    let expected = |index: usize| u32::from((1..4).contains(&(index % 8)) && (1..4).contains(&(index / 8)));
    assert_eq!(counts.hits, (0..64).map(expected).collect::<Vec<u32>>());
}

proptest! {
    #[test]
    fn no_gap_and_no_overlap(seed in any::<u64>(), step in prop::sample::select(vec![0.0, 0.5, 0.25, 1.0])) {
        prop_assert!(hits(seed, step, None).iter().all(|&hits| hits == 1));
    }

    #[test]
    fn no_gap_and_no_overlap_through_a_lens(seed in any::<u64>(), step in prop::sample::select(vec![0.0, 0.5])) {
        let lens = Lens::new(&camera(64, 48, 60.0, [-0.05, 0.02, 0.001, -0.002, 0.0]));
        prop_assert!(hits(seed, step, Some(&lens)).iter().all(|&hits| hits == 1));
    }
}
