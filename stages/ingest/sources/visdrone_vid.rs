//! VisDrone-VID and VisDrone-MOT: `sequences/<sequence>/0000001.jpg`, `annotations/<sequence>.txt`.
//!
//! One line per object and frame, usually ordered by target and then frame:
//! `frame,target,left,top,width,height,score,category,truncation,occlusion`. Frames count from 1, targets from 0, and
//! ignored regions have targets too.

use super::visdrone_text::Columns;

/// Folder that holds one folder of frames per sequence.
pub(crate) const IMAGE_FOLDER: &str = "sequences";

/// Columns of a line.
pub(crate) const COLUMNS: Columns = Columns::Tracked;

/// Number of the frame in a file called `stem`; null when the name is not a number.
pub(crate) fn frame_number(stem: &str) -> Option<i64> {
    let digits = !stem.is_empty() && stem.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| stem.parse().ok()).flatten()
}
