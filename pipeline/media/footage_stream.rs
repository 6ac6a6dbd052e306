//! The stream of a video file that was filmed, and what its container says of how it is to be shown.

use crate::boxes::Track;
use crate::{VideoFault, display, footage_picture};
use ffmpeg_next as ffmpeg;
use ffmpeg_next::format::context::Input;
use ffmpeg_next::format::stream::{Disposition, Stream};
use ffmpeg_next::frame::Video;

/// The best stream that is no cover picture.
pub(crate) fn filmed(input: &Input) -> Option<Stream<'_>> {
    let is_cover = |stream: &Stream| stream.disposition().contains(Disposition::ATTACHED_PIC);
    let is_video = |stream: &Stream| stream.parameters().medium() == ffmpeg::media::Type::Video && !is_cover(stream);
    let best = input.streams().best(ffmpeg::media::Type::Video).filter(|stream| !is_cover(stream));
    best.or_else(|| input.streams().find(is_video))
}

/// Orientation that the container states.
pub(crate) fn stated_orientation(stream: &Stream) -> Result<Option<u8>, VideoFault> {
    let kind = ffmpeg::codec::packet::side_data::Type::DisplayMatrix;
    let matrix = stream.side_data().find(|data| data.kind() == kind);
    matrix.map(|data| display::orientation(data.data()).ok_or(VideoFault::UnsupportedRotation)).transpose()
}

/// Orientation that the first frame states itself: EXIF in Motion JPEG, a message in H.264 or HEVC.
pub(crate) fn orientation_of_frame(frame: &Video) -> Result<u8, VideoFault> {
    let matrix = frame.side_data(ffmpeg::frame::side_data::Type::DisplayMatrix);
    matrix.map_or(Ok(1), |data| display::orientation(data.data()).ok_or(VideoFault::UnsupportedRotation))
}

/// Refuses a track of an MP4 whose pixels are not square, which players heed although its frames do not say so.
pub(crate) fn check_pixel_shape(track: Option<Track<'_>>) -> Result<(), VideoFault> {
    let shape = track.and_then(Track::pixel_shape);
    shape.map_or(Ok(()), |(num, den)| footage_picture::check_pixel_shape(num, den))
}

/// Packets of a stream that hold something, from where the input stands to its end.
pub(crate) fn count_packets(input: &mut Input, stream: usize) -> u64 {
    let mut packet = ffmpeg::Packet::empty();
    let mut count = 0;
    while packet.read(input).is_ok() {
        count += u64::from(packet.stream() == stream && packet.size() > 0);
    }
    count
}
