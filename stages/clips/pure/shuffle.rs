//! Recordings taken apart into four segments and put together in another order.

use super::plan::{PlannedSegment, TooShort};
use super::timing::Timing;
use uavgen_core::Draw;

/// Segments of a shuffled clip.
pub(super) const SEGMENTS: usize = 4;
/// Recordings shorter than this overlap by [`SHORT_OVERLAP_SECONDS`], others by [`LONG_OVERLAP_SECONDS`].
const SHORT_SECONDS: u32 = 30;
const SHORT_OVERLAP_SECONDS: u32 = 3;
const LONG_OVERLAP_SECONDS: u32 = 5;

/// Four consecutive segments, together all of the recording, from four random positive ratios: on the grid, each at least
/// so long, no two of equal length.
///
/// The segments of the four ratios, from the smallest, get 0, 1, 2 and 3 steps of the grid more than the least, and the
/// rest is dealt out in proportion to the ratios: so lengths differ however the rounding falls.
pub(super) fn unequal(
    timing: &Timing,
    min_seconds: u32,
    draw: &Draw,
    key: &str,
) -> Result<Vec<PlannedSegment>, TooShort> {
    let least = timing.frames_lasting(min_seconds).div_ceil(timing.grid);
    let needed = SEGMENTS as u64 * least + 6;
    let steps = timing.frames / timing.grid;
    if steps < needed {
        return Err(TooShort { frames: timing.frames, limit: needed * timing.grid });
    }
    // 16 bits tell ratios apart finely enough, and keep products small.
    let ratios: Vec<u64> =
        (0..SEGMENTS).map(|ordinal| 1 + draw.below(1 << 16, &["ratio", key, &ordinal.to_string()]) as u64).collect();
    let mut by_ratio: Vec<usize> = (0..SEGMENTS).collect();
    by_ratio.sort_by_key(|&ordinal| (ratios[ordinal], ordinal));
    let shares = in_proportion(steps - needed, &ratios);
    let mut lengths = [0; SEGMENTS];
    for (rank, &ordinal) in by_ratio.iter().enumerate() {
        lengths[ordinal] = (least + rank as u64 + shares[ordinal]) * timing.grid;
    }
    // What is beyond the last point of the grid belongs to the last segment; it is less than a step.
    lengths[SEGMENTS - 1] += timing.frames % timing.grid;
    let mut first_frame = 0;
    let segments = lengths.map(|frame_count| {
        let segment = PlannedSegment::alone(first_frame, frame_count);
        first_frame += frame_count;
        segment
    });
    Ok(segments.to_vec())
}

/// Whole shares of a total in proportion to ratios, by largest remainders.
fn in_proportion(total: u64, ratios: &[u64]) -> Vec<u64> {
    let sum: u64 = ratios.iter().sum();
    let mut shares: Vec<u64> = ratios.iter().map(|ratio| total * ratio / sum).collect();
    let mut by_remainder: Vec<usize> = (0..ratios.len()).collect();
    by_remainder.sort_by_key(|&ordinal| (std::cmp::Reverse(total * ratios[ordinal] % sum), ordinal));
    let left = total - shares.iter().sum::<u64>();
    by_remainder.into_iter().take(left as usize).for_each(|ordinal| shares[ordinal] += 1);
    shares
}

/// Four segments of equal length L = (T + 3 o) / 4 with an overlap of o between neighbours: o is 3 s in recordings of less
/// than 30 s, else 5 s. Segments begin on the grid, overlaps are exact, lengths differ by at most one step of the grid (a
/// frame, where the grid is one). L must be at least 2 o.
pub(super) fn overlapping(timing: &Timing) -> Result<Vec<PlannedSegment>, TooShort> {
    let is_short = timing.frames < timing.frames_lasting(SHORT_SECONDS);
    let overlap = timing.frames_nearest(if is_short { SHORT_OVERLAP_SECONDS } else { LONG_OVERLAP_SECONDS });
    // L >= 2 o means T >= 5 o.
    if timing.frames < 5 * overlap {
        return Err(TooShort { frames: timing.frames, limit: 5 * overlap });
    }
    let begins = even_begins(timing, overlap);
    let segment = |ordinal: usize| {
        let first_frame = begins[ordinal];
        let end = begins.get(ordinal + 1).map_or(timing.frames, |next| next + overlap);
        let overlap_frames = if ordinal == 0 { 0 } else { overlap };
        PlannedSegment { first_frame, frame_count: end - first_frame, overlap_frames }
    };
    Ok((0..SEGMENTS).map(segment).collect())
}

/// Points of the grid that are as nearly (T - o) / 4 apart as it allows. Rounding each by itself could leave the last
/// segment, which ends where the recording does, a step and a half longer than another: so of all ways to round them down
/// or up the most even one is taken.
fn even_begins(timing: &Timing, overlap: u64) -> [u64; SEGMENTS] {
    let (span, grid) = (timing.frames - overlap, timing.grid);
    let down = |ordinal: u64| ordinal * span / (SEGMENTS as u64 * grid) * grid;
    let rounded =
        |ups: u64| [0, 1, 2, 3].map(|ordinal: u64| down(ordinal) + if ups >> ordinal & 1 == 1 { grid } else { 0 });
    let spread = |begins: &[u64; SEGMENTS]| {
        let lengths = [begins[1], begins[2] - begins[1], begins[3] - begins[2], span - begins[3]];
        lengths.iter().max().zip(lengths.iter().min()).map_or(0, |(longest, shortest)| longest - shortest)
    };
    // The first segment begins with the recording: only the other three have a choice.
    (0..8).map(|ups| rounded(ups << 1)).min_by_key(|begins| (spread(begins), *begins)).unwrap_or_default()
}

