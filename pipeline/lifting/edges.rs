//! Where a set of noisy places along an axis ends.

/// Bins per standard deviation.
const BINS: f64 = 2.0;

/// Bins of the window before and behind the place that is tried.
const INSIDE: usize = 12;
const OUTSIDE: usize = 8;

/// Bins in which the end is looked for.
const SEARCHED: usize = 16;

/// Share of the places that may lie beyond the window, and the least number.
const STRAY_SHARE: f64 = 0.004;
const FEWEST: usize = 40;

/// The end of the places in the positive direction, in their unit. Each is blurred by noise of a standard deviation.
///
/// Surfaces seen from the front are spread evenly and end in a step, surfaces seen from the side lie at one place and
/// make a peak; both are blurred. So a step and a peak at the same place are fitted to the histogram by least squares,
/// and the place at which they fit best is the end: the outermost points, which noise throws three deviations out,
/// decide nothing. With hardly any noise, or few places, the outermost place is the end. `None` without places.
pub(crate) fn end_of(places: impl Iterator<Item = f64> + Clone, deviation: f64) -> Option<f64> {
    let outermost = places.clone().fold(f64::NEG_INFINITY, f64::max);
    let count = places.clone().count();
    let bin = deviation / BINS;
    if count < FEWEST || bin <= 1e-9 {
        return outermost.is_finite().then_some(outermost);
    }
    let mut histogram = [0.0; 96];
    for place in places {
        if let Some(value) = histogram.get_mut(((outermost - place) / bin) as usize) {
            *value += 1.0;
        }
    }
    let stray = (STRAY_SHARE * count as f64).max(1.0);
    let mut beyond = 0.0;
    let first = histogram.iter().position(|value| {
        beyond += value;
        beyond > stray
    });
    let first = first.unwrap_or(0).min(histogram.len() - SEARCHED - INSIDE);
    let errors: Vec<f64> = (first..first + SEARCHED).map(|place| misfit(&histogram, place)).collect();
    let best = (0..errors.len()).min_by(|a, b| errors[*a].total_cmp(&errors[*b]))?;
    let shift = match errors.get(best.wrapping_sub(1)..best + 2) {
        Some(&[before, here, behind]) if before + behind > 2.0 * here => {
            (before - behind) / (2.0 * (before - 2.0 * here + behind))
        }
        _ => 0.0,
    };
    Some(outermost - (first as f64 + best as f64 + shift) * bin)
}

/// What a step and a peak at the outer border of a bin leave unexplained of the histogram round it.
fn misfit(histogram: &[f64], place: usize) -> f64 {
    let (mut step2, mut both, mut peak2, mut step_y, mut peak_y, mut y2) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    for offset in 0..INSIDE + OUTSIDE {
        let bin = (place + offset).checked_sub(OUTSIDE);
        let y = bin.map_or(0.0, |bin| histogram[bin]);
        // Distance inwards from the place to the middle of the bin, in deviations.
        let inwards = (offset as f64 - OUTSIDE as f64 + 0.5) / BINS;
        let (step, peak) = (normal_share(inwards), (-inwards * inwards / 2.0).exp());
        (step2, both, peak2) = (step2 + step * step, both + step * peak, peak2 + peak * peak);
        (step_y, peak_y, y2) = (step_y + step * y, peak_y + peak * y, y2 + y * y);
    }
    let determinant = step2 * peak2 - both * both;
    let (level, height) =
        ((step_y * peak2 - peak_y * both) / determinant, (peak_y * step2 - step_y * both) / determinant);
    if level < 0.0 {
        y2 - peak_y * peak_y / peak2
    } else if height < 0.0 {
        y2 - step_y * step_y / step2
    } else {
        y2 - level * step_y - height * peak_y
    }
}

/// Share of a normal distribution below a number of deviations, to 2e-4 (the logistic form of Page 1977).
fn normal_share(deviations: f64) -> f64 {
    1.0 / (1.0 + (-1.5976 * deviations - 0.070_56 * deviations.powi(3)).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Normal draws of deviation 1 from a fixed sequence.
    fn draws() -> impl FnMut() -> f64 {
        let mut state = 99u64;
        move || {
            (0..12)
                .map(|_| {
                    state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    (state >> 40) as f64 / (1u64 << 24) as f64
                })
                .sum::<f64>()
                - 6.0
        }
    }

    #[test]
    fn a_blurred_step_ends_where_it_did() {
        let mut draw = draws();
        for end in [1.0, 2.0, 4.5] {
            let places: Vec<f64> = (0..1200).map(|i| end * f64::from(i) / 1200.0 + 0.05 * draw()).collect();
            let found = end_of(places.iter().copied(), 0.05).unwrap();
            assert!((found - end).abs() < 0.05, "{found} instead of {end}");
        }
    }

    #[test]
    fn a_blurred_wall_before_a_roof_ends_at_the_wall() {
        let mut draw = draws();
        let roof = (0..900).map(|i| 4.0 * f64::from(i) / 900.0);
        let places: Vec<f64> = roof.chain((0..300).map(|_| 4.0)).map(|place| place + 0.05 * draw()).collect();
        let found = end_of(places.iter().copied(), 0.05).unwrap();
        assert!((found - 4.0).abs() < 0.02, "{found}");
    }

    #[test]
    fn few_places_and_places_without_noise_end_at_the_outermost() {
        let places: Vec<f64> = (0..1000).map(f64::from).collect();
        assert_eq!(end_of(places.iter().copied(), 0.0), Some(999.0));
        assert_eq!(end_of([1.0, 3.0, 2.0].into_iter(), 0.5), Some(3.0));
        assert_eq!(end_of(std::iter::empty(), 0.5), None);
    }
}
