//! Full-range samples, as JPEG stores them, to video range, as players expect them.
//!
//! Video keeps luma within 16 to 235 and chroma within 16 to 240. A pipeline that only relabels the samples loses
//! about 4 dB and all detail in shadows and highlights, without any error. The conversion here is rounded exactly and
//! works in 16-bit integers, which the compiler turns into vector code.

use ffmpeg_next::format::Pixel;
use ffmpeg_next::frame::Video;

/// `16 + value * 219 / 255`, rounded.
fn video_luma(value: u8) -> u8 {
    (divided_by_255(u16::from(value) * 219) + 16) as u8
}

/// `128 + (value - 128) * 224 / 255`, rounded.
fn video_chroma(value: u8) -> u8 {
    // 128 * (255 - 224) = 3968 moves the whole sum above zero.
    divided_by_255(u16::from(value) * 224 + 3968) as u8
}

/// `sum / 255`, rounded to the nearest; `sum` must be at most 65 152.
fn divided_by_255(sum: u16) -> u16 {
    let sum = sum + 128;
    (sum + (sum >> 8)) >> 8
}

/// Converts a full-range 4:2:0 picture; `None` if the picture has another pixel format.
pub(crate) fn video_range_420(source: &Video) -> Option<Video> {
    (source.format() == Pixel::YUVJ420P).then(|| to_video_range(source))
}

/// Converts a 4:2:0 picture that is of full range, whatever its pixel format says.
pub(crate) fn to_video_range(source: &Video) -> Video {
    let mut target = Video::new(Pixel::YUV420P, source.width(), source.height());
    convert_plane(source, &mut target, 0, video_luma);
    convert_plane(source, &mut target, 1, video_chroma);
    convert_plane(source, &mut target, 2, video_chroma);
    target
}

fn convert_plane(source: &Video, target: &mut Video, plane: usize, convert: impl Fn(u8) -> u8) {
    let width = source.plane_width(plane) as usize;
    let (source_stride, target_stride) = (source.stride(plane), target.stride(plane));
    let source_rows = source.data(plane).chunks_exact(source_stride);
    for (to, from) in target.data_mut(plane).chunks_exact_mut(target_stride).zip(source_rows) {
        for (to, from) in to[..width].iter_mut().zip(&from[..width]) {
            *to = convert(*from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_rounded_exactly() {
        for value in 0..=255_u8 {
            let exact = f64::from(value);
            assert_eq!(video_luma(value), (16.0 + exact * 219.0 / 255.0).round() as u8, "luma {value}");
            assert_eq!(video_chroma(value), (128.0 + (exact - 128.0) * 224.0 / 255.0).round() as u8, "chroma {value}");
        }
        assert_eq!([video_luma(0), video_luma(255), video_chroma(0), video_chroma(128)], [16, 235, 16, 128]);
    }

    #[test]
    fn rows_are_converted_without_their_padding() {
        let mut source = Video::new(Pixel::YUVJ420P, 6, 4);
        for plane in 0..3 {
            source.data_mut(plane).fill(255);
        }
        let target = video_range_420(&source).unwrap();
        for (plane, expected) in [(0, 235), (1, 240), (2, 240)] {
            let width = target.plane_width(plane) as usize;
            for row in target.data(plane).chunks_exact(target.stride(plane)) {
                assert!(row[..width].iter().all(|&value| value == expected));
            }
        }
        assert!(video_range_420(&Video::new(Pixel::YUVJ422P, 6, 4)).is_none());
    }
}
