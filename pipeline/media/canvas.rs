//! Videos of unlike size one after the other on one canvas: each scaled to fit, centred, with black bars, and encoded anew.

use crate::inspect::Reader;
use crate::muxer::VideoWriter;
use crate::{EncodeSettings, MediaError, library};
use ffmpeg_next as ffmpeg;
use ffmpeg_next::format::Pixel;
use ffmpeg_next::software::scaling;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

const JOIN: &str = "join video";

/// Black in video range: luma and chroma.
const BLACK: [u8; 3] = [16, 128, 128];

/// Where a picture lies on a canvas, in whole pixels, half-open; all edges are even, as 4:2:0 needs them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// Left edge.
    pub x1: u32,
    /// Top edge.
    pub y1: u32,
    /// Right edge.
    pub x2: u32,
    /// Bottom edge.
    pub y2: u32,
}

impl Placement {
    /// A picture on a canvas (width, height; even both): as large as fits, with the nearest even numbers of pixels to its own
    /// aspect, in the middle.
    pub fn letterbox((width, height): (u32, u32), (canvas_width, canvas_height): (u32, u32)) -> Self {
        let is_wide = u64::from(width) * u64::from(canvas_height) >= u64::from(height) * u64::from(canvas_width);
        let (fitted_width, fitted_height) = match is_wide {
            true => (canvas_width, nearest_even(height, canvas_width, width).min(canvas_height)),
            false => (nearest_even(width, canvas_height, height).min(canvas_width), canvas_height),
        };
        let [x1, y1] = [canvas_width - fitted_width, canvas_height - fitted_height].map(|rest| rest / 4 * 2);
        Self { x1, y1, x2: x1 + fitted_width, y2: y1 + fitted_height }
    }

    fn size(&self) -> (u32, u32) {
        (self.x2 - self.x1, self.y2 - self.y1)
    }
}

/// `value * numerator / denominator` as the nearest even number, at least 2.
fn nearest_even(value: u32, numerator: u32, denominator: u32) -> u32 {
    let (product, denominator) = (u64::from(value) * u64::from(numerator), u64::from(denominator.max(1)));
    ((product + denominator) / (2 * denominator) * 2).max(2) as u32
}

/// One video of a joined one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedVideo {
    /// Number of its frames.
    pub frame_count: usize,
    /// Where its pictures lie.
    pub placement: Placement,
}

/// Writes all frames of some videos that [`crate::encode_video`] made, in this order, to an MP4 file at `out`, on a canvas
/// of the given size (width, height; even both). All must have the rate of `settings`, by which all is encoded.
///
/// # Errors
/// [`MediaError::Unlike`] for another rate; a damaged file, or a failed write. The file at `out` is then incomplete or absent
/// and must not be used.
pub fn join_on_canvas(
    videos: &[PathBuf],
    canvas: (u32, u32),
    settings: &EncodeSettings,
    out: &Path,
) -> Result<Vec<JoinedVideo>, MediaError> {
    library::initialize();
    let mut writer = VideoWriter::create(out, canvas.0, canvas.1, settings)?;
    let mut joined = Vec::new();
    for path in videos {
        let mut reader = Reader::open(path)?;
        let rate = ffmpeg::Rational(settings.fps.num() as i32, settings.fps.den() as i32);
        if reader.frame_rate != rate {
            let detail = format!("it has {} frames per second, not {rate}", reader.frame_rate);
            return Err(MediaError::Unlike { path: path.clone(), detail });
        }
        let placement = Placement::letterbox((reader.decoder.width(), reader.decoder.height()), canvas);
        let mut painter = Painter { canvas, placement, scaler: None };
        let frame_count = reader.decode(|_, picture| {
            let mut painted = painter.paint(picture).map_err(|error| MediaError::ffmpeg(JOIN, path, error))?;
            writer.write(&mut painted).map(|()| ControlFlow::Continue(()))
        })?;
        joined.push(JoinedVideo { frame_count, placement });
    }
    writer.finish()?;
    Ok(joined)
}

