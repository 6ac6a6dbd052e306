//! VisDrone-DET: `images/<image>.jpg`, `annotations/<image>.txt`.
//!
//! One line per object: `left,top,width,height,score,category,truncation,occlusion`. There are no tracks.

use super::visdrone_text::Columns;

/// Folder that holds the images.
pub(crate) const IMAGE_FOLDER: &str = "images";

/// Columns of a line.
pub(crate) const COLUMNS: Columns = Columns::Still;
