//! Depth without its noise, and how much noise it had.
//!
//! A median of five rows, then of five columns, then along both the mean of what lies within the noise round it: that
//! takes noise to a fifth, and keeps slopes and sharp steps. What is thinner than three pixels, and corners, it would
//! lose: where it is farther from the measured depth than noise can be, the measured one stays. Depth without noise
//! stays as it is.

use crate::{Raster, Run};
use rayon::prelude::*;
use std::borrow::Cow;
use std::ops::Range;

/// Depths beyond this many metres are no depths.
const FARTHEST_M: f32 = 1e7;

/// Reach of median and mean to each side in pixels.
const REACH: usize = 2;

/// Rows and columns between the pixels at which noise is measured.
const NOISE_ROWS: usize = 16;
const NOISE_COLUMNS: usize = 8;

/// Noise below this share of the depth is none: it is what rounding leaves.
const NO_NOISE: f64 = 1e-6;

/// Standard deviations of measured and smoothed depth within which they agree.
const AGREE: f32 = 4.0;

/// Standard deviations from the median within which depths enter the mean: noise mostly, and steps not.
const NEAR: f32 = 2.5;

/// Standard deviation of the smoothed depth as a share of that of the measured one, for noise without memory.
pub(crate) const SMOOTHED_SHARE: f64 = 0.2;

/// Depth of a view in metres along the optical axis, smoothed; 0 where nothing is known.
#[derive(Debug)]
pub(crate) struct Depth<'a> {
    values: Cow<'a, [f32]>,
    width: usize,
    /// Standard deviation of the measured depth as a share of the depth.
    pub(crate) noise_share: f64,
}

impl<'a> Depth<'a> {
    /// From the measured depth; it is smoothed at and near the runs of each row, which are all rows of the image.
    pub(crate) fn new(measured: Raster<'a, f32>, rows: &[Vec<Run>]) -> Self {
        let noise_share = noise_share(measured);
        let width = measured.width();
        if noise_share <= NO_NOISE {
            let is_known = |values: &[f32]| values.iter().fold(true, |all, value| all & (known(*value) == *value));
            let values = match measured.values().par_chunks(width).all(is_known) {
                true => Cow::Borrowed(measured.values()),
                false => Cow::Owned(measured.values().par_iter().map(|value| known(*value)).collect()),
            };
            return Self { values, width, noise_share };
        }
        let mut values = vec![0.0; measured.values().len()];
        let bands = values.par_chunks_mut(width * BAND_ROWS).enumerate();
        bands.for_each_init(Scratch::default, |scratch, (band, out)| {
            let top = band * BAND_ROWS;
            out.iter_mut().zip(&measured.values()[top * width..]).for_each(|(own, other)| *own = known(*other));
            for span in spans(rows, top, width) {
                smooth_span(measured, top, span, noise_share as f32, scratch, out);
            }
        });
        Self { values: Cow::Owned(values), width, noise_share }
    }

    /// The depths of a row.
    pub(crate) fn row(&self, y: usize) -> &[f32] {
        &self.values[y * self.width..][..self.width]
    }

    /// Rows of the image.
    pub(crate) fn rows(&self) -> usize {
        self.values.len() / self.width
    }

    /// The depth of a pixel.
    pub(crate) fn at(&self, x: usize, y: usize) -> f32 {
        self.values[y * self.width + x]
    }
}

/// Puts the measured depth back where the smoothed one is off it by more than a share of it.
fn keep_measured(measured: &[f32], share: f32, smoothed: &mut [f32]) {
    for (smoothed, measured) in smoothed.iter_mut().zip(measured) {
        let measured = known(*measured);
        let off = measured - *smoothed;
        *smoothed = if off.abs() <= share * measured { *smoothed } else { measured };
    }
}

/// The depth, or 0 for what is none.
fn known(depth: f32) -> f32 {
    if depth > 0.0 && depth < FARTHEST_M { depth } else { 0.0 }
}

/// Rows that one worker smooths at a time.
const BAND_ROWS: usize = 32;

/// Pixels round a run that are looked at with it.
const MARGIN: usize = 3;

/// Columns of a band that lie at or near runs: spans in order, each a good way from the next.
fn spans(rows: &[Vec<Run>], top: usize, width: usize) -> Vec<Range<usize>> {
    let near = &rows[top.saturating_sub(MARGIN)..(top + BAND_ROWS + MARGIN).min(rows.len())];
    let reach = |run: &Run| (run.start as usize).saturating_sub(MARGIN)..(run.end as usize + MARGIN).min(width);
    let mut reaches: Vec<Range<usize>> = near.iter().flatten().map(reach).collect();
    reaches.sort_unstable_by_key(|reach| (reach.start, reach.end));
    let mut spans: Vec<Range<usize>> = Vec::new();
    for reach in reaches {
        match spans.last_mut() {
            Some(last) if reach.start <= last.end + BAND_ROWS => last.end = last.end.max(reach.end),
            _ => spans.push(reach),
        }
    }
    spans
}

