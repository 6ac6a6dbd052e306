//! Depth as 8 bits.

use uavgen_schemas::DepthPolarity;

/// The ends of a view in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::generation) struct Clip {
    pub(in crate::generation) near_m: f64,
    pub(in crate::generation) far_m: f64,
}

impl Clip {
    /// The range of 16-bit depths that leaves out at most a share of those with a surface at either end. Null where none has one.
    pub(in crate::generation) fn of(values: &[u16], step_m: f64, share: f64) -> Option<Self> {
        let mut counts = vec![0_u64; usize::from(u16::MAX) + 1];
        values.iter().for_each(|&value| counts[usize::from(value)] += 1);
        let known = values.len() as u64 - counts[0];
        let beyond = (known as f64 * share).floor() as u64;
        let near = first_after(counts.iter().enumerate().skip(1), beyond)?;
        let far = first_after(counts.iter().enumerate().skip(1).rev(), beyond)?;
        // Ends that cross, of a share near a half over few values, are one value.
        Some(Self { near_m: near.min(far) as f64 * step_m, far_m: far.max(near) as f64 * step_m })
    }

    /// The view.
    pub(in crate::generation) fn view(self, values: &[u16], step_m: f64, polarity: DepthPolarity) -> Vec<u8> {
        values.iter().map(|&value| polarity.view(f64::from(value) * step_m, self.near_m, self.far_m)).collect()
    }
}

/// The first value at which more than `beyond` were counted.
fn first_after<'a>(counts: impl Iterator<Item = (usize, &'a u64)>, beyond: u64) -> Option<usize> {
    let mut sum = 0;
    counts.into_iter().find_map(|(value, count)| {
        sum += count;
        (sum > beyond).then_some(value)
    })
}