/// Puts pictures of one size on a canvas.
struct Painter {
    canvas: (u32, u32),
    placement: Placement,
    scaler: Option<scaling::Context>,
}

impl Painter {
    fn paint(&mut self, picture: &ffmpeg::frame::Video) -> Result<ffmpeg::frame::Video, ffmpeg::Error> {
        let (width, height) = self.placement.size();
        let mut scaled = ffmpeg::frame::Video::new(Pixel::YUV420P, width, height);
        self.scaler_for(picture)?.run(picture, &mut scaled)?;
        let mut canvas = ffmpeg::frame::Video::new(Pixel::YUV420P, self.canvas.0, self.canvas.1);
        for (plane, black) in BLACK.into_iter().enumerate() {
            // Chroma planes have half the columns and rows.
            let half = |length: u32| if plane == 0 { length as usize } else { length as usize / 2 };
            let (left, top, columns, rows) =
                (half(self.placement.x1), half(self.placement.y1), half(width), half(height));
            let (stride, scaled_stride) = (canvas.stride(plane), scaled.stride(plane));
            canvas.data_mut(plane).fill(black);
            let targets = canvas.data_mut(plane).chunks_mut(stride).skip(top).take(rows);
            for (target, source) in targets.zip(scaled.data(plane).chunks(scaled_stride)) {
                target[left..left + columns].copy_from_slice(&source[..columns]);
            }
        }
        canvas.set_color_space(ffmpeg::color::Space::BT470BG);
        canvas.set_color_range(ffmpeg::color::Range::MPEG);
        Ok(canvas)
    }

    fn scaler_for(&mut self, picture: &ffmpeg::frame::Video) -> Result<&mut scaling::Context, ffmpeg::Error> {
        let scaler = match self.scaler.take() {
            Some(scaler) => scaler,
            None => {
                let flags = scaling::Flags::BICUBIC | scaling::Flags::ACCURATE_RND | scaling::Flags::BITEXACT;
                let (width, height) = self.placement.size();
                let (format, from_width, from_height) = (picture.format(), picture.width(), picture.height());
                scaling::Context::get(format, from_width, from_height, Pixel::YUV420P, width, height, flags)?
            }
        };
        Ok(self.scaler.insert(scaler))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_lie_in_the_middle_of_a_canvas() {
        let edges = |picture, canvas| {
            let Placement { x1, y1, x2, y2 } = Placement::letterbox(picture, canvas);
            (x1, y1, x2, y2)
        };
        assert_eq!(edges((1920, 1080), (1920, 1080)), (0, 0, 1920, 1080));
        assert_eq!(edges((960, 540), (1920, 1080)), (0, 0, 1920, 1080));
        // 4:3 on 16:9 has bars at its sides, upright pictures have wide ones, 2:1 has them above and below.
        assert_eq!(edges((640, 480), (1920, 1080)), (240, 0, 1680, 1080));
        assert_eq!(edges((1080, 1920), (1920, 1080)), (656, 0, 1264, 1080));
        assert_eq!(edges((200, 100), (1920, 1080)), (0, 60, 1920, 1020));
        // 608 x 342 on 720 x 480: 720 x 405, so 404 or 406; of two as near the larger.
        assert_eq!(edges((608, 342), (720, 480)), (0, 36, 720, 442));
        assert_eq!(edges((100, 2), (10, 10)), (0, 4, 10, 6));
    }

    #[test]
    fn placements_are_even_and_on_the_canvas() {
        for width in (2..90).step_by(2) {
            for height in (2..90).step_by(2) {
                let Placement { x1, y1, x2, y2 } = Placement::letterbox((width, height), (64, 48));
                assert!([x1, y1, x2, y2].iter().all(|edge| edge % 2 == 0), "{width}x{height}");
                assert!(x1 < x2 && y1 < y2 && x2 <= 64 && y2 <= 48 && (x2 - x1 == 64 || y2 - y1 == 48));
                let (left, right, top, bottom) = (x1, 64 - x2, y1, 48 - y2);
                assert!(right - left <= 2 && bottom - top <= 2, "{width}x{height}");
            }
        }
    }
}
