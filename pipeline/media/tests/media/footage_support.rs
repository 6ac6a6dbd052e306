//! Videos as others make them: written by the `ffmpeg` command from pictures that carry their number.

use crate::support::{numbered_frame, println_skipped, read_number};
use image::{DynamicImage, RgbImage};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use uavgen_media::{EncodeSettings, Footage, FrameRate, FrameTime, VideoFault, encode_footage, for_each_frame};
use uavgen_media::{footage_image, read_footage};

/// Frames of every video, unless its test says otherwise.
pub(crate) const FRAMES: u32 = 36;
/// Width and height of them.
pub(crate) const SIZE: (u32, u32) = (200, 120);

/// A folder with numbered pictures, and videos made from them.
pub(crate) struct Studio(TempDir);

impl Studio {
    /// Null, with a word on it, without the `ffmpeg` command.
    pub(crate) fn open(test: &str) -> Option<Self> {
        Self::with_pictures(test, |picture| picture)
    }

    /// As [`Studio::open`], with pictures that are stored in another way.
    pub(crate) fn with_pictures(test: &str, store: impl Fn(DynamicImage) -> DynamicImage) -> Option<Self> {
        if Command::new("ffmpeg").arg("-version").output().is_err() {
            println_skipped(test, "ffmpeg is not installed");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        for number in 0..FRAMES {
            let picture = store(DynamicImage::ImageRgb8(numbered_frame(SIZE.0, SIZE.1, number)));
            picture.save(folder.path().join(format!("{number}.png"))).unwrap();
        }
        Some(Self(folder))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs `ffmpeg` in the folder.
    pub(crate) fn ffmpeg(&self, arguments: &str) {
        let run = Command::new("ffmpeg")
            .args(["-v", "error", "-nostdin", "-y"])
            .args(arguments.split_whitespace())
            .current_dir(self.0.path())
            .output()
            .unwrap();
        assert!(run.status.success(), "ffmpeg {arguments}: {}", String::from_utf8_lossy(&run.stderr));
    }

    /// A video of all pictures at 30 frames per second.
    pub(crate) fn film(&self, arguments: &str, name: &str) -> PathBuf {
        self.ffmpeg(&format!("-framerate 30 -i %d.png {arguments} {name}"));
        self.path(name)
    }

    /// Frames that `ffmpeg` itself decodes.
    pub(crate) fn decoded_by_ffmpeg(&self, name: &str) -> usize {
        self.ffmpeg(&format!("-i {name} -vsync passthrough -f framemd5 md5.txt"));
        let text = fs::read_to_string(self.path("md5.txt")).unwrap();
        text.lines().filter(|line| !line.starts_with('#')).count()
    }
}

/// Numbers that the frames of a video carry, read from its own pictures, beside what was said of the file.
pub(crate) fn read(path: &Path) -> Result<(Footage, Vec<u32>), VideoFault> {
    let footage = read_footage(path, |_| ControlFlow::Continue(()))?;
    let copy = path.with_extension("copy.mp4");
    encode(path, &footage.frames, &copy);
    let numbers = shown(&copy);
    fs::remove_file(copy).unwrap();
    Ok((footage, numbers))
}

/// Encodes a video by our settings.
pub(crate) fn encode(path: &Path, frames: &[FrameTime], out: &Path) {
    let settings = EncodeSettings { fps: FrameRate::new(30, 1).unwrap(), ..EncodeSettings::default() };
    let video = encode_footage(path, frames, || Ok(()), &settings, out).unwrap();
    assert_eq!(video.frames.len(), frames.len(), "{}", path.display());
}

/// Numbers that the frames of one of our videos show.
pub(crate) fn shown(path: &Path) -> Vec<u32> {
    let mut numbers = Vec::new();
    for_each_frame(path, |frame| {
        numbers.push(read_number(&frame.image));
        ControlFlow::Continue(())
    })
    .unwrap();
    numbers
}

pub(crate) fn image(path: &Path, number: u64) -> RgbImage {
    footage_image(path, number).unwrap()
}

pub(crate) fn times(footage: &Footage) -> Vec<i64> {
    footage.frames.iter().map(|frame| frame.time_us).collect()
}

/// Microseconds of frame `number` at 30 frames per second.
pub(crate) fn at(number: u32) -> i64 {
    (f64::from(number) * 1e6 / 30.0).round() as i64
}

pub(crate) fn near(times: &[i64], expected: &[i64], most: i64) {
    assert_eq!(times.len(), expected.len());
    let off = times.iter().zip(expected).map(|(a, b)| (a - b).abs()).max().unwrap_or(0);
    assert!(off <= most, "{times:?} instead of {expected:?}");
}
