//! Videos in, plans of clips out. All choices are hashes of the seed and of what is chosen for.

mod pieces;
mod plan;
mod rows;
mod shuffle;
mod timing;

pub(super) use plan::{Plan, plans};
pub(super) use rows::{WrittenClip, clip_row, frame_rows, segment_rows};
