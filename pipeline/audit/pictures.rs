//! Whether a video shows the frames that it maps to, as far as these are delivered as images too.
//!
//! Both are compared as grey cells, so that the strength of compression hardly matters: at the strongest that H.264 has,
//! pictures differ by up to 6 levels of 255, and where much moves they may lag by a frame or two. Found are other recordings,
//! mirrored, black and reversed videos, and those that are shifted in time, so that many images are clearly nearer to
//! another frame. Not found are changes of colour alone, or smaller than a cell (1/32 of the width), a shift while the camera
//! stands still, a few frames that changed places, a mirrored picture without contrast, and anything in frames of which no
//! item shows the image.

use crate::tables::Key;
use std::collections::HashMap;
use uavgen_media::GreyCells;

/// Most that a frame of a video and its image may differ by, in levels of 255.
const MOST_DIFFERENCE: f64 = 10.0;
/// Another frame is nearer to an image when the own one differs by this many times as much, and by so many levels more.
const NEARER: (f64, f64) = (1.5, 0.25);
/// Largest share of images that may be nearer to another frame.
const MOST_NEARER: f64 = 0.25;

/// Delivered images by frame, of recordings that have a video.
pub(crate) type DeliveredCells = HashMap<Key, GreyCells>;

/// A frame of a video.
pub(crate) struct Shown<'a> {
    /// Number of the frame in its video.
    pub(crate) number: usize,
    /// What the video shows.
    pub(crate) cells: GreyCells,
    /// The delivered image of the source frame; null where there is none.
    pub(crate) image: Option<&'a GreyCells>,
}

/// What is wrong with the pictures of a video; null when nothing is.
pub(crate) fn contradiction(shown: &[Shown]) -> Option<String> {
    let compared = || shown.iter().filter_map(|frame| frame.image.map(|image| (frame, image)));
    let other: Vec<String> = compared().filter_map(|(frame, image)| another_picture(frame, image)).collect();
    let shifted: Vec<String> = compared().filter_map(|(frame, image)| nearer(frame, image, shown)).collect();
    let all = compared().count();
    let wrong = match &other[..] {
        [] if shifted.len() as f64 > MOST_NEARER * all as f64 => shifted,
        _ => other,
    };
    wrong.first().map(|first| format!("{first}; so for {} of the {all} frames with an image", wrong.len()))
}

fn another_picture(frame: &Shown, image: &GreyCells) -> Option<String> {
    let own = frame.cells.difference(image);
    let number = frame.number;
    (own > MOST_DIFFERENCE).then(|| format!("frame {number} differs from its source image by {own:.1} levels of 255"))
}

fn nearer(frame: &Shown, image: &GreyCells, shown: &[Shown]) -> Option<String> {
    let (own, number) = (frame.cells.difference(image), frame.number);
    let all = shown.iter().map(|other| (other.cells.difference(image), other.number));
    let (least, other) = all.min_by(|a, b| a.0.total_cmp(&b.0))?;
    (own > NEARER.0 * least + NEARER.1).then(|| {
        format!("frame {number} differs from its source image by {own:.1} levels of 255, frame {other} by {least:.1}")
    })
}
