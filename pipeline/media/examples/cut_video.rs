//! Puts parts of a video that `encode_sequence` made together in another order, for the benchmark.
//!
//! `cut_video VIDEO OUT FIRST+COUNT ...`

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use uavgen_media::{EncodeSettings, Part, assemble};

fn part(video: &Path, text: &str) -> Option<Part> {
    let (first, count) = text.split_once('+')?;
    let (first_frame, frame_count) = (first.parse().ok()?, count.parse().ok()?);
    Some(Part { video: video.to_path_buf(), first_frame, frame_count, settings: EncodeSettings::default() })
}

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]
fn main() -> ExitCode {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [video, out, parts @ ..] = arguments.as_slice() else {
        eprintln!("usage: cut_video VIDEO OUT FIRST+COUNT ...");
        return ExitCode::from(2);
    };
    let Some(parts) = parts.iter().map(|text| part(video, text.to_str()?)).collect::<Option<Vec<Part>>>() else {
        eprintln!("error: a part is FIRST+COUNT, such as 30+15");
        return ExitCode::from(2);
    };
    match assemble(&parts, out) {
        Ok(assembled) => {
            println!("{} frames encoded again", assembled.encoded_again.iter().sum::<usize>());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