/// Rows at hand while a span of a band is smoothed.
#[derive(Default)]
struct Scratch {
    /// One row with margins.
    columns: Vec<f32>,
    /// Medians of the band and of the rows that its means reach, then their means along rows.
    medians: Vec<f32>,
    means: Vec<f32>,
}

/// Smooths some columns of the rows from `top` on; `out` are these rows in full.
fn smooth_span(
    measured: Raster<f32>,
    top: usize,
    span: Range<usize>,
    noise_share: f32,
    scratch: &mut Scratch,
    out: &mut [f32],
) {
    let (width, last) = (span.len(), measured.height() - 1);
    let rows = out.len() / measured.width();
    let Scratch { columns, medians, means } = scratch;
    medians.resize((rows + 2 * REACH) * width, 0.0);
    means.resize((rows + 2 * REACH) * width, 0.0);
    let near = NEAR * noise_share;
    for (place, (medians, means)) in medians.chunks_mut(width).zip(means.chunks_mut(width)).enumerate() {
        let y = (top + place).saturating_sub(REACH).min(last);
        let five = [0, 1, 2, 3, 4].map(|step| measured.row((y + step).saturating_sub(REACH).min(last)));
        fill(columns, &span, five, median);
        windows(columns, medians, |five, _| median(five));
        fill(columns, &span, [measured.row(y); 5], |five| five[2]);
        windows(columns, means, |five, x| mean_near(five, medians[x], near * medians[x]));
    }
    for (place, out) in out.chunks_mut(measured.width()).enumerate() {
        let five = [0, 1, 2, 3, 4].map(|step| &means[(place + step) * width..][..width]);
        let centres = &medians[(place + REACH) * width..][..width];
        let out = &mut out[span.clone()];
        for ((smoothed, centre), five) in out.iter_mut().zip(centres).zip(columns_of(five)) {
            *smoothed = mean_near(five, *centre, near * centre);
        }
        keep_measured(&measured.row(top + place)[span.clone()], AGREE * noise_share, out);
    }
}

/// The values of five rows, column by column.
fn columns_of<'a>([a, b, c, d, e]: [&'a [f32]; 5]) -> impl Iterator<Item = [f32; 5]> + 'a {
    let rows = a.iter().zip(b).zip(c).zip(d).zip(e);
    rows.map(|((((a, b), c), d), e)| [*a, *b, *c, *d, *e])
}

/// Fills a span with margins from five rows; beyond the ends of the rows is the last pixel again.
fn fill(columns: &mut Vec<f32>, span: &Range<usize>, rows: [&[f32]; 5], of: impl Fn([f32; 5]) -> f32) {
    let (start, end) = (span.start.saturating_sub(REACH), (span.end + REACH).min(rows[0].len()));
    let (before, behind) = (start + REACH - span.start, span.end + REACH - end);
    columns.clear();
    columns.resize(before, 0.0);
    columns.extend(columns_of(rows.map(|row| &row[start..end])).map(|five| of(five.map(known))));
    let (first, last) = (columns[before], columns[columns.len() - 1]);
    columns[..before].fill(first);
    columns.resize(columns.len() + behind, last);
}

/// Goes along a span with margins.
fn windows(columns: &[f32], out: &mut [f32], of: impl Fn([f32; 5], usize) -> f32) {
    let five = [0, 1, 2, 3, 4].map(|step| &columns[step..][..out.len()]);
    for (x, (value, five)) in out.iter_mut().zip(columns_of(five)).enumerate() {
        *value = of(five, x);
    }
}

/// Mean of the centre and of those of five numbers that lie near it.
fn mean_near(five: [f32; 5], centre: f32, reach: f32) -> f32 {
    let (mut sum, mut count) = (0.0, 1.0);
    for value in five {
        let off = value - centre;
        let weight = if off.abs() <= reach { 1.0 } else { 0.0 };
        sum += weight * off;
        count += weight;
    }
    centre + sum / count
}

/// The middle one of five numbers, none of which is NaN.
fn median([a, b, c, d, e]: [f32; 5]) -> f32 {
    let (low, high) = (greater(less(a, b), less(c, d)), less(greater(a, b), greater(c, d)));
    greater(less(low, high), less(greater(low, high), e))
}

