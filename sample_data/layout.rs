//! Writes recordings in VisDrone's own folders and text formats.

use crate::draw::render;
use crate::script::Recording;
use crate::truth::{TruthRow, sequence_rows, still_rows};
use image::ExtendedColorType;
use image::codecs::jpeg::JpegEncoder;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Sequences are many frames of little size each; stills are looked at.
const SEQUENCE_QUALITY: u8 = 72;
const STILL_QUALITY: u8 = 82;

/// Why the sample could not be written. Messages fit after "failed to".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SampleError {
    /// A folder could not be made.
    #[error("create the folder `{}`; choose a folder that you may write to", path.display())]
    CreateFolder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file could not be written.
    #[error("write `{}`; check free space and permissions", path.display())]
    WriteFile {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A picture could not be encoded.
    #[error("encode the picture `{}`", path.display())]
    Encode {
        /// The file that the picture was meant for.
        path: PathBuf,
        /// What the encoder said.
        source: image::ImageError,
    },
}

/// Writes frames and annotations, where there are any, of a sequence; returns its truth.
pub(crate) fn write_sequence(root: &Path, recording: &Recording) -> Result<Vec<TruthRow>, SampleError> {
    let base = root.join(format!("VisDrone2019-VID-{}", recording.split));
    let frames = create_folder(base.join("sequences").join(&recording.name))?;
    for frame in 1..=recording.frame_count {
        write_picture(&frames.join(format!("{frame:07}.jpg")), recording, frame, SEQUENCE_QUALITY)?;
    }
    if !recording.annotated {
        return Ok(Vec::new());
    }
    let annotations = create_folder(base.join("annotations"))?;
    let rows = sequence_rows(recording);
    let lines = rows.iter().map(|row| format!("{},{},{}", row.frame_number, row.object_number, object_fields(row)));
    write_lines(&annotations.join(format!("{}.txt", recording.name)), lines, recording.crlf)?;
    Ok(rows)
}

/// Writes picture and annotations of a still; returns its truth.
pub(crate) fn write_still(root: &Path, recording: &Recording) -> Result<Vec<TruthRow>, SampleError> {
    let base = root.join(format!("VisDrone2019-DET-{}", recording.split));
    let images = create_folder(base.join("images"))?;
    let annotations = create_folder(base.join("annotations"))?;
    write_picture(&images.join(format!("{}.jpg", recording.name)), recording, 1, STILL_QUALITY)?;
    let rows = still_rows(recording);
    write_lines(&annotations.join(format!("{}.txt", recording.name)), rows.iter().map(object_fields), recording.crlf)?;
    Ok(rows)
}

/// The eight fields that both formats share: box, score, category, truncation, occlusion.
fn object_fields(row: &TruthRow) -> String {
    let (score, category) = (row.kind.score(), row.annotated_category.code());
    format!("{},{},{},{},{score},{category},{},{}", row.x, row.y, row.w, row.h, row.truncation, row.occlusion)
}

fn write_lines(path: &Path, lines: impl Iterator<Item = String>, crlf: bool) -> Result<(), SampleError> {
    let end = if crlf { "\r\n" } else { "\n" };
    write_file(path, lines.map(|line| line + end).collect::<String>().as_bytes())
}

fn write_picture(path: &Path, recording: &Recording, frame: u32, quality: u8) -> Result<(), SampleError> {
    let canvas = render(&recording.world, &recording.camera(frame), recording.seconds(frame));
    encode(path, |bytes| {
        JpegEncoder::new_with_quality(bytes, quality).encode(
            &canvas.to_rgb8(),
            canvas.width,
            canvas.height,
            ExtendedColorType::Rgb8,
        )
    })
}

/// Writes the picture that an encoder makes.
pub(crate) fn encode(
    path: &Path,
    encoder: impl FnOnce(&mut Vec<u8>) -> Result<(), image::ImageError>,
) -> Result<(), SampleError> {
    let mut bytes = Vec::new();
    encoder(&mut bytes).map_err(|source| SampleError::Encode { path: path.to_owned(), source })?;
    write_file(path, &bytes)
}

/// Writes a file, replacing one of the same name.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), SampleError> {
    fs::write(path, bytes).map_err(|source| SampleError::WriteFile { path: path.to_owned(), source })
}

/// Makes a folder, and those above it, where they are missing.
pub(crate) fn create_folder(path: PathBuf) -> Result<PathBuf, SampleError> {
    match fs::create_dir_all(&path) {
        Ok(()) => Ok(path),
        Err(source) => Err(SampleError::CreateFolder { path, source }),
    }
}
