//! What can be wrong with the inputs of lifting.

use thiserror::Error;

/// Inputs that do not belong together, or options without meaning.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum LiftingError {
    /// A raster has not one value per pixel.
    #[error("use a raster of {width} x {height} pixels: it has {values} values")]
    RasterLength {
        /// Width in pixels.
        width: usize,
        /// Height in pixels.
        height: usize,
        /// Values as given.
        values: usize,
    },
    /// A raster and the camera are of different sizes.
    #[error(
        "lift a view: the {what} are {width} x {height} pixels and the camera's image is {camera_width} x {camera_height}"
    )]
    SizeDiffers {
        /// Which raster.
        what: &'static str,
        /// Its width in pixels.
        width: usize,
        /// Its height in pixels.
        height: usize,
        /// Width of the camera's image in pixels.
        camera_width: usize,
        /// Height of the camera's image in pixels.
        camera_height: usize,
    },
    /// An option lies outside its range.
    #[error("use the option {option} = {value}: it must lie in {range}")]
    Option {
        /// Name of the option.
        option: &'static str,
        /// Value as given.
        value: f64,
        /// The range that it must lie in.
        range: &'static str,
    },
}
