//! Colours of other matrices to BT.601, which all our videos have, so that any two of them can be joined and every reader
//! shows them alike.

use ffmpeg_next::color::Space;
use ffmpeg_next::frame::Video;

/// Bits behind the point of the coefficients.
const BITS: u32 = 16;

/// Shares of red and blue in luma.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Matrix {
    red: f64,
    blue: f64,
}

const BT601: Matrix = Matrix { red: 0.299, blue: 0.114 };

impl Matrix {
    /// The matrix of a video; null for one that is not linear, or not known. Where the video does not say, it is BT.601, as
    /// FFmpeg and OpenCV take it, which write most such files.
    pub(crate) fn of(space: Space) -> Option<Self> {
        match space {
            Space::BT470BG | Space::SMPTE170M | Space::Unspecified | Space::RGB => Some(BT601),
            Space::BT709 => Some(Self { red: 0.2126, blue: 0.0722 }),
            Space::FCC => Some(Self { red: 0.30, blue: 0.11 }),
            Space::SMPTE240M => Some(Self { red: 0.212, blue: 0.087 }),
            Space::BT2020NCL => Some(Self { red: 0.2627, blue: 0.0593 }),
            _ => None,
        }
    }

    /// Luma, blue and red difference in BT.601 of one unit of a difference in this matrix.
    fn of_difference(self, blue_difference: f64, red_difference: f64) -> [f64; 3] {
        let red = 2.0 * (1.0 - self.red) * red_difference;
        let blue = 2.0 * (1.0 - self.blue) * blue_difference;
        let green = -(self.red * red + self.blue * blue) / (1.0 - self.red - self.blue);
        let luma = BT601.red * red + BT601.blue * blue + (1.0 - BT601.red - BT601.blue) * green;
        [luma, (blue - luma) / (2.0 * (1.0 - BT601.blue)), (red - luma) / (2.0 * (1.0 - BT601.red))]
    }

    /// The coefficients for samples of video range, in which luma has 219 steps and the differences 224.
    fn coefficients(self) -> [[i32; 3]; 2] {
        [self.of_difference(1.0, 0.0), self.of_difference(0.0, 1.0)].map(|[luma, blue, red]| {
            [luma * 219.0 / 224.0, blue, red].map(|value| (value * f64::from(1 << BITS)).round() as i32)
        })
    }
}

/// Converts a 4:2:0 picture of video range in place.
pub(crate) fn to_bt601(picture: &mut Video, matrix: Matrix) {
    if matrix == BT601 {
        return;
    }
    let [of_blue, of_red] = matrix.coefficients();
    let (columns, rows) = (picture.plane_width(1) as usize, picture.plane_height(1) as usize);
    let mut lumas = vec![0; columns];
    for row in 0..rows {
        let mut blues = row_of(picture, 1, row).to_vec();
        let mut reds = row_of(picture, 2, row).to_vec();
        for ((blue, red), luma) in blues.iter_mut().zip(&mut reds).zip(&mut lumas) {
            let (b, r) = (i32::from(*blue) - 128, i32::from(*red) - 128);
            let [y, new_blue, new_red] = [0, 1, 2].map(|part| rounded(of_blue[part] * b + of_red[part] * r));
            (*blue, *red, *luma) = ((128 + new_blue).clamp(0, 255) as u8, (128 + new_red).clamp(0, 255) as u8, y);
        }
        row_of_mut(picture, 1, row).copy_from_slice(&blues);
        row_of_mut(picture, 2, row).copy_from_slice(&reds);
        for y in 2 * row..(2 * row + 2).min(picture.height() as usize) {
            for (pair, luma) in row_of_mut(picture, 0, y).chunks_mut(2).zip(&lumas) {
                pair.iter_mut().for_each(|value| *value = (i32::from(*value) + luma).clamp(0, 255) as u8);
            }
        }
    }
}

fn row_of(picture: &Video, plane: usize, row: usize) -> &[u8] {
    let (stride, width) = (picture.stride(plane), picture.plane_width(plane) as usize);
    &picture.data(plane)[row * stride..][..width]
}

fn row_of_mut(picture: &mut Video, plane: usize, row: usize) -> &mut [u8] {
    let (stride, width) = (picture.stride(plane), picture.plane_width(plane) as usize);
    &mut picture.data_mut(plane)[row * stride..][..width]
}

fn rounded(value: i32) -> i32 {
    (value + (1 << (BITS - 1))) >> BITS
}

#[cfg(test)]
mod tests {
    use super::*;
    use ffmpeg_next::format::Pixel;

    #[test]
    fn pure_colours_become_those_of_bt601() {
        // Red, green, blue, white and a grey as BT.709 and BT.601 have them.
        let colours = [
            ([63, 102, 240], [82, 90, 240]),
            ([173, 42, 26], [145, 54, 34]),
            ([32, 240, 118], [41, 240, 110]),
            ([235, 128, 128], [235, 128, 128]),
            ([126, 128, 128], [126, 128, 128]),
        ];
        for (in_709, in_601) in colours {
            let mut picture = Video::new(Pixel::YUV420P, 6, 4);
            for (plane, value) in in_709.into_iter().enumerate() {
                picture.data_mut(plane).fill(value);
            }
            to_bt601(&mut picture, Matrix::of(Space::BT709).unwrap());
            for (plane, expected) in in_601.into_iter().enumerate() {
                let width = picture.plane_width(plane) as usize;
                for row in picture.data(plane).chunks_exact(picture.stride(plane)) {
                    let off = row[..width].iter().map(|value| value.abs_diff(expected)).max();
                    assert!(off <= Some(1), "{in_709:?}: {:?} instead of {in_601:?}", &row[..width]);
                }
            }
        }
    }

    #[test]
    fn what_has_no_matrix_is_told() {
        assert_eq!(Matrix::of(Space::YCGCO), None);
        assert_eq!(Matrix::of(Space::BT2020CL), None);
        assert_eq!(Matrix::of(Space::Unspecified), Some(BT601));
    }
}
