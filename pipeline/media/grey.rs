//! A picture as a few grey cells: enough to tell whether two pictures show the same, however they were encoded.

use crate::RgbImage;

const COLUMNS: usize = 32;
const ROWS: usize = 18;

/// The mean brightness of 32 x 18 cells of a picture, 0 to 255.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GreyCells(Box<[u8]>);

impl GreyCells {
    /// The cells of an image.
    pub fn of_image(image: &RgbImage) -> Self {
        let (width, height) = (image.width() as usize, image.height() as usize);
        let luma = |x: usize, y: usize| {
            let [r, g, b] = image.get_pixel(x as u32, y as u32).0.map(f32::from);
            // BT.601, as JPEG and our videos have it.
            0.299 * r + 0.587 * g + 0.114 * b
        };
        Self::from_means(width, height, luma)
    }

    /// The cells of a plane of 8-bit luma whose first `width` x `height` samples are the picture.
    pub(crate) fn of_luma(plane: &[u8], stride: usize, (width, height): (usize, usize), video_range: bool) -> Self {
        let luma = |x: usize, y: usize| {
            let sample = f32::from(plane[y * stride + x]);
            if video_range { (sample - 16.0) * 255.0 / 219.0 } else { sample }
        };
        Self::from_means(width, height, luma)
    }

    /// Mean difference of the cells of two pictures, 0 to 255.
    pub fn difference(&self, other: &Self) -> f64 {
        let sum: u32 = self.0.iter().zip(&other.0).map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
        f64::from(sum) / (COLUMNS * ROWS) as f64
    }

    fn from_means(width: usize, height: usize, luma: impl Fn(usize, usize) -> f32) -> Self {
        // A picture smaller than the grid has cells of one pixel, some of them the same.
        let part = |at: usize, parts: usize, side: usize| {
            let start = (at * side / parts).min(side.saturating_sub(1));
            start..((at + 1) * side / parts).max(start + 1).min(side)
        };
        let mut cells = Vec::with_capacity(COLUMNS * ROWS);
        for row in 0..ROWS {
            for column in 0..COLUMNS {
                let (xs, ys) = (part(column, COLUMNS, width), part(row, ROWS, height));
                let count = (xs.len() * ys.len()).max(1) as f32;
                let sum: f32 = ys.map(|y| xs.clone().map(|x| luma(x, y)).sum::<f32>()).sum();
                cells.push((sum / count).round() as u8);
            }
        }
        Self(cells.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    #[test]
    fn cells_are_means_and_differences_are_in_levels() {
        let left_dark = RgbImage::from_fn(64, 36, |x, _| if x < 32 { Rgb([10; 3]) } else { Rgb([200; 3]) });
        let cells = GreyCells::of_image(&left_dark);
        assert_eq!((cells.0[15], cells.0[16]), (10, 200));
        let right_dark = GreyCells::of_image(&image::imageops::flip_horizontal(&left_dark));
        assert_eq!((cells.difference(&cells), cells.difference(&right_dark)), (0.0, 190.0));
        // 15.5 on average.
        let stripes = RgbImage::from_fn(64, 36, |x, _| Rgb([[10, 21][x as usize % 2]; 3]));
        assert_eq!(GreyCells::of_image(&stripes).0[0], 16);
    }

    #[test]
    fn of_a_padded_plane_in_video_range_only_the_picture_counts() {
        // 3 x 1 samples of white and black in rows of four; the fourth is padding.
        let cells = GreyCells::of_luma(&[235, 16, 235, 99], 4, (3, 1), true);
        let image = RgbImage::from_fn(3, 1, |x, _| Rgb([if x == 1 { 0 } else { 255 }; 3]));
        assert_eq!(cells, GreyCells::of_image(&image));
    }

    #[test]
    fn the_smallest_picture_has_cells_too() {
        assert_eq!(GreyCells::of_image(&RgbImage::from_pixel(1, 1, Rgb([7; 3]))).0.iter().max(), Some(&7));
    }
}
