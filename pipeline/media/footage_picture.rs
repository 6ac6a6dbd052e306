//! One decoded frame of somebody else's video to one upright picture for the encoder: YUV 4:2:0, BT.601, video range, even
//! size.

use crate::display;
use crate::frame_decoder::{Picture, converted, padded_rgb_frame};
use crate::inspect::rgb_image;
use crate::matrix::{Matrix, to_bt601};
use crate::{RgbImage, VideoFault, range};
use ffmpeg_next as ffmpeg;
use ffmpeg_next::color::{Range, TransferCharacteristic};
use ffmpeg_next::format::Pixel;
use ffmpeg_next::frame::Video;
use ffmpeg_next::software::scaling;
use image::DynamicImage;
use image::metadata::Orientation;

/// Pixel formats of 4:2:0 and the like that are read, without alpha.
const YUV_FORMATS: [Pixel; 23] = [
    Pixel::YUV420P,
    Pixel::YUVJ420P,
    Pixel::YUV422P,
    Pixel::YUVJ422P,
    Pixel::YUV444P,
    Pixel::YUVJ444P,
    Pixel::YUV440P,
    Pixel::YUVJ440P,
    Pixel::YUV411P,
    Pixel::YUVJ411P,
    Pixel::YUV410P,
    Pixel::NV12,
    Pixel::NV21,
    Pixel::YUYV422,
    Pixel::UYVY422,
    Pixel::YUV420P10LE,
    Pixel::YUV422P10LE,
    Pixel::YUV444P10LE,
    Pixel::YUV440P10LE,
    Pixel::YUV420P12LE,
    Pixel::YUV422P12LE,
    Pixel::YUV444P12LE,
    Pixel::YUV440P12LE,
];
/// Pixel formats of RGB and grey that are read, without alpha.
const PLAIN_FORMATS: [Pixel; 8] =
    [Pixel::RGB24, Pixel::BGR24, Pixel::GBRP, Pixel::GBRP10LE, Pixel::BGRZ, Pixel::RGBZ, Pixel::ZRGB, Pixel::GRAY8];

/// Refuses frames whose pixels would come out wrong.
pub(crate) fn check(frame: &Video, number: u64) -> Result<(), VideoFault> {
    let format = frame.format();
    if frame.is_interlaced() {
        return Err(VideoFault::Interlaced { number });
    }
    if !YUV_FORMATS.contains(&format) && !PLAIN_FORMATS.contains(&format) {
        let format = format.descriptor().map_or("unknown", |descriptor| descriptor.name()).to_owned();
        return Err(VideoFault::UnsupportedPixels { format });
    }
    if Matrix::of(frame.color_space()).is_none() {
        let detail = frame.color_space().name().unwrap_or("unknown").to_owned();
        return Err(VideoFault::UnsupportedColour { detail });
    }
    // Without mapping of its tones a picture of high dynamic range is flat and grey.
    let curve = frame.color_transfer_characteristic();
    if matches!(curve, TransferCharacteristic::SMPTE2084 | TransferCharacteristic::ARIB_STD_B67) {
        return Err(VideoFault::UnsupportedColour { detail: curve.name().unwrap_or("unknown").to_owned() });
    }
    let shape = frame.aspect_ratio();
    check_pixel_shape(shape.numerator(), shape.denominator())
}

/// Refuses pixels that are shown wider or narrower than high. A zero states nothing.
pub(crate) fn check_pixel_shape(num: i32, den: i32) -> Result<(), VideoFault> {
    // Scalers that keep the shape of the picture leave a remainder: it is less than a pixel in a hundred.
    if num > 0 && den > 0 && num.abs_diff(den) > den.unsigned_abs() / 100 {
        return Err(VideoFault::NonSquarePixels { num, den });
    }
    Ok(())
}

/// Turns decoded frames into pictures; keeps its scalers between them.
#[derive(Default)]
pub(crate) struct PictureMaker {
    to_420: Option<scaling::Context>,
    to_rgb: Option<scaling::Context>,
    from_rgb: Option<scaling::Context>,
}

impl PictureMaker {
    /// The picture of a frame that [`check`] accepts.
    pub(crate) fn picture(&mut self, frame: &Video, orientation: u8) -> Result<Picture, ffmpeg::Error> {
        let delivered = display::turned_size((frame.width(), frame.height()), orientation);
        let stored = self.bt601(frame)?;
        let even = delivered.0.is_multiple_of(2) && delivered.1.is_multiple_of(2);
        if !even {
            // Colours at half the resolution cannot be turned or moved by one pixel.
            let image = self.upright(&stored, orientation)?;
            return Ok(Picture::new(converted(&mut self.from_rgb, &padded_rgb_frame(&image))?, delivered));
        }
        let upright = if orientation == 1 { stored } else { display::turned(&stored, orientation) };
        Ok(Picture::new(upright, delivered))
    }

    /// The upright pixels of a frame that [`check`] accepts.
    pub(crate) fn image(&mut self, frame: &Video, orientation: u8) -> Result<RgbImage, ffmpeg::Error> {
        let stored = self.bt601(frame)?;
        self.upright(&stored, orientation)
    }

    fn upright(&mut self, stored: &Video, orientation: u8) -> Result<RgbImage, ffmpeg::Error> {
        let mut image = DynamicImage::ImageRgb8(rgb_image(&mut self.to_rgb, stored)?);
        if let Some(orientation) = Orientation::from_exif(orientation) {
            image.apply_orientation(orientation);
        }
        Ok(image.into_rgb8())
    }

    /// 4:2:0 in BT.601 and video range, of the size of the frame.
    fn bt601(&mut self, frame: &Video) -> Result<Video, ffmpeg::Error> {
        let format = frame.format();
        let full_range = frame.color_range() == Range::JPEG;
        let mut picture = match format {
            Pixel::YUVJ420P => range::to_video_range(frame),
            Pixel::YUV420P if full_range => range::to_video_range(frame),
            Pixel::YUV420P => frame.clone(),
            Pixel::GRAY8 => of_grey(frame),
            // The scaler knows the range of these formats by their name, and takes all others for video range.
            _ if PLAIN_FORMATS.contains(&format) || has_full_range_name(format) => converted(&mut self.to_420, frame)?,
            _ if full_range => range::to_video_range(&converted(&mut self.to_420, frame)?),
            _ => converted(&mut self.to_420, frame)?,
        };
        if let (Some(matrix), false) = (Matrix::of(frame.color_space()), PLAIN_FORMATS.contains(&format)) {
            to_bt601(&mut picture, matrix);
        }
        Ok(picture)
    }
}

fn has_full_range_name(format: Pixel) -> bool {
    matches!(format, Pixel::YUVJ422P | Pixel::YUVJ444P | Pixel::YUVJ440P | Pixel::YUVJ411P)
}

/// Grey as luma. It is of full range unless the video says otherwise.
fn of_grey(frame: &Video) -> Video {
    let mut picture = Video::new(Pixel::YUV420P, frame.width(), frame.height());
    let (width, from, to) = (frame.width() as usize, frame.stride(0), picture.stride(0));
    for (target, source) in picture.data_mut(0).chunks_exact_mut(to).zip(frame.data(0).chunks_exact(from)) {
        target[..width].copy_from_slice(&source[..width]);
    }
    picture.data_mut(1).fill(128);
    picture.data_mut(2).fill(128);
    if frame.color_range() == Range::MPEG { picture } else { range::to_video_range(&picture) }
}
