//! A recording cut into equal pieces.

use super::plan::{PlannedSegment, Unfit};
use super::timing::Timing;
use crate::clips::config::SingleConfig;

/// Consecutive pieces of at most `max_seconds`, as few and as equal as the grid allows: together all of the recording.
pub(super) fn pieces(timing: &Timing, config: &SingleConfig) -> Result<Vec<PlannedSegment>, Unfit> {
    let (least, most) = (timing.frames_lasting(config.min_seconds), timing.frames_within(config.max_seconds));
    if timing.frames < least {
        return Err(Unfit::TooShort { frames: timing.frames, limit: least });
    }
    if timing.frames <= most {
        return Ok(vec![PlannedSegment::alone(0, timing.frames)]);
    }
    // Whole steps of a piece; only the last one may end between two points of the grid.
    let step = most / timing.grid * timing.grid;
    if step == 0 {
        return Err(Unfit::LongGroups { frames: timing.grid, limit: most });
    }
    let beyond = timing.frames - most;
    let count = 1 + beyond.div_ceil(step);
    let border = |ordinal: u64| match ordinal {
        0 => 0,
        last if last == count => timing.frames,
        ordinal => {
            // No later than the pieces before can reach, no earlier than those behind can make up for.
            let earliest = beyond.next_multiple_of(timing.grid).saturating_sub((count - 1 - ordinal) * step);
            timing.on_grid(ordinal * timing.frames, count).clamp(earliest, (ordinal * step).max(earliest))
        }
    };
    let piece = |ordinal: u64| PlannedSegment::alone(border(ordinal), border(ordinal + 1) - border(ordinal));
    let pieces: Vec<PlannedSegment> = (0..count).map(piece).collect();
    match pieces.iter().map(|piece| piece.frame_count).min().filter(|&shortest| shortest < least) {
        Some(shortest) => Err(Unfit::TooShort { frames: shortest, limit: least }),
        None => Ok(pieces),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(frames: u64, grid: u64) -> Vec<(u64, u64)> {
        let timing = Timing { frames, fps_num: 15, fps_den: 1, grid };
        let pieces = pieces(&timing, &SingleConfig::default()).unwrap();
        pieces.iter().map(|piece| (piece.first_frame, piece.frame_count)).collect()
    }

    #[test]
    fn a_recording_of_up_to_30_s_stays_whole() {
        assert_eq!(cut(30, 15), [(0, 30)]);
        assert_eq!(cut(450, 15), [(0, 450)]);
    }

    #[test]
    fn a_longer_one_is_cut_into_equal_pieces() {
        assert_eq!(cut(451, 15), [(0, 225), (225, 226)]);
        assert_eq!(cut(451, 1), [(0, 226), (226, 225)]);
        assert_eq!(cut(1000, 15), [(0, 330), (330, 330), (660, 340)]);
    }

    #[test]
    fn nothing_is_lost_and_nothing_too_long() {
        for frames in 15..2000 {
            for grid in [1, 7, 15, 30, 60, 90, 250] {
                let pieces = cut(frames, grid);
                let fits = |&(first, count): &(u64, u64)| first % grid == 0 && (15..=450).contains(&count);
                assert!(pieces.iter().all(fits), "{frames} {grid}: {pieces:?}");
                assert!(pieces.windows(2).all(|pair| pair[0].0 + pair[0].1 == pair[1].0));
                assert_eq!(pieces.iter().map(|(_, count)| count).sum::<u64>(), frames);
            }
        }
    }

    #[test]
    fn coarse_groups_are_cut_where_they_can_be() {
        assert_eq!(cut(501, 250), [(0, 250), (250, 251)]);
        assert_eq!(cut(700, 250), [(0, 250), (250, 450)]);
        let timing = Timing { frames: 700, fps_num: 15, fps_den: 1, grid: 1000 };
        let limits = SingleConfig::default();
        assert_eq!(pieces(&timing, &limits), Err(Unfit::LongGroups { frames: 1000, limit: 450 }));
        // At 0.5 frames per second 30 s are 15 frames.
        let slow = Timing { frames: 100, fps_num: 1, fps_den: 2, grid: 15 };
        assert_eq!(pieces(&slow, &limits).unwrap().len(), 7);
    }

    #[test]
    fn less_than_a_second_is_refused() {
        let timing = Timing { frames: 14, fps_num: 15, fps_den: 1, grid: 15 };
        assert_eq!(pieces(&timing, &SingleConfig::default()), Err(Unfit::TooShort { frames: 14, limit: 15 }));
    }
}
