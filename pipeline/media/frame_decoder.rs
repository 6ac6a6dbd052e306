//! One source image to one picture for the encoder: YUV 4:2:0, video range, even size.
//!
//! Ordinary camera JPEGs are decoded by libavcodec and stay YUV all the way, which is fast and avoids two colour
//! conversions. Everything else takes the way of [`decode_upright`] through RGB. Which way an image takes depends on
//! its header only, so equal input gives equal bytes.

use crate::jpeg_header::{self, ColorCoding};
use crate::{ImageFault, ImageFormat, ImageInfo, RgbImage, decode_upright, jpeg_entropy, library, probe, range};
use ffmpeg_next as ffmpeg;
use ffmpeg_next::format::Pixel;
use ffmpeg_next::software::scaling;

/// A picture ready to encode.
pub(crate) struct Picture {
    pub(crate) frame: ffmpeg::frame::Video,
    /// Size of the image as delivered, before it was padded to even numbers.
    pub(crate) delivered: (u32, u32),
}

impl Picture {
    pub(crate) fn new(mut frame: ffmpeg::frame::Video, delivered: (u32, u32)) -> Self {
        frame.set_color_space(ffmpeg::color::Space::BT470BG);
        frame.set_color_range(ffmpeg::color::Range::MPEG);
        Self { frame, delivered }
    }
}

/// Decodes images one by one; keeps its decoder and scaler between them.
pub(crate) struct FrameDecoder {
    mjpeg: Option<ffmpeg::decoder::Video>,
    scaler: Option<scaling::Context>,
}

impl FrameDecoder {
    pub(crate) fn new() -> Self {
        library::initialize();
        Self { mjpeg: open_mjpeg(), scaler: None }
    }

    /// Decodes one image completely, or says why that cannot be done.
    pub(crate) fn decode(&mut self, bytes: &[u8]) -> Result<Picture, ImageFault> {
        let info = probe(bytes)?;
        if stays_yuv(bytes, &info)? {
            jpeg_entropy::verify(bytes)?;
            if let Some(decoded) = self.decode_yuv(bytes, &info) {
                let delivered = (info.width, info.height);
                return match range::video_range_420(&decoded) {
                    Some(frame) => Ok(Picture::new(frame, delivered)),
                    None => encodable(&mut self.scaler, &decoded, delivered),
                };
            }
        }
        let image = decode_upright(bytes)?;
        encodable(&mut self.scaler, &padded_rgb_frame(&image), image.dimensions())
    }

    /// `None` when libavcodec refuses the image or decodes it to something unusual: then the other way decides.
    fn decode_yuv(&mut self, bytes: &[u8], info: &ImageInfo) -> Option<ffmpeg::frame::Video> {
        let decoder = self.mjpeg.as_mut()?;
        let mut frame = ffmpeg::frame::Video::empty();
        let result = decoder.send_packet(&ffmpeg::Packet::copy(bytes)).and_then(|()| decoder.receive_frame(&mut frame));
        if result.is_err() {
            decoder.flush();
            return None;
        }
        let usual = matches!(frame.format(), Pixel::YUVJ420P | Pixel::YUVJ422P | Pixel::YUVJ444P);
        let same_size = (frame.width(), frame.height()) == (info.width, info.height);
        (usual && same_size && !frame.has_decode_errors()).then_some(frame)
    }
}

/// A picture for the encoder from RGB, or from samples of another resolution.
fn encodable(
    scaler: &mut Option<scaling::Context>,
    source: &ffmpeg::frame::Video,
    delivered: (u32, u32),
) -> Result<Picture, ImageFault> {
    let frame =
        converted(scaler, source).map_err(|error| ImageFault::undecodable(format!("colour conversion: {error}")))?;
    Ok(Picture::new(frame, delivered))
}

/// Converts other formats to the encoder's. The scaler maps to video range, with the BT.601 matrix of JFIF.
pub(crate) fn converted(
    scaler: &mut Option<scaling::Context>,
    source: &ffmpeg::frame::Video,
) -> Result<ffmpeg::frame::Video, ffmpeg::Error> {
    let (format, width, height) = (source.format(), source.width(), source.height());
    let input = scaling::context::Definition { format, width, height };
    let fitting = match scaler.take() {
        Some(scaler) if *scaler.input() == input => scaler,
        _ => {
            let flags = scaling::Flags::BICUBIC | scaling::Flags::ACCURATE_RND | scaling::Flags::BITEXACT;
            scaling::Context::get(format, width, height, Pixel::YUV420P, width, height, flags)?
        }
    };
    let mut frame = ffmpeg::frame::Video::new(Pixel::YUV420P, width, height);
    scaler.insert(fitting).run(source, &mut frame)?;
    Ok(frame)
}

/// Upright baseline YCbCr JPEGs of even size: what cameras and dataset tools write.
fn stays_yuv(bytes: &[u8], info: &ImageInfo) -> Result<bool, ImageFault> {
    let even = info.width.is_multiple_of(2) && info.height.is_multiple_of(2);
    if info.format != ImageFormat::Jpeg || info.exif_orientation != 1 || !even {
        return Ok(false);
    }
    let header = jpeg_header::parse(bytes)?;
    Ok(header.coding == ColorCoding::YCbCr && !header.progressive)
}

fn open_mjpeg() -> Option<ffmpeg::decoder::Video> {
    let codec = ffmpeg::decoder::find(ffmpeg::codec::Id::MJPEG)?;
    let mut options = ffmpeg::Dictionary::new();
    options.set("err_detect", "explode");
    options.set("flags", "+bitexact");
    options.set("threads", "1");
    let context = ffmpeg::codec::Context::new_with_codec(codec);
    context.decoder().open_as_with(codec, options).and_then(|opened| opened.video()).ok()
}

/// Copies an image into a frame of even size, repeating the last column and row where one is missing.
pub(crate) fn padded_rgb_frame(image: &RgbImage) -> ffmpeg::frame::Video {
    let (width, height) = (image.width().next_multiple_of(2), image.height().next_multiple_of(2));
    let mut frame = ffmpeg::frame::Video::new(Pixel::RGB24, width, height);
    let stride = frame.stride(0);
    let source_stride = image.width() as usize * 3;
    let rows = image.as_raw().chunks_exact(source_stride);
    let last_row = image.as_raw().len() - source_stride;
    let padded_rows = rows.chain(std::iter::once(&image.as_raw()[last_row..]));
    for (target, source) in frame.data_mut(0).chunks_exact_mut(stride).zip(padded_rows) {
        target[..source_stride].copy_from_slice(source);
        if image.width() < width {
            target[source_stride..source_stride + 3].copy_from_slice(&source[source_stride - 3..]);
        }
    }
    frame
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    #[test]
    fn odd_images_gain_a_repeated_column_and_row() {
        let image = RgbImage::from_fn(3, 1, |x, _| Rgb([x as u8 + 1, 0, 9]));
        let frame = padded_rgb_frame(&image);
        assert_eq!((frame.width(), frame.height()), (4, 2));
        for row in frame.data(0).chunks_exact(frame.stride(0)) {
            assert_eq!(row[..12], [1, 0, 9, 2, 0, 9, 3, 0, 9, 3, 0, 9]);
        }
    }
}
