//! Somebody else's video to one of ours: upright, of constant rate, in groups that can be cut, without sound.

use crate::encode::{Decoded, EncodeSettings, EncodedVideo, encode_beside};
use crate::footage_picture::PictureMaker;
use crate::{FootageFrame, FrameTime, MediaError, library, read_footage};
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::mpsc::SyncSender;

/// Encodes the frames of the video at `path`, which must be those of `expected`, one for one, as H.264 into an MP4 file at
/// `out`, which is replaced if it exists. `keep_on` is asked before each frame; its error ends the work.
///
/// The memory does not grow with the length of the video, and nothing is skipped: a frame that is missing, or that nobody
/// expects, is an error. Frame k is shown at `k / fps` seconds, whatever its time was.
///
/// # Errors
/// [`MediaError::Load`] when the video cannot be read, or has other frames; and a failed write. The file at `out` is then
/// incomplete or absent and must not be used.
pub fn encode_footage(
    path: &Path,
    expected: &[FrameTime],
    keep_on: impl FnMut() -> io::Result<()> + Send,
    settings: &EncodeSettings,
    out: &Path,
) -> Result<EncodedVideo, MediaError> {
    library::initialize();
    settings.check()?;
    let decode = |sender| {
        let mut feed = Feed { sender, expected, keep_on, maker: PictureMaker::default(), sent: 0 };
        let read = read_footage(path, |frame| feed.take(&frame));
        match read {
            Ok(_) => feed.check_all(),
            Err(fault) => feed.fail(io::Error::other(fault)),
        }
    };
    encode_beside(decode, settings, out)
}

/// Hands pictures to the encoder while they are as expected.
struct Feed<'a, K> {
    sender: SyncSender<Decoded>,
    expected: &'a [FrameTime],
    keep_on: K,
    maker: PictureMaker,
    /// Pictures that were handed over; beyond all that there may be once something failed.
    sent: usize,
}

impl<K: FnMut() -> io::Result<()>> Feed<'_, K> {
    fn take(&mut self, frame: &FootageFrame<'_>) -> ControlFlow<()> {
        let picture = (self.keep_on)()
            .and_then(|()| self.check_time(frame.time))
            .and_then(|()| frame.picture(&mut self.maker).map_err(io::Error::other));
        let sent = match picture {
            Ok(picture) => self.sender.send((self.sent, Ok(Ok(picture)))).is_ok(),
            Err(error) => {
                self.fail(error);
                false
            }
        };
        if sent {
            self.sent += 1;
            return ControlFlow::Continue(());
        }
        // Where the encoder has gone, it says why itself.
        self.sent = usize::MAX;
        ControlFlow::Break(())
    }

    fn check_time(&self, found: FrameTime) -> io::Result<()> {
        let expected = self.expected.get(self.sent);
        if expected == Some(&found) {
            return Ok(());
        }
        let expected = expected.map_or("none".to_owned(), shown);
        Err(io::Error::other(format!("the video has {}, expected was {expected}", shown(&found))))
    }

    /// After the last frame: none of those expected may be missing.
    fn check_all(&mut self) {
        if let Some(missing) = self.expected.get(self.sent) {
            self.fail(io::Error::other(format!("the video ends before {}", shown(missing))));
        }
    }

    fn fail(&mut self, error: io::Error) {
        drop(self.sender.send((self.sent, Err(error))));
    }
}

fn shown(time: &FrameTime) -> String {
    format!("frame {} at {} us", time.number, time.time_us)
}