// As `f32::min` and `max` for numbers, but one instruction: those also look for NaN.
pub(crate) fn less(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

pub(crate) fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Standard deviation of the noise as a share of depth: the median of the second differences along rows, which vanish
/// on planes and are few at edges. 0 where no three neighbours have a depth.
fn noise_share(measured: Raster<f32>) -> f64 {
    let rows = (0..measured.height()).step_by(NOISE_ROWS).map(|y| measured.row(y));
    let triples = rows.flat_map(|row| row.windows(3).step_by(NOISE_COLUMNS));
    let known_triples = triples.map(|triple| [0, 1, 2].map(|place| known(triple[place])));
    let differences = known_triples.filter(|triple| triple.iter().all(|depth| *depth > 0.0));
    let mut shares: Vec<f32> = differences.map(|[a, b, c]| ((a + c) / 2.0 - b).abs() / b).collect();
    if shares.is_empty() {
        return 0.0;
    }
    let middle = shares.len() / 2;
    let (_, median, _) = shares.select_nth_unstable_by(middle, f32::total_cmp);
    // The halved second difference of unit noise has variance 1.5, and its absolute value the median 0.6745.
    f64::from(*median) / (0.674_489_75 * 1.5f64.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use uavgen_geometry::ImageSize;

    fn raster(values: &[f32], width: usize) -> Raster<'_, f32> {
        let size = ImageSize::new(width as i64, (values.len() / width) as i64).unwrap();
        Raster::new(size, values).unwrap()
    }

    fn everywhere(width: u32, height: u32) -> Vec<Vec<Run>> {
        (0..height).map(|row| vec![Run { row, start: 0, end: width, class: 1 }]).collect()
    }

    #[test]
    fn median_of_five_is_the_third_of_the_sorted() {
        for code in 0..3125u32 {
            let digits = [0, 1, 2, 3, 4].map(|place| (code / 5u32.pow(place) % 5) as f32);
            let mut sorted = digits;
            sorted.sort_by(f32::total_cmp);
            assert_eq!(median(digits), sorted[2], "{digits:?}");
        }
    }

    #[test]
    fn slopes_and_steps_stay_as_they_are() {
        let slope: Vec<f32> = (0..20 * 30).map(|i| 50.0 + (i % 20) as f32 * 0.25 + (i / 20) as f32 * 0.5).collect();
        let step: Vec<f32> = (0..20 * 30).map(|i| if i % 20 < 9 { 40.0 } else { 44.0 }).collect();
        for values in [slope, step] {
            let depth = Depth::new(raster(&values, 20), &everywhere(20, 30));
            assert!(depth.noise_share < 1e-6);
            for y in REACH..30 - REACH {
                assert_eq!(depth.row(y)[REACH..18], values[y * 20..][REACH..18]);
            }
        }
    }

    #[test]
    fn what_is_no_depth_counts_as_unknown() {
        let mut values = [f32::NAN, -3.0, f32::INFINITY, 0.0, f32::NEG_INFINITY].repeat(5);
        let depth = Depth::new(raster(&values, 5), &everywhere(5, 5));
        assert!(depth.values.iter().all(|z| *z == 0.0));
        assert_eq!((depth.noise_share, depth.at(2, 2)), (0.0, 0.0));
        // An unknown pixel of a plane stays unknown.
        values = vec![30.0; 25];
        values[12] = f32::NAN;
        let depth = Depth::new(raster(&values, 5), &everywhere(5, 5));
        assert_eq!((depth.row(2)[2], depth.at(1, 2)), (0.0, 30.0));
    }

    #[test]
    fn noise_is_measured_and_taken_to_about_a_fifth() {
        // The sum of twelve even draws of a fixed sequence: normal enough, deviation 1.
        let mut state = 12345u64;
        let mut draw = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f32 / (1u64 << 24) as f32
        };
        let values: Vec<f32> = (0..300 * 300)
            .map(|i| (80.0 + (i / 300) as f32 * 0.05) * (1.0 + 0.001 * ((0..12).map(|_| draw()).sum::<f32>() - 6.0)))
            .collect();
        let depth = Depth::new(raster(&values, 300), &everywhere(300, 300));
        assert!((depth.noise_share - 0.001).abs() < 0.0001, "{}", depth.noise_share);
        let errors = (10..290).flat_map(|y| (10..290).map(move |x| (x, y)));
        let squares = errors.map(|(x, y)| f64::from(depth.row(y)[x]) / (80.0 + y as f64 * 0.05) - 1.0).map(|e| e * e);
        let share = (squares.sum::<f64>() / (280.0 * 280.0)).sqrt() / depth.noise_share;
        assert!((share - SMOOTHED_SHARE).abs() < 0.04, "{share}");
        // Smoothed where there are runs and only there, to the same values.
        let some: Vec<Vec<Run>> = (0..300)
            .map(|row| if (100..140).contains(&row) { vec![Run { row, start: 50, end: 90, class: 1 }] } else { vec![] })
            .collect();
        let partly = Depth::new(raster(&values, 300), &some);
        for y in 100..140 {
            assert_eq!(partly.row(y)[50..90], depth.row(y)[50..90]);
        }
        assert_eq!((partly.at(200, 120), partly.at(70, 250)), (values[120 * 300 + 200], values[250 * 300 + 70]));
    }
}
