//! Encodes the images of a folder, in the order of their names, as one video with the default settings.
//!
//! `encode_sequence FOLDER OUT.mp4 [REPEAT]`; prints counts and the duration of each run. For timing the encoder.

use std::path::{Path, PathBuf};
use std::time::Instant;
use uavgen_media::{EncodeSettings, encode_video, library};

#[expect(clippy::print_stdout, reason = "a command-line example")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, out, repeat @ ..] = arguments.as_slice() else {
        return Err("usage: encode_sequence FOLDER OUT.mp4 [REPEAT]".into());
    };
    let repeat: usize = repeat.first().map_or(Ok(1), |count| count.parse())?;
    let files = image_files(Path::new(folder))?;
    println!("{}", library().build_id);
    for _ in 0..repeat {
        let start = Instant::now();
        let video = encode_video(files.iter().map(std::fs::read), &EncodeSettings::default(), Path::new(out))?;
        let seconds = start.elapsed().as_secs_f64();
        let (frames, skipped) = (video.frame_count(), video.skipped.len());
        println!("{frames} frames, {skipped} skipped, {} bytes, {seconds:.2} s", std::fs::metadata(out)?.len());
    }
    Ok(())
}

fn image_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries: std::io::Result<Vec<_>> = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect();
    let is_image = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "jpg" || extension == "png");
    let mut files: Vec<_> = entries?.into_iter().filter(is_image).collect();
    files.sort();
    Ok(files)
}
