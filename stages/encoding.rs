//! How a video was encoded, as its row has it: whoever encodes parts of it again must do it alike.

use uavgen_core::TaskError;
use uavgen_media::{EncodeSettings, FrameRate, Preset};
use uavgen_schemas::Video;

/// The settings of a video.
///
/// # Errors
/// When its row has settings that the encoder does not.
pub(crate) fn settings(video: &Video) -> Result<EncodeSettings, TaskError> {
    let unknown = || TaskError::failed(format!("the row of video {} has settings that no video has", video.video_id));
    let number = |value: i64| u32::try_from(value).map_err(|_| unknown());
    Ok(EncodeSettings {
        fps: FrameRate::new(number(video.fps_num)?, number(video.fps_den)?).map_err(|_| unknown())?,
        gop_frames: number(video.gop_frames)?,
        crf: u8::try_from(video.crf).map_err(|_| unknown())?,
        preset: Preset::ALL.into_iter().find(|preset| preset.as_str() == video.preset).ok_or_else(unknown)?,
    })
}
