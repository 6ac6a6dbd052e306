//! Joins whole videos that `encode_sequence` made, all of one length, for the benchmark.
//!
//! `join_videos OUT FRAMES VIDEO ...`

use std::path::PathBuf;
use std::process::ExitCode;
use uavgen_media::{EncodeSettings, Part, assemble};

#[expect(clippy::print_stderr, reason = "a program for the terminal")]
fn main() -> ExitCode {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [out, frames, videos @ ..] = arguments.as_slice() else {
        eprintln!("usage: join_videos OUT FRAMES VIDEO ...");
        return ExitCode::from(2);
    };
    let Some(frame_count) = frames.to_str().and_then(|frames| frames.parse().ok()) else {
        eprintln!("error: FRAMES is the number of frames of each video");
        return ExitCode::from(2);
    };
    let whole = |video: &PathBuf| Part {
        video: video.clone(),
        first_frame: 0,
        frame_count,
        settings: EncodeSettings::default(),
    };
    match assemble(&videos.iter().map(whole).collect::<Vec<Part>>(), out) {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
