//! Depth of unknown factor and offset, aligned to depth in metres of the same frame.
//!
//! The fit is a line: metres (or one over them) = factor * value + offset. What moves is not in the mesh, so some anchors are wrong: the
//! line starts from medians over pairs of anchors, and is refined by least squares that weigh what is far off less and less (Tukey).

use uavgen_schemas::DepthScale;

/// Anchors that are taken of a frame, about.
const MOST_ANCHORS: usize = 20_000;
/// Anchors that there must be.
pub(crate) const LEAST_ANCHORS: usize = 100;
/// Rounds of refinement.
const ROUNDS: usize = 20;
/// Tukey's constant, in standard deviations.
const TUKEY: f64 = 4.685;
/// Share of the depth within which an anchor always counts.
const LEAST_REACH: f64 = 1e-3;
/// From the median of absolute deviations to a standard deviation.
const DEVIATION: f64 = 1.4826;

/// A line that turns values into metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Alignment {
    factor: f64,
    offset: f64,
    is_inverse: bool,
    /// Median of |aligned - anchor| / anchor over the anchors.
    pub(crate) error: f64,
}

/// Why there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotAligned {
    /// Too few pixels have both a value and a depth in metres.
    TooFewAnchors(usize),
    /// The values do not rise (or fall) with the depth: they are the same everywhere, or tell something else.
    NoSlope,
}

/// Fits the values of a frame, not finite where there is none, to its depth in metres, 0 where there is none.
pub(crate) fn align(values: &[f32], metres: &[f32], scale: DepthScale) -> Result<Alignment, NotAligned> {
    let is_inverse = scale == DepthScale::AffineInverse;
    let target = |z: f64| if is_inverse { 1.0 / z } else { z };
    let mut anchors: Vec<(f64, f64)> = anchors(values, metres).map(|(value, z)| (value, target(z))).collect();
    if anchors.len() < LEAST_ANCHORS {
        return Err(NotAligned::TooFewAnchors(anchors.len()));
    }
    anchors.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let line = refined(&anchors, start(&anchors).ok_or(NotAligned::NoSlope)?);
    let (factor, offset) = line.filter(|(factor, _)| *factor > 0.0).ok_or(NotAligned::NoSlope)?;
    let mut alignment = Alignment { factor, offset, is_inverse, error: 0.0 };
    let error = |&(value, target): &(f64, f64)| {
        let z = if is_inverse { 1.0 / target } else { target };
        alignment.metres(value).map_or(f64::INFINITY, |aligned| (aligned - z).abs() / z)
    };
    alignment.error = median(anchors.iter().map(error).collect());
    Ok(alignment)
}

/// Pixels that have both, every so-many-th in both directions of reading.
fn anchors(values: &[f32], metres: &[f32]) -> impl Iterator<Item = (f64, f64)> {
    // A step that shares no factor with common widths does not keep to a few columns.
    let step = (values.len() / MOST_ANCHORS).max(1) | 1;
    let both = values.iter().zip(metres).step_by(step);
    both.filter(|(value, z)| value.is_finite() && **z > 0.0).map(|(value, z)| (f64::from(*value), f64::from(*z)))
}

/// The line through medians: of the slopes between each anchor and the one half the way further, and of what is left.
fn start(sorted: &[(f64, f64)]) -> Option<(f64, f64)> {
    let half = sorted.len() / 2;
    let slope = |(a, b): (&(f64, f64), &(f64, f64))| (b.0 > a.0).then(|| (b.1 - a.1) / (b.0 - a.0));
    let slopes: Vec<f64> = sorted.iter().zip(&sorted[half..]).filter_map(slope).collect();
    if slopes.is_empty() {
        return None;
    }
    let factor = median(slopes);
    Some((factor, median(sorted.iter().map(|(value, target)| target - factor * value).collect())))
}

/// Weighted least squares, again and again.
fn refined(anchors: &[(f64, f64)], start: (f64, f64)) -> Option<(f64, f64)> {
    let mut line = start;
    // Where most of a frame is flat, the anchors off that plane tell the factor: they must not be thrown out for a rounding.
    let least = LEAST_REACH * median(anchors.iter().map(|(_, target)| target.abs()).collect());
    for _ in 0..ROUNDS {
        let off = |&(value, target): &(f64, f64)| target - line.0 * value - line.1;
        let spread = median(anchors.iter().map(|anchor| off(anchor).abs()).collect());
        let reach = (TUKEY * DEVIATION * spread).max(least);
        let weight = |anchor: &(f64, f64)| {
            let share = off(anchor) / reach;
            if share.abs() < 1.0 { (1.0 - share * share).powi(2) } else { 0.0 }
        };
        let next = weighted_line(anchors, weight)?;
        let moved = (next.0 - line.0).abs() > 1e-12 * line.0.abs() || (next.1 - line.1).abs() > 1e-12 * line.1.abs();
        line = next;
        if !moved {
            break;
        }
    }
    (line.0.is_finite() && line.1.is_finite()).then_some(line)
}

