//! Seeded random choices, one independent stream per recording.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Random choices that depend on the seed and the stream only.
pub(crate) struct Dice(ChaCha8Rng);

impl Dice {
    /// The stream of one recording; a change in another recording does not move it.
    pub(crate) fn new(seed: u64, stream: u64) -> Dice {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(stream);
        Dice(generator)
    }

    /// Uniform in [low, high).
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * f64::from(self.0.next_u32()) / 4_294_967_296.0
    }

    /// Uniform among 0..count; `count` is never 0.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.between(0.0, count as f64) as usize
    }

    /// One of the elements; the slice is never empty.
    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// 32 random bits.
    pub(crate) fn bits(&mut self) -> u32 {
        self.0.next_u32()
    }
}
