//! From metres to what is stored of them. No files, no clock, no threads.

pub(super) mod align;

use uavgen_core::draw::content_id;
use uavgen_geometry::{GroundBox, Point, Rectangle, World};

/// Largest value of a 16-bit image.
const MOST: f64 = u16::MAX as f64;

/// Decades of steps that are tried.
const MOST_DECADES: usize = 60;

/// What is told of a rendered frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Statistics {
    /// Nearest surface, in metres.
    pub(super) min_m: f64,
    /// Farthest surface, in metres.
    pub(super) max_m: f64,
    /// Mean over all pixels with a surface, in metres.
    pub(super) mean_m: f64,
    /// Share of pixels with a surface.
    pub(super) known_share: f64,
}

impl Statistics {
    /// Of depths in metres, 0 = none. Null where no pixel shows a surface.
    pub(super) fn of(depth: &[f32]) -> Option<Self> {
        let known = depth.iter().copied().filter(|&z| z > 0.0);
        let (mut count, mut sum, mut min, mut max) = (0_u64, 0.0_f64, f32::INFINITY, 0.0_f32);
        for z in known {
            count += 1;
            sum += f64::from(z);
            (min, max) = (min.min(z), max.max(z));
        }
        (count > 0).then(|| Self {
            min_m: min.into(),
            max_m: max.into(),
            mean_m: sum / count as f64,
            known_share: count as f64 / depth.len() as f64,
        })
    }
}

/// The finest of the steps 1, 2 and 5 times `finest` (and ten, a hundred, … times as many) with which 16 bits reach `farthest`;
/// all in metres.
pub(super) fn step(finest: f64, farthest: f64) -> f64 {
    let decades = std::iter::successors(Some(1.0), |decade| Some(decade * 10.0));
    let factors = decades.flat_map(|decade| [1.0, 2.0, 5.0].map(|digit| digit * decade));
    // They end beyond any depth that a float can have.
    let reaching = factors.take(3 * MOST_DECADES).find(|factor| finest * factor * MOST >= farthest);
    finest * reaching.unwrap_or(f64::INFINITY)
}

/// Depths as multiples of a step; 0 = no surface, which no surface is rounded to.
pub(super) fn quantised(depth: &[f32], step: f64) -> Vec<u16> {
    let value = |&z: &f32| if z > 0.0 { (f64::from(z) / step).round().clamp(1.0, MOST) as u16 } else { 0 };
    depth.iter().map(value).collect()
}

/// Folder of the files of a recording, by a name that two recordings do not share and that tells nothing.
pub(super) fn folder(recording_id: &str) -> String {
    format!("depth/{}", content_id(&["depth", recording_id]))
}

/// The box between two corners of the world.
pub(super) fn bounding_box((low, high): (Point<World>, Point<World>)) -> GroundBox {
    let (east, north) = (high.x() - low.x(), high.y() - low.y());
    let footprint = Rectangle::new([low.x() + east / 2.0, low.y() + north / 2.0], east, north, 0.0);
    GroundBox::new(footprint, low.z(), high.z())
}

/// A length for people.
pub(super) fn length(metres: f64) -> String {
    if metres < 1000.0 { format!("{metres:.0} m") } else { format!("{:.1} km", metres / 1000.0) }
}
