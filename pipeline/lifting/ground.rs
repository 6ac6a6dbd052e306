//! Height of the ground near an object.

use crate::Raster;
use crate::classes::Classes;
use crate::cloud::Projector;
use crate::components::Component;
use crate::smooth::Depth;

/// Margin in pixels round the image box of an object in which ground is looked for.
const MARGIN_PX: u32 = 40;

/// Places looked at are about this many, at every fourth pixel at the closest.
const PLACES: f64 = 1200.0;
const CLOSEST_PX: usize = 4;

/// Fewer places of ground give no height, and no surface.
pub(crate) const FEWEST: usize = 20;

/// Rounds in which places far off the plane lose their say.
const ROUNDS: usize = 4;

/// How far off the median a slope must lift the ground to count: the prior on both slopes has this deviation.
const SLOPE: f64 = 0.1;

/// A plane through the ground near an object: height in metres over a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct GroundPlane {
    origin: [f64; 2],
    height_m: f64,
    slopes: [f64; 2],
}

impl GroundPlane {
    /// Height in metres at a place.
    pub(crate) fn height_at(&self, [x, y]: [f64; 2]) -> f64 {
        self.height_m + self.slopes[0] * (x - self.origin[0]) + self.slopes[1] * (y - self.origin[1])
    }
}

/// The ground round a component; `None` where too few pixels of ground classes with a depth lie near.
///
/// A plane fitted to the places by least squares, where places off it by more than a few typical deviations lose their
/// say (Tukey's weights), starting from the median height. Slopes are held near 0, so that ground seen on one side only
/// is not drawn out to a hill.
pub(crate) fn ground_near<L: Copy + Into<u16>>(
    component: &Component,
    labels: Raster<L>,
    depth: &Depth,
    classes: &Classes,
    projector: &Projector,
) -> Option<GroundPlane> {
    let ground = places_near(component, labels).filter(|&(x, y)| classes.is_ground(labels.at(x, y).into()));
    let places: Vec<[f64; 3]> = ground.filter_map(|(x, y)| projector.world_point(x, y, depth)).collect();
    if places.len() < FEWEST { None } else { fit(&places) }
}

/// Columns and rows of the pixels, on a grid, at which ground is looked for: those of the image box and of a margin round it.
pub(crate) fn places_near<L: Copy>(component: &Component, labels: Raster<L>) -> impl Iterator<Item = (usize, usize)> {
    let reach = |range: &std::ops::Range<u32>, side: usize| {
        (range.start.saturating_sub(MARGIN_PX) as usize, (range.end + MARGIN_PX).min(side as u32) as usize)
    };
    let (left, right) = reach(&component.columns, labels.width());
    let (top, bottom) = reach(&component.rows, labels.height());
    let area = ((right - left) * (bottom - top)) as f64;
    let step = ((area / PLACES).sqrt() as usize).max(CLOSEST_PX);
    (top..bottom).step_by(step).flat_map(move |y| (left..right).step_by(step).map(move |x| (x, y)))
}

fn fit(places: &[[f64; 3]]) -> Option<GroundPlane> {
    let origin = [0, 1].map(|axis| median(places.iter().map(|place| place[axis])));
    let height_m = median(places.iter().map(|place| place[2]));
    let mut plane = GroundPlane { origin, height_m, slopes: [0.0; 2] };
    for _ in 0..ROUNDS {
        let offsets = places.iter().map(|place| (place[2] - plane.height_at([place[0], place[1]])).abs());
        // 1.4826 times the median deviation is the deviation of normal noise; a centimetre at least, for exact depth.
        let limit = 4.685 * (1.4826 * median(offsets)).max(0.01);
        plane = refit(places, plane, limit).filter(|plane| plane.height_m.is_finite()).unwrap_or(plane);
    }
    plane.height_m.is_finite().then_some(plane)
}

/// The plane of weighted least squares, as a correction of the one before.
fn refit(places: &[[f64; 3]], plane: GroundPlane, limit: f64) -> Option<GroundPlane> {
    let mut matrix = [[0.0; 3]; 3];
    let mut right = [0.0; 3];
    for place in places {
        let off = place[2] - plane.height_at([place[0], place[1]]);
        let weight = (1.0 - (off / limit).powi(2)).max(0.0).powi(2);
        let row = [1.0, place[0] - plane.origin[0], place[1] - plane.origin[1]];
        for i in 0..3 {
            for j in 0..3 {
                matrix[i][j] += weight * row[i] * row[j];
            }
            right[i] += weight * row[i] * (place[2] - plane.height_m);
        }
    }
    let prior = (limit / SLOPE).powi(2);
    matrix[1][1] += prior;
    matrix[2][2] += prior;
    let [rise, east, north] = solve(matrix, right)?;
    Some(GroundPlane { height_m: plane.height_m + rise, slopes: [east, north], ..plane })
}

/// Cramer's rule; `None` where the matrix is singular.
fn solve(m: [[f64; 3]; 3], right: [f64; 3]) -> Option<[f64; 3]> {
    let determinant = |m: [[f64; 3]; 3]| {
        m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
            + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
    };
    let whole = determinant(m);
    let solution = [0, 1, 2].map(|column| {
        let mut replaced = m;
        for (row, value) in replaced.iter_mut().zip(right) {
            row[column] = value;
        }
        determinant(replaced) / whole
    });
    solution.iter().all(|value| value.is_finite()).then_some(solution)
}

/// The middle value; of an even number the upper of the two. NaN for none.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    if values.is_empty() {
        return f64::NAN;
    }
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}