fn weighted_line(anchors: &[(f64, f64)], weight: impl Fn(&(f64, f64)) -> f64) -> Option<(f64, f64)> {
    let (mut total, mut x, mut y) = (0.0, 0.0, 0.0);
    let weights: Vec<f64> = anchors.iter().map(weight).collect();
    for (weight, (value, target)) in weights.iter().zip(anchors) {
        (total, x, y) = (total + weight, x + weight * value, y + weight * target);
    }
    let (x, y) = (x / total, y / total);
    let (mut across, mut along) = (0.0, 0.0);
    for (weight, (value, target)) in weights.iter().zip(anchors) {
        across += weight * (value - x) * (target - y);
        along += weight * (value - x).powi(2);
    }
    let factor = across / along;
    factor.is_finite().then_some((factor, y - factor * x))
}

/// The upper of the middle ones; of none not a number.
fn median(mut numbers: Vec<f64>) -> f64 {
    let half = numbers.len() / 2;
    if numbers.is_empty() { f64::NAN } else { *numbers.select_nth_unstable_by(half, f64::total_cmp).1 }
}

impl Alignment {
    /// Depth in metres that a value tells; null where it tells none.
    fn metres(&self, value: f64) -> Option<f64> {
        let line = self.factor * value + self.offset;
        let z = if self.is_inverse { 1.0 / line } else { line };
        (z > 0.0 && z.is_finite()).then_some(z)
    }

    /// Depths in metres, 0 = none. What comes out farther than `farthest_m` is none either: near the horizon inverse depth tells nothing.
    pub(crate) fn applied(&self, values: &[f32], farthest_m: f64) -> Vec<f32> {
        let metres = |&value: &f32| self.metres(f64::from(value)).filter(|z| *z <= farthest_m);
        values.iter().map(|value| metres(value).map_or(0.0, |z| z as f32)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slope seen from above, whose depth in metres is 50 to 90 m.
    fn slope() -> Vec<f32> {
        (0..4000).map(|pixel| 50.0 + (pixel % 80) as f32 / 2.0).collect()
    }

    #[test]
    fn factor_and_offset_are_found_though_a_fifth_of_the_anchors_is_wrong() {
        for scale in [DepthScale::Affine, DepthScale::AffineInverse] {
            let truth = slope();
            let value = |z: f32| if scale == DepthScale::Affine { (z - 20.0) / 7.0 } else { 300.0 / z - 1.5 };
            let values: Vec<f32> = truth.iter().map(|z| value(*z)).collect();
            let mut mesh = truth.clone();
            // Vehicles stand 30 m nearer than the ground that the mesh has there.
            mesh.iter_mut().step_by(5).for_each(|z| *z += 30.0);
            let alignment = align(&values, &mesh, scale).unwrap();
            let aligned = alignment.applied(&values, 1e6);
            let most = aligned.iter().zip(&truth).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(most < 1e-3, "{scale:?}: {most}");
            assert!(alignment.error < 1e-5);
        }
    }

    #[test]
    fn values_that_tell_no_depth_are_refused() {
        let metres = slope();
        let flat = vec![1.0; metres.len()];
        assert_eq!(align(&flat, &metres, DepthScale::Affine), Err(NotAligned::NoSlope));
        // Inverse depth that is called depth falls where it should rise.
        let inverse: Vec<f32> = metres.iter().map(|z| 1.0 / z).collect();
        assert_eq!(align(&inverse, &metres, DepthScale::Affine), Err(NotAligned::NoSlope));
        assert_eq!(align(&metres, &vec![0.0; metres.len()], DepthScale::Affine), Err(NotAligned::TooFewAnchors(0)));
        assert_eq!(align(&[f32::NAN; 4000], &metres, DepthScale::Affine), Err(NotAligned::TooFewAnchors(0)));
    }

    #[test]
    fn what_an_alignment_puts_behind_the_camera_or_too_far_is_unknown() {
        let alignment = Alignment { factor: 2.0, offset: -1.0, is_inverse: false, error: 0.0 };
        assert_eq!(alignment.applied(&[0.0, 0.5, 1.0, 100.0, f32::NAN], 50.0), [0.0, 0.0, 1.0, 0.0, 0.0]);
    }
}
