//! Plain video files: `<any folders>/DJI_0001.MP4`, with `DJI_0001.SRT` beside it where the drone wrote one.
//!
//! Extensions may have any case, and only say which files are looked at: the container is what its bytes say.

use std::collections::BTreeMap;

/// Extensions of files that are taken for videos.
const EXTENSIONS: [&str; 6] = ["mp4", "m4v", "mov", "mkv", "webm", "avi"];
/// Extension of the subtitle files that drones write.
const TELEMETRY_EXTENSION: &str = "srt";

/// Whether a file is taken for a video.
pub(crate) fn is_video(file: &str) -> bool {
    EXTENSIONS.iter().any(|extension| has_extension(file, extension))
}

/// Whether a file is taken for telemetry.
pub(crate) fn is_telemetry(file: &str) -> bool {
    has_extension(file, TELEMETRY_EXTENSION)
}

fn has_extension(file: &str, wanted: &str) -> bool {
    file.rsplit_once('.').is_some_and(|(_, extension)| extension.eq_ignore_ascii_case(wanted))
}

/// The name of each video of one folder by its file name: without the extension, but where that would name two.
pub(crate) fn names<'a>(files: &[&'a str]) -> BTreeMap<&'a str, &'a str> {
    let mut stems: BTreeMap<&str, usize> = BTreeMap::new();
    files.iter().for_each(|file| *stems.entry(stem(file)).or_default() += 1);
    let is_free = |name: &str| stems[name] == 1 && !files.contains(&name);
    files.iter().map(|file| (*file, if is_free(stem(file)) { stem(file) } else { *file })).collect()
}

fn stem(file: &str) -> &str {
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

/// Whether a telemetry file belongs to a video of the same folder: they have one name, in any case.
pub(crate) fn belongs_to(telemetry: &str, video: &str) -> bool {
    stem(telemetry).to_lowercase() == stem(video).to_lowercase()
}
