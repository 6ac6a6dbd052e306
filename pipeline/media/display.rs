//! How a video says it is to be turned, and turning it.

use ffmpeg_next::frame::Video;

/// One in the 16.16 fixed-point numbers of a display matrix.
const ONE: i32 = 1 << 16;
/// Rounding that writers of matrices are allowed.
const SLACK: i32 = 64;

/// The EXIF orientation that means the same as a display matrix of nine numbers; null for other than quarter turns and
/// mirror images.
///
/// The matrix takes a stored point (x, y) to (a x + c y, b x + d y), but for a shift that brings it back into the picture.
pub(crate) fn orientation(matrix: &[u8]) -> Option<u8> {
    let number = |at: usize| {
        let bytes = matrix.get(at * 4..at * 4 + 4)?;
        let value = i32::from_ne_bytes(bytes.try_into().ok()?);
        [-ONE, 0, ONE].into_iter().find(|whole| value.abs_diff(*whole) <= SLACK as u32).map(|whole| whole / ONE)
    };
    match (number(0)?, number(1)?, number(3)?, number(4)?) {
        (1, 0, 0, 1) => Some(1),
        (-1, 0, 0, 1) => Some(2),
        (-1, 0, 0, -1) => Some(3),
        (1, 0, 0, -1) => Some(4),
        (0, 1, 1, 0) => Some(5),
        (0, 1, -1, 0) => Some(6),
        (0, -1, -1, 0) => Some(7),
        (0, -1, 1, 0) => Some(8),
        _ => None,
    }
}

/// Size of a picture once it is turned.
pub(crate) fn turned_size((width, height): (u32, u32), orientation: u8) -> (u32, u32) {
    if (5..=8).contains(&orientation) { (height, width) } else { (width, height) }
}

/// A picture of 8-bit planes, turned upright. Its sides must be even where its colours are at half the resolution.
pub(crate) fn turned(source: &Video, orientation: u8) -> Video {
    let (width, height) = turned_size((source.width(), source.height()), orientation);
    let mut target = Video::new(source.format(), width, height);
    for plane in 0..source.planes() {
        turn_plane(source, &mut target, plane, orientation);
    }
    target
}

fn turn_plane(source: &Video, target: &mut Video, plane: usize, orientation: u8) {
    let (last_x, last_y) = (source.plane_width(plane) as usize - 1, source.plane_height(plane) as usize - 1);
    let (stride, width) = (source.stride(plane), target.plane_width(plane) as usize);
    let height = target.plane_height(plane) as usize;
    let target_stride = target.stride(plane);
    let from = source.data(plane);
    for (v, row) in target.data_mut(plane).chunks_exact_mut(target_stride).take(height).enumerate() {
        for (u, pixel) in row[..width].iter_mut().enumerate() {
            let (x, y) = match orientation {
                2 => (last_x - u, v),
                3 => (last_x - u, last_y - v),
                4 => (u, last_y - v),
                5 => (v, u),
                6 => (v, last_y - u),
                7 => (last_x - v, last_y - u),
                8 => (last_x - v, u),
                _ => (u, v),
            };
            *pixel = from[y * stride + x];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ffmpeg_next::format::Pixel;

    fn matrix(numbers: [i32; 4]) -> Vec<u8> {
        let [a, b, c, d] = numbers.map(|number| number * ONE);
        [a, b, 0, c, d, 0, 0, 0, 1 << 30].into_iter().flat_map(i32::to_ne_bytes).collect()
    }

    #[test]
    fn a_matrix_is_one_of_eight_orientations_or_none() {
        // As the QuickTime format has it: a quarter turn clockwise is 0 1 -1 0.
        assert_eq!(orientation(&matrix([0, 1, -1, 0])), Some(6));
        assert_eq!(orientation(&matrix([-1, 0, 0, -1])), Some(3));
        assert_eq!(orientation(&matrix([2, 0, 0, 2])), None);
        let slanted = [46_341, 46_341, 0, -46_341, 46_341, 0, 0, 0, 1 << 30];
        assert_eq!(orientation(&slanted.into_iter().flat_map(i32::to_ne_bytes).collect::<Vec<_>>()), None);
        assert_eq!(orientation(&[]), None);
    }

    #[test]
    fn pictures_turn_as_the_orientations_of_exif_say() {
        // 1 2 3
        // 4 5 6
        let mut source = Video::new(Pixel::GRAY8, 3, 2);
        let stride = source.stride(0);
        for (index, value) in (1..=6).enumerate() {
            source.data_mut(0)[index / 3 * stride + index % 3] = value;
        }
        let expected: [(u8, &[&[u8]]); 8] = [
            (1, &[&[1, 2, 3], &[4, 5, 6]]),
            (2, &[&[3, 2, 1], &[6, 5, 4]]),
            (3, &[&[6, 5, 4], &[3, 2, 1]]),
            (4, &[&[4, 5, 6], &[1, 2, 3]]),
            (5, &[&[1, 4], &[2, 5], &[3, 6]]),
            (6, &[&[4, 1], &[5, 2], &[6, 3]]),
            (7, &[&[6, 3], &[5, 2], &[4, 1]]),
            (8, &[&[3, 6], &[2, 5], &[1, 4]]),
        ];
        for (orientation, rows) in expected {
            let target = turned(&source, orientation);
            assert_eq!((target.width() as usize, target.height() as usize), (rows[0].len(), rows.len()));
            for (row, bytes) in rows.iter().zip(target.data(0).chunks_exact(target.stride(0))) {
                assert_eq!(&bytes[..row.len()], *row, "orientation {orientation}");
            }
        }
    }
}
