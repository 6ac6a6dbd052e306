//! Recordings taken apart into four segments and put together in another order.

use super::plan::{PlannedSegment, Unfit};
use super::timing::Timing;
use std::cmp::Reverse;
use uavgen_core::Draw;

/// Segments of a shuffled clip.
pub(super) const SEGMENTS: usize = 4;
/// Recordings shorter than this overlap by [`SHORT_OVERLAP_SECONDS`], others by [`LONG_OVERLAP_SECONDS`].
const SHORT_SECONDS: u32 = 30;
const SHORT_OVERLAP_SECONDS: u32 = 3;
const LONG_OVERLAP_SECONDS: u32 = 5;

/// Four consecutive segments from four random positive ratios: on the grid, each at least so long, no two of equal length.
/// Together they are all of the recording, but for the frames behind the last point of the grid: a segment that ends between
/// two keyframes would show that it is the last one.
///
/// The segments of the four ratios, from the smallest, get 0, 1, 2 and 3 steps of the grid more than the least, and the
/// rest is dealt out in proportion to the ratios: so lengths differ however the rounding falls.
pub(super) fn unequal(timing: &Timing, min_seconds: u32, draw: &Draw, key: &str) -> Result<Vec<PlannedSegment>, Unfit> {
    let least = timing.frames_lasting(min_seconds).div_ceil(timing.grid);
    let needed = SEGMENTS as u64 * least + 6;
    let steps = timing.frames / timing.grid;
    if steps < needed {
        return Err(Unfit::TooShort { frames: timing.frames, limit: needed * timing.grid });
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
    by_remainder.sort_by_key(|&ordinal| (Reverse(total * ratios[ordinal] % sum), Reverse(ordinal)));
    let left = total - shares.iter().sum::<u64>();
    by_remainder.into_iter().take(left as usize).for_each(|ordinal| shares[ordinal] += 1);
    shares
}

/// Four segments of equal length L = (T + 3 o) / 4 with an overlap of o between neighbours: o is 3 s in recordings of less
/// than 30 s, else 5 s. Segments begin on the grid, overlaps are exact, lengths differ by at most one step of the grid (a
/// frame, where the grid is one), and each is at least 2 o. T leaves out what is behind the last frame that lies as far from
/// a keyframe as the ends of the other segments do: else the last segment would show that it is the last one.
pub(super) fn overlapping(timing: &Timing) -> Result<Vec<PlannedSegment>, Unfit> {
    let overlap = |frames: u64| {
        let is_short = frames < timing.frames_lasting(SHORT_SECONDS);
        timing.frames_nearest(if is_short { SHORT_OVERLAP_SECONDS } else { LONG_OVERLAP_SECONDS }).max(1)
    };
    let begins = |frames: u64| even_begins(frames, timing.grid, overlap(frames));
    let Some(begins) = begins(timing.frames) else {
        let limit = (timing.frames..).find(|&frames| begins(frames).is_some()).unwrap_or(u64::MAX);
        return Err(Unfit::TooShort { frames: timing.frames, limit });
    };
    let overlap = overlap(timing.frames);
    let segment = |ordinal: usize| {
        let (first_frame, end) = (begins[ordinal], begins[ordinal + 1] + overlap);
        PlannedSegment {
            first_frame,
            frame_count: end - first_frame,
            overlap_frames: if ordinal == 0 { 0 } else { overlap },
        }
    };
    Ok((0..SEGMENTS).map(segment).collect())
}

/// Where the four segments begin, and where the overlap of a fifth would: points of the grid, each at least o after the one
/// before (then a segment lasts 2 o), at most a step more or less than the others, as even as can be. `None` when the
/// recording is too short for that.
fn even_begins(frames: u64, grid: u64, overlap: u64) -> Option<[u64; SEGMENTS + 1]> {
    // The last point from which an overlap fits.
    let last = frames.checked_sub(overlap)? / grid * grid;
    let down = |ordinal: u64| ordinal * last / (SEGMENTS as u64 * grid) * grid;
    let rounded = |ups: u64| {
        let begin = |ordinal: u64| down(ordinal) + if ups >> ordinal & 1 == 1 { grid } else { 0 };
        [0, begin(1), begin(2), begin(3), last]
    };
    let distances = |begins: &[u64; SEGMENTS + 1]| -> Option<Vec<u64>> {
        begins.windows(2).map(|pair| pair[1].checked_sub(pair[0]).filter(|&distance| distance >= overlap)).collect()
    };
    let spread = |begins: &[u64; SEGMENTS + 1]| {
        let distances = distances(begins)?;
        Some(distances.iter().max()? - distances.iter().min()?)
    };
    // The first segment begins with the recording: only the other three have a choice.
    let candidates = (0..8).map(|ups| rounded(ups << 1)).filter_map(|begins| Some((spread(&begins)?, begins)));
    candidates.min().map(|(_, begins)| begins)
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
            for grid in [1, 5, 15, 60] {
                let Ok(segments) = unequal(&timing(frames, grid), 1, &Draw::new(3), &frames.to_string()) else {
                    assert!(grid == 60 && frames < 600);
                    continue;
                };
                let lengths: BTreeSet<u64> = segments.iter().map(|segment| segment.frame_count).collect();
                assert!(
                    lengths.len() == 4 && lengths.iter().all(|&length| length >= 15),
                    "{frames} {grid}: {lengths:?}"
                );
                assert!(segments.iter().all(|segment| segment.first_frame % grid == 0));
                assert!(
                    segments.windows(2).all(|pair| pair[0].first_frame + pair[0].frame_count == pair[1].first_frame)
                );
                assert_eq!(segments.iter().map(|segment| segment.frame_count).sum::<u64>(), frames / grid * grid);
                let longest = segments.iter().enumerate().max_by_key(|(_, segment)| segment.frame_count).unwrap().0;
                seen.insert(longest);
            }
        }
        assert_eq!(seen.len(), 4, "any of the four may be the longest");
    }

    #[test]
    fn equal_ratios_give_unequal_lengths() {
        // Two equal ratios: the later one has more by rank, and gets what is left over first.
        assert_eq!(in_proportion(5, &[100, 100, 250, 777]), [0, 1, 1, 3]);
    }

    #[test]
    fn ten_groups_are_enough_for_unequal_segments_and_nine_are_not() {
        let draw = Draw::new(3);
        assert_eq!(unequal(&timing(149, 15), 1, &draw, ""), Err(Unfit::TooShort { frames: 149, limit: 150 }));
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
        assert_eq!(overlapping(&timing(224, 15)), Err(Unfit::TooShort { frames: 224, limit: 225 }));
        // Just below 30 s 3 s are the rule: 449 frames with 45.
        assert_eq!(spans(449, 1)[1].2, 45);
    }

    #[test]
    fn overlapping_segments_cover_the_recording_and_lengths_hardly_differ() {
        for frames in 1..1500 {
            for grid in [1, 5, 15, 30, 60, 90, 250] {
                let segments = match overlapping(&timing(frames, grid)) {
                    Ok(segments) => segments,
                    Err(Unfit::TooShort { frames: found, limit }) => {
                        assert!(found == frames && limit > frames && overlapping(&timing(limit, grid)).is_ok());
                        continue;
                    }
                    Err(other) => panic!("{other:?}"),
                };
                let overlap = if frames < 450 { 45 } else { 75 };
                assert!(segments.iter().all(|segment| segment.frame_count >= 2 * overlap), "{frames} {grid}");
                assert!(segments.iter().all(|segment| segment.first_frame % grid == 0));
                // All ends lie as far from a keyframe.
                let phases: BTreeSet<u64> = segments.iter().map(|s| (s.first_frame + s.frame_count) % grid).collect();
                assert_eq!(phases.len(), 1, "{frames} {grid}");
                let lengths: Vec<u64> = segments.iter().map(|segment| segment.frame_count).collect();
                let spread = lengths.iter().max().unwrap() - lengths.iter().min().unwrap();
                assert!(spread <= grid, "{frames} {grid}: {lengths:?}");
                let end = |segment: &PlannedSegment| segment.first_frame + segment.frame_count;
                assert!(segments.windows(2).all(|pair| end(&pair[0]) == pair[1].first_frame + pair[1].overlap_frames));
                assert!(
                    segments[0].first_frame == 0 && end(&segments[3]) <= frames && end(&segments[3]) + grid > frames
                );
            }
        }
    }
}
