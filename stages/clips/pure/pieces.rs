//! A recording cut into equal pieces.

use super::plan::{PlannedSegment, TooShort};
use super::timing::Timing;
use crate::clips::config::SingleConfig;

/// Consecutive pieces of at most `max_seconds`, as few and as equal as the grid allows: together all of the recording.
pub(super) fn pieces(timing: &Timing, config: &SingleConfig) -> Result<Vec<PlannedSegment>, TooShort> {
    let (least, most) = (timing.frames_lasting(config.min_seconds), timing.frames_within(config.max_seconds));
    if timing.frames < least {
        return Err(TooShort { frames: timing.frames, limit: least });
    }
    // Borders move by up to half the grid, so pieces must have that room.
    let room = if timing.frames <= most { most } else { most.saturating_sub(timing.grid - 1).max(1) };
    let count = timing.frames.div_ceil(room);
    let border = |ordinal: u64| match ordinal {
        last if last == count => timing.frames,
        ordinal => timing.on_grid(ordinal * timing.frames, count),
    };
    let pieces: Vec<PlannedSegment> = (0..count)
        .map(|ordinal| PlannedSegment::alone(border(ordinal), border(ordinal + 1) - border(ordinal)))
        .collect();
    match pieces.iter().map(|piece| piece.frame_count).min().filter(|&shortest| shortest < least) {
        Some(shortest) => Err(TooShort { frames: shortest, limit: least }),
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
            for grid in [1, 7, 15, 30] {
                let pieces = cut(frames, grid);
                assert!(
                    pieces.iter().all(|&(first, count)| first % grid == 0 && (15..=450).contains(&count)),
                    "{frames} {grid}"
                );
                assert!(pieces.windows(2).all(|pair| pair[0].0 + pair[0].1 == pair[1].0));
                assert_eq!(pieces.iter().map(|(_, count)| count).sum::<u64>(), frames);
            }
        }
    }

    #[test]
    fn less_than_a_second_is_refused() {
        let timing = Timing { frames: 14, fps_num: 15, fps_den: 1, grid: 15 };
        assert_eq!(pieces(&timing, &SingleConfig::default()), Err(TooShort { frames: 14, limit: 15 }));
    }
}