/// One of the 23 orders of four segments that are not their own.
pub(super) fn order(draw: &Draw, key: &str) -> [usize; SEGMENTS] {
    // The identity is the first of all orders.
    nth_order(1 + draw.below(23, &["order", key]))
}

/// The orders of four, in lexicographic order.
fn nth_order(number: usize) -> [usize; SEGMENTS] {
    let mut left: Vec<usize> = (0..SEGMENTS).collect();
    let mut number = number;
    [6, 2, 1, 1].map(|block| {
        let position = (number / block).min(left.len() - 1);
        number %= block;
        left.remove(position)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn timing(frames: u64, grid: u64) -> Timing {
        Timing { frames, fps_num: 15, fps_den: 1, grid }
    }

    #[test]
    fn all_orders_but_their_own_are_drawn_about_equally() {
        let all: BTreeSet<[usize; 4]> = (0..24).map(nth_order).collect();
        assert_eq!(all.len(), 24);
        assert!(all.iter().all(|order| BTreeSet::from(*order).len() == 4));
        assert_eq!(nth_order(0), [0, 1, 2, 3]);
        let draw = Draw::new(7);
        let mut counts = std::collections::BTreeMap::new();
        (0..2300).for_each(|number| *counts.entry(order(&draw, &number.to_string())).or_insert(0) += 1);
        assert!(counts.len() == 23 && !counts.contains_key(&[0, 1, 2, 3]));
        assert!(counts.values().all(|count| (60..150).contains(count)), "{counts:?}");
    }

    #[test]
    fn unequal_segments_cover_the_recording_and_differ() {
        let mut seen = BTreeSet::new();
        for frames in 150..700 {
            for grid in [1, 5, 15] {
                let segments = unequal(&timing(frames, grid), 1, &Draw::new(3), &frames.to_string()).unwrap();
                let lengths: BTreeSet<u64> = segments.iter().map(|segment| segment.frame_count).collect();
                assert!(
                    lengths.len() == 4 && lengths.iter().all(|&length| length >= 15),
                    "{frames} {grid}: {lengths:?}"
                );
                assert!(segments.iter().all(|segment| segment.first_frame % grid == 0));
                assert!(
                    segments.windows(2).all(|pair| pair[0].first_frame + pair[0].frame_count == pair[1].first_frame)
                );
                assert_eq!(
                    segments[0].first_frame + segments.iter().map(|segment| segment.frame_count).sum::<u64>(),
                    frames
                );
                let longest = segments.iter().enumerate().max_by_key(|(_, segment)| segment.frame_count).unwrap().0;
                seen.insert(longest);
            }
        }
        assert_eq!(seen.len(), 4, "any of the four may be the longest");
    }

    #[test]
    fn ten_groups_are_enough_for_unequal_segments_and_nine_are_not() {
        let draw = Draw::new(3);
        assert_eq!(unequal(&timing(149, 15), 1, &draw, ""), Err(TooShort { frames: 149, limit: 150 }));
        let lengths: BTreeSet<u64> =
            unequal(&timing(150, 15), 1, &draw, "").unwrap().iter().map(|segment| segment.frame_count).collect();
        assert_eq!(lengths, BTreeSet::from([15, 30, 45, 60]));
        // Frame by frame 15, 16, 17 and 18 are enough.
        assert!(unequal(&timing(66, 1), 1, &draw, "").is_ok());
        assert!(unequal(&timing(65, 1), 1, &draw, "").is_err());
    }

    #[test]
    fn overlaps_are_exact_by_hand() {
        let spans = |frames, grid| -> Vec<(u64, u64, u64)> {
            let segments = overlapping(&timing(frames, grid)).unwrap();
            segments.iter().map(|segment| (segment.first_frame, segment.frame_count, segment.overlap_frames)).collect()
        };
        // 15 s: o = 45, L = (225 + 135) / 4 = 90.
        assert_eq!(spans(225, 15), [(0, 90, 0), (45, 90, 45), (90, 90, 45), (135, 90, 45)]);
        // 30 s take the rule of 5 s: o = 75, L = (450 + 225) / 4 = 168.75.
        assert_eq!(spans(450, 1), [(0, 168, 0), (93, 169, 75), (187, 169, 75), (281, 169, 75)]);
        assert_eq!(spans(450, 15), [(0, 165, 0), (90, 165, 75), (180, 165, 75), (270, 180, 75)]);
        assert_eq!(overlapping(&timing(224, 15)), Err(TooShort { frames: 224, limit: 225 }));
        // Just below 30 s 3 s are the rule: 449 frames with 45.
        assert_eq!(spans(449, 1)[1].2, 45);
    }

    #[test]
    fn overlapping_segments_cover_the_recording_and_lengths_hardly_differ() {
        for frames in 225..1500 {
            for grid in [1, 5, 15] {
                let segments = match overlapping(&timing(frames, grid)) {
                    Ok(segments) => segments,
                    Err(_) => continue,
                };
                let lengths: Vec<u64> = segments.iter().map(|segment| segment.frame_count).collect();
                let spread = lengths.iter().max().unwrap() - lengths.iter().min().unwrap();
                assert!(spread <= grid, "{frames} {grid}: {lengths:?}");
                let end = |segment: &PlannedSegment| segment.first_frame + segment.frame_count;
                assert!(segments.windows(2).all(|pair| end(&pair[0]) == pair[1].first_frame + pair[1].overlap_frames));
                assert_eq!((segments[0].first_frame, end(&segments[3])), (0, frames));
            }
        }
    }
}
