//! Which frames of a clip a model is shown, by named profile: the same for clips of every kind.

use uavgen_schemas::{Clip, ClipSample};

/// Frames of profiles that spread a fixed number over a clip.
const UNIFORM_FRAMES: u64 = 32;
/// Fewest frames of `sis-train`.
const FEWEST_TRAIN_FRAMES: u64 = 8;

/// A clip in frames, with its rate as a fraction.
#[derive(Debug, Clone, Copy)]
struct Length {
    frames: u64,
    fps_num: u64,
    fps_den: u64,
}

/// The frames of every profile.
pub(crate) fn samples(clip: &Clip) -> Vec<ClipSample> {
    let [frames, fps_num, fps_den] = [clip.frame_count, clip.fps_num, clip.fps_den].map(i64::unsigned_abs);
    let length = Length { frames, fps_num, fps_den };
    let profiles = [
        ("sis-eval", length.sis_eval()),
        ("sis-train", length.sis_train()),
        ("sis-uniform32", length.uniform(UNIFORM_FRAMES)),
    ];
    let row = |(profile, frames): (&str, Vec<u64>)| ClipSample {
        sample_id: format!("{}/{profile}", clip.clip_id),
        clip_id: clip.clip_id.clone(),
        profile: profile.to_owned(),
        frames: frames.into_iter().map(|frame| frame as i64).collect(),
    };
    profiles.into_iter().map(row).collect()
}

impl Length {
    /// Two frames per second below 16 s, one up to 32 s, else 32 in all.
    fn sis_eval(&self) -> Vec<u64> {
        match self.frames * self.fps_den {
            ticks if ticks < 16 * self.fps_num => self.per_second(2),
            ticks if ticks <= 32 * self.fps_num => self.per_second(1),
            _ => self.uniform(UNIFORM_FRAMES),
        }
    }

    /// Two frames per second, but at least 8 (where there are so many) and at most 32.
    fn sis_train(&self) -> Vec<u64> {
        let frames = self.per_second(2);
        match frames.len() as u64 {
            few if few < FEWEST_TRAIN_FRAMES => self.uniform(FEWEST_TRAIN_FRAMES),
            many if many > UNIFORM_FRAMES => self.uniform(UNIFORM_FRAMES),
            _ => frames,
        }
    }

    /// The frames shown at 0, 1/rate, 2/rate, … seconds.
    fn per_second(&self, rate: u64) -> Vec<u64> {
        let frame = |ordinal: u64| ordinal * self.fps_num / (rate * self.fps_den);
        let mut frames: Vec<u64> = (0..).map(frame).take_while(|frame| *frame < self.frames).collect();
        // A slower clip shows a frame longer than that.
        frames.dedup();
        frames
    }

    /// The frames in the middle of equal parts; all of them where there are no more.
    fn uniform(&self, count: u64) -> Vec<u64> {
        let count = count.min(self.frames);
        (0..count).map(|ordinal| (2 * ordinal + 1) * self.frames / (2 * count)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_15(frames: u64) -> Length {
        Length { frames, fps_num: 15, fps_den: 1 }
    }

    #[test]
    fn the_rate_goes_by_the_exact_duration() {
        // 239 frames are 15.93 s, 240 are 16 s, 480 are 32 s.
        assert_eq!(at_15(239).sis_eval().len(), 32);
        assert_eq!(at_15(239).sis_eval()[..4], [0, 7, 15, 22]);
        assert_eq!(at_15(240).sis_eval(), (0..16).map(|second| 15 * second).collect::<Vec<_>>());
        assert_eq!(at_15(480).sis_eval().len(), 32);
        assert_eq!(at_15(480).sis_eval()[31], 465);
        assert_eq!(at_15(481).sis_eval(), at_15(481).uniform(32));
        // At 29.97 frames per second 480 frames are 16.016 s, 479 are 15.98 s.
        let ntsc = |frames| Length { frames, fps_num: 30_000, fps_den: 1001 };
        assert_eq!((ntsc(479).sis_eval().len(), ntsc(480).sis_eval().len()), (32, 17));
    }

    #[test]
    fn uniform_frames_are_even_and_within_the_clip() {
        assert_eq!(at_15(64).uniform(32), (0..32).map(|ordinal| 2 * ordinal + 1).collect::<Vec<_>>());
        assert_eq!(at_15(5).uniform(32), [0, 1, 2, 3, 4]);
        for frames in 1..200 {
            let uniform = at_15(frames).uniform(32);
            assert!(uniform.windows(2).all(|pair| pair[0] < pair[1]) && uniform.last() < Some(&frames), "{frames}");
        }
    }

    #[test]
    fn slow_clips_show_each_frame_once() {
        for (fps_num, fps_den) in [(1, 2), (1, 1), (3, 2), (2, 1)] {
            let length = Length { frames: 12, fps_num, fps_den };
            for frames in [length.sis_eval(), length.sis_train(), length.uniform(32)] {
                assert!(frames.windows(2).all(|pair| pair[0] < pair[1]) && frames.len() >= 8, "{frames:?}");
            }
        }
    }

    #[test]
    fn training_samples_have_8_to_32_frames() {
        assert_eq!(at_15(30).sis_train().len(), 8);
        assert_eq!(at_15(7).sis_train().len(), 7);
        assert_eq!(at_15(60).sis_train(), [0, 7, 15, 22, 30, 37, 45, 52]);
        assert_eq!(at_15(1000).sis_train().len(), 32);
    }
}
