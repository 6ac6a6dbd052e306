//! Whether a video shows the frames that it maps to, as far as these are delivered as images too.
//!
//! Both are compared as grey cells, so that neither the strength of compression nor its small shifts matter: at the
//! strongest that H.264 has, pictures differ by about 4 levels of 255. Found are other recordings, mirrored, black and reversed
//! videos, and shifts in time that bring a picture nearer to the next delivered image. Not found are changes of colour alone, or
//! smaller than a cell (1/32 of the width), a shift by a few frames where images are delivered less often than that or the
//! camera stands still, and anything in frames of which no item shows the image.

use crate::tables::Key;
use std::collections::HashMap;
use uavgen_media::GreyCells;

/// Most that a frame of a video and its image may differ by, in levels of 255.
const MOST_DIFFERENCE: f64 = 8.0;
/// Another delivered image is nearer when the own one differs by this many times as much, and by so many levels more.
const NEARER: (f64, f64) = (1.25, 0.25);

/// Delivered images by frame, of recordings that have a video.
pub(crate) type DeliveredCells = HashMap<Key, GreyCells>;

/// A frame of a video whose source frame has a delivered image.
pub(crate) struct Shown<'a> {
    /// Number of the frame in its video.
    pub(crate) video_frame: i64,
    /// What the video shows.
    pub(crate) cells: GreyCells,
    /// The delivered image of the source frame.
    pub(crate) image: &'a GreyCells,
}

/// What is wrong with the pictures of a video; null when nothing is.
pub(crate) fn contradiction(shown: &[Shown]) -> Option<String> {
    let wrong: Vec<String> = shown.iter().filter_map(|frame| difference(frame, shown)).collect();
    wrong.first().map(|first| format!("{first}; so for {} of the {} frames with an image", wrong.len(), shown.len()))
}

fn difference(frame: &Shown, all: &[Shown]) -> Option<String> {
    let own = frame.cells.difference(frame.image);
    let number = frame.video_frame;
    if own > MOST_DIFFERENCE {
        return Some(format!("frame {number} differs from the image of its source frame by {own:.1} levels of 255"));
    }
    let others = all.iter().filter(|other| other.video_frame != number);
    let nearest = others.map(|other| (frame.cells.difference(other.image), other.video_frame));
    let (nearest, other) = nearest.min_by(|a, b| a.0.total_cmp(&b.0))?;
    (own > NEARER.0 * nearest + NEARER.1).then(|| {
        format!("frame {number} differs from its image by {own:.1} levels of 255, from that of frame {other} by {nearest:.1}")
    })
}
